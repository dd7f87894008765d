"""Forty more messy files as survey tools and people write them: thirty chose how files are read, ten checked it."""

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

from tables import jsonl, write

FILES = {}
"""How each file is written, and the shape that its owner expects: what it was for, its name, content and shape."""


def messy(name, *, use, **shape):
    def keep(content):
        FILES[name] = (use, content, shape)
        return content

    return keep


def votes(n_items, n_raters, options, seed):
    """Labels of each item by each rater, who mostly agree."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    truth = [rng.choice(options) for _ in range(n_items)]
    return [[t if rng.random() < 0.7 else rng.choice(options) for _ in range(n_raters)] for t in truth]


def numbers(n, low, high, seed, digits=0):
    rng = random.Random(seed)  # noqa: S311 - not a secret
    return [round(rng.uniform(low, high), digits) if digits else rng.randint(low, high) for _ in range(n)]


def table(*lines, sep=","):
    out = io.StringIO()
    csv.writer(out, delimiter=sep).writerows(lines)
    return out.getvalue()


def workbook(merged=(), **sheets):
    book = Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name.replace("_", " "))
        for line in lines:
            sheet.append(line)
        for cells in merged:
            sheet.merge_cells(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


TEXTS = [
    "I waited an hour, and nobody came", "Great service as always", "meh", "The app crashes when I open it",
    "Would buy again!", "Never again. Never.", "It does what it says", "Why is there no dark mode?",
]  # fmt: skip


def text(i):
    return f"{TEXTS[i % len(TEXTS)]} (#{i})"


# ---- Twenty that chose


@messy("form.csv", use="choose", items=10, raters=8, ratings=80, labels=3)
def google_form():
    by_item = votes(10, 8, ["Yes", "No", "Not sure"], 1)
    head = ["Timestamp", "Email Address", *(f"Is comment {i + 1} rude?" for i in range(10)), "Any other remarks?"]
    remarks = ["", "no", "", "Question 3 was hard to read on my phone", "", "", "thanks!", ""]
    rows = [
        [f"11/{k + 2}/2025 14:0{k}:12", f"person{k}@uni.example", *(labels[k] for labels in by_item), remarks[k]]
        for k in range(8)
    ]
    return table(head, *rows)


@messy("Batch_4711_results.csv", use="choose", items=20, raters=6, ratings=60, labels=3)
def mturk():
    head = ["HITId", "HITTypeId", "Title", "Reward", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
            "WorkTimeInSeconds", "Input.id", "Input.text", "Answer.label", "Approve", "Reject"]  # fmt: skip
    rows = []
    for i, labels in enumerate(votes(20, 3, ["positive", "negative", "neutral"], 2)):
        for k, label in enumerate(labels):
            rows.append([f"3HIT{i}", "3TYPE", "Sentiment", "$0.05", f"3A{i}{k}", f"AW{(i + k * 2) % 6}", "Approved",
                         "Mon Mar 03 10:00:00 PST 2025", 10 + k, f"t{i}", text(i), label, "", ""])  # fmt: skip
    return table(head, *rows)


@messy("qualtrics.csv", use="choose", items=8, raters=6, ratings=48, labels=5)
def qualtrics():
    own = ["StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished", "ResponseId"]
    head = [*own, *(f"Q{i}" for i in range(1, 9))]
    second = [*own, *(f"How fluent is this translation? - Sentence {i}" for i in range(1, 9))]
    third = [json.dumps({"ImportId": name}) for name in head]
    by_item = votes(8, 6, list("12345"), 3)
    rows = [
        ["2025-03-01 10:00:00", "2025-03-01 10:09:00", "IP Address", 100, 540 + k, "True", f"R_{k}x",
         *(labels[k] for labels in by_item)]
        for k in range(6)
    ]  # fmt: skip
    return table(head, second, third, *rows)


@messy("prolific_trials.csv", use="choose", items=24, raters=9, ratings=72, labels=5)
def reaction_times_and_ages():
    times, ages = numbers(72, 400, 9000, 4), numbers(9, 19, 66, 5)
    rows = []
    for i, labels in enumerate(votes(24, 3, [1, 2, 3, 4, 5], 6)):
        for k, label in enumerate(labels):
            who = (i + k * 3) % 9
            rows.append([f"5f{who:022}", f"stim_{i:02}", label, times[3 * i + k], ages[who], "MF"[who % 2]])
    return table(["participant_id", "stimulus", "response", "rt_ms", "Age", "Sex"], *rows)


@messy("similarity.csv", use="choose", items=20, raters=3, ratings=60, labels=3)
def a_number_beside_the_item():
    similar = numbers(20, 0, 1, 7, digits=3)
    rows = [[f"pair-{i}", similar[i], 5 + i * 7 % 13, *labels] for i, labels in enumerate(votes(20, 3, [0, 1, 2], 8))]
    return table(["pair", "cosine", "tokens_diff", "Anna", "Bert", "Carla"], *rows)


@messy("study.xlsx", use="choose", items=16, raters=4, ratings=64, labels=2)
def a_note_before_the_ratings():
    rows = [[i + 1, text(i), *labels] for i, labels in enumerate(votes(16, 4, ["relevant", "not relevant"], 9))]
    return workbook(
        README=[
            ["Relevance study, spring 2025"],
            [],
            ["Contact", "Dana"],
            ["Sheet 2 has the ratings of the 4 raters."],
        ],
        Ratings=[["No", "Answer", "R1", "R2", "R3", "R4"], *rows],
    )


@messy("tags.csv", use="choose", items=15, raters=2, ratings=30, options=4)
def several_tags_in_a_cell():
    every = ["Insult", "Threat", "Profanity", "None", "Insult; Profanity", "Insult; Threat", "Threat; Profanity"]
    rows = [[f"msg{i}", who, tags] for i, pair in enumerate(votes(15, 2, every, 10))
            for who, tags in zip(("Kim", "Lou"), pair, strict=True)]  # fmt: skip
    return table(["message_id", "annotator", "tags"], *rows)


@messy("units.csv", use="choose", items=18, raters=3, ratings=54, labels=7)
def a_row_of_units():
    rows = [[f"clip{i:02}", *labels] for i, labels in enumerate(votes(18, 3, [1, 2, 3, 4, 5, 6, 7], 11))]
    return table(["Clip", "Listener A", "Listener B", "Listener C"], ["(name)", "(1-7)", "(1-7)", "(1-7)"], *rows)


@messy("means.csv", use="choose", items=20, raters=3, ratings=60, labels=5)
def mean_and_deviation_below():
    rows = [[f"E{i}", *labels] for i, labels in enumerate(votes(20, 3, [1, 2, 3, 4, 5], 12))]
    below = [["", "", "", ""], ["Mean", 3.1, 2.95, 3.4], ["SD", 1.21, 1.4, 1.08]]
    return table(["Essay", "Grader 1", "Grader 2", "Grader 3"], *rows, *below)


@messy("trailing.csv", use="choose", items=14, raters=3, ratings=42, labels=2)
def empty_columns_and_odd_blanks():
    lines = [f"{i}, {' ,'.join(labels)} ,,," for i, labels in enumerate(votes(14, 3, ["spam", "ham"], 13), start=1)]
    return "\r\n".join(["\ufeffMail\u00a0ID , Ines , Jon,Kai ,,,", *lines, ",,,,,,", ",,,,,,"])


@messy("percent.csv", use="choose", items=20, raters=2, ratings=40, scale="interval")
def percent_signs():
    shares = numbers(40, 0, 100, 14)
    rows = [[f"claim {i // 2}", "AB"[i % 2], f"{share}%"] for i, share in enumerate(shares)]
    return table(["claim", "expert", "How likely is it true?"], *rows)


@messy("noten.csv", use="choose", items=20, raters=3, ratings=60, scale="interval")
def decimal_commas_between_semicolons():
    grades = [["1,0", "1,3", "1,7", "2,0", "2,3", "2,7", "3,0", "4,0"][n] for n in numbers(60, 0, 7, 15)]
    rows = [[f"Arbeit {i}", *grades[3 * i : 3 * i + 3]] for i in range(20)]
    return table(["Arbeit", "Prüfer 1", "Prüfer 2", "Prüfer 3"], *rows, sep=";").encode("latin-1")


@messy("yes_y.csv", use="choose", items=20, raters=3, ratings=60, labels=2)
def yes_in_three_ways():
    ways = {"y": ["Yes", "yes", "Y"], "n": ["No", "no", "N"]}
    rows = [[f"q{i}", *(ways[v][(i + k) % 3] for k, v in enumerate(labels))]
            for i, labels in enumerate(votes(20, 3, ["y", "n"], 16))]  # fmt: skip
    return table(["question_id", "Ola", "Per", "Quinn"], *rows)


@messy("codes.csv", use="choose", items=25, raters=4, ratings=95, labels=5)
def codes_for_missing():
    rows = [[f"v{i}", f"r{k}", -99 if (i * 4 + k) % 20 == 3 else label]
            for i, labels in enumerate(votes(25, 4, range(1, 6), 17)) for k, label in enumerate(labels)]  # fmt: skip
    return table(["video_id", "rater_id", "quality"], *rows)


@messy("same_names.csv", use="choose", items=17, raters=3, ratings=51, labels=3)
def one_name_for_all_raters():
    rows = [[f"img_{i}.png", *labels] for i, labels in enumerate(votes(17, 3, ["cat", "dog", "neither"], 18))]
    return table(["Image", "Rating", "Rating", "Rating"], *rows)


@messy("resenas.csv", use="choose", items=20, raters=3, ratings=60, labels=3)
def the_text_is_the_item():
    rows = [[f"Reseña {i}: {text(i)}", *labels, "dudoso, ¿ironía?" if i == 4 else ""]
            for i, labels in enumerate(votes(20, 3, ["positivo", "negativo", "neutro"], 19))]  # fmt: skip
    return table(["Texto", "María", "José", "Lucía", "Observaciones"], *rows, sep=";").encode("latin-1")


@messy("likert.xlsx", use="choose", items=15, raters=4, ratings=60, labels=5)
def scale_points_below_merged_titles():
    points = ["1 - Strongly disagree", "2 - Disagree", "3 - Neither", "4 - Agree", "5 - Strongly agree"]
    rows = [[f"S{i}", text(i), *labels] for i, labels in enumerate(votes(15, 4, points, 20))]
    return workbook(
        merged=["A1:F1", "C2:F2"],
        Sheet1=[["Summaries: the summary is faithful"], ["", "", "Annotators"],
                ["ID", "Summary", "Ana", "Bo", "Cem", "Dee"], *rows],
    )  # fmt: skip


@messy("arena.csv", use="choose", items=20, raters=3, ratings=60, labels=4)
def winners_of_pairs():
    rows = [[f"p{i}", "gpt-4o", "claude-3", f"voter{k}", winner, i % 3 + 1]
            for i, labels in enumerate(votes(20, 3, ["model_a", "model_b", "tie", "tie (bothbad)"], 21))
            for k, winner in enumerate(labels)]  # fmt: skip
    return table(["prompt_id", "model_a", "model_b", "judge", "winner", "turn"], *rows)


@messy("nested.jsonl", use="choose", items=18, raters=3, ratings=54, labels=2)
def answers_deep_in_records():
    return jsonl(
        *(
            {"item": {"id": f"d{i}", "text": text(i)}, "meta": {"source": "forum"},
             "ratings": [{"by": {"name": who}, "value": label} for who, label in zip("abc", labels, strict=True)]}
            for i, labels in enumerate(votes(18, 3, ["ok", "bad"], 22))
        )
    )  # fmt: skip


@messy("with_confidence.csv", use="choose", items=20, raters=3, ratings=60, labels=3)
def a_confidence_beside_each_label():
    sure = numbers(60, 1, 5, 23)
    head = [
        "doc_id",
        *(f"{who}_{what}" for who in ("ann1", "ann2", "ann3") for what in ("label", "confidence", "time")),
    ]
    rows = [[f"doc{i}", *(cell for k, label in enumerate(labels) for cell in (label, sure[3 * i + k], 12.5 + i + k))]
            for i, labels in enumerate(votes(20, 3, ["A", "B", "C"], 24))]  # fmt: skip
    return table(head, *rows)


# ---- Ten that were written when the twenty opened, of which four opened at once; they chose, too


@messy("label_studio_min.json", use="choose again", items=15, raters=3, ratings=45, labels=3)
def label_studio_min():
    rows = [
        {"text": text(i), "id": 100 + i, "sentiment": label, "annotator": k + 1, "annotation_id": 3 * i + k,
         "created_at": "2025-01-07T10:00:00.000Z", "updated_at": "2025-01-07T10:00:09.000Z", "lead_time": 3.5 + k}
        for i, labels in enumerate(votes(15, 3, ["Positive", "Negative", "Neutral"], 31))
        for k, label in enumerate(labels)
    ]  # fmt: skip
    return json.dumps(rows)


@messy("sheet_per_rater.xlsx", use="choose again", items=15, raters=2, ratings=30, labels=3)
def a_sheet_for_each_rater():
    by_item = votes(15, 2, ["good", "fair", "poor"], 32)
    return workbook(
        **{
            who: [["ID", "Text", "Label"], *([f"a{i}", text(i), labels[k]] for i, labels in enumerate(by_item))]
            for k, who in enumerate(("Anna", "Ben"))
        }
    )


@messy("two_headers.csv", use="choose again", items=16, raters=2, ratings=32, labels=2)
def raters_above_their_columns():
    rows = [
        [f"n{i}", text(i), a, "", b, "unsure about this one" if i == 3 else ""]
        for i, (a, b) in enumerate(votes(16, 2, ["fake", "real"], 33))
    ]
    head = [["", "", "Annotator 1", "", "Annotator 2", ""], ["ID", "Headline", "Label", "Comment", "Label", "Comment"]]
    return table(*head, *rows)


@messy("survey_monkey.csv", use="choose again", items=9, raters=7, ratings=63, labels=4)
def survey_monkey():
    own = ["Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Email Address"]
    by_item = votes(9, 7, ["Very clear", "Clear", "Unclear", "Very unclear"], 34)
    rows = [
        [118_000_000 + k, 4_300_000, "03/02/2025 09:00:00 AM", "03/02/2025 09:07:00 AM", f"10.0.0.{k}", "",
         *(labels[k] for labels in by_item)]
        for k in range(7)
    ]  # fmt: skip
    head = [[*own, *(f"How clear is text {i}?" for i in range(1, 10))], [*[""] * 6, *["Response"] * 9]]
    return table(*head, *rows)


@messy("enonces.txt", use="choose again", items=21, raters=4, ratings=84, labels=2)
def french_text_of_excel():
    rows = [
        [f"É{i:02}", *labels, max(labels, key=labels.count), "à revoir" if i == 2 else ""]
        for i, labels in enumerate(votes(21, 4, ["vrai", "faux"], 35))
    ]
    head = ["Énoncé", "Chloé", "Zoé", "André", "Noël", "Consensus", "Notes"]
    return table(head, *rows, sep="\t").encode("utf-16")


@messy("log.csv", use="choose again", items=22, raters=5, ratings=66, labels=4)
def a_log_of_a_tool():
    sure = numbers(66, 0, 100, 36)
    rows = [
        [1_700_000_000 + 61 * (3 * i + k), f"u{(i + 2 * k) % 5}", f"doc-{i}.txt", label, sure[3 * i + k], "done"]
        for i, labels in enumerate(votes(22, 3, ["sports", "politics", "culture", "other"], 37))
        for k, label in enumerate(labels)
    ]
    return table(["ts", "user", "doc", "topic", "confidence", "state"], *rows)


@messy("by_annotator.json", use="choose again", items=14, raters=3, ratings=42, labels=2)
def a_record_for_each_rater_by_name():
    return json.dumps(
        [
            {"uid": f"x{i}", "text": text(i),
             "labels": {who: {"label": label, "seconds": 4 + i} for who, label in zip("pqr", labels, strict=True)}}
            for i, labels in enumerate(votes(14, 3, ["safe", "unsafe"], 38))
        ]
    )  # fmt: skip


@messy("psychopy.csv", use="choose again", items=20, raters=6, ratings=120, labels=2)
def psychopy():
    seconds = numbers(120, 0.3, 4.0, 39, digits=4)
    rows = [
        [f"sub-{k:02}", i + 1, f"faces/f{i:02}.jpg", label, seconds[6 * i + k], "2025-02-11_10h22", 59.94]
        for i, labels in enumerate(votes(20, 6, ["left", "right"], 40))
        for k, label in enumerate(labels)
    ]
    return table(["participant", "trials.thisN", "image", "key_resp.keys", "key_resp.rt", "date", "frameRate"], *rows)


@messy("note_below.xlsx", use="choose again", items=18, raters=3, ratings=54, labels=4)
def totals_and_a_note_below():
    rows = [[f"Slide {i + 1}", *labels] for i, labels in enumerate(votes(18, 3, [0, 1, 2, 3], 41))]
    below = [["Total", 27, 25, 31], [], ["Note: Dr. Weber graded slides 5 to 9 twice and kept the second grade."]]
    return workbook(Grades=[["Slide", "Dr. Novak", "Dr. Weber", "Dr. Li"], *rows, *below])


@messy("checkboxes.csv", use="choose again", items=12, raters=3, ratings=36, options=3)
def several_boxes_ticked():
    every = ["Rude", "Off topic", "Spam", "Nothing", "Rude, Off topic", "Rude, Spam", "Off topic, Spam"]
    rows = [[f"r{i}", *labels] for i, labels in enumerate(votes(12, 3, every, 42))]
    return table(["reply_id", "Sam", "Tess", "Udo"], *rows)


# ---- Ten that checked, written last: six of them opened at once, the others now do


@messy("codebook.xlsx", use="check", items=16, raters=3, ratings=48, labels=3)
def a_codebook_before_the_ratings():
    rows = [[f"T{i}", who, label] for i, labels in enumerate(votes(16, 3, [1, 2, 3], 51))
            for who, label in zip(("KM", "LP", "RS"), labels, strict=True)]  # fmt: skip
    book = [["Code", "Meaning"], [1, "not at all"], [2, "partly"], [3, "fully"]]
    return workbook(Codebook=book, Data=[["Ticket", "Coder", "Code"], *rows])


@messy("doccano.jsonl", use="check", items=12, raters=3, ratings=36, labels=2)
def doccano():
    return jsonl(*({"id": 3 * i + k, "text": text(i), "label": [label], "Comments": [], "username": f"user{k}"}
                   for i, labels in enumerate(votes(12, 3, ["spam", "ham"], 52))
                   for k, label in enumerate(labels)))  # fmt: skip


@messy("initials.csv", use="check", items=20, raters=3, ratings=60, labels=3)
def gold_and_agreement_beside_raters():
    rows = [[f"s{i:03}", text(i), *labels, labels[0], str(len(set(labels)) == 1).upper()]
            for i, labels in enumerate(votes(20, 3, ["pos", "neg", "neu"], 53))]  # fmt: skip
    return table(["Sent ID", "Sentence", "AB", "CD", "EF", "Gold", "All agree?"], *rows)


@messy("sarcasm.csv", use="check", items=18, raters=3, ratings=54, labels=2)
def a_question_as_header():
    rows = [[who, text(i), label, f"{k + 1:02}.03.2025"] for i, labels in enumerate(votes(18, 3, ["Y", "N"], 54))
            for k, (who, label) in enumerate(zip(("Mona", "Nils", "Olaf"), labels, strict=True))]  # fmt: skip
    return table(["Annotator Name", "Sentence", "Is it sarcastic? (Y/N)", "Date"], *rows, sep=";")


@messy("cases.txt", use="check", items=20, raters=4, ratings=80, labels=4)
def bars_between_cells():
    minutes = numbers(80, 1, 30, 55)
    rows = [[f"C-{i:04}", f"Dr. {'WXYZ'[k]}", label, minutes[4 * i + k]]
            for i, labels in enumerate(votes(20, 4, ["benign", "atypical", "in situ", "invasive"], 56))
            for k, label in enumerate(labels)]  # fmt: skip
    return table(["case_no", "physician", "diagnosis", "minutes"], *rows, sep="|")


@messy("numbered.csv", use="check", items=25, raters=4, ratings=100, labels=11)
def row_numbers_and_texts():
    rows = [[i + 1, text(i), *labels] for i, labels in enumerate(votes(25, 4, range(11), 57))]
    return table(["#", "Item text", "Judge 1", "Judge 2", "Judge 3", "Judge 4"], *rows)


@messy("wrapped.json", use="check", items=14, raters=3, ratings=42, labels=2)
def records_under_a_key():
    rows = [{"doc": f"d{i}", "annotator": who, "decision": label}
            for i, labels in enumerate(votes(14, 3, ["in", "out"], 58))
            for who, label in zip("uvw", labels, strict=True)]  # fmt: skip
    return json.dumps({"project": "screening", "exported": "2025-04-01", "data": rows}, indent=1)


@messy("grid.csv", use="check", items=12, raters=6, ratings=72, labels=5)
def a_grid_of_a_form():
    by_item = votes(12, 6, ["Very poor", "Poor", "Fair", "Good", "Very good"], 59)
    head = ["Timestamp", "Username", *(f"Rate the summaries [Summary {i + 1}]" for i in range(12)), "Comments"]
    rows = [[f"2025/04/{k + 1:02} 8:15:00 PM GMT+1", f"p{k}@example.org", *(labels[k] for labels in by_item), ""]
            for k in range(6)]  # fmt: skip
    return table(head, *rows)


@messy("agree.tsv", use="check", items=17, raters=3, ratings=51, labels=4)
def agreement_below():
    points = ["Disagree (1)", "Rather disagree (2)", "Rather agree (3)", "Agree (4)"]
    rows = [[f"Claim {i + 1}", *labels] for i, labels in enumerate(votes(17, 3, points, 60))]
    return table(["Claim", "Yara", "Zeno", "Abel"], *rows, ["Agreement:", "78%", "", ""], sep="\t")


@messy("crosses.csv", use="check", items=15, raters=2, ratings=30, labels=3)
def a_cross_below_each_label():
    options = ["toxic", "unclear", "fine"]
    rows = [[f"k{i}", who, *("x" if label == option else "" for option in options)]
            for i, labels in enumerate(votes(15, 2, options, 61))
            for who, label in zip(("Bea", "Cleo"), labels, strict=True)]  # fmt: skip
    return table(["comment", "coder", *options], *rows)


# ---- What is asked of all


ASKED = {
    "tags.csv": "--split", "yes_y.csv": "--merge-case", "codes.csv": "--map", "checkboxes.csv": "--split",
}  # fmt: skip
"""Files that open with the command that `doctor` proposes, and an option in it."""


def shape_of(ratings):
    return {
        "items": ratings.n_items, "raters": None if ratings.rater is None else ratings.n_raters,
        "ratings": ratings.n_ratings, "labels": ratings.n_labels, "options": len(ratings.options),
        "scale": ratings.scale,
    }  # fmt: skip


def test_most_files_open_at_the_first_try():
    by_use = {use: [name for name in FILES if FILES[name][0] == use] for use in ("choose", "choose again", "check")}
    assert [len(names) for names in by_use.values()] == [20, 10, 10]
    assert len(set(by_use["choose"]) - ASKED.keys()) >= 17


@pytest.mark.parametrize("name", [name for name in FILES if name not in ASKED])
def test_a_file_opens_with_the_shape_that_its_owner_expects(tmp_path, name):
    _, content, expected = FILES[name]
    found = shape_of(read(write(tmp_path, content(), name)))
    assert found == {**found, **expected}


@pytest.mark.parametrize("name", ASKED)
def test_another_file_opens_with_the_command_that_doctor_proposes(tmp_path, monkeypatch, capsys, name):
    _, content, expected = FILES[name]
    write(tmp_path, content(), name)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", name]) == 0
    command = re.search(
        r"all at once with `dissensus import (.+? -o [\w.]+)`", " ".join(capsys.readouterr().out.split())
    )
    words = shlex.split(command[1])
    assert ASKED[name] in words
    assert main(["import", *words]) == 0
    found = shape_of(read(tmp_path / words[-1]))
    assert found == {**found, **expected}
