"""Raters who always say the same, or say something far more or less often than the others on the same items."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import dropping, literally
from dissensus.errors import SHOWN, counted, shortened

FEWEST = 10
"""With fewer answers nobody can be told from chance."""
FEWEST_RATERS = 3
"""Of two who differ, nobody knows which is the odd one."""
IMPROBABLE = 1e-6
"""So seldom would a rater who answers like the others do it; divided by the number of raters."""
LARGE = 0.3
"""A smaller difference from the others' rate, however sure, is taste and no fault."""
MOST_LABELS = 30
"""Past so many different labels they are text or a fine scale, and have no rate."""
NORMAL = 1.4826
"""The standard deviation of a normal distribution over the median of its absolute values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """What each rater said and how the others answer on the same items.

    Attributes
    ----------
    said, expected : ndarray of shape (n_raters, n_labels)
        How often each rater gave each label, and how often the others would have.
    surprise : ndarray of shape (n_raters,)
        Logarithm of the probability that one who answers like the others says all that the rater said.
    """

    said: Floats
    expected: Floats
    surprise: Floats


def check(patient: Patient) -> Iterator[Finding]:
    """Raters with one answer only, and raters whose rate of a label is far from the others'."""
    if patient.holds != "ratings" or patient.who is None or not 2 <= len(patient.answer.texts) <= MOST_LABELS:  # noqa: PLR2004
        return
    tables = _tables(patient)
    n = tables.said.sum(axis=1)
    limit = IMPROBABLE / max(1, len(n))
    is_known = n >= FEWEST
    is_constant = is_known & (tables.said.max(axis=1, initial=0) == n)
    lazy = np.flatnonzero(is_constant & (tables.surprise < math.log(limit)))
    yield from _finding(patient, "one-answer", lazy, tables, np.argmax(tables.said, axis=1))
    if int(is_known.sum()) >= FEWEST_RATERS:
        far, label = _far(tables, is_known, limit)
        yield from _finding(patient, "improbable-rate", np.setdiff1d(far, lazy), tables, label)


def _tables(patient: Patient) -> _Tables:
    """A label's share on an item is that among its other raters, and one rater more who answers as all do."""
    assert patient.who is not None  # noqa: S101 - asked where raters are known
    given = (patient.answer.codes >= 0) & (patient.who.codes >= 0) & (patient.item.codes >= 0)
    item, label, who = (c[given] for c in (patient.item.codes, patient.answer.codes, patient.who.codes))
    shape = (len(patient.who.texts), len(patient.answer.texts))
    on_item: Codes = np.zeros((len(patient.item.texts), shape[1]), dtype=np.intp)
    np.add.at(on_item, (item, label), 1)
    others = on_item.sum(axis=1)[item]  # one of them is the rater, for whom the average one stands in
    overall = (on_item.sum(axis=0) + 0.5) / (on_item.sum() + 0.5 * shape[1])
    said, expected, surprise = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    for code in range(shape[1]):
        mine = label == code
        share = (on_item[item, code] - mine + overall[code]) / others
        said[:, code] = np.bincount(who, weights=mine, minlength=shape[0])
        expected[:, code] = np.bincount(who, weights=share, minlength=shape[0])
        surprise += np.bincount(who[mine], weights=np.log(share[mine]), minlength=shape[0])
    return _Tables(said=said, expected=expected, surprise=surprise)


def _far(tables: _Tables, is_known: npt.NDArray[np.bool_], limit: float) -> tuple[Codes, Codes]:
    """Raters whose rate of some label is further from the others' than raters of this file differ, and that label.

    Real raters differ by more than chance. So the distance is measured from the median rater, and in units of how far
    the raters are from there (by the median, which a few odd ones do not move), never of less than chance would do.
    """
    n = np.maximum(tables.said.sum(axis=1, keepdims=True), 1)
    share = tables.expected / n
    apart = (tables.said - tables.expected) / n
    apart -= np.median(apart[is_known], axis=0)
    chance = np.sqrt(np.maximum(share * (1 - share), 1e-12) / n)
    spread = np.maximum(1, NORMAL * np.median(np.abs(apart / chance)[is_known], axis=0))
    z = np.abs(apart) / (chance * spread)
    is_far = (np.abs(apart) > LARGE) & (z > _quantile(limit)) & is_known[:, None]
    return np.flatnonzero(is_far.any(axis=1)), np.argmax(np.where(is_far, z, 0), axis=1)


def _quantile(probability: float) -> float:
    """How many standard deviations from 0 a normal number is so seldom, on either side; by halving."""
    low, high = 0.0, 40.0
    while high - low > 1e-9:  # noqa: PLR2004 - more exact than any use of it
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle / math.sqrt(2)) > probability else (low, middle)
    return high


def _finding(patient: Patient, check_name: str, raters: Codes, tables: _Tables, label: Codes) -> Iterator[Finding]:
    """One finding about all of these raters, those with the most answers first."""
    if not raters.size or patient.who is None:
        return
    n = tables.said.sum(axis=1)
    raters = raters[np.argsort(-n[raters], kind="stable")]
    described = []
    for code in raters[:SHOWN].tolist():
        text, times = patient.answer.texts[label[code]], tables.said[code, label[code]]
        share = "all" if times == n[code] else f"{times / n[code]:.0%}"
        others = tables.expected[code, label[code]] / n[code]
        described.append(
            f"{shortened(patient.who.texts[code])} answers {shortened(text)} to {share} of "
            f"{counted(int(n[code]), 'item')}, on which the others do so in {others:.0%}"
        )
    rows = patient.row[np.isin(patient.who.codes, raters)].tolist()
    names = tuple(patient.who.texts[code] for code in raters.tolist())
    yield Finding(
        check=check_name,
        severity="warning",
        message=f"Look at {counted(len(raters), 'rater')} {WHAT[check_name]}: {_joined(described, len(raters))}.",
        count=len(rows),
        rows=first_rows(rows),
        option=dropping("rater", map(literally, names)) if len(names) <= SHOWN else "",
        is_choice=True,
        names=names,
    )


WHAT = {
    "one-answer": "with one answer only",
    "improbable-rate": "who answer otherwise than the rest, which may be a view of their own",
}


def _joined(described: list[str], total: int) -> str:
    more = total - len(described)
    every = f"; and {more:,} more, whom `dissensus doctor --json` names; --drop rater=NAME leaves one out"
    return "; ".join(described) + (every if more else "")
