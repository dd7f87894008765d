"""The JSON object that every command prints as JSON, rows as a DataFrame, and how a report was made."""

import importlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from types import ModuleType

import dissensus
from dissensus.errors import MissingExtraError
from dissensus.options import Spelling, in_python, spelled
from dissensus.report.document import Cell, Table
from dissensus.report.numbers import HARMFUL, cell_text, shortened
from dissensus.results import Result, unspelled

LONGEST_SETTING = 200
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
    text = json.dumps(envelope(result, spelling), indent=2, ensure_ascii=False, allow_nan=False)
    return HARMFUL.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


def plain(value: object, spelling: Spelling = in_python) -> Json:  # noqa: PLR0911 - one for each type
    """The value in the types that JSON knows.

    NaN and infinities become None, numpy's scalars and arrays Python's numbers and lists, paths text, and sets lists in
    order.

    >>> plain({"k": (1, float("nan"), {"b", "a"})})
    {'k': [1, None, ['a', 'b']]}
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return spelled(unspelled(value), spelling)
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

    Raises MissingExtraError if neither is installed.

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


# ---- How a report was made: its files and their hashes, and the settings of each of its parts


def file_tables(results: Sequence[Result]) -> list[Table]:
    """The files that went in, each once, as one table; none if the data came from elsewhere."""
    roles: dict[tuple[Cell, ...], str] = {}  # a file that has several roles stands there once, with the first one
    for result in results:
        for role, facts in result.data.items():
            known = plain(facts)
            if isinstance(known, dict):
                roles.setdefault(tuple(_fact(known.get(key)) for key in ("file", "format", "rows", "sha256")), role)
    columns = ["Role", "File", "Layout", "Rows", "SHA-256"]
    rows = [(role, *facts) for facts, role in roles.items()]
    return [Table(caption="Data", columns=columns, rows=rows)] if rows else []


def setting_tables(results: Sequence[Result]) -> list[Table]:
    """The settings of each result."""
    return [
        Table(
            caption=f"Settings of {result.command}",
            columns=["Setting", "Value"],
            rows=[(name, _setting(plain(value))) for name, value in result.settings.items()],
        )
        for result in results
        if result.settings
    ]


def _fact(value: Json) -> Cell:
    return value if value is None or isinstance(value, int) else shortened(str(value), LONGEST_SETTING)


def _setting(value: Json) -> Cell:
    """A setting as text; the numbers of a column of mixed things do not line up anyway."""
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value)
    return cell_text(value, digits=3) if isinstance(value, bool | None) else shortened(str(value), LONGEST_SETTING)
