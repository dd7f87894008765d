"""What the charts have in common: rows with their places, the axis of names, series and tooltips.

Names of fields and expressions are ours; labels and names that others wrote only ever appear as values in the data.
Categories go down the page and numbers across, so that a long label needs no turned head and a narrow screen no scroll.
"""

from collections.abc import Mapping, Sequence

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
