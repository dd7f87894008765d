"""Read ratings and judges that do not fit in memory, as items that differ and how many there are of each."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import duckdb
import numpy as np

from dissensus.data.assemble import about_contradictions, about_samples, contradicting
from dissensus.data.coding import ColumnNames
from dissensus.data.columns import likely_match
from dissensus.data.formats.plan import LeftOut, ReadPlan, Repeats, sentences
from dissensus.data.formats.tables import no_rater
from dissensus.data.judges import Judges, LabelScores
from dissensus.data.labels import Scale
from dissensus.data.large.assemble import (
    Spelled,
    assemble_answers,
    assemble_people,
    moments_of,
    profiles_of_sums,
    spelled_answers,
    spelled_ratings,
)
from dissensus.data.large.kinds import Coding, Profiles, Tally, added, coding_of, tally_of, together
from dissensus.data.large.steps import (
    MomentSums,
    PartItems,
    Parts,
    Step,
    T,
    added_sums,
    check_answers,
    check_items,
    check_ratings,
    find_items,
    sum_scores,
)
from dissensus.data.large.tables import (
    JUDGE_ROLES,
    Input,
    LargeFiles,
    Table,
    Tables,
    checked_memory,
    input_of,
    interruptible,
    is_blank,
    is_given,
    open_tables,
)
from dissensus.data.ratings import DRAWN, Provenance, Ratings
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, likely, listed
from dissensus.options import named
from dissensus.results import Message

MOST_PROFILES = 500_000  # different items that Python takes over
MOST_SCORED = 100_000
"""The same where the sums of judges' scores would do: this many items show them as well, in less time."""
MEMORY = "2GB"
ROUND_OUTPUTS = named("round_outputs")
ROUNDED = "Judges' probabilities were rounded to {}, as {} says."
SUMMED_UP = (
    "Judges' probabilities make more than {} items different: of items with the same ratings only the mean and the "
    "covariance of the judges' scores were kept, so intervals take sums of scores as normal."
)


