"""From plain columns to validated Ratings and Judges: labels coded, missing ones left out, repeats refused."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import Cells, ColumnNames, HasColumns, Sheet, TextColumn, compact, joint_key, lookup
from dissensus.data.columns import UNKNOWN, find_column, likely_match, shown_columns, typed_columns
from dissensus.data.fixes import doubts, with_plain_numbers
from dissensus.data.formats.plan import LeftOut, RawJudges, RawRatings, ReadPlan, Repeats, sentences
from dissensus.data.formats.tables import JUDGE_ROLES
from dissensus.data.judges import ORDERS, Judges
from dissensus.data.labels import (
    LabelSet,
    code_labels,
    label_counts,
    natural_order,
    probability_columns,
    read_probabilities,
)
from dissensus.data.ratings import ELICITATIONS, Provenance, Ratings
from dissensus.errors import (
    SHOWN,
    ColumnError,
    FileError,
    JudgesError,
    RatingsError,
    RepeatedRatingsError,
    counted,
    named,
    shortened,
)

# ---- Ratings that come twice: refuse them, or keep one of each

LARGEST_SCATTER = 1 << 26
"""Bytes that we spend to find repeats without sorting."""


def drop_repeats(
    columns: Mapping[str, TextColumn | None], kept: Codes, *, repeats: Repeats, row: Codes, name: str
) -> tuple[Codes, int]:
    """The positions among `kept` without repeated keys, and how many were dropped; a column may be missing."""
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
NAMELESS_JUDGE = "judge"
CHECK = "Check that it is the right file, or name the column of the labels with"
CHECK_LABELS = f"{CHECK} {named('label', of='read')}."


def assemble(raw: RawRatings, plan: ReadPlan, provenance: Provenance) -> tuple[Ratings, tuple[LeftOut, ...]]:
    """Validated ratings from what a format handed over, and what was left out."""
    name = provenance.name
    if not raw.rows:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to read. Export it again.")
    order = raw.label.order or None if plan.labels is None else plan.labels
    label, label_set, _ = code_labels(raw.label, order=order, scale=plan.scale, row=raw.row, name=name)
    elicitation = None if raw.elicitation is None else code_elicitation(raw.elicitation, row=raw.row, name=name)
    has_label = label >= 0 if raw.times is None else (label >= 0) & (raw.times > 0)
    for role, column in (("item", raw.item), ("rater", raw.rater)):
        check_filled(role, column, has_label, row=raw.row, name=name, what="label")
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
    times = None if raw.times is None else raw.times[kept]
    doubtful = doubts(label_counts(label[kept], label_set, times), label_set, order=order)
    ratings = Ratings(
        item=item, items=items, rater=rater, raters=raters, label=label[kept], labels=label_set.labels,
        options=label_set.options, scale=label_set.scale, group=group, groups=groups,
        elicitation=None if elicitation is None else elicitation.codes[kept],
        times=times,
        warnings=(*sentences(left_out), *raw.warnings, *doubtful), provenance=provenance,
    )  # fmt: skip
    return ratings, left_out


def check_filled(
    role: str, column: TextColumn | None, needed: npt.NDArray[np.bool_], *, row: Codes, name: str, what: str
) -> None:
    """Raise if a cell is empty in a row that needs it."""
    bare = np.flatnonzero(needed & (column.codes < 0)) if column is not None else np.empty(0, np.intp)
    if bare.size:
        rows = np.unique(row[bare]).size  # a row of a wide table has several
        others = f" ({counted(rows, 'such row')})" if rows > 1 else ""
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
    """The elicitations in our spelling; empty where there is none."""
    known: dict[str, int] = {elicitation: i for i, elicitation in enumerate(ELICITATIONS)}
    spelled = [text.strip().lower().replace("-", "_").replace(" ", "_") for text in column.texts]
    codes = lookup(known.get(text, -1) for text in spelled)[column.codes]
    bad = np.flatnonzero((codes < 0) & (column.codes >= 0))
    if bad.size:
        text = shortened(str(column[int(bad[0])]))
        raise ColumnError(
            f"{name}, row {row[bad[0]]}: the elicitation is {text!r}. Write {' or '.join(ELICITATIONS)}, or nothing."
        )
    return TextColumn(codes, ELICITATIONS)


# ---- The rows of a judges file


def assemble_judges(raw: RawJudges, plan: ReadPlan, *, sha256: str | None) -> tuple[Judges, tuple[LeftOut, ...]]:
    """Validated judges from what a format handed over, and what was left out."""
    sheet = raw.sheet
    roles, columns, cells = _load(sheet, {role: raw.names.get(role) for role in JUDGE_ROLES})
    columns["label"], notes = with_plain_numbers(columns["label"], sheet.delimiter)
    row, item, judge = cells.row, columns["item"], columns["judge"]
    label, label_set, probability, rescaled = _answers(columns["label"], cells, sheet, order=plan.labels)
    kept = _answered(columns, label, probability, row=row, name=sheet.name, of=plan.of)
    without, dropped = len(row) - len(kept) + cells.blank_rows, 0
    if "sample" in columns:  # without numbers every row is another sample
        key = {role: columns.get(role) for role in ("item", "judge", "elicitation", "order", "sample")}
        kept, dropped = drop_repeats(key, kept, repeats=plan.repeats, row=row, name=sheet.name)
    losses = (
        LeftOut(what="row without an answer", several="rows without an answer", count=without),
        LeftOut(what="repeated sample", count=dropped, why=f"the {plan.repeats} of each was kept"),
        *raw.left_out,
    )
    left_out = tuple(some for some in losses if some.count)
    warnings = [*sentences(left_out), *raw.warnings, *notes]
    sample = _sample_numbers(columns, kept)
    if "sample" not in columns and sample.max(initial=0) > 0:
        warnings.append(about_samples(sheet, roles, of=plan.of))
    if rescaled:
        warnings.append(f"Rescaled {counted(rescaled, 'row')} of probabilities that almost sum to 1.")
    given = None if probability is None else probability[kept]
    both, odd = contradicting(label[kept], given, label_set)
    first = kept[odd[:SHOWN]].tolist()
    shown = [f"{shortened(str(judge[i]))} on {shortened(str(item[i]))} (row {row[i]})" for i in first]
    warnings += about_contradictions(len(odd), len(both), shown)
    item_code, items = compact(item.codes[kept], item.texts)
    judge_code, judges = compact(judge.codes[kept], judge.texts)
    n_columns = len(sheet.columns)
    origin = Provenance(name=sheet.name, sha256=sha256, format=raw.format, rows=len(row), columns=n_columns)
    answers = Judges(
        item=item_code, items=items, judge=judge_code, judges=judges, sample=sample, label=label[kept],
        labels=label_set.labels, options=label_set.options,
        probability=given,
        elicitation=columns["elicitation"].codes[kept] if "elicitation" in columns else None,
        order=columns["order"].codes[kept] if "order" in columns else None,
        warnings=(*warnings, *doubts(label_counts(label[kept], label_set), label_set, order=plan.labels)),
        provenance=origin,
    )  # fmt: skip
    return answers, left_out


def _load(sheet: Sheet, names: Mapping[str, str | None]) -> tuple[dict[str, str | None], dict[str, TextColumn], Cells]:
    """Names and columns by role, and all cells, probabilities included; the columns item, judge and label always."""
    roles = {role: find_column(sheet, role, given) for role, given in names.items()}
    p_columns = probability_columns(sheet)
    cells = sheet.load([name for name in (*roles.values(), *p_columns) if name is not None])
    n_rows = len(cells.row)
    if not n_rows:
        raise FileError(f"{sheet.name} has columns but no rows below them: there is nothing to read. Export it again.")
    columns = {
        "judge": TextColumn(np.zeros(n_rows, dtype=np.intp), (NAMELESS_JUDGE,)),
        "label": TextColumn(np.full(n_rows, -1, dtype=np.intp), ()),
        **{role: cells.columns[name] for role, name in roles.items() if name is not None},
    }
    if "elicitation" in columns:
        columns["elicitation"] = code_elicitation(columns["elicitation"], row=cells.row, name=sheet.name)
    if "order" in columns:
        order = _order(columns.pop("order"), row=cells.row, name=sheet.name, is_named=names["order"] is not None)
        columns |= {} if order is None else {"order": order}
    return roles, columns, cells


def _order(column: TextColumn, *, row: Codes, name: str, is_named: bool) -> TextColumn | None:
    """In which order each pair was shown; None for a column of that name that holds something else."""
    place = {order: i for i, order in enumerate(ORDERS)}
    known = [place.get(text.strip().lower(), -1) for text in column.texts]
    codes = lookup(known)[column.codes]
    strange = np.flatnonzero((codes < 0) & (column.codes >= 0))
    if not strange.size:
        return TextColumn(codes, ORDERS)
    if not is_named and max(known, default=-1) < 0:
        return None
    text = shortened(str(column[int(strange[0])]))
    raise ColumnError(f"{name}, row {row[strange[0]]}: the order is {text!r}. Write {' or '.join(ORDERS)}, or nothing.")


def about_samples(sheet: HasColumns, roles: Mapping[str, str | None], *, of: str = "read_judges") -> str:
    """What to say of several rows of one item without a sample number; raise if they seem to be of several judges."""
    if roles.get("judge") is None:
        rest = ColumnNames(sheet.name, tuple(column for column in sheet.columns if column not in roles.values()))
        judge, rater = likely_match(rest.columns, "judge"), find_column(rest, "rater")
        # With the judge's column what is not called as we call it.
        others = {role: name for role, name in roles.items() if name is not None and name.strip().lower() != role}
        option = typed_columns({"judge": judge or rater or UNKNOWN}, of, given=others)
        if judge is not None:
            raise ColumnError(
                f"{sheet.name} has several rows of one item and no column 'judge'. Columns found: "
                f"{shown_columns(sheet)}. The likely match is {judge}: add {option}."
            )
        if rater is not None:
            raise ColumnError(
                f"{sheet.name} looks like people's ratings: it has a column {rater!r} and no column 'judge'. Give the "
                f"judges' answers, a table with item, judge and label; if the raters are judges, add {option}."
            )
    return "There is no sample column: several rows of one judge and item are taken as its samples."


def _answers(
    label: TextColumn, cells: Cells, sheet: Sheet, *, order: Sequence[str] | None
) -> tuple[Codes, LabelSet, Floats | None, int]:
    """Labels coded, in order, probabilities checked, and how many rows of these were rescaled."""
    p_columns = probability_columns(sheet)
    codes, label_set, code_of = code_labels(label, order=order, row=cells.row, name=sheet.name, also=p_columns)
    if not p_columns:
        return codes, label_set, None, 0
    given, rescaled = read_probabilities({c: cells.columns[c] for c in p_columns}, row=cells.row, name=sheet.name)
    probability = np.zeros((len(codes), len(label_set.labels)))
    probability[:, [code_of[frozenset(label)] for label in p_columns.values()]] = given
    probability[np.isnan(given).any(axis=1)] = np.nan
    return codes, label_set, probability, rescaled


TIE = 1e-9
"""Probabilities that differ by less are equal."""


def contradicting(label: Codes, probability: Floats | None, label_set: LabelSet) -> tuple[Codes, Codes]:
    """The answers with a label and probabilities, and those of them whose label is not among the most likely.

    Of labels in order the median may be stated as well. A response set beside probabilities of single options
    contradicts nothing.
    """
    if probability is None:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    both = np.flatnonzero((label >= 0) & ~np.isnan(probability).any(axis=1))
    both = both[(label[both] < len(label_set.options)) | (probability[both, label[both]] > 0)]
    own = probability[both, label[both]]
    is_odd = own < probability[both].max(axis=1) - TIE
    if label_set.scale != "nominal":
        up_to = np.cumsum(probability[both], axis=1)[np.arange(len(both)), label[both]]
        is_odd &= (up_to < 1 / 2 - TIE) | (up_to - own > 1 / 2 + TIE)
    return both, both[is_odd]


def about_contradictions(odd: int, both: int, first: Sequence[str]) -> list[str]:
    """What to say of stated labels that contradict the probabilities beside them, with the first ones; or nothing."""
    if not odd:
        return []
    shown = ", ".join(first) + (", ..." if first and odd > len(first) else "")
    not_likely = f"{'is' if odd == 1 else 'are'} not the most likely by them{': ' * bool(first)}{shown}"
    stated = f"{counted(odd, 'stated label')} of {both:,} beside probabilities"
    return [f"{stated} {not_likely}. Hard scores use the label, others the probabilities."]


def _answered(
    columns: Mapping[str, TextColumn], label: Codes, probability: Floats | None, *, row: Codes, name: str, of: str
) -> Codes:
    """Rows with an answer; an answer to no item or by no judge is an error."""
    has_answer = label >= 0
    if probability is not None:
        has_answer |= ~np.isnan(probability).any(axis=1)
    for role in ("item", "judge"):
        check_filled(role, columns[role], has_answer, row=row, name=name, what="judge's answer")
    if not has_answer.any():
        option = typed_columns({"label": UNKNOWN}, of)
        raise JudgesError(f"{name} has {counted(len(row), 'row')} and not one answer. {CHECK} {option}.")
    return np.flatnonzero(has_answer)


def _sample_numbers(columns: Mapping[str, TextColumn], kept: Codes) -> Codes:
    """Number of each sample within its judge, item and elicitation, from 0: in the order of the sample column."""
    key = joint_key(columns[role].take(kept) for role in ("item", "judge", "elicitation", "order") if role in columns)
    place = _places(columns["sample"])[kept] if "sample" in columns else np.arange(len(kept))
    order = np.lexsort((place, key))
    is_first = np.concatenate([[True], np.diff(key[order]) != 0])
    start = np.maximum.accumulate(np.where(is_first, np.arange(len(kept)), 0))
    number = np.empty(len(kept), dtype=np.intp)
    number[order] = np.arange(len(kept)) - start
    return number


def _places(column: TextColumn) -> Codes:
    """For each row the place of its text in the natural order of all texts."""
    order = sorted(range(len(column.texts)), key=lambda code: natural_order(column.texts[code]))
    place = np.empty(len(order) + 1, dtype=np.intp)
    place[order] = np.arange(len(order))
    place[-1] = len(order)
    return place[column.codes]
