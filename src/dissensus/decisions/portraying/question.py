"""What the user asked for, checked."""

from dataclasses import dataclass, fields

from dissensus.errors import OptionError
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
    if question.resamples < 1:
        raise OptionError(f"--resamples cannot be {question.resamples}: at least one is needed.")
    if question.bootstrap < 0:
        raise OptionError(f"--bootstrap cannot be {question.bootstrap}: give the number of samples, or 0 for none.")
    if not 0 < question.confidence < 1:
        raise OptionError(f"--confidence cannot be {question.confidence:g}: it is a share between 0 and 1.")
