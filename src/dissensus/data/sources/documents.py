"""JSON and YAML: one value at a time, as records, as one document; lists in cells."""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TextIO

import numpy as np

from dissensus.data.coding import Cells, Sheet, TextCoder
from dissensus.data.labels import SEPARATOR, cell_text, python_value
from dissensus.data.sources.files import CHUNK, InputFile
from dissensus.errors import ColumnError, FileError, MissingExtraError, shortened
from dissensus.sizes import check_size, current

NEAR_END = 32  # an error so close to the end of what was read so far may only mean that the rest is missing

_BLANK = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMA = re.compile(r"[ \t\r\n,]*")


def json_values(file: InputFile) -> Iterator[tuple[int, object]]:
    """Number and value of each element of a JSON list, or of each of the values that stand one after the other.

    Numbers come as the text they are written as, so that `1` and `1.0` and long ids stay what they are; NaN is None.
    """
    with file.lines() as lines:
        yield from enumerate(_Values(lines, file.name), start=1)


def is_json_list(file: InputFile) -> bool:
    """Whether the first character that is not blank opens a list."""
    with file.bytes() as stream:
        head = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"[")


def parsed_json(text: str, where: str) -> object:
    """The value of a whole JSON text."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"{where}: not valid JSON ({error.msg} at character {error.pos + 1}). Export it again."
        ) from error
    except RecursionError as error:
        raise _too_deep(where) from error
    except ValueError as error:
        raise FileError(f"{where}: {error}") from error
    check_depth(value, where)
    return value


def distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a ValueError if a key comes twice, because one of the values would be lost."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} comes twice. Delete one of them.")
    return record


_DECODER = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=lambda _: None, object_pairs_hook=distinct_keys
)


RIGHT_FILE = "Check that it is the right file."


def _too_deep(where: str) -> FileError:
    return FileError(f"{where} is nested more deeply than Python can read. {RIGHT_FILE}")


def check_depth(value: object, where: str) -> None:
    """Raise if a parsed value is nested more deeply than our limit allows."""
    level, depth = [value], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
    check_size("depth", depth, f"{where} is nested {depth} levels deep", RIGHT_FILE)


class _Values:
    """The values in a stream of JSON, read in pieces; Python's own parser wants the whole list in memory."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream, self._name = stream, name
        self._text, self._place, self._before = "", 0, 0
        self._at_end = False

    def __iter__(self) -> Iterator[object]:
        self._skip(_BLANK)
        is_list = self._peek() == "["
        if is_list:
            self._place += 1
        while True:
            self._skip(_BLANK_OR_COMMA if is_list else _BLANK)
            mark = self._peek()
            if is_list and mark == "]":
                self._place += 1
                self._check_end()
                return
            if mark is None:
                if is_list:
                    raise FileError(f"{self._name} is cut off: its list is never closed. Copy or export it again.")
                return
            yield self._value()

    def _check_end(self) -> None:
        """Raise if something stands after the list, which would be lost."""
        self._skip(_BLANK)
        if self._peek() is not None:
            raise FileError(
                f"{self._name} goes on after its list ends, at character {self._before + self._place + 1:,}. "
                "Put all records into one list, or export it again."
            )

    def _peek(self) -> str | None:
        return self._text[self._place] if self._place < len(self._text) else None

    def _skip(self, blank: re.Pattern[str]) -> None:
        """Go on to the next character that means something, reading on if need be."""
        while True:
            match = blank.match(self._text, self._place)
            assert match is not None  # noqa: S101 - the pattern matches nothing, too
            self._place = match.end()
            if self._place < len(self._text) or self._at_end:
                return
            self._read_on()

    def _read_on(self) -> None:
        """Read as much again as there is, so that a large value is parsed a few times and not a thousand."""
        self._before += self._place
        rest = self._text[self._place :]
        what = f"{self._name} has a record or document of more than {current().document:,} characters"
        check_size("document", len(rest), what, "Export fewer at once, or as a list or as JSON lines.")
        try:
            more = self._stream.read(max(CHUNK, len(rest)))
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise FileError(
                f"{self._name} is not UTF-8 text: it has the byte 0x{byte:02x}. Export it again."
            ) from error
        self._at_end = not more
        self._text, self._place = rest + more, 0

    def _value(self) -> object:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                self._read_on_or_raise(error)
                continue
            except RecursionError as error:
                raise _too_deep(self._name) from error
            except ValueError as error:
                raise FileError(f"{self._name}: {error}") from error
            if end < len(self._text) or self._at_end:
                self._place = end
                check_depth(value, self._name)
                return value
            self._read_on()  # a number may go on

    def _read_on_or_raise(self, error: json.JSONDecodeError) -> None:
        may_go_on = error.pos >= len(self._text) - NEAR_END or error.msg.startswith("Unterminated string")
        if may_go_on and not self._at_end:
            self._read_on()
            return
        place = self._before + error.pos + 1
        cut_off = self._at_end and may_go_on
        what = "is cut off in the middle of a value" if cut_off else "is not valid JSON"
        raise FileError(f"{self._name} {what} ({error.msg} at character {place:,}). Export it again.") from error


# ---- JSON objects, read by Python: lists of them, and lines that duckdb refuses or in which it finds a fault


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
                value = record.get(column)
                coder.add(json.dumps(value) if isinstance(value, dict | list) else cell_text(value))
        return Cells(
            row=np.array(rows, dtype=np.intp),
            columns={column: coder.column() for column, coder in coders.items()},
            blank_rows=rows[-1] - len(rows) if rows else 0,
        )


