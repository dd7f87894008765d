"""Vega-Lite for the kinds of chart that results need, without width or theme."""

from dissensus.report.specs.bars import histogram, share_bars, share_dots
from dissensus.report.specs.heat_map import likeness
from dissensus.report.specs.lines import LineChart, line_chart
from dissensus.report.specs.parts import Row, Spec
from dissensus.report.specs.power_curve import CurveChart, power_curve
from dissensus.report.specs.ranks import rank_lines
from dissensus.report.specs.whiskers import intervals

__all__ = [
    "CurveChart",
    "LineChart",
    "Row",
    "Spec",
    "histogram",
    "intervals",
    "likeness",
    "line_chart",
    "power_curve",
    "rank_lines",
    "share_bars",
    "share_dots",
]
