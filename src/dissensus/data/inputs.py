"""Whatever people hand to a method, as Ratings and Judges."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union

import numpy as np
import numpy.typing as npt

from dissensus.data.columns import WILDCARDS, columns_by_role, is_nameless, like_pattern, matching, missing_columns
from dissensus.data.fixes import NoSuchLabelError, folded, listing
from dissensus.data.formats.plan import ReadPlan, Repeats, format_of
from dissensus.data.formats.side_by_side import first_of_wide, raters_in_rows
from dissensus.data.formats.tables import AMONG_RATERS
from dissensus.data.judges import Judges
from dissensus.data.labels import PREFIX, Scale, cell_text, option_name
from dissensus.data.layout import (
    answer_columns,
    are_judges,
    is_judge,
    is_named,
    may_be_judge,
    named_otherwise,
    people_among,
    rater_columns,
)
from dissensus.data.questions import check_one_question, pooled_judges, pooled_ratings
from dissensus.data.ratings import Ratings, counted_the_same
from dissensus.data.readers import item_names, read, read_judges
from dissensus.data.sources.source import open_source
from dissensus.data.task import Task
from dissensus.errors import (
    ColumnError,
    DissensusError,
    JudgesError,
    OptionError,
    RatingsError,
    counted,
    listed,
    named,
    shortened,
)
from dissensus.options import parts_of, renamed_again
from dissensus.sizes import check_size

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Table: TypeAlias = Union[str, "os.PathLike[str]", "IntoFrame", "npt.NDArray[Any]", "Mapping[Any, Any]", "Sequence[Any]"]
"""What `read` and `read_judges` take."""
RatingsLike: TypeAlias = Ratings | Table
"""Ratings, or anything that `read` takes."""
JudgesLike: TypeAlias = Judges | Table
"""Judges' answers, anything that `read_judges` takes, or a dict of judge to answers in the order of the items."""
T = TypeVar("T")
ROLES = frozenset({"item", "judge", "label", "sample"})


def as_ratings(source: RatingsLike) -> Ratings:
    """The ratings, read if they are not yet; of one question, and whole."""
    ratings = _ratings_of(source)
    check_whole(ratings)
    return counted_the_same(ratings)


def _ratings_of(source: RatingsLike) -> Ratings:
    if isinstance(source, Judges):
        raise RatingsError("These are judges' answers, where people's ratings are needed: give the ratings first.")
    return source if isinstance(source, Ratings) else read(source)


def as_data(
    ratings: RatingsLike, judges: JudgesLike | None = None, *, has_weights: bool = False
) -> tuple[Ratings, Judges]:
    """Ratings and judges' answers to one question, read if they are not yet; without judges both from one table.

    A method that does not weigh items by their chance of being drawn (`has_weights`) gets a warning in their place.
    """
    people, answers = _both_of(ratings, judges)
    check_whole(people, answers)
    return people if has_weights else counted_the_same(people), answers


def unchecked_data(
    ratings: RatingsLike, judges: JudgesLike | None, *, has_judges: bool
) -> tuple[Ratings, Judges | None]:
    """The same where they may hold several questions, or slices; without judges if there are to be none."""
    return _both_of(ratings, judges) if has_judges else (_ratings_of(ratings), None)


def check_whole(ratings: Ratings, judges: Judges | None = None) -> None:
    """Raise if data come in parts where one is needed."""
    if ratings.questions or (judges is not None and judges.questions):
        check_one_question(ratings)
        raise JudgesError(
            f"The judges answer several questions: choose one with {named('question', of='read_judges')}."
        )
    if ratings.slicing is not None:
        raise OptionError(f"{named('by', of='read')} {ratings.slicing.by} has no meaning here: leave it out.")
    if ratings.scale != "interval":  # tables of all labels by all labels would fill the memory
        first = shortened(next(iter(ratings.labels), ""))
        what = f"There are {len(ratings.labels):,} different labels, such as {first!r}"
        advice = f"If they are texts, name the column of labels with {named('label', of='read')}."
        check_size("labels", len(ratings.labels), what, advice, error=RatingsError)


