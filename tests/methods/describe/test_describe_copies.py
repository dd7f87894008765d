"""Agreement on items that were put together with copies is that on the items themselves."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import ks_2samp

from dissensus.data import Ratings, types_of_matrix
from dissensus.methods.describe import describe
from dissensus.methods.describe.describe import measures_for
from dissensus.sampling.draws import draw_types

from profiles import profiles_of
from survey_builders import ratings_of

LABELS = {"nominal": ("a", "b", "c"), "ordinal": ("1", "2", "3"), "interval": ("1", "2.5", "7")}


def data(scale="ordinal", n=150, seed=0, *, groups=False, sets=False):
    """Three labels with 1 to 5 raters per item."""
    rng = default_rng(seed)
    items = [list(rng.choice(3, size=rng.integers(1, 6), p=p)) for p in rng.dirichlet([0.6, 0.5, 0.4], n)]
    ratings = ratings_of(items, labels=LABELS[scale], scale=scale)
    if sets:
        labels, options = (*LABELS["nominal"], "a|b"), LABELS["nominal"]
        given = np.where(rng.random(len(ratings.label)) < 0.2, 3, ratings.label)
        kind = (given == 3).astype(np.intp)
        ratings = replace(ratings, label=given, labels=labels, options=options, scale="nominal", elicitation=kind)
    if groups:
        ratings = replace(ratings, group=rng.integers(2, size=len(ratings.item)), groups=("x", "y"))
    return ratings


def assert_same(ours, theirs):
    assert ours.warnings == theirs.warnings
    for mine, other in zip((ours.whole, *ours.groups), (theirs.whole, *theirs.groups), strict=True):
        names = [name for name in type(mine).__dataclass_fields__ if name not in {"coefficients", "pairwise_agreement"}]
        # Profiles do not tell who rated: a group of them cannot count its raters.
        names = [name for name in names if name != "raters" or mine.raters is not None]
        assert [getattr(mine, name) for name in names] == [getattr(other, name) for name in names]
        values = [c.value for c in (mine.pairwise_agreement, *mine.coefficients)]
        expected = [c.value for c in (other.pairwise_agreement, *other.coefficients)]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_agreement_of_profiles_is_that_of_their_items(scale):
    ratings = data(scale)
    together = profiles_of(ratings)[0]
    assert together.n_items < ratings.n_items == together.items_in_all
    assert_same(describe(together, bootstrap=0), describe(ratings, bootstrap=0))


@pytest.mark.parametrize("options", [{"by_group": True}, {"group": "x"}, {}], ids=str)
def test_agreement_of_groups_of_profiles_is_that_of_their_items(options):
    ratings = data(groups=True)
    assert_same(describe(profiles_of(ratings)[0], bootstrap=0, **options), describe(ratings, bootstrap=0, **options))


@pytest.mark.parametrize("elicitation", [None, "response_set"])
def test_agreement_of_response_sets_of_profiles_is_that_of_their_items(elicitation):
    ratings = data(sets=True, scale="nominal")
    ours, theirs = (describe(r, bootstrap=0, elicitation=elicitation) for r in (profiles_of(ratings)[0], ratings))
    assert_same(ours, theirs)


@pytest.mark.parametrize("n_items", [149, 150])
def test_median_of_ratings_per_item_counts_copies(n_items):
    ratings = data(n=n_items, seed=n_items)
    per_item = ratings.counts().sum(axis=1)
    assert describe(profiles_of(ratings)[0], bootstrap=0).whole.median == np.median(per_item)


def test_median_between_two_profiles_is_their_mean():
    ratings = Ratings(
        item=np.array([0, 1]), label=np.array([0, 1]), times=np.array([2, 5]), items=("a", "b"), labels=("x", "y"),
        copies=np.array([7, 7]),
    )  # fmt: skip
    assert describe(ratings, bootstrap=0).whole.median == 3.5


@pytest.mark.parametrize("n_items", [60, 1500])
def test_bootstrap_of_profiles_is_distributed_as_that_of_items(n_items):
    # Of 60 items each draw falls on an item, of 1,500 on a type.
    ratings = data(n=n_items)
    together = profiles_of(ratings)[0]
    measures = measures_for(ratings)
    rng = default_rng(1)
    of_item = np.stack(
        [np.bincount(ratings.type_of_item[rng.integers(n_items, size=n_items)], minlength=ratings.types.n_types)
         for _ in range(1500)]
    )  # fmt: skip
    of_profile = draw_types(together.types.items, 1500, default_rng(2))
    for measure in measures.values():
        apart, ours = measure(ratings.types, weights=of_item), measure(together.types, weights=of_profile)
        assert ks_2samp(apart, ours).pvalue > 1e-4


def test_one_item_with_copies_can_be_resampled():
    one = Ratings(
        item=np.array([0, 0]), label=np.array([0, 1]), times=np.array([2, 1]), items=("a",), labels=("x", "y"),
        copies=np.array([50]),
    )  # fmt: skip
    assert not any("only one item" in warning for warning in describe(one, bootstrap=20).warnings)
    assert any("only one item" in warning for warning in describe(replace(one, copies=None), bootstrap=20).warnings)


def test_a_trillion_items_take_no_more_memory_than_their_profiles():
    ratings = profiles_of(data())[0]
    many = replace(ratings, copies=ratings.copies * 10**12)
    whole = describe(many, bootstrap=50).whole
    assert whole.items == 150 * 10**12
    for coefficient in (whole.pairwise_agreement, *whole.coefficients):
        assert coefficient.high - coefficient.low < 1e-4


def test_draws_of_items_do_not_depend_on_how_many_samples_are_drawn_at_once():
    # A sample at a time, or all of them in one table as numpy fills it row by row: the same stream.
    types = types_of_matrix(default_rng(0).integers(4, size=(40, 3)) + np.array([1, 0, 0]))
    n = int(types.items.sum())
    drawn = draw_types(types.items, 30, default_rng(1))
    table = np.repeat(np.arange(types.n_types), types.items)[default_rng(1).integers(n, size=(30, n))]
    np.testing.assert_array_equal(drawn, [np.bincount(row, minlength=types.n_types) for row in table])
