"""The survey power curve: what a survey scores by its size, and where judges meet it.

Names stand beside the lines they belong to, in a column to the right of the plot, so that no legend has to be looked
up; each also has a colour and a shape of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.report.specs.shapes import DESCRIBED, TITLE_ABOVE, Row, Spec, nominal, quantity, tip

HEIGHT = 320
LINE = 17
"""Points between two names in the column."""
ROOM = "clamp(width * 0.34, 112, 220)"
"""How wide the column of names is."""
COLOURS = 8
BEYOND = "estimate beyond the data"
SOLID = [1, 0]
MEETING = {"filter": "isValid(datum.raters)"}
"""Only judges that meet the curve."""
MOST_TICKS = 8
"""So many numbers fit below the plot on a phone."""
ACROSS: Spec = {"x": {"value": 0}, "x2": {"value": {"expr": f"width - {ROOM}"}}}
_BY_COLOUR = nominal("colour", scale={"domain": list(range(COLOURS))}, legend=None)
COLOUR: Spec = {"color": _BY_COLOUR}
MARKED: Spec = {"color": _BY_COLOUR, "shape": _BY_COLOUR}


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChart:
    """What the chart shows; all scores on one scale, higher is better.

    Attributes
    ----------
    surveys, amateurs : sequence of mapping
        `raters`, `score`, `low` and `high` (may be None), and for surveys `items`.
    beyond : sequence of mapping
        The same where the curve is an estimate beyond the data; starts where the surveys end.
    judges : sequence of mapping
        `name`, `text` (its name with what it is worth), `score`, `worth` in words, `raters` (where it meets the curve,
        or None), `colour` (from 1) and `is_raw` (drawn dashed).
    ceiling : mapping, optional
        `text`, `score`, `low` and `high`.
    people, amateur_people : str
        What the curves are called.
    scores, form : str
        What the score is, in words, and its number format.
    """

    surveys: Sequence[Row]
    judges: Sequence[Row]
    scores: str
    form: str = ".3f"
    people: str = "people asked"
    beyond: Sequence[Row] = ()
    ceiling: Row | None = None
    amateurs: Sequence[Row] = ()
    amateur_people: str = ""


def power_curve(chart: CurveChart) -> Spec:
    """Line with dots and a band, judges as horizontal rules with their crossings, names in a column to the right."""
    low, high = domain = _domain(chart)
    y_axis, y_scale = (
        {"grid": True, "tickCount": 6, **TITLE_ABOVE},
        {"domain": list(domain), "nice": False, "zero": False},
    )
    names = _names(chart, gap=LINE / HEIGHT * (high - low))
    return {
        "height": HEIGHT,
        "encoding": {"x": _x(chart), "y": quantity("score", title=chart.scores, axis=y_axis, scale=y_scale)},
        # What lies below must not keep the pointer from what it has to tell: bands, then lines, then marks.
        "layer": [*_bands(chart), *_ceiling(chart), *_lines(chart), *_marks(chart), *_name_column(names)],
    }


def _domain(chart: CurveChart) -> tuple[float, float]:
    """From the lowest to the highest of all that is drawn, with a little room."""
    rows = [*chart.surveys, *chart.beyond, *chart.amateurs, *chart.judges, *([chart.ceiling] if chart.ceiling else [])]
    ends = [row.get(key) for row in rows for key in ("score", "low", "high") if not (key != "score" and "name" in row)]
    numbers = [float(number) for number in ends if isinstance(number, int | float)]
    room = 0.04 * ((max(numbers) - min(numbers)) or 1.0)
    return min(numbers) - room, max(numbers) + room


def _x(chart: CurveChart) -> Spec:
    last = max(int(row["raters"] or 0) for row in (*chart.surveys, *chart.beyond, *chart.amateurs))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, last) if last / step <= MOST_TICKS)
    sizes = list(range(0, last + 1, step))
    # Vega thins the values to the theme's count of ticks unless it gets another.
    axis = {"values": sizes, "tickCount": len(sizes), "format": "d", "grid": False, "labelOverlap": False}
    scale = {"domain": [0, last], "nice": False, "rangeMin": 8, "rangeMax": {"expr": f"width - {ROOM}"}}
    return quantity("raters", title="Number of raters asked", axis=axis | {"titleAnchor": "start"}, scale=scale)


def _curves(chart: CurveChart) -> list[tuple[Spec, list[Spec], list[int]]]:
    """Of each curve its data, its tooltip and its dashes."""
    asked = [tip("name", "Who"), tip("raters", "Raters asked", "d"), *_score_tips(chart)]
    curves = [(_named(chart.surveys, chart.people, 0), [*asked, tip("items", "Items", ",")], SOLID)]
    if chart.beyond:
        start = {key: chart.surveys[-1][key] for key in ("raters", "score", "low", "high")}
        curves.append((_named((start, *chart.beyond), BEYOND, 0), asked, [6, 4]))
    if chart.amateurs:
        curves.append((_named(chart.amateurs, chart.amateur_people, COLOURS - 1), asked, SOLID))
    return curves


def _named(rows: Sequence[Row], name: str, colour: int) -> Spec:
    said = [f"{name}: {row['raters']} raters, {float(row['score'] or 0):.3f}" for row in rows]
    named = {"name": name, "colour": colour}
    return {"values": [{**named, "said": text, **row} for text, row in zip(said, rows, strict=True)]}


def _bands(chart: CurveChart) -> list[Spec]:
    ends: Spec = {"y": quantity("low"), "y2": {"field": "high"}}
    return [
        {
            "data": data,
            "mark": {"type": "area", "opacity": 0.16 if dash == SOLID else 0.08, "aria": False},
            "encoding": ends | COLOUR,
        }
        for data, _, dash in _curves(chart)
    ]


def _ceiling(chart: CurveChart) -> list[Spec]:
    if chart.ceiling is None:
        return []
    tips = [tip("text", "Ceiling"), *_score_tips(chart)]
    mark = {"type": "rule", "style": "reference", "strokeDash": [1, 4], "strokeWidth": 2, "strokeCap": "round"}
    return [{"data": {"values": [dict(chart.ceiling)]}, "mark": mark, "encoding": ACROSS | {"tooltip": tips}}]


def _lines(chart: CurveChart) -> list[Spec]:
    """The judges' rules with lines down from their crossings, and the curves."""
    dash = {"condition": {"test": "datum.is_raw", "value": [5, 4]}, "value": SOLID}
    down = {"type": "rule", "style": "reference", "strokeDash": [2, 3], "strokeWidth": 1, "aria": False}
    judges: list[Spec] = [
        {
            "data": _judges(chart),
            "mark": {"type": "rule", "aria": False},
            "encoding": ACROSS | COLOUR | {"strokeDash": dash, "tooltip": _judge_tips(chart)},
        },
        {
            "data": _judges(chart),
            "transform": [MEETING],
            "mark": down,
            "encoding": {"y2": {"value": {"expr": "height"}}},
        },
    ]
    curves: list[Spec] = [
        {"data": data, "mark": {"type": "line", "strokeWidth": 2, "strokeDash": own, "aria": False}, "encoding": COLOUR}
        for data, _, own in _curves(chart)
    ]
    return [*(judges if chart.judges else []), *curves]


