"""What all pages have in common."""

import re
import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from starlette.responses import HTMLResponse

import dissensus
from dissensus.report.charts import Chart, script_safe_json
from dissensus.report.document import Block, Figure, Section
from dissensus.report.html import environment as report_environment
from dissensus.report.numbers import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@cache
def environment() -> "Environment":
    """Where the templates are: ours, then the report's; whatever is put into one is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - as the report does

    report = report_environment()
    found = Environment(
        loader=ChoiceLoader([PackageLoader("dissensus.web"), PackageLoader("dissensus.report")]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.globals.update(report.globals)
    found.filters.update(report.filters)
    found.filters["visible"] = lambda text: visible(in_browser(text))
    found.filters["specification"] = specification
    found.tests.update(report.tests)
    found.filters["behind"] = lambda title: BEHIND.get(title, "")
    return found


PLACES = {
    "alt-test": "'Can this judge replace a rater?'", "collect": "'Collect ratings'",
    "compare": "'Is A better than B?'", "decide": "the Results tab", "describe": "'Do the raters agree?'",
    "doctor": "the Data tab", "equivalence": "'How many raters is each judge worth?'", "gate": "'May this judge pass?'",
    "import": "the Data tab", "items": "the Items tab", "judges": "'Which judge can stand in for people?'",
    "panel": "'What are several judges worth together?'", "plan labels": "the Plan tab", "plan raters": "the Plan tab",
    "prevalence": "'How many items are positive?'", "raters": "'Who are the raters?'", "report": "the Results tab",
    "serve": "this page",
}  # fmt: skip
"""Where a browser finds what a command answers."""
_COMMAND = re.compile(r"`(?:dissensus )?(plan raters|plan labels|[a-z-]+)(?: [^`]*)?`")


def in_browser(text: object) -> str:
    """A sentence in which commands are called as the pages call them.

    >>> in_browser("`dissensus plan raters` with these files as pilot says how many.")
    'the Plan tab with these files as pilot says how many.'
    """
    return _COMMAND.sub(lambda command: PLACES.get(command[1], command[0]), str(text))


def specification(figure: Figure) -> str:
    """The Vega-Lite of a chart as JSON."""
    return script_safe_json(Chart(figure=figure).embedded())


def render(template: str, **values: object) -> str:
    """A template filled in."""
    return environment().get_template(template).render(**values)


def section_html(section: Section, id_: str, *, has_title: bool = True) -> str:
    """A section as a piece of a page, with what its charts are drawn from."""
    return render("section.html.j2", sections=[section], ids=[f"{id_}-1"], has_title=has_title)


def blocks_html(blocks: Sequence[Block], id_: str) -> str:
    """Blocks without a heading, as a piece of a page."""
    return render("blocks_alone.html.j2", blocks_shown=blocks, id=id_)


BEHIND = {  # which items are behind a section, by its question: part of the address of the Items tab
    "Do the raters agree?": "show=split&sort=split",
    "Who are the raters?": "sort=split",
    "Which judge to use, and how?": "sort=surprise",
    "How many raters is each judge worth?": "sort=surprise",
    "Which judge can stand in for people?": "show=alone&sort=surprise",
    "Is the best judge really better than the second?": "show=judges&sort=surprise",
    "Can a judge replace a rater?": "show=alone&sort=surprise",
    "Which items are behind the numbers?": "sort=surprise",
}


RUN = secrets.token_hex(4)
"""Part of the addresses of scripts and styles: those of an earlier version are not taken from a browser's cache."""
PAGES = (("/", "Projects", "home"), ("/plan", "Plan", "plan"), ("/explain", "What it means", "explain"))
TABS = (("data", "Data"), ("results", "Results"), ("items", "Items"), ("plan", "Plan"))


def page_html(template: str, **values: object) -> str:
    """A whole page; `page` is the current entry of the navigation, `tab` the open one of the project `data`."""
    usual: dict[str, object] = {
        "page": "", "recipe": None, "has_charts": False, "refresh": False, "is_signed_in": True, "data": None,
        "tab": "", "downloads": [],
    }  # fmt: skip
    fixed = {"pages": PAGES, "tabs": TABS, "run": RUN, "version": dissensus.__version__}
    return render(template, **{**usual, **fixed, **values})


def rendered(html: str) -> "Markup":
    """HTML that our own templates made, in which all that others wrote is escaped already."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup(html)  # noqa: S704 - see above


def address(path: str, values: Mapping[str, str]) -> str:
    """An address that restores a page; what is empty is left out.

    >>> address("/report", {"data": "example:binary", "scale": ""})
    '/report?data=example%3Abinary'
    """
    filled = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(filled)}" if filled else path


def project_address(id_: str, page: str, values: Mapping[str, str] | None = None) -> str:
    """The address of a page of a project."""
    return address(f"/p/{quote(id_, safe='~:')}/{page}", values or {})


def problem(message: str, status: int) -> HTMLResponse:
    """Why there is no answer, as a piece of the page that asked."""
    return HTMLResponse(render("problem.html.j2", message=message), status_code=status, headers={"X-Says": "why"})


def refusal(message: str, *, status: int = 400, is_signed_in: bool = True) -> HTMLResponse:
    """A page that says why there is no answer."""
    html = page_html("message.html.j2", title="That did not work", message=message, is_signed_in=is_signed_in)
    return HTMLResponse(html, status_code=status)
