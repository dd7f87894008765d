"""Options that several commands share, declared once as a dataclass and spread over a command's parameters."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import get_type_hints

Command = Callable[..., None]


def spread(command: Command) -> Command:
    """The command with each dataclass parameter replaced by one parameter per field.

    Typer reads parameters from a function's signature, so a bundle of options such as `RatingsInput` would have to be
    repeated in every command; this writes the signature instead.
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            bundles[name] = hints[name]
            parameters += _parameters_of(hints[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    def call(**values: object) -> None:
        made = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in bundles.items()}
        command(**made, **values)

    call.__doc__ = command.__doc__
    call.__name__ = command.__name__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # functions may have one
    return call


def _parameters_of(bundle: type) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(bundle)
    ]
