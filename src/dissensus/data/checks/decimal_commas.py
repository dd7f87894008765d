from collections.abc import Iterator

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.labels import has_decimal_commas
from dissensus.errors import counted, listed


def check(patient: Patient) -> Iterator[Finding]:
    """Numbers with a comma where we write a point, which are read as words."""
    counts = patient.label_counts()
    if not has_decimal_commas(counts):
        return
    written = [label for label in counts if "," in label]
    number = sum(counts[label] for label in written)
    shown = listed([repr(label) for label in written])
    yield Finding(
        check="decimal-commas",
        severity="warning",
        message=f"{counted(number, 'answer')} may be numbers with a decimal comma, and are read as words: {shown}.",
        count=number,
        rows=first_rows(patient.rows_with({text for text in patient.label.texts if text.strip() in written})),
        option="--decimal-comma",
    )
