"""Twenty more messy files, whose headers say little: most open by what stands in their columns."""

# ruff: noqa: PERF401, S311 - a list of files, each with random votes

import csv
import io
import json
import random
import re
import shlex

import pytest
from openpyxl import Workbook

from dissensus.cli.main import main
from dissensus.data import read
from dissensus.errors import ColumnError

from tables import write

LATER = {"10_case.csv": "--merge-case", "11_missing.csv": "--map"}
"""Files that open with the command that `doctor` proposes, and the option in it."""


def vote(rng, truth, options):
    return truth if rng.random() < 0.75 else rng.choice(options)


def file_01(put):
    """Semicolons, BOM, title and blank rows, comments and gaps."""
    r = random.Random(1)
    rows = ["Annotation round 2 (March);;;;", ";;;;", "Response ID;Anna;Ben;Chidi;Comments"]
    n = 0
    for i in range(30):
        t = r.choice(["good", "bad"])
        v = [vote(r, t, ["good", "bad"]) for _ in range(3)]
        if i % 7 == 3:
            v[1] = ""
        n += sum(map(bool, v))
        rows.append(f"R-{i:03};{';'.join(v)};{'see Slack' if i == 5 else ''}")
    put("01_round.csv", "\ufeff" + "\r\n".join(rows), items=30, raters=3, ratings=n, labels=2)


def file_02(put):
    """A survey form: a row per respondent, a column per item."""
    r = random.Random(2)
    out = io.StringIO()
    w = csv.writer(out)
    texts = [f"reply {i}" for i in range(12)]
    w.writerow(["Timestamp", "Email Address", *[f"How helpful is this answer? [{t}]" for t in texts]])
    for k in range(9):
        w.writerow(
            [
                f"2026/03/{k + 1:02} 9:1{k}:00 AM",
                f"p{k}@example.org",
                *[r.choice(["1", "2", "3", "4", "5"]) for _ in texts],
            ]
        )
    put("02_form.csv", out.getvalue(), items=12, raters=9, ratings=108, labels=5)


def file_03(put):
    """Long, many attributes that are no raters."""
    r = random.Random(3)
    out = io.StringIO()
    w = csv.writer(out)
    w.writerow(["comment_id", "worker_id", "toxicity", "time_spent_sec", "language", "worker_country", "submitted_at"])
    n = 0
    for i in range(40):
        for k in r.sample(range(15), 4):
            w.writerow(
                [
                    90000 + 17 * i,
                    f"W{k:02}",
                    r.choice([0, 1, 2]),
                    round(r.uniform(3, 90), 1),
                    "en",
                    r.choice(["US", "IN"]),
                    f"2026-02-0{k % 9 + 1}T10:00:00Z",
                ]
            )
            n += 1
    put("03_crowd.csv", out.getvalue(), items=40, raters=15, ratings=n, labels=3)


def file_04(put):
    """People and models in one sheet with the text."""
    r = random.Random(4)
    out = io.StringIO()
    w = csv.writer(out)
    w.writerow(["id", "prompt", "response", "human_1", "human_2", "human_3", "gpt-4o", "claude-3-opus"])
    for i in range(25):
        t = r.choice(["pass", "fail"])
        w.writerow(
            [
                i,
                f"Write about topic {i}, please",
                f"Sure, here it is: {i}" * 3,
                *[vote(r, t, ["pass", "fail"]) for _ in range(5)],
            ]
        )
    put("04_models.csv", out.getvalue(), items=25, raters=3, ratings=75, labels=2)


def file_05(put):
    """Latin-1, German header, semicolons."""
    r = random.Random(5)
    rows = ["Beitrag;Bewerter;Urteil"]
    for i in range(20):
        for k in ("Jörg", "Käthe", "Ümit"):
            rows.append(f"B{i};{k};{r.choice(['höflich', 'unhöflich'])}")
    put("05_german.csv", "\r\n".join(rows).encode("latin-1"), items=20, raters=3, ratings=60, labels=2)


def file_06(put):
    """'Unicode text' of Excel: UTF-16 with tabs."""
    r = random.Random(6)
    rows = ["Ticket ID\tReviewer\tVerdict"]
    for i in range(15):
        for k in ("Zoë", "Łukasz"):
            rows.append(f"T{i}\t{k}\t{r.choice(['Resolved', 'Not resolved', 'Unclear'])}")
    put("06_unicode.txt", "\r\n".join(rows).encode("utf-16"), items=15, raters=2, ratings=30, labels=3)


