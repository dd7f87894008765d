"""Rank consistency: inversions, monotonicity violations, redundant definitions, and the paper's examples, corrected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.definitions import PER_ITEM
from dissensus.methods.judges.summary import decision_kappa, inversions, violations, worst_violation

from judges_builders import choices, judges_from, ratings_from, sets

# Appendix C. Example 1 as printed has the same hard label on all sides, so both hit rates are 1; with
# w = (.44, .46, .10) it shows what it is meant to show.
PEOPLE, Z, W_PRINTED, W = (
    np.array(shares) for shares in ([0.6, 0.3, 0.1], [0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.44, 0.46, 0.10])
)


def hit(judge):
    return float(judge.argmax() == PEOPLE.argmax())


def test_example_1_of_appendix_c_as_printed_has_two_hits():
    assert [hit(Z), hit(W_PRINTED)] == [1, 1]
    assert np.isclose(PER_ITEM["kl_human_judge"](Z, PEOPLE), 0.157, atol=5e-4)
    assert np.isclose(PER_ITEM["kl_human_judge"](W_PRINTED, PEOPLE), 0.023, atol=5e-4)


def test_example_1_of_appendix_c_corrected_is_a_violation():
    assert [hit(Z), hit(W)] == [1, 0]
    assert np.isclose(PER_ITEM["kl_human_judge"](W, PEOPLE), 0.058, atol=5e-4)
    # On data: ten raters, and judges that answer 50 times.
    ratings = ratings_from([choices(*[0] * 6, *[1] * 3, 2)])
    judges = judges_from(
        {"z": [choices(*[0] * 40, *[1] * 5, *[2] * 5)], "w": [choices(*[0] * 22, *[1] * 23, *[2] * 5)]}
    )
    result = rank_judges(ratings, judges, bootstrap=0)
    found = next(v for v in result.violations if (v.definition_a, v.definition_b) == ("hit_rate", "kl_human_judge"))
    assert (found.item, found.judge_a, found.judge_b) == ("item-0000", "z", "w")
    assert found.values_a == (1.0, 0.0)
    assert np.allclose(found.values_b, (0.157, 0.058), atol=5e-4)
    (inversion,) = result.inversions
    assert (inversion.judge_a, inversion.judge_b) == ("w", "z")
    assert "kl_human_judge" in inversion.prefer_a
    assert "hit_rate" in inversion.prefer_b


def test_example_2_of_appendix_c_corrected():
    # Lambda theta^z = (.4, 1.0): sets {o1}, {o2}, {o1, o2} with theta^z = (0, .6, .4).
    members = np.array([[True, False], [False, True], [True, True]])
    people, z, w = (theta @ members for theta in np.array([[0.4, 0.5, 0.1], [0.0, 0.6, 0.4], [0.4, 0.5, 0.1]]))
    assert np.allclose(z, (0.4, 1.0))
    assert np.isclose(PER_ITEM["mse_response_set"](z, people), 0.17)
    assert np.isclose(PER_ITEM["mse_response_set"](w, people), 0)
    assert np.isclose(PER_ITEM["kl_human_judge"](np.array([0.4, 0.6]), np.array([0.4, 0.6])), 0)
    assert np.isclose(PER_ITEM["kl_human_judge"](np.array([0.5, 0.5]), np.array([0.4, 0.6])), 0.0201, atol=5e-5)


def test_example_2_on_data_with_both_elicitations():
    o = ("o1", "o2")
    people = [choices(*[0] * 4, *[1] * 6) + sets(*[{0}] * 4, *[{1}] * 5, {0, 1})]
    z = [choices(*[0] * 4, *[1] * 6) + sets(*[{1}] * 6, *[{0, 1}] * 4)]
    w = [choices(*[0] * 5, *[1] * 5) + sets(*[{0}] * 4, *[{1}] * 5, {0, 1})]
    result = rank_judges(ratings_from(people, o), judges_from({"z": z, "w": w}, o), bootstrap=0)
    assert result.definition("kl_human_judge").of("z").rank == 1
    assert result.definition("mse_response_set").of("w").rank == 1
    assert np.isclose(result.definition("mse_response_set").of("z").value, 0.17)


def test_lemma_b1_corrected_tells_when_rater_error_keeps_the_ranking():
    # q = (theta* - theta)' M (theta_w - theta_z), M = Lambda' Lambda: preserved iff q sign(delta*) < |delta*| / 2.
    rng = np.random.default_rng(7)
    members = np.array([[1, 0], [0, 1], [1, 1]], dtype=float)
    kept, printed = [], []
    for _ in range(2000):
        stable, observed, z, w = (rng.dirichlet(np.ones(3), size=4) for _ in range(4))  # four items
        m = members @ members.T
        mse = PER_ITEM["mse_response_set"]
        before = (mse(z @ members, stable @ members) - mse(w @ members, stable @ members)).mean()
        after = (mse(z @ members, observed @ members) - mse(w @ members, observed @ members)).mean()
        q = np.einsum("iv,vu,iu->i", stable - observed, m, w - z).mean()
        assert (np.sign(before) == np.sign(after)) == (q * np.sign(before) < abs(before) / 2)
        kept.append(np.sign(before) == np.sign(after))
        printed.append(np.sign(q) == np.sign(before))
    # As printed the condition fails in both directions.
    assert any(np.array(kept) & ~np.array(printed))
    assert any(~np.array(kept) & np.array(printed))


# Inversions and violations


def test_an_inversion_names_who_prefers_whom_and_nan_prefers_nobody():
    values = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, np.nan], [0.3, 0.3, 0.1]])
    found = inversions(values, ids=["p", "q", "r"], judges=["x", "y", "z"])
    assert [(i.judge_a, i.judge_b, i.prefer_a, i.prefer_b) for i in found] == [
        ("x", "y", ("p",), ("q",)),
        ("y", "z", ("r",), ("p",)),
    ]


def test_the_worst_violation_has_the_largest_smaller_gap():
    # Ranges are 1 and 10. Item 0: gaps .2 and .8. Item 1: .5 and .5. Item 2 is no violation.
    first = np.array([[0.2, 0.0], [0.0, 0.5], [1.0, 0.0]])
    second = np.array([[0.0, 8.0], [5.0, 0.0], [10.0, 0.0]])
    assert worst_violation(first, second) == (1, 1, 0)


def test_monotone_definitions_have_no_violation():
    values = np.random.default_rng(0).uniform(size=(20, 4))
    assert worst_violation(values, values**3) is None
    assert violations(np.stack([values, -np.exp(values)], axis=1), ids=["p", "q"], signs=[1, -1],
                      items=[str(i) for i in range(20)], judges=list("wxyz")) == ()  # fmt: skip


@given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=5))
def test_a_violation_is_found_iff_there_is_one(rows):
    first, second = np.array(rows, dtype=float)[:, :3], np.array(rows, dtype=float)[:, 3:]
    triples = [
        (i, a, b)
        for i in range(len(rows))
        for a in range(3)
        for b in range(3)
        if first[i, a] > first[i, b] and second[i, a] < second[i, b]
    ]
    found = worst_violation(first, second)
    assert found in triples if triples else found is None


# Redundancy

some_items = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=2, max_size=6)


@settings(deadline=None, max_examples=50)
@given(some_items, st.data())
def test_redundant_definitions_rank_judges_alike(items, data):
    def drawn():
        return [choices(*data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))) for _ in items]

    ratings = ratings_from([choices(*own) for own in items])
    result = rank_judges(ratings, judges_from({name: drawn() for name in "xyz"}), bootstrap=0)
    assert len(result.redundant) == 5
    for group in result.redundant:
        ranks = [[value.rank for value in result.definition(id_).values] for id_ in group.definitions]
        assert all(own == ranks[0] for own in ranks), group.definitions


def test_krippendorff_is_pi_and_a_little_and_squared_error_is_twice_the_misses():
    ratings = ratings_from([choices(0), choices(1), choices(1), choices(2)])
    result = rank_judges(ratings, judges_from({"one": [choices(0), choices(1), choices(2), choices(2)]}), bootstrap=0)
    value = {definition.id: definition.values[0].value for definition in result.definitions}
    assert np.isclose(value["krippendorff_alpha"], value["scott_pi"] + (1 - value["scott_pi"]) / 8)
    assert value["fleiss_kappa"] == value["scott_pi"]
    assert np.isclose(value["mse_hard"], 2 * (1 - value["hit_rate"]))


# Decisions


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=12))
def test_the_kappa_of_decisions_is_that_of_sklearn_unless_one_side_is_constant(pairs):
    judge, people = np.array(pairs).T
    found = decision_kappa(np.mean(judge == people)[None], judge.mean()[None], people.mean()[None])[0]
    if len(set(judge)) == 1 or len(set(people)) == 1:
        assert np.isnan(found)
    else:
        assert np.isclose(found, cohen_kappa_score(judge, people))


def test_constants_stand_beside_the_judges():
    # Positive for people on one of four items, for the judge on two, one of them that item.
    ratings = ratings_from([choices(0), choices(1), choices(1), choices(2)])
    judges = judges_from({"one": [choices(0), choices(0), choices(1), choices(2)]})
    result = rank_judges(ratings, judges, positive="a", bootstrap=0)
    rows = {row.judge: row for row in result.downstream}
    assert [rows[name].consistency for name in ("one", "always-positive", "always-negative")] == [0.75, 0.25, 0.75]
    assert [rows[name].bias for name in ("one", "always-positive", "always-negative")] == [0.25, 0.75, -0.25]
    assert rows["one"].kappa == pytest.approx(0.5)  # (.75 - .5) / (1 - .5)
    assert np.isnan(rows["always-positive"].kappa)
