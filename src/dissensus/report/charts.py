"""A chart that shows itself in a notebook and saves itself to a file, without a network.

The colours are picked from Okabe and Ito's palette for colour-blind readers, some of them darkened so that each stands
out from its background (3 to 1) and the first ones from each other when printed in grey. Series also differ in shape.
"""

import base64
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Literal

from dissensus.errors import MissingExtraError, OptionError
from dissensus.report.document import Figure
from dissensus.report.specs.shapes import COLOURS, SHAPES, Spec

ThemeName = Literal["light", "dark", "page"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"


def colour_of(slot: int) -> str:
    """The colour of a judge's place among all (`views.section.judge_slots`), as a page's style sheet names it."""
    return f"var(--series-{slot % COLOURS + 1})"


_PATHS = {
    "circle": "M-4.8,0a4.8,4.8,0,1,0,9.6,0a4.8,4.8,0,1,0,-9.6,0Z",
    "square": "M-4.4,-4.4H4.4V4.4H-4.4Z",
    "triangle-up": "M0,-4.8L5.5,4.8H-5.5Z",
    "diamond": "M0,-6L6,0L0,6L-6,0Z",
    "cross": "M-1.9,-5.5H1.9V-1.9H5.5V1.9H1.9V5.5H-1.9V1.9H-5.5V-1.9H-1.9Z",
    "triangle-down": "M0,4.8L5.5,-4.8H-5.5Z",
    "triangle-right": "M4.8,0L-4.8,5.5V-5.5Z",
    "triangle-left": "M-4.8,0L4.8,5.5V-5.5Z",
    "wedge": "M0,-5.5L2.8,5.5H-2.8Z",
}


def mark_path(slot: int) -> str:
    """The mark of the same place as the path of an SVG, about the origin."""
    return _PATHS[SHAPES[slot % len(SHAPES)]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Colours of a theme: background, text, lesser text, grid lines, and one for each series."""

    paper: str
    ink: str
    quiet: str
    line: str
    series: tuple[str, ...]


LIGHT = Colours(
    paper="#ffffff",
    ink="#1f2328",
    quiet="#57606a",
    line="#d8dee4",
    series=("#0072B2", "#CC79A7", "#1A1A1A", "#7A3300", "#009E73", "#D55E00", "#5B3A8E", "#8F6300"),
)
DARK = Colours(
    paper="#14181f",
    ink="#e6edf3",
    quiet="#9da7b3",
    line="#363d47",
    series=("#56B4E9", "#D55E00", "#F0E442", "#CC79A7", "#009E73", "#8C6BC8", "#E69F00", "#FFFFFF"),
)
# An SVG in a page takes its colours from the page's style sheet, which knows whether it is dark, light or printed.
PAGE = Colours(
    paper="transparent", ink="var(--ink)", quiet="var(--quiet)", line="var(--line)",
    series=tuple(f"var(--series-{i})" for i in range(1, len(LIGHT.series) + 1)),
)  # fmt: skip
_THEMES: Mapping[ThemeName, Colours] = {"light": LIGHT, "dark": DARK, "page": PAGE}


def vega_config(theme: ThemeName) -> dict[str, object]:
    """Vega-Lite's `config` for a theme."""
    colours = _THEMES[theme]
    text = {"labelColor": colours.ink, "titleColor": colours.quiet, "titleFontWeight": "normal"}
    size = {"labelFontSize": 12, "titleFontSize": 12}
    lines = {"gridColor": colours.line, "domain": False, "ticks": False}
    title = {"color": colours.ink, "fontSize": 15, "subtitleColor": colours.quiet, "subtitleFontSize": 12}
    return {
        "background": colours.paper,
        "font": FONT,
        "view": {"stroke": "transparent"},
        "axis": {**text, **size, **lines, "labelLimit": 170, "labelPadding": 6, "titlePadding": 10},
        "axisY": {"grid": False},
        "axisX": {"tickCount": 5, "labelFlush": False, "titleAnchor": "end"},
        "legend": {**text, **size, "orient": "top", "symbolSize": 80, "symbolStrokeWidth": 0},
        "title": {**title, "anchor": "start", "frame": "group", "offset": 14, "subtitlePadding": 6},
        "bar": {"color": colours.series[0]},
        "point": {"color": colours.series[0], "filled": True, "opacity": 1, "size": 80},
        "rule": {"color": colours.series[0], "strokeWidth": 2},
        "text": {"color": colours.ink, "fontSize": 12},
        "style": {"reference": {"color": colours.quiet, "strokeDash": [4, 3], "strokeWidth": 1}},
        "range": {"category": list(colours.series), "symbol": SHAPES},
    }


def style_variables(colours: Colours) -> dict[str, str]:
    """The colours by the names that a page's style sheet has for them."""
    plain = {"paper": colours.paper, "ink": colours.ink, "quiet": colours.quiet, "line": colours.line}
    return plain | {f"series-{i}": colour for i, colour in enumerate(colours.series, start=1)}


SUFFIXES = (".html", ".svg", ".png", ".json")
WIDTH = 560
_SCHEMA = "https://vega.github.io/schema/vega-lite/{}.json"
_SCRIPT_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart: the finding, how it was computed, and the Vega-Lite that draws it.

    >>> figure = Figure(title="Most say yes", caption="All ratings.", spec={"mark": "bar"})
    >>> Chart(figure=figure).spec["title"]["text"]
    ['Most say yes']
    """

    figure: Figure

    @property
    def spec(self) -> Spec:
        """A whole Vega-Lite specification: with title, width and light theme, for any tool that reads one."""
        return self.themed("light")

    def themed(self, theme: Literal["light", "dark"]) -> Spec:
        """The specification for light or for dark surroundings."""
        title = {"text": textwrap.wrap(self.figure.title, 70), "subtitle": textwrap.wrap(self.figure.caption, 92)}
        return {
            "$schema": _SCHEMA.format("v5"),
            "title": title,
            "description": self.description,
            "width": WIDTH,
            "padding": 12,
            **self.figure.spec,
            "config": vega_config(theme),
        }

    @property
    def description(self) -> str:
        """What a screen reader says."""
        return f"{self.figure.title}. {self.figure.caption}"

    def embedded(self) -> Spec:
        """The specification for a page that has its own headings and style sheet, as wide as the page allows."""
        sized = {"description": self.description, "width": "container"}
        return {**sized, **self.figure.spec, "config": vega_config("page")}

    def to_html(self) -> str:
        """A page of its own that needs no network."""
        from dissensus.report.html import page_of_chart  # noqa: PLC0415 - the page draws charts

        return page_of_chart(self)

    def to_svg(self, *, theme: Literal["light", "dark"] = "light") -> str:
        """The drawing as SVG."""
        return str(converter().vegalite_to_svg(self._drawable(theme)))

    def to_png(self, *, theme: Literal["light", "dark"] = "light", scale: float = 2.0) -> bytes:
        """The drawing as PNG, with `scale` dots for each point."""
        return bytes(converter().vegalite_to_png(self._drawable(theme), scale=scale))

    def _drawable(self, theme: Literal["light", "dark"]) -> Spec:
        """The specification without the version it was written for: both that we support draw it the same."""
        return {key: value for key, value in self.themed(theme).items() if key != "$schema"}

    def save(self, path: str | Path, *, theme: Literal["light", "dark"] = "light", scale: float = 2.0) -> None:
        """Write the chart to a file: .html, .svg, .png or .json (Vega-Lite), by its suffix.

        `path`: where to write. `theme`: for .svg, .png and .json; a page follows its reader's setting. `scale`: for
        .png: how many dots for each point.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(
                f"A chart cannot be saved as {path.name}: end its name with one of {', '.join(SUFFIXES)}."
            )
        if suffix == ".png":
            content = self.to_png(theme=theme, scale=scale)
        elif suffix == ".svg":
            content = self.to_svg(theme=theme).encode()
        elif suffix == ".json":
            content = (json.dumps(self.themed(theme), indent=2, ensure_ascii=False) + "\n").encode()
        else:
            content = self.to_html().encode()
        from dissensus.data.paths import save_bytes  # noqa: PLC0415 - for those who save a chart

        save_bytes(path, content)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """For Jupyter, marimo and VS Code, which draw Vega-Lite themselves."""
        del include, exclude  # IPython picks from what it gets
        spec = self.spec
        return {
            "application/vnd.vegalite.v5+json": spec,
            "application/vnd.vegalite.v6+json": spec | {"$schema": _SCHEMA.format("v6")},
            "text/plain": f"Chart: {self.figure.title}",
        }

    def _repr_html_(self) -> str:
        """For those who do not: a picture. An image cannot run scripts, whatever the labels in it say."""
        try:
            svg = base64.b64encode(self.to_svg().encode()).decode()
        except MissingExtraError as error:
            return f"<p>{escape(self.description)}</p><p>{escape(str(error))}</p>"
        return f'<img alt="{escape(self.description)}" src="data:image/svg+xml;base64,{svg}">'


def converter() -> ModuleType:
    """The package that draws without a browser; an error if it is not installed."""
    try:
        import vl_convert  # noqa: PLC0415 - an extra of 84 MB, for those who want files of pictures
    except ImportError as error:
        raise MissingExtraError("Drawing a chart as PNG or SVG", install="dissensus[png]") from error
    return vl_convert


def script_safe_json(value: Mapping[str, object]) -> str:
    r"""JSON that can stand inside a script element: nothing in it ends the element or opens another.

    >>> print(script_safe_json({"label": "</script><b>"}))
    {"label": "\u003c/script\u003e\u003cb\u003e"}
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_SCRIPT_UNSAFE)
