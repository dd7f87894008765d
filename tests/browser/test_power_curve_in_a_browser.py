"""The power curve in a real browser: whole, readable and harmless at any width."""

import dataclasses
import itertools
import re
from pathlib import Path

import pytest

import dissensus
from dissensus.data.paths import example_path
from report_builders import written

pytestmark = pytest.mark.browser
SCRIPT = "<script>alert(1)</script>"
LONG = "a judge with quite a long name, such as models have"


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """The bundled ratings with a ceiling; the judges of seven lines have hostile, long and crowded names."""
    folder = example_path("binary")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    result = dissensus.equivalence(ratings, judges, judge="classifier", ceiling=True, bootstrap=20)
    one = dataclasses.replace(result.judges[-1], calibrated=False)
    names = [SCRIPT, LONG, "c", "d", "e", "f", "g"]
    crowd = [dataclasses.replace(one, judge=name, score=one.score - i / 500) for i, name in enumerate(names)]
    crowded = dataclasses.replace(result, judges=tuple(crowd), best=None)
    return written([crowded], tmp_path_factory.mktemp("curve") / "report.html")


def boxes(page):
    """Text, left, right, top and bottom of each name beside the plot."""
    return page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg .mark-text.role-mark text')].map(text => { "
        "const box = text.getBoundingClientRect(); "
        "return [text.textContent, box.left, box.right, box.top, box.bottom]; })"
    )


def test_the_curve_is_drawn_in_silence_and_asks_no_other_host(look, report):
    seen = look(report)
    texts = [text for text, *_ in boxes(seen.page)]
    assert "people asked" in texts
    assert any(text.startswith("ceiling 0.3") for text in texts)
    assert len(texts) == 9  # seven judges, the curve and the ceiling
    assert seen.said == []
    assert seen.requests == [report.as_uri()]


@pytest.mark.parametrize("width", [320, 390, 768, 1400])
def test_every_name_is_readable_at_any_width(open_page, report, width):
    page = open_page(report, viewport={"width": width, "height": 844}).page
    right = page.evaluate("document.querySelector('[data-chart] svg').getBoundingClientRect().right")
    found = sorted(boxes(page), key=lambda box: box[3])
    assert all(box[2] <= right + 1 for box in found)
    assert all(above[4] <= below[3] + 4 for above, below in itertools.pairwise(found))  # no two on one line
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_script_in_a_judges_name_is_shown_as_text_and_never_run(look, report):
    seen = look(report)
    assert seen.dialogs == []
    assert any("<scrip" in text and "script>" in text for text, *_ in boxes(seen.page))


def test_a_long_name_is_cut_once_in_the_middle_so_that_its_end_is_seen(look, report):
    texts = [text for text, *_ in boxes(look(report).page)]
    assert any(text.endswith("…ls have") for text in texts)
    assert not any(text.endswith("…") for text in texts)


def test_the_pointer_tells_what_a_judge_is_worth(look, report):
    seen = look(report)
    seen.page.locator("[data-chart] svg .mark-symbol path[aria-label*='worth']").last.hover(force=True)
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=60_000)
    assert re.search(r"Worth.*1\.\d raters \[", tip.inner_text(), re.DOTALL)
    assert seen.said == []


def test_the_pointer_tells_what_a_survey_tells(look, report):
    seen = look(report)
    seen.page.locator("[data-chart] svg .mark-symbol path[aria-label^='people asked: 9 raters']").hover()
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=60_000)
    assert re.search(r"Raters asked.*9.*Bits gained.*0\.31\d.*Items.*300", tip.inner_text(), re.DOTALL)
