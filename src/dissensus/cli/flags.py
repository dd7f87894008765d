"""From declared options to flags of the command line."""

import importlib
import inspect
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from dissensus.errors import OptionError
from dissensus.options import Declared, Options, declarations, default_of, is_several, spelled
from dissensus.sizes import NAMES as LIMITS

if TYPE_CHECKING:
    from dissensus.errors import Spelling
    from dissensus.results import Result

Command = Callable[..., None]
Keywords = Mapping[str, Any]
"""What was typed for the options of a method, ready for its function.

Annotated with where they are declared below `methods`: `Annotated[Keywords, "raters.result.RatersOptions"]`. Only the
command that was typed imports them.
"""
FLAGS = {  # options that the command line calls otherwise than Python, by name and the function they belong to
    ("elicitation", ""): "--only",
    ("label_map", "read"): "--map",
    ("label_map", "import_"): "--map",
    ("label_map", "read_judges"): "--map",
    ("source_format", "import_"): "--format",
    ("source_format", "read"): "--ratings-format",
    ("source_format", "read_judges"): "--judges-format",
    ("question", "read_judges"): "--judges-question",
    ("item_key", "read_judges"): "`dissensus import --item-key`",
    **{
        (role, "read_judges"): "--judge-columns"
        for role in ("item", "judge", "sample", "label", "elicitation", "order")
    },
    ("skipped", "read"): "`dissensus import --skipped keep`",
    ("drop", "read"): "`dissensus import --drop COLUMN=PATTERN`",
    ("decimal_comma", "read"): "`dissensus import --decimal-comma`",
    ("split", "read"): "`dissensus import --split`",
    ("output", "rate"): "-o",
    ("output", "collect"): "-o",
    ("names", "doctor"): "`dissensus doctor --json`",
    **{(limit, "limits"): f"--limit {limit}=" for limit in LIMITS},
}
NOT_METHODS = frozenset({"read", "read_both", "read_judges", "import_", "rate", "doctor", "limits"})
"""Functions whose options every command has, or that have flags of their own."""


def flag_of(option: str, of: str = "") -> str:
    """An option as it is typed.

    >>> flag_of("elicitation"), flag_of("max_raters")
    ('--only', '--max-raters')
    """
    renamed = FLAGS.get((option, of)) or ("" if of in NOT_METHODS else FLAGS.get((option, ""), ""))
    return renamed or "--" + option.replace("_", "-")


def flags_beside(result: "Result") -> "Spelling":
    """How options are typed in a message of a result: with the command, where this one lacks the option."""

    def spelling(option: str, of: str) -> str:
        is_here = not of or of in NOT_METHODS or option in result.settings
        command = of.replace("_", "-")
        return flag_of(option, of) if is_here else f"`dissensus {command} {flag_of(option, of)}`"

    return spelling


def spread(command: Command) -> Command:
    """The command with each bundle among its parameters replaced by one parameter for each option in it.

    Typer reads parameters from a function's signature. A bundle is a dataclass of typer's options, such as
    `RatingsInput`, or the declared options of a method; see `Keywords`.
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if options := declared_in(hint):
            bundles[name] = options
            parameters += _declared(options)
        elif isinstance(hint, type) and is_dataclass(hint):
            bundles[name] = hint
            parameters += _parameters_of(hint)
        else:
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    def call(**values: object) -> None:
        check_files(values)
        made = {name: _made(bundle, values) for name, bundle in bundles.items()}
        command(**made, **values)

    call.__doc__ = command.__doc__
    call.__name__ = command.__name__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # functions may have one
    return call


# ---- Plain words that were typed, read here: what typer reads them with takes as long to import as numpy

PLAIN = {int: re.compile(r"-?[0-9]{1,15}"), float: re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]{1,2})?")}


class _Quick:
    """A command that reads plain values itself; typer is left with the others, among them all that are wrong.

    So it is with all values where typer has come to work otherwise inside.
    """

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - as typer has it
        """The parameters, --help and --install-completion among them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc] # of the command or the group
        for parameter in parameters:
            if getattr(parameter, "_runtime_param", None) is None:  # typer makes its own when it is first asked for
                parameter._runtime_param = _Reader()  # noqa: SLF001
        return parameters


class QuickCommand(_Quick, TyperCommand):
    """A command that reads plain values itself, and refuses a text twice where one counts; the last number counts."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as typer has it
        """What stays of the words once options are read."""
        _, _, typed = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(typed).items():
            if times > 1 and not param.multiple and _kind_of(param) not in {bool, *PLAIN}:
                ctx.fail(f"{param.opts[0]} is given {times} times, and only one value can count: give it once.")
        return super().parse_args(ctx, args)


def _kind_of(param: Any) -> Any:  # noqa: ANN401 - as typer has it
    """The type of a value, of several if there may be."""
    annotation = param.type_descriptor.annotation
    return (get_args(annotation) or (annotation,))[0]


class QuickGroup(_Quick, TyperGroup):
    """The same for a group of commands."""


class _Reader:
    """Stands in for the reader of one option until a value comes that is not plain."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 - as typer has it
        """The value that a word stands for."""
        if value is None:
            return () if param.multiple else None
        descriptor, kind = param.type_descriptor, _kind_of(param)
        words = value if isinstance(value, list | tuple) else [value]
        if kind is Path and "" in words:  # `-o "$OUT"` with nothing in it, which Python takes for this folder
            raise typer.BadParameter("the name is empty: name a file.", ctx=ctx, param=param)
        if all(_is_plain(word, kind) for word in words):
            values = [kind(word) for word in words]
            low, high = descriptor.parameter_info.min, descriptor.parameter_info.max
            if all((low is None or low <= one) and (high is None or one <= high) for one in values):
                return values if param.multiple else values[0]
        param._runtime_param = None  # noqa: SLF001 - it makes its own
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _is_plain(word: object, kind: type) -> bool:
    """Whether a word is what it seems: no number in a spelling of its own, no file that cannot be read."""
    if not isinstance(word, str):
        return type(word) is kind
    if kind is Path:
        return "\0" not in word and (os.access(word, os.R_OK) or not os.path.lexists(word))
    return kind is str or (kind in PLAIN and PLAIN[kind].fullmatch(word) is not None)


