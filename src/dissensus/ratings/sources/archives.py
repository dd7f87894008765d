"""ZIP archives, read member by member into memory and never unpacked to disk."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dissensus.errors import FileError, MissingExtraError

LARGEST_MEMBER = 256 * 2**20
"""Bytes that one member may unpack to."""
LARGEST_TOTAL = 2**30
"""Bytes that all members together may unpack to."""
MOST_MEMBERS = 100_000

STORED, DEFLATED, ZSTANDARD = 0, 8, 93
LARGEST_WINDOW = 2**27
_LOCAL_HEADER = 30


class Archive:
    """An open ZIP archive: what is in it, and the bytes of each member, within the limits above."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name, self._stream, self._unpacked = name, stream, 0
        try:
            with zipfile.ZipFile(stream) as listing:
                members = listing.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise FileError(
                f"{name} is no complete ZIP archive ({error}): it is cut off or something else. Copy it again."
            ) from error
        if len(members) > MOST_MEMBERS:
            raise FileError(f"{name} has {len(members):,} members, and our limit is {MOST_MEMBERS:,}. Split it.")
        self._members = {member.filename: member for member in members}

    def names(self) -> list[str]:
        """Names of the members, in their order."""
        return list(self._members)

    def read(self, member: str) -> bytes:
        """The bytes of a member."""
        found = self._members.get(member)
        if found is None:
            raise FileError(f"{self.name} has no member {member}: it is cut off or something else. Export it again.")
        if stat.S_ISLNK(found.external_attr >> 16):
            raise FileError(
                f"{self.name}: {member} is a link to a file outside, which we do not follow. Export it again."
            )
        limit = min(LARGEST_MEMBER, LARGEST_TOTAL - self._unpacked)
        if found.file_size > limit:
            raise self._too_large(member)
        content = self._unpack(found, limit)
        if len(content) > limit:
            raise self._too_large(member)
        if len(content) != found.file_size or zlib.crc32(content) != found.CRC:
            raise FileError(f"{self.name}: {member} is damaged: its checksum is wrong. Copy the file again.")
        self._unpacked += len(content)
        return content

    def _too_large(self, member: str) -> FileError:
        return FileError(
            f"{self.name}: {member} unpacks to more than our limit ({LARGEST_MEMBER:,} bytes for one member, "
            f"{LARGEST_TOTAL:,} for all). If it is no trap, unpack it and give what you need."
        )

    def _unpack(self, member: zipfile.ZipInfo, limit: int) -> bytes:
        """At most one byte more than the limit, whatever the archive says about sizes."""
        if member.flag_bits & 1:
            raise FileError(f"{self.name}: {member.filename} is encrypted. Give the file without a password.")
        packed = self._packed(member)
        try:
            if member.compress_type == STORED:
                return packed
            if member.compress_type == DEFLATED:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit + 1)
            if member.compress_type == ZSTANDARD:
                return _zstandard(packed, limit + 1, self.name)
        except (zlib.error, EOFError, OSError) as error:
            raise FileError(f"{self.name}: {member.filename} is damaged ({error}). Copy the file again.") from error
        raise FileError(
            f"{self.name}: {member.filename} is packed with method {member.compress_type}, which we cannot unpack. "
            "Pack it again with deflate or zstandard."
        )

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        self._stream.seek(max(0, member.header_offset))
        head = self._stream.read(_LOCAL_HEADER) if member.header_offset >= 0 else b""
        if len(head) < _LOCAL_HEADER:
            raise FileError(f"{self.name} is cut off before {member.filename}. Copy it again.")
        lengths = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        self._stream.seek(lengths, io.SEEK_CUR)
        return self._stream.read(member.compress_size)


def _zstandard(packed: bytes, limit: int, name: str) -> bytes:
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"Reading {name}", install="dissensus[inspect]") from error
    try:
        decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        with decompressor.stream_reader(io.BytesIO(packed), read_across_frames=True) as reader:
            return reader.read(limit)
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a ZIP archive; it is closed at the end of the block."""
    with path.open("rb") as stream:
        yield Archive(stream, path.name)
