"""What `reproduce` says: do we get the papers' numbers."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from dissensus.methods.reproduce.claims import Drawing, Kind, ReproduceResult
from dissensus.options import named
from dissensus.report.document import Block, Cell, Figure, Fold, Note, Points, Report, Section, Table
from dissensus.report.numbers import counted, listing, visible
from dissensus.report.specs import LineChart, Spec, line_chart
from dissensus.report.specs import Row as Mark
from dissensus.report.specs.lines import LogLines, log_lines
from dissensus.report.specs.shapes import choice_map
from dissensus.report.views.equivalence import curve_figure
from dissensus.report.views.worth import terms_of
from dissensus.results import Result

AS_PUBLISHED = "reproduced"
"""The status that needs no explanation; the JSON has the reasons of all."""
NUMBERS = ("published", "ours", "difference", "tolerance")
MANY = 8
"""So many cells of a table that fared alike are one line; the JSON and the page have them all."""
STATUSES = {
    AS_PUBLISHED: "Reproduced",
    "differs": "Differ",
    "not reproducible": "Not reproducible",
    "data missing": "Data missing",
    "failed": "Failed",
}
HINT = "Name a paper to see its numbers one by one. The JSON and the page have all of them."
TITLE = "Do we get the papers' numbers?"
Row = Mapping[str, object]


def view(result: Result) -> Section:
    """The published numbers with ours beside them: those of one paper one by one, those of several in brief."""
    claims = claims_of(result)
    papers = dict.fromkeys(str(claim.get("paper", "")) for claim in claims)
    is_brief = isinstance(result, ReproduceResult) and len(papers) > 1
    blocks: list[Block] = []
    for paper in papers:
        of_paper = [claim for claim in claims if str(claim.get("paper", "")) == paper]
        blocks += in_brief(paper, of_paper) if is_brief else _of_paper(paper, of_paper)
    hint = [Note(text=HINT, kind="hint")] if is_brief else []
    return Section(title=TITLE, lead=lead_of(claims), blocks=[*blocks, *hint])


def claims_of(result: Result) -> list[Row]:
    """The claims as rows, with the part of the paper that each belongs to where that is known."""
    if isinstance(result, ReproduceResult):
        return [
            outcome.as_dict() | {"part": outcome.claim.group, "what": outcome.claim.what} for outcome in result.claims
        ]
    found = result.as_dict().get("claims")
    return [claim for claim in found if isinstance(claim, Mapping)] if isinstance(found, Iterable) else []


def lead_of(claims: Sequence[Row]) -> str:
    """How many claims fared how."""
    statuses = Counter(str(claim.get("status", "unknown")) for claim in claims)
    if not claims:
        return "No published number was recomputed."
    parts = [f"{count} {_in_words(status, count)}" for status, count in statuses.most_common()]
    return f"{counted(len(claims), 'published number')}: {listing(parts)}."


def _in_words(status: str, count: int) -> str:
    return "differ" if status == "differs" and count > 1 else visible(status)


def in_brief(paper: str, claims: Sequence[Row]) -> list[Block]:
    """How the parts of a paper fared, and what is not as published."""
    statuses = [status for status in STATUSES if any(claim.get("status") == status for claim in claims)]
    parts: dict[str, list[Row]] = defaultdict(list)
    for claim in claims:
        parts[str(claim.get("part", ""))].append(claim)
    table = Table(
        caption=visible(paper), columns=["Part", "Numbers", *(STATUSES[status] for status in statuses), "Most off"],
        rows=[_part_row(part, rows, statuses) for part, rows in parts.items()], digits=4,
    )  # fmt: skip
    reasons = _reasons((line for line in gathered(claims) if line.get("status") != AS_PUBLISHED), has_numbers=True)
    return [table, *([Points(title="What is not as published, and why", texts=reasons)] if reasons else [])]


def _part_row(part: str, claims: Sequence[Row], statuses: Sequence[str]) -> list[Cell]:
    """How many claims of a part fared how, and how far the furthest of those is off that are reproduced."""
    found = Counter(str(claim.get("status", "")) for claim in claims)
    gaps = [abs(_number(claim.get("difference"))) for claim in claims if claim.get("status") == AS_PUBLISHED]
    return [visible(part), len(claims), *(found[status] for status in statuses), max(gaps, default=None)]


def _of_paper(paper: str, claims: Sequence[Row]) -> list[Block]:
    lines = gathered(claims)
    parts: dict[str, list[Row]] = defaultdict(list)
    for line in lines:
        parts[_part(line)].append(line)
    reasons = _reasons(line for line in lines if line.get("status") != AS_PUBLISHED)
    why = [Points(title="Why some are not reproduced", texts=reasons)] if reasons else []
    return [*(_table(f"{paper}: {part}" if part else paper, rows) for part, rows in parts.items()), *why]


def _part(line: Row) -> str:
    part = str(line.get("part", ""))
    return "tables" if part.startswith("table ") else part


def gathered(claims: Sequence[Row]) -> list[Row]:
    """The claims, those of one printed table that fared alike as one line: that of the cell which differs most."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for claim in claims:
        groups[_alike(claim)].append(claim)
    lines: list[Row] = []
    for (table, *_), rows in groups.items():
        if not table or len(rows) < MANY:
            lines += rows
            continue
        worst = max(rows, key=lambda row: abs(_number(row.get("difference"))))
        lines.append(_line(table, rows, worst))
    place = {id(claim): i for i, claim in enumerate(claims)}
    return sorted(lines, key=lambda line: place.get(id(line), place[id(groups[_alike(line)][0])]))


