"""The sheets of somebody who has read the README only: what is read, and what is said where it cannot be."""

import json

import pandas as pd
import pytest

from dissensus import decide, doctor, read, read_both, read_judges
from dissensus.cli.main import main
from dissensus.data import as_data

from tables import message_of, typed_message_of, write

ITEMS = [f"t{i}" for i in range(12)]
YES = ["yes", "no", "yes", "no", "no", "yes"] * 2
JA = ["Ja" if one == "yes" else "Nein" for one in YES]
NO = YES[1:] + YES[:1]


def sheet(**columns):
    return {"item": ITEMS, **columns}


def saved(folder, name="sheet.csv", **columns):
    path = folder / name
    pd.DataFrame(sheet(**columns)).to_csv(path, index=False)
    return str(path)


def run(capsys, *words):
    """Exit status, and what a command says on one line."""
    status = main([*words])
    said = capsys.readouterr()
    return status, " ".join((said.out + said.err).split())


QUICK = ("--bootstrap", "0")

# ---- Judges in columns beside people


TWO_LANGUAGES = sheet(human1=YES, human2=NO, human3=YES, gpt=YES, Claude=JA)


@pytest.mark.parametrize("named", [{}, {"people": "human*"}, {"judges": "gpt*,Claude"}])
def test_a_judge_who_answers_in_other_words_is_read_and_named_first(named):
    ratings, judges = read_both(TWO_LANGUAGES, **named)
    assert judges.judges == ("Claude", "gpt")
    [warning] = [one for one in judges.on_items_of(ratings).warnings if "never gave" in one]
    assert warning == (
        "The judge Claude never gave a label of the people (no, yes), but Ja, Nein: unless these are labels of their "
        'own, say which of people\'s each means with `label_map=` of `read_judges` "Ja=LABEL,Nein=LABEL", or name the '
        "other judges with judge=."
    )
    assert read_both(TWO_LANGUAGES, label_map={"Ja": "yes", "Nein": "no"}, **named)[1].labels == ("no", "yes")


def test_such_a_judge_comes_before_all_notes_of_the_answer(tmp_path, capsys):
    path = saved(tmp_path, **{name: TWO_LANGUAGES[name] for name in TWO_LANGUAGES if name != "item"})
    status, said = run(capsys, "decide", path, "--bootstrap", "20")
    assert status == 0
    assert said.index("The judge Claude never gave") < said.index("- Add raters")
    status, said = run(capsys, "decide", path, "--judges", "Claude", *QUICK)
    assert said.startswith("Check the labels first: no judge gave one of people's. Use no judge yet")
    assert run(capsys, "decide", path, "--map", "Ja=yes,Nein=no", *QUICK)[0] == 0


def test_a_column_that_says_which_model_wrote_the_text_is_no_judge():
    table = sheet(ann=YES, bob=NO, model=["gpt-4", "llama"] * 6, prediction_version=["v1"] * 12)
    assert "does not say who is a judge" in message_of(lambda: read_both(table))


def test_a_sheet_without_answers_says_that_it_has_none(tmp_path):
    path = write(tmp_path, "item\n1\n2\n", "items.csv")
    assert message_of(lambda: read_both(path)).endswith("Found: no column of answers.")


def test_a_judge_that_is_named_is_taken_out_of_people():
    table = sheet(Hilfreich_Anna=JA, Hilfreich_Ben=JA, Hilfreich_GPT=JA, Hilfreich_Auto=JA)
    for judge in ("Hilfreich_GPT", "Hilfreich_Auto"):
        ratings, judges = read_both(table, people="Hilfreich_*", judges=judge)
        assert judges.judges == (judge,)
        assert judge not in ratings.raters
        assert len(ratings.raters) == 3


def test_a_column_of_labels_that_is_named_is_the_only_one_of_people():
    ratings, judges = read_both(sheet(ann=YES, bob=NO, gpt=YES), label="bob")
    assert (ratings.raters, judges.judges) == (("bob",), ("gpt",))


