"""Every definition against its plain-Python twin and against the libraries that have it."""

from math import isnan

import irrCAC.raw
import krippendorff
import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from dissensus.methods.judges import RatingVectors, definitions_at
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.definitions import COEFFICIENTS, PER_ITEM, Margins, modes, reaches

import judges_reference as reference
from judges_builders import OPTIONS, choices, judges_from, ratings_from

K = len(OPTIONS)
TAUS = (0.3, 0.5, 1.0)
NAMES = [
    "hit_rate",
    "krippendorff_alpha",
    "fleiss_kappa",
    "cohen_kappa",
    "scott_pi",
    "kl_human_judge",
    "kl_judge_human",
    "cross_entropy_human_judge",
    "cross_entropy_judge_human",
    "jsd",
    "mse_hard",
    "mse_soft",
    "coverage",
    "predictive_efficiency",
    "precision",
    "recall",
    "bce",
    "mse_response_set",
]

some_choices = st.lists(st.integers(0, K - 1).map(lambda o: ("choice", {o})), min_size=1, max_size=4)
some_sets = st.lists(st.sets(st.integers(0, K - 1), min_size=1).map(lambda s: ("set", s)), min_size=1, max_size=4)
some_of_both = st.tuples(some_choices, some_sets).map(lambda both: [*both[0], *both[1]])


@st.composite
def problems(draw):
    """Items, what people said of them, and what two judges did: ragged, with ties, zeros and response sets."""
    n = draw(st.integers(1, 6))
    people = draw(st.sampled_from([some_choices, some_sets, some_of_both, some_choices | some_sets]))
    judge = st.sampled_from([some_choices, some_sets, some_of_both])
    items = [draw(people) for _ in range(n)]
    judges = {}
    for name in ("one", "two"):
        kind = draw(judge)
        judges[name] = [draw(kind) for _ in range(n)]
    return items, judges


def test_the_definitions_are_those_of_the_design():
    assert list(dict.fromkeys(definition.name for definition in definitions_at([0.5]))) == sorted(NAMES, key=order)


def order(name):
    return [definition.name for definition in definitions_at([0.5])].index(name)


def test_ids_are_unique_for_any_thresholds():
    ids = [definition.id for definition in definitions_at(TAUS)]
    assert len(set(ids)) == len(ids)


@settings(deadline=None, max_examples=30)
@given(problems())
def test_every_definition_equals_its_formula_item_by_item(problem):
    items, judges = problem
    result = rank_judges(ratings_from(items), judges_from(judges), tau=TAUS, bootstrap=0)
    for definition in result.definitions:
        for found in definition.values:
            expected = reference.value(
                definition.definition,
                judges[found.judge],
                items,
                how_judge=definition.judge_aggregation,
                how_people=definition.human_aggregation,
                tau=definition.tau,
                k=K,
            )
            assert np.isclose(found.value, expected, rtol=1e-9, atol=1e-9, equal_nan=True), definition.id


@settings(deadline=None, max_examples=20)
@given(problems(), st.sets(st.integers(0, K - 1), min_size=1, max_size=K - 1))
def test_decisions_equal_their_formula_item_by_item(problem, positive):
    items, judges = problem
    named = [OPTIONS[o] for o in positive]
    result = rank_judges(ratings_from(items), judges_from(judges), positive=named, tau=TAUS, bootstrap=0)
    for row in result.downstream:
        if row.judge in judges:
            expected = reference.consistency(judges[row.judge], items, positive, row.tau)
            assert np.isclose(row.consistency, expected)
            assert np.isclose(row.bias, reference.bias(judges[row.judge], items, positive, row.tau))


@settings(deadline=None, max_examples=20)
@given(problems())
def test_tied_items_are_counted_on_both_sides(problem):
    items, judges = problem
    result = rank_judges(ratings_from(items), judges_from(judges), bootstrap=0)
    rows = [i for i, own in enumerate(items) if any(kind == "choice" for kind, _ in own)] or range(len(items))
    hits = result.definition("hit_rate")
    assert hits.tied_items == sum(reference.is_tied(reference.soft(items[i], K)) for i in rows)
    for found in hits.values:
        assert found.tied_items == sum(reference.is_tied(reference.soft(judges[found.judge][i], K)) for i in rows)
    assert result.definition("jsd").tied_items == 0
    assert {found.tied_items for found in result.definition("jsd").values} == {0}


