"""Raters and the owner of a collection, each in a browser of their own."""

import csv
import random
import sqlite3
from contextlib import closing

import pytest

from dissensus import read
from dissensus.cli.main import main

from collect_project import TASK, links, make_project
from web_server import running

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1000, "height": 800}}


class Rater:
    """A rater in a window of their own, who notes what was clicked."""

    def __init__(self, browser, url, name, seed, **window):
        self.name, self.clicked, self._random = name, {}, random.Random(seed)  # noqa: S311 - clicks
        self.context = browser.new_context(**window)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        self.page.goto(url)

    @property
    def is_done(self):
        return self.page.locator("#over").is_visible()

    def text(self):
        return self.page.locator("#item .shown").inner_text().strip()

    def answer(self, how):
        """Answer the item on the screen by mouse, touch or keyboard alone."""
        before = self.page.locator("#count").inner_text()
        choice = self._random.randrange(2)
        both = self._random.random() < 0.4
        getattr(self, f"_{how}")(choice, both)
        self.clicked[self.text_now] = (choice, both)
        expect(self.page.locator("#count")).not_to_have_text(before)

    def _mouse(self, choice, both, act="click"):
        self.text_now = self.text()
        getattr(self.page.locator("#choice .option").nth(choice), act)()
        if both:
            getattr(self.page.locator("#set .option").nth(1 - choice), act)()
        getattr(self.page.locator("#next"), act)()

    def _touch(self, choice, both):
        self._mouse(choice, both, "tap")

    def _keys(self, choice, both):
        self.text_now = self.text()
        keyboard = self.page.keyboard
        keyboard.press(str(choice + 1))
        keyboard.press("Enter")
        if both:
            keyboard.press(str(2 - choice))
        keyboard.press("Enter")


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path, items=10, raters=3, per_item=3, elicitation="both", repeat_share=0.05)


def test_three_raters_finish_a_project_at_once_and_the_answers_are_what_was_clicked(browser, project, capsys):
    ways = {"rater-1": ("touch", PHONE), "rater-2": ("keys", DESK), "rater-3": ("mouse", DESK)}
    with running(folder=str(project)) as server:
        raters = [
            (Rater(browser, f"{server.url}/r/{token}", name, seed, **ways[name][1]), ways[name][0])
            for seed, (name, token) in enumerate(links(project).items())
        ]
        while not all(rater.is_done for rater, _ in raters):
            for rater, how in raters:
                if not rater.is_done:
                    rater.answer(how)
        assert [rater.problems for rater, _ in raters] == [[], [], []]
        for rater, _ in raters:
            rater.context.close()
    assert main(["collect", str(project), "--bootstrap", "0"]) == 0
    assert "30 of 30 ratings are in (100%). All raters are done." in capsys.readouterr().out
    with (project / "data" / "answers.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    options = ("No", "Yes")
    # The last answer to a text counts here: a repeat shows the same text again.
    last = {(row["rater"], row["item"], row["elicitation"]): row["label"] for row in rows}
    for rater, _ in raters:
        for text, (choice, both) in rater.clicked.items():
            item = f"c{int(text.split()[-1]):03d}"
            assert last[rater.name, item, "forced_choice"] == options[choice]
            assert last[rater.name, item, "response_set"] == ("No|Yes" if both else options[choice])
    ratings = read(project / "data" / "ratings.csv")
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings) == (10, 3, 60)
    with (project / "judges.csv").open("w", encoding="utf-8") as stream:
        stream.write("item,judge,label\n" + "".join(f"c{i:03d},coin,{options[i % 2]}\n" for i in range(10)))
    files = [str(project / "data" / "ratings.csv"), str(project / "judges.csv")]
    assert main(["decide", *files, "--task", str(project / "task.toml"), "--bootstrap", "20"]) == 0


