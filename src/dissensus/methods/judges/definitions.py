"""Every definition of performance in Table 1 of "Judges without gold labels", and the vectors that they are made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Codes, Flags, Floats

# ---- From the distribution of an item's ratings to one vector: hard, soft, and the two of response sets

Aggregation = Literal["hard", "soft", "hard_response_set", "soft_response_set"]
SLACK = 1e-12  # rounding: a share this close to a threshold reaches it, and two shares this close tie


def modes(soft: Floats) -> tuple[Codes, Flags]:
    """The option with the largest share, the first one of those that tie, and whether several tie; each of shape (...).

    >>> modes(np.array([[0.2, 0.8], [0.5, 0.5]]))
    (array([1, 0]), array([False,  True]))
    """
    is_largest = soft >= soft.max(axis=-1, keepdims=True) - SLACK
    return np.asarray(is_largest.argmax(axis=-1)), np.asarray(is_largest.sum(axis=-1) > 1)


def reaches(share: Floats, tau: float) -> Flags:
    """Whether shares are at least tau, rounding forgiven.

    >>> reaches(np.array([0.1 + 0.2, 0.29]), 0.3)
    array([ True, False])
    """
    return share >= tau - SLACK


FEW_OPTIONS = 7


def over_options(values: Floats) -> Floats:
    """Sum over the last axis, of few options one by one: numpy's own sum is several times slower on an axis of three.

    >>> over_options(np.array([[0.25, 0.5], [1.0, 2.0]]))
    array([0.75, 3.  ])
    """
    if values.shape[-1] > FEW_OPTIONS:
        return np.asarray(values.sum(axis=-1))
    total = values[..., 0].copy()
    for option in range(1, values.shape[-1]):
        total += values[..., option]
    return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingVectors:
    """The two distributions that every aggregation starts from."""

    soft: Floats  # (..., n_options), O of the paper: how often each is the forced choice
    marginals: Floats  # (..., n_options), Omega: how often each is in the response set; may add up to more than 1
    stated: Floats | None = None  # (..., n_options): as soft for hard labels, where stated labels beat probabilities

    @property
    def choices(self) -> Floats:
        """How often each option is chosen, for hard labels."""
        return self.soft if self.stated is None else self.stated

    def of(self, rows: Codes) -> "RatingVectors":
        """The vectors of these items."""
        stated = None if self.stated is None else self.stated[rows]
        return RatingVectors(soft=self.soft[rows], marginals=self.marginals[rows], stated=stated)

    def aggregated(self, how: Aggregation, tau: float | None = None) -> Floats:
        """The rating vectors under an aggregation, of shape (..., n_options).

        `hard` has a 1 at the most frequent choice, `hard_response_set` at every option that reaches tau.

        >>> shares = RatingVectors(soft=np.array([0.3, 0.7]), marginals=np.array([0.6, 0.7]))
        >>> shares.aggregated("hard"), shares.aggregated("hard_response_set", 0.5)
        (array([0., 1.]), array([1., 1.]))
        """
        if how == "soft":
            return self.soft
        if how == "soft_response_set":
            return self.marginals
        if how == "hard":
            return np.asarray(np.eye(self.soft.shape[-1])[modes(self.choices)[0]])
        if tau is None:
            raise TypeError("hard response sets need a threshold")
        return reaches(self.marginals, tau).astype(np.float64)


def number_of(is_one: Flags, weights: Floats) -> Floats:
    """How many items are ones, of shape (...), from flags of shape (n_items, ...) and whole weights of the items.

    >>> number_of(np.array([[True, False], [True, True]]), np.array([2.0, 3.0]))
    array([5., 3.])
    """
    return np.asarray(np.einsum("i,i...->...", weights, is_one.astype(np.float64)))


def mean_of(values: Floats | Flags, weights: Floats) -> Floats:
    """Mean over weighted items, of shape (...), of values of shape (n_items, ...)."""
    return np.asarray(np.einsum("i,i...->...", weights, values.astype(np.float64)) / weights.sum())


# ---- A definition: a measure, and how each side is aggregated for it

Better = Literal["higher", "lower"]
SHORT: dict[Aggregation, str] = {"hard": "h", "soft": "s", "hard_response_set": "hrs", "soft_response_set": "srs"}
"""As the paper writes them: coverage (h/hrs) has the judge's aggregation first, then people's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition of performance: a measure, and how each side's ratings are aggregated for it."""

    name: str  # the measure
    judge: Aggregation  # how the judge's ratings are aggregated,
    human: Aggregation  # and people's
    better: Better
    tau: float | None = None  # threshold of hard response sets
    is_one_of_many: bool = False  # whether its id must say which of several aggregations or thresholds it has

    @property
    def id(self) -> str:
        """The measure's name, with the aggregations and the threshold where it comes with several.

        >>> Definition(name="coverage", judge="hard", human="hard_response_set", better="higher", tau=0.5,
        ...            is_one_of_many=True).id
        'coverage_h_hrs_0.5'
        """
        if not self.is_one_of_many:
            return self.name
        threshold = "" if self.tau is None else f"_{self.tau:.12g}"
        return f"{self.name}_{SHORT[self.judge]}_{SHORT[self.human]}{threshold}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value that it can have."""
        if self.name in COEFFICIENTS or self.name == "rps":
            return -1.0, 0.0 if self.name == "rps" else 1.0
        return 0.0, 1.0 if self.better == "higher" else np.inf

    @property
    def needs_choices(self) -> bool:
        """Whether people's side is made of forced choices."""
        return self.human in {"hard", "soft"}

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.better == "higher" else -1.0


