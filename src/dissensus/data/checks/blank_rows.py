from collections.abc import Iterator
from dataclasses import replace

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.errors import counted


def check(patient: Patient) -> Iterator[Finding]:
    """Rows without anything in them, answers without a label, and what the format left out."""
    bare = patient.answer.codes < 0
    blank = patient.row[bare & (patient.item.codes < 0)].tolist()
    count = patient.blank_rows + len(blank)
    if count:
        message = f"{counted(count, 'blank row')}, left out by every command."
        yield Finding(check="blank-rows", severity="note", message=message, count=count, rows=first_rows(blank))
    missing = patient.row[bare & (patient.item.codes >= 0)].tolist()
    if missing:
        yield Finding(
            check="missing-labels",
            severity="note",
            message=f"{counted(len(missing), 'answer')} without a label, left out by every command.",
            count=len(missing),
            rows=first_rows(missing),
        )
    for some in patient.left_out:
        message = replace(some, option="").sentence()
        yield Finding(check="left-out", severity="note", message=message, count=some.count, option=some.option)
