"""What the user asked for, checked."""

from dataclasses import dataclass
from typing import Literal

from dissensus.errors import OptionError

Score = Literal["accuracy", "rmse", "similarity"]
SCORES: tuple[Score, ...] = ("accuracy", "rmse", "similarity")
Test = Literal["auto", "t", "sign-flip", "exact"]
TESTS: tuple[Test, ...] = ("auto", "t", "sign-flip", "exact")
FEW_ITEMS = 30
"""With fewer items of a rater the authors do not trust the t-test; `auto` then flips signs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `alt_test`."""

    judge: tuple[str, ...] | None
    epsilon: float
    score: Score
    test: Test
    alpha: float
    min_raters: int
    min_items: int
    same_scale: bool | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have."""
    if question.score not in SCORES:
        raise OptionError.unknown("--score", question.score, SCORES)
    if question.test not in TESTS:
        raise OptionError.unknown("--test", question.test, TESTS)
    if question.judge == ():
        raise OptionError("No judge was named: name at least one, or leave judge out to test all of them.")
    if not 0 <= question.epsilon < 1:
        raise OptionError(
            f"--epsilon cannot be {question.epsilon:g}: it is a share from 0 to below 1; the authors take 0.2 for "
            "experts, 0.15 for skilled raters and 0.1 for crowd workers."
        )
    if not 0 < question.alpha < 1:
        raise OptionError(f"--alpha cannot be {question.alpha:g}: it is a share between 0 and 1.")
    if question.min_raters < 2:  # noqa: PLR2004 - the rater and another one
        raise OptionError(f"--min-raters cannot be {question.min_raters}: an item needs a rater and another one.")
    if question.min_items < 2:  # noqa: PLR2004 - a spread takes two
        raise OptionError(f"--min-items cannot be {question.min_items}: a test needs two items or more.")
