"""Results as HTML: a fragment for a notebook, and one self-contained page.

Templates escape everything that is put into them. The page loads nothing. Its Content-Security-Policy names the hashes
of its one script and its one style sheet, so nothing that a label says can run, and a browser enforces it. The same
results give the same bytes.

vega-embed carries Vega's expression interpreter and uses it when told `ast: true`. Without it Vega would compile
expressions with `Function(...)`, and the page's Content-Security-Policy would have to allow that to any script.
"""

import base64
import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import dissensus
from dissensus.report.charts import (
    DARK,
    LIGHT,
    Chart,
    Colours,
    colour_of,
    mark_path,
    script_safe_json,
    style_variables,
)
from dissensus.report.document import Block, Figure, Fold, Report, Section
from dissensus.report.envelope import file_tables, setting_tables
from dissensus.report.numbers import table_cells, visible
from dissensus.report.views.section import report_on, section_of
from dissensus.results import Result

if TYPE_CHECKING:
    from jinja2 import Environment

EXPLAINING = ("How this was computed", "What the coefficients mean", "How to read it")
"""Titles of the folds that say how the numbers of a section came about."""
_INTERVAL = re.compile(r"\[[^\[\]]{1,24}\]")
WORTH = "How many raters is each judge worth?"
"""The section that explains the first screen."""
FRONT = "front"
"""The id of the first screen."""
MOST_ROWS = 500
"""A page shows at most this many rows of a table, and says how many more there are."""


@cache
def environment() -> "Environment":
    """Where the templates are; whatever is put into one is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - 30 ms, for those who show HTML

    made = Environment(
        loader=PackageLoader("dissensus.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=False,
    )  # fmt: skip
    made.globals |= {"table_cells": table_cells, "MOST_ROWS": MOST_ROWS, "colour_of": colour_of, "mark_path": mark_path}
    made.filters |= {"visible": visible, "unbroken": unbroken, "kind": lambda block: type(block).__name__.lower()}
    made.filters["explained"] = explained
    made.tests["beyond"] = math.isinf
    return made


def explained(section: Section, id_: str) -> str:
    """The id of the part of a section that says how its numbers came about; empty if none does."""
    folds = {block.title: i for i, block in enumerate(section.blocks, start=1) if isinstance(block, Fold)}
    return next((f"{id_}-{folds[title]}" for title in EXPLAINING if title in folds), "")


def explains_front(sections: Sequence[Section], ids: Sequence[str]) -> str:
    """The id of what explains the first screen: how worth was computed, or without it the first that is explained."""
    found = {section.title: explained(section, id_) for section, id_ in zip(sections, ids, strict=True)}
    worth = [id_ for title, id_ in found.items() if title.endswith(WORTH)]
    return next((id_ for id_ in (*worth, *found.values()) if id_), "")


def section_ids(sections: Sequence[Section]) -> list[str]:
    """An id for each section from the question that it answers, so that links last; no two the same."""
    ids: list[str] = []
    for section in sections:
        words = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")[:60].strip("-") or "section"
        ids.append(next(name for n in range(len(sections)) if (name := f"{words}-{n}" if n else words) not in ids))
    return ids


def unbroken(text: str) -> str:
    """The text with its intervals kept on one line.

    >>> unbroken("0.5 [0.4, 0.6]").count("\N{NO-BREAK SPACE}")
    1
    """
    return _INTERVAL.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def fragment_of(result: Result) -> str:
    """The answer in one sentence with the main table, for a notebook."""
    return fragment_of_section(section_of(result))


def fragment_of_section(section: Section) -> str:
    """What a terminal shows of a section, with styles of its own: a notebook has no style sheet of ours."""
    return environment().get_template("fragment.html.j2").render(section=section, brief=section.brief())


def show_in_notebook(result: Result) -> None:
    """Show the answer with its table, and the main chart below: two outputs, as a notebook shows one form of each."""
    from IPython.display import display  # noqa: PLC0415 - who calls this has it

    display({"text/html": fragment_of(result), "text/plain": result.summary()}, raw=True)
    for figure in section_of(result).figures()[:1]:
        display(Chart(figure=figure))


@cache
def drawing_script() -> str:
    """JavaScript that draws every chart of the page that it stands in."""
    return "".join(map(_script, ("vega.js", "draw.js")))


def _script(name: str) -> str:
    return (files("dissensus.report") / "templates" / name).read_text(encoding="utf-8")


# ---- The page: sentences first, then a section for each result, then how it was made


def page_of(results: Sequence[Result], *, title: str = "What the ratings say", command_line: str = "") -> str:
    """A page of HTML with a section for each result, in the order in which they are read.

    `results`: what to show. `title`: heading of the page. `command_line`: the command that makes the page again; left
    out if empty.
    """
    return page_of_report(report_on(results, title=title), command_line=command_line)


def page_of_report(report: Report, *, command_line: str = "") -> str:
    """A whole report as one page of HTML; `command_line` is the command that makes it again."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2, which is imported for those who show HTML

    ids, front = section_ids(report.sections), report.front
    figures = [
        *(_figures(front.figures, FRONT) if front is not None else ()),
        *(one for id_, section in zip(ids, report.sections, strict=True) for one in _figures(section.blocks, id_)),
    ]
    specifications = [
        (f"{id_}-spec", Markup(script_safe_json(Chart(figure=figure).embedded())))  # noqa: S704 - made safe for it
        for id_, figure in figures
    ]
    return _rendered(
        "page.html.j2", script=drawing_script() if specifications else "", title=report.title,
        version=dissensus.__version__, verdict=report.verdict, sections=report.sections, ids=ids, front=front,
        explained=explains_front(report.sections, ids), files=file_tables(report.results),
        settings=setting_tables(report.results), command_line=command_line, specifications=specifications,
    )  # fmt: skip


