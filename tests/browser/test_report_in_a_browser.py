"""The page in a real browser: drawn, readable and quiet, whatever the labels say."""

import re
from pathlib import Path

import pytest

from dissensus.methods.describe.describe import LabelShare
from dissensus.report.views.section import main_chart
from report_builders import written

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser
SCRIPT = "<script>alert(1)</script>"
LABELS = (
    LabelShare(label=SCRIPT, count=2000, share=0.4),
    LabelShare(label="</script><img src=x onerror=alert(2)>", count=1500, share=0.3),
    LabelShare(label="a label without a single blank " * 4, count=1000, share=0.2),
    LabelShare(label="unbreakable" * 12, count=500, share=0.1),
)


@pytest.fixture(scope="module")
def report(described, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    groups = (described(group=SCRIPT, labels=LABELS).whole, described(group="experts").whole)
    results = [described(labels=LABELS), described(labels=LABELS, groups=groups, warnings=(f"{SCRIPT} is odd.",))]
    return written(results, path, command_line="dissensus report ratings.csv")


@pytest.fixture
def visit(open_page, report):
    """Opens the report, or another page."""
    return lambda path=report, **window: open_page(path, **window)


@pytest.fixture
def seen(look, report):
    """The report as every test finds it that leaves it as it was."""
    page = look(report)
    page.page.evaluate("document.querySelectorAll('details.fold').forEach(fold => { fold.open = true; })")
    return page


def test_every_chart_is_drawn(seen):
    drawn = seen.page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].map(svg => "
        "[svg.getBoundingClientRect().width, svg.querySelectorAll('path, text').length])"
    )
    assert len(drawn) == 7  # three of the first result, four of the second, which has groups
    assert all(width > 400 and marks > 10 for width, marks in drawn)


def test_the_page_is_silent_and_asks_no_other_host(seen, report):
    assert seen.said == []
    assert seen.requests == [report.as_uri()]


def test_a_script_in_a_label_is_shown_as_text_and_never_run(seen):
    assert seen.dialogs == []
    assert seen.page.locator("svg text", has_text=SCRIPT).count() >= 2
    seen.page.locator("figure", has_text="The most common label").first.locator("summary").click()
    assert seen.page.get_by_role("rowheader", name=SCRIPT).first.is_visible()
    assert seen.page.locator("img").count() == 0


def test_the_policy_stops_what_is_not_ours(visit):
    seen = visit()
    ran = seen.page.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        " document.body.append(script); return window.ran === true; }"
    )
    assert not ran
    # After a timer, since what the debugger itself evaluates is free of the policy.
    tried = "try { eval('1'); done('ran'); } catch (error) { done(error.name); }"
    assert seen.page.evaluate(f"() => new Promise(done => setTimeout(() => {{ {tried} }}))") == "EvalError"


def test_the_pointer_brings_up_the_numbers(seen):
    seen.page.locator("[data-chart] svg .mark-symbol path").first.hover()
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=60_000)
    assert re.search(r"Alpha \(nominal\).*0\.130.*0\.100.*0\.160", tip.inner_text(), re.DOTALL)
    assert seen.said == []


def test_the_tooltip_shows_a_script_as_text(seen):
    seen.page.locator("[data-chart]").nth(2).locator("svg .mark-rect path").first.hover()
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=60_000)
    assert SCRIPT in tip.inner_text()
    assert seen.dialogs == []


def luminance(colour):
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


COLOURS = """() => ({paper: getComputedStyle(document.documentElement).backgroundColor,
  ink: getComputedStyle(document.querySelector('h1')).color,
  label: getComputedStyle(document.querySelector('svg text')).fill})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_and_charts_follow_the_readers_colour_scheme(look, report, scheme):
    colours = look(report, color_scheme=scheme).page.evaluate(COLOURS)
    paper, ink, label = (luminance(colours[name]) for name in ("paper", "ink", "label"))
    assert (paper < ink and paper < label) == (scheme == "dark")
    assert min(abs(paper - ink), abs(paper - label)) > 150


def test_dark_readers_print_on_white(look, report):
    page = look(report, color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    colours = page.evaluate(COLOURS)
    page.emulate_media(media="screen", color_scheme="dark")
    assert luminance(colours["paper"]) > 250
    assert max(luminance(colours["ink"]), luminance(colours["label"])) < 60


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_narrow_screen_needs_no_sideways_scroll(visit, width):
    page = visit(viewport={"width": width, "height": 844}).page
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].flatMap(svg => [...svg.querySelectorAll('text')].filter("
        "text => text.getBoundingClientRect().right > svg.getBoundingClientRect().right + 1).map(t => t.textContent))"
    )
    assert beyond == []  # no number or name of a chart is cut off


def test_charts_grow_with_the_window(visit):
    page = visit(viewport={"width": 390, "height": 844}).page
    page.set_viewport_size({"width": 900, "height": 844})
    sync_api.expect(page.locator("[data-chart] svg").first).to_have_attribute("width", re.compile("[6-9]\\d\\d"))


def test_the_page_prints(seen):
    pdf = seen.page.pdf(format="A4")
    assert pdf.startswith(b"%PDF-")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12


def test_the_keyboard_reaches_the_content_and_the_data(visit):
    page = visit().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answers"
    page.keyboard.press("Enter")
    page.locator("#content:focus").wait_for(timeout=10_000)
    passed = []
    while page.evaluate("document.activeElement.tagName") != "SUMMARY":
        page.keyboard.press("Tab")
        passed.append(page.evaluate("document.activeElement.tagName"))
    assert set(passed[:-1]) <= {"A", "BUTTON"}
    page.keyboard.press("Enter")
    assert page.get_by_role("table", name="Agreement in 5,000 ratings of 1,000 items by 12 raters").first.is_visible()


def test_a_screen_reader_finds_landmarks_and_described_figures(seen):
    page = seen.page
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("contentinfo").count() == 1
    assert page.get_by_role("navigation", name="Sections").count() == 1
    finding = "Corrected for chance, agreement is between 0.13 and 0.42"
    assert page.get_by_role("figure", name=finding).count() == 2  # that of the second result is folded
    label = page.locator("[role=graphics-document]").first.get_attribute("aria-label")
    assert label.startswith(f"{finding}. 0 is chance, 1")


def test_without_javascript_the_answer_and_the_tables_are_there(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    text = page.locator("body").inner_text()
    assert "Two raters agree on an item 59%" in text
    assert "The chart is drawn by JavaScript" in text
    context.close()


def test_a_saved_chart_draws_itself(visit, described, tmp_path):
    path = tmp_path / "chart.html"
    main_chart(described()).save(path)
    seen = visit(path)
    assert seen.page.locator("svg text", has_text="Fleiss").count() == 1
    assert seen.said == []
    assert seen.requests == [path.as_uri()]
