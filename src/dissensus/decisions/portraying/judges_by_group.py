"""A judge against each group of raters: is it nearer to one of them?"""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.comparison.p_values import holm
from dissensus.decisions.closeness import Floats, closeness, label_heights
from dissensus.decisions.portraying.cells import Cells
from dissensus.decisions.portraying.grouping import Groups, on_shared_items
from dissensus.decisions.portraying.question import Question
from dissensus.decisions.portraying.result import JudgeByGroup, Siding
from dissensus.decisions.portraying.siding import centred, groups_p
from dissensus.decisions.portraying.worths_by_group import Worth, worths_by_group
from dissensus.engine import Progress
from dissensus.errors import counted, listed
from dissensus.ratings import Judges, Ratings
from dissensus.survey.answers import Answers, answers_of
from dissensus.survey.intervals import interval
from dissensus.survey.result import JudgeWorth

NAN = float("nan")
WEIGHTS_AT_ONCE = 1 << 22
"""Items times bootstrap samples that are held in memory."""
DECIMALS = 9
"""Sums that differ by less are the same."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Against:
    """One judge against every rating of the items that it answered.

    Attributes
    ----------
    closeness : ndarray of shape (n_cells,)
        How near it is to each answer; NaN where it is silent.
    bias : ndarray of shape (n_cells,)
        Its answer as a number less the rater's; NaN where it is silent or gave a label that is no number.
    """

    closeness: Floats
    bias: Floats


def against(answers: Answers, labels: tuple[str, ...], ratings: Ratings, cells: Cells, question: Question) -> Against:
    """A judge against every rating.

    Parameters
    ----------
    answers : Answers
        The judge's.
    labels : tuple of str
        What its predictions are about: the raters' labels, then those that only judges use.
    ratings, cells
        Whom it is compared with.
    question : Question
        Which labels are positive.
    """
    strange = labels[ratings.n_labels :]
    to_label = answers.predictions @ closeness(ratings, strange)
    near = np.bincount(cells.of_rating, weights=to_label[ratings.item, ratings.label]) / cells.size
    heights = label_heights(ratings, question.positive, strange)
    bias = np.full(len(near), NAN)
    if heights is not None:
        bias = _height(answers, heights, is_share=bool(question.positive))[cells.item] - cells.height
    return Against(closeness=near, bias=bias)


def _height(answers: Answers, heights: Floats, *, is_share: bool) -> Floats:
    """The judge's answer to each item as a number; the very number that it gave, where labels are numbers."""
    is_known = np.isfinite(heights)
    told = answers.predictions @ np.where(is_known, heights, 0.0)
    told = np.where(answers.predictions[:, ~is_known].sum(axis=1) > 0, NAN, told)
    return told if is_share or np.isnan(answers.values).all() else answers.values


def sidings(
    ratings: Ratings,
    judges: Judges,
    question: Question,
    *,
    cells: Cells,
    groups: Groups,
    rng: Generator,
    executor: Executor,
    progress: Progress | None,
) -> tuple[tuple[Siding, ...], list[str]]:
    """Whether each judge is nearer to one group than to raters dealt into groups at random, and warnings."""
    shared = judges.only(question.judge).on_items_of(ratings)
    everybody, labels, warnings = answers_of(shared, ratings)
    test_stream, sample_stream, survey_stream = rng.spawn(3)
    worths = worths_by_group(
        ratings, shared, question, names=groups.names, rng=survey_stream, executor=executor, progress=progress
    )
    in_both = on_shared_items(cells, groups)
    rows, p_values = [], []
    for answers in everybody:
        found = against(answers, labels, ratings, cells, question)
        nearer = centred(cells, np.where(in_both, found.closeness, NAN))
        p_values.append(groups_p(cells, nearer, groups, resamples=question.resamples, rng=test_stream))
        rows.append(_by_group(found, cells, groups, worths[answers.judge], question, sample_stream))
    corrected = holm(p_values)
    sides = zip(everybody, rows, p_values, corrected, strict=True)
    made = tuple(_siding(answers.judge, own, p, q, question) for answers, own, p, q in sides)
    return made, [*shared.warnings, *warnings, *_untold(groups, worths)]


