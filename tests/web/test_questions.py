"""The pages that ask one question about a data set, and the planner of labels in all its forms, over HTTP."""

import html
import inspect
import json
import re
import shlex

import pytest

import dissensus
from dissensus.cli.main import main

from web_server import lead_of, running, shown, words

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

LABELS = [("no", "yes")[(i + (r == i % 8)) % 2] for i in range(60) for r in range(4)]
RATINGS = "item,rater,label,team\n" + "".join(
    f"i{n // 4},r{n % 4},{label},{'ab'[n % 2]}\n" for n, label in enumerate(LABELS)
)
JUDGES = "item,judge,label\n" + "".join(
    f"i{i},{judge},{('no', 'yes')[(i + (i % often == 0)) % 2]}\n"
    for judge, often in (("near", 9), ("far", 2))
    for i in range(60)
)
ASKED = [
    ("alt_test", "/alt-test", "epsilon=0.2&judge=near"),
    ("prevalence", "/prevalence", "positive=yes&judge=far"),
    ("panel", "/panel", "bootstrap=20&judge=near,far&max_raters=2&method=average"),
    ("compare", "/compare", "judge=near,far"),
    ("raters", "/raters", "bootstrap=20&positive=yes&group=team&raters=fixed"),
    ("gate", "/gate", "judge=near&min_equivalence=0.5&not_worse_than=far&margin=0.2"),
    ("plan_labels", "/plan/labels", "a=near&b=far&goal=error&error=0.1"),
]

NOT_ON_A_PAGE = {  # options of methods that have a page, and why the page has no field for them
    "bootstrap": "enough by default: only on pages where fewer save a visitor much time",
    "resamples": "as bootstrap",
    "confidence": "pages show intervals of 95%, so that numbers on different pages can be compared",
    "calibrate": "what fits the score is found without asking",
    "combiner": "follows from the score",
    "score": "of gate: the worth of the report, for a threshold that people read there",
    "clip": "for researchers: how far probabilities are kept from 0 and 1",
    "bins": "for researchers: of the binned earth mover's distance",
    "bounds": "as bins",
    "people": "for researchers: the sizes of surveys that judges stand beside",
    "min_items": "of gate: a guard that a visitor should not lower to pass",
    "min_raters": "a guard, as min_items",
    "same_scale": "the data page asks how the files are read",
    "reverse": "as same_scale",
    "elicitation": "as same_scale",
}


def test_each_option_of_a_method_has_a_field_on_its_page_or_a_reason_not_to():
    from dissensus.web.pages.questions import ASKINGS  # noqa: PLC0415 - needs the extra [web]

    given = {"ratings", "judges", "task", "rng", "engine", "workers", "progress", "baseline", "new", "pairs"}
    missing = set()
    for asking in ASKINGS:
        parameters = set(inspect.signature(getattr(dissensus, asking.method)).parameters) - given
        missing |= parameters - {field.argument for field in asking.all_fields}
    assert missing == set(NOT_ON_A_PAGE)


