"""The steps of a reduction, each on one part of the tables: a part has all rows of its items."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Protocol, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.assemble import CHECK, CHECK_LABELS
from dissensus.data.columns import UNKNOWN, typed_columns
from dissensus.data.judges import LabelScores
from dissensus.data.large.kinds import (
    Coding,
    Profiles,
    Repeated,
    Tally,
    create_answered,
    create_items,
    faults_in,
    keys_of,
    output_columns,
    profiles_in,
    rated_columns,
    refuse,
    repeated_ratings,
    repeated_samples,
)
from dissensus.data.large.tables import Table, is_blank
from dissensus.errors import ColumnError, FileError, JudgesError, OptionError, RatingsError, counted
from dissensus.options import named

# ---- Sums of what judges' outputs would score, over items with the same ratings; exact, so that their order is free

ITEMS_AT_ONCE = 500_000
LOW_BITS = 30
UNIT = 2.0**-32
"""Scores are added up as whole multiples of this: such sums do not depend on the order, and err by less than 1e-9."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MomentSums:
    """Sums over the items of each profile, by what raters said about it, as in Profiles.

    How many items were rated so, and how many of them all judges answered. In units: sums of the scores, judge by judge
    and label by label (`first`), of the products of each two of them (`second`), and of the outputs.
    """

    rated: list[str]
    example: list[str]
    items: list[int]
    judged: list[int]
    first: list[list[int]]
    second: list[list[int]]
    outputs: list[list[int]]


def create_outputs(connection: duckdb.DuckDBPyConnection, coding: Coding) -> None:
    """The tables `kinds_of_items` (what raters tally) and `judged` (its number and all outputs, where all judged)."""
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
        f"FROM items JOIN answered USING (item) JOIN kinds_of_items k ON {same} WHERE {is_given}"
    )


def moment_sums(
    connection: duckdb.DuckDBPyConnection, coding: Coding, *, place: Codes, n_labels: int, scores: LabelScores,
) -> MomentSums:  # fmt: skip
    """The sums of the table `judged`, a piece at a time; `place` has the label of each output among all labels."""
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
    sums: list[list[int]], number: npt.NDArray[np.integer], outputs: Floats, coding: Coding, place: Codes,
    n_labels: int, scores: LabelScores,
) -> None:  # fmt: skip
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
        sums[row] = list(map(add, sums[row], [count, *total]))


def _exact_sums(columns: Floats, start: Codes) -> list[list[int]]:
    """Sums of consecutive rows in units; their high and low bits are summed apart, so that none can overflow."""
    if not np.isfinite(columns).all():
        raise OptionError(
            "A judge gives a label the probability 0, whose score is infinite without a clip: give a "
            f"{named('clip')} above 0."
        )
    units = np.rint(columns / UNIT).astype(np.int64)
    parts = (units >> LOW_BITS, units & (2**LOW_BITS - 1))
    high, low = (np.add.reduceat(bits, start, axis=0).tolist() for bits in parts)
    return [[(a << LOW_BITS) + b for a, b in zip(many, few, strict=True)] for many, few in zip(high, low, strict=True)]


def scored_outputs(outputs: Floats, place: Codes, n_labels: int, scores: LabelScores) -> Floats:
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
            before = numbers.get(key, [[0] * len(own) for own in row])
            numbers[key] = [list(map(add, old, new)) for old, new in zip(before, row, strict=True)]
            first = part.example[i]
            example[key] = min(example.get(key, first), first, key=int if has_numbers else None)
    ordered = sorted(numbers)
    return MomentSums(
        rated=ordered, example=[example[key] for key in ordered], items=[numbers[key][0][0] for key in ordered],
        judged=[numbers[key][1][0] for key in ordered], first=[numbers[key][2] for key in ordered],
        second=[numbers[key][3] for key in ordered], outputs=[numbers[key][4] for key in ordered],
    )  # fmt: skip


