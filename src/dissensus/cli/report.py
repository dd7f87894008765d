import shlex
from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.inputs import OptionalJudgesInput, RatingsInput
from dissensus.cli.output import Output


def report_command(
    context: typer.Context,
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500,
    output: Output = Output(),
) -> None:
    """Write one HTML page about the ratings.

    The page is self-contained: it loads nothing and can be sent as it is.
    """
    from dissensus.agreement import describe
    from dissensus.report.writing import write_report

    ratings = source.read()
    judges = judges_source.read(ratings, repeats=source.repeats)
    with output.progress("Resampling items") as progress:
        result = describe(
            ratings, by_group=bool(ratings.groups), bootstrap=bootstrap, rng=output.seed, progress=progress
        )
    write_report([result], out, command_line=shlex.join(["dissensus", *context.obj]))
    if output.as_json:
        print(result.to_json())
    output.remark(f"Wrote {out}")
