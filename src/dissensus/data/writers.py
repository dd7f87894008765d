"""Write ratings and judges as tidy CSV files that `read` and `read_judges` read back the same."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.judges import ORDERS, Judges
from dissensus.data.labels import options_of, parts_of
from dissensus.data.paths import check_csv, save_bytes
from dissensus.data.ratings import ELICITATIONS, Ratings
from dissensus.data.sources.csv_rows import guarded
from dissensus.errors import FileError, RatingsError, listed

Texts = Sequence[str]


def write_ratings(ratings: Ratings, path: str | os.PathLike[str]) -> None:
    """Write `item, rater, label`, and `group, elicitation, count` where there are any.

    The order of the labels is not in the file: read it back with `labels=ratings.options`, or with a task.
    """
    if ratings.rater is not None and ratings.times is not None:
        raise RatingsError("Ratings with raters and counts cannot be written: a table of counts has no rater column.")
    columns = {
        "item": _named(ratings.item, ratings.items),
        "rater": _named(ratings.rater, ratings.raters),
        "label": _named(ratings.label, _label_cells(ratings.labels, ratings.options)),
        "count": None if ratings.times is None else list(map(str, ratings.times.tolist())),
        "group": _named(ratings.group, ratings.groups),
        "elicitation": _named(ratings.elicitation, ELICITATIONS),
    }
    write_table(path, {name: cells for name, cells in columns.items() if cells is not None})


def write_judges(judges: Judges, path: str | os.PathLike[str]) -> None:
    """Write `item, judge, sample`, and `label`, `p_<label>`, `elicitation`, `order` where there are any."""
    labels = _label_cells(judges.labels, judges.options)
    columns: dict[str, Texts | None] = {
        "item": _named(judges.item, judges.items),
        "judge": _named(judges.judge, judges.judges),
        "sample": list(map(str, judges.sample.tolist())),
        "label": _named(judges.label, labels) if (judges.label >= 0).any() else None,
    }
    if judges.probability is not None:
        for column, label in enumerate(labels):
            # The shortest text that is read back as the same number.
            values = judges.probability[:, column].tolist()
            columns[f"p_{label}"] = ["" if np.isnan(value) else repr(value) for value in values]
    columns["elicitation"] = _named(judges.elicitation, ELICITATIONS)
    columns["order"] = _named(judges.order, ORDERS)
    write_table(path, {name: cells for name, cells in columns.items() if cells is not None})


def write_folder(
    folder: str | os.PathLike[str], *, ratings: Ratings, judges: Judges | None = None, texts: Mapping[str, str]
) -> tuple[Path, ...]:
    """Write ratings.csv, judges.csv (if a judge answered) and `texts` by name into a folder; the files written."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {target} cannot be made: {error.strerror}. Name another one.") from error
    names = ["ratings.csv", "judges.csv", *texts]
    there = [name for name in names if (target / name).exists()]
    if there and not set(texts) <= set(there):
        raise FileError(f"The folder {target} has {listed(there)} already, which would be lost. Name another folder.")
    written = [target / "ratings.csv"]
    write_ratings(ratings, written[0])
    if judges is not None and judges.n_answers:
        written.append(target / "judges.csv")
        write_judges(judges, written[-1])
    for name, text in texts.items():
        written.append(target / name)
        write_text(written[-1], text)
    return tuple(written)


def _named(codes: Codes | None, names: Sequence[str]) -> Texts | None:
    """The cell of each row; empty where the code is -1."""
    if codes is None:
        return None
    lookup = [*map(quoted, names), ""]
    return [lookup[code] for code in codes.tolist()]


def _label_cells(labels: Sequence[str], options: Sequence[str]) -> Sequence[str]:
    """The labels, if each is read back as what it is."""
    known = set(options)
    for label in labels:
        if set(options_of(label)) != set(parts_of(label, known)):
            raise RatingsError(f"The label {label!r} would not be read back as it is: rename it before writing.")
    return labels


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Texts]) -> None:
    """Write columns of plain cells, by name, as a CSV file."""
    check_csv(Path(path))
    header = ",".join(map(quoted, columns))
    rows = map(",".join, zip(*columns.values(), strict=True))
    write_text(path, "\n".join([header, *rows]) + "\n")


def quoted(cell: str) -> str:
    """A cell as CSV has it, quoted if need be, and never a formula.

    Not by the csv module: with a plain line feed after each row, Python 3.11 leaves a carriage return unquoted.
    """
    cell = guarded(cell)
    if "\0" in cell:
        raise RatingsError(f"{cell!r} has a zero byte, which no CSV file can hold: rename it before writing.")
    needs_quotes = set(cell) & set('",\r\n') or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file; one line says why where that cannot be."""
    path = Path(path)
    try:
        save_bytes(path, text.encode())
    except UnicodeEncodeError as error:
        raise RatingsError(
            f"{path.name} cannot be written as UTF-8: {error.reason}. Rename {error.object[error.start]!r}."
        ) from error
