"""One self-contained HTML page: sentences first, then a section for each result, then how it was made.

The page loads nothing. Its Content-Security-Policy names the hashes of its one script and its one style sheet, so
nothing that a label says can run, and a browser enforces it. The same results give the same bytes.

vega-embed carries Vega's expression interpreter and uses it when told `ast: true`. Without it Vega would compile
expressions with `Function(...)`, and the page's Content-Security-Policy would have to allow that to any script.
"""

import base64
import hashlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

import dissensus
from dissensus.report.charts import DARK, LIGHT, Chart, Colours, script_safe_json, style_variables
from dissensus.report.document import Block, Figure, Fold, Report
from dissensus.report.footer import file_tables, setting_tables
from dissensus.report.html import environment
from dissensus.report.whole import report_on
from dissensus.results import Result

PRINT = "import sys; from dissensus.report.page import made_here; sys.stdout.buffer.write(made_here().encode())"
_elsewhere: list["subprocess.Popen[bytes]"] = []
"""The process that makes the script meanwhile, if one does."""


@cache
def drawing_script() -> str:
    """JavaScript that draws every chart of the page that it stands in; the same bytes each time."""
    return (_made_elsewhere(_elsewhere[-1]) if _elsewhere else "") or made_here()


def made_here() -> str:
    """The script, made in this process."""
    import vl_convert  # noqa: PLC0415 - 60 MB of shared library, for those who draw

    snippet = (files("dissensus.report") / "templates" / "draw.js").read_text(encoding="utf-8")
    # A bundle that spelt the closing tag in a string would end the script element early.
    return vl_convert.javascript_bundle(snippet).replace("</script", r"<\/script")


@contextmanager
def bundled_meanwhile() -> Iterator[None]:
    """While the block computes, another process makes the script that its page will need, which takes seconds."""
    if drawing_script.cache_info().currsize:
        yield
        return
    # -P: a file in the working directory that is named like a module of ours must not be imported.
    command = [sys.executable, "-P", "-c", PRINT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our words
        _elsewhere.append(process)
        try:
            yield
        finally:
            _elsewhere.remove(process)
            process.kill()


def _made_elsewhere(process: "subprocess.Popen[bytes]") -> str:
    """The script that another process made; empty if it failed, and then it is made here."""
    made, _ = process.communicate()
    return made.decode() if process.returncode == 0 else ""


# ---- One self-contained HTML page: sentences first, then a section for each result, then how it was made


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
    return page_of_report(report_on(results, title=title), command_line=command_line)


def page_of_report(report: Report, *, command_line: str = "") -> str:
    """A whole report as one page of HTML; `command_line` is the command that makes it again."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2, which is imported for those who show HTML

    specifications = _specifications(report)
    style, script = style_sheet(), drawing_script() if specifications else ""
    # Only what we wrote ourselves goes in without escaping: the style sheet, the script, and JSON made safe for it.
    return environment().get_template("page.html.j2").render(
        title=report.title,
        version=dissensus.__version__,
        verdict=report.verdict,
        sections=report.sections,
        files=file_tables(report.results),
        settings=setting_tables(report.results),
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


def _specifications(report: Report) -> list[tuple[str, str]]:
    """Id and JSON of each chart; the ids are those that the template gives to the elements."""
    return [
        (f"{id_}-spec", script_safe_json(Chart(figure=figure).embedded()))
        for i, section in enumerate(report.sections, start=1)
        for id_, figure in _figures(section.blocks, f"section-{i}")
    ]


def _figures(blocks: Sequence[Block], id_: str) -> Iterator[tuple[str, Figure]]:
    """The charts with their ids, those in folds too."""
    for j, block in enumerate(blocks, start=1):
        if isinstance(block, Figure):
            yield f"{id_}-{j}", block
        elif isinstance(block, Fold):
            yield from _figures(block.parts, f"{id_}-{j}")
