"""Can this judge replace a rater? One rater after the other is left out, and the judge put in the place."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Flags
from dissensus.data import Judges, Ratings
from dissensus.errors import OptionError, RatingsError, counted, listed
from dissensus.methods.alt_test.answers import (
    Answers,
    Said,
    Tally,
    answers_of,
    compared,
    constant,
    said_by,
    sides,
    tallies_of,
)
from dissensus.methods.alt_test.options import FEW_ITEMS, Question, Score, Test, check_question
from dissensus.methods.alt_test.p_values import (
    MOST_EXACT_ITEMS,
    MOST_FLIPS,
    benjamini_yekutieli,
    exact_p_value,
    flips_to_count,
    sign_flip_p_value,
    t_interval,
    t_p_value,
)
from dissensus.methods.alt_test.result import AltTestResult, Dropped, JudgeTest, RaterTest

# ---- From tallies to p-values, winning rates and what to warn about

REPLACES_AT = 0.5
"""The winning rate from which on the authors let a judge replace raters."""
FEWEST_DIFFERING = 10
"""With fewer items on which judge and rater differ, t and sign flips find too much: d is lopsided."""
FEWEST_RATERS = 3
"""With two raters, each is compared with a single other one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallied:
    """One judge: a tally for each rater, in the order of the raters, and on how many items its label tied."""

    judge: str
    tallies: tuple[Tally, ...]
    tied: int


def sum_up(
    answers: Answers,
    tallied: Sequence[Tallied],
    constant: Tallied,
    question: Question,
    *,
    data: Mapping[str, Mapping[str, object]],
) -> AltTestResult:
    """The result of all judges, the most advantageous first."""
    raters = answers.ratings.raters
    judges = [_judge(one, raters, question) for one in tallied]
    dropped = _dropped(answers, tallied, question)
    if not any(judge.raters for judge in judges):
        raise RatingsError(_nobody(dropped, question))
    judges.sort(key=lambda judge: -judge.advantage if judge.raters else math.inf)
    return AltTestResult(
        settings=question.settings(),
        data=data,
        warnings=(*answers.warnings, *_warnings(answers, tallied, judges, dropped, question)),
        judges=tuple(judges),
        baseline=_judge(constant, raters, question),
        score=question.score,
        epsilon=question.epsilon,
        dropped=dropped,
    )


def _nobody(dropped: Dropped, question: Question) -> str:
    most = max((items for _, _, items in dropped.raters), default=0)
    return (
        f"No rater has {question.min_items} items that {question.min_raters} raters and a judge labelled; the most are "
        f"{most}. Rate more items, or ask for fewer with --min-items."
    )


