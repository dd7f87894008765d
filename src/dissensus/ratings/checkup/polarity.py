"""A judge or a rater who seems to have two labels the wrong way round."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dissensus.errors import counted, shortened
from dissensus.ratings.checkup.finding import Finding, first_rows
from dissensus.ratings.checkup.patient import Patient
from dissensus.ratings.coding import Codes, stack

FEWEST = 10
HIGH = 0.7
"""Agreement that we call high once two labels are swapped."""
MOST_LABELS = 30
Floats = npt.NDArray[np.float64]


def check(patient: Patient) -> Iterator[Finding]:
    """Whose agreement with the others is below chance, and high once two labels are swapped."""
    people = patient.people or patient
    label = stack([patient.answer, people.answer])
    item = stack([patient.item, people.item])
    n, n_labels = len(patient.row), len(label.texts)
    if patient.who is None or not 1 < n_labels <= MOST_LABELS:
        return
    counts = _counts(item.codes[n:], label.codes[n:], people.weight, len(item.texts), n_labels)
    for code, name in enumerate(patient.who.texts):
        mine = np.flatnonzero((patient.who.codes == code) & (label.codes[:n] >= 0) & (item.codes[:n] >= 0))
        others = counts[item.codes[mine]].copy()
        if people is patient:
            others[np.arange(len(mine)), label.codes[mine]] -= 1
        most, has_most = np.argmax(others, axis=1), others.sum(axis=1) > 0
        said, truth = label.codes[mine][has_most], most[has_most]
        swap = _swap(said, truth, n_labels)
        if swap is not None:
            yield _finding(patient, name, swap, label.texts, patient.row[mine].tolist(), len(said))


def _counts(item: Codes, label: Codes, weight: Codes, n_items: int, n_labels: int) -> Codes:
    counts = np.zeros((n_items, n_labels), dtype=np.intp)
    given = (item >= 0) & (label >= 0)
    np.add.at(counts, (item[given], label[given]), weight[given])
    return counts


def _swap(said: Codes, truth: Codes, n_labels: int) -> tuple[int, int, float, float] | None:
    """The two labels whose swap makes agreement high, with the agreement before and after; None if none does."""
    if len(said) < FEWEST:
        return None
    table: Floats = np.zeros((n_labels, n_labels))
    np.add.at(table, (said, truth), 1 / len(said))
    agreement, chance = float(np.trace(table)), float(table.sum(axis=1) @ table.sum(axis=0))
    best = None
    for a, b in combinations(range(n_labels), 2):
        after = agreement - table[a, a] - table[b, b] + table[a, b] + table[b, a]
        if after >= HIGH and agreement < chance and (best is None or after > best[3]):
            best = (a, b, agreement, float(after))
    return best


def _finding(
    patient: Patient, name: str, swap: tuple[int, int, float, float], labels: tuple[str, ...], rows: list[int], n: int
) -> Finding:
    a, b, before, after = swap
    is_alone = patient.who is not None and len(patient.who.texts) == 1
    swapped = f'--map "{labels[a]}={labels[b]},{labels[b]}={labels[a]}"'
    whom = "people's most common label" if patient.people is not None else "the others' most common label"
    return Finding(
        check="inverted-polarity",
        severity="warning",
        message=f"The {patient.person} {shortened(name)} agrees with {whom} on {before:.0%} of {counted(n, 'item')}, "
        f"less than by chance, and on {after:.0%} once {shortened(labels[a])} and {shortened(labels[b])} are swapped.",
        count=n,
        rows=first_rows(rows),
        option=swapped if is_alone else f"--drop {patient.person}={name}",
    )
