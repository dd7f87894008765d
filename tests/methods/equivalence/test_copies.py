"""Items that nobody can tell apart, put together with copies, give the numbers of the items themselves."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import ks_2samp

from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError
from dissensus.methods.equivalence.calibration import calibrated_predictions, share_out
from dissensus.methods.equivalence.equivalence import run_equivalence
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import merged
from dissensus.methods.equivalence.replicates import (
    Extras,
    bootstrap_scores,
    large_sizes,
    observed_scores,
    treatments,
)
from dissensus.methods.equivalence.scores import SCORES
from dissensus.methods.equivalence.setup import set_up
from dissensus.sampling.draws import draw_copies, draw_weights

from profiles import moments_of, profiles_of
from survey_builders import hard_judges_of, judges_of, names_of, ratings_of
from survey_builders import raw_equivalence as equivalence

RANKED = ("auc", "pearson", "spearman")
NUMBERS = ("1", "2", "3")
TWO = ("no", "yes")


def named(options):
    """Options as a name for a test, the same in every process."""
    return ", ".join(f"{name}={getattr(value, '__name__', value)}" for name, value in options.items())


def three_labels(n=120, seed=0):
    """Three labels, 1 to 5 raters per item, two judges with few different outputs."""
    rng = default_rng(seed)
    state = rng.dirichlet([0.6, 0.5, 0.4], n)
    ratings = ratings_of(
        [list(rng.choice(3, size=rng.integers(1, 6), p=p)) for p in state], labels=NUMBERS, scale="ordinal"
    )
    good = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])[state.argmax(axis=1)]
    poor = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])[rng.integers(2, size=n)]
    return ratings, judges_of({"good": good, "poor": poor}, NUMBERS)


def two_labels(n, seed=0, raters=4, levels=4):
    """Two labels, a rater less on every third item, two judges whose outputs are multiples of 1 / levels."""
    rng = default_rng(seed)
    p = rng.beta(0.6, 0.8, n)
    given = [list((rng.random(raters - (i % 3 == 0)) < chance).astype(int)) for i, chance in enumerate(p)]
    outputs = [np.round(np.clip(p + noise * rng.normal(size=n), 0, 1) * levels) / levels for noise in (0.2, 0.6)]
    judges = {name: np.stack([1 - x, x], axis=1) for name, x in zip(("good", "poor"), outputs, strict=True)}
    return ratings_of(given, labels=TWO), judges_of(judges, TWO)


def continuous(n, seed=0, raters=5):
    """Two labels and judges with another output on every item."""
    rng = default_rng(seed)
    p = rng.beta(0.6, 0.8, n)
    given = [list((rng.random(raters) < chance).astype(int)) for chance in p]
    odds = np.log((p + 1e-9) / (1 - p + 1e-9))
    common, own = rng.normal(size=(2, n))  # judges err together on most items
    outputs = [1 / (1 + np.exp(-0.8 * odds - error)) for error in (common, 1.5 * common + 0.3 * own)]
    judges = {name: np.stack([1 - x, x], axis=1) for name, x in zip(("good", "poor"), outputs, strict=True)}
    return ratings_of(given, labels=TWO), judges_of(judges, TWO)


def assert_same(ours, theirs):
    """Equal warnings, settings and numbers, these to 1e-12."""
    assert ours.warnings == theirs.warnings
    assert ours.settings == theirs.settings
    for mine, other in zip(numbers_of(ours), numbers_of(theirs), strict=True):
        assert mine.keys() == other.keys()
        for name, value in mine.items():
            if isinstance(value, float):
                assert value == pytest.approx(other[name], abs=1e-12, nan_ok=True), name
            else:
                assert value == other[name], name


def numbers_of(result):
    points = [*result.curve, *result.judges, *result.differences]
    more = [vars_of(point) for point in result.amateurs or ()]
    end = [] if result.ceiling is None else [{"gain": result.ceiling.gain}, *map(vars_of, result.ceiling.curve)]
    return [*map(vars_of, points), *more, *end]


def vars_of(point):
    return {name: getattr(point, name) for name in type(point).__dataclass_fields__}


def asked(**options):
    return EquivalenceOptions(**({"bootstrap": 100, "calibrate": "none", "seed": 0} | options))


def replicates(ratings, judges, n, seed, *, fold_seed=5, **options):
    """Scores in n bootstrap samples."""
    problem = set_up(ratings, judges, asked(**options), rng=default_rng(fold_seed)).problem
    large = large_sizes(problem, treatments(problem, bootstrap=n), rng=default_rng(3))
    return bootstrap_scores((problem, Extras(large=large), n), default_rng(seed))


def assert_alike(first, second, *, level=1e-4):
    """The same distribution of curve, judges and their differences, by Kolmogorov and Smirnov's test."""
    for part in (lambda r: r.curve, lambda r: r.judges, lambda r: r.judges[:, :1] - r.curve):
        for mine, other in zip(part(first).T, part(second).T, strict=True):
            if np.ptp(mine) > 0 or np.ptp(other) > 0:
                assert ks_2samp(mine, other).pvalue > level


