"""Read ratings and judges that do not fit in memory, as items that differ and how many there are of each."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import numpy as np

from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.ratings.formats.plan import ReadPlan
from dissensus.ratings.formats.tidy import NO_RATER
from dissensus.ratings.judges import Judges
from dissensus.ratings.leaving_out import LeftOut, sentences
from dissensus.ratings.output_moments import LabelScores
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.reducing.assembling import assemble_answers, assemble_people, moments_of, profiles_of_sums
from dissensus.ratings.reducing.checking import check_answers, check_found, check_ratings
from dissensus.ratings.reducing.kinds import Said, added
from dissensus.ratings.reducing.large_files import LargeFiles, checked_memory, find_files
from dissensus.ratings.reducing.moments import MomentSums, added_sums
from dissensus.ratings.reducing.profiles import Coding, Profiles, coding_of, together
from dissensus.ratings.reducing.spelling import Spelled, spelled_answers, spelled_ratings
from dissensus.ratings.reducing.sql_tables import (
    INTEGERS,
    Table,
    create_views,
    judges_table,
    ratings_table,
    source_of,
    types_of,
    unreadable,
)
from dissensus.ratings.reducing.steps import FindProfiles, Found, ListKinds, Parts, Step, SumScores, T
from dissensus.ratings.sql_sheets import connect
from dissensus.ratings.table import Ratings

MOST_PROFILES = 500_000
"""Different items that Python takes over."""
MOST_SCORED = 100_000
"""The same where the sums of judges' scores would do: so many items tell them as well, in less time."""
MEMORY = "2GB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What to read.

    Attributes
    ----------
    people, answers : LargeFiles
        The files; answers may be missing.
    ratings_plan, judges_plan : ReadPlan
        What the user says about them.
    judge : tuple of str, optional
        Which judges; all if not given.
    round_outputs : int, optional
        Digits to which probabilities are rounded.
    """

    people: LargeFiles
    answers: LargeFiles | None
    ratings_plan: ReadPlan
    judges_plan: ReadPlan
    judge: tuple[str, ...] | None = None
    round_outputs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of an input."""

    people: Table
    answers: Table | None

    @property
    def has_numbers(self) -> bool:
        """Whether items are whole numbers."""
        tables = [self.people] if self.answers is None else [self.people, self.answers]
        return all(table.type_of[table.roles["item"]] in INTEGERS for table in tables)


def input_of(
    ratings: str | os.PathLike[str],
    judges: str | os.PathLike[str] | None = None,
    *,
    ratings_plan: ReadPlan | None = None,
    judges_plan: ReadPlan | None = None,
    judge: str | Sequence[str] | None = None,
    round_outputs: int | None = None,
) -> Input:
    """What to read, checked: the files are there."""
    return Input(
        people=find_files(ratings),
        answers=None if judges is None else find_files(judges),
        ratings_plan=ratings_plan or ReadPlan(),
        judges_plan=judges_plan or ReadPlan(),
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(judge),
        round_outputs=_checked_digits(round_outputs),
    )


