"""A chart that shows itself in a notebook and saves itself to a file, without a network."""

import base64
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from dissensus.errors import OptionError
from dissensus.report.document import Figure
from dissensus.report.saving import save_bytes
from dissensus.report.specs import Spec
from dissensus.report.theme import vega_config

SUFFIXES = (".html", ".svg", ".png", ".json")
WIDTH = 560
_SCHEMA = "https://vega.github.io/schema/vega-lite/{}.json"
_SCRIPT_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart.

    Attributes
    ----------
    figure : Figure
        The finding, how it was computed, and the Vega-Lite that draws it.

    Examples
    --------
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
        title = {
            "text": textwrap.wrap(self.figure.title, 70),
            "subtitle": textwrap.wrap(self.figure.caption, 92),
        }
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
        from dissensus.report.page import page_of_chart  # noqa: PLC0415 - the page draws charts

        return page_of_chart(self)

    def to_svg(self, *, theme: Literal["light", "dark"] = "light") -> str:
        """The drawing as SVG."""
        import vl_convert  # noqa: PLC0415 - 60 MB of shared library, for those who draw

        return vl_convert.vegalite_to_svg(self._drawable(theme))

    def to_png(self, *, theme: Literal["light", "dark"] = "light", scale: float = 2.0) -> bytes:
        """The drawing as PNG, with so many dots for each point."""
        import vl_convert  # noqa: PLC0415 - as above

        return vl_convert.vegalite_to_png(self._drawable(theme), scale=scale)

    def _drawable(self, theme: Literal["light", "dark"]) -> Spec:
        """The specification without the version it was written for: both that we support draw it alike."""
        return {key: value for key, value in self.themed(theme).items() if key != "$schema"}

    def save(self, path: str | Path, *, theme: Literal["light", "dark"] = "light", scale: float = 2.0) -> None:
        """Write the chart to a file: .html, .svg, .png or .json (Vega-Lite), by its suffix.

        Parameters
        ----------
        path : str or Path
            Where to write.
        theme : {"light", "dark"}
            For .svg, .png and .json; a page follows its reader's setting.
        scale : float
            For .png: how many dots for each point.
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
        svg = base64.b64encode(self.to_svg().encode()).decode()
        return f'<img alt="{escape(self.description)}" src="data:image/svg+xml;base64,{svg}">'


def script_safe_json(value: Mapping[str, object]) -> str:
    r"""JSON that can stand inside a script element: nothing in it ends the element or opens another.

    Examples
    --------
    >>> print(script_safe_json({"label": "</script><b>"}))
    {"label": "\u003c/script\u003e\u003cb\u003e"}
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_SCRIPT_UNSAFE)
