"""The JSON object that every command prints with `--json`."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import PurePath

import dissensus
from dissensus.results import Result

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def envelope(result: Result) -> dict[str, Json]:
    """The result with the version, the settings and the data that made it.

    A number that could not be computed is null; the result's warnings say why.
    """
    return {
        "dissensus": dissensus.__version__,
        "command": result.command,
        "settings": plain(result.settings),
        "data": plain(result.data),
        "result": plain(result.as_dict()),
        "warnings": list(result.warnings),
    }


def envelope_json(result: Result) -> str:
    """The envelope as text, two spaces deep, without a newline at the end."""
    return json.dumps(envelope(result), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: object) -> Json:
    """The value in the types that JSON knows.

    NaN and infinities become None, numpy's scalars and arrays Python's numbers and lists, paths text, and sets lists in
    order.

    Examples
    --------
    >>> plain({"k": (1, float("nan"), {"b", "a"})})
    {'k': [1, None, ['a', 'b']]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    as_python = getattr(value, "tolist", None)  # numpy's scalars and arrays, without importing numpy
    if callable(as_python):
        return plain(as_python())
    if isinstance(value, Iterable):
        return [plain(inner) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise TypeError(f"A {type(value).__name__} has no place in JSON: {value!r}")