def test_labels_of_two_files_that_have_none_in_common_are_named_first_until_they_are_renamed(tmp_path, capsys):
    people = saved(tmp_path, "people.csv", ann=JA, bob=JA[1:] + JA[:1])
    judges = write(tmp_path, "item,judge,label\n" + "".join(map("{},gpt,{}\n".format, ITEMS, YES)), "judges.csv")
    first = "Check the labels first: no judge gave one of people's."
    status, said = run(capsys, "decide", people, str(judges), *QUICK)
    assert said.startswith(first)
    assert (
        "- No judge gave a label of the people (Ja, Nein), but no, yes: unless these are labels of their own, say "
        'which of people\'s each means with --map "no=LABEL,yes=LABEL".'
    ) in said
    for command in ("decide", "equivalence", "judges", "panel", "gate"):
        more = ["--judge", "gpt", "--min-equivalence", "0", "--bootstrap", "20"] if command == "gate" else QUICK
        status, said = run(capsys, command, people, str(judges), *more, "--map", "yes=Ja,no=Nein")
        assert status < 2, said
        assert first not in said


def test_probabilities_of_labels_that_people_never_gave_are_named_and_their_columns_renamed(tmp_path, capsys):
    people = saved(tmp_path, "people.csv", ann=JA, bob=JA[1:] + JA[:1])
    judges = saved(tmp_path, "judges.csv", judge=["gpt"] * 12, p_yes=[0.7] * 12, p_no=[0.3] * 12)
    assert "No judge gave a label" in run(capsys, "decide", people, judges, *QUICK)[1]
    renamed = read_judges(judges, label_map={"yes": "Ja", "no": "Nein"}, merge_case=True)
    assert renamed.labels == ("Ja", "Nein")
    assert renamed.probability[0].tolist() == [0.7, 0.3]
    assert run(capsys, "decide", people, judges, *QUICK, "--map", "yes=Ja,no=Nein")[0] == 0
    each = run(capsys, "decide", people, judges, *QUICK, "--map", "yes=Ja", "--map", "no=Nein")
    assert each == run(capsys, "decide", people, judges, *QUICK, "--map", "yes=Ja,no=Nein")
    assert "renames 'maybe', but there is no such label" in message_of(
        lambda: read_judges(judges, label_map={"maybe": "x"})
    )


def test_case_is_merged_into_the_labels_of_probability_columns():
    table = {
        "item": ITEMS,
        "judge": ["gpt"] * 12,
        "label": ["NO", "Yes", *YES[2:]],
        "p_yes": [0.7] * 12,
        "p_no": [0.3] * 12,
    }
    assert read_judges(table, merge_case=True).labels == ("no", "yes")
    assert read_judges(table, merge_case=True, label_map={"yes": "Ja", "Yes": "JA"}).labels == ("Ja", "no")
    twice = {**table, "p_yes": [0.3] * 12, "p_Yes": [0.4] * 12}
    assert "rename these columns in the file" in message_of(lambda: read_judges(twice, merge_case=True))


def test_case_is_merged_in_two_files_as_in_one(tmp_path, capsys):
    people = saved(tmp_path, "people.csv", ann=YES, bob=NO)
    judges = write(
        tmp_path,
        "item,judge,label\n" + "".join(f"{i},gpt,{one.upper()}\n" for i, one in zip(ITEMS, YES, strict=True)),
        "judges.csv",
    )
    assert main(["decide", people, str(judges), *QUICK, "--merge-case", "--json"]) == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert "Merged YES (6 times) into the label yes, as --merge-case says." in warnings
    assert not any("--map" in warning for warning in warnings)


# ---- Several questions in columns

TWO_QUESTIONS = {"Helpful_A": YES, "Helpful_B": YES, "Correct_A": NO, "Correct_B": NO}