# Libraries

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


def coefficient(name, pairs):
    """A coefficient of one judge against people, from pairs of labels."""
    one_hot = np.eye(4)[np.array(pairs)]
    margins = Margins(
        items=np.array([[float(len(pairs))]]),
        agreement=np.array([[np.mean([a == b for a, b in pairs])]]),
        judge=one_hot[:, 0].mean(axis=0)[None, None],
        people=one_hot[:, 1].mean(axis=0)[None, None],
    )
    return float(COEFFICIENTS[name](margins)[0, 0])


@given(labels)
def test_cohen_kappa_is_that_of_sklearn(pairs):
    judge, people = zip(*pairs, strict=True)
    assume(len(set(judge)) > 1 and len(set(people)) > 1)
    assert np.isclose(coefficient("cohen_kappa", pairs), sk.cohen_kappa_score(judge, people), rtol=0, atol=1e-9)


@given(labels)
def test_a_side_with_one_label_has_no_cohen_kappa(pairs):
    # Kappa would be 0 by its formula, whatever the other side does: p_o = p_e.
    constant = [(0, people) for _, people in pairs]
    assert isnan(coefficient("cohen_kappa", constant))
    assert isnan(coefficient("cohen_kappa", [(b, a) for a, b in constant]))


@given(labels)
def test_krippendorff_alpha_is_that_of_krippendorff(pairs):
    assume(len({label for pair in pairs for label in pair}) > 1)
    expected = krippendorff.alpha(np.array(pairs, dtype=float).T, level_of_measurement="nominal")
    assert np.isclose(coefficient("krippendorff_alpha", pairs), expected, rtol=0, atol=1e-9)


@given(labels)
def test_fleiss_kappa_is_that_of_statsmodels(pairs):
    assume(len({label for pair in pairs for label in pair}) > 1)
    table = np.array([np.bincount(pair, minlength=4) for pair in pairs])
    table = table[:, table.any(axis=0)]
    assert np.isclose(coefficient("fleiss_kappa", pairs), statsmodels_fleiss(table), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("ours", "theirs"), [("cohen_kappa", "conger"), ("krippendorff_alpha", "krippendorff"), ("fleiss_kappa", "fleiss")]
)
@pytest.mark.filterwarnings("ignore")
def test_coefficients_are_those_of_irrcac(seed, ours, theirs):
    # Conger's kappa of two raters is Cohen's.
    pairs = np.random.default_rng(seed).integers(0, 4, size=(40, 2))
    made = getattr(irrCAC.raw.CAC(pd.DataFrame(pairs), digits=12), theirs)()
    assert np.isclose(coefficient(ours, pairs.tolist()), made["est"]["coefficient_value"], rtol=0, atol=1e-9)


def vectors(seed, *, zeros=True):
    """Distributions of 30 items over four options, some of them zero."""
    rng = np.random.default_rng(seed)
    made = rng.dirichlet(np.full(4, 0.4), size=30)
    return np.where(zeros & (made < 0.05), 0, made) / np.where(zeros & (made < 0.05), 0, made).sum(
        axis=1, keepdims=True
    )