@pytest.fixture(scope="module")
def server():
    with running(is_lasting=True) as started:
        yield started


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The uploaded files in the working directory."""
    (tmp_path / "ratings.csv").write_text(RATINGS)
    (tmp_path / "judges.csv").write_text(JUDGES)
    monkeypatch.chdir(tmp_path)
    return {"ratings": ("ratings.csv", RATINGS.encode()), "judges": ("judges.csv", JUDGES.encode())}


def said_by_both(text, capsys):
    """What the command line and the Python of a page print."""
    for line in shown(text, "recipe-command").splitlines():
        assert main([*shlex.split(line)[1:], "--quiet"]) in {0, 1}  # a gate that stays closed is 1
    printed = words(capsys.readouterr().out)
    exec(compile(shown(text, "recipe-python"), "recipe", "exec"), {})  # noqa: S102 - what the page tells people to run
    return printed, words(capsys.readouterr().out)


@pytest.mark.parametrize(("task", "path", "query"), ASKED)
def test_a_page_says_what_its_command_line_and_its_python_say(server, files, task, path, query, capsys):
    id_ = server.upload(**files)
    lead = lead_of(server.answer(task, f"data={id_}&{query}"))
    text = server.page(id_, path.removeprefix("/"), query)
    assert lead_of(text) == lead  # the address restores the answer
    for printed in said_by_both(text, capsys):
        assert lead in printed


@pytest.mark.parametrize(
    ("task", "more"),
    [
        ("compare", ""),
        ("alt_test", "&min_items=10"),
        ("raters", ""),
        ("gate", "&judge=strong"),
        ("plan_labels", "&a=strong&b=weak&goal=error"),
    ],
)
def test_the_example_has_an_answer_to_each_question(server, task, more):
    answer = server.answer(task, f"data=example:toxicity&bootstrap=10{more}")
    assert 'class="lead"' in answer, words(answer)


def test_every_question_about_data_is_linked_from_the_results(server):
    text = server.page("example:binary", "results")
    for path in ("compare", "alt-test", "prevalence", "panel", "raters", "gate", "plan", "items", "data"):
        assert f'href="/p/example:binary/{path}"' in text


def test_at_the_gate_a_judge_can_be_chosen(server):
    answer = server.answer("gate", "data=example:binary")
    assert words(answer) == "Which judge? classifier keywords"
    assert 'href="/p/example:binary/gate?min_equivalence=1&amp;judge=classifier"' in answer


def test_the_files_of_a_page_name_the_judges_to_choose_from(server):
    server.answer("checkup", "data=example:toxicity")
    text = server.page("example:toxicity", "gate")
    assert '<option value="strong">strong</option>' in text


def test_a_wrong_option_of_a_page_is_answered_in_words(server):
    status, _, text = server.ask("GET", "/p/example:binary/alt-test?epsilon=much")
    assert status == 200
    assert "'epsilon' cannot be 'much': give a number" in html.unescape(text)
    assert "Starting" not in text


def test_raters_need_no_judges(server):
    id_ = server.upload(ratings=("ratings.csv", RATINGS.encode()))
    assert "4 raters" in words(server.answer("raters", f"data={id_}&bootstrap=0"))
    found = server.page(id_, "results")
    assert f'href="/p/{id_}/raters"' in found
    assert f'href="/p/{id_}/gate"' not in found


def test_the_correlated_form_of_two_models_that_err_independently_is_the_plain_form(server):
    # Accuracy .75, margin .1: the better one is right on .85 of the items, whether the worse one is wrong or right.
    plain = server.ask("GET", "/plan/labels?accuracy=0.75&margin=0.1&label_accuracy=0.75&error=0.05")[2]
    correlated = server.ask(
        "GET",
        "/plan/labels?described=correlated&worse_accuracy=0.75&better_if_worse_wrong=0.85&better_if_worse_right=0.85"
        "&label_accuracy_better=0.75&label_accuracy_worse=0.75&error=0.05",
    )[2]
    assert "369 items" in lead_of(plain)
    assert lead_of(correlated) == lead_of(plain)


def test_the_recipes_of_the_correlated_form_say_what_its_page_says(server, capsys):
    text = server.ask("GET", "/plan/labels?described=correlated&better_if_worse_wrong=0.6&error=0.1")[2]
    assert "--better-if-worse-wrong 0.6" in shown(text, "recipe-command")
    for printed in said_by_both(text, capsys):
        assert lead_of(text) in printed


def test_a_slider_of_the_correlated_form_leads_to_an_address_that_restores_it(server):
    moved = json.loads(server.ask("GET", "/move/labels?described=correlated&better_if_worse_right=0.97")[2])
    again = server.ask("GET", moved["address"])[2]
    assert lead_of(again) == words(moved["numbers"]["sentence"])
    assert re.search(r'value="correlated" checked', again)


def test_a_pilot_of_labels_without_judges_is_refused_in_words(server):
    id_ = server.upload(ratings=("ratings.csv", RATINGS.encode()))
    assert "Upload a file of judges" in words(server.answer("plan_labels", f"data={id_}&goal=error"))
