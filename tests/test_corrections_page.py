"""The page of corrections shows the numbers of the papers' page: renewed by `--update-golden`."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "explanation" / "what-we-corrected.md"
REFERENCE = DOCS / "reference" / "reproduce.md"
TITLES = {
    "survey-equivalence": "Survey equivalence",
    "judges-without-gold": "Judges without gold labels",
    "how-many-raters": "How many raters do you need?",
    "dont-label-twice": "Don't label twice",
}


def section_of(paper):
    """What a full run found about a paper."""
    return REFERENCE.read_text(encoding="utf-8").split(f"\n### {TITLES[paper]}\n")[1].split("\n### ")[0]


def corrections_of(paper):
    """The numbers that differ from the printed ones, and why."""
    section = section_of(paper)
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.endswith("| differs |")]
    reasons = dict(re.findall(r"^- (.+?): (.+)$", section, re.MULTILINE))
    rows = [f"| {where} | {published} | {ours} | {reasons[where]} |" for where, published, ours, _ in cells]
    return "\n".join(["", "| where | published | ours | why |", "|---|---:|---:|---|", *rows, "", ""])


@pytest.mark.parametrize("paper", TITLES)
def test_the_page_shows_every_number_that_differs_in_the_full_run(paper, request):
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(f"<!-- corrected: {paper} -->\n")
    shown, after = rest.split("<!-- end -->", 1)
    found = corrections_of(paper)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(f"{before}<!-- corrected: {paper} -->\n{found}<!-- end -->{after}", encoding="utf-8")
    else:
        assert shown == found, "renew the page: python -m pytest tests/test_corrections_page.py --update-golden"


@pytest.mark.parametrize("paper", TITLES)
def test_a_paper_has_corrections(paper):
    assert corrections_of(paper).count("\n") > 5