T = TypeVar("T")
Step = Callable[[duckdb.DuckDBPyConnection], T]


class Parts(Protocol):
    """Tables in one or many parts, each behind a connection with the views `people` and perhaps `answers`."""

    def map(self, step: Step[T]) -> list[T]:
        """What the step finds in each part."""

    def count_raters(self) -> tuple[int, bool] | None:
        """How many raters there are, and whether one of them is nameless; None if there is no rater column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartItems:
    """What step 2 finds in a part: its profiles, None if they are too many, what comes twice, and numbers.

    Nameless are items, raters of ratings, and items of answers. Unlabelled items have no label; judges answered the
    answered ones, of which nobody rated the unrated ones.
    """

    profiles: Profiles | None
    ratings_twice: Repeated
    samples_twice: Repeated
    nameless_items: int
    nameless_raters: int
    nameless_answers: int
    unlabelled_items: int
    answered_items: int
    unrated_items: int


def find_items(
    connection: duckdb.DuckDBPyConnection, coding: Coding, *, checks_repeats: bool, checks_samples: bool,
    has_unlabelled: bool, has_nameless: bool, most: int,
) -> PartItems:  # fmt: skip
    """Step 2: items with the same ratings and answers."""
    create_items(connection, coding, checks_repeats=checks_repeats)
    has_answers = bool(coding.answers)
    if has_answers:
        create_answered(connection, coding)
    nothing: Repeated = ([], 0)
    nameless = f"SELECT count(*) FROM people WHERE {coding.is_labelled} AND {is_blank('rater_name')}"
    unrated = "SELECT count(*) FROM answered ANTI JOIN items USING (item)"
    return PartItems(
        profiles=profiles_in(connection, coding, most=most),
        ratings_twice=repeated_ratings(connection, coding) if checks_repeats else nothing,
        samples_twice=repeated_samples(connection, coding) if checks_samples and has_answers else nothing,
        nameless_items=_nameless(connection, "items", coding),
        nameless_raters=_number(connection, nameless) if has_nameless else 0,
        nameless_answers=_nameless(connection, "answered", coding) if has_answers else 0,
        unlabelled_items=_number(connection, _unlabelled(coding)) if has_unlabelled else 0,
        answered_items=_number(connection, "SELECT count(*) FROM answered") if has_answers else 0,
        unrated_items=_number(connection, unrated) if has_answers else 0,
    )


def _nameless(connection: duckdb.DuckDBPyConnection, table: str, coding: Coding) -> int:
    """How many items of a table have no name."""
    is_bare = "item IS NULL" if coding.has_numbers else is_blank("item")
    return _number(connection, f"SELECT count(*) FROM {table} WHERE {is_bare}")


def _unlabelled(coding: Coding) -> str:
    """SQL that counts the items without a rating."""
    is_named = "item IS NOT NULL" if coding.has_numbers else f"NOT {is_blank('item')}"
    is_given = f"{coding.is_labelled} AND times > 0" if coding.has_counts else coding.is_labelled
    grouped = f"SELECT item FROM people WHERE {is_named} GROUP BY item HAVING count(*) FILTER ({is_given}) = 0"
    return f"SELECT count(*) FROM ({grouped})"


def sum_scores(
    connection: duckdb.DuckDBPyConnection, coding: Coding, *, place: Codes, n_labels: int, scores: LabelScores
) -> MomentSums:
    """Step 3, where judges' outputs are too many to be told apart: sums over items with the same ratings."""
    if not _number(connection, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'answered'"):
        create_items(connection, coding, checks_repeats=False)
        create_answered(connection, coding)
    create_outputs(connection, coding)
    return moment_sums(connection, coding, place=place, n_labels=n_labels, scores=scores)


def first_with_fault(connection: duckdb.DuckDBPyConnection, fault: str, n_outputs: int) -> str | None:
    """The first item with an answer whose probabilities have a fault; asked only where there is one."""
    is_wrong = faults_in(n_outputs)[fault]
    item = connection.execute(f"SELECT min(item)::VARCHAR FROM answers WHERE {is_wrong}").fetchall()[0][0]
    return None if item is None else str(item)


def _number(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])


