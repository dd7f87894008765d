import csv
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus.data import Judges, Ratings, read, read_judges
from dissensus.data.labels import option_name, options_of
from dissensus.data.sources.csv_rows import guarded
from dissensus.data.writers import write_folder, write_judges, write_ratings
from dissensus.errors import FileError, RatingsError

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0|")
awkward_names = st.sampled_from(["1", "01", "1.0", 'a "b"', "x,y", "x;y", "l1\nl2", "l1\r\nl2", "é", " a "])
names = (awkward_names | st.text(letters, min_size=1, max_size=8)).filter(str.strip)
awkward_options = st.sampled_from(["No", "Yes", "-1", "0.5", "<b>bold</b>", 'so "so"', "a,b", "NA"])
options = (awkward_options | st.text(letters, min_size=1, max_size=6).map(str.strip)).filter(
    lambda label: label and option_name(label) == label and options_of(label) == (label,)
)


def sorted_unique(strategy, *, most, least=1):
    return st.lists(strategy, min_size=least, max_size=most, unique=True).map(lambda values: tuple(sorted(values)))


@st.composite
def label_lists(draw):
    """Options in any order, then some response sets of them."""
    chosen = tuple(draw(st.lists(options, min_size=2, max_size=4, unique=True)))
    pairs = [(i, j) for i in range(len(chosen)) for j in range(i + 1, len(chosen))]
    sets = sorted(draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True)))
    return chosen, (*chosen, *(f"{chosen[i]}|{chosen[j]}" for i, j in sets))


@st.composite
def ratings_tables(draw):
    items, raters, groups = (draw(sorted_unique(names, most=4)) for _ in range(3))
    chosen, labels = draw(label_lists())
    cells = [(i, r, e) for i in range(len(items)) for r in range(len(raters)) for e in (-1, 0, 1)]
    rows = draw(st.permutations(cells))
    label = [draw(st.integers(0, len(labels) - 1)) for _ in rows]
    # Each response set must occur, or nobody reading the file could know of it.
    label[: len(labels)] = [i % len(labels) for i in range(min(len(label), len(labels)))]
    if len(rows) < len(labels):
        labels, label = chosen, [code % len(chosen) for code in label]
    item, rater, elicitation = np.array(rows).T
    group = rater % len(groups)
    groups = groups[: int(group.max()) + 1]
    return Ratings(
        item=item,
        items=items,
        rater=rater,
        raters=raters,
        label=np.array(label),
        labels=labels,
        options=chosen,
        group=group,
        groups=groups,
        elicitation=elicitation,
    )


@st.composite
def judges_tables(draw):
    items, judges = (draw(sorted_unique(names, most=3)) for _ in range(2))
    chosen, labels = draw(label_lists())
    cells = [(i, j, s) for j in range(len(judges)) for i in range(len(items)) for s in range(2)]
    item, judge, sample = np.array(cells).T
    label = np.array([draw(st.integers(-1, len(labels) - 1)) for _ in cells])
    weight = np.array([[draw(st.integers(0, 9)) for _ in labels] for _ in cells], dtype=float) + 0.1
    probability = weight / weight.sum(axis=1, keepdims=True)
    probability[(label >= 0) & (item % 2 == 0)] = np.nan
    return Judges(
        item=item,
        items=items,
        judge=judge,
        judges=judges,
        sample=sample,
        label=label,
        labels=labels,
        options=chosen,
        probability=probability,
    )


def same_codes(one, other):
    return (one is None and other is None) or np.array_equal(one, other)


@quick
@given(ratings_tables())
def test_ratings_read_back_as_they_were_written(ratings):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        write_ratings(ratings, path)
        again = read(path, labels=ratings.options, scale=ratings.scale)
    for name in ("items", "raters", "labels", "options", "groups", "scale"):
        assert getattr(again, name) == getattr(ratings, name), name
    for name in ("item", "rater", "label", "group", "elicitation", "times"):
        assert same_codes(getattr(again, name), getattr(ratings, name)), name
    assert not again.warnings


