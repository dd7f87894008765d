"""Is judge A better than judge B? Scores against the raters, their difference, and whether it is real."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dissensus.data import Judges, Ratings
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.options import BINS, RESAMPLES, Question, Test, check_question
from dissensus.methods.compare.pairs import pairs_of
from dissensus.methods.compare.resampling import resample
from dissensus.methods.compare.result import CompareResult
from dissensus.methods.compare.summary import sum_up
from dissensus.sampling import Engine, Progress, open_executor, seed_of


def compare(
    ratings: Ratings,
    judges: Judges,
    *,
    a: str | None = None,
    b: str | None = None,
    metric: MetricName = "wins",
    test: Test = "sign-flip",
    margin: float | None = None,
    resamples: int | None = None,
    bootstrap: int = 2000,
    confidence: float = 0.95,
    clip: float = 0.02,
    bins: int = BINS,
    bounds: tuple[float, float] | None = None,
    same_scale: bool | None = None,
    reverse: str | Sequence[str] = (),
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> CompareResult:
    """Which of two judges comes nearer to the raters, and whether the difference could be chance.

    Parameters
    ----------
    ratings : Ratings
        Who gave which label to which item.
    judges : Judges
        What judges answered on these items: labels, probabilities, once or several times.
    a, b : str, optional
        The judges to compare; with one of them, it and every other; with neither, every pair, Holm-corrected.
    metric : str
        How a judge is scored: `wins` (share of the items on which it is nearer to the raters; ties half), `mae`, `rmse`
        (of mean answers), `emd` (earth mover's distance), `emd-binned` (the paper's, which ignores the order of its
        bins), `accuracy` (share of raters who gave the judge's most frequent label), `cross-entropy` (bits),
        `spearman`.
    test : {"sign-flip", "response-permutation", "mixture"}
        Exchange the judges on random items: are they equally good? Or deal out their responses anew, or draw from their
        mixture as the authors do: do they answer alike?
    margin : float, optional
        Also ask whether B is at most so much worse than A.
    resamples : int, optional
        Of the test; 10,000 if not given, for the mixture 1,000.
    bootstrap : int
        Bootstrap samples of the items; 0 for no intervals.
    confidence : float
        Of the intervals; a p-value of at most 1 less this decides.
    clip : float
        How far cross-entropy keeps shares from 0 and 1.
    bins : int
        Of `emd-binned`.
    bounds : tuple of float, optional
        Where the bins begin and end; the lowest and the highest label of the raters if not given.
    same_scale : bool, optional
        Whether the judges' numbers are on the raters' scale; found out if not given.
    reverse : str or sequence of str
        Judges whose higher numbers mean lower labels, for `spearman`.
    rng : int or Generator
        Seed.
    engine, workers
        Where resampling runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    CompareResult

    References
    ----------
    C. Homan, S. Wein, C. Welty, L. Aroyo (2023), "How Many Raters Do You Need? Power Analysis for Foundation Models".
    S. Wein, C. Homan, L. Aroyo, C. Welty (2023), "Follow the leader(board) with confidence: Estimating p-values from a
    single test set with item and response variance".
    """
    question = Question(
        a=a, b=b, metric=metric, test=test, margin=margin,
        resamples=RESAMPLES.get(test, 1) if resamples is None else resamples,
        bootstrap=bootstrap, confidence=confidence, clip=clip, bins=bins, bounds=bounds, same_scale=same_scale,
        reverse=(reverse,) if isinstance(reverse, str) else tuple(reverse), seed=seed_of(rng),
    )  # fmt: skip
    check_question(question)
    found = pairs_of(ratings, judges, question)
    with open_executor(engine, workers=workers) as executor:
        resampled = resample(
            [pair.problem for pair in found.pairs],
            test,
            resamples=question.resamples,
            bootstrap=bootstrap,
            rng=np.random.default_rng(rng),
            executor=executor,
            progress=progress,
        )
    return sum_up(
        found, resampled, question, data={"ratings": ratings.describe_data(), "judges": judges.describe_data()}
    )
