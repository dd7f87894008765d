"""The fields of a page's form: what its address may say, what is shown, and how a command line says the same."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.errors import OptionError

Kind = Literal["slider", "number", "choice", "text"]
LONGEST_VALUE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field.

    Attributes
    ----------
    name : str
        In the address, and as the Python function calls it.
    label : str
        In words.
    kind : {"slider", "number", "choice", "text"}
        How it is shown.
    default : str
        What it is if the address does not say; empty for nothing.
    low, high, step : str
        Of a slider or a number.
    choices : sequence of (str, str)
        What can be chosen, and how that is called.
    hint : str
        A few more words.
    is_whole : bool
        Whether it is a whole number.
    is_list : bool
        Whether it is whole numbers with commas between them.
    usual : str
        What the command takes if it is not told: then it is left out of the command line.
    """

    name: str
    label: str
    kind: Kind = "text"
    default: str = ""
    low: str = ""
    high: str = ""
    step: str = "any"
    choices: Sequence[tuple[str, str]] = ()
    hint: str = ""
    is_whole: bool = False
    is_list: bool = False
    usual: str = ""

    @property
    def option(self) -> str:
        """As the command line calls it."""
        return "--" + self.name.replace("_", "-")

    def value(self, query: Mapping[str, str]) -> str:
        """What an address says, or the default."""
        return query.get(self.name, self.default).strip()[:LONGEST_VALUE]


def values_of(fields: Sequence[Field], query: Mapping[str, str]) -> dict[str, str]:
    """The value of each field in an address."""
    return {field.name: field.value(query) for field in fields}


def typed(field: Field, text: str) -> object:
    """A value as Python takes it; None for nothing."""
    if not text:
        return None
    if field.is_list:
        return whole_numbers(field.option, text)
    if field.kind in {"slider", "number"}:
        return number(field, text)
    if field.choices and text not in dict(field.choices):
        raise OptionError.unknown(field.option, text, dict(field.choices))
    return text


def number(field: Field, text: str) -> int | float:
    """A number from text."""
    try:
        return int(text) if field.is_whole else float(text)
    except ValueError as error:
        kind = "a whole number" if field.is_whole else "a number"
        raise OptionError(f"{field.option} cannot be {text!r}: give {kind}.") from error


def whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers from `1,3,5`.

    Examples
    --------
    >>> whole_numbers("--raters", "1, 3,5")
    [1, 3, 5]
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise OptionError(f"{option} cannot be {text!r}: give whole numbers such as 1,3,5.")
    return [int(part) for part in parts]


def split_labels(text: str) -> list[str]:
    """Labels from `a,b,c`; a label with a comma stands in double quotes.

    Examples
    --------
    >>> split_labels('no,"yes, but"')
    ['no', 'yes, but']
    """
    labels = [label.strip() for label in next(csv.reader([text], skipinitialspace=True), [])]
    if not labels or not all(labels):
        raise OptionError(f"--labels {text!r} has an empty label: write them as a,b,c.")
    return labels


def keywords(fields: Sequence[Field], values: Mapping[str, str]) -> dict[str, object]:
    """What was filled in, as keyword arguments."""
    found = {field.name: typed(field, values.get(field.name, "")) for field in fields}
    return {name: value for name, value in found.items() if value is not None}
