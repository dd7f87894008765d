import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

import dissensus
from dissensus.methods.describe.describe import LabelShare
from dissensus.report.document import Section, Table
from dissensus.report.html import (
    MOST_ROWS,
    drawing_script,
    environment,
    fragment_of,
    fragment_of_section,
    page_of,
)

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (LabelShare(label=SCRIPT, count=3, share=0.75), LabelShare(label='" onload="x</style>', count=1, share=0.25))


class Outline(HTMLParser):
    """The elements of a page, the text of its scripts and styles, and what its attributes would load or run."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.raw, self.risky, self._inside = [], [], {}, [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.risky += [(tag, k, v) for k, v in attrs if k in ("src", "srcset", "style") or k.startswith("on")]
        self.risky += [(tag, "href", found["href"])] if not found.get("href", "#").startswith("#") else []
        self._inside = (tag, found.get("id")) if tag in ("script", "style") else None

    def handle_data(self, data):
        if self._inside:
            self.raw[self._inside] = self.raw.get(self._inside, "") + data

    def handle_endtag(self, tag):  # noqa: ARG002 - the parser calls it so
        self._inside = None


@pytest.fixture(scope="module")
def page(described):
    groups = (described(group="crowd").whole, described(group="experts").whole)
    return page_of(
        [described(groups=groups, warnings=("3 ratings have no label.",))],
        title="What the ratings say",
        command_line="dissensus report ratings.csv -o report.html",
    )


def sha256(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def without_script(text):
    return text.replace(drawing_script(), "/* the bundle of Vega */")


def test_the_page_of_describe(described, golden, monkeypatch):
    monkeypatch.setattr(dissensus, "__version__", "1.2.3")
    result = described(warnings=("3 ratings have no label.",))
    text = page_of([result], title="What the ratings say", command_line="dissensus report ratings.csv")
    hashless = re.sub(r"sha256-[A-Za-z0-9+/=]+", "sha256-", without_script(text))
    assert hashless == golden("describe_page.html")


def test_the_fragment_of_describe(described, golden):
    assert fragment_of(described(warnings=("3 ratings have no label.",))) + "\n" == golden("describe_fragment.html")


def test_the_same_results_give_the_same_bytes(described):
    assert page_of([described()], title="t") == page_of([described()], title="t")


def test_the_library_is_embedded_once_and_the_page_stays_small(page):
    assert page.count(drawing_script()) == 1
    assert len(page.encode()) < 1_000_000


def test_the_page_loads_nothing_and_runs_nothing_from_attributes(page):
    assert Outline(page).risky == []


def test_ids_are_unique_and_every_chart_finds_its_specification(page):
    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    wanted = re.findall(r'data-chart="([^"]+)"', page)
    assert len(wanted) == 4
    for name in wanted:
        assert "mark" in outline.raw["script", name]
        assert json.loads(outline.raw["script", name])["width"] == "container"


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")
    outline = Outline(page)
    scripts = [f"'sha256-{sha256(outline.raw['script', id_])}'" for id_ in (None, "drawing")]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {' '.join(scripts)}",
        f"style-src 'sha256-{sha256(outline.raw['style', None])}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_scripts_in_labels_groups_titles_and_warnings_are_text(described):
    parts = (described(group=SCRIPT, labels=HOSTILE).whole, described(group="b").whole)
    result = described(labels=HOSTILE, groups=parts, warnings=(SCRIPT,), settings={SCRIPT: SCRIPT})
    text = without_script(page_of([result], title=SCRIPT, command_line=SCRIPT))
    assert SCRIPT not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert Outline(text).risky == []
    assert SCRIPT not in fragment_of(result)


def test_the_page_starts_with_the_answer_and_ends_with_how_it_was_made(page):
    answer = page.index("Two raters agree on an item 59% of the time")
    assert page.index("<main") < page.index("<h1>") < answer < page.index("<section")
    footer = page[page.index("<footer>") :]
    for part in (dissensus.__version__, "ab" * 32, "dissensus report ratings.csv -o report.html", "seed", "bootstrap"):
        assert part in footer


def test_several_results_get_a_list_of_contents_and_their_leads(described):
    text = page_of([described(), described(group="crowd")], title="t")
    assert '<nav class="contents" aria-label="Sections">' in text
    assert text.count('<p class="lead">') == 2


def test_a_page_without_charts_carries_no_script():
    text = page_of([], title="Nothing yet")
    assert "<script" not in text
    assert "script-src &#39;none&#39;" in text


def test_landmarks_captions_and_headings_are_there(page):
    tags = Outline(page).tags
    for tag in ("header", "main", "footer", "h1"):
        assert tags.count(tag) == 1
    assert tags.count("table") == tags.count("caption")
    assert tags.count("figure") == tags.count("figcaption") == 4
    # One for the data of each figure, three of the section, one for how the page was made.
    assert tags.count("details") == tags.count("summary") == 8
    assert 'lang="en"' in page


def test_long_tables_are_cut_and_say_so():
    table = Table(caption="Many", columns=["n"], rows=[[i] for i in range(MOST_ROWS + 7)])
    blocks = environment().get_template("blocks.html.j2").module
    text = str(blocks.block(table, "x"))
    assert text.count("<tr>") == MOST_ROWS + 1
    assert "7 more rows are in the JSON output." in text
    assert "and 492 more rows" in fragment_of_section(Section(title="t", lead="l", blocks=[table]))


def test_the_bundle_cannot_end_its_own_element():
    assert "</script" not in drawing_script().lower()
