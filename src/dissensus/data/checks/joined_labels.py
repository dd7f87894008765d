from collections.abc import Iterator

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import typed
from dissensus.data.labels import has_decimal_commas
from dissensus.errors import counted, listed

SEPARATORS = (",", ";", "/", "+", "&")


def check(patient: Patient) -> Iterator[Finding]:
    """Labels such as `a, b` that join other labels: response sets written otherwise than `a|b`."""
    counts = patient.label_counts()
    for separator in SEPARATORS:
        if separator == "," and has_decimal_commas(counts):
            continue
        parts = {label: [p.strip() for p in label.split(separator)] for label in counts if separator in label}
        single = set(counts) - parts.keys()
        joined = [
            label for label, options in parts.items() if len(options) > 1 and sum(o in single for o in options) > 1
        ]
        if joined and 2 * len(joined) >= len(parts):
            number = sum(counts[label] for label in joined)
            yield Finding(
                check="joined-labels",
                severity="warning",
                message=f"{counted(number, 'answer')} may be response sets, joined by {separator!r}: {listed(joined)}.",
                count=number,
                rows=first_rows(patient.rows_with({text for text in patient.label.texts if text.strip() in joined})),
                option=typed("--split", separator),
            )
