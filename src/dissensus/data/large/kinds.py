"""What raters and judges ever said: the distinct ratings and answers, and how often each was given."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import duckdb

from dissensus.data.labels import ROUNDING, SUM_TOLERANCE, options_of
from dissensus.data.large.sql_tables import is_blank
from dissensus.data.sources.sql_sheets import literal

# ---- What raters and judges ever said: the distinct ratings and answers, and how often each was given

T = TypeVar("T")
RatingKind = tuple[str, str | None, str | None]
"""Label, group and elicitation, as they are written."""
AnswerKind = tuple[str, str | None, str | None, str | None, bool]
"""Judge, elicitation, order and label as they are written, and whether the answer has probabilities."""
LARGEST_COUNT = 2**53
"""Past this a float does not hold every whole number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What stands in the tables, before any item is looked at.

    Attributes
    ----------
    ratings : mapping of RatingKind to int
        How often each rating was given; blank labels are not among them.
    blank_labels : frozenset of str
        How missing labels are written, besides not at all.
    rows, blank_rows : int
        How many rows the ratings have, and how many of them have neither item nor label.
    unlabelled, strange_counts, zeros : int
        Ratings of an item without a label, rows with a count that is no whole number, labels with a count of 0.
    answers : mapping of AnswerKind to int
        How often each answer was given.
    blank_answers : frozenset of str
        How missing labels are written by judges, besides not at all.
    answer_rows, unanswered, judgeless : int
        How many rows the answers have, how many say nothing, how many have an answer and no judge.
    faults : mapping of str to int
        How many answers have each of the faults of `faults_in`.
    rescaled, vanished : int
        Rows whose probabilities sum to almost 1, and those of which rounding leaves nothing.
    """

    ratings: Counter[RatingKind]
    blank_labels: frozenset[str]
    rows: int
    blank_rows: int = 0
    unlabelled: int = 0
    strange_counts: int = 0
    zeros: int = 0
    answers: Counter[AnswerKind]
    blank_answers: frozenset[str] = frozenset()
    answer_rows: int = 0
    unanswered: int = 0
    judgeless: int = 0
    faults: Counter[str]
    rescaled: int = 0
    vanished: int = 0


def said_in(
    connection: duckdb.DuckDBPyConnection, *, has_counts: bool, has: tuple[bool, bool], n_outputs: int | None
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
    """
    is_odd = f"times IS NULL OR times < 0 OR times <> floor(times) OR times >= {LARGEST_COUNT}"
    times = f"sum(times) FILTER (NOT ({is_odd}))" if has_counts else "count(*)"
    odd, zero = (f"count(*) FILTER ({is_odd})", "count(*) FILTER (times = 0)") if has_counts else ("0", "0")
    # Grouping by columns that say nothing would take three times as long.
    columns = [
        name if is_there else f"NULL AS {name}" for name, is_there in zip(("grp", "elicitation"), has, strict=True)
    ]
    rows = connection.execute(
        f"SELECT label, {', '.join(columns)}, count(*), {times}, {odd}, {zero} FROM people GROUP BY ALL"
    ).fetchall()
    ratings: Counter[RatingKind] = Counter()
    blank = _missing(row[0] for row in rows)
    for label, group, elicitation, _, given, _, _ in rows:
        if label is not None and label not in blank:
            ratings[label, group, elicitation] += int(given or 0)
    unlabelled = sum(int(row[4] or 0) for row in rows if row[0] is None or row[0] in blank)
    blank_rows, blank_times = _blank_rows(connection, blank) if len(ratings) < len(rows) else (0, 0)
    people = Said(
        ratings=ratings,
        blank_labels=blank,
        rows=sum(row[3] for row in rows),
        blank_rows=blank_rows,
        unlabelled=unlabelled - blank_times,
        strange_counts=sum(row[5] for row in rows),
        zeros=sum(row[6] for row in rows),
        answers=Counter(),
        faults=Counter(),
    )
    return people if n_outputs is None else _with_answers(people, connection, n_outputs)


def _missing(labels: Iterable[str | None]) -> frozenset[str]:
    """The texts that are no label: blanks, and lists without an option."""
    return frozenset(label for label in set(labels) if label is not None and not options_of(label))


def is_labelled(blank: Iterable[str]) -> str:
    """SQL that tells whether a row has a label, if these texts are none."""
    texts = ", ".join(map(literal, sorted(blank)))
    return f"label NOT IN ({texts})" if texts else "label IS NOT NULL"


def _blank_rows(connection: duckdb.DuckDBPyConnection, blank: frozenset[str]) -> tuple[int, int]:
    """Rows with neither item nor label, and how many ratings they would be."""
    rows, times = connection.execute(
        f"SELECT count(*), sum(times) FROM people WHERE ({is_labelled(blank)}) IS NOT TRUE "
        f"AND {is_blank('item::VARCHAR')}"
    ).fetchall()[0]
    return int(rows), int(times or 0)


def faults_in(n_outputs: int) -> dict[str, str]:
    """SQL for each fault that the probabilities of a row of `answers` may have, the first one to be told first."""
    raw = [f"raw{i}" for i in range(n_outputs)]
    if not raw:
        return {}
    some = " OR ".join(f"{p} IS NOT NULL" for p in raw)
    return {
        "word": " OR ".join(f"isinf({p})" for p in raw),
        "partial": f"NOT ({outputs_given(n_outputs)}) AND ({some})",
        "negative": f"least({', '.join(raw)}) < 0",
        "off": f"abs({' + '.join(raw)} - 1) > {SUM_TOLERANCE}",
    }


