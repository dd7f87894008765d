"""What every command prints unless it is asked for details: the answer first, one table, a few notes, on one screen."""

import contextlib
import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from textwrap import wrap
from typing import NamedTuple

import pandas as pd
import pytest

import dissensus
from dissensus.cli.inputs import Output
from dissensus.cli.main import COMMANDS, WRONG_INPUT, main
from dissensus.data.collection import Collection, Event, new_key
from dissensus.data.paths import example_path
from dissensus.report.document import Fold, Note, Paragraph, Points, Table
from dissensus.report.views.section import section_of
from dissensus.results import Result

from collect_project import make_project
from eliciting_server import Says, ScriptedServer

MOST_LINES, MOST_WORDS, MOST_NOTES, WIDTH = 25, 30, 3, 80
MOST_WORDS_IN_ALL = 300
"""Numbers and labels of the table among them: about a minute's reading."""
MOST_WORDS_ON_A_PAGE = 2500
RULE = re.compile(r"^ *─{8,} *$")

FILES = ("ratings.csv", "judges.csv")
BOTH = "{ratings} {judges}"
FEW = f"{BOTH} --bootstrap 20"
TYPED = {
    "decide": FEW,
    "import": "{ratings}",
    "doctor": "{ratings}",
    "describe": "{ratings} --bootstrap 20",
    "raters": FEW,
    "equivalence": FEW,
    "judges": FEW,
    "items": BOTH,
    "compare": f"{FEW} --resamples 100",
    "panel": FEW,
    "route": f"{FEW} --judge {{a}}",
    "alt-test": BOTH,
    "prevalence": f"{BOTH} --positive {{label}}",
    "plan raters": "--pilot {ratings} --pilot-judges {judges} --a {a} --b {b} --bootstrap 20",
    "plan labels": "--pilot {ratings} --pilot-judges {judges} --a {a} --b {b} --budget 2000 --bootstrap 20",
    "gate": f"{FEW} --judge {{a}} --min-equivalence 0.5",
    "report": f"{FEW} -o report.html",
}
"""What follows each command, with few samples: here the words count, not the numbers."""
ALONE = {
    "plan raters": "--effect 0.1",
    "plan labels": "--accuracy 0.8 --margin 0.03 --label-accuracy 0.9 --budget 2000",
    "apply": "recalibration.csv example:toxicity -o applied.csv",
    "history": "history.duckdb",
    "collect": "project",
    "demo": "-o demo.html",
    "rate": "items.csv --task task.toml --model m --samples 2 -o rated.csv --base-url {url}",
    **{name: f"--items 20 -o {name.rpartition(' ')[2]}" for name in COMMANDS if name.startswith("simulate")},
}
"""What needs no data but that of the folder `made`."""
MADE = "items.csv --task task.toml --raters 4 --ratings-per-item 3 -o new"
ELSEWHERE = {
    "reproduce": "tests/report/test_views.py, without the papers' data",
    "serve": "tests/web/test_pages.py: one line",
}
"""Commands whose lines are counted elsewhere."""
BUNDLED = ("toxicity", "binary")
REAL = ("mtbench_pairs", "convabuse", "wmt23_mqm_ende")
REAL_SLOW = ("bluebirds", "ambient_nli")
MOST_ITEMS = 250
"""Of each real file: the words count, and thousands of items have the same ones."""
MANY_ITEMS = 1000
"""For what refuses fewer."""
ASKS_FOR_MANY = ("route", "alt-test", "plan raters", "plan labels")


class Answer(NamedTuple):
    """What a command printed, the result behind it, and the page that it wrote."""

    out: str
    result: Result | None
    page: str


def typed(command, folder):
    """The words of a command about the two files of a folder."""
    files = {name.removesuffix(".csv"): folder / name for name in FILES}
    names = dissensus.read_judges(files["judges"]).judges
    known = {**files, "a": names[0], "b": names[-1], "label": dissensus.read(files["ratings"]).labels[0]}
    return [*command.split(), *(word.format_map(known) for word in TYPED[command].split())]


