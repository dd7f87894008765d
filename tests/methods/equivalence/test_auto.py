"""The calibration that fits any judge: twins in plain Python, invariants, consistency, bias and coverage."""

import math
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.optimize import minimize

from dissensus.data import read_judges
from dissensus.methods.equivalence import equivalence
from dissensus.methods.equivalence.calibration import STRENGTHS, calibrated_predictions, draw_folds, mixing_weights
from dissensus.methods.equivalence.maps import MixedMap, Regressions, distinct, moved
from dissensus.methods.equivalence.softmax import Ridge, fit_softmax, softmax
from dissensus.methods.gate import gate
from dissensus.methods.panel import panel

from survey_builders import hard_judges_of, judges_of, ratings_of

# ---- Populations with a known truth: states of items, how raters and judges answer in each


def samples_of(chances, m):
    """Shares of m sampled labels, of shape (n_outputs, n_labels), and how likely each is in each state."""
    n_labels = chances.shape[1]
    outputs, likely = [], []
    for drawn in combinations_with_replacement(range(n_labels), m):
        times = np.bincount(drawn, minlength=n_labels)
        ways = math.factorial(m) / math.prod(math.factorial(t) for t in times)
        outputs.append(times / m)
        likely.append(ways * np.prod(chances**times, axis=1))
    return np.array(outputs), np.array(likely).T


def tempered(p, power):
    raised = p**power
    return raised / raised.sum(axis=1, keepdims=True)


def bent(p):
    """Another curve for each label, neither a power nor rising at one rate."""
    raised = np.sqrt(p) * (1 + 2 * p) * np.linspace(0.7, 1.5, p.shape[1])
    return raised / raised.sum(axis=1, keepdims=True)


class Population:
    """States with weights, people's shares in each, and a judge's outputs with their chances in each."""

    def __init__(self, states, outputs, likely):
        self.states, self.outputs, self.likely = states, outputs, likely
        joint = np.einsum("zl,zo->ol", states, likely) / len(states)
        chance = joint.sum(axis=1, keepdims=True)
        self.posterior = joint / chance
        inside = np.clip(self.posterior, 0.02, 0.98)
        self.truth = float((joint * np.log2(inside / inside.sum(axis=1, keepdims=True))).sum())
        prior = states.mean(axis=0)
        self.information = self.truth - float((prior * np.log2(prior)).sum())

    def draw(self, n, rng, most=6):
        """Outputs, and shares of 2 to `most` raters."""
        state = rng.integers(len(self.states), size=n)
        below = np.cumsum(self.likely[state], axis=1)
        output = (rng.random((n, 1)) * below[:, -1:] > below).sum(axis=1)
        counts = rng.multinomial(rng.integers(2, most + 1, n), self.states[state])
        return self.outputs[output], counts / counts.sum(axis=1, keepdims=True)


def states_of(n_states, n_labels, seed, sharpness=0.5):
    return default_rng(seed).dirichlet(np.full(n_labels, sharpness), n_states)


def sampled(n_labels, m, seed):
    """A judge that answers m times, by its own reading of each state."""
    states = states_of(25, n_labels, seed)
    logs = np.log(states + 0.02) + 0.8 * default_rng(seed + 1).normal(size=states.shape)
    return Population(states, *samples_of(softmax(logs), m))


def probable(n_labels, seed, distort, n_signals=1500):
    """A judge that sees one of many signals and gives distorted probabilities."""
    rng = default_rng(seed)
    states = states_of(100, n_labels, seed)
    logs = np.log(states + 0.02)
    signals = logs[rng.integers(len(states), size=n_signals)] + 0.8 * rng.normal(size=(n_signals, n_labels))
    likely = np.exp(-((logs[:, None] - signals) ** 2).sum(axis=2) / (2 * 0.8**2))
    likely /= likely.sum(axis=1, keepdims=True)
    honest = Population(states, np.zeros((n_signals, n_labels)), likely).posterior
    return Population(states, distort(honest), likely)