# ---- What is wrong with large tables, in one line: how many rows, an item to look at, and what to do

FAULTS = {
    "word": ("has a probability that is not a number", "have a probability that is not a number", "Write it like 0.25"),
    "partial": ("lacks some of its probabilities", "lack some of their probabilities",
                "Give all of them, or none and a label"),
    "negative": ("has a negative probability", "have a negative probability",
                 "Give numbers from 0 to 1; logarithms must be exponentiated first"),
    "off": ("has probabilities that do not sum to 1", "have probabilities that do not sum to 1",
            "Give one for every label, or rescale them"),
}  # fmt: skip
"""What to say of one answer with a fault, of several, and what to do."""


def check_ratings(tally: Tally, people: Table) -> None:
    """Raise if the ratings cannot be used."""
    name = people.name
    if not tally.rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    if tally.strange_counts:
        rows = counted(tally.strange_counts, "row")
        raise ColumnError(
            f"{name}: {rows} with a count that is not a whole number. Give 0, 1, 2, ...; an empty cell is 0."
        )
    if not tally.ratings:
        raise RatingsError(f"{name} has {counted(tally.rows, 'row')} and not one label. {CHECK_LABELS}")


def check_answers(tally: Tally, answers: Table, parts: Parts, *, round_outputs: int | None, has_numbers: bool) -> None:
    """Raise if the judges' answers cannot be used."""
    name, n_outputs = answers.name, len(answers.probabilities)
    if not tally.answer_rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    for fault, (has, have, remedy) in FAULTS.items():
        rows = tally.faults[fault]
        if rows:
            found = parts.map(partial(first_with_fault, fault=fault, n_outputs=n_outputs))
            items = sorted((item for item in found if item is not None), key=int if has_numbers else None)
            where = f"{name}, item {items[0]}" if items else name
            raise JudgesError(f"{where}: {counted(rows, 'answer')} {has if rows == 1 else have}. {remedy}.")
    if not tally.answers and not tally.judgeless:
        remedy = f"{CHECK} {typed_columns({'label': UNKNOWN}, 'read_judges')}."
        raise JudgesError(f"{name} has {counted(tally.answer_rows, 'row')} and not one answer. {remedy}")
    if tally.judgeless:
        raise ColumnError(f"{name}: {counted(tally.judgeless, 'answer')} but no judge. Fill it in or delete the rows.")
    if tally.vanished:
        raise OptionError(
            f"{named('round_outputs')} {round_outputs} rounds every probability of "
            f"{counted(tally.vanished, 'answer')} to 0: give more digits."
        )


def check_items(found: Sequence[PartItems], people: Table, answers: Table | None) -> None:
    """Raise if an item has no name, or something comes twice."""
    if sum(part.nameless_items for part in found):
        raise ColumnError(f"{people.name}: there are labels but no item. Fill it in or delete the rows.")
    nameless = sum(part.nameless_raters for part in found)
    if nameless:
        raise ColumnError(f"{people.name}: {counted(nameless, 'label')} but no rater. Fill it in or delete the rows.")
    key = ["item", "rater", *(["elicitation"] if "elicitation" in people.roles else [])]
    refuse(_all(part.ratings_twice for part in found), name=people.name, key=key)
    if answers is not None:
        if any(part.nameless_answers for part in found):
            raise ColumnError(f"{answers.name}: there are answers but no item. Fill it in or delete the rows.")
        refuse(_all(part.samples_twice for part in found), name=answers.name, key=["item", "judge", "sample"])


def _all(repeated: Iterable[Repeated]) -> Repeated:
    parts = list(repeated)
    return sorted(text for shown, _ in parts for text in shown), sum(total for _, total in parts)
