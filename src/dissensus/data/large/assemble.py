"""From profiles to Ratings and Judges with copies."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes
from dissensus.data.assemble import CHECK_LABELS, NO_GROUP
from dissensus.data.coding import TextColumn, compact
from dissensus.data.fixes import changes_labels, doubts, fix_labels, with_plain_numbers
from dissensus.data.formats.plan import LeftOut, ReadPlan, sentences
from dissensus.data.judges import ORDERS, Judges, LabelScores, OutputMoments
from dissensus.data.labels import LabelSet, code_labels, label_counts, listed_options, options_of, unlisted
from dissensus.data.large.kinds import Coding, Profiles, Tally, cells_of
from dissensus.data.large.steps import UNIT, MomentSums
from dissensus.data.large.tables import Table
from dissensus.data.ratings import ELICITATIONS, Provenance, Ratings
from dissensus.errors import ColumnError, OptionError, RatingsError, counted, shortened

# ---- Labels, groups, elicitations and judges as they are written in large tables, coded once and not row by row


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spelled:
    """What each kind of rating or answer means: codes, -1 where it was not said, and names.

    `output_place` has the label that each column of probabilities is about.
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


def spelled_ratings(tally: Tally, coding: Coding, plan: ReadPlan, table: Table) -> Spelled:
    """What each kind of rating means."""
    times: Counter[str] = Counter()
    for (label, _, _), count in tally.ratings.items():
        times[label] += count
    place, label_set, left_out, notes = _labels(times, plan, table, {}, what="rating")
    used = [kind for kind in coding.ratings if place[kind[0]] >= 0 and tally.ratings[kind]]
    groups = sorted({group or NO_GROUP for _, group, _ in used}) if "group" in table.roles else []
    code_of = {group: code for code, group in enumerate(groups)}
    return Spelled(
        label=_codes(place[label] for label, _, _ in coding.ratings), label_set=label_set,
        elicitation=_places([kind[2] for kind in coding.ratings], ELICITATIONS, "elicitation", table),
        group=_codes(code_of.get(group or NO_GROUP, -1) for _, group, _ in coding.ratings) if groups else None,
        groups=tuple(groups), left_out=tuple(left_out), notes=tuple(notes),
    )  # fmt: skip


def spelled_answers(tally: Tally, coding: Coding, plan: ReadPlan, table: Table) -> Spelled:
    """What each kind of answer means."""
    times: Counter[str] = Counter()
    for (_, _, _, label, _), count in tally.answers.items():
        if label is not None:
            times[label] += count
    place, label_set, left_out, notes = _labels(times, plan, table, table.probabilities, what="answer")
    judges = sorted({answer[0] for answer in coding.answers})
    code_of = {frozenset(options_of(label)): code for code, label in enumerate(label_set.labels)}
    return Spelled(
        label=_codes(-1 if answer[3] is None else place[answer[3]] for answer in coding.answers), label_set=label_set,
        elicitation=_places([answer[1] for answer in coding.answers], ELICITATIONS, "elicitation", table),
        judge=_codes(judges.index(answer[0]) for answer in coding.answers), judges=tuple(judges),
        order=_places([answer[2] for answer in coding.answers], ORDERS, "order", table),
        output_place=_codes(code_of[frozenset(label)] for label in table.probabilities.values()),
        left_out=tuple(left_out), notes=tuple(notes),
    )  # fmt: skip


def _codes(codes: Iterable[int]) -> Codes:
    return np.array(list(codes), dtype=np.intp)


def _labels(
    times: Mapping[str, int], plan: ReadPlan, table: Table, also: Mapping[str, tuple[str, ...]], *, what: str
) -> tuple[dict[str, int], LabelSet, list[LeftOut], list[str]]:
    """The code of each text, the labels in order, what became missing, and what was done to the others."""
    texts = tuple(sorted(times))
    count = np.array([times[text] for text in texts], dtype=np.intp)
    column, notes = with_plain_numbers(TextColumn(np.arange(len(texts)), texts), table.delimiter)
    left_out: list[LeftOut] = []
    if changes_labels(plan):
        column, left_out, done = fix_labels(column, plan, what=what, times=count)
        notes += done
    if plan.labels is not None:
        known = listed_options(plan.labels)
        given = dict.fromkeys(option for text in column.texts for option in options_of(text))
        if outside := [option for option in given if option not in known]:
            raise OptionError(f"{table.name}: {unlisted(outside, known)}.")
    codes, label_set, _ = code_labels(
        column, order=plan.labels, scale=plan.scale, row=np.arange(len(texts)), name=table.name, also=dict(also)
    )
    notes += doubts(label_counts(codes, label_set, count), label_set, order=plan.labels)
    return dict(zip(texts, codes.tolist(), strict=True)), label_set, left_out, notes


def _places(texts: Sequence[str | None], known: Sequence[str], role: str, table: Table) -> Codes | None:
    """The place of each text among the known ones; None if the table has no such column."""
    if role not in table.roles:
        return None
    strange = [text for text in texts if text is not None and text not in known]
    if strange:
        text = shortened(strange[0])
        raise ColumnError(f"{table.name}: the {role} is {text!r} in some rows. Write {' or '.join(known)}, or nothing.")
    return _codes(-1 if text is None else known.index(text) for text in texts)


