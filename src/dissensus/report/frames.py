import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType

from dissensus.errors import MissingExtraError


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
