"""How many items are positive, when a judge looked at all of them and people at some?"""

import math
from collections.abc import Sequence
from dataclasses import replace

from dissensus.data import Judges, Ratings, Task
from dissensus.data.ratings import ELICITATIONS
from dissensus.errors import OptionError
from dissensus.methods.prevalence.options import IntervalName, Question, Target, check_question, counted_labels
from dissensus.methods.prevalence.result import JudgePrevalence, PrevalenceResult
from dissensus.methods.prevalence.summary import sum_up
from dissensus.methods.prevalence.systems import Pairs, systems_of
from dissensus.methods.prevalence.targets import Targets, targets_of

BOTH_KINDS = (
    "The ratings hold forced choices and response sets: a set is positive if an option in it is, and all count alike."
)


def prevalence(
    ratings: Ratings,
    judges: Judges,
    *,
    positive: str | Sequence[str] | None = None,
    half: str | Sequence[str] | None = None,
    judge: str | Sequence[str] | None = None,
    task: Task | None = None,
    target: Target = "share",
    tau: float = 0.5,
    pairs: Pairs | None = None,
    interval: IntervalName = "wilson",
    confidence: float = 0.95,
) -> PrevalenceResult:
    """The share of positive items among all that a judge answered, corrected by those that people rated.

    The rated items should be drawn at random from all items. Items are what was drawn: an interval holds the
    differences between items and the disagreement of their raters, not that these raters were drawn from others.

    Parameters
    ----------
    ratings : Ratings
        What people said of some items.
    judges : Judges
        What judges said of all items.
    positive : str or sequence of str, optional
        Labels that are counted; those of the task if not given. A response set with one of them counts.
    half : str or sequence of str, optional
        Labels that count as a half, such as a tie.
    judge : str or sequence of str, optional
        Which judges to take; all of them if not given.
    task : Task, optional
        Which options are positive; in a pairwise task win counts and tie counts a half.
    target : {"share", "decision"}
        An item counts by the share of its raters (and of the judge's samples, or its probability) who say yes, or as a
        whole where that share is tau or more.
    tau : float
        Share at which an item is decided positive.
    pairs : mapping of str to (str, str), optional
        For each item the two systems that it compares; positive labels mean that the first one wins. Adds each system's
        win rate and Bradley-Terry strength.
    interval : {"wilson", "normal"}
        Wilson's interval at the size of a sample of the same variance, which stays between 0 and 1 and counts half an
        error of the judge more than was seen; or so many standard errors to each side, which is too short where few
        items are positive or the judge seldom errs.
    confidence : float
        Of the intervals.

    Returns
    -------
    PrevalenceResult

    References
    ----------
    W. Rogan, B. Gladen (1978), "Estimating prevalence from the results of a screening test".
    A. Angelopoulos, S. Bates, C. Fannjiang, M. Jordan, T. Zrnic (2023), "Prediction-powered inference".
    A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered Inference".
    """
    if not isinstance(ratings, Ratings) or not isinstance(judges, Judges):
        raise OptionError("prevalence takes people's Ratings first and Judges second: prevalence(ratings, judges).")
    if ratings.copies is not None:
        raise OptionError("The items that nobody rated were left out when alike items were put together, and they are "
                          "what is counted here: read the files without reducing them.")  # fmt: skip
    ones, halves = counted_labels(positive, half, task)
    question = Question(
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(dict.fromkeys(judge)),
        positive=ones, half=halves, target=target, tau=tau, interval=interval, confidence=confidence,
    )  # fmt: skip
    check_question(question)
    found, warnings = targets_of(ratings, judges, question)
    summed = [_with_systems(targets, pairs, question) for targets in found]
    warnings += [text for _, texts in summed for text in texts]
    mixed = [BOTH_KINDS] if _has_both_kinds(ratings) else []
    order = sorted((one for one, _ in summed), key=lambda one: -one.ratings_saved if _is_known(one) else math.inf)
    return PrevalenceResult(
        settings=question.settings(),
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys([*ratings.warnings, *judges.warnings, *mixed, *warnings])),
        judges=tuple(order),
        positive=ones,
        half=halves,
        target=target,
        tau=tau,
    )


def _with_systems(targets: Targets, pairs: Pairs | None, question: Question) -> tuple[JudgePrevalence, list[str]]:
    judge, warnings = sum_up(targets, question)
    if pairs is None:
        return judge, warnings
    systems, more = systems_of(targets, pairs, question)
    return replace(judge, systems=systems), [*warnings, *more]


def _is_known(judge: JudgePrevalence) -> bool:
    return math.isfinite(judge.ratings_saved)


def _has_both_kinds(ratings: Ratings) -> bool:
    return ratings.elicitation is not None and set(range(len(ELICITATIONS))) <= set(ratings.elicitation.tolist())
