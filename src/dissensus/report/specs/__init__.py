"""Vega-Lite for the kinds of chart that results need, without width or theme."""

from dissensus.report.specs.lines import CurveChart, LineChart, line_chart, power_curve, rank_lines
from dissensus.report.specs.shapes import (
    COLOURS,
    SHAPES,
    Row,
    Spec,
    histogram,
    interval_row,
    intervals,
    share_bars,
    slot_row,
    worth_dots,
    zoomed,
)

__all__ = [
    "COLOURS",
    "SHAPES",
    "CurveChart",
    "LineChart",
    "Row",
    "Spec",
    "histogram",
    "interval_row",
    "intervals",
    "line_chart",
    "power_curve",
    "rank_lines",
    "share_bars",
    "slot_row",
    "worth_dots",
    "zoomed",
]
