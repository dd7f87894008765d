"""How many items are positive, when a judge looked at all of them and people at some?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, Task, as_data
from dissensus.data.align import elicitations_in
from dissensus.data.coding import rows_among
from dissensus.data.judges import ORDERS
from dissensus.data.labels import natural_order, parts_of
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.methods.judges.definitions import reaches
from dissensus.methods.parts.parts import in_parts
from dissensus.methods.prevalence.estimators import Estimates, LeaveRatersOut, Sample, estimates_of
from dissensus.methods.prevalence.result import (
    IntervalName,
    JudgePrevalence,
    PrevalenceOptions,
    PrevalenceResult,
    Target,
    counted_labels,
)
from dissensus.methods.prevalence.systems import Pairs, systems_of
from dissensus.options import named
from dissensus.sampling import seed_of
from dissensus.sampling.intervals import reach_of
from dissensus.sampling.raters import RaterPool, RatersAs, rater_pool, rater_stream, resolve_raters

BOTH_KINDS = (
    "The ratings hold forced choices and response sets: a set is positive if one of its options is, and counts once."
)
HALF = 0.5
FEWEST_ITEMS = 2
FEW_ITEMS = 30  # with fewer rated items the intervals are rough
MOST_STANDARD_ERRORS = reach_of(0.999)  # this many standard errors between rated items and others are more than chance


@in_parts()
def prevalence(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    positive: str | Sequence[str] | None = None,
    half: str | Sequence[str] | None = None,
    judge: str | Sequence[str] | None = None,
    task: Task | None = None,
    target: Target = "share",
    tau: float = 0.5,
    pairs: Pairs | None = None,
    interval: IntervalName = "wilson",
    raters: RatersAs | None = None,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
) -> PrevalenceResult:
    """The share of positive items among all that a judge answered, corrected by those that people rated.

    The rated items should be drawn at random from all items. An interval holds the differences between items, the
    disagreement of their raters and, unless raters are fixed, that these raters were drawn from others like them.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        What people said about some items.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges said about all items.
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
        error of the judge more than was seen; or a number of standard errors to each side, which is too short where few
        items are positive or the judge rarely errs.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed, for the labels that change hands among the raters of an item to see whether it matters who rated.

    Returns
    -------
    PrevalenceResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or no
        positive label is named.

    See Also
    --------
    equivalence : How many raters a judge is worth.
    describe : Do the raters agree?

    References
    ----------
    W. Rogan, B. Gladen (1978), "Estimating prevalence from the results of a screening test".
    A. Angelopoulos, S. Bates, C. Fannjiang, M. Jordan, T. Zrnic (2023), "Prediction-powered inference".
    A. Angelopoulos, J. Duchi, T. Zrnic (2023), "PPI++: Efficient Prediction-Powered Inference".

    Examples
    --------
    >>> result = prevalence("example:binary", "example:binary", judge="classifier", positive="Yes")
    >>> round(result.judges[0].estimate("people").value, 3)
    0.368
    """
    ratings, judges = as_data(ratings, judges)
    if ratings.copies is not None:
        raise OptionError("The items that nobody rated were left out when identical items were merged, and they are "
                          "what is counted here: read the files without reducing them.")  # fmt: skip
    ones, halves = counted_labels(positive, half, task)
    judge = tuple(dict.fromkeys(judge)) if judge is not None and not isinstance(judge, str) else judge
    options = PrevalenceOptions.given(locals(), positive=ones, half=halves, seed=seed_of(rng))
    _check_labels(ratings, judges, ones, halves)
    targets, warnings = _targets(ratings, judges, options)
    drawn_as, about_raters = resolve_raters(raters, ratings)
    pool = rater_pool(ratings, rater_stream(rng)) if drawn_as == "sampled" else None
    without = None if pool is None else _people_without(pool, ratings, options)
    summed = []
    for one in targets:
        others = None if pool is None or without is None else LeaveRatersOut(pool=pool, people=without[:, one.rows])
        judged, texts = _summed_up(one, pairs, options, others)
        summed.append(judged)
        warnings += texts
    mixed = [BOTH_KINDS] if elicitations_in(ratings) >= {0, 1} else []
    return PrevalenceResult(
        settings=options.settings() | {"raters": drawn_as},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys([*ratings.warnings, *judges.warnings, *mixed, *about_raters, *warnings])),
        judges=tuple(sorted(summed, key=_least_saved)), positive=ones, half=halves, target=target, tau=tau,
    )  # fmt: skip


def _least_saved(judge: JudgePrevalence) -> tuple[float, int]:
    """Judges that save more ratings come first; of those that save as many, the one with more rated items."""
    return -judge.ratings_saved if math.isfinite(judge.ratings_saved) else math.inf, -judge.rated_items


# ---- What is estimated: for each item, the share of people who say yes or their decision, and the same of each judge


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Targets:
    """People's and one judge's answers on the items that the judge answered, and how many ratings these have.

    The rated items stand first; an answer is the share of raters, or of the judge's samples, who say yes, or the
    decision.
    """

    name: str
    items: tuple[str, ...]
    sample: Sample
    rows: Codes  # (n_rated,): the rated items among those of the ratings
    ratings: int


def _targets(ratings: Ratings, judges: Judges, options: PrevalenceOptions) -> tuple[list[Targets], list[str]]:
    """One entry for each judge that was asked for, and what there is to warn about."""
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times.astype(np.float64)
    yes = times * _label_weights(ratings, options)[ratings.label]
    total, positive = (np.bincount(ratings.item, weights=each, minlength=ratings.n_items) for each in (times, yes))
    people, answers = _decided(positive / total, options), _answer_shares(judges, options)
    targets, warnings = [], []
    for name in judges.judges if options.judge is None else options.judge:
        answered = judges[name]  # raises where there is no such judge
        values = _decided(_by_item(answered, answers[judges.judge == judges.judges.index(name)]), options)
        rows = rows_among(answered.items, ratings.items)
        rated, others = np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)
        if not len(rated):
            theirs, rest = listed(answered.items), listed(ratings.items)
            raise JudgesError(f"{name} shares no item with the ratings: its items are {theirs}; rated are {rest}.")
        if len(rated) < FEWEST_ITEMS:
            raise RatingsError(f"People rated {counted(len(rated), 'item')} that {name} answered: rate more of them.")
        if missing := ratings.n_items - len(rated):
            left_out = counted(missing, "rated item")
            warnings.append(f"{name} did not answer {left_out}: left out of its estimates, people's among them.")
        sample = Sample(people=people[rows[rated]], judge=values[rated], judge_only=values[others])
        items = tuple(answered.items[place] for place in (*rated, *others))
        own = rows[rated]
        targets.append(Targets(name=name, items=items, sample=sample, rows=own, ratings=int(total[own].sum())))
    return targets, warnings


def _people_without(pool: RaterPool, ratings: Ratings, options: PrevalenceOptions) -> Floats:
    """People's answer to each item without each group of raters, (n_times, n_items); NaN where nobody is left."""
    weights, answers = _label_weights(ratings, options), []
    for cells in pool.cells(ratings.n_labels):
        total = np.bincount(cells.item, weights=cells.times, minlength=ratings.n_items)
        yes = np.bincount(cells.item, weights=cells.times * weights[cells.label], minlength=ratings.n_items)
        shares = _decided(yes / np.maximum(total, 1), options)
        answers.append(np.where(total > 0, shares, np.nan))
    return np.stack(answers)


