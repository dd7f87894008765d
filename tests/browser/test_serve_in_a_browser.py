"""The web app in a real browser, with the real server: one user's task per test."""

import json
import re

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
    """Ratings, the same with a rating given twice, and two judges of whom one is nearer to people."""
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
    write("repeated.csv", ["item,rater,label", *ratings, "i0,r1,yes", "i1,r2,no"])
    spelt = [row.replace("yes", "YES") if row.startswith("i1,") else row for row in ratings]
    write("spelt.csv", ["item,rater,label", *spelt, "i0,r8,n/a", "i1,r8,n/a"])
    write("judges.csv", ["item,judge,label", *judges])
    return folder


def upload(page, *, ratings, judges=None):
    page.get_by_label("People's ratings").set_input_files(ratings)
    if judges is not None:
        page.get_by_label("Judges' answers").set_input_files(judges)
    page.get_by_role("button", name="Look at them").click()
    page.wait_for_url("**/data?*", timeout=60_000)  # the page that is left has links of the same names


def make_report(page):
    """Where the link to the report leads, with fewer samples than it takes by itself."""
    where = page.get_by_role("link", name="Make the report").get_attribute("href", timeout=60_000)
    page.goto(page.url.partition("/data")[0] + where + "&bootstrap=20")


def drawn(page):
    expect(page.locator("[data-chart]:not(:has(svg))")).to_have_count(0)


def test_upload_ratings_and_judges_then_read_the_verdict(visit, files):
    page = visit("/")
    upload(page, ratings=files / "ratings.csv", judges=files / "judges.csv")
    expect(page.get_by_text("ratings.csv has 160 ratings of 40 items")).to_be_visible()
    page.get_by_role("link", name="Make the report").click()
    verdict = page.get_by_role("list", name="The verdict").get_by_role("listitem")
    expect(verdict.filter(has_text="near").first).to_be_visible()
    drawn(page)
    # The page is what the command line says about the same files.
    command = page.get_by_label("Command line").inner_text()
    assert command == "dissensus report ratings.csv judges.csv -o report.html"


def test_the_report_grows_section_by_section(visit):
    page = visit("/report?data=example:toxicity&bootstrap=1001")  # nobody asked for this one before
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("heading", name="How many raters is each judge worth?")).to_be_visible()
    assert page.get_by_role("list", name="The verdict").count() == 0  # that comes last
    expect(page.get_by_role("list", name="The verdict")).to_be_visible()
    assert page.get_by_role("heading", level=2).all_inner_texts()[0] == "Which judge to use, and how?"


def test_mend_a_file_with_repeated_ratings(visit, files):
    page = visit("/")
    upload(page, ratings=files / "repeated.csv")
    expect(page.get_by_text("Errors: commands stop at them")).to_be_visible()
    assert page.get_by_role("link", name="Make the report").count() == 0
    page.get_by_role("link", name=re.compile("Fix it with --repeats")).click()
    expect(page.get_by_role("link", name="Make the report")).to_be_visible()
    assert page.get_by_label("A rater who rated an item twice").input_value() in {"first", "last"}
    make_report(page)
    expect(page.get_by_role("list", name="The verdict")).to_be_visible()
    assert re.search(r"repeated\.csv --repeats (first|last)", page.get_by_label("Command line").inner_text())


def test_mend_labels_by_picking_what_they_are(visit, files):
    page = visit("/")
    upload(page, ratings=files / "spelt.csv")
    expect(page.get_by_text("are read as different labels")).to_be_visible()
    page.get_by_text("Take labels for something else").click()
    page.get_by_label("n/a", exact=True).select_option("take it as missing")
    page.get_by_label("YES", exact=True).select_option("is the same as yes")
    page.locator("details.unsure").get_by_role("button", name="Look again").click()
    expect(page.get_by_label("Other names for labels")).to_have_value("YES=yes,n/a=")
    expect(page.get_by_text("160 ratings of 40 items")).to_be_visible()
    expect(page.get_by_text("are read as different labels")).to_have_count(0)
    make_report(page)
    expect(page.get_by_role("list", name="The verdict")).to_be_visible()
    assert "--map YES=yes,n/a=" in page.get_by_label("Command line").inner_text()


def test_mend_with_one_button_after_the_other(visit, files):
    page = visit("/")
    upload(page, ratings=files / "spelt.csv")
    page.get_by_role("link", name="Fix it with --merge-case").click(timeout=60_000)
    expect(page.get_by_label("Labels that differ in case or blanks only are one").first).to_be_checked()
    page.get_by_role("link", name=re.compile("Fix it with --map")).click(timeout=60_000)
    expect(page.get_by_text("160 ratings of 40 items")).to_be_visible()
    assert page.get_by_role("group", name="Fix it").count() == 0
    assert "--merge-case" in page.get_by_label("Command line").inner_text()