# ---- Agreement of two hard labels beyond chance. Two raters only: the judge and the most frequent choice of people


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """What the coefficients are made of, in each replicate."""

    items: Floats  # (n_replicates, 1): how many
    agreement: Floats  # (n_replicates, n_judges): share of the items where judge and people have the same label
    squared: Floats | None = None  # (n_replicates, n_judges): mean squared distance of their labels, if in an order
    judge: Floats  # (n_replicates, n_judges, n_options): share of each label among the judge's
    people: Floats  # (n_replicates, 1, n_options): and among people's
    numbers: Floats | None = None  # (n_options,): where each label stands, if they are in an order


def hit_rate(judge: Floats, people: Floats) -> Floats:
    """Whether the judge's hard label is that of people, for each item; one-hot vectors of shape (..., n_options).

    >>> hit_rate(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([1., 0.])
    """
    return over_options(judge * people)


def cohen_kappa(margins: Margins) -> Floats:
    """Cohen's kappa, of shape (n_replicates, n_judges).

    NaN where the judge or people have one label only. Kappa is then 0 whatever the others do (0/0 where both have the
    same one), so the number would say nothing about the judge.

    >>> both = np.array([[[0.5, 0.5]]])
    >>> margins = Margins(items=np.array([[4.0]]), agreement=np.array([[0.75]]), judge=both, people=both)
    >>> cohen_kappa(margins)  # (.75 - .5) / (1 - .5)
    array([[0.5]])
    """
    by_chance = (margins.judge * margins.people).sum(axis=-1)
    is_constant = np.maximum(margins.judge.max(axis=-1), margins.people.max(axis=-1)) >= 1 - SLACK
    return _beyond_chance(margins.agreement, np.where(is_constant, 1.0, by_chance))


def scott_pi(margins: Margins) -> Floats:
    """Scott's pi: chance is two draws from the labels of both sides together; NaN if there is one label only.

    >>> margins = Margins(items=np.array([[2.0]]), agreement=np.array([[0.5]]), judge=np.array([[[1.0, 0.0]]]),
    ...                   people=np.array([[[0.5, 0.5]]]))
    >>> scott_pi(margins).round(4)  # chance is (3/4)^2 + (1/4)^2 = 5/8, so (4 - 5) / (8 - 5)
    array([[-0.3333]])
    """
    pooled = (margins.judge + margins.people) / 2
    return _beyond_chance(margins.agreement, (pooled**2).sum(axis=-1))


