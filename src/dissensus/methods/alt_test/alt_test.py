"""Can this judge replace a rater? Each rater is left out in turn and the judge takes the place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, as_data
from dissensus.data.align import Aligned, Responses, align, answers_to, elicitations_in, other_scale
from dissensus.data.closeness import accuracies, nearnesses, set_likeness, similarities
from dissensus.data.ratings import Elicitation
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed, named
from dissensus.methods.alt_test.p_values import (
    MOST_EXACT_ITEMS,
    MOST_FLIPS,
    Tally,
    benjamini_yekutieli,
    exact_p_value,
    flips_to_count,
    sign_flip_p_value,
    t_interval,
    t_p_value,
)
from dissensus.methods.alt_test.result import (
    FEW_ITEMS,
    AltTestOptions,
    AltTestResult,
    Dropped,
    JudgeTest,
    RaterTest,
    Score,
    Test,
)
from dissensus.methods.parts.parts import in_parts
from dissensus.sampling.intervals import share_interval
from dissensus.sampling.raters import RatersAs, resolve_raters

REPLACES_AT = 0.5  # the winning rate from which on the authors let a judge replace raters
FEWEST_DIFFERING = 10
"""With fewer items on which judge and rater differ, t and sign flips find too much: the differences are skewed."""
FEWEST_RATERS = 3  # with two raters, each is compared with a single other one
MOST_NUMBERS = 200_000_000  # shares of more items times labels are refused
ROUNDING = 1e-9  # two scores that are closer count as equal, relative to the largest: the same sum in another order
P_VALUES = {"t": t_p_value, "sign-flip": sign_flip_p_value, "exact": exact_p_value}


@in_parts()
def alt_test(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    epsilon: float = 0.1,
    score: Score = "accuracy",
    test: Test = "auto",
    alpha: float = 0.05,
    min_raters: int = 2,
    min_items: int = 30,
    raters: RatersAs | None = None,
    same_scale: bool | None = None,
) -> AltTestResult:
    """Whether each judge is as close to the other raters as a rater is: the alternative annotator test.

    For each rater and each of the rater's items: is the judge at least as close to the remaining raters of the item as
    the rater is, and the other way round? The test is whether the rater's share of the items, less the judge's, is
    below epsilon, the allowance for a judge that costs less.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item; raters must be known.
    judges : Judges, or anything that `read_judges` takes, optional
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
        For each rater: t for 30 items or more and sign flips for fewer (auto), or always one of them, or an exact test
        that keeps its level where judge and rater rarely differ.
    alpha : float
        Expected share of wrong wins among the wins, by Benjamini and Yekutieli.
    min_raters : int
        Ratings that an item needs.
    min_items : int
        Items that a rater needs.
    raters : {"sampled", "fixed"}, optional
        Whether the winning rate gets an interval for raters like these, each of whom the judge wins against or not; the
        p-value of a rater is about that rater. Sampled if not given and there are at least three raters.
    same_scale : bool, optional
        For rmse: whether the judges' numbers are on the raters' scale; found out if not given.

    Returns
    -------
    AltTestResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or no
        rater has enough items, or the raters are not known.

    See Also
    --------
    decide : Which judge to use, and how.
    equivalence : How many raters a judge is worth.
    gate : Does a judge meet thresholds?

    References
    ----------
    N. Calderon, R. Reichart, R. Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically
    Justify Replacing Human Annotators with LLMs".

    Examples
    --------
    >>> result = alt_test("example:binary", "example:binary", judge="classifier")
    >>> result.judges[0].replaces, result.judges[0].winning_rate
    (True, 1.0)
    """
    ratings, judges = as_data(ratings, judges)
    options = AltTestOptions.given(
        locals(), judge=None if judge is None else tuple(dict.fromkeys([judge] if isinstance(judge, str) else judge))
    )
    data = _data_of(ratings, judges, options)
    tallied = [_tallied(data, name, options) for name in options.judge or judges.judges]
    constant = _constant(data, options)
    names = data.ratings.raters
    drawn_as, about_raters = resolve_raters(raters, data.ratings)
    baseline = _judge_test(constant, names, options)
    tests = [_beside(_judge_test(one, names, options), baseline, options, drawn_as) for one in tallied]
    dropped = _dropped(data, tallied, options)
    if not any(one.raters for one in tests):
        most = max((items for _, _, items in dropped.raters), default=0)
        raise RatingsError(
            f"No rater has {min_items} items that {min_raters} raters and a judge labelled; the most are {most}. Rate "
            f"more items, or ask for fewer with {named('min_items')}."
        )
    tests.sort(key=lambda one: -one.advantage if one.raters else math.inf)
    return AltTestResult(
        settings=options.settings() | {"raters": drawn_as},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=(*data.warnings, *about_raters, *_warnings(data, tallied, tests, dropped, options)),
        judges=tuple(tests), baseline=baseline, score=score, epsilon=epsilon, dropped=dropped,
    )  # fmt: skip


# ---- What raters and judges answered, in the form that the test uses


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """Ratings, one of each rater and item, and judges on the same labels."""

    ratings: Ratings
    rater: Codes  # (n_ratings,): codes into `ratings.raters`
    aligned: Aligned
    is_rated: Flags  # (n_items,): which items have enough ratings
    warnings: tuple[str, ...]


def _data_of(ratings: Ratings, judges: Judges, options: AltTestOptions) -> Data:
    """The answers that the options are about; an error that says why where there are none."""
    if ratings.copies is not None:
        raise RatingsError(
            "The alternative annotator test asks who rated, which is lost where identical items were merged: read "
            "the files without reducing them."
        )
    if ratings.rater is None:
        raise RatingsError(
            "The alternative annotator test leaves out one rater after the other, but these ratings do not say who "
            f"gave them: name the column of raters with {named('rater', of='read')}, or ask `dissensus equivalence` "
            "instead."
        )
    chosen = judges.only(options.judge or judges.judges).on_items_of(ratings)
    ratings, chosen, about_kinds = _of_one_elicitation(ratings, chosen, options.score)
    rater = np.zeros(0, dtype=np.intp) if ratings.rater is None else ratings.rater  # it was there above
    _check_repeats(ratings, rater)
    aligned = align(ratings, chosen.stated() if options.score == "accuracy" else chosen)
    _check_score(ratings, aligned, options)
    times = np.bincount(ratings.item, minlength=ratings.n_items)
    return Data(
        ratings=ratings, rater=rater, aligned=aligned, is_rated=np.asarray(times >= options.min_raters),
        warnings=tuple(dict.fromkeys((*ratings.warnings, *chosen.warnings, *aligned.warnings, *about_kinds))),
    )  # fmt: skip


def _of_one_elicitation(ratings: Ratings, judges: Judges, score: Score) -> tuple[Ratings, Judges, list[str]]:
    """Forced choices or response sets, where the ratings have both: sets for similarity, choices for the others."""
    if not {0, 1} <= elicitations_in(ratings):
        return ratings, judges, []
    wanted: Elicitation = "response_set" if score == "similarity" else "forced_choice"
    words, this = wanted.replace("_", " "), f"{named('score')} {score}"
    kept = ratings.of_elicitation(wanted)
    asked = answers_to(judges, kept, wanted)
    if silent := [name for name in judges.judges if name not in asked.judges]:
        raise JudgesError(
            f"{this} compares {words}s, and {listed(silent)} gave none to the items that people rated this way: name "
            f"the judges to test with {named('judge')}, or choose another score."
        )
    other = "similarity" if wanted == "forced_choice" else "accuracy"
    warning = f"Only the {counted(kept.n_ratings, words)} count here: {named('score')} {other} uses the other ratings."
    return kept, replace(asked, warnings=judges.warnings), [warning]


def _check_repeats(ratings: Ratings, rater: Codes) -> None:
    key = np.sort(ratings.item * max(1, len(ratings.raters)) + rater)
    again = key[1:][key[1:] == key[:-1]]
    if len(again):
        item, name = divmod(int(again[0]), len(ratings.raters))
        repeats = named("repeats", of="read")
        raise RatingsError(
            f"{ratings.raters[name]} rated the item {ratings.items[item]} more than once: keep one rating with "
            f"{repeats} first or {repeats} last."
        )


def _check_score(ratings: Ratings, aligned: Aligned, options: AltTestOptions) -> None:
    this = f"{named('score')} {options.score}"
    if options.score == "similarity" and len(ratings.items) * len(aligned.labels) > MOST_NUMBERS:
        raise OptionError(
            f"{this} cannot compare {len(aligned.labels):,} labels on {counted(ratings.n_items, 'item')}: choose "
            "accuracy, or rmse for numbers."
        )
    if options.score != "rmse":
        return
    if not aligned.has_numbers:
        why = "response sets among them" if ratings.has_response_sets else f"on a {ratings.scale} scale"
        raise OptionError(
            f"{this} needs numbers, but the labels are {listed(ratings.labels)}, {why}: choose accuracy or similarity, "
            f"or give their order with {named('labels', of='read')}."
        )
    for name in options.judge or aligned.judges:
        if not np.isfinite(aligned.judges[name].value).all():
            raise OptionError(f"{this} needs numbers, but {name} gave other labels: choose accuracy.")
        reason = None if options.same_scale else other_scale(aligned, name)
        if reason is not None:
            raise OptionError(
                f"{this} compares answers with labels, but {name} is on another scale: {reason}. Put it on the raters' "
                f"scale, or say {named('same_scale')} if that is wrong."
            )


# ---- One answer of a judge to each item, as the score needs it, in the place of each rater


class Tallied(NamedTuple):
    """One judge: a tally for each rater, in the order of the raters, and on how many items its label tied."""

    judge: str
    tallies: tuple[Tally, ...]
    tied: int


def _tallied(data: Data, name: str, options: AltTestOptions) -> Tallied:
    """One judge in the place of each rater.

    For accuracy it answers with its most frequent label, the first of several; for rmse with its mean answer, on an
    ordinal scale the label nearest to it, as a rater would have to answer; for similarity with shares of labels.
    """
    responses, n_items = data.aligned.judges[name], data.ratings.n_items
    is_usable = data.is_rated & (responses.sizes > 0)
    tied = 0
    if options.score == "accuracy":
        label, is_tied = _most_frequent(responses, n_items, len(data.aligned.labels))
        answer, tied = label.astype(np.float64), int(is_tied[is_usable].sum())
    elif options.score == "rmse":
        answer = _on_scale(_means(responses, n_items), data.aligned)
    else:
        answer = _shares(responses, n_items, len(data.aligned.labels))
    return Tallied(name, _tallies(data, answer, is_usable, options.score), tied)


def _constant(data: Data, options: AltTestOptions) -> Tallied:
    """Always answering what most ratings are, in the place of each rater."""
    ratings = data.ratings
    code = int(np.bincount(ratings.label, minlength=ratings.n_labels).argmax())
    name = ratings.labels[code]
    answer = np.full(ratings.n_items, float(code))
    if options.score == "rmse":
        middle = _on_scale(np.array([data.aligned.values[ratings.label].mean()]), data.aligned)
        answer, name = np.repeat(middle, ratings.n_items), f"{middle[0]:.3g}"
    elif options.score == "similarity":
        answer = np.tile(np.eye(len(data.aligned.labels))[code], (ratings.n_items, 1))
    return Tallied(name, _tallies(data, answer, data.is_rated, options.score), 0)


def _tallies(data: Data, answer: Floats, is_usable: Flags, score: Score) -> tuple[Tally, ...]:
    """The tally of each rater on these items, on which the answers are compared with the rater's."""
    rows = np.flatnonzero(is_usable[data.ratings.item])
    item, label, labels = data.ratings.item[rows], data.ratings.label[rows], data.aligned.labels
    if score == "accuracy":
        scores = accuracies(item, label, answer.astype(np.intp), len(labels))
    elif score == "rmse":
        scores = nearnesses(item, data.aligned.values[label], answer)
    else:
        scores = similarities(item, label, answer, set_likeness(labels, data.ratings.options))
    n_raters = len(data.ratings.raters)
    table = np.bincount(data.rater[rows] * 3 + sides(*scores) + 1, minlength=3 * n_raters).reshape(n_raters, 3)
    return tuple(Tally(judge_closer=int(a), alike=int(b), rater_closer=int(c)) for a, b, c in table)


