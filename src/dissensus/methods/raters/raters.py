"""Who are the raters? Each rater's numbers, and what sets groups of them apart."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import JudgesLike, Ratings, RatingsLike, Task, as_data, as_ratings
from dissensus.data.align import asked_in_one_way
from dissensus.data.closeness import closeness, label_heights
from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.parts.parts import in_parts
from dissensus.methods.raters.by_group import group_rows, group_tests, sidings
from dissensus.methods.raters.cells import (
    FEWEST_RATERS,
    Cells,
    Groups,
    cells_of,
    groups_of_raters,
    pooled_variance,
    rater_means,
    shrink,
)
from dissensus.methods.raters.result import Measure, Population, RaterRow, RatersOptions, RatersResult, Siding
from dissensus.options import named
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.raters import RatersAs, resolve_raters

# ---- Each rater's numbers, drawn towards those of the other raters

FAR = 2.5  # a rater stands out who is this many robust standard deviations below the median (Leys et al. 2013)
TO_DEVIATION = 1.4826  # from the median absolute deviation of a normal distribution to its standard deviation


def rater_rows(
    ratings: Ratings, cells: Cells, groups: Groups | None, options: RatersOptions
) -> tuple[tuple[RaterRow, ...], dict[str, Population]]:
    """A row for each rater, and how raters differ."""
    n = len(ratings.raters)
    agreement, _ = rater_means(cells, cells.agreement, n)
    others, _ = rater_means(cells, cells.others, n)
    items = np.bincount(cells.rater, minlength=n)
    given = np.bincount(cells.rater, weights=cells.size, minlength=n).astype(np.intp)
    parts = {
        "difference": (cells.agreement - cells.others, -1.0),
        "leniency": (cells.leniency, -np.inf),
        "consistency": (cells.repeated, 0.0),
    }
    measures: dict[str, list[Measure | None]] = {}
    populations: dict[str, Population] = {}
    for name, (values, least) in parts.items():
        measures[name], population = measures_of(cells, values, n, least=least, confidence=options.confidence)
        populations |= {} if population is None else {name: population}
    far = standing_out(measures["difference"])
    return tuple(
        RaterRow(
            rater=name, group=None if groups is None or groups.of_rater[r] < 0 else groups.names[groups.of_rater[r]],
            items=int(items[r]), ratings=int(given[r]), agreement=float(agreement[r]), others=float(others[r]),
            difference=measures["difference"][r], leniency=measures["leniency"][r],
            consistency=measures["consistency"][r],
            stands_out=bool(far[r]),
        )
        for r, name in enumerate(ratings.raters)
    ), populations  # fmt: skip


def measures_of(
    cells: Cells, values: Floats, n_raters: int, *, least: float, confidence: float
) -> tuple[list[Measure | None], Population | None]:
    """A number for each rater from the values of the rater's cells, drawn towards the others.

    Bounds end at `least`, where it is finite, and at 1.
    """
    means, counts = rater_means(cells, values, n_raters)
    if not counts.any():
        return [None] * n_raters, None
    variance = pooled_variance(values, cells.rater, means)
    if variance == 0 and least == 0.0:
        # All answers were repeated exactly, which few repeats do by chance: as if one of two more had not been.
        share = (counts.sum() + 1) / (counts.sum() + 2)
        variance = float(share * (1 - share))
    shrunk = shrink(means, counts, variance, confidence=confidence)
    most = 1.0 if np.isfinite(least) else np.inf
    low, high = np.maximum(shrunk.low, least), np.minimum(shrunk.high, most)
    measures = [
        Measure(value=float(means[r]), shrunk=float(shrunk.value[r]), low=float(low[r]), high=float(high[r]),
                items=int(counts[r]))
        if counts[r]
        else None
        for r in range(n_raters)
    ]  # fmt: skip
    return measures, Population(mean=shrunk.mean, spread=shrunk.spread, raters=int(np.sum(counts > 0)))


def standing_out(measures: Sequence[Measure | None]) -> list[bool]:
    """Who lies far below the others; the median and the deviations from it do not hide one who does.

    A rater with few items must be far below by what chance gives to so few, too.
    """
    known = [measure for measure in measures if measure is not None]
    if len(known) < FEWEST_RATERS:
        return [False] * len(measures)
    values = np.array([measure.value for measure in known])
    middle = float(np.median(values))
    limit = middle - FAR * TO_DEVIATION * float(np.median(np.abs(values - middle)))
    return [measure is not None and measure.value < limit and measure.high < middle for measure in measures]


# ---- The answer

NO_GROUPS = (
    "Judges are compared with groups of raters, and the ratings have none: name the column of groups with "
    f"{named('group', of='read')}."
)


@in_parts(needs_judges=False)
def raters(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    positive: str | Sequence[str] = (),
    task: Task | None = None,
    elicitation: Elicitation | None = None,
    resamples: int = 2000,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> RatersResult:
    """How each rater agrees with the rest, how lenient and consistent each is, and whether judges side with a group.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item. Groups are compared if every rater is in one group only; consistency needs
        items that came again (read with `repeats="keep"`).
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered; compared with each group.
    judge : str or sequence of str, optional
        Which judges; all if not given.
    positive : str or sequence of str
        Labels that leniency counts, and response sets with one of them; those of the task if not given; without either
        leniency is in the numbers or the order of the labels.
    task : Task, optional
        Which options are positive.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way; forced choices where there are both.
    resamples : int
        Dealings of raters into groups, of the tests.
    raters : {"sampled", "fixed"}, optional
        Intervals of judges by group for raters like these, or for these raters alone; sampled if not given and at least
        three raters have ids.
    bootstrap : int
        Bootstrap samples of the items, for judges by group; 0 for no intervals.
    confidence : float
        Of the intervals, and of what is called siding with a group.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    RatersResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or the
        ratings do not say who rated.

    See Also
    --------
    describe : Do the raters agree?
    alt_test : Can a judge replace a rater?

    References
    ----------
    C. Morris (1983), "Parametric Empirical Bayes Inference: Theory and Applications", JASA 78.

    Examples
    --------
    >>> import pandas as pd
    >>> from dissensus import read
    >>> table = {"item": [1, 1, 1, 2, 2, 2], "rater": ["a", "b", "c"] * 2, "label": ["no", "no", "yes"] * 2}
    >>> found = raters(read(pd.DataFrame(table)), positive="yes")
    >>> [(rater.rater, rater.agreement, rater.others, rater.leniency.value) for rater in found.raters]
    [('a', 0.5, 0.0, -0.5), ('b', 0.5, 0.0, -0.5), ('c', 0.0, 1.0, 1.0)]
    """
    if judge is not None and judges is None:
        raise OptionError(f"{named('judge')} needs the judges' answers: name their file as well.")
    ratings, judges = (as_ratings(ratings), None) if judges is None else as_data(ratings, judges)
    options = RatersOptions.given(locals(), positive=positive or (task.positive if task else ()), seed=seed_of(rng))
    test_stream, judge_stream = np.random.default_rng(rng).spawn(2)
    asked, about_kinds = asked_in_one_way(ratings, None, options.elicitation)
    near, heights = closeness(asked), label_heights(asked, options.positive)
    cells = cells_of(asked, near, heights)
    groups, about_groups = groups_of_raters(asked)
    portraits, populations = rater_rows(asked, cells, groups, options)
    tests, about_tests = group_tests(cells, groups, options, test_stream)
    warnings = [*ratings.warnings, *about_kinds, *about_groups, *about_tests, *_missing(cells, heights)]
    sides: tuple[Siding, ...] = ()
    about_judges = [] if judges is None or groups is not None else [NO_GROUPS]
    drawn_as, about_raters = resolve_raters(raters, asked, bootstrap=bootstrap)
    if judges is not None and groups is not None:
        warnings += about_raters
        with open_executor(engine, workers=workers) as executor:
            sides, about_judges = sidings(
                asked, judges, options, cells=cells, groups=groups, rng=judge_stream,
                executor=executor, progress=progress,
            )  # fmt: skip
    kind = "same label" if np.array_equal(near, np.eye(len(near))) else "distance"
    kind = "shared options" if asked.has_response_sets else kind
    unit = None if heights is None else "share" if options.positive else "labels"
    return RatersResult(
        settings=options.settings() | {"raters": drawn_as, "closeness": kind, "leniency_in": unit},
        data={"ratings": ratings.describe_data(), **({} if judges is None else {"judges": judges.describe_data()})},
        warnings=tuple(dict.fromkeys([*warnings, *about_judges])),
        raters=portraits,
        populations=populations,
        groups=group_rows(cells, groups),
        tests=tests,
        judges=sides,
    )


def _missing(cells: Cells, heights: Floats | None) -> list[str]:
    """Why numbers are missing."""
    texts = []
    if heights is None:
        texts.append(f"Name a label with {named('positive')} to see who gives it more often.")
    if np.isnan(cells.others).all():
        texts.append("No item has three raters, so nobody's agreement can be compared with that of the others.")
    elif np.bincount(cells.rater[~np.isnan(cells.others)]).max() == 1:
        texts.append(
            "Nobody has two items with three raters, so differences between raters may be chance: their "
            "numbers have no intervals and are not drawn towards each other."
        )
    if np.isnan(cells.repeated).all():
        kept = f"repeats are kept with {named('repeats', of='read')} keep"
        texts.append(f"No consistency: no rater rated an item twice ({kept}).")
    return texts
