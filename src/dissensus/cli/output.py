"""What every command does with its result, and with the time until it is there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dissensus.cli.flags import flags_beside
from dissensus.errors import one_line

if TYPE_CHECKING:
    from dissensus.results import Result
    from dissensus.sampling import Progress

R = TypeVar("R", bound="Result")


@dataclass(frozen=True, kw_only=True)
class Output:
    """How to show a result: options that every command has."""

    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")] = False
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the random numbers.")] = 0
    details: Annotated[bool, typer.Option("--details", help="Print everything, not only the answer.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no progress bar and no messages on stderr.")] = False

    def show(self, result: "Result") -> None:
        """Print the result on stdout."""
        if self.as_json:
            from dissensus.report.envelope import envelope_json

            print(envelope_json(result, flags_beside(result)))
            return
        from rich.console import Console

        from dissensus.report.text import print_result

        print_result(result, Console(), flags_beside(result), details=self.details, more="--details")

    def run(
        self, doing: str, method: Callable[..., R], /, *data: object, write: Callable[[R], None] | None = None,
        **keywords: object,
    ) -> R:  # fmt: skip
        """What a method answers, shown; with a progress bar until then.

        Files are written before, so that a reader of stdout who leaves early, such as `head`, leaves them whole.
        """
        with self.progress(doing) as progress:
            result = method(*data, **keywords, progress=progress)
        if write is not None:
            write(result)
        self.show(result)
        return result

    def remark(self, text: str) -> None:
        """Say something on stderr."""
        if not self.quiet:
            print("\n".join(map(one_line, text.split("\n"))), file=sys.stderr)

    @contextmanager
    def progress(self, what: str) -> "Iterator[Progress | None]":
        """A progress bar on stderr, where that is a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


@dataclass(frozen=True, kw_only=True)
class Work:
    """Where the work runs: options of every command that resamples or simulates."""

    engine: Annotated[str, typer.Option(metavar="E", help="Where to compute: local or dask://host:port.")] = "local"
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes of the local engine; the numbers do not depend on it.")
    ] = 1

    def where(self, output: Output) -> dict[str, Any]:
        """The keywords of a method that resamples: its seed, and where it runs."""
        return {"rng": output.seed, "engine": self.engine, "workers": self.workers}
