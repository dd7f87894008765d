"""What a label is: a number, a word, or a set of options such as `Yes|No`; their order and scale."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError, RatingsError, listed

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")

MOST_ORDINAL_LABELS = 20
"""Whole numbers with more distinct values than this are read as measurements, not as steps of a scale."""

SEPARATOR = "|"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_LONGEST_NUMBER = 40
_EXACT_INTEGERS = 2**53


def number(text: str) -> float | None:
    """The number that a label is, or None.

    Examples
    --------
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

    Examples
    --------
    >>> option_name(" 1.0 "), option_name("0.50"), option_name("-0"), option_name(" Not toxic ")
    ('1', '0.5', '0', 'Not toxic')
    """
    value = number(text)
    if value is None or abs(value) >= _EXACT_INTEGERS:
        return text.strip()
    return str(int(value)) if value == int(value) else repr(value)


def options_of(text: str) -> tuple[str, ...]:
    """The options in a label, each once; none if the label is missing.

    A JSON list is a response set too: tools export `["Yes", "No"]`.

    Examples
    --------
    >>> options_of("Yes|No|Yes"), options_of('["Yes", "No"]'), options_of("  ")
    (('Yes', 'No'), ('Yes', 'No'), ())
    """
    parts: Iterable[str] = text.split(SEPARATOR)
    if text.startswith("[") and text.endswith("]"):
        parts = _json_list(text) or parts
    names = (option_name(part) for part in parts)
    return tuple(dict.fromkeys(name for name in names if name))


def _json_list(text: str) -> list[str] | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(values, list) and all(isinstance(v, str | int | float) for v in values)
    return [v if isinstance(v, str) else json.dumps(v) for v in values] if is_list else None


def natural_order(option: str) -> tuple[bool, float, str]:
    """Sort key: numbers as numbers, then the rest alphabetically.

    Examples
    --------
    >>> sorted(["b", "10", "a", "9"], key=natural_order)
    ['9', '10', 'a', 'b']
    """
    value = number(option)
    return (value is None, value or 0.0, option)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """The labels of a data set, in order.

    Attributes
    ----------
    options : tuple of str
        What a rater could choose, in order.
    labels : tuple of str
        Every option, then every response set that was given: smaller sets first.
    scale : str
        What the order means: nothing, an order, or distances.
    """

    options: tuple[str, ...]
    labels: tuple[str, ...]
    scale: Scale


def order_labels(
    given: Iterable[tuple[str, ...]], *, order: Sequence[str] | None = None, scale: Scale | None = None
) -> tuple[LabelSet, dict[frozenset[str], int]]:
    """Order labels and say which code each has.

    Parameters
    ----------
    given : iterable of tuple of str
        The distinct labels, each as its options.
    order : sequence of str, optional
        Every option in its order; without it numbers stand as numbers and the rest alphabetically.
    scale : str, optional
        Overrides what the labels look like.

    Returns
    -------
    LabelSet, dict from frozenset to int
    """
    sets = {frozenset(label) for label in given}
    used = frozenset().union(*sets)
    options = tuple(sorted(used, key=natural_order)) if order is None else _checked_order(order, used)
    place = {option: i for i, option in enumerate(options)}
    several = sorted((sorted(place[o] for o in s) for s in sets if len(s) > 1), key=lambda s: (len(s), s))
    labels = (*options, *(SEPARATOR.join(options[i] for i in s) for s in several))
    codes = {frozenset([option]): i for i, option in enumerate(options)}
    codes |= {frozenset(options[i] for i in s): len(options) + j for j, s in enumerate(several)}
    found = scale or infer_scale(options, is_ordered=order is not None)
    if found == "interval" and any(number(o) is None for o in options):
        words = [o for o in options if number(o) is None]
        raise OptionError(f"An interval scale needs numbers, and these labels are words: {listed(words)}. "
                          "Choose --scale ordinal or --scale nominal.")  # fmt: skip
    return LabelSet(options=options, labels=labels, scale=found), codes


def _checked_order(order: Sequence[str], used: frozenset[str]) -> tuple[str, ...]:
    options = tuple(dict.fromkeys(option_name(o) for o in order))
    outside = sorted(used - set(options), key=natural_order)
    if outside:
        raise RatingsError(
            f"{len(outside)} labels in the data are not in the order given ({', '.join(options)}): {listed(outside)}. "
            "Add them to --labels or to the task's options, or leave the order out."
        )
    return options


def infer_scale(options: Sequence[str], *, is_ordered: bool = False) -> Scale:
    """Scale that labels look like: interval, ordinal or nominal.

    Examples
    --------
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


def membership(labels: Sequence[str], options: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which option is in which label.

    Returns
    -------
    ndarray of shape (n_labels, n_options)
        Lambda of "Judges without gold labels", transposed.

    Examples
    --------
    >>> membership(["No", "Yes", "No|Yes"], ["No", "Yes"]).astype(int)
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    place: Mapping[str, int] = {option: i for i, option in enumerate(options)}
    member = np.zeros((len(labels), len(options)), dtype=np.bool_)
    for row, label in enumerate(labels):
        parts = (label,) if label in place else label.split(SEPARATOR)
        member[row, [place[part] for part in parts]] = True
    return member
