"""One self-contained HTML page: sentences first, then a section for each result, then how it was made.

The page loads nothing. Its Content-Security-Policy names the hashes of its one script and its one style sheet, so
nothing that a label says can run, and a browser enforces it. The same results give the same bytes.
"""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

import dissensus
from dissensus.report.bundle import drawing_script
from dissensus.report.charts import Chart, script_safe_json
from dissensus.report.document import Cell, Figure, Section, Table
from dissensus.report.envelope import Json, plain
from dissensus.report.html import environment
from dissensus.report.numbers import cell_text
from dissensus.report.theme import DARK, LIGHT, Colours, style_variables
from dissensus.report.untrusted import shortened
from dissensus.report.views import section_of
from dissensus.results import Result

LONGEST_SETTING = 200


def page_of(results: Sequence[Result], *, title: str = "What the ratings say", command_line: str = "") -> str:
    """A page with a section for each result.

    Parameters
    ----------
    results : sequence of Result
        In the order in which they are read.
    title : str
        Heading of the page.
    command_line : str
        The command that makes the page again; left out if empty.

    Returns
    -------
    str
        HTML.
    """
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2, which is imported for those who show HTML

    sections = [section_of(result) for result in results]
    specifications = _specifications(sections)
    style, script = style_sheet(), drawing_script() if specifications else ""
    # Only what we wrote ourselves goes in without escaping: the style sheet, the script, and JSON made safe for it.
    return environment().get_template("page.html.j2").render(
        title=title,
        version=dissensus.__version__,
        sections=sections,
        footers=[*_files(results), *_settings(results)],
        command_line=command_line,
        policy=policy_for(style, script),
        style=Markup(style),  # noqa: S704 - see above
        script=Markup(script),  # noqa: S704 - see above
        specifications=[(id_, Markup(json)) for id_, json in specifications],  # noqa: S704 - see above
    ) + "\n"  # fmt: skip


def page_of_chart(chart: Chart) -> str:
    """A page with one chart and the table behind it."""
    from markupsafe import Markup  # noqa: PLC0415 - as above

    style, script = style_sheet(), drawing_script()
    return environment().get_template("chart.html.j2").render(
        figure=chart.figure,
        policy=policy_for(style, script),
        style=Markup(style),  # noqa: S704 - as above
        script=Markup(script),  # noqa: S704 - as above
        specification=Markup(script_safe_json(chart.embedded())),  # noqa: S704 - as above
    ) + "\n"  # fmt: skip


def policy_for(style: str, script: str) -> str:
    """A Content-Security-Policy under which only this style sheet and this script work, and nothing is loaded."""
    scripts = f"'sha256-{_hash(script)}'" if script else "'none'"
    parts = [
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src 'sha256-{_hash(style)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(parts)


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


def _specifications(sections: Sequence[Section]) -> list[tuple[str, str]]:
    """Id and JSON of each chart; the ids are those that the template gives to the elements."""
    return [
        (f"section-{i}-{j}-spec", script_safe_json(Chart(figure=block).embedded()))
        for i, section in enumerate(sections, start=1)
        for j, block in enumerate(section.blocks, start=1)
        if isinstance(block, Figure)
    ]


def _files(results: Sequence[Result]) -> list[Table]:
    """The files that went in, each once."""
    found: dict[tuple[Cell, ...], None] = {}
    for result in results:
        for role, facts in result.data.items():
            known = plain(facts)
            if isinstance(known, dict):
                found[role, *(_fact(known.get(key)) for key in ("file", "format", "rows", "sha256"))] = None
    columns = ["Role", "File", "Layout", "Rows", "SHA-256"]
    return [Table(caption="Data", columns=columns, rows=list(found))] if found else []


def _settings(results: Sequence[Result]) -> list[Table]:
    return [
        Table(
            caption=f"Settings of {result.command}",
            columns=["Setting", "Value"],
            rows=[(name, _setting(plain(value))) for name, value in result.settings.items()],
        )
        for result in results
        if result.settings
    ]


def _fact(value: Json) -> Cell:
    return value if value is None or isinstance(value, int) else shortened(str(value), LONGEST_SETTING)


def _setting(value: Json) -> Cell:
    """A setting as text; the numbers of a column of mixed things do not line up anyway."""
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value)
    return cell_text(value, digits=3) if isinstance(value, bool | None) else shortened(str(value), LONGEST_SETTING)
