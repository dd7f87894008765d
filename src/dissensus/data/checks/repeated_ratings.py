from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.coding import joint_key
from dissensus.errors import counted


def check(patient: Patient) -> Iterator[Finding]:
    """Answers of one rater about one item that come again, and how many of them say something else."""
    is_sampled = patient.holds == "judges" and not patient.repeat
    if patient.who is None or is_sampled or patient.times is not None:
        return
    given = np.flatnonzero((patient.answer.codes >= 0) & (patient.item.codes >= 0) & (patient.who.codes >= 0))
    columns = [column.take(given) for column in (patient.item, patient.who, *patient.repeat)]
    _, first, group = np.unique(joint_key(columns), return_index=True, return_inverse=True)
    later = np.flatnonzero(first[group] != np.arange(len(given)))
    if not later.size:
        return
    labels = patient.answer.codes[given]
    conflicting = later[labels[later] != labels[first[group[later]]]]
    rows = patient.row[given[conflicting if conflicting.size else later]].tolist()
    others = f"{conflicting.size:,} of them say something else" if conflicting.size else "all of them say the same"
    yield Finding(
        check="repeated-ratings",
        severity="error" if patient.plan.repeats == "error" else "note",
        message=f"{counted(later.size, 'answer')} by a {patient.person} about an item that the {patient.person} had "
        f"answered before: {others}.",
        count=int(later.size),
        rows=first_rows(rows),
        option="--repeats last" if conflicting.size else "--repeats first",
    )
