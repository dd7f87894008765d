"""A file or a frame, seen as a table, as records or as one document: whichever a format asks for."""

import csv
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dissensus.data.coding import Sheet
from dissensus.data.columns import shown_columns
from dissensus.data.paths import resolved
from dissensus.data.sources.csv_rows import CsvSheet, check_text, in_its_encoding
from dissensus.data.sources.documents import RecordSheet, is_json_list, json_values, parsed_json, yaml_document
from dissensus.data.sources.files import SQL_KINDS, InputFile, inspect_file, sha256_of, unchanged
from dissensus.data.sources.frames import document_of, sheet_of, table_of
from dissensus.errors import ColumnError, FileError, MissingExtraError, OptionError, listed, named

if TYPE_CHECKING:
    from dissensus.data.sources.workbooks import Archive

# ---- MLflow's traces: of an experiment, a list, or their frame; MLflow is imported for `mlflow:EXPERIMENT` only

EXPERIMENT = "mlflow:"
TRACES = "traces"  # the key of the document that holds them
KEPT = ("trace_id", "client_request_id", "request_id", "tags", "trace_metadata", "request", "assessments")
"""What is taken of a row of `mlflow.search_traces()`; spans may be large."""
MOST_SHOWN = 50


def experiment_of(source: object) -> str | None:
    """The experiment that the user names with `mlflow:NAME`; None for anything else."""
    name = str(source) if isinstance(source, str | os.PathLike) else ""
    return name.removeprefix(EXPERIMENT) if name.startswith(EXPERIMENT) else None


def traces_of_experiment(name: str) -> Mapping[str, object]:
    """The traces of an experiment, by its name or its number, as one document."""
    try:
        import mlflow  # noqa: PLC0415 - for those who have it
    except ImportError as error:
        raise MissingExtraError(f"Reading {EXPERIMENT}{name}", install="mlflow") from error
    try:
        found = mlflow.get_experiment_by_name(name) or (mlflow.get_experiment(name) if name.isdigit() else None)
        known = [] if found else [one.name for one in mlflow.search_experiments(max_results=MOST_SHOWN)]
    except mlflow.MlflowException as error:
        raise FileError(f"MLflow at {mlflow.get_tracking_uri()} does not answer: {error}") from error
    if found is None:
        raise FileError(
            f"MLflow at {mlflow.get_tracking_uri()} has no experiment {name!r}. It has {listed(known) or 'none'}; "
            "MLFLOW_TRACKING_URI says where to look."
        )
    return _document([trace.info.to_dict() for trace in _all_traces(mlflow.MlflowClient(), found.experiment_id)])


def _all_traces(client: Any, experiment: str) -> list[Any]:  # noqa: ANN401 - mlflow is not required
    traces, token = [], None
    while True:
        page = client.search_traces([experiment], page_token=token, include_spans=False)
        traces += page
        token = page.token
        if not token:
            return traces


def traces_held(source: Any) -> Mapping[str, object] | None:  # noqa: ANN401 - whatever people hold
    """The same of a list of traces or of the frame of `mlflow.search_traces()`; None for anything else."""
    if isinstance(source, list) and source and all(_is_trace(one) for one in source):
        return _document([one.info.to_dict() for one in source])
    is_frame = type(source).__module__.startswith("pandas") and hasattr(source, "columns")
    if is_frame and {"trace_id", "assessments"} <= set(source.columns):
        rows = source[[name for name in KEPT if name in source.columns]].to_dict("records")
        for row in rows:  # of dicts, or of objects in older versions
            given = row["assessments"]
            row["assessments"] = [one.to_dictionary() if hasattr(one, "to_dictionary") else one for one in given]
        return _document(rows)
    return None


def _is_trace(one: object) -> bool:
    info = getattr(one, "info", None)
    return hasattr(info, "trace_id") and hasattr(info, "assessments") and hasattr(info, "to_dict")


def _document(traces: Sequence[object]) -> Mapping[str, object]:
    """The traces as they are when they are read from a file: numbers are texts."""
    return {TRACES: parsed_json(json.dumps(list(traces), default=str), "the traces")}


