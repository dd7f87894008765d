"""Labels are mended and rows dropped only as the user says, and every change is told."""

import pytest

from dissensus import read, read_judges
from dissensus.data.import_ import import_

from tables import message_of, triples, typed_message_of, write

LABELS = "item,rater,label\n1,a,No\n1,b,NO\n1,c,no\n2,a,No\n2,b,n/a\n2,c,Yes\n"


def test_labels_are_renamed_and_an_empty_name_means_missing(tmp_path):
    path = write(tmp_path, LABELS)
    outcome = import_(path, label_map={"NO": "No", "no": "No", "n/a": ""})
    assert outcome.imported.labels == ("No", "Yes")
    assert outcome.imported.n_ratings == 5
    assert [some.as_dict() for some in outcome.left_out if "n/a" in some.what] == [
        {
            "what": "rating 'n/a'",
            "count": 1,
            "why": "`label_map=` of `import_` says that it means missing",
            "option": "",
        }
    ]
    assert "Renamed the label NO to No (1 time), as label_map= says." in outcome.warnings


def test_renaming_a_label_that_nobody_gave_is_an_error(tmp_path):
    path = write(tmp_path, LABELS)
    message = typed_message_of(lambda: read(path, label_map={"Nope": "No"}))
    assert message == "--map renames 'Nope', but there is no such label. Labels found: NO, No, Yes, n/a, no."


def test_case_is_never_merged_silently(tmp_path):
    path = write(tmp_path, LABELS)
    assert read(path).labels == ("NO", "No", "Yes", "n/a", "no")
    merged = read(path, merge_case=True)
    assert merged.labels == ("No", "Yes", "n/a")
    assert "Merged NO (1 time), no (1 time) into the label No, as `merge_case=` of `read` says." in merged.warnings


def test_labels_off_the_scale_are_an_error_or_missing(tmp_path):
    path = write(tmp_path, "item,rater,label\n1,a,1\n1,b,Unsure\n2,a,5\n2,b,tie (inconsistent)\n")
    scale = ["1", "2", "3", "4", "5"]
    assert "label Unsure is not among those given" in typed_message_of(lambda: read(path, labels=scale))
    ratings = read(path, labels=scale, off_scale="missing")
    assert triples(ratings) == [("1", "a", "1"), ("2", "a", "5")]
    assert "Left out 1 rating 'Unsure': it is not among `labels=` of `read`." in ratings.warnings
    assert "give every label with --labels" in typed_message_of(lambda: read(path, off_scale="missing"))


@pytest.mark.parametrize(
    ("cells", "split"),
    [(["a|b", "b|a"], None), (['"[""b"", ""a""]"', "\"['a', 'b']\""], None), (['"a, b"', '"b,a"'], ",")],
    ids=["bars", "lists", "commas"],
)
def test_response_sets_are_the_same_however_they_are_written(tmp_path, cells, split):
    path = write(tmp_path, f"item,rater,label\n1,x,{cells[0]}\n1,y,{cells[1]}\n1,z,a\n")
    assert [label for *_, label in triples(read(path, split=split))] == ["a|b", "a|b", "a"]


def test_numbers_are_one_label_however_they_are_written(tmp_path):
    path = write(tmp_path, "item,rater,label\n1,a,1\n1,b,1.0\n1,c,01\n")
    assert read(path).labels == ("1",)


def test_rows_are_dropped_by_any_column_and_counted(tmp_path):
    rows = "item,rater,label,is_check\n1,a,x,0\ncheck_1,a,x,1\ncheck_2,b,y,1\n2,bot,y,0\n"
    path = write(tmp_path, rows)
    by_item = read(path, drop=[("item", "check_*"), ("rater", "bot")])
    assert triples(by_item) == [("1", "a", "x")]
    assert "Left out 2 ratings: `drop=` of `read` says so (item is check_*)." in by_item.warnings
    assert "Left out 1 rating: `drop=` of `read` says so (rater is bot)." in by_item.warnings
    assert triples(read(path, drop=[("is_check", "1")])) == [("1", "a", "x"), ("2", "bot", "y")]
    assert "has no column 'is_chek'" in typed_message_of(lambda: read(path, drop=[("is_chek", "1")]))


def test_judges_labels_are_mended_like_people_s(tmp_path):
    path = write(tmp_path, "item,judge,label\n1,m,PASS\n2,m,fail\n3,m,error\n")
    outcome = import_(path, label_map={"PASS": "Yes", "fail": "No", "error": ""}, drop=(("item", "2"),))
    assert outcome.imported.labels == ("Yes",)
    assert {(some.what, some.count) for some in outcome.left_out} == {
        ("row", 1), ("answer 'error'", 1),
    }  # fmt: skip
    assert read_judges(path, label_map={"error": ""}).n_answers == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skipped": "maybe"}, "`skipped=` of `read` cannot be 'maybe': choose one of drop, keep."),
        ({"off_scale": "maybe"}, "`off_scale=` of `read` cannot be 'maybe': choose one of error, missing."),
        ({"repeats": "maybe"}, "`repeats=` of `read` cannot be 'maybe': choose one of error, first, last, keep."),
    ],
)
def test_options_are_closed(tmp_path, options, message):
    path = write(tmp_path, LABELS)
    assert message_of(lambda: read(path, **options)) == message


def test_the_import_says_what_it_took_and_what_it_left_out(tmp_path):
    path = write(tmp_path, "item,rater,label\n1,a,x\n1,b,\n\n2,a,y\n2,a,x\n")
    result = import_(path, repeats="last", output=tmp_path / "out.csv")
    found = result.as_dict()
    assert (found["format"], found["holds"]) == ("tidy", "ratings")
    assert (found["items"], found["raters"], found["ratings"]) == (2, 1, 2)
    assert found["labels"] == [{"label": "x", "count": 2}, {"label": "y", "count": 0}]
    assert found["taken"] == {
        "item": "column item",
        "rater": "column rater",
        "label": "column label",
        "question": "nothing: the file asks one question",
        "repeat": "rows with the item and rater of an earlier one (`repeats=` of `import_` last)",
        "status": "nothing: the file does not say",
    }
    assert [(some["what"], some["count"]) for some in found["left_out"]] == [
        ("blank row", 1), ("rating without a label", 1), ("repeated rating", 1),
    ]  # fmt: skip
    assert result.rows()[0] == {"role": "item", "taken_from": "column item"}
    assert triples(read(tmp_path / "out.csv")) == triples(result.imported)


def test_columns_with_one_name_are_numbered_and_told_unless_we_need_them(tmp_path):
    ratings = read(write(tmp_path, "item,rater,label,x,x\n1,a,y,p,q\n"))
    assert ratings.warnings == ("Columns with the same name were numbered: x.",)