def sides(judge_score: Floats, rater_score: Floats) -> Codes:
    """Values of d, one for each rating: -1 where the judge is closer to the others, 1 where the rater is, else 0."""
    lead = rater_score - judge_score
    largest = max(float(np.abs(scores).max(initial=0)) for scores in (judge_score, rater_score))
    return np.where(np.abs(lead) <= ROUNDING * largest, 0, np.sign(lead)).astype(np.intp)


def _means(responses: Responses, n_items: int) -> Floats:
    """The mean answer to each item; NaN where there is none."""
    total = np.bincount(responses.item, weights=responses.share * responses.value, minlength=n_items)
    return np.asarray(np.divide(total, responses.sizes, out=np.full(n_items, np.nan), where=responses.sizes > 0))


def _on_scale(values: Floats, aligned: Aligned) -> Floats:
    """Numbers as a rater could give them: on an ordinal scale the nearest label, the lower one of two."""
    if aligned.scale != "ordinal":
        return values
    labels = np.sort(aligned.values)
    nearest = labels[np.searchsorted((labels[1:] + labels[:-1]) / 2, values)]
    return np.where(np.isfinite(values), nearest, np.nan)


def _shares(responses: Responses, n_items: int, n_labels: int) -> Floats:
    """The answer to each item as shares of labels, of shape (n_items, n_labels)."""
    cell = responses.item * n_labels + responses.place
    total = np.bincount(cell, weights=responses.share, minlength=n_items * n_labels)
    return np.asarray(total.reshape(n_items, n_labels) / np.maximum(responses.sizes, 1)[:, None])


