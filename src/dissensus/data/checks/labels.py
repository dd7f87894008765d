"""Checks of labels: those that are probably one, joined, off the scale, or written otherwise by people."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dissensus.data.checks.table import Finding, Severity, Table, shown_counts
from dissensus.data.fixes import case_variants, far_numbers, folded, joined_sets, renaming, told_apart, typed
from dissensus.data.labels import (
    LIKE_MISSING,
    MOST_ORDINAL_LABELS,
    SEPARATOR,
    has_decimal_commas,
    listed_options,
    natural_order,
    number,
    option_name,
)
from dissensus.errors import counted, listed, named, shortened

FEWEST_LETTERS = 4
MOST_LABELS = 200  # past this many different labels they are text, and no two are compared
MISSPELT = 0.1  # a misspelling is so much rarer than the label itself
_WORD = re.compile(r"\w+")


def decimal_commas(table: Table) -> Iterator[Finding]:
    """Numbers with a comma where we write a point, which are read as words."""
    counts = table.label_counts()
    if has_decimal_commas(counts):
        written = [label for label in counts if "," in label]
        what = "may be numbers with a decimal comma, and are read as words"
        yield _about(table, "decimal-commas", written, what, named("decimal_comma", of="import_"))


def joined_labels(table: Table) -> Iterator[Finding]:
    """Labels such as `a, b` that join other labels: response sets written otherwise than `a|b`."""
    counts = table.label_counts()
    for separator, joined in joined_sets(_options(counts)).items():
        sets = [label for label in counts if not {*joined}.isdisjoint(label.split(SEPARATOR))]
        if sets:
            what = f"may be response sets, joined by {separator!r}"
            yield _about(table, "joined-labels", sets, what, typed("split", separator))


def _about(table: Table, check: str, labels: Sequence[str], what: str, option: str) -> Finding:
    counts = table.label_counts()
    times = sum(counts[label] for label in labels)
    return Finding(
        check=check,
        severity="warning",
        message=f"{counted(times, 'answer')} {what}: {listed([repr(label) for label in labels])}.",
        count=times,
        rows=tuple(table.rows_with(labels, as_written=True)),
        option=option,
    )


# ---- Labels that are probably one: `No` and `NO`, `1` and `1.0`, `toxic` and `toxc`


def similar_labels(table: Table) -> Iterator[Finding]:
    """Labels that differ in case or blanks, in how a number is written, or in a letter."""
    count = np.bincount(table.label.codes[table.label.codes >= 0], minlength=len(table.label.texts)).tolist()
    alike: set[str] = set()
    for name, variants in case_variants(table.options, count).items():
        alike |= variants.keys()
        others = {variant: times for variant, times in variants.items() if variant != name}
        shown = listed([f"{text} ({variants[one]:,})" for one, text in told_apart(variants).items()])
        message = f"{shown} differ in case, blanks or unseen characters only and are read as different labels."
        yield _similar(table, message, others, named("merge_case", of="import_"))
    yield from _numbers(table)
    yield from _shortened(table)
    yield from _misspelt(table, alike)


def _similar(table: Table, message: str, counts: dict[str, int], option: str) -> Finding:
    rows = tuple(table.rows_with(counts))
    times = sum(counts.values())
    return Finding(
        check="similar-labels", severity="warning", message=message, count=times, rows=rows, option=option
    )  # fmt: skip


def _numbers(table: Table) -> Iterator[Finding]:
    ways: dict[str, set[str]] = defaultdict(set)
    for text in table.label.texts:
        if number(text) is not None:
            ways[option_name(text)].add(text.strip())
    several = [texts for texts in ways.values() if len(texts) > 1]
    if several:
        shown = listed([" and ".join(sorted(texts)) for texts in several])
        message = f"Numbers are written in several ways, and each is read as one label: {shown}."
        yield Finding(check="similar-labels", severity="note", message=message, count=len(several))


def _shortened(table: Table) -> Iterator[Finding]:
    """Single letters that stand for words: `Y` beside `Yes`."""
    counts = table.label_counts()
    words = sorted((label for label in counts if len(label) > 1 and label.isalpha()), key=counts.__getitem__)
    by_letter = {word[0].casefold(): word for word in words}
    is_plain = len({word.casefold() for word in words}) == len(by_letter)
    letters = [label for label in counts if len(label) == 1 and label.isalpha()]
    if letters and is_plain and all(letter.casefold() in by_letter for letter in letters):
        names = {letter: by_letter[letter.casefold()] for letter in letters}
        shown = listed([f"{letter} ({counts[letter]:,}) for {word}" for letter, word in names.items()])
        message = f"Letters stand for words and are read as different labels: {shown}."
        yield _similar(table, message, {letter: counts[letter] for letter in letters}, renaming(names))


def _misspelt(table: Table, alike: set[str]) -> Iterator[Finding]:
    counts = table.label_counts()
    words = [t for t in counts if len(t) >= FEWEST_LETTERS and number(t) is None and t not in alike and "|" not in t]
    if len(words) > MOST_LABELS:
        return
    for rare in sorted(words, key=counts.__getitem__):
        common = (word for word in words if word != rare and counts[rare] <= MISSPELT * counts[word])
        usual = next((word for word in common if is_slip(rare, word)), None)
        if usual is not None:
            message = f"The label {rare} ({counts[rare]:,}) may be a misspelling of {usual} ({counts[usual]:,})."
            yield _similar(table, message, {rare: counts[rare]}, renaming({rare: usual}))


def is_slip(text: str, other: str) -> bool:
    """Whether two labels differ in one letter of one word: left out, too many, wrong, or in the other's place.

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


