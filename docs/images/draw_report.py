"""Draw report.png, the picture in the README: the verdict of the demo, and what its judges are worth.

python docs/images/draw_report.py
"""  # noqa: INP001 - a script, not a package

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).with_name("report.png")
WIDTH, MARGIN = 860, 16
QUESTION = "How many raters is each judge worth?"


def main() -> None:
    """Make the demo's page, leave out what the picture has no room for, and take the picture."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        demo = [sys.executable, "-m", "dissensus", "demo", "-o", str(page_file), "--quiet"]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        window = {"width": WIDTH, "height": 1000}
        page = browser.new_page(viewport=window, device_scale_factor=1.25, color_scheme="light", bypass_csp=True)
        page.goto(page_file.as_uri())
        worth = page.locator("section", has=page.get_by_role("heading", name=QUESTION))
        shown = f"#{worth.get_attribute('id')}"
        page.add_style_tag(
            content=f"nav, section:not({shown}) {{ display: none }} {shown} h2 {{ margin-top: 1.25rem }}"
        )
        figure = worth.locator("figure").first
        figure.locator("svg").wait_for()
        box = figure.bounding_box()
        assert box is not None  # noqa: S101 - the chart was waited for
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": box["y"] + box["height"] + MARGIN}
        page.screenshot(path=PICTURE, full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
