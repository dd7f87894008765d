"""How many items and raters does it take to tell two judges apart?"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, as_data
from dissensus.data.align import item_by_item
from dissensus.errors import OptionError, counted, named
from dissensus.methods.plan_raters.designs import (
    FromMoments,
    FromTestSets,
    NodeMoments,
    Predictor,
    TestSets,
    frontier_of,
    grid_of,
    is_affordable,
    simulated_designs,
    solved_designs,
    sufficient,
    trade_off,
    traded_pairs,
)
from dissensus.methods.plan_raters.from_pilot import FittedPilot, confirmed, findings, fitted_pilot
from dissensus.methods.plan_raters.moments import normal_nodes
from dissensus.methods.plan_raters.pilot import pilot_of
from dissensus.methods.plan_raters.result import (
    FEWEST_ITEMS,
    ITEMS,
    MOST_ITEMS,
    MOST_RATERS,
    RATERS,
    Design,
    Method,
    PlanMetric,
    PlanRatersOptions,
    PlanRatersResult,
    checked_numbers,
    default_method,
    default_metric,
)
from dissensus.sampling import Engine, Progress, seed_of

FEW_ITEMS = 30
FEW_ITEMS_WARNING = (
    f"Plan again with {named('method')} simulate: with fewer than {FEW_ITEMS} items the closed form for mae "
    "understates power by a few percentage points."
)


def plan_raters(
    *,
    metric: PlanMetric | None = None,
    effect: float | None = None,
    items: Sequence[int] | None = None,
    raters: Sequence[int] = RATERS,
    machine_samples: int | None = None,
    spread: tuple[float, float] = (0.0, 0.3),
    item_cost: float = 0.0,
    rating_cost: float = 1.0,
    budget: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    method: Method | None = None,
    pilot: RatingsLike | None = None,
    pilot_judges: JudgesLike | None = None,
    a: str | None = None,
    b: str | None = None,
    bootstrap: int = 100,
    confidence: float = 0.95,
    simulations: int = 1000,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> PlanRatersResult:
    """The cheapest test set that tells two judges apart, and what other test sets would show.

    Without a pilot, items are those of the paper: responses to an item are normal on a scale from 0 to 1, A answers as
    people do, and B's mean is off by up to `effect` either way. A pilot with at least three raters who have ids is
    planned from for new raters like these, who rate no more items each.

    Parameters
    ----------
    metric : {"wins", "mae", "emd", "emd-binned", "information"}, optional
        How near a judge is to people: on how many items it is the nearer one; by the mean absolute error of its mean
        answer; by the earth mover's distance of its answers from people's; by the paper's variant of that; by how well
        its calibrated answers predict another rater's label, from a pilot only. Information if not given and the pilot
        has labels, else wins.
    effect : float, optional
        How far B is off at most, as a share of the scale; needed unless there is a pilot.
    items, raters : sequence of int, optional
        Numbers of items, and of raters per item, to consider. Without `items`, the closed form finds the best number.
    machine_samples : int, optional
        Answers of each judge to each item; as many as raters if not given, or with a pilot as many as it has.
    spread : (float, float)
        Standard deviations of raters' responses to an item: uniform between these. Not used with a pilot.
    item_cost, rating_cost : float
        What an item costs to prepare, and one rating of it.
    budget : float, optional
        The most that everything may cost.
    power : float
        How often the test must find the difference.
    alpha : float
        Level of the two-sided item sign-flip test, the one that `compare` runs.
    method : {"closed", "simulate"}, optional
        Closed form for wins and MAE, simulated test sets for the others, if not given.
    pilot, pilot_judges : Ratings and Judges, or anything that `read` and `read_judges` take, optional
        Data to learn effect and spread from: at least six items, some with two ratings or more.
    a, b : str, optional
        The judges of the pilot to compare.
    bootstrap : int
        Bootstrap samples of the pilot; 0 to take it at its word.
    confidence : float
        Of the interval on the items needed.
    simulations : int
        Test sets to simulate.
    rng : int or Generator
        Seed.
    engine, workers
        Where the simulation runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    PlanRatersResult

    Raises
    ------
    DissensusError
        If options are missing or contradict each other, or a pilot is too small to plan from.

    See Also
    --------
    plan_labels : How many labels, and how many per item.
    compare : Is one judge better than another?

    References
    ----------
    C. M. Homan, S. Wein, C. Welty, L. Aroyo (2023), "How Many Raters Do You Need? Power Analysis for Foundation
    Models".

    Examples
    --------
    >>> plan = plan_raters(effect=0.1, raters=[5])
    >>> plan.recommended.items, round(plan.recommended.power, 2)
    (145, 0.8)
    """
    if (pilot is None) != (pilot_judges is None):
        raise OptionError(
            f"{named('pilot')} and {named('pilot_judges')} go together: give people's ratings and the judges' answers."
        )
    known = None if pilot is None else as_data(pilot, pilot_judges)
    usual = default_metric(None if known is None else known[0])
    options = PlanRatersOptions.given(
        locals(),
        items=None if items is None else checked_numbers("items", items, fewest=FEWEST_ITEMS, most=MOST_ITEMS),
        raters=checked_numbers("raters", raters, fewest=1, most=MOST_RATERS),
        metric=metric or usual,
        method=method or default_method(metric or usual),
        seed=seed_of(rng),
    )
    options.check_pilot(has_pilot=known is not None)
    if known is not None:
        return _plan_from_pilot(*item_by_item(*known, what="A pilot"), options, rng)
    if options.method == "closed":
        source = NodeMoments(nodes=normal_nodes(effect or 0.0, spread))
        predictor = FromMoments(source=source, metric=options.chosen_metric, alpha=alpha)
        return _planned(options, predictor)
    plan = TestSets(
        metric=options.chosen_metric, effect=effect or 0.0, spread=spread,
        pairs=tuple(dict.fromkeys([*(options.pair(k) for k in options.raters), *traded_pairs(options)])),
        sets=simulations, items=max(options.items or ITEMS),
    )  # fmt: skip
    simulated = simulated_designs(
        plan, options.items or ITEMS, alpha=alpha, rng=rng, engine=engine, workers=workers, progress=progress
    )
    return _planned(options, FromTestSets(simulated=simulated, nodes=normal_nodes(effect or 0.0, spread)))


def _plan_from_pilot(
    ratings: Ratings, judges: Judges, options: PlanRatersOptions, rng: int | Generator | None
) -> PlanRatersResult:
    fit_stream, confirm_stream = np.random.default_rng(rng).spawn(2)
    pilot = pilot_of(ratings, judges, a=options.a, b=options.b)
    samples = options.machine_samples or int(np.median(pilot.a.size))
    options = replace(options, machine_samples=samples, a=pilot.names[0], b=pilot.names[1])
    fitted = fitted_pilot(pilot, options, fit_stream)
    options = replace(options, method="simulate" if fitted.is_drawn else "closed")
    return _planned(options, fitted.predictor, fit=fitted, sources=(ratings, judges), rng=confirm_stream)


def _planned(
    options: PlanRatersOptions, predictor: Predictor, *, fit: FittedPilot | None = None,
    sources: tuple[Ratings, Judges] | None = None, rng: Generator | None = None,
) -> PlanRatersResult:  # fmt: skip
    """The result, once it is known what any design shows."""
    grid = grid_of(predictor, options)
    solver = predictor if isinstance(predictor, FromMoments) else None
    designs = [*grid, *(solved_designs(solver, options) if solver is not None and options.items is None else ())]
    enough = sufficient(designs, options)
    best, about = next(iter(enough), None), None
    warnings: list[str] = []
    if fit is not None and rng is not None:
        best, power = confirmed(fit, options, enough, rng)
        about, warnings = findings(fit, options, best, power)
    if best is None:
        warnings = [_why_none(designs, options), *warnings]
    elif options.chosen_metric == "mae" and solver is not None and best.items < FEW_ITEMS:
        warnings = [FEW_ITEMS_WARNING, *warnings]
    data = {}
    if sources is not None:
        data = {"pilot": dict(sources[0].describe_data()), "pilot_judges": dict(sources[1].describe_data())}
    return PlanRatersResult(
        settings=options.settings(), data=data, warnings=tuple(warnings), grid=grid, recommended=best,
        frontier=frontier_of([design for design in designs if is_affordable(design, options)]),
        trade_off=trade_off(predictor, options), pilot=about,
    )  # fmt: skip


def _why_none(designs: Sequence[Design], options: PlanRatersOptions) -> str:
    """Why no design is recommended, and what would help."""
    affordable = [design for design in designs if is_affordable(design, options)]
    if not affordable:
        least = min(design.cost for design in designs)
        return f"Nothing is within the budget of {options.budget:,g}: the cheapest design costs {least:,g}."
    most = max(affordable, key=lambda design: design.power)
    where = "considered" if options.budget is None else f"within the budget of {options.budget:,g}"
    shape = f"{counted(most.items, 'item')} with {counted(most.raters, 'rater')} each"
    return (
        f"No design {where} reaches power {options.power:g}: the most is {most.power:.2f}, with {shape}. "
        "Consider more items or raters, a larger budget, or less power."
    )
