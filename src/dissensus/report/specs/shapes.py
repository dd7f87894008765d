"""What the charts have in common: rows with their places, the axis of names, series and tooltips.

Names of fields and expressions are ours; labels and names that others wrote only ever appear as values in the data.
Categories go down the page and numbers across, so that a long label needs no turned head and a narrow screen no scroll.
"""

from collections.abc import Mapping, Sequence

from dissensus.report.numbers import percent

Spec = dict[str, object]
Row = Mapping[str, str | int | float | None]

BAR_STEP = 26
LEGEND = {
    "columns": {"expr": "width > 600 ? 3 : width > 400 ? 2 : 1"},
    "labelLimit": {"expr": "clamp(width - 24, 60, 175)"},
}
"""A legend that stays inside the chart at any width."""


def placed(rows: Sequence[Row]) -> list[Spec]:
    """The rows with the place of each, which the axes sort by."""
    return [{"place": i, **row} for i, row in enumerate(rows)]


def height_of(rows: Sequence[Row]) -> int:
    """Points that the names of the rows need below each other."""
    # A number, not a step: Vega-Lite warns when it fits a chart with a stepped height into a page's width.
    return BAR_STEP * len({row["name"] for row in rows})


def name_axis(*, has_grid: bool = False) -> Spec:
    """The axis of names, which needs no title: the chart's own says what they are."""
    sort = {"field": "place", "op": "min", "order": "ascending"}
    return {"field": "name", "type": "nominal", "sort": sort, "title": None, "axis": {"grid": has_grid}}


def series_channels(title: str) -> Spec:
    """Colour and shape of a series."""
    sort = {"field": "place", "op": "min", "order": "ascending"}
    channel = {"field": "series", "type": "nominal", "sort": sort, "title": title, "legend": LEGEND}
    return {"color": channel, "shape": channel}


def tip(field: str, title: str, form: str | None = None) -> Spec:
    """A line of a tooltip: a number if it has a format, else text."""
    if form is None:
        return {"field": field, "type": "nominal", "title": title}
    return {"field": field, "type": "quantitative", "title": title, "format": form}


