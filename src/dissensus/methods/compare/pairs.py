"""Pairs of judges, each on the items that the raters and both judges answered, their responses as vectors.

Vectors are such that what a metric compares are means of them:

- values: the response as a number (the mean of its distribution);
- shares: its share of each label;
- half-shares: half of that, so that absolute differences add up to the total variation distance;
- steps: its distribution function between the answers that an item got, times the gaps between them, so that absolute
  differences add up to the earth mover's distance;
- bins: its share of each bin, times the raters of the item over the number of bins, as the authors' tool has it.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import (
    KEEP_KIND,
    Aligned,
    Responses,
    about_order,
    align,
    are_points_of_a_measure,
    asked_in_one_way,
    elicitations_in,
    other_scale,
)
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, joined, listed, named
from dissensus.methods.compare.metrics import (
    Columns,
    Coordinates,
    Metric,
    MetricName,
    metric_of,
    put_together,
    rankable,
    settled,
)
from dissensus.methods.compare.result import CompareOptions
from dissensus.methods.equivalence.calibration import (
    FoldRows,
    Outputs,
    fold_stream,
    outputs_of,
    rows_in_folds,
    scores_of_labels,
)
from dissensus.methods.equivalence.options import MOST_LABELS

# ---- The metric, where it was left to us


def with_metric(
    options: CompareOptions, ratings: Ratings, judges: Judges, aligned: Aligned
) -> tuple[CompareOptions, list[str]]:
    """The options with a metric that fits the data, and why where it is not information."""
    if options.metric is not None:
        return options, []
    name, reason = _fitting(options, ratings, judges, aligned)
    about = f"Compared by {name}, since {reason}; {named('metric')} chooses another." if reason else ""
    return replace(options, metric=name), [about] if about else []


def _fitting(options: CompareOptions, ratings: Ratings, judges: Judges, aligned: Aligned) -> tuple[MetricName, str]:
    """The metric, and why it is not information; empty where it is, or where the options say so."""
    if options.reverse:
        return "spearman", ""
    if away := _on_other_scales(options, judges, aligned):
        return "spearman", f"{joined(away)} {'is' if len(away) == 1 else 'are'} on another scale than raters"
    if options.test != "sign-flip":
        return "wins", f"{named('test')} {options.test} draws answers, and information takes all of an item as one"
    if aligned.has_numbers and are_points_of_a_measure(ratings, judges):
        return "mae", "the labels are measurements"
    if len(aligned.labels) > MOST_LABELS:
        too_many = f"{len(aligned.labels):,} labels are too many to calibrate"
        return ("mae" if aligned.has_numbers else "accuracy"), too_many
    return "information", ""


def _on_other_scales(options: CompareOptions, judges: Judges, aligned: Aligned) -> list[str]:
    """The judges whose numbers are not on the raters' scale, as the options say or as it looks."""
    if options.same_scale or not aligned.has_numbers:
        return []
    return [name for name in judges.judges if options.same_scale is False or other_scale(aligned, name) is not None]


# ---- Responses as vectors

