"""A judge against each group of raters: is it nearer to one of them?"""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.comparison.p_values import holm
from dissensus.decisions.portraying.cells import Cells
from dissensus.decisions.portraying.closeness import Floats
from dissensus.decisions.portraying.question import Question
from dissensus.decisions.portraying.result import JudgeByGroup, Siding
from dissensus.decisions.portraying.siding import centred, permutation_p, rater_sums
from dissensus.decisions.survey_options import survey_options
from dissensus.engine import Progress
from dissensus.errors import DissensusError
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import Codes
from dissensus.survey import equivalence
from dissensus.survey.answers import Answers, answers_of
from dissensus.survey.intervals import interval
from dissensus.survey.result import JudgeWorth
from dissensus.survey.weights import draw_item_weights

NAN = float("nan")
SAMPLES_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Against:
    """One judge against every rating of the items that it answered.

    Attributes
    ----------
    closeness, nearer : ndarray of shape (n_cells,)
        How near it is to each answer, and how much nearer than to the item's raters on average; NaN where it is silent.
    bias : ndarray of shape (n_cells,)
        Its answer as a number less the rater's; NaN where it is silent or labels are no numbers.
    """

    closeness: Floats
    nearer: Floats
    bias: Floats


def against(answers: Answers, ratings: Ratings, cells: Cells, near: Floats, heights: Floats | None) -> Against:
    """A judge against every rating; labels that only judges use are near to none."""
    predictions = answers.predictions[:, : ratings.n_labels]
    to_label = predictions @ near
    assert ratings.rater is not None  # noqa: S101 - cells need raters
    key = np.unique(ratings.rater * ratings.n_items + ratings.item, return_inverse=True)[1]
    closeness = np.bincount(key, weights=to_label[ratings.item, ratings.label]) / cells.size
    alone = cells.raters_of_item[cells.item] < 2  # noqa: PLR2004 - one rater is nobody to be nearer than
    nearer = np.where(alone, NAN, centred(cells, closeness))
    bias = np.full(len(closeness), NAN) if heights is None else (predictions @ heights)[cells.item] - cells.height
    return Against(closeness=closeness, nearer=nearer, bias=bias)


def sidings(
    ratings: Ratings,
    judges: Judges,
    question: Question,
    *,
    near: Floats,
    heights: Floats | None,
    cells: Cells,
    group_of_rater: Codes,
    rng: Generator,
    executor: Executor,
    progress: Progress | None,
) -> tuple[tuple[Siding, ...], list[str]]:
    """Whether each judge is nearer to one group than to raters dealt into groups at random, and warnings."""
    shared = _chosen(judges, question).on_items_of(ratings)
    everybody, _, warnings = answers_of(shared, ratings)
    test_stream, sample_stream, survey_stream = rng.spawn(3)
    rows, p_values = [], []
    untold: dict[str, str] = {}
    for answers in everybody:
        found = against(answers, ratings, cells, near, heights)
        sums, counts = rater_sums(cells, found.nearer, len(ratings.raters))
        p_values.append(permutation_p(sums, counts, group_of_rater, resamples=question.resamples, rng=test_stream))
        worths = _worths(ratings, shared, answers.judge, question, survey_stream, executor, progress)
        rows.append(_by_group(found, ratings, cells, group_of_rater, worths, question, sample_stream))
        for place, worth in enumerate(worths):
            untold |= {ratings.groups[place]: worth} if isinstance(worth, str) else {}
    corrected = holm(p_values)
    sides = zip(everybody, rows, p_values, corrected, strict=True)
    made = tuple(_siding(answers.judge, groups, p, q, question) for answers, groups, p, q in sides)
    said = [f"How many {group} raters a judge is worth cannot be told: {why}" for group, why in untold.items()]
    return made, [*shared.warnings, *warnings, *said]


