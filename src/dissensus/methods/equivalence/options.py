"""What the user asked for, checked."""

from dataclasses import dataclass, fields
from typing import TypedDict

from dissensus.data import Judges, Ratings
from dissensus.data.labels import number
from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.equivalence.calibration import CALIBRATIONS, Calibration
from dissensus.methods.equivalence.combiners import COMBINERS, LEARN, PRIORS, Combiner, Learn, OwnCombiner, Prior
from dissensus.methods.equivalence.scores import SCORES, ScoreName
from dissensus.sampling.intervals import INTERVALS, Interval, check_bootstrap, check_confidence

# ---- What the user asked for, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the user asked for, as in `equivalence`."""

    judge: tuple[str, ...] | None
    combiner: Combiner | OwnCombiner
    score: ScoreName
    positive: str | None
    learn: Learn | None
    calibrate: Calibration
    reference_raters: int
    experts: str | None
    amateurs: str | None
    elicitation: Elicitation | None
    prior: Prior
    clip: float
    weights: str
    max_raters: int | None
    cohort: bool
    bootstrap: int
    interval: Interval
    confidence: float
    ceiling: bool
    seed: int | None

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        named["combiner"] = getattr(self.combiner, "__name__", "own") if callable(self.combiner) else self.combiner
        return named


def check_question(question: Question) -> None:
    """Raise where an option has a value it cannot have, or two options contradict each other."""
    _check_choices(question)
    _check_numbers(question)
    if question.judge == ():
        raise OptionError("No judge was named: name at least one, or leave judge out to compare all of them.")
    if (question.experts is None) != (question.amateurs is None):
        raise OptionError("--experts and --amateurs go together: name the group of each.")
    if question.experts is not None and question.experts == question.amateurs:
        raise OptionError(f"--experts and --amateurs are both {question.experts}: name two different groups.")
    if question.ceiling and question.score != "cross-entropy":
        raise OptionError(f"--ceiling is in bits: it goes with --score cross-entropy, not {question.score}.")


def _check_choices(question: Question) -> None:
    if not callable(question.combiner) and question.combiner not in COMBINERS:
        raise OptionError.unknown("--combiner", question.combiner, COMBINERS)
    for option, value, known in (
        ("--score", question.score, SCORES),
        ("--learn", question.learn or "leave-one-out", LEARN),
        ("--calibrate", question.calibrate, CALIBRATIONS),
        ("--prior", question.prior, PRIORS),
        ("--interval", question.interval, INTERVALS),
        ("--weights", question.weights, ("item", "rater")),
    ):
        if value not in known:
            raise OptionError.unknown(option, value, known)


def _check_numbers(question: Question) -> None:
    check_bootstrap(question.bootstrap)
    check_confidence(question.confidence)
    if question.reference_raters < 1:
        raise OptionError(f"--reference-raters cannot be {question.reference_raters}: at least one is needed.")


MOST_LABELS = 40
"""With more labels than that probabilities cannot be kept 2% away from certainty, as cross-entropy needs."""


class SurveyOptions(TypedDict, total=False):
    """Options of `equivalence` that depend on the data."""

    score: ScoreName
    combiner: Combiner
    calibrate: Calibration


def survey_options(ratings: Ratings, judges: Judges) -> SurveyOptions:
    """Options of `equivalence` under which any data can be compared.

    Cross-entropy of calibrated judges, since most judges sound surer than they are: by a table where every judge gave
    one label per item, by isotonic regression where they gave probabilities or several answers. Numbers with distances
    are correlated, and very many labels only compared for equality.
    """
    if are_measures(ratings, judges):
        return {"score": "pearson", "combiner": "frequency"}
    if len({*ratings.labels, *judges.labels}) > MOST_LABELS:
        return {"score": "agreement", "combiner": "plurality"}
    is_hard = judges.probability is None and not judges.sample.any()
    return {"calibrate": "table" if is_hard else "isotonic"}


def are_measures(ratings: Ratings, judges: Judges) -> bool:
    """Whether answers are points of a measure, of which two are near but seldom equal.

    So they are on an interval scale, and where judges answer with numbers between or beyond those that raters gave.
    """
    if ratings.scale == "interval":
        return True
    others = set(judges.labels) - set(ratings.labels)
    return bool(others) and all(number(label) is not None for label in (*ratings.labels, *others))