def read_large(
    wanted: Input, *, scored_by: LabelScores | None = None, memory: str = MEMORY
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges, if any, from files larger than memory, with `copies`, by duckdb in this process.

    Where judges gave too many different probabilities, the moments of what labels score under them are read instead.
    """
    with open_tables(wanted, memory=checked_memory(memory)) as (connection, tables):
        return reduce(wanted, tables, OnePart(connection, tables), scored_by=scored_by)


class OnePart:
    """The whole tables behind one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
        self._connection, self._tables = connection, tables

    def map(self, step: Step[T]) -> list[T]:
        """What the step finds."""
        return [interruptible(self._connection, step)]

    def count_raters(self) -> tuple[int, bool] | None:
        """How many raters there are, and whether one of them is nameless; None if there is no rater column."""
        people = self._tables.people
        if "rater" not in people.roles:
            return None
        # A rater who left every label blank is not one of the raters.
        rated = f"FROM {people.relation} WHERE {is_given(people.text('label'))}"
        names = f"SELECT {people.name_of('rater')} AS rater {rated} GROUP BY 1"
        query = f"SELECT count(*), count(*) FILTER ({is_blank('rater::VARCHAR')}) FROM ({names})"
        raters, nameless = self.map(lambda connection: connection.execute(query).fetchall()[0])[0]
        return raters - nameless, nameless > 0


def reduce(
    wanted: Input, tables: Tables, parts: Parts, *, scored_by: LabelScores | None
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from tables in one or many parts; how they are cut changes nothing."""
    people, answers = tables.people, tables.answers
    tally = _tally(wanted, tables, parts)
    coding, rated = _coded(tally, wanted, tables)
    judged = None if answers is None else spelled_answers(tally, coding, wanted.judges_plan, answers)
    raters, has_nameless = parts.count_raters() or (None, False)
    most = MOST_PROFILES if scored_by is None or not coding.speakers else MOST_SCORED
    step = partial(
        find_items, coding=coding, checks_repeats="rater" in people.roles and wanted.ratings_plan.repeats != "keep",
        checks_samples=answers is not None and "sample" in answers.roles and wanted.judges_plan.repeats != "keep",
        has_unlabelled=bool(tally.unlabelled or tally.zeros or (rated.label < 0).any()), has_nameless=has_nameless,
        most=most,
    )  # fmt: skip
    items = parts.map(step)
    check_items(items, people, answers)
    profiles, sums, labels = _profiles(items, parts, coding, rated, judged, scored_by, most=most)
    ratings = assemble_people(
        profiles, rated, left_out=_left_out(tally), notes=(*_notes(people, rated), *rated.notes),
        unlabelled_items=sum(part.unlabelled_items for part in items), raters=raters,
        provenance=_provenance(wanted.people, people, tally.rows, "counts" if "count" in people.roles else "tidy"),
    )  # fmt: skip
    if answers is None or judged is None or wanted.answers is None:
        return ratings, None
    judges = assemble_answers(
        profiles, judged, coding, totals=(sum(part.answered_items for part in items), sum(tally.answers.values())),
        provenance=_provenance(wanted.answers, answers, tally.answer_rows, "judges"),
    )  # fmt: skip
    summed_up = [] if sums is None else [SUMMED_UP.format(f"{most:,}")]
    contradictions = [] if sums is not None else _about_stated(judges, judged, ratings)
    about = (
        *_about_answers(judges, tally, judged, answers),
        *contradictions,
        *_about_reading(wanted, items, summed_up),
    )
    judges = replace(judges, warnings=about)
    if sums is None or scored_by is None:
        return ratings, judges
    return ratings, replace(judges, moments=moments_of(sums, judges, labels, scored_by))


def _tally(wanted: Input, tables: Tables, parts: Parts) -> Tally:
    """What the tables say, checked; of the judges whom the user asked for."""
    people, answers = tables.people, tables.answers
    step = partial(
        tally_of,
        has_counts="count" in people.roles,
        has=("group" in people.roles, "elicitation" in people.roles),
        n_outputs=None if answers is None else len(answers.probabilities),
    )
    tally = added(parts.map(step))
    check_ratings(tally, people)
    if answers is not None:
        check_answers(tally, answers, parts, round_outputs=wanted.round_outputs, has_numbers=tables.has_numbers)
    return _of_judges(tally, wanted)


def _coded(tally: Tally, wanted: Input, tables: Tables) -> tuple[Coding, Spelled]:
    """Numbers for what was given, and what ratings mean; labels that mean missing are blank ones."""
    people, answers = tables.people, tables.answers
    coding = coding_of(
        tally, n_outputs=0 if answers is None else len(answers.probabilities), has_numbers=tables.has_numbers,
        has_counts="count" in people.roles, has_elicitation="elicitation" in people.roles,
    )  # fmt: skip
    rated = spelled_ratings(tally, coding, wanted.ratings_plan, people)
    missing = {kind[0] for kind, label in zip(coding.ratings, rated.label.tolist(), strict=True) if label < 0}
    return replace(coding, blank_labels=tuple(sorted({*coding.blank_labels, *missing}))), rated


def _about_reading(wanted: Input, items: Sequence[PartItems], summed_up: Sequence[str]) -> list[str]:
    about = []
    if wanted.round_outputs is not None:
        about = [Message(ROUNDED.format(counted(wanted.round_outputs, "digit"), ROUND_OUTPUTS))]
    unrated = sum(part.unrated_items for part in items)
    left = [f"Left out {counted(unrated, 'item')} that judges answered and nobody rated."] if unrated else []
    return [*about, *summed_up, *left]


def _profiles(
    items: Sequence[PartItems], parts: Parts, coding: Coding, rated: Spelled, judged: Spelled | None,
    scored_by: LabelScores | None, *, most: int,
) -> tuple[Profiles, MomentSums | None, tuple[str, ...]]:  # fmt: skip
    """The different items; where they are too many, those that raters tell apart and the sums of judges' scores."""
    known = [part.profiles for part in items if part.profiles is not None]
    if len(known) == len(items):
        whole = together(known, has_numbers=coding.has_numbers)
        if len(whole.copies) <= most:
            return whole, None, ()
    _check_moments(coding, judged, scored_by)
    assert judged is not None and judged.output_place is not None and scored_by is not None  # noqa: S101, PT018 - checked
    labels = tuple(dict.fromkeys([*rated.label_set.labels, *judged.label_set.labels]))
    place = np.array([labels.index(judged.label_set.labels[code]) for code in judged.output_place], dtype=np.intp)
    step = partial(sum_scores, coding=coding, place=place, n_labels=len(labels), scores=scored_by)
    sums = added_sums(parts.map(step), has_numbers=coding.has_numbers)
    return profiles_of_sums(sums, coding), sums, labels


def _check_moments(coding: Coding, judged: Spelled | None, scored_by: LabelScores | None) -> None:
    """Raise if the sums of judges' scores cannot stand for their outputs."""
    many = f"There are more than {MOST_PROFILES:,} different items"
    if judged is None:
        raise RatingsError(f"{many}, too many to tell apart: round the labels, or read fewer files at a time.")
    if scored_by is None or len(coding.speakers) != len(judged.judges) or len(coding.answers) != len(coding.speakers):
        raise JudgesError(
            f"{many}, because judges gave many different probabilities: round them with {ROUND_OUTPUTS} 2, or choose "
            f"fewer judges with {named('judge')}."
        )


def _left_out(tally: Tally) -> list[LeftOut]:
    return [
        LeftOut(what="blank row", count=tally.blank_rows),
        LeftOut(what="rating without a label", several="ratings without a label", count=tally.unlabelled),
    ]


def _notes(people: Table, rated: Spelled) -> list[str]:
    notes = [*people.notes]
    if any(column.strip().lower() == DRAWN for column in people.text_of):
        notes.append(f"All items count the same here: the column {DRAWN} is used where files are read whole.")
    if "rater" not in people.roles:
        return [no_rater(likely_match(tuple(people.text_of), "rater")), *notes]
    if rated.elicitation is not None and {0, 1} <= set(rated.elicitation.tolist()):
        notes.append("Raters who were asked in both ways are not paired with themselves, since identical items were "
                     "merged: choices and response sets are paired by item.")  # fmt: skip
    return notes


def _about_answers(judges: Judges, tally: Tally, judged: Spelled, answers: Table) -> list[str]:
    """What was left out or fixed."""
    losses = [LeftOut(what="row without an answer", several="rows without an answer", count=tally.unanswered)]
    warnings = [*sentences(some for some in (*losses, *judged.left_out) if some.count), *answers.notes]
    several = judges.sample > 0
    if "sample" not in answers.roles and several.any():
        warnings.append(about_samples(ColumnNames(answers.name, tuple(answers.text_of)), answers.roles))
    if judges.probability is not None and not np.isnan(judges.probability[several]).all():
        warnings.append("Where a judge gave probabilities several times for an item, each stands for their mean.")
    if tally.rescaled:
        warnings.append(f"Rescaled {counted(tally.rescaled, 'row')} of probabilities that almost sum to 1.")
    return [*warnings, *judged.notes]


def _about_stated(judges: Judges, judged: Spelled, ratings: Ratings) -> list[str]:
    """Say how many stated labels contradict the probabilities beside them."""
    copies = dict(zip(ratings.items, (1,) * ratings.n_items if ratings.copies is None else ratings.copies, strict=True))
    times = np.array([copies.get(item, 1) for item in judges.items], dtype=np.intp)[judges.item]
    both, odd = contradicting(judges.label, judges.probability, judged.label_set)
    return about_contradictions(int(times[odd].sum()), int(times[both].sum()), ())


def _provenance(files: LargeFiles, table: Table, rows: int, format_: str) -> Provenance:
    return Provenance(name=files.name, sha256=files.sha256(), format=format_, rows=rows, columns=len(table.text_of))


def _of_judges(tally: Tally, wanted: Input) -> Tally:
    """What the judges answered whom the user asked for."""
    if wanted.judge is None:
        return tally
    known = sorted({answer[0] for answer in tally.answers})
    for name in wanted.judge:
        if name not in known:
            raise OptionError(f"There is no judge {name!r}: the judges are {listed(known)}.{likely(name, known)}")
    kept = {answer: times for answer, times in tally.answers.items() if answer[0] in wanted.judge}
    return replace(tally, answers=Counter(kept))


# ---- Read files larger than memory, here or on a cluster: the same items come out


def read_reduced(
    ratings: str | os.PathLike[str],
    judges: str | os.PathLike[str] | None = None,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    group: str | None = None,
    elicitation: str | None = None,
    count: str | None = None,
    labels: Sequence[str] | None = None,
    scale: Scale | None = None,
    repeats: Repeats = "error",
    label_map: Mapping[str, str] | None = None,
    judge_columns: Mapping[str, str] | None = None,
    judge: str | Sequence[str] | None = None,
    round_outputs: int | None = None,
    scored_by: LabelScores | None = None,
    memory: str = MEMORY,
    engine: str = "local",
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges from files larger than memory, with identical items merged.

    Items that have the same labels and the same answers are one item, and `copies` says how many there are of it; every
    method takes that into account. Who gave which rating is not kept.

    Parameters
    ----------
    ratings, judges : path
        A file, a folder, or a pattern such as `ratings/*.parquet`: Parquet, CSV or JSONL with a row per rating and per
        answer, or a table of counts.
    item, rater, label, group, elicitation, count, labels, scale, label_map
        As `read` takes them.
    repeats : {"error", "keep"}
        What to do where a rater rated an item twice.
    judge_columns : mapping of str to str, optional
        What the columns item, judge, sample, label, elicitation and order are called in the judges' files.
    judge : str or sequence of str, optional
        Which judges to read; all if not given.
    round_outputs : int, optional
        Round judges' probabilities to this many digits, so that more items are identical.
    scored_by : callable, optional
        What labels score under predictions, made by `dissensus.methods.equivalence.scores.label_scores`: where judges
        gave too many different probabilities to tell their items apart, `equivalence` gets the moments of these scores.
    memory : str
        What reducing may use before it writes to disk, such as 2GB.
    engine : str
        `local`, `dask://host:port` or `tls://host:port`, where the files must be within reach of every worker.

    Returns
    -------
    Ratings, Judges
        Judges is None if no file was named.

    Raises
    ------
    DissensusError
        If the files cannot be read or do not have the same columns, or too many items are different.

    See Also
    --------
    read : Ratings from a file or a frame.
    read_judges : Judges' answers from a file or a frame.

    Examples
    --------
    >>> from dissensus.data.paths import example_path
    >>> folder = example_path("binary")
    >>> ratings, judges = read_reduced(folder / "ratings.csv", folder / "judges.csv", round_outputs=1)
    >>> ratings.n_items < ratings.items_in_all
    True
    """
    names = judge_columns or {}
    for role in names:
        if role not in JUDGE_ROLES:
            raise OptionError.unknown("a key of judge_columns", role, JUDGE_ROLES)
    plan = ReadPlan(
        of="read",
        item=item, rater=rater, label=label, group=group, elicitation=elicitation, count=count, labels=labels,
        scale=scale, repeats=repeats, label_map=label_map or {},
    )  # fmt: skip
    wanted = input_of(
        ratings, judges, ratings_plan=plan, judges_plan=judges_plan(names, repeats), judge=judge,
        round_outputs=round_outputs,
    )  # fmt: skip
    return read_input(wanted, scored_by=scored_by, memory=memory, engine=engine)


def judges_plan(names: Mapping[str, str], repeats: Repeats) -> ReadPlan:
    """What the columns of judges' files are called."""
    return ReadPlan(**{role: names.get(role) for role in JUDGE_ROLES}, repeats=repeats)  # type: ignore[arg-type] # names of columns


def read_input(
    wanted: Input, *, scored_by: LabelScores | None = None, memory: str = MEMORY, engine: str = "local"
) -> tuple[Ratings, Judges | None]:
    """Ratings and judges of an input, reduced where the engine is."""
    from dissensus.sampling.executors import CLUSTERS, DASK  # noqa: PLC0415 - sampling stands below the data

    if not engine.startswith(CLUSTERS):
        return read_large(wanted, scored_by=scored_by, memory=memory)
    from dissensus.sampling.dask_reduction import reduce_on_dask  # noqa: PLC0415 - an optional dependency

    return reduce_on_dask(wanted, engine.removeprefix(DASK), scored_by=scored_by, memory=memory)
