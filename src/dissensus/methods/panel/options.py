"""Options of `panel`."""

from dataclasses import dataclass
from typing import Literal, get_args

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.equivalence.options import (
    Calibration,
    EquivalenceOptions,
    calibrate_option,
    clip_option,
    max_raters_option,
)
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, option
from dissensus.sampling.raters import RatersAs, raters_option

PanelScore = Literal["cross-entropy", "brier", "agreement"]
Method = Literal["plurality", "average", "stacked"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty."""


@dataclass(frozen=True, kw_only=True)
class PanelOptions(Options):
    """Who is in the panel, and how its members are combined, as in `panel`."""

    judge: tuple[str, ...] | None = option(
        None, metavar="J", help="A judge to include; may be repeated; all if not given."
    )
    method: tuple[Method, ...] = option(
        METHODS, metavar="M", choices=METHODS,
        help="plurality, average or stacked; may be repeated. All if not given.",
    )  # fmt: skip
    score: PanelScore = option(
        "cross-entropy", metavar="S", choices=get_args(PanelScore), help="cross-entropy (bits), brier or agreement."
    )
    calibrate: Calibration = calibrate_option()
    people: bool = option(default=True, flag="--no-people", help="Do not ask what a judge saves beside people.")
    elicitation: Elicitation | None = elicitation_option()
    max_raters: int | None = max_raters_option()
    clip: float = clip_option()
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where a member is named twice."""
        if self.judge is not None and len(set(self.judge)) < len(self.judge):
            raise OptionError("A judge is named twice: name each member of the panel once.")

    def survey_options(self) -> EquivalenceOptions:
        """How members and panels are compared with surveys."""
        return EquivalenceOptions(
            judge=self.judge, score=self.score, combiner="plurality" if self.score == "agreement" else "abc",
            calibrate=self.calibrate, elicitation=self.elicitation, max_raters=self.max_raters, clip=self.clip,
            raters=self.raters, bootstrap=self.bootstrap, confidence=self.confidence, seed=self.seed,
        )  # fmt: skip
