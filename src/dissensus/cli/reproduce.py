"""The papers: `reproduce`, and how long it will take, for those who wait without a progress bar."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.flags import flag_of
from dissensus.cli.inputs import flag
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.methods.reproduce.dont_label_twice.sweep import Grid
    from dissensus.methods.reproduce.reproduce import Sweep
    from dissensus.sampling import Progress

FIRST, EVERY = 10.0, 60.0
"""Seconds until the first word about how far the work is, and between two of them."""


class Pace:
    """Says how much of the work is done and how long the rest will take; called like any progress."""

    def __init__(self, say: Callable[[str], None], *, clock: Callable[[], float] = monotonic) -> None:
        self._say, self._clock = say, clock
        self._total = 0

    def __call__(self, done: int, total: int) -> None:
        """Take note that so much is done."""
        now = self._clock()
        if total != self._total:  # other work begins; what came before its first part, such as imports, does not count
            self._total, self._began, self._done_then, self._next = total, now, done, now + FIRST
        elif now >= self._next and done < total:
            seconds = (now - self._began) / (done - self._done_then) * (total - done)
            self._say(f"{done:,} of {total:,} parts done, {duration(seconds)} to go.")
            self._next = now + EVERY


def duration(seconds: float) -> str:
    """A number of seconds in words, roughly.

    Examples
    --------
    >>> duration(0.3), duration(80), duration(2700), duration(30_000), duration(400_000)
    ('about 1 second', 'about 80 seconds', 'about 45 minutes', 'about 8.3 hours', 'about 4.6 days')
    """
    for unit, size in (("day", 86_400), ("hour", 3600)):
        if seconds >= 2 * size:
            return f"about {seconds / size:.1f} {unit}s"
    unit, size = ("minute", 60) if seconds >= 2 * 60 else ("second", 1)
    number = max(round(seconds / size), 1)
    return f"about {number} {unit}{'' if number == 1 else 's'}"


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
    data: Annotated[Path | None, flag("DIR", "The authors' data: a folder, or the wheel they published.")] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the authors' data with pip into the cache.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a page with every number and the figures redrawn."),
    ] = None,
    sweep: Annotated[str, flag("S", "Grid of Conjecture 1: reduced (steps of .05) or full (the paper's).")] = "reduced",
    record: Annotated[
        Path | None,
        flag("FILE", "Save finished parts of the sweep here, and resume from them; a full sweep always does."),
    ] = None,
    work: Work = Work(),
    output: UnseededOutput = UnseededOutput(),
) -> None:
    """Recompute the numbers that the papers print.

    Shows ours beside the published one. Exit status 1 if one that should be reproduced is not.
    """
    from dissensus.data.outputs import check_place
    from dissensus.methods.reproduce import download_data, reproduce

    if out is not None:
        check_place(out)
    folder = download_data(cache_folder()) if download and data is None else data
    noted = cache_folder() / "sweep.jsonl" if record is None and sweep == "full" else record
    long = noted if sweep == "full" and paper in SWEPT else None
    with output.progress("Recomputing") if long is None else _long_sweep(long, work, output) as progress:
        result = reproduce(
            paper, data=folder, sweep=cast("Sweep", sweep), record=noted, figures=out is not None, engine=work.engine,
            workers=work.workers, progress=progress,
        )  # fmt: skip
    output.show(result)
    if out is not None:
        from dissensus.report.document import respelled
        from dissensus.report.files import write_page
        from dissensus.report.views.reproduce import page_report

        write_page(respelled(page_report(result), flag_of), out, command_line=shlex.join(["dissensus", *context.obj]))
        output.remark(f"Wrote {out}")
    if result.count("failed"):
        raise typer.Exit(1)


def cache_folder() -> Path:
    """Where downloaded data are kept."""
    return Path(typer.get_app_dir("dissensus")) / "papers"


@contextmanager
def _long_sweep(record: Path, work: Work, output: Output) -> "Iterator[Progress | None]":
    """The progress of a full sweep, and how long it will take, also where there is no terminal."""
    from dissensus.methods.reproduce.reproduce import GRIDS

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
    from dissensus.methods.reproduce.dont_label_twice.sweep import REDUCED_GRID, read_record, sweep_cell

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