@pytest.mark.parametrize("score", SCORES)
def test_every_score_of_profiles_is_that_of_their_items(score):
    ratings, judges = three_labels()
    learn = "in-sample" if score in RANKED else None  # cross-fitting draws folds at random
    together = profiles_of(ratings, judges)
    assert together[0].n_items < ratings.n_items == together[0].items_in_all
    assert_same(
        equivalence(*together, score=score, learn=learn, bootstrap=0),
        equivalence(ratings, judges, score=score, learn=learn, bootstrap=0),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"combiner": "frequency"},
        {"combiner": "frequency", "prior": "data"},
        {"combiner": "plurality", "score": "agreement"},
        {"combiner": "npmle", "learn": "in-sample"},
        {"combiner": lambda counts: (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)},
        {"learn": "in-sample", "score": "f1", "positive": "3"},
        {"reference_raters": 2},
        {"reference_raters": 3, "score": "agreement"},
        {"cohort": True},
        {"max_raters": 1},
        {"cohort": True, "max_raters": 3},
        {"judge": "poor", "clip": 0.1},
    ],
    ids=named,
)
def test_every_option_on_profiles_is_that_on_their_items(options):
    ratings, judges = three_labels()
    together = equivalence(*profiles_of(ratings, judges), bootstrap=0, **options)
    assert_same(together, equivalence(ratings, judges, bootstrap=0, **options))


@pytest.mark.parametrize("raters", [6, 9])
def test_ceiling_of_profiles_is_that_of_their_items_where_half_have_eight_ratings(raters):
    ratings, judges = two_labels(150, raters=raters)
    together = equivalence(*profiles_of(ratings, judges), ceiling=True, bootstrap=0)
    assert (together.ceiling is None) == (raters < 8)
    assert_same(together, equivalence(ratings, judges, ceiling=True, bootstrap=0))


def test_surveys_that_are_sampled_are_sampled_alike(monkeypatch):
    monkeypatch.setattr("dissensus.methods.equivalence.replicates.MEMORY_BUDGET", 10)
    monkeypatch.setattr("dissensus.methods.equivalence.replicates.SAMPLES", 400)
    ratings, judges = two_labels(200, raters=6)
    together = equivalence(*profiles_of(ratings, judges), bootstrap=0)
    assert together.curve[-1].standard_error > 0
    assert_same(together, equivalence(ratings, judges, bootstrap=0))


def test_labels_that_only_judges_use_count_in_profiles():
    ratings, _ = three_labels()
    answers = default_rng(1).integers(4, size=ratings.n_items)
    judges = hard_judges_of({"other": answers}, (*NUMBERS, "unsure"))
    together = equivalence(*profiles_of(ratings, judges), score="agreement", bootstrap=0)
    assert "unsure" in together.warnings[0]
    assert_same(together, equivalence(ratings, judges, score="agreement", bootstrap=0))


