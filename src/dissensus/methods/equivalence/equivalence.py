"""How many raters is a judge worth? The survey power curve and where each judge meets it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.data import Judges, Ratings
from dissensus.data.ratings import Elicitation
from dissensus.methods.equivalence.calibration import Calibration
from dissensus.methods.equivalence.combiners import Combiner, Learn, OwnCombiner, Prior
from dissensus.methods.equivalence.large_sizes import large_sizes, treatments
from dissensus.methods.equivalence.options import Question, check_question
from dissensus.methods.equivalence.replicates import bootstrap_scores, joined, observed_scores
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.equivalence.scores import ScoreName
from dissensus.methods.equivalence.setup import ceiling_extras, set_up
from dissensus.methods.equivalence.summary import sum_up
from dissensus.sampling import Engine, Progress, open_executor, run_tasks, seed_of
from dissensus.sampling.intervals import Interval

REPLICATES_PER_TASK = 25
"""Fixed, so that the streams of random numbers do not depend on the number of workers."""


def equivalence(
    ratings: Ratings,
    judges: Judges,
    *,
    judge: str | Sequence[str] | None = None,
    combiner: Combiner | OwnCombiner = "abc",
    score: ScoreName = "cross-entropy",
    positive: str | None = None,
    learn: Learn | None = None,
    calibrate: Calibration = "none",
    reference_raters: int = 1,
    experts: str | None = None,
    amateurs: str | None = None,
    elicitation: Elicitation | None = None,
    prior: Prior = "uniform",
    clip: float = 0.02,
    weights: str = "item",
    max_raters: int | None = None,
    cohort: bool = False,
    bootstrap: int = 500,
    interval: Interval = "basic",
    confidence: float = 0.95,
    ceiling: bool = False,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> EquivalenceResult:
    """How many raters each judge is worth: the size of the survey that predicts another rater as well as it does.

    Parameters
    ----------
    ratings : Ratings
        Who gave which label to which item.
    judges : Judges
        What judges answered on these items: labels, probabilities, or several samples, which are averaged.
    judge : str or sequence of str, optional
        Which judges to compare; all if not given. The items are those that all of them answered.
    combiner : {"abc", "frequency", "plurality", "npmle"} or callable
        How a survey turns into a prediction: the Anonymous Bayesian Combiner, the shares of the labels, the most
        frequent label, the posterior of the mixing distribution; or a function from label counts of shape
        (n_surveys, n_labels) to probabilities of the same shape.
    score : str
        What a prediction is worth; cross-entropy is in bits.
    positive : str, optional
        The positive label of AUC, F1, precision and recall; without it their mean over labels.
    learn : {"leave-one-out", "in-sample", "cross-fit"}, optional
        From which items the combiner learns what to predict for an item. Leave-one-out if not given; cross-fit for AUC
        and correlations, which compare items, and for npmle.
    calibrate : {"none", "isotonic", "platt", "table"}
        Map the judges' outputs to raters' shares, cross-fitted by item; raw and calibrated judges are both reported.
    reference_raters : int
        Score against the plurality of so many held-out raters instead of one.
    experts, amateurs : str, optional
        Groups: score surveys of amateurs, and the judges, against experts.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way.
    prior : {"uniform", "data"}
        What the frequency combiner predicts with nobody asked.
    clip : float
        How far cross-entropy keeps predictions from 0 and 1, of surveys and judges alike.
    weights : {"item", "rater"}
        Whether a judge's score is a mean over items or over raters.
    max_raters : int, optional
        The largest survey; if not given the largest for which half of the items have a further rating, at most 20.
    cohort : bool
        Keep to the items that have enough ratings for the largest survey, so that every point has the same items.
    bootstrap : int
        Bootstrap samples of the items; 0 for no intervals.
    interval : {"basic", "percentile"}
        Kind of the bootstrap intervals.
    confidence : float
        Of the intervals.
    ceiling : bool
        Estimate the curve beyond the data, and what no survey can exceed.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    EquivalenceResult

    Notes
    -----
    Alike items that were put together (`ratings.copies`) give the numbers of the items one by one: point estimates
    exactly, bootstrap samples in distribution. Where judges' outputs are known by their moments only, bootstrap samples
    take the sum of their scores within a profile as normal.

    References
    ----------
    P. Resnick, Y. Kong, G. Schoenebeck, T. Weninger (2021), "Survey Equivalence: A Procedure for Measuring Classifier
    Accuracy Against Human Labels".
    """
    question = Question(
        judge=(judge,) if isinstance(judge, str) else None if judge is None else tuple(judge),
        combiner=combiner, score=score, positive=positive, learn=learn, calibrate=calibrate,
        reference_raters=reference_raters, experts=experts, amateurs=amateurs, elicitation=elicitation, prior=prior,
        clip=clip, weights=weights, max_raters=max_raters, cohort=cohort, bootstrap=bootstrap, interval=interval,
        confidence=confidence, ceiling=ceiling, seed=seed_of(rng),
    )  # fmt: skip
    check_question(question)
    # A stream for each purpose: none depends on whether another is used.
    fold_stream, survey_stream, bootstrap_stream = np.random.default_rng(rng).spawn(3)
    prepared = set_up(ratings, judges, question, rng=fold_stream)
    sizes = [min(REPLICATES_PER_TASK, bootstrap - done) for done in range(0, bootstrap, REPLICATES_PER_TASK)]
    once = treatments(prepared.problem, is_resampled=bootstrap > 0)
    steps = Steps(progress, total=len(once) + len(sizes))
    large = large_sizes(prepared.problem, once, rng=survey_stream, done=steps.next)
    extras = replace(ceiling_extras(prepared, question), large=large)
    data = observed_scores(prepared.problem, extras)
    tasks = [(prepared.problem, extras, size) for size in sizes]
    with open_executor(engine, workers=workers) as executor:
        parts = run_tasks(executor, bootstrap_scores, tasks, rng=bootstrap_stream, progress=steps.told)
    return sum_up(prepared, question, extras, data, joined(parts) if parts else None)


class Steps:
    """How far the work is: the survey sizes come first, then the tasks of the bootstrap."""

    def __init__(self, progress: Progress | None, *, total: int) -> None:
        self._progress, self._done, self._total = progress, 0, total

    def next(self) -> None:
        """One more survey size is done."""
        self._done += 1
        self._tell(self._done)

    def told(self, done: int, _tasks: int) -> None:
        """So many tasks are done."""
        self._tell(self._done + done)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._total)
