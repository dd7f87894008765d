"""A page about the papers: every number with ours and the reason, and the figures drawn anew."""

import re
from collections.abc import Mapping, Sequence

from dissensus.papers.claims import ReproduceResult
from dissensus.papers.drawings import Drawing
from dissensus.report.document import Block, Cell, Fold, Note, Report, Section, Table
from dissensus.report.untrusted import visible
from dissensus.report.views.reproduce import Row, cell_of, claims_of, lead_of
from dissensus.report.views.reproduce_figures import figure_of

TITLE = "What the papers printed, and what we get"
PAPERS = {
    "survey-equivalence": "Survey equivalence: how many raters is a classifier worth?",
    "judges-without-gold": "Judges without gold labels",
    "how-many-raters": "How many raters do you need?",
    "dont-label-twice": "Don't label twice",
}
GROUPS = {
    "failed": "Failed: it should be the same and is not",
    "differs": "Differs, and why",
    "data missing": "Waiting for the authors' data",
    "not reproducible": "Not reproducible, and why",
    "reproduced": "Reproduced",
}
_WHERE = {"claim": "Where", "what": "What"}
_COMPARED = {"published": "Published", "ours": "Ours"}
_ALONE = {**_WHERE, "published": "Published", "reason": "Reason"}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "failed": {**_WHERE, **_COMPARED, "tolerance": "Tolerance", "reason": "Reason"},
    "differs": {**_WHERE, **_COMPARED, "reason": "Reason"},
    "data missing": _ALONE,
    "not reproducible": _ALONE,
    "reproduced": {
        **_WHERE,
        **_COMPARED,
        "difference": "Difference",
        "tolerance": "Tolerance",
        "reason": "Why that far",
    },
}
OPEN = ("failed", "differs")
"""What a page shows at once; the rest is opened on demand."""


def page_report(result: ReproduceResult) -> Report:
    """The whole page: a section for each paper."""
    claims = claims_of(result)
    papers = dict.fromkeys(str(claim["paper"]) for claim in claims)
    sections = [
        _section(
            paper,
            [claim for claim in claims if claim["paper"] == paper],
            sorted((drawing for drawing in result.drawings if drawing.paper == paper), key=_number),
        )
        for paper in papers
    ]
    verdict = [lead_of(claims), *(visible(warning) for warning in result.warnings)]
    return Report(title=TITLE, verdict=verdict, sections=sections, results=(result,))


def _number(drawing: Drawing) -> int:
    """The number of a figure or table, by which the page has them."""
    found = re.search(r"\d+", drawing.place)
    return int(found[0]) if found else 0


def _section(paper: str, claims: Sequence[Row], drawings: Sequence[Drawing]) -> Section:
    blocks: list[Block] = []
    for status, title in GROUPS.items():
        found = [claim for claim in claims if claim["status"] == status]
        if found:
            table = _table(f"{title} ({len(found)})", found, COLUMNS[status])
            blocks.append(table if status in OPEN else Fold(title=f"{title} ({len(found)})", parts=[table]))
    figures = [figure_of(drawing) for drawing in drawings]
    blocks += figures or [Note(text=_NO_FIGURES, kind="hint")]
    return Section(title=PAPERS.get(paper, visible(paper)), lead=lead_of(claims), blocks=blocks)


_NO_FIGURES = "Its figures need the authors' data: give them with --data, or let --download fetch them."


def _table(caption: str, claims: Sequence[Row], columns: Mapping[str, str]) -> Table:
    rows: list[list[Cell]] = [[cell_of(claim[name]) for name in columns] for claim in claims]
    return Table(caption=caption, columns=list(columns.values()), rows=rows, digits=4)
