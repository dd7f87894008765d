"""A file or a frame, seen as a table, as records or as one document: whichever a format asks for."""

import csv
import itertools
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
from narwhals.typing import IntoFrame, IntoSeries

from dissensus.data.coding import Cells, Sheet, TextColumn, code_texts
from dissensus.data.columns import found
from dissensus.data.labels import cell_text
from dissensus.data.sources.files import open_sheet, sha256_of
from dissensus.data.sources.input_file import InputFile, inspect_file
from dissensus.errors import ColumnError, FileError, OptionError, RatingsError, listed

if TYPE_CHECKING:
    from dissensus.data.sources.workbooks import Archive

# ---- A file or a frame, seen as a table, as records or as one document: whichever a format asks for

SAMPLED_ROWS = 20
PEEKED_RECORDS = 100


class Source:
    """What the user gave.

    Attributes
    ----------
    name : str
        What to call it in messages.
    file : InputFile, optional
        The file, unless it is a frame.
    """

    def __init__(
        self,
        name: str,
        stack: ExitStack,
        *,
        file: InputFile | None = None,
        frame: Sheet | None = None,
        sheet_name: str | None = None,
        columns: tuple[str, ...] | None = None,
    ) -> None:
        self.name, self.file = name, file
        self._stack, self._frame, self._sheet_name, self._columns = stack, frame, sheet_name, columns

    @property
    def kind(self) -> str:
        """What the file's suffix says, or `frame`."""
        return "frame" if self.file is None else self.file.kind

    @cached_property
    def sheet(self) -> Sheet | None:
        """The source as a table; None if it is a document. An error if the table has no proper header."""
        if self._frame is not None or self.file is None:
            return self._frame
        if self.kind in {"yaml", "archive"} or (self.kind == "json" and self.is_document):
            return None
        return self._stack.enter_context(open_sheet(self.file, sheet=self._sheet_name, columns=self._columns))

    def table(self, *needed: str) -> Sheet:
        """The source as a table with these columns; an error if it is none, whatever format the user named."""
        if self.sheet is None:
            raise ColumnError(f"{self.name} is no table, and the format that you named is one. Name another, or none.")
        missing = [repr(column) for column in needed if column not in self.sheet.columns]
        if missing:
            raise ColumnError(f"{self.name} has no column {listed(missing)}. Columns found: {found(self.sheet)}.")
        return self.sheet

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table; none if it is a document or has no proper header.

        Of a JSON list, which is read from end to end to know them all, only those of the first records.
        """
        if self.kind == "json":
            return () if self.is_document else self._first_keys()
        try:
            return () if self.sheet is None else self.sheet.columns
        except ColumnError:
            return ()

    def _first_keys(self) -> tuple[str, ...]:
        records = (record for _, record in itertools.islice(self.records(), PEEKED_RECORDS))
        return tuple(dict.fromkeys(key for record in records if isinstance(record, dict) for key in record))

    @cached_property
    def _head(self) -> tuple[object, bool]:
        """The first value of a JSON file, and whether it is the only one and no list is around it."""
        assert self.file is not None  # noqa: S101 - asked of files only
        if self.kind == "yaml":
            from dissensus.data.sources.files import yaml_document  # noqa: PLC0415 - for YAML only

            return yaml_document(self.file), True
        from dissensus.data.sources.json_values import is_json_list, json_values  # noqa: PLC0415 - only for JSON

        try:
            first = [value for _, value in itertools.islice(json_values(self.file), 2)]
        except FileError:
            if self.kind == "jsonl":
                return None, False  # lines are read by another parser, which may accept them or says which is wrong
            raise
        if not first:
            raise FileError(f"{self.name} has not a single record in it. Export it again.")
        return first[0], self.kind == "json" and len(first) == 1 and not is_json_list(self.file)

    @property
    def first(self) -> object:
        """The first record of a list or of JSON lines, or the whole document; None for other files."""
        return self._head[0] if self.kind in {"json", "jsonl", "yaml"} else None

    @property
    def is_document(self) -> bool:
        """Whether the file is one JSON or YAML object, and not a list of records."""
        return self.kind in {"json", "yaml"} and self._head[1]

    @property
    def document(self) -> object:
        """The one object that the file is; None for a list of records or a table."""
        return self.first if self.is_document else None

    def records(self) -> Iterator[tuple[int, object]]:
        """Number and value of each record of a JSON file, one at a time."""
        from dissensus.data.sources.json_values import json_values  # noqa: PLC0415 - for JSON only

        return json_values(self.given_file())

    def archive(self) -> "Archive":
        """The file as a ZIP archive."""
        from dissensus.data.sources.workbooks import open_archive  # noqa: PLC0415 - for archives only

        return self._stack.enter_context(open_archive(self.given_file().path))

    def given_file(self) -> InputFile:
        """The file; an error if the user gave a frame and named a format that only files have."""
        if self.file is None:
            raise FileError(f"{self.name} is no file, and the format that you named is one. Name another, or none.")
        return self.file

    def head_rows(self) -> list[list[str]]:
        """The cells of the first rows of a CSV file, whatever its header is like."""
        if self.file is None or self.kind not in {"csv", "tsv"}:
            return []
        with self.file.lines(errors="replace") as lines:
            try:
                return list(itertools.islice(csv.reader(lines), SAMPLED_ROWS))
            except csv.Error:
                return []

    def notes(self) -> tuple[str, ...]:
        """What the user should know about how the table was read, if it was."""
        opened = self.__dict__.get("sheet")
        return () if opened is None else opened.notes

    def outline(self) -> str:
        """What can be seen from outside, for a message."""
        keys = list(self.first) if isinstance(self.first, dict) else []
        return f" (its keys are {listed([str(key) for key in keys])})" if keys else ""

    def sha256(self) -> str | None:
        """Hash of the file's bytes; None for a frame."""
        return None if self.file is None else sha256_of(self.file.path)