def _check_labels(ratings: Ratings, judges: Judges, ones: Sequence[str], halves: Sequence[str]) -> None:
    known = {*ratings.options, *judges.options}
    for option, names in (("positive", ones), ("half", halves)):
        if unknown := [name for name in names if name not in known]:
            ordered = sorted(known, key=natural_order)
            raise OptionError(f"{named(option)} {unknown[0]!r} is not a label: the labels are {listed(ordered)}.")
    if known <= {*ones, *halves}:
        raise OptionError(f"Every label counts as positive ({listed(ones)}): leave one out.")


def _label_weights(data: Ratings | Judges, options: PrevalenceOptions) -> Floats:
    """How far each label is a yes: 1 if it is positive or a response set with a positive option, a half for a tie."""
    weights, single = np.zeros(len(data.labels)), frozenset(data.options)
    for place, label in enumerate(data.labels):
        parts = set(parts_of(label, single))
        is_positive, is_half = (not parts.isdisjoint(names or ()) for names in (options.positive, options.half))
        weights[place] = 1.0 if is_positive else HALF if is_half else 0.0
    return weights


def _answer_shares(judges: Judges, options: PrevalenceOptions) -> Floats:
    """How far each answer of a judge is a yes, of shape (n_answers,): its label, or its probability."""
    weights = _label_weights(judges, options)
    values = weights[np.maximum(judges.label, 0)]
    if judges.probability is not None:
        has_probability = ~np.isnan(judges.probability).any(axis=1)
        values[has_probability] = judges.probability[has_probability] @ weights
    return np.asarray(values)