def _both_of(ratings: RatingsLike, judges: JudgesLike | None) -> tuple[Ratings, Judges]:
    if judges is None or _is_pattern(judges, ratings):
        if isinstance(ratings, Ratings | Judges):
            raise JudgesError("There are no judges: give their answers after the ratings.")
        return read_both(ratings, judges=None if judges is None else str(judges))
    if isinstance(ratings, str | os.PathLike) and isinstance(judges, str | os.PathLike):
        check_order(ratings, judges)
    people = _ratings_of(ratings)
    if isinstance(judges, Ratings):
        raise JudgesError("These are people's ratings, where judges' answers are needed: give the ratings first.")
    if isinstance(judges, Judges):
        return people, judges
    by_judge = _by_judge(judges)
    return people, with_ids_of(people, read_judges(judges if by_judge is None else _records(by_judge, people, ratings)))


PEOPLE, UNKNOWN, MAYBE, JUDGES = -1, 0, 2, 3
"""How sure it is that a file holds judges' answers; two files are swapped where the first has three more."""


def check_order(ratings: "str | os.PathLike[str]", judges: "str | os.PathLike[str]") -> None:
    """Raise if the file of people's ratings has judges only, and perhaps the other one the people."""
    (first, column), (second, _) = _kind(ratings), _kind(judges)
    ours, theirs = Path(ratings).name, Path(judges).name
    if first - second >= JUDGES:
        raise JudgesError(
            f"The files seem to be swapped: {ours} has judges' answers, and {theirs} people's. Name people's ratings "
            f"first, then {ours}."
        )
    if first == JUDGES and column and second > UNKNOWN:
        raise _judges_only(ours, column)


def _judges_only(name: str, column: str) -> RatingsError:
    as_raters = f"if they are the raters, add {named('rater', of='read', value=column)}"
    return RatingsError(f"{name} has judges' answers and nobody's ratings: name people's ratings first; {as_raters}.")


def _kind(source: "str | os.PathLike[str]") -> tuple[int, str]:
    """How sure it is that a file holds judges' answers, by its columns; and the one that says which judge answered."""
    with open_source(source) as opened:
        columns = opened.columns if opened.sheet is not None else ()
        column = next((name for name in columns if is_named(name, "judge")), "")
        if any(is_named(name, "rater") for name in columns):
            return PEOPLE, ""
        if column:
            texts = opened.table().load([column]).columns[column].texts
            return JUDGES if any(map(is_judge, texts)) else MAYBE, column
        rest = [name for name in columns if not is_named(name, "item") and not is_nameless(name)]
        return JUDGES if len(rest) > 1 and are_judges(rest) else UNKNOWN, ""


def _is_pattern(judges: JudgesLike, ratings: RatingsLike) -> bool:
    """Whether judges are columns of the ratings' table, and no file of their own: `gpt*`."""
    if not isinstance(judges, str) or isinstance(ratings, Ratings | Judges) or Path(judges).exists():
        return False
    with open_source(ratings) as opened:
        return bool(like_pattern(opened.columns, judges))


# ---- People and judges in one table


