"""The web app in a real browser, with the real server: one user's task per test."""

import json
import os
import re
import signal
from urllib.parse import urljoin

import pandas as pd
import pytest

from web_server import running

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

pytestmark = pytest.mark.browser
expect = sync_api.expect
PHONE = {"viewport": {"width": 390, "height": 844}}
LABELS = "/plan/labels?accuracy=0.75&margin=0.1&label_accuracy=0.75&error=0.05"


@pytest.fixture(scope="module")
def server():
    with running(is_lasting=True) as started:
        yield started


class Windows:
    """Windows of the browser that one test after the other uses: opening one takes a second."""

    def __init__(self, browser, url):
        self.browser, self.url = browser, url
        self.said, self.idle, self.contexts = [], {}, []

    def take(self, **window):
        """An idle window of this kind, or a new one."""
        idle = self.idle.setdefault(str(sorted(window.items())), [])
        page = idle.pop() if idle else self._opened(window)
        return page, idle

    def _opened(self, window):
        context = self.browser.new_context(**{"viewport": {"width": 1000, "height": 800}} | window)
        self.contexts.append(context)
        page, said = context.new_page(), self.said
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        allowed = (self.url, "data:", "about:blank")
        page.on("request", lambda request: request.url.startswith(allowed) or said.append(request.url))
        return page


@pytest.fixture(scope="module")
def windows(browser, server):
    opened = Windows(browser, server.url)
    yield opened
    for context in opened.contexts:
        context.close()


