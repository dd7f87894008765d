"""The mixing distribution of item states, by nonparametric maximum likelihood.

Items are urns. Which urns there are is not observed, only labels drawn from each; but the histogram of label counts
tells it. The maximum likelihood estimate over a grid of possible urns comes from the EM algorithm (Laird 1978,
"Nonparametric maximum likelihood estimation of a mixing distribution").

The entropy of an item's state is a sum over labels, and each part depends on the probability of that label only. So the
ceiling needs no mixing distribution of whole states, of which there are far too many when there are many labels: for
each label, that of its probability is enough, from how often the label was given and how often another one.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.counts import median

GRID_POINTS = 300
"""About this many possible item states, however many labels there are."""
FEW_LABELS = 4
"""With more labels a lattice of this many states is too coarse: 10 labels would get steps of a third."""
SHRUNK = (0.4, 0.7, 0.9)
"""How far from the shares of all items to those of one item the possible states lie where there are more labels."""
ITERATIONS = 600
WARM_ITERATIONS = 80
"""Steps from a fit to data that differ by a bootstrap draw."""
WARM_SHARE = 0.1
"""Weight that is spread evenly before such steps, because EM cannot bring back a state that it has given up."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A distribution over item states."""

    states: Floats  # (n_states, n_labels): label distributions; no label has probability 0
    weights: Floats  # (n_states,): how frequent each is

    def predict(self, counts: npt.NDArray[np.integer]) -> Floats:
        """Distribution of the next label after each survey, of shape (n_surveys, n_labels)."""
        posterior = scaled_likelihood(counts, self.states) * self.weights
        posterior /= posterior.sum(axis=1, keepdims=True)
        return np.asarray(np.einsum("yg,gl->yl", posterior, self.states))

    def information(self, k: int) -> float:
        """Bits that k raters tell about the next one's label: I(Y_1 ... Y_k; Y)."""
        surveys = multisets(k, self.states.shape[1])
        chance = np.exp(surveys @ np.log(self.states).T + _log_orders(surveys)[:, None]) @ self.weights
        prior = self.weights @ self.states
        after = self.predict(surveys)
        return float(_entropy(prior) - chance @ _entropy(after) / chance.sum())

    def prior_entropy(self) -> float:
        """Bits of surprise in a rater's label where nothing is known of the item."""
        return float(_entropy(self.weights @ self.states))

    def ceiling(self) -> float:
        """Bits that knowing the state tells about a rater's label: what no survey and no judge can exceed."""
        return float(_entropy(self.weights @ self.states) - self.weights @ _entropy(self.states))


def surprise(p: Floats) -> Floats:
    """What each probability adds to the entropy, in bits."""
    return np.asarray(-(p * np.log2(np.maximum(p, 1e-300))))


def _entropy(p: Floats) -> Floats:
    return np.asarray(surprise(p).sum(axis=-1))


