from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import Ratings, types_of_matrix
from dissensus.data.counts import count_cells, count_types, sum_cells
from dissensus.errors import RatingsError

quick = settings(max_examples=50, deadline=None)

N_LABELS = 4
labelled = st.lists(st.tuples(st.integers(0, 5), st.integers(0, N_LABELS - 1)), min_size=1, max_size=60)


def ratings_of(pairs, times=None, n_labels=N_LABELS):
    """Ratings of these items and labels; items nobody rated do not exist."""
    items = sorted({item for item, _ in pairs})
    return Ratings(
        item=np.array([items.index(item) for item, _ in pairs]),
        items=tuple(f"i{item}" for item in items),
        label=np.array([label for _, label in pairs]),
        labels=tuple(f"l{label}" for label in range(n_labels)),
        times=None if times is None else np.array(times),
    )


def counters(pairs):
    """How often each item got each label, in plain Python."""
    by_item = {item: Counter() for item, _ in pairs}
    for item, label in pairs:
        by_item[item][label] += 1
    return by_item


def histogram(types):
    """The types as a Counter of count vectors; no vector may come twice."""
    vectors = [tuple(row) for row in types.dense().tolist()]
    assert len(set(vectors)) == len(vectors)
    return Counter(dict(zip(vectors, types.items.tolist(), strict=True)))


@quick
@given(labelled)
def test_the_histogram_is_what_plain_python_counts(pairs):
    expected = Counter(tuple(counter[label] for label in range(N_LABELS)) for counter in counters(pairs).values())
    assert histogram(ratings_of(pairs).types) == expected


@quick
@given(labelled)
def test_the_counts_of_each_item_are_what_plain_python_counts(pairs):
    by_item = counters(pairs)
    expected = [[by_item[item][label] for label in range(N_LABELS)] for item in sorted(by_item)]
    assert ratings_of(pairs).counts().tolist() == expected


@quick
@given(labelled, st.randoms())
def test_rows_in_any_order_give_the_same_types(pairs, random):
    one, other = ratings_of(pairs).types, ratings_of(random.sample(pairs, len(pairs))).types
    for name in ("start", "label", "count", "items"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@quick
@given(labelled, st.permutations(range(6)))
def test_items_in_any_order_give_the_same_types(pairs, order):
    one, other = ratings_of(pairs).types, ratings_of([(order[item], label) for item, label in pairs]).types
    for name in ("start", "label", "count", "items"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@quick
@given(labelled, st.permutations(range(N_LABELS)))
def test_renaming_labels_only_renames_the_histogram(pairs, new):
    one = histogram(ratings_of(pairs).types)
    other = histogram(ratings_of([(item, new[label]) for item, label in pairs]).types)
    # What was label l is now label new[l].
    assert other == Counter({tuple(v[new.index(k)] for k in range(N_LABELS)): n for v, n in one.items()})


@quick
@given(labelled)
def test_types_keep_the_number_of_items_and_ratings(pairs):
    types = ratings_of(pairs).types
    assert types.items.sum() == len({item for item, _ in pairs})
    assert (types.items * types.ratings).sum() == len(pairs)
    assert types.n_types == len(types.start) - 1
    assert (types.count > 0).all()


@quick
@given(labelled)
def test_the_cells_of_a_type_ascend(pairs):
    types = ratings_of(pairs).types
    for start, end in zip(types.start, types.start[1:], strict=False):
        assert (np.diff(types.label[start:end]) > 0).all()


@quick
@given(labelled)
def test_the_type_of_an_item_has_its_counts(pairs):
    ratings = ratings_of(pairs)
    np.testing.assert_array_equal(ratings.types.dense()[ratings.type_of_item], ratings.counts())


@quick
@given(labelled)
def test_ratings_given_as_counts_have_the_same_types(pairs):
    cells = sorted(Counter(pairs).items())
    counted = ratings_of([pair for pair, _ in cells], times=[n for _, n in cells])
    assert histogram(counted.types) == histogram(ratings_of(pairs).types)
    assert counted.n_ratings == len(pairs)


@quick
@given(labelled)
def test_a_matrix_of_counts_has_the_same_types(pairs):
    ratings = ratings_of(pairs)
    assert histogram(types_of_matrix(ratings.counts())) == histogram(ratings.types)


@quick
@given(labelled)
def test_sparse_and_dense_counting_agree(pairs):
    item, label = (np.array(column) for column in zip(*pairs, strict=True))
    dense = count_cells(item, label, None, n_items=6, n_labels=N_LABELS)
    sparse = count_cells(item * 1000, label * 1000, None, n_items=6000, n_labels=N_LABELS * 1000)
    np.testing.assert_array_equal(dense[0] * 1000, sparse[0])
    np.testing.assert_array_equal(dense[1] * 1000, sparse[1])
    np.testing.assert_array_equal(dense[2], sparse[2])


@quick
@given(labelled)
def test_sums_over_cells_are_sums_over_types(pairs):
    types = ratings_of(pairs).types
    value = np.arange(len(types.label), dtype=np.float64)
    expected = [value[start:end].sum() for start, end in zip(types.start, types.start[1:], strict=False)]
    assert sum_cells(types, value).tolist() == expected


def test_a_worked_histogram():
    # a a b | b a a | c: the first two items are the same item, twice {a: 2, b: 1}
    types = ratings_of([(0, 0), (0, 0), (0, 1), (1, 1), (1, 0), (1, 0), (2, 2)]).types
    assert types.dense().tolist() == [[0, 0, 1, 0], [2, 1, 0, 0]]
    assert types.items.tolist() == [1, 2]
    assert types.ratings.tolist() == [1, 3]


def test_an_item_with_ten_thousand_labels_is_one_type():
    n = 10_000
    ratings = ratings_of([(0, label) for label in range(n)] + [(1, 0)], n_labels=n)
    assert ratings.types.n_types == 2
    assert ratings.types.ratings.tolist() == [1, n]


def test_types_of_no_items_are_none():
    types, type_of_item = count_types(*(np.zeros(0, dtype=np.intp),) * 3, n_items=0, n_labels=2)
    assert (types.n_types, types.ratings.tolist(), types.dense().shape, type_of_item.tolist()) == (0, [], (0, 2), [])


def test_rows_without_ratings_have_no_type():
    assert types_of_matrix([[0, 0], [1, 2]]).items.tolist() == [1]


@pytest.mark.parametrize("counts", [[1, 2], [[1, -1]]])
def test_counts_that_are_no_matrix_of_numbers_are_refused(counts):
    with pytest.raises(RatingsError, match="Counts must be a matrix of numbers, 0 or more"):
        types_of_matrix(counts)
