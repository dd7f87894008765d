"""Several questions in one file: a `question` column, or an export that asks several.

Each question is read as if it had a file of its own, so it has its own labels, order and scale. All of them together
are one `Ratings` (or `Judges`) with the questions in it; methods answer each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import Cells, Sheet, rows_among
from dissensus.data.columns import find_column
from dissensus.data.formats.answers import SeveralQuestionsError
from dissensus.data.formats.plan import AUTO, ReadPlan
from dissensus.data.judges import Judges
from dissensus.data.labels import PREFIX
from dissensus.data.layout import named_otherwise
from dissensus.data.ratings import Ratings
from dissensus.data.sources.source import Source
from dissensus.data.task import Task
from dissensus.errors import ColumnError, JudgesError, OptionError, RatingsError, counted, listed, named, shortened

QUESTION = "question"
MOST_QUESTIONS = 50
"""With more of them a column called question holds texts about the items."""
TABLES = frozenset({None, AUTO, "tidy", "counts", "wide", "judges", "judge-columns"})
D = TypeVar("D", Ratings, Judges)


# ---- The rows of one question


class QuestionSheet(Sheet):
    """The rows of a sheet that answer one question."""

    def __init__(self, sheet: Sheet, column: str, question: str) -> None:
        self._sheet, self._column, self._question = sheet, column, question
        kept = tuple(name for name in sheet.columns if name != column and not self._is_of_others(name))
        super().__init__(sheet.name, kept, notes=sheet.notes)

    def _is_of_others(self, name: str) -> bool:
        """Whether a column has probabilities of other questions' labels only."""
        return name.lower().startswith(PREFIX) and bool((self._read((name,)).columns[name].codes < 0).all())

    def _read(self, columns: tuple[str, ...]) -> Cells:
        cells = self._sheet.load([*columns, self._column])
        asked = cells.columns[self._column]
        rows = np.flatnonzero(asked.codes == asked.texts.index(self._question))
        return Cells(row=cells.row, columns={name: cells.columns[name] for name in columns}).at(rows)


def asked_in(source: Source, plan: ReadPlan) -> tuple[Source, ReadPlan]:
    """The rows of the question that the user named, of a table with a question column; else the source as it is."""
    found = question_column(source, plan)
    if found is None:
        return source, plan
    item, column = found
    sheet = source.table()
    cells = sheet.load([item, column])
    asked = cells.columns[column]
    empty = np.flatnonzero(asked.codes < 0)
    if empty.size:
        others = f" ({counted(empty.size, 'such row')})" if empty.size > 1 else ""
        raise ColumnError(f"{sheet.name}, row {cells.row[empty[0]]}: no question{others}. Fill it in, or drop the row.")
    if plan.question is None:
        rows = np.bincount(asked.codes, minlength=len(asked.texts))
        raise SeveralQuestionsError(
            source.name, {text: counted(int(n), "row") for text, n in zip(asked.texts, rows, strict=True)}, plan
        )
    if plan.question not in asked.texts:
        known = ", ".join(map(shortened, asked.texts))
        raise OptionError(f"{source.name} has no question {plan.question!r}: its questions are {known}.")
    return source.with_sheet(QuestionSheet(sheet, column, plan.question)), replace(plan, question=None)


def question_column(source: Source, plan: ReadPlan) -> tuple[str, str] | None:
    """The columns of the item and of the question; None where a column of that name says something else.

    Some item must have rows of two questions, unless the user names a question: a text that belongs to the item is no
    question in our sense.
    """
    if source.sheet is None or plan.source_format not in TABLES or not any(map(_is_question, source.sheet.columns)):
        return None
    sheet = source.sheet
    column = next(filter(_is_question, sheet.columns))
    roles = {role: getattr(plan, role) for role in ("item", "rater", "label", "judge", "group", "count")}
    if column in roles.values():
        return None
    item = find_column(sheet, "item", plan.item) or _guessed_item(sheet, column)
    if item is None:
        return None
    cells = sheet.load([item, column])
    asked = cells.columns[column]
    if plan.question is not None and plan.question in asked.texts:
        return item, column
    pairs = np.unique(cells.columns[item].codes * (len(asked.texts) + 1) + asked.codes)
    has_two = len(pairs) > len(np.unique(cells.columns[item].codes))
    return (item, column) if has_two and 1 < len(asked.texts) <= MOST_QUESTIONS else None


