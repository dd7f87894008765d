"""Files as they come in: in a private folder, under names of ours.

A server that ends removes its folder. One that is killed cannot, but its lock goes with it: the next server removes a
folder with a lock that nobody holds.
"""

import asyncio
import os
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from python_multipart import MultipartParser
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import parse_options_header
from starlette.requests import ClientDisconnect, Request

from dissensus.data.sources.files import SUFFIXES
from dissensus.errors import DissensusError
from dissensus.web.guard import MEGABYTE

# ---- The server's folder for uploads: private, and locked as long as the server lives

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: there is nothing to tell a dead server's folder by, so none is removed
    fcntl = None

PREFIX = "dissensus-serve-"
LOCK, UNFINISHED = "lock", "lock.new"


class PrivateFolder:
    """A new folder that only this user may enter, with a lock in it."""

    def __init__(self) -> None:
        sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        # The lock gets its name once it is held: a sweeping server never finds one that is not.
        self._lock = os.open(self.path / UNFINISHED, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / UNFINISHED).rename(self.path / LOCK)

    def remove(self) -> None:
        """Remove the folder with all that is in it, then let the lock go."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep(where: Path) -> list[str]:
    """Remove folders of this user's servers that were killed; the names of what was removed.

    No link is followed. A folder of somebody else's stays, and one whose lock is held or missing.
    """
    if fcntl is None or not shutil.rmtree.avoids_symlink_attacks:
        return []
    removed = []
    with suppress(OSError), _opened(where.resolve()) as parent:
        for name in os.listdir(parent):  # noqa: PTH208 - of the folder that is open, whatever its name leads to now
            if name.startswith(PREFIX) and _is_left_behind(name, parent):
                shutil.rmtree(name, ignore_errors=True, dir_fd=parent)
                removed.append(name)
    return removed


def _is_left_behind(name: str, parent: int) -> bool:
    """Whether a folder is ours and the server that made it is gone."""
    assert fcntl is not None  # noqa: S101 - asked before
    with suppress(OSError), _opened(name, parent) as folder:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            return False
        lock = os.open(LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)
        return True
    return False


@contextmanager
def _opened(path: Path | str, parent: int | None = None) -> Iterator[int]:
    """A folder, and not what a link leads to, as a file descriptor."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file that came in: where it is, what its owner calls it, and the role that it was sent for, if any."""

    path: Path
    name: str
    role: str = ""


def discard(path: Path) -> None:
    """Remove a stored file and the folder that was made for it."""
    shutil.rmtree(path.parent, ignore_errors=True)


def known_suffix(name: str) -> str:
    """The suffix of a file name if we read such files, `.csv` if not: nothing else of the name is used.

    >>> known_suffix("../../Ratings.JSONL.gz"), known_suffix("evil.csv/../../x.sh"), known_suffix("a.xlsx")
    ('.jsonl.gz', '.csv', '.xlsx')
    """
    lower = name.lower()
    packed = ".gz" if lower.endswith(".gz") else ""
    inner = lower.removesuffix(".gz")
    found = next((suffix for suffix in (*SUFFIXES, ".toml") if inner.endswith(suffix)), None)
    return ".csv" + packed if found is None else found + packed


# ---- An upload, written to its place while it comes in: never all of it in memory, never more than is allowed

ROLES = {"files": "", "ratings": "people", "judges": "judges", "items": "items", "task": "task"}
"""The fields of the form, and the role that a file in it plays; what comes as one of several files is sorted later."""
BOTH = "people and judges"
"""The role of a sheet that has both, which is read once for each."""
MOST_FILES = 4
LONGEST_HEADER = 4096
LONGEST_NAME = 200
MOST_PARTS, MOST_HEADERS = 20, 20  # parts of a form, and headers of a part; a browser sends two of each
MOST_AT_ONCE = 10
"""Uploads that may come in at the same time; with the limit on one of them, that is what they may take of the disk."""


class TooLargeError(DissensusError):
    """An upload is larger than is allowed."""

    def __init__(self, largest: int) -> None:
        super().__init__(
            f"The files are larger than {largest / MEGABYTE:.0f} MB together, which is what is taken here. Leave out "
            "columns or rows that are not needed."
        )


class ComingError(DissensusError):
    """Too many uploads are already running."""

    def __init__(self) -> None:
        super().__init__(f"Busy: {MOST_AT_ONCE} uploads are already running. Try again in a minute.")


@dataclass(slots=True)
class Receiver:
    """Takes the parts of a form as they come in; files with a role are written, other fields are ignored."""

    folder: Path
    files: list[StoredFile] = field(default_factory=list)
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
        """Raise if there is no file."""
        if not self.files:
            raise DissensusError("No file was chosen. Choose one, then upload.")

    def discard(self) -> None:
        """Remove what was written."""
        self._part_end()
        for file in self.files:
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
        if role in ROLES and name:  # a file that was not chosen has no name
            if len(self.files) >= MOST_FILES:
                raise DissensusError(f"At most {MOST_FILES} files can be taken at once: leave some out.")
            path = Path(tempfile.mkdtemp(prefix="data-", dir=self.folder)) / f"file{known_suffix(name)}"
            self.files.append(StoredFile(path=path, name=shown_name(name), role=ROLES[role]))
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

    >>> shown_name("C:/fakepath/my ratings.csv")
    'my ratings.csv'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return last[: LONGEST_NAME // 2] + last[-LONGEST_NAME // 2 :] if len(last) > LONGEST_NAME else last or "file"


SLOWEST, SLOW_SECONDS = 20_000, 30.0
"""An upload of fewer bytes a second, for this many seconds, is cut: a few of them would keep everybody else out."""


_coming: dict[Path, int] = {}  # how many uploads come in at the moment, by the folder that they go to


async def receive(request: Request, folder: Path, *, largest: int, idle_seconds: float) -> list[StoredFile]:
    """The files of an upload form, written to folders of their own in `folder`.

    Raises TooLargeError as soon as more comes in than is allowed; ComingError if there are too many uploads at the
    moment; DissensusError if it is no form with a file, or stops coming.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > largest:
        raise TooLargeError(largest)
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise DissensusError("This is not an upload. Choose a file on the first page.")
    if _coming.get(folder, 0) >= MOST_AT_ONCE:
        raise ComingError
    receiver = Receiver(folder)
    _coming[folder] = _coming.get(folder, 0) + 1
    try:
        await _feed(receiver.parser(options[b"boundary"]), request.stream(), largest=largest, idle=idle_seconds)
        receiver.check()
    except BaseException as error:
        receiver.discard()
        if isinstance(error, MultipartParseError):
            raise DissensusError("The upload was damaged on the way. Try again.") from error
        if isinstance(error, TimeoutError):
            raise DissensusError("The upload came too slowly or stopped. Try again.") from error
        if isinstance(error, ClientDisconnect):
            raise DissensusError("The upload was interrupted. Try again.") from error
        raise
    finally:
        _coming[folder] -= 1
    return receiver.files


async def _feed(parser: MultipartParser, stream: AsyncIterator[bytes], *, largest: int, idle: float) -> None:
    """Hand over what comes in, until it is all there, too much, or too little comes for too long."""
    size, since, before = 0, time.monotonic(), 0
    while True:
        async with asyncio.timeout(idle):
            chunk = await anext(stream, None)
        if chunk is None:
            break
        size += len(chunk)
        if time.monotonic() - since > SLOW_SECONDS:
            if size - before < SLOWEST * SLOW_SECONDS:
                raise TimeoutError
            since, before = time.monotonic(), size
        if size > largest:
            raise TooLargeError(largest)
        parser.write(chunk)
    parser.finalize()
