from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient
from dissensus.data.coding import stack
from dissensus.errors import counted, listed, shortened

CHECK = "shared-items"
FEW = 0.5
"""A judge that answered a smaller share of the rated items is told."""


def check(patient: Patient) -> Iterator[Finding]:
    """Judges that answered none of the items that people rated, or few of them."""
    people = patient.people
    if people is None:
        return
    item = stack([patient.item, people.item])
    n = len(patient.row)
    is_rated = np.zeros(len(item.texts) + 1, dtype=np.bool_)
    is_rated[item.codes[n:][people.weight > 0]] = True
    is_rated[-1] = False
    rated = int(is_rated.sum())
    judges = ("judge",) if patient.who is None else patient.who.texts
    who = np.zeros(n, dtype=np.intp) if patient.who is None else patient.who.codes
    given = np.flatnonzero((patient.answer.codes >= 0) & (who >= 0) & is_rated[item.codes[:n]])
    pair = np.unique(who[given] * len(item.texts) + item.codes[:n][given])
    shared = np.bincount(pair // max(1, len(item.texts)), minlength=len(judges)).tolist()
    answered = {name: count for name, count in zip(judges, shared, strict=True) if count < FEW * rated}
    silent = [shortened(name) for name, count in answered.items() if not count]
    if silent:
        yield Finding(
            check=CHECK,
            severity="error",
            message=f"{counted(len(silent), 'judge')} answered none of the {counted(rated, 'rated item')}: "
            f"{listed(silent)}. Check that both files have the same ids in their item columns.",
            count=len(silent),
        )
    few = [f"{shortened(name)} ({count:,})" for name, count in answered.items() if count]
    if few:
        yield Finding(
            check=CHECK,
            severity="warning",
            message=f"{counted(len(few), 'judge')} answered less than half of the {counted(rated, 'rated item')}: "
            f"{listed(few)}.",
            count=len(few),
        )
