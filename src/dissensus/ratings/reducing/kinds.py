"""What raters and judges ever said: the distinct ratings and answers, and how often each was given."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import duckdb

RatingKind = tuple[str, str | None, str | None]
"""Label, group and elicitation, as they are written."""
AnswerKind = tuple[str, str | None, str | None, str | None, bool]
"""Judge, elicitation, order and label as they are written, and whether the answer has probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What stands in the tables, before any item is looked at.

    Attributes
    ----------
    ratings : mapping of RatingKind to int
        How often each rating was given; blank labels are not among them.
    blank_labels : frozenset of str
        How missing labels are written, besides not at all.
    rows : int
        How many rows the ratings have.
    unlabelled, strange_counts : int
        Ratings without a label, and rows with a count that is no whole number.
    answers : mapping of AnswerKind to int
        How often each answer was given.
    answer_rows, unanswered, judgeless : int
        How many rows the answers have, how many say nothing, how many have an answer and no judge.
    partial, negative, off, rescaled : int
        Rows that lack some of the probabilities, have a negative one, sum to something else than 1, sum to almost 1.
    """

    ratings: Counter[RatingKind]
    blank_labels: frozenset[str]
    rows: int
    unlabelled: int = 0
    strange_counts: int = 0
    answers: Counter[AnswerKind]
    answer_rows: int = 0
    unanswered: int = 0
    judgeless: int = 0
    partial: int = 0
    negative: int = 0
    off: int = 0
    rescaled: int = 0


def said_in(
    connection: duckdb.DuckDBPyConnection,
    *,
    has_counts: bool,
    has: tuple[bool, bool],
    n_outputs: int | None,
    tolerance: float,
    rounding: float,
) -> Said:
    """What stands in the views `people` and `answers`.

    Parameters
    ----------
    connection : DuckDBPyConnection
        With the views.
    has_counts : bool
        Whether a row stands for several ratings.
    has : tuple of bool
        Whether ratings have a group, and whether they say how they were elicited.
    n_outputs : int, optional
        How many columns of probabilities the answers have; None if there are no answers.
    tolerance, rounding : float
        From which distance on sums of probabilities are an error, and from which on worth a word.
    """
    odd = "count(*) FILTER (times IS NULL OR times < 0 OR times <> floor(times))" if has_counts else "0"
    times = "sum(times)" if has_counts else "count(*)"
    # Grouping by columns that say nothing would take three times as long.
    columns = [
        name if is_there else f"NULL AS {name}" for name, is_there in zip(("grp", "elicitation"), has, strict=True)
    ]
    rows = connection.execute(
        f"SELECT label, {', '.join(columns)}, count(*), {times}, {odd} FROM people GROUP BY ALL"
    ).fetchall()
    ratings: Counter[RatingKind] = Counter()
    unlabelled = strange = 0
    for label, group, elicitation, n_rows, given, wrong in rows:
        if _filled(label) is None:
            unlabelled += int(given or n_rows)
            continue
        strange += wrong
        ratings[label, _filled(group), _filled(elicitation)] += int(given or 0)
    people = Said(
        ratings=ratings,
        blank_labels=frozenset(row[0] for row in rows if row[0] is not None and _filled(row[0]) is None),
        rows=sum(row[3] for row in rows),
        unlabelled=unlabelled,
        strange_counts=strange,
        answers=Counter(),
    )
    return people if n_outputs is None else _with_answers(people, connection, n_outputs, tolerance, rounding)


def _filled(text: str | None) -> str | None:
    return None if text is None or not text or text.isspace() else text


def _with_answers(
    people: Said, connection: duckdb.DuckDBPyConnection, n_outputs: int, tolerance: float, rounding: float
) -> Said:
    """The same and what judges said."""
    has_output, faults = outputs_given(n_outputs), "0, 0, 0, 0"
    if n_outputs:
        raw = [f"raw{i}" for i in range(n_outputs)]
        total, some = " + ".join(raw), " OR ".join(f"{p} IS NOT NULL" for p in raw)
        faults = (
            f"count(*) FILTER (NOT ({has_output}) AND ({some})), "
            f"count(*) FILTER (least({', '.join(raw)}) < 0), "
            f"count(*) FILTER (abs({total} - 1) > {tolerance}), "
            f"count(*) FILTER (abs({total} - 1) > {rounding})"
        )
    rows = connection.execute(
        f"SELECT judge, elicitation, shown, label, {has_output} AS has_output, count(*), {faults} "
        "FROM answers GROUP BY ALL"
    ).fetchall()
    found: Counter[AnswerKind] = Counter()
    sums = [0, 0, 0, 0]
    unanswered = judgeless = 0
    for judge, elicitation, shown, label, given, n_rows, *wrong in rows:
        sums = [before + int(more) for before, more in zip(sums, wrong, strict=True)]
        if _filled(label) is None and not given:
            unanswered += n_rows
        elif _filled(judge) is None:
            judgeless += n_rows
        else:
            found[judge, _filled(elicitation), _filled(shown), _filled(label), bool(given)] += n_rows
    partial, negative, off, rescaled = sums
    return replace(
        people,
        answers=found,
        answer_rows=sum(row[5] for row in rows),
        unanswered=unanswered,
        judgeless=judgeless,
        partial=partial,
        negative=negative,
        off=off,
        rescaled=rescaled,
    )


def outputs_given(n_outputs: int) -> str:
    """SQL that tells whether a row of `answers` has all of its probabilities."""
    return " AND ".join(f"raw{i} IS NOT NULL" for i in range(n_outputs)) if n_outputs else "false"


def added(parts: Sequence[Said]) -> Said:
    """What stands in several parts of the tables together."""
    numbers = [name for name in Said.__dataclass_fields__ if name not in {"ratings", "answers", "blank_labels"}]
    return Said(
        blank_labels=frozenset().union(*(part.blank_labels for part in parts)),
        ratings=sum((part.ratings for part in parts), Counter()),
        answers=sum((part.answers for part in parts), Counter()),
        **{name: sum(getattr(part, name) for part in parts) for name in numbers},
    )
