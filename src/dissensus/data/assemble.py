"""From plain columns to validated Ratings: labels are coded, missing ones left out and counted, repeats refused."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes
from dissensus.data.coding import TextColumn, compact, joint_key, lookup
from dissensus.data.doubts import doubts
from dissensus.data.formats.plan import RawRatings, ReadPlan, Repeats
from dissensus.data.labels import code_labels, label_counts
from dissensus.data.provenance import LeftOut, Provenance, sentences
from dissensus.data.ratings import ELICITATIONS, Ratings
from dissensus.errors import SHOWN, ColumnError, FileError, RatingsError, RepeatedRatingsError, counted, shortened

# ---- Ratings that come twice: refuse them, or keep one of each

LARGEST_SCATTER = 1 << 26
"""Bytes that we spend to find repeats without sorting."""


def drop_repeats(
    columns: Mapping[str, TextColumn | None], kept: Codes, *, repeats: Repeats, row: Codes, name: str
) -> tuple[Codes, int]:
    """The rows without repeated keys, and how many were dropped.

    Parameters
    ----------
    columns : mapping of str to TextColumn
        What makes the key; a column that is None does not count.
    kept : ndarray of shape (n_kept,)
        Positions of the rows to look at, in order.
    repeats : {"error", "first", "last", "keep"}
        Which of the repeated rows to keep.
    row : ndarray of shape (n_rows,)
        Row numbers as a spreadsheet counts, for the message.
    name : str
        What to call the file in the message.
    """
    if repeats == "keep":
        return kept, 0
    present = {role: column.take(kept) for role, column in columns.items() if column is not None}
    key = joint_key(present.values())
    if are_distinct(key):
        return kept, 0
    if repeats == "last":
        kept, key = kept[::-1], key[::-1]
    first = np.unique(key, return_index=True)[1]
    dropped = len(key) - len(first)
    if repeats == "error":
        later = np.setdiff1d(np.arange(len(key)), first)[:SHOWN]
        shown = [f"{_named(present, position)} (row {row[kept[position]]})" for position in later.tolist()]
        raise RepeatedRatingsError(shown, total=dropped, source=name, key=list(present))
    return np.sort(kept[first]), dropped


def are_distinct(key: npt.NDArray[np.int64]) -> bool:
    """Whether no key occurs twice; by scattering where the keys are small, because that is faster than sorting.

    Examples
    --------
    >>> are_distinct(np.array([3, 1, 2])), are_distinct(np.array([3, 1, 3]))
    (True, False)
    """
    if key.size and key.max() < LARGEST_SCATTER:
        seen = np.zeros(int(key.max()) + 1, dtype=np.bool_)
        seen[key] = True
        return int(np.count_nonzero(seen)) == key.size
    # Not np.unique, which hashes integers: that takes ten times as long for millions of distinct keys.
    ordered = np.sort(key)
    return not bool(np.any(ordered[1:] == ordered[:-1]))


def _named(columns: Mapping[str, TextColumn], position: int) -> str:
    """What makes the key of a row, in words."""
    parts = [(role, column[position]) for role, column in columns.items()]
    return " ".join(f"{role} {text}" for role, text in parts if text is not None)


# ---- From plain columns to validated Ratings: labels are coded, missing ones left out and counted, repeats refused

NO_GROUP = "(none)"
CHECK_LABELS = "Check that it is the right file, or name the column of the labels with --label."
CHECK_ANSWERS = "Check that it is the right file, or name the column of the labels with {option}."


def assemble(raw: RawRatings, plan: ReadPlan, provenance: Provenance) -> tuple[Ratings, tuple[LeftOut, ...]]:
    """Validated ratings from what a format handed over, and what was left out."""
    name = provenance.name
    if not raw.rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    label, label_set, _ = code_labels(raw.label, order=plan.labels, scale=plan.scale, row=raw.row, name=name)
    elicitation = None if raw.elicitation is None else code_elicitation(raw.elicitation, row=raw.row, name=name)
    has_label = label >= 0 if raw.times is None else (label >= 0) & (raw.times > 0)
    _check_complete(raw, has_label, name)
    if not has_label.any():
        raise RatingsError(f"{name} has {counted(raw.rows, 'row')} and not one label. {CHECK_LABELS}")
    kept, dropped = np.flatnonzero(has_label), 0
    if raw.rater is not None:
        key = {"item": raw.item, "rater": raw.rater, "elicitation": elicitation}
        kept, dropped = drop_repeats(key, kept, repeats=plan.repeats, row=raw.row, name=name)
    item, items = compact(raw.item.codes[kept], raw.item.texts)
    rater, raters = (None, ()) if raw.rater is None else compact(raw.rater.codes[kept], raw.rater.texts)
    group, groups = _groups(raw.group, kept)
    repeated = LeftOut(what="repeated rating", count=dropped, why=f"the {plan.repeats} of each was kept")
    losses = (*_left_out(raw, label, lost=len(raw.item.texts) - len(items)), repeated, *raw.left_out)
    left_out = tuple(some for some in losses if some.count)
    ratings = Ratings(
        item=item,
        items=items,
        rater=rater,
        raters=raters,
        label=label[kept],
        labels=label_set.labels,
        options=label_set.options,
        scale=label_set.scale,
        group=group,
        groups=groups,
        elicitation=None if elicitation is None else elicitation.codes[kept],
        times=None if raw.times is None else raw.times[kept],
        warnings=(
            *sentences(left_out),
            *raw.warnings,
            *doubts(label_counts(label[kept], label_set), label_set, order=plan.labels),
        ),
        provenance=provenance,
    )
    return ratings, left_out


def _check_complete(raw: RawRatings, has_label: npt.NDArray[np.bool_], name: str) -> None:
    """Every label needs an item, and a rater where there is a rater column."""
    for role, column in (("item", raw.item), ("rater", raw.rater)):
        check_filled(role, column, has_label, row=raw.row, name=name, what="label")


def check_filled(
    role: str, column: TextColumn | None, needed: npt.NDArray[np.bool_], *, row: Codes, name: str, what: str
) -> None:
    """Raise if a cell is empty in a row that needs it."""
    bare = np.flatnonzero(needed & (column.codes < 0)) if column is not None else np.empty(0, np.intp)
    if bare.size:
        others = f" ({counted(bare.size, 'such row')})" if bare.size > 1 else ""
        raise ColumnError(f"{name}, row {row[bare[0]]}: a {what} but no {role}{others}. Fill it in or delete the row.")


def _left_out(raw: RawRatings, label: Codes, *, lost: int) -> list[LeftOut]:
    """Count what is left out for want of a label."""
    is_bare = label < 0
    has_item = raw.item.codes >= 0
    # A row of a table of counts stands for as many ratings as it counts.
    unlabelled = np.sum(is_bare & has_item) if raw.times is None else np.sum(raw.times[is_bare & has_item])
    blank = raw.blank_rows + int(np.sum(is_bare & ~has_item))
    return [
        LeftOut(what="blank row", count=blank),
        LeftOut(what="rating without a label", several="ratings without a label", count=int(unlabelled)),
        LeftOut(what="item without any label", several="items without any label", count=lost),
    ]


def _groups(column: TextColumn | None, kept: Codes) -> tuple[Codes | None, tuple[str, ...]]:
    """Codes of the groups; a rating without one belongs to the group `(none)`."""
    if column is None:
        return None, ()
    texts = list(dict.fromkeys([*column.texts, NO_GROUP]))
    codes = column.codes[kept]
    return compact(np.where(codes < 0, texts.index(NO_GROUP), codes), texts)


def code_elicitation(column: TextColumn, *, row: Codes, name: str) -> TextColumn:
    """The elicitations in our spelling; empty where it is not said."""
    known: dict[str, int] = {elicitation: i for i, elicitation in enumerate(ELICITATIONS)}
    spelled = [text.strip().lower().replace("-", "_").replace(" ", "_") for text in column.texts]
    bad = np.flatnonzero(np.array([*(text not in known for text in spelled), False])[column.codes])
    if bad.size:
        text = shortened(str(column[int(bad[0])]))
        raise ColumnError(
            f"{name}, row {row[bad[0]]}: the elicitation is {text!r}. Write {' or '.join(ELICITATIONS)}, or nothing."
        )
    return TextColumn(lookup(known.get(text, -1) for text in spelled)[column.codes], ELICITATIONS)
