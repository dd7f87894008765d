"""Chances or counts of several series, drawn by their decimal logarithms: as deep or as high as they go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.report.specs.lines import line_colour, named_series
from dissensus.report.specs.parts import Row, Spec, placed, tip

HEIGHT = 280
# A logarithm as the number it stands for: a percentage or a count while that is short, else a power of ten.
_LABELS = {
    "chance": "datum.value >= -3 ? format(pow(10, datum.value), '.2~p') : '10^' + format(datum.value, '~r')",
    "count": "datum.value <= 5 ? format(pow(10, datum.value), ',.2~r') : '10^' + format(datum.value, '~r')",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLines:
    """What the chart shows.

    Attributes
    ----------
    rows : sequence of mapping
        `series`, `x`, `y` (a decimal logarithm) and `shown` (the number in words); series in the order of the legend.
    kind : {"chance", "count"}
        What the logarithms are of.
    series, x_title, y_title : str
        What they are, in words.
    x_form : str
        Number format.
    is_log_x : bool
        Whether x grows by factors.
    mark : float, optional
        The x to mark with a line, and its name.
    mark_name : str
        What is there.
    """

    rows: Sequence[Row]
    kind: Literal["chance", "count"]
    series: str
    x_title: str
    y_title: str
    x_form: str
    is_log_x: bool = False
    mark: float | None = None
    mark_name: str = ""


def log_lines(chart: LogLines) -> Spec:
    """A line with points for each series, told apart by colour and shape."""
    rows = placed([{**row, "line": row["series"], "said": _said(row)} for row in chart.rows])
    tips = [
        tip("series", chart.series),
        tip("x", chart.x_title, chart.x_form),
        tip("shown", chart.y_title),
        tip("items", "Items", ","),
    ]
    said = {"description": {"field": "said", "type": "nominal"}}
    return {
        "height": HEIGHT,
        "encoding": {"x": _x(chart), "y": _y(chart)},
        "layer": [
            *_mark(chart),
            {
                "data": {"values": rows},
                "mark": {"type": "line", "aria": False},
                "encoding": {"stroke": line_colour(chart.series)},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "size": 60},
                "encoding": named_series(chart.series, offset=30) | said | {"tooltip": tips},
            },
        ],
    }


def _x(chart: LogLines) -> Spec:
    axis: Spec = {"format": chart.x_form, "grid": False, "titleAnchor": "start", "labelOverlap": True}
    scale: Spec = {"type": "log", "nice": False} if chart.is_log_x else {"zero": False, "nice": False}
    if chart.is_log_x:
        axis |= {"values": sorted({row["x"] for row in chart.rows if row["x"] is not None})[::2]}
    return {
        "field": "x",
        "type": "quantitative",
        "title": chart.x_title,
        "axis": axis,
        "scale": scale | {"padding": 10},
    }


def _y(chart: LogLines) -> Spec:
    # The title lies above the axis, where it needs no turned head and takes no width.
    title = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    axis = {"grid": True, "tickCount": 6, "labelExpr": _LABELS[chart.kind], **title}
    return {
        "field": "y",
        "type": "quantitative",
        "title": chart.y_title,
        "axis": axis,
        "scale": {"zero": True, "nice": True},
    }


def _mark(chart: LogLines) -> list[Spec]:
    if chart.mark is None:
        return []
    here: Spec = {"data": {"values": [{"x": chart.mark, "name": chart.mark_name}]}}
    rule = {"type": "rule", "style": "reference", "strokeDash": [2, 3]}
    whole_height = {"y": {"value": 0}, "y2": {"value": HEIGHT}}
    return [{**here, "mark": rule, "encoding": whole_height | {"tooltip": [tip("name", "Here")]}}]


def _said(row: Row) -> str:
    return f"{row['series']}: {row['shown']} at {row['x']}"
