"""The pairs to compare, each on the items that the raters and both judges answered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Aligned, Responses, about_order, align, other_scale
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, joined, listed
from dissensus.methods.compare.metrics import Columns, Metric, metric_of, put_together, rankable, settled
from dissensus.methods.compare.options import Question
from dissensus.methods.compare.responses import (
    Cloud,
    Space,
    clouds_of,
)

# ---- Two judges and the raters on the items that all of them answered, ready to be resampled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A pair of judges to compare.

    Attributes
    ----------
    metric : Metric
        How they are scored.
    people, a, b : Cloud
        Responses of the raters and the judges, item by item.
    size : float
        The largest of the raters' responses; what is small against it is rounding.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each item stands for; one if None.
    """

    metric: Metric
    people: Cloud
    a: Cloud
    b: Cloud
    size: float
    copies: Floats | None = None

    @property
    def n_items(self) -> int:
        """How many items there are; where alike items were put together, how many different ones."""
        return len(self.people.times)

    @property
    def items_in_all(self) -> int:
        """How many items of the data there are."""
        return self.n_items if self.copies is None else int(self.copies.sum())

    @property
    def most_numbers(self) -> int:
        """How many numbers one resample of every response needs."""
        return max(1, *(cloud.vectors.size for cloud in (self.people, self.a, self.b)))

    def columns(self, a: Floats, b: Floats, people: Floats) -> Columns:
        """What each item counts, from mean responses of shape (..., n_items, n_coordinates)."""
        if self.metric.name == "spearman":
            ranked = partial(rankable, copies=self.copies)
            return Columns(ranked(a, people), ranked(b, people), ranked(people, people), self.copies)
        of_item = self.metric.of_item
        errors = Columns(of_item(a, people), of_item(b, people), people[..., 0], self.copies)
        return settled(errors, size=self.size, is_square=self.metric.name == "rmse")

    def observed(self) -> Columns:
        """What each item counts in the data; with copies, one item for all that count the same."""
        columns = self.columns(self.a.mean(), self.b.mean(), self.people.mean())
        if self.copies is None:
            return columns
        return put_together(columns, by_sign=self.metric.name == "wins", by_people=self.metric.name == "spearman")


def problem_of(parties: Sequence[Responses], metric: Metric, space: Space, *, copies: Codes | None = None) -> Problem:
    """The problem of comparing two judges, from the responses of the raters, of A and of B to the same items."""
    people, a, b = clouds_of(parties, metric.coordinates, space)
    size = float(np.abs(people.vectors).sum(axis=-1).max(initial=0))
    counted = None if copies is None else copies.astype(np.float64)
    return Problem(metric=metric, people=people, a=a, b=b, size=size, copies=counted)


def problem_of_values(people: Floats, a: Floats, b: Floats, metric: Metric, space: Space | None = None) -> Problem:
    """The problem of comparing judges whose responses are numbers.

    Parameters
    ----------
    people, a, b : ndarray of shape (n_items, n_responses)
        NaN where an item has fewer responses; the numbers of responses may differ.
    metric : Metric
        One that takes numbers.
    space : Space, optional
        The bins, where the metric has some.
    """
    parties = [_responses_of_values(np.asarray(values, dtype=np.float64)) for values in (people, a, b)]
    return problem_of(parties, metric, space or Space(n_labels=1))


def _responses_of_values(values: Floats) -> Responses:
    # Responses stand first in their rows.
    ordered = np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)
    item, response = np.nonzero(~np.isnan(ordered))
    return Responses(
        times=(~np.isnan(ordered)).astype(np.float64),
        item=item,
        response=response,
        place=np.zeros(len(item), dtype=np.intp),
        value=ordered[item, response],
        share=np.ones(len(item)),
    )


def check_judges(judges: Judges, names: Sequence[str | None]) -> None:
    """Raise where a judge is named that is not there, or where there are not two to compare."""
    for name in names:
        if name is not None and name not in judges.judges:
            raise OptionError(f"There is no judge {name!r}: the judges are {listed(judges.judges)}.")
    if len(judges.judges) < 2:  # noqa: PLR2004 - a pair
        raise JudgesError(f"There is one judge only, {listed(judges.judges)}: a comparison needs two.")


def answered(responses: Responses) -> npt.NDArray[np.bool_]:
    """Which items have a response."""
    return np.asarray(responses.sizes > 0)


# ---- The pairs to compare, each on the items that the raters and both judges answered

FEWEST_ITEMS = 6
"""With fewer, no exchange of the judges is rarer than 1 in 20: nothing can be found at .05."""
MOST_REDRAWN = 5_000_000
"""Alike items that were put together are taken apart for a test that needs it, up to so many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedPair:
    """Two judges by name, and their problem."""

    judge_a: str
    judge_b: str
    problem: Problem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The pairs that can be compared, and what was left out or mended."""

    pairs: tuple[NamedPair, ...]
    metric: Metric
    warnings: tuple[str, ...]


def pairs_of(ratings: Ratings, judges: Judges, question: Question) -> Found:
    """The pairs that the question is about."""
    check_judges(judges, (question.a, question.b, *question.reverse))
    _check_answers(judges)
    wanted = question.pairs(judges.judges)
    names = list(dict.fromkeys(chain.from_iterable(wanted)))
    chosen = judges.only(names).on_items_of(ratings)
    ratings, chosen = _fit_for(question, ratings, chosen)
    panel = align(ratings, chosen)
    metric = metric_of(question.metric, has_numbers=panel.has_numbers, clip=question.clip)
    _check_labels(ratings, panel, metric)
    notes = [*(about_order(ratings) if metric.needs_numbers else []), *_check_scales(panel, names, metric, question)]
    _check_clip(panel, metric, question.clip)
    panel = _turned(panel, question.reverse)
    pairs, left_out = _shared(panel, wanted, metric, _space(panel, question))
    warnings = (*ratings.warnings, *chosen.warnings, *panel.warnings, *notes, *left_out)
    return Found(pairs=tuple(pairs), metric=metric, warnings=tuple(dict.fromkeys(warnings)))