def test_left_out_items_are_counted_one_by_one():
    ratings, judges = three_labels()
    rng = default_rng(2)
    some = judges.where((rng.random(judges.n_answers) < 0.8) | (judges.judge == 1))
    together = equivalence(*profiles_of(ratings, some), bootstrap=0)
    assert any("of 120 rated items have an answer from every judge" in warning for warning in together.warnings)
    assert_same(together, equivalence(ratings, some, bootstrap=0))


def test_most_items_with_one_rating_are_counted_one_by_one():
    ratings, judges = three_labels()
    one = ratings.where((ratings.rater == 0) | (ratings.item < 19))
    together = equivalence(*profiles_of(one, judges), bootstrap=0)
    said = "Only 17 items have 2 or more ratings; comparing judges with a rater takes 20: get as many for 3 more."
    assert said in together.warnings
    assert_same(together, equivalence(one, judges, bootstrap=0))
    enough = equivalence(ratings.where((ratings.rater == 0) | (ratings.item < 25)), judges, bootstrap=0)
    assert [point.raters for point in enough.curve] == [0, 1]


def grouped(seed=0):
    """Experts and amateurs, who leave out some items, and half of the ratings asked for in another way."""
    ratings, judges = three_labels(seed=seed)
    rng = default_rng(seed)
    size = len(ratings.item)
    group, kind = rng.integers(2, size=size), rng.integers(2, size=size)
    changes = {"group": group, "groups": ("expert", "amateur"), "elicitation": kind}
    columns = {name: getattr(ratings, name) for name in ("item", "rater", "label", "items", "raters", "labels")}
    return Ratings(**columns, scale="ordinal", **changes), judges


@pytest.mark.parametrize(
    "options",
    [
        {"experts": "expert", "amateurs": "amateur"},
        {"experts": "expert", "amateurs": "amateur", "score": "agreement", "cohort": True, "max_raters": 1},
        {"elicitation": "forced_choice"},
        {},
    ],
    ids=named,
)
def test_groups_and_elicitations_of_profiles_are_those_of_their_items(options):
    ratings, judges = grouped()
    together = equivalence(*profiles_of(ratings, judges), bootstrap=0, **options)
    assert_same(together, equivalence(ratings, judges, bootstrap=0, **options))


def test_expanding_profiles_gives_the_same_answers():
    ratings, judges = three_labels()
    together, answers = profiles_of(ratings, judges)
    again = equivalence(together.expanded(), answers.expanded(together), bootstrap=0)
    assert_same(equivalence(together, answers, bootstrap=0), again)


@pytest.mark.parametrize("n_items", [40, 2000])
@pytest.mark.parametrize("options", [{}, {"score": "f1"}, {"combiner": "frequency"}, {"learn": "in-sample"}], ids=named)
def test_bootstrap_of_profiles_is_distributed_as_that_of_items(n_items, options):
    # 40 items: each draw is simulated. 2,000: most types have more than SIMULATED items.
    ratings, judges = two_labels(n_items)
    assert_alike(
        replicates(ratings, judges, 1500, seed=1, **options),
        replicates(*profiles_of(ratings, judges), 1500, seed=2, **options),
    )


@pytest.mark.parametrize("options", [{}, {"score": "agreement"}, {"score": "f1"}], ids=named)
def test_bootstrap_without_simulated_draws_is_distributed_as_that_of_items_already_from_a_few_on(options, monkeypatch):
    monkeypatch.setattr("dissensus.sampling.draws.SIMULATED", 5)
    ratings, judges = two_labels(300)
    assert_alike(
        replicates(ratings, judges, 3000, seed=1, **options),
        replicates(*profiles_of(ratings, judges), 3000, seed=2, **options),
    )


def test_bootstrap_of_experts_and_amateurs_is_distributed_as_that_of_items():
    ratings, judges = grouped()
    options = {"experts": "expert", "amateurs": "amateur", "max_raters": 1}
    apart = replicates(ratings, judges, 1500, seed=1, **options)
    together = replicates(*profiles_of(ratings, judges), 1500, seed=2, **options)
    assert_alike(apart, together)
    for mine, other in zip(apart.amateurs.T, together.amateurs.T, strict=True):
        assert ks_2samp(mine, other).pvalue > 1e-4


