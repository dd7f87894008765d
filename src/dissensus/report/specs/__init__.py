"""Vega-Lite for the kinds of chart that results need, without width or theme."""

from dissensus.report.specs.bars import histogram, share_bars, share_dots
from dissensus.report.specs.parts import Row, Spec
from dissensus.report.specs.power_curve import CurveChart, power_curve
from dissensus.report.specs.whiskers import intervals

__all__ = ["CurveChart", "Row", "Spec", "histogram", "intervals", "power_curve", "share_bars", "share_dots"]
