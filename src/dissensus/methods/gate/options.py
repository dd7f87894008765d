"""What the user asked for, checked."""

import math
from dataclasses import dataclass, fields

from dissensus.errors import OptionError
from dissensus.methods.compare.metrics import METRICS, MetricName
from dissensus.methods.equivalence.calibration import Calibration
from dissensus.methods.equivalence.combiners import Combiner
from dissensus.methods.equivalence.scores import ScoreName
from dissensus.sampling.intervals import check_confidence

POWER = 0.8
"""Chance with which more items shall settle a check, if the estimate is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `gate`."""

    judge: str
    min_equivalence: float | None
    min_consistency: float | None
    tau: float
    max_bias: float | None
    better_than: tuple[str, ...]
    not_worse_than: tuple[str, ...]
    margin: float | None
    metric: MetricName
    positive: tuple[str, ...]
    score: ScoreName | None
    combiner: Combiner | None
    calibrate: Calibration | None
    min_items: int
    bootstrap: int
    confidence: float
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"power": POWER}


def check_question(question: Question) -> None:
    """Raise where nothing is asked for, where an option has a value it cannot have, or two contradict each other."""
    asked = (question.min_equivalence, question.min_consistency, question.max_bias)
    others = (*question.better_than, *question.not_worse_than)
    if all(threshold is None for threshold in asked) and not others:
        raise OptionError(
            "A gate needs a threshold: give --min-equivalence, --min-consistency, --max-bias, --better-than, or "
            "--not-worse-than with --margin."
        )
    if question.judge in others:
        raise OptionError(f"The judge {question.judge} cannot be compared with itself: name another judge.")
    if question.metric not in METRICS:
        raise OptionError.unknown("--metric", question.metric, METRICS)
    _check_margin(question)
    _check_thresholds(question)
    _check_numbers(question)


def _check_margin(question: Question) -> None:
    if question.not_worse_than and question.margin is None:
        raise OptionError(
            "--not-worse-than needs --margin: how much worse the judge may be, in units of the metric (wins and "
            "accuracy are shares: 0.05 is five percentage points)."
        )
    if question.margin is not None and not question.not_worse_than:
        raise OptionError("--margin goes with --not-worse-than: name the judge to compare with.")
    if question.margin is not None and not 0 < question.margin < math.inf:
        raise OptionError(f"--margin cannot be {question.margin:g}: give a number above 0, in units of the metric.")


def _check_thresholds(question: Question) -> None:
    if question.min_equivalence is not None and not 0 <= question.min_equivalence < math.inf:
        raise OptionError(f"--min-equivalence cannot be {question.min_equivalence:g}: it is a number of raters.")
    for option, share in (("--min-consistency", question.min_consistency), ("--max-bias", question.max_bias)):
        if share is not None and not 0 <= share <= 1:
            raise OptionError(f"{option} cannot be {share:g}: it is a share from 0 to 1.")


def _check_numbers(question: Question) -> None:
    if question.bootstrap < 1:
        raise OptionError(
            f"--bootstrap cannot be {question.bootstrap}: the bound of an interval decides, so samples are needed."
        )
    if not 0 < question.tau <= 1:
        raise OptionError(f"--tau cannot be {question.tau:g}: give a share above 0 and at most 1, such as 0.5.")
    check_confidence(question.confidence)
    if question.min_items < 1:
        raise OptionError(f"--min-items cannot be {question.min_items}: at least one is needed.")