def _most_frequent(responses: Responses, n_items: int, n_labels: int) -> tuple[Codes, Codes]:
    """The label with the largest share of each item, the first of several; -1 where there is none; whether it tied."""
    cell, inverse = np.unique(responses.item * n_labels + responses.place, return_inverse=True)
    share = np.bincount(inverse, weights=responses.share).round(12)
    item, label = cell // n_labels, cell % n_labels
    order = np.lexsort((label, -share, item))
    item, label, share = item[order], label[order], share[order]
    is_first = np.r_[True, item[1:] != item[:-1]]
    most, tied = np.full(n_items, -1, dtype=np.intp), np.zeros(n_items, dtype=np.intp)
    most[item[is_first]] = label[is_first]
    follows = np.flatnonzero(~is_first)
    second = follows[is_first[follows - 1]]
    tied[item[second]] = share[second] == share[second - 1]
    return most, tied


# ---- From tallies to p-values, winning rates and warnings


def _judge_test(tallied: Tallied, raters: Sequence[str], options: AltTestOptions) -> JudgeTest:
    """The test of one judge."""
    enough = [
        (name, tally) for name, tally in zip(raters, tallied.tallies, strict=True) if tally.items >= options.min_items
    ]
    tests = [_test_for(tally, options) for _, tally in enough]
    p_values = [P_VALUES[test](tally, options.epsilon) for (_, tally), test in zip(enough, tests, strict=True)]
    rows = tuple(
        _rater_test(name, tally, test, p_value, p_adjusted, options.alpha)
        for (name, tally), test, p_value, p_adjusted in zip(
            enough, tests, p_values, benjamini_yekutieli(p_values), strict=True
        )
    )
    if not rows:
        return JudgeTest(judge=tallied.judge, winning_rate=math.nan, advantage=math.nan, replaces=None, raters=())
    rate = sum(row.rejected for row in rows) / len(rows)
    return JudgeTest(
        judge=tallied.judge,
        winning_rate=rate,
        advantage=math.fsum(row.judge_at_least_as_close for row in rows) / len(rows),
        replaces=rate >= REPLACES_AT,
        raters=rows,
    )


