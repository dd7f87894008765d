"""Planning from a pilot: the model behind it, what it predicts, what it leaves open, and where it cannot tell.

Designs are confirmed in simulated data. Labels come from a Dirichlet-multinomial model: an item's shares are drawn from
what its ratings leave open. Measurements come from beta distributions between the lowest and the highest response, with
the mean and the spread that the fit of the pilot leaves open.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.errors import RatingsError, counted
from dissensus.methods.plan_raters.designs import (
    FLIPS,
    FromMoments,
    MomentSource,
    NodeMoments,
    Pair,
    design_of,
    row_of,
    sign_flip_p,
    sufficient,
    traded_pairs,
)
from dissensus.methods.plan_raters.draws import (
    DrawnMoments,
    LabelDraws,
    LabelModel,
    chosen_answers,
    fit_labels,
    label_draws,
    mean_answers,
    value_draws,
    value_gap,
)
from dissensus.methods.plan_raters.moment_sources import (
    HERMITE_POINTS,
    Gaps,
    InformationMoments,
    NewRaters,
    check_information,
    fit_pilot,
    for_new_raters,
    information_moments,
    label_gaps,
    log_ratios,
    resampled_weights,
)
from dissensus.methods.plan_raters.moments import Moments, Nodes, sign_flip_power
from dissensus.methods.plan_raters.pilot import (
    DRAWS,
    Pilot,
    Summary,
    Vectors,
    check_metric,
    gap,
    label_shares,
    spreads_of,
    vectors_of,
)
from dissensus.methods.plan_raters.result import CLOSED, FEWEST_ITEMS, Design, PilotFindings, PlanRatersOptions
from dissensus.sampling.draws import chunk_sizes
from dissensus.sampling.raters import FEWEST_RATERS

# ---- Simulate a design from a fitted model of the pilot, to see whether the predicted power is there

SETS = 400
MOST_VALUES = 4_000_000  # numbers that are held at a time
MOST_ITEMS = 400_000  # items times test sets that are simulated at most; larger designs get fewer test sets
FEWEST_SETS = 100
WIDEST = 0.95  # a beta distribution's variance, as a share of the most that its mean allows


class InformationDraws(NamedTuple):
    """A model of the labels, and by how many bits A's calibrated answer to an item predicts each label better."""

    model: LabelModel
    ratios: Floats  # (n_items, n_labels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A pilot with a model of its labels, or with the kinds of items behind its measurements."""

    pilot: Pilot  # the data
    labels: LabelDraws | None = None  # of labels
    told: InformationDraws | None = None  # of labels, for what calibrated judges tell
    nodes: Nodes | None = None  # of measurements: this many nodes for each item as `per_item` says, item by item
    per_item: int = 1  # see there


