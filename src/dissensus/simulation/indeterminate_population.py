"""Draw people who may find several options reasonable, and judges who resemble them more or less (section 6)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.errors import OptionError
from dissensus.simulation.indeterminate_model import (
    choice_matrix,
    choice_weights,
    endorsements,
    error_matrix,
    forced_choices,
    observed_sets,
    recalled_sets,
    response_sets,
    reverse_choice,
    reverse_error,
)
from dissensus.simulation.panels import checked_share, draw_categories, to_normal

# ---- Draw people who may find several options reasonable, and judges who resemble them more or less (section 6)

CHOICE_NOISE = 0.05
"""Standard deviation of the noise on each option's weight, so that F differs from item to item."""

MOST_CELLS = 50_000_000
"""Numbers in the largest array, F of all judges: 400 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indeterminacy:
    """How people and judges rate: the paper's data-generating process.

    Attributes
    ----------
    n_options, n_sets : int
        Options, and response sets that a rater may give: the first so many of `response_sets`. As many sets as options
        is a fully specified task, more is an underspecified one.
    error, skew : float
        Size of people's error and which sets it favours, as in `error_matrix`. Judges make none.
    gamma : float
        People's selection effect, as in `choice_weights`.
    judge_gamma : float or (float, float)
        The judges' selection effect; two numbers are the ends of a range from which each judge draws its own.
    sigma : (float, float)
        Range from which each judge draws how far it is from people: the standard deviation of the noise on theta.
    """

    n_options: int = 3
    n_sets: int = 7
    error: float = 0.0
    skew: float = 0.0
    gamma: float = 0.0
    judge_gamma: float | tuple[float, float] = 0.0
    sigma: tuple[float, float] = (0.02, 0.4)

    def __post_init__(self) -> None:
        response_sets(self.n_options, self.n_sets)  # raises if there are no such sets
        checked_share("The size of the error", self.error)
        numbers = [self.skew, self.gamma, *self.judge_gammas, *self.sigma]
        if not np.isfinite(numbers).all():
            raise OptionError("skew, gamma, judge_gamma and sigma must be finite numbers.")
        for name, (low, high) in {"judge_gamma": self.judge_gammas, "sigma": self.sigma}.items():
            if low > high:
                raise OptionError(f"The range of {name} goes from {low:g} to {high:g}: give the lower end first.")
        if self.sigma[0] < 0:
            raise OptionError(f"sigma starts at {self.sigma[0]:g}: a standard deviation is 0 or more.")

    @property
    def judge_gammas(self) -> tuple[float, float]:
        """The range of the judges' selection effects."""
        given = self.judge_gamma
        return given if isinstance(given, tuple) else (given, given)

    @property
    def is_fully_specified(self) -> bool:
        """Whether each admissible set has one option."""
        return self.n_sets == self.n_options


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Everybody's rating distributions, without sampling error.

    Attributes
    ----------
    members : ndarray of shape (n_sets, n_options)
        Which option is in which set.
    stable : ndarray of shape (n_items, n_sets)
        Theta of people.
    error : ndarray of shape (n_sets, n_sets)
        E of people.
    choice : ndarray of shape (n_items, n_options, n_sets)
        F of people.
    judge_stable : ndarray of shape (n_judges, n_items, n_sets)
        Theta of the judges, who make no error.
    judge_choice : ndarray of shape (n_judges, n_items, n_options, n_sets)
        F of the judges.
    sigma, gamma : ndarray of shape (n_judges,)
        How far each judge is from people, and its selection effect.
    """

    members: Flags
    stable: Floats
    error: Floats
    choice: Floats
    judge_stable: Floats
    judge_choice: Floats
    sigma: Floats
    gamma: Floats

    @cached_property
    def observed(self) -> Floats:
        """E theta, of shape (n_items, n_sets)."""
        return observed_sets(self.stable, self.error)

    @cached_property
    def soft(self) -> Floats:
        """O: people's forced choices, of shape (n_items, n_options)."""
        return forced_choices(self.choice, self.observed)

    @cached_property
    def marginals(self) -> Floats:
        """Omega: how often people endorse each option, of shape (n_items, n_options)."""
        return endorsements(self.observed, self.members)

    @cached_property
    def stable_soft(self) -> Floats:
        """People's forced choices if they made no error, of shape (n_items, n_options)."""
        return forced_choices(self.choice, self.stable)

    @cached_property
    def stable_marginals(self) -> Floats:
        """How often people would endorse each option if they made no error, of shape (n_items, n_options)."""
        return endorsements(self.stable, self.members)

    @cached_property
    def judge_soft(self) -> Floats:
        """The judges' forced choices, of shape (n_judges, n_items, n_options)."""
        return forced_choices(self.judge_choice, self.judge_stable)

    @cached_property
    def judge_marginals(self) -> Floats:
        """How often the judges endorse each option, of shape (n_judges, n_items, n_options)."""
        return endorsements(self.judge_stable, self.members)