def _beside(test: JudgeTest, constant: JudgeTest, options: AltTestOptions, drawn_as: RatersAs) -> JudgeTest:
    """The test of a judge with what it says beyond these raters, and beside always giving the same answer."""
    if not test.raters:
        return test
    beats = bool(test.advantage > constant.advantage + ROUNDING) if constant.raters else None
    if drawn_as == "fixed":
        return replace(test, beats_constant=beats)
    low, high = share_interval(test.won, len(test.raters), confidence=1 - options.alpha)
    return replace(test, beats_constant=beats, winning_rate_low=low, winning_rate_high=high)


def _rater_test(name: str, tally: Tally, test: Test, p_value: float, p_adjusted: float, alpha: float) -> RaterTest:
    low, high = t_interval(tally, alpha)
    return RaterTest(
        rater=name, items=tally.items, p_value=p_value, p_adjusted=p_adjusted, rejected=p_adjusted <= alpha,
        judge_at_least_as_close=tally.judge_at_least_as_close, rater_at_least_as_close=tally.rater_at_least_as_close,
        difference=tally.mean, low=low, high=high, test=test,
    )  # fmt: skip


def _test_for(tally: Tally, options: AltTestOptions) -> Test:
    if options.test == "auto":
        return "t" if tally.items >= FEW_ITEMS else "sign-flip"
    this = f"{named('test')} {options.test}"
    if options.test == "exact" and tally.items > MOST_EXACT_ITEMS:
        raise OptionError(
            f"{this} takes up to {MOST_EXACT_ITEMS} items of a rater, and one has {tally.items:,}: choose t."
        )
    if options.test == "sign-flip" and flips_to_count(tally) > MOST_FLIPS:
        raise OptionError(
            f"{this} cannot count the flips of {tally.judge_closer:,} items on which the judge is closer and "
            f"{tally.rater_closer:,} on which a rater is: choose t, which is as good with that many."
        )
    return options.test


