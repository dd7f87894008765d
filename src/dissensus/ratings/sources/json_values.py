"""JSON, one value at a time: a list of a million tasks never stands in memory as a whole."""

import json
import re
from collections.abc import Iterator
from typing import TextIO

from dissensus.errors import FileError
from dissensus.ratings.sources.input_file import CHUNK, InputFile

LARGEST_VALUE = 64 * 2**20
"""Characters that one task, one record or one document may have; a list may have any number of them."""

NEAR_END = 32
"""An error so close to the end of what was read so far may only mean that the rest is missing."""

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
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"{where}: not valid JSON ({error.msg} at character {error.pos + 1}). Export it again."
        ) from error
    except RecursionError as error:
        raise _too_deep(where) from error
    except ValueError as error:
        raise FileError(f"{where}: {error}") from error


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


def _too_deep(where: str) -> FileError:
    return FileError(
        f"{where}: the JSON is nested too deeply to be an export of ratings. Check that it is the right file."
    )


class _Values:
    """The values in a stream of JSON, read in pieces."""

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
        if len(rest) > LARGEST_VALUE:
            raise FileError(
                f"{self._name} has a piece of more than {LARGEST_VALUE:,} characters, which is our limit for one "
                "record or document. Export fewer at once, or as a list or as JSON lines."
            )
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
