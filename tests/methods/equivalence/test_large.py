"""Sizes with very many surveys: sampled, or not learned again in each bootstrap sample."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from dissensus.data import read, read_judges
from dissensus.methods.equivalence.surveys import count_subsets, draw_subsets, orders, sequence_probability
from dissensus.simulation import RUNNING_EXAMPLE, SOFT_CLASSIFIER, simulate_urn

from survey_builders import raw_equivalence as equivalence

LARGE = "dissensus.methods.equivalence.replicates"


@pytest.fixture(scope="module")
def drawn():
    return simulate_urn(RUNNING_EXAMPLE, items=400, raters=(4, 7), classifiers=[SOFT_CLASSIFIER], rng=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"learn": "in-sample"},
        {"combiner": "frequency"},
        {"combiner": "plurality", "score": "agreement"},
        {"score": "brier", "reference_raters": 2, "max_raters": 1},
    ],
)
def test_sampled_surveys_score_as_enumerated_ones(monkeypatch, drawn, options):
    exact = equivalence(drawn.ratings, drawn.judges, bootstrap=0, **options)
    monkeypatch.setattr(f"{LARGE}.MEMORY_BUDGET", 0)
    sampled = equivalence(drawn.ratings, drawn.judges, bootstrap=0, **options)
    assert any("4,000 were drawn" in warning for warning in sampled.warnings)
    for ours, truth in zip(sampled.curve, exact.curve, strict=True):
        assert "standard_error" in ours.as_dict()
        assert "standard_error" not in truth.as_dict()
        assert abs(ours.score - truth.score) <= 4 * ours.standard_error + 1e-12
        assert ours.standard_error < 0.03


def test_a_combiner_that_is_not_learned_again_gives_almost_the_same_intervals(monkeypatch, drawn):
    again = equivalence(drawn.ratings, drawn.judges, bootstrap=200)
    monkeypatch.setattr(f"{LARGE}.RELEARN_LIMIT", 0)
    kept = equivalence(drawn.ratings, drawn.judges, bootstrap=200)
    assert any("do not learn the combiner again" in warning for warning in kept.warnings)
    for ours, full in zip(kept.curve, again.curve, strict=True):
        assert ours.score == pytest.approx(full.score, abs=1e-12)
        width = full.high - full.low
        assert (ours.low, ours.high) == pytest.approx((full.low, full.high), abs=0.2 * width)


def test_subsets_are_counted_without_making_them():
    counts = np.array([[3, 0, 2], [1, 1, 1], [0, 4, 0], [5, 5, 5]])
    for k in range(8):
        assert count_subsets(counts, k) == len(draw_subsets(counts, k).row)


@pytest.mark.parametrize("k", [3, 60, 170])
def test_probabilities_of_surveys_sum_to_1_however_many_raters(k):
    # 60 of 400 ratings fit into a number as products, 170 do not.
    counts = np.array([[300, 100], [150, 250]])
    draws = draw_subsets(counts, k)
    chance = sequence_probability(counts, draws, k) * orders(draws.counts)
    assert np.bincount(draws.row, weights=chance) == pytest.approx([1, 1], abs=1e-10)


def test_orders_are_whole_numbers():
    assert orders(np.array([[5, 5, 5], [0, 0, 0], [1, 0, 2]], dtype=np.int32)).tolist() == [756756, 1, 3]


def test_a_judge_that_says_another_number_of_every_item_needs_no_table_of_all_numbers():
    n_items = 5_000
    items = [f"i{i}" for i in range(n_items)]
    rng = np.random.default_rng(0)
    truth = rng.normal(3, 1, n_items)
    said = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.5, (n_items, 3))), 1, 5)
    people = pd.DataFrame(said, columns=[*"abc"]).assign(item=items)
    ratings = read(people.melt("item", var_name="rater", value_name="label"))
    judges = read_judges(pd.DataFrame({"item": items, "judge": "measures", "label": truth}))
    tracemalloc.start()
    try:
        judge = equivalence(ratings, judges, score="pearson", bootstrap=0).judges[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    raters = np.array([np.corrcoef(truth, said[:, rater])[0, 1] for rater in range(3)])
    assert judge.score == pytest.approx(raters.mean(), abs=0.01)
    assert peak < n_items * n_items * 8 / 4
