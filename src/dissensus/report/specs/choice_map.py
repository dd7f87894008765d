"""Which choice is best by two quantities: a map of cells."""

from collections.abc import Sequence

from dissensus.report.specs.parts import BAR_STEP, Row, Spec, tip


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
