"""Raters who always say the same, or say something improbably often or rarely."""

import math
from collections.abc import Iterator

import numpy as np

from dissensus.errors import counted, shortened
from dissensus.ratings.checkup.finding import Finding, first_rows
from dissensus.ratings.checkup.patient import Patient
from dissensus.ratings.coding import Codes

FEWEST = 10
"""With fewer answers nobody can be told from chance."""
IMPROBABLE = 1e-6
"""So seldom would a rater who answers like the others do it on other items; divided by the number of raters."""
LARGE = 0.3
"""A smaller difference from the others' rate, however sure, is taste and no fault."""


def check(patient: Patient) -> Iterator[Finding]:
    """Raters with one answer only, and raters whose rate of a label is far from the others'."""
    if patient.holds != "ratings" or patient.who is None or len(patient.answer.texts) < 2:  # noqa: PLR2004 - two labels
        return
    table = _table(patient)
    total = table.sum(axis=0)
    limit = IMPROBABLE / max(1, len(table))
    for code, counts in enumerate(table):
        n = int(counts.sum())
        others = total - counts
        if n < FEWEST or not others.sum():
            continue
        shares = (others + 0.5) / (others + 0.5).sum()
        name, rows = patient.who.texts[code], patient.row[patient.who.codes == code].tolist()
        label = int(np.argmax(counts))
        if counts[label] == n and n * math.log(shares[label]) < math.log(limit):
            text = (
                f"The rater {shortened(name)} answers {shortened(patient.answer.texts[label])} to all of "
                f"{counted(n, 'item')}; the others do so in {shares[label]:.0%} of theirs."
            )
            yield _finding("one-answer", text, name, rows)
            continue
        far = int(np.argmax(np.abs(counts / n - shares)))
        if abs(counts[far] / n - shares[far]) > LARGE and _tail(counts[far], n, shares[far]) < limit:
            text = (
                f"The rater {shortened(name)} answers {shortened(patient.answer.texts[far])} in {counts[far] / n:.0%} "
                f"of {counted(n, 'rating')}; the others do so in {shares[far]:.0%} of theirs."
            )
            yield _finding("improbable-rate", text, name, rows)


def _table(patient: Patient) -> Codes:
    """How often each rater gave each label, of shape (n_raters, n_labels)."""
    assert patient.who is not None  # noqa: S101 - asked where raters are known
    table = np.zeros((len(patient.who.texts), len(patient.answer.texts)), dtype=np.intp)
    given = (patient.answer.codes >= 0) & (patient.who.codes >= 0)
    np.add.at(table, (patient.who.codes[given], patient.answer.codes[given]), 1)
    return table


def _tail(count: int, n: int, share: float) -> float:
    """Probability that a rater with this share is so far from it, by the normal curve."""
    return math.erfc(abs(count - n * share) / math.sqrt(2 * n * share * (1 - share)))


def _finding(name: str, message: str, rater: str, rows: list[int]) -> Finding:
    return Finding(
        check=name,
        severity="warning",
        message=message,
        count=len(rows),
        rows=first_rows(rows),
        option=f"--drop rater={rater}",
    )
