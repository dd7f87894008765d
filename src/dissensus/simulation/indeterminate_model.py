"""The rating model: from the options a rater would endorse to the one that a forced choice records, and back.

Everything is a distribution over response sets or over options, with items and judges on leading axes:

- theta, `stable`, of shape (..., n_sets): the response set that a rater has in mind,
- E, `error`, (..., n_sets, n_sets): which set a rater gives who has another one in mind, one column per set in mind,
- E theta, `observed`, (..., n_sets): the set that a rater gives,
- F, `choice`, (..., n_options, n_sets): which option a rater picks who must pick one, one column per set given,
- Lambda, `members`, (n_sets, n_options), transposed: which options are in which set,

so that O = F E theta and Omega = Lambda E theta. The way back is E' and F', whose rows are distributions.

References
----------
"Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", sections 3 and 6.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Flags, Floats
from dissensus.errors import OptionError
from dissensus.simulation.panels import checked_share, draw_categories, to_normal

FEWEST_OPTIONS = 2
MOST_OPTIONS = 16


def response_sets(n_options: int, n_sets: int | None = None) -> Flags:
    """The first this many non-empty sets of options, or all: smaller sets first, then in the order of the options."""
    if not FEWEST_OPTIONS <= n_options <= MOST_OPTIONS:
        raise OptionError(f"{n_options} options: give a number from {FEWEST_OPTIONS} to {MOST_OPTIONS}.")
    most = 2**n_options - 1
    size = most if n_sets is None else n_sets
    if not n_options <= size <= most:
        raise OptionError(f"{size} response sets of {n_options} options: give a number from {n_options} to {most}.")
    sizes = range(1, n_options + 1)
    every = itertools.chain.from_iterable(itertools.combinations(range(n_options), k) for k in sizes)
    members = np.zeros((size, n_options), dtype=np.bool_)
    for row, options in enumerate(itertools.islice(every, size)):
        members[row, list(options)] = True
    return members


def error_matrix(members: Flags, size: float, skew: float = 0.0) -> Floats:
    """E: the probability that a rater gives one set who has another one in mind.

    `members` (n_sets, n_options): which option is in which set. `size`: probability of an error, the same for every
    set. `skew`: 0 spreads errors evenly over the other sets. Above 0, they fall on sets with the first option rather
    than on others, below 0 the other way round: the others in that order, with weights 1, 1/2, 1/3, ... to the power of
    its absolute value.
    """
    checked_share("The size of the error", size)
    n_sets = len(members)
    order = np.argsort(~members[:, 0] if skew > 0 else members[:, 0], kind="stable")
    place = np.argsort(order)
    # The rank of a set among the others: those behind the set in mind move up by one.
    rank = place[:, None] - (place[:, None] > place[None, :])
    weight = (1.0 + rank) ** -abs(skew)
    np.fill_diagonal(weight, 0.0)
    error = size * weight / np.maximum(weight.sum(axis=0), 1e-300)
    error[np.arange(n_sets), np.arange(n_sets)] = 1 - size
    return np.asarray(error)


def choice_weights(members: Flags, gamma: float) -> Floats:
    """How much each option of a set appeals to a rater who must choose one: exp(-|gamma| rank), in the shape of F.

    Above 0 the first option of a set is preferred, below 0 the last, at 0 none. An option that is not in the set has 0.
    """
    is_in = members.T
    rank = np.cumsum(is_in, axis=0) - 1 if gamma >= 0 else np.cumsum(is_in[::-1], axis=0)[::-1] - 1
    return np.asarray(np.exp(-abs(gamma) * rank) * is_in)


def choice_matrix(weights: Floats, members: Flags) -> Floats:
    """F: each set's weights, of its shape, as probabilities; where none is above 0, its options are equally likely."""
    is_in = members.T
    positive = np.where(is_in, np.maximum(weights, 0.0), 0.0)
    total = positive.sum(axis=-2, keepdims=True)
    return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1.0), is_in / is_in.sum(axis=0)))


def observed_sets(stable: Floats, error: Floats) -> Floats:
    """E theta: the response sets that raters give, of shape (..., n_sets)."""
    return np.asarray(np.einsum("...vu,...u->...v", error, stable))


def forced_choices(choice: Floats, observed: Floats) -> Floats:
    """O = F E theta: how often each option is chosen, of shape (..., n_options).

    >>> forced_choices(np.array([[1, 0, 1], [0, 1, 0]]), np.array([0.4, 0.5, 0.1]))  # judge w of Appendix C
    array([0.5, 0.5])
    """
    return np.asarray(np.einsum("...kv,...v->...k", choice, observed))