def test_columns_of_several_questions_are_named_and_read_alone(tmp_path, capsys):
    path = saved(tmp_path, **TWO_QUESTIONS, Helpful_GPT=YES, Correct_GPT=NO)
    for command in ("describe", "doctor", "decide", "import"):
        said = run(capsys, command, path, *(() if command in {"doctor", "import"} else QUICK))[1]
        assert "named like 2 questions (Helpful, Correct) to A, B, and were read as one question to 4 raters" in said
        assert 'such as with --rater "Helpful_*"' in said
    for option in ("--rater", "--people"):
        assert main(["decide", path, option, "Helpful_*", *QUICK, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)["data"]
        assert (data["ratings"]["raters"], data["judges"]["judges"]) == (2, ["Helpful_GPT"])
    assert "Helpful_GPT" not in read(path, rater="Helpful_*").raters


# ---- Numbers with commas


def test_a_decimal_comma_is_a_number_to_import_doctor_and_decide(tmp_path, capsys):
    half = ["0", "0,5", "1", "0,5", "0", "1"] * 2
    path = saved(tmp_path, human1=half, human2=half[1:] + half[:1], gpt=half)
    assert read(path).labels == ("0", "0.5", "1")
    assert "--split" not in run(capsys, "doctor", path)[1]
    assert "decimal" not in run(capsys, "doctor", path)[1]
    assert main(["decide", path, *QUICK, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["data"]["ratings"]["scale"] == "interval"
    assert read(path, decimal_comma=True).labels == ("0", "0.5", "1")  # whoever says so is not refused


# ---- What doctor says of a sheet with people and judges


def test_doctor_checks_judges_beside_people_and_fixes_both_with_one_command(tmp_path, capsys):
    columns = {"human1": YES, "human2": [one.title() for one in NO], "gpt": YES, "Claude": [one.upper() for one in YES]}
    path = saved(tmp_path, **columns)
    result = doctor(path)
    assert result.holds == "both"
    assert any(finding.message.startswith("Judges: ") for finding in result.findings)
    said = run(capsys, "doctor", path)[1]
    assert "Fix all at once with `dissensus decide sheet.csv --merge-case`, or with these options of any" in said
    assert run(capsys, "decide", path, "--merge-case", *QUICK)[0] == 0


def test_doctor_imports_people_and_judges_where_only_an_import_fixes_them(tmp_path, capsys):
    joined = ["a, b", "a", "b"] * 4
    said = run(capsys, "doctor", saved(tmp_path, human1=joined, human2=joined, gpt=joined))[1]
    assert 'dissensus import sheet.csv --split "," -o ratings.csv` and `dissensus import sheet.csv --judges' in said
    assert "then use the files that they write" in said


def test_doctor_counts_what_it_shows(tmp_path, capsys):
    said = run(capsys, "doctor", saved(tmp_path, human1=YES, human2=NO, gpt=YES))[1]
    assert said.startswith("sheet.csv (wide) has 24 ratings of 12 items: 1 note.")


def test_a_mark_of_no_answer_is_named_before_other_notes(tmp_path, capsys):
    marked = ["N/A", *YES[1:]]
    path = saved(tmp_path, human1=marked, human2=NO, human3=YES, gpt=YES)
    said = run(capsys, "decide", path, "--bootstrap", "20")[1]
    assert said.index("'N/A' was read as a label (1 time)") < said.index("- Add raters")
    assert 'leave it out with --map "N/A=".' in said
    assert run(capsys, "decide", path, "--map", "N/A=", *QUICK)[0] == 0


def test_one_column_is_a_judge_if_the_user_says_so(tmp_path):
    path = saved(tmp_path, ann=YES, bob=NO, autograder=YES)
    judges = read_judges(path, judge="autograder")
    assert (judges.judges, judges.n_answers) == (("autograder",), 12)
    long = saved(tmp_path, "long.csv", model=["x"] * 12, verdict=YES)
    assert read_judges(long, judge="model").judges == ("x",)
    assert "no column 'labell'" in typed_message_of(lambda: read_judges(path, judge="autograder", label="labell"))


# ---- Two files in the wrong order, one file twice, names with a slip

TIDY_JUDGES = "item,judge,label\n" + "".join(
    f"{item},gpt-4o,{one}\n{item},mini,{one}\n" for item, one in zip(ITEMS, YES, strict=True)
)
TIDY_PEOPLE = "item,rater,label\n" + "".join(
    f"{item},ann,{one}\n{item},bob,no\n" for item, one in zip(ITEMS, YES, strict=True)
)


@pytest.mark.parametrize("is_wide", [False, True])
def test_files_in_the_wrong_order_are_called_swapped(tmp_path, capsys, is_wide):
    if is_wide:
        people, judges = (
            saved(tmp_path, "people.csv", ann=YES, bob=NO),
            saved(tmp_path, "judges.csv", gpt=YES, llama=NO),
        )
    else:
        people, judges = (
            str(write(tmp_path, TIDY_PEOPLE, "people.csv")),
            str(write(tmp_path, TIDY_JUDGES, "judges.csv")),
        )
    swapped = (
        "The files seem to be swapped: judges.csv has judges' answers, and people.csv people's. Name people's ratings "
        "first, then judges.csv."
    )
    for command in ("decide", "report", "judges"):
        status, said = run(capsys, command, judges, people)
        assert (status, said) == (2, f"dissensus: {swapped}")
    assert message_of(lambda: decide(judges, people)) == swapped
    assert run(capsys, "decide", people, judges, *QUICK)[0] == 0


def test_people_who_are_called_judges_are_people(tmp_path, capsys):
    people = write(tmp_path, TIDY_PEOPLE.replace("rater", "judge"), "contest.csv")
    judges = write(tmp_path, TIDY_JUDGES.replace("judge", "model"), "models.csv")
    assert run(capsys, "decide", str(people), str(judges), *QUICK)[0] == 0


def test_judges_without_people_are_refused_unless_they_are_called_raters(tmp_path, capsys):
    path = str(write(tmp_path, TIDY_JUDGES, "judges.csv"))
    only = (
        "dissensus: judges.csv has judges' answers and nobody's ratings: name people's ratings first; if they are the "
        "raters, add --rater judge."
    )
    for files in ([path], [path, path]):
        assert run(capsys, "decide", *files) == (2, only)
    assert run(capsys, "decide", path, path, "--rater", "judge", *QUICK)[0] == 0


@pytest.mark.parametrize("is_wide", [False, True])
def test_describe_says_that_a_file_has_judges_only(tmp_path, capsys, is_wide):
    wide = {"gpt-4o": YES, "mini-llama": NO}
    path = saved(tmp_path, "judges.csv", **wide) if is_wide else str(write(tmp_path, TIDY_JUDGES, "judges.csv"))
    said = run(capsys, "describe", path, *QUICK)[1]
    who = "gpt-4o, mini-llama" if is_wide else "gpt-4o, mini"
    assert f"- judges.csv looks like judges' answers, by {who}, and was read as people's ratings" in said


def test_a_slip_in_a_name_is_answered_with_the_likely_match(tmp_path, capsys):
    people, judges = (
        str(write(tmp_path, text, name)) for text, name in ((TIDY_PEOPLE, "p.csv"), (TIDY_JUDGES, "j.csv"))
    )
    wide = saved(tmp_path, ann=YES, Claude=NO)
    slips = {
        ("equivalence", people, judges, "--judge", "gpt4o"): "gpt-4o",
        ("compare", people, judges, "--a", "gpt-4o", "--b", "Mini"): "mini",
        ("judges", people, judges, "--positive", "Yes"): "yes",
        ("decide", people, judges, "--label", "labl"): "label",
        ("decide", wide, "--judges", "Cloude"): "Claude",
        ("describe", people, "--scale", "ordnal"): "ordinal",
    }
    for words, meant in slips.items():
        status, said = run(capsys, *words)
        assert status == 2
        assert said.endswith(f" The likely match is {meant}.")


# ---- What is written


@pytest.mark.parametrize(
    ("command", "file", "ending"),
    [
        ("decide", "r.xlsx", ".csv"), ("items", "r.parquet", ".csv"), ("route", "r.json", ".csv"),
        ("apply", "r.xlsx", ".csv"), ("demo", "r.pdf", ".html"),
        ("reproduce", "r.pdf", ".html"),
    ],
)  # fmt: skip
def test_a_file_of_a_kind_that_is_not_written_is_refused_before_the_work(tmp_path, capsys, command, file, ending):
    missing = [str(tmp_path / "no.csv")] * {"demo": 0, "reproduce": 0}.get(command, 2)
    status, said = run(capsys, command, *missing, "-o", str(tmp_path / file))
    assert status == 2
    assert "and we write" in said
    assert said.endswith(f"name a file that ends in {ending}.")


def test_a_report_of_another_kind_is_refused_before_files_are_read(tmp_path, capsys):
    status, said = run(capsys, "report", str(tmp_path / "no.csv"), "-o", str(tmp_path / "r.xlsx"))
    assert (status, "a report is written as html, md or json" in said) == (2, True)


# ---- Labels that go on, ids that a spreadsheet changed, a sheet that lies on its side


def judged(folder, labels, ids=ITEMS):
    rows = "".join(f'{item},gpt,"{label}"\n' for item, label in zip(ids, labels, strict=True))
    return str(write(folder, f"item,judge,label\n{rows}", "judges.csv"))


def test_a_judge_who_explains_its_labels_is_told_which_they_are(tmp_path, capsys):
    people = saved(tmp_path, "people.csv", ann=YES, bob=NO)
    verbose = ["Yes." if one == "yes" else "no, since" for one in YES]
    judges = judged(tmp_path, [*verbose[:10], "yes", "no"])  # some are people's
    status, said = run(capsys, "decide", people, judges, *QUICK)
    option = "'Yes.=yes,\"no, since=no\"'"
    assert status == 0
    assert "These labels of judges may mean people's and were read as different ones: 'Yes.' for yes" in said
    assert said.count(f"--map {option}") == 1
    renamed = run(capsys, "decide", people, judges, *QUICK, "--map", 'Yes.=yes,"no, since=no"')[1]
    assert "may mean" not in renamed
    assert (
        f"say which of people's each means with --map {option}"
        in run(capsys, "decide", people, judged(tmp_path, verbose), *QUICK)[1]
    )


def test_the_number_of_a_step_means_the_step():
    steps = ["1 - bad", "2 - ok", "3 - good"] * 4
    ratings, judges = read_both(
        sheet(ann=steps, bob=steps[1:] + steps[:1], gpt=[step[0] for step in steps]), judges="gpt"
    )
    [warning] = [one for one in judges.on_items_of(ratings).warnings if "gave a label" in one]
    assert warning.endswith('"1=1 - bad,2=2 - ok,3=3 - good".')
    scores = read_both(sheet(ann=YES, bob=NO, gpt=["1", "2"] * 6), judges="gpt")  # a scale of its own
    assert not any("gave a label" in one for one in scores[1].on_items_of(scores[0]).warnings)


@pytest.mark.parametrize("form", ["{}", "{}.0"])
def test_ids_that_lost_their_zeros_are_the_same_items_and_said(tmp_path, capsys, form):
    rows = "".join(f"{i:04d},{who},{one}\n" for i, one in enumerate(YES) for who in ("ann", "bob"))
    people = str(write(tmp_path, f"item,rater,label\n{rows}", "people.csv"))
    judges = judged(tmp_path, YES, [form.format(i) for i in range(12)])
    assert main(["judges", people, judges, *QUICK, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    number = form.format(0)
    note = f"Matched items whose ids are the same number: {number} of the judges is 0000 of the people."
    assert note in out["warnings"]
    assert out["data"]["judges"]["items"] == 12
    assert run(capsys, "judges", people, judges, *QUICK)[0] == 0
    answers = as_data(people, judges)[1]
    assert {answers.items[i]: answers.labels[one] for i, one in zip(answers.item, answers.label, strict=True)} == {
        f"{i:04d}": one for i, one in enumerate(YES)
    }  # every answer met its own item


def test_ids_that_are_one_number_in_one_file_stay_apart(tmp_path, capsys):
    rows = "".join(f"{item},{who},yes\n" for item in ("1", "01", "2") for who in ("ann", "bob"))
    people = str(write(tmp_path, f"item,rater,label\n{rows}", "people.csv"))
    assert "share no item" in run(capsys, "decide", people, judged(tmp_path, ["yes"] * 2, ["001", "002"]), *QUICK)[1]


def test_a_sheet_with_raters_in_rows_is_turned_by_the_import_that_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [[who, *YES] for who in ("anna", "ben", "cem", "gpt-4o")]
    pd.DataFrame(rows, columns=["rater", *ITEMS]).to_csv("sheet.csv", index=False)
    status, said = run(capsys, "decide", "sheet.csv")
    assert status == 2
    command = "dissensus import sheet.csv -o ratings.csv"
    assert f"turn it with `{command}`" in said
    assert run(capsys, *command.split()[1:])[0] == 0
    assert run(capsys, "decide", "ratings.csv", *QUICK)[0] == 0


@pytest.mark.parametrize("judge", ["Modell", "KI", "AI label"])
def test_judges_with_other_names_are_known(judge):
    assert read_both(sheet(Anna=YES, Ben=NO, **{judge: YES}))[1].judges == (judge,)


@pytest.mark.parametrize("names", [("Kommentar-Nr", "Modell", "Antwort"), ("項目", "モデル", "評価")])
def test_judges_under_names_in_other_languages_are_known_by_what_stands_in_the_columns(tmp_path, names):
    rows = [(item, judge, one) for judge in ("gpt-4o", "claude") for item, one in zip(ITEMS, YES, strict=True)]
    frame = pd.DataFrame(rows, columns=names)
    path = tmp_path / "judges.csv"
    frame.to_csv(path, index=False)
    judges = read_judges(path)
    assert sorted((r["item"], r["judge"], r["label"]) for r in judges.rows()) == sorted(rows)
    item, judge, label = names
    assert judges.warnings[0] == (
        f"Columns taken by what stands in them: {item} as item, {judge} as judge and {label} as label."
    )
    frame.assign(topic=NO * 2).to_csv(path, index=False)  # two columns may be the label
    message = message_of(lambda: read_judges(path))
    assert "no column 'item'" in message