def _untold(groups: Groups, worths: dict[str, list[Worth]]) -> list[str]:
    """Why judges have no worth in raters of some groups, once for each reason."""
    why: dict[str, dict[str, None]] = {}
    for own in worths.values():
        for group, worth in zip(groups.names, own, strict=True):
            if isinstance(worth, str):
                why.setdefault(worth, {})[group] = None
    found = ((f"{counted(len(names), 'group')} ({listed(list(names))})", said) for said, names in why.items())
    return [f"How many raters a judge is worth cannot be told of {which}: {said}" for which, said in found]


def _siding(judge: str, groups: tuple[JudgeByGroup, ...], p_value: float, p_holm: float, question: Question) -> Siding:
    nearest = max(groups, key=lambda group: group.nearer if not np.isnan(group.nearer) else -np.inf)
    is_told = p_holm <= 1 - question.confidence
    return Siding(
        judge=judge, p_value=p_value, p_holm=p_holm, sides_with=nearest.group if is_told else None, groups=groups
    )


def _by_group(
    found: Against,
    cells: Cells,
    groups: Groups,
    worths: list[Worth],
    question: Question,
    rng: Generator,
) -> tuple[JudgeByGroup, ...]:
    """A judge's closeness to each group and its bias, with intervals from resampling items."""
    group = groups.of_cells(cells)
    grouped = np.where(group >= 0, found.closeness, NAN)
    rows = []
    for code, name in enumerate(groups.names):
        inside = group == code
        nearer = _mean_and_samples(_nearer(grouped, cells, inside), cells, question, rng)
        bias = _mean_and_samples(np.where(inside, found.bias, NAN), cells, question, rng)
        near_low, near_high = interval(*nearer, confidence=question.confidence, kind="percentile")
        bias_low, bias_high = interval(*bias, confidence=question.confidence, kind="percentile")
        known = inside & ~np.isnan(found.closeness)
        rows.append(
            JudgeByGroup(
                group=name,
                agreement=float(found.closeness[known].mean()) if known.any() else NAN,
                nearer=nearer[0], nearer_low=near_low, nearer_high=near_high,
                bias=bias[0], bias_low=bias_low, bias_high=bias_high,
                worth=worth if isinstance(worth := worths[code], JudgeWorth) else None,
                items=int(np.count_nonzero(np.bincount(cells.item[known]))),
            )
        )  # fmt: skip
    return tuple(rows)


def _nearer(closeness: Floats, cells: Cells, inside: npt.NDArray[np.bool_]) -> Floats:
    """Closeness to the group's answers less that to the other groups' answers on the same item; NaN without either."""
    others = ~inside & ~np.isnan(closeness)
    n_items = len(cells.raters_of_item)
    total = np.bincount(cells.item[others], weights=closeness[others], minlength=n_items)
    count = np.bincount(cells.item[others], minlength=n_items)
    mean = np.divide(total, count, out=np.full(n_items, NAN), where=count > 0)
    return np.asarray(np.where(inside, closeness - mean[cells.item], NAN))


def _mean_and_samples(values: Floats, cells: Cells, question: Question, rng: Generator) -> tuple[float, Floats]:
    """Mean of the known values, and in bootstrap samples of the items; items with the same sums are drawn as one."""
    known = ~np.isnan(values)
    if not known.any():
        return NAN, np.empty(0)
    total, count = np.bincount(cells.item[known], weights=values[known]), np.bincount(cells.item[known])
    part = np.flatnonzero(count)
    sums = np.stack([np.round(total[part], DECIMALS), count[part]], axis=1)
    kinds, times = np.unique(sums, axis=0, return_counts=True)
    step = max(1, WEIGHTS_AT_ONCE // len(kinds))
    means = [np.empty(0)]
    for first in range(0, question.bootstrap, step):
        drawn = rng.multinomial(len(part), times / len(part), size=min(step, question.bootstrap - first)) @ kinds
        means.append(drawn[:, 0] / drawn[:, 1])
    return float(total.sum() / count.sum()), np.concatenate(means)
