"""Do the raters agree? Shape of the ratings, shares of the labels, coefficients of agreement with intervals."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, get_args

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import CountTypes, Ratings, RatingsLike, as_ratings
from dissensus.data.counts import items_as_types, median
from dissensus.data.ratings import ELICITATIONS, Elicitation
from dissensus.data.slices import about_pooling
from dissensus.errors import OptionError, listed
from dissensus.methods.describe.coefficients import (
    PAIRWISE,
    Measure,
    Weighting,
    agreeing_share,
    default_weighting,
    measures_for,
    pairable,
)
from dissensus.methods.parts.parts import in_parts
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, named, option
from dissensus.results import Result, as_dict
from dissensus.sampling import Engine, Progress, open_executor, run_tasks, seed_of
from dissensus.sampling.draws import draw_types
from dissensus.sampling.intervals import UNDEFINED_SHARE, percentile_interval
from dissensus.sampling.raters import (
    FEWEST_RATERS,
    CountCells,
    RatersAs,
    rater_draws,
    rater_pool,
    rater_stream,
    raters_option,
    resolve_raters,
)


@dataclass(frozen=True, kw_only=True)
class DescribeOptions(Options):
    """What the user asked for, as in `describe`; whose ratings is a group or, on the command line, a column."""

    elicitation: Elicitation | None = elicitation_option()
    weights: Weighting | None = option(
        None, metavar="W", choices=get_args(Weighting), help="Weights of Gwet's AC2: ordinal, linear or quadratic."
    )
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One measure of agreement with its interval; NaN where it is undefined."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShare:
    """How often a label was given."""

    label: str
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Shape of a set of ratings and how far the raters agree."""

    group: str | None  # whose ratings these are; None for all
    items: int  # how many there are
    raters: int | None  # how many there are; None if nobody knows
    ratings: int
    fewest: int  # ratings per item
    median: float
    most: int
    labels: tuple[LabelShare, ...]  # in their order
    # Mean over items with two or more ratings of the share of pairs of ratings that agree.
    pairwise_agreement: Coefficient
    coefficients: tuple[Coefficient, ...]  # those that the scale of the labels allows
    # How many items have which share of agreeing pairs: each share that is possible with as many ratings as items have,
    # and its items, from the least agreed upon. Of many shares the lower edges of bins that hold a possible one; the
    # last entry, 1.0, holds the items with complete agreement. Items rated once are not in it.
    agreement_by_item: tuple[tuple[float, int], ...]
    agreement_step: float = 0.0  # how wide the bins are; 0 where the shares are exact

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "items": self.items,
            "raters": self.raters,
            "ratings": self.ratings,
            "ratings_per_item": {"min": self.fewest, "median": self.median, "max": self.most},
            "labels": [as_dict(label) for label in self.labels],
            "pairwise_agreement": self.pairwise_agreement.value,
            "pairwise_agreement_low": self.pairwise_agreement.low,
            "pairwise_agreement_high": self.pairwise_agreement.high,
            "coefficients": [as_dict(coefficient) for coefficient in self.coefficients],
            "agreement_by_item": [{"share": share, "items": items} for share, items in self.agreement_by_item],
            "agreement_step": self.agreement_step,
        }