MOST_NUMBERS = 500_000_000  # vectors of more numbers, 4 GB, are refused
FEW = 256  # this many responses of an item are summed up one after the other


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What the coordinates are about."""

    n_labels: int  # how many labels raters and judges have
    bins: int = 5  # how many bins there are, all equally wide
    bounds: tuple[float, float] = (0.0, 1.0)  # where the bins begin and end; a response outside falls in none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cloud:
    """The responses of one party as vectors."""

    vectors: Floats  # (n_items, most, n_coordinates): one for each response; 0 where there is none
    times: Floats  # (n_items, most): how often each was given; 0 where there is none

    @property
    def sizes(self) -> Floats:
        """How many responses each item has."""
        return np.asarray(self.times.sum(axis=1))

    def mean(self) -> Floats:
        """Mean response to each item, of shape (n_items, n_coordinates)."""
        if self.times.shape[1] <= FEW:
            return np.asarray(np.einsum("imc,im->ic", self.vectors, self.times) / self.sizes[:, None])
        # Sums along the last axis are pairwise: their rounding does not grow with the number of responses.
        weighted = np.ascontiguousarray(np.moveaxis(self.vectors * self.times[:, :, None], 1, 2))
        return np.asarray(weighted.sum(axis=2) / self.sizes[:, None])


def clouds_of(parties: Sequence[Responses], coordinates: Coordinates, space: Space) -> list[Cloud]:
    """The responses of raters (first) and judges as vectors in the same coordinates."""
    if coordinates == "values":
        vectors = [_filled(party, np.zeros(len(party.item), dtype=np.intp), 1, by_value=True) for party in parties]
    elif coordinates == "steps":
        vectors = _steps(parties)
    elif coordinates == "bins":
        vectors = _bins(parties, space)
    else:
        half = 0.5 if coordinates == "half-shares" else 1.0
        vectors = [half * _filled(party, party.place, space.n_labels) for party in parties]
    return [Cloud(vectors=vector, times=party.times) for vector, party in zip(vectors, parties, strict=True)]


def _filled(party: Responses, column: Codes, n_columns: int, *, by_value: bool = False) -> Floats:
    """`Responses.filled`, unless it would fill the memory."""
    n_items, most = party.times.shape
    if n_items * most * n_columns > MOST_NUMBERS:
        raise RatingsError(
            f"{n_items:,} items with up to {most:,} answers of {n_columns:,} kinds would take "
            f"{n_items * most * n_columns * 8 / 1e9:,.0f} GB of memory: choose a metric of mean answers such as mae, "
            "or compare on fewer items."
        )
    return party.filled(column, n_columns, by_value=by_value)


def _steps(parties: Sequence[Responses]) -> list[Floats]:
    item = np.concatenate([party.item for party in parties])
    distinct, code = np.unique(np.concatenate([party.value for party in parties]), return_inverse=True)
    cell, entry = np.unique(item * len(distinct) + code, return_inverse=True)
    cell_item, cell_value = cell // len(distinct), distinct[cell % len(distinct)]
    n_items = len(parties[0].times)
    first = np.searchsorted(cell_item, np.arange(n_items))
    column = np.arange(len(cell)) - first[cell_item]
    gaps = np.zeros((n_items, int(column.max(initial=0)) + 1))
    follows = cell_item[1:] == cell_item[:-1]
    gaps[cell_item[:-1][follows], column[:-1][follows]] = np.diff(cell_value)[follows]
    columns = np.split(column[entry], np.cumsum([len(party.item) for party in parties])[:-1])
    return [
        np.cumsum(_filled(party, own, gaps.shape[1]), axis=-1) * gaps[:, None, :]
        for party, own in zip(parties, columns, strict=True)
    ]


def _bins(parties: Sequence[Responses], space: Space) -> list[Floats]:
    low, high = space.bounds
    # A column more takes what falls in no bin; differs from the paper: with unequal numbers of responses the judge's
    # counts are scaled to the raters'.
    scale = (parties[0].sizes / space.bins)[:, None, None]
    binned = []
    for party in parties:
        bin_of = np.floor((party.value - low) / (high - low) * space.bins)
        bin_of = np.where(party.value == high, space.bins - 1, bin_of)
        outside = (bin_of < 0) | (bin_of >= space.bins)
        column = np.where(outside, space.bins, bin_of).astype(np.intp)
        binned.append(_filled(party, column, space.bins + 1)[..., : space.bins] * scale)
    return binned


# ---- Two judges and the raters on the items that all of them answered, ready to be resampled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A pair of judges to compare."""

    metric: Metric  # how they are scored
    people: Cloud  # responses of the raters and the judges, item by item
    a: Cloud
    b: Cloud
    size: float  # the largest of the raters' responses; what is small against it is rounding
    copies: Floats | None = None  # (n_items,): how many items of the data each item stands for; one if None

    @property
    def n_items(self) -> int:
        """How many items there are; where equal items were put together, how many different ones."""
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
        of_item = self.metric.of_item
        if of_item is None:
            a, b, people = (rankable(answers, copies=self.copies) for answers in (a, b, people))
            return Columns(a, b, people, self.copies)
        errors = Columns(of_item(a, people), of_item(b, people), people[..., 0], self.copies)
        return settled(errors, size=self.size, is_square=self.metric.is_root)

    def observed(self) -> Columns:
        """What each item counts in the data; with copies, one item for all that count the same."""
        columns = self.columns(self.a.mean(), self.b.mean(), self.people.mean())
        if self.copies is None:
            return columns
        return put_together(columns, by_sign=self.metric.counts_wins, by_people=self.metric.is_ranks)


