"""Is judge A better than judge B? Scores against the raters, their difference, and whether it is real."""

import math
import shlex
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import JudgesLike, RatingsLike, as_data
from dissensus.data.align import Responses
from dissensus.errors import listed, named
from dissensus.methods.compare.metrics import Columns, Metric, MetricName, cross_entropy, midranks
from dissensus.methods.compare.pairs import Cloud, NamedPair, Pairs, Space, clouds_of, pairs_of
from dissensus.methods.compare.resampling import (
    Resampled,
    noise_of,
    non_inferiority_p_value,
    on_items_of,
    resample,
)
from dissensus.methods.compare.result import (
    ASKED,
    Better,
    CompareOptions,
    CompareResult,
    Constant,
    NonInferiority,
    PairComparison,
    Person,
    Test,
)
from dissensus.methods.equivalence.calibration import FoldRows, fold_stream, rows_in_folds, scores_of_labels
from dissensus.methods.parts.parts import in_parts
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.intervals import holm, percentile_interval
from dissensus.sampling.raters import RatersAs, rater_stream, resolve_raters

MIXTURE = (
    "The mixture test misses most real differences: with 100 items and 5 raters it found one in about 10% of simulated "
    "data sets by mae, sign-flip in almost half. Use sign-flip, unless you want to compare with the paper."
)
PERMUTATION = (
    "Response permutation asks whether the judges answer the same way, not whether they are equally good: it called "
    "about 13% of simulated pairs different that are equally good by mae. Use sign-flip to ask which is better."
)
ANSWERED_ONCE = (
    "Every judge answered each item once, so shuffling answers within an item is the same as swapping the judges."
)
NO_INTERVAL = (
    f"Without intervals ({named('bootstrap')} 0) no judge is called better: this test alone does not say whether they "
    "are equally good."
)
BINNED = (
    "emd-binned sorts the bins before it compares them, as the authors' tool does, so it cannot see whether a judge "
    "answers too high or too low. For a distance that can, choose emd."
)