def _check_answers(judges: Judges) -> None:
    """Raise where nobody knows what a judge answered to an item."""
    if judges.moments is not None:
        raise JudgesError(
            "Of the judges' probabilities only the means over many items are known, and a comparison needs those of "
            "each item: read the judges with --round-outputs 3."
        )


def _fit_for(question: Question, ratings: Ratings, judges: Judges) -> tuple[Ratings, Judges]:
    """The same, one by one where the test draws the responses to each item anew."""
    if ratings.copies is None or question.test == "sign-flip":
        return ratings, judges
    if ratings.items_in_all > MOST_REDRAWN:
        raise OptionError(
            f"--test {question.test} draws the responses to each item anew, and {ratings.items_in_all:,} items are "
            f"more than the {MOST_REDRAWN:,} that it can do: choose --test sign-flip."
        )
    return ratings.expanded(), judges.expanded(ratings)


def _check_labels(ratings: Ratings, panel: Aligned, metric: Metric) -> None:
    if metric.needs_numbers and not panel.has_numbers:
        why = "response sets among them" if ratings.has_response_sets else f"on a {ratings.scale} scale"
        raise OptionError(
            f"--metric {metric.name} needs numbers, but the labels are {listed(ratings.labels)}, {why}: choose wins, "
            "emd, accuracy or cross-entropy, or give their order with --labels or --scale."
        )


def _check_clip(panel: Aligned, metric: Metric, clip: float) -> None:
    if metric.name == "cross-entropy" and clip * len(panel.labels) >= 1:
        raise OptionError(
            f"--clip {clip:g} is too large for {len(panel.labels)} labels: choose less than "
            f"{1 / len(panel.labels):.3g}, or a metric for numbers such as mae."
        )


def _check_scales(panel: Aligned, names: Sequence[str], metric: Metric, question: Question) -> list[str]:
    """Raise where a metric needs judges on the raters' scale and one is not; warnings."""
    notes: list[str] = []
    words = [name for name in names if not np.isfinite(panel.judges[name].value).all()]
    if words and metric.needs_numbers:
        first = panel.judges[words[0]]
        label = panel.labels[first.place[~np.isfinite(first.value)][0]]
        raise OptionError(
            f"--metric {metric.name} needs numbers, but {joined(words)} gave other labels, such as {label!r}. "
            "Drop these answers, or choose --metric accuracy."
        )
    if not panel.has_numbers or question.same_scale:
        return notes
    reasons = {name: other_scale(panel, name) for name in names}
    if question.same_scale is False:
        reasons = dict.fromkeys(names, "you said so with --other-scale")
    strange = {name: reason for name, reason in reasons.items() if reason is not None}
    for name, reason in strange.items():
        if metric.needs_one_scale:
            raise OptionError(
                f"--metric {metric.name} compares answers with labels, but {name} is on another scale: {reason}. "
                "Choose --metric spearman, or say --same-scale if that is wrong."
            )
        if question.test != "sign-flip":
            raise OptionError(
                f"--test {question.test} mixes the answers of both judges, but {name} is on another scale: {reason}. "
                "Choose --test sign-flip, or say --same-scale if that is wrong."
            )
    if metric.coordinates == "shares":
        notes += _rounding_note(panel, names)
    return notes


def _rounding_note(panel: Aligned, names: Sequence[str]) -> list[str]:
    """Say that answers between the labels count as the nearest one."""
    between = [name for name in names if not np.isin(panel.judges[name].value, panel.values).all()]
    if not between:
        return []
    have = "has" if len(between) == 1 else "have"
    return [f"{joined(between)} {have} answers that no rater gave: each counts as the nearest label of the raters."]


def _turned(panel: Aligned, names: Sequence[str]) -> Aligned:
    """The panel with these judges' numbers turned round."""
    turned = {name: replace(said, value=-said.value) if name in names else said for name, said in panel.judges.items()}
    return replace(panel, judges=turned)


def _space(panel: Aligned, question: Question) -> Space:
    known = panel.people.value if panel.has_numbers else np.zeros(1)
    low, high = float(known.min()), float(known.max())
    bounds = question.bounds or ((low, high) if low < high else (low, low + 1))
    return Space(n_labels=len(panel.labels), bins=question.bins, bounds=bounds)


def _shared(
    panel: Aligned, wanted: Sequence[tuple[str, str]], metric: Metric, space: Space
) -> tuple[list[NamedPair], list[str]]:
    """Each pair on its items, and which pairs share too few of them."""
    pairs, few = [], []
    for a, b in wanted:
        rows = np.flatnonzero(answered(panel.judges[a]) & answered(panel.judges[b]))
        copies = None if panel.copies is None else panel.copies[rows]
        items = len(rows) if copies is None else int(copies.sum())
        if items < FEWEST_ITEMS:
            few.append(f"{a} and {b} share {counted(items, 'rated item')}")
            continue
        responses = [party.on(rows) for party in (panel.people, panel.judges[a], panel.judges[b])]
        pairs.append(NamedPair(judge_a=a, judge_b=b, problem=problem_of(responses, metric, space, copies=copies)))
    if not pairs:
        raise RatingsError(f"{listed(few)}: a comparison needs {FEWEST_ITEMS} or more. Rate more items.")
    return pairs, [f"Left out, since {FEWEST_ITEMS} items are needed: {listed(few)}."] if few else []
