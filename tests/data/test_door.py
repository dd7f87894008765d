"""Whatever people hold in Python is read, by `read` and by every function."""

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dissensus
from dissensus.cli.main import main
from dissensus.data import as_data, read, read_both, read_judges

from tables import jsonl, message_of, triples, typed_message_of, write

LONG = {"item": ["c1", "c1", "c2", "c2"], "rater": ["ann", "bob", "ann", "bob"], "label": ["y", "n", "y", "y"]}
WIDE = {"ann": ["y", "y"], "bob": ["n", "y"]}
TRIPLES = [("c1", "ann", "y"), ("c1", "bob", "n"), ("c2", "ann", "y"), ("c2", "bob", "y")]
LEVELS = ["lo", "mid", "hi"]
PAIRS = pd.MultiIndex.from_arrays([LONG["item"], LONG["rater"]], names=["item", "rater"])
PIVOTED = pd.DataFrame(LONG).pivot(index="item", columns="rater")  # noqa: PD010 - as people type it


class WithArrow:
    """Knows the Arrow stream protocol and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(LONG).__arrow_c_stream__(requested_schema)


class WithPandas:
    """Knows how to become a pandas frame, and its classes by name, as a Hugging Face data set does."""

    features = {"item": None, "label": type("ClassLabel", (), {"names": ["n", "y"]})()}  # noqa: RUF012

    def to_pandas(self):
        return pd.DataFrame({**LONG, "label": [1, 0, 1, 1]})


class WithInterchange:
    """Knows the DataFrame interchange protocol and nothing else."""

    def __dataframe__(self, **options):
        return pd.DataFrame(LONG).__dataframe__(**options)


NAMED = {
    "pandas, long": pd.DataFrame(LONG),
    "pandas, wide, items in the index": pd.DataFrame(WIDE, index=["c1", "c2"]),
    "pandas, wide, items in a named index": pd.DataFrame(WIDE, index=pd.Index(["c1", "c2"], name="comment")),
    "pandas, two levels of rows": pd.DataFrame({"label": LONG["label"]}, index=PAIRS),
    "pandas, nameless levels of rows": pd.DataFrame({"label": LONG["label"]}, index=PAIRS.set_names([None, None])),
    "pandas, a series": pd.Series(LONG["label"], index=PAIRS),
    "pandas, two levels of columns": PIVOTED,
    "pandas, pivoted": PIVOTED["label"],
    "polars": pl.DataFrame(LONG),
    "polars, lazy": pl.LazyFrame(LONG),
    "pyarrow": pa.table(LONG),
    "pyarrow, a stream": pa.table(LONG).to_reader(),
    "dict of columns": LONG,
    "dict of series": {rater: pd.Series(labels, index=["c1", "c2"]) for rater, labels in WIDE.items()},
    "dict of dicts": {rater: dict(zip(["c1", "c2"], labels, strict=True)) for rater, labels in WIDE.items()},
    "records": [dict(zip(LONG, row, strict=True)) for row in zip(*LONG.values(), strict=True)],
    "tuples": list(zip(*LONG.values(), strict=True)),
    "Arrow protocol": WithArrow(),
    "to_pandas": WithPandas(),
    "interchange protocol": WithInterchange(),
}


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.filterwarnings("ignore:.*DataFrame Interchange Protocol.*")
def test_every_kind_of_table_reads_the_same(kind):
    ratings = read(NAMED[kind])
    assert triples(ratings) == TRIPLES
    assert ratings.warnings == ()


def test_a_relation_of_duckdb_reads_the_same_and_keeps_the_order_of_an_enum():
    with duckdb.connect() as connection:
        assert triples(read(connection.from_arrow(pa.table(LONG)))) == TRIPLES
        relation = connection.sql("SELECT 1 AS item, unnest(['lo', 'hi'])::ENUM('lo', 'mid', 'hi') AS label")
        assert read(relation).labels == ("lo", "mid", "hi")


BY_PLACE = {
    "dict of rater to labels": {"ann": ["y", "n"], "bob": ["n", None]},
    "pandas without an index": pd.DataFrame({"ann": ["y", "n"], "bob": ["n", None]}),
    "polars without items": pl.DataFrame({"ann": ["y", "n"], "bob": ["n", None]}),
    "NumPy with None": np.array([["y", "n"], ["n", None]], dtype=object),
    "NumPy, masked": np.ma.array([["y", "n"], ["n", "?"]], mask=[[False, False], [False, True]]),
    "list of lists": [["y", "n"], ["n", None]],
}


@pytest.mark.parametrize("kind", BY_PLACE)
def test_items_without_names_are_numbered_from_zero(kind):
    ratings = read(BY_PLACE[kind])
    assert [(item, label) for item, _, label in triples(ratings)] == [("0", "y"), ("0", "n"), ("1", "n")]
    assert ratings.n_raters == 2


def test_an_item_of_an_array_that_nobody_rated_is_counted():
    ratings = read(np.array([[1, 2], [np.nan, np.nan], [2, np.nan]]))
    assert (ratings.items, ratings.labels, ratings.n_ratings) == (("0", "2"), ("1", "2"), 3)
    assert ratings.warnings == ("Left out 1 item without any label.",)


def test_measures_in_an_array_need_not_be_shared():
    ratings = read(np.array([[0.25, 0.5], [0.75, 0.125]]))
    assert (ratings.n_items, ratings.n_raters, ratings.scale) == (2, 2, "interval")


ORDERED = {
    "pandas": pd.DataFrame(LONG | {"label": pd.Categorical(["hi", "lo", "lo", "lo"], LEVELS, ordered=True)}),
    "pandas, wide": pd.DataFrame({r: pd.Categorical(["hi", "lo"], LEVELS, ordered=True) for r in "ab"}),
    "polars": pl.DataFrame(LONG | {"label": pl.Series(["hi", "lo", "lo", "lo"], dtype=pl.Enum(LEVELS))}),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_the_order_of_an_ordered_type_is_kept(kind):
    ratings = read(ORDERED[kind])
    assert (ratings.labels, ratings.scale) == (("lo", "mid", "hi"), "ordinal")


def test_an_order_that_the_user_gives_comes_first_and_renamed_labels_keep_theirs():
    frame = ORDERED["pandas"]
    assert read(frame, labels=["hi", "mid", "lo"]).labels == ("hi", "mid", "lo")
    assert read(frame, label_map={"hi": "top"}).labels == ("lo", "mid", "top")


def test_categories_without_an_order_have_none():
    frame = pd.DataFrame(LONG | {"label": pd.Categorical(["hi", "lo", "lo", "lo"], LEVELS)})
    assert (read(frame).labels, read(frame).scale) == (("hi", "lo"), "nominal")


def test_lists_in_a_frame_read_as_lists_in_a_file(tmp_path):
    columns = {"item": ["1", "2"], "labels": [["y", "n", "y"], ["n", "n", "n"]]}
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    from_file = read(write(tmp_path, jsonl(*records), "r.jsonl"))
    for kind in (pd.DataFrame, pl.DataFrame, pa.table):
        assert read(kind(columns)).counts().tolist() == from_file.counts().tolist() == [[1, 2], [3, 0]]


def test_a_hugging_face_data_set_is_read_with_the_names_of_its_classes():
    hf = pytest.importorskip("datasets")
    features = {"item": hf.Value("string"), "rater": hf.Value("string"), "label": hf.ClassLabel(names=["n", "y"])}
    data = hf.Dataset.from_dict({**LONG, "label": [1, 0, 1, 1]}, features=hf.Features(features))
    assert triples(read(data)) == TRIPLES
    assert "several tables (train, test): give one of them" in message_of(
        lambda: read(hf.DatasetDict({"train": data, "test": data}))
    )


class Log:
    """What Inspect's `read_eval_log` returns, as far as we look at it."""

    eval, samples = "", ()

    def model_dump_json(self):
        scores = {"grader": {"value": "C"}, "other": {"value": "I"}}
        return json.dumps(
            {"version": 2, "eval": {"model": "m"}, "samples": [{"id": "c1", "epoch": 1, "scores": scores}]}
        )


