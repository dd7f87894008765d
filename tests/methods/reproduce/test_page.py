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
"""As many cells of a table, or more, are one line."""


def gathered(claims):
    """The claims; cells of one printed table that came out the same way are one line, that of the furthest one."""
    groups = defaultdict(list)
    for claim in claims:
        groups[_kind_of(claim)].append(claim)
    lines = []
    for (table, *_), rows in groups.items():
        if not table or len(rows) < MANY:
            lines += rows
            continue
        worst = max(rows, key=_gap)
        lines.append(_line(table, rows, worst))
    place = {id(claim): i for i, claim in enumerate(claims)}
    return sorted(lines, key=lambda line: place.get(id(line), place[id(groups[_kind_of(line)][0])]))


def _gap(claim):
    difference = claim["difference"]
    return abs(difference) if difference is not None and math.isfinite(difference) else 0.0


def _kind_of(claim):
    """The table that a claim is a cell of, how it came out, and why if it needs a reason."""
    status, name = str(claim.get("status", "")), str(claim.get("claim", ""))
    table = name.split(",", maxsplit=1)[0] if name.startswith("table ") else ""
    if not table:
        return "", name, ""
    return table, status, "" if status == "reproduced" else str(claim.get("reason", ""))


def _line(table, rows, worst):
    if worst.get("status") == "reproduced":
        _, _, cell = str(worst["claim"]).partition(", ")
        return {**worst, "claim": f"{table}, {len(rows)} numbers; most off: {cell}"}
    nothing = dict.fromkeys(("published", "ours"))
    return {**worst, **nothing, "claim": f"{table}, {len(rows)} numbers"}


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
    named = [claim for claims in PAPERS.values() for claim in claims if not claim.claim.startswith("table ")]
    missing = [c.claim for c in named if f"| {escaped(c.claim)} | {shown(c.published)} |" not in block]
    assert missing == [], "renew the page: pytest -m slow tests/methods/reproduce/test_page.py --update-golden"
    assert all(f"| table {number}, 36 numbers; most off: " in block for number in range(4, 16))
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
