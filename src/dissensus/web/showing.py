"""The command line and the Python that do what a page does, ready to be copied."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.errors import DissensusError
from dissensus.web.fields import Field, typed


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


def command_line(*words: str) -> str:
    """Words as a shell takes them.

    Examples
    --------
    >>> command_line("report", "my ratings.csv")
    "dissensus report 'my ratings.csv'"
    """
    return shlex.join(["dissensus", *words])


def python_call(function: str, arguments: Sequence[str]) -> str:
    """A call, on several lines if it is long.

    Examples
    --------
    >>> python_call("plan_raters", ["effect=0.1"])
    'plan_raters(effect=0.1)'
    """
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 80:  # noqa: PLR2004 - as wide as a terminal
        return line
    return f"{function}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
