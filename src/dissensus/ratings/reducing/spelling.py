"""Labels, groups, elicitations and judges as they are written in large tables, coded once and not row by row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.errors import ColumnError, OptionError, shortened
from dissensus.ratings.assemble import NO_GROUP
from dissensus.ratings.coding import Codes, TextColumn
from dissensus.ratings.doubtful_labels import doubts
from dissensus.ratings.formats.plan import ReadPlan
from dissensus.ratings.judges import ORDERS
from dissensus.ratings.label_codes import code_labels
from dissensus.ratings.labels import LabelSet, listed_options, options_of, unlisted
from dissensus.ratings.leaving_out import LeftOut
from dissensus.ratings.mending import changes_labels, mend_labels
from dissensus.ratings.reducing.kinds import Said
from dissensus.ratings.reducing.numbering import Coding
from dissensus.ratings.reducing.sql_tables import Table
from dissensus.ratings.table import ELICITATIONS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spelled:
    """What each kind of rating or answer means.

    Attributes
    ----------
    label : ndarray of shape (n_kinds,)
        Codes of the labels; -1 where there is none.
    label_set : LabelSet
        The labels in order.
    group, elicitation, order, judge : ndarray of shape (n_kinds,), optional
        Codes; -1 where it was not said.
    groups, judges : tuple of str
        Their names.
    output_place : ndarray of shape (n_outputs,)
        The label that each column of probabilities is about.
    left_out : tuple of LeftOut
        What became missing.
    notes : tuple of str
        What the user should know.
    """

    label: Codes
    label_set: LabelSet
    elicitation: Codes | None
    group: Codes | None = None
    groups: tuple[str, ...] = ()
    judge: Codes | None = None
    judges: tuple[str, ...] = ()
    order: Codes | None = None
    output_place: Codes | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


def spelled_ratings(said: Said, coding: Coding, plan: ReadPlan, table: Table) -> Spelled:
    """What each kind of rating means."""
    times: Counter[str] = Counter()
    for (label, _, _), count in said.ratings.items():
        times[label] += count
    place, label_set, left_out, notes = _labels(times, plan, table.name, {}, what="rating")
    used = [kind for kind in coding.ratings if place[kind[0]] >= 0 and said.ratings[kind]]
    groups = sorted({group or NO_GROUP for _, group, _ in used}) if "group" in table.roles else []
    code_of = {group: code for code, group in enumerate(groups)}
    return Spelled(
        label=_codes(place[label] for label, _, _ in coding.ratings),
        label_set=label_set,
        elicitation=_elicitations([kind[2] for kind in coding.ratings], table),
        group=_codes(code_of.get(group or NO_GROUP, -1) for _, group, _ in coding.ratings) if groups else None,
        groups=tuple(groups),
        left_out=tuple(left_out),
        notes=tuple(notes),
    )


def spelled_answers(said: Said, coding: Coding, plan: ReadPlan, table: Table) -> Spelled:
    """What each kind of answer means."""
    times: Counter[str] = Counter()
    for (_, _, _, label, _), count in said.answers.items():
        if label is not None:
            times[label] += count
    place, label_set, left_out, notes = _labels(times, plan, table.name, table.probabilities, what="answer")
    judges = sorted({answer[0] for answer in coding.answers})
    code_of = {frozenset(options_of(label)): code for code, label in enumerate(label_set.labels)}
    return Spelled(
        label=_codes(-1 if answer[3] is None else place[answer[3]] for answer in coding.answers),
        label_set=label_set,
        elicitation=_elicitations([answer[1] for answer in coding.answers], table),
        judge=_codes(judges.index(answer[0]) for answer in coding.answers),
        judges=tuple(judges),
        order=_orders([answer[2] for answer in coding.answers], table),
        output_place=_codes(code_of[frozenset(label)] for label in table.probabilities.values()),
        left_out=tuple(left_out),
        notes=tuple(notes),
    )


def _codes(codes: Iterable[int]) -> Codes:
    return np.array(list(codes), dtype=np.intp)


def _labels(
    times: Mapping[str, int], plan: ReadPlan, name: str, also: Mapping[str, tuple[str, ...]], *, what: str
) -> tuple[dict[str, int], LabelSet, list[LeftOut], list[str]]:
    """The code of each text, the labels in order, what became missing, and what was done to the others."""
    texts = tuple(sorted(times))
    count = np.array([times[text] for text in texts], dtype=np.intp)
    column = TextColumn(np.arange(len(texts)), texts)
    left_out: list[LeftOut] = []
    notes: list[str] = []
    if changes_labels(plan):
        column, left_out, notes = mend_labels(column, plan, what=what, times=count)
    if plan.labels is not None:
        known = listed_options(plan.labels)
        given = [option for text in column.texts for option in options_of(text)]
        outside = [option for option in dict.fromkeys(given) if option not in known]
        if outside:
            raise OptionError(f"{name}: {unlisted(outside, known)}.")
    codes, label_set, _ = code_labels(
        column, order=plan.labels, scale=plan.scale, row=np.arange(len(texts)), name=name, also=dict(also)
    )
    total = np.zeros(len(label_set.labels), dtype=np.intp)
    np.add.at(total, codes[codes >= 0], count[codes >= 0])
    notes += doubts(total, label_set, order=plan.labels)
    return dict(zip(texts, codes.tolist(), strict=True)), label_set, left_out, notes


def _elicitations(texts: Sequence[str | None], table: Table) -> Codes | None:
    """How each kind was asked for; texts are in one spelling already."""
    if "elicitation" not in table.roles:
        return None
    return _places(texts, ELICITATIONS, what="elicitation", name=table.name)


def _orders(texts: Sequence[str | None], table: Table) -> Codes | None:
    """In which order each pair was shown."""
    return None if "order" not in table.roles else _places(texts, ORDERS, what="order", name=table.name)


def _places(texts: Sequence[str | None], known: Sequence[str], *, what: str, name: str) -> Codes:
    strange = [text for text in texts if text is not None and text not in known]
    if strange:
        text = shortened(strange[0])
        raise ColumnError(f"{name}: the {what} is {text!r} in some rows. Write {' or '.join(known)}, or nothing.")
    return _codes(-1 if text is None else known.index(text) for text in texts)
