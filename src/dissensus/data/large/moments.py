"""Sums of what judges' outputs would score, over items that were rated alike; exact, so that their order is free."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.data.judges import LabelScores
from dissensus.data.large.kinds import Coding
from dissensus.data.large.profiles import keys_of, output_columns, rated_columns
from dissensus.errors import OptionError

ITEMS_AT_ONCE = 500_000
LOW_BITS = 30
UNIT = 2.0**-32
"""Scores are added up as whole multiples of this: such sums do not depend on the order, and err by less than 1e-9."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MomentSums:
    """Sums over the items of each profile, by what raters said of it.

    Attributes
    ----------
    rated : list of str
        What raters said, as in Profiles.
    example : list of str
        The first item of each by name.
    items : list of int
        How many items were rated so.
    judged : list of int
        How many of them all judges answered.
    first : list of list of int
        Sum of the scores, judge by judge and label by label, in units.
    second : list of list of int
        Sum of the products of each two of them, in units.
    outputs : list of list of int
        Sum of the outputs, in units.
    """

    rated: list[str]
    example: list[str]
    items: list[int]
    judged: list[int]
    first: list[list[int]]
    second: list[list[int]]
    outputs: list[list[int]]


def create_outputs(connection: duckdb.DuckDBPyConnection, coding: Coding) -> None:
    """The tables `kinds_of_items` (what raters said) and `judged` (its number and all outputs, where all judged)."""
    rated, outputs = rated_columns(coding), output_columns(coding)
    key = ", ".join(rated)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE kinds_of_items AS "
        f"SELECT row_number() OVER (ORDER BY {key}) - 1 AS number, {key}, "
        f"count(*) AS items, min(item)::VARCHAR AS example FROM items GROUP BY {key}"
    )
    same = " AND ".join(f"items.{column} IS NOT DISTINCT FROM k.{column}" for column in rated)
    is_given = " AND ".join(f"{column} IS NOT NULL" for column in outputs)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE judged AS SELECT k.number::INTEGER AS number, {', '.join(outputs)} "
        f"FROM items JOIN said USING (item) JOIN kinds_of_items k ON {same} WHERE {is_given}"
    )


def moment_sums(
    connection: duckdb.DuckDBPyConnection,
    coding: Coding,
    *,
    place: npt.NDArray[np.intp],
    n_labels: int,
    scores: LabelScores,
) -> MomentSums:
    """The sums of the table `judged`, a piece at a time.

    Parameters
    ----------
    connection, coding
        With the tables of `create_outputs`.
    place : ndarray of shape (n_outputs,)
        Where the label of each output stands among all labels.
    n_labels : int
        How many labels there are.
    scores : callable
        What each label would score under a prediction.
    """
    kinds = connection.execute("SELECT * FROM kinds_of_items ORDER BY number").fetchnumpy()
    n_kinds, names = len(kinds["items"]), output_columns(coding)
    width = len(coding.speakers) * n_labels
    sums = [[0] * (1 + width + width * width + len(names)) for _ in range(n_kinds)]
    rows = connection.execute("SELECT count(*) FROM judged").fetchall()[0][0]
    for first in range(0, rows, ITEMS_AT_ONCE):
        piece = connection.execute(
            f"SELECT * FROM judged WHERE rowid >= {first} AND rowid < {first + ITEMS_AT_ONCE}"
        ).fetchnumpy()
        outputs = np.stack([np.asarray(piece[name], dtype=np.float64) for name in names], axis=1)
        _add(sums, np.asarray(piece["number"]), outputs, coding, place, n_labels, scores)
    return MomentSums(
        rated=keys_of([kinds[name] for name in rated_columns(coding)], n_kinds),
        example=[str(name) for name in kinds["example"].tolist()],
        items=kinds["items"].tolist(),
        judged=[row[0] for row in sums],
        first=[row[1 : 1 + width] for row in sums],
        second=[row[1 + width : 1 + width + width * width] for row in sums],
        outputs=[row[1 + width + width * width :] for row in sums],
    )


def _add(
    sums: list[list[int]],
    number: npt.NDArray[np.integer],
    outputs: Floats,
    coding: Coding,
    place: npt.NDArray[np.intp],
    n_labels: int,
    scores: LabelScores,
) -> None:
    """Add the items of a piece to the sums of their profiles."""
    order = np.argsort(number, kind="stable")
    present, start = np.unique(number[order], return_index=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # what is infinite is refused below
        scored = scored_outputs(outputs[order].reshape(len(order), -1, coding.n_outputs), place, n_labels, scores)
        flat = scored.reshape(len(order), -1)
        products = (flat[:, :, None] * flat[:, None, :]).reshape(len(order), -1)
    columns = np.concatenate([flat, products, outputs[order]], axis=1)
    totals = _exact_sums(columns, start)
    items = np.diff([*start, len(order)])
    for row, count, total in zip(present.tolist(), items.tolist(), totals, strict=True):
        sums[row] = [before + more for before, more in zip(sums[row], [count, *total], strict=True)]


def _exact_sums(columns: Floats, start: npt.NDArray[np.intp]) -> list[list[int]]:
    """Sums of consecutive rows in units; their high and low bits are summed apart, so that none can overflow."""
    if not np.isfinite(columns).all():
        raise OptionError(
            "A judge gives a label the probability 0, whose score is infinite without a clip: give a --clip above 0."
        )
    units = np.rint(columns / UNIT).astype(np.int64)
    high, low = (
        np.add.reduceat(bits, start, axis=0).tolist() for bits in (units >> LOW_BITS, units & (2**LOW_BITS - 1))
    )
    return [[(a << LOW_BITS) + b for a, b in zip(many, few, strict=True)] for many, few in zip(high, low, strict=True)]


def scored_outputs(outputs: Floats, place: npt.NDArray[np.intp], n_labels: int, scores: LabelScores) -> Floats:
    """What each label would score, of shape (n_items, n_judges, n_labels), from outputs rescaled to sum to 1."""
    predictions = np.zeros((*outputs.shape[:2], n_labels))
    predictions[:, :, place] = outputs / outputs.sum(axis=2, keepdims=True)
    return scores(predictions)


def added_sums(parts: Sequence[MomentSums], *, has_numbers: bool) -> MomentSums:
    """The sums of several parts that share no item."""
    numbers: dict[str, list[list[int]]] = {}
    example: dict[str, str] = {}
    for part in parts:
        for i, key in enumerate(part.rated):
            row = [[part.items[i]], [part.judged[i]], part.first[i], part.second[i], part.outputs[i]]
            before = numbers.get(key)
            numbers[key] = row if before is None else [_plus(old, new) for old, new in zip(before, row, strict=True)]
            first = part.example[i]
            example[key] = min(example.get(key, first), first, key=int if has_numbers else None)
    ordered = sorted(numbers)
    return MomentSums(
        rated=ordered,
        example=[example[key] for key in ordered],
        items=[numbers[key][0][0] for key in ordered],
        judged=[numbers[key][1][0] for key in ordered],
        first=[numbers[key][2] for key in ordered],
        second=[numbers[key][3] for key in ordered],
        outputs=[numbers[key][4] for key in ordered],
    )


def _plus(old: list[int], new: list[int]) -> list[int]:
    return [a + b for a, b in zip(old, new, strict=True)]
