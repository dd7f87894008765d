"""From plain columns to validated Ratings: labels are coded, missing ones left out and counted, repeats refused."""

import numpy as np
import numpy.typing as npt

from dissensus.errors import SHOWN, ColumnError, FileError, OptionError, RatingsError, RepeatedRatingsError
from dissensus.ratings.coding import Codes, TextColumn, compact
from dissensus.ratings.formats.plan import REPEATS, RawRatings, ReadPlan, Repeats
from dissensus.ratings.labels import LabelSet, options_of, order_labels
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.table import ELICITATIONS, Ratings


def assemble(raw: RawRatings, plan: ReadPlan, provenance: Provenance) -> Ratings:
    """Validated ratings from what a format handed over."""
    name = provenance.name
    if not raw.row.size:
        raise FileError(f"{name} has columns but no ratings in them: there is nothing to read.")
    label, label_set = code_labels(raw.label, plan)
    warnings = list(raw.warnings)
    has_label = label >= 0
    _check_complete(raw, has_label, name)
    kept = np.flatnonzero(has_label)
    if not kept.size:
        raise RatingsError(f"{name} has {raw.row.size} rows and not one label in them: check the label column.")
    warnings += _left_out(raw, has_label)
    key_of = {"item": raw.item, "rater": raw.rater, "elicitation": raw.elicitation}
    if raw.rater is not None:
        kept, dropped = drop_repeats(key_of, kept, repeats=plan.repeats, row=raw.row)
        if dropped:
            warnings.append(f"{dropped} repeated ratings were left out: the {plan.repeats} of each was kept.")
    else:
        warnings.append("There is no rater column: each rating is taken to be by a rater of its own.")
    item, items = compact(raw.item.codes[kept], raw.item.texts)
    rater, raters = (None, ()) if raw.rater is None else compact(raw.rater.codes[kept], raw.rater.texts)
    group, groups = _groups(raw.group, kept)
    return Ratings(
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
        elicitation=None if raw.elicitation is None else code_elicitation(raw.elicitation, raw.row, name)[kept],
        times=None if raw.times is None else raw.times[kept],
        warnings=tuple(warnings),
        provenance=provenance,
    )


def code_labels(column: TextColumn, plan: ReadPlan) -> tuple[Codes, LabelSet]:
    """Code of each row's label, -1 where it is missing, and the labels in order."""
    parsed = [options_of(text) for text in column.texts]
    used = np.unique(column.codes)
    given = [parsed[code] for code in used[used >= 0] if parsed[code]]
    label_set, code_of = order_labels(given, order=plan.labels, scale=plan.scale)
    lookup = [code_of[frozenset(label)] if frozenset(label) in code_of else -1 for label in parsed]
    return np.array([*lookup, -1], dtype=np.intp)[column.codes], label_set


def _check_complete(raw: RawRatings, has_label: npt.NDArray[np.bool_], name: str) -> None:
    """Every label needs an item, and a rater where there is a rater column."""
    for role, column in (("item", raw.item), ("rater", raw.rater)):
        if column is None:
            continue
        bare = np.flatnonzero(has_label & (column.codes < 0))
        if bare.size:
            remedy = "Fill it in or delete the row."
            raise ColumnError(f"{name}, row {raw.row[bare[0]]}: a label but no {role} ({bare.size} such rows). {remedy}")


def _left_out(raw: RawRatings, has_label: npt.NDArray[np.bool_]) -> list[str]:
    """Count what is left out for want of a label."""
    has_item = raw.item.codes >= 0
    blank = int(np.sum(~has_label & ~has_item))
    unlabelled = int(np.sum(~has_label & has_item))
    lost = len(np.setdiff1d(raw.item.codes[has_item], raw.item.codes[has_label]))
    texts = []
    if blank:
        texts.append(f"{blank} blank rows were left out.")
    if unlabelled:
        texts.append(f"{unlabelled} ratings without a label were left out.")
    if lost:
        texts.append(f"{lost} items have no label at all and were left out.")
    return texts


def drop_repeats(
    columns: dict[str, TextColumn | None], rows: Codes, *, repeats: Repeats, row: Codes
) -> tuple[Codes, int]:
    """The rows without repeated keys, and how many were dropped.

    Parameters
    ----------
    columns : dict of TextColumn
        What makes the key; a column that is None does not count.
    rows : ndarray
        Positions that are candidates, in order.
    repeats : str
        Which of the repeated rows to keep.
    row : ndarray
        Row numbers as a person counts, for the message.
    """
    if repeats not in REPEATS:
        raise OptionError.unknown("--repeats", repeats, REPEATS)
    if repeats == "keep":
        return rows, 0
    key = np.zeros(len(rows), dtype=np.int64)
    present = {name: column for name, column in columns.items() if column is not None}
    for column in present.values():
        key = key * (len(column.texts) + 1) + column.codes[rows] + 1
    if are_distinct(key):
        return rows, 0
    if repeats == "last":
        rows, key = rows[::-1], key[::-1]
    first = np.unique(key, return_index=True)[1]
    dropped = len(key) - len(first)
    if dropped and repeats == "error":
        later = np.setdiff1d(np.arange(len(key)), first)
        raise RepeatedRatingsError([_triple(present, rows[i], row) for i in later[:SHOWN]], total=dropped)
    return np.sort(rows[first]), dropped


LARGEST_SCATTER = 1 << 26


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
    return np.unique(key).size == key.size


def _triple(columns: dict[str, TextColumn], position: int, row: Codes) -> str:
    named = " ".join(f"{name} {column[position]}" for name, column in columns.items() if column[position] is not None)
    return f"{named} (row {row[position]})"


def _groups(column: TextColumn | None, kept: Codes) -> tuple[Codes | None, tuple[str, ...]]:
    """Codes of the groups; a rating without one belongs to the group `(none)`."""
    if column is None:
        return None, ()
    codes = column.codes[kept]
    nameless = len(column.texts)
    return compact(np.where(codes < 0, nameless, codes), [*column.texts, "(none)"])


def code_elicitation(column: TextColumn, row: Codes, name: str) -> Codes:
    """Code of each row's elicitation, -1 where it is not said."""
    known = {elicitation: i for i, elicitation in enumerate(ELICITATIONS)}
    found = [known.get(text.strip().lower().replace("-", "_").replace(" ", "_")) for text in column.texts]
    bad = np.flatnonzero(np.isin(column.codes, [i for i, code in enumerate(found) if code is None]))
    if bad.size:
        raise ColumnError(
            f"{name}, row {row[bad[0]]}: elicitation is {column[int(bad[0])]!r}; it must be {' or '.join(ELICITATIONS)}."
        )
    return np.array([*(code or 0 for code in found), -1], dtype=np.intp)[column.codes]
