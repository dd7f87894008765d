"""How many raters is a judge worth? The survey power curve and where each judge meets it."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, as_data
from dissensus.data.ratings import Elicitation
from dissensus.errors import listed
from dissensus.methods.equivalence.bounds import Ends, Intervals
from dissensus.methods.equivalence.curve import crosses_again, crossings, verdict_of
from dissensus.methods.equivalence.influence import TypeScores
from dissensus.methods.equivalence.options import (
    Calibration,
    Combiner,
    EquivalenceOptions,
    Learn,
    OwnCombiner,
    Prior,
    with_score,
)
from dissensus.methods.equivalence.problem import Predictions, Problem, merged
from dissensus.methods.equivalence.raters import RaterTerm, rater_term
from dissensus.methods.equivalence.replicates import (
    Extras,
    bootstrap_replicates,
    starting_scores,
    task_sizes,
    treatments,
)
from dissensus.methods.equivalence.result import (
    AmateurPoint,
    BestJudge,
    Ceiling,
    CurvePoint,
    EndFields,
    EquivalenceResult,
    JudgeDifference,
    JudgeWorth,
    ranked_judges,
)
from dissensus.methods.equivalence.scores import PROPER_SCORES, ScoreName
from dissensus.methods.equivalence.setup import Prepared, set_up
from dissensus.methods.parts.parts import in_parts
from dissensus.methods.parts.result import PartsResult, WorthEvidence
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.intervals import Interval, bootstrap_interval
from dissensus.sampling.raters import RatersAs, rater_stream, resolve_raters


def _in_slices(*data: Any, **given: Any) -> PartsResult | None:  # noqa: ANN401 - as `Slicer`
    from dissensus.methods.equivalence.slices import equivalence_in_slices  # noqa: PLC0415 - stands on this module

    return equivalence_in_slices(*data, **given)


@in_parts(_in_slices)
def equivalence(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    combiner: Combiner | OwnCombiner = "abc",
    score: ScoreName | None = None,
    positive: str | None = None,
    learn: Learn | None = None,
    calibrate: Calibration = "auto",
    reference_raters: int = 1,
    experts: str | None = None,
    amateurs: str | None = None,
    elicitation: Elicitation | None = None,
    prior: Prior = "uniform",
    clip: float = 0.02,
    weights: Literal["item", "rater"] = "item",
    max_raters: int | None = None,
    raters: RatersAs | None = None,
    cohort: bool = False,
    bootstrap: int = 500,
    interval: Interval = "studentized",
    confidence: float = 0.95,
    ceiling: bool = False,
    exact: bool = False,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> EquivalenceResult:
    """How many raters each judge is worth: the size of the survey that predicts another rater as well as it does.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items: labels, probabilities, or several samples, which are averaged.
    judge : str or sequence of str, optional
        Which judges to compare; all if not given. The items are those that all of them answered.
    combiner : {"abc", "frequency", "plurality", "npmle"} or callable
        How a survey turns into a prediction: the Anonymous Bayesian Combiner, the shares of the labels, the most
        frequent label, the posterior of the mixing distribution; or a function from label counts of shape
        (n_surveys, n_labels) to probabilities of the same shape.
    score : str, optional
        What a prediction is worth. If not given: cross-entropy, in bits; the correlation of numbers that measure
        something, or agreement where labels are too many for it, unless another option is about probabilities.
    positive : str, optional
        The positive label of AUC, F1, precision and recall; without it their mean over labels.
    learn : {"midpoint", "leave-one-out", "in-sample", "cross-fit"}, optional
        From which items the combiner learns what to predict for an item. If not given: the midpoint, the mean of two
        scores, learned from all items and without the item, as calibrated judges are scored; leave-one-out where judges
        are not calibrated; cross-fit for AUC and correlations, which compare items, and for npmle.
    calibrate : {"auto", "none", "isotonic", "platt", "table", "multinomial"}
        Map each judge's outputs to raters' shares. Auto does so for scores of probabilities, in the way that predicts
        other items best, judge by judge. Judges are reported raw, too, but for bare labels under cross-entropy, which
        have no probabilities. The map is learned once: bootstrap samples do not learn it again.
    reference_raters : int
        Score against the plurality of this many held-out raters instead of one.
    experts, amateurs : str, optional
        Groups: score surveys of amateurs, and the judges, against experts.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way.
    prior : {"uniform", "data"}
        What the frequency combiner predicts with nobody asked.
    clip : float
        How far cross-entropy keeps predictions from 0 and 1, of both surveys and judges.
    weights : {"item", "rater"}
        Whether a judge's score is a mean over items or over raters.
    max_raters : int, optional
        The largest survey; if not given the largest for which half of the items have a further rating, at most 20;
        at least 1 if 20 items have one.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    cohort : bool
        Keep to the items that have enough ratings for the largest survey, so that every point has the same items.
    bootstrap : int
        Bootstrap samples of the items; 0 for no intervals.
    interval : {"studentized", "basic", "percentile"}
        Kind of the bootstrap intervals; studentized ones are basic where the score does not add up over items.
    confidence : float
        Of the intervals.
    ceiling : bool
        Estimate the curve beyond the data, and what no survey can exceed.
    exact : bool
        Learn the combiner in every bootstrap sample item by item, and enumerate surveys where memory allows. Without it
        this is so on small data; on large ones the sums over items are learned again, and large surveys are sampled.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    EquivalenceResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or no item
        has two ratings.

    See Also
    --------
    decide : Which judge to use, and how.
    panel : What judges are worth together.
    gate : Does a judge meet thresholds?

    Notes
    -----
    Identical items that were merged (`ratings.copies`) give the numbers of the items one by one: point estimates
    exactly, bootstrap samples in distribution. Where judges' outputs are known by their moments only, bootstrap samples
    take the sum of their scores within a profile as normal.

    References
    ----------
    P. Resnick, Y. Kong, G. Schoenebeck, T. Weninger (2021), "Survey Equivalence: A Procedure for Measuring Classifier
    Accuracy Against Human Labels".

    Examples
    --------
    >>> result = equivalence("example:binary", "example:binary", bootstrap=0)
    >>> [(judge.judge, round(judge.equivalence, 2)) for judge in result.judges if judge.calibrated]
    [('classifier', 1.88), ('keywords', 0.31)]
    """
    ratings, judges = as_data(ratings, judges, has_weights=True)
    options = EquivalenceOptions.given(locals(), seed=seed_of(rng))
    where: dict[str, Any] = {"engine": engine, "workers": workers, "progress": progress}
    return run_equivalence(ratings, judges, options, rng=rng, **where).result


class EquivalenceRun(NamedTuple):
    """An answer, and what it was worked out from."""

    result: EquivalenceResult
    prepared: Prepared
    term: RaterTerm | None  # scores without each rater, where raters are a sample
    extras: Extras  # among them what single items score, of a score that adds up over items
    intervals: Intervals  # scores of the data and of bootstrap samples


def run_equivalence(
    ratings: Ratings,
    judges: Judges,
    options: EquivalenceOptions,
    *,
    rng: int | Generator | None,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
    apart: bool = False,
) -> EquivalenceRun:
    """What `equivalence` returns, for a method that goes on from there; items kept apart where it asks for each."""
    # A stream for each purpose: none depends on whether another is used.
    fold_stream, survey_stream, bootstrap_stream = np.random.default_rng(rng).spawn(3)
    options, about_score = with_score(options, ratings, judges)
    prepared = set_up(ratings, judges, options, rng=fold_stream)
    prepared = replace(prepared, warnings=(*about_score, *prepared.warnings))
    with open_executor(engine, workers=workers) as executor:
        return place(
            prepared, options, survey_stream=survey_stream, bootstrap_stream=bootstrap_stream,
            rater_rng=rater_stream(rng), executor=executor, progress=progress, apart=apart,
        )  # fmt: skip


def place(
    prepared: Prepared,
    options: EquivalenceOptions,
    *,
    survey_stream: Generator,
    bootstrap_stream: Generator,
    rater_rng: Generator,
    executor: Executor,
    progress: Progress | None,
    apart: bool = False,
) -> EquivalenceRun:
    """The judges of a problem among surveys of people; where items are many, equal ones are put together."""
    problem = prepared.problem if apart or options.exact else merged(prepared.problem)
    once = treatments(problem, bootstrap=options.bootstrap, exact=options.exact)
    total = len(once) + len(task_sizes(options.bootstrap))

    def tell(done: int, _tasks: int) -> None:
        if progress is not None:
            progress(done, total)

    extras, data = starting_scores(problem, options, once=once, rng=survey_stream, progress=tell)
    samples = bootstrap_replicates(
        problem, extras, options.bootstrap, executor, rng=bootstrap_stream,
        progress=lambda done, tasks: tell(len(once) + done, tasks),
    )  # fmt: skip
    term, about_raters = rater_term_of(prepared, options, rng=rater_rng)
    settings = prepared.settings | {"raters": "fixed" if term is None else "sampled"}
    prepared = replace(prepared, settings=settings, warnings=(*prepared.warnings, *about_raters))
    intervals = Intervals(options=options, data=data, samples=samples, raters=term)
    result = summed_up(prepared, extras, intervals)
    if prepared.problem.among is not None:
        result = replace(result, evidence=_evidence(prepared, intervals))
    return EquivalenceRun(result, prepared, term, extras, intervals)


def rater_term_of(
    prepared: Prepared, options: EquivalenceOptions, *, rng: Generator
) -> tuple[RaterTerm | None, list[str]]:
    """What raters add to the intervals, None where they are taken as they are; and a sentence about it."""
    drawn_as, about = resolve_raters(options.raters, prepared.rated, bootstrap=options.bootstrap)
    if drawn_as == "fixed" or not options.bootstrap:
        return None, about
    return rater_term(prepared.problem, prepared.rated, prepared.labels, replicates=options.bootstrap, rng=rng), about


def _evidence(prepared: Prepared, intervals: Intervals) -> WorthEvidence:
    """What judges are worth in each bootstrap sample, calibrated where they were, and without each rater."""
    data, samples, term = intervals.data, intervals.samples, intervals.raters
    places = {judge.judge: j for j, judge in enumerate(prepared.problem.judges)}  # calibrated comes last
    deleted = None
    if term is not None:
        parts = zip(term.deleted.curve, term.deleted.judges, strict=True)
        deleted = np.stack([_crossed(curve, scores, places.values()) for curve, scores in parts])
    names = prepared.rated.raters
    return WorthEvidence(
        judges=tuple(places),
        worth=_crossed(data.curve, data.judges, places.values())[0],
        largest=prepared.problem.sizes[-1],
        samples=(
            np.empty((0, len(places))) if samples is None else _crossed(samples.curve, samples.judges, places.values())
        ),
        deleted=deleted,
        raters=() if term is None else tuple(names[code] for code in term.pool.raters),
        draws=None if term is None else term.draws,
    )


def _crossed(curve: Floats, scores: Floats, judges: Iterable[int]) -> Floats:
    """What these judges are worth in each replicate, of shape (n_replicates, n_judges)."""
    return np.stack([crossings(curve, scores[:, j]) for j in judges], axis=1)


# ---- From scores and their replicates to the result

NAN = float("nan")
SECOND_ORDER = "which matters in second order only"


def summed_up(prepared: Prepared, extras: Extras, intervals: Intervals) -> EquivalenceResult:
    """The result, from the data's scores and those of the bootstrap samples."""
    problem, options, data = prepared.problem, intervals.options, intervals.data
    ceiling = _ceiling(intervals, extras)
    worths = _worths(problem, intervals, has_ceiling=ceiling is not None)
    warnings = [*prepared.warnings, *_judge_warnings(options, worths, data.curve[0])]
    warnings += [extras.no_ceiling] if extras.no_ceiling else []
    return EquivalenceResult(
        settings=prepared.settings,
        data=prepared.data,
        warnings=(*warnings, *_curve_warnings(problem, options, extras, data.curve[0])),
        curve=_curve(problem, intervals, extras),
        judges=worths,
        best=_best(problem, worths, intervals),
        differences=_differences(problem, worths, intervals),
        amateurs=_amateurs(problem, intervals),
        ceiling=ceiling,
    )


