"""Templates of the pages, and sections of the report as pieces of a page."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from dissensus.report.charts import Chart, script_safe_json
from dissensus.report.document import Block, Figure, Section
from dissensus.report.html import environment as report_environment

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> "Environment":
    """Where the templates are: ours, then the report's; whatever is put into one is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - as the report does

    report = report_environment()
    found = Environment(
        loader=ChoiceLoader([PackageLoader("dissensus.web"), PackageLoader("dissensus.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(report.globals)
    found.filters.update(report.filters)
    found.filters["specification"] = specification
    return found


def specification(figure: Figure) -> str:
    """The Vega-Lite of a chart as JSON."""
    return script_safe_json(Chart(figure=figure).embedded())


def render(template: str, **values: object) -> str:
    """A template filled in."""
    return environment().get_template(template).render(**values)


def section_html(section: Section, id_: str, *, has_title: bool = True) -> str:
    """A section as a piece of a page, with what its charts are drawn from."""
    return render("section.html.j2", sections=[section], id=id_, has_title=has_title)


def blocks_html(blocks: Sequence[Block], id_: str) -> str:
    """Blocks without a heading, as a piece of a page."""
    return render("blocks_alone.html.j2", blocks_shown=blocks, id=id_)