def test_a_log_of_inspect_is_read_as_judges():
    judges = read_judges(Log())
    assert [(r["item"], r["judge"], r["label"]) for r in judges.rows()] == [("c1", "grader", "C"), ("c1", "other", "I")]
    assert "holds judges' answers and no people's ratings" in message_of(lambda: read(Log()))


# ---- Judges


def test_judges_come_as_a_dict_in_the_order_of_the_items():
    frame = pd.DataFrame(WIDE, index=["z", "a"])
    _, judges = as_data(frame, {"gpt": ["y", "n"]})
    assert [r["item"] + r["label"] for r in judges.rows()] == ["zy", "an"]
    _, of_array = as_data(np.array([["y", "n"], ["y", "y"]]), {"gpt": np.array(["y", "n"])})
    assert [r["item"] + r["label"] for r in of_array.rows()] == ["0y", "1n"]


def test_a_dict_of_probabilities_follows_the_order_of_the_labels():
    _, judges = as_data(np.array([[1, 2], [2, 2]]), {"clf": np.array([[0.75, 0.25], [0.5, 0.5]])})
    assert judges.labels == ("1", "2")
    assert judges.distributions()[2].tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_a_single_column_of_answers_is_one_judge():
    _, judges = as_data(np.array([["y", "n"], ["y", "y"]]), ["y", "n"])
    assert (judges.judges, judges.n_answers) == (("judge",), 2)


