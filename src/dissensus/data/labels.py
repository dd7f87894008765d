"""What a label is: a number, a word, or a set of options such as `Yes|No`; their order and scale."""

import ast
import json
import math
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import HasColumns, TextColumn, lookup
from dissensus.errors import ColumnError, JudgesError, OptionError, counted, listed, named, shortened

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")

MOST_ORDINAL_LABELS = 20
"""Whole numbers with more distinct values than this are read as measurements, not as steps of a scale."""

SEPARATOR = "|"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST_NUMBER = 40
_EXACT_INTEGERS = 2**53
_LONGEST_LIST = 10_000


def number(text: str) -> float | None:
    """The number that a label is, or None.

    >>> number("1.0"), number(" -3"), number("1e3"), number("n/a"), number("nan")
    (1.0, -3.0, 1000.0, None, None)
    """
    text = text.strip()
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def option_name(text: str) -> str:
    """One spelling for each option: `1`, `01` and `1.0` are one number; blanks around a word do not count.

    >>> option_name(" 1.0 "), option_name("0.50"), option_name("-0"), option_name(" Not toxic ")
    ('1', '0.5', '0', 'Not toxic')
    """
    value = number(text)
    if value is None or abs(value) >= _EXACT_INTEGERS:
        return text.strip()
    return str(int(value)) if value == int(value) else repr(value)


def options_of(text: str) -> tuple[str, ...]:
    """The options in a label, each once; none if the label is missing.

    A list is a response set too: tools export `["Yes", "No"]`, and pandas writes `['Yes', 'No']`.

    >>> options_of("Yes|No|Yes"), options_of('["Yes", "No"]'), options_of("['Yes', 2.0]"), options_of("  ")
    (('Yes', 'No'), ('Yes', 'No'), ('Yes', '2'), ())
    """
    text = text.strip()
    parts = _listed_options(text) if text.startswith("[") and text.endswith("]") else None
    names = (option_name(part) for label in ([text] if parts is None else parts) for part in label.split(SEPARATOR))
    return tuple(dict.fromkeys(name for name in names if name))


def _listed_options(text: str) -> list[str] | None:
    """The entries of a list in JSON or Python, or None if the text is no such list."""
    if len(text) > _LONGEST_LIST:
        return None
    for parse in (json.loads, python_value):
        try:
            values = parse(text)
        except (ValueError, RecursionError, MemoryError):
            continue
        if isinstance(values, list) and all(isinstance(value, str | int | float | None) for value in values):
            return [_entry(value) for value in values]
    return None


def python_value(text: str) -> object:
    """The value that a text is in Python, of which nothing is evaluated; None if it is none."""
    with warnings.catch_warnings(), suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")  # Python frowns on some backslashes
        return ast.literal_eval(text)
    return None


def _entry(value: str | float | None) -> str:
    """An entry of a list as text; empty where it is missing."""
    if isinstance(value, str):
        return value
    return "" if value is None or value != value else json.dumps(value)  # noqa: PLR0124 - NaN is not itself


def natural_order(option: str) -> tuple[bool, float, str]:
    """Sort key: numbers as numbers, then the rest alphabetically.

    >>> sorted(["b", "10", "a", "9"], key=natural_order)
    ['9', '10', 'a', 'b']
    """
    value = number(option)
    return (value is None, value or 0.0, option)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """The labels of a data set, in order."""

    options: tuple[str, ...]  # what a rater could choose
    labels: tuple[str, ...]  # every option, then every response set that was given: smaller sets first
    scale: Scale  # what the order means: nothing, an order, or distances


def order_labels(
    given: Iterable[tuple[str, ...]], *, order: Sequence[str] | None = None, scale: Scale | None = None
) -> tuple[LabelSet, dict[frozenset[str], int]]:
    """Order labels and say which code each has.

    `given`: the distinct labels, each as its options; all of them are in `order`. `order`: every option in its order;
    without it numbers stand as numbers and the rest alphabetically. `scale`: overrides what the labels look like.
    """
    sets = {frozenset(label) for label in given}
    used = frozenset().union(*sets)
    options = tuple(sorted(used, key=natural_order)) if order is None else listed_options(order)
    outside = sorted(used - set(options), key=natural_order)
    if outside:
        raise OptionError(f"In the data {unlisted(outside, options)}.")
    place = {option: i for i, option in enumerate(options)}
    several = sorted((sorted(place[o] for o in s) for s in sets if len(s) > 1), key=lambda s: (len(s), s))
    labels = (*options, *(SEPARATOR.join(options[i] for i in s) for s in several))
    codes = {frozenset([option]): i for i, option in enumerate(options)}
    codes |= {frozenset(options[i] for i in s): len(options) + j for j, s in enumerate(several)}
    found = infer_scale(options, is_ordered=order is not None) if scale is None else _checked_scale(scale, options)
    return LabelSet(options=options, labels=labels, scale=found), codes


