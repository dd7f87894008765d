"""Options: each declared once, in its method's `Options`, and named as data in messages.

The check, the settings in the JSON, the flag of the command line and the field of the web page are made from the
declaration; the public functions write their parameters out, and a test compares them with it. A message names an
option with `named`; each front end prints its own spelling of it with `spelled`.
"""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from numbers import Integral, Real
from typing import Literal, Self, TypeVar, cast

from dissensus.errors import OptionError, Spelling, in_python, named, names_in, spelled
from dissensus.sizes import check_size

__all__ = [
    "Declared",
    "Options",
    "Spelling",
    "bootstrap_option",
    "confidence_option",
    "declarations",
    "default_of",
    "elicitation_option",
    "in_python",
    "is_several",
    "named",
    "names_in",
    "numbers_of",
    "option",
    "parts_of",
    "pattern_of",
    "renamed_again",
    "renamed_labels",
    "spelled",
    "split_labels",
    "whole_numbers",
]

T = TypeVar("T")


# ---- Declarations

ENDLESS = 1e100
"""Numbers beyond are nobody's costs or counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What is known of an option beside its name, its type and its default."""

    help: str  # what it does, for the command line and the docs
    choices: tuple[str, ...] = ()  # the values it can have, where they can be listed
    # `at_least`, `above`, `at_most`, `below`: the range of a number.
    at_least: float = -math.inf
    above: float = -math.inf
    at_most: float = math.inf
    below: float = math.inf
    limit: str = ""  # which of our limits holds for it
    wants: str = ""  # what to give instead of a value that is out of range, for the message
    metavar: str = ""  # what stands for the value in the help
    flag: str = ""  # as the command line calls it, where that is not its name
    typed: Callable[[str], object] | None = None  # reads the value from one word of the command line, such as `1,3,5`

    def allows(self, number: float) -> bool:
        """Whether a number is in the range; NaN, infinity and what would be it in a product never are."""
        return self.at_least <= number <= self.at_most and self.above < number < self.below and abs(number) < ENDLESS


def option(
    default: T = MISSING,  # type: ignore[assignment] # where it must be given
    *,
    help: str,  # noqa: A002 - as typer and argparse call it
    choices: Sequence[str] = (),
    at_least: float = -math.inf,
    above: float = -math.inf,
    at_most: float = math.inf,
    below: float = math.inf,
    limit: str = "",
    wants: str = "",
    metavar: str = "",
    flag: str = "",
    typed: Callable[[str], object] | None = None,
) -> T:
    """A field of an `Options`, with all that is known of it; see `Declared`."""
    declared = Declared(
        help=help, choices=tuple(choices), at_least=at_least, above=above, at_most=at_most, below=below, limit=limit,
        wants=wants, metavar=metavar, flag=flag, typed=typed,
    )  # fmt: skip
    return field(default=default, metadata={"option": declared})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of the methods' options: frozen, checked when made.

    A subclass declares each option with `option`, in the order of the settings; `seed` comes last in them. What two
    options cannot be together is checked in its `check`.
    """

    seed: int | None = None

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            _check_value(name, declared, getattr(self, name))
        self.check()

    @classmethod
    def given(cls, parameters: Mapping[str, object], **others: object) -> Self:
        """The options among a function's parameters, which it hands over as `locals()` before anything else.

        A single name where several can be given stands for a tuple of one, and a list for a tuple.
        """
        found = {name: parameters[name] for name in declarations(cls) if name in parameters} | others
        return cls(**{name: _as_field(cls, name, value) for name, value in found.items()})  # type: ignore[arg-type]

    def check(self) -> None:
        """Raise where two options contradict each other, or more is wrong than a declaration can say."""

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {name: getattr(self, name) for name in (*declarations(type(self)), "seed")}


def declarations(options: type[Options]) -> dict[str, Declared]:
    """The declared options by name, in order."""
    return {own.name: own.metadata["option"] for own in fields(options) if "option" in own.metadata}


def is_several(options: type[Options], name: str) -> bool:
    """Whether an option takes several values, each of them typed on its own."""
    kind = str(options.__dataclass_fields__[name].type)
    return kind.startswith("tuple[") and "..." in kind


def default_of(options: type[Options], name: str) -> object:
    """The default of an option; MISSING where it must be given."""
    return options.__dataclass_fields__[name].default


def _as_field(options: type[Options], name: str, value: object) -> object:
    wants_text = str(options.__dataclass_fields__[name].type).startswith(("str", "tuple[str"))
    if value is None or not is_several(options, name):
        return as_label(value) if wants_text else value
    several = (value,) if isinstance(value, str | int | float) else tuple(cast("Sequence[object]", value))
    return tuple(map(as_label, several)) if wants_text else several


def as_label(value: object) -> object:
    """A number as the label that it is; anything else as it is.

    >>> as_label(4), as_label(4.0), as_label(0.5), as_label("yes"), as_label(None)
    ('4', '4', '0.5', 'yes', None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    number = float(value)
    return str(int(number)) if number.is_integer() else str(number)


def _as_float(number: Real) -> float:
    """A number as a float; infinite where it is too large to be one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _check_value(name: str, declared: Declared, value: object) -> None:
    if value is None or callable(value):
        return
    for one in value if isinstance(value, tuple) else (value,):
        if declared.choices and one not in declared.choices:
            raise OptionError.unknown(named(name), one, declared.choices)
        if isinstance(one, Real) and not declared.allows(_as_float(one)):
            shown = one if isinstance(one, Integral) and math.isfinite(_as_float(one)) else f"{_as_float(one):g}"
            raise OptionError(f"{named(name)} cannot be {shown}: {declared.wants or _range(declared)}.")
        if declared.limit and isinstance(one, Real):
            what = f"{named(name)} cannot be {one:,}: that is more than anybody reads a difference in"
            check_size(declared.limit, int(_as_float(one)), what, "Give fewer.", error=OptionError)


def _range(declared: Declared) -> str:
    low = f"at least {declared.at_least:g}" if math.isfinite(declared.at_least) else f"above {declared.above:g}"
    high = f"at most {declared.at_most:g}" if math.isfinite(declared.at_most) else f"below {declared.below:g}"
    return "give a number " + " and ".join(part for part in (low, high) if "inf" not in part)


def bootstrap_option(default: int = 500, *, help: str = "Bootstrap samples; 0 for no intervals.") -> int:  # noqa: A002
    """How many bootstrap samples a method draws."""
    wants = "give the number of samples, or 0 for none"
    return option(default, help=help, at_least=0, limit="samples", wants=wants, metavar="N")


def elicitation_option() -> Literal["forced_choice", "response_set"] | None:
    """Which of two kinds of ratings a method takes."""
    choices = ("forced_choice", "response_set")
    return option(
        None, help="Use only this kind of rating: forced_choice or response_set.", choices=choices, metavar="E"
    )


def confidence_option() -> float:
    """How sure intervals are."""
    wants = "it is a share between 0 and 1"
    return option(0.95, help="Confidence of the intervals.", above=0, below=1, wants=wants, metavar="C")


# ---- Text that is typed as one option and means several things


def numbers_of(text: str) -> list[float]:
    """Numbers from `0,0.1,0.2`; whole ones are whole.

    >>> numbers_of("1, 0.1,.2")
    [1, 0.1, 0.2]
    """
    try:
        return [int(part) if part.strip().isdecimal() else float(part) for part in text.split(",")]
    except ValueError as error:
        raise OptionError(f"{text!r} is not a list of numbers: write it as 1,3,5.") from error


LONGEST_NUMBER = 15


def whole_numbers(option: str, text: str, *, example: str = "1,3,5") -> list[int]:
    """Whole numbers from `1,3,5`.

    >>> whole_numbers("raters", "1, 3,5")
    [1, 3, 5]
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) <= LONGEST_NUMBER for part in parts):
        raise OptionError(f"{named(option)} cannot be {text[:100]!r}: give whole numbers such as {example}.")
    return [int(part) for part in parts]