def _curve(problem: Problem, intervals: Intervals, extras: Extras) -> tuple[CurvePoint, ...]:
    per_item = problem.counts.sum(axis=1)
    points = []
    for i, k in enumerate(problem.sizes):
        score, (low, high) = float(intervals.data.curve[0, i]), intervals.curve(i)
        items = int(problem.items[per_item >= k + problem.references].sum())
        error = extras.large[k].by_type.standard_error if k in extras.large else NAN
        gain_low, gain_high = intervals.gain(i)
        points.append(
            CurvePoint(
                raters=k, score=score, low=low, high=high, gain_low=gain_low, gain_high=gain_high, items=items,
                standard_error=error,
            )
        )  # fmt: skip
    return tuple(points)


def _worths(problem: Problem, intervals: Intervals, *, has_ceiling: bool) -> tuple[JudgeWorth, ...]:
    """What each judge is worth."""
    worths, data, largest = [], intervals.data, problem.sizes[-1]
    for j, judge in enumerate(problem.judges):
        value = float(_placed(crossings(data.curve, data.judges[:, j]), problem)[0])
        drawn, ends = intervals.worth_samples(j), intervals.worth(j)
        (low, high), (gain_low, gain_high) = intervals.judge(j), intervals.judge_gain(j)
        ratio, ratio_low, ratio_high = _ratio(intervals, j) if has_ceiling else (None, None, None)
        is_within = bool(np.isfinite(value))
        worths.append(
            JudgeWorth(
                judge=judge.judge, calibrated=judge.calibrated, score=float(data.judges[0, j]), low=low, high=high,
                gain_low=gain_low, gain_high=gain_high,
                equivalence=value if is_within else NAN,
                equivalence_raters=int(np.ceil(value)) if is_within else None,
                **_ends(ends), verdict=verdict_of(value),
                share_below=NAN if drawn is None else float(np.mean(drawn == -np.inf)),
                share_above=NAN if drawn is None or largest == 0 else float(np.mean(drawn == np.inf)),
                performance_ratio=ratio, performance_ratio_low=ratio_low, performance_ratio_high=ratio_high,
            )
        )  # fmt: skip
    return tuple(worths)