def listed_options(order: Sequence[str]) -> tuple[str, ...]:
    """The options that the user lists, each once."""
    if isinstance(order, str):
        raise OptionError(f"The labels are one text, {order!r}: give a list of them.")
    options = tuple(dict.fromkeys(filter(None, (option_name(str(option)) for option in order))))
    for option in options:
        if SEPARATOR in option:
            raise OptionError(f"The label {option!r} has a {SEPARATOR!r} in it: list the single options only.")
    return options


def unlisted(outside: Sequence[str], options: Sequence[str]) -> str:
    """What to say about labels that are not among those the user listed."""
    labels = f"label {outside[0]} is" if len(outside) == 1 else f"labels {listed(outside)} are"
    return (
        f"the {labels} not among those given ({listed(options)}). "
        f"Add what is missing to {named('labels', of='read')} or to the task's options, or leave the list out"
    )


def _checked_scale(scale: Scale, options: Sequence[str]) -> Scale:
    words = [option for option in options if number(option) is None]
    if scale == "interval" and words:
        option = named("scale", of="read")
        raise OptionError(
            f"An interval scale needs numbers, and these labels are words: {listed(words)}. "
            f"Choose {option} ordinal or {option} nominal."
        )
    return scale


def infer_scale(options: Sequence[str], *, is_ordered: bool = False) -> Scale:
    """Scale that labels look like: interval, ordinal or nominal.

    >>> infer_scale(["1", "2", "3"]), infer_scale(["0.5", "1"]), infer_scale(["no", "yes"])
    ('ordinal', 'interval', 'nominal')
    """
    values = [number(option) for option in options]
    if not options or any(value is None for value in values):
        return "ordinal" if is_ordered else "nominal"
    is_fractional = any(value != int(value) for value in values if value is not None)
    return "interval" if is_fractional or len(options) > MOST_ORDINAL_LABELS else "ordinal"


def label_values(labels: Sequence[str]) -> npt.NDArray[np.float64]:
    """The labels as numbers, NaN for those that are none."""
    values = (number(label) for label in labels)
    return np.array([math.nan if value is None else value for value in values])


def parts_of(label: str, options: Collection[str]) -> tuple[str, ...]:
    """The options in a label: itself if it is one of them.

    >>> parts_of("No|Yes", ["No", "Yes"]), parts_of("a|b", ["a|b", "c"])
    (('No', 'Yes'), ('a|b',))
    """
    return (label,) if label in options else tuple(label.split(SEPARATOR))


