"""From the rows of a judges file to validated Judges."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dissensus.errors import ColumnError, FileError, JudgesError, RatingsError
from dissensus.ratings.assemble import code_elicitation, drop_repeats
from dissensus.ratings.coding import Codes, Sheet, TextColumn, compact
from dissensus.ratings.columns import find_column, found, missing_columns
from dissensus.ratings.formats.plan import Repeats
from dissensus.ratings.judges import Judges
from dissensus.ratings.labels import number, options_of, order_labels
from dissensus.ratings.provenance import Provenance

PREFIX = "p_"
SUM_TOLERANCE = 1e-3
"""Probabilities within this of summing to 1 are rounded ones; others are a mistake."""


def assemble_judges(
    sheet: Sheet,
    names: Mapping[str, str | None],
    *,
    order: Sequence[str] | None,
    repeats: Repeats,
    sha256: str | None,
) -> Judges:
    """Validated judges from a sheet; `names` are the column names the user gave."""
    roles = {role: find_column(sheet, role, given) for role, given in names.items()}
    p_columns = [column for column in sheet.columns if column.startswith(PREFIX) and len(column) > len(PREFIX)]
    if roles["item"] is None:
        raise missing_columns(sheet, ["item"])
    if roles["label"] is None and not p_columns:
        raise ColumnError(f"{sheet.name} has neither a column 'label' nor probabilities (p_<label>). "
                          f"Columns found: {found(sheet)}. Name the label column with --label.")  # fmt: skip
    cells = sheet.load([name for name in (*roles.values(), *p_columns) if name is not None])
    columns = {role: None if name is None else cells[name] for role, name in roles.items()}
    item = columns["item"]
    assert item is not None  # noqa: S101 - checked above, in words for the user
    n_rows = len(item.codes)
    if not n_rows:
        raise FileError(f"{sheet.name} has columns but no answers in them: there is nothing to read.")
    row = np.arange(n_rows) + sheet.first_row
    label_column = columns["label"] or TextColumn(np.full(n_rows, -1, dtype=np.intp), ())
    label, labels, options, p_codes = _labels(label_column, p_columns, order, sheet)
    warnings: list[str] = []
    probability = None
    if p_columns:
        probability, renormalised = _probabilities([cells[c] for c in p_columns], p_columns, row=row, name=sheet.name)
        if renormalised:
            warnings.append(f"{renormalised} rows of probabilities summed to 1 only roughly and were renormalised.")
        spread = np.zeros((n_rows, len(labels)))
        spread[:, p_codes] = probability
        spread[np.isnan(probability).any(axis=1)] = np.nan
        probability = spread
    kept = _answered(item, label, probability, row=row, name=sheet.name)
    if len(kept) < n_rows:
        warnings.append(f"{n_rows - len(kept)} rows without an answer were left out.")
    kept, sample, more = _samples(columns, kept, repeats=repeats, row=row)
    judge_column = columns["judge"] or TextColumn(np.zeros(n_rows, dtype=np.intp), ("judge",))
    _check_named(judge_column, kept, row=row, name=sheet.name)
    item_code, items = compact(item.codes[kept], item.texts)
    judge_code, judges = compact(judge_column.codes[kept], judge_column.texts)
    elicitation = columns["elicitation"]
    return Judges(
        item=item_code,
        items=items,
        judge=judge_code,
        judges=judges,
        sample=sample,
        label=label[kept],
        labels=labels,
        options=options,
        probability=None if probability is None else probability[kept],
        elicitation=None if elicitation is None else code_elicitation(elicitation, row, sheet.name)[kept],
        warnings=(*warnings, *more),
        provenance=Provenance(
            name=sheet.name, sha256=sha256, format="judges", rows=n_rows, columns=len(sheet.columns)
        ),
    )


def _labels(
    column: TextColumn, p_columns: Sequence[str], order: Sequence[str] | None, sheet: Sheet
) -> tuple[Codes, tuple[str, ...], tuple[str, ...], list[int]]:
    """Code of each row's label, the labels and options in order, and the code of each probability column."""
    parsed = [options_of(text) for text in column.texts]
    p_labels = [options_of(name[len(PREFIX) :]) for name in p_columns]
    try:
        label_set, code_of = order_labels([p for p in (*parsed, *p_labels) if p], order=order)
    except RatingsError as error:
        raise JudgesError(f"{sheet.name}: {error}") from error
    p_codes = [code_of[frozenset(label)] for label in p_labels]
    for i, code in enumerate(p_codes):
        if code in p_codes[:i]:
            other = p_columns[p_codes.index(code)]
            raise ColumnError(f"{sheet.name}: columns {other!r} and {p_columns[i]!r} are the same label. Delete one.")
    lookup = [code_of[frozenset(label)] if label else -1 for label in parsed]
    return np.array([*lookup, -1], dtype=np.intp)[column.codes], label_set.labels, label_set.options, p_codes


