import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance as nltk_masi
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from dissensus import describe, read
from dissensus.data import types_of_matrix
from dissensus.methods.describe import (
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    interval_alpha,
    jaccard_distance,
    masi_distance,
    nominal_alpha,
    ordinal_alpha,
    pairwise_agreement,
    set_alpha,
)
from dissensus.methods.describe.coefficients import pair_sums

import agreement_reference as reference

Q = 4
VALUES = np.array([-2.0, 0.5, 1.0, 7.0])
SETS = [{0}, {1}, {0, 1}, {1, 2}]
MEMBERS = np.array([[o in s for o in range(3)] for s in SETS])

rated_items = st.lists(st.lists(st.integers(0, Q - 1), max_size=6), max_size=7)
# Two items make every coefficient defined: one on which raters differ, and one with a second label.
lively_items = rated_items.map(lambda items: [*items, [0, 1], [2, 2]])


def types_of(items):
    return types_of_matrix(np.array([[labels.count(c) for c in range(Q)] for labels in items]).reshape(-1, Q))


def close(ours, theirs):
    return np.isclose(ours[0], theirs, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_alpha_of_one_split_item_among_three():
    # aa, ab, bb: D_o = 2/6, D_e = 18/30, so alpha = 1 - (1/3) / (3/5) = 4/9
    assert close(nominal_alpha(types_of_matrix([[2, 0], [1, 1], [0, 2]])), 4 / 9)


def test_alpha_of_krippendorffs_own_example():
    # Krippendorff (2011), section C, nominal data with missing values: alpha = .743 (printed to three digits);
    # ordinal .815, interval .849.
    rows = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    columns = zip(*[row.split() for row in rows], strict=True)
    counts = [[column.count(str(c)) for c in range(1, 6)] for column in columns]
    types = types_of_matrix(counts)
    assert round(float(nominal_alpha(types)[0]), 3) == 0.743
    assert round(float(ordinal_alpha(types)[0]), 3) == 0.815
    assert round(float(interval_alpha(types, np.arange(1.0, 6.0))[0]), 3) == 0.849


@given(rated_items)
def test_alphas_equal_their_definition_pair_by_pair(items):
    types = types_of(items)
    assert close(nominal_alpha(types), reference.alpha(items, reference.nominal))
    assert close(ordinal_alpha(types), reference.alpha(items, reference.ordinal(items)))
    assert close(interval_alpha(types, VALUES), reference.alpha(items, reference.interval(VALUES)))
    assert close(set_alpha(types, jaccard_distance(MEMBERS)), reference.alpha(items, reference.jaccard(SETS)))
    assert close(set_alpha(types, masi_distance(MEMBERS)), reference.alpha(items, reference.masi(SETS)))


@given(rated_items)
def test_pairwise_agreement_and_kappa_equal_their_definition(items):
    types = types_of(items)
    assert close(pairwise_agreement(types), reference.pairwise_agreement(items))
    if any(items):
        assert close(fleiss_kappa(types), reference.fleiss(items, Q))


@given(rated_items)
def test_gwets_coefficients_equal_their_definition(items):
    assume(any(len(labels) >= 2 for labels in items))
    types = types_of(items)
    assert close(gwet_ac1(types), reference.gwet(items, Q))
    ordinal = reference.gwet(items, Q, reference.ordinal_weight(Q))
    assert close(gwet_ac2(types, VALUES, weighting="ordinal"), ordinal)
    for weighting, power in (("linear", 1), ("quadratic", 2)):
        expected = reference.gwet(items, Q, reference.power_weight(list(VALUES), power))
        assert close(gwet_ac2(types, VALUES, weighting=weighting), expected)


@given(lively_items)
def test_alphas_agree_with_the_krippendorff_package(items):
    counts = np.array([[labels.count(c) for c in range(Q)] for labels in items])
    types = types_of(items)
    for level, ours in (
        ("nominal", nominal_alpha(types)),
        ("ordinal", ordinal_alpha(types)),
        ("interval", interval_alpha(types, VALUES)),
    ):
        theirs = krippendorff.alpha(value_counts=counts, value_domain=VALUES, level_of_measurement=level)
        assert abs(ours[0] - theirs) < 1e-9


@given(lively_items)
def test_alpha_of_sets_agrees_with_nltk(items):
    triples = [
        (f"r{rater}", f"i{i}", frozenset(SETS[label]))
        for i, labels in enumerate(items)
        for rater, label in enumerate(labels)
        if len(labels) >= 2
    ]
    theirs = AnnotationTask(data=triples, distance=nltk_masi).alpha()
    # nltk writes MASI's two thirds as .67 and one third as .33, and that is all the difference.
    assert abs(set_alpha(types_of(items), masi_distance(MEMBERS))[0] - theirs) < 0.02


@given(lively_items)
def test_kappa_and_gwet_agree_with_irrcac(items):
    irr = pytest.importorskip("irrCAC.raw")
    width = max(len(labels) for labels in items)
    frame = pd.DataFrame([[*map(float, labels), *[np.nan] * (width - len(labels))] for labels in items if labels])
    for weights, ours in (
        ("identity", gwet_ac1(types_of(items))),
        ("ordinal", gwet_ac2(types_of(items), np.arange(4.0), weighting="ordinal")),
        ("linear", gwet_ac2(types_of(items), np.arange(4.0), weighting="linear")),
        ("quadratic", gwet_ac2(types_of(items), np.arange(4.0), weighting="quadratic")),
    ):
        cac = irr.CAC(frame, weights=weights, categories=[0.0, 1.0, 2.0, 3.0], digits=12)
        assert abs(ours[0] - cac.gwet()["est"]["coefficient_value"]) < 1e-9
    fleiss = irr.CAC(frame, weights="identity", categories=[0.0, 1.0, 2.0, 3.0], digits=12).fleiss()
    assert abs(fleiss_kappa(types_of(items))[0] - fleiss["est"]["coefficient_value"]) < 1e-9


@given(st.lists(st.lists(st.integers(0, Q - 1), min_size=3, max_size=3), max_size=6))
def test_kappa_agrees_with_statsmodels_where_every_item_has_as_many_ratings(items):
    items = [*items, [0, 0, 1], [2, 2, 2]]
    counts = np.array([[labels.count(c) for c in range(Q)] for labels in items])
    assert np.isclose(fleiss_kappa(types_of(items))[0], statsmodels_fleiss(counts))


@given(lively_items, st.permutations(range(Q)))
def test_nominal_coefficients_ignore_the_names_of_labels(items, order):
    renamed = [[order[label] for label in labels] for labels in items]
    for coefficient in (nominal_alpha, fleiss_kappa, gwet_ac1, pairwise_agreement):
        assert close(coefficient(types_of(items)), coefficient(types_of(renamed))[0])


@given(lively_items, st.lists(st.integers(0, 3), min_size=20, max_size=20))
def test_weights_are_copies_of_items(items, times):
    # A type with weight w must count as w items of that type: the bootstrap rests on it.
    types = types_of(items)
    weights = np.array(times[: types.n_types] + [1] * max(0, types.n_types - 20))
    dense = types.dense()
    copies = np.repeat(dense, weights, axis=0)
    again = types_of_matrix(copies.reshape(-1, Q))
    for coefficient in (nominal_alpha, ordinal_alpha, fleiss_kappa, gwet_ac1, pairwise_agreement):
        assert close(coefficient(types, weights=weights), coefficient(again)[0] if copies.size else np.nan)


def test_many_labels_take_the_sparse_path_to_the_same_numbers():
    rng = np.random.default_rng(1)
    items = [[*rng.integers(0, 300, size=3).tolist(), 7] for _ in range(40)]
    wide = types_of_matrix(np.array([[labels.count(c) for c in range(300)] for labels in items]))
    assert close(nominal_alpha(wide), reference.alpha(items, reference.nominal))
    assert close(ordinal_alpha(wide), reference.alpha(items, reference.ordinal(items)))
    assert close(fleiss_kappa(wide), reference.fleiss(items, 300))


def test_pair_sums_do_not_depend_on_how_they_are_chunked(monkeypatch):
    rng = np.random.default_rng(2)
    types = types_of_matrix(rng.integers(0, 3, size=(50, 6)))
    whole = pair_sums(types, lambda c, k: np.abs(c - k))
    monkeypatch.setattr("dissensus.methods.describe.coefficients.PAIRS_AT_ONCE", 40)
    assert np.array_equal(pair_sums(types, lambda c, k: np.abs(c - k)), whole)
    dense = types.dense()
    apart = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert np.array_equal(whole, np.einsum("tc,ck,tk->t", dense, apart, dense))


def test_one_label_only_is_undefined_not_perfect():
    types = types_of_matrix([[3, 0], [2, 0]])
    for coefficient in (nominal_alpha, ordinal_alpha, fleiss_kappa):
        assert np.isnan(coefficient(types)[0])
    assert np.isnan(gwet_ac1(types_of_matrix([[3], [2]]))[0])  # one option: nobody could disagree
    assert gwet_ac1(types)[0] == 1.0  # two options, and everybody chose the same: chance is 0


def test_one_rating_per_item_is_undefined():
    types = types_of_matrix([[1, 0], [0, 1]])
    for coefficient in (nominal_alpha, ordinal_alpha, fleiss_kappa, gwet_ac1, pairwise_agreement):
        assert np.isnan(coefficient(types)[0])


@pytest.mark.parametrize("unit", [2.0**-1000, 1e-200, 1e-13, 3.0, 1e200, 2.0**1000])
def test_interval_alpha_is_the_same_in_every_unit(unit):
    types = types_of([[0, 1], [2, 2], [1, 3, 3], [0]])
    alpha = interval_alpha(types, VALUES)[0]
    by_pairs = reference.alpha([[0, 1], [2, 2], [1, 3, 3]], lambda c, k: (VALUES[c] - VALUES[k]) ** 2)
    assert alpha == pytest.approx(by_pairs)
    assert interval_alpha(types, VALUES * unit)[0] == pytest.approx(alpha, rel=1e-12)
    # A label beyond all others that is on no item with two ratings changes nothing.
    lone, own = types_of([[0, 1], [2, 2], [1, 0], [3]]), np.array([1.0, 2.0, 3.0, 4.0])
    assert interval_alpha(lone, np.where(own == 4, 1e300, own))[0] == interval_alpha(lone, own)[0]


def test_huge_and_tiny_numbers_are_described_like_others():
    rows = [("1", "a", 1), ("1", "b", 2), ("2", "a", 3), ("2", "b", 3), ("3", "a", 1), ("3", "b", 1)]
    found = []
    for unit in (1.0, 1e200, 1e-200):
        table = pd.DataFrame([(item, rater, repr(label * unit)) for item, rater, label in rows])
        ratings = read(table.set_axis(["item", "rater", "label"], axis=1), scale="interval")
        result = describe(ratings, bootstrap=0)
        assert not [text for text in result.warnings if "undefined" in text]
        found += [row["value"] for row in result.rows() if row["name"] == "krippendorff_alpha_interval"]
    assert found == pytest.approx([found[0]] * 3, rel=1e-12)