def _ends(ends: Ends) -> EndFields:
    """Both ends of the interval of a worth, and where they are."""
    low, high = (end if np.isfinite(end) else NAN for end in ends)
    return {
        "equivalence_low": low, "low_verdict": verdict_of(ends.low),
        "equivalence_high": high, "high_verdict": verdict_of(ends.high),
    }  # fmt: skip


def _best(problem: Problem, worths: Sequence[JudgeWorth], intervals: Intervals) -> BestJudge | None:
    """The best judge, with intervals that hold although it was picked for its score."""
    ranked = ranked_judges(worths)
    numbers = [worths.index(worth) for worth in ranked if np.isfinite(worth.score)]
    # Nobody picks a judge that says the same of every item, so it does not count among those that were picked from.
    varying = [j for j in numbers if np.ptp(learned_by(problem.judges[j]), axis=0).any()]
    bounds = intervals.best(varying if varying[:1] == numbers[:1] else numbers)
    if bounds is None:
        return None
    best = ranked[0]
    return BestJudge(
        judge=best.judge, calibrated=best.calibrated, score=best.score, low=bounds.low, high=bounds.high,
        equivalence=best.equivalence, verdict=best.verdict, **_ends(bounds.worth),
        candidates=tuple(worths[j].judge for j in bounds.candidates),
    )  # fmt: skip


