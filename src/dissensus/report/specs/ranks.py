"""Ranks of judges by one definition after the other: a bump chart that goes down the page."""

from collections.abc import Sequence

from dissensus.report.specs.lines import line_colour, named_series
from dissensus.report.specs.parts import Row, Spec, height_of, name_axis, placed, tip

ROOM = 0.4
"""How far the plot goes beyond the first and the last rank."""


def rank_lines(rows: Sequence[Row], *, names: str, series: str, ranks: str, values: str, last: int) -> Spec:
    """A line for each series from name to name, through the rank that it has there.

    Parameters
    ----------
    rows : sequence of mapping
        `name`, `series`, `rank`, `shown` (the rank, moved a little where several share it), `value` and `share` in
        words, `is_main` (drawn thick); names from the top down, series in the order of the legend.
    names, series, ranks, values : str
        What they are, in words.
    last : int
        The largest rank there can be.
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50, last) if last / step <= 8)  # noqa: PLR2004 - fits a phone
    ticks = [1, *(rank for rank in range(step, last + 1, step) if rank > 1)]
    x = {
        "field": "shown",
        "type": "quantitative",
        "title": ranks,
        "axis": {"values": ticks, "tickCount": len(ticks), "format": "d", "grid": True, "orient": "top"},
        "scale": {"domain": [1 - ROOM, last + ROOM], "nice": False, "zero": False},
    }
    tips = [tip("series", series), tip("name", names), tip("rank", ranks, "d"), tip("value", values)]
    channels = named_series(series, offset=18)
    width = {"condition": {"test": "datum.is_main", "value": 4}, "value": 1.5}
    said = {"description": {"field": "said", "type": "nominal"}}
    return {
        "data": {"values": placed([{**row, "line": row["series"], "said": _said(row)} for row in rows])},
        "height": height_of(rows),
        "encoding": {"y": name_axis(has_grid=False), "x": x},
        "layer": [
            {
                "mark": {"type": "line", "aria": False},
                "encoding": {
                    "stroke": line_colour(series),
                    "strokeWidth": width,
                    "order": {"field": "place", "type": "quantitative"},
                },
            },
            {
                "mark": {"type": "point", "size": 90},
                "encoding": channels | said | {"tooltip": [*tips, tip("share", "Best in")]},
            },
        ],
    }


def _said(row: Row) -> str:
    return f"{row['series']}: rank {row['rank']} by {row['name']}, {row['value']}"