def test_intervals_of_profiles_agree_with_those_of_items():
    ratings, judges = two_labels(600)
    together = equivalence(*profiles_of(ratings, judges), bootstrap=1000)
    apart = equivalence(ratings, judges, bootstrap=1000, raters="fixed")
    for mine, other in zip([*together.curve, *together.judges], [*apart.curve, *apart.judges], strict=True):
        # The ends of two simulated intervals: standard error sqrt(2 q (1 - q) / n) / density = .12 of the standard
        # deviation, which is about a quarter of the width.
        width = (other.high - other.low) / 3.92
        assert abs(mine.low - other.low) < 4 * 0.12 * width
        assert abs(mine.high - other.high) < 4 * 0.12 * width


def test_three_draws_on_two_items_fall_on_one_of_them_in_a_quarter_of_the_samples():
    # 8 ways to throw 3 balls into 2 boxes: 2 put all into one, 6 two into one and one into the other.
    drawn = draw_copies(np.full((4000, 1), 3.0), np.array([2]), default_rng(0), is_smooth=True)
    assert set(zip(drawn.copies.tolist(), drawn.items.tolist(), strict=True)) == {(1, 1), (2, 1), (3, 1)}
    assert np.mean(np.bincount(drawn.replicate) == 1) == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 4000))


@pytest.mark.parametrize("is_smooth", [True, False])
def test_draws_on_many_items_add_up_and_fall_on_items_as_a_simulation_has_it(is_smooth):
    items, weights = np.array([1000, 50]), np.array([[1000.0, 55.0], [950.0, 45.0]])
    drawn = draw_copies(weights, items, default_rng(0), is_smooth=is_smooth)
    total, squares = np.zeros((2, 2)), np.zeros((2, 2))
    np.add.at(total, (drawn.replicate, drawn.type), drawn.copies * drawn.items)
    np.add.at(squares, (drawn.replicate, drawn.type), drawn.copies**2 * drawn.items)
    np.testing.assert_allclose(total, weights, rtol=1e-12)
    assert (np.diff(drawn.replicate) >= 0).all()
    for row, n in enumerate((1000, 950)):
        times = [np.bincount(balls, minlength=1000) for balls in default_rng(1).integers(1000, size=(2000, n))]
        # How often the item of a draw was drawn, on average over draws; a few items are rounded up or down.
        simulated = np.array([(t * t).sum() / t.sum() for t in times])
        error = 4 * simulated.std() / np.sqrt(2000) + (0 if is_smooth else 0.05)
        assert squares[row, 0] / total[row, 0] == pytest.approx(simulated.mean(), abs=error)


def test_expected_numbers_of_items_are_those_of_a_simulation():
    weights = np.full((300, 1), 980.0)
    drawn = draw_copies(weights, np.array([1000]), default_rng(0), is_smooth=False)
    ours = np.bincount(drawn.copies.astype(int), weights=drawn.items, minlength=7)[1:7] / 300
    times = [np.bincount(balls, minlength=1000) for balls in default_rng(1).integers(1000, size=(3000, 980))]
    simulated = np.array([np.bincount(t, minlength=12)[1:7] for t in times])
    error = simulated.std(axis=0) / np.sqrt(3000) + 0.5 / np.sqrt(300)  # rounding adds at most half an item
    assert (abs(ours - simulated.mean(axis=0)) < 4 * error).all()


def test_profiles_are_drawn_as_often_as_their_items():
    copies = np.array([30, 10, 60])
    drawn = draw_weights(len(copies), 3000, default_rng(0), copies=copies)
    assert (drawn.sum(axis=1) == 100).all()
    np.testing.assert_allclose(drawn.mean(axis=0), copies, atol=4 * 5 / np.sqrt(3000))
    # Multinomial: variance n p (1 - p); a variance estimated from 3,000 has a standard error of sqrt(2 / 3000) of it.
    np.testing.assert_allclose(drawn.var(axis=0), copies * (1 - copies / 100), rtol=4 * np.sqrt(2 / 3000))


