import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.papers.reproduce import Sweep


def reproduce_command(
    context: typer.Context,
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="survey-equivalence, judges-without-gold, how-many-raters, dont-label-twice, or all."
        ),
    ] = "all",
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The authors' data: a folder, or the wheel they published.")
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the authors' data with pip into the cache.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a page with every number and the figures redrawn."),
    ] = None,
    sweep: Annotated[
        str, typer.Option(metavar="S", help="Grid of Conjecture 1: reduced (steps of .05) or full (the paper's).")
    ] = "reduced",
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Note finished parts of the sweep here, and go on from it; a full one does so anyway."
        ),
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Recompute the numbers that the papers print.

    Shows ours beside the published one. Exit status 1 if one that should be reproduced is not.
    """
    from dissensus.papers import download_data, reproduce
    from dissensus.report.saving import check_place

    if out is not None:
        check_place(out)
    folder = download_data(cache_folder()) if download and data is None else data
    noted = cache_folder() / "sweep.jsonl" if record is None and sweep == "full" else record
    with output.progress("Recomputing") as progress:
        result = reproduce(
            paper,
            data=folder,
            sweep=cast("Sweep", sweep),
            record=noted,
            figures=out is not None,
            engine=work.engine,
            workers=work.workers,
            progress=progress,
        )
    output.show(result)
    if out is not None:
        from dissensus.report.views.reproduce_page import page_report
        from dissensus.report.writing import write_page

        write_page(page_report(result), out, command_line=shlex.join(["dissensus", *context.obj]))
        output.remark(f"Wrote {out}")
    if result.count("failed"):
        raise typer.Exit(1)


def cache_folder() -> Path:
    """Where downloaded data are kept."""
    return Path(typer.get_app_dir("dissensus")) / "papers"
