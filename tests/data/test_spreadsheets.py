"""Twenty messy files as people have them: most open at the first try, the others with the command that is proposed."""

import io
import json
import re
import shlex

import pytest
from openpyxl import Workbook

from dissensus.cli.main import main
from dissensus.data import read, read_both, read_judges
from dissensus.data.doctor import doctor

from tables import jsonl, typed_message_of, write

ROWS = [
    (f"c{i}", who, "toxic" if (i + j) % 3 else "fine") for i in range(6) for j, who in enumerate(("ann", "bob", "cyd"))
]
"""Six comments, three raters, two labels."""
WIDE = {f"c{i}": [label for item, _, label in ROWS if item == f"c{i}"] for i in range(6)}
TEXTS = ["Café closed", "naïve, really", "so it goes", "what a day", "never again", 'good "stuff", that']
SHAPE = (6, 3, 18, ("fine", "toxic"))


def rows(header, *lines, sep=","):
    """A CSV text; cells with the separator or quotes are quoted."""

    def cell(value):
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if sep in text or '"' in text else text

    return "".join(sep.join(map(cell, line)) + "\n" for line in (header, *lines))


def workbook(**sheets):
    book = Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def wide_lines(before=lambda _: (), after=lambda _: ()):
    return [(f"c{i}", *before(i), *WIDE[f"c{i}"], *after(i)) for i in range(6)]


LONG = rows(("id", "annotator", "rating"), *ROWS)
FIRST_TRY = {
    "ids, annotators and ratings": ("a.csv", LONG),
    "semicolons in Latin-1": (
        "b.csv",
        rows(
            ("Comment ID", "Kommentar", "Annotator", "Rating"),
            *((i, TEXTS[int(i[1])], r, label) for i, r, label in ROWS),
            sep=";",
        ).encode("cp1252"),
    ),
    "Excel's Unicode text": ("c.txt", rows(("item", "rater", "label"), *ROWS, sep="\t").encode("utf-16")),
    "a row's id beside the comment's": (
        "d.csv",
        rows(
            ("id", "comment_id", "worker_id", "assignment_id", "created_at", "toxicity"),
            *((n, i, r, f"A{n}", f"2024-05-{n + 1:02d} 10:00", label) for n, (i, r, label) in enumerate(ROWS)),
        ),
    ),
    "texts, languages and dates beside raters": (
        "e.csv",
        rows(
            ("response_id", "text", "language", "ann", "bob", "cyd", "date"),
            *wide_lines(lambda i: (TEXTS[i], "en" if i % 2 else "de"), lambda i: (f"2024-05-0{i + 1}",)),
        ),
    ),
    "a title above the header": (
        "f.csv",
        "Toxicity study 2024,,,\n,,,\n" + rows(("item", "ann", "bob", "cyd"), *wide_lines()),
    ),
    "an unpadded title and a remark": (
        "g.csv",
        "Toxicity study\nExported by Ann on Monday\n" + rows(("item", "rater", "label"), *ROWS),
    ),
    "a workbook with a title": (
        "h.xlsx",
        workbook(
            Data=[
                ("Toxicity study",),
                (),
                ("ID", "Comment text", "Annotator 1", "Annotator 2", "Annotator 3"),
                *wide_lines(lambda i: (TEXTS[i],)),
            ]
        ),
    ),
    "majority and mean beside raters": (
        "i.csv",
        rows(
            ("tweet_id", "r1", "r2", "r3", "majority", "n_toxic"),
            *wide_lines(after=lambda i: (max(WIDE[f"c{i}"], key=WIDE[f"c{i}"].count), WIDE[f"c{i}"].count("toxic"))),
        ),
    ),
    "the index of a frame": ("j.csv", rows(("", "ann", "bob", "cyd"), *wide_lines())),
    "no header, a row per rating": ("k.csv", rows(*ROWS)),
    "no header, lists of labels": (
        "l.tsv",
        "".join(f"c{i}\t{i / 2 - 1.1}\t0.{i}5\t{json.dumps(WIDE[f'c{i}'])}\n" for i in range(6)),
    ),
    "a list of annotations in each record": (
        "m.jsonl",
        jsonl(
            *(
                {
                    "id": i,
                    "text": "x",
                    "annotations": [{"annotator": r, "label": label} for item, r, label in ROWS if item == i],
                }
                for i in WIDE
            )
        ),
    ),
    "labels by rater in each record": (
        "n.jsonl",
        jsonl(*({"meta": {"id": i}, "ratings": dict(zip(("ann", "bob", "cyd"), WIDE[i], strict=True))} for i in WIDE)),
    ),
    "names in camel case": ("o.csv", rows(("itemId", "annotatorName", "labelValue"), *ROWS)),
    "a JSON list of records": (
        "p.json",
        json.dumps([{"question_id": i, "user": r, "answer": label} for i, r, label in ROWS]),
    ),
    "a mark of order, Windows' line ends, blank rows, commas too many": (
        "q.csv",
        "\ufeff" + "item,rater,label,\r\n" + "".join(f"{i},{r},{label},\r\n" for i, r, label in ROWS) + "\r\n\r\n",
    ),
    "judges beside people": (
        "r.csv",
        rows(
            ("id", "text", "human_1", "human_2", "human_3", "gpt-4o", "claude-3"),
            *wide_lines(lambda i: (TEXTS[i],), lambda i: ("fine", "toxic" if i else "fine")),
        ),
    ),
}
LATER = {
    "two columns of labels": (
        "s.csv",
        rows(("id", "annotator", "rating", "score"), *((*row, 1 + n % 4) for n, row in enumerate(ROWS))),
        "--label rating",
    ),
    "labels in several spellings": (
        "t.csv",
        rows(
            ("id", "annotator", "rating"),
            *((i, r, label.upper() if n % 5 == 0 else label) for n, (i, r, label) in enumerate(ROWS)),
        ),
        "--merge-case",
    ),
}


