"""Large problems are computed quickly: nearly the numbers of going through every survey in every bootstrap sample."""

from itertools import combinations

import numpy as np
import pytest

from dissensus.methods.equivalence import equivalence, sampled
from dissensus.methods.equivalence.curve import fixed_scores
from dissensus.methods.equivalence.influence import scores_by_type
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.replicates import treatments
from dissensus.methods.equivalence.setup import set_up
from dissensus.methods.equivalence.surveys import surveys_of_size
from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, simulate_urn

from survey_builders import judges_of, ratings_of

REPLICATES = "dissensus.methods.equivalence.replicates"
FIVE = ("1", "2", "3", "4", "5")


@pytest.fixture(scope="module")
def two_labels():
    return simulate_urn(RUNNING_EXAMPLE, items=200, raters=(4, 7), classifiers=[SOFT_CLASSIFIER], rng=0)


@pytest.fixture(scope="module")
def five_labels():
    """Labels in order, six to nine ratings of each of 100 items."""
    rng = np.random.default_rng(4)
    shares = rng.dirichlet([0.3, 0.6, 0.9, 0.6, 0.3], size=100)
    given = [np.sort(rng.choice(5, size=rng.integers(6, 10), p=own)).tolist() for own in shares]
    return ratings_of(given, FIVE, scale="ordinal"), judges_of({"judge": 0.5 * shares + 0.1}, FIVE)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"score": "brier"},
        {"score": "rps"},
        {"calibrate": "none"},  # learned without the item
        {"calibrate": "none", "learn": "in-sample", "score": "brier"},
        {"max_raters": 2, "raters": "fixed", "interval": "percentile"},
    ],
)
def test_sums_learned_again_give_the_intervals_of_going_through_the_items(monkeypatch, five_labels, options):
    exact = equivalence(*five_labels, bootstrap=100, exact=True, **options)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_LIMIT", 10**9)
    quick = equivalence(*five_labels, bootstrap=100, **options)
    assert quick.warnings == exact.warnings
    for ours, full in zip(quick.curve, exact.curve, strict=True):
        assert ours.score == pytest.approx(full.score, abs=1e-12)
        assert (ours.low, ours.high) == pytest.approx((full.low, full.high), abs=0.05 * (full.high - full.low))
    for ours, full in zip(quick.judges, exact.judges, strict=True):
        assert (ours.low, ours.high) == pytest.approx((full.low, full.high), abs=1e-12)
        assert (ours.low_verdict, ours.high_verdict) == (full.low_verdict, full.high_verdict)
        known = [end for end in (full.equivalence_low, full.equivalence_high) if np.isfinite(end)]
        width = np.ptp(known) if len(known) == 2 else 1.0
        ends = ours.equivalence_low, ours.equivalence_high
        both = full.equivalence_low, full.equivalence_high
        assert ends == pytest.approx(both, abs=0.05 * width, nan_ok=True)


@pytest.mark.parametrize("options", [{}, {"calibrate": "none"}, {"learn": "in-sample"}, {"score": "brier"}])
def test_sampled_sizes_are_off_by_no_more_than_their_standard_errors_say(monkeypatch, five_labels, options):
    exact = equivalence(*five_labels, bootstrap=0, exact=True, **options)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_LIMIT", 100)
    monkeypatch.setattr(sampled, "DENSE", 40_000)  # the largest sizes rely on the smaller ones
    off = []
    for seed in range(8):
        quick = equivalence(*five_labels, bootstrap=0, rng=seed, **options)
        pairs = [(ours, full) for ours, full in zip(quick.curve, exact.curve, strict=True) if ours.raters > 0]
        assert all(np.isfinite(ours.standard_error) for ours, _ in pairs)
        off.append([(ours.score - full.score) / max(ours.standard_error, 1e-6) for ours, full in pairs])
    # Judges' folds depend on the seed, surveys on nothing else: 8 draws of a size have a mean near 0, spread near 1.
    assert np.abs(np.mean(off, axis=0)).max() < 4 / np.sqrt(len(off))
    assert np.std(off, axis=0).max() < 1.8


def test_a_standard_error_is_far_below_the_interval(monkeypatch, five_labels):
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_LIMIT", 100)
    for point in equivalence(*five_labels, bootstrap=100).curve[1:]:
        assert point.standard_error < 0.05 * (point.high - point.low)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_surveys_of_all_items_score_as_enumerated_ones(five_labels, k):
    problem = set_up(*five_labels, EquivalenceOptions(seed=0), rng=np.random.default_rng(0)).problem
    surveys = surveys_of_size(problem.counts, k)
    weights = problem.items[None, :].astype(float)
    expected = fixed_scores(surveys, problem.panel, problem.score, weights=weights)
    assert sampled.inside_scores(problem, k) == pytest.approx(expected, abs=1e-5)  # six digits of single precision