def read_large(
    wanted: Input, *, scored_by: LabelScores | None = None, memory: str = MEMORY
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from files larger than memory, by duckdb in this process.

    Parameters
    ----------
    wanted : Input
        What to read.
    scored_by : callable, optional
        What labels score under predictions: where judges gave too many different probabilities, the moments of these
        scores are read instead.
    memory : str
        What duckdb may use before it writes to disk.

    Returns
    -------
    Ratings, Judges
        With `copies`; Judges is None if no file was named.
    """
    with open_tables(wanted, memory=checked_memory(memory)) as (connection, tables):
        return reduce(wanted, tables, OnePart(connection, tables, wanted), scored_by=scored_by)


def _checked_digits(digits: int | None) -> int | None:
    if digits is not None and not 1 <= digits <= 15:  # noqa: PLR2004 - a double has no more
        raise OptionError(f"--round-outputs cannot be {digits}: give a number of digits from 1 to 15.")
    return digits


@contextmanager
def open_tables(wanted: Input, *, memory: str) -> Iterator[tuple[duckdb.DuckDBPyConnection, Tables]]:
    """A connection with the views of an input; what it wrote to disk goes at the end of the block."""
    files = [wanted.people] if wanted.answers is None else [wanted.people, wanted.answers]
    with tempfile.TemporaryDirectory(prefix="dissensus-") as folder:
        paths = [path for some in files for path in some.paths]
        connection = connect(*paths, spill=Path(folder), memory=memory)
        try:
            tables = tables_of(connection, wanted)
            create_views(connection, tables.people, tables.answers, round_outputs=wanted.round_outputs)
            yield connection, tables
        finally:
            connection.close()


def tables_of(connection: duckdb.DuckDBPyConnection, wanted: Input) -> Tables:
    """The tables in the files, and which column is which."""
    source = source_of(connection, wanted.people)
    people = ratings_table(source, types_of(connection, source), wanted.ratings_plan, name=wanted.people.name)
    if wanted.answers is None:
        return Tables(people=people, answers=None)
    source = source_of(connection, wanted.answers)
    answers = judges_table(source, types_of(connection, source), wanted.judges_plan, name=wanted.answers.name)
    return Tables(people=people, answers=answers)


class OnePart:
    """The whole tables behind one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: Tables, wanted: Input) -> None:
        self._connection, self._tables, self._wanted = connection, tables, wanted

    def map(self, step: Step[T]) -> list[T]:
        """What the step finds."""
        try:
            return [step(self._connection)]
        except duckdb.OutOfMemoryException as error:
            raise OptionError(
                f"{self._wanted.people.name} needs more memory than duckdb may use: give it more with --memory 4GB."
            ) from error
        except duckdb.Error as error:
            raise unreadable(error, self._wanted.people) from error

    def count_raters(self) -> tuple[int, bool] | None:
        """How many raters there are, and whether one of them is nameless; None if there is no rater column."""
        people = self._tables.people
        if "rater" not in people.roles:
            return None
        names = f"SELECT {people.name_of('rater')} AS rater FROM {people.relation} GROUP BY 1"
        query = f"SELECT count(*), count(*) FILTER (rater IS NULL OR trim(rater::VARCHAR) = '') FROM ({names})"
        raters, nameless = self.map(lambda connection: connection.execute(query).fetchall()[0])[0]
        return raters - nameless, nameless > 0


