"""A chart of intervals whose axis is as long as its numbers need."""

from collections.abc import Sequence

from dissensus.report.specs.parts import Row, Spec

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
