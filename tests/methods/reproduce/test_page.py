"""The papers' numbers in the docs are those of a full run: renewed by `pytest -m slow --update-golden` here."""

import csv
import io
import math
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import pytest

from dissensus.methods.reproduce import PAPERS, reproduce
from dissensus.report.views.reproduce import claims_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "reproduce.md"
TABLE = PAGE.with_suffix(".csv")
COLUMNS = ("paper", "where", "published", "ours", "status", "reason")
RENEW = "renew them: pytest -m slow tests/methods/reproduce/test_page.py --update-golden"
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


def table_of(result):
    """Every number of the papers, with ours beside it, as lines of a CSV file."""
    claims, stream = claims_of(result), io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for paper in PAPERS:
        for line in gathered([claim for claim in claims if claim["paper"] == paper]):
            reason = "" if line["status"] == "reproduced" else line["reason"]
            numbers = [shown(line[name]) for name in ("published", "ours")]
            writer.writerow([paper, line["claim"], *numbers, line["status"], reason])
    return stream.getvalue()


def page_block(table):
    """The numbers that are not as published, and why."""
    rows = list(csv.DictReader(io.StringIO(table)))
    return "\n".join(row for paper in PAPERS for row in rows_of(paper, rows)) + "\n\n"


def rows_of(paper, rows):
    own = [row for row in rows if row["paper"] == paper]
    others = [row for row in own if row["status"] != "reproduced"]
    yield f"\n### {TITLES[paper]}\n"
    yield f"{len(own) - len(others)} numbers are reproduced. The others:\n"
    yield "| where | published | ours | why |\n|---|---:|---:|---|"
    for reason, same in groupby(others, key=lambda row: row["reason"]):
        cells = [(escaped(row["where"]), row["published"], row["ours"]) for row in same]
        where, *numbers = (" <br> ".join(column) for column in zip(*cells, strict=True))
        yield f"| {where} | {' | '.join(numbers)} | {escaped(reason)} |"


def current_block():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    block, after = rest.split(END)
    return before, block, after


def test_the_table_lists_every_claim_with_the_printed_number():
    rows = list(csv.DictReader(io.StringIO(TABLE.read_text(encoding="utf-8"))))
    listed = {(row["paper"], row["where"], row["published"]) for row in rows}
    named = [(paper, claim) for paper, claims in PAPERS.items() for claim in claims if claim.compute is not None]
    missing = [claim.claim for paper, claim in named if (paper, claim.claim, shown(claim.published)) not in listed]
    assert missing == [], RENEW
    assert {row["status"] for row in rows} == {"reproduced", "differs", "not reproducible"}
    assert all(row["reason"] for row in rows if row["status"] != "reproduced")


def test_the_page_shows_what_is_not_as_published():
    assert current_block()[1] == page_block(TABLE.read_text(encoding="utf-8")), RENEW


@pytest.mark.slow
def test_the_table_is_that_of_a_full_run(authors_wheel, request):
    found = table_of(reproduce(data=authors_wheel))
    before, _, after = current_block()
    if request.config.getoption("--update-golden"):
        TABLE.write_text(found, encoding="utf-8")
        PAGE.write_text(before + START + page_block(found) + END + after, encoding="utf-8")
    else:
        assert TABLE.read_text(encoding="utf-8") == found