@quick
@given(judges_tables())
def test_judges_read_back_as_they_were_written(judges):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judges.csv"
        write_judges(judges, path)
        again = read_judges(path, labels=judges.options)
    for name in ("items", "judges", "labels", "options"):
        assert getattr(again, name) == getattr(judges, name), name
    for name in ("item", "judge", "sample", "label"):
        assert same_codes(getattr(again, name), getattr(judges, name)), name
    # Reading divides by the sum, which is 1 only up to rounding.
    np.testing.assert_allclose(again.probability, judges.probability, rtol=1e-14)
    assert [warning for warning in again.warnings if "beside probabilities" not in warning] == []  # drawn at random


def test_counts_read_back_as_they_were_written(tmp_path):
    ratings = Ratings(
        item=np.array([0, 0, 1]),
        items=("a", "b"),
        label=np.array([0, 1, 1]),
        labels=("no", "yes"),
        times=np.array([3, 1, 20]),
    )
    write_ratings(ratings, tmp_path / "counts.csv")
    assert (tmp_path / "counts.csv").read_bytes() == b"item,label,count\na,no,3\na,yes,1\nb,yes,20\n"
    again = read(tmp_path / "counts.csv")
    assert again.n_ratings == 24
    assert same_codes(again.times, ratings.times)


@quick
@given(ratings_tables())
def test_a_written_file_is_csv_as_python_reads_it(ratings):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        write_ratings(ratings, path)
        with path.open(encoding="utf-8", newline="") as stream:
            header, *rows = csv.reader(stream)
    assert header == ["item", "rater", "label", "group", "elicitation"]
    assert [row[0] for row in rows] == [guarded(ratings.items[code]) for code in ratings.item]
    assert [row[2] for row in rows] == [guarded(ratings.labels[code]) for code in ratings.label]


def test_a_judge_without_labels_gets_no_label_column(tmp_path):
    judges = Judges(
        item=[0], items=("a",), judge=[0], judges=("j",), sample=[0], label=[-1], labels=("no", "yes"),
        options=("no", "yes"), probability=[[0.25, 0.75]],
    )  # fmt: skip
    write_judges(judges, tmp_path / "judges.csv")
    assert (tmp_path / "judges.csv").read_text() == "item,judge,sample,p_no,p_yes\na,j,0,0.25,0.75\n"


def small_ratings(**changes):
    columns = {
        "item": [0, 0],
        "items": ("a",),
        "label": [0, 1],
        "labels": ("no", "yes"),
        "rater": [0, 1],
        "raters": ("r", "s"),
    }
    return Ratings(**{**columns, **changes})


def test_a_folder_gets_the_data_and_the_texts_and_no_file_for_judges_who_said_nothing(tmp_path):
    nobody = Judges(
        item=[], items=(), judge=[], judges=(), sample=[], label=[], labels=("no", "yes"), options=("no", "yes")
    )
    written = write_folder(
        tmp_path / "a" / "b", ratings=small_ratings(), judges=nobody, texts={"README.md": "Hello.\n"}
    )
    assert [path.name for path in written] == ["ratings.csv", "README.md"]
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["README.md", "ratings.csv"]
    assert (tmp_path / "a" / "b" / "README.md").read_text() == "Hello.\n"


def test_a_label_that_reading_would_change_is_refused(tmp_path):
    # `[1]` is a response set in JSON to the reader, and comes back as the option 1.
    with pytest.raises(RatingsError, match=r"The label '\[1\]' would not be read back as it is"):
        write_ratings(small_ratings(labels=("[1]", "yes")), tmp_path / "r.csv")


def test_a_zero_byte_is_refused(tmp_path):
    with pytest.raises(RatingsError, match="has a zero byte"):
        write_ratings(small_ratings(items=("a\0b",)), tmp_path / "r.csv")


def test_a_name_that_is_no_unicode_is_refused(tmp_path):
    with pytest.raises(RatingsError, match=r"r\.csv cannot be written as UTF-8"):
        write_ratings(small_ratings(items=("a\ud800",)), tmp_path / "r.csv")


def test_raters_with_counts_are_refused(tmp_path):
    with pytest.raises(RatingsError, match="a table of counts has no rater column"):
        write_ratings(small_ratings(times=[1, 2]), tmp_path / "r.csv")


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        write_folder(tmp_path / "taken", ratings=small_ratings(), texts={})


def test_a_file_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="Cannot write"):
        write_ratings(small_ratings(), tmp_path)