def _marks(chart: CurveChart) -> list[Spec]:
    """A dot for each survey, small where it is estimated, and the crossings."""
    dots: list[Spec] = [
        {
            "data": data,
            "mark": {"type": "point", "size": 80 if dash == SOLID else 16},
            "encoding": MARKED | DESCRIBED | {"tooltip": tips},
        }
        for data, tips, dash in reversed(_curves(chart))
    ]
    crossings: Spec = {
        "data": _judges(chart),
        "transform": [MEETING],
        "mark": {"type": "point", "size": 110},
        "encoding": MARKED | DESCRIBED | {"tooltip": _judge_tips(chart)},
    }
    return [*dots, *([crossings] if chart.judges else [])]


def _judges(chart: CurveChart) -> Spec:
    return {"values": [{**row, "said": f"{row['name']}: worth {row['worth']}"} for row in chart.judges]}


def _judge_tips(chart: CurveChart) -> list[Spec]:
    return [tip("name", "Judge"), tip("worth", "Worth"), *_score_tips(chart)]


def _score_tips(chart: CurveChart) -> list[Spec]:
    return [tip("score", chart.scores, chart.form), tip("low", "Low", chart.form), tip("high", "High", chart.form)]


def _name_column(names: Sequence[Row]) -> list[Spec]:
    """The names, each led to from the end of its line."""
    data = {"values": [dict(row) for row in names]}
    lead, end, symbol, text = ({"value": {"expr": f"width - {ROOM} + {gap}"}} for gap in (4, 14, 20, 29))
    place = quantity("place")
    words = {"type": "text", "align": "left", "baseline": "middle", "limit": {"expr": f"{ROOM} - 29"}}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 1, "aria": False},
            "encoding": {"x": lead, "x2": end, "y2": {"field": "place"}} | COLOUR,
        },
        {
            "data": data,
            "transform": [{"filter": "datum.colour >= 0"}],
            "mark": {"type": "point", "size": 60, "aria": False},
            "encoding": {"x": symbol, "y": place} | MARKED,
        },
        {"data": data, "mark": words, "encoding": {"x": text, "y": place, "text": nominal("text")}},
    ]


def _names(chart: CurveChart, *, gap: float) -> list[Row]:
    """What stands in the column: curves, judges and ceiling, each as near to its line as the others let it."""
    last = (chart.beyond or chart.surveys)[-1]
    ends: list[Row] = [{"text": chart.people, "score": last["score"], "colour": 0}]
    if chart.amateurs:
        ends.append({"text": chart.amateur_people, "score": chart.amateurs[-1]["score"], "colour": COLOURS - 1})
    if chart.ceiling:
        ends.append({"text": chart.ceiling["text"], "score": chart.ceiling["score"], "colour": -1})
    ends += [{key: row[key] for key in ("text", "score", "colour")} for row in chart.judges]
    ends.sort(key=lambda row: float(row["score"] or 0))
    places = spread_apart([float(row["score"] or 0) for row in ends], gap=gap)
    return [{**row, "place": place} for row, place in zip(ends, places, strict=True)]


def spread_apart(places: Sequence[float], *, gap: float) -> list[float]:
    """Rising numbers moved as little as can be, so that neighbours are at least so far apart.

    Examples
    --------
    >>> spread_apart([0.0, 0.0, 5.0], gap=1.0)
    [-0.5, 0.5, 5.0]
    """
    # With i gaps taken off, the i-th number must not be less than the one before: pool those that are.
    pools: list[tuple[float, int]] = []
    for i, place in enumerate(places):
        pools.append((place - i * gap, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (mean_b, n_b), (mean_a, n_a) = pools.pop(), pools.pop()
            pools.append(((mean_a * n_a + mean_b * n_b) / (n_a + n_b), n_a + n_b))
    pooled = [mean for mean, n in pools for _ in range(n)]
    return [mean + i * gap for i, mean in enumerate(pooled)]
