"""A recalibration applied to new answers of a judge: what do they mean in people's terms?"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, JudgesLike, read_judges
from dissensus.data.assemble import NAMELESS_JUDGE
from dissensus.data.coding import rows_among
from dissensus.data.inputs import Table
from dissensus.data.labels import Scale, are_measures, label_values, nearest_labels
from dissensus.data.recalibration import Recalibration, RecalibrationFile, read_recalibration
from dissensus.data.writers import write_judges
from dissensus.errors import ColumnError, JudgesError, counted, listed, named
from dissensus.methods.equivalence.maps import DECIMALS, Map, MixedMap
from dissensus.results import Result
from dissensus.sizes import check_size


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedJudge:
    """One judge's answers before and after."""

    judge: str
    items: int  # that it answered
    changed: int  # on how many of them another label stands now
    unseen: int  # on how many of them it gave an answer that it never gave when it was recalibrated


@dataclass(frozen=True, kw_only=True)
class ApplyResult(Result):
    """What a judge's answers mean in people's terms.

    Attributes
    ----------
    answers : Judges
        One answer per judge and item: the label, and how likely people are to give each label.
    judges : tuple of AppliedJudge
        How many answers each judge gave, and what became of them.
    output : str, optional
        The file that the answers were written to.
    """

    command: ClassVar[str] = "apply"

    answers: Judges
    judges: tuple[AppliedJudge, ...]
    output: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON; the answers themselves are in the file."""
        return {
            "labels": list(self.answers.labels),
            "judges": [
                {"judge": one.judge, "items": one.items, "changed": one.changed, "unseen": one.unseen}
                for one in self.judges
            ],
            "output": self.output,
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per answer: item, judge, label, and the probability of each label."""
        answers = self.answers
        shares = [] if answers.probability is None else answers.probability.tolist()
        return [
            {"item": answers.items[item], "judge": answers.judges[judge], "label": answers.labels[label]}
            | {f"p_{name}": share for name, share in zip(answers.labels, own, strict=True)}
            for item, judge, label, own in zip(
                answers.item.tolist(), answers.judge.tolist(), answers.label.tolist(), shares, strict=True
            )
        ]


TIE = 1e-12  # shares that differ by less are equal
NEARLY = 1e-6  # shares sum to 1 up to this
HALF = 0.5


def apply(
    recalibration: Table,
    judges: JudgesLike,
    *,
    output: str | os.PathLike[str] | None = None,
) -> ApplyResult:
    """A judge's answers in people's terms: what people would say where the judge says this.

    Parameters
    ----------
    recalibration : path, frame, or anything else that `read` takes
        What `decide` wrote, or a table with the columns `judge`, `answer` and `p_<label>`, one row per answer.
    judges : Judges, or anything that `read_judges` takes
        New answers of the judges in it; others are left out. Several samples are averaged first.
    output : path, optional
        The judges file to write: `item, judge, sample, label` and `p_<label>`.

    Returns
    -------
    ApplyResult
        Its `answers` are Judges again. Where labels have an order, the label of an answer is the median of what people
        would say, else the most likely label.

    Raises
    ------
    DissensusError
        If the recalibration or the answers cannot be read, or a judge has no recalibration.

    See Also
    --------
    decide : Which judge to use, and how.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"judge": "strict", "answer": [1, 2], "p_1": [0.4, 0.0], "p_2": [0.6, 0.2],
    ...                       "p_3": [0.0, 0.8]})
    >>> new = pd.DataFrame({"item": ["x", "y"], "judge": "strict", "label": [2, 1]})
    >>> [(row["item"], row["label"], row["p_3"]) for row in apply(table, new).rows()]
    [('x', '3', 0.8), ('y', '2', 0.0)]
    """
    read = read_recalibration(recalibration)
    given = judges if isinstance(judges, Judges) else read_judges(judges)
    _check_question(given)
    found, warnings = _matched(read, given)
    applied = [_applied(one, given[name]) for one, name in found]
    answers = _joined_answers(applied, read.judges[0].labels, given)
    if output is not None:
        write_judges(answers, output)
    return ApplyResult(
        settings={"output": None if output is None else str(output)},
        data={"recalibration": read.describe_data(), "judges": dict(given.describe_data())},
        warnings=(*given.warnings, *warnings, *(text for one in applied for text in one.warnings)),
        answers=answers,
        judges=tuple(one.summary for one in applied),
        output=None if output is None else str(output),
    )


def _check_question(judges: Judges) -> None:
    """Raise of answers to several questions: an answer means something else in each."""
    if judges.questions:
        raise JudgesError(
            f"A recalibration is for one question, and these answers are to {len(judges.questions)}: "
            f"{listed(list(judges.questions))}. Choose one with {named('question', of='read_judges')}."
        )


