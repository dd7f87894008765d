"""The JSON object that every command prints with `--json`."""

import importlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from types import ModuleType

import dissensus
from dissensus.errors import MissingExtraError
from dissensus.options import Spelling, in_python, spelled
from dissensus.results import Result

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def envelope(result: Result, spelling: Spelling = in_python) -> dict[str, Json]:
    """The result with the version, the settings and the data that made it.

    A number that could not be computed is null; the result's warnings say why.
    """
    return {
        "dissensus": dissensus.__version__,
        "command": result.command,
        "settings": plain(result.settings),
        "data": plain(result.data),
        "result": plain(result.as_dict(), spelling),
        "warnings": plain(result.warnings, spelling),
    }


def envelope_json(result: Result, spelling: Spelling = in_python) -> str:
    """The envelope as text, two spaces deep, without a newline at the end."""
    return json.dumps(envelope(result, spelling), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: object, spelling: Spelling = in_python) -> Json:  # noqa: PLR0911 - one for each type
    """The value in the types that JSON knows.

    NaN and infinities become None, numpy's scalars and arrays Python's numbers and lists, paths text, and sets lists in
    order.

    Examples
    --------
    >>> plain({"k": (1, float("nan"), {"b", "a"})})
    {'k': [1, None, ['a', 'b']]}
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return spelled(getattr(value, "message", value), spelling)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner, spelling) for key, inner in value.items()}
    as_python = getattr(value, "tolist", None)  # numpy's scalars and arrays, without importing numpy
    if callable(as_python):
        return plain(as_python(), spelling)
    if isinstance(value, Iterable):
        return [plain(inner, spelling) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise TypeError(f"A {type(value).__name__} has no place in JSON: {value!r}")


def frame_of_rows(rows: Sequence[Mapping[str, object]]) -> object:
    """The rows as a pandas DataFrame, or as a polars one where pandas is not installed.

    Raises
    ------
    MissingExtraError
        If neither is installed.

    Examples
    --------
    >>> frame_of_rows([{"name": "fleiss_kappa", "value": 0.25}])
               name  value
    0  fleiss_kappa   0.25
    """
    pandas = _imported("pandas")
    if pandas is not None:
        return pandas.DataFrame([dict(row) for row in rows])
    polars = _imported("polars")
    if polars is not None:
        return polars.DataFrame([dict(row) for row in rows], infer_schema_length=None)
    raise MissingExtraError("A DataFrame", install="pandas")


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