def _chosen(judges: Judges, question: Question) -> Judges:
    if question.judge is None:
        return judges
    for name in question.judge:
        judges[name]  # raises for an unknown judge
    return judges.where(np.isin(judges.judge, [judges.judges.index(name) for name in question.judge]))


def _siding(judge: str, groups: tuple[JudgeByGroup, ...], p_value: float, p_holm: float, question: Question) -> Siding:
    nearest = max(groups, key=lambda group: group.nearer if not np.isnan(group.nearer) else -np.inf)
    is_told = p_holm <= 1 - question.confidence
    return Siding(
        judge=judge, p_value=p_value, p_holm=p_holm, sides_with=nearest.group if is_told else None, groups=groups
    )


def _worths(
    ratings: Ratings,
    judges: Judges,
    judge: str,
    question: Question,
    rng: Generator,
    executor: Executor,
    progress: Progress | None,
) -> list[JudgeWorth | str]:
    """How many raters of each group the judge is worth, or why that cannot be told."""
    own = judges[judge]
    worths: list[JudgeWorth | str] = []
    for group, stream in zip(ratings.groups, rng.spawn(len(ratings.groups)), strict=True):
        members = ratings.of_group(group)
        try:
            result = equivalence(
                members, own, **survey_options(members, own), bootstrap=question.bootstrap,
                confidence=question.confidence, rng=stream, engine=executor, progress=progress,
            )  # fmt: skip
        except DissensusError as error:
            worths.append(str(error))
            continue
        worths.append(result.judges[-1] if result.curve[-1].raters else "most items have one rater of that group.")
    return worths


def _by_group(
    found: Against,
    ratings: Ratings,
    cells: Cells,
    group_of_rater: Codes,
    worths: list[JudgeWorth | str],
    question: Question,
    rng: Generator,
) -> tuple[JudgeByGroup, ...]:
    """A judge's closeness to each group and its bias, with intervals from resampling items."""
    group = group_of_rater[cells.rater]
    rows = []
    for code, name in enumerate(ratings.groups):
        inside = group == code
        nearer, drawn_nearer = _mean_and_samples(found.nearer, cells, inside, question, rng)
        bias, drawn_bias = _mean_and_samples(found.bias, cells, inside, question, rng)
        near_low, near_high = interval(nearer, drawn_nearer, confidence=question.confidence, kind="percentile")
        bias_low, bias_high = interval(bias, drawn_bias, confidence=question.confidence, kind="percentile")
        known = inside & ~np.isnan(found.closeness)
        rows.append(
            JudgeByGroup(
                group=name,
                agreement=float(found.closeness[known].mean()) if known.any() else NAN,
                nearer=nearer, nearer_low=near_low, nearer_high=near_high,
                bias=bias, bias_low=bias_low, bias_high=bias_high,
                worth=worth if isinstance(worth := worths[code], JudgeWorth) else None,
                items=len(np.unique(cells.item[known])),
            )
        )  # fmt: skip
    return tuple(rows)


def _mean_and_samples(
    values: Floats, cells: Cells, inside: npt.NDArray[np.bool_], question: Question, rng: Generator
) -> tuple[float, Floats]:
    """Mean over the group's ratings, and in bootstrap samples of the items."""
    known = inside & ~np.isnan(values)
    n_items = len(cells.raters_of_item)
    total = np.bincount(cells.item[known], weights=values[known], minlength=n_items)
    count = np.bincount(cells.item[known], minlength=n_items)
    if not known.any():
        return NAN, np.empty(0)
    part = np.flatnonzero(count)
    means = []
    for first in range(0, question.bootstrap, SAMPLES_AT_ONCE):
        weights = draw_item_weights(len(part), min(SAMPLES_AT_ONCE, question.bootstrap - first), rng)
        means.append(np.einsum("ri,i->r", weights, total[part]) / np.einsum("ri,i->r", weights, count[part]))
    return float(total.sum() / count.sum()), np.concatenate(means) if means else np.empty(0)