def multisets(k: int, n_labels: int) -> npt.NDArray[np.int64]:
    """Every way in which k raters can answer, as label counts; one row each.

    >>> multisets(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    bars = np.array(list(itertools.combinations(range(k + n_labels - 1), n_labels - 1)), dtype=np.int64)
    bars = bars.reshape(-1, n_labels - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), k + n_labels - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def _log_orders(surveys: npt.NDArray[np.int64]) -> Floats:
    table = np.array([math.lgamma(n + 1) for n in range(int(surveys.sum(axis=1).max(initial=0)) + 1)])
    return np.asarray(table[surveys.sum(axis=1)] - table[surveys].sum(axis=1))


def state_grid(n_labels: int) -> Floats:
    """Possible item states for few labels: dense near certainty for two, a lattice on the simplex for more.

    >>> state_grid(1).tolist()
    [[1.0]]
    """
    if n_labels == 1:
        return np.ones((1, 1))
    if n_labels == 2:  # noqa: PLR2004 - two labels have a line of states
        angle = (np.arange(GRID_POINTS) + 0.5) / GRID_POINTS * np.pi / 2
        return np.stack([np.cos(angle) ** 2, np.sin(angle) ** 2], axis=1)
    steps = 1
    while math.comb(steps + n_labels, n_labels - 1) <= GRID_POINTS:
        steps += 1
    # A little of every label, so that no rater is impossible.
    return np.asarray((multisets(steps, n_labels) + 0.02) / (steps + 0.02 * n_labels))


def states_near(counts: Codes, items: Floats) -> Floats:
    """Possible item states for many labels, of shape (n_states, n_labels): between the shares of all items and of each.

    From the label counts of each type and how many items it has. About GRID_POINTS at most: where there are more types,
    evenly taken ones stand for the rest.
    """
    order = np.lexsort(counts.T)
    order = order[(items[order] > 0) & counts[order].any(axis=1)]
    shares, number = counts[order] / counts[order].sum(axis=1, keepdims=True), items[order]
    total, n_labels = number.sum(), counts.shape[1]
    # As if one more item had every label alike, so that no rater is impossible.
    overall = (np.einsum("t,tl->l", number, shares) + 1 / n_labels) / (total + 1)
    if not len(order):
        return np.asarray(overall[None, :])
    each = GRID_POINTS // len(SHRUNK)
    ends, states = np.cumsum(number), [overall[None, :]]
    for i, part in enumerate(SHRUNK):
        places = (np.arange(each) + (i + 0.5) / len(SHRUNK)) / each * total
        taken = np.unique(np.searchsorted(ends, places, side="right")) if len(order) > each else np.arange(len(order))
        states.append((1 - part) * overall + part * shares[np.minimum(taken, len(order) - 1)])
    return np.unique(np.concatenate(states), axis=0)


def scaled_likelihood(counts: npt.NDArray[np.integer], states: Floats) -> Floats:
    """Probability of each row of counts in each state, up to a factor per row that keeps it from underflow."""
    logs = np.einsum("tl,gl->tg", counts.astype(np.float64), np.log(states))
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def fit_mixtures(counts: Codes, weights: Floats, *, start: Mixture | None = None) -> list[Mixture]:
    """Maximum likelihood mixing distribution of each replicate.

    `counts` (n_types, n_labels): label counts of each type of item. `weights` (n_replicates, n_types): how many items
    of each type there are; where there are none, every state is as frequent as another. `start`: a fit to similar data;
    fewer steps are taken from there.
    """
    n_labels = counts.shape[1]
    if start is not None:
        states = start.states
    else:
        states = state_grid(n_labels) if n_labels <= FEW_LABELS else states_near(counts, weights.sum(axis=0))
    even = np.full(len(states), 1 / len(states))
    first = even if start is None else (1 - WARM_SHARE) * start.weights + WARM_SHARE * even
    pi = np.tile(even, (len(weights), 1))
    learns = weights.sum(axis=1) > 0
    steps = ITERATIONS if start is None else WARM_ITERATIONS
    pi[learns] = _climbed(first, scaled_likelihood(counts, states), weights[learns], steps)
    return [Mixture(states, row / row.sum()) for row in pi]


def _climbed(first: Floats, likelihood: Floats, weights: Floats, steps: int) -> Floats:
    """A number of steps of EM for each replicate, all from the same weights of states."""
    columns = np.ascontiguousarray(likelihood.T)
    pi = np.tile(first, (len(weights), 1))
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(steps):
        # einsum and not BLAS: its order of summation does not depend on the number of threads.
        mixed = np.einsum("rg,tg->rt", pi, likelihood)
        pi = np.asarray(pi * np.einsum("rt,gt->rg", weights / mixed, columns) / total)
    return pi


# ---- The ceiling, label by label: what knowing everything about an item would tell about a rater's label

FEWEST_RATINGS = 8
"""With fewer ratings per item the mixing distribution cannot tell difficult items from noisy raters."""
MOST_BY_CHANCE = 0.12
"""Of the ceiling. Up to here it was at most a tenth too high in simulations with a known truth; beyond, it was up to a
quarter too high, and with ten labels intervals of 95% held the truth seven times in ten."""
ITEMS_THAT_HELP = 300
"""More items make the interval shorter but bring the ceiling no nearer to the truth: ten raters per item tell no more
about the shape of a spread. With 10 labels and two kinds of items .210 bits were .245 for 300 items, .232 for 3,000."""
TWO_LABELS = 2
"""Of two labels, the share of one tells that of the other."""


def fit_labels(counts: Codes, weights: Floats, *, start: Sequence[Mixture] = ()) -> list[list[Mixture]]:
    """Mixing distributions of the probability of each label that occurs, against all others, in each replicate.

    Of two labels, one stands for both. Counts and weights are as in `fit_mixtures`; `start` has fits to similar data,
    one per label, if there are any.
    """
    given = np.ascontiguousarray(counts[:, counts.any(axis=0)])
    if given.shape[1] <= TWO_LABELS:
        return [fit_mixtures(given, weights, start=start[0] if start else None)]
    fits = []
    for label in range(given.shape[1]):
        times = given[:, label]
        pairs, place = np.unique(np.stack([times, given.sum(axis=1) - times], axis=1), axis=0, return_inverse=True)
        of_pairs = np.stack([np.bincount(place.ravel(), weights=row, minlength=len(pairs)) for row in weights])
        first = start[label] if start else None
        fits.append(fit_mixtures(pairs, of_pairs.astype(np.float64), start=first))
    return fits


def ceiling_of(labels: Sequence[Mixture]) -> float:
    """Bits that knowing the state of the item tells about a rater's label, from the mixture of each label."""
    if len(labels) == 1:
        return labels[0].ceiling()
    return prior_entropy_of(labels) - sum(float(mixture.weights @ surprise(mixture.states[:, 0])) for mixture in labels)


