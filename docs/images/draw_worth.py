"""Draw worth.png, the picture in the README: a judge's line on the curve of people, from bundled data.

python docs/images/draw_worth.py
"""  # noqa: INP001 - a script, not a package

from pathlib import Path
from typing import Any

import vl_convert

import dissensus

PICTURE = Path(__file__).with_name("worth.png")
PEOPLE, JUDGE = "#0072b2", "#c2417c"
FONT = "Helvetica, Arial, sans-serif"


def layer(values: list[dict[str, object]], mark: dict[str, Any], **encoding: object) -> dict[str, Any]:
    """One layer of the chart; x and y are the fields of that name."""
    places = {name: {"field": name, "type": "quantitative"} for name in ("x", "y") if name in values[0]}
    return {"data": {"values": values}, "mark": mark, "encoding": {**places, **encoding}}


def spec() -> dict[str, Any]:
    """The chart in Vega-Lite."""
    result = dissensus.equivalence("example:binary", "example:binary")
    judge, start = result.best, result.curve[0].score
    people = [{"x": point.raters, "y": point.score - start} for point in result.curve]
    meets = [{"x": judge.equivalence, "y": judge.score - start}]
    interval = [{"x": judge.equivalence_low, "y": meets[0]["y"], "end": judge.equivalence_high}]
    words = f"{judge.judge} = {judge.equivalence:.1f} people [{interval[0]['x']:.1f}, {interval[0]['end']:.1f}]"
    text = {"type": "text", "align": "left", "fontSize": 15, "fontWeight": "bold", "dy": -14}
    layers = [
        layer(people, {"type": "line", "color": PEOPLE, "point": {"size": 70, "color": PEOPLE}}),
        layer([{"y": meets[0]["y"]}], {"type": "rule", "color": JUDGE, "strokeWidth": 2.5}),
        layer(interval, {"type": "rule", "color": JUDGE, "strokeWidth": 12, "opacity": 0.35}, x2={"field": "end"}),
        layer(meets, {"type": "rule", "color": JUDGE, "strokeDash": [4, 4]}, y2={"datum": 0}),
        layer(meets, {"type": "point", "shape": "diamond", "filled": True, "size": 220, "color": JUDGE, "opacity": 1}),
        layer([{"x": 5, "y": meets[0]["y"]}], text | {"color": JUDGE, "text": words, "dy": 16}),
        layer([people[6]], text | {"color": PEOPLE, "text": "people asked", "align": "center"}),
    ]
    layers[0]["encoding"]["x"] |= {"title": "people asked about each item", "axis": {"grid": False, "tickCount": 9}}
    layers[0]["encoding"]["y"] |= {"title": "how well they predict the next person (bits)"}
    title = {"text": "How many people is this judge worth?", "anchor": "start", "fontSize": 18, "offset": 14}
    config = {"font": FONT, "view": {"stroke": None}, "axis": {"labelFontSize": 13, "titleFontSize": 13}}
    size = {"width": 640, "height": 300, "padding": 14, "background": "white"}
    return {"title": title, "layer": layers, "config": config, **size}


if __name__ == "__main__":
    PICTURE.write_bytes(vl_convert.vegalite_to_png(spec(), scale=1.5))
