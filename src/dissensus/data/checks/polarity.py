"""A judge or a rater who seems to have two labels the wrong way round."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.coding import stack
from dissensus.data.fixes import dropping, literally, renaming
from dissensus.errors import counted, shortened

FEWEST = 10
HIGH = 0.7
"""Agreement that we call high once two labels are swapped."""
GAIN = 0.3
"""By so much the swap must raise agreement: one between labels that are hardly used changes nothing."""
IMPROBABLE = 0.01
"""So seldom would anybody of the file agree so well after a swap by chance; divided by how many they are."""
MOST_LABELS = 30


def check(patient: Patient) -> Iterator[Finding]:
    """Whose agreement with the others is below chance, and high once two labels are swapped."""
    people = patient.people or patient
    label = stack([patient.answer, people.answer])
    item = stack([patient.item, people.item])
    n, n_labels = len(patient.row), len(label.texts)
    if patient.who is None or not 1 < n_labels <= MOST_LABELS:
        return
    counts = _counts(item.codes[n:], label.codes[n:], people.weight, len(item.texts), n_labels)
    for code, mine in _by_person(patient, (label.codes[:n] >= 0) & (item.codes[:n] >= 0)):
        others = counts[item.codes[mine]]
        if people is patient:
            others[np.arange(len(mine)), label.codes[mine]] -= 1
        top = np.sort(others, axis=1)[:, -2:]
        has_most = top[:, 1] > top[:, 0]  # where the others are divided, there is nothing to agree with
        said, truth = label.codes[mine][has_most], np.argmax(others, axis=1)[has_most]
        swap = _swap(said, truth, n_labels, IMPROBABLE / len(patient.who.texts))
        if swap is not None:
            yield _finding(patient, patient.who.texts[code], swap, label.texts, patient.row[mine].tolist(), len(said))


def _by_person(patient: Patient, is_given: npt.NDArray[np.bool_]) -> Iterator[tuple[int, Codes]]:
    """Each person with enough answers, and their positions; all persons are told apart in one go."""
    assert patient.who is not None  # noqa: S101 - asked where they are known
    given = np.flatnonzero(is_given & (patient.who.codes >= 0))
    order = given[np.argsort(patient.who.codes[given], kind="stable")]
    codes, start = np.unique(patient.who.codes[order], return_index=True)
    for code, mine in zip(codes.tolist(), np.split(order, start[1:]), strict=False):
        if len(mine) >= FEWEST:
            yield code, mine


def _counts(item: Codes, label: Codes, weight: Codes, n_items: int, n_labels: int) -> Codes:
    counts = np.zeros((n_items, n_labels), dtype=np.intp)
    given = (item >= 0) & (label >= 0)
    np.add.at(counts, (item[given], label[given]), weight[given])
    return counts


def _swap(said: Codes, truth: Codes, n_labels: int, limit: float) -> tuple[int, int, float, float] | None:
    """The two labels whose swap makes agreement high, with the agreement before and after; None if none does."""
    if len(said) < FEWEST:
        return None
    table: Floats = np.zeros((n_labels, n_labels))
    np.add.at(table, (said, truth), 1 / len(said))
    mine, others = table.sum(axis=1), table.sum(axis=0)
    agreement, chance = float(np.trace(table)), float(mine @ others)
    if agreement >= chance:
        return None
    best = None
    for a, b in combinations(range(n_labels), 2):
        after = agreement - table[a, a] - table[b, b] + table[a, b] + table[b, a]
        by_chance = chance + (mine[b] - mine[a]) * (others[a] - others[b])
        is_high = after >= max(HIGH, agreement + GAIN) and _tail(after, by_chance, len(said)) < limit
        if is_high and (best is None or after > best[3]):
            best = (a, b, agreement, float(after))
    return best


def _tail(agreement: float, chance: float, n: int) -> float:
    """Probability of so much agreement on n items by chance, by the normal curve."""
    deviation = math.sqrt(max(chance * (1 - chance), 1e-12) / n)
    return math.erfc((agreement - chance) / deviation / math.sqrt(2)) / 2


def _finding(
    patient: Patient, name: str, swap: tuple[int, int, float, float], labels: tuple[str, ...], rows: list[int], n: int
) -> Finding:
    a, b, before, after = swap
    is_alone = patient.who is not None and len(patient.who.texts) == 1
    swapped = renaming({labels[a]: labels[b], labels[b]: labels[a]})
    whom = "people's most common label" if patient.people is not None else "the others' most common label"
    return Finding(
        check="inverted-polarity",
        severity="warning",
        message=f"The {patient.person} {shortened(name)} agrees with {whom} on {before:.0%} of {counted(n, 'item')}, "
        f"less than by chance, and on {after:.0%} once {shortened(labels[a])} and {shortened(labels[b])} are swapped.",
        count=n,
        rows=first_rows(rows),
        option=swapped if is_alone else dropping(patient.person, [literally(name)]),
    )