def page_of_chart(chart: Chart) -> str:
    """A page with one chart and the table behind it."""
    from markupsafe import Markup  # noqa: PLC0415 - as above

    specification = Markup(script_safe_json(chart.embedded()))  # noqa: S704 - as above
    return _rendered("chart.html.j2", script=drawing_script(), figure=chart.figure, specification=specification)


def _rendered(template: str, *, script: str, **values: object) -> str:
    """A page with our style sheet and script, and the policy that allows no others."""
    from markupsafe import Markup  # noqa: PLC0415 - as above

    style, starter = style_sheet(), _script("start.js") if script else ""
    # Only what we wrote ourselves goes in without escaping: the style sheet and the scripts.
    ours = {"style": Markup(style), "script": Markup(script), "starter": Markup(starter)}  # noqa: S704 - see above
    policy = policy_for(style, starter, script)
    return environment().get_template(template).render(policy=policy, **ours, **values) + "\n"


def policy_for(style: str, *scripts: str) -> str:
    """A Content-Security-Policy under which only this style sheet and these scripts work, and nothing is loaded."""
    allowed = " ".join(f"'sha256-{_hash(script)}'" for script in scripts if script) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'sha256-{_hash(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def style_sheet() -> str:
    """The colours of both themes, and the rules that use them."""
    rules = (files("dissensus.report") / "templates" / "page.css").read_text(encoding="utf-8")
    light, dark = _variables(LIGHT, alarm="#9a3f00"), _variables(DARK, alarm="#E69F00")
    # Print is left out of the dark theme: paper is white.
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules}"
    )


def _variables(colours: Colours, *, alarm: str) -> str:
    return " ".join(f"--{name}: {value};" for name, value in (style_variables(colours) | {"alarm": alarm}).items())


def _figures(blocks: Sequence[Block], id_: str) -> Iterator[tuple[str, Figure]]:
    """The charts with the ids that the template gives to their elements, those in folds too."""
    for j, block in enumerate(blocks, start=1):
        if isinstance(block, Figure):
            yield f"{id_}-{j}", block
        elif isinstance(block, Fold):
            yield from _figures(block.parts, f"{id_}-{j}")