@pytest.mark.parametrize("options", [{}, {"calibrate": "none"}, {"learn": "in-sample"}, {"score": "brier"}])
def test_types_that_allow_few_surveys_score_as_enumerated_ones(five_labels, options):
    problem = set_up(*five_labels, EquivalenceOptions(seed=0, **options), rng=np.random.default_rng(0)).problem
    for k in (1, 6):
        surveys = surveys_of_size(problem.counts, k)
        found = sampled.few_scores(problem, k)
        few = ~np.isnan(found)
        assert few.any()
        expected = scores_by_type(problem, k).score
        if options.get("learn") == "in-sample":
            expected = fixed_scores(surveys, problem.panel, problem.score, weights=problem.items[None, :].astype(float))
        assert found[few] == pytest.approx(expected[few], abs=1e-5)


def test_noise_of_sampling_does_not_spread_items(monkeypatch, five_labels):
    problem = set_up(*five_labels, EquivalenceOptions(seed=0), rng=np.random.default_rng(0)).problem
    monkeypatch.setattr(sampled, "DENSE", 0)  # every size relies on the orders alone
    sizes, spread = (2, 4, 6), []
    for seed in range(8):
        found = sampled.grown_scores(problem, sizes, sampled.draw_pairs(problem, np.random.default_rng(seed)))
        spread.append([_spread(problem, found[k]) for k in sizes])
    exact = [_spread(problem, scores_by_type(problem, k)) for k in sizes]
    assert np.mean(spread, axis=0) == pytest.approx(exact, rel=0.1)


def _spread(problem, scores):
    weight = problem.items * scores.mass
    return np.sqrt(np.average((scores.score - np.average(scores.score, weights=weight)) ** 2, weights=weight))


@pytest.mark.parametrize("k", [1, 4])
def test_what_is_expected_of_a_type_is_the_mean_over_its_surveys(five_labels, k):
    problem = set_up(*five_labels, EquivalenceOptions(seed=0), rng=np.random.default_rng(0)).problem
    most = problem.counts.sum(axis=1).max()
    for kind in (sampled._agreement, sampled._dirichlet_score):
        for number in (0, 30):
            label = np.repeat(np.arange(5), problem.counts[number])
            ways = np.array(
                [[*one, *(set(range(len(label))) - set(one))] for one in combinations(range(len(label)), k)]
            )
            padded = np.full((len(ways), most), -1)
            padded[:, : len(label)] = label[ways]
            orders = sampled.Orders(np.full(len(ways), number), padded)
            survey = np.stack([(padded[:, :k] == each).sum(axis=1) for each in range(5)], axis=1)
            of_order, expected = kind(problem, k, orders, survey)
            assert of_order.mean() == pytest.approx(expected[number])


def test_small_problems_are_exact(two_labels):
    quick, exact = (equivalence(two_labels.ratings, two_labels.judges, bootstrap=50, exact=exact)
                    for exact in (False, True))  # fmt: skip
    assert quick.settings.pop("exact") is False
    assert exact.settings.pop("exact") is True
    assert quick.to_json() == exact.to_json()


def test_exact_approximates_nothing_however_large(monkeypatch, five_labels):
    problem = set_up(*five_labels, EquivalenceOptions(seed=0), rng=np.random.default_rng(0)).problem
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    assert set(treatments(problem, bootstrap=500).values()) == {"relearned"}
    assert treatments(problem, bootstrap=500, exact=True) == {}


def test_workers_do_not_change_a_byte(monkeypatch, five_labels):
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    monkeypatch.setattr(f"{REPLICATES}.QUICK_LIMIT", 5000)
    alone, together = (equivalence(*five_labels, bootstrap=60, workers=workers) for workers in (1, 2))
    assert alone.to_json() == together.to_json()


@pytest.mark.slow
def test_intervals_of_large_problems_cover_as_exact_ones_do(monkeypatch):
    # The judge answers as two further raters would, so that it is worth two raters on any number of items. Both paths
    # see the same samples, so that their coverage can be compared one by one.
    monkeypatch.setattr(f"{REPLICATES}.QUICK_WORK", 0)
    covered, draws = {True: 0, False: 0}, 60
    for seed in range(draws):
        data = _population(120, seed)
        for exact in covered:
            judge = equivalence(*data, bootstrap=200, max_raters=4, exact=exact, raters="fixed").judges[-1]
            low = -np.inf if judge.low_verdict == "below 0" else judge.equivalence_low
            high = np.inf if judge.high_verdict == "above K" else judge.equivalence_high
            covered[exact] += bool(low <= 2 <= high)
    assert abs(covered[True] - covered[False]) <= 2
    assert covered[False] / draws > 0.95 - 3 * np.sqrt(0.95 * 0.05 / draws)


def _population(n, seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.4, 0.8, 0.4], size=n)
    given = [rng.choice(3, size=6, p=own).tolist() for own in shares]
    return ratings_of(given), judges_of({"judge": (rng.multinomial(2, shares) + 0.2) / 2.6})
