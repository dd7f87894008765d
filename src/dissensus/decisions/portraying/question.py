"""What the user asked for, checked."""

from dataclasses import dataclass, fields

from dissensus.engine.resampling import check_bootstrap, check_confidence, check_resamples
from dissensus.ratings.table import Elicitation


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `portraits`."""

    judge: tuple[str, ...] | None
    positive: tuple[str, ...]
    elicitation: Elicitation | None
    resamples: int
    bootstrap: int
    confidence: float
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have."""
    check_resamples(question.resamples)
    check_bootstrap(question.bootstrap)
    check_confidence(question.confidence)
