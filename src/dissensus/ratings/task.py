"""Task: what raters and judges were asked, read from a TOML file."""

import itertools
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from dissensus.errors import TaskError, listed
from dissensus.ratings.labels import SEPARATOR, option_name

Kind = Literal["single", "pairwise"]
KINDS: tuple[Kind, ...] = ("single", "pairwise")
PAIRWISE_OPTIONS = ("win", "tie", "lose")
ResponseSets = Literal["any", "single"]
_KEYS = ("name", "kind", "instructions", "options", "descriptions", "positive", "response_sets", "examples")
MOST_OPTIONS_FOR_ANY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A worked example for raters and judges."""

    text: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What was asked: the options in order, and which sets of them a rater may endorse.

    Attributes
    ----------
    name, instructions : str
        For people and prompts.
    kind : {"single", "pairwise"}
        One output to grade, or two to compare (win, tie, lose).
    options : tuple of str
        What can be chosen, in order.
    descriptions : mapping of str to str
        What some of the options mean.
    positive : tuple of str
        The options that count as positive in a decision.
    response_sets : tuple of tuple of str, or "any" or "single"
        Sets of options that a rater may endorse: every non-empty one, single options only, or those listed.
    examples : tuple of Example
        Worked examples.
    """

    options: tuple[str, ...]
    name: str = ""
    kind: Kind = "single"
    instructions: str = ""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    positive: tuple[str, ...] = ()
    response_sets: ResponseSets | tuple[tuple[str, ...], ...] = "any"
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        options = tuple(option_name(option) for option in self.options)
        object.__setattr__(self, "options", options)
        if self.kind not in KINDS:
            raise TaskError(f"kind is {self.kind!r}: it must be {' or '.join(KINDS)}.")
        if len(options) < 2:  # noqa: PLR2004 - a choice needs two
            raise TaskError(f"A task needs at least two options, and this one has {len(options)}.")
        if len(set(options)) < len(options):
            twice = next(o for o in options if options.count(o) > 1)
            raise TaskError(f"The option {twice!r} is listed twice.")
        bad = [option for option in options if not option or SEPARATOR in option]
        if bad:
            raise TaskError(f"The option {bad[0]!r} cannot be used: options are not empty and have no {SEPARATOR!r}.")
        object.__setattr__(self, "positive", self._known("positive", self.positive))
        self._known("descriptions", tuple(self.descriptions))
        object.__setattr__(self, "descriptions", MappingProxyType(dict(self.descriptions)))
        for example in self.examples:
            self._known("examples", tuple(example.label.split(SEPARATOR)))
        if not isinstance(self.response_sets, str):
            sets = tuple(self._known("response_sets", tuple(s)) for s in self.response_sets)
            object.__setattr__(self, "response_sets", sets)
        elif self.response_sets not in {"any", "single"}:
            raise TaskError(f'response_sets is {self.response_sets!r}: give "any", "single" or a list of lists.')

    def _known(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        known = tuple(option_name(name) for name in names)
        unknown = [name for name in known if name not in self.options]
        if unknown:
            raise TaskError(f"{key} names {unknown[0]!r}, which is no option: the options are {listed(self.options)}.")
        return known

    def admissible_sets(self) -> tuple[tuple[str, ...], ...]:
        """The response sets that a rater may give: smaller ones first, each in the order of the options.

        Examples
        --------
        >>> Task(options=("No", "Yes")).admissible_sets()
        (('No',), ('Yes',), ('No', 'Yes'))
        """
        if self.response_sets == "single":
            return tuple((option,) for option in self.options)
        if self.response_sets == "any":
            if len(self.options) > MOST_OPTIONS_FOR_ANY:
                raise TaskError(f"{len(self.options)} options have too many subsets: list the response_sets.")
            sizes = range(1, len(self.options) + 1)
            return tuple(s for size in sizes for s in itertools.combinations(self.options, size))
        place = {option: i for i, option in enumerate(self.options)}
        ordered = {tuple(sorted(set(s), key=place.__getitem__)) for s in self.response_sets if s}
        return tuple(sorted(ordered, key=lambda s: (len(s), [place[o] for o in s])))


def read_task(path: str | os.PathLike[str]) -> Task:
    """A task from its TOML file."""
    file = Path(path)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TaskError(f"{file} cannot be opened: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskError(f"{file.name} is not valid TOML: {error}.") from error
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise TaskError(f"{file.name} has an unknown key {unknown[0]!r}: the keys are {', '.join(_KEYS)}.")
    try:
        return _task(content)
    except TaskError as error:
        raise TaskError(f"{file.name}: {error}") from error


def _task(content: Mapping[str, object]) -> Task:
    kind = _text(content, "kind", "single")
    default = PAIRWISE_OPTIONS if kind == "pairwise" else None
    sets = content.get("response_sets", "any")
    if not isinstance(sets, str):
        if not isinstance(sets, list):
            raise TaskError('response_sets must be "any", "single" or a list of lists of options.')
        sets = tuple(_texts({"response_sets": s}, "response_sets") for s in sets)
    return Task(
        name=_text(content, "name", ""),
        kind=cast("Kind", kind),
        instructions=_text(content, "instructions", ""),
        options=_texts(content, "options", default),
        descriptions=_descriptions(content.get("descriptions", {})),
        positive=_texts(content, "positive", ()),
        response_sets=cast("ResponseSets", sets),
        examples=_examples(content.get("examples", [])),
    )


def _text(content: Mapping[str, object], key: str, default: str) -> str:
    value = content.get(key, default)
    if not isinstance(value, str):
        raise TaskError(f"{key} must be a text, and it is {value!r}.")
    return value


def _texts(content: Mapping[str, object], key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
    value = content.get(key, default)
    if value is None:
        raise TaskError(f"{key} is missing: list what raters could choose, in order.")
    if not isinstance(value, list | tuple) or not all(isinstance(v, str | int | float) for v in value):
        raise TaskError(f'{key} must be a list of texts, such as ["No", "Yes"].')
    return tuple(str(v) for v in value)


def _descriptions(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise TaskError('descriptions must be a table of texts, such as { "Toxic" = "Rude." }.')
    return {option_name(key): text for key, text in value.items()}


def _examples(value: object) -> tuple[Example, ...]:
    is_list = isinstance(value, list) and all(isinstance(e, dict) for e in value)
    if not is_list or not all({"text", "label"} <= e.keys() for e in cast("list[dict[str, object]]", value)):
        raise TaskError("examples must be [[examples]] tables, each with a text and a label.")
    return tuple(Example(text=str(e["text"]), label=str(e["label"])) for e in cast("list[dict[str, object]]", value))
