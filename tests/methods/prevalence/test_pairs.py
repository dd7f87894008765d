"""Systems compared in pairs: win rates, and strengths against logistic regression and ppi-python."""

import math

import numpy as np
import ppi_py
import pytest
from statsmodels.api import GLM, families

from dissensus.methods.prevalence import prevalence
from dissensus.methods.prevalence.systems import Duels, judged_strengths, strengths_of, tuned_weight_of_duels

from comparison_builders import judges_of, ratings_of
from tables import message_of

SYSTEMS = 5
STRENGTHS = np.array([0.8, 0.3, 0.0, -0.3, -0.8])


def drawn(seed, n=300, others=1500):
    """Pairs of systems with known strengths; a judge that agrees with people more often than chance."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, SYSTEMS, n + others)
    second = (first + rng.integers(1, SYSTEMS, n + others)) % SYSTEMS
    wins = (rng.random(n + others) < 1 / (1 + np.exp(STRENGTHS[second] - STRENGTHS[first]))).astype(float)
    guess = (rng.random(n + others) < 0.6).astype(float)  # it likes what comes first
    judge = np.where(rng.random(n + others) < 0.6, wins, guess)
    return Duels(first=first, second=second, people=wins[:n], judge=judge, n_systems=SYSTEMS)


def design(duels):
    """One column for each system but the first, whose strength is then 0."""
    x = np.zeros((len(duels.first), SYSTEMS))
    rows = np.arange(len(x))
    x[rows, duels.first] = 1
    x[rows, duels.second] -= 1
    return np.ascontiguousarray(x[:, 1:])


def against_first(strengths):
    """The strengths less that of the first system, and their standard errors."""
    turn = np.hstack([-np.ones((SYSTEMS - 1, 1)), np.eye(SYSTEMS - 1)])
    return turn @ strengths.values, np.sqrt(np.diag(turn @ strengths.covariance @ turn.T))


@pytest.mark.filterwarnings("ignore:'penalty' was deprecated:FutureWarning")  # ppi-python's, about scikit-learn
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_strengths_and_their_errors_are_those_of_ppi_python(weight):
    duels = drawn(0)
    n, x = duels.n_rated, design(duels)
    values, errors = against_first(strengths_of(duels, weight))
    parts = (x[:n], duels.people, duels.judge[:n], x[n:], duels.judge[n:])
    assert values == pytest.approx(ppi_py.ppi_logistic_pointestimate(*parts, lam=weight), abs=1e-6)
    low, high = ppi_py.ppi_logistic_ci(*parts, lam=weight, alpha=0.05)
    assert errors == pytest.approx((high - low) / 2 / 1.959963984540054, abs=1e-6)


def test_people_alone_are_a_logistic_regression_and_ties_are_half_a_win():
    duels = drawn(1)
    rng = np.random.default_rng(2)
    ties = np.where(rng.random(duels.n_rated) < 0.2, 0.5, duels.people)
    duels = Duels(first=duels.first, second=duels.second, people=ties, judge=duels.judge, n_systems=SYSTEMS)
    expected = GLM(ties, design(duels)[: duels.n_rated], family=families.Binomial()).fit().params
    assert against_first(strengths_of(duels, 0.0))[0] == pytest.approx(expected, abs=1e-6)
    everything = GLM(duels.judge, design(duels), family=families.Binomial()).fit().params
    assert against_first(judged_strengths(duels))[0] == pytest.approx(everything, abs=1e-6)


def test_strengths_add_up_to_nothing():
    assert strengths_of(drawn(3), 0.5).values.sum() == pytest.approx(0)


def test_two_systems_have_the_log_odds_of_their_wins():
    # Three wins of four: log 3 between them, half of it each.
    duels = Duels(
        first=np.zeros(4, dtype=int), second=np.ones(4, dtype=int), people=np.array([1.0, 1, 1, 0]),
        judge=np.array([1.0, 1, 1, 0]), n_systems=2,
    )  # fmt: skip
    assert strengths_of(duels, 0.0).values == pytest.approx([math.log(3) / 2, -math.log(3) / 2])


def test_a_system_that_always_wins_has_no_strength():
    duels = Duels(
        first=np.zeros(4, dtype=int), second=np.ones(4, dtype=int), people=np.ones(4), judge=np.ones(4), n_systems=2
    )
    assert np.isnan(strengths_of(duels, 0.0).values).all()


def test_systems_that_are_never_compared_have_no_strength():
    duels = Duels(
        first=np.array([0, 0, 2, 2]), second=np.array([1, 1, 3, 3]), people=np.array([1.0, 0, 1, 0]),
        judge=np.array([1.0, 0, 1, 0]), n_systems=4,
    )  # fmt: skip
    assert np.isnan(strengths_of(duels, 0.0).values).all()


def small():
    """Three systems on twelve pairs, eight of them rated."""
    rng = np.random.default_rng(0)
    pairs = {f"i{i:03}": [("x", "y"), ("y", "z"), ("z", "x")][i % 3] for i in range(24)}
    labels = rng.choice(["win", "tie", "lose"], (24, 3))
    people = [list(given) for given in labels[:12, :2]]
    return ratings_of(people), judges_of(j=list(labels[:, 2])), pairs


def test_win_rates_count_for_both_systems_of_a_pair():
    ratings, judges, pairs = small()
    judge = prevalence(ratings, judges, positive="win", half="tie", pairs=pairs).judges[0]
    systems = {system.system: system for system in judge.systems}
    assert {name: (system.items, system.rated_items) for name, system in systems.items()} == {
        "x": (16, 8),
        "y": (16, 8),
        "z": (16, 8),
    }
    for method in range(4):
        # Every pair has one win to give, so that three systems with as many pairs each win half on average.
        rates = [system.win_rates[[0, 1, 3, 4][method]].value for system in systems.values()]
        assert method == 3 or np.mean(rates) == pytest.approx(0.5)
    weights = {"win": 1, "tie": 0.5, "lose": 0}
    told = [weights[judges.labels[code]] for code in judges.label]
    of_x = [told[i] if pairs[item][0] == "x" else 1 - told[i] for i, item in enumerate(pairs) if "x" in pairs[item]]
    assert systems["x"].win_rates[0].value == pytest.approx(np.mean(of_x))


def test_swapping_the_sides_of_every_pair_changes_nothing():
    ratings, judges, pairs = small()
    one = prevalence(ratings, judges, positive="win", half="tie", pairs=pairs).judges[0]
    turned = {item: (b, a) for item, (a, b) in pairs.items()}
    other = prevalence(ratings, judges, positive="lose", half="tie", pairs=turned).judges[0]
    for mine, theirs in zip(one.systems, other.systems, strict=True):
        for a, b in zip((*mine.win_rates, *mine.strengths), (*theirs.win_rates, *theirs.strengths), strict=True):
            assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), nan_ok=True)


def test_the_systems_of_every_item_are_needed():
    ratings, judges, pairs = small()
    few = {item: pair for item, pair in pairs.items() if item != "i003"}
    assert message_of(lambda: prevalence(ratings, judges, positive="win", pairs=few)) == (
        "pairs= does not say which systems 1 item compare: i003. Add them, or leave their answers out."
    )
    assert "compares a system with itself: i003" in message_of(
        lambda: prevalence(ratings, judges, positive="win", pairs=pairs | {"i003": ("x", "x")})
    )


@pytest.mark.slow
def test_strengths_lie_within_their_intervals_as_often_as_they_say():
    runs, hits, widths = 400, [], []
    for seed in range(runs):
        duels = drawn(1000 + seed, n=200, others=1000)
        for weight in (0.0, 1.0, tuned_weight_of_duels(duels)):
            strengths = strengths_of(duels, weight)
            error = np.sqrt(np.diag(strengths.covariance))
            hits.append(np.abs(strengths.values - STRENGTHS) <= 1.96 * error)
            widths.append(error.mean())
    coverage = np.array(hits).reshape(runs, 3, SYSTEMS).mean(axis=(0, 2))
    assert ((coverage >= 0.92) & (coverage <= 0.98)).all(), coverage
    people, _, tuned = np.array(widths).reshape(runs, 3).mean(axis=0)
    assert tuned <= 1.02 * people


def two_systems(people, judge):
    """Pairs of the same two systems."""
    first = np.zeros(len(judge), dtype=np.intp)
    return Duels(first=first, second=first + 1, people=np.array(people), judge=np.array(judge), n_systems=2)


def test_one_item_left_to_the_judge_gives_no_interval_and_no_weight():
    duels = two_systems([1.0, 0.0, 0.5], [1.0, 0.5, 0.5, 0.5])
    assert np.isfinite(strengths_of(duels, 1.0).values).all()
    assert np.isnan(strengths_of(duels, 1.0).covariance).all()
    assert tuned_weight_of_duels(duels) == 0
    assert np.isfinite(strengths_of(duels, 0.0).covariance).all()


def test_strengths_that_the_other_items_cannot_tell_apart_are_undefined():
    # Only the other items bend the curve at weight 1, and none of them shows system 2.
    first, second = np.array([0, 1, 2, 0, 1]), np.array([1, 2, 0, 1, 0])
    judge = np.array([0.5, 0.0, 1.0, 0.5, 0.5])
    duels = Duels(first=first, second=second, people=np.array([1.0, 0.5, 0.5]), judge=judge, n_systems=3)
    assert np.isnan(strengths_of(duels, 1.0).values).all()
    assert np.isfinite(strengths_of(duels, 0.0).values).all()


def test_a_handful_of_pairs_gives_numbers_or_a_reason_and_no_variance_below_nothing():
    labels = ["win", "tie", "lose"]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rated, others, systems = (int(rng.integers(*bounds)) for bounds in ((3, 7), (0, 4), (2, 5)))
        given = [labels[: 2 + k % 2] for k in range(rated)]
        said = [labels[k] for k in rng.integers(0, 3, rated + others)]
        names = [tuple(f"s{k}" for k in rng.choice(systems, 2, replace=False)) for _ in said]
        pairs = {f"i{k:03}": pair for k, pair in enumerate(names)}
        result = prevalence(ratings_of(given), judges_of(j=said), positive="win", half="tie", pairs=pairs)
        rows = [row for system in result.judges[0].systems for row in system.strengths]
        undefined = any(math.isnan(row.low) for row in rows)
        assert undefined == any(text.startswith(("No strengths by", "No intervals of")) for text in result.warnings)
        assert all(row.low <= row.value <= row.high for row in rows if not math.isnan(row.low))
