from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.flags import Keywords, flag_of
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output, Work
from dissensus.methods.gate.options import GateOptions

NOT_PASSED = 1


def gate_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, GateOptions],
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the checks as JUnit XML, for CI.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a summary in Markdown, for a pull request.")
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """May this judge pass?

    Tests thresholds on the bounds of intervals. Exit status 0: every check passes; 1: one fails or is inconclusive.
    """
    from dissensus.methods.gate import gate
    from dissensus.report.charts import check_place, save_bytes
    from dissensus.report.markdown import markdown_of
    from dissensus.report.views import report_on
    from dissensus.report.views.gate import junit_of

    for path in (junit, summary):
        if path is not None:
            check_place(path)  # before the work, so that a misspelt folder costs no time
    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    with output.progress("Checking the judge") as progress:
        result = gate(ratings, judges, task=source.read_task(), **options, **work.where(output), progress=progress)
    output.show(result)
    if junit is not None:
        save_bytes(junit, junit_of(result))
    if summary is not None:
        report = report_on([result], title=f"Gate: {result.verdict}", spelling=flag_of)
        save_bytes(summary, markdown_of(report).encode())
    if not result.passes:
        raise typer.Exit(NOT_PASSED)
