"""What people hold in Python as tables: frames of any library, arrays, dicts, lists of records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.data.coding import Cells, ColumnsSheet, Sheet, TextColumn, code_texts
from dissensus.data.columns import INDEX, synonym_of
from dissensus.data.labels import cell_text
from dissensus.data.layout import is_named
from dissensus.data.sources.documents import parsed_json
from dissensus.errors import RatingsError, listed, shortened

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoSeries

TIDY = ("item", "rater", "label")
WAYS_IN = (
    "a path, a frame (pandas, polars, pyarrow), a NumPy array (items by raters), a dict of rater to labels, or a list "
    "of records such as [{'item': 1, 'rater': 'ann', 'label': 'yes'}]"
)


def sheet_of(source: object, name: str = "the dict") -> Sheet:
    """What the user holds, as a sheet; an error that says what we take if it is not a table."""
    if isinstance(source, Mapping):
        return _sheet_of_dict(source, name)
    if isinstance(source, list | tuple):
        return _sheet_of_list(source)
    if isinstance(source, np.ndarray):
        return _sheet_of_array(source)
    return FrameSheet(source)


WRAPPERS = frozenset({"data", "records", "rows", "ratings", "annotations", "labels"})


def _rows_within(document: Mapping[str, object]) -> list[dict[str, object]]:
    """The plain records under the one key of a document that holds more than a note about the file."""
    held = {key: value for key, value in document.items() if isinstance(value, dict | list)}
    rows = next(iter(held.values())) if len(held) == 1 and set(held) <= WRAPPERS else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return []
    return [] if any(isinstance(cell, dict | list) for row in rows for cell in row.values()) else rows


def table_of(document: object) -> dict[str, list[object]] | None:
    """The columns of a JSON document that is a table as pandas writes one, in any of its ways; None for any other.

    >>> table_of({"item": {"0": "a", "1": "b"}, "label": {"0": "yes", "1": "no"}})
    {'item': ['a', 'b'], 'label': ['yes', 'no']}
    >>> table_of({"ann": {"a": "yes"}, "bob": {"a": "no"}}) is None
    True
    """
    if not isinstance(document, dict) or not document:
        return None
    if set(document) == {"columns", "index", "data"}:
        names, rows = document["columns"], document["data"]
        return {str(name): [row[place] for row in rows] for place, name in enumerate(names)}
    rows = _rows_within(document)
    inner = rows or (document["data"] if set(document) == {"schema", "data"} else list(document.values()))
    if not isinstance(inner, list) or not inner or not all(isinstance(one, dict) for one in inner):
        return None
    if not rows and _has_roles(document) and all(list(one) == list(inner[0]) for one in inner):
        return {name: list(column.values()) for name, column in document.items()}
    if rows or all(map(_has_roles, inner)):
        names = dict.fromkeys(name for record in inner for name in record)
        return {name: [record.get(name) for record in inner] for name in names}
    return None


def _has_roles(names: Iterable[str]) -> bool:
    """Whether names are those of columns: one is the item's, another the label's."""
    return all(any(is_named(str(name), role) for name in names) for role in ("item", "label"))


def document_of(source: object) -> object:
    """What the user holds as one JSON document: a dict of dicts, or a log of Inspect; None for anything else."""
    if isinstance(source, Mapping) and source and all(isinstance(inner, Mapping) for inner in source.values()):
        inner = {str(k): {str(name): _plain(v) for name, v in one.items()} for k, one in source.items()}
        return inner if any(inner.values()) else None
    if hasattr(source, "eval") and hasattr(source, "samples") and hasattr(source, "model_dump_json"):
        return parsed_json(source.model_dump_json(), "the log")
    return None


def _plain(value: object) -> object:
    """A value as JSON has it once it is read: a text, a list of texts, or None."""
    return list(map(cell_text, value)) if isinstance(value, list | tuple | set | np.ndarray) else cell_text(value)


# ---- Dicts, lists and arrays


def _sheet_of_dict(source: Mapping[Any, Any], called: str) -> Sheet:
    """A dict of columns, or of rater to labels, which is the same: a row per item, by position."""
    if not source:
        raise RatingsError(f"The dict is empty: give {WAYS_IN}.")
    if any(hasattr(column, "features") for column in source.values()):
        raise RatingsError(f"The dict holds several tables ({listed(list(map(str, source)))}): give one of them.")
    if any(type(column).__module__.startswith("pandas") for column in source.values()):
        import pandas as pd  # noqa: PLC0415 - it is there, since its columns are

        return FrameSheet(pd.DataFrame(dict(source)))  # by their index, if they have one
    columns = {str(name): _listed(column, str(name)) for name, column in source.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = listed([f"{shortened(name)} ({length})" for name, length in lengths.items()])
        raise RatingsError(f"The columns of the dict differ in length: {shown}. Write None where a label is missing.")
    return _sheet(called, columns)


def _listed(column: object, name: str) -> list[object]:
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        kind = type(column).__name__
        raise RatingsError(f"The dict has a {kind} under {name!r}, where a list of labels is needed: give {WAYS_IN}.")
    return list(column)


def _sheet_of_list(source: Sequence[Any]) -> Sheet:
    """Records, tuples of item, rater and label, or rows of a matrix."""
    if not source:
        raise RatingsError(f"The list is empty: give {WAYS_IN}.")
    if all(isinstance(record, Mapping) for record in source):
        names = dict.fromkeys(str(key) for record in source for key in record)
        records = [{str(key): value for key, value in record.items()} for record in source]
        return _sheet("the list of records", {name: [record.get(name) for record in records] for name in names})
    if all(isinstance(row, tuple) and len(row) == len(TIDY) for row in source):
        return _sheet("the list of tuples", dict(zip(TIDY, map(list, zip(*source, strict=True)), strict=True)))
    if all(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in source):
        rows = [list(row) for row in source]
        if len({len(row) for row in rows}) == 1:
            return _matrix("the list of lists", rows)
    raise RatingsError(f"The list holds {type(source[0]).__name__} and is not a table: give {WAYS_IN}.")


def _sheet_of_array(source: "np.ndarray[Any, Any]") -> Sheet:
    """Items by raters; NaN, None and what is masked are missing."""
    if source.dtype.names:
        return _sheet("the NumPy array", {name: source[name].tolist() for name in source.dtype.names})
    if source.ndim != 2:  # noqa: PLR2004 - items and raters
        shape = "x".join(map(str, source.shape))
        raise RatingsError(f"The NumPy array has the shape {shape}: give one of two dimensions, items by raters.")
    return _matrix("the NumPy array", source.tolist())  # what is masked comes as None


def _matrix(name: str, rows: list[list[object]]) -> Sheet:
    """A row per rating that is there; an item that nobody rated stays known by its name."""
    label = code_texts(cell_text(value) for row in rows for value in row)
    item, rater = np.divmod(np.flatnonzero(label.codes >= 0), max(1, len(rows[0]) if rows else 0))
    columns = {
        "item": TextColumn(item, tuple(map(str, range(len(rows))))),
        "rater": TextColumn(rater, tuple(f"rater {i + 1}" for i in range(len(rows[0]) if rows else 0))),
        "label": label.take(np.flatnonzero(label.codes >= 0)),
    }
    return ColumnsSheet(name, (item + 1).tolist(), columns)


def _sheet(name: str, columns: Mapping[str, Sequence[object]]) -> Sheet:
    n_rows = len(next(iter(columns.values()), ()))
    coded = {column: code_texts(map(cell_text, values)) for column, values in columns.items()}
    if not _has_items(tuple(columns)):
        coded = {INDEX: code_texts(map(str, range(n_rows))), **coded}
    return ColumnsSheet(name, range(1, n_rows + 1), coded)


def _has_items(columns: Sequence[str]) -> bool:
    return any(column.strip().lower() == "item" for column in columns) or synonym_of(columns, "item") is not None


# ---- Frames


class FrameSheet(Sheet):
    """A frame as a sheet of text columns; the first row is row 1, and an index that names items is a column."""

    def __init__(self, frame: object) -> None:
        import narwhals as nw  # noqa: PLC0415 - for those who bring a frame

        native, self._classes = _native(frame)
        try:
            table = nw.from_native(native)  # type: ignore[call-overload] # anything may come
        except (TypeError, ValueError) as error:
            raise RatingsError(f"We cannot read this {type(frame).__name__}: give {WAYS_IN}.") from error
        self._table: nw.LazyFrame[Any] = table.lazy()
        schema = self._table.collect_schema()
        self._names = {str(name): name for name in schema}
        self._orders = {str(name): tuple(kind.categories) for name, kind in schema.items() if isinstance(kind, nw.Enum)}
        columns = tuple(self._names)
        self._has_index = not _has_items(columns)
        name = f"the {table.implementation.value} frame"
        super().__init__(name, (INDEX, *columns) if self._has_index and INDEX not in columns else columns)

    def _read(self, columns: tuple[str, ...]) -> Cells:
        import narwhals as nw  # noqa: PLC0415 - as above

        known = [column for column in columns if column in self._names] or [next(iter(self._names))]
        table = self._table.select(*(nw.col(self._names[column]) for column in known)).collect()
        coded = {column: self._coded(table.get_column(self._names[column]), column) for column in known}
        numbers = {INDEX: code_texts(map(str, range(len(table))))} if INDEX not in self._names else {}
        cells = {column: coded[column] if column in coded else numbers[column] for column in columns}
        return Cells(row=np.arange(1, len(table) + 1), columns=cells)

    def _coded(self, series: "nw.Series[IntoSeries]", name: str) -> TextColumn:
        # Python has no short floats: as a list, 0.1 would become 0.10000000149011612.
        values = series.to_numpy() if str(series.dtype) == "Float32" else series.to_list()
        if name in self._classes:
            values = [_class_name(value, self._classes[name]) for value in values]
        column = code_texts(map(cell_text, values))
        order = tuple(filter(None, map(cell_text, self._orders.get(name, ()))))
        return TextColumn(column.codes, column.texts, order)


def _class_name(value: object, classes: Sequence[str]) -> object:
    """The name of a class where the column holds its number; -1 is a missing label."""
    if isinstance(value, int) and not isinstance(value, bool):
        return classes[value] if 0 <= value < len(classes) else None
    return value


def _native(frame: Any) -> tuple[object, dict[str, list[str]]]:  # noqa: ANN401 - whatever people hold
    """A frame that narwhals knows, and the names of classes in columns that hold their numbers (Hugging Face)."""
    module = type(frame).__module__.partition(".")[0]
    if module == "pandas":
        return _with_index(frame), {}
    if module in {"polars", "pyarrow", "duckdb", "narwhals", "modin", "cudf", "dask", "ibis", "pyspark", "sqlframe"}:
        return (frame.read_all() if hasattr(frame, "read_all") else frame), {}
    features = getattr(frame, "features", None)
    classes = {str(k): list(f.names) for k, f in dict(features or {}).items() if getattr(f, "names", None)}
    if hasattr(frame, "to_pandas"):
        return _with_index(frame.to_pandas()), classes
    if hasattr(frame, "__arrow_c_stream__"):
        import pyarrow as pa  # noqa: PLC0415 - as above

        return pa.RecordBatchReader.from_stream(frame).read_all(), classes
    if hasattr(frame, "__dataframe__"):
        from pandas.api.interchange import from_dataframe  # noqa: PLC0415 - as above

        return from_dataframe(frame), classes
    return frame, {}


def _with_index(frame: Any) -> Any:  # noqa: ANN401 - pandas is not required
    """A pandas frame with what its index and its levels of columns say as plain columns."""
    if hasattr(frame, "to_frame") and not hasattr(frame, "columns"):  # a series
        frame = frame.to_frame(frame.name if frame.name is not None else "label")
    if getattr(frame.columns, "nlevels", 1) > 1:
        constant = [i for i in range(frame.columns.nlevels) if len(set(frame.columns.get_level_values(i))) == 1]
        kept = [i for i in range(frame.columns.nlevels) if i not in constant] or [frame.columns.nlevels - 1]
        frame = frame.set_axis([".".join(str(name[i]) for i in kept) for name in frame.columns], axis=1)
    columns = [str(name) for name in frame.columns]
    twice = [name for i, name in enumerate(columns) if name in columns[:i]]
    if twice:
        raise RatingsError(f"The frame has two columns called {twice[0]!r}: rename one of them.")
    frame = frame.set_axis(columns, axis=1)
    names = _index_names(frame)
    if not names:
        return frame
    # Not reset_index, which takes no index with the name of a column, even where that one is left out.
    levels = {name: frame.index.get_level_values(i) for i, name in names.items()}
    plain = frame.reset_index(drop=True)
    for place, (name, values) in enumerate(levels.items()):
        plain.insert(place, name, values)
    return plain


def _index_names(frame: Any) -> dict[int, str]:  # noqa: ANN401 - as above
    """The levels of the index that are columns of the table, by their number: those that name items or raters."""
    columns = [str(name) for name in frame.columns]
    given = [None if name is None else str(name) for name in frame.index.names]
    if len(given) > 1:
        named = given if any(given) else [*TIDY[: len(given)], *given[len(TIDY) :]]
        return {i: name for i, name in enumerate(named) if name and name not in columns}
    if _has_items(columns) or given[0] in columns:
        return {}
    is_counting = given[0] is None and list(frame.index[:2]) == list(range(min(2, len(frame.index))))
    if is_counting and frame.index.is_unique:
        return {}  # rows are numbered anyway
    name = given[0] or ""
    is_other = any(name.strip().lower() == role or synonym_of([name], role) for role in ("rater", "label"))
    return {0: name if is_other else "item"}