OUTPUTS = ("out", "junit", "summary", "record")  # what commands call the files that they write


def check_files(typed: Mapping[str, object]) -> None:
    """Refuse to write a file that is read, or one file twice."""
    outputs = [(name, path) for name in OUTPUTS if isinstance(path := typed.get(name), Path)]
    if not outputs:
        return
    from dissensus.data.paths import is_same, named_by

    listed = ((name, one) for name, value in typed.items() for one in (value if isinstance(value, list) else [value]))
    read = [(name, Path(one)) for name, one in listed if name not in OUTPUTS and isinstance(one, str | Path) and one]
    read += [(name, file) for name in ("ratings", "judges", "source") for file in named_by(typed.get(name))]
    for place, (name, path) in enumerate(outputs):
        kept = "baseline" if name == "record" else None  # a history goes on, so its last run may be the baseline
        if any(is_same(path, one) for role, one in read if role != kept) and not path.is_dir():
            raise OptionError(f"Cannot write {path}: it is read as well, and would be lost. Name another file.")
        if any(is_same(path, other) for _, other in outputs[:place]):
            raise OptionError(f"{path} is named twice as a file to write. Name two files.")


def declared_in(hint: object) -> type[Options] | None:
    """The options that a parameter of a command stands for, if they are declared; see `Keywords`."""
    for note in get_args(hint)[1:]:
        if isinstance(note, str):
            module, _, name = note.rpartition(".")
            options: type[Options] = getattr(importlib.import_module(f"dissensus.methods.{module}"), name)
            return options
    return None


def _made(bundle: type, values: dict[str, object]) -> object:
    """A bundle of what was typed; `values` keeps the rest."""
    if not issubclass(bundle, Options):
        return bundle(**{f.name: values.pop(f.name) for f in fields(bundle)})  # type: ignore[arg-type] # a dataclass
    keywords = {}
    for name, declared in declarations(bundle).items():
        value = values.pop(_typed_name(name, declared))
        default = default_of(bundle, name)
        if value is None or (value == [] and default is not MISSING):
            keywords[name] = default
        elif _turns_off(declared, default):
            keywords[name] = not value
        else:
            keywords[name] = declared.typed(value) if declared.typed and isinstance(value, str) else value
    return keywords


def _declared(options: type[Options]) -> list[inspect.Parameter]:
    """The parameters that typer reads for the declared options of a method."""
    hints = get_type_hints(options)
    parameters = []
    for name, declared in declarations(options).items():
        default = default_of(options, name)
        several = is_several(options, name)
        kind: Any = str if declared.typed else _typed_kind(hints[name], is_list=several)
        metavar = None if kind is bool else declared.metavar or None
        flag = typer.Option(declared.flag or flag_of(name), metavar=metavar, help=spelled(declared.help, flag_of))
        if default is MISSING:
            default = inspect.Parameter.empty
        elif default is None or declared.typed or several:
            default, kind = None, kind | None
        elif _turns_off(declared, default):
            default = False
        parameters.append(_parameter(_typed_name(name, declared), default, Annotated[kind, flag]))
    return parameters


def _turns_off(declared: Declared, default: object) -> bool:
    """Whether the flag turns off what is on, as --raw does with calibrating."""
    return default is True and "/" not in declared.flag


def _typed_name(name: str, declared: Declared) -> str:
    """What typer calls an option: after its flag, as two options of one command may have one name in Python."""
    return (declared.flag or flag_of(name)).split("/")[0].lstrip("-").replace("-", "_")


def _typed_kind(hint: object, *, is_list: bool) -> type:
    """The type that typer reads a value as: bool, int, float, str, or a list of one of them."""
    names = {str(getattr(one, "__name__", one)) for one in (hint, *_all_args(hint))}
    kind = next((kind for kind in (bool, int, float) if kind.__name__ in names and "str" not in names), str)
    return list[kind] if is_list else kind  # type: ignore[valid-type]


def _all_args(hint: object) -> list[object]:
    return [inner for one in get_args(hint) for inner in (one, *_all_args(one))]


def _parameters_of(bundle: type) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    empty = inspect.Parameter.empty
    return [_parameter(f.name, empty if f.default is MISSING else f.default, hints[f.name]) for f in fields(bundle)]


def _parameter(name: str, default: object, annotation: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