def assemble_people(
    profiles: Profiles, spelled: Spelled, *, left_out: Sequence[LeftOut], notes: Sequence[str], unlabelled_items: int,
    raters: int | None, provenance: Provenance,
) -> Ratings:  # fmt: skip
    """The ratings of the profiles; those that lost all of their labels are left out and counted."""
    cells = cells_of(profiles.rated)
    cells = cells[spelled.label[cells[:, 1]] >= 0]
    if not len(cells):
        raise RatingsError(f"{provenance.name} has {counted(provenance.rows, 'row')} and not one label. {CHECK_LABELS}")
    kind = cells[:, 1]
    item, items = compact(cells[:, 0].astype(np.intp), profiles.example)
    copies = np.empty(len(items), dtype=np.intp)
    copies[item] = profiles.copies[cells[:, 0]]
    lost = unlabelled_items + int(profiles.copies.sum() - copies.sum())
    unrated = LeftOut(what="item without any label", several="items without any label", count=lost)
    losses = (*left_out, unrated, *spelled.left_out)
    return Ratings(
        item=item, items=items, label=spelled.label[kind], labels=spelled.label_set.labels,
        options=spelled.label_set.options, scale=spelled.label_set.scale, times=cells[:, 2].astype(np.intp),
        group=None if spelled.group is None else spelled.group[kind], groups=spelled.groups,
        elicitation=None if spelled.elicitation is None else spelled.elicitation[kind], copies=copies,
        rater_count=raters, warnings=(*sentences(some for some in losses if some.count), *notes), provenance=provenance,
    )  # fmt: skip


def assemble_answers(
    profiles: Profiles, spelled: Spelled, coding: Coding, *, totals: tuple[int, int], provenance: Provenance
) -> Judges:
    """The answers of the profiles: as many of each kind as were given."""
    cells = cells_of(profiles.judged)
    profile, kind = (np.repeat(cells[:, column], cells[:, 2]) for column in (0, 1))
    assert spelled.judge is not None  # noqa: S101 - answers have judges
    judge = spelled.judge[kind]
    elicitation = None if spelled.elicitation is None else spelled.elicitation[kind]
    order = None if spelled.order is None else spelled.order[kind]
    item, items = compact(profile.astype(np.intp), profiles.example)
    keys = [item, judge, *(column for column in (elicitation, order) if column is not None)]
    return Judges(
        item=item, items=items, judge=judge, judges=spelled.judges, sample=_sample_numbers(keys),
        label=spelled.label[kind], labels=spelled.label_set.labels, options=spelled.label_set.options,
        probability=_probability(profiles, spelled, coding, profile, kind) if coding.speakers else None,
        elicitation=elicitation, order=order, totals=totals, provenance=provenance,
    )  # fmt: skip


def _sample_numbers(keys: Sequence[Codes]) -> Codes:
    """The number of each row among those with the same keys, from 0."""
    order = np.lexsort(keys[::-1])
    changes = np.logical_or.reduce([np.diff(key[order]) != 0 for key in keys])
    first = np.maximum.accumulate(np.where(np.concatenate([[True], changes]), np.arange(len(order)), 0))
    number = np.empty(len(order), dtype=np.intp)
    number[order] = np.arange(len(order)) - first
    return number


def _probability(
    profiles: Profiles, spelled: Spelled, coding: Coding, profile: npt.NDArray[np.int64], kind: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Probability of each label, row by row; NaN where the answer is a label."""
    assert spelled.output_place is not None  # noqa: S101 - speakers have outputs
    place = {speaker: i for i, speaker in enumerate(coding.speakers)}
    speaker = np.array([place[answer[:3]] if answer[4] else -1 for answer in coding.answers], dtype=np.intp)[kind]
    has_output = speaker >= 0
    outputs = profiles.outputs[profile[has_output], speaker[has_output]]
    probability = np.full((len(kind), len(spelled.label_set.labels)), np.nan)
    given = np.zeros((len(outputs), probability.shape[1]))
    given[:, spelled.output_place] = outputs / outputs.sum(axis=1, keepdims=True)
    probability[has_output] = given
    return probability


def profiles_of_sums(sums: MomentSums, coding: Coding) -> Profiles:
    """A profile for what raters tally, one of the items that all judges answered and one of the others."""
    rows = [(i, True) for i, judged in enumerate(sums.judged) if judged]
    rows += [(i, False) for i, judged in enumerate(sums.judged) if judged < sums.items[i]]
    shape = (len(rows), len(coding.speakers), coding.n_outputs)
    outputs = np.array([
        [total * UNIT / sums.judged[i] for total in sums.outputs[i]] if is_judged else [np.nan] * (shape[1] * shape[2])
        for i, is_judged in rows
    ])  # fmt: skip
    everything = " ".join(f"{kind}:1" for kind in range(len(coding.answers)))
    return Profiles(
        rated=[sums.rated[i] for i, _ in rows],
        judged=[everything if is_judged else "" for _, is_judged in rows],
        outputs=outputs.reshape(shape),
        copies=np.array([sums.judged[i] if is_judged else sums.items[i] - sums.judged[i] for i, is_judged in rows]),
        example=[sums.example[i] if is_judged else f"{sums.example[i]} (not judged)" for i, is_judged in rows],
    )


def moments_of(sums: MomentSums, judges: Judges, labels: tuple[str, ...], scored_by: LabelScores) -> OutputMoments:
    """Means and covariances, in the order of the judges' items."""
    row_of = {name: i for i, name in enumerate(sums.example)}
    rows = [row_of[item] for item in judges.items]
    width = len(judges.judges) * len(labels)
    mean, second = (
        np.array([[total * UNIT / sums.judged[i] for total in totals[i]] for i in rows])
        for totals in (sums.first, sums.second)
    )
    covariance = second.reshape(-1, width, width) - mean[:, :, None] * mean[:, None, :]
    mean = mean.reshape(-1, len(judges.judges), len(labels))
    return OutputMoments(labels=labels, mean=mean, covariance=covariance, scored_by=scored_by)
