"""A number that a paper prints, how we compute it, and how the two compare."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.errors import DissensusError
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.reproduce.data import MissingDataError, PaperData
from dissensus.results import Result

# ---- A figure of a paper, drawn anew: what it shows, before it is known how

Kind = Literal["lines", "logarithms", "cells", "power curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A number of a series.

    Attributes
    ----------
    series : str
        Which line it belongs to; the row of a cell.
    x : float
        Where; the column of a cell.
    y : float
        What; a decimal logarithm in a drawing of logarithms.
    printed : float, optional
        The paper's number there, where it prints one.
    """

    series: str
    x: float
    y: float
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One figure or table.

    Attributes
    ----------
    paper, place : str
        Where it stands, such as "figure 4".
    title : str
        What it shows, in a sentence.
    caption : str
        How it was computed.
    kind : str
        How it is drawn.
    points : tuple of Point
        What is drawn, series by series; empty for a power curve.
    series, x_title, y_title : str
        What they are, in words.
    is_log_x : bool
        Whether x grows by factors.
    curve : EquivalenceResult, optional
        What a power curve is drawn from.
    """

    paper: str
    place: str
    title: str
    caption: str
    kind: Kind
    points: tuple[Point, ...] = ()
    series: str = ""
    x_title: str = ""
    y_title: str = ""
    is_log_x: bool = False
    curve: EquivalenceResult | None = None


# ---- A number that a paper prints, how we compute it, and how the two compare

Status = Literal["reproduced", "differs", "not reproducible", "failed", "data missing"]

ROUNDING = 1e-12
"""Slack of a comparison of decimals, such as .33 + .005, that binary numbers only nearly hold."""
DECIMALS = {
    0: "without decimals",
    1: "to one decimal",
    2: "to two decimals",
    3: "to three decimals",
    4: "to four decimals",
}
ALWAYS = "The paper states that it always holds: a share of 1."
Compute = Callable[[PaperData], float]


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
    group : str
        Claims of one group share a computation, so they are checked one after the other in one process; they are
        shown together, too.
    """

    paper: str
    claim: str
    what: str
    published: float
    compute: Compute | None
    tolerance: float
    tolerance_reason: str
    reason_if_differs: str | None = None
    needs_data: bool = False
    group: str = ""

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
class Part:
    """A part of a paper whose claims share a computation: short ways to write them down.

    Attributes
    ----------
    paper, group : str
        As in Claim.
    needs_data : bool
        As in Claim.
    """

    paper: str
    group: str
    needs_data: bool = False

    def printed(
        self,
        claim: str,
        what: str,
        published: float,
        compute: Compute,
        *,
        decimals: int,
        why: str = "",
        differs: str | None = None,
    ) -> Claim:
        """A number that should be the same to its last printed digit."""
        reason = f"Printed {DECIMALS[decimals]}{why}."
        return self.within(claim, what, published, compute, 0.5 * 10**-decimals, reason, differs=differs)

    def within(
        self,
        claim: str,
        what: str,
        published: float,
        compute: Compute,
        tolerance: float,
        why: str,
        *,
        differs: str | None = None,
    ) -> Claim:
        """A number that should be the same within a tolerance, which needs a reason."""
        return Claim(
            paper=self.paper,
            claim=claim,
            what=what,
            published=published,
            compute=compute,
            tolerance=tolerance,
            tolerance_reason=why,
            reason_if_differs=differs,
            needs_data=self.needs_data,
            group=self.group,
        )

    def always(self, claim: str, what: str, compute: Compute, *, differs: str | None = None) -> Claim:
        """A statement that always holds: the share of cases in which it does is 1."""
        return self.within(claim, what, 1.0, compute, 0.0, ALWAYS, differs=differs)

    def out_of_reach(self, claim: str, what: str, published: float, reason: str) -> Claim:
        """A number that nobody can compute from what was published."""
        return Claim(
            paper=self.paper,
            claim=claim,
            what=what,
            published=published,
            compute=None,
            tolerance=0.0,
            tolerance_reason="",
            reason_if_differs=reason,
            group=self.group,
        )


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
    drawings : tuple of Drawing
        The papers' figures, drawn anew, if that was asked for; not in the JSON.
    """

    command: ClassVar[str] = "reproduce"

    claims: tuple[ClaimOutcome, ...]
    drawings: tuple[Drawing, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {"claims": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """One row per claim."""
        return [outcome.as_dict() for outcome in self.claims]

    def count(self, status: Status) -> int:
        """How many claims have this status."""
        return sum(outcome.status == status for outcome in self.claims)