SAMPLED_ROWS = 20
PEEKED_RECORDS = 100


class Source:
    """What the user gave: a file, a frame or a document; messages call it `name`."""

    def __init__(
        self, name: str, stack: ExitStack, *, file: InputFile | None = None, frame: Sheet | None = None,
        document: object = None, sheet_name: str | None = None, columns: tuple[str, ...] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.file = name, file
        self._stack, self._frame, self._document = stack, frame, document
        self._given_sheet = self._sheet_name = sheet_name
        self._columns = columns

    @property
    def kind(self) -> str:
        """What the file's suffix says; `frame` for a table in memory, `json` for a document there."""
        if self.file is None:
            return "frame" if self._document is None else "json"
        return self.file.kind

    @cached_property
    def sheet(self) -> Sheet | None:
        """The source as a table; None if it is a document. An error if the table has no proper header."""
        if self._frame is not None or self.file is None:
            return self._frame
        if self.kind == "json" and self._table is not None:
            return sheet_of(self._table, name=self.name)
        if self.kind in {"yaml", "archive"} or (self.kind == "json" and self.is_document):
            return None
        return self._stack.enter_context(open_sheet(self.file, sheet=self._sheet_name, columns=self._columns))

    @property
    def sheet_name(self) -> str:
        """The sheet of a workbook that is read; empty for other files."""
        return getattr(self.__dict__.get("sheet"), "sheet_name", "")

    def other_sheets(self) -> list[str]:
        """The sheets of a workbook that the user did not choose from, besides the one that is read."""
        if self.kind != "workbook" or self._given_sheet is not None or self._frame is not None:
            return []
        return [name for name in getattr(self.sheet, "sheet_names", ()) if name != self.sheet_name]

    def turn_to(self, sheet_name: str) -> None:
        """Read another sheet of a workbook from now on."""
        if sheet_name:
            self._sheet_name = sheet_name
            self.__dict__.pop("sheet", None)
            self.__dict__.pop("columns", None)

    @property
    def delimiter(self) -> str:
        """What stands between the cells of the table that was opened; empty for other files."""
        opened = self.__dict__.get("sheet")
        return "" if opened is None else opened.delimiter

    def table(self, *needed: str) -> Sheet:
        """The source as a table with these columns; an error if it is none, whatever format the user named."""
        if self.sheet is None:
            raise ColumnError(
                f"{self.name} is not a table, and the format that you named is one. Name another, or none."
            )
        missing = [repr(column) for column in needed if column not in self.sheet.columns]
        if missing:
            found = shown_columns(self.sheet)
            raise ColumnError(f"{self.name} has no column {listed(missing)}. Columns found: {found}.")
        return self.sheet

    def with_columns(self, columns: tuple[str, ...]) -> "Source":
        """The same file with these names for its columns, since it has no header."""
        return Source(self.name, self._stack, file=self.file, sheet_name=self._sheet_name, columns=columns)

    def with_sheet(self, sheet: Sheet) -> "Source":
        """The same file, of which only this part of its table is read."""
        return Source(self.name, self._stack, file=self.file, frame=sheet)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table; none if it is a document or has no proper header.

        Of a JSON list, which is read from end to end to know them all, only those of the first records.
        """
        if self.kind == "json" and self._table is None:
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
        if self.file is None:
            return self._document, True
        if self.kind == "yaml":
            return yaml_document(self.file), True
        try:
            first = [value for _, value in itertools.islice(json_values(self.file), 2)]
        except FileError:
            if self.kind == "jsonl":
                return None, False  # lines are read by another parser, which may accept them or says which is wrong
            raise
        if not first:
            raise FileError(f"{self.name} has no records. Export it again.")
        return first[0], self.kind == "json" and len(first) == 1 and not is_json_list(self.file)

    @property
    def first(self) -> object:
        """The first record of a list or of JSON lines, or the whole document; None for other files."""
        return self._head[0] if self.kind in {"json", "jsonl", "yaml"} else None

    @property
    def is_document(self) -> bool:
        """Whether the file is one JSON or YAML object, and not a list of records."""
        return self.kind in {"json", "yaml"} and self._head[1] and self._table is None

    @cached_property
    def _table(self) -> dict[str, list[object]] | None:
        """The columns of a document that is a table, as pandas writes one."""
        return table_of(self._head[0]) if self._head[1] else None

    @property
    def document(self) -> object:
        """The one object that the file is; None for a list of records or a table."""
        return self.first if self.is_document else None

    def records(self) -> Iterator[tuple[int, object]]:
        """Number and value of each record of a JSON file, one at a time."""
        return json_values(self.given_file())

    def archive(self) -> "Archive":
        """The file as a ZIP archive."""
        from dissensus.data.sources.workbooks import open_archive  # noqa: PLC0415 - for archives only

        return self._stack.enter_context(open_archive(self.given_file().path))

    def given_file(self) -> InputFile:
        """The file; an error if the user gave a frame and named a format that only files have."""
        if self.file is None:
            raise FileError(f"{self.name} is not a file, and the format that you named is one. Name another, or none.")
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
    source: object, *, example: str = "ratings.csv", sheet: str | None = None, columns: tuple[str, ...] | None = None
) -> Iterator[Source]:
    """Open a path, `example:NAME` (the file `example` of it), `mlflow:EXPERIMENT` or what people hold in Python."""
    with ExitStack() as stack:
        experiment = experiment_of(source)
        if experiment is not None:
            yield Source(str(source), stack, document=traces_of_experiment(experiment))
            return
        if isinstance(source, str | os.PathLike):
            file = inspect_file(resolved(source, example))
            if sheet is not None and file.kind != "workbook":
                option = named("sheet", of="read")
                raise OptionError(f"{file.name} has no sheets: {option} is for workbooks such as .xlsx. Leave it out.")
            with unchanged(file):
                yield Source(file.name, stack, file=file, sheet_name=sheet, columns=columns)
            return
        traces, document = traces_held(source), document_of(source)
        if traces is not None:
            yield Source("the traces", stack, document=traces)
        elif document is not None:
            yield Source("the dict of dicts" if isinstance(source, Mapping) else "the log", stack, document=document)
        else:
            frame = sheet_of(source)
            yield Source(frame.name, stack, frame=frame)


FEW_BYTES = 1 << 18  # of a CSV file that Python reads sooner than duckdb is imported: some ten thousand ratings


@contextmanager
def open_sheet(
    path: str | os.PathLike[str] | InputFile, *, sheet: str | None = None, columns: tuple[str, ...] | None = None
) -> Iterator[Sheet]:
    """Open a file as a sheet (`sheet` of a workbook); `columns` are the names of those without a header."""
    file = path if isinstance(path, InputFile) else inspect_file(path)
    is_short = file.kind in {"csv", "tsv"} and not file.is_gzipped and file.path.stat().st_size <= FEW_BYTES
    if file.kind not in SQL_KINDS or columns is not None or is_short:
        yield _open_here(file, sheet, columns)
        return
    from dissensus.data.sources.sql_sheets import open_sql_sheet  # noqa: PLC0415 - duckdb takes a while to import

    with open_sql_sheet(file) as opened:
        yield opened


def _open_here(file: InputFile, sheet: str | None, columns: tuple[str, ...] | None) -> Sheet:
    """A sheet that Python reads and not duckdb."""
    if file.kind == "workbook":
        from dissensus.data.sources.workbooks import WorkbookSheet  # noqa: PLC0415 - for those who have a workbook

        return WorkbookSheet(file, sheet, columns=columns)
    if file.kind == "json":
        return RecordSheet(file)
    if file.kind not in {"csv", "tsv"}:
        option = named("columns", of="read")
        raise FileError(
            f"{file.name} has names for its columns or is not a table: {option} is for CSV and Excel files."
        )
    file = in_its_encoding(file)
    check_text(file)
    return CsvSheet(file, columns=columns)