def test_there_are_twenty_files_of_which_seventeen_open_at_the_first_try():
    assert len(FIRST_TRY) + len(LATER) == 20
    assert len(FIRST_TRY) >= 17


@pytest.mark.parametrize("name", FIRST_TRY)
def test_a_messy_file_opens_at_the_first_try(tmp_path, name):
    ratings = read(write(tmp_path, *reversed(FIRST_TRY[name])))
    raters = ratings.n_raters if ratings.rater is not None else 3
    assert (ratings.n_items, raters, ratings.n_ratings, ratings.labels) == SHAPE, ratings.warnings
    # What was guessed is said, and the ratings are those that were given.
    counts = [[labels.count(label) for label in SHAPE[3]] for labels in WIDE.values()]
    assert ratings.counts().tolist() == counts


def pasted(name, capsys):
    """The command that `doctor` proposes for a file, as its words."""
    assert main(["doctor", name]) == 0
    out = " ".join(capsys.readouterr().out.split())
    command = re.search(r"all at once with `dissensus import (.+? -o [\w.]+)`", out)
    assert command is not None, out
    return shlex.split(command[1])


@pytest.mark.parametrize("name", LATER)
def test_other_files_open_with_the_command_that_doctor_proposes(tmp_path, monkeypatch, capsys, name):
    file, content, option = LATER[name]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, content, file)
    words = pasted(file, capsys)
    assert set(option.split()) <= set(words)
    assert main(["import", *words]) == 0
    ratings = read(tmp_path / words[-1])
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings, ratings.labels) == SHAPE


def test_of_two_columns_that_are_called_like_labels_none_is_taken_for_what_stands_in_it(tmp_path):
    # Of the two only the score has a value twice, as labels have.
    path = write(tmp_path, "text_id,annotator,rating,score\n17,ann,2,20\n17,bob,3,30\n18,ann,1,20\n")
    assert typed_message_of(lambda: read(path)).endswith("The likely match is rating: add --label rating.")


def test_judges_beside_people_are_left_to_read_judges(tmp_path):
    path = write(tmp_path, *reversed(FIRST_TRY["judges beside people"]))
    assert "Taken for judges by their names, and not for raters: gpt-4o, claude-3." in read(path).warnings
    assert read_judges(path).judges == ("claude-3", "gpt-4o")


GERMAN = [("Bewertung der Antworten",), ("Nr.", "Text", "Anna", "Björn", "Eva", "GPT-4o", "Llama 3", "Bemerkungen")] + [
    (
        i,
        f"Antwort {i}",
        *(f"{1 + (i + j) % 4},5" if (i + j) % 3 else str(2 + i % 3) for j in range(5)),
        "?" if i == 7 else "",
    )
    for i in range(1, 31)
]
"""A title above the header, decimal commas as text, people and judges side by side, and remarks."""


@pytest.mark.parametrize("item", [{}, {"item": "Nr."}])
@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_a_german_sheet_of_people_and_judges_is_read_on_both_sides(tmp_path, kind, item):
    csv = rows(GERMAN[1], *GERMAN[2:], sep=";")
    path = write(tmp_path, workbook(Blatt=GERMAN) if kind == "xlsx" else csv, f"b.{kind}")
    ratings, judges = read_both(path, **item)
    assert (ratings.raters, judges.judges) == (("Anna", "Björn", "Eva"), ("GPT-4o", "Llama 3"))
    numbers = ("1.5", "2", "2.5", "3", "3.5", "4", "4.5")
    assert ratings.scale == "interval"
    assert ratings.labels == numbers
    assert {*judges.labels} <= {*numbers}
    assert {finding.check for finding in doctor(path, judges=True, **item).findings} == set()