def _matched(read: RecalibrationFile, judges: Judges) -> tuple[list[tuple[Recalibration, str]], list[str]]:
    """Each recalibration whose judge answered, with the judge's name here, and what was left out."""
    if len(read.judges) == 1 and judges.judges == (NAMELESS_JUDGE,):
        return [(read.judges[0], NAMELESS_JUDGE)], []
    found = [(one, one.judge) for one in read.judges if one.judge in judges.judges]
    if not found:
        raise JudgesError(
            f"{read.name} recalibrates {listed([one.judge for one in read.judges])}, and the new answers are by "
            f"{listed(judges.judges)}: give both the same name."
        )
    others = [name for name in judges.judges if name not in {name for _, name in found}]
    return found, [f"Left out {listed(others)}: {read.name} says nothing about them."] if others else []


class _Applied(NamedTuple):
    """One judge's answers in people's terms."""

    judge: str
    items: tuple[str, ...]
    shares: Floats  # (n_items, n_labels)
    label: Codes  # (n_items,)
    summary: AppliedJudge
    warnings: list[str]


def _applied(one: Recalibration, judge: Judges) -> _Applied:
    """The answers of one judge: by the map of its outputs, or by what each of its labels means."""
    if one.parameters is not None:
        map_of(one.parameters, one)(np.eye(len(one.labels)))  # refused if it is none, whatever it is applied to
    parameters = None if _are_bare(judge) else one.parameters
    known = one.answers if parameters is None else one.labels
    given = judge.stated() if parameters is None else judge
    place, foreign = _places(given, known, one.scale)
    _, item, outputs = given.distributions(place, len(known) + 1)
    # The last column holds answers of which nothing is known.
    outside, inside = outputs[:, -1], outputs[:, :-1]
    if parameters is None:  # after several samples the mean of what people say after each answer
        shares = np.einsum("na,al->nl", outputs, np.concatenate([one.shares, one.prior[None, :]]))
    else:
        shares = _by_map(one, parameters, inside, outside)
    never = np.append(one.items <= 0, True) if parameters is None else np.append(np.zeros(len(known)), 1) > 0
    is_unseen = np.asarray((outputs[:, never] > TIE).any(axis=1))
    label = hard_labels(shares, one.scale)
    before = _labels_before(judge)
    changed = np.array(judge.labels, dtype=object)[before] != np.array(one.labels, dtype=object)[label]
    names = [*(name for name, is_new in zip(known, never[:-1], strict=True) if is_new), *foreign]
    return _Applied(
        judge=judge.judges[0],
        items=tuple(judge.items[i] for i in item),
        shares=shares,
        label=label,
        summary=AppliedJudge(
            judge=judge.judges[0], items=len(item), changed=int(changed.sum()), unseen=int(is_unseen.sum())
        ),
        warnings=_about_unseen(one, judge, names, is_unseen),
    )


def _are_bare(judge: Judges) -> bool:
    """Whether the answers are labels without probabilities, one for each item."""
    return judge.probability is None and len(np.unique(judge.item)) == len(judge.item)


def _labels_before(judge: Judges) -> Codes:
    """The label of each item as the judge has it."""
    if _are_bare(judge):  # a table of all items by all labels would fill the memory where each answer is another number
        return judge.label[np.argsort(judge.item)]
    what, advice = f"{judge.judges[0]} gave {len(judge.labels):,} different labels", "Name the column of labels label."
    check_size("labels", len(judge.labels), what, advice, error=JudgesError)
    return hard_labels(judge.stated().distributions()[2], "nominal")


def _places(judge: Judges, known: tuple[str, ...], scale: Scale) -> tuple[Codes, list[str]]:
    """Where each of the judge's labels stands among known ones, after the last if it is unknown, and which are."""
    used = judge.labels_used()
    place = rows_among(judge.labels, known)
    foreign = [label for label, at, is_used in zip(judge.labels, place, used, strict=True) if is_used and at < 0]
    if foreign and are_measures(foreign, known, scale):  # a number between labels counts as the nearest one
        return nearest_labels(label_values(judge.labels), label_values(known)), []
    return np.where(place < 0, len(known), place), foreign


def _by_map(one: Recalibration, parameters: Mapping[str, Floats], inside: Floats, outside: Floats) -> Floats:
    """What people say after each output; where it is all on unknown labels what they say in general."""
    left = 1 - outside
    nothing = left <= TIE
    outputs = np.round(inside / np.where(nothing, 1, left)[:, None], DECIMALS)  # as they were when it was learned
    shares = map_of(parameters, one)(outputs)
    return np.where(nothing[:, None], one.prior, shares)


