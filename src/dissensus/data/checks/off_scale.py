"""Labels that are no step of the scale: words among numbers, words that mean missing, numbers far off."""

import re
from collections.abc import Iterator
from dataclasses import replace

from dissensus.data.checks.table import Finding, Patient, Severity, first_rows
from dissensus.data.fixes import renaming
from dissensus.data.labels import LIKE_MISSING as SURELY_MISSING
from dissensus.data.labels import (
    MOST_ORDINAL_LABELS,
    has_decimal_commas,
    infer_scale,
    listed_options,
    natural_order,
    number,
    option_name,
)
from dissensus.errors import counted, listed

CHECK = "off-scale"
SELDOM = 0.25
"""What is said more often than this is an answer, such as `none` where most items have nothing."""
LIKE_MISSING = frozenset({
    *SURELY_MISSING, "none", "unsure", "not sure", "don't know", "dont know", "do not know", "skip",
    "skipped", "unclear", "unknown", "?", "-", "no answer", "not applicable", "prefer not to say", "inconsistent",
})  # fmt: skip
MOSTLY = 0.8
"""From this share of numbers on the scale is one of numbers."""
RARE = 0.01
_CODE = re.compile(r"-?9{2,}")
"""What surveys write for no answer."""


def check(patient: Patient) -> Iterator[Finding]:
    """Labels that are not among those given, or do not look like the others."""
    counts = patient.label_counts()
    if patient.plan.labels is not None:
        scale = set(listed_options(patient.plan.labels))
        outside = [label for label in counts if not set(label.split("|")) <= scale]
        if outside:
            yield _finding(patient, outside, counts, "are not among --labels", "--off-scale missing", "error")
        return
    numbers = {label: value for label in counts if (value := number(label)) is not None}
    commas = {label for label in counts if "," in label} if has_decimal_commas(counts) else set()
    words = [label for label in counts if label not in numbers and "|" not in label and label not in commas]
    total = sum(n for label, n in counts.items() if label not in commas)
    if numbers and words and sum(counts[label] for label in numbers) >= MOSTLY * total:
        option = renaming(dict.fromkeys(words, ""))
        if len(numbers) <= MOST_ORDINAL_LABELS:
            option = f"--labels {','.join(sorted(numbers, key=natural_order))} --off-scale missing"
        yield _finding(patient, words, counts, "are words on a scale of numbers", option, "warning")
    else:
        odd = [label for label in words if _means_missing(label, counts[label] / total)]
        if odd and len(odd) < len(counts):
            option = renaming(dict.fromkeys(odd, ""))
            found = _finding(patient, odd, counts, "may mean that there is no label", option, "warning")
            yield replace(found, is_choice=not all(label.lower() in SURELY_MISSING for label in odd))
    far = _far(numbers, counts)
    if far:
        option = renaming(dict.fromkeys(far, ""))
        yield _finding(patient, far, counts, "are far from all other numbers", option, "warning")


def _means_missing(label: str, share: float) -> bool:
    word = label.lower()
    return word in SURELY_MISSING or (share <= SELDOM and (word in LIKE_MISSING or "inconsistent" in word))


def _far(numbers: dict[str, float], counts: dict[str, int]) -> list[str]:
    """Rare numbers further from the others than these are from each other.

    A fine scale, such as a count of errors, may well have a long tail: there only codes such as -99 and 999 are odd.
    """
    total = sum(counts[label] for label in numbers)
    if infer_scale(list(numbers)) == "interval":
        codes = [label for label in numbers if _CODE.fullmatch(label)]
        others = [value for label, value in numbers.items() if label not in codes]
        return [code for code in codes if _is_outside(numbers[code], others)]
    usual = [value for label, value in numbers.items() if counts[label] > RARE * total]
    return [label for label, value in numbers.items() if _is_outside(value, usual)]


def _is_outside(value: float, others: list[float]) -> bool:
    """Whether a number is further from the others than these are from each other; a scale has two steps."""
    if len(set(others)) < 2:  # noqa: PLR2004 - two steps
        return False
    low, high = min(others), max(others)
    return max(low - value, value - high) > high - low


def _finding(
    patient: Patient, labels: list[str], counts: dict[str, int], what: str, option: str, severity: Severity
) -> Finding:
    rows = patient.rows_with({text for text in patient.label.texts if option_name(text) in labels})
    shown = listed([f"{label} ({counts[label]:,})" for label in labels])
    number_of = sum(counts[label] for label in labels)
    return Finding(
        check=CHECK,
        severity=severity,
        message=f"{counted(number_of, 'answer')} {what}: {shown}.",
        count=number_of,
        rows=first_rows(rows),
        option=option,
    )