@in_parts()
def compare(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    judge: str | Sequence[str] | None = None,
    metric: MetricName | None = None,
    test: Test = "sign-flip",
    margin: float | None = None,
    resamples: int | None = None,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    clip: float = 0.02,
    bins: int = 5,
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
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items: labels, probabilities, once or several times.
    a, b : str, optional
        The judges to compare; with one of them, it and every other; with neither, every pair, Holm-corrected.
    judge : sequence of str, optional
        Instead of them, judges to compare in every pair; all if not given.
    metric : str, optional
        How a judge is scored. `information` (bits that its answers tell of a rater's label once they are calibrated, as
        in `equivalence`) if not given, or what fits where labels are points of a measure, too many, or judges are on
        another scale. `wins` (share of the items on which it is nearer to the raters; ties half), `mae`, `rmse`
        (of mean answers), `emd` (earth mover's distance), `emd-binned` (the paper's, which ignores the order of its
        bins), `accuracy` (share of raters who gave the judge's most frequent label), `cross-entropy` (bits),
        `spearman`.
    test : {"sign-flip", "response-permutation", "mixture"}
        Swap the judges on random items: are they equally good? Or shuffle their answers within each item, or draw from
        their pooled answers as the authors do: do they answer the same way?
    margin : float, optional
        Also ask whether B is at most so much worse than A.
    resamples : int, optional
        Of the test; 10,000 if not given, for the mixture 1,000.
    raters : {"sampled", "fixed"}, optional
        Intervals and p-values for raters like these, or for these raters alone; sampled if not given and at least three
        raters have ids.
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

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or there
        are fewer than two judges, or a judge is on another scale.

    See Also
    --------
    decide : Which judge to use, and how.
    judges : Judges by every definition of agreement.
    plan_raters : How many items and raters.

    References
    ----------
    C. Homan, S. Wein, C. Welty, L. Aroyo (2023), "How Many Raters Do You Need? Power Analysis for Foundation Models".
    S. Wein, C. Homan, L. Aroyo, C. Welty (2023), "Follow the leader(board) with confidence: Estimating p-values from a
    single test set with item and response variance".

    Examples
    --------
    >>> result = compare("example:binary", "example:binary", metric="accuracy", resamples=200, bootstrap=0)
    >>> pair = result.pairs[0]
    >>> pair.judge_a, pair.better, round(pair.score_a, 3), round(pair.score_b, 3)
    ('classifier', 'a', 0.748, 0.67)
    """
    ratings, judges = as_data(ratings, judges)
    options = CompareOptions.given(locals(), seed=seed_of(rng))
    folds = fold_stream(rng)
    asked = pairs_of(ratings, judges, options, folds=folds)
    pairs, options = asked.pairs, asked.options
    drawn_as, about_raters = resolve_raters(raters, on_items_of(pairs, asked.ratings))
    sizes = (options.n_resamples, bootstrap)
    noise = noise_of(asked, sizes=sizes, stream=rater_stream(rng)) if drawn_as == "sampled" else None
    with open_executor(engine, workers=workers) as executor:
        resampled = resample(
            [pair.problem for pair in pairs], test, noise=noise, resamples=options.n_resamples, bootstrap=bootstrap,
            rng=np.random.default_rng(rng), executor=executor, progress=progress,
        )  # fmt: skip
    columns = [pair.problem.observed() for pair in pairs]
    compared = _all_compared(pairs, columns, resampled, options)
    constant, person = references_of(asked, folds)
    return CompareResult(
        settings=options.settings() | {"raters": drawn_as},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=(*asked.warnings, *about_raters, *_warnings(pairs, columns, compared, options)),
        # Pairs with a better judge first, the surest of them ahead.
        pairs=tuple(sorted(compared, key=lambda pair: math.inf if pair.better == "neither" else pair.p_holm)),
        metric=pairs[0].problem.metric.name,
        test=test,
        better_scores=pairs[0].problem.metric.better,
        question=ASKED[test],
        is_single=a is not None and b is not None,
        constant=constant,
        person=person,
    )


def _all_compared(
    pairs: Sequence[NamedPair], columns: Sequence[Columns], resampled: Sequence[Resampled], options: CompareOptions
) -> list[PairComparison]:
    parts = zip(
        pairs, columns, resampled, holm([own.p_value for own in resampled]),
        _non_inferiorities(pairs, columns, resampled, options), strict=True,
    )  # fmt: skip
    return [_compared(*part, options) for part in parts]


def _compared(
    pair: NamedPair, columns: Columns, resampled: Resampled, p_holm: float, inferiority: NonInferiority | None,
    options: CompareOptions,
) -> PairComparison:  # fmt: skip
    scores = pair.problem.metric.score(columns)
    difference = float(scores.difference)
    low, high = percentile_interval(resampled.differences, options.confidence, most_undefined=1.0)
    if not math.isfinite(difference):
        low = high = math.nan
    gain = difference if pair.problem.metric.higher_is_better else -difference
    return PairComparison(
        judge_a=pair.judge_a, judge_b=pair.judge_b, score_a=float(scores.a), score_b=float(scores.b),
        difference=difference, better=_better(gain, p_holm, low, high, options), low=low, high=high,
        p_value=resampled.p_value, p_holm=p_holm, items=pair.problem.items_in_all, non_inferiority=inferiority,
    )  # fmt: skip


def _better(gain: float, p_value: float, low: float, high: float, options: CompareOptions) -> Better:
    """Which judge is better: what the p-value says, and the interval too where the test asks another question."""
    if not p_value <= 1 - options.confidence or gain == 0:
        return "neither"
    if ASKED[options.test] == "same distribution" and not (low > 0 or high < 0):
        return "neither"
    return "a" if gain > 0 else "b"


def _non_inferiorities(
    pairs: Sequence[NamedPair], columns: Sequence[Columns], resampled: Sequence[Resampled], options: CompareOptions
) -> Sequence[NonInferiority | None]:
    if options.margin is None:
        return [None] * len(pairs)
    metric = pairs[0].problem.metric
    sign = -1 if metric.higher_is_better else 1
    values = [
        non_inferiority_p_value(sign * float(metric.score(own).difference), sign * drawn.differences, options.margin)
        for own, drawn in zip(columns, resampled, strict=True)
    ]
    return [
        NonInferiority(
            margin=options.margin, p_value=p, p_holm=p_holm, is_non_inferior=bool(p_holm <= 1 - options.confidence)
        )
        for p, p_holm in zip(values, holm(values), strict=True)
    ]


# ---- Warnings


def _warnings(
    pairs: Sequence[NamedPair], columns: Sequence[Columns], compared: Sequence[PairComparison], options: CompareOptions
) -> list[str]:
    names = [f"{pair.judge_a} and {pair.judge_b}" for pair in pairs]
    warnings = []
    if same := [name for name, own in zip(names, columns, strict=True) if _are_same(own, options)]:
        # The other tests draw responses again, and these may differ: their p need not be 1.
        answer = "p is 1: " if options.test == "sign-flip" else ""
        warnings.append(f"{answer}{listed(same)} score the same on every item, so there is no difference to test.")
    if undefined := [name for name, own in zip(names, compared, strict=True) if not math.isfinite(own.difference)]:
        warnings.append(f"The correlation is undefined for {listed(undefined)}: a judge or the raters never vary.")
    if options.metric == "spearman":
        warnings += _negative_correlations(compared, options.reverse)
    if options.metric == "emd-binned":
        warnings.append(BINNED)
    warnings += _too_few_draws(len(pairs), options) + _limits(pairs, options)
    is_unsure = not options.bootstrap and ASKED[options.test] == "same distribution"
    return warnings + ([NO_INTERVAL] if is_unsure else [])


def _are_same(columns: Columns, options: CompareOptions) -> bool:
    """Whether every item counts the same for both judges."""
    a, b = (midranks(own) for own in columns[:2]) if options.metric == "spearman" else columns[:2]
    return bool((a == b).all())


def _negative_correlations(pairs: Sequence[PairComparison], reverse: Sequence[str]) -> list[str]:
    scores = {pair.judge_a: pair.score_a for pair in pairs} | {pair.judge_b: pair.score_b for pair in pairs}
    negative = [name for name, score in scores.items() if score < 0]
    plain, flipped = ([name for name in negative if (name in reverse) == is_flipped] for is_flipped in (False, True))
    typed = {name: f"{named('reverse')} {shlex.quote(name)}" for name in negative}
    warnings = []
    if plain:
        say = " ".join(typed[name] for name in plain)
        warnings.append(f"{listed(plain)}: higher answers go with lower labels. Where a scale is reversed, give {say}.")
    if flipped:
        say = " ".join(typed[name] for name in flipped)
        warnings.append(f"{listed(flipped)}: higher answers go with higher labels. Check whether {say} is needed.")
    return warnings


def _too_few_draws(n_pairs: int, options: CompareOptions) -> list[str]:
    """Warn where even the rarest result would not be rare enough to find a difference."""
    level = 1 - options.confidence
    sides = 2 if options.test == "response-permutation" else 1
    drawn = [("resamples", options.n_resamples, sides), *([("bootstrap", options.bootstrap, 1)] * bool(options.margin))]
    of_pairs = "" if n_pairs == 1 else f" for {n_pairs} pairs"
    return [
        f"{named(name)} {number} is too few{of_pairs}: no p can be below {min(1, least):.2g}, so no difference "
        f"can be found. Give at least {math.ceil(times * n_pairs / level)}."
        for name, number, times in drawn
        if (least := times * n_pairs / (1 + number)) > level
    ]


def _limits(pairs: Sequence[NamedPair], options: CompareOptions) -> list[str]:
    """What the test cannot do."""
    if options.test == "mixture":
        return [MIXTURE]
    if options.test == "sign-flip":
        return []
    if all((pair.problem.a.sizes == 1).all() and (pair.problem.b.sizes == 1).all() for pair in pairs):
        return [ANSWERED_ONCE]
    return [] if options.metric == "wins" else [PERMUTATION]


# ---- What the best constant answer and one more person score, on the metric by which judges are compared


class People(NamedTuple):
    """What raters answered to the items of all pairs."""

    responses: Responses
    shares: Floats  # (n_items, n_labels)
    copies: Codes | None  # (n_items,): how many items of the data each item stands for; one if None

    def mean(self, values: Floats) -> Floats:
        """Mean over items, the first axis, copies counted."""
        return np.asarray(np.average(values, axis=0, weights=self.copies))


def references_of(asked: Pairs, folds: Generator) -> tuple[Constant | None, Person | None]:
    """The best constant and one more person; None where the metric scores pairs only, or where nobody has a score."""
    metric, ratings = asked.pairs[0].problem.metric, asked.ratings
    if not metric.has_references:
        return None, None
    used = np.zeros(ratings.n_items, dtype=np.intp)
    for pair in asked.pairs:
        used[pair.rows] += 1
    # On items of some pairs only, the references would be read beside scores of other items.
    rows = np.flatnonzero(used == len(asked.pairs))
    if not len(rows):
        return None, None
    copies = None if ratings.copies is None else ratings.copies[rows]
    responses = asked.people.on(rows)
    n_labels = asked.n_labels
    cell = responses.item * n_labels + responses.place
    times = responses.times[responses.item, responses.response]
    counts = np.bincount(cell, weights=times, minlength=len(rows) * n_labels).astype(np.float64)
    counts = counts.reshape(len(rows), n_labels)
    people = People(responses, counts / counts.sum(axis=1, keepdims=True), copies)
    if metric.name == "information":
        split = rows_in_folds(len(rows), copies, deepcopy(folds))
        return _informed_constant(people, split, asked), _informed_person(counts, split, asked)
    (cloud,) = clouds_of([responses], metric.coordinates, Space(n_labels=n_labels))
    return _constant(people, metric, asked), _person(people, cloud, metric)


def _constant(people: People, metric: Metric, asked: Pairs) -> Constant:
    """The label with the best score, or for cross-entropy the shares of the labels."""
    if metric.name == "cross-entropy":
        usual = np.broadcast_to(people.mean(people.shares), people.shares.shape)
        return Constant(
            answer=None, score=float(people.mean(cross_entropy(usual, people.shares, clip=asked.options.clip)))
        )
    scores = _scores_of_constants(people, metric)
    best = int(np.argmax(scores) if metric.higher_is_better else np.argmin(scores))
    return Constant(answer=asked.ratings.labels[best], score=float(scores[best]))


def _scores_of_constants(people: People, metric: Metric) -> Floats:
    """The score of always giving each of the raters' labels."""
    own = people.responses
    weight = own.times[own.item, own.response] / own.sizes[own.item]
    if metric.coordinates in {"shares", "half-shares"}:
        shares = people.mean(people.shares)
        return shares if metric.higher_is_better else 1 - shares
    values = np.full(people.shares.shape[1], np.nan)
    values[own.place] = own.value
    if metric.coordinates == "steps":
        far = np.abs(own.value[:, None] - values) * weight[:, None]
        each = np.stack([np.bincount(own.item, weights=column) for column in far.T], axis=1).astype(np.float64)
    else:
        middle = np.bincount(own.item, weights=weight * own.value)
        each = np.abs(middle[:, None] - values)
    scores = np.sqrt(people.mean(each**2)) if metric.is_root else people.mean(each)
    return np.where(np.isnan(scores), np.inf, scores)


def _person(people: People, cloud: Cloud, metric: Metric) -> Person | None:
    """Each rater of an item against the others, averaged over the raters and then over items."""
    assert metric.of_item is not None  # noqa: S101 - it has references
    sizes = cloud.sizes
    enough = sizes > 1
    if not enough.any():
        return None
    vectors, times, n = cloud.vectors[enough], cloud.times[enough], sizes[enough]
    total = np.einsum("imc,im->ic", vectors, times)
    others = (total[:, None, :] - vectors) / (n - 1)[:, None, None]
    each = np.where(times > 0, metric.of_item(vectors, others), 0.0)
    by_item = np.einsum("im,im->i", each, times) / n
    weights = None if people.copies is None else people.copies[enough]
    mean = float(np.average(by_item, weights=weights))
    return Person(score=math.sqrt(mean) if metric.is_root else mean)


def _informed_constant(people: People, split: FoldRows, asked: Pairs) -> Constant:
    """Always the most frequent label, calibrated as judges are."""
    shares = people.shares[split.place]
    usual = int(people.mean(people.shares).argmax())
    outputs = np.tile(np.eye(shares.shape[1])[usual], (len(shares), 1))
    scores = scores_of_labels(outputs, shares, split, clip=asked.options.clip)
    each = np.einsum("il,il->i", scores, shares)
    return Constant(answer=asked.ratings.labels[usual], score=float(np.average(each, weights=split.copies)))


def _informed_person(counts: Floats, split: FoldRows, asked: Pairs) -> Person | None:
    """Each rater's label, calibrated as judges are, against the other raters of the item."""
    own, size = counts[split.place], counts.sum(axis=1)[split.place]
    row, label = np.nonzero((own > 0) & (size > 1)[:, None])
    if not len(row):
        return None
    outputs = np.eye(own.shape[1])[label]
    others = (own[row] - outputs) / (size[row] - 1)[:, None]
    weight = own[row, label] / size[row] * (1 if split.copies is None else split.copies[row])
    left_out = FoldRows(split.place[row], split.fold[row], weight)
    scores = scores_of_labels(outputs, others, left_out, clip=asked.options.clip)
    return Person(score=float(np.average(np.einsum("il,il->i", scores, others), weights=weight)))
