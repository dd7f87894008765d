"""Every result, whatever its command, shows itself: in a notebook, as a chart, and as a file without a network."""

import importlib.util
import pkgutil
import socket

import pandas as pd
import pytest

import dissensus
from dissensus.results import Result

PEOPLE = [("x", "x", "y"), ("x", "x", "x"), ("y", "y", "x"), ("y", "y", "y"), ("x", "y", "x")] * 4
GOOD, BAD = ["x", "x", "y", "y", "x"] * 4, ["y", "x", "x", "y", "x"] * 4


@pytest.fixture(scope="module")
def data():
    rows = [(f"i{i}", f"r{r}", label) for i, given in enumerate(PEOPLE) for r, label in enumerate(given)]
    ratings = dissensus.read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    answers = [
        (f"i{i}", judge, label) for judge, given in (("good", GOOD), ("bad", BAD)) for i, label in enumerate(given)
    ]
    return ratings, dissensus.read_judges(pd.DataFrame(answers, columns=["item", "judge", "label"]))


MAKE = {
    "describe": lambda ratings, _: dissensus.describe(ratings, bootstrap=20),
    "equivalence": lambda ratings, judges: dissensus.equivalence(ratings, judges, calibrate="table", bootstrap=20),
    "judges": lambda ratings, judges: dissensus.judges(ratings, judges, positive="x", bootstrap=20),
    "compare": lambda ratings, judges: dissensus.compare(ratings, judges, bootstrap=20),
    "plan raters": lambda *_: dissensus.plan_raters(effect=0.2, items=(50, 100), raters=(1, 3)),
    "alt-test": lambda ratings, judges: dissensus.alt_test(ratings, judges, min_items=10),
    "prevalence": lambda ratings, judges: dissensus.prevalence(ratings, judges, positive="x"),
    "panel": lambda ratings, judges: dissensus.panel(ratings, judges, bootstrap=20),
    "raters": lambda ratings, _: dissensus.raters(ratings, positive="x"),
    "route": lambda ratings, judges: dissensus.route(ratings, judges, judge="good", bootstrap=20),
    "plan labels": lambda *_: dissensus.plan_labels(accuracy=0.8, margin=0.05, label_accuracy=0.8, budget=1000),
}
SHOWN_ELSEWHERE = {
    "report": "it is what a whole report holds",
    "reproduce": "it compares with papers, which takes minutes; its own tests show it",
    "simulate": "it writes files, and has nothing to draw",
    "import": "it writes a file, and has nothing to draw",
    "doctor": "it is about a file, and has nothing to draw",
    "decide": "its answer is a table; its own tests show it",
    "apply": "it writes a file, and has nothing to draw",
    "items": "its answer is a table; its own tests show it",
    "parts": "it holds results of other commands; its own tests show it",
    "gate": "its checks have different units, and a verdict each: a table and no chart; its own tests show it",
    "rate": "it needs a model to ask; its own tests show it",
    "collect": "it needs raters who answer; its own tests show it",
    "history": "it needs runs that were recorded; its own tests show it",
}


def result_classes():
    """Every class of result in the package, by its command."""
    for module in pkgutil.walk_packages(dissensus.__path__, "dissensus."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, left = {}, [Result]
    while left:
        own = left.pop()
        left += own.__subclasses__()
        if own.__module__.startswith("dissensus") and "command" in vars(own):
            found[own.command] = own
    return found


def has_view(command):
    return importlib.util.find_spec(f"dissensus.report.views.{command.replace(' ', '_').replace('-', '_')}") is not None


def test_every_command_with_a_view_is_shown_here_or_named_with_a_reason():
    commands = {command for command in result_classes() if has_view(command)}
    assert set(MAKE) <= commands
    assert commands <= {*MAKE, *SHOWN_ELSEWHERE}


@pytest.fixture(scope="module", params=list(MAKE))
def result(request, data):
    return MAKE[request.param](*data)


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_arguments, **_more):
        raise OSError("there is no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
def test_the_chart_of_every_result_is_saved_without_a_network(result, tmp_path):
    chart = result.plot()
    beginnings = {"png": b"\x89PNG\r\n", "svg": b"<svg", "html": b"<!doctype html>", "json": b"{"}
    for suffix, beginning in beginnings.items():
        path = tmp_path / f"x.{suffix}"
        chart.save(path)
        assert path.read_bytes().startswith(beginning)
        assert path.stat().st_size > 1000


def test_the_chart_of_every_result_shows_itself_in_a_notebook(result):
    chart = result.plot()
    bundle = chart._repr_mimebundle_()
    assert {"application/vnd.vegalite.v5+json", "text/plain"} <= set(bundle)
    assert bundle["application/vnd.vegalite.v5+json"]["title"]["text"]
    assert chart.figure.caption
    assert chart.figure.table is not None
    assert chart._repr_html_().startswith("<img alt=")


def test_every_result_is_a_sentence_with_a_compact_table_in_a_notebook(result):
    html = result._repr_html_()
    assert html.startswith("<div>")
    assert html.count("<table>") == html.count("<caption>") == 1
    assert "<script" not in html
    assert len(html) < 30_000


def test_a_notebook_shows_the_table_of_every_result_and_its_chart_below(result, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda what, **options: shown.append((what, options)))
    result._ipython_display_()
    (table, options), (chart, _) = shown
    assert table == {"text/html": result._repr_html_(), "text/plain": result.summary()}
    assert options == {"raw": True}
    assert chart.spec == result.plot().spec


def test_a_summary_is_text_in_a_notebook_too(result, monkeypatch):
    outside = result.summary()
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert result.summary() == outside


def test_every_result_is_text_json_and_rows(result):
    assert max(len(line) for line in result.summary().splitlines()) <= 80
    assert result.to_json().startswith("{")
    assert result.rows()
    assert len(result.to_frame()) == len(result.rows())
