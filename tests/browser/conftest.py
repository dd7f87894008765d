import shutil

import pytest


@pytest.fixture(scope="session")
def browser():
    """Chromium; tests that need it skip where it is not installed."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    sync_api.expect.set_options(timeout=60_000)  # a busy machine is no fault
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


class Visit:
    """A page opened in a window of its own, with all it said and asked for."""

    def __init__(self, browser, path, **window):
        from playwright.sync_api import expect  # noqa: PLC0415 - there is a browser, so playwright is installed

        self.context = browser.new_context(**{"viewport": {"width": 1000, "height": 800}} | window)
        self.page = self.context.new_page()
        self.said, self.requests, self.dialogs = [], [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.goto(path.as_uri())
        # Counted from outside: waiting inside the page would be evaluating, which the page's policy forbids.
        expect(self.page.locator("[data-chart]:not(:has(svg))")).to_have_count(0)


@pytest.fixture(scope="module")
def look(browser):
    """Opens a page once for all tests of a file that leave it as it was: drawing it takes seconds."""
    visits = {}

    def look_at(path, **window):
        key = f"{path} {sorted(window.items())}"
        if key not in visits:
            visits[key] = Visit(browser, path, **window)
        page = visits[key].page
        page.mouse.move(2, 2)  # no tooltip of an earlier test, and the top of the page
        page.evaluate("scrollTo(0, 0)")
        return visits[key]

    yield look_at
    for opened in visits.values():
        opened.context.close()


@pytest.fixture
def open_page(browser):
    """Opens pages, each in a window of its own, until the test is over."""
    visits = []

    def open_one(path, **window):
        visits.append(Visit(browser, path, **window))
        return visits[-1]

    yield open_one
    for opened in visits:
        opened.context.close()
