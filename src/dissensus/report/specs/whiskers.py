"""Values with their intervals, one on each line."""

from collections.abc import Sequence

from dissensus.report.specs.parts import Row, Spec, height_of, name_axis, placed, tip


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
