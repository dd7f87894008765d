"""Tables that are laid out otherwise than a row per rating: recognised, or read once the user says how."""

import json

import pytest

from dissensus import read
from dissensus.data.formats.plan import all_formats
from dissensus.data.import_ import import_

from tables import TRIPLES, jsonl, parquet, triples, typed_message_of, write

ONE_HOT = "item,rater,q.yes,q.no,tags.a,tags.b\n1,ann,1,0,1,1\n1,bob,0,1,0,0\n2,ann,0,1,0,1\n"


def test_one_hot_columns_are_questions_with_options(tmp_path):
    path = write(tmp_path, ONE_HOT)
    assert triples(read(path, question="q")) == [("1", "ann", "yes"), ("1", "bob", "no"), ("2", "ann", "no")]
    tags = read(path, question="tags")
    assert triples(tags) == [("1", "ann", "a|b"), ("2", "ann", "b")]
    assert tags.warnings == ("Left out 1 answer without a chosen option: tags.",)
    assert list(read(path).questions) == ["q", "tags"]
    assert "asks 2 questions" in typed_message_of(lambda: import_(path))


def test_one_hot_columns_of_several_raters_stand_in_one_row(tmp_path):
    header = "item,r1_q.yes,r1_q.no,r2_q.yes,r2_q.no\n"
    path = write(tmp_path, header + "1,1,0,0,1\n2,0,1,,\n")
    assert triples(read(path)) == [("1", "r1", "yes"), ("1", "r2", "no"), ("2", "r1", "no")]


def test_a_rater_who_saw_an_item_twice_has_two_marks_in_a_cell(tmp_path):
    path = write(tmp_path, 'item,rater,q.yes,q.no\n1,ann,"1, 0","0, 1"\n1,bob,1,0\n')
    assert triples(read(path, repeats="keep")) == [("1", "ann", "no"), ("1", "ann", "yes"), ("1", "bob", "yes")]
    assert "--repeats" in typed_message_of(lambda: read(path))


def test_a_cell_that_is_neither_0_nor_1_loses_no_rater_unseen(tmp_path):
    header = "item,r1_q.yes,r1_q.no,r2_q.yes,r2_q.no,r3_q.yes,r3_q.no\n"
    path = write(tmp_path, header + "1,1,0,0,1,maybe,0\n2,1,0,0,1,1,0\n")
    assert typed_message_of(lambda: read(path)) == "r.csv, row 2: r3_q.yes is 'maybe', neither 0 nor 1. Fix the cell."


@pytest.mark.parametrize("header", ["ann,bob", "rater_1,rater_2", "annotator.a,annotator.b", "r.1,r.2"])
def test_columns_of_0_and_1_are_raters_where_their_names_are_no_options(tmp_path, header):
    assert read(write(tmp_path, f"item,{header}\n1,0,1\n2,1,1\n")).provenance.format == "wide"


def test_numbers_are_options_where_every_row_chooses_one(tmp_path):
    ratings = read(write(tmp_path, "item,stars_1,stars_2,stars_3\n1,0,1,0\n2,1,0,0\n3,0,0,1\n"))
    assert ratings.provenance.format == "one-hot"
    assert triples(ratings) == [("1", None, "2"), ("2", None, "1"), ("3", None, "3")]


def test_a_record_without_an_id_is_not_taken_for_another_item(tmp_path):
    told, untold = {"meta": {"id": "2"}, "ratings": {"ann": "yes"}}, {"meta": {}, "ratings": {"bob": "no"}}
    path = write(tmp_path, jsonl(told, untold, {"meta": {"id": "3"}, "ratings": {"ann": "no"}}), "r.jsonl")
    assert "record 2: it does not say which item it is about" in typed_message_of(lambda: read(path))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_parallel_lists_of_raters_and_labels_are_ratings(tmp_path, suffix):
    columns = {"id": ["1", "2"], "workers": [["a", "b"], ["a"]], "labels": [["x", "y"], ["x"]]}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    cells = "".join(f'{row["id"]},"{row["workers"]}","{row["labels"]}"\n' for row in rows)  # as pandas writes lists
    content = {"jsonl": jsonl(*rows), "parquet": parquet(**columns), "csv": f"id,workers,labels\n{cells}"}[suffix]
    assert triples(read(write(tmp_path, content, f"r.{suffix}"))) == TRIPLES


def test_response_sets_within_parallel_lists_stay_sets(tmp_path):
    path = write(tmp_path, jsonl({"id": 1, "worker_ids": ["a", "b"], "labels": ["x|y", ["y", "x"]]}), "r.jsonl")
    assert triples(read(path)) == [("1", "a", "x|y"), ("1", "b", "x|y")]


def test_a_list_in_which_a_label_comes_twice_is_no_response_set(tmp_path):
    path = write(tmp_path, jsonl({"item": 1, "label": [1, 1, 2]}), "r.jsonl")
    assert triples(read(path)) == [("1", None, "1"), ("1", None, "1"), ("1", None, "2")]
    single = write(tmp_path, jsonl({"item": 1, "rater": "a", "label": [1, 2]}), "s.jsonl")
    assert triples(read(single)) == [("1", "a", "1|2")]