def _with_answers(people: Said, connection: duckdb.DuckDBPyConnection, n_outputs: int) -> Said:
    """The same and what judges said."""
    faults = faults_in(n_outputs)
    tallies = [*faults.values()]
    if n_outputs:
        tallies.append(f"abs({' + '.join(f'raw{i}' for i in range(n_outputs))} - 1) > {ROUNDING}")
        tallies.append(" + ".join(f"p{i}" for i in range(n_outputs)) + " <= 0")
    counts = "".join(f", count(*) FILTER ({is_so})" for is_so in tallies)
    rows = connection.execute(
        f"SELECT judge, elicitation, shown, label, {outputs_given(n_outputs)} AS has_output, count(*){counts} "
        "FROM answers GROUP BY ALL"
    ).fetchall()
    blank = _missing(row[3] for row in rows)
    found: Counter[AnswerKind] = Counter()
    unanswered = judgeless = 0
    for judge, elicitation, shown, label, given, n_rows, *_ in rows:
        if (label is None or label in blank) and not given:
            unanswered += n_rows
        elif judge is None:
            judgeless += n_rows
        else:
            found[judge, elicitation, shown, label, bool(given)] += n_rows
    sums = [sum(row[6 + i] for row in rows) for i in range(len(tallies))]
    rescaled, vanished = sums[len(faults) :] or (0, 0)
    return replace(
        people,
        answers=found,
        blank_answers=blank,
        answer_rows=sum(row[5] for row in rows),
        unanswered=unanswered,
        judgeless=judgeless,
        faults=Counter(dict(zip(faults, sums, strict=False))),
        rescaled=rescaled,
        vanished=vanished,
    )


def outputs_given(n_outputs: int) -> str:
    """SQL that tells whether a row of `answers` has all of its probabilities."""
    return " AND ".join(f"raw{i} IS NOT NULL" for i in range(n_outputs)) if n_outputs else "false"


def added(parts: Sequence[Said]) -> Said:
    """What stands in several parts of the tables together."""
    named = {"ratings", "answers", "faults", "blank_labels", "blank_answers"}
    numbers = [name for name in Said.__dataclass_fields__ if name not in named]
    return Said(
        ratings=_merged(part.ratings for part in parts),
        answers=_merged(part.answers for part in parts),
        faults=_merged(part.faults for part in parts),
        blank_labels=frozenset().union(*(part.blank_labels for part in parts)),
        blank_answers=frozenset().union(*(part.blank_answers for part in parts)),
        **{name: sum(getattr(part, name) for part in parts) for name in numbers},
    )


def _merged(counters: Iterable[Counter[T]]) -> Counter[T]:
    """The sum of counters; unlike `+` it keeps what was counted 0 times: a label that could have been given."""
    merged: Counter[T] = Counter()
    for counter in counters:
        merged.update(counter)
    return merged


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A number for everything that was ever said, the same in all parts of the tables.

    Attributes
    ----------
    ratings, answers : tuple
        The kinds, each at its number.
    speakers : tuple
        Judge, elicitation and order of answers with probabilities.
    n_outputs : int
        How many probabilities such an answer has.
    has_numbers : bool
        Whether items are whole numbers, of which the first is the least and not the first in the alphabet.
    blank_labels, blank_answers : tuple of str
        How missing labels are written by raters and by judges, besides not at all.
    has_counts, has_elicitation : bool
        Whether a row stands for several ratings, and whether ratings say how they were elicited.
    """

    ratings: tuple[RatingKind, ...]
    answers: tuple[AnswerKind, ...]
    speakers: tuple[tuple[str, str | None, str | None], ...]
    n_outputs: int
    has_numbers: bool
    blank_labels: tuple[str, ...] = ()
    blank_answers: tuple[str, ...] = ()
    has_counts: bool = False
    has_elicitation: bool = False

    @property
    def is_labelled(self) -> str:
        """SQL that tells whether a row of `people` has a label."""
        return is_labelled(self.blank_labels)

    @property
    def is_answered(self) -> str:
        """SQL that tells whether a row of `answers` has an answer."""
        return f"({outputs_given(self.n_outputs)} OR {is_labelled(self.blank_answers)})"


def coding_of(said: Said, *, n_outputs: int, has_numbers: bool, has_counts: bool, has_elicitation: bool) -> Coding:
    """Numbers in the order of the texts."""
    speakers = {answer[:3] for answer in said.answers if answer[4]}
    return Coding(
        ratings=tuple(sorted(said.ratings, key=_as_text)),
        answers=tuple(sorted(said.answers, key=_as_text)),
        speakers=tuple(sorted(speakers, key=_as_text)),
        n_outputs=n_outputs,
        has_numbers=has_numbers,
        blank_labels=tuple(sorted(said.blank_labels)),
        blank_answers=tuple(sorted(said.blank_answers)),
        has_counts=has_counts,
        has_elicitation=has_elicitation,
    )


def _as_text(kind: tuple[str | bool | None, ...]) -> tuple[str, ...]:
    return tuple("" if part is None else f" {part}" for part in kind)