# ---- Labels that are no step of the scale: words among numbers, words that mean missing, numbers far off

SELDOM = 0.25  # a label that is given more often than this is an answer, such as `none` where most items have nothing
MAY_BE_MISSING = frozenset({
    *LIKE_MISSING, "none", "unsure", "not sure", "don't know", "dont know", "do not know", "skip",
    "skipped", "unclear", "unknown", "?", "-", "prefer not to say", "inconsistent",
})  # fmt: skip
MOSTLY = 0.8  # from this share of numbers on the scale is one of numbers
MISSING = f"{named('off_scale', of='import_')} missing"


def off_scale(table: Table) -> Iterator[Finding]:
    """Labels that are not among those given, or do not look like the others."""
    counts, given = table.label_counts(), named("labels", of="import_")
    if table.plan.labels is not None:
        scale = set(listed_options(table.plan.labels))
        outside = [label for label in counts if not set(label.split("|")) <= scale]
        yield from _off(table, outside, f"are not among {given}", MISSING, "error")
        return
    numbers = {label: value for label in counts if (value := number(label)) is not None}
    commas = {label for label in counts if "," in label} if has_decimal_commas(counts) else set()
    words = [label for label in counts if label not in numbers and "|" not in label and label not in commas]
    total = sum(n for label, n in counts.items() if label not in commas)
    if numbers and words and sum(counts[label] for label in numbers) >= MOSTLY * total:
        option = _as_missing(words)
        if len(numbers) <= MOST_ORDINAL_LABELS:
            option = f"{given} {','.join(sorted(numbers, key=natural_order))} {MISSING}"
        yield from _off(table, words, "are words on a scale of numbers", option)
    else:
        odd = [label for label in words if _means_missing(label, counts[label] / total)]
        if len(odd) < len(counts):
            is_number = len(odd) + len(numbers) == len(counts)  # all others are
            is_choice = not is_number and not all(label.lower() in LIKE_MISSING for label in odd)
            for finding in _off(table, odd, "may mean that there is no label", _as_missing(odd)):
                yield replace(finding, is_choice=is_choice)
    far = far_numbers(counts)
    yield from _off(table, far, "are far from all other numbers", _as_missing(far))


def _as_missing(labels: Sequence[str]) -> str:
    return renaming(dict.fromkeys(labels, ""))