def test_answers_that_cannot_be_matched_with_items_are_refused():
    ratings = read(pd.DataFrame(LONG))
    assert message_of(lambda: as_data(ratings, {"gpt": ["y", "n"]})).startswith(
        "The answers of 'gpt' come without item ids (2 answers, and 2 rated items), so we cannot tell which is which: "
    )
    assert "give a table with the columns item, judge and label" in message_of(
        lambda: as_data(np.array([["y", "n"], ["y", "y"]]), {"gpt": ["y"]})
    )
    assert message_of(lambda: as_data(np.array([[1, 2]]), {"gpt": [[0.2, 0.3, 0.5]]})) == (
        "The judge 'gpt' gives 3 probabilities for an item, and there are 2 labels (1, 2): give one for each, in this "
        "order."
    )


def test_ratings_and_judges_cannot_be_swapped():
    ratings, judges = read("example:binary"), read_judges("example:binary")
    assert message_of(lambda: dissensus.equivalence(judges, ratings)) == (
        "These are judges' answers, where people's ratings are needed: give the ratings first."
    )
    assert message_of(lambda: dissensus.equivalence(ratings, ratings)) == (
        "These are people's ratings, where judges' answers are needed: give the ratings first."
    )


# ---- Functions


FUNCTIONS = {
    "equivalence": {"bootstrap": 0, "judge": "classifier"},
    "judges": {"bootstrap": 0},
    "compare": {"bootstrap": 0, "resamples": 20},
    "panel": {"bootstrap": 0, "people": False, "method": "average"},
    "alt_test": {},
    "prevalence": {"positive": "Yes", "judge": "classifier"},
    "raters": {"bootstrap": 0, "resamples": 20},
    "gate": {"judge": "classifier", "min_equivalence": 1, "bootstrap": 20},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_whatever_read_takes(name):
    function = getattr(dissensus, name)
    by_path = function("example:binary", "example:binary", **FUNCTIONS[name])
    ratings, judges = read("example:binary").to_frame(), read_judges("example:binary").to_frame()
    by_frame = function(ratings, judges, **FUNCTIONS[name])
    assert str(by_frame.as_dict()) == str(by_path.as_dict())


def test_describe_takes_a_frame():
    assert dissensus.describe(pd.DataFrame(LONG), bootstrap=0).rows() != []


def test_gate_is_true_only_when_it_passes():
    data = "example:binary", "example:binary"
    options = {"judge": "classifier", "bootstrap": 20}
    assert dissensus.gate(*data, min_equivalence=0.5, **options)
    assert not dissensus.gate(*data, min_equivalence=9, **options)


def test_labels_may_be_numbers():
    ratings = np.array([[1, 5], [4, 5], [2, 1], [3, 4]])
    judges = {"gpt": [2, 5, 1, 4]}
    as_numbers = dissensus.judges(ratings, judges, positive=[4, 5.0], bootstrap=0)
    as_texts = dissensus.judges(ratings, judges, positive=["4", "5"], bootstrap=0)
    assert as_numbers.settings["positive"] == ["4", "5"]
    assert as_numbers.to_json() == as_texts.to_json()
    assert read(ratings, labels=[1, 2, 3, 4, 5]).labels == ("1", "2", "3", "4", "5")
    assert read(ratings, label_map={5: 4}).labels == ("1", "2", "3", "4")


# ---- How data show themselves


def test_ratings_say_in_one_line_what_they_are():
    ratings, judges = read("example:binary"), read_judges("example:binary")
    assert repr(ratings) == "<Ratings: 3,000 ratings of 300 items by 10 raters; 2 labels (No, Yes), nominal>"
    assert repr(judges).startswith("<Judges: ")
    assert len(ratings) == 3000
    assert len(judges) == judges.n_answers


def test_ratings_and_judges_go_back_to_a_frame_and_are_read_again():
    ratings, judges = read("example:toxicity"), read_judges("example:toxicity")
    again, judges_again = read(ratings.to_frame()), read_judges(judges.to_frame())
    assert triples(again) == triples(ratings)
    assert judges_again.distributions()[2].tolist() == judges.distributions()[2].tolist()


def test_a_notebook_shows_the_shape_and_the_first_rows_escaped():
    page = read([("<i>", "ann", "y"), ("b", "bob", "n")])._repr_html_()
    assert "2 ratings of 2 items by 2 raters" in page
    assert "<td>&lt;i&gt;</td>" in page
    assert page.count("<tr>") == 3


# ---- Two roles for one column


def test_one_column_cannot_play_two_roles():
    frame = pd.DataFrame({"id": [1, 1], "judge": ["pass", "fail"], "model": ["g", "h"]})
    assert typed_message_of(lambda: read_judges(frame, item="id", label="judge")) == (
        "the pandas frame: the column 'judge' would be both the judge and the label. Name another column with "
        "--judge-columns judge=COLUMN, or rename the column."
    )
    assert read_judges(frame, item="id", label="judge", judge="model").judges == ("g", "h")
    assert "would be both the item and the label" in message_of(lambda: read(LONG, item="label", label="label"))
    assert "would be both the item and the rater" in message_of(lambda: read(LONG, item="rater"))


# ---- People and judges in one table

ONE = {
    "id": ["a", "b", "c"], "human_1": ["y", "n", "y"], "human_2": ["y", "y", "n"], "gpt-4o": ["y", "n", "n"],
    "claude-3": ["n", "n", "y"],
}  # fmt: skip


def cells_of(*columns):
    return sorted((item, name, label) for name in columns for item, label in zip(ONE["id"], ONE[name], strict=True))


@pytest.mark.parametrize("is_long", [False, True])
def test_people_and_judges_of_one_table_are_told_apart(is_long):
    frame = pd.DataFrame(ONE)
    source = frame.melt(id_vars="id", var_name="rater", value_name="label") if is_long else frame
    by_name, by_pattern = read_both(source), read_both(source, people="human*", judges="gpt*,claude-3")
    for ratings, judges in (by_name, by_pattern):
        assert triples(ratings) == cells_of("human_1", "human_2")
        assert sorted((r["item"], r["judge"], r["label"]) for r in judges.rows()) == cells_of("gpt-4o", "claude-3")
    assert "Told apart by their names: gpt-4o, claude-3 as judges, human_1, human_2 as people." in by_name[0].warnings
    assert not any("Told apart" in warning for warning in by_pattern[0].warnings)
    assert not any(
        warning.startswith("Counted as raters") for own in (by_name, by_pattern) for warning in own[0].warnings
    )


@pytest.mark.parametrize("is_long", [False, True])
def test_an_import_of_judges_takes_no_people_for_judges(is_long, tmp_path, capsys):
    path, frame = tmp_path / "survey.csv", pd.DataFrame(ONE)
    (frame.melt(id_vars="id", var_name="rater", value_name="label") if is_long else frame).to_csv(path, index=False)
    assert main(["import", str(path), "--judges", "-o", str(tmp_path / "judges.csv")]) == 0
    assert "claude-3. Name others with --judge." in unwrapped(capsys).replace("claude-3, gpt-4o", "gpt-4o, claude-3")
    rows = read_judges(tmp_path / "judges.csv").rows()
    assert sorted((r["item"], r["judge"], r["label"]) for r in rows) == cells_of("gpt-4o", "claude-3")
    named = ["--judge", "rater" if is_long else "human*,gpt*,claude*"]
    assert main(["import", str(path), *named, "-o", str(tmp_path / "all.csv")]) == 0
    assert len(read_judges(tmp_path / "all.csv").judges) == 4
    assert main(["import", str(path), "--judges", "--rater", "human*", "-o", str(tmp_path / "none.csv")]) == 2
    assert "--rater human* names people's columns: name those of judges with --judge" in capsys.readouterr().err


def test_judges_among_the_raters_are_reported_and_can_be_left_out(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    pd.DataFrame(ONE).melt(id_vars="id", var_name="rater", value_name="label").to_csv(path, index=False)
    assert main(["describe", str(path), "--bootstrap", "0"]) == 0
    assert "judges by their names: claude-3, gpt-4o. To leave them out, import the file with --drop." in unwrapped(
        capsys
    )
    dropped = [word for name in ("gpt-4o", "claude-3") for word in ("--drop", f"rater={name}")]
    assert main(["import", str(path), *dropped]) == 0
    assert "judges by their names" not in unwrapped(capsys)


def unwrapped(capsys):
    return " ".join(capsys.readouterr().out.split())


def test_who_is_not_named_is_of_the_other_kind():
    assert read_both(ONE, judges="claude*")[0].raters == ("human_1", "human_2")
    ratings, judges = read_both(ONE, people="human_1")
    assert (ratings.raters, judges.judges) == (("human_1",), ("claude-3", "gpt-4o"))


def test_labels_of_one_table_are_renamed_where_they_are():
    table = {
        "id": ["a", "b", "c"],
        "ann": ["yes", "n/a", "no"],
        "bob": ["yes", "no", "no"],
        "gpt-4o": ["J", "no", "no"],
    }
    ratings, judges = read_both(table, label_map={"n/a": "", "J": "yes"})  # each side has one of them
    assert (ratings.options, ratings.n_ratings, judges.options) == (("no", "yes"), 5, ("no", "yes"))
    message = message_of(lambda: read_both(table, label_map={"maybe": ""}))
    assert "renames 'maybe', but there is no such label. Labels found: n/a, no, yes." in message


def test_labels_of_one_table_are_merged_into_the_spelling_of_people(tmp_path, capsys):
    table = {
        "id": ["a", "b", "c"],
        "ann": ["yes", "No", "no"],
        "bob": ["yes", "no", "no"],
        "gpt-4o": ["YES", "NO", "NO"],
    }
    ratings, judges = read_both(table, merge_case=True)
    assert ratings.options == judges.options == ("no", "yes")
    path = tmp_path / "survey.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    assert main(["judges", str(path), "--merge-case", "--bootstrap", "0", "--json"]) == 0
    assert "never gave a label" not in capsys.readouterr().out


def test_one_table_without_plain_names_needs_patterns():
    plain = {"id": ["a", "b"], "ann": ["y", "n"], "bob": ["n", "n"]}
    assert "name the columns of both with" in message_of(lambda: read_both(plain))
    assert read_both(plain, judges="bob")[1].judges == ("bob",)
    assert "would be both people and judges" in message_of(lambda: read_both(ONE, people="*", judges="gpt*"))
    assert "no column like 'x*'" in message_of(lambda: read_both(ONE, judges="x*"))


def test_the_command_line_takes_patterns_in_place_of_the_second_file(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    pd.DataFrame(ONE).to_csv(path, index=False)
    options = ["--bootstrap", "0", "--json"]
    assert main(["judges", str(path), "--people", "human*", "--judges", "gpt*", *options]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["judges"]["judges"] == ["gpt-4o"]
    assert main(["judges", str(path), *options]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["judges"]["judges"] == ["claude-3", "gpt-4o"]
    assert main(["judges", str(path), str(path), *options]) == 0  # people are no judges of themselves
    assert json.loads(capsys.readouterr().out)["data"]["judges"]["judges"] == ["claude-3", "gpt-4o"]
    assert main(["judges", str(path), str(path), "--people", "human*"]) == 2
    assert "leave JUDGES out" in capsys.readouterr().err
