"""What a judge's answers mean in people's terms, as a file that can be applied to new answers.

A row per answer says what people say where the judge says this. A judge that gives probabilities or several samples has
more outputs than rows: its file also holds the parameters of the map that was fitted, one number a row.
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Floats
from dissensus.data.coding import Cells, Sheet, TextColumn
from dissensus.data.columns import shown_columns
from dissensus.data.inputs import Table
from dissensus.data.labels import (
    SCALES,
    SEPARATOR,
    Scale,
    infer_scale,
    option_name,
    probability_columns,
    read_probabilities,
)
from dissensus.data.sources.source import open_source
from dissensus.data.writers import quoted, write_table
from dissensus.errors import ColumnError, FileError, listed, shortened
from dissensus.options import LONGEST_NUMBER

KINDS = ("answer", "prior", "map")
"""What a row is: what one answer means, what people say in general, or a parameter of the fitted map."""
COLUMNS = ("judge", "scale", "kind", "answer", "items", "value")
MOST_ITEMS = 1e15
"""More that a judge answered are nobody's count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recalibration:
    """What one judge's answers mean in people's terms."""

    judge: str  # its name
    labels: tuple[str, ...]  # of people, in order where they have one
    scale: Scale  # of the labels
    prior: Floats  # (n_labels,): what people say in general
    answers: tuple[str, ...]  # of the judge
    shares: Floats  # (n_answers, n_labels): what people say where the judge says this
    items: Floats  # (n_answers,): on how many items the judge said so; NaN where nobody counted
    parameters: Mapping[str, Floats] | None = None  # of the map from outputs, where the judge gives more than labels


def write_recalibration(recalibrations: Sequence[Recalibration], path: str | os.PathLike[str]) -> None:
    """Write the recalibration of one or several judges, who share their labels, as a CSV file."""
    labels = recalibrations[0].labels
    rows = [row for one in recalibrations for row in _rows_of(one)]
    columns = {name: [quoted(row.cells[place]) for row in rows] for place, name in enumerate(COLUMNS)}
    for place, label in enumerate(labels):
        columns[f"p_{label}"] = [_cell(row.shares[place]) for row in rows]
    write_table(path, columns)


class _Row(NamedTuple):
    """A row of the file: the cells of `COLUMNS`, and a share of each label."""

    cells: tuple[str, ...]
    shares: Sequence[float]


def _rows_of(one: Recalibration) -> list[_Row]:
    """The rows of one judge."""
    none = [math.nan] * len(one.labels)
    start = (one.judge, one.scale)
    rows = [
        _Row((*start, "answer", answer, _cell(items), ""), shares.tolist())
        for answer, shares, items in zip(one.answers, one.shares, one.items.tolist(), strict=True)
    ]
    rows.append(_Row((*start, "prior", "", "", ""), one.prior.tolist()))
    for name, numbers in (one.parameters or {}).items():
        rows += [_Row((*start, "map", entry, "", cell), none) for entry, cell in _entries(name, numbers)]
    return rows


def _entries(name: str, numbers: Floats) -> list[tuple[str, str]]:
    """Each number of an array with its name; an array without any has one row without a number.

    >>> _entries("size", np.array(0.5)), _entries("line", np.array([1.0, 2.5])), _entries("table", np.empty((0, 2)))
    ([('size', '0.5')], [('line[0]', '1.0'), ('line[1]', '2.5')], [('table[,]', '')])
    """
    if not numbers.ndim:
        return [(name, repr(float(numbers)))]
    if not numbers.size:
        return [(f"{name}[{',' * (numbers.ndim - 1)}]", "")]
    return [(f"{name}[{','.join(map(str, place))}]", repr(float(value))) for place, value in np.ndenumerate(numbers)]