def test_lists_of_different_length_are_refused_by_row(tmp_path):
    rows = [{"id": 1, "raters": ["a", "b"], "labels": ["x", "x"]}, {"id": 2, "raters": ["a"], "labels": ["x", "y"]}]
    path = write(tmp_path, jsonl(*rows), "r.jsonl")
    assert "r.jsonl, row 2: 2 labels in labels and 1 raters in raters" in typed_message_of(
        lambda: read(path, source_format="lists", rater="raters")
    )


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_dict_of_dicts_has_raters_outside(tmp_path, suffix):
    if suffix == "yaml":
        pytest.importorskip("yaml")
    nested = {"a": {"1": "x", "2": "x"}, "b": {"1": "y"}}
    path = write(tmp_path, json.dumps(nested), f"r.{suffix}")  # JSON is YAML, too
    assert triples(read(path)) == TRIPLES
    assert read(path, item="outer").items == ("a", "b")


def test_yaml_words_for_true_and_false_stay_the_labels_they_are(tmp_path):
    pytest.importorskip("yaml")
    path = write(tmp_path, "ann: {1: No, 01: yes, 2: on}\nbob: {1: NO, 2: 1.0}\n", "r.yaml")
    ratings = read(path)
    assert ratings.items == ("01", "1", "2")
    assert set(ratings.labels) == {"1", "NO", "No", "on", "yes"}


def test_counts_stand_in_a_column_per_label(tmp_path):
    path = write(tmp_path, "id,count_no,count_yes,text\n1,3,0,a\n2,1,4,b\n")
    ratings = read(path)
    assert (ratings.labels, ratings.counts().tolist()) == (("no", "yes"), [[3, 0], [1, 4]])
    plain = write(tmp_path, "id,no,yes,text\n1,3,0,a\n2,1,4,b\n")
    assert read(plain, count="no,yes").counts().tolist() == [[3, 0], [1, 4]]


def test_a_row_per_rater_is_read_by_a_pattern_of_the_items(tmp_path):
    path = write(tmp_path, "who,age,q1,q2\na,30,x,x\nb,40,y,\n")
    assert triples(read(path, rater="who", item="q*")) == [("q1", "a", "x"), ("q1", "b", "y"), ("q2", "a", "x")]


def test_the_index_that_pandas_writes_is_the_item(tmp_path):
    path = write(tmp_path, ",a,b\n1,x,y\n2,y,x\n")
    assert triples(read(path)) == [("1", "a", "x"), ("1", "b", "y"), ("2", "a", "y"), ("2", "b", "x")]
    assert import_(path).taken["item"] == "column 1, which has no name"


def workbook(path, **sheets):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_gives_its_first_sheet_or_the_one_that_is_named(tmp_path):
    rows = [["item", "rater", "label"], [1, "a", "x"], [1, "b", "y"], [2, "a", "x"]]
    path = workbook(tmp_path / "r.xlsx", Ratings=rows, Other=[["item", "label"], ["q", 2.5]])
    assert triples(read(path)) == TRIPLES  # Excel stores 1.0 where it shows 1
    assert triples(read(path, sheet="Other")) == [("q", None, "2.5")]
    assert (
        typed_message_of(lambda: read(path, sheet="Sheet1"))
        == "r.xlsx has no sheet 'Sheet1': its sheets are Ratings, Other."
    )


def test_a_workbook_may_have_blank_rows_above_and_within(tmp_path):
    rows = [[None, None], ["item", "label"], ["1", "x"], [None, None], ["2", True]]
    path = workbook(tmp_path / "r.xlsx", S=rows)
    ratings = read(path)
    assert triples(ratings) == [("1", None, "x"), ("2", None, "true")]
    assert "Left out 1 blank row." in ratings.warnings


def test_a_workbook_without_a_header_is_read_with_given_names(tmp_path):
    path = workbook(tmp_path / "r.xlsx", S=[["a", 1, "x"], ["b", 1, "y"], ["a", 2, "x"]])
    assert triples(read(path, columns=["rater", "item", "label"])) == TRIPLES


def test_a_plain_list_of_objects_in_json_is_a_table(tmp_path):
    rows = [{"item": item, "rater": rater, "label": label} for item, rater, label in TRIPLES]
    assert triples(read(write(tmp_path, json.dumps(rows), "r.json"))) == TRIPLES
    lines = "\n".join(map(json.dumps, rows))
    assert triples(read(write(tmp_path, lines, "lines.json"))) == TRIPLES


def test_a_document_that_no_format_knows_names_the_formats(tmp_path):
    path = write(tmp_path, json.dumps({"a": 1, "b": {"c": [1]}}), "r.json")
    message = typed_message_of(lambda: read(path))
    assert "is in no format that we recognise (its keys are a, b)" in message
    assert "--ratings-format: argilla, " in message


def test_every_format_has_a_name_of_its_own_and_takes_something():
    names = [format_.name for format_ in all_formats()]
    assert len(set(names)) == len(names) >= 20
    assert all(format_.ratings or format_.judges for format_ in all_formats())
    assert all(format_.what and not format_.what.endswith(".") for format_ in all_formats())


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    path = write(tmp_path, "item,label\n1,x\n")
    message = typed_message_of(lambda: read(path, source_format="excel"))
    assert message.startswith("--ratings-format cannot be 'excel': choose one of auto, argilla, ")


def test_a_format_that_is_named_overrides_what_was_recognised(tmp_path):
    path = write(tmp_path, "item,rater,label,count\n1,a,x,2\n")
    assert read(path).provenance.format == "tidy"
    assert import_(path, source_format="tidy").format == "tidy"
    wide = write(tmp_path, "item,label\n1,x\n2,y\n", "w.csv")
    assert read(wide, source_format="wide").raters == ("label",)