def answer_to(words, folder, *, may_refuse=False):
    """Run a command in this folder as in a terminal of 80 columns; one that is refused has no answer."""
    shown, shows, out, err = [], Output.show, io.StringIO(), io.StringIO()

    def show(output, result):
        shown.append(result)
        shows(output, result)

    with pytest.MonkeyPatch.context() as here:
        here.setattr(Output, "show", show)
        here.delenv("OPENAI_API_KEY", raising=False)
        here.setenv("COLUMNS", str(WIDTH))
        here.setenv("NO_COLOR", "1")
        here.chdir(folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(word) for word in words])
    if status == WRONG_INPUT:
        assert len(err.getvalue().splitlines()) == 1
        assert may_refuse, err.getvalue()
        pytest.skip(err.getvalue())
    written = folder / "report.html"
    page = written.read_text(encoding="utf-8") if "report" in words else ""
    # What writes files only says so on stderr.
    return Answer(out.getvalue() or err.getvalue(), shown[0] if shown else None, page)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a recalibration, a history of two gates and a collection that has begun."""
    folder = tmp_path_factory.mktemp("made")
    dissensus.decide("example:toxicity", "example:toxicity", bootstrap=20).write_recalibration(
        folder / "recalibration.csv"
    )
    gate = ["example:toxicity", "example:toxicity", "--judge", "good", "--min-equivalence", "0.5"]
    for seed in "01":
        answer_to(["gate", *gate, "--bootstrap", "20", "--seed", seed, "--record", "history.duckdb"], folder)
    with Collection(make_project(folder)) as collection:
        answers = [
            Event(key=new_key(), kind="answer", rater=rater, slot=0, body={"choice": "Yes", "order": slots[0].order})
            for rater, slots in collection.plan.slots.items()
        ]
        collection.add(answers)
    return folder


@pytest.fixture(scope="module")
def server():
    """A model that always answers with the first option."""
    pytest.importorskip("openai", reason="the extra [llm] is not installed")
    with ScriptedServer(lambda _asked, _number: Says(text=json.dumps({"answer": "A"}))) as running:
        yield running


QUESTIONS = ("toxic", "rude", "off topic")


def first_items(folder, made, most):
    """A folder with the rows of the first items of another."""
    made.mkdir()
    ratings, judges = (pd.read_csv(folder / name, dtype=str, keep_default_na=False) for name in FILES)
    first = ratings["item"].drop_duplicates()[:most]
    for name, table in zip(FILES, (ratings, judges), strict=True):
        table[table["item"].isin(first)].to_csv(made / name, index=False)
    return made


@pytest.fixture(scope="module")
def asked_thrice(tmp_path_factory):
    """A folder with three questions about the same items, of few raters."""
    folder = tmp_path_factory.mktemp("asked_thrice")
    for name in FILES:
        head, *rows = (example_path("binary") / name).read_text(encoding="utf-8").splitlines()
        lines = [f"question,{head}", *(f"{question},{row}" for question in QUESTIONS for row in rows)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=[f"{command} | {data}" for command in TYPED for data in BUNDLED])
def bundled(request, tmp_path_factory):
    command, data = request.param.split(" | ")
    return answer_to(typed(command, example_path(data)), tmp_path_factory.mktemp("bundled"))


@pytest.fixture(scope="module", params=[*ALONE.items(), ("collect", MADE)], ids=" ".join)
def alone(request, made, demo_once):
    command, words = request.param
    url = request.getfixturevalue("server").url if "{url}" in words else ""
    with demo_once() if command == "demo" else contextlib.nullcontext():
        return answer_to([*command.split(), *words.format(url=url).split()], made)


@pytest.fixture(scope="module", params=["describe", "decide", "items", "report"])
def several(request, asked_thrice):
    return answer_to(typed(request.param, asked_thrice), asked_thrice)


@pytest.fixture(scope="module")
def answer_about(shared, tmp_path_factory):
    """Asks a command about the first items of a real data set, once."""
    folder = tmp_path_factory.mktemp("real")

    @cache
    def thinned(data, most):
        return first_items(shared / "data" / data, folder / f"{data} {most}", most)

    @cache
    def ask(command, data):
        few = thinned(data, MANY_ITEMS if command in ASKS_FOR_MANY else MOST_ITEMS)
        return answer_to(typed(command, few), few, may_refuse=True)

    return ask


@pytest.fixture(
    scope="module",
    params=[
        *(f"{command} | {data}" for command in TYPED for data in REAL),
        *(pytest.param(f"{command} | {data}", marks=pytest.mark.slow) for command in TYPED for data in REAL_SLOW),
    ],
)
def real(request, answer_about):
    return answer_about(*request.param.split(" | "))


def test_every_command_is_counted():
    assert {*COMMANDS} == {*TYPED, *ALONE, *ELSEWHERE}


def faults_of_text(out):
    """What is wrong with the words and lines that a command printed."""
    lead, _, rest = out.partition("\n\n" if "\n\n" in out else "\n")  # `report` prints one sentence a line
    sentence, lines = (
        " ".join(lead.split()),
        [piece for line in out.splitlines() for piece in wrap(line, WIDTH) or [""]],
    )
    notes = [line for line in rest.splitlines() if line.startswith("- ")]
    return [
        *[f"{len(lines)} lines"] * (len(lines) > MOST_LINES),
        *[f"{len(out.split())} words"] * (len(out.split()) > MOST_WORDS_IN_ALL),
        *[f"the answer has {len(sentence.split())} words"] * (len(sentence.split()) > MOST_WORDS),
        *[f"the answer is no sentence: {sentence}"] * (not re.fullmatch(r"[^\n]+[^.:]\.", sentence)),
        *[f"several sentences: {sentence}"] * bool(re.search(r"(?<!vs)\. [A-Z]", sentence)),
        *[f"{len(notes)} notes"] * (len(notes) > MOST_NOTES),
        *["several tables"] * (sum(bool(RULE.match(line)) for line in lines) > 1),
        *[f"too wide: {line}" for line in out.splitlines() if line.startswith("  ") and len(line.rstrip()) > WIDTH],
    ]


class Fragment(HTMLParser):
    """The tags of a piece of HTML, and the words of its first paragraph."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.first, self.words = [], "", 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        del attrs
        self.tags.append(tag)

    def handle_data(self, data):
        self.words += len(data.split())
        self.first += data if self.tags.count("p") == 1 and "table" not in self.tags else ""