KINDS = {
    "hard": lambda: sampled(4, 1, seed=50),
    "3 samples": lambda: sampled(5, 3, seed=51),
    "10 samples": lambda: sampled(3, 10, seed=52),
    "over-confident": lambda: probable(5, 53, lambda p: tempered(p, 3)),
    "bent": lambda: probable(3, 54, bent),
}


def scores_of(found, shares):
    """What each item scores, learned from all items and from others, in bits."""
    inside, outside = (np.clip(p, 0.02, 0.98) for p in (found.inside, found.outside))
    return [(shares * np.log2(p / p.sum(axis=1, keepdims=True))).sum(axis=1) for p in (inside, outside)]


# ---- Twins


def test_a_table_moves_predictions_by_the_items_with_the_same_output():
    predictions, masses = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    for strength in STRENGTHS:
        found = moved(np.array(predictions), np.array(masses), strength)
        for row in range(2):
            for label in range(3):
                expected = predictions[row][label]
                if strength != math.inf:
                    expected = (masses[row][label] + strength * expected) / (sum(masses[row]) + strength)
                assert found[row, label] == pytest.approx(expected)


def test_the_softmax_regression_minimises_its_loss():
    rng = default_rng(0)
    inputs, masses = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(3), 40)
    pull, goal = np.diag([0.1, 0.2, 0.3, 0.4]), np.array([0.0, 0.1, 0.0, 1.0])

    def design(x):
        return np.concatenate([np.broadcast_to(np.eye(3), (len(x), 3, 3)), x[:, :, None]], axis=2)

    def loss(theta):
        total = 0.0
        for x, mass in zip(inputs, masses, strict=True):
            values = [theta[c] + theta[3] * x[c] for c in range(3)]
            norm = math.log(sum(math.exp(value) for value in values))
            total -= sum(mass[c] * (values[c] - norm) for c in range(3))
        return total + sum(pull[i, i] * (theta[i] - goal[i]) ** 2 for i in range(4)) / 2

    expected = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8}).x
    assert fit_softmax(design, inputs, masses, Ridge(pull=pull, goal=goal)) == pytest.approx(expected, abs=1e-5)


def test_the_mixture_scores_best_among_all_mixtures():
    rng = default_rng(1)
    maps, masses = rng.dirichlet(np.ones(3), (2, 50)), rng.dirichlet(np.ones(3), 50)
    found = mixing_weights(maps, masses, np.array([0.5, 0.5]), steps=2000)

    def score(share):
        return (masses * np.log(share * maps[0] + (1 - share) * maps[1])).sum()

    assert score(found[0]) >= max(score(share) for share in np.linspace(0, 1, 401)) - 1e-6


# ---- Invariants


def some_judge(n=60, seed=0, m=3):
    population = sampled(3, m, seed=60)
    outputs, shares = population.draw(n, default_rng(seed))
    return outputs, shares, draw_folds(n, default_rng(seed + 1))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(3)), st.sampled_from([1, 3]))
def test_neither_the_order_of_items_nor_that_of_labels_matters(seed, order, m):
    outputs, shares, fold = some_judge(seed=seed, m=m)
    found = calibrated_predictions("auto", outputs, shares, fold=fold)
    items, labels = default_rng(seed).permutation(len(fold)), list(order)
    other = calibrated_predictions("auto", outputs[items][:, labels], shares[items][:, labels], fold=fold[items])
    assert found.inside[items][:, labels] == pytest.approx(other.inside, abs=1e-6)
    assert found.outside[items][:, labels] == pytest.approx(other.outside, abs=1e-6)


def test_an_item_teaches_its_own_prediction_only_where_all_are_learned_from():
    outputs, shares, fold = some_judge()
    before = calibrated_predictions("auto", outputs, shares, fold=fold)
    shares[7] = 1 - shares[7]
    shares[7] /= shares[7].sum()
    after = calibrated_predictions("auto", outputs, shares, fold=fold)
    assert not np.array_equal(before.inside[7], after.inside[7])
    same = fold == fold[7]
    # maps and weights come from other folds; how they are mixed at the start is all that an item moves
    assert np.abs(before.outside[same] - after.outside[same]).max() < 0.02


