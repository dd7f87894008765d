"""What every command says about labels that may not be what they look like."""

import csv
import glob
import io
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Codes
from dissensus.data.fixes import case_variants, folded
from dissensus.data.labels import LIKE_MISSING, LabelSet, has_decimal_commas, number, parts_of
from dissensus.errors import SHOWN, counted, listed, shortened

if TYPE_CHECKING:
    from dissensus.data.judges import Judges

_UNSAFE = frozenset('"$`\\!')


def typed(option: str, text: str) -> str:
    """An option and its value, which is quoted unless it is a plain word.

    Examples
    --------
    >>> typed("--drop", "is_gold=true"), typed("--map", "n/a="), typed("--drop", "rater=$(rm x)")
    ('--drop is_gold=true', '--map "n/a="', "--drop 'rater=$(rm x)'")
    """
    if text.replace("=", "").replace("_", "").isalnum():
        return f"{option} {text}"
    return f"{option} {shlex.quote(text)}" if _UNSAFE & set(text) else f'{option} "{text}"'


def listing(parts: Iterable[str]) -> str:
    """Parts as an option takes them: with commas between, and in double quotes where a part has one.

    Examples
    --------
    >>> listing(["a", "yes, but"])
    'a,"yes, but"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(parts)
    return line.getvalue()


def renaming(names: Mapping[str, str]) -> str:
    """The option that gives labels other names, empty ones meaning missing; none if it cannot say so.

    Examples
    --------
    >>> renaming({"NO": "No", "n/a": ""}), renaming({"a=b": ""})
    ('--map "NO=No,n/a="', '')
    """
    if any("=" in old for old in names):
        return ""
    return typed("--map", listing(f"{old}={new}" for old, new in names.items()))


def dropping(column: str, patterns: Iterable[str]) -> str:
    """The options that leave out the rows whose column is like one of the first of these patterns."""
    return " ".join(typed("--drop", f"{column}={pattern}") for pattern in list(patterns)[:SHOWN])


def literally(text: str) -> str:
    """A text as a pattern of itself.

    Examples
    --------
    >>> literally("a*")
    'a[*]'
    """
    return glob.escape(text)


# ---- What every command says about labels that may not be what they look like

MOST_LABELS = 300
"""Past so many different labels they are text, and no two are compared."""


def doubts(count: Codes, label_set: LabelSet, *, order: Sequence[str] | None) -> list[str]:
    """Warnings about labels; none if the user listed them.

    Parameters
    ----------
    count : ndarray of shape (n_labels,)
        How often each label was given.
    label_set, order
        The labels, and what the user says about them.
    """
    if order is not None:
        return []
    return [
        *_like_missing(count, label_set),
        *_same(count, label_set),
        *_with_commas(label_set.options),
    ]


def _like_missing(count: Codes, label_set: LabelSet) -> list[str]:
    """Labels that look like the mark of a missing one."""
    return [
        f"{shortened(option)!r} was read as a label ({counted(int(times), 'time')}): empty those cells if it means "
        "that there is none."
        for option, times in zip(label_set.options, count, strict=False)  # the options are the first labels
        if times and option.lower() in LIKE_MISSING
    ]


def _same(count: Codes, label_set: LabelSet) -> list[str]:
    if len(label_set.labels) > MOST_LABELS:
        return []
    known = set(label_set.options)
    labels = [parts_of(label, known) for label in label_set.labels]
    alike = case_variants(labels, count.tolist()).values()
    shown = [" and ".join(f"{shortened(option)} ({n:,})" for option, n in sorted(some.items())) for some in alike]
    said = f"These labels may be the same and were read as different ones: {'; '.join(shown)}. If they are, "
    return [f"{said}merge them with `dissensus import --merge-case`."] if shown else []


def _with_commas(options: Sequence[str]) -> list[str]:
    if not has_decimal_commas(options):
        return []
    shown = listed([repr(option) for option in options if "," in option])
    said = f"These labels look like numbers with a decimal comma and were read as words: {shown}. If they are, "
    return [f"{said}`dissensus import --decimal-comma` reads them as numbers."]


def about_foreign_labels(judges: "Judges", options: Collection[str]) -> list[str]:
    """Warn of judges that never gave a label of people; numbers may be scores on a scale of their own.

    Parameters
    ----------
    judges : Judges
        The answers.
    options : collection of str
        What people chose among.
    """
    given = judges.label >= 0
    if judges.probability is not None:
        given &= ~np.isin(judges.judge, judges.judge[~np.isnan(judges.probability).any(axis=1)])
    pair = np.unique(judges.judge[given] * len(judges.labels) + judges.label[given])
    speaker = pair // max(1, len(judges.labels))
    pair = pair[np.bincount(speaker, minlength=len(judges.judges))[speaker] <= MOST_LABELS]
    said: dict[int, list[str]] = {}
    for judge, label in zip(*(part.tolist() for part in np.divmod(pair, max(1, len(judges.labels)))), strict=True):
        said.setdefault(judge, []).append(judges.labels[label])
    own, alike = set(judges.options), dict[frozenset[str], list[str]]()
    for judge, labels in said.items():
        theirs = frozenset(part for label in labels for part in parts_of(label, own))
        if theirs.isdisjoint(options) and any(number(option) is None for option in theirs):
            alike.setdefault(theirs, []).append(judges.judges[judge])
    return [_foreign(names, sorted(theirs), options) for theirs, names in alike.items()]


def _foreign(judges: Sequence[str], theirs: Sequence[str], options: Collection[str]) -> str:
    people = {folded(option): option for option in sorted(options)}
    alike = {option: people[folded(option)] for option in theirs if folded(option) in people}
    who = "The judge" if len(judges) == 1 else "The judges"
    what = f"{who} {listed(judges)} never gave a label of the people ({listed(sorted(options))})"
    if alike:
        how = f"`dissensus import {renaming(alike)}`" if renaming(alike) else "the file"
        return f"{what}, but {listed(theirs)}, which are written otherwise: write them alike with {how}."
    return f"{what}, but {listed(theirs)}: if a column is no judge, name the judges' columns with --judge-columns."
