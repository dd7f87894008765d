"""Nothing in a file is lost unseen: every rating is taken, counted as left out, or stops the import in one line."""

import contextlib
import json

import pandas as pd
import pytest

from dissensus import read, read_judges
from dissensus.data.formats.plan import all_formats
from dissensus.data.import_ import import_
from dissensus.errors import DissensusError

from tables import HEADER, jsonl, parquet, triples, typed_message_of, write


def left_out(path, **options):
    """How many ratings were taken, and how many of what were left out."""
    result = import_(path, **options)
    found = result.as_dict()
    return found.get("ratings", found.get("answers")), {some.what: some.count for some in result.left_out}


def test_a_rating_that_is_both_dropped_and_mapped_is_counted_once(tmp_path):
    path = write(tmp_path, HEADER + "1,a,n/a\n1,b,x\n2,a,\n2,b,x\ncheck_1,a,n/a\ncheck_1,b,x\n")
    taken, lost = left_out(path, label_map={"n/a": ""}, drop=(("item", "check_*"),))
    assert (taken, lost) == (2, {"rating without a label": 1, "rating": 2, "rating 'n/a'": 1})
    assert taken + sum(lost.values()) == 6  # the rows of the file


def test_a_label_that_only_dropped_rows_have_may_be_renamed_and_is_not_left(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n1,b,y\ncheck_1,a,z\n")
    result = import_(path, label_map={"z": "w", "y": "v"}, drop=(("item", "check_*"),))
    assert result.imported.labels == ("v", "x")
    assert result.warnings == ("Renamed the label y to v (1 time), as label_map= says.",)


def test_answers_of_judges_that_are_dropped_and_mapped_are_counted_once(tmp_path):
    path = write(tmp_path, "item,judge,sample,label\n1,a,0,n/a\n1,a,1,x\n1,b,0,n/a\n2,a,0,\n")
    options = {"label_map": {"n/a": ""}, "drop": (("judge", "b"),)}
    assert left_out(path, **options) == (1, {"row without an answer": 1, "row": 1, "answer 'n/a'": 1})


def test_what_is_mended_in_a_table_of_counts_is_counted_by_rater(tmp_path):
    path = write(tmp_path, "item,label,count\n1,n/a,12\n1,x,3\n2,x,5\n2,X,4\n3,x,7\n")
    options = {"label_map": {"n/a": ""}, "merge_case": True, "drop": (("item", "3"),)}
    assert left_out(path, **options) == (12, {"rating": 7, "rating 'n/a'": 12})
    assert "Merged X (4 times) into the label x, as merge_case= says." in import_(path, **options).warnings


def test_labels_in_the_names_of_columns_are_not_passed_over_when_labels_are_fixed(tmp_path):
    path = write(tmp_path, "item,judge,p_yes,p_no\n1,a,.2,.8\n", "judges.csv")
    assert read_judges(path, label_map={"yes": "Y"}).labels == ("Y", "no")
    message = typed_message_of(lambda: import_(path, split="e"))
    assert "rename these columns in the file" in message


@pytest.mark.parametrize("after", ['[{"item": 2, "rater": "a", "label": "y"}]', "{}", "trailing"])
def test_what_stands_after_a_json_list_is_not_passed_over(tmp_path, after):
    path = write(tmp_path, '[{"item": 1, "rater": "a", "label": "x"}]\n' + after, "r.json")
    assert "goes on after its list ends, at character 43" in typed_message_of(lambda: read(path))


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("r.json", '{"a": {"1": "x", "1": "y"}}', "1"),
        ("r.json", '[{"item": 1, "rater": "a", "label": "x", "label": "y"}]', "label"),
        ("r.yaml", "a: {1: x, 2: y}\nb: {1: x, 1: y}\n", "1"),
        ("r.yaml", "a: {1: x}\na: {2: x}\n", "a"),
    ],
)
def test_a_key_that_comes_twice_is_refused(tmp_path, name, text, key):
    if name == "r.yaml":
        pytest.importorskip("yaml")
    assert f"the key {key!r} comes twice" in typed_message_of(lambda: read(write(tmp_path, text, name)))


def test_a_cell_without_a_list_far_down_a_column_of_lists_is_refused(tmp_path):
    rows = "".join(f'{i},"[1, 1, 2]"\n' for i in range(250))
    path = write(tmp_path, f"item,label\n{rows}x,oops\n")
    assert "row 252: label is 'oops', which is not a list" in typed_message_of(lambda: read(path))
    empty = write(tmp_path, f'item,label\n{rows}x,\ny,"[]"\n')
    assert left_out(empty) == (750, {"row without a label in its list": 2})


def test_responses_of_argilla_without_a_user_each_are_refused(tmp_path):
    rows = {"id": ["1"], "q.responses": [["a", "b", "c"]], "q.responses.users": [["u", "v"]]}
    path = write(tmp_path, parquet(**rows), "r.parquet")
    assert "row 1: 3 responses to q, 2 users and 0 statuses" in typed_message_of(lambda: read(path))
    text = write(tmp_path, jsonl({"id": "1", "q.responses": "a", "q.responses.users": ["u"]}), "r.jsonl")
    assert "row 1: q.responses is 'a', which is not a list" in typed_message_of(lambda: read(text))


def test_a_row_of_promptfoo_that_is_cut_off_is_refused(tmp_path):
    path = write(tmp_path, "q,[p] x,Status,Score,Grader Reason\nk,out,PASS,1,ok\n\nm,out\n")
    assert "row 4: 2 cells where the header has 5" in typed_message_of(lambda: read_judges(path, question="score"))