def learned_by(judge: Predictions) -> Floats:
    """What a judge predicts, without the noise of folds."""
    return judge.predictions if judge.inside is None else judge.inside


def _placed(equivalence: Floats, problem: Problem) -> Floats:
    """Equivalences on a curve; one that ends with nobody asked can show that a judge is worse, not how much better."""
    return equivalence if problem.sizes[-1] > 0 else np.where(equivalence > 0, np.nan, equivalence)


def _ratio(intervals: Intervals, j: int) -> tuple[float, float, float]:
    """A judge's information as a share of the ceiling."""
    data, samples = intervals.data, intervals.samples
    ratio = float((data.judges[0, j] - data.prior[0]) / data.ceiling[0])
    drawn = None if samples is None else (samples.judges[:, j] - samples.prior) / samples.ceiling
    return (ratio, *intervals.plain(ratio, drawn))


def _differences(problem: Problem, worths: Sequence[JudgeWorth], intervals: Intervals) -> tuple[JudgeDifference, ...]:
    """Every pair of judges; a calibrated judge is not compared with itself uncalibrated."""
    differences = []
    data, samples = intervals.data, intervals.samples
    placed = [] if samples is None else [
        _placed(crossings(samples.curve, samples.judges[:, j]), problem) for j in range(len(worths))
    ]  # fmt: skip
    for (a, one), (b, other) in combinations(enumerate(worths), 2):
        if one.judge == other.judge:
            continue
        gap = one.equivalence - other.equivalence
        low = high = share = NAN
        if samples is not None:
            wins = intervals.lead_samples(a, b)
            moved = wins - (samples.judges[:, a] - samples.judges[:, b])  # by raters
            with np.errstate(invalid="ignore"):  # two judges off the same end of the curve cannot be told apart by it
                gaps = placed[a] - placed[b] + moved * _raters_a_point(data.curve[0], gap, one.score - other.score)
            # Percentile, whatever the others are: it keeps to the sign that the samples agree on.
            low, high = bootstrap_interval(gap, gaps, confidence=intervals.options.confidence, kind="percentile")
            share = float(np.mean(np.where(wins == 0, 0.5, wins > 0)))
        names = {"judge_a": one.name, "judge_b": other.name}
        differences.append(JudgeDifference(**names, difference=gap, low=low, high=high, share_a_better=share))
    return tuple(differences)