@pytest.fixture
def visit(windows):
    """Opens pages of the server; at the end nothing may have been said, asked of others, or gone wrong."""
    windows.said.clear()
    taken = []

    def go(path, **window):
        page, idle = windows.take(**window)
        taken.append((page, idle))
        page.goto(windows.url + path)
        return page

    yield go
    for page, idle in taken:
        page.goto("about:blank")  # whatever it still asked for, it asks no more
        idle.append(page)
    assert windows.said == []


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Ratings, the same with other columns and much that is wrong, and two judges of whom one is nearer to people."""
    folder = tmp_path_factory.mktemp("files")
    labels = ["no", "yes"]
    ratings = [f"i{i},r{r},{labels[(i + (r == i % 4)) % 2]}" for i in range(40) for r in range(4)]
    judges = [
        f"i{i},{judge},{labels[(i + (i % often == 0)) % 2]}"
        for judge, often in (("near", 9), ("far", 3))
        for i in range(40)
    ]
    write = lambda name, rows: (folder / name).write_text("\n".join(rows) + "\n")  # noqa: E731 - three times the same
    write("ratings.csv", ["item,rater,label", *ratings])
    spelt = [row.replace("yes", "YES") if row.startswith("i1,") else row for row in ratings]
    write("bad.csv", ["comment,worker,answer", *spelt, "i0,r8,n/a", "i1,r8,n/a", "i0,r1," + ratings[1].split(",")[2]])
    write("judges.csv", ["item,judge,label", *judges])
    return folder


def upload(page, *files):
    page.locator("#files").set_input_files(files)
    page.get_by_role("button", name="Check these files").click()
    page.wait_for_url("**/data", timeout=60_000)  # the page that is left has links of the same names


def results(page):
    """The results of the project that is open, with fewer samples than it takes by itself."""
    expect(page.get_by_role("link", name="See the results")).to_be_visible()
    page.goto(page.url.removesuffix("data") + "results?bootstrap=20")
    expect(page.locator("#do-the-raters-agree")).to_be_visible(timeout=120_000)


def drawn(page):
    expect(page.locator("[data-chart]:not(:has(svg))")).to_have_count(0)


def test_drop_files_and_read_the_first_report(visit, files):
    page = visit("/")
    upload(page, files / "judges.csv", files / "ratings.csv")  # in any order
    expect(page.locator(".files")).to_contain_text("People's ratings")
    expect(page.get_by_text("ratings.csv has 160 ratings of 40 items")).to_be_visible()
    results(page)
    expect(page.locator("#answer")).to_contain_text("near")
    drawn(page)
    page.get_by_text("The same in a terminal or in Python").click()
    command = page.get_by_label("Command line").inner_text()
    assert command == "dissensus report ratings.csv judges.csv --bootstrap 20 -o report.html"


def test_results_come_section_by_section_the_cheapest_first(visit):
    page = visit("/p/example:toxicity/results?bootstrap=1001")  # nobody asked for this one before
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("heading", name="Do the raters agree?")).to_be_visible()
    assert page.get_by_role("heading", name="Which judge can stand in for people?").count() == 0
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()


def test_fix_a_bad_file_then_compute(visit, files):
    page = visit("/")
    upload(page, files / "bad.csv", files / "judges.csv")
    expect(page.locator(".seen").first).to_be_visible()
    for column, role in (("comment", "item"), ("worker", "rater"), ("answer", "label")):
        menu = page.get_by_label(f"Role of the column {column}")
        if menu.input_value() != role:  # what is in the column says it, too
            with page.expect_navigation():
                menu.select_option(role)
            expect(page.locator(".seen").first).to_be_visible()
    expect(page.get_by_text("problem stops every result")).to_be_visible()
    expect(page.locator(".compared").first).to_contain_text("Before")
    page.get_by_role("button", name="Fix all").click()
    expect(page.get_by_text("bad.csv has 160 ratings of 40 items")).to_be_visible()
    page.get_by_role("button", name=re.compile("Undo.*means missing")).click()
    expect(page.get_by_text("2 answers may mean that there is no label")).to_be_visible()
    page.get_by_role("button", name="Fix problem 1").first.click()
    expect(page.get_by_text("2 answers may mean")).to_have_count(0)
    results(page)
    expect(page.locator("#answer")).to_contain_text("near")


def test_find_the_ten_worst_items_by_keyboard(visit):
    page = visit("/p/example:toxicity/items")
    expect(page.locator(".items summary").first).to_be_visible(timeout=90_000)
    page.get_by_label("Judge", exact=True).select_option("strong")
    page.wait_for_url("**judge=strong**")
    found = page.locator(".items summary").all_inner_texts()
    bits = [float(re.search(r"off by ([0-9.]+)", text)[1]) for text in found]
    assert len(bits) == 50
    assert bits == sorted(bits, reverse=True)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".items details[open]")).to_have_count(1)
    page.keyboard.press("n")
    page.wait_for_url("**page=2**")
    expect(page.locator(".items")).to_have_attribute("start", "51")


def test_plan_with_a_slider(visit):
    page = visit(LABELS)
    big = page.locator("#plan-place .big strong")
    expect(big).to_have_text("369")
    asked = []
    page.on("response", lambda answer: "/move/" in answer.url and asked.append(answer))
    page.get_by_label("How often a label is right: slider").fill("0.9")
    expect(big).not_to_have_text("369")
    assert "label_accuracy=0.9" in page.url
    assert all(len(answer.body()) < 3000 for answer in asked)
    before = page.evaluate("scrollY")
    page.get_by_label("Accuracy of the worse model: slider").fill("0.9")
    expect(page.locator("#margin")).to_have_attribute("max", "0.1")  # no model is right more often than always
    assert page.evaluate("scrollY") == before
    page.goto(page.url)
    page.get_by_role("link", name="Keep this plan beside the next").click()
    expect(page.locator(".beside .big strong")).to_have_text(big.inner_text())
    assert page.locator("#plan-place .big").bounding_box()["y"] < 900


def test_plan_from_the_data_of_a_project(visit):
    page = visit("/p/example:toxicity/plan?a=strong&b=weak")
    expect(page.locator("#answer .big strong")).to_be_visible(timeout=90_000)


def test_cancel_is_never_missed_while_progress_comes_in(visit):
    page = visit("/p/example:toxicity/results?bootstrap=20000")
    button = page.get_by_role("button", name="Cancel")
    button.focus(timeout=60_000)
    first = button.element_handle()
    for _ in range(2):  # progress is shown anew, which the second one follows
        with page.expect_response(re.compile(r"/jobs/[^/]+\?have=")):
            pass
    assert first.evaluate("it => it.isConnected && document.activeElement === it")  # the same button, still in focus
    box = button.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    with page.expect_response(re.compile(r"/jobs/[^/]+\?have=")):
        pass
    page.mouse.up()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    page.get_by_role("button", name="Cancel").click(timeout=60_000)
    expect(page.get_by_text("Cancelled.")).to_be_visible()


def test_come_back_tomorrow(browser, files, tmp_path):
    folder = str(tmp_path / "projects")
    context = browser.new_context()
    page = context.new_page()
    with running(folder=folder, is_lasting=True) as server:
        page.goto(f"{server.url}/?token={server.key}")
        upload(page, files / "ratings.csv", files / "judges.csv")
        results(page)
        said = page.locator("#do-the-raters-agree h2").inner_text()
        page.goto(server.url)
        expect(page.locator(".projects")).to_contain_text("not saved")
        page.get_by_role("link", name="ratings", exact=True).click()  # what was not saved is found again, too
        page.get_by_text("Not saved: save it").click()
        page.get_by_label("Name").fill("ours")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url("**/p/ours/data")
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait(timeout=30)
    with running(folder=folder, is_lasting=True) as server:
        page.goto(server.url)
        expect(page.get_by_text("Open your saved projects")).to_be_visible()
        page.goto(f"{server.url}/?token={server.key}")
        page.get_by_role("link", name="ours", exact=True).click()
        page.goto(page.url + "?bootstrap=20")
        expect(page.locator("#do-the-raters-agree h2")).to_have_text(said, timeout=3_000)  # nothing is computed again
        for form, holds in (("JSON", '"command": "report"'), ("CSV", "command,"), ("HTML", "</html>")):
            where = page.get_by_role("link", name=form, exact=True).get_attribute("href")
            assert holds in page.request.get(urljoin(page.url, where)).text()
    context.close()


def test_without_javascript_there_is_still_an_answer(visit, files):
    page = visit(LABELS, java_script_enabled=False)
    expect(page.locator("#plan-place .big strong")).to_have_text("369")
    page = visit("/", java_script_enabled=False)
    upload(page, files / "ratings.csv")
    page.get_by_role("button", name="Compute it").click()
    expect(page.get_by_role("link", name="See the results")).to_be_visible()


def test_a_token_is_asked_for_once(browser):
    with running(token="correct horse battery") as guarded:  # noqa: S106 - of a server that lives for a second
        context = browser.new_context()
        page = context.new_page()
        page.goto(guarded.url + LABELS)
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("That is not the token.")).to_be_visible()
        page.get_by_label("Token").fill("correct horse battery")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#plan-place .big strong")).to_have_text("369")  # the page that was asked for
        assert page.url == guarded.url + LABELS
        context.close()


@pytest.mark.parametrize(
    ("rows", "ratings", "items"),
    [
        (30_000, "30,000 ratings", "1,993 items"),
        # As the folder's README says.
        pytest.param(None, "349,582 ratings", "23,178 items", marks=pytest.mark.slow),
    ],
)
def test_a_real_file_goes_through_check_up_items_and_the_whole_report(visit, shared, tmp_path, rows, ratings, items):
    folder = shared / "data" / "wiki_attacks"
    pd.read_csv(folder / "ratings.csv.gz", nrows=rows, dtype=str).to_csv(tmp_path / "ratings.csv.gz", index=False)
    page = visit("/")
    upload(page, tmp_path / "ratings.csv.gz", folder / "judges.csv")
    expect(page.get_by_text(f"{ratings} of {items}")).to_be_visible()
    results(page)
    expect(page.locator("#answer")).to_contain_text("jigsaw_attack_model", timeout=180_000)
    assert "went wrong on our side" not in page.content()
    page.get_by_role("link", name="Items", exact=True).click()
    expect(page.get_by_text(items)).to_be_visible(timeout=120_000)


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


WINDOWS = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}
LOOKED_AT = [
    ("/", "phone"),
    (LABELS, "light"),
    ("/plan", "dark"),
    ("/explain/better", "phone"),
    ("/collect?items=250&raters=3", "phone"),
    ("/p/example:binary/data", "light"),
    ("/p/example:binary/data", "phone"),
    ("/p/example:binary/items", "dark"),
    ("/p/example:binary/items", "phone"),
    ("/p/example:binary/gate?judge=classifier", "light"),
    ("/p/example:binary/plan", "phone"),
]


@pytest.mark.parametrize(("path", "window"), LOOKED_AT)
def test_axe_finds_nothing_serious_and_a_phone_needs_no_sideways_scroll(visit, path, window):
    page = visit(path, bypass_csp=True, **WINDOWS[window])  # so that the debugger may add axe to the page
    if "/p/" in path and "plan" not in path:
        expect(page.locator("#answer .lead, #answer .seen, .items").first).to_be_visible(timeout=90_000)
    drawn(page)
    assert violations(page) == []
    if window == "phone":
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_axe_finds_nothing_serious_in_results_nor_while_they_are_made(visit):
    page = visit("/p/example:binary/results?bootstrap=502", bypass_csp=True)
    expect(page.get_by_role("progressbar")).to_be_visible()
    assert violations(page) == []
    expect(page.locator("#do-the-raters-agree")).to_be_visible(timeout=120_000)
    drawn(page)
    assert violations(page) == []
