"""What `reproduce` says: do we get the papers' numbers."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from dissensus.methods.reproduce.claims import Drawing, Kind, ReproduceResult
from dissensus.options import named
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Report, Section, Table
from dissensus.report.numbers import counted, listing, visible
from dissensus.report.specs.lines import LineChart, LogLines, line_chart, line_row, log_lines
from dissensus.report.specs.shapes import Row as Mark
from dissensus.report.specs.shapes import Spec, choice_map
from dissensus.report.views.equivalence import curve_figure
from dissensus.report.views.section import noted
from dissensus.report.views.worth import terms_of
from dissensus.results import Result

AS_PUBLISHED = "reproduced"
STATUSES = {
    AS_PUBLISHED: "Reproduced",
    "differs": "Differ",
    "not reproducible": "Not reproducible",
    "data missing": "Data missing",
    "failed": "Failed",
}
TITLE = "Do we get the papers' numbers?"
PAGE_TITLE = "What the papers printed, and what we get"
PAPERS = {
    "survey-equivalence": "Survey equivalence: how many raters is a classifier worth?",
    "judges-without-gold": "Judges without gold labels",
    "how-many-raters": "How many raters do you need?",
    "dont-label-twice": "Don't label twice",
}
OPEN = ("failed", "differs")
"""What a page shows at once; the rest is opened on demand."""
COLUMNS = {"claim": "Where", "published": "Published", "ours": "Ours", "difference": "Difference", "reason": "Reason"}
NEEDS_DATA = f"give the authors' data with {named('data')}, or let {named('download')} fetch them."
Row = Mapping[str, object]


def view(result: Result) -> Section:
    """How many numbers of each paper, or of each part of one, we get; then every number."""
    claims = claims_of(result)
    papers = _by(claims, "paper")
    groups = papers if len(papers) > 1 else _by(claims, "part")
    statuses = [status for status in STATUSES if any(claim.get("status") == status for claim in claims)]
    table = Table(
        caption="Published numbers; most off: the largest difference of those reproduced",
        columns=["Paper" if len(papers) > 1 else "Part", "Numbers", *(STATUSES[one] for one in statuses), "Most off"],
        rows=[_summary(name, rows, statuses) for name, rows in groups.items()],
        digits=4,
    )
    count = Counter(str(claim.get("status")) for claim in claims)
    failed, missing = count["failed"], count["data missing"]
    notes = [f"Report what failed as a bug: {counted(failed, 'number')} should be the same."] if failed else []
    notes += [f"To check {counted(missing, 'more number')}, {NEEDS_DATA}"] if missing else []
    folds = [Fold(title=_title(paper), parts=list(_tables(rows).values())) for paper, rows in papers.items()]
    return Section(title=TITLE, lead=lead_of(claims), blocks=[table, *noted(notes), *folds] if claims else ())


def claims_of(result: Result) -> list[Row]:
    """The claims as rows, with the part of the paper that each belongs to where that is known."""
    if isinstance(result, ReproduceResult):
        return [outcome.as_dict() | {"part": outcome.claim.group} for outcome in result.claims]
    found = result.as_dict().get("claims")
    return [claim for claim in found if isinstance(claim, Mapping)] if isinstance(found, Iterable) else []


def lead_of(claims: Sequence[Row]) -> str:
    """How many claims came out how."""
    if not claims:
        return "No published number was recomputed."
    statuses = Counter(str(claim.get("status", "unknown")) for claim in claims)
    parts = [
        f"{count:,} {'differ' if status == 'differs' and count > 1 else visible(status)}"
        for status, count in statuses.most_common()
    ]
    return f"{counted(len(claims), 'published number')}: {listing(parts)}."


def _by(claims: Sequence[Row], key: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for claim in claims:
        groups[str(claim.get(key, ""))].append(claim)
    return groups


def _title(paper: str) -> str:
    return PAPERS.get(paper, visible(paper))


def _summary(name: str, claims: Sequence[Row], statuses: Sequence[str]) -> list[Cell]:
    """How many claims came out how, and how far the furthest of those reproduced is off."""
    found = Counter(str(claim.get("status", "")) for claim in claims)
    gaps = [abs(_number(claim.get("difference"))) for claim in claims if claim.get("status") == AS_PUBLISHED]
    return [visible(name), len(claims), *(found[status] for status in statuses), max(gaps, default=None)]


def _tables(claims: Sequence[Row]) -> dict[str, Table]:
    """Every number, those that fared the same in one table."""
    tables = {}
    for status, rows in _by(claims, "status").items():
        caption = f"{STATUSES.get(status, visible(status))} ({len(rows):,})"
        cells = [[cell_of(row.get(name)) for name in COLUMNS] for row in rows]
        tables[status] = Table(caption=caption, columns=list(COLUMNS.values()), rows=cells, digits=4)
    return {status: tables[status] for status in sorted(tables, key=lambda one: (one not in OPEN, one == AS_PUBLISHED))}


def cell_of(value: object) -> Cell:
    """A number or a text as a table shows it; a whole number without decimals."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) or value is None else visible(str(value))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