def read_both(
    source: Table, *, people: str | None = None, judges: str | None = None, item: str | None = None,
    rater: str | None = None, label: str | None = None, labels: Sequence[str] | None = None, scale: Scale | None = None,
    repeats: Repeats = "error", task: Task | None = None, label_map: Mapping[str, str] | None = None,
    merge_case: bool = False, question: str | None = None, by: str | None = None, items: Table | None = None,
) -> tuple[Ratings, Judges]:  # fmt: skip
    """People's ratings and judges' answers from one table that has both.

    Parameters
    ----------
    source : path or table
        As for `read`: one column for each person and each judge, or one row per answer and a column that says whose.
    people, judges : str, optional
        Which columns, or names in the rater column, are people's and which are judges': names or patterns with `*`,
        commas between. Where one is missing it is the others; without both, judges are known by names such as
        `gpt-4o`, and the warnings say which.
    item, rater, label, labels, scale, repeats, task, label_map, merge_case, question, by, items
        As for `read`; labels are merged into the spelling of people.

    Returns
    -------
    Ratings, Judges

    Raises
    ------
    DissensusError
        If the source cannot be read, or it is not clear which columns are people and which are judges.

    See Also
    --------
    read : Ratings from a file or a frame.
    read_judges : Judges' answers from a file or a frame.

    Examples
    --------
    >>> ratings, judges = read_both({"ann": ["a", "b"], "bob": ["a", "a"], "gpt-4o": ["a", "b"]})
    >>> ratings.raters, judges.judges
    (('ann', 'bob'), ('gpt-4o',))
    """
    shared: dict[str, Any] = {
        "labels": labels, "repeats": repeats, "task": task, "question": question, "merge_case": merge_case,
    }  # fmt: skip
    people_only: dict[str, Any] = {"scale": scale, "by": by, "items": items, **shared}
    again: dict[str, Any] = {"label_map": label_map, "merge_case": merge_case}
    if people is None and judges is None and _tells_judges(source):
        reading, judging = (
            partial(read, source, item=item, **people_only),
            partial(read_judges, source, item=item, **shared),
        )
        ratings, answers = read_alike(reading, judging, **again)
        if ratings.questions and not answers.questions:
            return _of_the_question(ratings, answers, judging, **again)
        return _in_common(ratings, answers)
    if people is None and rater is not None and WILDCARDS & set(rater):
        people, rater = rater, None
    columns, everybody, others = _whose(source, item=item, rater=rater, label=label)
    if people is None and "rater" not in columns and None in (rater, label):
        people = rater or label  # a column that the user named alone is people's
    ours, theirs, note = _told_apart(everybody, others, people, judges, name=columns.pop("name"))
    if "rater" in columns:
        reading = partial(read, source, **columns, **people_only)
        roles = {"item": columns["item"], "judge": columns["rater"], "label": columns["label"]}
    else:
        reading = partial(read, source, **columns, rater=listing(ours), source_format="wide", **people_only)
        roles = {**columns, "judge": listing(theirs), "source_format": "judge-columns"}
    judging = partial(read_judges, source, **roles, **shared)
    ratings, answers = read_alike(reading, judging, **again)
    ratings = _of_raters(ratings, ours) if "rater" in columns else ratings
    answers = of_judges(answers, theirs) if "rater" in columns else answers
    about = [warning for warning in ratings.warnings if not warning.startswith(AMONG_RATERS)]
    return replace(ratings, warnings=(*note, *about)), answers


def read_alike(
    people: Callable[..., Ratings], judges: Callable[..., Judges], *, label_map: Mapping[str, str] | None,
    merge_case: bool,
) -> tuple[Ratings, Judges]:  # fmt: skip
    """People and judges, each with the new names of the labels that it has, merged into the spelling of people."""
    lacking: list[dict[str, NoSuchLabelError]] = []

    def renamed(reading: Callable[..., T]) -> tuple[T, dict[str, str]]:
        names, missed = dict(label_map or {}), dict[str, NoSuchLabelError]()
        lacking.append(missed)
        while True:
            try:
                return reading(label_map=names), names
            except NoSuchLabelError as error:
                missed[error.label] = error
                names = {old: new for old, new in names.items() if option_name(str(old)) != error.label}

    (ratings, _), (answers, names) = renamed(people), renamed(judges)
    if nowhere := [error for label, error in lacking[0].items() if label in lacking[1]]:
        raise nowhere[0]
    answers = with_ids_of(ratings, answers)
    if merge_case and (spelled := _other_spellings(answers.options, ratings.options)):
        answers = with_ids_of(ratings, judges(label_map=renamed_again(names, spelled)))
    return ratings, answers