def test_judges_of_a_sheet_with_people_are_imported_by_their_names(tmp_path, capsys):
    path = write(tmp_path, workbook(Blatt=GERMAN), "b.xlsx")
    for number, more in enumerate(([], ["--item", "Nr."], ["--item", "Nr.", "--decimal-comma"])):
        out = tmp_path / f"{number}.csv"
        assert main(["import", str(path), "--judges", *more, "-o", str(out)]) == 0
        assert "Judges by their names: GPT-4o, Llama 3." in capsys.readouterr().out
        assert read_judges(out).judges == ("GPT-4o", "Llama 3")
        assert "2.5" in read_judges(out).labels
    assert main(["report", str(path), "--item", "Nr.", "-o", str(tmp_path / "r.html")]) == 0
    assert "Llama 3 comes closest" in capsys.readouterr().out


FAULTS = ("Factual error", "Rude tone", "Missing steps, incomplete")
QUESTION = "Which problems does this answer have? (select all that apply, or none)"
FORM = [
    (f"11/02/2026 10:{i:02}:{j:02}", who, f"A{i:03}", "; ".join(FAULTS[k] for k in {(i * j) % 3, (i + j) % 3}), "")
    for i in range(20)
    for j, who in enumerate(("ann@x.org", "bob@x.org", "cyd@x.org"))
]


def test_the_answers_to_a_form_are_read_by_address_and_by_what_stands_in_the_long_question(tmp_path):
    header = ("Timestamp", "Email Address", "Answer ID", QUESTION, "Any comments?")
    path = write(tmp_path, rows(header, *FORM), "form.csv")
    ratings = read(path)
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings) == (20, 3, 60)
    [message] = [one.message for one in doctor(path).findings if one.check == "joined-labels"]
    assert "'Factual error; Rude tone'" in message
    assert set(read(path, split=";").options) == set(FAULTS)


def test_an_option_with_a_comma_is_no_response_set_where_bars_part_the_options(tmp_path):
    faults = ["Factual error", "Missing steps, incomplete", "Factual error|Missing steps, incomplete"]
    lines = [(f"i{i}", who, faults[(i + j) % 3]) for i in range(9) for j, who in enumerate("abc")]
    path = write(tmp_path, rows(("item", "rater", "label"), *lines), "ratings.csv")
    assert doctor(path).findings == ()


def test_the_proposed_command_has_what_the_user_said_and_asks_for_the_question(tmp_path, capsys):
    lines = [
        (f"c{i}", who, question, "N/A" if i == j else ("Yes", "No")[i * (i + j) % 7 % 2], "x")
        for question in ("Helpful?", "Polite?") for i in range(12) for j, who in enumerate(("ann", "bob", "cyd"))
    ]  # fmt: skip
    lines.append((*lines[0][:3], "Yes", "x"))
    path = write(tmp_path, rows(("conversation_id", "writer", "question", "answer", "session"), *lines), "export.csv")
    assert main(["doctor", str(path), "--rater", "writer"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "one question after the other" in said
    [command] = re.findall(r"`(dissensus import .*?)`", said)
    arguments = shlex.split(command.replace("QUESTION", "Helpful?").replace("export.csv", str(path), 1))[1:]
    out = tmp_path / "ratings.csv"
    assert main([*arguments[:-1], str(out)]) == 0
    assert "question   Helpful?" in capsys.readouterr().out
    ratings = read(out)
    assert (ratings.raters, ratings.labels, ratings.n_ratings) == (("ann", "bob", "cyd"), ("No", "Yes"), 34)


def test_a_sheet_of_judges_is_proposed_to_be_read_as_one_beside_its_ratings(tmp_path, capsys):
    people = write(
        tmp_path, rows(("item", "rater", "label"), *((f"A{i}", r, FAULTS[i % 2]) for i in range(9) for r in "ab"))
    )
    names = ("Answer ID", "gpt-4o", "plain", "random")
    sets = ("Factual error", "Rude tone", "Factual error; Rude tone")
    judges = [(f"A{i}", *(sets[(i * k) % 3] for k in (1, 2, 4))) for i in range(9)]
    path = write(tmp_path, rows(names, *judges), "j.csv")
    assert main(["doctor", str(path), "--ratings", str(people)]) == 0
    [command] = re.findall(r"`(dissensus import .*?)`", " ".join(capsys.readouterr().out.split()))
    arguments = shlex.split(command.replace("j.csv", str(path), 1))[1:]
    assert main([*arguments[:-1], str(tmp_path / "out.csv")]) == 0
    assert read_judges(tmp_path / "out.csv").judges == ("gpt-4o", "plain", "random")


def test_labels_that_may_be_misread_are_said_before_other_warnings_and_once(tmp_path, capsys):
    header = ("Timestamp", "Email Address", "Answer ID", QUESTION, "Any comments?")
    people = write(tmp_path, rows(header, *FORM), "form.csv")
    answers = [(row[2], row[3]) for row in FORM if row[1] == "bob@x.org"]
    judges = write(tmp_path, rows(("Answer ID", "gpt-4o"), *answers), "judges.csv")
    assert main(["describe", str(people)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.index("These labels may be several") < said.index("Columns taken by their names")
    assert '`dissensus import --split ";"`' in said
    assert main(["decide", str(people), str(judges), "--bootstrap", "20", "--details"]) == 0
    assert capsys.readouterr().out.count("These labels may be several") == 1
