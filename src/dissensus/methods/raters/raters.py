"""Who are the raters? Each rater's numbers, and what sets groups of them apart."""

from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, Task, as_data, as_ratings
from dissensus.data.align import Answers, answers_of, asked_in_one_way
from dissensus.data.closeness import closeness, label_heights
from dissensus.data.ratings import Elicitation
from dissensus.errors import DissensusError, OptionError, counted, listed
from dissensus.methods.equivalence.equivalence import equivalence
from dissensus.methods.equivalence.options import survey_options
from dissensus.methods.equivalence.result import JudgeWorth
from dissensus.methods.parts.parts import in_parts
from dissensus.methods.raters.cells import (
    FEWEST_TO_SHRINK,
    Groups,
    RaterCells,
    cells_of,
    centred,
    groups_of_raters,
    groups_p,
    on_shared_items,
    pooled_variance,
    rater_means,
    shrink,
    smallest_p,
)
from dissensus.methods.raters.result import (
    About,
    GroupRow,
    GroupTest,
    JudgeByGroup,
    Measure,
    Population,
    RaterRow,
    RatersOptions,
    RatersResult,
    Siding,
)
from dissensus.options import named
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.draws import chunk_sizes, draw_weights
from dissensus.sampling.intervals import bootstrap_interval, holm
from dissensus.sampling.raters import RaterPool, RatersAs, RaterSpread, pool_of, rater_draws, resolve_raters

# ---- Each rater's numbers, drawn towards those of the other raters

FAR = 2.5  # a rater stands out who is this many robust standard deviations below the median (Leys et al. 2013)
TO_DEVIATION = 1.4826  # from the median absolute deviation of a normal distribution to its standard deviation


