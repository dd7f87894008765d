"""The docs' page of the papers' numbers is what a full run gives: renewed by `pytest -m slow --update-golden` here."""

import math
from collections import defaultdict
from pathlib import Path

import pytest

from dissensus.methods.reproduce import PAPERS, reproduce
from dissensus.report.views.reproduce import claims_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "reproduce.md"
START, END = "<!-- full run: dissensus reproduce all --download -->\n", "<!-- end of the full run -->\n"
TITLES = {
    "survey-equivalence": "Survey equivalence",
    "judges-without-gold": "Judges without gold labels",
    "how-many-raters": "How many raters do you need?",
    "dont-label-twice": "Don't label twice",
}
MANY = 8
"""As many numbers of a table, or more, are one line."""


def gathered(claims):
    """The claims; numbers of one table that nobody can compute, for the same reason, are one line."""
    groups = defaultdict(list)
    for claim in claims:
        groups[_kind_of(claim)].append(claim)
    lines = []
    for (table, *_), rows in groups.items():
        if not table or len(rows) < MANY:
            lines += rows
            continue
        lines.append({**rows[0], "published": None, "ours": None, "claim": f"{table}, {len(rows)} numbers"})
    place = {id(claim): i for i, claim in enumerate(claims)}
    return sorted(lines, key=lambda line: place.get(id(line), place[id(groups[_kind_of(line)][0])]))


def _kind_of(claim):
    """The table that a claim is a cell of and why nobody can compute it; its name for any other claim."""
    name = str(claim["claim"])
    if claim["status"] != "not reproducible" or not name.startswith("table "):
        return "", name
    return name.split(",", maxsplit=1)[0], str(claim["reason"])


def shown(number):
    if not isinstance(number, int | float) or math.isnan(number):
        return ""
    return f"{int(number):,}" if float(number).is_integer() else f"{number:.4g}"


def escaped(text):
    return str(text).replace("|", r"\|").replace("*", r"\*").replace("<", "&lt;")


def rows_of(paper, claims):
    yield f"\n### {TITLES[paper]}\n"
    yield "| where | published | ours | status |\n|---|---:|---:|---|"
    lines = gathered([claim for claim in claims if claim["paper"] == paper])
    for line in lines:
        numbers = [shown(line[name]) for name in ("published", "ours")]
        yield f"| {escaped(line['claim'])} | {' | '.join(numbers)} | {line['status']} |"
    yield "\nWhat is not as published:\n"
    for line in lines:
        if line["status"] != "reproduced":
            yield f"- {escaped(line['claim'])}: {escaped(line['reason'])}"


def page_block(result):
    claims = claims_of(result)
    return "\n".join(row for paper in PAPERS for row in rows_of(paper, claims)) + "\n\n"


def current_block():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    block, after = rest.split(END)
    return before, block, after


def test_the_page_lists_every_claim_with_the_printed_number():
    _, block, _ = current_block()
    out_of_reach = [claim for claims in PAPERS.values() for claim in claims if claim.compute is None]
    named = [claim for claims in PAPERS.values() for claim in claims if claim not in out_of_reach]
    missing = [c.claim for c in named if f"| {escaped(c.claim)} | {shown(c.published)} |" not in block]
    assert missing == [], "renew the page: pytest -m slow tests/methods/reproduce/test_page.py --update-golden"
    assert "failed" not in block
    assert "data missing" not in block


@pytest.mark.slow
def test_the_page_is_that_of_a_full_run(authors_wheel, request):
    found = page_block(reproduce(data=authors_wheel))
    before, block, after = current_block()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(before + START + found + END + after, encoding="utf-8")
    else:
        assert block == found