def _means_missing(label: str, share: float) -> bool:
    word = label.lower()
    return word in LIKE_MISSING or (share <= SELDOM and (word in MAY_BE_MISSING or "inconsistent" in word))


def _off(table: Table, labels: list[str], what: str, option: str, severity: Severity = "warning") -> Iterator[Finding]:
    counts = table.label_counts()
    times = sum(counts[label] for label in labels)
    if labels:
        message = f"{counted(times, 'answer')} {what}: {listed(shown_counts(counts, labels))}."
        rows = tuple(table.rows_with(labels))
        yield Finding(check="off-scale", severity=severity, message=message, count=times, rows=rows, option=option)


# ---- Labels of judges that are people's, written otherwise, and judges that never give a label of people's


def labels_apart(table: Table) -> Iterator[Finding]:
    """Labels that differ from people's in case or blanks only, and judges whose labels are all others than people's."""
    if table.people is None:
        return
    people, counts = _options(table.people.label_counts()), table.label_counts()
    alike = {folded(option): option for option in sorted(people)}
    names = {o: alike[folded(o)] for o in sorted(_options(counts) - people) if folded(o) in alike}
    if names:
        theirs = [text for text in counts if names.keys() & set(text.split(SEPARATOR))]
        shown = listed([f"{judges} for people's {ours}" for judges, ours in names.items()])
        is_column = table.shares is not None
        remedy = " Rename the columns p_<label> in the file." if is_column else ""
        yield Finding(
            check="labels-apart",
            severity="warning",
            message=f"The judges write {shown}, which are read as different labels.{remedy}",
            count=sum(counts[text] for text in theirs),
            rows=tuple(table.rows_with(theirs, as_written=True)),
            option="" if is_column else renaming(names),
        )
    yield from _strangers(table, people, alike)


def _options(labels: dict[str, int]) -> set[str]:
    return {option for label in labels for option in label.split(SEPARATOR)}


def _strangers(table: Table, people: set[str], alike: dict[str, str]) -> Iterator[Finding]:
    """Labels of judges that nobody gives; numbers may be scores on a scale of their own."""
    rare: set[str] = set()
    scale = table.people.plan.labels if table.people is not None else None
    declared = set(listed_options(scale)) if scale is not None else set()
    for name, mine in table.answers_of_each():
        texts = {table.answer.texts[label] for label in np.unique(table.answer.codes[mine]).tolist()}
        options = {option for text in texts for option in text.split(SEPARATOR)}
        foreign = {option for option in options if option not in people and folded(option) not in alike}
        if foreign != options:
            rare |= {option for option in foreign if number(option) is None and option not in declared}
        elif any(number(option) is None for option in options):
            yield Finding(
                check="labels-apart",
                severity="warning",
                message=f"The judge {shortened(name)} never gives a label of people's ({listed(sorted(people))}), but "
                f"{listed(sorted(options))} in {counted(len(mine), 'answer')}: check that it is a judge, or say which "
                f"of people's each means with {_meaning(sorted(options))}.",
                count=len(mine),
                rows=tuple(table.row[mine].tolist()),
            )
    if rare:
        counts = table.label_counts()
        theirs = [text for text in counts if rare & set(text.split(SEPARATOR))]
        yield Finding(
            check="labels-apart",
            severity="warning",
            message=f"No rater ever gives {listed(shown_counts(counts, theirs))}, as judges do; people's labels are "
            f"{listed(sorted(people))}. If it is one of those, rename it with {named('label_map', of='import_')}.",
            count=sum(counts[text] for text in theirs),
            rows=tuple(table.rows_with(theirs)),
        )


def _meaning(labels: Sequence[str]) -> str:
    """The option that gives labels other names, with a place for each name."""
    return renaming(dict.fromkeys(labels[:2], "LABEL")) or named("label_map", of="import_")


CHECKS = (decimal_commas, joined_labels, similar_labels, off_scale, labels_apart)
