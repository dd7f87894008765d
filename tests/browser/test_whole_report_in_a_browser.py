"""A whole report in a real browser: read, opened, printed, on a phone, in the dark, and by those who do not see it."""

import json
import re

import pytest

from dissensus.cli.main import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser
SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def report(tmp_path_factory, demo_once):
    """The page about the bundled data, with every section."""
    path = tmp_path_factory.mktemp("whole") / "report.html"
    with demo_once():
        assert main(["demo", "-o", str(path), "--quiet"]) == 0
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A page about labels, items, raters and judges that would run if they could."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = ["item,rater,label,group"]
    labels = [SCRIPT, IMAGE]
    for i in range(20):
        given = [labels[(i + (rater == 2) * (i % 3 == 0)) % 2] for rater in range(3)]
        rows += [f"{IMAGE}{i},{SCRIPT}{rater},{label},{SCRIPT}" for rater, label in enumerate(given)]
    (folder / "ratings.csv").write_text("\n".join(rows) + "\n")
    answers = [
        f"{IMAGE}{i},{judge},{labels[(i + j * (i % 4 == 0)) % 2]}"
        for j, judge in enumerate((SCRIPT, IMAGE))
        for i in range(20)
    ]
    (folder / "judges.csv").write_text("\n".join(["item,judge,label", *answers]) + "\n")
    page = folder / "report.html"
    files = [str(folder / name) for name in ("ratings.csv", "judges.csv")]
    assert main(["report", *files, "-o", str(page), "--bootstrap", "20", "--title", SCRIPT, "--quiet"]) == 0
    return page


def open_folds(page):
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.wait_for_timeout(300)


def charts(page):
    return page.evaluate(
        "[...document.querySelectorAll('[data-chart] svg')].map(svg => "
        "[svg.getBoundingClientRect().width, svg.querySelectorAll('path, text').length])"
    )


def test_the_decision_stands_above_everything(look, report):
    page = look(report).page
    sentences = page.get_by_role("list", name="The verdict").get_by_role("listitem").all_inner_texts()
    assert sentences[0] == "Use strong, as it is."
    assert sentences[1].startswith("strong answers like a person, and is worth ")
    assert len(sentences) <= 3


def test_the_first_screen_has_the_judges_and_the_chart_and_the_contents_stay_at_the_side(look, report):
    page = look(report, viewport={"width": 1280, "height": 800}).page
    judges = page.locator("#front table.bars")
    for part in (judges.get_by_role("row").last, page.locator("#front [data-chart] svg .mark-line").first):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 800
    assert page.locator(".tiles > div").count() == 4
    page.evaluate("scrollTo(0, 3000)")
    contents = page.get_by_role("navigation", name="Sections").bounding_box()
    assert 0 <= contents["y"] < 100
    assert len(page.locator("body").inner_text().split()) <= 2500


def test_the_first_screen_is_there_before_a_chart_is_drawn(browser, report):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    judges = page.locator("#front table.bars").get_by_role("row")
    assert [row.split("\n")[0].strip() for row in judges.all_inner_texts()][1:3] == ["strong", "good"]
    assert judges.nth(1).locator("svg.bar").is_visible()
    assert page.get_by_role("list", name="The verdict").is_visible()
    context.close()
    assert report.stat().st_size < 1_500_000


def test_a_judge_has_one_colour_wherever_it_is_drawn(look, report):
    page = look(report, viewport={"width": 1280, "height": 800}).page
    open_folds(page)
    strong = page.get_by_role("row", name="strong").locator("svg.key .mark").get_attribute("fill")
    assert strong.startswith("var(--series-")
    for figure in ("predicts people as well as", "decides most like people", "comes first by", "wins against"):
        marks = page.get_by_role("figure", name=re.compile(figure)).locator(f'path[fill="{strong}"]')
        assert marks.count() >= 1, figure