@dataclass(frozen=True, kw_only=True)
class DescribeResult(Result):
    """Do the raters agree?

    Attributes
    ----------
    whole : Description
        All ratings.
    groups : tuple of Description
        Each group's ratings, where they were asked for.
    """

    command: ClassVar[str] = "describe"

    whole: Description
    groups: tuple[Description, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        groups = [{"group": part.group, **part.as_dict()} for part in self.groups]
        return {**self.whole.as_dict(), **({"groups": groups} if groups else {})}

    def rows(self) -> list[dict[str, object]]:
        """One row per coefficient, and per group where there are groups."""
        parts = (self.whole, *self.groups)
        names = ({"group": part.group} if self.groups else {} for part in parts)
        return [
            {**name, **as_dict(coefficient)}
            for part, name in zip(parts, names, strict=True)
            for coefficient in (part.pairwise_agreement, *part.coefficients)
        ]


# ---- Item bootstrap of coefficients of agreement, by reweighting types

REPLICATES_PER_TASK = 50  # fixed, so that the streams of random numbers do not depend on the number of workers


def replicate(
    samples: Sequence[tuple[CountTypes, Mapping[str, Measure]]], *, replicates: int, rng: int | Generator | None,
    executor: Executor, progress: Progress | None = None,
) -> list[dict[str, Floats]]:  # fmt: skip
    """Bootstrap values of each measure, by name, for each sample of items."""
    sizes = [min(REPLICATES_PER_TASK, replicates - done) for done in range(0, replicates, REPLICATES_PER_TASK)]
    tasks = [(types, measures, size) for types, measures in samples for size in sizes]
    parts = run_tasks(executor, _run, tasks, rng=rng, progress=progress)
    grouped = [parts[i : i + len(sizes)] for i in range(0, len(parts), len(sizes))] if sizes else []
    return [{name: np.concatenate([part[name] for part in group]) for name in group[0]} for group in grouped]


def _run(task: tuple[CountTypes, Mapping[str, Measure], int], stream: Generator) -> dict[str, Floats]:
    types, measures, replicates = task
    weights = draw_types(types.items, replicates, stream)
    return {name: measure(types, weights=weights) for name, measure in measures.items()}


def moved_by_raters(
    ratings: Ratings, measures: Mapping[str, Measure], replicates: Mapping[str, Floats], stream: Generator
) -> dict[str, Floats]:
    """Bootstrap values for raters like these: those of the items, moved by what leaving raters out changes."""
    pool = rater_pool(ratings, stream)
    if pool.n_groups < FEWEST_RATERS:  # a group of raters may have fewer than all of them
        return dict(replicates)

    def coefficients(cells: CountCells) -> Floats:
        if not cells.item.size:  # nobody else rated anything
            return np.full(len(measures), np.nan)
        types = items_as_types(*cells, n_labels=ratings.n_labels)
        return np.array([float(measure(types)[0]) for measure in measures.values()])

    spread = pool.spread_of(coefficients, ratings.n_labels)
    values = np.stack([replicates[name] for name in measures], axis=1)
    moved = spread.moved(values, rater_draws(len(values), pool.n_groups, stream))
    lowest = [0.0 if name == PAIRWISE else -1.0 for name in measures]
    return dict(zip(measures, np.clip(moved, lowest, 1.0).T, strict=True))


def why_undefined(ratings: Ratings) -> str:
    """The reason that a coefficient is undefined."""
    ratings_per_item = ratings.types.ratings
    if ratings_per_item.max(initial=0) < 2:  # noqa: PLR2004 - a pair
        return "no item has two ratings, so nobody could agree or disagree"
    return "only one label was used on the items with two or more ratings, so chance agreement is complete"


BINS = 10  # more shares of agreeing pairs than that, and one for complete agreement, are counted in bins
MOST_SPLIT = 12  # ratings of an item whose every split into labels is looked at; more have a share nearly everywhere
HAIR = 1e-9


@in_parts()
def describe(
    ratings: RatingsLike,
    *,
    group: str | None = None,
    by_group: bool = False,
    elicitation: Elicitation | None = None,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    weights: Weighting | None = None,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> DescribeResult:
    """How far raters agree, with an interval for each coefficient from resampling items.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    group : str, optional
        Describe the ratings of this group only.
    by_group : bool
        Describe each group too.
    elicitation : {"forced_choice", "response_set"}, optional
        Describe only the ratings that were asked for in this way.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    bootstrap : int
        How many bootstrap samples of the items to draw; 0 for no intervals.
    confidence : float
        Share of the bootstrap samples inside the interval.
    weights : {"ordinal", "linear", "quadratic"}, optional
        Weights of Gwet's AC2; by rank for an ordinal scale and quadratic for an interval scale if not given.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    DescribeResult

    Raises
    ------
    DissensusError
        If the ratings cannot be read, or an option has a value it cannot have.

    See Also
    --------
    raters : Each rater, and groups of raters.
    items : The items behind a number.

    Examples
    --------
    >>> import pandas as pd
    >>> from dissensus import read
    >>> frame = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "label": list("xxxyyy")})
    >>> result = describe(read(frame), bootstrap=0)
    >>> round(result.whole.pairwise_agreement.value, 3)  # two of the three items
    0.667
    """
    ratings = as_ratings(ratings)
    options = DescribeOptions.given(locals(), seed=seed_of(rng))
    asked = ratings if elicitation is None else ratings.of_elicitation(elicitation)
    if elicitation is not None and not asked.n_items:
        none = f"No rating is a {elicitation.replace('_', ' ')}, as the elicitation column has it"
        raise OptionError(f"{none}: leave out {named('elicitation')}.")
    chosen = asked if group is None else asked.of_group(group)
    if by_group and not chosen.groups:
        column = f"{named('group', of='read')} COLUMN"
        raise OptionError(f"The ratings have no groups to describe: name a group column with {column}.")
    parts: list[tuple[str | None, Ratings]] = [(group, chosen)]
    parts += [(name, chosen.of_group(name)) for name in chosen.groups] if by_group else []
    samples = [(part.types, measures_for(part, weighting=weights)) for _, part in parts]
    with open_executor(engine, workers=workers) as executor:
        replicates = replicate(samples, replicates=bootstrap, rng=rng, executor=executor, progress=progress)
    drawn_as, about_raters = resolve_raters(raters, chosen, bootstrap=bootstrap)
    if drawn_as == "sampled" and replicates:
        stream = rater_stream(rng)
        pairs = zip(parts, samples, replicates, strict=True)
        replicates = [moved_by_raters(part, measures, own, stream) for (_, part), (_, measures), own in pairs]
    described = []
    warnings = [*chosen.warnings, *about_raters, *_put_together(chosen, has_one_group=group is not None or by_group)]
    for i, (name, part) in enumerate(parts):
        description, more = _describe_one(part, name, samples[i][1], replicates[i] if replicates else {}, confidence)
        described.append(description)
        warnings += more
    return DescribeResult(
        settings=options.settings() | {
            "group": group, "by_group": by_group, "scale": ratings.scale, "labels": list(ratings.labels),
            "weights": _weighting(chosen, weights), "raters": drawn_as, "interval": "percentile",
        },
        data={"ratings": ratings.describe_data()},
        warnings=tuple(warnings),
        whole=described[0],
        groups=tuple(described[1:]),
    )  # fmt: skip


def _put_together(ratings: Ratings, *, has_one_group: bool) -> list[str]:
    """Say what was put together: forced choices and response sets, groups who may see things differently."""
    warnings = []
    if ratings.elicitation is not None and len(np.unique(ratings.elicitation)) == len(ELICITATIONS):
        only = named("elicitation")
        pair = "Forced choices and response sets are counted together"
        warnings.append(f"{pair}: choose one kind with {only} forced_choice or {only} response_set.")
    if ratings.has_response_sets and ratings.scale != "nominal":
        warnings.append("Response sets have no order, so the coefficients for ordered labels are left out.")
    pooled = [] if ratings.among else about_pooling(ratings)
    if len(ratings.groups) > 1 and not has_one_group and not pooled:
        alone = f"{named('group', of='read')} group"
        warnings.append(f"Groups are counted together ({listed(ratings.groups)}): {alone} shows each alone.")
    return [*warnings, *pooled]


def _weighting(ratings: Ratings, weights: Weighting | None) -> str | None:
    is_ordered = ratings.scale != "nominal" and not ratings.has_response_sets
    return (weights or default_weighting(ratings.scale)) if is_ordered else None


def _describe_one(
    ratings: Ratings, group: str | None, measures: Mapping[str, Measure], replicates: Mapping[str, Floats],
    confidence: float,
) -> tuple[Description, list[str]]:  # fmt: skip
    types = ratings.types
    coefficients, warnings = _coefficients(ratings, group, measures, replicates, confidence)
    totals = np.bincount(types.label, weights=types.count * types.items[types.type_of_cell], minlength=types.n_labels)
    shares = [
        LabelShare(label=label, count=int(total), share=float(total / totals.sum()))
        for label, total in zip(ratings.labels, totals, strict=True)
    ]
    by_item, step = _agreement_by_item(ratings)
    description = Description(
        group=group, items=ratings.items_in_all, raters=ratings.n_raters, ratings=ratings.n_ratings,
        fewest=int(types.ratings.min()), median=median(types.ratings.astype(np.float64), types.items),
        most=int(types.ratings.max()), labels=tuple(shares), pairwise_agreement=coefficients[0],
        coefficients=tuple(coefficients[1:]), agreement_by_item=by_item, agreement_step=step,
    )  # fmt: skip
    return description, warnings


def _coefficients(
    ratings: Ratings, group: str | None, measures: Mapping[str, Measure], replicates: Mapping[str, Floats],
    confidence: float,
) -> tuple[list[Coefficient], list[str]]:  # fmt: skip
    """Each measure with its interval, and why where there is none."""
    coefficients = []
    undefined: list[str] = []
    no_interval: dict[str, list[str]] = {}
    for name, measure in measures.items():
        value = float(measure(ratings.types)[0])
        low = high = float("nan")
        if np.isnan(value):
            undefined.append(name)
        elif name in replicates:
            missing = float(np.isnan(replicates[name]).mean())
            if ratings.items_in_all == 1:
                no_interval.setdefault("there is only one item to resample", []).append(name)
            elif missing > UNDEFINED_SHARE:
                no_interval.setdefault(f"undefined in {missing:.0%} of the bootstrap samples", []).append(name)
            else:
                low, high = percentile_interval(replicates[name], confidence)
        coefficients.append(Coefficient(name=name, value=value, low=low, high=high))
    where = "" if group is None else f"In group {group}: "
    warnings = [f"{where}{', '.join(undefined)} undefined: {why_undefined(ratings)}."] if undefined else []
    warnings += [f"{where}No interval for {', '.join(names)}: {why}." for why, names in no_interval.items()]
    return coefficients, warnings


def _agreement_by_item(ratings: Ratings) -> tuple[tuple[tuple[float, int], ...], float]:
    """How many items have which share of agreeing pairs, and the width of the bins; 0 where shares are exact."""
    types = ratings.types
    pairs = pairable(types)
    sizes = np.unique(types.ratings[pairs]).tolist()
    edges = sorted({share for size in sizes for share in possible_agreement(size, types.n_labels)})
    step = 0.0
    if len(edges) > BINS + 1:
        edges, step = sorted({np.floor(share * BINS + HAIR) / BINS for share in edges}), 1 / BINS
    # A hair above each edge, so that a share of 3/5 computed as .6 - 1e-17 is 3/5.
    place = np.searchsorted(edges, agreeing_share(types)[pairs] + HAIR, side="right") - 1
    items = np.bincount(place, weights=types.items[pairs], minlength=len(edges))
    return tuple((float(edge), int(n)) for edge, n in zip(edges, items, strict=True)), step


def possible_agreement(ratings: int, labels: int) -> set[float]:
    """Every share of agreeing pairs that an item can have; of many ratings one in each hundredth from the least on.

    >>> [round(share, 2) for share in sorted(possible_agreement(3, 3))]  # all differ, two agree, all agree
    [0.0, 0.33, 1.0]
    >>> min(possible_agreement(100, 2)) == 2 * 50 * 49 / (100 * 99)
    True
    """
    pairs = ratings * (ratings - 1)
    if ratings > MOST_SPLIT:
        low, more = divmod(ratings, labels)
        least = (more * (low + 1) * low + (labels - more) * low * (low - 1)) / pairs
        return {least, *(step / 100 for step in range(ceil(100 * least), 101))}

    def splits(left: int, most: int, groups: int) -> set[int]:
        """Ordered pairs that agree, of every way to split ratings into groups of at most some size."""
        if not left or not groups:
            return set() if left else {0}
        return {
            size * (size - 1) + rest
            for size in range(min(left, most), 0, -1)
            for rest in splits(left - size, size, groups - 1)
        }

    return {found / pairs for found in splits(ratings, ratings, labels)}
