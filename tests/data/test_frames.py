import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import read, read_judges
from dissensus.errors import RatingsError

quick = settings(max_examples=50, deadline=None)

COLUMNS = {"item": ["1", "1", "2"], "rater": ["a", "b", "a"], "label": ["x", "y", "x"]}
TRIPLES = [("1", "a", "x"), ("1", "b", "y"), ("2", "a", "x")]
KINDS = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


def triples(ratings):
    columns = (ratings.item, ratings.items), (ratings.rater, ratings.raters), (ratings.label, ratings.labels)
    return sorted(zip(*([names[code] for code in codes] for codes, names in columns), strict=True))


def labels_of(ratings):
    return [ratings.labels[code] for code in ratings.label]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_reads_the_same(kind):
    ratings = read(kind(COLUMNS))
    assert triples(ratings) == TRIPLES
    assert ratings.warnings == ()
    assert (ratings.provenance.sha256, ratings.provenance.rows) == (None, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_frame_is_refused_by_its_kind(kind):
    name = {pd.DataFrame: "pandas", pa.table: "pyarrow"}.get(kind, "polars")
    with pytest.raises(RatingsError) as caught:
        read(kind({"item": [], "label": []}))
    expected = f"the {name} frame has columns but no rows below them: there is nothing to read. Export it again."
    assert str(caught.value) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_frame_count_from_one(kind):
    with pytest.raises(RatingsError, match=r"frame, row 2: a label but no rater\. Fill it in or delete the row\."):
        read(kind({**COLUMNS, "rater": ["a", None, "b"]}))


@pytest.mark.parametrize("kind", KINDS)
def test_judges_come_from_frames_too(kind):
    judges = read_judges(
        kind({"item": [1, 1, 2], "judge": ["g"] * 3, "p_no": [0.25, 1.0, 0.5], "p_yes": [0.75, 0.0, 0.5]})
    )
    assert judges.items == ("1", "2")
    assert judges.distributions()[2].tolist() == [[0.625, 0.375], [0.5, 0.5]]


@pytest.mark.parametrize("kind", KINDS)
def test_wide_frames_and_counts_are_recognised(kind):
    wide = read(kind({"item": [1, 2], "r1": [0, 1], "r2": [1, None]}))
    assert (wide.provenance.format, wide.counts().tolist()) == ("wide", [[1, 1], [0, 1]])
    counts = read(kind({"item": [1, 1], "label": ["x", "y"], "count": [3, 2]}))
    assert (counts.provenance.format, counts.counts().tolist()) == ("counts", [[3, 2]])


@pytest.mark.parametrize("kind", KINDS)
def test_whole_and_fractional_numbers_are_one_label(kind):
    ratings = read(kind({"item": list("abc"), "label": [1.0, 2.0, 2.5]}))
    assert ratings.labels == ("1", "2", "2.5")


PANDAS_LABELS = {
    "float with NaN": pd.Series([1.0, np.nan, 2.0]),
    "float 32": pd.Series([1, np.nan, 2], dtype="float32"),
    "nullable integer": pd.Series([1, None, 2], dtype="Int64"),
    "nullable float": pd.Series([1, None, 2], dtype="Float64"),
    "nullable string": pd.Series(["1", None, "2"], dtype="string"),
    "arrow string": pd.Series(["1", None, "2"], dtype="string[pyarrow]"),
    "arrow integer": pd.Series([1, None, 2], dtype="int64[pyarrow]"),
    "categories": pd.Series(pd.Categorical(["1", None, "2"], categories=["2", "1", "unused"])),
    "objects": pd.Series([1, None, "2.0"], dtype=object),
    "blank": pd.Series(["1", " ", "2"], dtype=object),
    "NumPy objects": pd.Series([np.int64(1), np.float64("nan"), np.float32(2)], dtype=object),
}


@pytest.mark.parametrize("column", PANDAS_LABELS)
def test_missing_values_of_pandas_are_missing(column):
    ratings = read(pd.DataFrame({"item": list("abc"), "label": PANDAS_LABELS[column]}))
    assert (ratings.items, labels_of(ratings)) == (("a", "c"), ["1", "2"])
    assert ratings.warnings[0] == "Left out 1 rating without a label."


POLARS_LABELS = {
    "integer": pl.Series([1, None, 2]),
    "float with NaN": pl.Series([1.0, float("nan"), 2.0]),
    "categories": pl.Series(["1", None, "2"], dtype=pl.Categorical),
    "enumeration": pl.Series(["1", None, "2"], dtype=pl.Enum(["2", "1", "unused"])),
    "decimal": pl.Series(["1.0", None, "2.0"]).cast(pl.Decimal(10, 1)),
    "list": pl.Series([["1"], [], ["2"]]),
}


@pytest.mark.parametrize("column", POLARS_LABELS)
def test_missing_values_of_polars_are_missing(column):
    ratings = read(pl.DataFrame({"item": list("abc"), "label": POLARS_LABELS[column]}))
    assert (ratings.items, labels_of(ratings)) == (("a", "c"), ["1", "2"])


def test_float32_labels_have_their_short_names():
    # As a double, the nearest float32 to 0.1 is 0.10000000149011612.
    frame = pd.DataFrame({"item": ["a", "b"], "label": np.array([0.1, 0.2], dtype=np.float32)})
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert read(table).labels == ("0.1", "0.2")


def test_lists_of_every_kind_are_response_sets():
    sets = [["B", "A"], ("A", "B"), {"A", "B"}, np.array(["B", "A", "A"]), "A|B"]
    assert labels_of(read(pd.DataFrame({"item": range(5), "label": sets}))) == ["A|B"] * 5
    nested = pa.table({"item": [1, 2], "label": [["B", "A"], ["A"]]})
    assert labels_of(read(nested)) == ["A|B", "A"]


def test_booleans_are_named_as_in_json():
    for kind in KINDS:
        assert read(kind({"item": [1, 2], "label": [True, False]})).labels == ("false", "true")
    assert read(pd.DataFrame({"item": [1, 2], "label": [np.True_, None]})).labels == ("true",)


def test_days_and_times_can_be_items():
    day = [dt.date(2024, 5, 1), dt.date(2024, 5, 2)]
    assert read(pl.DataFrame({"item": day, "label": ["x", "y"]})).items == ("2024-05-01", "2024-05-02")
    frame = pd.DataFrame({"item": pd.to_datetime(["2024-05-01", None]), "label": ["x", None]})
    assert read(frame).items == ("2024-05-01 00:00:00",)


def test_a_pandas_index_is_a_column_only_where_no_column_has_the_items():
    frame = pd.DataFrame(COLUMNS).set_index(pd.Index([7, 8, 9], name="row"))
    assert triples(read(frame)) == TRIPLES
    assert triples(read(pd.DataFrame(COLUMNS).set_index("item"))) == TRIPLES


def test_column_names_need_not_be_text():
    ratings = read(pd.DataFrame({0: ["a", "a"], 1: ["x", "y"]}), item="0", label="1")
    assert ratings.counts().tolist() == [[1, 1]]


def test_a_frame_with_a_column_twice_is_refused():
    frame = pd.DataFrame([["a", "x", "y"]], columns=["item", "label", "label"])
    with pytest.raises(RatingsError, match="two columns called 'label': rename one of them"):
        read(frame)


@pytest.mark.parametrize("thing", [3, None, object(), [1, 2], {"a": "x"}, [], {}])
def test_what_is_no_table_is_refused_with_what_we_take(thing):
    with pytest.raises(RatingsError, match=r"give a path, a frame \(pandas, polars, pyarrow\), a NumPy array"):
        read(thing)


@quick
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["x", "y", "x|y", None])), min_size=1, max_size=20))
def test_frames_of_every_kind_read_like_the_csv_file_of_pandas(tmp_path_factory, pairs):
    frame = pd.DataFrame({"item": [f"i{i}" for i, _ in pairs], "label": [label for _, label in pairs]})
    if frame.label.isna().all():
        return
    path = tmp_path_factory.mktemp("frames") / "r.csv"
    frame.to_csv(path, index=False)
    expected = read(path)
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        ratings = read(table)
        assert (ratings.items, ratings.labels, ratings.warnings) == (expected.items, expected.labels, expected.warnings)
        np.testing.assert_array_equal(ratings.counts(), expected.counts())


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("xyz")), min_size=1, max_size=16,
                unique_by=lambda t: t[:2]))  # fmt: skip
def test_tidy_wide_and_counts_of_the_same_ratings_have_the_same_types(rows):
    tidy = pd.DataFrame(rows, columns=["item", "rater", "label"])
    wide = (
        tidy.pivot_table(index="item", columns="rater", values="label", aggfunc="first").add_prefix("r").reset_index()
    )
    counts = tidy.groupby(["item", "label"]).size().reset_index(name="count")
    expected = read(tidy).types
    for frame, options in ((wide, {"wide": True}), (counts, {})):
        types = read(frame, **options).types
        for name in ("start", "label", "count", "items"):
            np.testing.assert_array_equal(getattr(types, name), getattr(expected, name))