def krippendorff_alpha(margins: Margins) -> Floats:
    """Krippendorff's nominal alpha: for two raters of n items it is pi + (1 - pi) / (2n)."""
    pi = scott_pi(margins)
    return np.asarray(pi + (1 - pi) / (2 * margins.items))


def _beyond_chance(agreement: Floats, by_chance: Floats) -> Floats:
    is_defined = by_chance < 1 - SLACK
    room = np.where(is_defined, 1 - by_chance, 1.0)
    return np.where(is_defined, (agreement - by_chance) / room, np.nan)


def weighted_kappa(margins: Margins) -> Floats:
    """Cohen's kappa with quadratic weights: a near miss counts less than a far one; NaN as Cohen's is.

    >>> both = np.array([[[0.5, 0.0, 0.5]]])
    >>> margins = Margins(items=np.array([[4.0]]), agreement=np.array([[0.5]]), judge=both, people=both,
    ...                   squared=np.array([[0.5]]), numbers=np.array([1.0, 2.0, 3.0]))
    >>> weighted_kappa(margins)  # by chance (3 - 1)^2 / 2 = 2, so 1 - .5 / 2
    array([[0.75]])
    """
    assert margins.squared is not None  # noqa: S101 - labels are in an order
    assert margins.numbers is not None  # noqa: S101 - as above
    apart = (margins.numbers[:, None] - margins.numbers) ** 2
    by_chance = np.einsum("rjk,rpl,kl->rj", margins.judge, margins.people, apart)
    is_constant = np.maximum(margins.judge.max(axis=-1), margins.people.max(axis=-1)) >= 1 - SLACK
    return np.where(is_constant, np.nan, 1 - margins.squared / np.where(is_constant, 1.0, by_chance))


COEFFICIENTS: Mapping[str, Callable[[Margins], Floats]] = {
    "weighted_kappa": weighted_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "fleiss_kappa": scott_pi,  # which it is for two raters per item
    "cohen_kappa": cohen_kappa,
    "scott_pi": scott_pi,
}


CLIP = 1e-10  # the least that a probability counts as under a logarithm that is not multiplied by it


def kl_divergence(first: Floats, second: Floats) -> Floats:
    """Kullback-Leibler divergence of the second distribution from the first; the second is clipped and not rescaled.

    >>> kl_divergence(np.array([0.6, 0.3, 0.1]), np.array([0.8, 0.1, 0.1])).round(3)  # .6 ln .75 + .3 ln 3
    np.float64(0.157)
    """
    from scipy.special import xlogy  # noqa: PLC0415 - takes a while to import

    return np.asarray(over_options(np.asarray(xlogy(first, first), dtype=np.float64)) + cross_entropy(first, second))


def cross_entropy(first: Floats, second: Floats) -> Floats:
    """Cross-entropy of the second distribution under the first.

    >>> cross_entropy(np.array([1.0, 0.0]), np.array([0.5, 0.5])).round(4)  # ln 2
    np.float64(0.6931)
    """
    return np.asarray(-over_options(first * np.log(np.maximum(second, CLIP))))


def jensen_shannon(first: Floats, second: Floats) -> Floats:
    """Jensen-Shannon divergence: the divergence itself, not its square root.

    With one rating per item the square root selects worse judges.

    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(4)  # ln 2
    np.float64(0.6931)
    """
    from scipy.special import rel_entr  # noqa: PLC0415 - takes a while to import

    middle = (first + second) / 2
    return np.asarray(over_options(rel_entr(first, middle) + rel_entr(second, middle)) / 2)


def smoothed(distribution: Floats, smoothing: float) -> Floats:
    """The distribution with so much added to each option, rescaled.

    >>> smoothed(np.array([1.0, 0.0]), 0.5)
    array([0.75, 0.25])
    """
    return np.asarray((distribution + smoothing) / (1 + smoothing * distribution.shape[-1]))


# ---- Measures of response sets; each for one item. Vectors are 0 and 1, or shares of raters who endorse an option


