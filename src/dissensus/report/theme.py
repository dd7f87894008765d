"""How charts look: colours, type and lines, for paper, for a dark screen, and for a page that is both.

The colours are picked from Okabe and Ito's palette for colour-blind readers, some of them darkened so that each stands
out from its background (3 to 1) and the first ones from each other when printed in grey. Series also differ in shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ThemeName = Literal["light", "dark", "page"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Colours of a theme.

    Attributes
    ----------
    paper, ink, quiet, line : str
        Background, text, lesser text and grid lines.
    series : tuple of str
        One colour for each series; the first is that of a chart with one series.
    """

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
    paper="transparent",
    ink="var(--ink)",
    quiet="var(--quiet)",
    line="var(--line)",
    series=tuple(f"var(--series-{i})" for i in range(1, len(LIGHT.series) + 1)),
)
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
