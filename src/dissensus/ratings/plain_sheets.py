"""Sheets read by Python's own parsers: for frames, and for text files that duckdb refuses."""

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dissensus.errors import FileError
from dissensus.ratings.coding import TextColumn, code_texts
from dissensus.ratings.labels import SEPARATOR
from dissensus.ratings.text_faults import check_encoding, read_header, text_lines

LONGEST_CELL = 1 << 24


class PlainSheet:
    """A sheet held in memory, one list of values per column."""

    def __init__(self, values: Mapping[str, Sequence[object]], *, name: str, first_row: int) -> None:
        self.name, self.first_row = name, first_row
        self.columns = tuple(values)
        self.n_rows = len(next(iter(values.values()), ()))
        self._values = values

    def load(self, columns: Sequence[str]) -> dict[str, TextColumn]:
        """These columns, coded."""
        return {column: code_texts(cell_text(value) for value in self._values[column]) for column in columns}


def cell_text(value: object) -> str | None:
    """A cell as text; None where it is empty.

    Examples
    --------
    >>> cell_text(1), cell_text(1.0), cell_text(True), cell_text({"b", "a"}), cell_text(float("nan")), cell_text(" ")
    ('1', '1.0', 'true', 'a|b', None, None)
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset):
        return SEPARATOR.join(sorted(filter(None, map(cell_text, value)))) or None
    text = str(value)
    return None if text in {"NaT", "<NA>"} else text


def plain_csv_sheet(path: Path, *, is_gzipped: bool, is_tsv: bool) -> PlainSheet:
    """A CSV file, row by row: for mixed line ends and the like, and to find the row of a fault."""
    check_encoding(path, is_gzipped=is_gzipped)
    header = read_header(path, name=path.name, is_gzipped=is_gzipped, is_tsv=is_tsv)
    width = len(header.columns)
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(text_lines(path, is_gzipped=is_gzipped), delimiter=header.delimiter, strict=True)
    rows: list[list[str]] = []
    row = 0
    try:
        for row, cells in enumerate(filter(None, reader), start=1):
            if len(cells) != width:
                raise FileError(
                    f"{path.name}, row {row}: {len(cells)} cells where the header has {width}. "
                    f"Mend the row, or quote cells that hold a {header.delimiter!r}."
                )
            rows.append(cells)
    except csv.Error as error:
        raise FileError(f"{path.name}, row {row + 1}: {error}. Check the quotes in that row.") from error
    columns = zip(*rows[1:], strict=True) if len(rows) > 1 else [()] * width
    return PlainSheet(dict(zip(header.columns, columns, strict=True)), name=path.name, first_row=2)


def plain_jsonl_sheet(path: Path, *, is_gzipped: bool) -> PlainSheet:
    """A file with one JSON object per line, line by line: to find the line of a fault, and for NaN."""
    check_encoding(path, is_gzipped=is_gzipped)
    records = list(_json_objects(path.name, text_lines(path, is_gzipped=is_gzipped)))
    columns = dict.fromkeys(key for record in records for key in record)
    values = {column: [_json_cell(record.get(column)) for record in records] for column in columns}
    return PlainSheet(values, name=path.name, first_row=1)


def _json_objects(name: str, lines: Iterable[str]) -> Iterable[Mapping[str, object]]:
    for row, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FileError(f"{name}, row {row}: not valid JSON ({error}). Each line must be one JSON object.") from error
        if not isinstance(record, dict):
            raise FileError(f"{name}, row {row}: a JSON {type(record).__name__}, where an object {{...}} is needed.")
        yield record


def _json_cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict | list) else value
