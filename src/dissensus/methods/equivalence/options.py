"""Options of `equivalence`, and those that fit the data."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from dissensus.data import Judges, Ratings
from dissensus.data.align import are_points_of_a_measure
from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.equivalence.scores import SCORES, ScoreName
from dissensus.options import (
    Options,
    bootstrap_option,
    confidence_option,
    default_of,
    elicitation_option,
    named,
    option,
)
from dissensus.sampling.intervals import INTERVALS, Interval
from dissensus.sampling.raters import RatersAs, raters_option

Combiner = Literal["abc", "frequency", "plurality", "npmle"]
OwnCombiner = Callable[[npt.NDArray[np.int32]], npt.ArrayLike]
"""From label counts of shape (n_surveys, n_labels) to predictions of the same shape, rows summing to 1."""
Learn = Literal["midpoint", "leave-one-out", "in-sample", "cross-fit"]
Prior = Literal["uniform", "data"]
Calibration = Literal["auto", "none", "isotonic", "platt", "table", "multinomial"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
LEARN: tuple[Learn, ...] = get_args(Learn)
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)


def clip_option() -> float:
    """How far cross-entropy keeps probabilities from certainty."""
    wants = "choose a small share above 0, such as 0.02"
    text = "Cross-entropy keeps probabilities this far from 0 and 1."
    return option(0.02, metavar="E", above=0, below=1, wants=wants, help=text)


def max_raters_option() -> int | None:
    """How large surveys are."""
    return option(None, metavar="K", at_least=0, wants="it is a number of raters", help="The most raters to combine.")


def calibrate_option() -> Calibration:
    """How judges' answers are turned into people's terms."""
    text = "Calibrate the judges: auto, none, isotonic, platt, table or multinomial."
    return option("auto", metavar="M", choices=CALIBRATIONS, help=text)


@dataclass(frozen=True, kw_only=True)
class EquivalenceOptions(Options):
    """What the user asked for, as in `equivalence`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to compare; may be repeated.")
    combiner: Combiner | OwnCombiner = option(
        "abc", metavar="C", choices=COMBINERS, help="How raters' labels predict: abc, frequency, plurality or npmle."
    )
    score: ScoreName | None = option(
        None,
        metavar="S",
        choices=SCORES,
        help=f"{', '.join(SCORES[:-1])} or {SCORES[-1]}; as the labels allow, if not given.",
    )
    positive: str | None = option(None, metavar="LABEL", help="Positive label of auc, f1, precision and recall.")
    learn: Learn | None = option(
        None, metavar="L", choices=LEARN, help="What abc learns from: midpoint, leave-one-out, in-sample or cross-fit."
    )
    calibrate: Calibration = calibrate_option()
    reference_raters: int = option(
        1,
        metavar="R",
        at_least=1,
        wants="at least one is needed",
        help="Score against the plurality of this many held-out raters.",
    )
    experts: str | None = option(None, metavar="G", help=f"Group to score against, with {named('amateurs')}.")
    amateurs: str | None = option(None, metavar="G", help="Group whose raters are scored.")
    elicitation: Elicitation | None = elicitation_option()
    prior: Prior = option(
        "uniform",
        metavar="P",
        choices=get_args(Prior),
        help=f"What {named('combiner')} frequency predicts with nobody asked: uniform or data.",
    )
    clip: float = clip_option()
    weights: Literal["item", "rater"] = option(
        "item",
        metavar="W",
        choices=("item", "rater"),
        help="A judge's score is a mean over items or over raters: item or rater.",
    )
    max_raters: int | None = max_raters_option()
    raters: RatersAs | None = raters_option()
    cohort: bool = option(default=False, help="Use only items with enough ratings for every number of raters.")
    bootstrap: int = bootstrap_option()
    interval: Interval = option(
        "studentized", metavar="I", choices=INTERVALS, help="Kind of interval: studentized, basic or percentile."
    )
    confidence: float = confidence_option()
    ceiling: bool = option(
        default=False, help="Estimate the curve beyond the data and what no number of raters can exceed."
    )
    exact: bool = option(default=False, help="Compute exactly whatever can be: much slower on large data.")

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to compare all of them.")
        both = f"{named('experts')} and {named('amateurs')}"
        if (self.experts is None) != (self.amateurs is None):
            raise OptionError(f"{both} go together: name the group of each.")
        if self.experts is not None and self.experts == self.amateurs:
            raise OptionError(f"{both} are both {self.experts}: name two different groups.")
        if self.ceiling and self.scored_by != "cross-entropy":
            raise OptionError(
                f"{named('ceiling')} is in bits: it goes with {named('score')} cross-entropy, not {self.score}."
            )

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON; a user's combiner by its name."""
        combiner = getattr(self.combiner, "__name__", "own") if callable(self.combiner) else self.combiner
        return super().settings() | {"combiner": combiner, "score": self.scored_by}

    @property
    def scored_by(self) -> ScoreName:
        """The score: cross-entropy where none was named."""
        return self.score or "cross-entropy"


MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty, as cross-entropy needs."""


class SurveyOptions(TypedDict, total=False):
    """Options of `equivalence` that depend on the data."""

    score: ScoreName
    combiner: Combiner


def survey_options(ratings: Ratings, judges: Judges) -> SurveyOptions:
    """Options of `equivalence` under which any data can be compared.

    Numbers with distances are correlated, and very many labels only compared for equality; else nothing is special.
    """
    if are_points_of_a_measure(ratings, judges):
        return {"score": "pearson", "combiner": "frequency"}
    if len({*ratings.labels, *judges.labels}) > MOST_LABELS:
        return {"score": "agreement", "combiner": "plurality"}
    return {}


FOR_PROBABILITIES = ("combiner", "learn", "calibrate", "clip", "weights", "reference_raters", "ceiling")
"""Who sets one of these and names no score means cross-entropy."""


def with_score(
    options: EquivalenceOptions, ratings: Ratings, judges: Judges
) -> tuple[EquivalenceOptions, tuple[str, ...]]:
    """The options with the score that fits the data where the user left it open, and a sentence if it is a special one.

    It is the one that `decide` takes.
    """
    is_set = any(getattr(options, name) != default_of(EquivalenceOptions, name) for name in FOR_PROBABILITIES)
    if options.score is not None or is_set or judges.moments is not None:
        return options, ()
    fitting = survey_options(ratings, judges.only(options.judge))
    if not fitting:
        return options, ()
    why = "labels are numbers" if fitting["score"] == "pearson" else f"there are more than {MOST_LABELS} labels"
    about = f"The score is {fitting['score']}, as in decide, because {why}: choose another with {named('score')}."
    return replace(options, **fitting), (about,)