def _raters_a_point(curve: Floats, raters: float, points: float) -> float:
    """How many raters a point of the score is worth between two judges; on the whole curve where they are equal."""
    if points and np.isfinite(raters):
        return raters / points
    known = curve[~np.isnan(curve)]
    return float((len(known) - 1) / (known[-1] - known[0])) if len(known) > 1 and known[-1] > known[0] else 0.0


def _amateurs(problem: Problem, intervals: Intervals) -> tuple[AmateurPoint, ...] | None:
    if problem.amateurs is None:
        return None
    data = intervals.data
    points = []
    for i, k in enumerate(problem.amateur_sizes):
        score, (low, high) = float(data.amateurs[0, i]), intervals.amateurs(i)
        worth = float(crossings(data.curve, data.amateurs[:, i])[0])
        worth = worth if np.isfinite(worth) else NAN
        gain_low, gain_high = intervals.gain(i, of_amateurs=True)
        points.append(
            AmateurPoint(
                raters=k, score=score, low=low, high=high, gain_low=gain_low, gain_high=gain_high, worth_experts=worth
            )
        )
    return tuple(points)


def _ceiling(intervals: Intervals, extras: Extras) -> Ceiling | None:
    data, samples = intervals.data, intervals.samples
    if not extras.labels or not data.ceiling.size:
        return None
    points = []
    for i, k in enumerate(extras.beyond):
        value = float(data.beyond[0, i])
        low, high = intervals.plain(value, None if samples is None else samples.beyond[:, i])
        points.append(CurvePoint(raters=k, score=value, low=low, high=high, gain_low=low, gain_high=high, items=0))
    gain = float(data.ceiling[0])
    low, high = intervals.plain(gain, None if samples is None else samples.ceiling)
    return Ceiling(gain=gain, low=low - extras.too_high_by, high=high, curve=tuple(points))


def _judge_warnings(options: EquivalenceOptions, worths: Sequence[JudgeWorth], curve: Floats) -> list[str]:
    warnings = []
    again = [worth.name for worth in worths if crosses_again(curve, worth.score, worth.equivalence)]
    if again:
        warnings.append(f"The curve crosses the score of {listed(again)} more than once; the leftmost crossing counts.")
    undefined = [worth.name for worth in worths if np.isnan(worth.score)]
    if undefined:
        warnings.append(f"{options.scored_by} of {listed(undefined)} is undefined, so there is no equivalence.")
    if np.isnan(curve[0]):
        warnings.append(f"{options.scored_by} of nobody asked is undefined, so no judge can be placed on the curve.")
    return warnings


def _curve_warnings(problem: Problem, options: EquivalenceOptions, extras: Extras, curve: Floats) -> list[str]:
    warnings = []
    if (problem.counts.sum(axis=1) <= problem.references).all() and len(problem.sizes) == 1:
        warnings.append(
            "No item has a rating to spare: the curve ends with nobody asked, and no judge can be placed on it. "
            "Collect two or more ratings per item."
        )
    elif problem.sizes[-1] == 0:
        warnings.append("The curve ends with nobody asked: it shows whether a judge is worse than that, no more.")
    if np.isnan(curve).any():
        missing = [k for k, score in zip(problem.sizes, curve, strict=True) if np.isnan(score)]
        warnings.append(f"{options.scored_by} is undefined for samples of {', '.join(map(str, missing))} raters.")
    sizes = {k: scores for k, scores in extras.large.items() if isinstance(scores, TypeScores)}
    sampled = [k for k, scores in sizes.items() if not np.isnan(scores.standard_error)]
    kept = [k for k in sizes if k not in sampled]
    if sampled:
        worst, number = max(sizes[k].standard_error for k in sampled), sizes[sampled[0]].samples
        warnings.append(
            f"From {sampled[0]} raters on there are too many ways to choose them: {number:,} were drawn, with a "
            f"standard error of at most {worst:.2g}."
        )
    if kept and options.bootstrap:
        # A proper score is at its optimum in the combiner.
        matters = "so the intervals miss what learning adds" if options.scored_by not in PROPER_SCORES else SECOND_ORDER
        once = "bootstrap samples reweight items and do not learn the combiner again"
        warnings.append(f"From {kept[0]} raters on, {once}, {matters}.")
    return warnings