def test_the_map_of_all_items_serves_new_outputs_and_can_be_written_down():
    outputs, shares, fold = some_judge(200)
    found = calibrated_predictions("auto", outputs, shares, fold=fold)
    assert found.map(outputs) == pytest.approx(found.inside, abs=1e-9)
    again = MixedMap.from_parameters({name: np.array(value.tolist()) for name, value in found.map.parameters().items()})
    new = default_rng(3).dirichlet(np.ones(3), 20)
    assert np.array_equal(again(new), found.map(new))
    assert np.allclose(again(new).sum(axis=1), 1)


@pytest.mark.parametrize("n_labels", [2, 12, 40])
def test_any_number_of_labels_and_of_items_gets_probabilities(n_labels):
    rng = default_rng(n_labels)
    for n in (2, 3, 30):
        shares = rng.dirichlet(np.full(n_labels, 0.2), n)
        for outputs in (np.eye(n_labels)[rng.integers(n_labels, size=n)], rng.dirichlet(np.full(n_labels, 0.05), n)):
            found = calibrated_predictions("auto", outputs, shares, fold=draw_folds(n, rng))
            for side in (found.inside, found.outside):
                assert (side >= 0).all()
                assert np.allclose(side.sum(axis=1), 1)


def hard_and_soft(n=90, seed=3):
    population = sampled(3, 1, seed=61)
    outputs, _ = population.draw(n, default_rng(seed))
    labels = outputs.argmax(axis=1)
    rng = default_rng(seed)
    ratings = ratings_of([list(rng.choice(3, size=4, p=0.2 / 3 + 0.8 * np.eye(3)[label])) for label in labels])
    return ratings, labels, rng.dirichlet(np.ones(3), n)


def test_a_soft_judge_beside_a_hard_one_does_not_change_it():
    # It used to send the hard judge to another calibration, which made .00 raters of .69.
    ratings, labels, soft = hard_and_soft()
    hard = [
        {"item": item, "judge": "hard", "label": "abc"[code]} for item, code in zip(ratings.items, labels, strict=True)
    ]
    odds = [dict(zip(("p_a", "p_b", "p_c"), row.tolist(), strict=True)) for row in soft]
    both = hard + [{"item": item, "judge": "soft"} | row for item, row in zip(ratings.items, odds, strict=True)]
    alone = equivalence(ratings, read_judges(pd.DataFrame(hard)), bootstrap=20).judges[0]
    beside = equivalence(ratings, read_judges(pd.DataFrame(both)), bootstrap=20).judges
    assert [(judge.judge, judge.calibrated) for judge in beside] == [("hard", True), ("soft", False), ("soft", True)]
    for name in ("score", "low", "high", "equivalence", "equivalence_low", "equivalence_high"):
        assert getattr(beside[0], name) == pytest.approx(getattr(alone, name), abs=1e-12, nan_ok=True)
    found = [
        gate(ratings, read_judges(pd.DataFrame(data)), judge="hard", min_equivalence=0.1, bootstrap=50).checks[0]
        for data in (hard, both)
    ]
    assert (found[0].verdict, found[0].value) == (found[1].verdict, pytest.approx(found[1].value, abs=1e-12))
    assert found[0].low == pytest.approx(found[1].low, abs=1e-12)


def test_plain_labels_need_no_option():
    ratings, labels, _ = hard_and_soft()
    result = equivalence(ratings, hard_judges_of({"hard": labels.tolist()}), bootstrap=0)
    assert result.settings["calibrate"] == "auto"
    assert result.judges[0].calibrated
    # scores of labels, and those that compare items, take the judge as it is
    other = equivalence(ratings, hard_judges_of({"hard": labels.tolist()}), score="agreement", bootstrap=0)
    assert (other.settings["calibrate"], other.judges[0].calibrated) == ("none", False)


