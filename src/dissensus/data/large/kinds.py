"""What raters and judges ever tally: the distinct ratings and answers, and how often each was given."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import duckdb
import numpy as np
import numpy.typing as npt

from dissensus.data.labels import ROUNDING, SUM_TOLERANCE, options_of
from dissensus.data.large.tables import REPEATS, is_blank
from dissensus.data.sources.sql_sheets import literal
from dissensus.errors import SHOWN, RepeatedRatingsError

T = TypeVar("T")
RatingKind = tuple[str, str | None, str | None]  # label, group and elicitation, as they are written
AnswerKind = tuple[str, str | None, str | None, str | None, bool]
"""Judge, elicitation, order and label as they are written, and whether the answer has probabilities."""
LARGEST_COUNT = 2**53  # past this a float does not hold every whole number


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What stands in the tables, before any item is looked at."""

    ratings: Counter[RatingKind]  # how often each kind was given; blank labels are not among them
    blank_labels: frozenset[str]  # how missing labels are written by raters and by judges, besides not at all
    rows: int  # how many rows the ratings have, and how many of them have neither item nor label
    blank_rows: int = 0
    # Ratings of an item without a label, rows with a count that is not a whole number, labels with a count of 0.
    unlabelled: int = 0
    strange_counts: int = 0
    zeros: int = 0
    answers: Counter[AnswerKind]
    blank_answers: frozenset[str] = frozenset()
    answer_rows: int = 0  # how many rows the answers have, how many say nothing, how many have an answer and no judge
    unanswered: int = 0
    judgeless: int = 0
    faults: Counter[str]  # how many answers have each of the faults of `faults_in`
    rescaled: int = 0  # rows whose probabilities sum to almost 1, and those of which rounding leaves nothing
    vanished: int = 0


def tally_of(
    connection: duckdb.DuckDBPyConnection, *, has_counts: bool, has: tuple[bool, bool], n_outputs: int | None
) -> Tally:
    """Step 1: what stands in the views `people` and `answers`.

    `has` tells whether ratings have a group and an elicitation; `n_outputs` is None if there are no answers.
    """
    is_odd = f"times IS NULL OR times < 0 OR times <> floor(times) OR times >= {LARGEST_COUNT}"
    times = f"sum(times) FILTER (NOT ({is_odd}))" if has_counts else "count(*)"
    odd, zero = (f"count(*) FILTER ({is_odd})", "count(*) FILTER (times = 0)") if has_counts else ("0", "0")
    # Grouping by columns that say nothing would take three times as long.
    names = zip(("grp", "elicitation"), has, strict=True)
    columns = [name if is_there else f"NULL AS {name}" for name, is_there in names]
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
    people = Tally(
        ratings=ratings, blank_labels=blank, rows=sum(row[3] for row in rows), blank_rows=blank_rows,
        unlabelled=unlabelled - blank_times, strange_counts=sum(row[5] for row in rows),
        zeros=sum(row[6] for row in rows), answers=Counter(), faults=Counter(),
    )  # fmt: skip
    return people if n_outputs is None else _with_answers(people, connection, n_outputs)


def _missing(labels: Iterable[str | None]) -> frozenset[str]:
    """The texts that are not labels: blanks, and lists without an option."""
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


def _with_answers(people: Tally, connection: duckdb.DuckDBPyConnection, n_outputs: int) -> Tally:
    """The same and what judges tally."""
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
        people, answers=found, blank_answers=blank, answer_rows=sum(row[5] for row in rows), unanswered=unanswered,
        judgeless=judgeless, faults=Counter(dict(zip(faults, sums, strict=False))), rescaled=rescaled,
        vanished=vanished,
    )  # fmt: skip


def outputs_given(n_outputs: int) -> str:
    """SQL that tells whether a row of `answers` has all of its probabilities."""
    return " AND ".join(f"raw{i} IS NOT NULL" for i in range(n_outputs)) if n_outputs else "false"


