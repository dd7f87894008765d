"""The probabilities in a judges file: columns p_<label>, checked and rescaled to sum to exactly 1."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import TextColumn
from dissensus.data.columns import HasColumns
from dissensus.data.labels import number, options_of
from dissensus.errors import ColumnError, JudgesError, counted, shortened

PREFIX = "p_"
SUM_TOLERANCE = 1e-3
"""Probabilities within this of summing to 1 are rounded ones; others are a mistake."""

ROUNDING = 1e-9
"""Sums off by no more than this need no mention."""


def probability_columns(sheet: HasColumns) -> dict[str, tuple[str, ...]]:
    """The columns that hold probabilities, each with its label as a set of options."""
    columns = {
        column: options_of(column[len(PREFIX) :]) for column in sheet.columns if column.lower().startswith(PREFIX)
    }
    seen: dict[frozenset[str], str] = {}
    for column, label in columns.items():
        other = seen.setdefault(frozenset(label), column)
        if other != column:
            raise ColumnError(f"{sheet.name}: columns {other!r} and {column!r} are the same label. Delete one of them.")
    return {column: label for column, label in columns.items() if label}


def read_probabilities(columns: dict[str, TextColumn], *, row: Codes, name: str) -> tuple[Floats, int]:
    """Probabilities of shape (n_rows, n_columns), NaN in rows without any, and how many rows were rescaled."""
    names = list(columns)
    values = np.column_stack([_numbers(*named, row=row, name=name) for named in columns.items()])
    is_absent = np.isnan(values)
    _check_all_given(is_absent, names, row=row, name=name)
    given = np.flatnonzero(~is_absent.all(axis=1))
    _check_not_negative(values, names, row=row, name=name)
    total = values[given].sum(axis=1)
    off = given[np.abs(total - 1) > SUM_TOLERANCE]
    if off.size:
        others = f" ({counted(off.size, 'such row')})" if off.size > 1 else ""
        raise JudgesError(
            f"{name}, row {row[off[0]]}: the probabilities sum to {values[off[0]].sum():.6g}, not to 1{others}. "
            "Give one for every label, or rescale them."
        )
    values[given] /= total[:, None]
    return values, int(np.sum(np.abs(total - 1) > ROUNDING))


def _numbers(column_name: str, column: TextColumn, *, row: Codes, name: str) -> Floats:
    values = [number(text) for text in column.texts]
    is_word = np.array([*(value is None for value in values), False])[column.codes]
    if is_word.any():
        first = int(np.argmax(is_word))
        text = shortened(str(column[first]))
        raise JudgesError(
            f"{name}, row {row[first]}: {column_name} is {text!r}, which is not a number. Write it like 0.25."
        )
    return np.array([*(np.nan if value is None else value for value in values), np.nan])[column.codes]


def _check_all_given(is_absent: npt.NDArray[np.bool_], names: Sequence[str], *, row: Codes, name: str) -> None:
    partial = np.flatnonzero(is_absent.any(axis=1) & ~is_absent.all(axis=1))
    if partial.size:
        column = names[int(np.argmax(is_absent[partial[0]]))]
        raise JudgesError(
            f"{name}, row {row[partial[0]]}: {column} is missing while other probabilities are given. "
            "Give all of them, or none and a label."
        )


def _check_not_negative(values: Floats, names: Sequence[str], *, row: Codes, name: str) -> None:
    wrong = np.flatnonzero((values < 0).any(axis=1))
    if wrong.size:
        column = int(np.argmin(values[wrong[0]]))
        raise JudgesError(
            f"{name}, row {row[wrong[0]]}: {names[column]} is {values[wrong[0], column]:g}, and a probability is never "
            "negative. Give numbers from 0 to 1; logarithms must be exponentiated first."
        )
