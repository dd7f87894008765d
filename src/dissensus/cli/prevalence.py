import csv
from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output
from dissensus.errors import ColumnError, FileError
from dissensus.methods.prevalence.options import PrevalenceOptions

PAIR_COLUMNS = ("item", "a", "b")


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
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, PrevalenceOptions],
    pairs: Annotated[
        Path | None,
        typer.Option(metavar="PAIRS.csv", help="The systems of each item: columns item, a, b; LABEL means a wins."),
    ] = None,
    output: Output = Output(),
) -> None:
    """How many items are positive?

    The judge answered all items, people rated some: the share of positive items, corrected for the judge's errors.
    """
    from dissensus.methods.prevalence import prevalence

    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    named = None if pairs is None else read_pairs(pairs)
    output.show(prevalence(ratings, judges, task=source.read_task(), pairs=named, **options))