def simulated_power(model: Model, design: Design, *, metric: str, alpha: float, rng: Generator) -> float:
    """Power of the design in simulated test sets."""
    if design.items > MOST_ITEMS // FEWEST_SETS:
        return _power_of_many(model, design, metric=metric, alpha=alpha, rng=rng)
    sets = min(MOST_ITEMS // design.items, SETS)
    signs = rng.integers(0, 2, size=(FLIPS, design.items)).astype(np.float32) * 2 - 1
    gaps = _gaps(model, design, sets * design.items, metric, rng).reshape(sets, design.items)
    return float(np.mean(sign_flip_p(np.sign(gaps) if metric == "wins" else gaps, signs) <= alpha))


def _power_of_many(model: Model, design: Design, *, metric: str, alpha: float, rng: Generator) -> float:
    """With very many items the test depends on the moments of one item only; these are simulated."""
    gaps = _gaps(model, design, MOST_ITEMS, metric, rng)
    moments = Moments(
        margin=np.asarray(np.sign(gaps).mean()), tied=np.asarray((gaps == 0).mean()), mean=np.asarray(gaps.mean()),
        variance=np.asarray(gaps.var()), null_variance=np.asarray(np.nan),
    )  # fmt: skip
    return float(sign_flip_power(moments, design.items, metric=metric, alpha=alpha))


def _numbers_per_item(model: Model, design: Design) -> int:
    if model.told is not None:
        return 2 * len(model.pilot.aligned.labels)
    if model.labels is None:
        return design.raters + 2 * design.machine_samples
    return int(np.prod(model.labels.vectors.people.shape[1:])) + design.machine_samples


def _gaps(model: Model, design: Design, n: int, metric: str, rng: Generator) -> Floats:
    """By how much B is farther from people than A, on n items."""
    sizes = chunk_sizes(n, _numbers_per_item(model, design), most=MOST_VALUES)
    return np.concatenate([_some_gaps(model, design, size, metric, rng) for size in sizes])


def _some_gaps(model: Model, design: Design, n: int, metric: str, rng: Generator) -> Floats:
    if model.told is not None:
        item = rng.integers(0, model.pilot.n_items, size=n)
        given = _drawn_shares(model.pilot, model.told.model, item, design.raters, rng)
        return np.asarray(np.einsum("il,il->i", given, model.told.ratios[item]))
    if model.labels is not None:
        item = rng.integers(0, model.pilot.n_items, size=n)
        return _label_gaps(model.pilot, model.labels, item, design, rng)
    assert model.nodes is not None  # noqa: S101 - one of the two is given
    node = rng.choice(len(model.nodes.weight), p=model.nodes.weight / model.nodes.weight.sum(), size=n)
    return _value_gaps(model.pilot, model.nodes, node, node // model.per_item, design, metric, rng)


def _drawn_shares(pilot: Pilot, model: LabelModel, item: Codes, raters: int, rng: Generator) -> Floats:
    """Shares of the labels that this many raters give to items."""
    shares = rng.standard_gamma(model.posterior(pilot.counts())[item]) + 1e-300
    return np.asarray(rng.multinomial(raters, shares / shares.sum(axis=1, keepdims=True)) / raters)


def _label_gaps(pilot: Pilot, labels: LabelDraws, item: Codes, design: Design, rng: Generator) -> Floats:
    given = _drawn_shares(pilot, labels.model, item, design.raters, rng)
    vectors = labels.vectors
    every = vectors.people if len(vectors.people) == 1 else vectors.people[item]
    people = (given @ every[0])[:, None] if len(every) == 1 else given[:, None] @ every
    a, b = (
        mean_answers(judge[item], chosen_answers(answers.sizes[item], design.machine_samples, 1, rng))
        for judge, answers in zip(vectors.judges, pilot.answers, strict=True)
    )
    return gap(people, a, b, is_sorted=vectors.is_sorted)[:, 0]


def _value_gaps(
    pilot: Pilot, nodes: Nodes, node: Codes, item: Codes, design: Design, metric: str, rng: Generator
) -> Floats:
    ratings = pilot.rating_values()
    bounds = float(np.nanmin(ratings)), float(np.nanmax(ratings))
    answers = pilot.answer_values()
    widest = (
        min(bounds[0], *(float(np.nanmin(values)) for values in answers)),
        max(bounds[1], *(float(np.nanmax(values)) for values in answers)),
    )
    center = pilot.people.mean[item]
    people = beta_responses(center, nodes.people[node], bounds, design.raters, rng)
    a, b = (
        beta_responses(center + shift[node], nodes.machine[node], widest, design.machine_samples, rng)
        for shift in (nodes.shift_a, nodes.shift_b)
    )
    return value_gap(people, a, b, metric=metric, bounds=bounds)


def beta_responses(mean: Floats, spread: Floats, bounds: tuple[float, float], size: int, rng: Generator) -> Floats:
    """Responses within bounds with these means and standard deviations, of shape (n, size).

    Where the mean is at a bound, or beyond it, every response is the bound; a spread that the mean does not allow is
    taken as the widest that it does.

    >>> beta_responses(np.array([0.5, 2.0]), np.array([0.0, 0.3]), (0.0, 1.0), 2, np.random.default_rng(0)).tolist()
    [[0.5, 0.5], [1.0, 1.0]]
    """
    low, high = bounds
    width = max(high - low, 1e-300)
    place = np.clip((mean - low) / width, 0, 1)
    room = place * (1 - place)
    variance = np.minimum((spread / width) ** 2, WIDEST * room)
    is_fixed = variance <= 1e-9 * np.maximum(room, 1e-12)
    strength = room / np.where(is_fixed, 1, variance) - 1
    drawn = rng.beta(
        np.where(is_fixed, 1, place * strength)[:, None], np.where(is_fixed, 1, (1 - place) * strength)[:, None],
        size=(len(place), size),
    )  # fmt: skip
    return np.asarray(low + width * np.where(is_fixed[:, None], place[:, None], drawn))


# ---- From a pilot to a predictor: the one that suits its labels and the metric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedPilot:
    """A pilot, the predictor that was made of it, and the model that designs are confirmed with."""

    pilot: Pilot
    predictor: FromMoments
    model: Model
    typical_raters: int
    is_drawn: bool  # whether predictions come from the pilot's own ratings, not from a closed form

    @property
    def raters(self) -> NewRaters | None:
        """What is known of the raters, where the plan is for new ones."""
        return self.predictor.source if isinstance(self.predictor.source, NewRaters) else None

    def own_pair(self, options: PlanRatersOptions) -> Pair:
        """The pilot's own numbers of raters and samples."""
        return options.pair(self.typical_raters)


def _most_raters(pilot: Pilot, options: PlanRatersOptions) -> int:
    """The most that any prediction is asked for."""
    return max(*options.raters, traded_pairs(options)[1][0], int(np.median(pilot.people.size)))


def _measured(pilot: Pilot, options: PlanRatersOptions, weights: Floats, rng: Generator) -> tuple[MomentSource, Model]:
    is_closed = options.chosen_metric in CLOSED
    nodes = fit_pilot(pilot, spreads_of(pilot), weights if is_closed else weights[:1])
    model = Model(pilot=pilot, nodes=row_of(nodes, 0), per_item=DRAWS * HERMITE_POINTS**2)
    if is_closed:
        return NodeMoments(nodes=nodes), model
    samples = options.machine_samples or 1
    draws = value_draws(
        pilot, options.chosen_metric, most_raters=_most_raters(pilot, options), samples=samples, rng=rng
    )
    machine = [_mean_variance(pilot.a), _mean_variance(pilot.b)]
    noise = float(np.mean(machine[0] / pilot.a.size + machine[1] / pilot.b.size))
    return DrawnMoments(
        draws=draws,
        weights=weights,
        apart=max(float(np.mean((pilot.a.mean - pilot.b.mean) ** 2)) - noise, 0.0),
        people=_mean_variance(pilot.people),
        machine=sum(machine) / 2,
    ), model


def _mean_variance(responses: Summary) -> float:
    known = responses.variance[np.isfinite(responses.variance)]
    return float(known.mean()) if known.size else 0.0


def _informed(pilot: Pilot, options: PlanRatersOptions, weights: Floats, rng: Generator) -> tuple[MomentSource, Model]:
    """Of what calibrated judges tell."""
    check_information(pilot, options)
    ratios = log_ratios(pilot, rng)
    shares = label_shares(pilot)
    model = fit_labels(pilot.counts(), np.concatenate(shares, axis=1), shares)
    return information_moments(pilot, ratios, weights), Model(pilot=pilot, told=InformationDraws(model, ratios))


def _gaps_of(pilot: Pilot, metric: str, source: MomentSource) -> Gaps | None:
    """What a metric says about each item, from counts of labels; None where it needs every response."""
    if isinstance(source, InformationMoments):
        ratios = source.ratios
        return lambda counts: np.einsum("il,il->i", counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), ratios)
    if pilot.is_measured and metric not in CLOSED:
        return None
    return label_gaps(pilot, metric)


def _labelled(pilot: Pilot, options: PlanRatersOptions, weights: Floats, rng: Generator) -> tuple[MomentSource, Model]:
    draws = label_draws(
        pilot, options.chosen_metric, most_raters=_most_raters(pilot, options), samples=options.machine_samples or 1,
        rng=rng,
    )  # fmt: skip
    people, machine, apart = _label_spreads(pilot, draws.vectors)
    source = DrawnMoments(draws=draws, weights=weights, apart=apart, people=people, machine=machine)
    return source, Model(pilot=pilot, labels=draws)


def _label_spreads(pilot: Pilot, vectors: Vectors) -> tuple[float, float, float]:
    """Mean variance of one rating, and of one answer; mean square of how far apart the judges are."""
    counts, size = pilot.counts(), pilot.people.size
    mean = (counts[:, None, :] @ vectors.people)[:, 0] / size[:, None]
    square = (counts * (vectors.people**2).sum(axis=2)).sum(axis=1) / size - (mean**2).sum(axis=1)
    people = float(np.mean((square * size / np.maximum(size - 1, 1))[size > 1]))
    means = pilot.means_of(vectors.judges)
    machine = [
        _answer_variance(judge, answers.sizes) for judge, answers in zip(vectors.judges, pilot.answers, strict=True)
    ]
    noise = sum(float(np.mean(judge / answers.sizes)) for judge, answers in zip(machine, pilot.answers, strict=True))
    apart = float(np.mean(((means[0] - means[1]) ** 2).sum(axis=1)))
    return people, sum(machine) / 2, max(apart - noise, 0.0)


def _answer_variance(vectors: Floats, size: Floats) -> float:
    """Mean variance of one answer to an item, over items with several; 0 if there are none."""
    several = size > 1
    if not several.any():
        return 0.0
    mean = vectors.sum(axis=1) / size[:, None]
    square = np.maximum((vectors**2).sum(axis=(1, 2)) / size - (mean**2).sum(axis=1), 0)
    return float(np.mean((square * size / np.maximum(size - 1, 1))[several]))


# ---- What a pilot says, what it leaves open, and where it cannot tell

FAR_OFF = 0.1  # a simulated power this far below the one asked for does not confirm a design
LARGER = (1.15, 1.3, 1.5, 1.75, 2.0)  # by how much a design is enlarged whose power is not there in simulated data
MOST_TIMES = 100  # a pilot that would have to be larger than that many of the same is not advised
MOST_TRIED = 8  # this many designs are simulated before the cheapest is recommended with a warning


def fitted_pilot(pilot: Pilot, options: PlanRatersOptions, rng: Generator) -> FittedPilot:
    """The pilot, fitted with its bootstrap samples; an error says why it cannot serve.

    Measurements are taken as normal, with the pilot's noise taken out; labels are drawn from the pilot's own ratings,
    and so are measurements for the earth mover's distances.
    """
    check_metric(pilot, options.chosen_metric)
    _check_judges_differ(pilot, options.chosen_metric)
    weights = resampled_weights(pilot.n_items, options.bootstrap, rng)
    fit = _informed if options.chosen_metric == "information" else _measured if pilot.is_measured else _labelled
    source, model = fit(pilot, options, weights, rng)
    is_drawn = isinstance(source, DrawnMoments)
    gaps = _gaps_of(pilot, options.chosen_metric, source)
    if gaps is not None:
        source = for_new_raters(pilot, source, gaps, metric=options.chosen_metric, bootstrap=options.bootstrap, rng=rng)
    fitted = FittedPilot(
        pilot=pilot, predictor=FromMoments(source=source, metric=options.chosen_metric, alpha=options.alpha),
        model=model, typical_raters=int(np.median(pilot.people.size)), is_drawn=is_drawn,
    )  # fmt: skip
    _check_direction(fitted, options)
    return fitted


def _check_judges_differ(pilot: Pilot, metric: str) -> None:
    if metric == "information":
        return  # judges that answer differently may tell the same, once calibrated
    means = [pilot.a.mean, pilot.b.mean] if pilot.is_measured else pilot.means_of(vectors_of(pilot, metric).judges)
    if np.allclose(means[0], means[1], rtol=0, atol=1e-12):
        a, b = pilot.names
        raise RatingsError(
            f"The pilot cannot tell: {a} and {b} answer the same on each of its {counted(pilot.n_items, 'item')}. "
            "Check that they are two judges, or give a larger pilot."
        )


def _check_direction(fitted: FittedPilot, options: PlanRatersOptions) -> None:
    """Refuse if the pilot does not say which judge is nearer to people."""
    a, b = fitted.pilot.names
    other = share_other(fitted.predictor.effects(fitted.own_pair(options)))
    if other > 1 - options.power:
        raise RatingsError(
            f"The pilot cannot tell which of {a} and {b} is nearer to people: in {other:.0%} of its bootstrap samples "
            f"it is the other one, so no design is known to reach power {options.power:g}. Give a larger pilot, "
            f"{_larger(fitted, other, options.power)}."
        )


def _larger(fitted: FittedPilot, other: float, power: float) -> str:
    """How large, if the difference is as it looks: its standard error falls with the square root of the items."""
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    items, most = fitted.pilot.n_items, MOST_TIMES * fitted.pilot.n_items
    seen = float(ndtri(1 - other))
    needed = items * (float(ndtri(power)) / seen) ** 2 if seen > 0 else math.inf
    if needed > most:
        return f"of more than {most:,} items, or take them as equally good"
    people = "" if fitted.raters is None else f" and {needed / items:.2g} times the raters"
    return f"of about {float(f'{math.ceil(needed):.2g}'):,.0f} items{people} if the difference is as it looks"


def share_other(effects: Floats) -> float:
    """Share of the bootstrap samples in which the other judge is the better one; 0 without any."""
    return float(np.mean(np.sign(effects[1:]) != np.sign(effects[0]))) if len(effects) > 1 else 0.0


def confirmed(
    fitted: FittedPilot, options: PlanRatersOptions, designs: Sequence[Design], rng: Generator
) -> tuple[Design | None, float]:
    """The first design whose power is there in simulated data, and that power; the first of all if none's is.

    `designs`: those that should reach the power, the cheapest first. If the number of items is free, somewhat larger
    versions of the cheapest are tried too.
    """
    if not designs:
        return None, math.nan
    first = designs[0]
    sizes = [] if options.items is not None else [math.ceil(first.items * factor) for factor in LARGER]
    larger = [design_of(fitted.predictor, options, items, first.raters) for items in sizes]
    tried: list[tuple[Design, float]] = []
    for design in sufficient([*designs, *larger], options)[:MOST_TRIED]:
        power = simulated_power(fitted.model, design, metric=options.chosen_metric, alpha=options.alpha, rng=rng)
        if power >= options.power - FAR_OFF:
            return design, power
        tried.append((design, power))
    return tried[0]


def findings(
    fitted: FittedPilot, options: PlanRatersOptions, best: Design | None, simulated: float
) -> tuple[PilotFindings, list[str]]:
    """What the pilot says, and what to warn about."""
    pair = fitted.own_pair(options) if best is None else (best.raters, best.machine_samples)
    effects = fitted.predictor.effects(pair)
    quartiles = [math.nan] * 3  # of labels that are words
    if fitted.pilot.aligned.has_numbers:
        quartiles = np.quantile(np.sqrt(spreads_of(fitted.pilot).people), [0.25, 0.5, 0.75]).tolist()
    low, high = _needed_interval(fitted, options, pair)
    if best is not None:  # its power is exact, the interval's ends are approximate; unknown ends stay unknown
        low, high = min(low, best.items), max(high, best.items)
    a, b = fitted.pilot.names
    pilot = PilotFindings(
        items=fitted.pilot.n_items, a=a, b=b, better=a if effects[0] > 0 else b, share_other=share_other(effects),
        spread_low=quartiles[0], spread=quartiles[1], spread_high=quartiles[2], items_low=low, items_high=high,
        simulated_power=simulated, raters=None if fitted.raters is None else fitted.raters.raters,
        rater_error=math.nan if fitted.raters is None else math.sqrt(float(fitted.raters.spread.variance[0])),
    )  # fmt: skip
    return pilot, _doubts(fitted, options, best, simulated)


def _doubts(fitted: FittedPilot, options: PlanRatersOptions, best: Design | None, simulated: float) -> list[str]:
    warnings = [*fitted.pilot.warnings]
    if fitted.raters is None:
        warnings.append(
            "The plan holds for the raters of the pilot only: how far others would differ takes a rater for each "
            f"rating, at least {FEWEST_RATERS} of them, and a metric that needs their means only."
        )
    if best is not None and simulated < options.power - FAR_OFF:
        warnings.append(
            f"In data simulated from a model of the pilot the recommended design has power {simulated:.2f}, less than "
            f"the {best.power:.2f} predicted: the model does not fit. Take more items than recommended."
        )
    most = int(fitted.pilot.people.size.max())
    if best is not None and best.raters > most:
        warnings.append(
            f"The pilot has at most {counted(most, 'rating')} of an item, so what {counted(best.raters, 'rater')} "
            "would say rests on a model of it."
        )
    if not fitted.pilot.is_sampled:
        warnings.append(
            "The judges answered each item once, so how much their answers vary is unknown: the plan takes them to "
            "answer the same again."
        )
    return warnings


def _needed_interval(fitted: FittedPilot, options: PlanRatersOptions, pair: Pair) -> tuple[float, float]:
    """Interval on the items needed with this many raters, from the bootstrap samples; NaN where there is no bound."""
    from scipy.special import ndtri  # noqa: PLC0415 - takes a while to import

    if options.bootstrap == 0:
        return np.nan, np.nan
    moments = fitted.predictor.source.possible(pair)
    effects = fitted.predictor.effects(pair)
    z, reach = -ndtri(options.alpha / 2), ndtri(options.power)
    with np.errstate(divide="ignore", invalid="ignore"):
        if options.chosen_metric == "wins":
            decided = np.maximum(1 - moments.tied, 1e-12)
            lead = np.abs(moments.margin) / decided
            needed = ((z + reach * np.sqrt(np.maximum(1 - lead**2, 0))) / lead) ** 2 / decided
        else:
            # Guenther (1981): a t test needs z^2 / 2 items more than a test with a known variance.
            needed = ((z + reach) ** 2) * moments.variance / moments.mean**2 + z**2 / 2
        if moments.crew is not None:  # each rater stands for the items that one rates
            raters = moments.between * moments.crew.load / moments.crew.per_item
            needed = needed + raters * ((z + reach) / effects) ** 2
    needed = np.where(np.sign(effects) == np.sign(effects[0]), needed, np.inf)[1:]
    tail = (1 - options.confidence) / 2
    low, high = np.quantile(needed, [tail, 1 - tail], method="nearest")
    return _whole(low), _whole(high)


def _whole(bound: float) -> float:
    return float(max(np.ceil(bound), FEWEST_ITEMS)) if np.isfinite(bound) else np.nan
