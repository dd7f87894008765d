"""What the user asked for, checked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from dissensus.errors import OptionError
from dissensus.methods.compare.metrics import METRICS, MetricName
from dissensus.sampling.intervals import check_bootstrap, check_confidence, check_resamples

Test = Literal["sign-flip", "response-permutation", "mixture"]
TESTS: tuple[Test, ...] = ("sign-flip", "response-permutation", "mixture")
Asked = Literal["same quality", "same distribution"]
ASKED: dict[Test, Asked] = {
    "sign-flip": "same quality",
    "response-permutation": "same distribution",
    "mixture": "same distribution",
}
"""What each test's p-value is about: are the judges equally good, or do they answer alike?"""

RESAMPLES: dict[Test, int] = {"sign-flip": 10_000, "response-permutation": 10_000, "mixture": 1_000}
"""If not given; the authors draw 1,000 test sets."""
BINS = 5
MOST_BINS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `compare`."""

    a: str | None
    b: str | None
    metric: MetricName
    test: Test
    margin: float | None
    resamples: int
    bootstrap: int
    confidence: float
    clip: float
    bins: int
    bounds: tuple[float, float] | None
    same_scale: bool | None
    reverse: tuple[str, ...]
    seed: int | None

    @property
    def is_single(self) -> bool:
        """Whether it is about one pair."""
        return self.a is not None and self.b is not None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def pairs(self, judges: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs to compare: the named one, one judge against every other, or all."""
        if self.a is not None and self.b is not None:
            return [(self.a, self.b)]
        if self.a is not None:
            return [(self.a, other) for other in judges if other != self.a]
        if self.b is not None:
            return [(other, self.b) for other in judges if other != self.b]
        return list(combinations(judges, 2))


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have, or two options contradict each other."""
    if question.metric not in METRICS:
        raise OptionError.unknown("--metric", question.metric, METRICS)
    if question.test not in TESTS:
        raise OptionError.unknown("--test", question.test, TESTS)
    if question.a is not None and question.a == question.b:
        raise OptionError(f"--a and --b are both {question.a}: name two different judges.")
    _check_numbers(question)
    if question.reverse and question.metric != "spearman":
        raise OptionError(f"--reverse turns ranks: it goes with --metric spearman, not {question.metric}.")


def _check_numbers(question: Question) -> None:
    check_resamples(question.resamples)
    check_bootstrap(question.bootstrap)
    check_confidence(question.confidence)
    if not 0 < question.clip < 0.5:  # noqa: PLR2004 - one half is the middle of two labels
        raise OptionError(f"--clip cannot be {question.clip:g}: it is a share between 0 and 0.5.")
    if not 1 <= question.bins <= MOST_BINS:
        raise OptionError(f"--bins cannot be {question.bins}: give a number from 1 to {MOST_BINS}.")
    if question.bounds is not None and not -math.inf < question.bounds[0] < question.bounds[1] < math.inf:
        raise OptionError(
            f"--bounds cannot be {question.bounds[0]:g},{question.bounds[1]:g}: give two numbers, the lower one first."
        )
    if question.margin is None:
        return
    if not 0 < question.margin < math.inf:
        raise OptionError(
            f"--margin cannot be {question.margin:g}: give how much worse B may be than A, a number above 0 in units "
            "of the metric, whichever way is better."
        )
    if not question.bootstrap:
        raise OptionError("--margin needs the bootstrap: leave --bootstrap 0 out.")
