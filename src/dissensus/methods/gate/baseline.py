"""What a judge answered before, beside what it answers now."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dissensus.data.align import rows_among
from dissensus.data.history import SUFFIX, last_passed
from dissensus.data.inputs import JudgesLike
from dissensus.data.judges import Judges
from dissensus.data.questions import joined_probabilities
from dissensus.data.readers import read_judges
from dissensus.errors import JudgesError, OptionError, counted, listed, named


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Before:
    """What a judge answered before."""

    answers: Judges
    name: str  # which answers these are


def earlier_answers(source: JudgesLike, judge: str) -> Before:
    """A judge's answers before: of a file or frame of them, or of the last gate that it passed in a history.

    Raises DissensusError if it cannot be read, or has no such judge.
    """
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() == SUFFIX:
        answers, name = last_passed(Path(source), judge)
        return Before(answers=answers, name=name)
    answers = source if isinstance(source, Judges) else read_judges(source)
    if answers.questions:
        several = listed(list(answers.questions))
        raise OptionError(f"The earlier answers are to several questions ({several}): give those of one.")
    name = Path(source).name if isinstance(source, str | os.PathLike) else "before"
    return Before(answers=answers[judge], name=name)


def beside_earlier(judges: Judges, judge: str, before: Before) -> tuple[Judges, str, list[str]]:
    """A judge's answers and its earlier ones on the items of both, what the earlier ones are called, and what is left.

    Raises JudgesError if they share no item.
    """
    now, then = judges[judge], before.answers
    shared = set(now.items) & set(then.items)
    if not shared:
        never = f"{judge} answered none of the items of {before.name}"
        raise JudgesError(f"{never}: let it answer some of those again, or check the item ids.")
    counts = {"new": len(set(now.items) - shared), "gone": len(set(then.items) - shared)}
    left = [
        f"{counted(count, 'item')} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items() if count
    ]
    about = [f"Compared with {before.name} on the {counted(len(shared), 'item')} of both: {' and '.join(left)}."]
    name = f"{judge} ({before.name})"
    return _together(_on(shared, now), _on(shared, then), name), name, about if left else []


def renamed_since(labels: tuple[str, ...], judges: Judges, judge: str, before: Before) -> list[str]:
    """What to do about labels of the earlier answers that neither people nor the judge have now.

    `labels`: of people. `judges`, `judge`: who is at the gate now. `before`: its answers before.
    """
    then = before.answers
    used = [label for label, is_used in zip(then.labels, then.labels_used(), strict=True) if is_used]
    gone = [label for label in used if label not in labels and label not in judges[judge].labels]
    if not gone:
        return []
    new = [label for label in labels if label not in then.labels]
    about = f"No rater used {listed(gone)} of {before.name}, so it can never be right there"
    since = f", and {listed(new)} {'is' if len(new) == 1 else 'are'} new since" if new else ""
    here, there = named("label_map", of="read"), named("label_map", of="read_judges")
    return [
        f"{about}{since}. If a label only has another name now, give it the old one: NEW=OLD with {here} in the ratings "
        f"and with {there} in the judges' answers. Else take answers to today's labels as a baseline."
    ]


def _on(items: set[str], judges: Judges) -> Judges:
    return judges.where(np.array([item in items for item in judges.items], dtype=np.bool_)[judges.item])


def _together(now: Judges, then: Judges, name: str) -> Judges:
    """Both as two judges of one table; the earlier one gets a name."""
    labels = (*now.labels, *(label for label in then.labels if label not in now.labels))
    options = (*now.options, *(one for one in then.options if one not in now.options))
    column = np.array([*(labels.index(label) for label in then.labels), -1], dtype=np.intp)
    return Judges(
        item=np.concatenate([now.item, rows_among(then.items, now.items)[then.item]]),
        judge=np.concatenate([now.judge, np.full(then.n_answers, 1)]),
        sample=np.concatenate([now.sample, then.sample]),
        label=np.concatenate([now.label, column[then.label]]),
        items=now.items, judges=(*now.judges, name), labels=labels, options=options,
        probability=joined_probabilities([now, then], labels),
    )  # fmt: skip
