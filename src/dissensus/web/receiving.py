"""An upload, written to its place while it comes in: never all of it in memory, never more than is allowed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import BinaryIO

from python_multipart import MultipartParser
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from dissensus.errors import DissensusError
from dissensus.web.settings import MEGABYTE
from dissensus.web.uploads import StoredFile, Uploads, discard

ROLES = ("ratings", "judges")
LONGEST_HEADER = 4096
LONGEST_NAME = 200
MOST_PARTS, MOST_HEADERS = 20, 20
"""Parts of a form, and headers of a part; a browser sends two of each."""
MOST_AT_ONCE = 10
"""Uploads that may come in at the same time; with the limit on one of them, that is what they may take of the disk."""


class TooLargeError(DissensusError):
    """An upload is larger than is allowed."""

    def __init__(self, largest: int) -> None:
        super().__init__(
            f"The files are larger than {largest / MEGABYTE:.0f} MB together. Use the command line for them: "
            "`dissensus report RATINGS JUDGES`."
        )


class ComingError(DissensusError):
    """Too many uploads are coming in already."""

    def __init__(self) -> None:
        super().__init__(f"Busy: {MOST_AT_ONCE} uploads are coming in already. Try again in a minute.")


@dataclass(slots=True)
class Receiver:
    """Takes the parts of a form as they come in; files with a role are written, other fields are ignored."""

    uploads: Uploads
    files: dict[str, StoredFile] = field(default_factory=dict)
    _header: bytearray = field(default_factory=bytearray)
    _value: bytearray = field(default_factory=bytearray)
    _disposition: bytes = b""
    _open: BinaryIO | None = None
    _parts: int = 0
    _headers: int = 0

    def parser(self, boundary: bytes) -> MultipartParser:
        """A parser that calls us."""
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._grow(self._header, data[start:end]),
                "on_header_value": lambda data, start, end: self._grow(self._value, data[start:end]),
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._part_end,
            },
        )

    def check(self) -> None:
        """Raise if there are no ratings."""
        if "ratings" not in self.files:
            raise DissensusError("No file of ratings was chosen. Choose one, then upload.")

    def discard(self) -> None:
        """Remove what was written."""
        self._part_end()
        for file in self.files.values():
            discard(file.path)
        self.files.clear()

    def _begin(self) -> None:
        self._disposition, self._headers = b"", 0
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise DissensusError("The form has too many parts. Upload the files from this page.")

    def _grow(self, text: bytearray, data: bytes) -> None:
        text += data
        if len(text) > LONGEST_HEADER:
            raise DissensusError("The form has a header that is too long. Upload the files from this page.")

    def _header_end(self) -> None:
        if bytes(self._header).lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()
        self._headers += 1
        if self._headers > MOST_HEADERS:
            raise DissensusError("A part of the form has too many headers. Upload the files from this page.")

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        role = options.get(b"name", b"").decode("utf-8", "replace")
        name = options.get(b"filename", b"").decode("utf-8", "replace")
        if role in ROLES and role not in self.files and name:  # a file that was not chosen has no name
            path = self.uploads.place_for(role, name)
            self.files[role] = StoredFile(path=path, name=shown_name(name))
            self._open = path.open("wb")

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._open is not None:
            self._open.write(data[start:end])

    def _part_end(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def shown_name(name: str) -> str:
    """What a visitor calls a file, without its folder; it is shown and never used as a path.

    Examples
    --------
    >>> shown_name("C:/fakepath/my ratings.csv")
    'my ratings.csv'
    """
    return name.replace("\\", "/").rsplit("/", 1)[-1][:LONGEST_NAME] or "file"


async def receive(request: Request, uploads: Uploads, *, largest: int, idle_seconds: float) -> dict[str, StoredFile]:
    """The files of an upload form, by role.

    Raises
    ------
    TooLargeError
        As soon as more comes in than is allowed.
    ComingError
        If there are too many uploads at the moment.
    DissensusError
        If it is no form with a file of ratings, or stops coming.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > largest:
        raise TooLargeError(largest)
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise DissensusError("This is no upload. Choose a file of ratings on the first page.")
    if uploads.coming >= MOST_AT_ONCE:
        raise ComingError
    receiver = Receiver(uploads)
    uploads.coming += 1
    try:
        await _feed(receiver.parser(options[b"boundary"]), request.stream(), largest=largest, idle=idle_seconds)
        receiver.check()
    except BaseException as error:
        receiver.discard()
        if isinstance(error, MultipartParseError):
            raise DissensusError("The upload came in garbled. Try again.") from error
        if isinstance(error, TimeoutError):
            raise DissensusError("The upload stopped coming. Try again.") from error
        raise
    finally:
        uploads.coming -= 1
    return receiver.files


async def _feed(parser: MultipartParser, stream: AsyncIterator[bytes], *, largest: int, idle: float) -> None:
    """Hand over what comes in, until it is all there, too much, or nothing comes for too long."""
    size = 0
    while True:
        async with asyncio.timeout(idle):
            chunk = await anext(stream, None)
        if chunk is None:
            break
        size += len(chunk)
        if size > largest:
            raise TooLargeError(largest)
        parser.write(chunk)
    parser.finalize()
