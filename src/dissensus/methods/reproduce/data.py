"""The authors' data: files in a folder, or in the wheel that they published."""

import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dissensus.data.sources.files import sha256_of
from dissensus.errors import DissensusError, FileError
from dissensus.methods.reproduce.dont_label_twice.sweep import SweepResult

LARGEST_MEMBER = 64 * 2**20
"""Bytes of a file in a wheel; a larger one is not what the authors published."""


class MissingDataError(DissensusError):
    """The authors' data are not here."""


@dataclass(frozen=True, slots=True)
class PaperData:
    """Where the authors' files are.

    Attributes
    ----------
    path : Path, optional
        A folder, or a wheel; None if the user gave none.
    swept : SweepResult, optional
        What a sweep of "Don't Label Twice" found, for the claims about it.
    """

    path: Path | None = None
    swept: SweepResult | None = None

    def __post_init__(self) -> None:
        if self.path is not None and not self.path.exists():
            raise FileError(f"There is no file or folder {self.path}: check --data.")
        if self.path is not None and self.path.is_file() and not zipfile.is_zipfile(self.path):
            raise FileError(f"{self.path.name} is neither a folder nor a wheel: give one of these with --data.")

    def sweep_result(self) -> SweepResult:
        """What the sweep found."""
        if self.swept is None:
            raise MissingDataError("No sweep was run. Run `dissensus reproduce dont-label-twice`.")
        return self.swept

    def text(self, name: str, *, remedy: str) -> str:
        """Contents of one of the authors' files.

        Parameters
        ----------
        name : str
            Path of the file in the wheel. In a folder its last parts are enough, so that any level of an unpacked
            wheel will do.
        remedy : str
            How to get the data, for the message if the file is not here.
        """
        if self.path is None:
            raise MissingDataError(f"The authors' data are needed. {remedy}")
        for wheel in _wheels(self.path):
            content = _from_wheel(wheel, name)
            if content is not None:
                return _decoded(content, name)
        parts = PurePosixPath(name).parts
        for start in range(len(parts) - 1) if self.path.is_dir() else ():
            file = self.path.joinpath(*parts[start:])
            if file.is_file():
                return _decoded(file.read_bytes(), name)
        raise MissingDataError(f"{self.path.name} has no file {name}. {remedy}")

    def describe(self) -> dict[str, object]:
        """Name of the folder or file, and the file's hash, for the `data` part of the JSON."""
        if self.path is None:
            return {}
        return {"file": self.path.name, "sha256": sha256_of(self.path) if self.path.is_file() else None}


def _wheels(path: Path) -> list[Path]:
    return sorted(path.glob("*.whl")) if path.is_dir() else [path]


def _from_wheel(path: Path, name: str) -> bytes | None:
    try:
        with zipfile.ZipFile(path) as wheel:
            if name not in wheel.namelist():
                return None
            if wheel.getinfo(name).file_size > LARGEST_MEMBER:
                raise FileError(f"{path.name}: {name} is larger than {LARGEST_MEMBER:,} bytes. Download it again.")
            return wheel.read(name)
    except (zipfile.BadZipFile, OSError) as error:
        raise FileError(f"{path.name} is not a wheel that can be read: {error}. Download it again.") from error


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{name} is not UTF-8: {error.reason}. Download it again.") from error