def with_ids_of(ratings: Ratings, judges: Judges) -> Judges:
    """The answers with the ids of people's items, where no id is the same and all differ in how numbers are written.

    Spreadsheets make `7` or `7.0` of `007`. What would be two items of one file stays as it is.
    """
    if ratings.questions or judges.questions or not set(ratings.items).isdisjoint(judges.items):
        return judges
    ours = {option_name(item): item for item in ratings.items}
    theirs = {item: ours[option_name(item)] for item in judges.items if option_name(item) in ours}
    if not theirs or len(ours) < len(ratings.items) or len({*theirs.values()}) < len(theirs):
        return judges
    first = next(iter(theirs))
    note = f"Matched items whose ids are the same number: {first} of the judges is {theirs[first]} of the people."
    names = [theirs.get(item, item) for item in judges.items]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    items = tuple(names[i] for i in order)
    return replace(judges, items=items, item=place[judges.item], warnings=(note, *judges.warnings))


def _other_spellings(answers: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """What judges answer in other case or blanks than people, and how people spell it."""
    own = {folded(label): label for label in labels}
    found = {answer: own.get(folded(answer), answer) for answer in answers}
    return {answer: label for answer, label in found.items() if answer != label}


def _of_raters(ratings: Ratings, names: Sequence[str]) -> Ratings:
    """The ratings of some raters, question by question where there are several."""
    if ratings.questions:
        pooled = pooled_ratings({q: _of_raters(own, names) for q, own in ratings.questions.items()})
        return replace(pooled, slicing=ratings.slicing)
    codes = [ratings.raters.index(name) for name in names if name in ratings.raters]
    return ratings.where(np.isin(np.asarray(ratings.rater), codes))


def of_judges(judges: Judges, names: Sequence[str]) -> Judges:
    """The answers of some judges, question by question where there are several."""
    if judges.questions:
        theirs = {q: own for q, own in judges.questions.items() if not set(names).isdisjoint(own.judges)}
        return pooled_judges({q: of_judges(own, names) for q, own in theirs.items()})
    return judges.only([name for name in names if name in judges.judges])


def _tells_judges(source: Table) -> bool:
    """Whether a tool wrote the source that tells people from judges, such as MLflow."""
    with open_source(source) as opened:
        format_ = format_of(opened, ReadPlan())
    return format_ is not None and not format_.is_layout and None not in {format_.ratings, format_.judges}


def _of_the_question(
    ratings: Ratings, answers: Judges, judging: Callable[..., Judges], **fixes: Any  # noqa: ANN401 - as `read_alike`
) -> tuple[Ratings, Judges]:  # fmt: skip
    """The one question that judges answered, of several that people were asked; all if it has no name."""
    for question, own in ratings.questions.items():
        with suppress(OptionError):
            people, theirs = read_alike(lambda own=own, **_: own, partial(judging, question=question), **fixes)
            note = f"Only the question {question} was read: judges answered none of the others."
            return replace(people, warnings=(*people.warnings, note), slicing=ratings.slicing), theirs
    return ratings, answers


def _in_common(ratings: Ratings, judges: Judges) -> tuple[Ratings, Judges]:
    """The questions that both answered, where each answered several."""
    common = [question for question in ratings.questions if question in judges.questions]
    if len(common) == 1:
        return ratings.questions[common[0]], judges.questions[common[0]]
    if not common:
        return ratings, judges
    pooled = pooled_ratings({question: ratings.questions[question] for question in common})
    answers = pooled_judges({question: judges.questions[question] for question in common})
    return replace(pooled, slicing=ratings.slicing), answers


def has_judges(source: Table, **names: str | None) -> bool:
    """Whether a source has people and judges, told by their names or by the tool that wrote it.

    `names` are the columns of the item, the rater and the label that the user names.
    """
    try:
        if _tells_judges(source):
            return read_judges(source).n_answers > 0
        everybody = _whose(source, **names)[1]
    except DissensusError:
        return False
    return 0 < sum(map(is_judge, everybody)) < len(everybody)


def judges_beside_people(source: Table, names: Mapping[str, str | None]) -> tuple[dict[str, Any], list[str]] | None:
    """How to read the judges of a table that has people, too, and who they are; None unless names tell them apart."""
    if not has_judges(source, **names) or _tells_judges(source):
        return None
    columns, everybody, _ = _whose(source, **names)
    judges = [one for one in everybody if is_judge(one)]
    place = {"item": columns["item"], "rater": None}
    if any(is_named(name, "judge") for name in everybody):  # a column that says whose answer a row has
        return None
    if "rater" in columns:
        return {**place, "judge": columns["rater"], "label": columns["label"]}, judges
    return {**place, "judge": listing(judges), "source_format": "judge-columns"}, judges


def _whose(
    source: Table, *, item: str | None = None, rater: str | None = None, label: str | None = None
) -> tuple[dict[str, Any], list[str], list[str]]:
    """The table's name and columns by role, the names of all who answered (raters or columns), and its other columns.

    A column that a judge's name stands over answers, too, where its few labels are others than people's.
    """
    with open_source(source) as opened:
        if opened.sheet is None:
            raise JudgesError(f"{opened.name} does not have both people and judges: give a file of each, people first.")
        sheet = opened.table()
        if not sheet.columns:
            raise ColumnError(f"{opened.name} has no columns: there is nothing to read. Export it again.")
        names = columns_by_role(sheet, {"item": item, "rater": rater, "label": label})
        names |= named_otherwise(sheet, names, ("rater", "label", "item"))
        known = {role: name for role, name in names.items() if name is not None}
        if {"item", "rater", "label"} <= known.keys():
            cells = sheet.load([known["rater"]])
            return {"name": opened.name, **known}, list(cells.columns[known["rater"]].texts), []
        judge = next((name for name in sheet.columns if is_named(name, "judge")), None)
        if {"item", "label"} <= known.keys() and judge is not None:
            raise _judges_only(opened.name, judge)
        first = sheet.columns[0] if is_nameless(sheet.columns[0]) else None
        place = known.get("item") or first or (None if rater or label else first_of_wide(sheet, ReadPlan()))
        if place is None and raters_in_rows(sheet) is not None:
            file = f"`dissensus import {shlex.quote(opened.name)} -o ratings.csv`"
            raise ColumnError(
                f"{opened.name} has a row for each rater and a column for each item: turn it with {file}, and give the "
                "file that it writes."
            )
        if place is None:
            raise missing_columns(sheet, ["item"])
        others = [column for column in sheet.columns if column != place and not is_nameless(column)]
        cells = sheet.load([place, *others])
        answers = answer_columns(cells, others)
        alike = rater_columns(cells, others) or answers
        foreign = [name for name in answers if name not in alike and may_be_judge(name, cells.columns[name])]
        everybody = [name for name in others if name in {*alike, *foreign}]
        return {"name": opened.name, "item": place}, everybody, [name for name in others if name not in everybody]


def _told_apart(
    names: list[str], others: list[str], people: str | None, judges: str | None, *, name: str
) -> tuple[list[str], list[str], tuple[str, ...]]:
    """Those who are people, those who are judges, and what to say if nobody said which is which.

    Of `others`, the columns that seem to hold no answers, each has to be named as it is called. Who would be both is
    what the more precise name says.
    """
    ours = None if people is None else _chosen(names, others, people, name, named("people", of="read_both"))
    theirs = None if judges is None else _chosen(names, others, judges, name, named("judges", of="read_both"))
    note: tuple[str, ...] = ()
    if ours is None and theirs is None:
        theirs = [one for one in names if is_judge(one)]
        ours = [one for one in names if one not in theirs]
        note = (f"Told apart by their names: {listed(theirs)} as judges, {listed(ours)} as people.",)
    if ours is None:
        ours = people_among([one for one in names if one not in (theirs or [])])
    if theirs is None:
        rest = [one for one in names if one not in ours]
        # A pattern such as `Helpful_*` names one question, which people and judges answered.
        own = [one for one in ours if one not in people_among(ours) and one not in parts_of(people or "")]
        theirs = own or [one for one in rest if is_judge(one)] or rest
    exact, sure = set(parts_of(people or "")), set(parts_of(judges or ""))
    both = [one for one in ours if one in theirs]
    is_plain = all(one in both for one in ours if is_judge(one))  # no judge would stay among people
    as_judges = {one for one in both if one not in exact and (one in sure or (is_plain and is_judge(one)))}
    as_people = {one for one in both if one in exact and one not in sure}
    ours = [one for one in ours if one not in as_judges]
    theirs = [one for one in theirs if one not in as_people]
    if unclear := [one for one in both if one not in as_judges | as_people]:
        raise ColumnError(f"{name}: {listed(unclear)} would be both people and judges. Name them apart.")
    if not ours or not theirs:
        options = f"{named('people', of='read_both')} and {named('judges', of='read_both')}"
        raise JudgesError(
            f"{name} does not say who is a judge: give the judges' answers, too, or name the columns of both with "
            f"{options}, such as 'human*' and 'gpt*'. Found: {listed(names) or 'no column of answers'}."
        )
    return ours, theirs, note


def _chosen(names: list[str], others: list[str], pattern: str, name: str, option: str) -> list[str]:
    """The names like a pattern, and of the other columns those that it names in full."""
    exact = {pattern, *parts_of(pattern)}
    return matching([*names, *(other for other in others if other in exact)], pattern, name, option)


def _by_judge(source: Table) -> Mapping[str, Any] | None:
    """Answers by judge that come in the order of the items; None for a table that says which item each is about."""
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        return {"judge": source}
    if isinstance(source, list) and source and all(np.ndim(one) == 0 and not isinstance(one, dict) for one in source):
        return {"judge": source}
    if not isinstance(source, Mapping) or {str(key).strip().lower() for key in source} & ROLES:
        return None
    has_index = any(hasattr(column, "index") and hasattr(column, "to_frame") for column in source.values())
    are_dicts = any(isinstance(column, Mapping) for column in source.values())
    return None if has_index or are_dicts else {str(judge): answers for judge, answers in source.items()}


def _records(by_judge: Mapping[str, Any], people: Ratings, source: RatingsLike) -> list[dict[str, object]]:
    """A record per judge and item: a label, or a probability for each label."""
    items = [*map(str, range(people.n_items))] if isinstance(source, Ratings) else item_names(source)
    records: list[dict[str, object]] = []
    for judge, answers in by_judge.items():
        given = list(answers)
        if len(given) != len(items) or not set(items) >= set(people.items):
            raise JudgesError(
                f"The answers of {judge!r} come without item ids ({counted(len(given), 'answer')}, and "
                f"{counted(people.n_items, 'rated item')}), so we cannot tell which is which: give a table with the "
                "columns item, judge and label, or pandas series with the item ids as their index."
            )
        for item, answer in zip(items, given, strict=True):
            records.append({"item": item, "judge": judge, **_answer(answer, judge, people.options)})
    return records


def _answer(answer: object, judge: str, options: Sequence[str]) -> dict[str, object]:
    if np.ndim(answer) == 0:  # type: ignore[arg-type] # whatever people hold
        return {"label": cell_text(answer)}
    shares = list(answer)  # type: ignore[call-overload] # as above
    if len(shares) != len(options):
        raise JudgesError(
            f"The judge {judge!r} gives {counted(len(shares), 'probability', 'probabilities')} for an item, and there "
            f"are {counted(len(options), 'label')} ({', '.join(options)}): give one for each, in this order."
        )
    return {f"{PREFIX}{option}": float(share) for option, share in zip(options, shares, strict=True)}