def membership(labels: Sequence[str], options: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which option is in which label.

    Returns shape (n_labels, n_options): lambda of "Judges without gold labels", transposed.

    >>> membership(["No", "Yes", "No|Yes"], ["No", "Yes"]).astype(int)
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    place: Mapping[str, int] = {option: i for i, option in enumerate(options)}
    member = np.zeros((len(labels), len(options)), dtype=np.bool_)
    for row, label in enumerate(labels):
        parts = parts_of(label, place)
        member[row, [place[part] for part in parts]] = True
    return member


LIKE_MISSING = frozenset({
    "na", "n/a", "#n/a", "nan", "null", "k.a.", "k. a.", "keine angabe", "no answer", "not applicable",
})  # fmt: skip
"""What tools and people write for a missing label; here they are labels, and a warning says so."""


def code_labels(
    column: TextColumn, *, order: Sequence[str] | None, scale: Scale | None = None, row: Codes, name: str,
    also: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Codes, LabelSet, dict[frozenset[str], int]]:  # fmt: skip
    """Code of each row's label, -1 where it is missing; the labels in order; the code of each label.

    `order` and `scale` are what the user says, `row` and `name` are for messages, and `also` has further labels, each
    as its options, by the column that has its name from the label.
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


def label_counts(codes: Codes, label_set: LabelSet, times: Codes | None = None) -> Codes:
    """How often each label was given, each entry `times` times; -1 is none."""
    total = np.zeros(len(label_set.labels), dtype=np.intp)
    np.add.at(total, codes[codes >= 0], 1 if times is None else times[codes >= 0])
    return total


_COMMA_NUMBER = re.compile(r"\s*([+-]?\d+)(?:,(\d+))?\s*", re.ASCII)
_POINT_NUMBER = re.compile(r"\s*[+-]?\d+\.\d+\s*", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}", re.ASCII)
HALVES = frozenset({"0", "5"})


def with_point(text: str) -> str:
    """A number with a point for its comma; any other text as it is.

    >>> with_point("3,5"), with_point(" -0,25 "), with_point("3"), with_point("yes, no"), with_point("1,2,3")
    ('3.5', '-0.25', '3', 'yes, no', '1,2,3')
    """
    match = _COMMA_NUMBER.fullmatch(text)
    return text if match is None or match[2] is None else f"{match[1]}.{match[2]}"


def plain_number(text: str) -> str:
    """A number without its percent sign and with a point for its comma; any other text as it is.

    >>> plain_number("80%"), plain_number("12,5 %"), plain_number("3,5"), plain_number("a%")
    ('80', '12.5', '3.5', 'a%')
    """
    bare = with_point(text.strip().removesuffix("%").rstrip())
    return text if number(bare) is None else bare


def are_percents(labels: Iterable[str]) -> bool:
    """Whether every label that is not missing is a number with a percent sign.

    >>> are_percents(["80%", "7.5 %", "n/a"]), are_percents(["80%", "high"]), are_percents(["80"])
    (True, False, False)
    """
    given = [label.strip() for label in labels if label.strip().lower() not in LIKE_MISSING]
    return bool(given) and all(label.endswith("%") and plain_number(label) != label for label in given)


def has_decimal_commas(labels: Iterable[str], *, surely: bool = False) -> bool:
    """Whether labels look like numbers with a comma for the point, or can be nothing else (`surely`).

    Most labels are numbers, at least one has a comma, and none reads like thousands (`1,000`). Two numbers of a
    response set (`1,3`) look the same, but there both also stand alone, and the second is not always a half.

    >>> has_decimal_commas(["1,0", "3,5", "4"]), has_decimal_commas(["3,5", "3.5", "3", "?"])
    (True, True)
    >>> has_decimal_commas(["1", "2", "3", "1,3"])
    False
    >>> has_decimal_commas(["1,000", "2,500"]), has_decimal_commas(["3", "4"]), has_decimal_commas(["3,5", "no"])
    (False, False, False)
    >>> sets, halves = ["1,2", "2,3"], ["1", "1,5", "2", "2,5", "5"]
    >>> [has_decimal_commas(some, surely=True) for some in (["0", "0,5", "1"], halves, sets, ["1", "5", "1,5"])]
    [True, True, False, False]
    """
    matches, words = [], 0
    for label in labels:
        if label.strip().lower() in LIKE_MISSING or _POINT_NUMBER.fullmatch(label):  # some are typed with a point
            continue
        match = _COMMA_NUMBER.fullmatch(label)
        if match is None and not any(map(str.isdigit, label)):
            words += 1
        elif match is None or _THOUSANDS.fullmatch(label.strip().lstrip("+-")):
            return False
        else:
            matches.append((match[1], match[2]))
    whole = {number for number, fraction in matches if fraction is None}
    parts = {(number, fraction) for number, fraction in matches if fraction is not None}
    fractions = {fraction for _, fraction in parts}
    are_halves = fractions <= HALVES
    if surely and fractions & (whole | {number for number, _ in parts}) and not (are_halves and len(parts) > 1):
        return False
    are_sets = all(number in whole and fraction in whole for number, fraction in parts)
    return len(matches) > words and bool(parts) and (not are_sets or are_halves)


def are_measures(strange: Sequence[str], labels: Sequence[str], scale: Scale) -> bool:
    """Whether answers that no rater gave are numbers between labels, and not just other labels.

    A judge that says 5 where raters said 1 to 4 gave a label that nobody gave, not a 4; one that says 3.7 measures.

    >>> are_measures(["5"], ["1", "4"], "ordinal"), are_measures(["3.7", "5"], ["1", "4"], "ordinal")
    (False, True)
    """
    values = label_values([*strange, *labels])
    if np.isnan(values).any():
        return False
    return scale == "interval" or any(value != int(value) for value in values[: len(strange)])


def nearest_labels(values: Floats, labels: Floats) -> Codes:
    """The place of the nearest label of each value, the lower one of two; any place for NaN.

    >>> nearest_labels(np.array([-9.0, 1.4, 1.5, 9.0]), np.array([3.0, 2.0, 1.0]))
    array([2, 2, 2, 0])
    """
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    halfway = (ordered[1:] + ordered[:-1]) / 2
    return np.asarray(order[np.searchsorted(halfway, values)], dtype=np.intp)


def cell_text(value: object) -> str | None:
    """A cell as text; None where it is empty.

    >>> cell_text(1), cell_text(1.0), cell_text(True), cell_text({"b", "a"}), cell_text(float("nan")), cell_text(" ")
    ('1', '1.0', 'true', '["a", "b"]', None, None)
    """
    if isinstance(value, str):
        return value if value.strip() else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        texts = [cell_text(inner) for inner in value]
        return json.dumps(sorted(filter(None, texts)) if isinstance(value, set | frozenset) else texts)
    if isinstance(value, dict):
        return json.dumps(value, default=str)
    text = str(value)
    return None if text in {"NaT", "<NA>", "nan"} else text


PREFIX = "p_"
SUM_TOLERANCE = 1e-3
"""Probabilities within this of summing to 1 are rounded ones; others are a mistake."""
ROUNDING = 1e-9
"""Sums off by no more than this need no mention."""


def probability_columns(sheet: HasColumns) -> dict[str, tuple[str, ...]]:
    """The columns that hold probabilities, each with its label as a set of options."""
    columns = {
        column: options_of(column[len(PREFIX) :]) for column in sheet.columns if column.lower().startswith(PREFIX)
    }
    seen: dict[frozenset[str], str] = {}
    for column, label in columns.items():
        other = seen.setdefault(frozenset(label), column)
        if other != column:
            raise ColumnError(f"{sheet.name}: columns {other!r} and {column!r} are the same label. Delete one of them.")
    return {column: label for column, label in columns.items() if label}


def read_probabilities(columns: dict[str, TextColumn], *, row: Codes, name: str) -> tuple[Floats, int]:
    """Probabilities of shape (n_rows, n_columns), NaN in rows without any, and how many rows were rescaled."""
    names = list(columns)
    values = np.column_stack([_numbers(*named_, row=row, name=name) for named_ in columns.items()])
    is_absent = np.isnan(values)
    partial = np.flatnonzero(is_absent.any(axis=1) & ~is_absent.all(axis=1))
    if partial.size:
        raise JudgesError(
            f"{name}, row {row[partial[0]]}: {names[int(np.argmax(is_absent[partial[0]]))]} is missing while other "
            "probabilities are given. Give all of them, or none and a label."
        )
    wrong = np.flatnonzero((values < 0).any(axis=1))
    if wrong.size:
        column = int(np.argmin(values[wrong[0]]))
        raise JudgesError(
            f"{name}, row {row[wrong[0]]}: {names[column]} is {values[wrong[0], column]:g}, and a probability is never "
            "negative. Give numbers from 0 to 1; logarithms must be exponentiated first."
        )
    given = np.flatnonzero(~is_absent.all(axis=1))
    total = values[given].sum(axis=1)
    off = given[np.abs(total - 1) > SUM_TOLERANCE]
    if off.size:
        others = f" ({counted(off.size, 'such row')})" if off.size > 1 else ""
        raise JudgesError(
            f"{name}, row {row[off[0]]}: the probabilities sum to {values[off[0]].sum():.6g}, not to 1{others}. "
            "Give one for every label, or rescale them."
        )
    values[given] /= total[:, None]
    return values, int(np.sum(np.abs(total - 1) > ROUNDING))


def _numbers(column_name: str, column: TextColumn, *, row: Codes, name: str) -> Floats:
    values = [number(text) for text in column.texts]
    is_word = np.array([*(value is None for value in values), False])[column.codes]
    if is_word.any():
        first = int(np.argmax(is_word))
        text = shortened(str(column[first]))
        raise JudgesError(
            f"{name}, row {row[first]}: {column_name} is {text!r}, which is not a number. Write it like 0.25."
        )
    return np.array([*(np.nan if value is None else value for value in values), np.nan])[column.codes]
