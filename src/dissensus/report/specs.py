"""Vega-Lite for the kinds of chart that results need, without width or theme.

Names of fields and expressions are ours; labels and names that others wrote only ever appear as values in the data.
Categories go down the page and numbers across, so that a long label needs no turned head and a narrow screen no scroll.
"""

from collections.abc import Mapping, Sequence

from dissensus.report.numbers import percent

Spec = dict[str, object]
Row = Mapping[str, str | int | float | None]

BAR_STEP = 26
ROOM_FOR_NUMBERS = {"expr": "width - 48"}
"""Where the longest bar ends, so that its number can stand beside it at any width."""
LEGEND = {
    "columns": {"expr": "width > 540 ? 3 : width > 360 ? 2 : 1"},
    "labelLimit": {"expr": "clamp(width - 24, 60, 150)"},
}
"""A legend that stays inside the chart at any width."""


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
    tooltip = [_tip("name", names), _tip("share", shares, ".1%"), _tip("count", counts, ",")]
    return {
        "data": {"values": _placed([{**row, "text": percent(float(row["share"] or 0))} for row in rows])},
        "height": _height(rows),
        "encoding": {"y": _names(), "x": x, "tooltip": tooltip},
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
    tooltip = [_tip("name", names), _tip("series", series), _tip("share", shares, ".1%"), _tip("count", counts, ",")]
    x = {"field": "share", "type": "quantitative", "title": shares, "axis": {"format": ".0%"}, "scale": {"zero": True}}
    return {
        "data": {"values": _placed(rows)},
        "height": _height(rows),
        "mark": {"type": "point"},
        "encoding": {"y": _names(has_grid=True), "x": x, **_series(series), "tooltip": tooltip},
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


def intervals(rows: Sequence[Row], *, names: str, values: Sequence[str], reference: float | None = None) -> Spec:
    """Dots with whiskers: a value and its interval on each line.

    Parameters
    ----------
    rows : sequence of mapping
        `name`, `value`, `low` and `high`, from the top down; low and high may be None.
    names : str
        What they are, in words.
    values : sequence of str
        What they are, in words: one or more lines below the axis.
    reference : float, optional
        Where to draw a dashed line.
    """
    numbers = [float(row[key] or 0) for row in rows for key in ("value", "low", "high") if row[key] is not None]
    domain = [min([0.0, *numbers]), max([1.0, *numbers])]
    axis = {"grid": True, "title": list(values)}
    x = {"field": "value", "type": "quantitative", "axis": axis, "scale": {"domain": domain}}
    whisker: Spec = {"field": "low", "type": "quantitative", "axis": axis}
    tooltip = [_tip("name", names), *(_tip(key, key, ".3f") for key in ("value", "low", "high"))]
    line: list[Spec] = [] if reference is None else [
        {"data": {"values": [{}]}, "mark": {"type": "rule", "style": "reference", "aria": False},
         "encoding": {"x": {"datum": reference}}}
    ]  # fmt: skip
    shared: Spec = {"y": _names(), "tooltip": tooltip}
    return {
        "data": {"values": _placed(rows)},
        "height": _height(rows),
        "layer": [
            *line,
            {
                "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
                "mark": {"type": "rule"},
                "encoding": shared | {"x": whisker, "x2": {"field": "high"}},
            },
            {"mark": {"type": "point"}, "encoding": shared | {"x": x}},
        ],
    }


def _placed(rows: Sequence[Row]) -> list[Spec]:
    """The rows with the place of each, which the axes sort by."""
    return [{"place": i, **row} for i, row in enumerate(rows)]


def _height(rows: Sequence[Row]) -> int:
    # A number, not a step: Vega-Lite warns when it fits a chart with a stepped height into a page's width.
    return BAR_STEP * len({row["name"] for row in rows})


def _names(*, has_grid: bool = False) -> Spec:
    """The axis of names, which needs no title: the chart's own says what they are."""
    sort = {"field": "place", "op": "min", "order": "ascending"}
    return {"field": "name", "type": "nominal", "sort": sort, "title": None, "axis": {"grid": has_grid}}


def _series(title: str) -> Spec:
    sort = {"field": "place", "op": "min", "order": "ascending"}
    channel = {"field": "series", "type": "nominal", "sort": sort, "title": title, "legend": LEGEND}
    return {"color": channel, "shape": channel}


def _tip(field: str, title: str, form: str | None = None) -> Spec:
    if form is None:
        return {"field": field, "type": "nominal", "title": title}
    return {"field": field, "type": "quantitative", "title": title, "format": form}
