"""Can this judge replace a rater? One rater after the other is left out, and the judge put in the place."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dissensus.decisions.annotators.answers import Answers, answers_of
from dissensus.decisions.annotators.question import Question, Score, Test, check_question
from dissensus.decisions.annotators.result import AltTestResult
from dissensus.decisions.annotators.said import Said, compared, constant, said_by
from dissensus.decisions.annotators.summing_up import Tallied, sum_up
from dissensus.decisions.annotators.tallies import Tally, sides, tallies_of
from dissensus.errors import OptionError
from dissensus.ratings import Judges, Ratings

Flags = npt.NDArray[np.bool_]


def alt_test(
    ratings: Ratings,
    judges: Judges,
    *,
    judge: str | Sequence[str] | None = None,
    epsilon: float = 0.1,
    score: Score = "accuracy",
    test: Test = "auto",
    alpha: float = 0.05,
    min_raters: int = 2,
    min_items: int = 30,
    same_scale: bool | None = None,
) -> AltTestResult:
    """Whether each judge is as close to the other raters as a rater is: the alternative annotator test.

    For each rater and each of the rater's items: is the judge at least as close to the remaining raters of the item as
    the rater is, and the other way round? The test is whether the rater's share of the items, less the judge's, is
    below epsilon, what using a judge is worth.

    Parameters
    ----------
    ratings : Ratings
        Who gave which label to which item; raters must be known.
    judges : Judges
        What judges answered on these items.
    judge : str or sequence of str, optional
        Which judges to test; all of them if not given.
    epsilon : float
        By how much a rater may be closer and still be replaced, since a judge costs less: the authors take .2 for
        experts, .15 for skilled raters, .1 for crowd workers.
    score : {"accuracy", "rmse", "similarity"}
        How close an answer is to the remaining raters: how many of them gave the same label (of a judge with several
        samples or probabilities, its most frequent one); the root mean squared distance to their numbers (of the
        judge's mean answer, on an ordinal scale rounded to a label); or the mean Jaccard similarity to their response
        sets (averaged over the judge's samples or probabilities).
    test : {"auto", "t", "sign-flip", "exact"}
        For each rater: t where there are 30 items or more and sign flips where there are fewer (auto), or always one of
        them, or an exact test that keeps its level where judge and rater seldom differ.
    alpha : float
        Expected share of wrong wins among the wins, by Benjamini and Yekutieli.
    min_raters : int
        Ratings that an item needs.
    min_items : int
        Items that a rater needs.
    same_scale : bool, optional
        For rmse: whether the judges' numbers are on the raters' scale; found out if not given.

    Returns
    -------
    AltTestResult

    References
    ----------
    N. Calderon, R. Reichart, R. Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically
    Justify Replacing Human Annotators with LLMs".
    """
    if not isinstance(ratings, Ratings) or not isinstance(judges, Judges):
        raise OptionError("alt_test takes people's Ratings first and Judges second: alt_test(ratings, judges).")
    question = Question(
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(dict.fromkeys(judge)),
        epsilon=epsilon, score=score, test=test, alpha=alpha, min_raters=min_raters, min_items=min_items,
        same_scale=same_scale,
    )  # fmt: skip
    check_question(question)
    answers = answers_of(ratings, judges, question)
    tallied = [_tallied(answers, name, question) for name in answers.names]
    data = {"ratings": ratings.describe_data(), "judges": judges.describe_data()}
    return sum_up(answers, tallied, _baseline(answers, question), question, data=data)


def _tallied(answers: Answers, name: str, question: Question) -> Tallied:
    """One judge in the place of each rater."""
    is_usable = _is_rated(answers, question) & (answers.panel.judges[name].sizes > 0)
    said = said_by(answers, name, question.score)
    return Tallied(
        judge=name, tallies=_tallies(answers, said, is_usable, question), tied=int(said.is_tied[is_usable].sum())
    )


def _baseline(answers: Answers, question: Question) -> Tallied:
    """Somebody who does not look, in the place of each rater."""
    said, name = constant(answers, question.score)
    return Tallied(judge=name, tallies=_tallies(answers, said, _is_rated(answers, question), question), tied=0)


def _is_rated(answers: Answers, question: Question) -> Flags:
    """Which items have enough ratings."""
    times = np.bincount(answers.ratings.item, minlength=answers.ratings.n_items)
    return np.asarray(times >= question.min_raters)


def _tallies(answers: Answers, said: Said, is_usable: Flags, question: Question) -> tuple[Tally, ...]:
    """The tally of each rater on these items."""
    rows = np.flatnonzero(is_usable[answers.ratings.item])
    d = sides(*compared(answers, said, rows, question.score))
    return tuple(tallies_of(d, answers.rater[rows], len(answers.ratings.raters)))