def file_07(put):
    """A workbook with a title, a blank row and a note below the table."""
    r = random.Random(7)
    book = Workbook()
    sheet = book.active
    sheet.title = "Labels"
    sheet.append(["Quality check of support answers"])
    sheet.append([])
    sheet.append(["Answer no.", "Mia", "Noah", "Olga", "Priya"])
    for i in range(18):
        sheet.append([i + 1, *[r.choice(["OK", "Not OK"]) for _ in range(4)]])
    b = io.BytesIO()
    book.save(b)
    put("07_quality.xlsx", b.getvalue(), items=18, raters=4, ratings=72, labels=2)


def file_08(put):
    """Nested JSONL, annotations with meta data."""
    r = random.Random(8)
    rows = []
    for i in range(22):
        rows.append(
            json.dumps(
                {
                    "id": f"doc-{i}",
                    "text": f"Some text {i}",
                    "meta": {"source": "web", "lang": "en"},
                    "annotations": [
                        {"annotator": f"a{k}", "label": r.choice(["spam", "ham"]), "created_at": "2026-01-01"}
                        for k in r.sample(range(6), 3)
                    ],
                }
            )
        )
    put("08_nested.jsonl", "\n".join(rows), items=22, raters=6, ratings=66, labels=2)


def file_09(put):
    """Headerless: label first."""
    r = random.Random(9)
    rows = []
    for i in range(30):
        for k in ("kim", "lee", "max"):
            rows.append(f"{r.choice(['relevant', 'irrelevant'])}\t{k}\tq{i}-d{i * 3}")
    put("09_headerless.tsv", "\n".join(rows), items=30, raters=3, ratings=90, labels=2)


def file_10(put):
    """Case variants and spaces."""
    r = random.Random(10)
    rows = ["sample_id,coder,code"]
    for i in range(24):
        for k in ("A", "B"):
            rows.append(f"s{i},{k},{r.choice(['Yes', 'yes', 'YES', 'No', 'no ', ' No'])}")
    put("10_case.csv", "\n".join(rows), items=24, raters=2, ratings=48, labels=2)


def file_11(put):
    """Many ways to write missing."""
    r = random.Random(11)
    rows = ["item,rater_a,rater_b,rater_c"]
    n = 0
    for i in range(28):
        v = [r.choice(["1", "2", "3", "N/A", "-", "n/a", ""]) for _ in range(3)]
        if not any(x in "123" and x for x in v):
            v[0] = "2"
        n += sum(x in ("1", "2", "3") for x in v)
        rows.append(f"x{i}," + ",".join(v))
    put("11_missing.csv", "\n".join(rows), items=28, raters=3, ratings=n, labels=3)


def file_12(put):
    """Counts of votes per label."""
    r = random.Random(12)
    rows = ["post_id,text,n_hate,n_offensive,n_neither"]
    n = 0
    for i in range(26):
        v = [0, 0, 0]
        for _ in range(5):
            v[r.randrange(3)] += 1
        n += 5
        rows.append(f'{i},"He said, ""{i}""",{",".join(map(str, v))}')
    put("12_votes.csv", "\n".join(rows), items=26, raters=None, ratings=n, labels=3)


def file_13(put):
    """Python lists in a cell."""
    r = random.Random(13)
    out = io.StringIO()
    w = csv.writer(out)
    w.writerow(["example_id", "sentence", "annotator_labels"])
    for i in range(20):
        w.writerow(
            [
                f"e{i}",
                f"A sentence, number {i}.",
                str([r.choice(["entailment", "neutral", "contradiction"]) for _ in range(5)]),
            ]
        )
    put("13_lists.csv", out.getvalue(), items=20, raters=None, ratings=100, labels=3)


def file_14(put):
    """Pandas index column before the rest."""
    r = random.Random(14)
    rows = [",question_id,annotator,rating"]
    k = 0
    for i in range(16):
        for a in ("ann1", "ann2", "ann3"):
            rows.append(f"{k},{1000 + i},{a},{r.choice([1, 2, 3, 4, 5])}")
            k += 1
    put("14_index.csv", "\n".join(rows), items=16, raters=3, ratings=48, labels=5)


def file_15(put):
    """Totals below the table."""
    r = random.Random(15)
    rows = ["Case,Rater 1,Rater 2,Rater 3"]
    for i in range(20):
        rows.append(f"C{i:02}," + ",".join(r.choice(["0", "1"]) for _ in range(3)))
    rows += ["", "Total,11,9,12"]
    put("15_totals.csv", "\n".join(rows), items=20, raters=3, ratings=60, labels=2)