def reduce(
    wanted: Input, tables: Tables, parts: Parts, *, scored_by: LabelScores | None
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from tables in one or many parts; how they are cut changes nothing."""
    people, answers = tables.people, tables.answers
    n_outputs = None if answers is None else len(answers.probabilities)
    has_counts = "count" in people.roles
    said = added(
        parts.map(
            ListKinds(
                has_counts=has_counts, has=("group" in people.roles, "elicitation" in people.roles), n_outputs=n_outputs
            )
        )
    )
    check_ratings(said, people)
    if answers is not None:
        check_answers(said, answers, parts)
    said = _of_judges(said, wanted)
    coding = coding_of(
        said,
        n_outputs=n_outputs or 0,
        has_numbers=tables.has_numbers,
        has_counts=has_counts,
        has_elicitation="elicitation" in people.roles,
    )
    rated = spelled_ratings(said, coding, wanted.ratings_plan, people)
    judged = None if answers is None else spelled_answers(said, coding, wanted.judges_plan, answers)
    raters, has_nameless = parts.count_raters() or (None, False)
    most = MOST_PROFILES if scored_by is None or not coding.speakers else MOST_SCORED
    step = _profiles_step(wanted, tables, said, coding, has_nameless=has_nameless)
    found = parts.map(replace(step, most=most))
    check_found(found, people, answers)
    profiles, sums, labels = _profiles(found, parts, coding, rated, judged, scored_by, most=most)
    ratings = assemble_people(
        profiles,
        rated,
        left_out=(*_left_out(said), *rated.left_out),
        notes=(*_notes(people, rated, has_counts=has_counts), *rated.notes),
        unlabelled_items=sum(part.unlabelled_items for part in found),
        raters=raters,
        provenance=_provenance(wanted.people, people, said.rows, "counts" if has_counts else "tidy"),
    )
    if answers is None or judged is None or wanted.answers is None:
        return ratings, None
    judges = assemble_answers(
        profiles,
        judged,
        coding,
        totals=(sum(part.answered_items for part in found), sum(said.answers.values())),
        warnings=_about_answers(said, judged, found, answers),
        provenance=_provenance(wanted.answers, answers, said.answer_rows, "judges"),
    )
    if sums is None or scored_by is None:
        return ratings, judges
    return ratings, replace(judges, moments=moments_of(sums, judges, labels, scored_by))


def _profiles_step(wanted: Input, tables: Tables, said: Said, coding: Coding, *, has_nameless: bool) -> FindProfiles:
    people, answers = tables.people, tables.answers
    for plan, option in ((wanted.ratings_plan, "ratings"), (wanted.judges_plan, "answers")):
        if plan.repeats in {"first", "last"}:
            raise OptionError(
                f"--repeats {plan.repeats} needs the order of the rows, which large {option} do not keep: choose "
                "--repeats keep, or keep one of each in the file."
            )
    return FindProfiles(
        coding=coding,
        checks_repeats="rater" in people.roles and wanted.ratings_plan.repeats != "keep",
        checks_samples=answers is not None and "sample" in answers.roles and wanted.judges_plan.repeats != "keep",
        has_unlabelled=said.unlabelled > 0,
        has_nameless=has_nameless,
        most=MOST_PROFILES,
    )


def _profiles(
    found: Sequence[Found],
    parts: Parts,
    coding: Coding,
    rated: Spelled,
    judged: Spelled | None,
    scored_by: LabelScores | None,
    *,
    most: int,
) -> tuple[Profiles, MomentSums | None, tuple[str, ...]]:
    """The different items; where they are too many, those that raters tell apart and the sums of judges' scores."""
    known = [part.profiles for part in found if part.profiles is not None]
    if len(known) == len(found):
        whole = together(known, has_numbers=coding.has_numbers)
        if len(whole.copies) <= most:
            return whole, None, ()
    _check_moments(coding, judged, scored_by)
    assert judged is not None and judged.output_place is not None and scored_by is not None  # noqa: S101, PT018 - checked
    labels = (
        *rated.label_set.labels,
        *(name for name in judged.label_set.labels if name not in rated.label_set.labels),
    )
    place = np.array([labels.index(judged.label_set.labels[code]) for code in judged.output_place], dtype=np.intp)
    step = SumScores(coding=coding, place=place, n_labels=len(labels), scores=scored_by)
    sums = added_sums(parts.map(step), has_numbers=coding.has_numbers)
    return profiles_of_sums(sums, coding), sums, labels


def _check_moments(coding: Coding, judged: Spelled | None, scored_by: LabelScores | None) -> None:
    """Raise if the sums of judges' scores cannot stand for their outputs."""
    many = f"There are more than {MOST_PROFILES:,} different items"
    if judged is None:
        raise RatingsError(f"{many}, too many to tell apart: round the labels, or read fewer files at a time.")
    if scored_by is None or len(coding.speakers) != len(judged.judges) or len(coding.answers) != len(coding.speakers):
        raise JudgesError(
            f"{many}, because judges gave many different probabilities: round them with --round-outputs 2, or choose "
            "fewer judges with --judge."
        )


def _left_out(said: Said) -> list[LeftOut]:
    return [
        LeftOut(what="rating without a label", several="ratings without a label", count=said.unlabelled),
    ]


def _notes(people: Table, rated: Spelled, *, has_counts: bool) -> list[str]:
    notes = [*people.notes]
    if "rater" not in people.roles and not has_counts:
        notes.append(NO_RATER)
    if "rater" in people.roles and rated.elicitation is not None and {0, 1} <= set(rated.elicitation.tolist()):
        notes.append("Raters who were asked in both ways are not paired with themselves, since alike items were put "
                     "together: choices and response sets are paired by item.")  # fmt: skip
    return notes


def _about_answers(said: Said, judged: Spelled, found: Sequence[Found], answers: Table) -> list[str]:
    losses = [LeftOut(what="row without an answer", several="rows without an answer", count=said.unanswered)]
    warnings = [*sentences(some for some in (*losses, *judged.left_out) if some.count), *answers.notes, *judged.notes]
    if said.rescaled:
        warnings.append(f"Rescaled {counted(said.rescaled, 'row')} of probabilities that did not quite sum to 1.")
    unrated = sum(part.unrated_items for part in found)
    if unrated:
        warnings.append(f"Left out {counted(unrated, 'item')} that judges answered and nobody rated.")
    return warnings


def _provenance(files: LargeFiles, table: Table, rows: int, format_: str) -> Provenance:
    return Provenance(name=files.name, sha256=files.sha256(), format=format_, rows=rows, columns=len(table.text_of))


def _of_judges(said: Said, wanted: Input) -> Said:
    """What the judges said whom the user asked for."""
    if wanted.judge is None:
        return said
    known = sorted({answer[0] for answer in said.answers})
    for name in wanted.judge:
        if name not in known:
            raise OptionError(f"There is no judge {name!r}: the judges are {listed(known)}.")
    kept = {answer: times for answer, times in said.answers.items() if answer[0] in wanted.judge}
    return replace(said, answers=Counter(kept))