def coverage(judge: Floats, people: Floats) -> Floats:
    """Whether the judge's set lies within that of people; an empty set does only in an empty one.

    >>> coverage(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    array([1., 0., 0.])
    """
    is_within = over_options(judge * (1 - people)) == 0
    is_vain = (over_options(judge) == 0) & (over_options(people) > 0)
    return np.asarray(is_within & ~is_vain, dtype=np.float64)


def set_size(judge: Floats, people: Floats) -> Floats:
    """How many options are in the judge's set, whatever people say: its mean is the predictive efficiency."""
    return np.broadcast_to(over_options(judge), np.broadcast_shapes(judge.shape, people.shape)[:-1])


def precision(judge: Floats, people: Floats) -> Floats:
    """Share of the judge's set that people endorse; 1 for two empty sets, 0 if only one is empty.

    >>> precision(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    array([0.5, 0. ])
    """
    both = over_options(judge * people)
    size = over_options(judge)
    shared = np.divide(both, size, out=np.zeros_like(both), where=size > 0)
    return np.where((size == 0) & (over_options(people) == 0), 1.0, shared)


def recall(judge: Floats, people: Floats) -> Floats:
    """Share of people's set that the judge endorses; 1 for two empty sets, 0 if only one is empty.

    >>> recall(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    array(0.5)
    """
    return precision(people, judge)


def binary_cross_entropy(judge: Floats, people: Floats) -> Floats:
    """Sum over options of the cross-entropy of the judge's share under people's yes or no, in nats.

    >>> binary_cross_entropy(np.array([0.5, 0.5]), np.array([1.0, 0.0])).round(4)  # 2 ln 2
    np.float64(1.3863)
    """
    # Clipped below on each side by itself: 1 - 1e-10 would lose digits that log1p keeps.
    likelihood = people * np.log(np.maximum(judge, CLIP)) + (1 - people) * np.log(np.maximum(1 - judge, CLIP))
    return -over_options(likelihood)


def squared_error(judge: Floats, people: Floats) -> Floats:
    """Sum over options of the squared difference.

    >>> squared_error(np.array([1.0, 0.0]), np.array([0.5, 0.6])).round(2)  # .25 + .36
    np.float64(0.61)
    """
    return over_options((judge - people) ** 2)


# ---- Measures of labels in an order; each for one item. `numbers`, of shape (n_options,), are where the labels stand


def mean_error(judge: Floats, people: Floats, numbers: Floats) -> Floats:
    """Distance of the judge's mean answer from the mean of people's.

    >>> mean_error(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5]), np.array([1.0, 2.0, 3.0]))
    array(0.)
    """
    return np.asarray(np.abs(over_options((judge - people) * numbers)))


def earth_mover(judge: Floats, people: Floats, numbers: Floats) -> Floats:
    """How far shares must be moved along the labels to turn one distribution into the other.

    >>> float(earth_mover(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5]), np.array([1.0, 2.0, 3.0])))
    1.0
    """
    order = np.argsort(numbers, kind="stable")
    below = np.cumsum((judge - people)[..., order], axis=-1)[..., :-1]
    return np.asarray((np.abs(below) * np.diff(numbers[order])).sum(axis=-1))


def ranked_probability(judge: Floats, people: Floats, numbers: Floats) -> Floats:
    """Ranked probability score of the judge's shares, the mean over the raters' labels; 0 is best, -1 worst.

    >>> float(ranked_probability(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5]), np.array([1.0, 2.0, 3.0])))
    -0.5
    """
    order = np.argsort(numbers, kind="stable")
    judged, given = (np.cumsum(side[..., order], axis=-1)[..., :-1] for side in (judge, people))
    # The square of Q - 1 for those at or below a cut and of Q for the others: (Q - H)^2 + H (1 - H).
    return np.asarray(-((judged - given) ** 2 + given * (1 - given)).mean(axis=-1))


ORDERED: Mapping[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "mae": mean_error,
    "emd": earth_mover,
    "rps": ranked_probability,
}
"""Called as measure(judge, people, numbers) on aggregated vectors; one value per item."""

# ---- The definitions by name, with the aggregations that Table 1 pairs them with

