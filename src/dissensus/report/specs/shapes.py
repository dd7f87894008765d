"""Vega-Lite of bars, dots, intervals and cells, and what all charts have in common.

Names of fields and expressions are ours; labels and names that others wrote only ever appear as values in the data.
Categories go down the page and numbers across, so that a long label needs no turned head and a narrow screen no scroll.
"""

from collections.abc import Mapping, Sequence

from dissensus.report.numbers import counted, finite, percent

Spec = dict[str, object]
Row = Mapping[str, str | int | float | None]

BAR_STEP = 26
LEGEND = {
    "columns": {"expr": "width > 600 ? 3 : width > 400 ? 2 : 1"},
    "labelLimit": {"expr": "clamp(width - 24, 60, 175)"},
}
"""A legend that stays inside the chart at any width."""
TITLE_ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
"""The title of an axis above it, where it needs no turned head and takes no width."""
BY_PLACE = {"field": "place", "op": "min", "order": "ascending"}


def quantity(field: str, **more: object) -> Spec:
    """A channel of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: object) -> Spec:
    """A channel of names."""
    return {"field": field, "type": "nominal", **more}


DESCRIBED: Spec = {"description": nominal("said")}
"""What a screen reader says about a mark."""


def placed(rows: Sequence[Row]) -> list[Spec]:
    """The rows with the place of each, which the axes sort by."""
    return [{"place": i, **row} for i, row in enumerate(rows)]


def height_of(rows: Sequence[Row]) -> int:
    """Points that the names of the rows need below each other."""
    # A number, not a step: Vega-Lite warns when it fits a chart with a stepped height into a page's width.
    return BAR_STEP * len({row["name"] for row in rows})


def name_axis() -> Spec:
    """The axis of names, which needs no title: the chart's own says what they are."""
    return nominal("name", sort=BY_PLACE, title=None, axis={"grid": False})


COLOURS = 8
"""As many as a theme has: the first one is that of people, the others are the judges'."""
SHAPES = [
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left", "wedge",
]  # fmt: skip
"""One more than colours, so that the judges of a second round of colours have other marks."""
_BY_COLOUR = nominal("colour", scale={"domain": list(range(COLOURS))}, legend=None)
COLOUR: Spec = {"color": _BY_COLOUR}
MARKED: Spec = COLOUR | {"shape": nominal("mark", scale={"domain": list(range(len(SHAPES)))}, legend=None)}


def slot_row(slot: int) -> dict[str, int]:
    """The colour and the mark of a judge by its place among all, for `MARKED`."""
    return {"colour": slot % COLOURS, "mark": slot % len(SHAPES)}


def slot_scale(slots: Mapping[str, int]) -> dict[str, list[str]]:
    r"""A scale that gives each series, by name, the colour of its place; a theme gives colours in the order of names.

    >>> slot_scale({"c": 3, "a": 1})
    {'domain': ['\u2063', 'a', '\u2063\u2063\u2063', 'c']}
    """
    domain: list[str] = []
    for name, slot in sorted(slots.items(), key=lambda pair: pair[1] % COLOURS):
        # Names that nobody has and nobody sees take up the colours in between; an SVG must be able to hold them.
        domain += ["\N{INVISIBLE SEPARATOR}" * (len(domain) + 1 + i) for i in range((slot - len(domain)) % COLOURS)]
        domain.append(name)
    return {"domain": domain}


def tip(field: str, title: str, form: str | None = None) -> Spec:
    """A line of a tooltip: a number if it has a format, else text."""
    return nominal(field, title=title) if form is None else quantity(field, title=title, format=form)


# ---- Shares of labels or items: bars, dots and histograms

ROOM_FOR_NUMBERS = {"expr": "width - 48"}
"""Where the longest bar ends, so that its number can stand beside it at any width."""


