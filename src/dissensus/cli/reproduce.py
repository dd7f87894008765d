import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.output import Output, Work
from dissensus.cli.pace import Pace, duration

if TYPE_CHECKING:
    from dissensus.engine import Progress
    from dissensus.papers.dont_label_twice.sweep import Grid
    from dissensus.papers.reproduce import Sweep

SWEPT = ("all", "dont-label-twice")
"""What the sweep belongs to."""


@dataclass(frozen=True, kw_only=True)
class UnseededOutput(Output):
    """How to show a result that no seed changes."""

    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Changes nothing here: each number has a seed of its own.")
    ] = 0


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
    output: UnseededOutput = UnseededOutput(),  # noqa: B008 - frozen, like Output
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
    long = noted if sweep == "full" and paper in SWEPT else None
    with output.progress("Recomputing") if long is None else _long_sweep(long, work, output) as progress:
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


@contextmanager
def _long_sweep(record: Path, work: Work, output: Output) -> "Iterator[Progress | None]":
    """The progress of a full sweep, and how long it will take, also where there is no terminal."""
    from dissensus.papers.reproduce import GRIDS

    if not output.quiet:
        output.remark(forecast(GRIDS["full"], record, work))
    try:
        with output.progress("Recomputing") as progress:
            yield Pace(output.remark) if progress is None else progress
    except KeyboardInterrupt:
        output.remark(f"Stopped. The same command goes on from {record}.")
        raise


def forecast(grid: "Grid", record: Path, work: Work) -> str:
    """What a sweep has to do and how long that will take, by one part of it."""
    from dissensus.papers.dont_label_twice.sweep import REDUCED_GRID, sweep_cell
    from dissensus.papers.dont_label_twice.sweep_record import read_record

    done, cells = read_record(record), grid.cells()
    left = [cell for cell in cells if cell.name not in done]
    begun = f"The sweep has {len(cells):,} parts; {len(cells) - len(left):,} of them are done, by {record}."
    if not left:
        return begun
    sweep_cell(REDUCED_GRID.cells()[0])  # what only the first one needs, such as imports, is no part of the time
    start = perf_counter()
    sweep_cell(left[0])
    seconds = (perf_counter() - start) * len(left)
    if work.engine != "local":
        return f"{begun} The rest needs {duration(seconds)} of computing, which the workers of {work.engine} share."
    processes = "1 process" if work.workers == 1 else f"{work.workers} processes"
    return f"{begun} The rest will take {duration(seconds / work.workers)} with {processes}."