def test_folds_share_out_copies_as_a_random_permutation_does():
    # Of 4 items in 2 folds of 2, the first fold has both copies of the first profile in 1 of 6 permutations, none in 1.
    tables = [share_out(np.array([2, 2]), default_rng(seed), folds=2) for seed in range(1200)]
    share = np.bincount([table[0, 0] for table in tables], minlength=3) / 1200
    np.testing.assert_allclose(share, [1 / 6, 4 / 6, 1 / 6], atol=4 * np.sqrt(0.25 / 1200))
    assert all((table.sum(axis=0) == 2).all() and (table.sum(axis=1) == 2).all() for table in tables)


def test_more_items_than_can_be_dealt_have_folds_of_their_own_accord(monkeypatch):
    monkeypatch.setattr("dissensus.methods.equivalence.calibration.MOST_TO_SHARE_OUT", 10)
    table = share_out(np.array([40_000, 60_000]), default_rng(0))
    np.testing.assert_array_equal(table.sum(axis=1), [40_000, 60_000])
    np.testing.assert_allclose(table, [[4000] * 10, [6000] * 10], atol=4.5 * np.sqrt(6000))


@pytest.mark.parametrize("method", ["auto", "isotonic", "platt", "table", "multinomial"])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_calibration_with_copies_is_that_of_the_copies(method, n_labels):
    rng = default_rng(4)
    outputs, shares = rng.dirichlet(np.ones(n_labels), 12), rng.dirichlet(np.ones(n_labels), 30)
    predictions, copies, fold = outputs[rng.integers(12, size=30)], rng.integers(1, 6, size=30), np.arange(30) % 3
    together = calibrated_predictions(method, predictions, shares, fold=fold, copies=copies)
    one = np.repeat(np.arange(30), copies)
    apart = calibrated_predictions(method, predictions[one], shares[one], fold=fold[one])
    for ours, theirs in ((together.inside, apart.inside), (together.outside, apart.outside)):
        np.testing.assert_allclose(ours[one], theirs, atol=1e-12 if method in {"isotonic", "table"} else 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"score": "auc"},
        {"score": "spearman"},
        {"learn": "cross-fit"},
        {"calibrate": "auto"},
        {"calibrate": "isotonic"},
        {"calibrate": "platt"},
        {"calibrate": "table"},
        {"combiner": "npmle"},
    ],
    ids=named,
)
def test_what_folds_decide_is_distributed_as_with_items(options, monkeypatch):
    monkeypatch.setattr("dissensus.methods.equivalence.ceiling.ITERATIONS", 30)
    ratings, judges = three_labels(60)

    def scores(ratings, judges, first):
        found = []
        for seed in range(first, first + 40):
            problem = set_up(ratings, judges, asked(**options), rng=default_rng(seed)).problem
            data = observed_scores(problem, Extras())
            found.append([*data.curve[0], *data.judges[0]])
        return np.array(found)

    apart, together = scores(ratings, judges, 0), scores(*profiles_of(ratings, judges), 1000)
    for mine, other in zip(together.T, apart.T, strict=True):
        if np.ptp(mine) > 1e-12 or np.ptp(other) > 1e-12:
            assert ks_2samp(mine, other).pvalue > 1e-4
        else:
            assert mine[0] == pytest.approx(other[0], abs=1e-12)


@pytest.mark.parametrize("options", [{"score": "auc"}, {"calibrate": "isotonic"}, {"learn": "cross-fit"}], ids=named)
def test_bootstrap_with_folds_is_distributed_as_that_of_items(options):
    # Folds are drawn once, and which they are moves the centre: samples are compared around it.
    ratings, judges = two_labels(400)
    together = profiles_of(ratings, judges)
    first, second = (
        np.concatenate([spread_of(*data, 150, seed, options) for seed in range(start, start + 8)])
        for data, start in (((ratings, judges), 0), (together, 50))
    )
    for mine, other in zip(first.T, second.T, strict=True):
        if np.ptp(mine) > 0:
            assert ks_2samp(mine, other).pvalue > 1e-4


