"""How alike things are, each with each: a square of cells."""

from collections.abc import Sequence

from dissensus.report.specs.parts import BAR_STEP, Row, Spec, tip

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