def endorsements(observed: Floats, members: Flags) -> Floats:
    """Omega = Lambda E theta: how often each option is in the response set, of shape (..., n_options)."""
    return np.asarray(np.einsum("...v,vk->...k", observed, members.astype(np.float64)))


def reverse_choice(choice: Floats, observed: Floats, members: Flags) -> Floats:
    """F': the probability of each response set, given the option that was chosen, in the shape of F.

    Nobody chooses an option whose row is undefined; its sets are made equally likely.
    """
    return _rows_given(choice * observed[..., None, :], members.T / np.maximum(members.sum(axis=0), 1)[:, None])


def reverse_error(error: Floats, stable: Floats) -> Floats:
    """E': the probability of each set in mind, given the set given; one that nobody gives is taken at its word."""
    return _rows_given(error * stable[..., None, :], np.eye(error.shape[-1]))


def _rows_given(joint: Floats, otherwise: Floats) -> Floats:
    total = joint.sum(axis=-1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), otherwise)


def recalled_sets(soft: Floats, reverse: Floats) -> Floats:
    """F'^T O: the response sets behind forced choices, of shape (..., n_sets).

    With E' in place of F' and response sets in place of choices: E'^T F'^T O = theta, the sets in mind.
    """
    return np.asarray(np.einsum("...k,...kv->...v", soft, reverse))


def selection_effect(choice: Floats, members: Flags) -> Floats:
    """Gamma: how much likelier than by chance the first option is chosen from a set that has it.

    Differs from the paper: it divides by the size of the set, which makes chance 1/4 in a set of two.
    """
    has_first = members[:, 0]
    size = members.sum(axis=1)[has_first]
    return np.asarray((choice[..., 0, :][..., has_first] * size).mean(axis=-1))


# ---- Draw people who may find several options reasonable, and judges who resemble them more or less (section 6)

CHOICE_NOISE = 0.05  # standard deviation of the noise on each option's weight, so that F differs from item to item

MOST_CELLS = 50_000_000  # numbers in the largest array, F of all judges: 400 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Indeterminacy:
    """How people and judges rate: the paper's data-generating process."""

    # Options, and response sets that a rater may give: the first few of `response_sets`. As many sets as options is
    # a fully specified task, more is an underspecified one.
    n_options: int = 3
    n_sets: int = 7
    error: float = 0.0  # size of people's error and which sets it favours, as in `error_matrix`. Judges make none
    skew: float = 0.0
    gamma: float = 0.0  # people's selection effect, as in `choice_weights`
    # The judges' selection effect; two numbers are the ends of a range from which each judge draws its own.
    judge_gamma: float | tuple[float, float] = 0.0
    # Range from which each judge draws how far it is from people: the standard deviation of the noise on theta.
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
    """Everybody's rating distributions, without sampling error; judges make none, and have an axis before the others.

    `sigma` and `gamma`, of shape (n_judges,), are how far each judge is from people, and its selection effect.
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
    """People's and judges' rating distributions on this many new items."""
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
    shares = -np.log1p(-stream.random((items, design.n_sets)))  # exponential numbers, rescaled: Dirichlet(1, ..., 1)
    stable = shares / shares.sum(axis=1, keepdims=True)
    choice = _draw_choice(stream, members, np.full(items, design.gamma), ())
    sigma = _between(stream, design.sigma, judges)
    gamma = _between(stream, design.judge_gammas, judges)
    noise = to_normal(stream.random((2, judges, items, design.n_sets)))
    return Population(
        members=members, stable=stable, error=error_matrix(members, design.error, design.skew), choice=choice,
        judge_stable=onto_simplex(stable + sigma[:, None, None] * noise),
        judge_choice=_draw_choice(stream, members, gamma, (items,)), sigma=sigma, gamma=gamma,
    )  # fmt: skip


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
    """The nearest distribution to each point, of shape (..., n).

    J. Duchi et al. (2008), "Efficient Projections onto the l1-Ball for Learning in High Dimensions", Figure 1.

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
    """Shares of the options among this many forced choices per item with these probabilities, (n_items, n_options)."""
    n_items, n_options = soft.shape
    item = np.repeat(np.arange(n_items), ratings)
    chosen = draw_categories(rng.random(len(item)), soft[item])
    counts = np.bincount(item * n_options + chosen, minlength=soft.size).reshape(soft.shape)
    return np.asarray(counts / ratings)


def oracle_marginals(population: Population, soft: Floats) -> Floats:
    """Omega without error from shares of forced choices, with the true F' and E' of each item (Appendix D.1)."""
    observed = recalled_sets(soft, reverse_choice(population.choice, population.observed, population.members))
    if not np.array_equal(population.error, np.eye(len(population.error))):
        observed = recalled_sets(observed, reverse_error(population.error, population.stable))
    return endorsements(observed, population.members)
