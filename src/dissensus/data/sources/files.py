"""A file on disk: what kind it is, its bytes and lines unpacked, its hash, and a path that duckdb can take."""

import codecs
import gzip
import hashlib
import io
import os
import shutil
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, TextIO, cast

from dissensus.errors import FileError
from dissensus.sizes import check_size

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Kind = Literal["csv", "tsv", "jsonl", "parquet", "json", "yaml", "workbook", "archive"]
SUFFIXES: dict[str, Kind] = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
    ".xlsx": "workbook", ".xlsm": "workbook", ".xls": "workbook", ".ods": "workbook", ".eval": "archive",
}  # fmt: skip
GZIP_MAGIC = b"\x1f\x8b"
TEXT_KINDS = frozenset({"csv", "tsv", "json", "jsonl"})
UTF8 = "utf-8"
SQL_KINDS = ("csv", "tsv", "jsonl", "parquet")  # files that duckdb reads
CHUNK = 1 << 20
SMALL = 64 * 2**20  # bytes that any packed file may unpack to, however small it is
GLOB_CHARACTERS = frozenset("*?[]")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that exists, and how to read it."""

    path: Path  # as the user gave it
    kind: Kind  # by its suffix
    is_gzipped: bool  # by its bytes, whatever the suffix
    encoding: str = UTF8  # of its text

    @property
    def name(self) -> str:
        """The file's name without its folder, for messages."""
        return self.path.name

    @contextmanager
    def bytes(self) -> Iterator[BinaryIO]:
        """The file's bytes, unpacked, and in UTF-8 if they are text."""
        try:
            with _buffered(_Unpacked(self.path)) if self.is_gzipped else self.path.open("rb") as stream:
                yield stream if self.encoding == UTF8 else _buffered(_Recoded(stream, self.encoding))
        except (OSError, EOFError, zlib.error) as error:
            what = f"read: {error}. Copy it again."
            if self.is_gzipped:
                what = f"unpacked: {error}. Gzip it again, or give it unpacked."
            raise FileError(f"{self.name} cannot be {what}") from error

    @contextmanager
    def lines(self, *, errors: str = "strict") -> Iterator[TextIO]:
        """The text of a UTF-8 file, whose lines keep their ends, without a byte order mark."""
        with self.bytes() as stream, io.TextIOWrapper(stream, "utf-8-sig", errors, newline="") as lines:
            yield lines


def check_unpacked(packed: int, unpacked: int, name: str) -> None:
    """Raise if a packed file unpacks to more than our limits allow, whatever packed it."""
    advice = "If you trust it, unpack it and give the plain file."
    check_size("bytes", unpacked, f"{name} unpacks to more than {unpacked - 1:,} bytes", advice)
    if unpacked > SMALL:
        times = unpacked // max(packed, 1)
        check_size("ratio", times, f"{name} unpacks to more than {times:,} times its size", advice)


class _Unpacked(io.RawIOBase):
    """The bytes of a gzipped file, within our limits."""

    def __init__(self, path: Path) -> None:
        self._stream, self._name = gzip.GzipFile(path), path.name
        self._packed, self._size = path.stat().st_size, 0

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill the buffer with the next bytes."""
        target = memoryview(buffer)
        part = self._stream.read1(len(target))
        self._size += len(part)
        check_unpacked(self._packed, self._size, self._name)
        target[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()


class _Recoded(io.RawIOBase):
    """Text in another encoding as bytes of UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="")
        self._rest = b""

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill the buffer with the next bytes."""
        target = memoryview(buffer)
        self._rest = self._rest or self._text.read(CHUNK).encode()
        part, self._rest = self._rest[: len(target)], self._rest[len(target) :]
        target[: len(part)] = part
        return len(part)


def _buffered(stream: io.RawIOBase) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(stream, CHUNK))


def inspect_file(path: str | os.PathLike[str]) -> InputFile:
    """What kind of file this is; an error if it cannot be one of ours."""
    file = Path(path)
    try:
        mode = file.stat().st_mode
        if stat.S_ISDIR(mode):
            raise FileError(f"{file} is a folder, not a file: name one of the files in it.")
        if not stat.S_ISREG(mode):
            raise FileError(f"{file} is a device or a pipe, not a file: save its content to a file first.")
        kind = _kind_of(file)
        with file.open("rb") as stream:
            head = stream.read(len(GZIP_MAGIC))  # as long as the mark of UTF-16
    except FileNotFoundError as error:
        raise FileError(f"There is no file {file}: check the path.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"{file} cannot be opened: {reason}. Check the path and who may read it.") from error
    if not head:
        raise FileError(f"{file.name} is empty: it has no content. Export it again.")
    is_utf16 = kind in TEXT_KINDS and head in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
    return InputFile(file, kind, head == GZIP_MAGIC, "utf-16" if is_utf16 else UTF8)


@contextmanager
def unchanged(*files: InputFile) -> Iterator[None]:
    """Refuse files that somebody writes while they are read in this block: half of one is no answer."""
    before = [_state(file) for file in files]
    yield
    for file, state in zip(files, before, strict=True):
        if _state(file) != state:
            raise FileError(f"{file.name} changed while it was read: wait until it is written, and run it again.")


def _state(file: InputFile) -> tuple[int, ...]:
    try:
        found = file.path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _kind_of(file: Path) -> Kind:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if len(suffixes) > 1 and suffixes[-1] == ".gz":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in SUFFIXES:
        ending = f"ends in {suffix}" if suffix else "has no suffix"
        known = ", ".join(sorted(SUFFIXES))
        raise FileError(
            f"{file.name} {ending}, and we read {known} (text and Parquet also with .gz): save it as one of "
            "these, or rename it if it is one."
        )
    return SUFFIXES[suffix]


def plain_path(file: InputFile, folder: Path) -> Path:
    """A path to the same bytes that duckdb takes literally and can seek in."""
    path = file.path.resolve()
    if file.kind == "parquet" and file.is_gzipped:
        with (folder / "unpacked.parquet").open("wb") as plain, file.bytes() as packed:
            shutil.copyfileobj(packed, plain, CHUNK)
        return folder / "unpacked.parquet"
    if not GLOB_CHARACTERS & set(str(path)) and str(path).encode("utf-8", "replace").decode() == str(path):
        return path
    target = folder / f"input.{file.kind}"
    try:
        target.symlink_to(path)
    except OSError:  # Windows lets not everybody make links
        shutil.copyfile(path, target)
    return target


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Hash of a file's bytes."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---- Large files, and several files as one

LARGE_PARQUET = 40 * 2**20
LARGE_TEXT = 400 * 2**20
"""Bytes from which a file is reduced by duckdb before Python sees it: about ten million ratings, also if gzipped."""


def is_many(source: object) -> bool:
    """Whether the user named a folder or a pattern, and not one file."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    return os.path.isdir(path) or (not os.path.exists(path) and bool(GLOB_CHARACTERS & set(str(path))))  # noqa: PTH110, PTH112 - pathlib's raise for long names


def is_large(source: object) -> bool:
    """Whether a source is better reduced before Python sees it: several files, or a file of many megabytes."""
    if is_many(source):
        return True
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):  # noqa: PTH113 - as above
        return False
    size, kind = Path(source).stat().st_size, table_kind(Path(source))
    is_packed = kind == "parquet" or Path(source).suffix.lower() == ".gz"
    return kind in SQL_KINDS and size > (LARGE_PARQUET if is_packed else LARGE_TEXT)


def table_kind(path: Path) -> str | None:
    """What the suffix says, that of gzip aside."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return SUFFIXES.get(name.suffix.lower())