@pytest.mark.parametrize("seed", range(5))
def test_jsd_is_the_square_of_scipy_jensenshannon(seed):
    judge, people = vectors(seed), vectors(seed + 100)
    expected = jensenshannon(judge, people, axis=1) ** 2
    assert np.allclose(PER_ITEM["jsd"](judge, people), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_divergences_are_those_of_scipy_entropy_where_nothing_is_clipped(seed):
    # scipy renormalises its arguments, which changes nothing unless the clip made them larger.
    judge, people = vectors(seed, zeros=False) + 1e-3, vectors(seed + 100)
    judge /= judge.sum(axis=1, keepdims=True)
    assert np.allclose(PER_ITEM["kl_human_judge"](judge, people), entropy(people, judge, axis=1), rtol=0, atol=1e-9)
    crossed = entropy(people, judge, axis=1) + entropy(people, axis=1)
    assert np.allclose(PER_ITEM["cross_entropy_human_judge"](judge, people), crossed, rtol=0, atol=1e-9)
    assert np.allclose(PER_ITEM["kl_judge_human"](people, judge), entropy(people, judge, axis=1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_squared_error_is_that_of_sklearn_times_the_options(seed):
    judge, people = vectors(seed), vectors(seed + 100)
    expected = sk.mean_squared_error(people, judge) * 4
    assert np.isclose(PER_ITEM["mse_soft"](judge, people).mean(), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_binary_cross_entropy_is_that_of_sklearn_times_the_options(seed):
    rng = np.random.default_rng(seed)
    judge, people = rng.uniform(0.01, 0.99, size=(30, 4)), rng.integers(0, 2, size=(30, 4)).astype(float)
    expected = sk.log_loss(people.ravel(), judge.ravel()) * 4
    assert np.isclose(PER_ITEM["bce"](judge, people).mean(), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_precision_and_recall_are_those_of_sklearn_on_sets_that_are_not_empty(seed):
    rng = np.random.default_rng(seed)
    judge, people = (np.maximum(rng.integers(0, 2, size=(30, 4)), np.eye(4)[rng.integers(0, 4, 30)]) for _ in range(2))
    for name, theirs in (("precision", sk.precision_score), ("recall", sk.recall_score)):
        expected = theirs(people.astype(int), judge.astype(int), average="samples")
        assert np.isclose(PER_ITEM[name](judge, people).mean(), expected, rtol=0, atol=1e-9)


# Conventions


def test_ties_go_to_the_lowest_option_and_rounding_does_not_break_them():
    third = 0.1 + 0.2  # 0.30000000000000004
    mode, is_tied = modes(np.array([[0.3, third, 0.4], [0.3, third, 0.0], [0.0, 0.5, 0.5]]))
    assert mode.tolist() == [2, 0, 1]
    assert is_tied.tolist() == [False, True, True]


def test_a_share_that_rounding_puts_below_the_threshold_reaches_it():
    assert reaches(np.array([0.7 - 0.4, 0.3 - 1e-9]), 0.3).tolist() == [True, False]  # 0.29999999999999993


@pytest.mark.parametrize(
    ("judge", "people", "covered", "precise", "recalled"),
    [
        ({0}, {0, 1}, 1, 1, 1 / 2),
        ({0, 2}, {0, 1}, 0, 1 / 2, 1 / 2),
        (set(), {0}, 0, 0, 0),
        ({0}, set(), 0, 0, 0),
        (set(), set(), 1, 1, 1),
    ],
)
def test_empty_sets_count_as_right_only_against_each_other(judge, people, covered, precise, recalled):
    vector = [np.array([float(o in own) for o in range(K)]) for own in (judge, people)]
    found = [float(PER_ITEM[name](*vector)) for name in ("coverage", "precision", "recall")]
    assert found == [covered, precise, recalled]


def test_zero_log_zero_is_zero_and_the_second_argument_is_clipped():
    judge, people = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    assert np.isclose(PER_ITEM["kl_judge_human"](judge, people), np.log(2))
    assert np.isclose(PER_ITEM["kl_human_judge"](judge, people), np.log(0.5) - np.log(1e-10) / 2)


def test_smoothing_replaces_the_clip():
    # People chose a and b once each, the judge only a. (1 + .5) / 2 = .75 and .25: KL = .5 ln(.5/.75) + .5 ln(.5/.25).
    ratings, judges = ratings_from([choices(0, 1)], ("a", "b")), judges_from({"j": [choices(0)]}, ("a", "b"))
    result = rank_judges(ratings, judges, smoothing=0.5, bootstrap=0)
    expected = 0.5 * np.log(0.5 / 0.75) + 0.5 * np.log(0.5 / 0.25)
    assert np.isclose(result.definition("kl_human_judge").values[0].value, expected)


def test_hard_response_sets_need_a_threshold():
    with pytest.raises(TypeError, match="threshold"):
        RatingVectors(soft=np.ones(1), marginals=np.ones(1)).aggregated("hard_response_set")
