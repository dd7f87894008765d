"""Messy spreadsheets: what the tool says of each, and that nothing plausible comes out of a file read wrongly."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dissensus import read, read_judges
from dissensus.cli.main import main
from dissensus.data.doctor import doctor
from dissensus.data.import_ import import_

from tables import HEADER, as_typed, message_of, triples, typed_message_of, write

JUDGES = "item,judge,label\n"
ITEMS = [f"C{i:02}" for i in range(30)]


def rows_of(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def people(folder, label=lambda i, rater: "toxic" if (i + (rater == "b")) % 2 else "ok"):
    """Ratings of three raters, of whom b differs."""
    rows = [(item, rater, label(i, rater)) for i, item in enumerate(ITEMS) for rater in "abc"]
    return write(folder, HEADER + rows_of(rows), "ratings.csv")


def judged(folder, rows, header=JUDGES):
    return write(folder, header + rows_of(rows), "judges.csv")


def verdicts(*models):
    return [(item, model, "toxic" if i % 2 else "ok") for i, item in enumerate(ITEMS) for model in models]


def found(path, check, people=None, **options):
    """What doctor finds with a check, with options as they are typed."""
    findings = (finding for finding in doctor(path, ratings=people, **options).findings if finding.check == check)
    return [replace(one, message=as_typed(one.message), option=as_typed(one.option)) for one in findings]


@pytest.mark.parametrize("names", [[], ["--judge-columns", "item=Comment ID"]])
def test_a_table_with_a_model_and_a_verdict_is_read_by_these_names(tmp_path, capsys, names):
    path = judged(tmp_path, verdicts("gpt", "claude"), "Comment ID,model,verdict\n")
    options = ["--calibrate", "table", "--bootstrap", "0", "--json"]
    assert main(["equivalence", str(people(tmp_path)), str(path), *names, *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {entry["judge"] for entry in printed["result"]["judges"]} == {"gpt", "claude"}
    item = "" if names else " and Comment ID as item"
    between = " and" if names else ","
    assert f"Columns taken by their names: model as judge{between} verdict as label{item}." in printed["warnings"]


def test_two_columns_of_answers_are_refused_with_all_names_in_one_option(tmp_path):
    rows = [(*row, i % 3) for i, row in enumerate(verdicts("gpt", "claude"))]
    path = judged(tmp_path, rows, "Comment ID,model,verdict,class\n")
    said = typed_message_of(lambda: read_judges(path))
    assert said.endswith("The likely match is class: add --judge-columns label=class.")
    assert read_judges(path, label="class").judges == ("claude", "gpt")


def test_the_only_column_that_is_left_is_the_label(tmp_path):
    path = judged(tmp_path, verdicts("gpt", "claude"), "item,model,tone\n")
    judges = read_judges(path)
    assert judges.judges == ("claude", "gpt")
    assert judges.warnings[0] == "Columns taken by their names: model as judge and tone as label."


def test_judges_side_by_side_are_still_judges(tmp_path):
    rows = [(item, "ok", "toxic", "ok") for item in ITEMS]
    judges = read_judges(judged(tmp_path, rows, "item,system,gpt,claude\n"))
    assert judges.judges == ("claude", "gpt", "system")


def test_a_judge_that_never_gives_a_label_of_people_is_named_first(tmp_path):
    path = judged(tmp_path, [(item, "gpt-4", "ok") for item in ITEMS], "item,engine,tone\n")
    shared = read_judges(path).on_items_of(read(people(tmp_path)))
    assert shared.warnings[0] == (
        "The judge engine never gave a label of the people (ok, toxic), but gpt-4: if a column is not a judge, name "
        "the judges' columns with `judge=` of `read_judges`, or name the other judges with judge=."
    )


def test_judges_with_scores_of_their_own_are_no_surprise(tmp_path):
    path = judged(tmp_path, [(item, "g", i / 30) for i, item in enumerate(ITEMS)])
    assert read_judges(path).on_items_of(read(people(tmp_path))).warnings == ()


def test_import_and_doctor_name_their_own_options(tmp_path):
    path = judged(
        tmp_path, [(*row, i % 3) for i, row in enumerate(verdicts("gpt"))], "Comment ID,model,verdict,class\n"
    )
    said = "add --label class."
    assert typed_message_of(lambda: import_(path, judges=True)).endswith(said)
    result = doctor(path, ratings=people(tmp_path))
    [finding] = result.findings  # and no blank rows
    assert as_typed(finding.message).endswith(said)
    assert result.summary().count("Fix it with") == 0


def test_ratings_beside_the_judges_are_imported_first(tmp_path):
    rows = [(item, rater, "ok", 1) for item in ITEMS for rater in "ab"]
    messy = write(tmp_path, "Comment ID,Annotator,Rating,Score\n" + rows_of(rows), "messy.csv")
    path = judged(tmp_path, verdicts("gpt"))
    assert typed_message_of(lambda: doctor(path, ratings=messy)) == (
        "messy.csv has no column 'label'. Columns found: Comment ID, Annotator, Rating, Score. The likely match is "
        "Rating. Import the ratings first: `dissensus import messy.csv --label Rating -o ratings.csv`."
    )


def test_labels_of_judges_in_another_case_are_found_and_mended_by_the_option(tmp_path):
    path = judged(tmp_path, [(item, judge, label.title()) for item, judge, label in verdicts("gpt")])
    [finding] = found(path, "labels-apart", people(tmp_path))
    assert (finding.severity, finding.count, finding.option) == ("warning", 30, '--map "Ok=ok,Toxic=toxic"')
    assert found(path, "labels-apart", people(tmp_path), label_map={"Ok": "ok", "Toxic": "toxic"}) == []


def test_a_judge_with_other_labels_than_people_is_found(tmp_path):
    rows = [*verdicts("gpt"), *((item, "nli", "entailment") for item in ITEMS)]
    [finding] = found(judged(tmp_path, rows), "labels-apart", people(tmp_path))
    assert finding.message.startswith("The judge nli never gives a label of people's (ok, toxic), but entailment in 30")


def test_judges_that_share_no_item_or_few_with_people_are_counted(tmp_path):
    rows = [*verdicts("gpt"), *verdicts("new")[:4], *((f"x{item}", "lost", "ok") for item in ITEMS)]
    none, few = found(judged(tmp_path, rows), "shared-items", people(tmp_path))
    assert (none.severity, few.severity) == ("error", "warning")
    assert none.message.startswith("1 judge answered none of the 30 rated items: lost. Check that both files have")
    assert few.message == "1 judge answered less than half of the 30 rated items: new (4)."


@pytest.mark.parametrize("other", [str.lower, lambda item: f" {item.lower()}"])
def test_ids_that_match_only_when_case_is_ignored_are_found(tmp_path, other):
    path = judged(tmp_path, [(other(item), judge, label) for item, judge, label in verdicts("gpt")])
    [finding] = found(path, "ids-apart", people(tmp_path))
    assert finding.count == len(ITEMS)
    assert f"{other('C00')!r} is rated as 'C00'" in finding.message


def test_ids_without_their_leading_zeros_are_found(tmp_path):
    ratings = write(tmp_path, HEADER + rows_of((f"{i:03}", r, "ok") for i in range(5) for r in "ab"), "ratings.csv")
    [finding] = found(judged(tmp_path, [(i, "g", "ok") for i in range(5)]), "ids-apart", ratings)
    assert "'0' is rated as '000', '1' is rated as '001'" in finding.message


def numbers(folder):
    return people(folder, label=lambda i, rater: 1 + (i + (rater == "b")) % 5)


def test_a_judge_whose_numbers_fall_where_people_rise_is_found(tmp_path):
    stats = pytest.importorskip("scipy.stats")
    score = np.random.default_rng(0).normal([-(i % 5) for i in range(30)], 1).round(3)
    path = judged(tmp_path, [*((item, "bad", s) for item, s in zip(ITEMS, score, strict=True)),
                             *((item, "good", -s) for item, s in zip(ITEMS, score, strict=True))])  # fmt: skip
    [finding] = found(path, "opposite-numbers", numbers(tmp_path))
    mean = [sum(1 + (i + b) % 5 for b in (0, 1, 0)) / 3 for i in range(30)]
    expected = stats.pearsonr(mean, score).statistic
    assert f"The numbers of the judge bad fall where people's rise: their correlation is {expected:.2f} over 30" in (
        finding.message
    )
    assert "multiply them by -1 in the file, or name it with --reverse." in finding.message


def test_a_judge_without_a_clue_does_not_run_opposite_to_people(tmp_path):
    # 200 judges that know nothing: a correlation as low as the limit comes once in 20,000.
    rng = np.random.default_rng(1)
    rows = [(item, f"j{k}", s) for k in range(200) for item, s in zip(ITEMS, rng.random(30).round(4), strict=True)]
    assert found(judged(tmp_path, rows), "opposite-numbers", numbers(tmp_path)) == []


COMMAS = 'item,rater,label\n1,a,"1,5"\n1,b,4\n2,a,1\n2,b,5\n3,a,n/a\n'


@pytest.mark.parametrize("text", ["item;rater;label\n1;a;3,5\n1;b;4\n2;a;1,0\n2;b;1,5\n",
                                  "item,rater,label\n1,a,3.5%\n1,b,4%\n2,a,1 %\n2,b,1.5 %\n",
                                  'item,rater,label\n1,a,"3,5"\n1,b,4\n2,a,"1,0"\n2,b,"1,5"\n'])  # fmt: skip
def test_commas_that_can_be_nothing_else_and_percent_signs_are_read_as_numbers(tmp_path, text):
    ratings = read(write(tmp_path, text))
    assert (ratings.labels, ratings.scale) == (("1", "1.5", "3.5", "4"), "interval")
    assert any(warning.startswith("Read labels such as ") for warning in ratings.warnings)


def test_decimal_commas_are_found_and_read_as_numbers_by_the_option(tmp_path):
    path = write(tmp_path, COMMAS.replace("3,a,n/a\n", ""))
    [finding] = found(path, "decimal-commas")
    assert (finding.count, finding.rows, finding.option) == (1, (2,), "--decimal-comma")
    assert found(path, "joined-labels") == found(path, "off-scale") == []
    plain = read(path)
    assert plain.scale == "nominal"
    [warning] = plain.warnings
    assert warning == (
        "These labels look like numbers with a decimal comma and were read as words: '1,5'. If they are, "
        "`decimal_comma=` of `read` reads them as numbers."
    )
    turned = read(path, decimal_comma=True)
    assert (turned.labels, turned.scale) == (("1", "1.5", "4", "5"), "interval")
    assert turned.warnings == ("Read 1 label such as 1,5 as 1.5, as `decimal_comma=` of `read` says.",)
    out = tmp_path / "out.csv"
    assert main(["import", str(path), "--decimal-comma", "-o", str(out), "--quiet"]) == 0
    assert read(out).labels == turned.labels


def test_decimal_commas_are_found_beside_words_for_missing(tmp_path):
    path = write(tmp_path, COMMAS)
    assert [finding.count for finding in found(path, "decimal-commas")] == [1]
    assert [finding.option for finding in found(path, "off-scale")] == ['--map "n/a="']


@pytest.mark.parametrize(
    "labels", [["1,000", "2,500", "900"], ["1", "2", "3", "1,2", "1,3"], ["3,5", "no"], ["3", "4"]]
)
def test_thousands_response_sets_and_words_are_no_decimal_commas(tmp_path, labels):
    text = "item;rater;label\n" + "".join(f"1;r{i};{label}\n" for i, label in enumerate(labels))
    assert found(write(tmp_path, text), "decimal-commas") == []


def test_a_decimal_comma_that_is_nowhere_is_refused(tmp_path):
    path = write(tmp_path, HEADER + "1,a,3\n1,b,4\n")
    assert message_of(lambda: read(path, decimal_comma=True)) == (
        "`decimal_comma=` of `read` has nothing to do: no label is a number like 3,5. Found: 3, 4."
    )


def test_every_command_warns_of_labels_that_differ_in_case_only(tmp_path, capsys):
    path = write(tmp_path, HEADER + "1,a,Toxic\n1,b,TOXIC\n2,a,toxic\n2,b,ok\n3,a,toxic\n3,b,ok\n")
    said = (
        "These labels may be the same and were read as different ones: TOXIC (1) and Toxic (1) and toxic (2). If they "
        "are, merge them with --merge-case."
    )
    assert list(map(as_typed, read(path).warnings)) == [said]
    assert read(path, merge_case=True).labels == ("ok", "toxic")
    assert read(path, labels=["ok", "toxic", "Toxic", "TOXIC"]).warnings == ()
    for reduced in ([], ["--reduce"]):
        assert main(["describe", str(path), "--bootstrap", "0", "--json", *reduced]) == 0
        assert said in json.loads(capsys.readouterr().out)["warnings"]


@pytest.mark.parametrize("below", ["", "\n"])
def test_a_title_above_the_header_is_left_out_and_said(tmp_path, below):
    path = write(tmp_path, f"Rating study 2024,,\n{below}Comment ID,Annotator,Rating\n1,a,x\n1,b,y\n")
    ratings = read(path)
    assert triples(ratings) == [("1", "a", "x"), ("1", "b", "y")]
    assert "Left out 1 row above the header: 'Rating study 2024'." in ratings.warnings
    bad = write(tmp_path, f"Rating study 2024,,\n{below}item,rater,label\n1,a,x\n1,a,y\n")
    assert f"(row {5 if below else 4})" in message_of(lambda: read(bad))  # as a spreadsheet counts


def test_a_title_alone_in_its_row_is_left_out(tmp_path):
    assert triples(read(write(tmp_path, "Rating study 2024\nitem,rater,label\n1,a,x\n"))) == [("1", "a", "x")]


def test_a_title_in_a_workbook_is_left_out(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Rating study 2024"], [], ["Post ID", "Rater", "How bad"], ["1", "a", "x"], ["1", "b", "y"]):
        book.active.append(row)
    book.save(tmp_path / "r.xlsx")
    ratings = read(tmp_path / "r.xlsx", label="How bad")
    assert triples(ratings) == [("1", "a", "x"), ("1", "b", "y")]
    assert "Left out 1 row above the header: 'Rating study 2024'." in ratings.warnings