def problem_of(parties: Sequence[Responses], metric: Metric, space: Space, *, copies: Codes | None = None) -> Problem:
    """The problem of comparing two judges, from the responses of the raters, of A and of B to the same items."""
    people, a, b = clouds_of(parties, metric.coordinates, space)
    size = float(np.abs(people.vectors).sum(axis=-1).max(initial=0))
    counted = None if copies is None else copies.astype(np.float64)
    return Problem(metric=metric, people=people, a=a, b=b, size=size, copies=counted)


# ---- The pairs to compare, each on the items that the raters and both judges answered

FEWEST_ITEMS = 6  # with fewer, no exchange of the judges is rarer than 1 in 20: nothing can be found at .05
MOST_REDRAWN = 5_000_000
"""Equal items that were put together are taken apart for a test that needs it, up to this number."""


class NamedPair(NamedTuple):
    """Two judges by name, and their problem."""

    judge_a: str
    judge_b: str
    problem: Problem
    rows: Codes  # (n_items,): its items among those of the ratings


class Pairs(NamedTuple):
    """The pairs that were asked for and can be compared."""

    pairs: list[NamedPair]
    ratings: Ratings  # as they were compared
    people: Responses  # what the raters answered to all items of the ratings
    n_labels: int  # of raters and judges
    options: CompareOptions  # with a metric that fits the data
    warnings: tuple[str, ...]


def pairs_of(ratings: Ratings, judges: Judges, options: CompareOptions, *, folds: Generator | None = None) -> Pairs:
    """The pairs that were asked for and can be compared, and warnings; `folds` are those of a calibration."""
    _check_judges(judges, (options.a, options.b, *(options.judge or ()), *options.reverse))
    wanted = options.pairs(judges.judges)
    names = list(dict.fromkeys(chain.from_iterable(wanted)))
    chosen = judges.only(names).on_items_of(ratings)
    ratings, chosen = _fit_for(options, ratings, chosen)
    aligned = align(ratings, chosen)
    options, about_metric = with_metric(options, ratings, chosen, aligned)
    assert options.metric is not None  # noqa: S101 - as `with_metric` says
    if options.metric == "accuracy":
        aligned = align(ratings, chosen.stated())
    elif options.metric == "information" and len(elicitations_in(ratings)) > 1:
        ratings, about_kinds = asked_in_one_way(ratings, chosen, None, remedy=KEEP_KIND)
        chosen, about_metric = chosen.on_items_of(ratings), about_metric + about_kinds
        aligned = align(ratings, chosen)
    metric = metric_of(options.metric, has_numbers=aligned.has_numbers, clip=options.clip)
    _check_labels(ratings, aligned, metric)
    notes = about_order(ratings) if metric.needs_numbers else []
    _check_scales(aligned, names, metric, options)
    if metric.coordinates == "shares" and aligned.has_numbers and not options.same_scale:
        notes = notes + _rounding_note(aligned, names)
    if metric.name in {"cross-entropy", "information"} and options.clip * len(aligned.labels) >= 1:
        raise OptionError(
            f"{len(aligned.labels):,} labels are too many for {named('clip')} {options.clip:g}: choose a metric for "
            f"numbers such as mae, or a clip below {1 / len(aligned.labels):.3g}."
        )
    flipped = {name: replace(own, value=-own.value) for name, own in aligned.judges.items() if name in options.reverse}
    aligned = replace(aligned, judges=aligned.judges | flipped)
    build: Build = partial(_scored, aligned, metric, _space(aligned, options))
    n_labels = len(aligned.labels)
    if metric.name == "information":
        stream = fold_stream(options.seed) if folds is None else folds
        outputs = outputs_of(ratings, chosen)
        n_labels = outputs.shares.shape[1]
        build = _informed(aligned.people, outputs, metric, clip=options.clip, stream=stream)
    pairs, left_out = _shared(aligned, wanted, build)
    warnings = (*ratings.warnings, *chosen.warnings, *aligned.warnings, *notes, *about_metric, *left_out)
    return Pairs(pairs, ratings, aligned.people, n_labels, options, tuple(dict.fromkeys(warnings)))


