"""From the rows of a judges file to validated Judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.assemble import CHECK_ANSWERS, check_filled, code_elicitation, drop_repeats
from dissensus.data.coding import Cells, Sheet, TextColumn, compact, joint_key, lookup
from dissensus.data.columns import (
    JUDGES_NAMED_BY,
    UNKNOWN,
    ColumnNames,
    HasColumns,
    find_column,
    found,
    likely_match,
    typed_columns,
)
from dissensus.data.doubts import doubts
from dissensus.data.formats.plan import RawJudges, ReadPlan, Repeats
from dissensus.data.judges import ORDERS, Judges
from dissensus.data.labels import LabelSet, code_labels, label_counts, natural_order
from dissensus.data.probabilities import probability_columns, read_probabilities
from dissensus.data.provenance import LeftOut, Provenance, sentences
from dissensus.errors import ColumnError, FileError, JudgesError, counted, shortened

NAMELESS_JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answers:
    """What the rows of a judges file say: labels, probabilities or both."""

    label: Codes
    label_set: LabelSet
    probability: Floats | None
    renormalised: int


ROLES = ("item", "judge", "sample", "label", "elicitation", "order")


def assemble_judges(raw: RawJudges, plan: ReadPlan, *, sha256: str | None) -> tuple[Judges, tuple[LeftOut, ...]]:
    """Validated judges from what a format handed over, and what was left out."""
    sheet, order, repeats = raw.sheet, plan.labels, plan.repeats
    roles, columns, cells = _load(sheet, {role: raw.names.get(role) for role in ROLES})
    item, row = columns["item"], cells.row
    answers = _answers(columns["label"], cells, sheet, order=order)
    kept = _answered(columns, answers, row=row, name=sheet.name, named_by=plan.named_by)
    without = len(row) - len(kept) + cells.blank_rows
    kept, dropped = _without_repeats(columns, kept, repeats=repeats, row=row, name=sheet.name)
    losses = (
        LeftOut(what="row without an answer", several="rows without an answer", count=without),
        LeftOut(what="repeated sample", count=dropped, why=f"the {repeats} of each was kept"),
        *raw.left_out,
    )
    left_out = tuple(some for some in losses if some.count)
    warnings = [*sentences(left_out), *raw.warnings]
    sample = _sample_numbers(columns, kept)
    if "sample" not in columns and sample.max(initial=0) > 0:
        warnings.append(about_samples(sheet, roles, named_by=plan.named_by))
    if answers.renormalised:
        warnings.append(f"Rescaled {counted(answers.renormalised, 'row')} of probabilities that almost sum to 1.")
    item_code, items = compact(item.codes[kept], item.texts)
    judge_code, judges = compact(columns["judge"].codes[kept], columns["judge"].texts)
    judges_answers = Judges(
        item=item_code,
        items=items,
        judge=judge_code,
        judges=judges,
        sample=sample,
        label=answers.label[kept],
        labels=answers.label_set.labels,
        options=answers.label_set.options,
        probability=None if answers.probability is None else answers.probability[kept],
        elicitation=columns["elicitation"].codes[kept] if "elicitation" in columns else None,
        order=columns["order"].codes[kept] if "order" in columns else None,
        warnings=(
            *warnings,
            *doubts(label_counts(answers.label[kept], answers.label_set), answers.label_set, order=order),
        ),
        provenance=Provenance(
            name=sheet.name, sha256=sha256, format=raw.format, rows=len(row), columns=len(sheet.columns)
        ),
    )
    return judges_answers, left_out


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


def about_samples(sheet: HasColumns, roles: Mapping[str, str | None], *, named_by: str = JUDGES_NAMED_BY) -> str:
    """What to say of several rows of one item without a sample number; raise if they seem to be of several judges.

    Parameters
    ----------
    sheet : Sheet
        The table.
    roles : mapping
        Which of its columns is the item, judge, label, ...
    named_by : str
        How the user names a column, with {role} and {column}.
    """
    if roles.get("judge") is None:
        rest = ColumnNames(sheet.name, tuple(column for column in sheet.columns if column not in roles.values()))
        judge, rater = likely_match(rest.columns, "judge"), find_column(rest, "rater")
        if judge is not None:
            raise ColumnError(
                f"{sheet.name} has several rows of one item and no column 'judge'. Columns found: {found(sheet)}. "
                f"The likely match is {judge}: add {_naming(judge, roles, named_by)}."
            )
        if rater is not None:
            raise ColumnError(
                f"{sheet.name} looks like people's ratings: it has a column {rater!r} and no column 'judge'. Give the "
                "judges' answers, a table with item, judge and label; if the raters are judges, add "
                f"{_naming(rater, roles, named_by)}."
            )
    return "There is no sample column: several rows of one judge and item are taken as its samples."


def _naming(judge: str, roles: Mapping[str, str | None], named_by: str) -> str:
    """The option that names the judge, and with it what is not called as we call it."""
    others = {role: name for role, name in roles.items() if name is not None and name.strip().lower() != role}
    return typed_columns({"judge": judge}, named_by, given=others)


def _answers(label: TextColumn, cells: Cells, sheet: Sheet, *, order: Sequence[str] | None) -> _Answers:
    """Labels coded and probabilities checked."""
    p_columns = probability_columns(sheet)
    codes, label_set, code_of = code_labels(label, order=order, row=cells.row, name=sheet.name, also=p_columns)
    if not p_columns:
        return _Answers(label=codes, label_set=label_set, probability=None, renormalised=0)
    given, renormalised = read_probabilities(
        {column: cells.columns[column] for column in p_columns}, row=cells.row, name=sheet.name
    )
    probability = np.zeros((len(codes), len(label_set.labels)))
    probability[:, [code_of[frozenset(label)] for label in p_columns.values()]] = given
    probability[np.isnan(given).any(axis=1)] = np.nan
    return _Answers(label=codes, label_set=label_set, probability=probability, renormalised=renormalised)


def _answered(columns: Mapping[str, TextColumn], answers: _Answers, *, row: Codes, name: str, named_by: str) -> Codes:
    """Rows with an answer; an answer to no item or by no judge is an error."""
    has_answer = answers.label >= 0
    if answers.probability is not None:
        has_answer |= ~np.isnan(answers.probability).any(axis=1)
    for role in ("item", "judge"):
        check_filled(role, columns[role], has_answer, row=row, name=name, what="judge's answer")
    if not has_answer.any():
        remedy = CHECK_ANSWERS.format(option=named_by.format(role="label", column=UNKNOWN))
        raise JudgesError(f"{name} has {counted(len(row), 'row')} and not one answer. {remedy}")
    return np.flatnonzero(has_answer)


def _without_repeats(
    columns: Mapping[str, TextColumn], kept: Codes, *, repeats: Repeats, row: Codes, name: str
) -> tuple[Codes, int]:
    """Rows without repeated samples; where samples have no number, every row is another one."""
    if "sample" not in columns:
        return kept, 0
    key = {role: columns.get(role) for role in ("item", "judge", "elicitation", "order", "sample")}
    return drop_repeats(key, kept, repeats=repeats, row=row, name=name)


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