def spread_of(ratings, judges, n, seed, options):
    """Replicates around their mean."""
    drawn = replicates(ratings, judges, n, seed, fold_seed=seed, **options)
    scores = np.concatenate([drawn.curve, drawn.judges], axis=1)
    return scores - scores.mean(axis=0)


@pytest.mark.parametrize(
    "options",
    [{}, {"score": "auc"}, {"score": "f1", "calibrate": "platt"}, {"combiner": "npmle", "ceiling": True}],
    ids=named,
)
def test_a_trillion_items_take_no_more_memory_than_their_profiles(options):
    ratings, judges = profiles_of(*two_labels(60, raters=9))
    columns = {name: getattr(ratings, name) for name in ("item", "label", "times", "items", "labels")}
    many = Ratings(**columns, copies=ratings.copies * 10**12)
    result = equivalence(many, judges, bootstrap=20, max_raters=3, **options)
    assert result.curve[0].items == 60 * 10**12
    assert result.judges[0].high - result.judges[0].low < 1e-4


def test_workers_do_not_change_the_numbers_of_profiles():
    ratings, judges = profiles_of(*two_labels(500))
    alone, pair = (equivalence(ratings, judges, bootstrap=60, workers=workers) for workers in (1, 2))
    assert alone.to_json() == pair.to_json()


def test_weights_by_rater_need_to_know_who_rated():
    with pytest.raises(OptionError, match="needs to know who rated"):
        equivalence(*profiles_of(*three_labels()), weights="rater")


@pytest.mark.parametrize("score", ["cross-entropy", "agreement", "brier"])
@pytest.mark.parametrize("options", [{}, {"reference_raters": 3}, {"judge": "poor"}, {"learn": "cross-fit"}], ids=named)
def test_scores_from_moments_are_those_of_the_outputs(score, options):
    ratings, judges = continuous(200)
    together = moments_of(ratings, judges, score=score)
    assert together[0].n_items == 6  # 0 to 5 of 5 raters
    ours, theirs = (equivalence(*data, score=score, bootstrap=0, **options) for data in (together, (ratings, judges)))
    for mine, other in zip(ours.judges, theirs.judges, strict=True):
        assert mine.score == pytest.approx(other.score, abs=1e-12)


def test_scores_from_moments_against_experts_are_those_of_the_outputs():
    ratings, _ = grouped()
    judges = judges_of({"x": default_rng(0).dirichlet([1, 1, 1], ratings.n_items)}, NUMBERS)
    options = {"experts": "expert", "amateurs": "amateur", "bootstrap": 0}
    assert_same(equivalence(*moments_of(ratings, judges), **options), equivalence(ratings, judges, **options))


def test_moments_know_labels_that_only_judges_use():
    ratings, _ = three_labels()
    judges = judges_of({"x": default_rng(0).dirichlet([1, 1, 1, 1], ratings.n_items)}, (*NUMBERS, "unsure"))
    assert_same(equivalence(*moments_of(ratings, judges), bootstrap=0), equivalence(ratings, judges, bootstrap=0))


@pytest.mark.parametrize("score", ["cross-entropy", "brier"])
def test_bootstrap_from_moments_is_distributed_as_that_of_items(score):
    ratings, judges = continuous(1000)
    apart = replicates(ratings, judges, 1500, seed=1, score=score)
    together = replicates(*moments_of(ratings, judges, score=score), 1500, seed=2, score=score)
    assert_alike(apart, together)
    # Judges answer the same items: their difference varies less than if they did not.
    gaps = [drawn.judges[:, 0] - drawn.judges[:, 1] for drawn in (apart, together)]
    assert ks_2samp(*gaps).pvalue > 1e-4