def rater_rows(
    ratings: Ratings, cells: RaterCells, groups: Groups | None, options: RatersOptions
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
    cells: RaterCells, values: Floats, n_raters: int, *, least: float, confidence: float
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
    if len(known) < FEWEST_TO_SHRINK:
        return [False] * len(measures)
    values = np.array([measure.value for measure in known])
    middle = float(np.median(values))
    limit = middle - FAR * TO_DEVIATION * float(np.median(np.abs(values - middle)))
    return [measure is not None and measure.value < limit and measure.high < middle for measure in measures]


# ---- The answer


def _no_groups(ratings: Ratings, why: Sequence[str]) -> list[str]:
    """That judges are not compared with groups, and what would change that; said once, where `why` says it."""
    if why:
        return []
    if ratings.groups:
        return [
            f"Judges are not compared with groups of raters: all ratings here are of one group, {ratings.groups[0]}."
        ]
    return [f"To compare judges with groups of raters, name the column of groups with {named('group', of='read')}."]


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
    about_judges = [] if judges is None or groups is not None else _no_groups(asked, about_groups)
    drawn_as, about_raters = resolve_raters(raters, asked, bootstrap=bootstrap)
    if judges is not None and groups is not None:
        warnings += about_raters
        with open_executor(engine, workers=workers) as executor:
            sides, about_judges = judges_by_group(
                asked, judges, options, cells=cells, groups=groups, raters=drawn_as, rng=judge_stream,
                executor=executor, progress=progress,
            )  # fmt: skip
    kind = "same label" if np.array_equal(near, np.eye(len(near))) else "distance"
    kind = "shared options" if asked.has_response_sets else kind
    unit = None if heights is None else "share" if options.positive else "labels"
    return RatersResult(
        settings=options.settings() | {"raters": drawn_as, "closeness": kind, "leniency_in": unit},
        data={"ratings": ratings.describe_data(), **({} if judges is None else {"judges": judges.describe_data()})},
        warnings=tuple(dict.fromkeys([*warnings, *about_judges])), raters=portraits, populations=populations,
        groups=group_rows(cells, groups), tests=tests, judges=sides,
    )  # fmt: skip


def _missing(cells: RaterCells, heights: Floats | None) -> list[str]:
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


# ---- Groups of raters


def group_rows(cells: RaterCells, groups: Groups | None) -> tuple[GroupRow, ...]:
    """Each group's raters and ratings, and means over its ratings of items that other groups rated too."""
    if groups is None:
        return ()
    group = groups.of_cells(cells)
    in_both = on_shared_items(cells, groups)
    difference = cells.agreement - cells.others
    return tuple(
        GroupRow(
            group=name,
            raters=int(np.sum(groups.of_rater == code)),
            ratings=int(cells.size[group == code].sum()),
            difference=_mean(difference[in_both & (group == code)]),
            leniency=_mean(cells.leniency[in_both & (group == code)]),
        )
        for code, name in enumerate(groups.names)
    )


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def group_tests(
    cells: RaterCells, groups: Groups | None, options: RatersOptions, rng: Generator
) -> tuple[tuple[GroupTest, ...], list[str]]:
    """Whether groups differ in agreement and in leniency more than random groups of raters do, and warnings."""
    if groups is None:
        return (), []
    in_both = on_shared_items(cells, groups)
    values: dict[About, Floats] = {
        "agreement": np.where(in_both, cells.agreement - cells.others, np.nan),
        "leniency": centred(cells, np.where(in_both, cells.height, np.nan)),
    }
    tests = tuple(
        GroupTest(about=about, p_value=groups_p(cells, value, groups, resamples=options.resamples, rng=stream))
        for (about, value), stream in zip(values.items(), rng.spawn(len(values)), strict=True)
    )
    if not in_both.any():
        return tests, ["Groups cannot be compared: no item was rated by two of them."]
    least = smallest_p(groups)
    few = "Groups of so few raters cannot be shown to differ"
    warning = f"{few}: their p-value is never below {least:.2g}, however far apart they are."
    return tests, [warning] if least > 1 - options.confidence else []


# ---- How many raters of each group a judge is worth

Worth = JudgeWorth | str  # what a judge is worth, or why that is unknown
ONE_RATER = "most items have one rater of the group."


def worths_by_group(
    ratings: Ratings, judges: Judges, options: RatersOptions, *, names: tuple[str, ...], rng: Generator,
    executor: Executor, progress: Progress | None,
) -> dict[str, list[Worth]]:  # fmt: skip
    """For each judge how many raters of each of these groups it is worth.

    Judges that answered the same items in the same way go through one survey of people, which is what takes long.
    """
    worths: dict[str, list[Worth]] = {name: [] for name in judges.judges}
    for group, stream in zip(names, rng.spawn(len(names)), strict=True):
        members = ratings.of_group(group)
        batches = _batches_on_same_items(members, judges)
        for batch, batch_rng in zip(batches, stream.spawn(len(batches)), strict=True):
            for name, worth in _worths(members, batch, options, batch_rng, executor, progress).items():
                worths[name].append(worth)
    return worths


def _batches_on_same_items(members: Ratings, judges: Judges) -> list[Judges]:
    """The judges in batches that the same survey of these raters serves."""
    batches: dict[tuple[object, ...], list[int]] = {}
    known = np.isin(judges.items, members.items)
    for code, name in enumerate(judges.judges):
        rows = judges.judge == code
        answers = judges[name]
        key = (np.unique(judges.item[rows & known[judges.item]]).tobytes(), *survey_options(members, answers).items())
        batches.setdefault(key, []).append(code)
    return [judges.where(np.isin(judges.judge, codes)) for codes in batches.values()]


def _worths(
    members: Ratings, judges: Judges, options: RatersOptions, rng: Generator, executor: Executor,
    progress: Progress | None,
) -> dict[str, Worth]:  # fmt: skip
    """What each of some judges is worth in raters of one group."""
    try:
        result = equivalence(
            members, judges, **survey_options(members, judges), bootstrap=options.bootstrap,
            # A group may have too few raters to be a sample, and then stands for itself.
            raters="fixed" if options.raters == "fixed" else None,
            confidence=options.confidence, rng=rng, engine=executor, progress=progress,
        )  # fmt: skip
    except DissensusError as error:
        return dict.fromkeys(judges.judges, error.message)
    if not result.curve[-1].raters:
        return dict.fromkeys(judges.judges, ONE_RATER)
    return {own.judge: own for own in sorted(result.judges, key=lambda own: own.calibrated)}  # the last one stays


# ---- A judge against each group of raters: is it nearer to one of them?

NAN = float("nan")
DECIMALS = 9  # sums that differ by less are the same


def closeness_and_bias(
    answers: Answers, labels: tuple[str, ...], ratings: Ratings, cells: RaterCells, options: RatersOptions
) -> tuple[Floats, Floats]:
    """How near a judge is to each cell's answer, and how much higher; NaN where it is silent or gave no number.

    The labels are the raters', then those that only judges use.
    """
    strange = labels[ratings.n_labels :]
    to_label = answers.predictions @ closeness(ratings, strange)
    near = np.bincount(cells.of_rating, weights=to_label[ratings.item, ratings.label]) / cells.size
    heights = label_heights(ratings, options.positive, strange)
    bias = np.full(len(near), NAN)
    if heights is not None:
        bias = _height(answers, heights, is_share=bool(options.positive))[cells.item] - cells.height
    return near, bias


def _height(answers: Answers, heights: Floats, *, is_share: bool) -> Floats:
    """The judge's answer to each item as a number; the very number that it gave, where labels are numbers."""
    is_known = np.isfinite(heights)
    height = answers.predictions @ np.where(is_known, heights, 0.0)
    height = np.where(answers.predictions[:, ~is_known].sum(axis=1) > 0, NAN, height)
    return height if is_share or np.isnan(answers.values).all() else answers.values


def judges_by_group(
    ratings: Ratings, judges: Judges, options: RatersOptions, *, cells: RaterCells, groups: Groups, raters: RatersAs,
    rng: Generator, executor: Executor, progress: Progress | None,
) -> tuple[tuple[Siding, ...], list[str]]:  # fmt: skip
    """Whether each judge is nearer to one group than to raters dealt into groups at random, and warnings."""
    shared = judges.only(options.judge).on_items_of(ratings)
    everybody, labels, warnings = answers_of(shared, ratings)
    test_stream, sample_stream, survey_stream, rater_rng = rng.spawn(4)
    worths = worths_by_group(
        ratings, shared, options, names=groups.names, rng=survey_stream, executor=executor, progress=progress
    )
    in_both = on_shared_items(cells, groups)
    pool = _cell_pool(cells, rater_rng) if raters == "sampled" and options.bootstrap else None
    rows, p_values = [], []
    for answers in everybody:
        near, bias = closeness_and_bias(answers, labels, ratings, cells, options)
        nearer = centred(cells, np.where(in_both, near, NAN))
        p_values.append(groups_p(cells, nearer, groups, resamples=options.resamples, rng=test_stream))
        rows.append(_by_group(near, bias, cells, groups, worths[answers.judge], options, sample_stream, pool))
    made = []
    for answers, by_group, p, p_holm in zip(everybody, rows, p_values, holm(p_values), strict=True):
        nearest = max(by_group, key=lambda group: -np.inf if np.isnan(group.nearer) else group.nearer)
        side = nearest.group if p_holm <= 1 - options.confidence else None
        made.append(Siding(judge=answers.judge, p_value=p, p_holm=p_holm, sides_with=side, groups=by_group))
    return tuple(made), [*shared.warnings, *warnings, *_about_unknown_worth(groups, worths)]


def _about_unknown_worth(groups: Groups, worths: dict[str, list[Worth]]) -> list[str]:
    """Why judges have no worth in raters of some groups, once for each reason."""
    why: dict[str, dict[str, None]] = {}
    for by_group in worths.values():
        for group, worth in zip(groups.names, by_group, strict=True):
            if isinstance(worth, str):
                why.setdefault(worth, {})[group] = None
    return [
        f"How many raters a judge is worth is unknown for {counted(len(names), 'group')} ({listed(list(names))}): "
        f"{reason}"
        for reason, names in why.items()
    ]


def _by_group(
    near: Floats, height: Floats, cells: RaterCells, groups: Groups, worths: list[Worth], options: RatersOptions,
    rng: Generator, pool: RaterPool | None,
) -> tuple[JudgeByGroup, ...]:  # fmt: skip
    """A judge's closeness to each group and its bias, with intervals from resampling items, and raters."""
    group = groups.of_cells(cells)
    grouped = np.where(group >= 0, near, NAN)
    rows = []
    draws = None if pool is None else rater_draws(options.bootstrap, pool.n_groups, rng)
    for code, name in enumerate(groups.names):
        inside = group == code
        nearer = _mean_and_samples(_nearer(grouped, cells.item, inside), cells, options, rng)
        bias = _mean_and_samples(np.where(inside, height, NAN), cells, options, rng)
        if pool is not None and draws is not None:
            spread = _spread(pool, inside, grouped, height)
            nearer, bias = (
                (value, spread.column(i).moved(samples[:, None], draws)[:, 0]) if len(samples) else (value, samples)
                for i, (value, samples) in enumerate((nearer, bias))
            )
        near_low, near_high = bootstrap_interval(*nearer, confidence=options.confidence, kind="percentile")
        bias_low, bias_high = bootstrap_interval(*bias, confidence=options.confidence, kind="percentile")
        known = inside & ~np.isnan(near)
        rows.append(
            JudgeByGroup(
                group=name,
                agreement=float(near[known].mean()) if known.any() else NAN,
                nearer=nearer[0], nearer_low=near_low, nearer_high=near_high,
                bias=bias[0], bias_low=bias_low, bias_high=bias_high,
                worth=worth if isinstance(worth := worths[code], JudgeWorth) else None,
                items=int(np.count_nonzero(np.bincount(cells.item[known]))),
            )
        )  # fmt: skip
    return tuple(rows)


def _nearer(closeness: Floats, item: Codes, inside: Flags) -> Floats:
    """Closeness to the group's answers less that to the other groups' answers on the same item; NaN without either."""
    others = ~inside & ~np.isnan(closeness)
    n_items = int(item.max(initial=-1)) + 1
    total = np.bincount(item[others], weights=closeness[others], minlength=n_items)
    count = np.bincount(item[others], minlength=n_items)
    mean = np.divide(total, count, out=np.full(n_items, NAN), where=count > 0)
    return np.asarray(np.where(inside, closeness - mean[item], NAN))


def _cell_pool(cells: RaterCells, rng: Generator) -> RaterPool:
    """Who answered what, to leave raters out; the labels are the cells whose answer each rater gives."""
    row = np.lexsort((cells.rater, cells.item))
    return pool_of(row, cells.item[row], cells.rater[row], row, rng)


def _spread(pool: RaterPool, inside: Flags, near: Floats, height: Floats) -> RaterSpread:
    """Variances that raters bring to how much nearer a judge is to a group, and to its bias."""
    values = []
    own = inside[pool.row]
    for left, given in pool.rows():
        closer = _nearer(near[given][left], pool.item[left], own[left])
        values.append([_mean(closer), _mean(height[given][left & own])])
    return pool.spread(np.array(values))


def _mean_and_samples(
    values: Floats, cells: RaterCells, options: RatersOptions, rng: Generator
) -> tuple[float, Floats]:
    """Mean of the known values, and in bootstrap samples of the items; items with the same sums are drawn as one."""
    known = ~np.isnan(values)
    if not known.any():
        return NAN, np.empty(0)
    total, count = np.bincount(cells.item[known], weights=values[known]), np.bincount(cells.item[known])
    part = np.flatnonzero(count)
    sums = np.stack([np.round(total[part], DECIMALS), count[part]], axis=1)
    kinds, times = np.unique(sums, axis=0, return_counts=True)
    means = [np.empty(0)]
    for size in chunk_sizes(options.bootstrap, len(kinds)):
        drawn = draw_weights(len(kinds), size, rng, copies=times) @ kinds
        means.append(drawn[:, 0] / drawn[:, 1])
    return float(total.sum() / count.sum()), np.concatenate(means)