def draw_population(
    design: Indeterminacy, *, items: int = 100, judges: int = 50, rng: int | Generator | None = None
) -> Population:
    """People's and judges' rating distributions on new items.

    Parameters
    ----------
    design : Indeterminacy
        How they rate.
    items, judges : int
        How many.
    rng : int or Generator, optional
        Seed.

    Examples
    --------
    >>> drawn = draw_population(Indeterminacy(n_options=2, n_sets=3), items=4, judges=5, rng=0)
    >>> drawn.soft.shape, drawn.judge_marginals.shape
    ((4, 2), (5, 4, 2))
    """
    if items < 1 or judges < 0:
        raise OptionError(f"{items} items and {judges} judges: there must be at least one item.")
    cells = judges * items * design.n_options * design.n_sets
    if cells > MOST_CELLS:
        raise OptionError(
            f"{judges} judges, {items} items, {design.n_options} options and {design.n_sets} sets make {cells:,} "
            f"numbers: ask for fewer sets, items or judges, {MOST_CELLS:,} at most."
        )
    stream = np.random.default_rng(rng)
    members = response_sets(design.n_options, design.n_sets)
    stable = _dirichlet(stream, (items, design.n_sets))
    choice = _draw_choice(stream, members, np.full(items, design.gamma), ())
    sigma = _between(stream, design.sigma, judges)
    gamma = _between(stream, design.judge_gammas, judges)
    noise = to_normal(stream.random((2, judges, items, design.n_sets)))
    return Population(
        members=members,
        stable=stable,
        error=error_matrix(members, design.error, design.skew),
        choice=choice,
        judge_stable=onto_simplex(stable + sigma[:, None, None] * noise),
        judge_choice=_draw_choice(stream, members, gamma, (items,)),
        sigma=sigma,
        gamma=gamma,
    )


def _dirichlet(rng: Generator, shape: tuple[int, int]) -> Floats:
    """Dirichlet(1, ..., 1), one per row: exponential numbers, rescaled."""
    drawn = -np.log1p(-rng.random(shape))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _between(rng: Generator, ends: tuple[float, float], n: int) -> Floats:
    low, high = ends
    return np.asarray(low + (high - low) * rng.random(n))


def _draw_choice(rng: Generator, members: Flags, gamma: Floats, shape: tuple[int, ...]) -> Floats:
    """F for each gamma and each place of the shape: exp(-gamma rank) and noise; (n_gammas, *shape, n_options, n_sets).

    Only options that are in a set get a random number.
    """
    is_in = members.T
    cells = int(is_in.sum())
    distinct, which = np.unique(gamma, return_inverse=True)
    weights = np.array([choice_weights(members, g)[is_in] for g in distinct.tolist()]).reshape(len(distinct), cells)
    noise = to_normal(rng.random((2, len(gamma), *shape, cells)))
    drawn = np.zeros((len(gamma), *shape, *is_in.shape))
    drawn[..., is_in] = weights[which].reshape(len(gamma), *(1 for _ in shape), cells) + CHOICE_NOISE * noise
    return choice_matrix(drawn, members)


def onto_simplex(points: Floats) -> Floats:
    """The nearest distribution to each point.

    Parameters
    ----------
    points : ndarray of shape (..., n)
        Any numbers.

    Returns
    -------
    ndarray of shape (..., n)
        Rows that are 0 or more and sum to 1.

    References
    ----------
    J. Duchi et al. (2008), "Efficient Projections onto the l1-Ball for Learning in High Dimensions", Figure 1.

    Examples
    --------
    >>> onto_simplex(np.array([0.9, 0.5, -0.2])).round(3)
    array([0.7, 0.3, 0. ])
    """
    falling = -np.sort(-points, axis=-1)
    excess = np.cumsum(falling, axis=-1) - 1
    count = np.arange(1, points.shape[-1] + 1)
    kept = np.maximum((falling * count > excess).sum(axis=-1, keepdims=True), 1)
    shift = np.take_along_axis(excess, kept - 1, axis=-1) / kept
    return np.asarray(np.maximum(points - shift, 0.0))


def sample_choices(soft: Floats, ratings: int, rng: Generator) -> Floats:
    """Shares of the options among so many forced choices per item.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        The probability of each choice.
    ratings : int
        How many choices are drawn for each item.
    rng : Generator
        Source of random numbers.

    Returns
    -------
    ndarray of shape (n_items, n_options)
    """
    n_items, n_options = soft.shape
    item = np.repeat(np.arange(n_items), ratings)
    chosen = draw_categories(rng.random(len(item)), soft[item])
    counts = np.bincount(item * n_options + chosen, minlength=soft.size).reshape(soft.shape)
    return np.asarray(counts / ratings)


def sample_pairs(population: Population, pairs: int, rng: Generator) -> tuple[Codes, Codes]:
    """Forced choice and response set of so many raters, each on an item drawn at random.

    Returns
    -------
    choice, response_set : ndarray of shape (pairs,)
        Codes of options and of sets.
    """
    n_items = len(population.stable)
    item = (rng.random(pairs) * n_items).astype(np.intp)
    response_set = draw_categories(rng.random(pairs), population.observed[item])
    choice = draw_categories(rng.random(pairs), population.choice[item, :, response_set])
    return choice, response_set


def oracle_marginals(population: Population, soft: Floats) -> Floats:
    """Omega without error, estimated with the true F' and E' of each item (Appendix D.1).

    Parameters
    ----------
    population : Population
        The truth.
    soft : ndarray of shape (n_items, n_options)
        Shares of the forced choices that were seen.

    Returns
    -------
    ndarray of shape (n_items, n_options)
    """
    observed = recalled_sets(soft, reverse_choice(population.choice, population.observed, population.members))
    if not np.array_equal(population.error, np.eye(len(population.error))):
        observed = recalled_sets(observed, reverse_error(population.error, population.stable))
    return endorsements(observed, population.members)