@contextmanager
def open_source(
    source: "str | os.PathLike[str] | IntoFrame", *, sheet: str | None = None, columns: tuple[str, ...] | None = None
) -> Iterator[Source]:
    """Open a path or a frame; what it holds open is closed at the end of the block."""
    with ExitStack() as stack:
        if isinstance(source, str | os.PathLike):
            file = inspect_file(source)
            if sheet is not None and file.kind != "workbook":
                raise OptionError(f"{file.name} has no sheets: --sheet is for workbooks such as .xlsx. Leave it out.")
            yield Source(file.name, stack, file=file, sheet_name=sheet, columns=columns)
        else:
            frame = FrameSheet(source)
            yield Source(frame.name, stack, frame=frame)


class FrameSheet(Sheet):
    """A frame as a sheet of text columns; the first row is row 1."""

    def __init__(self, frame: IntoFrame) -> None:
        try:
            table = nw.from_native(frame)
        except (TypeError, ValueError) as error:
            raise RatingsError(
                f"This {type(frame).__name__} cannot be read ({error}): give a path or a frame."
            ) from error
        self._table = table.lazy()
        self._names = {str(name): name for name in self._table.collect_schema().names()}
        super().__init__(f"the {table.implementation.value} frame", tuple(self._names))

    def _read(self, columns: tuple[str, ...]) -> Cells:
        table = self._table.select(*(nw.col(self._names[column]) for column in columns)).collect()
        coded = {column: _coded(table.get_column(self._names[column])) for column in columns}
        return Cells(row=np.arange(1, len(table) + 1), columns=coded)


def _coded(series: nw.Series[IntoSeries]) -> TextColumn:
    # Python has no short floats: as a list, 0.1 would become 0.10000000149011612.
    values = series.to_numpy() if series.dtype == nw.Float32 else series.to_list()
    return code_texts(cell_text(value) for value in values)