# ---- Shares of labels or items: bars, dots and histograms

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
    tooltip = [tip("name", names), *(tip(key, key, ".3f") for key in ("value", "low", "high"))]
    line: list[Spec] = [] if reference is None else [
        {"data": {"values": [{}]}, "mark": {"type": "rule", "style": "reference", "aria": False},
         "encoding": {"x": {"datum": reference}}}
    ]  # fmt: skip
    shared: Spec = {"y": name_axis(), "tooltip": tooltip}
    return {
        "data": {"values": placed(rows)},
        "height": height_of(rows),
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


ROOM = 0.05


def zoomed(spec: Spec, rows: Sequence[Row], *, anchors: Sequence[float] = (), form: str | None = ".0%") -> Spec:
    """The chart of `intervals` with an axis that holds the anchors and the intervals, and nothing beyond.

    Parameters
    ----------
    spec : dict
        What `intervals` made.
    rows : sequence of mapping
        The same rows: `value`, `low` and `high`.
    anchors : sequence of float
        Numbers that must be on the axis, such as that of a dashed line.
    form : str, optional
        Number format of the axis; the usual one if None.
    """
    numbers = [float(row[key] or 0) for row in rows for key in ("value", "low", "high") if row[key] is not None]
    ends = min([*anchors, *numbers], default=0.0), max([*anchors, *numbers], default=1.0)
    room = ROOM * (ends[1] - ends[0]) or ROOM
    layers = spec["layer"]
    if not isinstance(layers, list):
        return spec
    points = layers[-1]
    x = points["encoding"]["x"]
    axis = x["axis"] if form is None else {**x["axis"], "format": form}
    shown = {**x, "scale": {"domain": [ends[0] - room, ends[1] + room]}, "axis": axis}
    others = [_with_axis(layer, shown["axis"]) for layer in layers[:-1]]
    return {**spec, "layer": [*others, {**points, "encoding": {**points["encoding"], "x": shown}}]}


def _with_axis(layer: Spec, axis: Spec) -> Spec:
    """The layer with the same axis, where it has one: two different ones would be drawn over each other."""
    encoding = layer["encoding"]
    if not isinstance(encoding, dict) or "axis" not in encoding["x"]:
        return layer
    return {**layer, "encoding": {**encoding, "x": {**encoding["x"], "axis": axis}}}


# ---- How alike things are, each with each: a square of cells

MOST_STEP = 22


def likeness(rows: Sequence[Row], names: Sequence[str], *, values: str) -> Spec:
    """Cells from -1 to 1: the fuller the colour the stronger, a minus where it is negative.

    Parameters
    ----------
    rows : sequence of mapping
        `first`, `second` (both "1 name"), `across` (the number of the second) and `value`.
    names : sequence of str
        "1 name", from the top down; the numbers stand across, where names have no room.
    values : str
        What the numbers are, in words.
    """
    height = min(BAR_STEP, MOST_STEP) * len(names)
    x = {
        "field": "across",
        "type": "ordinal",
        "title": None,
        "axis": {
            "orient": "top",
            "labelAngle": 0,
            "labelOverlap": False,
            "labelFontSize": {"expr": "width < 300 ? 9 : 11"},
            "labelExpr": "width < 300 && datum.value % 2 == 0 ? '' : datum.label",
            "labelPadding": 4,
        },
        "scale": {"domain": list(range(1, len(names) + 1))},
    }
    y = {"field": "first", "type": "nominal", "title": None, "scale": {"domain": list(names)}}
    strength = {
        "field": "strength",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.05, 1]},
        "legend": None,
    }
    sign = {
        "field": "way",
        "type": "nominal",
        "title": None,
        "scale": {"domain": [SAME, OPPOSITE]},
        "legend": None,
    }
    tips = [tip("first", "One"), tip("second", "Other"), tip("value", values, ".2f")]
    cells = [
        {
            **row,
            "strength": abs(_number(row)),
            "way": SAME if _number(row) >= 0 else OPPOSITE,
            "said": f"{row['first']} and {row['second']}: {_number(row):.2f}",
        }
        for row in rows
    ]
    return {
        "data": {"values": cells},
        "height": height,
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": None},
                "encoding": {
                    "color": sign,
                    "fillOpacity": strength,
                    "tooltip": tips,
                    "description": {"field": "said", "type": "nominal"},
                },
            },
            {
                "transform": [{"filter": "datum.value < -0.05"}],
                "mark": {"type": "text", "text": "\N{MINUS SIGN}", "aria": False, "tooltip": None},
            },
        ],
    }


SAME, OPPOSITE = "same order", "opposite order"


def _number(row: Row) -> float:
    return float(row["value"] or 0)


def choice_map(rows: Sequence[Row], *, x_title: str, y_title: str, choices: str) -> Spec:
    """Cells with the best choice in each: the larger it is, the fuller the colour.

    Parameters
    ----------
    rows : sequence of mapping
        `across` and `down` (text, in the order of the axes), `choice` (text) and `strength` from 0 to 1.
    x_title, y_title, choices : str
        What they are, in words.
    """
    across = list(dict.fromkeys(row["across"] for row in rows))
    down = list(dict.fromkeys(row["down"] for row in rows))
    x: Spec = {"field": "across", "type": "ordinal", "sort": across, "title": x_title}
    y: Spec = {"field": "down", "type": "ordinal", "sort": down, "title": y_title}
    shade = {
        "field": "strength",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.05, 0.6]},
        "legend": None,
    }
    colour = {"field": "colour", "type": "nominal", "legend": None}
    tips = [tip("down", y_title), tip("across", x_title), tip("choice", choices)]
    title = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    return {
        "data": {"values": [{**row, "colour": 0, "said": _said(row)} for row in rows]},
        "height": BAR_STEP * len(down),
        "encoding": {
            "x": x | {"axis": {"labelAngle": 0, "grid": False, "titleAnchor": "start"}},
            "y": y | {"axis": {"grid": False, **title}},
        },
        "layer": [
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": colour,
                    "opacity": shade,
                    "tooltip": tips,
                    "description": {"field": "said", "type": "nominal"},
                },
            },
            {"mark": {"type": "text", "aria": False}, "encoding": {"text": {"field": "choice", "type": "nominal"}}},
        ],
    }


def _said(row: Row) -> str:
    return f"{row['down']}, {row['across']}: {row['choice']}"
