"""What the user asked for, checked."""

from dataclasses import dataclass, fields
from typing import Literal

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.sampling.intervals import check_bootstrap, check_confidence

PanelScore = Literal["cross-entropy", "brier", "agreement"]
PANEL_SCORES: tuple[PanelScore, ...] = ("cross-entropy", "brier", "agreement")
Method = Literal["plurality", "average", "stacked"]
METHODS: tuple[Method, ...] = ("plurality", "average", "stacked")
MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `panel`."""

    judge: tuple[str, ...] | None
    method: tuple[Method, ...]
    score: PanelScore
    calibrate: bool
    people: bool
    elicitation: Elicitation | None
    max_raters: int | None
    clip: float
    bootstrap: int
    confidence: float
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have."""
    if question.score not in PANEL_SCORES:
        raise OptionError.unknown("--score", question.score, PANEL_SCORES)
    for method in question.method:
        if method not in METHODS:
            raise OptionError.unknown("--method", method, METHODS)
    if question.judge is not None and len(set(question.judge)) < len(question.judge):
        raise OptionError("A judge is named twice: name each member of the panel once.")
    check_bootstrap(question.bootstrap)
    check_confidence(question.confidence)
