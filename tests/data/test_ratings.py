import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import Ratings
from dissensus.errors import OptionError, RatingsError

quick = settings(max_examples=50, deadline=None)

GROUPS = ("crowd", "expert", "staff")
LABELS = ("no", "yes", "no|yes")
rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), st.integers(-1, 1)),
    min_size=1,
    max_size=40,
)


def ratings_of(given_rows):
    columns = [np.array(column) for column in zip(*given_rows, strict=True)]
    present = [sorted(set(column.tolist())) for column in columns]
    item, rater, group = (np.searchsorted(present[i], columns[i]) for i in (0, 1, 3))
    return Ratings(
        item=item,
        items=tuple(f"i{i}" for i in present[0]),
        rater=rater,
        raters=tuple(f"r{i}" for i in present[1]),
        label=columns[2],
        labels=LABELS,
        group=group,
        groups=tuple(GROUPS[i] for i in present[3]),
        elicitation=columns[4],
    )


def named_rows(ratings):
    """Each rating in words, sorted."""
    return sorted(
        (ratings.items[i], ratings.raters[r], ratings.labels[c], ratings.groups[g], e)
        for i, r, c, g, e in zip(
            ratings.item.tolist(),
            ratings.rater.tolist(),
            ratings.label.tolist(),
            ratings.group.tolist(),
            ratings.elicitation.tolist(),
            strict=True,
        )
    )


@quick
@given(rows, st.data())
def test_a_mask_and_its_opposite_part_the_ratings(given_rows, data):
    ratings = ratings_of(given_rows)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(given_rows), max_size=len(given_rows))))
    assert sorted(named_rows(ratings.where(mask)) + named_rows(ratings.where(~mask))) == named_rows(ratings)


@quick
@given(rows)
def test_groups_part_the_ratings(given_rows):
    ratings = ratings_of(given_rows)
    parts = [ratings.of_group(group) for group in ratings.groups]
    assert sorted(row for part in parts for row in named_rows(part)) == named_rows(ratings)
    assert all(part.groups == (group,) for part, group in zip(parts, ratings.groups, strict=True))


@quick
@given(rows)
def test_what_is_left_names_only_what_it_uses(given_rows):
    ratings = ratings_of(given_rows)
    part = ratings.where(ratings.item == 0)
    assert part.items == ("i" + ratings.items[0][1:],)
    assert set(part.rater.tolist()) == set(range(len(part.raters)))
    assert set(part.group.tolist()) == set(range(len(part.groups)))
    assert part.options == ("no", "yes")
    assert ("no|yes" in part.labels) == ("no|yes" in {row[2] for row in named_rows(part)})


@quick
@given(rows)
def test_the_whole_is_its_own_part(given_rows):
    ratings = ratings_of(given_rows)
    assert named_rows(ratings.where(np.ones(len(given_rows), dtype=bool))) == named_rows(ratings)


@quick
@given(rows)
def test_elicitations_part_what_has_one(given_rows):
    ratings = ratings_of(given_rows)
    forced, sets = ratings.of_elicitation("forced_choice"), ratings.of_elicitation("response_set")
    assert sorted(named_rows(forced) + named_rows(sets)) == [row for row in named_rows(ratings) if row[-1] >= 0]


@quick
@given(rows, st.integers(1, 6))
def test_items_with_enough_ratings_are_kept_whole(given_rows, needed):
    ratings = ratings_of(given_rows)
    count = {name: sum(row[0] == name for row in named_rows(ratings)) for name in ratings.items}
    kept = ratings.with_at_least(needed)
    assert set(kept.items) == {name for name, n in count.items() if n >= needed}
    assert named_rows(kept) == [row for row in named_rows(ratings) if count[row[0]] >= needed]


def test_counts_given_as_times_count_towards_enough():
    ratings = Ratings(item=[0, 1], items=("a", "b"), label=[0, 0], labels=("x",), times=[3, 1])
    assert ratings.with_at_least(2).items == ("a",)
    assert ratings.n_ratings == 4


def test_arrays_are_read_only_copies():
    item = np.array([0, 0])
    ratings = Ratings(item=item, items=("a",), label=np.array([0, 1]), labels=("x", "y"))
    item[0] = 7
    assert ratings.item.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        ratings.item[0] = 1


def test_the_histogram_is_computed_once():
    ratings = Ratings(item=[0, 0], items=("a",), label=[0, 1], labels=("x", "y"))
    assert ratings.types is ratings.types


def test_ratings_survive_the_way_to_a_worker_process():
    ratings = ratings_of([(0, 0, 0, 0, -1), (0, 1, 2, 1, 1)])
    again = pickle.loads(pickle.dumps(ratings))  # noqa: S301 - our own bytes
    assert named_rows(again) == named_rows(ratings)


def test_numbers_are_values_and_words_are_not():
    ratings = Ratings(item=[0], items=("a",), label=[0], labels=("1", "2.5", "x"))
    np.testing.assert_array_equal(ratings.values, [1, 2.5, np.nan])


def test_the_shape_is_described_for_the_json():
    ratings = Ratings(item=[0, 1], items=("a", "b"), label=[0, 0], labels=("x", "y"), times=[3, 1])
    assert ratings.describe_data() == {
        "items": 2, "raters": None, "ratings": 4, "labels": ["x", "y"], "scale": "nominal", "groups": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": [0]}, "2 items but 1 entry in label: each row needs one of each."),
        ({"label": [0, 2]}, "The codes of label run from 0 to 2: they must be 0 or more and less than 2."),
        ({"label": [-1, 0]}, "The codes of label run from -1 to 0: they must be 0 or more and less than 2."),
        ({"item": [0, 1]}, "The codes of item run from 0 to 1: they must be 0 or more and less than 1."),
        ({"rater": [0, 0]}, "The codes of rater run from 0 to 0: they must be 0 or more and less than 0."),
        ({"times": [0, 1]}, "The codes of times run from 0 to 1: they must be 1 or more."),
        ({"items": ("a", "b", "c")}, "2 items without a rating: b, c. Drop them."),
        (
            {"labels": ("x", "x")},
            "The labels must start with the options, in the same order, and name each label once.",
        ),
        (
            {"options": ("y", "x")},
            "The labels must start with the options, in the same order, and name each label once.",
        ),
        ({"labels": ("x", "x|z")}, "The label 'x|z' is neither an option nor a set of options: add it to them."),
    ],
)
def test_what_cannot_be_ratings_is_refused(changes, message):
    fields = {"item": [0, 0], "items": ("a",), "label": [0, 1], "labels": ("x", "y"), **changes}
    with pytest.raises(RatingsError) as caught:
        Ratings(**fields)
    assert str(caught.value) == message


def test_unknown_groups_and_elicitations_are_refused_with_the_known_ones():
    ratings = ratings_of([(0, 0, 0, 0, -1), (0, 1, 2, 1, 1)])
    bare = Ratings(item=[0], items=("a",), label=[0], labels=("x",))
    for call, message in [
        (lambda: ratings.of_group("none"), "There is no group 'none': the groups are crowd, expert."),
        (lambda: bare.of_group("g"), "There is no group 'g': the ratings have no group column."),
        (lambda: ratings.of_elicitation("free"),
         "elicitation cannot be 'free': choose one of forced_choice, response_set."),
        (lambda: bare.of_elicitation("forced_choice"),
         "The ratings do not say how they were elicited: they have no elicitation column."),
    ]:  # fmt: skip
        with pytest.raises(OptionError) as caught:
            call()
        assert str(caught.value) == message