def share_bars(rows: Sequence[Row], *, names: str, shares: str, counts: str) -> Spec:
    """Horizontal bars of shares, each with its percentage.

    `rows`: `name`, `share` and `count`, from the top down. `names`, `shares`, `counts`: what they are, in words.
    """
    longest = max((float(row["share"] or 0) for row in rows), default=1.0) or 1.0
    scale = {"domain": [0, longest], "nice": False, "rangeMax": ROOM_FOR_NUMBERS}
    x = quantity("share", title=shares, axis={"format": ".0%", "grid": True}, scale=scale)
    tooltip = [tip("name", names), tip("share", shares, ".1%"), tip("count", counts, ",")]
    text = {"type": "text", "align": "left", "dx": 5, "aria": False}
    return {
        "data": {"values": placed([{**row, "text": percent(float(row["share"] or 0))} for row in _said(rows, counts)])},
        "height": height_of(rows),
        "encoding": {"y": name_axis(), "x": x, "tooltip": tooltip, **DESCRIBED},
        "layer": [
            {"mark": {"type": "bar", "height": {"band": 0.7}}},
            {"mark": text, "encoding": {"text": nominal("text")}},
        ],
    }


def _said(rows: Sequence[Row], counts: str) -> list[Row]:
    """The rows with what a screen reader says about each."""
    named = [", ".join(str(row[key]) for key in ("series", "name") if key in row) for row in rows]
    one = counts.lower().removesuffix("s")
    texts = [f"{percent(float(row['share'] or 0))}, {counted(int(row['count'] or 0), one)}" for row in rows]
    return [{**row, "said": f"{name}: {text}"} for row, name, text in zip(rows, named, texts, strict=True)]


def histogram(rows: Sequence[Row]) -> Spec:
    """Bars of the share of the ratings (`share` of the label `value`) in each of about twenty equal bins."""
    x = quantity("value", bin={"maxbins": 24}, title="Label")
    summed = quantity("share", aggregate="sum", title="Share of the ratings")
    y = {**summed, "axis": {"format": ".0%", "grid": True}}
    return {
        "data": {"values": [dict(row) for row in rows]},
        "height": 220,
        "mark": {"type": "bar"},
        "encoding": {"x": x, "y": y, "tooltip": [x, {**summed, "format": ".1%"}]},
    }


# ---- Values with their intervals

ROOM = 0.05


def intervals(rows: Sequence[Row], *, names: str, values: Sequence[str], reference: float | None = None) -> Spec:
    """Dots with whiskers: a value and its interval on each line.

    `rows`: `name`, `value`, `low` and `high`, from the top down; low and high may be None. Where each has the `colour`
    and `mark` of a judge (`slot_row`), these are drawn. `names`: what they are, in words. `values`: what they are, in
    words: one or more lines below the axis. `reference`: where to draw a dashed line.
    """
    numbers = _numbers(rows)
    own: Spec = MARKED if rows and all("colour" in row for row in rows) else {}
    axis = {"grid": True, "title": list(values)}
    x = quantity("value", axis=axis, scale={"domain": [min([0.0, *numbers]), max([1.0, *numbers])]})
    whisker = {"x": quantity("low", axis=axis), "x2": {"field": "high"}}
    tooltip = [tip("name", names), *(tip(key, key, ".3f") for key in ("value", "low", "high"))]
    rule = {"type": "rule", "style": "reference", "aria": False}
    line: Spec = {"data": {"values": [{}]}, "mark": rule, "encoding": {"x": {"datum": reference}}}
    shared: Spec = {"y": name_axis(), "tooltip": tooltip}
    known = [{"filter": "isValid(datum.low) && isValid(datum.high)"}]
    return {
        "data": {"values": placed([{**row, "said": _interval_text(row)} for row in rows])},
        "height": height_of(rows),
        "layer": [
            *([] if reference is None else [line]),
            {"transform": known, "mark": WHISKER, "encoding": shared | whisker | (COLOUR if own else {})},
            {"mark": {"type": "point"}, "encoding": shared | {"x": x} | own | DESCRIBED},
        ],
    }


WHISKER = {"type": "rule", "aria": False}
"""The line of an interval, of which its point says everything."""


def _interval_text(row: Row) -> str:
    """What a screen reader says about a value and its interval."""
    value, low, high = (row[key] for key in ("value", "low", "high"))
    ends = "" if low is None or high is None else f", {float(low):.3f} to {float(high):.3f}"
    return f"{row['name']}: {float(value or 0):.3f}{ends}"


