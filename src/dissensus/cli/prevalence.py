import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output
from dissensus.errors import ColumnError, FileError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task
    from dissensus.methods.prevalence import PrevalenceResult
    from dissensus.methods.prevalence.options import IntervalName, Target

PAIR_COLUMNS = ("item", "a", "b")


@dataclass(frozen=True, kw_only=True)
class PrevalenceOptions:
    """What is counted, and how."""

    positive: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="A label that is counted; may be repeated.")
    ] = None
    half: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="A label that counts half, e.g. a tie; may be repeated.")
    ] = None
    judge: Annotated[list[str] | None, typer.Option(metavar="J", help="A judge to take; may be repeated.")] = None
    target: Annotated[
        str,
        typer.Option(
            metavar="T",
            help="What an item counts: share (of raters who say LABEL) or decision (1 if --tau of them do).",
        ),
    ] = "share"
    tau: Annotated[float, typer.Option(metavar="T", help="Share at which an item is decided positive.")] = 0.5
    pairs: Annotated[
        Path | None,
        typer.Option(metavar="PAIRS.csv", help="The systems of each item: columns item, a, b; LABEL means a wins."),
    ] = None
    interval: Annotated[str, typer.Option(metavar="I", help="wilson, or normal (standard errors to each side).")] = (
        "wilson"
    )
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95

    def run(self, ratings: "Ratings", judges: "Judges", task: "Task | None") -> "PrevalenceResult":
        """The answer, with these options."""
        from dissensus.methods.prevalence import prevalence

        return prevalence(
            ratings,
            judges,
            positive=self.positive or None,
            half=self.half or None,
            judge=self.judge or None,
            task=task,
            target=cast("Target", self.target),
            tau=self.tau,
            pairs=None if self.pairs is None else read_pairs(self.pairs),
            interval=cast("IntervalName", self.interval),
            confidence=self.confidence,
        )


def read_pairs(path: Path) -> dict[str, tuple[str, str]]:
    """The two systems of each item, from a file with the columns item, a and b."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
            columns = rows[0].keys() if rows else ()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path.name}: cannot be read as CSV. Give a file with the columns item, a, b.") from error
    if missing := [name for name in PAIR_COLUMNS if name not in columns]:
        raise ColumnError(f"{path.name}: has no column {missing[0]}. Give it the columns item, a, b.")
    pairs: dict[str, tuple[str, str]] = {}
    for line, row in enumerate(rows, start=2):
        item, a, b = (str(row[name] or "").strip() for name in PAIR_COLUMNS)
        if not (item and a and b):
            raise ColumnError(f"{path.name}: row {line} has an empty item, a or b. Fill it in, or drop the row.")
        if pairs.setdefault(item, (a, b)) != (a, b):
            raise ColumnError(f"{path.name}: row {line} gives the item {item} other systems than before. Keep one.")
    return pairs


def prevalence_command(
    source: RatingsInput, judges_source: JudgesInput, options: PrevalenceOptions, output: Output = Output()
) -> None:
    """How many items are positive?

    The judge answered all items, people rated some: the share of positive items, corrected for the judge's errors.
    """
    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    output.show(options.run(ratings, judges, source.read_task()))