def test_describe_models_that_err_alike(visit):
    page = visit("/plan/labels")
    expect(page.get_by_label("Accuracy of the worse one", exact=True)).to_be_hidden()
    page.get_by_label("By how the better one does").check()
    expect(page.get_by_label("Accuracy of the worse model", exact=True)).to_be_hidden()
    lead = page.locator("#answer .lead")
    before = lead.inner_text()
    page.get_by_label("The better one is right where the worse is right: slider").fill("0.99")
    expect(lead).not_to_have_text(before)
    expect(page).to_have_url(re.compile("described=correlated.*better_if_worse_right=0.99"))
    assert "--better-if-worse-right 0.99" in page.get_by_label("Command line").inner_text()


def test_plan_labels_from_a_pilot(visit):
    page = visit("/plan/labels")
    page.get_by_role("link", name="Toxic comments").click()
    expect(page.locator("#answer .lead")).to_contain_text("items")
    drawn(page)
    assert "--pilot example:toxicity" in page.get_by_label("Command line").inner_text()


def test_ask_whether_a_judge_may_pass(visit, files):
    page = visit("/")
    upload(page, ratings=files / "ratings.csv", judges=files / "judges.csv")
    page.get_by_role("link", name="May this judge pass?").click(timeout=60_000)
    page.get_by_role("group", name="Which judge").get_by_role("link", name="near").click(timeout=60_000)
    expect(page.locator("#answer .lead")).to_contain_text('"near"')
    page.get_by_label("Worth at least this many raters").fill("2.5")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#answer .lead")).to_contain_text("fails: the check fails")
    assert "--judge near --min-equivalence 2.5" in page.get_by_label("Command line").inner_text()


def test_move_a_slider_and_see_how_many_labels_it_takes(visit):
    # 369 items: the exact number for accuracy .75, margin .1, label accuracy .75 and error .05 in the paper's model.
    page = visit("/plan/labels?accuracy=0.9&margin=0.1&label_accuracy=0.75&error=0.05")
    lead = page.locator("#answer .lead")
    expect(lead).not_to_contain_text("369")
    page.get_by_label("Accuracy of the worse model: slider").fill("0.75")
    expect(lead).to_contain_text("Buy one label for each of 369 items")
    drawn(page)
    assert page.get_by_label("Accuracy of the worse model", exact=True).input_value() == "0.75"
    assert "--accuracy 0.75" in page.get_by_label("Command line").inner_text()


def test_a_link_restores_what_was_chosen(visit):
    page = visit("/plan/labels")
    page.get_by_label("What I can spend").check()
    page.get_by_label("What all may cost: slider").fill("2000")
    expect(page.locator("#answer .lead")).to_contain_text("2,000 items")
    link = page.url
    assert "budget=2000" in link
    again = visit(link.partition(page.url.split("/plan", maxsplit=1)[0])[2])
    assert again.get_by_label("What all may cost", exact=True).input_value() == "2000"
    assert again.locator("#answer .lead").inner_text() == page.locator("#answer .lead").inner_text()


def test_cancel_a_long_job_and_start_it_again(visit):
    page = visit("/report?data=example:toxicity&bootstrap=20000")
    page.get_by_role("button", name="Cancel").click(timeout=60_000)
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    page.get_by_role("button", name="Cancel").click(timeout=60_000)
    expect(page.get_by_text("Cancelled.")).to_be_visible()


def test_other_pages_answer_while_a_long_job_runs(visit):
    page = visit("/report?data=example:toxicity&bootstrap=20001")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    other = visit(LABELS)
    expect(other.locator("#answer .lead")).to_contain_text("369")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()


def test_progress_that_arrives_after_cancelling_is_not_shown(visit):
    page = visit("/report?data=example:toxicity&bootstrap=20002")
    held = []

    def hold(route):
        held.append(route)

    page.route(re.compile(r"/jobs/[^/]+\?have="), hold)
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    while not held:
        page.wait_for_timeout(20)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    with page.expect_response(re.compile(r"/jobs/[^/]+\?have=")):
        held[0].continue_()
    page.wait_for_timeout(100)
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")


def test_plan_raters_with_sliders(visit):
    page = visit("/plan/raters")
    lead = page.locator("#answer .lead")
    before = lead.inner_text()
    page.get_by_label("How far B strays from people (share of the scale): slider").fill("0.3")
    expect(lead).not_to_have_text(before)
    drawn(page)
    assert "effect=0.3" in page.url


def test_plan_raters_from_a_pilot(visit):
    page = visit("/plan/raters")
    page.get_by_role("link", name="Toxic comments").click()
    expect(page.locator("#answer .lead")).to_contain_text("items")
    assert "--pilot example:toxicity" in page.get_by_label("Command line").inner_text()


def test_compare_two_judges(visit, files):
    page = visit("/")
    upload(page, ratings=files / "ratings.csv", judges=files / "judges.csv")
    page.get_by_role("link", name="Is A better than B?").click(timeout=60_000)
    expect(page.locator("#answer .lead")).to_contain_text('"near"')
    page.reload()
    page.get_by_label("First judge").select_option("far")
    page.get_by_label("Second judge").select_option("near")
    page.get_by_label("How near to people").select_option("accuracy")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#answer .lead")).to_contain_text('"near"')
    assert page.get_by_label("Command line").inner_text().endswith("--a far --b near --metric accuracy")