def _alike(claim: Row) -> tuple[str, str, str]:
    """The table that a claim is a cell of, how it fared, and why if it needs a reason."""
    status, name = str(claim.get("status", "")), str(claim.get("claim", ""))
    table = name.split(",", maxsplit=1)[0] if name.startswith("table ") else ""
    if not table:
        return "", name, ""
    return table, status, "" if status == AS_PUBLISHED else str(claim.get("reason", ""))


def _line(table: str, rows: Sequence[Row], worst: Row) -> Row:
    if worst.get("status") == AS_PUBLISHED:
        _, _, cell = str(worst["claim"]).partition(", ")
        return {**worst, "claim": f"{table}, {len(rows)} numbers; most off: {cell}"}
    nothing = dict.fromkeys(NUMBERS)
    return {**worst, **nothing, "claim": f"{table}, {len(rows)} numbers"}


def _table(caption: str, lines: Sequence[Row]) -> Table:
    # Where the parts are known there are many claims, whose names need the room of the tolerance.
    numbers = NUMBERS[:-1] if any("part" in line for line in lines) else NUMBERS
    return Table(
        caption=visible(caption), columns=["Claim", *(name.capitalize() for name in numbers), "Status"],
        rows=[[cell_of(line.get(name)) for name in ("claim", *numbers, "status")] for line in lines], digits=4,
    )  # fmt: skip


def _reasons(lines: Iterable[Row], *, has_numbers: bool = False) -> list[str]:
    """Each reason once, after the claims that it is about."""
    claims: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if line.get("reason"):
            numbers = _numbers(line) if has_numbers else ""
            claims[visible(str(line["reason"]))].append(f"{visible(str(line.get('claim', '')))}{numbers}")
    return [f"{'; '.join(names)}: {reason}" for reason, names in claims.items()]


def _numbers(line: Row) -> str:
    """The printed number and ours, where there are such."""
    published, ours = line.get("published"), line.get("ours")
    if not isinstance(published, int | float):
        return ""
    is_known = isinstance(ours, int | float) and math.isfinite(ours)
    return f" ({_shown(published)}, ours {_shown(_number(ours))})" if is_known else f" ({_shown(published)})"


def _shown(number: float) -> str:
    return f"{int(number):,}" if float(number).is_integer() else f"{number:.4g}"