def _probabilities(
    columns: Sequence[TextColumn], names: Sequence[str], *, row: Codes, name: str
) -> tuple[npt.NDArray[np.float64], int]:
    """Probabilities of shape (n_rows, n_columns), NaN in rows without any, and how many rows were renormalised."""
    values = np.column_stack([_numbers(c, n, row=row, name=name) for c, n in zip(columns, names, strict=True)])
    absent = np.isnan(values)
    partial = np.flatnonzero(absent.any(axis=1) & ~absent.all(axis=1))
    if partial.size:
        first = partial[0]
        column = names[int(np.flatnonzero(absent[first])[0])]
        raise JudgesError(f"{name}, row {row[first]}: {column} is missing while other probabilities are given. "
                          "Give all of them, or none and a label.")  # fmt: skip
    given = np.flatnonzero(~absent.all(axis=1))
    wrong = given[(values[given] < 0).any(axis=1)]
    if wrong.size:
        first = wrong[0]
        column = int(np.argmin(values[first]))
        raise JudgesError(f"{name}, row {row[first]}: {names[column]} is {values[first, column]:g}, and a probability "
                          "cannot be negative.")  # fmt: skip
    total = values[given].sum(axis=1)
    off = given[np.abs(total - 1) > SUM_TOLERANCE]
    if off.size:
        first = off[0]
        raise JudgesError(f"{name}, row {row[first]}: the probabilities sum to {values[first].sum():.6g}, not to 1 "
                          f"({off.size} such rows). Give one for every label, or rescale them.")  # fmt: skip
    values[given] /= total[:, None]
    # Sums off by no more than rounding in the last place need no mention.
    return values, int(np.sum(np.abs(total - 1) > 1e-9))  # noqa: PLR2004


def _numbers(column: TextColumn, column_name: str, *, row: Codes, name: str) -> npt.NDArray[np.float64]:
    values = [number(text) for text in column.texts]
    bad = np.flatnonzero(np.isin(column.codes, [i for i, value in enumerate(values) if value is None]))
    if bad.size:
        text = column[int(bad[0])]
        raise JudgesError(f"{name}, row {row[bad[0]]}: {column_name} is {text!r}, which is not a number.")
    return np.array([*(np.nan if v is None else v for v in values), np.nan])[column.codes]


def _answered(
    item: TextColumn, label: Codes, probability: npt.NDArray[np.float64] | None, *, row: Codes, name: str
) -> Codes:
    """Rows with an answer; an answer to no item is an error."""
    has_answer = label >= 0
    if probability is not None:
        has_answer |= ~np.isnan(probability).all(axis=1)
    bare = np.flatnonzero(has_answer & (item.codes < 0))
    if bare.size:
        raise ColumnError(f"{name}, row {row[bare[0]]}: an answer but no item. Fill it in or delete the row.")
    kept = np.flatnonzero(has_answer)
    if not kept.size:
        raise JudgesError(f"{name} has {len(row)} rows and not one answer in them: check the label column.")
    return kept


def _check_named(judge: TextColumn, kept: Codes, *, row: Codes, name: str) -> None:
    bare = kept[judge.codes[kept] < 0]
    if bare.size:
        raise ColumnError(f"{name}, row {row[bare[0]]}: an answer but no judge. Fill it in or delete the row.")


def _samples(
    columns: Mapping[str, TextColumn | None], kept: Codes, *, repeats: Repeats, row: Codes
) -> tuple[Codes, Codes, list[str]]:
    """Rows without repeats, the number of each sample within its judge, item and elicitation, and warnings."""
    key = {role: columns[role] for role in ("item", "judge", "elicitation", "sample")}
    warnings = []
    if columns["sample"] is not None:
        before = len(kept)
        kept, dropped = drop_repeats(key, kept, repeats=repeats, row=row)
        if dropped:
            warnings.append(f"{dropped} of {before} answers repeat a sample and were left out.")
    code = np.zeros(len(kept), dtype=np.int64)
    for role in ("item", "judge", "elicitation"):
        column = columns[role]
        if column is not None:
            code = code * (len(column.texts) + 1) + column.codes[kept] + 1
    order = np.argsort(code, kind="stable")
    is_first = np.concatenate([[True], np.diff(code[order]) != 0])
    start = np.maximum.accumulate(np.where(is_first, np.arange(len(kept)), 0))
    sample = np.empty(len(kept), dtype=np.intp)
    sample[order] = np.arange(len(kept)) - start
    if columns["sample"] is None and sample.max(initial=0) > 0:
        warnings.append("There is no sample column: several rows of one judge and item are taken as its samples.")
    return kept, sample, warnings
