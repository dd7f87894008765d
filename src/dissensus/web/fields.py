"""The fields of a page's form: what its address may say, what is shown, and how a command line says the same."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dissensus.data.columns import UNKNOWN
from dissensus.errors import DissensusError, OptionError, named, spelled
from dissensus.options import (
    Options,
    declarations,
    default_of,
    is_several,
    parts_of,
    pattern_of,
    renamed_labels,
    split_labels,
    whole_numbers,
)

Kind = Literal["slider", "number", "choice", "check", "text"]
Holds = Literal["one", "whole", "wholes", "labels", "names", "renaming", "patterns"]
LONGEST_VALUE = 2000
LARGEST_NUMBER = 10**12
"""More items, labels or money than anybody plans with; beyond it a form was filled in by mistake, or to do harm."""
MOST_TIMES = {"bootstrap": "20000", "resamples": "200000", "max_raters": "1000"}
"""How often something may be repeated for one visitor: more would keep the others waiting."""
YES = "yes"  # what the address says for a box that is ticked


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field."""

    name: str  # in the address
    label: str  # in words
    kind: Kind = "text"  # how it is shown
    default: str = ""  # what it is if the address does not say; empty for nothing
    # `low`, `high`, `step`: of a slider or a number.
    low: str = ""
    high: str = ""
    step: str = "any"
    choices: Sequence[tuple[str, str]] = ()  # what can be chosen, and how that is called
    hint: str = ""  # a few more words
    # One text or number, a whole number, or several things with commas between them: whole numbers, labels in order,
    # names (each of them an option of its own on the command line), other names for labels, patterns of rows.
    holds: Holds = "one"
    usual: str = ""  # what the command takes if it is not told: then it is left out of the command line
    keyword: str = ""  # what the Python function calls it; as `name` if empty
    typed_as: str = ""  # what the command line calls it; after `name` if empty
    nobody: str = ""  # for a judge: how choosing none is called
    stand_in: str = ""  # for something that must be said: what a recipe has in its place as long as it is not

    @property
    def option(self) -> str:
        """As the command line calls it."""
        return self.typed_as or "--" + self.name.replace("_", "-")

    @property
    def argument(self) -> str:
        """As the Python function calls it."""
        return self.keyword or self.name

    def value(self, query: Mapping[str, str]) -> str:
        """What an address says, or the default."""
        return query.get(self.name, self.default).strip()[:LONGEST_VALUE]

    def words(self, value: str) -> list[str]:
        """The value as options of the command line; none if that is usual."""
        if not value or value == self.usual:
            return []
        if self.kind == "check":
            return [self.option]
        several = parts_of(value) if self.holds in {"names", "patterns"} else [value]
        return [word for one in several for word in (self.option, one)]


def option_field(options: type[Options], name: str, **more: Any) -> Field:  # noqa: ANN401 - the fields of a Field
    """The field of a declared option: kind and default as declared, and what a page says otherwise."""
    declared, default = declarations(options)[name], default_of(options, name)
    usual = str(default) if isinstance(default, str | int | float) and not isinstance(default, bool) else ""
    declared_type = options.__dataclass_fields__[name].type
    kind = declared_type.__name__ if isinstance(declared_type, type) else str(declared_type)
    made: dict[str, Any] = {"default": usual, "usual": usual}
    if is_several(options, name):
        made["holds"] = "names"
    elif kind.startswith("bool"):
        made["kind"] = "check"
    elif declared.choices:
        made |= {"kind": "choice", "choices": [(choice, choice) for choice in declared.choices]}
    elif kind.startswith(("int", "float")):
        made |= {"kind": "number"} | ({"holds": "whole", "step": "1"} if kind.startswith("int") else {})
        made |= {"high": MOST_TIMES[name]} if name in MOST_TIMES else {}
    return Field(name=name, **(made | more))


def on_page(option: str, of: str = "") -> str:
    """An option in a message, as visitors read it: what a page calls it is near its name.

    >>> on_page("min_items")
    "'min items'"
    """
    if of == "columns":  # a page has no field for it: the file must say it
        return f"the header {option!r}{INSTEAD}"
    if of == "limits":  # who started the server can raise it
        return f"dissensus serve --limit {option}="
    return ON_PAGE.get(option, f"'{option.replace('_', ' ')}'")


INSTEAD = " in place of"
ON_PAGE = {"label_map": "'Same as' in the list of labels"}  # options that pages call otherwise


def reason_of(error: DissensusError) -> str:
    """What is wrong, as visitors read it."""
    return spelled(error.message, on_page).replace(f"{INSTEAD} {UNKNOWN}", "")


def values_of(fields: Sequence[Field], query: Mapping[str, str]) -> dict[str, str]:
    """The value of each field in an address."""
    return {field.name: field.value(query) for field in fields}