def cell_of(value: object) -> Cell:
    """A number or a text as a table shows it; a whole number without decimals."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) or value is None else visible(str(value))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


# ---- A page about the papers: every number with ours and the reason, and the figures drawn anew

PAGE_TITLE = "What the papers printed, and what we get"
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
_DIFFERENCE = {"difference": "Difference", "tolerance": "Tolerance", "reason": "Why that far"}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "failed": {**_WHERE, **_COMPARED, "tolerance": "Tolerance", "reason": "Reason"},
    "differs": {**_WHERE, **_COMPARED, "reason": "Reason"},
    "data missing": _ALONE,
    "not reproducible": _ALONE,
    "reproduced": {**_WHERE, **_COMPARED, **_DIFFERENCE},
}
OPEN = ("failed", "differs")
"""What a page shows at once; the rest is opened on demand."""


def page_report(result: ReproduceResult) -> Report:
    """The whole page: a section for each paper."""
    claims = claims_of(result)
    papers = dict.fromkeys(str(claim["paper"]) for claim in claims)
    drawings = sorted(result.drawings, key=lambda drawing: int((re.search(r"\d+", drawing.place) or "0")[0]))
    sections = [
        _section(
            paper,
            [claim for claim in claims if claim["paper"] == paper],
            [drawing for drawing in drawings if drawing.paper == paper],
        )
        for paper in papers
    ]
    verdict = [lead_of(claims), *(visible(warning) for warning in result.warnings)]
    return Report(title=PAGE_TITLE, verdict=verdict, sections=sections, results=(result,))


def _section(paper: str, claims: Sequence[Row], drawings: Sequence[Drawing]) -> Section:
    blocks: list[Block] = []
    for status, title in GROUPS.items():
        found = [claim for claim in claims if claim["status"] == status]
        if found:
            caption, columns = f"{title} ({len(found)})", COLUMNS[status]
            rows: list[list[Cell]] = [[cell_of(claim[name]) for name in columns] for claim in found]
            table = Table(caption=caption, columns=list(columns.values()), rows=rows, digits=4)
            blocks.append(table if status in OPEN else Fold(title=caption, parts=[table]))
    figures = [figure_of(drawing) for drawing in drawings]
    blocks += figures or [Note(text=_NO_FIGURES, kind="hint")]
    return Section(title=PAPERS.get(paper, visible(paper)), lead=lead_of(claims), blocks=blocks)


_NO_FIGURES = (
    f"Its figures need the authors' data: give them with {named('data')}, or let {named('download')} fetch them."
)


# ---- The papers' figures, drawn anew

FORM = ",.4~r"


def figure_of(drawing: Drawing) -> Figure:
    """A figure of a paper as a chart with its numbers."""
    caption = f"{drawing.place.capitalize()}. {drawing.caption}"
    if drawing.curve is not None:
        curve = drawing.curve
        terms = terms_of(curve.settings, largest=curve.curve[-1].raters)
        made = curve_figure(curve, curve.ranked, terms)
        return replace(made, title=drawing.title, caption=f"{caption} {made.caption}", spark=None)
    return Figure(
        title=drawing.title, caption=caption, spec=_SPECS[drawing.kind](drawing), table=_figure_table(drawing)
    )


def _lines(drawing: Drawing) -> Spec:
    rows: list[Mark] = [
        {"series": point.series, "x": point.x, "y": point.y, "low": None, "high": None, "is_main": False}
        for point in drawing.points
    ]
    chart = LineChart(
        rows=rows, series=drawing.series, x_title=drawing.x_title, y_title=drawing.y_title, x_form=FORM, y_form=FORM,
        tip_form=FORM,
    )  # fmt: skip
    spec = line_chart(chart)
    if not drawing.is_log_x:
        return spec
    encoding = dict(_mapping(spec["encoding"]))
    x = dict(_mapping(encoding["x"]))
    scale = {key: value for key, value in _mapping(x["scale"]).items() if key != "zero"}
    return {**spec, "encoding": {**encoding, "x": {**x, "scale": {**scale, "type": "log"}}}}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


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
    """A row for each place, a column for each series; with printed numbers, a row for each of them."""
    if any(point.printed is not None for point in drawing.points):
        rows: list[list[Cell]] = [
            [point.series, point.x, point.printed, point.y, point.y - (point.printed or 0.0)]
            for point in drawing.points
        ]
        columns = [drawing.series, drawing.x_title, "Printed", "Ours", "Difference"]
        return Table(caption=drawing.title, columns=columns, rows=rows, digits=4)
    series = list(dict.fromkeys(point.series for point in drawing.points))
    found: dict[float, dict[str, float]] = defaultdict(dict)
    for point in drawing.points:
        found[point.x][point.series] = 10**point.y if drawing.kind == "logarithms" else point.y
    return Table(
        caption=f"{drawing.y_title} by {drawing.x_title[:1].lower()}{drawing.x_title[1:]}",
        columns=[drawing.x_title, *series],
        rows=[[f"{x:g}", *(cells.get(name) for name in series)] for x, cells in found.items()],
        digits=4,
    )