def test_a_wrong_number_is_answered_in_words(visit):
    page = visit(LABELS)
    page.get_by_label("Accuracy of the worse model", exact=True).fill("1.5")
    expect(page.get_by_role("alert").filter(has_text="accuracy")).to_be_visible()
    page.get_by_label("Accuracy of the worse model", exact=True).fill("0.75")
    expect(page.locator("#answer .lead")).to_contain_text("369")


def test_the_keyboard_alone_is_enough(visit):
    page = visit("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Plan labels":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/plan/labels")
    lead = page.locator("#answer .lead")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "accuracy-slider":
            break
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("Accuracy of the worse model", exact=True)).to_have_value("0.7")
    expect(lead).not_to_contain_text("369 items")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(lead).to_contain_text("369 items")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        LABELS,
        "/plan/raters",
        "/compare",
        "/explain/worth",
        "/data?data=example:binary",
        "/gate?data=example:binary",
    ],
)
def test_a_phone_needs_no_sideways_scroll(visit, path):
    page = visit(path, **PHONE)
    if "data=" in path:
        expect(page.locator("#answer .actions").first).to_be_visible()
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_upload_on_a_phone_and_read_the_verdict(visit, files):
    page = visit("/", **PHONE)
    upload(page, ratings=files / "ratings.csv", judges=files / "judges.csv")
    make_report(page)
    expect(page.get_by_role("list", name="The verdict")).to_be_visible()
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_real_file_of_megabytes_goes_through_upload_check_up_and_the_whole_report(visit, shared):
    folder = shared / "data" / "wiki_attacks"
    page = visit("/")
    upload(page, ratings=folder / "ratings.csv.gz", judges=folder / "judges.csv")
    # 349,582 ratings of 23,178 comments, as the folder's README says.
    expect(page.get_by_text("349,582 ratings of 23,178 items")).to_be_visible()
    make_report(page)
    verdict = page.get_by_role("list", name="The verdict").get_by_role("listitem")
    expect(verdict.first).to_contain_text("jigsaw_attack_model", timeout=180_000)
    expect(page.get_by_text("349,582").first).to_be_visible()
    drawn(page)
    assert "went wrong on our side" not in page.content()


def test_without_javascript_there_is_still_an_answer(visit, files):
    page = visit(LABELS, java_script_enabled=False)
    expect(page.locator("#answer .lead")).to_contain_text("369")
    page = visit("/", java_script_enabled=False)
    upload(page, ratings=files / "ratings.csv")
    page.get_by_role("button", name="Compute it").click()
    expect(page.get_by_role("link", name="Make the report")).to_be_visible()


def test_a_token_is_asked_for_once(browser):
    with running(token="correct horse battery") as guarded:  # noqa: S106 - of a server that lives for a second
        context = browser.new_context()
        page = context.new_page()
        page.goto(guarded.url + LABELS)
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("That is not the token.")).to_be_visible()
        page.get_by_label("Token").fill("correct horse battery")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("#answer .lead")).to_contain_text("369")  # the page that was asked for
        assert page.url == guarded.url + LABELS
        page.goto(guarded.url + "/")
        expect(page.get_by_role("heading", name="How good is your judge?")).to_be_visible()
        context.close()


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
LOOKED_AT = [("/", "light"), ("/", "phone"), (LABELS, "light"), (LABELS, "dark"), ("/plan/raters", "dark")]
LOOKED_AT += [
    ("/data?data=example:binary", "light"),
    ("/data?data=example:binary", "dark"),
    ("/explain/better", "phone"),
]
LOOKED_AT += [("/compare?data=example:binary", "light"), ("/plan/labels?described=correlated", "phone")]
LOOKED_AT += [("/alt-test?data=example:binary", "dark"), ("/raters?data=example:binary&bootstrap=0", "light")]
LOOKED_AT += [("/prevalence?data=example:toxicity", "phone"), ("/gate?data=example:binary&judge=classifier", "light")]


@pytest.mark.parametrize(("path", "window"), LOOKED_AT)
def test_axe_finds_nothing_serious(visit, path, window):
    page = visit(path, bypass_csp=True, **WINDOWS[window])  # so that the debugger may add axe to the page
    if "data=" in path:
        expect(page.locator("#answer .lead").first).to_be_visible()
    drawn(page)
    assert violations(page) == []


def test_axe_finds_nothing_serious_in_a_report_nor_while_it_is_made(visit):
    page = visit("/report?data=example:binary&bootstrap=502", bypass_csp=True)
    expect(page.get_by_role("progressbar")).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_role("list", name="The verdict")).to_be_visible()
    drawn(page)
    assert violations(page) == []