def _cell(value: float) -> str:
    """The shortest text that is read back as the same number; empty for NaN."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else repr(value)


# ---- Reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecalibrationFile:
    """The recalibrations in a file, and where they came from."""

    judges: tuple[Recalibration, ...]
    name: str
    sha256: str | None

    def describe_data(self) -> dict[str, object]:
        """Shape and origin, for the `data` part of the JSON."""
        names = [one.judge for one in self.judges]
        return {"file": self.name, "sha256": self.sha256, "judges": names, "labels": list(self.judges[0].labels)}


def read_recalibration(source: Table) -> RecalibrationFile:
    """The recalibrations in a file or a frame with a row per answer: `judge`, `answer` and `p_<label>`."""
    with open_source(source) as opened:
        sheet = opened.table()
        wanted = [column for column in sheet.columns if column in COLUMNS]
        missing = [repr(role) for role in ("judge", "answer") if role not in wanted]
        p_columns = probability_columns(sheet)
        if missing or not p_columns:
            lost = listed(missing or ["p_<label>"])
            raise ColumnError(
                f"{sheet.name} is not a recalibration: it has no column {lost}. Columns found: {shown_columns(sheet)}. "
                "`dissensus decide` writes one."
            )
        cells = sheet.load([*wanted, *p_columns])
        labels = tuple(SEPARATOR.join(options) for options in p_columns.values())
        return RecalibrationFile(judges=_judges_of(sheet, cells, labels), name=opened.name, sha256=opened.sha256())


def _judges_of(sheet: Sheet, cells: Cells, labels: tuple[str, ...]) -> tuple[Recalibration, ...]:
    columns = {name: cells.columns[name] for name in probability_columns(sheet)}
    shares, _ = read_probabilities(columns, row=cells.row, name=sheet.name)
    if not len(shares):
        raise FileError(f"{sheet.name} has columns but no rows below them: write it again with `dissensus decide`.")
    rows = _Rows(cells=cells, name=sheet.name, shares=shares)
    judges = dict.fromkeys(rows.filled("judge", range(len(shares))))
    return tuple(_recalibration(name, rows, labels) for name in judges)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """The rows of a file, and what to say of a faulty one."""

    cells: Cells
    name: str
    shares: Floats  # (n_rows, n_labels)

    def text(self, column: str, row: int) -> str:
        """A cell without blanks around it; empty where the file has no such column."""
        there: TextColumn | None = self.cells.columns.get(column)
        return "" if there is None else (there[row] or "").strip()

    def filled(self, column: str, rows: Iterable[int]) -> list[str]:
        """Cells that must not be empty."""
        texts = [(row, self.text(column, row)) for row in rows]
        for row, text in texts:
            if not text:
                raise self.fault(row, f"the {column} is empty. Fill it in or delete the row")
        return [text for _, text in texts]

    def number(self, column: str, row: int) -> float:
        """A cell as a number; NaN where it is empty."""
        text = self.text(column, row)
        try:
            return float(text) if text else math.nan
        except ValueError:
            raise self.fault(row, f"{column} is {shortened(text)!r}, which is not a number") from None

    def fault(self, row: int, what: str) -> ColumnError:
        """An error that says where it is."""
        return ColumnError(f"{self.name}, row {self.cells.row[row]}: {what}.")


def _recalibration(judge: str, rows: _Rows, labels: tuple[str, ...]) -> Recalibration:
    """One judge's recalibration."""
    own = [row for row in range(len(rows.shares)) if rows.text("judge", row) == judge]
    kinds = {row: rows.text("kind", row) or "answer" for row in own}
    for row, kind in kinds.items():
        if kind not in KINDS:
            raise rows.fault(row, f"the kind is {shortened(kind)!r}. Write {listed(KINDS)}")
        if kind != "map" and np.isnan(rows.shares[row]).any():
            raise rows.fault(row, "there are no probabilities. Give one for every label")
    of_answers = [row for row in own if kinds[row] == "answer"]
    if not of_answers:
        raise ColumnError(f"{rows.name} has no row that says what an answer of {judge} means: add some.")
    answers = tuple(map(option_name, rows.filled("answer", of_answers)))
    if len(set(answers)) < len(answers):
        twice = next(row for i, row in enumerate(of_answers) if answers[i] in answers[:i])
        again = shortened(rows.text("answer", twice))
        raise rows.fault(twice, f"the answer {again} of {judge} comes twice. Delete one")
    items = np.array([rows.number("items", row) for row in of_answers])
    shares = rows.shares[of_answers]
    of_prior = [row for row in own if kinds[row] == "prior"]
    known = (items >= 0).all() and 0 < items.max() < MOST_ITEMS
    return Recalibration(
        judge=judge, labels=labels, scale=_scale(rows, own, labels),
        prior=rows.shares[of_prior[0]] if of_prior else np.average(shares, axis=0, weights=items if known else None),
        answers=answers, shares=shares, items=items,
        parameters=_parameters(rows, [row for row in own if kinds[row] == "map"]),
    )  # fmt: skip


def _scale(rows: _Rows, own: Sequence[int], labels: tuple[str, ...]) -> Scale:
    """The stated scale; else as files of ratings are read: numbers are in order, words are not."""
    stated = rows.text("scale", own[0])
    if stated and stated not in SCALES:
        raise rows.fault(own[0], f"the scale is {shortened(stated)!r}. Write {listed(SCALES)}")
    return stated or infer_scale(labels)


def _parameters(rows: _Rows, of_map: Sequence[int]) -> dict[str, Floats] | None:
    """The parameters of a map by name, as `_entries` wrote them; None if there is none."""
    numbers: dict[str, dict[tuple[int, ...], float]] = {}
    for row, entry in zip(of_map, rows.filled("answer", of_map), strict=True):
        name, bracket, places = entry.removesuffix("]").partition("[")
        digits = places.split(",") if bracket else []
        if digits and not any(digits):
            numbers[name] = {(-1,) * len(digits): 0.0}
        elif all(text.isdecimal() and len(text) <= LONGEST_NUMBER for text in digits):
            numbers.setdefault(name, {})[tuple(map(int, digits))] = rows.number("value", row)
        else:
            raise rows.fault(row, f"{shortened(entry)!r} is not a parameter: these look like line[0]")
    return {name: _array(name, entries, rows) for name, entries in numbers.items()} or None


def _array(name: str, entries: Mapping[tuple[int, ...], float], rows: _Rows) -> Floats:
    """The array with these numbers; an error if one is missing."""
    shape = tuple(max(column) + 1 for column in zip(*entries, strict=False))
    has_one_shape = len({len(place) for place in entries}) == 1
    if not has_one_shape or math.prod(shape) != len(entries) * (0 not in shape):
        raise ColumnError(f"{rows.name}: numbers of the parameter {name} are missing. Write it again.")
    values = np.zeros(shape)
    for place, value in entries.items() if values.size else ():
        values[place] = value
    return values