def parts_of(text: str) -> list[str]:
    """The parts between commas; a part with a comma stands in double quotes.

    >>> parts_of('a, "b, c"')
    ['a', 'b, c']
    """
    try:
        return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error as error:  # a line break, for instance
        raise OptionError(f"{text!r} is not a list: write it on one line, as a,b,c.") from error


def split_labels(text: str, *, option: str = "labels") -> list[str]:
    """Labels, or other names, from `a,b,c`.

    >>> split_labels('no,"yes, but"')
    ['no', 'yes, but']
    """
    labels = parts_of(text)
    if not labels or not all(labels):
        raise OptionError(f"{named(option, of='read')} {text!r} has an empty label: write them as a,b,c.")
    return labels


def renamed_labels(text: str) -> dict[str, str]:
    """Other names for labels from `NO=No,n/a=`; an empty one means missing.

    >>> renamed_labels("NO=No,n/a=")
    {'NO': 'No', 'n/a': ''}
    """
    names = {}
    for part in parts_of(text):
        old, equals, new = part.partition("=")
        if not equals or not old.strip():
            raise OptionError(
                f"{named('label_map', of='read')} has {part!r}: write OLD=NEW, and OLD= for a label that means missing."
            )
        names[old.strip()] = new.strip()
    return names


def pattern_of(text: str) -> tuple[str, str]:
    """A column and a pattern from `item=check_*`.

    >>> pattern_of("item=check_*")
    ('item', 'check_*')
    """
    column, equals, pattern = text.partition("=")
    if not equals or not column.strip() or not pattern.strip():
        raise OptionError(
            f"{named('drop', of='import_')} cannot be {text!r}: write COLUMN=PATTERN, such as item=check_*."
        )
    return column.strip(), pattern.strip()


def renamed_again(first: Mapping[str, str], then: Mapping[str, str]) -> dict[str, str]:
    """One renaming that does what two do, one after the other.

    >>> renamed_again({"NO": "No"}, {"No": "no", "n/a": ""})
    {'NO': 'no', 'No': 'no', 'n/a': ''}
    """
    known = {old: then.get(new, new) for old, new in first.items()}
    return known | {old: new for old, new in then.items() if old not in first}