def file_16(put):
    """Two exports pasted below each other, header twice."""
    r = random.Random(16)
    rows = []
    for part in range(2):
        rows.append("Item ID,Rater ID,Label")
        for i in range(12):
            for k in ("u1", "u2", "u3"):
                rows.append(f"{part * 12 + i},{k},{r.choice(['positive', 'negative', 'neutral'])}")
    put("16_pasted.csv", "\n".join(rows), items=24, raters=3, ratings=72, labels=3)


def file_17(put):
    """Scale points with words."""
    r = random.Random(17)
    points = ["1 - Strongly disagree", "2 - Disagree", "3 - Neutral", "4 - Agree", "5 - Strongly agree"]
    rows = ['response_id,evaluator,"The answer is correct"']
    for i in range(20):
        for k in ("e1", "e2", "e3"):
            rows.append(f"resp_{i},{k},{r.choice(points)}")
    put("17_likert.csv", "\n".join(rows), items=20, raters=3, ratings=60, labels=5)


def file_18(put):
    """Decimal commas."""
    r = random.Random(18)
    rows = ["segment;rater;score"]
    for i in range(20):
        for k in ("r1", "r2"):
            rows.append(f"seg{i};{k};{str(round(r.uniform(0, 100), 1)).replace('.', ',')}")
    put("18_decimal.csv", "\n".join(rows), items=20, raters=2, ratings=40, scale="interval")


def file_19(put):
    """Raters in rows, items in columns."""
    r = random.Random(19)
    rows = ["annotator," + ",".join(f"item_{i}" for i in range(14))]
    for k in range(5):
        rows.append(f"annot{k}," + ",".join(r.choice(["yes", "no", ""]) if (k + i) % 5 else "yes" for i in range(14)))
    n = sum(v != "" for row in rows[1:] for v in row.split(",")[1:])
    put("19_raters_in_rows.csv", "\n".join(rows), items=14, raters=5, ratings=n, labels=2)


def file_20(put):
    """A JSON object by item, then by rater."""
    r = random.Random(20)
    data = {
        f"img_{i}": {k: r.choice(["cat", "dog", "other"]) for k in r.sample(["ola", "pia", "quinn", "raj"], 3)}
        for i in range(18)
    }
    put("20_by_item.json", json.dumps(data, indent=1), items=18, raters=4, ratings=54, labels=3)


def build(folder):
    """Write the files; the shape that a reader expects of each."""
    want = {}

    def put(name, data, **shape):
        write(folder, data, name)
        want[name] = shape

    for number in range(1, 21):
        globals()[f"file_{number:02}"](put)
    return want


def shape_of(ratings):
    return {
        "items": ratings.n_items, "raters": None if ratings.rater is None else ratings.n_raters,
        "ratings": ratings.n_ratings, "labels": ratings.n_labels, "scale": ratings.scale,
    }  # fmt: skip


def test_of_twenty_messy_files_seventeen_open_at_the_first_try(tmp_path):
    files = build(tmp_path)
    assert len(files) == 20
    opened = {name: shape_of(read(tmp_path / name)) for name in files if name not in LATER}
    assert opened == {name: {**opened[name], **files[name]} for name in opened}


@pytest.mark.parametrize("name", LATER)
def test_the_others_open_with_the_command_that_doctor_proposes(tmp_path, monkeypatch, capsys, name):
    expected = build(tmp_path)[name]
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", name]) == 0
    out = " ".join(capsys.readouterr().out.split())
    command = re.search(r"all at once with `dissensus import (.+? -o [\w.]+)`", out)
    assert command is not None, out
    words = shlex.split(command[1])
    assert LATER[name] in words
    assert main(["import", *words]) == 0
    found = shape_of(read(tmp_path / words[-1]))
    assert found == {**found, **expected}


def test_what_was_taken_by_its_cells_is_said_and_few_rows_are_not_enough(tmp_path):
    lines = [f"t{i},{who},{'yes' if i % 3 else 'no'}" for i in range(10) for who in ("kim", "lee")]
    ratings = read(write(tmp_path, "\n".join(["Beitrag,Person,Urteil", *lines])))
    assert ratings.warnings[0].startswith(
        "Columns taken by what stands in them: Beitrag as item, Person as rater and Urteil as label"
    )
    with pytest.raises(ColumnError, match="no column 'item' and no column 'label'"):
        read(write(tmp_path, "\n".join(["Beitrag,Person,Urteil", *lines[:8]])))


def test_numbers_of_words_are_no_counts_of_raters(tmp_path):
    lines = [f"p{i},{i + 3},{i + 2},{'ab'[i % 2]},{'ab'[i % 3 % 2]}" for i in range(12)]
    ratings = read(write(tmp_path, "\n".join(["id,n_words,n_chars,kim,lee", *lines])))
    assert (ratings.n_items, ratings.labels) == (12, ("a", "b"))
