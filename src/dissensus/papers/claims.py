"""A number that a paper prints, how we compute it, and how the two compare."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.errors import DissensusError
from dissensus.papers.data import MissingDataError, PaperData
from dissensus.results import Result

Status = Literal["reproduced", "differs", "not reproducible", "failed", "data missing"]

ROUNDING = 1e-12
"""Slack of a comparison of decimals, such as .33 + .005, that binary numbers only nearly hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One number in a paper.

    Attributes
    ----------
    paper : str
        Which paper, such as "survey-equivalence".
    claim : str
        Where it stands and what it is, in a few words: unique within the paper.
    what : str
        What the number says, in a sentence.
    published : float
        As printed.
    compute : callable, optional
        Our number, from the authors' data; None if nobody can compute it, and then `reason_if_differs` says why.
    tolerance : float
        How far ours may be from the printed number.
    tolerance_reason : str
        Why that far.
    reason_if_differs : str, optional
        Why ours is known to differ; None if it should be the same.
    needs_data : bool
        Whether the authors' data are needed.
    """

    paper: str
    claim: str
    what: str
    published: float
    compute: Callable[[PaperData], float] | None
    tolerance: float
    tolerance_reason: str
    reason_if_differs: str | None = None
    needs_data: bool = False

    def check(self, data: PaperData) -> "ClaimOutcome":
        """Our number beside the printed one."""
        if self.compute is None:
            return ClaimOutcome(
                claim=self, ours=math.nan, status="not reproducible", reason=self.reason_if_differs or ""
            )
        try:
            ours = self.compute(data)
        except MissingDataError as error:
            return ClaimOutcome(claim=self, ours=math.nan, status="data missing", reason=str(error))
        except DissensusError as error:
            return ClaimOutcome(claim=self, ours=math.nan, status="failed", reason=str(error))
        if abs(ours - self.published) <= self.tolerance + ROUNDING:
            return ClaimOutcome(claim=self, ours=ours, status="reproduced", reason=self.tolerance_reason)
        if self.reason_if_differs is not None and math.isfinite(ours):
            return ClaimOutcome(claim=self, ours=ours, status="differs", reason=self.reason_if_differs)
        reason = f"It should be the same within {self.tolerance:g}. {self.tolerance_reason}"
        return ClaimOutcome(claim=self, ours=ours, status="failed", reason=reason)


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
            "paper": self.claim.paper,
            "claim": self.claim.claim,
            "published": self.claim.published,
            "ours": self.ours,
            "difference": self.difference,
            "tolerance": self.claim.tolerance,
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, kw_only=True)
class ReproduceResult(Result):
    """What the papers print beside what we compute.

    Attributes
    ----------
    claims : tuple of ClaimOutcome
        In the order of the papers.
    """

    command: ClassVar[str] = "reproduce"

    claims: tuple[ClaimOutcome, ...]

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {"claims": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """One row per claim."""
        return [outcome.as_dict() for outcome in self.claims]

    def count(self, status: Status) -> int:
        """How many claims have this status."""
        return sum(outcome.status == status for outcome in self.claims)
