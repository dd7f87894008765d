from collections.abc import Iterator

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import dropping, literally
from dissensus.errors import counted, shortened

FEWEST = 5
"""Fewer equal answers are no surprise."""


def check(patient: Patient) -> Iterator[Finding]:
    """Judges that give every item the same label."""
    if patient.holds != "judges":
        return
    who = patient.who
    names = ("judge",) if who is None else who.texts
    codes = np.zeros(len(patient.row), dtype=np.intp) if who is None else who.codes
    for code, name in enumerate(names):
        mine = np.flatnonzero((codes == code) & (patient.answer.codes >= 0))
        if len(mine) >= FEWEST and len(np.unique(patient.answer.codes[mine])) == 1:
            yield _finding(patient, name, mine)


def _finding(patient: Patient, name: str, mine: Codes) -> Finding:
    label = shortened(patient.answer.texts[int(patient.answer.codes[mine[0]])])
    number = counted(len(mine), "answer")
    varies = _varies(patient, mine)
    said = f"The likeliest label of the judge {shortened(name)} is {label} in all of its {number}"
    return Finding(
        check="constant-judges",
        severity="note" if varies else "warning",
        message=f"{said}, but its probabilities differ."
        if varies
        else f"The judge {shortened(name)} says {label} in all of its {number}: it tells nothing apart.",
        count=len(mine),
        rows=first_rows(patient.row[mine].tolist()),
        option="" if varies else dropping("judge", [literally(name)]),
    )


def _varies(patient: Patient, mine: Codes) -> bool:
    """Whether the judge gives probabilities, and not the same ones every time."""
    if patient.shares is None:
        return False
    shares = patient.shares[mine]
    given = shares[~np.isnan(shares).any(axis=1)]
    return len(given) > 0 and bool(np.ptp(given, axis=0).max() > 0)
