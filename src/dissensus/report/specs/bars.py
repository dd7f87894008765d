"""Shares of labels or items: bars, dots and histograms."""

from collections.abc import Sequence

from dissensus.report.numbers import percent
from dissensus.report.specs.parts import Row, Spec, height_of, name_axis, placed, series_channels, tip

ROOM_FOR_NUMBERS = {"expr": "width - 48"}
"""Where the longest bar ends, so that its number can stand beside it at any width."""


def share_bars(rows: Sequence[Row], *, names: str, shares: str, counts: str) -> Spec:
    """Horizontal bars of shares, each with its percentage.

    Parameters
    ----------
    rows : sequence of mapping
        `name`, `share` and `count`, from the top down.
    names, shares, counts : str
        What they are, in words.
    """
    longest = max((float(row["share"] or 0) for row in rows), default=1.0) or 1.0
    x = {
        "field": "share",
        "type": "quantitative",
        "title": shares,
        "axis": {"format": ".0%", "grid": True},
        "scale": {"domain": [0, longest], "nice": False, "rangeMax": ROOM_FOR_NUMBERS},
    }
    tooltip = [tip("name", names), tip("share", shares, ".1%"), tip("count", counts, ",")]
    return {
        "data": {"values": placed([{**row, "text": percent(float(row["share"] or 0))} for row in rows])},
        "height": height_of(rows),
        "encoding": {"y": name_axis(), "x": x, "tooltip": tooltip},
        "layer": [
            {"mark": {"type": "bar", "height": {"band": 0.7}}},
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "aria": False},
                "encoding": {"text": {"field": "text", "type": "nominal"}},
            },
        ],
    }


def share_dots(rows: Sequence[Row], *, names: str, series: str, shares: str, counts: str) -> Spec:
    """Dots of shares, one for each series, told apart by colour and shape.

    Parameters
    ----------
    rows : sequence of mapping
        `name`, `series`, `share` and `count`; names from the top down, series in the order of the legend.
    names, series, shares, counts : str
        What they are, in words.
    """
    tooltip = [tip("name", names), tip("series", series), tip("share", shares, ".1%"), tip("count", counts, ",")]
    x = {"field": "share", "type": "quantitative", "title": shares, "axis": {"format": ".0%"}, "scale": {"zero": True}}
    return {
        "data": {"values": placed(rows)},
        "height": height_of(rows),
        "mark": {"type": "point"},
        "encoding": {"y": name_axis(has_grid=True), "x": x, **series_channels(series), "tooltip": tooltip},
    }


def histogram(rows: Sequence[Row], *, values: str, shares: str) -> Spec:
    """Bars of the share that falls into each of about twenty equal bins.

    Parameters
    ----------
    rows : sequence of mapping
        `value` and `share`.
    values, shares : str
        What they are, in words.
    """
    x = {"field": "value", "type": "quantitative", "bin": {"maxbins": 24}, "title": values}
    axis = {"format": ".0%", "grid": True}
    y = {"field": "share", "type": "quantitative", "aggregate": "sum", "title": shares, "axis": axis}
    tooltip = [
        {"field": "value", "type": "quantitative", "bin": {"maxbins": 24}, "title": values},
        {"field": "share", "type": "quantitative", "aggregate": "sum", "title": shares, "format": ".1%"},
    ]
    return {
        "data": {"values": [dict(row) for row in rows]},
        "height": 220,
        "mark": {"type": "bar"},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
    }
