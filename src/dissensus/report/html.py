"""Blocks of a section as HTML; the templates escape everything that is put into them."""

import re
from functools import cache
from typing import TYPE_CHECKING

from dissensus.report.document import Section
from dissensus.report.numbers import table_cells, visible
from dissensus.report.views import section_of
from dissensus.results import Result

if TYPE_CHECKING:
    from jinja2 import Environment

_INTERVAL = re.compile(r"\[[^\[\]]{1,24}\]")
MOST_ROWS = 500
"""A page shows so many rows of a table, and says how many more there are."""


def fragment_of(result: Result) -> str:
    """The answer in one sentence with the main table, for a notebook."""
    return fragment_of_section(section_of(result))


def fragment_of_section(section: Section) -> str:
    """The lead and the first table of a section, with styles of their own: a notebook has no style sheet of ours."""
    return environment().get_template("fragment.html.j2").render(section=section)


def unbroken(text: str) -> str:
    """The text with its intervals kept on one line.

    Examples
    --------
    >>> unbroken("0.5 [0.4, 0.6]").count("\N{NO-BREAK SPACE}")
    1
    """
    return _INTERVAL.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


@cache
def environment() -> "Environment":
    """Where the templates are; whatever is put into one is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - 30 ms, for those who show HTML

    found = Environment(
        loader=PackageLoader("dissensus.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    found.globals["table_cells"] = table_cells
    found.globals["MOST_ROWS"] = MOST_ROWS
    found.filters["visible"] = visible
    found.filters["unbroken"] = unbroken
    found.filters["kind"] = lambda block: type(block).__name__.lower()
    return found