def _dropped(data: Data, tallied: Sequence[Tallied], options: AltTestOptions) -> Dropped:
    few = tuple(
        (one.judge, name, tally.items)
        for one in tallied
        for name, tally in zip(data.ratings.raters, one.tallies, strict=True)
        if tally.items < options.min_items
    )
    return Dropped(items=int(np.sum(~data.is_rated)), raters=few)


def _warnings(
    data: Data, tallied: Sequence[Tallied], tests: Sequence[JudgeTest], dropped: Dropped, options: AltTestOptions
) -> list[str]:
    warnings = [*_about_dropped(dropped, tests, options), *_about_few(data, tallied, options)]
    tied = {one.judge: one.tied for one in tallied if one.tied}
    if tied:
        shown = listed([f"{name} on {counted(items, 'item')}" for name, items in tied.items()])
        warnings.append(f"Took the first of several labels that a judge gave equally often: {shown}.")
    return warnings


def _about_dropped(dropped: Dropped, judges: Sequence[JudgeTest], options: AltTestOptions) -> list[str]:
    warnings = []
    if dropped.items:
        warnings.append(f"Left out {counted(dropped.items, 'item')} with fewer than {options.min_raters} ratings.")
    few: dict[tuple[str, ...], list[str]] = {}  # raters, and the judges for whom they have too few items
    for judge in judges:
        names = tuple(rater for name, rater, _ in dropped.raters if name == judge.judge)
        few.setdefault(names, []).append(judge.judge)
    for raters, whose in few.items():
        whom = "" if len(few) == 1 else f" for {listed(whose)}"
        if raters:
            warnings.append(
                f"Left out{whom} {counted(len(raters), 'rater')} with fewer than {options.min_items} items: "
                f"{listed(raters)}; they still count as other raters."
            )
    if undefined := [judge.judge for judge in judges if not judge.raters]:
        warnings.append(
            f"{listed(undefined)} cannot be tested: no rater shares {options.min_items} items with them. Rate more "
            f"of their items, or lower {named('min_items')}."
        )
    return warnings


def _about_few(data: Data, tallied: Sequence[Tallied], options: AltTestOptions) -> list[str]:
    """Say where a p-value rests on few raters or few items that differ."""
    warnings = []
    names = [
        name
        for one in tallied
        for name, tally in zip(data.ratings.raters, one.tallies, strict=True)
        if tally.items >= options.min_items and tally.differing < FEWEST_DIFFERING
    ]
    if names and options.test != "exact":
        warnings.append(
            f"Judge and rater differ on fewer than {FEWEST_DIFFERING} items of {listed(list(dict.fromkeys(names)))}: "
            f"these p-values may be too small. Check them with {named('test')} exact."
        )
    times = np.bincount(data.ratings.item, minlength=data.ratings.n_items)
    usable = times[times >= options.min_raters]
    if len(usable) and float(np.median(usable)) < FEWEST_RATERS:
        warnings.append(
            "Most items have two raters, so each rater is compared with a single other one. Collect a third rating: "
            "the authors of the test advise three or more."
        )
    return warnings
