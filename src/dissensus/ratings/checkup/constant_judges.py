from collections.abc import Iterator

import numpy as np

from dissensus.errors import counted, shortened
from dissensus.ratings.checkup.finding import Finding, first_rows
from dissensus.ratings.checkup.patient import Patient

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
        mine = (codes == code) & (patient.answer.codes >= 0)
        labels = np.unique(patient.answer.codes[mine])
        if int(mine.sum()) >= FEWEST and len(labels) == 1:
            label = patient.answer.texts[int(labels[0])]
            yield Finding(
                check="constant-judges",
                severity="warning",
                message=f"The judge {shortened(name)} answers {shortened(label)} to all of its "
                f"{counted(int(mine.sum()), 'item')}: it tells nothing apart.",
                count=int(mine.sum()),
                rows=first_rows(patient.row[mine].tolist()),
                option=f"--drop judge={name}",
            )
