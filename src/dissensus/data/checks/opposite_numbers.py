"""Judges whose numbers fall where people's rise."""

import math
from collections.abc import Iterator

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.checks.table import Finding, Patient
from dissensus.data.coding import stack
from dissensus.data.fixes import typed
from dissensus.data.labels import label_values
from dissensus.errors import counted, shortened

FEWEST = 10
IMPROBABLE = 0.01
"""So seldom would any of the judges run so much against people by chance; divided by how many they are."""
TWO_STEPS = 2


def check(patient: Patient) -> Iterator[Finding]:
    """Judges whose rank correlation with the items' mean ratings is below 0 by more than chance."""
    people = patient.people
    if people is None or patient.shares is not None:
        return
    own, theirs = label_values(patient.answer.texts), label_values(people.answer.texts)
    is_binary = set(patient.answer.texts) <= set(people.answer.texts) and len(theirs) <= TWO_STEPS
    if is_binary or not len(own) or np.isnan(own).any() or np.isnan(theirs).any():
        return  # two labels the wrong way round are told by the check of polarity
    item = stack([patient.item, people.item])
    n, n_items = len(patient.row), len(item.texts)
    rating = _means(item.codes[n:], people.answer.codes, theirs, people.weight, n_items)
    judges = ("judge",) if patient.who is None else patient.who.texts
    for code, name in enumerate(judges):
        is_mine = True if patient.who is None else patient.who.codes == code
        answer = _means(item.codes[:n], patient.answer.codes, own, patient.weight * is_mine, n_items)
        both = ~np.isnan(rating) & ~np.isnan(answer)
        correlation = _rank_correlation(rating[both], answer[both]) if both.sum() >= FEWEST else math.nan
        if _chance(correlation, int(both.sum())) < IMPROBABLE / len(judges):
            yield _finding(name, correlation, int(both.sum()))


def _means(item: Codes, label: Codes, value: Floats, weight: Codes, n_items: int) -> Floats:
    """The mean number of each item, NaN where there is none."""
    given = (item >= 0) & (label >= 0)
    total = np.bincount(item[given], weights=value[label[given]] * weight[given], minlength=n_items)
    count = np.bincount(item[given], weights=weight[given], minlength=n_items)
    means: Floats = np.divide(total, count, out=np.full(n_items, math.nan), where=count > 0)
    return means


def _rank_correlation(one: Floats, two: Floats) -> float:
    """Spearman's correlation; NaN if one of them is the same throughout."""
    a, b = _ranks(one), _ranks(two)
    a, b = a - a.mean(), b - b.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0 else math.nan


def _ranks(values: Floats) -> Floats:
    """Ranks; equal values have the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place], dtype=np.float64)


def _chance(correlation: float, n: int) -> float:
    """Probability of a correlation as low as this if there is none, by the normal curve; 1 if it is unknown."""
    return 1.0 if math.isnan(correlation) else math.erfc(-correlation * math.sqrt(n - 1) / math.sqrt(2)) / 2


def _finding(name: str, correlation: float, n: int) -> Finding:
    return Finding(
        check="opposite-numbers",
        severity="warning",
        message=f"The numbers of the judge {shortened(name)} fall where people's rise: their rank correlation is "
        f"{correlation:.2f} over {counted(n, 'item')}. If low means what people call high, turn the numbers in the "
        f"file, or compare with `dissensus compare --metric spearman {typed('--reverse', name)}`.",
        count=n,
    )