def map_of(parameters: Mapping[str, Floats], one: Recalibration) -> Map:
    """The map that has these parameters; ColumnError where they are none, at the latest when it is used."""

    def meanings(outputs: Floats) -> Floats:
        try:
            with np.errstate(all="ignore"):
                shares = MixedMap.from_parameters(dict(parameters))(outputs)
                is_sound = shares.shape == outputs.shape and bool((shares > -NEARLY).all())
                is_sound = is_sound and bool((np.abs(shares.sum(axis=1) - 1) < NEARLY).all())
        except KeyError as error:
            raise ColumnError(f"The map of {one.judge} has no {error}: write the recalibration again.") from error
        except (IndexError, TypeError, ValueError):
            is_sound = False
        if not is_sound:
            raise ColumnError(f"The numbers of the map of {one.judge} were changed: write the recalibration again.")
        return shares

    return meanings


def hard_labels(shares: Floats, scale: Scale) -> Codes:
    """The label of each row of shares: the median where labels have an order, else the most likely one."""
    if scale == "nominal":
        return np.asarray(np.argmax(shares >= shares.max(axis=1, keepdims=True) - TIE, axis=1))
    return np.asarray(np.argmax(np.cumsum(shares, axis=1) >= HALF - TIE, axis=1))


def _mean_meanings(learned: Map, outputs: Floats, times: Floats, items: Floats) -> Floats:
    """What people say, on average, where a judge with probabilities gives each answer.

    An answer alone is less than certain: the map of a probability of 1 would say too much about it.
    """
    said = np.eye(len(items))[outputs.argmax(axis=1)] * times[:, None]
    mean = np.einsum("na,nl->al", said, learned(outputs)) / np.maximum(items, 1)[:, None]
    return np.asarray(np.where(items[:, None] > 0, mean, learned(np.eye(len(items)))))


def _about_unseen(one: Recalibration, judge: Judges, names: list[str], is_unseen: Flags) -> list[str]:
    if not is_unseen.any():
        return []
    unknown = set(names)
    given = [label for label, used in zip(judge.labels, judge.labels_used(), strict=True) if used and label in unknown]
    items = f"{int(is_unseen.sum()):,} of {counted(len(is_unseen), 'item')}"
    never = f"{one.judge} gave answers that it never gave when it was recalibrated ({listed(given)}), on {items}"
    return [f"{never}: what they mean is a guess from its other answers and from what people say in general."]


def _joined_answers(applied: list[_Applied], labels: tuple[str, ...], judges: Judges) -> Judges:
    """The answers of all judges."""
    items = tuple(dict.fromkeys(item for one in applied for item in one.items))
    return Judges(
        item=np.concatenate([rows_among(one.items, items) for one in applied]),
        items=items,
        judge=np.repeat(np.arange(len(applied)), [len(one.items) for one in applied]),
        judges=tuple(one.judge for one in applied),
        sample=np.zeros(sum(len(one.items) for one in applied), dtype=np.intp),
        label=np.concatenate([one.label for one in applied]),
        labels=labels,
        options=tuple(label for label in labels if label in judges.options or "|" not in label),
        probability=np.concatenate([one.shares for one in applied]),
    )


# ---- What `decide` writes


def recalibration_of(
    judge: str, learned: Map, *, outputs: Floats, shares: Floats, labels: tuple[str, ...], scale: Scale,
    copies: Codes | Floats | None = None,
) -> Recalibration:  # fmt: skip
    """What one judge's answers mean, from the map that was learned from these items.

    `judge`: its name. `learned`: from outputs to raters' shares, as `calibrated_predictions` returns it. `outputs`,
    `shares` (n_items, n_labels): what the judge answered, and the share of raters who gave each label; a row of zeros
    where there are none. `labels`: of people and judge. `scale`: of the labels. `copies` (n_items,): how many items
    each one stands for; one if not given.
    """
    times = np.ones(len(outputs)) if copies is None else copies.astype(np.float64)
    items = np.bincount(outputs.argmax(axis=1), weights=times, minlength=len(labels)).astype(np.float64)
    is_hard = bool((outputs.max(axis=1) >= 1 - TIE).all())
    known = shares.sum(axis=1) > 0
    prior = np.einsum("n,nl->l", times[known], shares[known])
    parameters = None
    if not is_hard and isinstance(learned, MixedMap):
        parameters = learned.parameters()
        if np.isinf(learned.strength):  # the table plays no part
            parameters |= {name: np.empty((0, len(labels))) for name in ("table.outputs", "table.masses")}
    return Recalibration(
        judge=judge, labels=labels, scale=scale, prior=np.asarray(prior / prior.sum()), answers=labels,
        shares=learned(np.eye(len(labels))) if is_hard else _mean_meanings(learned, outputs, times, items), items=items,
        parameters=parameters,
    )  # fmt: skip