def faults_of_html(result):
    """The same of what a notebook shows."""
    shown, section = Fragment(result._repr_html_()), section_of(result)
    return [
        *["the answer does not come first"] * (shown.first.strip() != section.lead),
        *["several tables"] * (shown.tags.count("table") > 1),
        *["too many notes"] * (shown.tags.count("li") > MOST_NOTES),
        *["too many rows"] * (shown.tags.count("tr") + shown.tags.count("li") > MOST_LINES - 3),
        *[f"{shown.words} words"] * (shown.words > MOST_WORDS_IN_ALL),
    ]


def faults_of_section(result):
    """What stands outside folds besides one table, charts and three notes; details that say less than the answer."""
    blocks = [block for block in section_of(result).blocks if not isinstance(block, Fold)]
    notes = [t for b in blocks for t in (b.texts if isinstance(b, Points) else [b.text] if isinstance(b, Note) else [])]
    return [
        *["a paragraph"] * any(isinstance(block, Paragraph) for block in blocks),
        *["several tables"] * (sum(isinstance(block, Table) for block in blocks) > 1),
        *["too many notes"] * (len(notes) > MOST_NOTES),
    ]


class Page(HTMLParser):
    """The words of a page: those that are seen before anything is unfolded, and all but the command that made it."""

    CODE = frozenset({"head", "noscript", "script", "style"})

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.words = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        del attrs
        self.open += [tag] if tag in {*self.CODE, "details", "code"} else []

    def handle_endtag(self, tag):
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data):
        is_text = not self.CODE & {*self.open}
        self.seen += data.split() if is_text and "details" not in self.open else []
        self.words += data.split() if is_text and not data.startswith("dissensus ") else []


def faults_of_page(html):
    """A report that shows too much, or that names options of the command line."""
    page = Page(html)
    return [
        *[f"{len(page.seen)} words"] * (len(page.seen) > MOST_WORDS_ON_A_PAGE),
        *["no words"] * (len(page.seen) < MOST_WORDS),
        *[word for word in page.words if re.match(r"[`(]*--[a-z]", word)],
    ]


def check(answer):
    assert faults_of_text(answer.out) == [], answer.out
    assert not answer.page or faults_of_page(answer.page) == []
    if answer.result is not None:
        assert faults_of_html(answer.result) == []
        assert faults_of_section(answer.result) == []
        assert len(answer.result.summary(details=True).splitlines()) >= len(answer.out.splitlines()) - 1


def test_a_command_answers_bundled_data_on_one_screen(bundled):
    check(bundled)


def test_a_command_without_data_answers_on_one_screen(alone):
    check(alone)


def test_a_command_answers_three_questions_on_one_screen_and_a_report_folds_each(several):
    check(several)
    assert all(f"<h2>{question}: " in several.page for question in QUESTIONS) or not several.page


def test_a_command_answers_real_data_on_one_screen(real):
    check(real)


def test_a_report_says_once_which_kind_of_ratings_count(answer_about):
    # Of its sections four use forced choices or response sets only, each with a warning of its own.
    page = Page(answer_about("report", "ambient_nli").page)
    assert " ".join(page.seen).count("orced choices") == 1
    assert " ".join(page.words).count("orced choices") > 1


@pytest.mark.parametrize(
    ("out", "fault"),
    [
        ("Which judge?\n\nUse a.\n", "the answer is no sentence: Which judge?"),
        (f"{'Use a judge ' * 11}.\n", "the answer has 34 words"),
        ("Use a. It is best.\n", "several sentences: Use a. It is best."),
        ("Use a.\n\n- b\n- c\n- d\n- e\n", "4 notes"),
        ("Use a.\n" + "\nx" * 30, "32 lines"),
        ("Use a.\n\n ────────\n ────────\n", "several tables"),
    ],
)
def test_an_answer_that_is_too_long_is_found(out, fault):
    assert fault in faults_of_text(out)
