"""The papers' figures, drawn anew."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from dissensus.methods.reproduce.claims import Drawing, Kind
from dissensus.report.document import Cell, Figure, Table
from dissensus.report.specs import LineChart, Row, Spec, line_chart
from dissensus.report.specs.lines import LogLines, log_lines
from dissensus.report.specs.shapes import choice_map
from dissensus.report.views.equivalence import curve_figure
from dissensus.report.views.worth import terms_of

FORM = ",.4~r"


def figure_of(drawing: Drawing) -> Figure:
    """A figure of a paper as a chart with its numbers."""
    caption = f"{drawing.place.capitalize()}. {drawing.caption}"
    if drawing.curve is not None:
        curve = drawing.curve
        terms = terms_of(curve.settings, largest=curve.curve[-1].raters)
        made = curve_figure(curve, curve.ranked, terms)
        return replace(made, title=drawing.title, caption=f"{caption} {made.caption}", spark=None)
    return Figure(title=drawing.title, caption=caption, spec=_SPECS[drawing.kind](drawing), table=_table(drawing))


def _lines(drawing: Drawing) -> Spec:
    rows: list[Row] = [
        {"series": point.series, "x": point.x, "y": point.y, "low": None, "high": None, "is_main": False}
        for point in drawing.points
    ]
    spec = line_chart(
        LineChart(
            rows=rows,
            series=drawing.series,
            x_title=drawing.x_title,
            y_title=drawing.y_title,
            x_form=FORM,
            y_form=FORM,
            tip_form=FORM,
        )
    )
    return _by_factors(spec) if drawing.is_log_x else spec


def _by_factors(spec: Spec) -> Spec:
    """The same with an x that grows by factors."""
    encoding = dict(_mapping(spec["encoding"]))
    x = dict(_mapping(encoding["x"]))
    scale = {key: value for key, value in _mapping(x["scale"]).items() if key != "zero"}
    return {**spec, "encoding": {**encoding, "x": {**x, "scale": {**scale, "type": "log"}}}}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _logarithms(drawing: Drawing) -> Spec:
    rows: list[Row] = [
        {"series": point.series, "x": point.x, "y": point.y, "shown": f"{10**point.y:.3g}", "items": None}
        for point in drawing.points
    ]
    return log_lines(
        LogLines(
            rows=rows,
            kind="count",
            series=drawing.series,
            x_title=drawing.x_title,
            y_title=drawing.y_title,
            x_form=".4~s",
        )
    )


def _cells(drawing: Drawing) -> Spec:
    rows: list[Row] = [
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


def _table(drawing: Drawing) -> Table:
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