def _is_question(column: str) -> bool:
    return column.strip().lower() == QUESTION


def _guessed_item(sheet: Sheet, column: str) -> str | None:
    """The item's column under another name; not the question's, which may be called so where no other is."""
    found = named_otherwise(sheet, {QUESTION: column}, ("item",)).get("item")
    return None if found == column else found


# ---- All questions of a file


def each_question(read_one: Callable[[ReadPlan], D], plan: ReadPlan, task: Task | None) -> D | dict[str, D]:
    """What a source holds: read as it is, or question by question where it asks several and the user named none."""
    try:
        return read_one(_as_tasked(plan, task, plan.question))
    except SeveralQuestionsError as several:
        if task is not None:
            _check_questions(task, several.questions)
        return {
            question: read_one(_as_tasked(replace(plan, question=question), task, question))
            for question in several.questions
        }


def _as_tasked(plan: ReadPlan, task: Task | None, question: str | None) -> ReadPlan:
    """The plan with the options, in order, and the scale that a task has for a question."""
    if task is None:
        return plan
    own = task.of_question(question)
    return replace(plan, labels=own.options or None if plan.labels is None else plan.labels,
                   scale=plan.scale or own.scale)  # fmt: skip


def _check_questions(task: Task, questions: Sequence[str]) -> None:
    """Raise if a task lists questions and lacks one of the file."""
    known = [own.name for own in task.questions]
    missing = [question for question in questions if known and question not in known]
    if missing:
        raise OptionError(
            f"The task lacks the question {missing[0]!r}: it lists {listed(known)}. Add it to the task, or take one "
            f"question with {named('question', of='read')}."
        )


def pooled_ratings(parts: Mapping[str, Ratings]) -> Ratings:
    """The ratings of several questions as one; each question is in `questions`, items are named with theirs."""
    every = list(parts.values())
    options = tuple(dict.fromkeys(option for one in every for option in one.options))
    labels = _labels(every, options)
    raters = tuple(sorted({rater for one in every for rater in one.raters}))
    groups = tuple(sorted({group for one in every for group in one.groups}))
    starts = np.cumsum([0, *(one.n_items for one in every)])
    return Ratings(
        item=np.concatenate([one.item + start for one, start in zip(every, starts, strict=False)]),
        items=_item_names(parts), label=np.concatenate([rows_among(one.labels, labels)[one.label] for one in every]),
        labels=labels, options=options,
        rater=_stacked([None if one.rater is None else rows_among(one.raters, raters)[one.rater] for one in every]),
        raters=raters,
        group=_stacked([None if one.group is None else rows_among(one.groups, groups)[one.group] for one in every]),
        groups=groups, elicitation=_stacked([one.elicitation for one in every]),
        times=_stacked([one.times for one in every]),
        scale=every[0].scale if len({(one.labels, one.scale) for one in every}) == 1 else "nominal",
        warnings=tuple(dict.fromkeys(warning for one in every for warning in one.warnings)),
        provenance=every[0].provenance, questions=parts,
    )  # fmt: skip


