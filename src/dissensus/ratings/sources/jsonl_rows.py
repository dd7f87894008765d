"""JSON objects, read by Python: lists of them, and lines that duckdb refuses or in which it finds a fault."""

import json
from array import array
from collections.abc import Iterator, Mapping

import numpy as np

from dissensus.errors import FileError
from dissensus.ratings.coding import Cells, Sheet, TextCoder
from dissensus.ratings.sources.cell_text import cell_text
from dissensus.ratings.sources.input_file import InputFile
from dissensus.ratings.sources.json_values import distinct_keys, json_values


class RecordSheet(Sheet):
    """A list of JSON objects; its columns are all keys that occur."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        keys = dict.fromkeys(key for _, record in self._records() for key in record)
        super().__init__(file.name, tuple(keys))

    def _records(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        for row, value in json_values(self._file):
            if not isinstance(value, dict):
                raise _no_object(value, f"{self._file.name}, record {row}")
            yield row, value

    def _read(self, columns: tuple[str, ...]) -> Cells:
        coders = {column: TextCoder() for column in columns}
        rows = array("q")
        for row, record in self._records():
            rows.append(row)
            for column, coder in coders.items():
                coder.add(_json_text(record.get(column)))
        return Cells(
            row=np.array(rows, dtype=np.intp),
            columns={column: coder.column() for column, coder in coders.items()},
            blank_rows=rows[-1] - len(rows) if rows else 0,
        )


class JsonlSheet(RecordSheet):
    """A file with one JSON object per line."""

    def _records(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        with self._file.lines() as lines:
            yield from _records(self._file.name, lines)


def blank_lines(file: InputFile) -> list[int]:
    """Numbers of the blank lines that have data below them."""
    with file.lines() as lines:
        blank = np.fromiter(map(str.isspace, lines), dtype=np.bool_)
    last = np.flatnonzero(~blank)[-1]
    return (np.flatnonzero(blank[:last]) + 1).tolist()


def _records(name: str, lines: Iterator[str]) -> Iterator[tuple[int, Mapping[str, object]]]:
    for row, line in enumerate(lines, start=1):
        if not line.isspace():
            yield row, _record(line, f"{name}, row {row}")


def _record(line: str, where: str) -> Mapping[str, object]:
    try:
        # Numbers that are ids can be longer than a float or Python's limit on integers.
        record = json.loads(line.rstrip(), parse_int=str, object_pairs_hook=distinct_keys)
    except json.JSONDecodeError as error:
        fault = f"{error.msg} at character {error.colno}"
        raise FileError(f"{where}: not valid JSON ({fault}). Write one JSON object per line.") from error
    except RecursionError as error:
        raise FileError(f"{where}: the JSON is nested too deeply. Write one flat JSON object per line.") from error
    except ValueError as error:
        raise FileError(f"{where}: {error}") from error
    if not isinstance(record, dict):
        raise _no_object(record, where)
    return record


def _no_object(value: object, where: str) -> FileError:
    what = "a list" if isinstance(value, list) else "a single value"
    return FileError(f"{where}: {what}, where an object {{...}} is needed. Write one JSON object per line.")


def _json_text(value: object) -> str | None:
    return json.dumps(value) if isinstance(value, dict | list) else cell_text(value)