def _check_judges(judges: Judges, names: Sequence[str | None]) -> None:
    """Raise where a judge is named that is not there, where there are not two, or their answers are not known."""
    for name in names:
        if name is not None and name not in judges.judges:
            judges[name]  # raises
    if len(judges.judges) < 2:  # noqa: PLR2004 - a pair
        raise JudgesError(f"There is one judge only, {listed(judges.judges)}: a comparison needs two.")
    if judges.moments is not None:
        raise JudgesError(
            "Of the judges' probabilities only the means over many items are known, and a comparison needs those of "
            f"each item: read the judges with {named('round_outputs', of='read_reduced')} 3."
        )


def _fit_for(options: CompareOptions, ratings: Ratings, judges: Judges) -> tuple[Ratings, Judges]:
    """The same, one by one where the test draws the responses to each item again."""
    if ratings.copies is None or options.test == "sign-flip":
        return ratings, judges
    if ratings.items_in_all > MOST_REDRAWN:
        test = named("test")
        raise OptionError(
            f"{test} {options.test} draws the responses to each item again, and {ratings.items_in_all:,} items are "
            f"more than the {MOST_REDRAWN:,} that it can do: choose {test} sign-flip."
        )
    return ratings.expanded(), judges.expanded(ratings)


def _check_labels(ratings: Ratings, aligned: Aligned, metric: Metric) -> None:
    if metric.needs_numbers and not aligned.has_numbers:
        why = "response sets among them" if ratings.has_response_sets else f"on a {ratings.scale} scale"
        raise OptionError(
            f"{named('metric')} {metric.name} needs numbers, but the labels are {listed(ratings.labels)}, {why}: "
            "choose wins, emd, accuracy or cross-entropy, or give their order with "
            f"{named('labels', of='read')} or {named('scale', of='read')}."
        )


def _check_scales(aligned: Aligned, names: Sequence[str], metric: Metric, options: CompareOptions) -> None:
    """Raise where a judge gives other labels than numbers, or numbers on another scale, and a metric needs them."""
    this, test, same = named("metric"), named("test"), f"say {named('same_scale')} if that is wrong"
    words = [name for name in names if not np.isfinite(aligned.judges[name].value).all()]
    if words and metric.needs_numbers:
        first = aligned.judges[words[0]]
        label = aligned.labels[first.place[~np.isfinite(first.value)][0]]
        raise OptionError(
            f"{this} {metric.name} needs numbers, but {joined(words)} gave other labels, such as {label!r}. "
            f"Drop these answers, or choose {this} accuracy."
        )
    if not aligned.has_numbers or options.same_scale:
        return
    for name in names:
        reason = "you said so" if options.same_scale is False else other_scale(aligned, name)
        if reason is not None and not metric.is_ranks:
            raise OptionError(
                f"{this} {metric.name} compares answers with labels, but {name} is on another scale: {reason}. "
                f"Choose {this} spearman, or {same}."
            )
        if reason is not None and options.test != "sign-flip":
            raise OptionError(
                f"{test} {options.test} mixes the answers of both judges, but {name} is on another scale: {reason}. "
                f"Choose {test} sign-flip, or {same}."
            )