def test_a_lost_connection_keeps_the_screen_until_the_answer_is_saved_once(browser, tmp_path):
    project = make_project(tmp_path, items=6, raters=1, per_item=1)
    with running(folder=str(project)) as server:
        rater = Rater(browser, f"{server.url}/r/{links(project)['rater-1']}", "rater-1", 0, **DESK)
        rater.page.locator("#choice .option").nth(0).click()
        rater.context.set_offline(True)
        rater.page.locator("#next").click()
        says = rater.page.locator("#says")
        expect(rater.page.locator("#says")).to_contain_text("not saved yet")
        assert rater.page.locator("#count").inner_text() == "0 of 6"
        rater.context.set_offline(False)
        expect(rater.page.locator("#count")).to_have_text("1 of 6")
        assert says.inner_text() == ""
        rater.page.reload()
        assert rater.page.locator("#count").inner_text() == "1 of 6"
        rater.context.close()
    with closing(sqlite3.connect(project / "answers.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM log WHERE kind = 'answer'").fetchone() == (1,)


def test_a_rater_goes_back_skips_pauses_and_opens_the_link_twice(browser, tmp_path):
    project = make_project(tmp_path, items=5, raters=1, per_item=1, elicitation="both")
    with running(folder=str(project)) as server:
        rater = Rater(browser, f"{server.url}/r/{links(project)['rater-1']}", "rater-1", 0, **DESK)
        page = rater.page
        first = rater.text()
        rater.answer("keys")
        page.locator("#back").click()
        expect(page.locator("#count")).to_have_text("0 of 5")
        assert rater.text() == first
        assert page.locator("#choice input:checked").count() == 1  # as it was answered before
        page.locator("#choice .option").nth(1).click()
        page.locator("#next").click()
        expect(page.locator("#count")).to_have_text("1 of 5")
        page.locator("#skip summary").click()
        page.locator("#skip-form label").nth(1).click()
        page.locator("#skip-form button").click()
        expect(page.locator("#count")).to_have_text("2 of 5")
        page.locator("#pause").click()
        assert not page.locator("#item").is_visible()
        page.locator("#go-on").click()
        assert page.locator("#item").is_visible()
        other = rater.context.new_page()
        other.goto(page.url)
        other.keyboard.press("1")
        other.locator("#next").click()
        expect(other.locator("#count")).to_have_text("3 of 5")
        page.locator("#choice .option").nth(0).click()
        page.locator("#next").click()
        expect(page.locator("#says")).to_contain_text("answer already")
        assert page.locator("#count").inner_text() == "3 of 5"
        rater.context.close()
    with (project / "data" / "answers.csv").open(encoding="utf-8") as stream:
        assert stream.read().count("\n") == 1  # written when the owner asks
    assert main(["collect", str(project), "--bootstrap", "0", "--quiet"]) == 0
    text = (project / "data" / "answers.csv").read_text(encoding="utf-8")
    assert text.count("No option fits") == 1
    assert "Yes" in text


def test_texts_are_shown_as_they_are_right_to_left_and_pass_the_checks_for_everybody(browser, tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    texts = [
        "<img src=x onerror=alert(1)> **bold** ![a](http://example.org/a.png)",
        "\u05e9\u05dc\u05d5\u05dd, 3 \u05d3\u05d1\u05e8\u05d9\u05dd",
    ]
    project = make_project(tmp_path, items=2, raters=1, per_item=1, elicitation="both", texts=texts)
    with running(folder=str(project)) as server:
        rater = Rater(browser, f"{server.url}/r/{links(project)['rater-1']}", "rater-1", 0, **PHONE)
        asked = []
        rater.page.on("request", lambda request: asked.append(request.url))
        rater.page.keyboard.press("1")
        found = axe.Axe().run(rater.page)
        assert found.violations_count == 0, found.generate_report()
        shown = {rater.text()}
        rater.page.locator("#next").click()
        expect(rater.page.locator("#count")).to_have_text("1 of 2")
        shown.add(rater.text())
        assert shown == set(texts)
        directions = rater.page.evaluate("getComputedStyle(document.querySelector('#item .shown > div')).direction")
        hebrew = rater.text() == texts[1]
        assert directions == ("rtl" if hebrew else "ltr")
        assert all(url.startswith(server.url) for url in asked)
        assert rater.problems == []
        assert rater.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        rater.context.close()


def test_the_owner_sees_progress_hands_out_links_drops_a_rater_and_stops(browser, tmp_path):
    project = make_project(tmp_path, items=6, raters=3, per_item=2)
    assert "elicitation" in TASK
    with running(folder=str(project)) as server:
        tokens = links(project)
        rater = Rater(browser, f"{server.url}/r/{tokens['rater-1']}", "rater-1", 0, **DESK)
        while not rater.is_done:
            rater.page.keyboard.press("1")
            done = rater.page.locator("#count").inner_text()
            rater.page.keyboard.press("Enter")
            expect(rater.page.locator("#count")).not_to_have_text(done)
        context = browser.new_context(**DESK)
        page = context.new_page()
        page.goto(server.owner)
        page.goto(f"{server.url}/p/{project.name}/collect")
        assert "4 of 12 ratings are in" in page.inner_text(".lead")
        assert [one.inner_text() for one in page.locator("code.link").all()] == [
            f"{server.url}/r/{token}" for token in tokens.values()
        ]
        card = page.locator(".cards li").nth(1)
        card.locator("summary", has_text="Change").click()
        card.locator("button", has_text="Drop").click()
        page.wait_for_selector("text=rater-2 was dropped")
        assert page.locator("code.link").count() == 2
        page.locator("button", has_text="Stop collecting").click()
        page.wait_for_selector("text=The collection was stopped.")
        rater.page.goto(f"{server.url}/r/{tokens['rater-3']}")
        assert "The collection has ended" in rater.page.inner_text("#over")
        status, _, text = server.ask("GET", f"/r/{tokens['rater-2']}", headers={"Origin": None})
        assert status == 404
        assert "does not work" in text
        for context_ in (context, rater.context):
            context_.close()
