"""One file, a folder or a pattern of files that are read as one table."""

import glob
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dissensus.data.sources.files import GLOB_CHARACTERS, SUFFIXES, InputFile, inspect_file, sha256_of
from dissensus.errors import FileError, OptionError, listed

KINDS = ("csv", "tsv", "jsonl", "parquet")
NOTES = {".txt"}
"""Suffixes of tables that are not looked for in a folder, where they are more often a README."""
LARGE_PARQUET = 40 * 2**20
LARGE_TEXT = 400 * 2**20
"""Bytes from which a file is reduced by duckdb before Python sees it: about ten million ratings, also if gzipped."""
_SIZE = re.compile(r"\d+(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeFiles:
    """Files of one kind and the same columns.

    Attributes
    ----------
    name : str
        What the user called them, without the folder around, for messages.
    files : tuple of InputFile
        In the order of their paths.
    """

    name: str
    files: tuple[InputFile, ...]

    @property
    def kind(self) -> str:
        """What their suffixes say."""
        return self.files[0].kind

    @property
    def is_gzipped(self) -> bool:
        """Whether they are gzipped."""
        return self.files[0].is_gzipped

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where they are, as duckdb takes it."""
        return tuple(file.path.resolve() for file in self.files)

    def sha256(self) -> str:
        """Hash of the file's bytes; of several files the hash of their hashes, one per line."""
        each = [sha256_of(path) for path in self.paths]
        return each[0] if len(each) == 1 else hashlib.sha256("\n".join(each).encode()).hexdigest()


def is_many(source: object) -> bool:
    """Whether the user named a folder or a pattern, and not one file."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    return path.is_dir() or (not path.exists() and bool(GLOB_CHARACTERS & set(str(path))))


def is_large(source: object) -> bool:
    """Whether a source is better reduced before Python sees it: several files, or a file of many megabytes."""
    if is_many(source):
        return True
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return False
    size, kind = Path(source).stat().st_size, _kind_of(Path(source))
    is_packed = kind == "parquet" or Path(source).suffix.lower() == ".gz"
    return kind in KINDS and size > (LARGE_PARQUET if is_packed else LARGE_TEXT)


def _kind_of(path: Path) -> str | None:
    """What the suffix says, that of gzip aside."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return SUFFIXES.get(name.suffix.lower())


def find_files(source: str | os.PathLike[str]) -> LargeFiles:
    """The files behind a path, a folder or a pattern; an error if there is none or they are of different kinds."""
    path = Path(source)
    named = sorted(_inside(path)) if path.is_dir() else _matching(path)
    found = list({file.resolve(): file for file in reversed(named)}.values())[::-1]  # a link is no second file
    if not found:
        raise FileError(f"There is no Parquet, CSV or JSONL file in {path}: check the path.")
    files = tuple(inspect_file(file) for file in found)
    odd = [file.name for file in files if (file.kind, file.is_gzipped) != (files[0].kind, files[0].is_gzipped)]
    if odd:
        raise FileError(f"{path} has files of different kinds ({files[0].name}, {odd[0]}): name those of one kind.")
    if files[0].kind not in KINDS or (files[0].kind == "parquet" and files[0].is_gzipped):
        raise FileError(f"{files[0].name} is not one of {listed(KINDS)}, which can be read piece by piece: convert it.")
    strange = [file.name for file in files if GLOB_CHARACTERS & set(str(file.path.resolve()))]
    if strange:
        raise FileError(f"The path of {strange[0]} has a character out of *?[] in it: rename the file or its folder.")
    return LargeFiles(name=path.name or str(path), files=files)


def _inside(folder: Path) -> Sequence[Path]:
    """The files in a folder and below; names that begin with a dot or an underscore are notes of other tools."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_")))
    return [path for path in files if _kind_of(path) in KINDS and path.suffix.lower() not in NOTES]


def _matching(path: Path) -> list[Path]:
    if path.exists() or not GLOB_CHARACTERS & set(str(path)):
        return [path]
    names = glob.glob(str(path), recursive=True)  # noqa: PTH207 - Path.glob does not take a pattern of folders as it is
    return [Path(name) for name in sorted(names) if Path(name).is_file()]


def checked_memory(memory: str) -> str:
    """An amount of memory as duckdb takes it.

    Examples
    --------
    >>> checked_memory("2GB")
    '2GB'
    """
    if not _SIZE.fullmatch(memory.strip()):
        raise OptionError(f"--memory cannot be {memory!r}: write it like 500MB or 2GB.")
    return memory.strip()