class JsonlSheet(RecordSheet):
    """A file with one JSON object per line."""

    def _records(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        with self._file.lines() as lines:
            for row, line in enumerate(lines, start=1):
                if not line.isspace():
                    yield row, _record(line, f"{self._file.name}, row {row}")


def blank_lines(file: InputFile) -> list[int]:
    """Numbers of the blank lines that have data below them."""
    with file.lines() as lines:
        blank = np.fromiter(map(str.isspace, lines), dtype=np.bool_)
    last = np.flatnonzero(~blank)[-1]
    return (np.flatnonzero(blank[:last]) + 1).tolist()


def _record(line: str, where: str) -> Mapping[str, object]:
    try:
        # Numbers that are ids can be longer than a float or Python's limit on integers.
        record = json.loads(line.rstrip(), parse_int=str, object_pairs_hook=distinct_keys)
    except json.JSONDecodeError as error:
        fault = f"{error.msg} at character {error.colno}"
        raise FileError(f"{where}: not valid JSON ({fault}). Write one JSON object per line.") from error
    except RecursionError as error:
        raise _too_deep(where) from error
    except ValueError as error:
        raise FileError(f"{where}: {error}") from error
    if not isinstance(record, dict):
        raise _no_object(record, where)
    check_depth(record, where)
    return record


def _no_object(value: object, where: str) -> FileError:
    what = "a list" if isinstance(value, list) else "a single value"
    return FileError(f"{where}: {what}, where an object {{...}} is needed. Write one JSON object per line.")


# ---- Reach into parsed JSON whose shape nobody vouches for


def as_mapping(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """A single value as text; None for what is missing, a list or an object.

    >>> as_text("a"), as_text(True), as_text(7), as_text(" "), as_text([1])
    ('a', 'true', '7', None, None)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, list | dict):
        return None
    text = str(value)
    return text if text and not text.isspace() else None


def as_label(value: object) -> str | None:
    """A label: a single value, or a list of them as a response set.

    >>> as_label("a"), as_label(["a", "b"]), as_label([]), as_label({"x": 1})
    ('a', 'a|b', None, None)
    """
    if isinstance(value, list):
        return SEPARATOR.join(text for text in map(as_text, value) if text is not None) or None
    return as_text(value)


def reach(value: object, path: str) -> object:
    """What stands at a path such as `data.item_id`; None if nothing does.

    >>> reach({"data": {"item_id": "i1", "a.b": 2}}, "data.item_id"), reach({"data": {"a.b": 2}}, "data.a.b")
    ('i1', 2)
    """
    found = as_mapping(value)
    if path in found:
        return found[path]
    head, dot, rest = path.partition(".")
    while dot:
        if head in found:
            return reach(found[head], rest)
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def paths_of(value: object, *, before: str = "") -> Iterator[str]:
    """The paths of all single values in an object, such as `data.item_id`."""
    for key, inner in as_mapping(value).items():
        if isinstance(inner, dict):
            yield from paths_of(inner, before=f"{before}{key}.")
        elif not isinstance(inner, list):
            yield f"{before}{key}"


LONGEST_CELL = 1_000_000  # characters of a cell that we parse as a list


def list_in(text: str | None) -> list[object] | None:
    """The list that a cell holds, as JSON or as Python writes it; None if it holds none. Nothing is evaluated.

    >>> list_in('["a", null, 2]'), list_in("['a', None]"), list_in("a"), list_in("[__import__('os')]")
    (['a', None, '2'], ['a', None], None, None)
    """
    if text is None or len(text) > LONGEST_CELL:
        return None
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = python_value(text)
    return value if isinstance(value, list) else None


def entries_in(text: str | None, where: str) -> list[object]:
    """The entries of the list in a cell, none if it is empty; an error if it holds something else."""
    found_list = list_in(text)
    if text is not None and found_list is None:
        raise ColumnError(f"{where} is {shortened(text)!r}, which is not a list. Fix the cell.")
    return found_list or []


YAML_TIMES = 8  # times as long as JSON it takes to parse YAML, of which we read a shorter document


def yaml_document(file: InputFile) -> object:
    """What a YAML file holds, every value as the text it is written as: `No` is a label and not false.

    Nothing is evaluated, no tag is followed, and aliases are refused, because a few of them can stand for gigabytes.
    """
    try:
        import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {file.name}", install="dissensus[yaml]") from error
    most = current().document
    with file.bytes() as stream:
        content = stream.read(most // YAML_TIMES + 1)
    what = f"{file.name} has more than {most // YAML_TIMES:,} bytes, which in YAML take as long as {most:,} in JSON"
    check_size("document", YAML_TIMES * len(content), what, "Save it as JSON.")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        depth = 0
        for event in yaml.parse(content, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            check_size("depth", depth, f"{file.name} is {depth} levels deep", RIGHT_FILE)
            if isinstance(event, yaml.AliasEvent):
                raise FileError(f"{file.name} has an alias (*), which we do not read in YAML. Save it as JSON.")
        twice = _twice(yaml.compose(content, Loader=loader))
        if twice is not None:
            raise FileError(f"{file.name}: the key {twice!r} comes twice in one place. Delete one of them.")
        return yaml.load(content, Loader=loader)  # noqa: S506 - the base loader makes texts, lists and dicts only
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise FileError(f"{file.name} is not valid YAML ({reason}). Fix it, or save it as JSON.") from error
    except RecursionError as error:
        raise _too_deep(file.name) from error


def _twice(node: object) -> str | None:
    """A key that comes twice in one mapping of a parsed document, so that one of its values would be lost."""
    inner = getattr(node, "value", None)
    if not isinstance(inner, list):
        return None
    pairs = [entry for entry in inner if isinstance(entry, tuple)]
    keys = Counter(str(getattr(key, "value", "")) for key, _ in pairs)
    again = next((key for key, times in keys.items() if times > 1), None)
    values = [value for _, value in pairs] if pairs else inner
    return again if again is not None else next(filter(None, map(_twice, values)), None)