def test_scores_of_inspect_that_are_nan_are_counted(tmp_path):
    scores = [{"s": {"value": 1}}, {"s": {"value": float("nan")}}, {"s": {"value": None}}]
    samples = [{"id": str(i), "epoch": 1, "scores": score} for i, score in enumerate(scores)]
    path = write(tmp_path, json.dumps({"version": 2, "eval": {"model": "m"}, "samples": samples}), "log.json")
    assert left_out(path) == (1, {"score without a value": 2})


def test_annotations_without_an_answer_to_the_question_are_counted_in_every_export_of_label_studio(tmp_path):
    def task(number, **answers):
        result = [{"from_name": q, "type": "choices", "value": {"choices": [a]}} for q, a in answers.items()]
        return {"id": number, "data": {}, "annotations": [{"completed_by": 1, "result": result}]}

    tasks = write(tmp_path, json.dumps([task(1, q="x", w="y"), task(2, w="y")]), "export.json")
    assert left_out(tasks, question="q") == (1, {"annotation without an answer": 1})
    short = "id,annotation_id,annotator,lead_time,q,w\n1,1,1,5,x,y\n2,2,1,5,,y\n"
    assert left_out(write(tmp_path, short), question="q") == (1, {"annotation without an answer": 1})


def test_the_order_in_which_pairs_were_shown_is_written(tmp_path):
    path = write(tmp_path, "item,judge,label,order\n1,a,win,ab\n1,a,lose,ba\n")
    import_(path, output=tmp_path / "judges.csv")
    again = read_judges(tmp_path / "judges.csv")
    assert again.order.tolist() == read_judges(path).order.tolist() == [0, 1]


def test_the_source_is_never_overwritten(tmp_path):
    path = write(tmp_path, "item;rater;label;note\n1;a;x;keep me\n")
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    for output in (path, link):
        message = typed_message_of(lambda output=output: import_(path, output=output))
        assert "is the source itself" in message
    assert "keep me" in path.read_text()


@pytest.mark.parametrize("name", ["out.parquet", "out.json", "out.xlsx", "out.csv.gz", "out", "out.v2"])
def test_csv_is_not_written_under_a_name_that_says_something_else(tmp_path, name):
    path = write(tmp_path, HEADER + "1,a,x\n")
    message = typed_message_of(lambda: import_(path, output=tmp_path / name))
    assert "we write CSV: name a file that ends in .csv" in message
    assert not (tmp_path / name).exists()


def test_a_question_of_a_file_that_has_none_is_not_passed_over(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n")
    assert "does not tell questions apart, so --question tone has no meaning" in typed_message_of(
        lambda: read(path, question="tone")
    )


def test_a_sheet_of_a_file_that_has_none_is_not_passed_over(tmp_path):
    path = write(tmp_path, HEADER + "1,a,x\n")
    assert "has no sheets: --sheet is for workbooks" in typed_message_of(lambda: read(path, sheet="a"))


def test_a_file_whose_judge_column_is_named_holds_judges(tmp_path):
    path = write(tmp_path, "id,model,verdict\n1,m,yes\n1,n,no\n")
    result = import_(path, item="id", judge="model", label="verdict")
    assert (result.holds, result.as_dict()["judges"]) == ("judges", ["m", "n"])


SOURCES = {
    "r.csv": HEADER + "1,a,x\n1,b,y\n",
    "no_rows.csv": HEADER,
    "r.json": json.dumps([{"id": 1, "data": {}, "annotations": []}]),
    "document.json": '{"a": {"1": "x"}}',
    "r.jsonl": jsonl({"item": "1", "label": "x"}),
    "r.eval": "no archive",
    "x-suggestion.csv": "id,x-suggestion\n1,a\n",
    "r.parquet": parquet(item=["1"], label=["x"]),
}


@pytest.mark.parametrize("name", [format_.name for format_ in all_formats()])
def test_a_format_that_does_not_fit_is_read_or_refused(tmp_path, name):
    sources = [write(tmp_path, content, file) for file, content in SOURCES.items()]
    for source in [*sources, pd.DataFrame({"item": ["1"], "label": ["x"]})]:
        for call in (read, read_judges):
            for options in ({}, {"item_key": "nope", "question": "nope"}):
                with contextlib.suppress(DissensusError):
                    call(source, source_format=name, **options)


def test_an_option_that_a_message_about_judges_names_exists(tmp_path):
    path = write(
        tmp_path, '[{"id": "1", "fields": {}, "responses": {}, "suggestions": {"q": {"value": "x"}}}]', "r.json"
    )
    message = typed_message_of(lambda: read_judges(path, item_key="nope"))
    assert "Name another key with `dissensus import --item-key`" in message


def test_a_delimiter_never_splits_a_list_in_a_cell(tmp_path):
    rows = "".join(f"i{i}\t0.5\t[{i}, 1, 2, 3, 3]\n" for i in range(5))
    path = write(tmp_path, rows, "r.txt")
    assert triples(read(path))[:2] == [("i0", None, "0"), ("i0", None, "1")]  # three columns, and not five
    headed = write(tmp_path, "item\tmean\tlabels\n" + rows, "r.txt")
    assert triples(read(headed))[:2] == [("i0", None, "0"), ("i0", None, "1")]


def test_predictions_in_columns_name_the_option_for_judges(tmp_path):
    path = write(tmp_path, ',model a,model b\nx,"[0.2, 0.8]",Prediction: pos\ny,"[0.4, 0.6]",Prediction: neg\n')
    assert "run `dissensus import r.csv --judges -o judges.csv`" in typed_message_of(lambda: read(path))