def test_judges_that_always_answer_the_same_tie_in_every_sample_from_moments():
    ratings, judges = continuous(300)
    same = judges_of({"a": judges.probability[:300], "b": judges.probability[:300]}, TWO)
    (difference,) = equivalence(*moments_of(ratings, same), bootstrap=50).differences
    assert difference.share_a_better == 0.5


@pytest.mark.parametrize("options", [{"score": "auc"}, {"score": "f1"}, {"calibrate": "isotonic"}], ids=named)
def test_what_needs_the_outputs_themselves_says_how_to_read_them(options):
    with pytest.raises(OptionError, match=r"rounded outputs \(`round_outputs=` of `read_reduced` 3\)"):
        equivalence(*moments_of(*continuous(50)), **options)


def test_moments_of_other_labels_are_refused():
    ratings, judges = moments_of(*continuous(50))
    more = Ratings(
        **{name: getattr(ratings, name) for name in ("item", "label", "times", "items", "copies")},
        labels=(*TWO, "unsure"),
    )
    with pytest.raises(OptionError, match="for the labels no, yes; here they are no, yes, unsure"):
        equivalence(more, judges)


def test_profiles_of_the_helper_are_named_after_their_first_item():
    ratings = ratings_of([[0], [1], [0]], labels=TWO)
    judges = hard_judges_of({"x": [0, 0, 0]}, TWO)
    together, answers = profiles_of(ratings, judges)
    assert (together.items, together.copies.tolist()) == (names_of(2), [2, 1])
    assert isinstance(answers, Judges)
    assert answers.items == together.items


def test_judges_known_by_moments_are_taken_at_face_value_and_it_is_said():
    ratings, judges = continuous(60)
    found = equivalence(*moments_of(ratings, judges), calibrate="auto", bootstrap=0)
    assert not any(judge.calibrated for judge in found.judges)
    assert any(
        warning.startswith("Judges are taken at face value: of their outputs only") for warning in found.warnings
    )


@pytest.mark.parametrize("score", ["cross-entropy", "f1", "auc"])
def test_many_equal_items_are_put_together_and_what_they_score_stays(monkeypatch, score):
    """The data's scores and those without each rater; bootstrap samples draw kinds of items then."""
    rng = default_rng(5)
    people = Ratings(
        item=np.repeat(np.arange(300), 4), rater=np.tile(np.arange(4), 300), label=rng.integers(2, size=1200),
        items=tuple(map(str, range(300))), raters=tuple("wxyz"), labels=("no", "yes"),
    )  # fmt: skip
    share = np.round(rng.random(300), 1)
    answers = Judges(
        item=np.arange(300), judge=np.zeros(300, dtype=np.intp), sample=np.zeros(300, dtype=np.intp),
        label=np.full(300, -1), items=people.items, judges=("j",), labels=people.labels, options=people.labels,
        probability=np.column_stack([1 - share, share]),
    )  # fmt: skip
    options = EquivalenceOptions(score=score, bootstrap=40)
    found = []
    for fewest in (10**6, 0):
        monkeypatch.setattr("dissensus.methods.equivalence.problem.MERGED_FROM", fewest)
        monkeypatch.setattr("dissensus.methods.equivalence.problem.FEW_KINDS", 0)
        found.append(run_equivalence(people, answers, options, rng=0))
    apart, together = found
    rows = [merged(apart.prepared.problem).n_items, apart.prepared.problem.n_items]
    assert rows[0] < rows[1] == 300
    for name in ("curve", "judges"):
        own, other = (getattr(worked.intervals.data, name) for worked in (together, apart))
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-12)
        own, other = (getattr(worked.term.deleted, name) for worked in (together, apart))
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-12)
    own, other = (worked.intervals.samples.judges.std(axis=0) for worked in (together, apart))
    assert own == pytest.approx(other, rel=0.5)
    assert not np.array_equal(together.intervals.samples.judges, apart.intervals.samples.judges)