def _rounding_note(aligned: Aligned, names: Sequence[str]) -> list[str]:
    """Say that answers between the labels count as the nearest one."""
    between = [name for name in names if not np.isin(aligned.judges[name].value, aligned.values).all()]
    if not between:
        return []
    have = "has" if len(between) == 1 else "have"
    return [f"{joined(between)} {have} answers that no rater gave: each counts as the nearest label of the raters."]


def _space(aligned: Aligned, options: CompareOptions) -> Space:
    known = aligned.people.value if aligned.has_numbers else np.zeros(1)
    low, high = float(known.min()), float(known.max())
    bounds = options.bounds or ((low, high) if low < high else (low, low + 1))
    return Space(n_labels=len(aligned.labels), bins=options.bins, bounds=bounds)


Build = Callable[[str, str, Codes, Codes | None], Problem]
"""From two judges, their items among those of the ratings and copies of these to the problem of comparing them."""


def _scored(
    aligned: Aligned, metric: Metric, space: Space, a: str, b: str, rows: Codes, copies: Codes | None
) -> Problem:
    """Two judges by their answers as they are."""
    responses = [party.on(rows) for party in (aligned.people, aligned.judges[a], aligned.judges[b])]
    return problem_of(responses, metric, space, copies=copies)


def _informed(people: Responses, outputs: Outputs, metric: Metric, *, clip: float, stream: Generator) -> Build:
    """Two judges by what their answers tell of raters' labels, each calibrated once for the same items."""
    space = Space(n_labels=outputs.shares.shape[1])
    known: dict[tuple[str, bytes], Cloud] = {}

    def cloud(name: str, rows: Codes, split: FoldRows) -> Cloud:
        key = (name, rows.tobytes())
        if key not in known:
            own = rows[split.place]
            scores = scores_of_labels(outputs.judges[name][own], outputs.shares[own], split, clip=clip)
            known[key] = Cloud(vectors=scores[:, None, :], times=np.ones((len(own), 1)))
        return known[key]

    def build(a: str, b: str, rows: Codes, copies: Codes | None) -> Problem:
        split = rows_in_folds(len(rows), copies, deepcopy(stream))
        (whole,) = clouds_of([people.on(rows)], "shares", space)
        return Problem(
            metric=metric, people=Cloud(vectors=whole.vectors[split.place], times=whole.times[split.place]),
            a=cloud(a, rows, split), b=cloud(b, rows, split), size=1.0,
            copies=None if split.copies is None else split.copies.astype(np.float64),
        )  # fmt: skip

    return build


def _shared(aligned: Aligned, wanted: Sequence[tuple[str, str]], build: Build) -> tuple[list[NamedPair], list[str]]:
    """Each pair on its items, and which pairs share too few of them."""
    pairs, few = [], []
    for a, b in wanted:
        rows = np.flatnonzero((aligned.judges[a].sizes > 0) & (aligned.judges[b].sizes > 0))
        copies = None if aligned.copies is None else aligned.copies[rows]
        items = len(rows) if copies is None else int(copies.sum())
        if items < FEWEST_ITEMS:
            few.append(f"{a} and {b} share {counted(items, 'rated item')}")
            continue
        pairs.append(NamedPair(judge_a=a, judge_b=b, problem=build(a, b, rows, copies), rows=rows))
    if not pairs:
        raise RatingsError(f"{listed(few)}: a comparison needs {FEWEST_ITEMS} or more. Rate more items.")
    return pairs, [f"Left out, since {FEWEST_ITEMS} items are needed: {listed(few)}."] if few else []