def prior_entropy_of(labels: Sequence[Mixture]) -> float:
    """Bits of surprise in a rater's label where nothing is known of the item."""
    if len(labels) == 1:
        return labels[0].prior_entropy()
    return sum(float(surprise(mixture.weights @ mixture.states[:, 0])) for mixture in labels)


def bits_by_chance(counts: Codes, items: Codes) -> float:
    """About the bits by which items would seem to differ, by chance alone, if they were all the same.

    For each label the spread of its shares over items, beyond that of drawing raters, has a standard error of
    p (1 - p) sqrt(2 / pairs), where pairs are those of ratings of the same item; it comes into the ceiling divided by
    2 p ln 2.

    >>> round(bits_by_chance(np.array([[5, 3, 2]]), np.array([300])), 4)
    0.0124
    """
    per_item = counts.sum(axis=1).astype(np.float64)
    pairs = float(items @ (per_item * (per_item - 1)))
    n_labels = int(counts.any(axis=0).sum())
    return (n_labels - 1) / (2 * math.log(2)) * math.sqrt(2 / pairs) if pairs > 0 else math.inf


def too_high_by(counts: Codes, items: Codes) -> float:
    """About the bits by which chance may raise a ceiling: an interval of it reaches as much further down.

    Bootstrap samples have the same chance in them, so they do not show it.
    """
    return bits_by_chance(counts, items) * math.sqrt(max(1.0, float(items.sum()) / ITEMS_THAT_HELP))


def reason_not_tried(counts: Codes, items: Codes) -> str:
    """Why these ratings have no ceiling; empty where they may have one."""
    if median(counts.sum(axis=1).astype(np.float64), items) < FEWEST_RATINGS:
        few = f"half of the items have fewer than {FEWEST_RATINGS} ratings"
        return f"No ceiling: {few}, too few to tell difficult items from noisy raters."
    if counts.any(axis=0).sum() == 1:
        return "No ceiling: all ratings are the same label, so there is nothing to tell."
    return ""


def reason_not_shown(counts: Codes, items: Codes, gain: float) -> str:
    """Why the ceiling that was found cannot be told; empty where it can.

    With few labels the interval held the truth 8 to 10 times in 10 even where there was nothing to find.
    """
    n_labels, noise = int(counts.any(axis=0).sum()), too_high_by(counts, items)
    if n_labels <= FEW_LABELS or noise <= MOST_BY_CHANCE * gain:
        return ""
    differ = f"items seem to differ by {gain:.2g} bits, of which with {n_labels} labels about {noise:.2g} may be chance"
    return f"No ceiling: {differ}. More ratings per item would tell, or fewer labels."