def _by_item(answers: Judges, values: Floats) -> Floats:
    """Mean answer to each item; where pairs were shown in both orders, each order counts the same."""
    shape = (len(answers.items), 1 + len(ORDERS))  # an answer may say no order
    order = np.zeros(len(values), dtype=np.intp) if answers.order is None else answers.order + 1
    place = answers.item * shape[1] + order
    asked = np.bincount(place, minlength=math.prod(shape))
    total = np.bincount(place, weights=values, minlength=math.prod(shape))
    means = (total / np.maximum(asked, 1)).reshape(shape)
    return np.asarray(means.sum(axis=1) / (asked.reshape(shape) > 0).sum(axis=1))


def _decided(shares: Floats, options: PrevalenceOptions) -> Floats:
    """The shares, or the decisions that they come to."""
    return reaches(shares, options.tau).astype(np.float64) if options.target == "decision" else shares


# ---- From answers to estimates with intervals, judge by judge


def _summed_up(
    targets: Targets, pairs: Pairs | None, options: PrevalenceOptions, without: LeaveRatersOut | None
) -> tuple[JudgePrevalence, list[str]]:
    """The estimates with one judge, and what to warn about."""
    name, sample = targets.name, targets.sample
    estimates = estimates_of(sample, options, without)
    warnings = [*_about_sample(name, sample), *_about_correction(name, sample, estimates)]
    systems = None
    if pairs is not None:
        systems, about_systems = systems_of(sample, targets.items, pairs, options, judge=name, without=without)
        warnings += about_systems
    judge = JudgePrevalence(
        judge=name, items=len(targets.items), rated_items=len(sample.people), ratings=targets.ratings,
        estimates=estimates.estimates, ratings_saved=estimates.gain * targets.ratings, weight=estimates.weight,
        sensitivity=estimates.corrected.sensitivity, specificity=estimates.corrected.specificity, systems=systems,
    )  # fmt: skip
    return judge, warnings


def _about_sample(name: str, sample: Sample) -> list[str]:
    """Few items, none to add, or items that were not drawn at random."""
    warnings = []
    n, others = len(sample.people), len(sample.judge_only)
    if n < FEW_ITEMS:
        warnings.append(f"People rated {counted(n, 'item')} that {name} answered: the intervals are rough below 30.")
    if not others:
        warnings.append(
            f"{name} answered the rated items only, so it adds nothing to what people say and ppi has no value: let it "
            "answer items that nobody rated."
        )
        return warnings
    gap = float(sample.judge.mean() - sample.judge_only.mean())
    error = math.sqrt(sample.judge.var() / n + sample.judge_only.var() / others)
    if abs(gap) > MOST_STANDARD_ERRORS * error and error > 0:
        warnings.append(
            f"{name} says yes on {sample.judge.mean():.1%} of the rated items and on {sample.judge_only.mean():.1%} of "
            "the others: the rated ones do not look drawn at random, and then no estimate but naive is about all items."
        )
    return warnings


def _about_correction(name: str, sample: Sample, estimates: Estimates) -> list[str]:
    """What Rogan-Gladen and the savings could not do."""
    share = float(sample.people.mean())
    if not 0 < share < 1:
        word = "nobody" if share == 0 else "everybody"
        return [f"On the items that {name} answered {word} says yes, so there is no rogan-gladen and nothing is saved."]
    warnings = []
    if math.isnan(estimates.corrected.value):
        warnings.append(f"{name} says yes no more often where people do: rogan-gladen has no value.")
    if estimates.corrected.is_cut:
        warnings.append(f"With {name} rogan-gladen lies beyond what a share can be and was cut to it.")
    beyond = [one.method for one in estimates.estimates if one.method.startswith("ppi") and not 0 <= one.value <= 1]
    if beyond and len(sample.judge_only):
        warnings.append(f"With {name} {' and '.join(beyond)} lies beyond what a share can be: read its interval.")
    if np.ptp(sample.judge) == 0:
        warnings.append(f"{name} says the same of every rated item, so ppi++ is what people say.")
    return warnings