# ---- A page about the papers: every number with ours and the reason, and the figures drawn anew


def page_report(result: ReproduceResult) -> Report:
    """The whole page: a section for each paper."""
    claims = claims_of(result)
    drawings = sorted(result.drawings, key=lambda drawing: int((re.search(r"\d+", drawing.place) or "0")[0]))
    sections = [
        _section(paper, rows, [drawing for drawing in drawings if drawing.paper == paper])
        for paper, rows in _by(claims, "paper").items()
    ]
    verdict = [lead_of(claims), *(visible(warning) for warning in result.warnings)]
    return Report(title=PAGE_TITLE, verdict=verdict, sections=sections, results=(result,))


def _section(paper: str, claims: Sequence[Row], drawings: Sequence[Drawing]) -> Section:
    blocks: list[Block] = [
        table if status in OPEN else Fold(title=table.caption, parts=[table])
        for status, table in _tables(claims).items()
    ]
    blocks += [figure_of(drawing) for drawing in drawings] or [Note(text=f"For its figures, {NEEDS_DATA}", kind="hint")]
    return Section(title=_title(paper), lead=lead_of(claims), blocks=blocks)


# ---- The papers' figures, drawn anew

FORM = ",.4~r"


def figure_of(drawing: Drawing) -> Figure:
    """A figure of a paper as a chart with its numbers."""
    caption = f"{drawing.place.capitalize()}. {drawing.caption}"
    if drawing.curve is not None:
        curve = drawing.curve
        terms = terms_of(curve.settings, largest=curve.curve[-1].raters)
        made = curve_figure(curve, curve.ranked, terms)
        return replace(made, title=drawing.title, caption=f"{caption} {made.caption}")
    return Figure(
        title=drawing.title, caption=caption, spec=_SPECS[drawing.kind](drawing), table=_figure_table(drawing)
    )


def _lines(drawing: Drawing) -> Spec:
    rows = [line_row(point.series, point.x, point.y) for point in drawing.points]
    chart = LineChart(
        rows=rows, series=drawing.series, x_title=drawing.x_title, y_title=drawing.y_title, x_form=FORM, y_form=FORM,
        tip_form=FORM,
    )  # fmt: skip
    spec = line_chart(chart)
    if not drawing.is_log_x:
        return spec
    x = {**spec["encoding"]["x"], "scale": {"type": "log", "nice": False}}  # type: ignore[index]  # as line_chart makes it
    return {**spec, "encoding": {**spec["encoding"], "x": x}}  # type: ignore[dict-item]  # as above


def _logarithms(drawing: Drawing) -> Spec:
    rows: list[Mark] = [
        {"series": point.series, "x": point.x, "y": point.y, "shown": f"{10**point.y:.3g}", "items": None}
        for point in drawing.points
    ]
    lines = LogLines(
        rows=rows, kind="count", series=drawing.series, x_title=drawing.x_title, y_title=drawing.y_title, x_form=".4~s"
    )
    return log_lines(lines)


def _cells(drawing: Drawing) -> Spec:
    rows: list[Mark] = [
        {
            "across": f"{point.x:g}",
            "down": point.series,
            "choice": f"{point.y:.3f}" if point.printed is None else f"{point.y:.3f} ({point.printed:.3f})",
            "strength": min(max(point.y, 0.0), 1.0),
        }
        for point in drawing.points
    ]
    shown = drawing.y_title if all(point.printed is None for point in drawing.points) else "Ours (printed)"
    return choice_map(rows, x_title=drawing.x_title, y_title=drawing.series, choices=shown)


_SPECS: Mapping[Kind, Callable[[Drawing], Spec]] = {"lines": _lines, "logarithms": _logarithms, "cells": _cells}


def _figure_table(drawing: Drawing) -> Table:
    """A row for each point, with the printed number where there is one."""
    has_printed = any(point.printed is not None for point in drawing.points)
    rows: list[list[Cell]] = []
    for point in drawing.points:
        value = 10**point.y if drawing.kind == "logarithms" else point.y
        rows.append([point.series, f"{point.x:g}", value, *([point.printed] if has_printed else [])])
    columns = [drawing.series, drawing.x_title, drawing.y_title, *(["Printed"] if has_printed else [])]
    return Table(caption=drawing.title, columns=columns, rows=rows, digits=4)