def added(parts: Sequence[Tally]) -> Tally:
    """What stands in several parts of the tables together."""
    named = {"ratings", "answers", "faults", "blank_labels", "blank_answers"}
    numbers = [name for name in Tally.__dataclass_fields__ if name not in named]
    return Tally(
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
    """A number for everything that was ever given, its place, the same in all parts of the tables.

    Speakers are judge, elicitation and order of answers with probabilities. Of items that are whole numbers the first
    one is the least and not the first in the alphabet. Blank labels are how missing ones are written.
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


def coding_of(tally: Tally, *, n_outputs: int, has_numbers: bool, has_counts: bool, has_elicitation: bool) -> Coding:
    """Numbers in the order of the texts."""
    speakers = {answer[:3] for answer in tally.answers if answer[4]}
    return Coding(
        ratings=tuple(sorted(tally.ratings, key=_as_text)), answers=tuple(sorted(tally.answers, key=_as_text)),
        speakers=tuple(sorted(speakers, key=_as_text)), n_outputs=n_outputs, has_numbers=has_numbers,
        blank_labels=tuple(sorted(tally.blank_labels)), blank_answers=tuple(sorted(tally.blank_answers)),
        has_counts=has_counts, has_elicitation=has_elicitation,
    )  # fmt: skip


def _as_text(kind: tuple[str | bool | None, ...]) -> tuple[str, ...]:
    return tuple("" if part is None else f" {part}" for part in kind)


# ---- Items that were rated and judged in the same way, found by duckdb: their labels, and how many there are

MOST_COLUMNS = 12  # this many kinds of ratings or answers are counted in a column each; more are counted cell by cell
SLOTS = 126  # bits of a word in which raters leave their marks

Key = tuple[str, str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profiles:
    """Distinct items, how many there are of each, and the first of them by name.

    `rated` is the labels of raters, such as `0:3 2:1`: the kind with number 0 three times, number 2 once; `judged`
    the same of judges; `outputs`, of shape (n_profiles, n_speakers, n_outputs), are mean probabilities, NaN without
    any.
    """

    rated: list[str]
    judged: list[str]
    outputs: npt.NDArray[np.float64]
    copies: npt.NDArray[np.int64]
    example: list[str]

    def keys(self) -> list[Key]:
        """What makes each profile what it is, to put parts together."""
        outputs = (row.tobytes() for row in self.outputs)
        return list(zip(self.rated, self.judged, outputs, strict=True))


def create_items(connection: duckdb.DuckDBPyConnection, coding: Coding, *, checks_repeats: bool) -> None:
    """The table `items`: what raters said about each item, and whether somebody may have rated it twice."""
    suspect = _suspect(coding) if checks_repeats else "false"
    count, any_rating = ("sum(times)", "HAVING sum(times) > 0") if coding.has_counts else ("count(*)", "")
    if len(coding.ratings) <= MOST_COLUMNS:
        counts = [f"{count} FILTER ({_is_kind(kind)})::BIGINT AS n{i}" for i, kind in enumerate(coding.ratings)]
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE items AS SELECT item, {', '.join(counts)}, {suspect} AS suspect "
            f"FROM people WHERE {coding.is_labelled} GROUP BY item {any_rating}"
        )
        return
    _create_kinds(connection, "rating_kinds", [(*kind, False) for kind in coding.ratings], RATING_COLUMNS)
    connection.execute(f"DELETE FROM rating_kinds WHERE NOT ({coding.is_labelled})")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE cells AS SELECT item, kind, sum(times)::BIGINT AS n FROM people "
        f"JOIN rating_kinds k ON {_same('people', RATING_COLUMNS)} GROUP BY item, kind HAVING n > 0"
    )
    marked = f"SELECT item, {suspect} AS suspect FROM people WHERE {coding.is_labelled} GROUP BY item"
    joined, suspect = "", "false"
    if checks_repeats:  # an item without a name must not get lost on the way, it is to be refused
        joined, suspect = f"JOIN ({marked}) m ON cells.item IS NOT DISTINCT FROM m.item", "any_value(suspect)"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE items AS SELECT cells.item AS item, "
        f"string_agg(kind || ':' || n, ' ' ORDER BY kind) AS rated, {suspect} AS suspect FROM cells {joined} "
        "GROUP BY cells.item"
    )


RATING_COLUMNS = ("label", "grp", "elicitation")
ANSWER_COLUMNS = ("judge", "elicitation", "shown", "label")


def _suspect(coding: Coding) -> str:
    """SQL that tells whether somebody may have rated an item twice.

    An item that fills as many slots as it has ratings has nobody twice. Slots collide, so the others are only
    suspects, a tenth of the items with ten ratings; they alone are looked at rater by rater.
    """
    mark = "hash(rater, elicitation)" if coding.has_elicitation else "rater"
    words = [f"bit_or(1::HUGEINT << (({mark} >> {shift}) % {SLOTS})::INT)" for shift in (0, 8)]
    return " AND ".join(f"bit_count({word}) < count(*)" for word in words)


def _is_kind(kind: tuple[str | None, ...]) -> str:
    texts = ("IS NULL" if text is None else f"= {literal(text)}" for text in kind)
    return " AND ".join(f"{column} {text}" for column, text in zip(RATING_COLUMNS, texts, strict=True))


def _same(table: str, columns: Sequence[str]) -> str:
    return " AND ".join(f"{table}.{column} IS NOT DISTINCT FROM k.{column}" for column in columns)


def _create_kinds(
    connection: duckdb.DuckDBPyConnection, name: str, kinds: Sequence[tuple[object, ...]], columns: Sequence[str]
) -> None:
    fields = ", ".join(f"unnest($c{i}::VARCHAR[]) AS {column}" for i, column in enumerate(columns))
    values = {f"c{i}": [kind[i] for kind in kinds] for i in range(len(columns))}
    values |= {"kind": list(range(len(kinds))), "has_output": [kind[-1] for kind in kinds]}
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT unnest($kind::INTEGER[]) AS kind, {fields}, "
        "unnest($has_output::BOOLEAN[]) AS has_output",
        values,
    )


def create_answered(connection: duckdb.DuckDBPyConnection, coding: Coding) -> None:
    """The table `answered`: what judges answered to each item."""
    _create_kinds(connection, "answer_kinds", coding.answers, ANSWER_COLUMNS)
    same = f"{_same('answers', ANSWER_COLUMNS)} AND ({outputs_given(coding.n_outputs)}) = k.has_output"
    coded = f"SELECT answers.*, kind FROM answers JOIN answer_kinds k ON {same}"
    if len(coding.answers) <= MOST_COLUMNS:
        counts = [f"count(*) FILTER (kind = {i}) AS m{i}" for i in range(len(coding.answers))]
    else:
        coded = f"SELECT *, count(*) OVER (PARTITION BY item, kind) AS n FROM ({coded})"
        counts = ["string_agg(DISTINCT kind || ':' || n, ' ' ORDER BY kind || ':' || n) AS judged"]
    most = _create_answered(connection, coding, coded, counts, mean="max({output}) FILTER ({own})")
    if most > 1:
        # Sorted first, so that the mean of several answers does not depend on the order of the rows.
        total = " + ".join(f"p{p}" for p in range(coding.n_outputs))
        mean = f"list_avg(list_sort(list({{output}} / ({total})) FILTER ({{own}})))"
        _create_answered(connection, coding, coded, counts, mean=mean)


def _create_answered(
    connection: duckdb.DuckDBPyConnection, coding: Coding, coded: str, counts: Sequence[str], *, mean: str
) -> int:
    """Make the table, and tell how many answers with probabilities a judge gave at most to an item."""
    kinds = [
        [i for i, answer in enumerate(coding.answers) if answer[4] and answer[:3] == speaker]
        for speaker in coding.speakers
    ]
    own = [f"kind IN ({', '.join(map(str, some))})" for some in kinds]
    outputs = [
        mean.format(output=f"p{p}", own=is_own) + f" AS p{s}_{p}"
        for s, is_own in enumerate(own)
        for p in range(coding.n_outputs)
    ]
    times = [f"count(*) FILTER ({is_own}) AS t{s}" for s, is_own in enumerate(own)]
    columns = ", ".join(["item", *counts, *outputs, *times])
    connection.execute(f"CREATE OR REPLACE TEMP TABLE answered AS SELECT {columns} FROM ({coded}) GROUP BY item")
    if not times:
        return 0
    most = ", ".join(f"max(t{s})" for s in range(len(own)))
    return max(connection.execute(f"SELECT {most} FROM answered").fetchall()[0], key=lambda n: n or 0) or 0


def rated_columns(coding: Coding) -> list[str]:
    """The columns of `items` that say what raters tally."""
    return [f"n{i}" for i in range(len(coding.ratings))] if len(coding.ratings) <= MOST_COLUMNS else ["rated"]


def judged_columns(coding: Coding) -> list[str]:
    """The columns of `answered` that say what judges tally."""
    if not coding.answers:
        return []
    return [f"m{i}" for i in range(len(coding.answers))] if len(coding.answers) <= MOST_COLUMNS else ["judged"]


def output_columns(coding: Coding) -> list[str]:
    """The columns of `answered` with probabilities."""
    return [f"p{s}_{p}" for s in range(len(coding.speakers)) for p in range(coding.n_outputs)]


def profiles_in(connection: duckdb.DuckDBPyConnection, coding: Coding, *, most: int) -> Profiles | None:
    """The profiles of the tables `items` and `answered`; None if there are more than `most`."""
    rated, judged, outputs = rated_columns(coding), judged_columns(coding), output_columns(coding)
    relation = "items LEFT JOIN answered USING (item)" if judged else "items"
    columns = ", ".join([*rated, *judged, *outputs])
    grouped = (
        f"SELECT {columns}, count(*) AS copies, min(item)::VARCHAR AS example FROM {relation} GROUP BY {columns} "
        f"LIMIT {most + 1}"
    )
    found = connection.execute(grouped).fetchnumpy()
    if len(found["copies"]) > most:
        return None
    n_profiles = len(found["copies"])
    shape = (n_profiles, len(coding.speakers), coding.n_outputs)
    filled = [np.ma.filled(found[name].astype(np.float64), np.nan) for name in outputs]
    return Profiles(
        rated=keys_of([found[name] for name in rated], n_profiles),
        judged=keys_of([found[name] for name in judged], n_profiles),
        outputs=np.stack(filled, axis=1).reshape(shape) if filled else np.empty(shape),
        copies=np.asarray(found["copies"], dtype=np.int64),
        example=["" if name is None else str(name) for name in found["example"].tolist()],
    )


def keys_of(columns: Sequence[npt.NDArray[np.generic]], n_profiles: int) -> list[str]:
    """What was tally, in one text per profile."""
    if len(columns) == 1 and columns[0].dtype == object:
        return [text or "" for text in np.ma.filled(columns[0], "").tolist()]
    counts = [np.ma.filled(np.ma.masked_invalid(column.astype(np.float64)), 0).astype(np.int64) for column in columns]
    if not counts:
        return [""] * n_profiles
    rows = np.stack(counts, axis=1).tolist()
    return [" ".join(f"{kind}:{n}" for kind, n in enumerate(row) if n) for row in rows]


def together(parts: Sequence[Profiles], *, has_numbers: bool) -> Profiles:
    """The profiles of several parts that share no item, in an order that does not depend on the parts."""
    found: dict[Key, tuple[int, str, npt.NDArray[np.float64]]] = {}
    for part in parts:
        rows = zip(part.keys(), part.copies.tolist(), part.example, part.outputs, strict=True)
        for key, copies, example, outputs in rows:
            before, first, _ = found.get(key, (0, example, outputs))
            found[key] = (before + copies, min(first, example, key=int if has_numbers else None), outputs)
    ordered = sorted(found)
    shape = parts[0].outputs.shape[1:]
    return Profiles(
        rated=[key[0] for key in ordered],
        judged=[key[1] for key in ordered],
        outputs=np.stack([found[key][2] for key in ordered]) if ordered else np.empty((0, *shape)),
        copies=np.array([found[key][0] for key in ordered], dtype=np.int64),
        example=[found[key][1] for key in ordered],
    )


def cells_of(keys: Sequence[str]) -> npt.NDArray[np.int64]:
    """Profile, kind and count of everything that was tally, of shape (n_cells, 3).

    >>> cells_of(["0:3 2:1", "1:4"]).tolist()
    [[0, 0, 3], [0, 2, 1], [1, 1, 4]]
    """
    cells = chain.from_iterable(
        ((profile, *map(int, cell.split(":"))) for cell in key.split()) for profile, key in enumerate(keys)
    )
    return np.array(list(cells), dtype=np.int64).reshape(-1, 3)


REMEDY = f"Keep all of them with {REPEATS} keep, or one of each in the files: large ones have no first and last row."
Repeated = tuple[list[str], int]  # the first of them in words, and how many there are


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
    rows_shown = [zip(words, line[:-1], strict=False) for line in found]
    shown = [" ".join(f"{word} {value}" for word, value in row if value is not None) for row in rows_shown]
    return shown, int(total)


def refuse(repeated: Repeated, *, name: str, key: list[str]) -> None:
    """Raise if something comes twice."""
    shown, total = repeated
    if total:
        raise RepeatedRatingsError(shown, total=total, source=name, key=key, remedy=REMEDY)