def chosen(fields: Sequence[Field], values: Mapping[str, str]) -> dict[str, str]:
    """What an address must say: values that are filled in and not what is taken anyway."""
    filled = {field: values.get(field.name, "") for field in fields}
    return {field.name: value for field, value in filled.items() if value and not value == field.usual == field.default}


def typed(field: Field, text: str) -> object:
    """A value as Python takes it; None for nothing."""
    if not text:
        return None
    if field.kind == "check":
        return True
    if field.holds in READERS:
        return READERS[field.holds](field, text)
    if field.kind in {"slider", "number"}:
        return number(field, text)
    if field.choices and text not in dict(field.choices):
        raise OptionError.unknown(named(field.argument), text, dict(field.choices))
    return text


def number(field: Field, text: str) -> int | float:
    """A number from text."""
    is_whole = field.holds == "whole"
    try:
        found = int(text) if is_whole else float(text)
    except ValueError as error:
        kind = "a whole number" if is_whole else "a number"
        raise OptionError(f"{named(field.argument)} cannot be {text!r}: give {kind}.") from error
    check_size(field.argument, found)
    if field.kind == "number" and field.high and not float(field.low or 0) <= found <= float(field.high):
        raise OptionError(
            f"{named(field.argument)} cannot be {text}: give {field.low or 0} to {float(field.high):,.0f}."
        )
    return found


def check_size(option: str, *numbers: float) -> None:
    """Raise if a number is larger than any that a plan can hold."""
    if any(abs(number) > LARGEST_NUMBER for number in numbers):
        raise OptionError(f"{named(option)} is too large: give at most {LARGEST_NUMBER:,}.")


def _whole_numbers(option: str, text: str) -> list[int]:
    found = whole_numbers(option, text)
    check_size(option, *found)
    return found


READERS: dict[str, Callable[[Field, str], object]] = {  # how what a field holds is read from text
    "whole": number,
    "wholes": lambda field, text: _whole_numbers(field.argument, text),
    "labels": lambda field, text: split_labels(text, option=field.argument),
    "names": lambda field, text: split_labels(text, option=field.argument),
    "renaming": lambda _, text: renamed_labels(text),
    "patterns": lambda _, text: [pattern_of(part) for part in parts_of(text)],
}


def keywords(fields: Sequence[Field], values: Mapping[str, str]) -> dict[str, object]:
    """What was filled in, as keyword arguments."""
    found = {field.argument: typed(field, values.get(field.name, "")) for field in fields}
    return {name: value for name, value in found.items() if value is not None}


def what_is_wrong(fields: Sequence[Field], values: Mapping[str, str]) -> str:
    """Why the values cannot be used; empty if they can."""
    try:
        keywords(fields, values)
    except OptionError as error:
        return reason_of(error)
    return ""


def fields_for(judges: Sequence[str], fields: Sequence[Field]) -> list[Field]:
    """The fields, with the judges to choose from once they are known."""
    return [
        replace(field, kind="choice", choices=(("", field.nobody), *((name, name) for name in judges)), hint="")
        if judges and field.nobody
        else field
        for field in fields
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to do the same elsewhere."""

    command: str
    python: str


def options_of(fields: Sequence[Field], values: Mapping[str, str]) -> list[str]:
    """What was filled in, as options of the command line; what is usual or wrong is left out."""
    words = []
    for field in fields:
        try:
            words += field.words(values.get(field.name, ""))
        except DissensusError:  # the answer says what is wrong
            continue
    return words


def arguments_of(fields: Sequence[Field], values: Mapping[str, str]) -> list[str]:
    """What was filled in, as keyword arguments of a Python function; what is usual or wrong is left out."""
    found = []
    for field in fields:
        value = values.get(field.name, "")
        try:
            found += [f"{field.argument}={typed(field, value)!r}"] if value and value != field.usual else []
        except DissensusError:  # as above
            continue
    return found


def recipe_of(commands: Iterable[Sequence[str]], lines: Iterable[str]) -> Recipe:
    """Commands, each as its words, and lines of Python."""
    return Recipe(command="\n".join(command_line(*words) for words in commands), python="\n".join(lines))


def command_line(*words: str) -> str:
    """Words as a shell takes them.

    >>> command_line("report", "my ratings.csv")
    "dissensus report 'my ratings.csv'"
    """
    return shlex.join(["dissensus", *words])


def python_call(function: str, arguments: Sequence[str]) -> str:
    """A call, on several lines if it is long.

    >>> python_call("plan_raters", ["effect=0.1"])
    'plan_raters(effect=0.1)'
    """
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 80:  # noqa: PLR2004 - as wide as a terminal
        return line
    return f"{function}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