Measure = Callable[[Floats, Floats], Floats]
"""Called as measure(judge, people) on aggregated vectors; one value per item."""

PER_ITEM: Mapping[str, Measure] = {
    "hit_rate": hit_rate,
    "kl_human_judge": lambda judge, people: kl_divergence(people, judge),
    "kl_judge_human": kl_divergence,
    "cross_entropy_human_judge": lambda judge, people: cross_entropy(people, judge),
    "cross_entropy_judge_human": cross_entropy,
    "jsd": jensen_shannon,
    "mse_hard": squared_error,
    "mse_soft": squared_error,
    "mse_response_set": squared_error,
    "coverage": coverage,
    "predictive_efficiency": set_size,
    "precision": precision,
    "recall": recall,
    "bce": binary_cross_entropy,
}

SECOND_IS_JUDGE = ("kl_human_judge", "cross_entropy_human_judge")
SECOND_IS_PEOPLE = ("kl_judge_human", "cross_entropy_judge_human")
"""Whose distribution stands under the logarithm, where smoothing applies."""

_IN_ORDER: tuple[tuple[str, Aggregation, Better], ...] = (
    ("mae", "soft", "lower"),
    ("rps", "soft", "higher"),
    ("emd", "soft", "lower"),
    ("weighted_kappa", "hard", "higher"),
)
BLIND = "predictive_efficiency"
"""The definition that does not look at people: it cannot vouch for a judge, and no constant is worse by it."""

_ALONE: tuple[tuple[str, Aggregation, Better], ...] = (
    ("hit_rate", "hard", "higher"),
    ("krippendorff_alpha", "hard", "higher"),
    ("fleiss_kappa", "hard", "higher"),
    ("cohen_kappa", "hard", "higher"),
    ("scott_pi", "hard", "higher"),
    ("kl_human_judge", "soft", "lower"),
    ("kl_judge_human", "soft", "lower"),
    ("cross_entropy_human_judge", "soft", "lower"),
    ("cross_entropy_judge_human", "soft", "lower"),
    ("jsd", "soft", "lower"),
    ("mse_hard", "hard", "lower"),
    ("mse_soft", "soft", "lower"),
    ("mse_response_set", "soft_response_set", "lower"),
)

_PAIRED: tuple[tuple[str, Aggregation, Aggregation, Better], ...] = (
    ("coverage", "hard", "hard_response_set", "higher"),
    ("coverage", "hard_response_set", "hard_response_set", "higher"),
    ("coverage", "hard_response_set", "hard", "higher"),
    ("predictive_efficiency", "hard_response_set", "hard_response_set", "lower"),
    ("precision", "hard", "hard_response_set", "higher"),
    ("precision", "hard_response_set", "hard_response_set", "higher"),
    ("precision", "hard_response_set", "hard", "higher"),
    ("recall", "hard", "hard_response_set", "higher"),
    ("recall", "hard_response_set", "hard_response_set", "higher"),
    ("recall", "hard_response_set", "hard", "higher"),
    ("bce", "soft_response_set", "hard_response_set", "lower"),
    ("bce", "soft_response_set", "hard", "lower"),
)
"""With hard labels on both sides coverage, precision and recall are the hit rate, and every set has one option."""


def definitions_at(taus: Sequence[float], *, are_ordered: bool = False) -> tuple[Definition, ...]:
    """Every definition, those with hard response sets once for each threshold; of ordered labels these come first.

    >>> [definition.id for definition in definitions_at([0.5])][-3:]
    ['recall_hrs_h_0.5', 'bce_srs_hrs_0.5', 'bce_srs_h']
    """
    kinds = (*_IN_ORDER, *_ALONE) if are_ordered else _ALONE
    alone = [Definition(name=name, judge=how, human=how, better=better) for name, how, better in kinds]
    paired = [
        Definition(name=name, judge=judge, human=human, better=better, tau=tau, is_one_of_many=True)
        for name, judge, human, better in _PAIRED
        for tau in (taus if "hard_response_set" in {judge, human} else [None])
    ]
    return (*alone, *paired)