def pooled_judges(parts: Mapping[str, Judges]) -> Judges:
    """The answers to several questions as one; each question is in `questions`, items are named with theirs."""
    every = list(parts.values())
    options = tuple(dict.fromkeys(option for one in every for option in one.options))
    labels = _labels(every, options)
    judges = tuple(sorted({judge for one in every for judge in one.judges}))
    starts = np.cumsum([0, *(len(one.items) for one in every)])
    return Judges(
        item=np.concatenate([one.item + start for one, start in zip(every, starts, strict=False)]),
        items=_item_names(parts), judge=np.concatenate([rows_among(one.judges, judges)[one.judge] for one in every]),
        judges=judges, sample=np.concatenate([one.sample for one in every]),
        label=np.concatenate([np.append(rows_among(one.labels, labels), -1)[one.label] for one in every]),
        labels=labels, options=options, probability=joined_probabilities(every, labels),
        elicitation=_stacked([one.elicitation for one in every]), order=_stacked([one.order for one in every]),
        warnings=tuple(dict.fromkeys(warning for one in every for warning in one.warnings)),
        provenance=every[0].provenance, questions=parts,
    )  # fmt: skip


def _item_names(parts: Mapping[str, Ratings] | Mapping[str, Judges]) -> tuple[str, ...]:
    return tuple(f"{item} ({question})" for question, one in parts.items() for item in one.items)


def _labels(every: Sequence[Ratings] | Sequence[Judges], options: tuple[str, ...]) -> tuple[str, ...]:
    return (*options, *dict.fromkeys(label for one in every for label in one.labels if label not in options))


def _stacked(columns: Sequence[Codes | None]) -> Codes | None:
    """Columns below each other; None if a question has none."""
    known = [column for column in columns if column is not None]
    return np.concatenate(known) if known and len(known) == len(columns) else None


def joined_probabilities(every: Sequence[Judges], labels: tuple[str, ...]) -> Floats | None:
    """Probabilities below each other on all of these labels; NaN where a label alone was given."""
    if all(one.probability is None for one in every):
        return None
    tables = []
    for one in every:
        table = np.full((one.n_answers, len(labels)), np.nan)
        if one.probability is not None:
            known = ~np.isnan(one.probability).any(axis=1)
            table[known] = 0.0
            table[np.ix_(known, rows_among(one.labels, labels))] = one.probability[known]
        tables.append(table)
    return np.concatenate(tables)


# ---- Questions of ratings and judges beside each other


def questions_of(ratings: Ratings, judges: Judges | None) -> dict[str, tuple[Ratings, Judges | None]]:
    """Ratings and judges' answers by question."""
    if judges is None:
        return {question: (own, None) for question, own in ratings.questions.items()}
    check_same_questions(ratings, judges)
    return {q: (own, judges.questions[q]) for q, own in ratings.questions.items() if q in judges.questions}


def check_same_questions(ratings: Ratings, judges: Judges) -> None:
    """Raise unless both tell questions apart, or neither does, and judges answer only what people were asked."""
    people, theirs = _file(ratings, "The ratings"), _file(judges, "The judges' file")
    choose = f"choose one with {named('question', of='read')}"
    if ratings.questions and not judges.questions:
        raise JudgesError(
            f"{people} asks {len(ratings.questions)} questions ({listed(list(ratings.questions))}), and {theirs} does "
            f"not say which of them each answer is about: add a question column there, or {choose}."
        )
    if judges.questions and not ratings.questions:
        raise RatingsError(
            f"{theirs} answers {len(judges.questions)} questions ({listed(list(judges.questions))}), and {people} has "
            f"no question column: choose one with {named('question', of='read_judges')}."
        )
    unknown = [question for question in judges.questions if question not in ratings.questions]
    if unknown:
        raise JudgesError(
            f"{theirs} answers {listed(unknown)}, which {people} does not ask: its questions are "
            f"{listed(list(ratings.questions))}. Rename the question there, or drop its rows; or {choose}."
        )


def _file(data: Ratings | Judges, otherwise: str) -> str:
    return otherwise if data.provenance is None else data.provenance.name


def check_one_question(ratings: Ratings) -> None:
    """Raise if ratings hold several questions where one is needed."""
    if ratings.questions:
        raise RatingsError(
            f"{_file(ratings, 'The data')} asks {len(ratings.questions)} questions: {listed(list(ratings.questions))}. "
            f"Choose one with {named('question', of='read')}."
        )
