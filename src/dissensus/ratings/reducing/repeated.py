"""Whether somebody rated an item twice, or a judge's sample comes twice, in a table that memory does not hold."""

import duckdb

from dissensus.errors import SHOWN, RepeatedRatingsError
from dissensus.ratings.reducing.numbering import Coding
from dissensus.ratings.reducing.profiles import SLOTS

REMEDY = "Keep all of them with --repeats keep, or one of each in the files: large ones have no first and last row."
Repeated = tuple[list[str], int]
"""The first of them in words, and how many there are."""


def repeated_ratings(connection: duckdb.DuckDBPyConnection, coding: Coding) -> Repeated:
    """Ratings with the item, rater and elicitation of another one, looked for among the suspects of `items`."""
    if connection.execute("SELECT count(*) FROM items WHERE suspect").fetchall() == [(0,)]:
        return [], 0
    key = ["item", "rater_name"] + (["elicitation"] if coding.has_elicitation else [])
    suspects = f"(SELECT * FROM people WHERE {coding.is_labelled} AND item IN (SELECT item FROM items WHERE suspect))"
    return _twice(connection, suspects, key, ["item", "rater", "elicitation"])


def repeated_samples(connection: duckdb.DuckDBPyConnection, coding: Coding) -> Repeated:
    """Answers with the item, judge, elicitation, order and sample of another one; rows that say nothing are none."""
    mark = f"1::HUGEINT << (hash(judge, elicitation, shown, sample) % {SLOTS})::INT"
    given = f"FROM answers WHERE {coding.is_answered}"
    suspects = f"SELECT item {given} GROUP BY item HAVING bit_count(bit_or({mark})) < count(*)"
    key = ["item", "judge", "elicitation", "shown", "sample"]
    rows = f"(SELECT * {given} AND item IN ({suspects}))"
    return _twice(connection, rows, key, ["item", "judge", "elicitation", "order", "sample"])


def _twice(connection: duckdb.DuckDBPyConnection, rows: str, key: list[str], words: list[str]) -> Repeated:
    columns = ", ".join(key)
    again = f"SELECT {columns}, count(*) - 1 AS more FROM {rows} GROUP BY {columns} HAVING count(*) > 1"
    total = connection.execute(f"SELECT coalesce(sum(more), 0) FROM ({again})").fetchall()[0][0]
    if not total:
        return [], 0
    found = connection.execute(f"{again} ORDER BY {columns} LIMIT {SHOWN}").fetchall()
    shown = [
        " ".join(f"{word} {value}" for word, value in zip(words, row, strict=False) if value is not None)
        for row in (line[:-1] for line in found)
    ]
    return shown, int(total)


def refuse(repeated: Repeated, *, name: str, key: list[str]) -> None:
    """Raise if something comes twice."""
    shown, total = repeated
    if total:
        raise RepeatedRatingsError(shown, total=total, source=name, key=key, remedy=REMEDY)