def worth_dots(rows: Sequence[Row], *, reach: float) -> Spec:
    """A small chart: what judges are worth in people, from nobody to `reach`, one person dashed.

    `rows`: `name`, `value`, `low` and `high` (within the axis, or None), `text` (the worth in words), `colour` and
    `mark`. `reach`: where the axis ends, the same in charts that are compared.
    """
    scale = {"domain": [0, reach], "nice": False}
    axis = {"grid": True, "title": None, "tickCount": 4, "format": "~r"}
    tooltip = [tip("name", "Judge"), tip("text", "Worth in raters")]
    shared: Spec = {"y": name_axis(), "tooltip": tooltip}
    said = [{**row, "said": f"{row['name']}: {row['text']}"} for row in rows]
    one = {"data": {"values": [{}]}, "mark": {"type": "rule", "style": "reference", "aria": False}}
    whisker = {"x": quantity("low", axis=axis, scale=scale), "x2": {"field": "high"}}
    return {
        "data": {"values": placed(said)},
        "height": 20 * len(rows),
        "layer": [
            {**one, "encoding": {"x": {"datum": 1}}},
            {"transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}], "mark": WHISKER,
             "encoding": shared | whisker | COLOUR},
            {"transform": [{"filter": "isValid(datum.value)"}], "mark": {"type": "point", "size": 60},
             "encoding": shared | {"x": quantity("value", axis=axis, scale=scale)} | MARKED | DESCRIBED},
        ],
    }  # fmt: skip


def interval_row(name: str, value: float, low: float, high: float, *, slot: int | None = None) -> Row:
    """A line of `intervals`, that of a judge with its place among all; ends that are no numbers are left out."""
    own = {} if slot is None else slot_row(slot)
    return {"name": name, "value": value, "low": finite(low), "high": finite(high), **own}


def _numbers(rows: Sequence[Row]) -> list[float]:
    return [float(row[key] or 0) for row in rows for key in ("value", "low", "high") if row[key] is not None]


def zoomed(spec: Spec, rows: Sequence[Row], *, anchors: Sequence[float] = (), form: str | None = ".0%") -> Spec:
    """The chart of `intervals` with an axis that holds the anchors and the intervals, and nothing beyond.

    `spec`: what `intervals` made. `rows`: the same rows: `value`, `low` and `high`. `anchors`: numbers that must be on
    the axis, such as that of a dashed line. `form`: number format of the axis; the usual one if None.
    """
    numbers = [*anchors, *_numbers(rows)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    room = ROOM * (high - low) or ROOM
    layers = spec["layer"]
    if not isinstance(layers, list):
        return spec
    zoomed_layers = []
    for layer in layers:
        x = layer["encoding"]["x"]
        if "axis" in x:  # all layers with an axis have the same: two different ones would be drawn over each other
            x = {**x, "axis": x["axis"] if form is None else {**x["axis"], "format": form}}
        if "scale" in x:
            x["scale"] = {"domain": [low - room, high + room]}
        zoomed_layers.append({**layer, "encoding": {**layer["encoding"], "x": x}})
    return {**spec, "layer": zoomed_layers}


# ---- Which choice is the best: squares of cells


def choice_map(rows: Sequence[Row], *, x_title: str, y_title: str, choices: str) -> Spec:
    """Cells with the best choice in each: the larger it is, the fuller the colour.

    `rows`: `across` and `down` (text, in the order of the axes), `choice` (text) and `strength` from 0 to 1. `x_title`,
    `y_title`, `choices`: what they are, in words.
    """
    across, down = (list(dict.fromkeys(row[key] for row in rows)) for key in ("across", "down"))
    x_axis = {"labelAngle": 0, "grid": False, "titleAnchor": "start"}
    x = {"field": "across", "type": "ordinal", "sort": across, "title": x_title, "axis": x_axis}
    y = {"field": "down", "type": "ordinal", "sort": down, "title": y_title, "axis": {"grid": False, **TITLE_ABOVE}}
    shade = quantity("strength", scale={"domain": [0, 1], "range": [0.05, 0.6]}, legend=None)
    tips = [tip("down", y_title), tip("across", x_title), tip("choice", choices)]
    cells = [{**row, "colour": 0, "said": f"{row['down']}, {row['across']}: {row['choice']}"} for row in rows]
    colour = nominal("colour", legend=None)
    return {
        "data": {"values": cells},
        "height": BAR_STEP * len(down),
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "rect"}, "encoding": {"color": colour, "opacity": shade, "tooltip": tips, **DESCRIBED}},
            {"mark": {"type": "text", "aria": False}, "encoding": {"text": nominal("choice")}},
        ],
    }
