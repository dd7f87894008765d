"""Portraits of raters: twins in plain Python, shrinkage against a peer, groups by simulation."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.meta_analysis import combine_effects

from dissensus.decisions.portraying import PortraitsResult, portraits
from dissensus.decisions.portraying.closeness import closeness
from dissensus.decisions.portraying.measuring import standing_out
from dissensus.decisions.portraying.result import Measure
from dissensus.decisions.portraying.shrinking import shrink, spread_between
from dissensus.decisions.portraying.siding import between_groups, permutation_p
from dissensus.errors import OptionError
from dissensus.ratings import Ratings, read, read_judges
from dissensus.report.views import main_chart

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=3, max_size=25)
"""Item, rater and label; a rater may have rated an item several times."""


def ratings_from(table, *, labels=("1", "2", "3"), scale="ordinal", groups=None):
    items, raters = (sorted({row[i] for row in table}) for i in (0, 1))
    return Ratings(
        item=np.array([items.index(row[0]) for row in table]),
        rater=np.array([raters.index(row[1]) for row in table]),
        label=np.array([row[2] for row in table]),
        items=tuple(f"i{i}" for i in items),
        raters=tuple(f"r{r}" for r in raters),
        labels=labels,
        scale=scale,
        group=None if groups is None else np.array([groups[row[1]] for row in table]),
        groups=() if groups is None else ("a", "b"),
    )


def near(a, b, scale):
    return float(a == b) if scale == "nominal" else 1 - abs(a - b) / 2


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def twin(table, rater, scale):
    """Agreement, others, leniency and consistency of a rater, pair by pair."""
    agreement, others, difference, leniency, repeated = [], [], [], [], []
    for item in {row[0] for row in table if row[1] == rater}:
        given_ = {}
        for i, r, label in table:
            if i == item:
                given_.setdefault(r, []).append(label)
        own = given_.pop(rater)
        if len(own) > 1:
            repeated.append(mean(near(a, b, scale) for a, b in itertools.combinations(own, 2)))
        if given_:
            agreement.append(mean(mean(near(a, b, scale) for a in own for b in theirs) for theirs in given_.values()))
            leniency.append(mean(own) - mean(mean(theirs) for theirs in given_.values()))
        if len(given_) > 1:
            pairs = itertools.combinations(given_.values(), 2)
            others.append(mean(mean(near(a, b, scale) for a in x for b in y) for x, y in pairs))
            difference.append(agreement[-1] - others[-1])
    return [mean(part) for part in (agreement, others, difference, leniency, repeated)]


@settings(deadline=None)
@given(rows, st.sampled_from(["nominal", "ordinal"]))
def test_a_portrait_equals_its_definition_pair_by_pair(table, scale):
    ratings = ratings_from(table, scale=scale)
    found = portraits(ratings, resamples=1)
    for portrait in found.raters:
        expected = twin(table, int(portrait.rater[1:]), scale)
        values = [
            portrait.agreement,
            portrait.others,
            *(math.nan if measure is None else measure.value for measure in portrait.measures().values()),
        ]
        if scale == "nominal":
            assert portrait.leniency is None
            expected[3] = math.nan
        assert np.allclose(values, expected, equal_nan=True)


def test_leniency_counts_positive_labels_where_they_are_named():
    table = [(0, 0, 0), (0, 1, 2), (0, 2, 2), (1, 0, 0), (1, 1, 0), (1, 2, 2)]
    found = portraits(ratings_from(table, labels=("no", "maybe", "yes"), scale="nominal"), positive=["maybe", "yes"])
    # r0: 0 against (1 + 1) / 2, then 0 against (0 + 1) / 2
    assert [own.leniency.value for own in found.raters] == pytest.approx([-0.75, 0.0, 0.75])
    assert found.settings["leniency_in"] == "share"


def test_words_in_order_are_steps_apart():
    ratings = ratings_from([(0, 0, 0), (0, 1, 2)], labels=("low", "middle", "high"))
    assert closeness(ratings).tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]


@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0.05, 2)), min_size=4, max_size=12))
def test_the_spread_of_raters_solves_its_equation(pairs):
    means, variances = (np.array(column) for column in zip(*pairs, strict=True))
    centre, between = spread_between(means, variances)
    weights = 1 / (variances + between)
    squares = (weights * (means - np.average(means, weights=weights)) ** 2).sum()
    assert centre == pytest.approx(np.average(means, weights=weights))
    assert squares == pytest.approx(len(means) - 1) if between else squares <= len(means) - 1 + 1e-9


@pytest.mark.parametrize("seed", [0, 2, 3])  # on some others the peer's iteration stops at 0, which is no solution
def test_the_spread_of_raters_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    variances = rng.uniform(0.05, 0.3, 15)
    means = rng.normal(0, 0.7, 15) + rng.normal(0, np.sqrt(variances))
    peer = combine_effects(means, variances, method_re="iterated", atol=1e-12)
    assert spread_between(means, variances) == pytest.approx((peer.mean_effect_re, peer.tau2), abs=1e-6)


@pytest.mark.parametrize("n_raters", [6, 20, 100])
def test_intervals_of_shrunk_raters_cover_the_truth_and_shrinking_comes_nearer(n_raters):
    # Raters' true means have a standard deviation of .1, items one of .5, and raters have 5 to 60 items.
    rng = np.random.default_rng(n_raters)
    covered, raw, drawn, n = 0, 0.0, 0.0, 0
    for _ in range(2400 // n_raters):
        truth = rng.normal(0.2, 0.1, n_raters)
        counts = rng.integers(5, 60, n_raters)
        means = truth + rng.normal(0, 0.5, n_raters) / np.sqrt(counts)
        found = shrink(means, counts, 0.25, confidence=0.95)
        covered += int(np.sum((found.low <= truth) & (truth <= found.high)))
        raw, drawn = raw + np.sum((means - truth) ** 2), drawn + np.sum((found.value - truth) ** 2)
        n += n_raters
    assert 0.93 <= covered / n <= 0.985
    assert drawn < raw


def test_few_raters_are_drawn_nowhere():
    found = shrink(np.array([0.1, 0.5, np.nan]), np.array([10, 10, 0]), 0.25, confidence=0.95)
    assert found.value[:2].tolist() == [0.1, 0.5]
    assert found.high[0] - found.value[0] == pytest.approx(1.959964 * math.sqrt(0.25 / 10))
    assert np.isnan(found.value[2])


def test_the_permutation_p_value_is_that_of_all_dealings():
    sums, counts = np.array([3.0, -1.0, 0.5, -2.0, 1.5, 0.0]), np.array([4, 2, 3, 5, 1, 2])
    groups = np.array([0, 0, 1, 1, 1, 1])
    found = between_groups(sums, counts, groups[None, :], 2)[0]
    every = np.array([[int(i not in pair) for i in range(6)] for pair in itertools.combinations(range(6), 2)])
    exact = float(np.mean(between_groups(sums, counts, every, 2) >= found - 1e-9))
    estimate = permutation_p(sums, counts, groups, resamples=20_000, rng=np.random.default_rng(0))
    assert estimate == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_groups_of_exchangeable_raters_are_called_different_five_times_in_a_hundred():
    rng = np.random.default_rng(7)
    groups = np.repeat([0, 1, 2], [4, 8, 12])
    counts = rng.integers(1, 30, 24)
    p_values = [
        permutation_p(rng.normal(0, 1, 24) * counts, counts, groups, resamples=199, rng=rng) for _ in range(600)
    ]
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 600))


@pytest.fixture(scope="module")
def divided():
    """Two groups of eight that see a third of the items differently; a judge that sides with `a` and one that does not.

    Every item is rated by three of each group.
    """
    rng = np.random.default_rng(11)
    n = 240
    seen_by_a, flipped = rng.random(n) < 0.5, rng.random(n) < 1 / 3
    seen = {"a": seen_by_a, "b": seen_by_a ^ flipped}
    rated, judged = [], []
    for i in range(n):
        for group in ("a", "b"):
            for r in rng.choice(8, 3, replace=False):
                says = seen[group][i] ^ (rng.random() < 0.1)
                rated.append((i, f"{group}{r}", "yes" if says else "no", group))
        judged.append((i, "partisan", "yes" if seen["a"][i] ^ (rng.random() < 0.1) else "no"))
        side = "a" if rng.random() < 0.5 else "b"
        judged.append((i, "neutral", "yes" if seen[side][i] ^ (rng.random() < 0.1) else "no"))
    ratings = read(pd.DataFrame(rated, columns=["item", "rater", "label", "group"]))
    return ratings, read_judges(pd.DataFrame(judged, columns=["item", "judge", "label"]))


def test_a_judge_that_sides_with_a_group_is_found_out_and_a_neutral_one_is_not(divided):
    found = portraits(*divided, positive="yes", bootstrap=100)
    partisan, neutral = (next(s for s in found.judges if s.judge == name) for name in ("partisan", "neutral"))
    assert (partisan.sides_with, neutral.sides_with) == ("a", None)
    near_a, near_b = partisan.groups
    # It agrees with a on .9 * .9 + .1 * .1 = 82% and with b on a third less of .82 - .18: 82% - 64% / 3 = 60.7%.
    assert near_a.agreement == pytest.approx(0.82, abs=0.03)
    assert near_b.agreement == pytest.approx(0.607, abs=0.04)
    assert near_a.nearer_low > 0 > near_b.nearer_high
    assert near_a.worth.equivalence_low > near_b.worth.equivalence
    assert "sides with" in " ".join(found.summary().split())


def test_agreement_of_a_judge_with_a_group_is_the_share_of_its_raters_who_say_the_same(divided):
    ratings, judges = divided
    found = portraits(ratings, judges, judge="partisan", bootstrap=0).judges[0]
    answer = {judges.items[i]: judges.labels[label] for i, j, label in zip(judges.item, judges.judge, judges.label,
              strict=True) if judges.judges[j] == "partisan"}  # fmt: skip
    for place in range(len(ratings.groups)):
        rows_ = [(ratings.items[i], ratings.labels[label]) for i, label, g in zip(ratings.item, ratings.label,
                 ratings.group, strict=True) if g == place]  # fmt: skip
        assert found.groups[place].agreement == pytest.approx(mean(answer[i] == label for i, label in rows_))
        assert math.isnan(found.groups[place].nearer_low)


def test_groups_that_are_not_of_raters_are_not_compared():
    ratings = ratings_from([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)])
    mixed = Ratings(
        item=ratings.item, rater=ratings.rater, label=ratings.label, items=ratings.items, raters=ratings.raters,
        labels=ratings.labels, group=np.array([0, 0, 1, 1]), groups=("x", "y"),
    )  # fmt: skip
    found = portraits(mixed)
    assert found.groups == ()
    assert any("2 raters rated in several of them" in warning for warning in found.warnings)


def test_consistency_needs_items_that_came_again():
    table = pd.DataFrame(
        {
            "item": [1, 1, 1, 2, 2, 2, 1, 2],
            "rater": ["a", "b", "c", "a", "b", "c", "a", "a"],
            "label": ["no", "no", "yes", "yes", "no", "yes", "no", "no"],
        }
    )
    found = portraits(read(table, repeats="keep"), positive="yes")
    a, b, _ = found.raters
    assert (a.consistency.value, a.consistency.items, a.ratings) == (0.5, 2, 4)
    assert b.consistency is None
    first = portraits(read(table, repeats="first"), positive="yes")
    assert first.raters[0].consistency is None
    assert any("--repeats keep" in warning for warning in first.warnings)


def test_a_rater_who_repeats_everything_is_not_certain_to():
    table = [(i, 0, i % 2) for i in range(6)] * 2 + [(i, r, 0) for i in range(6) for r in (1, 2, 3, 4)] * 2
    found = portraits(ratings_from(table, labels=("1", "2", "3")))
    assert found.raters[0].consistency.value == 1
    assert found.raters[0].consistency.low < 1


def test_nobody_knows_who_rated():
    ratings = Ratings(item=np.array([0, 0]), label=np.array([0, 1]), items=("a",), labels=("x", "y"))
    with pytest.raises(OptionError, match="need to know who rated"):
        portraits(ratings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "x"}, "--positive 'x' is no label: the labels are 1, 2, 3."),
        ({"resamples": 0}, "--resamples cannot be 0"),
        ({"bootstrap": -1}, "--bootstrap cannot be -1"),
        ({"confidence": 0.0}, "--confidence cannot be 0"),
    ],
)
def test_bad_usage_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        portraits(ratings_from([(0, 0, 0), (0, 1, 1)]), **options)


def test_the_same_seed_gives_the_same_answer(divided):
    one, two = (portraits(*divided, positive="yes", bootstrap=50, resamples=100) for _ in range(2))
    assert one.to_json() == two.to_json()


def test_the_json_and_the_frame_have_every_rater(divided):
    found = portraits(*divided, positive="yes", bootstrap=50)
    answer = json.loads(found.to_json())
    assert answer["command"] == "raters"
    assert len(answer["result"]["raters"]) == 16
    assert set(answer["result"]["raters"][0]) == {
        "rater", "group", "items", "ratings", "agreement", "others", "stands_out", "difference", "leniency",
        "consistency",
    }  # fmt: skip
    frame = found.to_frame()
    assert {"difference", "difference_low", "leniency_shrunk", "consistency"} <= set(frame.columns)
    assert isinstance(found, PortraitsResult)
    assert main_chart(found).figure.title


def test_who_stands_out_is_named():
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=120)
    table = [(i, r, int(truth[i] if rng.random() < 0.9 else 1 - truth[i])) for i in range(120) for r in range(12)]
    table += [(i, 99, int(rng.integers(2))) for i in range(120)]  # one who guesses
    found = portraits(ratings_from(table, labels=("no", "yes"), scale="nominal"))
    assert 'Of 13 raters, 1 agrees far less with the others than raters do: "r99"' in " ".join(found.summary().split())


def test_one_who_stands_out_among_few_is_not_hidden_by_the_spread_that_he_makes():
    # Values -45.8, 2.8, 9.7, 16.7, 16.7: the median is 9.7, the median deviation 6.9, the limit 9.7 - 2.5 * 10.3.
    values = [-0.458, 0.028, 0.097, 0.167, 0.167]
    measures = [Measure(value=v, shrunk=v, low=v - 0.2, high=v + 0.2, items=6) for v in values]
    assert standing_out(measures) == [True, False, False, False, False]
    assert standing_out(measures[:3]) == [False] * 3  # three raters cannot outvote each other


def test_dices_has_raters_who_call_almost_everything_unsafe(shared):
    folder = shared / "data" / "dices_350"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    found = portraits(ratings, judges, positive="Yes", bootstrap=0, resamples=500)
    frame = pd.read_csv(folder / "ratings.csv")
    yes = frame.assign(yes=frame.label == "Yes").pivot_table(
        index="item", columns="rater", values="yes", aggfunc="mean"
    )
    share, everybody = yes["r100"], yes.sum(axis=1)
    expected = (share - (everybody - share) / (yes.shape[1] - 1)).mean()
    r100 = next(own for own in found.raters if own.rater == "r100")
    assert r100.leniency.value == pytest.approx(expected)
    assert r100.leniency.value > 0.6
    assert [(group.group, group.raters) for group in found.groups] == [("crowd", 123), ("expert", 1)]
    # One expert among 124 raters: no test can tell whether she is a group of her own.
    assert all(siding.sides_with is None and siding.p_value > 1 / 124 for siding in found.judges)


def test_convabuse_has_one_strict_rater_and_groups_that_are_no_groups_of_raters(shared):
    found = portraits(read(shared / "data" / "convabuse" / "ratings.csv"))
    strict = min(found.raters, key=lambda own: own.leniency.shrunk)
    assert strict.rater == "Annotator5"
    assert strict.leniency.high < -0.4
    assert found.groups == ()
    assert any("not about raters" in warning for warning in found.warnings)


def test_polis_has_thousands_of_raters_and_an_answer(shared):
    ratings = read(shared / "data" / "polis_votes" / "ratings.parquet")
    found = portraits(ratings.where(ratings.item < 300))
    assert len(found.raters) > 1_000
    assert found.populations["leniency"].spread > 0.2
