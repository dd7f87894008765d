from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.errors import counted


def check(patient: Patient) -> Iterator[Finding]:
    """Items that only one person rated: they say nothing about agreement."""
    if patient.holds != "ratings":
        return
    known = patient.item.codes >= 0
    count = np.bincount(patient.item.codes[known], weights=patient.weight[known], minlength=len(patient.item.texts))
    rated = int(np.sum(count > 0))
    single = np.flatnonzero(count == 1)
    if not single.size:
        return
    is_single = np.isin(patient.item.codes, single) & (patient.weight > 0)
    yield Finding(
        check="single-ratings",
        severity="warning" if 2 * single.size >= rated else "note",
        message=f"{single.size:,} of {counted(rated, 'item')} {'has' if single.size == 1 else 'have'} one rating only, "
        "which tells nothing of agreement.",
        count=int(single.size),
        rows=first_rows(patient.row[is_single].tolist()),
    )
