"""Which judge to pick, in a real browser: every chart whole, quiet and harmless at any width."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from dissensus.data import Judges, read, read_judges, read_task
from dissensus.data.paths import example_path
from dissensus.methods.judges import judges as rank_judges
from report_builders import written

pytestmark = pytest.mark.browser
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """The bundled forced choices, so that there is a sweep; one judge has a hostile name, one a long one."""
    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings = read(folder / "ratings.csv", task=task)
    judges: Judges = read_judges(folder / "judges.csv", task=task)
    names = (SCRIPT, "a judge with quite a long name, such as models have", *judges.judges[2:])
    named = dataclasses.replace(judges, judges=names)
    result = rank_judges(ratings, named, task=task, tau=(0.3, 0.5, 0.7), beta=(0, 0.1, 0.2, 0.3), bootstrap=20)
    return written([result], tmp_path_factory.mktemp("judges") / "report.html")


def test_every_chart_is_drawn_in_silence_and_asks_no_other_host(look, report):
    seen = look(report)
    marks = seen.page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].map(svg => svg.querySelectorAll('path, text').length)"
    )
    assert len(marks) == 3  # decisions, ranks and sweep
    assert min(marks) > 15
    assert seen.said == []
    assert seen.requests == [report.as_uri()]


def test_each_judge_stands_in_a_legend_once(look, report):
    page = look(report).page
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.locator("[data-chart] svg .role-legend-label text").first.wait_for()
    texts = page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].slice(1, 2).flatMap("
        "svg => [...svg.querySelectorAll('.role-legend-label text')].map(text => text.textContent))"
    )
    assert len(texts) == len(set(texts)) == 4


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_is_cut_off_or_scrolls_sideways(open_page, report, width):
    page = open_page(report, viewport={"width": width, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].flatMap(svg => [...svg.querySelectorAll('text')].filter("
        "text => text.getBoundingClientRect().right > svg.getBoundingClientRect().right + 1).map(t => t.textContent))"
    )
    assert beyond == []


def test_a_script_in_a_judges_name_is_shown_as_text_and_never_run(look, report):
    seen = look(report)
    assert seen.dialogs == []
    assert seen.page.locator("svg text", has_text="<script>alert(1)").count() >= 1


def test_the_pointer_tells_rank_value_and_how_sure(look, report):
    seen = look(report)
    name = json.dumps("strong: rank 1 by hit rate")
    seen.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    seen.page.locator(f"[data-chart] svg .mark-symbol path[aria-label^={name}]").first.hover()
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=60_000)
    assert re.search(r"strong.*hit rate.*1.*0\.76 \[.*of the samples", tip.inner_text(), re.DOTALL)
    assert seen.said == []
