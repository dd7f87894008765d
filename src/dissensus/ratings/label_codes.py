"""From a column of labels to codes, with the labels in order."""

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.errors import OptionError
from dissensus.ratings.coding import Codes, TextColumn, lookup
from dissensus.ratings.labels import LabelSet, Scale, listed_options, options_of, order_labels, unlisted

LIKE_MISSING = frozenset({"na", "n/a", "#n/a", "nan", "null"})
"""Words that other tools write for a missing label; here they are labels, and the user is told."""


def code_labels(
    column: TextColumn,
    *,
    order: Sequence[str] | None,
    scale: Scale | None = None,
    row: Codes,
    name: str,
    also: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Codes, LabelSet, dict[frozenset[str], int]]:
    """Code of each row's label, -1 where it is missing; the labels in order; the code of each label.

    Parameters
    ----------
    column : TextColumn
        The labels as text.
    order, scale
        What the user says about the labels.
    row, name
        Numbers of the rows and name of the file, for messages.
    also : mapping of str to tuple of str, optional
        Further labels, each as its options, by the column that has its name from the label.
    """
    parsed = [options_of(text) for text in column.texts]
    further = also or {}
    if order is not None:
        _check_listed(column, parsed, listed_options(order), row=row, name=name)
        for title, label in further.items():
            _check_option(label, listed_options(order), where=f"{name}, column {title}")
    given = [label for label in (*parsed, *further.values()) if label]
    label_set, code_of = order_labels(given, order=order, scale=scale)
    codes = lookup(code_of[frozenset(label)] if label else -1 for label in parsed)[column.codes]
    return codes, label_set, code_of


def _check_listed(
    column: TextColumn, parsed: Sequence[tuple[str, ...]], options: tuple[str, ...], *, row: Codes, name: str
) -> None:
    """Every label must be among those the user listed."""
    known = set(options)
    is_outside = np.array([*(not known.issuperset(label) for label in parsed), False])[column.codes]
    if is_outside.any():
        first = int(np.argmax(is_outside))
        _check_option(parsed[column.codes[first]], options, where=f"{name}, row {row[first]}")


def _check_option(label: tuple[str, ...], options: tuple[str, ...], *, where: str) -> None:
    outside = [option for option in label if option not in options]
    if outside:
        raise OptionError(f"{where}: {unlisted(outside, options)}.")


def label_counts(codes: Codes, label_set: LabelSet) -> Codes:
    """How often each label was given; -1 is none."""
    return np.bincount(codes[codes >= 0], minlength=len(label_set.labels))
