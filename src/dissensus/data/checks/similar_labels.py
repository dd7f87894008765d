"""Labels that are probably one: `No` and `NO`, `1` and `1.0`, `toxic` and `toxc`."""

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from dissensus.data.checks.table import Finding, Patient, first_rows
from dissensus.data.fixes import case_variants, renaming
from dissensus.data.labels import number, option_name
from dissensus.errors import listed

CHECK = "similar-labels"
FEWEST_LETTERS = 4
MOST_LABELS = 200
"""Past so many different labels they are text, and no two are compared."""
RARE = 0.1
"""A misspelling is so much rarer than the label itself."""
_WORD = re.compile(r"\w+")


def check(patient: Patient) -> Iterator[Finding]:
    """Labels that differ in case or blanks, in how a number is written, or in a letter."""
    count = np.bincount(patient.label.codes[patient.label.codes >= 0], minlength=len(patient.label.texts)).tolist()
    alike: set[str] = set()
    for name, variants in case_variants(patient.options, count).items():
        alike |= variants.keys()
        others = [variant for variant in variants if variant != name]
        rows = patient.rows_with({text for text in patient.label.texts if option_name(text) in others})
        yield Finding(
            check=CHECK,
            severity="warning",
            message=f"{listed([f'{v} ({n:,})' for v, n in variants.items()])} differ in case or blanks only and are "
            "read as different labels.",
            count=sum(variants[other] for other in others),
            rows=first_rows(rows),
            option="--merge-case",
        )
    yield from _numbers(patient)
    yield from _misspelt(patient, alike)


def _numbers(patient: Patient) -> Iterator[Finding]:
    spelled: dict[str, list[str]] = defaultdict(list)
    for text in patient.label.texts:
        if number(text) is not None:
            spelled[option_name(text)].append(text.strip())
    several = [texts for texts in spelled.values() if len(set(texts)) > 1]
    if several:
        shown = listed([" and ".join(sorted(set(texts))) for texts in several])
        message = f"Numbers are written in several ways, and each is read as one label: {shown}."
        yield Finding(check=CHECK, severity="note", message=message, count=len(several))


def _misspelt(patient: Patient, alike: set[str]) -> Iterator[Finding]:
    counts = patient.label_counts()
    words = [t for t in counts if len(t) >= FEWEST_LETTERS and number(t) is None and t not in alike and "|" not in t]
    if len(words) > MOST_LABELS:
        return
    for rare in sorted(words, key=counts.__getitem__):
        for usual in words:
            is_rarer = counts[rare] <= RARE * counts[usual]
            if rare != usual and is_rarer and is_slip(rare, usual):
                yield Finding(
                    check=CHECK,
                    severity="warning",
                    message=f"The label {rare} ({counts[rare]:,}) may be a misspelling of {usual} ({counts[usual]:,}).",
                    count=counts[rare],
                    rows=first_rows(patient.rows_with({t for t in patient.label.texts if option_name(t) == rare})),
                    option=renaming({rare: usual}),
                )
                break


def is_slip(text: str, other: str) -> bool:
    """Whether two labels differ in one letter of one word: left out, too many, wrong, or in the other's place.

    Examples
    --------
    >>> is_slip("toxc", "toxic"), is_slip("Very tocix", "very toxic"), is_slip("txoic", "toxic")
    (True, False, True)
    >>> is_slip("Strongly disagree", "Strongly agree"), is_slip("Model A", "Model B"), is_slip("class10", "class11")
    (False, False, False)
    """
    one, two = text.casefold(), other.casefold()
    if _WORD.sub("", one) != _WORD.sub("", two):
        return False
    pairs = [(a, b) for a, b in zip(_WORD.findall(one), _WORD.findall(two), strict=True) if a != b]
    if len(pairs) != 1 or not all(part.isalpha() and len(part) >= FEWEST_LETTERS for part in pairs[0]):
        return False
    short, long = sorted(pairs[0], key=len)
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, longer = short[same:], long[same:]
    is_swapped = rest[:2] == longer[1::-1] and rest[2:] == longer[2:]
    return rest == longer[1:] or (len(short) == len(long) and (rest[1:] == longer[1:] or is_swapped))