def _judge(tallied: Tallied, raters: Sequence[str], question: Question) -> JudgeTest:
    """The test of one judge."""
    enough = [
        (name, tally)
        for name, tally in zip(raters, tallied.tallies, strict=True)
        if tally.items >= max(question.min_items, 2)
    ]
    tests = [_test_for(tally, question) for _, tally in enough]
    p_values = [_p_value(tally, test, question) for (_, tally), test in zip(enough, tests, strict=True)]
    adjusted = benjamini_yekutieli(p_values)
    rows = tuple(
        _rater(name, tally, test, (p_value, p_adjusted), question)
        for (name, tally), test, p_value, p_adjusted in zip(enough, tests, p_values, adjusted, strict=True)
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


def _rater(name: str, tally: Tally, test: Test, p_values: tuple[float, float], question: Question) -> RaterTest:
    low, high = t_interval(tally, question.alpha)
    return RaterTest(
        rater=name,
        items=tally.items,
        p_value=p_values[0],
        p_adjusted=p_values[1],
        rejected=p_values[1] <= question.alpha,
        judge_at_least_as_close=tally.judge_at_least_as_close,
        rater_at_least_as_close=tally.rater_at_least_as_close,
        difference=tally.mean,
        low=low,
        high=high,
        test=test,
    )


def _test_for(tally: Tally, question: Question) -> Test:
    if question.test == "auto":
        return "t" if tally.items >= FEW_ITEMS else "sign-flip"
    if question.test == "exact" and tally.items > MOST_EXACT_ITEMS:
        raise OptionError(
            f"--test exact takes up to {MOST_EXACT_ITEMS} items of a rater, and one has {tally.items:,}: choose t."
        )
    if question.test == "sign-flip" and flips_to_count(tally) > MOST_FLIPS:
        raise OptionError(
            f"--test sign-flip cannot count the flips of {tally.judge_closer:,} items on which the judge is closer and "
            f"{tally.rater_closer:,} on which a rater is: choose t, which is as good with so many."
        )
    return question.test


def _p_value(tally: Tally, test: Test, question: Question) -> float:
    functions = {"t": t_p_value, "sign-flip": sign_flip_p_value, "exact": exact_p_value}
    return functions[test](tally, question.epsilon)


def _dropped(answers: Answers, tallied: Sequence[Tallied], question: Question) -> Dropped:
    times = np.bincount(answers.ratings.item, minlength=answers.ratings.n_items)
    few = tuple(
        (one.judge, name, tally.items)
        for one in tallied
        for name, tally in zip(answers.ratings.raters, one.tallies, strict=True)
        if tally.items < question.min_items
    )
    return Dropped(items=int(np.sum(times < question.min_raters)), raters=few)


def _warnings(
    answers: Answers, tallied: Sequence[Tallied], judges: Sequence[JudgeTest], dropped: Dropped, question: Question
) -> list[str]:
    warnings = [*_about_dropped(dropped, judges, question), *_about_few(answers, tallied, question)]
    tied = {one.judge: one.tied for one in tallied if one.tied}
    if tied:
        shown = listed([f"{name} on {counted(items, 'item')}" for name, items in tied.items()])
        warnings.append(f"Several labels of a judge are equally frequent, and the first one counts: {shown}.")
    return warnings


def _about_dropped(dropped: Dropped, judges: Sequence[JudgeTest], question: Question) -> list[str]:
    warnings = []
    if dropped.items:
        warnings.append(f"Left out {counted(dropped.items, 'item')} with fewer than {question.min_raters} ratings.")
    few: dict[tuple[str, ...], list[str]] = {}  # raters, and the judges for whom they have too few items
    for judge in judges:
        names = tuple(rater for name, rater, _ in dropped.raters if name == judge.judge)
        few.setdefault(names, []).append(judge.judge)
    for raters, whose in few.items():
        whom = "" if len(few) == 1 else f" for {listed(whose)}"
        if raters:
            warnings.append(
                f"Left out{whom} {counted(len(raters), 'rater')} with fewer than {question.min_items} items: "
                f"{listed(raters)}; they still count as other raters."
            )
    if undefined := [judge.judge for judge in judges if not judge.raters]:
        warnings.append(f"No winning rate for {listed(undefined)}: no rater has enough items.")
    return warnings


def _about_few(answers: Answers, tallied: Sequence[Tallied], question: Question) -> list[str]:
    """Say where a p-value rests on few raters or few items that differ."""
    warnings = []
    names = [
        name
        for one in tallied
        for name, tally in zip(answers.ratings.raters, one.tallies, strict=True)
        if tally.items >= question.min_items and tally.differing < FEWEST_DIFFERING
    ]
    if names and question.test != "exact":
        warnings.append(
            f"Judge and rater differ on fewer than {FEWEST_DIFFERING} items of {listed(list(dict.fromkeys(names)))}: "
            "these p-values may be too small. See what --test exact says."
        )
    times = np.bincount(answers.ratings.item, minlength=answers.ratings.n_items)
    usable = times[times >= question.min_raters]
    if len(usable) and float(np.median(usable)) < FEWEST_RATERS:
        warnings.append(
            "Most items have two raters, so that each is compared with a single other one: the authors advise three or "
            "more."
        )
    return warnings


# ---- Can this judge replace a rater? One rater after the other is left out, and the judge put in the place


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