def test_a_figure_can_be_taken_away(look, report):
    page = look(report).page
    figure = page.get_by_role("figure", name=re.compile("predicts people as well as"))
    for kind, start in (("CSV", b"\xef\xbb\xbfRaters,Bits,"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            figure.get_by_role("button", name=kind).click()
        content = download.value.path().read_bytes()
        assert content.startswith(start)
        assert b"var(--" not in content  # colours, not names of colours


def test_a_figure_has_an_address_and_leads_to_how_it_was_computed(open_page, report):
    page = open_page(report).page
    figure = page.get_by_role("figure", name=re.compile("decides most like people"))
    figure.get_by_role("link", name="Link to this").click()
    assert page.url.endswith("#" + figure.get_attribute("id"))
    figure.get_by_role("link", name="How it was computed").click()
    sync_api.expect(page.get_by_text("Decisions: the share of items").first).to_be_visible()


def test_the_page_is_silent_asks_nobody_and_draws_every_chart(look, report):
    seen = look(report)
    assert seen.said == []
    assert seen.requests == [report.as_uri()]
    open_folds(seen.page)
    drawn = charts(seen.page)
    assert len(drawn) == len(re.findall(r'data-chart="', report.read_text(encoding="utf-8"))) >= 9
    assert all(width > 250 and marks > 5 for width, marks in drawn)


def test_a_chart_in_a_fold_has_room_when_the_fold_opens(open_page, report):
    page = open_page(report).page
    fold = page.locator("details.fold", has_text="What each definition says").first
    chart = fold.locator("[data-chart] svg").first
    fold.locator("summary").first.click()
    sync_api.expect(chart).to_be_visible()
    sync_api.expect(chart).to_have_attribute("width", re.compile(r"[6-9]\d\d"))


def test_the_pointer_brings_up_numbers_in_every_kind_of_chart(look, report):
    page = look(report).page
    for finding in ("predicts people as well as", "wins against", "decides most like people"):
        figure = page.get_by_role("figure", name=re.compile(finding))
        figure.scroll_into_view_if_needed()
        figure.locator(".mark-symbol path").first.hover(force=True)
        tip = page.locator("#vg-tooltip-element.visible")
        tip.wait_for(state="visible", timeout=60_000)
        assert re.search(r"\d", tip.inner_text())
        page.mouse.move(2, 2)


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_needs_no_sideways_scroll_even_with_everything_open(look, report, width):
    page = look(report, viewport={"width": width, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    open_folds(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_is_folded_away_is_printed(open_page, report):
    page = open_page(report).page
    page.emulate_media(media="print")
    for words in ("How this was computed", "Settings of describe"):
        heading = page.get_by_text(words, exact=True).first
        sync_api.expect(heading).to_be_visible()
    hidden = page.locator("details.fold [data-chart] svg").first
    sync_api.expect(hidden).to_be_visible()
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF-")
    assert 6 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 30


@pytest.mark.parametrize(
    ("never", "event"),
    [("requestAnimationFrame", None), ("requestAnimationFrame = window.setTimeout", "beforeprint")],
    ids=["never shown", "printed at once"],
)
def test_charts_do_not_wait_for_a_page_to_be_shown(browser, report, never, event):
    context = browser.new_context()
    context.add_init_script(f"window.{never} = () => 0;")
    page = context.new_page()
    page.goto(report.as_uri())
    if event is not None:
        page.wait_for_timeout(500)
        assert page.locator("[data-chart]:has(svg)").count() == 0
        page.evaluate(f"window.dispatchEvent(new Event('{event}'))")
    sync_api.expect(page.locator("[data-chart]:not(:has(svg))")).to_have_count(0)
    assert page.locator("[data-chart]:has(svg)").count() > 5
    context.close()


def test_dark_readers_get_a_dark_page_with_charts_in_its_colours(open_page, report):
    page = open_page(report, color_scheme="dark").page
    paper, ink = page.evaluate(
        "[getComputedStyle(document.documentElement).backgroundColor, "
        "getComputedStyle(document.querySelector('svg text')).fill]"
    )
    bright = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (paper, ink)]
    assert bright[0] < 150
    assert bright[1] > 450


def test_hostile_files_are_shown_as_text_and_nothing_runs(open_page, hostile):
    seen = open_page(hostile)
    open_folds(seen.page)
    assert (seen.dialogs, seen.said, seen.requests) == ([], [], [hostile.as_uri()])
    assert seen.page.locator("h1").inner_text() == SCRIPT
    assert seen.page.title() == SCRIPT
    assert seen.page.locator("img").count() == 0
    assert seen.page.locator("svg text", has_text=SCRIPT).count() >= 2
    assert seen.page.get_by_role("rowheader", name=SCRIPT).count() >= 1


def test_on_a_phone_no_number_of_an_interval_is_broken(look, report):
    page = look(report, viewport={"width": 390, "height": 844}).page
    open_folds(page)
    found = page.evaluate(
        """[...document.querySelectorAll("td")].filter(cell => cell.textContent.includes("[")).map(cell => {
          const text = cell.firstChild, range = document.createRange();
          range.setStart(text, text.data.indexOf("["));
          range.setEnd(text, text.data.indexOf("]") + 1);
          return [cell.textContent, range.getClientRects().length];
        })"""
    )
    assert len(found) > 20
    assert [text for text, lines in found if lines > 1] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390  # a wide table scrolls by itself


def violations(page):
    """What axe-core finds that is serious or worse, as text."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    response = axe.Axe().run(page).response
    assert len(response["passes"]) > 10  # it did look
    return [
        f"{each['id']}: {json.dumps([node['html'][:200] for node in each['nodes'][:3]])}"
        for each in response["violations"]
        if each["impact"] in {"serious", "critical"}
    ]


DARK_PHONE = {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}}


@pytest.mark.parametrize(
    ("shown", "window"),
    [("report", {}), ("hostile", DARK_PHONE), pytest.param("report", DARK_PHONE, marks=pytest.mark.slow)],
)
def test_axe_finds_nothing_serious(open_page, request, shown, window):
    # The debugger may add axe to the page, which the page's own policy would refuse.
    page = open_page(request.getfixturevalue(shown), bypass_csp=True, **window).page
    open_folds(page)
    assert violations(page) == []
