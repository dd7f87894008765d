"""Labels that are no step of the scale: words among numbers, words that mean missing, numbers far off."""

from collections.abc import Iterator

from dissensus.errors import counted, listed
from dissensus.ratings.checkup.finding import Finding, Severity, first_rows
from dissensus.ratings.checkup.patient import Patient
from dissensus.ratings.labels import listed_options, natural_order, number, option_name

CHECK = "off-scale"
LIKE_MISSING = frozenset({
    "n/a", "na", "#n/a", "nan", "null", "none", "unsure", "not sure", "don't know", "dont know", "do not know", "skip",
    "skipped", "unclear", "unknown", "?", "-", "no answer", "not applicable", "prefer not to say", "inconsistent",
})  # fmt: skip
MOSTLY = 0.8
"""From this share of numbers on the scale is one of numbers."""
RARE = 0.01


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
    words = [label for label in counts if label not in numbers and "|" not in label]
    total = sum(counts.values())
    if numbers and words and sum(counts[label] for label in numbers) >= MOSTLY * total:
        scale_text = ",".join(sorted(numbers, key=natural_order))
        what = "are words on a scale of numbers"
        yield _finding(patient, words, counts, what, f"--labels {scale_text} --off-scale missing", "warning")
    else:
        odd = [label for label in words if label.lower() in LIKE_MISSING or "inconsistent" in label.lower()]
        if odd and len(odd) < len(words):
            missing = ",".join(f"{label}=" for label in odd)
            yield _finding(patient, odd, counts, "may mean that there is no label", f'--map "{missing}"', "warning")
    far = _far(numbers, counts)
    if far:
        option = ",".join(f"{label}=" for label in far)
        yield _finding(patient, far, counts, "are far from all other numbers", f'--map "{option}"', "warning")


def _far(numbers: dict[str, float], counts: dict[str, int]) -> list[str]:
    """Rare numbers further from the others than these are from each other."""
    total = sum(counts[label] for label in numbers)
    usual = [value for label, value in numbers.items() if counts[label] > RARE * total]
    if len(usual) < 2:  # noqa: PLR2004 - a scale has two steps
        return []
    low, high = min(usual), max(usual)
    return [label for label, value in numbers.items() if max(low - value, value - high) > high - low]


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