def test_the_same_seed_gives_the_same_bytes():
    ratings, labels, _ = hard_and_soft()
    judges = hard_judges_of({"hard": labels.tolist()})
    one, two = (equivalence(ratings, judges, bootstrap=40, workers=workers).to_json() for workers in (1, 2))
    assert one == two


# ---- Panels calibrate with the same function


def test_a_judge_in_a_panel_has_the_number_that_it_has_alone():
    ratings, labels, soft = hard_and_soft()
    other = 0.7 * np.eye(3)[labels] + 0.3 * soft
    judges = judges_of({"one": other, "two": soft})
    together = panel(ratings, judges, people=False, bootstrap=30)
    apart = [judge for judge in equivalence(ratings, judges, bootstrap=30).judges if judge.calibrated]
    assert repr(list(together.judges)) == repr(apart)  # NaN is not equal to itself


def test_predictions_of_a_panel_follow_the_items_of_ratings_in_any_order():
    # They used to stay where they were while the items were sorted.
    ratings, labels, _ = hard_and_soft(30)
    backwards = replace(ratings, item=29 - ratings.item, items=ratings.items[::-1])
    soft = 0.6 * np.eye(3)[labels] + 0.4 / 3
    judges = judges_of({"one": soft, "two": soft[:, ::-1]})
    found = [panel(some, judges, people=False, bootstrap=0, calibrate="none") for some in (ratings, backwards)]
    assert [judge.score for judge in found[0].judges] == pytest.approx([judge.score for judge in found[1].judges])


# ---- Simulation


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_with_many_items_the_score_is_the_information_of_the_judge(kind):
    population = KINDS[kind]()
    rng = default_rng(7)
    outputs, shares = population.draw(50_000, rng)
    scores = np.mean(scores_of(calibrated_predictions("auto", outputs, shares, fold=draw_folds(50_000, rng)), shares))
    prior = shares.mean(axis=0)
    found = scores - (prior * np.log2(prior)).sum()
    assert found == pytest.approx(population.information, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("n", [80, 300])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_unbiased_and_their_intervals_hold_the_truth(kind, n):
    population, rng, sets = KINDS[kind](), default_rng(8), 60
    gaps, hits = [], []
    for _ in range(sets):
        outputs, shares = population.draw(n, rng)
        per_item = np.mean(
            scores_of(calibrated_predictions("auto", outputs, shares, fold=draw_folds(n, rng)), shares), axis=0
        )
        gaps.append(per_item.mean() - population.truth)
        hits.append(abs(gaps[-1]) < 1.96 * per_item.std() / np.sqrt(n))
    error = np.std(gaps) / np.sqrt(sets)
    # What a map must learn at 80 items of 5 labels leaves up to 3% of the information.
    assert abs(np.mean(gaps)) < 3 * error + 0.03 * population.information
    assert np.mean(hits) > 0.92 - 3 * np.sqrt(0.95 * 0.05 / sets)


@pytest.mark.parametrize("n_labels", [3, 6])
def test_a_matrix_is_fitted_without_its_features_as_with_them(n_labels):
    rng = np.random.default_rng(n_labels)
    x, masses = rng.normal(size=(300, n_labels)), rng.integers(0, 4, size=(300, n_labels)).astype(float)
    slow, quick = (Regressions.of(x, masses, exact=exact).matrix for exact in (True, False))
    assert len(slow) == n_labels + n_labels**2
    assert quick == pytest.approx(slow, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("shape", [(1, 2), (50, 1), (200, 3), (5, 0)])
def test_different_outputs_are_those_of_numpy_in_its_order(shape):
    outputs = np.random.default_rng(7).integers(0, 4, size=shape) / 3
    expected, place = np.unique(np.round(outputs, 9), axis=0, return_inverse=True)
    found = distinct(outputs)
    assert found[0].tolist() == expected.tolist()
    assert found[1].tolist() == place.ravel().tolist()
