"""Task: what raters and judges were asked, read from a TOML file."""

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from dissensus.data.labels import SCALES, SEPARATOR, Scale, option_name
from dissensus.data.paths import toml_of
from dissensus.errors import FileError, TaskError, listed

Kind = Literal["single", "pairwise"]
KINDS: tuple[Kind, ...] = ("single", "pairwise")
PAIRWISE_OPTIONS = ("win", "tie", "lose")
ResponseSets = Literal["any", "single"]
AskedAs = Literal["forced-choice", "response-set", "both"]
ASKED_AS: tuple[AskedAs, ...] = ("forced-choice", "response-set", "both")
_KEYS = (
    "name", "kind", "instructions", "options", "descriptions", "positive", "response_sets", "elicitation", "examples",
    "scale", "questions",
)  # fmt: skip
FEWEST_OPTIONS = 2
MOST_OPTIONS_FOR_ANY = 16
_EXAMPLE_KEYS = {"single": "a text and a label", "pairwise": "a text_a, a text_b and a label"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A worked example for raters and judges."""

    # `text`, `text_b`: what is rated; in a pairwise task the first and the second output.
    text: str
    label: str  # what is right: an option, or several as in `Yes|No`
    text_b: str | None = None


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
    elicitation : {"forced-choice", "response-set", "both"}
        How a model is asked: for the one option that fits best, for every option that could reasonably apply, or both.
    examples : tuple of Example
        Worked examples.
    scale : {"nominal", "ordinal", "interval"}, optional
        What the order of the options means; inferred if not given.
    questions : tuple of Task
        Where several things were asked of each item: one task for each, called like the question in the data. Then
        `options` may be empty.
    """

    options: tuple[str, ...]
    name: str = ""
    kind: Kind = "single"
    instructions: str = ""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    positive: tuple[str, ...] = ()
    response_sets: ResponseSets | tuple[tuple[str, ...], ...] = "any"
    elicitation: AskedAs = "forced-choice"
    examples: tuple[Example, ...] = ()
    scale: Scale | None = None
    questions: tuple["Task", ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TaskError(f"kind is {self.kind!r}: it must be {' or '.join(KINDS)}.")
        if self.scale not in {None, *SCALES}:
            raise TaskError(f"scale is {self.scale!r}: it must be {', '.join(SCALES[:-1])} or {SCALES[-1]}.")
        if self.questions:
            self._check_questions()
            return
        self._set("options", self._checked_options())
        self._set("positive", self._known("positive", self.positive))
        described = self._known("descriptions", tuple(self.descriptions))
        self._set("descriptions", dict(zip(described, self.descriptions.values(), strict=True)))
        if self.elicitation not in ASKED_AS:
            raise TaskError(f"elicitation is {self.elicitation!r}: it must be {', '.join(ASKED_AS[:-1])} or both.")
        for example in self.examples:
            self._known("examples", example.label.split(SEPARATOR))
            if (example.text_b is not None) != (self.kind == "pairwise"):
                raise TaskError(f"In a {self.kind} task each example has {_EXAMPLE_KEYS[self.kind]}.")
        self._set("response_sets", self._checked_response_sets())

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_questions(self) -> None:
        """Each question has a name of its own, and options or those of the whole task."""
        names = [question.name for question in self.questions]
        if not all(names):
            raise TaskError("A question has no name: give each of [[questions]] the name that it has in the data.")
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise TaskError(f"The question {twice[0]!r} is listed twice: delete one.")

    def of_question(self, question: str | None) -> "Task":
        """The task of one question; the whole task where it lists none."""
        return next((own for own in self.questions if own.name == question), self)

    def _checked_options(self) -> tuple[str, ...]:
        options = tuple(option_name(option) for option in self.options)
        if len(options) < FEWEST_OPTIONS:
            raise TaskError(f"A task needs at least two options, and this one has {len(options)}: add the others.")
        for i, option in enumerate(options):
            if option in options[:i]:
                raise TaskError(f"The option {option!r} is listed twice: delete one.")
            if not option or SEPARATOR in option:
                raise TaskError(f"The option {option!r} cannot be used: it must not be empty nor have a {SEPARATOR!r}.")
        return options

    def _checked_response_sets(self) -> ResponseSets | tuple[tuple[str, ...], ...]:
        if isinstance(self.response_sets, str):
            if self.response_sets not in {"any", "single"}:
                raise TaskError(f'response_sets is {self.response_sets!r}: give "any", "single" or a list of lists.')
            return self.response_sets
        if not self.response_sets or not all(self.response_sets):
            raise TaskError("response_sets has an empty list: list at least one set, and one option in each.")
        return tuple(self._known("response_sets", options) for options in self.response_sets)

    def _known(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """Names of options in our spelling; an error if one is none."""
        known = tuple(option_name(name) for name in names)
        unknown = [name for name in known if name not in self.options]
        if unknown:
            raise TaskError(f"{key} names {unknown[0]!r}, which is not an option: choose from {listed(self.options)}.")
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
        ordered = {tuple(sorted(set(s), key=place.__getitem__)) for s in self.response_sets}
        return tuple(sorted(ordered, key=lambda s: (len(s), [place[o] for o in s])))


def read_task(path: str | os.PathLike[str]) -> Task:
    """A task from its TOML file.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Task

    Raises
    ------
    DissensusError
        If the file cannot be opened, is not valid TOML, or has a key that a task does not have.

    See Also
    --------
    read : Ratings from a file or a frame.

    Examples
    --------
    >>> from dissensus.data.paths import example_path
    >>> read_task(example_path("binary") / "task.toml").options
    ('No', 'Yes')
    """
    file = Path(path)
    try:
        content = toml_of(file)
    except OSError as error:
        raise TaskError(f"{file} cannot be opened: {error.strerror}. Check the path.") from error
    except FileError as error:
        raise TaskError(error.message) from error
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise TaskError(f"{file.name} has an unknown key {unknown[0]!r}: the keys are {', '.join(_KEYS)}.")
    try:
        return _task(content)
    except TaskError as error:
        raise TaskError(f"{file.name}: {error}") from error


def _task(content: Mapping[str, object]) -> Task:
    if questions := content.get("questions"):
        if not isinstance(questions, list) or not all(isinstance(own, dict) for own in questions):
            raise TaskError("questions must be [[questions]] tables, each with a name and its options.")
        shared = {key: value for key, value in content.items() if key not in {"questions", "name"}}
        parts = tuple(_question({**shared, **own}) for own in questions)
        instructions = _text(content, "instructions", "")
        return Task(options=(), name=_text(content, "name", ""), instructions=instructions, questions=parts)
    kind = _text(content, "kind", "single")
    default = PAIRWISE_OPTIONS if kind == "pairwise" else None
    sets = content.get("response_sets", "any")
    if not isinstance(sets, str):
        if not isinstance(sets, list):
            raise TaskError('response_sets must be "any", "single" or a list of lists of options.')
        sets = tuple(_texts({"response_sets": s}, "response_sets") for s in sets)
    return Task(
        name=_text(content, "name", ""), kind=cast("Kind", kind), instructions=_text(content, "instructions", ""),
        options=_texts(content, "options", default), descriptions=_descriptions(content.get("descriptions", {})),
        positive=_texts(content, "positive", ()), response_sets=cast("ResponseSets", sets),
        elicitation=cast("AskedAs", _text(content, "elicitation", "forced-choice").replace("_", "-")),
        examples=_examples(content.get("examples", [])),
        scale=cast("Scale | None", _text(content, "scale", "") or None),
    )  # fmt: skip


def _question(content: Mapping[str, object]) -> Task:
    """One of [[questions]], which has what the whole task has unless it says otherwise."""
    unknown = [key for key in content if key not in _KEYS or key == "questions"]
    if unknown:
        raise TaskError(f"A question has an unknown key {unknown[0]!r}: the keys are {', '.join(_KEYS[:-1])}.")
    try:
        return _task(content)
    except TaskError as error:
        raise TaskError(f"question {content.get('name', '')!r}: {error}") from error


def _text(content: Mapping[str, object], key: str, default: str) -> str:
    value = content.get(key, default)
    if not isinstance(value, str):
        raise TaskError(f'{key} is {value!r}: it must be a text, such as "{default or "toxicity"}".')
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
    return value


def _examples(value: object) -> tuple[Example, ...]:
    if not isinstance(value, list) or not all(isinstance(e, dict) for e in value):
        raise TaskError("examples must be [[examples]] tables, each with a text and a label.")
    return tuple(map(_example, value))


def _example(content: Mapping[str, object]) -> Example:
    if not any({*texts, "label"} == content.keys() for texts in (("text",), ("text_a", "text_b"))):
        raise TaskError("examples must be [[examples]] tables, each with a text and a label.")
    second = content.get("text_b")
    return Example(
        text=str(content.get("text", content.get("text_a"))),
        label=str(content["label"]),
        text_b=None if second is None else str(second),
    )
