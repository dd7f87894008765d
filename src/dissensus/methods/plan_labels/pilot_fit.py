"""A pilot as counts, and its numbers, in the pilot itself and in each of its bootstrap samples.

Items of which as many labels say what model A, or model B, says are the same item, so a pilot collapses to its kinds of
items and how many items each has.

A share u of the raters know the class of an item and the others guess, so that a label is right with chance
q = 1/K + (1 - 1/K) u for K classes. Two labels of an item agree with chance 1/K + (1 - 1/K) E[u^2]: agreement tells
E[u^2] and no more, and E[u^2] <= E[u] <= sqrt(E[u^2]). How far u varies shows in four labels or more.

On such an item a label speaks for A (+1) or for B (-1), with mean t: t = u where A is right and t = -u where B is.
Three labels of an item tell E[t], E[t^2] and E[t^3] over these items.

- If u is the same number on each side, these three moments give both numbers and how often A is right. That is how
  the paper's assumption 1 is checked.
- E[t^3] - E[t] E[t^2] is then p (1 - p) (u_a - u_b) (u_a + u_b)^2, p the share of the items on which A is right. If u
  varies, but in the same way on both sides, it is (2p - 1) (E[u^3] - E[u] E[u^2]), which has the sign of the better
  model. So items of different difficulty can look as if labels favoured the better model, never the worse one: a
  value against the better model is a sign that assumption 1 or 2 fails.
- Three labels do not show which of the two fails: fewer right labels where the better model is right (1), and
  more varied difficulties where it is wrong (2), can have the same moments.
- No pilot can tell that most raters are wrong about an item: the truth is what most raters would say.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.methods.plan_labels.votes import NODES, UNIFORM, beta_law
from dissensus.options import named
from dissensus.sampling.intervals import percentile_interval

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings

Pair = tuple[str, str]

UNKNOWN, SAME, DIFFERENT = range(3)
"""Whether one of the models did not answer, both say the same, or something different."""
TWO_CLASSES = 2
MOST_OUTSIDE = 0.5  # share of a model's answers that may be labels that no rater gave


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinds:
    """The kinds of items of a pilot; an array has an entry for each kind."""

    # `items`, `answers`: (n_kinds,): how many items are of this kind, and whether the answers to them are UNKNOWN, SAME
    # or DIFFERENT.
    items: Codes
    answers: Codes
    # `for_a`, `for_b`: (n_kinds,): how many labels say what A says, and what B says.
    for_a: Codes
    for_b: Codes
    counts: Codes  # (n_kinds, n_classes): how many labels each class got, the largest number first, whatever the class

    @property
    def labels(self) -> Codes:
        """How many labels an item of each kind has."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.shape[1])

    def with_labels(self, fewest: int, *, different: bool = False) -> Flags:
        """Which kinds have at least this many labels, and different answers if that is asked for."""
        enough = self.labels >= fewest
        return enough & (self.answers == DIFFERENT) if different else enough

    def number(self, which: Flags) -> int:
        """How many items are of these kinds."""
        return int(self.items[which].sum())


class PilotData(NamedTuple):
    """The kinds of items, the names of A and B, and what was left out."""

    kinds: Kinds
    names: Pair
    warnings: tuple[str, ...]


def pilot_data(ratings: "Ratings", judges: "Judges", *, a: str | None = None, b: str | None = None) -> PilotData:
    """The pilot in counts; an error says why it cannot serve. The models may be left out if there are just two."""
    names = _models_of(judges, a, b)
    warnings = [*ratings.warnings, *judges.warnings]
    people = _single_labels(ratings, warnings)
    answers = [_predictions(judges, name, warnings) for name in names]
    for name, of_model in zip(names, answers, strict=True):
        _check_labels(name, of_model, people)
    only_predicted = sorted({label for of_model in answers for label in of_model.values()} - set(people.options))
    place = {label: i for i, label in enumerate((*people.options, *only_predicted))}
    items = tuple(dict.fromkeys([*people.items, *judges.items]))
    counts = np.zeros((len(items), len(place)), dtype=np.intp)
    counts[: people.n_items, : people.n_labels] = people.counts()  # rated items stand first
    coded = [np.array([place.get(of_model.get(item, ""), -1) for item in items]) for of_model in answers]
    return PilotData(kinds=_kinds(counts, *coded), names=names, warnings=tuple(warnings))


def _models_of(judges: "Judges", a: str | None, b: str | None) -> Pair:
    known = judges.judges
    if len(known) < 2:  # noqa: PLR2004 - A and B
        raise JudgesError(f"There is one model only, {listed(known)}: a pilot needs the answers of two.")
    if a is None and b is None and len(known) == 2:  # noqa: PLR2004 - as above
        return known[0], known[1]
    if a is None or b is None:
        raise OptionError(
            f"Name the two models of the pilot with {named('a')} and {named('b')}: there are {listed(known)}."
        )
    if a == b:
        raise OptionError(f"{named('a')} and {named('b')} are both {a}: name two different models.")
    for name in (a, b):
        judges[name]  # raises for an unknown one
    return a, b


def _single_labels(ratings: "Ratings", warnings: list[str]) -> "Ratings":
    if ratings.scale == "interval":
        raise RatingsError(
            f"The pilot's labels are measurements ({listed(ratings.labels)}), and a plan of labels is about classes: "
            f"recode them as classes, or read them with {named('scale', of='read')} nominal."
        )
    if not ratings.has_response_sets:
        return ratings
    single = ratings.label < len(ratings.options)
    if not single.any():
        raise RatingsError("Every rating of the pilot names several options: a plan of labels needs one label each.")
    warnings.append(f"Left out {counted(int(np.sum(~single)), 'rating')} of the pilot that name several options.")
    return ratings.where(single)


def _predictions(judges: "Judges", name: str, warnings: list[str]) -> dict[str, str]:
    """What a model says about each item: its most probable label over all samples, stated ones before probabilities."""
    from dissensus.data.labels import SEPARATOR  # noqa: PLC0415 - a plan without a pilot reads no data

    judge = judges[name].stated()
    _, item, probability = judge.distributions()
    best = probability.argmax(axis=1)
    top = probability.max(axis=1, keepdims=True)
    tied = int(np.sum((probability >= top - 1e-12).sum(axis=1) > 1))
    if tied:
        warnings.append(f"{name} finds two labels equally probable for {counted(tied, 'item')}: the first counts.")
    labels = [judge.labels[code] for code in best.tolist()]
    several = [label for label in labels if SEPARATOR in label]
    if several:
        raise JudgesError(
            f"{name} answers {counted(len(several), 'item')} with several options, such as {several[0]}: a plan of "
            "labels needs one label each."
        )
    return dict(zip((judge.items[i] for i in item.tolist()), labels, strict=True))


def _check_labels(name: str, answers: dict[str, str], people: "Ratings") -> None:
    """Raise where a model and the raters do not speak of the same classes."""
    strange = [label for label in answers.values() if label not in people.options]
    if len(strange) > MOST_OUTSIDE * len(answers):
        raise JudgesError(
            f"{name} answers {len(strange):,} of {counted(len(answers), 'item')} with labels that no rater gave "
            f"({listed(list(dict.fromkeys(strange)))}); raters gave {listed(people.options)}. Turn its answers into "
            "these."
        )


def _kinds(counts: Codes, a: Codes, b: Codes) -> Kinds:
    row = np.arange(len(counts))
    answered = (a >= 0) & (b >= 0)
    answers = np.where(answered, np.where(a == b, SAME, DIFFERENT), UNKNOWN)
    for_a, for_b = (np.where(answered, counts[row, np.maximum(codes, 0)], 0) for codes in (a, b))
    folded = -np.sort(-counts, axis=1)
    found, items = np.unique(np.column_stack([answers, for_a, for_b, folded]), axis=0, return_counts=True)
    return Kinds(
        items=items.astype(np.intp), answers=found[:, 0], for_a=found[:, 1], for_b=found[:, 2], counts=found[:, 3:]
    )


def resampled(kinds: Kinds, bootstrap: int, rng: Generator) -> Floats:
    """How many items of each kind there are, of shape (1 + bootstrap, n_kinds): the pilot, then its bootstrap samples.

    Labelled items and those that only the models answered are drawn apart: their numbers are the pilot's design. The
    samples are those of the Bayesian bootstrap (Rubin 1981), with weights that are no whole numbers: in a small pilot
    many whole ones would leave the models exactly equal, and no number of items tells equal models apart.
    """
    drawn = np.zeros((1 + bootstrap, len(kinds.items)))
    drawn[0] = kinds.items
    labelled = kinds.with_labels(1)
    for part in (labelled, ~labelled):
        total = kinds.number(part)
        if total and bootstrap:
            weight = rng.standard_gamma(kinds.items[part].astype(np.float64), size=(bootstrap, int(part.sum())))
            drawn[1:, part] = weight / weight.sum(axis=1, keepdims=True) * total
    return drawn


# ---- How often labels are right, from labels of the same items: if items are alike, and if they differ in difficulty

MEANS = np.linspace(0, 1, 81)
CONCENTRATIONS = np.append(np.geomspace(0.2, 200, 25), np.inf)
"""Sum of the parameters of u's beta distribution: near 0 all raters know or none does, infinite if items are equal."""
KINDS_AT_ONCE = 1024


class Known(NamedTuple):
    """Mean of u and its concentration, in the pilot and in each bootstrap sample, of shape (n_samples,)."""

    mean: Floats
    concentration: Floats


def known_squared(kinds: Kinds, weights: Floats, which: Flags) -> Floats:
    """E[u^2] from the agreement of two labels, of shape (n_samples,); not above 0 where they agree as by chance."""
    chance, pairs = 1 / kinds.n_classes, kinds.labels * (kinds.labels - 1)
    agreeing = (kinds.counts * (kinds.counts - 1)).sum(axis=1)
    agreement = weighted_mean(weights, np.where(pairs > 0, agreeing / np.maximum(pairs, 1), np.nan), which)
    return np.asarray((agreement - chance) / (1 - chance))


def weighted_mean(weights: Floats, values: Floats, which: Flags) -> Floats:
    """Mean of a value over the items of some kinds, for each sample; NaN where there is no such item."""
    total = weights[:, which].sum(axis=1)
    return np.asarray(weights[:, which] @ values[which] / np.where(total > 0, total, np.nan))


def fit_known(kinds: Kinds, weights: Floats, which: Flags, *, is_told: bool) -> Known:
    """Mean and concentration of u by maximum likelihood: a beta-binomial model, folded because the class is unknown.

    If too few items have four labels to tell how far u varies, u is as spread as a uniform one.
    """
    choices = CONCENTRATIONS if is_told else np.array([UNIFORM])
    laws = _laws(is_told=is_told)
    fit = np.zeros((len(weights), len(laws)))
    places = np.flatnonzero(which)
    for start in range(0, len(places), KINDS_AT_ONCE):
        some = places[start : start + KINDS_AT_ONCE]
        likelihood = _likelihood(kinds.counts[some]) @ laws.T
        fit += weights[:, some] @ np.log(np.maximum(likelihood, 1e-300))
    table = fit.reshape(len(weights), len(MEANS), len(choices))
    profile = table.max(axis=2)
    best = profile.argmax(axis=1)
    return Known(_peak(profile, best), choices[table[np.arange(len(table)), best].argmax(axis=1)])


def _likelihood(counts: Codes) -> Floats:
    """Chance of these counts, whatever the class, at each node of u, of shape (n_kinds, n_nodes); up to a factor.

    With c labels of n for the true class the chance is q^c r^(n - c), r = (1 - u) / K; each class may be the true one.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - takes a while to import

    n_classes = counts.shape[1]
    right, wrong = np.maximum((1 + (n_classes - 1) * NODES) / n_classes, 1e-300), (1 - NODES) / n_classes
    log_right, log_wrong = np.log(right), np.log(np.maximum(wrong, 1e-300))
    labels = counts.sum(axis=1)
    # The number of orders of the labels keeps the chances of many labels from vanishing.
    orders = (gammaln(labels + 1) - gammaln(counts + 1).sum(axis=1))[:, None]
    total = np.zeros((len(counts), len(NODES)))
    for count in counts.T:
        total += np.exp(orders + count[:, None] * log_right + (labels - count)[:, None] * log_wrong)
    return np.asarray(total / n_classes)


@cache
def _laws(*, is_told: bool) -> Floats:
    """Chances of the nodes under each mean and concentration, of shape (n_means * n_concentrations, n_nodes)."""
    choices = CONCENTRATIONS if is_told else np.array([UNIFORM])
    mean, concentration = (grid.ravel() for grid in np.meshgrid(MEANS, choices, indexing="ij"))
    return beta_law(mean, concentration)


def _peak(profile: Floats, best: Codes) -> Floats:
    """Where the parabola through the best mean and its neighbours is highest."""
    row, inner = np.arange(len(profile)), np.clip(best, 1, len(MEANS) - 2)
    left, top, right = (profile[row, inner + step] for step in (-1, 0, 1))
    bend = left - 2 * top + right
    shift = np.where(bend < 0, (left - right) / (2 * np.where(bend < 0, bend, -1.0)), 0.0)
    step = MEANS[1] - MEANS[0]
    return np.where(inner == best, MEANS[best] + step * np.clip(shift, -1, 1), MEANS[best])


# ---- Whether the labels' errors favour one of two models, from three labels or more of the items on which they differ

SMALLEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Mean, square and cube of t over the items on which the models differ; each of shape (n_samples,)."""

    first: Floats
    second: Floats
    third: Floats

    def turned(self) -> "Moments":
        """The same with the models swapped."""
        return Moments(first=-self.first, second=self.second, third=-self.third)

    @property
    def lean(self) -> Floats:
        """E[t^3] - E[t] E[t^2]: above 0 if labels favour A."""
        return self.third - self.first * self.second

    @property
    def gain_of_three(self) -> Floats:
        """How much larger the mean of t is for the majority of three labels: 3 t / 2 - t^3 / 2 instead of t."""
        first = np.where(np.abs(self.first) > SMALLEST, self.first, np.nan)
        return np.asarray((3 - self.third / first) / 2)


class Sides(NamedTuple):
    """u where A is right and where B is, and the share of the items on which A is right; each of shape (n_samples,)."""

    a: Floats
    b: Floats
    share: Floats


def lead(kinds: Kinds) -> Floats:
    """Mean of t that the labels of an item show, of shape (n_kinds,); NaN without labels."""
    labels = np.where(kinds.labels > 0, kinds.labels, np.nan)
    return np.asarray((kinds.for_a - kinds.for_b) / labels)


def moments_of(kinds: Kinds, weights: Floats, which: Flags) -> Moments:
    """The three moments, from the labels of an item taken one, two and three at a time; it has three or more."""
    n = np.where(which, kinds.labels, 3).astype(np.float64)
    total = (kinds.for_a - kinds.for_b).astype(np.float64)
    squares = (kinds.for_a + kinds.for_b).astype(np.float64)
    second = (total**2 - squares) / (n * (n - 1))
    third = (total**3 - 3 * total * squares + 2 * total) / (n * (n - 1) * (n - 2))
    first, second, third = (weighted_mean(weights, each, which) for each in (total / n, second, third))
    return Moments(first=first, second=second, third=third)


def sides_of(moments: Moments) -> Sides:
    """The two values of t that have these moments, and the share of the first; NaN where none have.

    >>> t, share = np.array([0.6, -0.4]), np.array([0.7, 0.3])
    >>> given = [np.array([share @ t**power]) for power in (1, 2, 3)]
    >>> [float(value.round(6)[0]) for value in sides_of(Moments(first=given[0], second=given[1], third=given[2]))]
    [0.6, 0.4, 0.7]
    """
    variance = moments.second - moments.first**2
    # E[(t - u_a) (t + u_b)] = 0, alone and times t.
    difference = moments.lean / np.where(variance > SMALLEST, variance, np.nan)
    product = moments.second - difference * moments.first
    root = np.sqrt(np.maximum(difference**2 + 4 * product, 0))
    a, b = np.clip((root + difference) / 2, 0, 1), np.clip((root - difference) / 2, 0, 1)
    share = (moments.first + b) / np.where(a + b > SMALLEST, a + b, np.nan)
    return Sides(a, b, np.clip(share, 0, 1))


# ---- The numbers of a pilot, in the pilot itself and in each of its bootstrap samples

FEWEST = 20  # items that it takes to learn something from them alone
REPEATED = 2
TELLING = 4  # this many labels of an item show more than how often two of them agree


class LabelFit(NamedTuple):
    """How well raters know the classes of some items; each array has shape (1 + bootstrap,), the pilot first.

    `least` and `most` are E[u^2] and its root, between which the mean of u lies; in the bootstrap samples of a pilot
    that cannot tell how far u varies (`is_told`), the mean is the one and the other by turns.
    """

    mean: Floats
    least: Floats
    most: Floats
    concentration: float
    is_told: bool


def fit_labels(kinds: Kinds, weights: Floats, *, different: bool) -> LabelFit:
    """How well raters know the classes, of all items or of those on which the models differ."""
    which = kinds.with_labels(REPEATED, different=different)
    is_told = kinds.number(kinds.with_labels(TELLING, different=different)) >= FEWEST
    squared = known_squared(kinds, weights, which)
    if not squared[0] > 0:
        where, guess = " on which the models differ" if different else "", 1 / kinds.n_classes
        raise RatingsError(
            f"The pilot's labels tell nothing: two labels of an item{where} agree with chance "
            f"{guess + (1 - guess) * squared[0]:.3f}, and guesses would with chance {guess:.3f}. Plan with "
            f"{named('label_accuracy')}, or ask raters a clearer question."
        )
    found = fit_known(kinds, weights, which, is_told=is_told)
    least = np.maximum(np.nan_to_num(squared), 0)
    most = np.sqrt(least)
    mean = found.mean.copy()
    if not is_told:
        mean[1::2], mean[2::2] = least[1::2], most[2::2]
    return LabelFit(mean=mean, least=least, most=most, concentration=float(found.concentration[0]), is_told=is_told)


def at_least_the_lead(kinds: Kinds, weights: Floats, fit: LabelFit) -> LabelFit:
    """The fit with a mean of u that is nowhere below the lead of one model: |E[t]| is at most E[u].

    In a sample whose labels agree no more than by chance nothing else is known of u, and the lead would be lost.
    """
    return fit._replace(mean=np.maximum(fit.mean, np.abs(_leads(kinds, weights))))


def _leads(kinds: Kinds, weights: Floats) -> Floats:
    """Mean of t; 0 in a sample without a label on any item where the models differ, which says nothing of who leads."""
    return np.nan_to_num(weighted_mean(weights, lead(kinds), kinds.with_labels(1, different=True)))


class Comparison(NamedTuple):
    """How the models compare, A against B; each array has shape (1 + bootstrap,), the pilot first."""

    disagreement: Floats
    margin: Floats
    both_wrong: Floats
    accuracy_a: Floats
    accuracy_b: Floats


def compare(kinds: Kinds, weights: Floats, everywhere: LabelFit, apart: LabelFit) -> Comparison:
    """How the models compare, with what labels say corrected by how often they are right, everywhere and apart.

    Of two different answers a label equals the right one more often than the wrong one, by u: so the lead of A in
    labels is E[u] times its lead in accuracy. A label is any one wrong class with chance (1 - u) / K.
    """
    different = kinds.answers == DIFFERENT
    disagreement = weighted_mean(weights, different.astype(np.float64), kinds.answers != UNKNOWN)
    which = kinds.with_labels(1, different=True)
    known = np.maximum(apart.mean, SMALLEST)
    margin = np.clip(disagreement * _leads(kinds, weights) / known, -disagreement, disagreement)
    neither = _neither(kinds, weights, which, known)
    both_wrong = np.minimum(disagreement * neither, disagreement - np.abs(margin))
    accuracies = (_accuracy(kinds, weights, disagreement, everywhere, is_b=is_b) for is_b in (False, True))
    return Comparison(disagreement, margin, both_wrong, *accuracies)


def _shares(kinds: Kinds) -> tuple[Floats, Floats]:
    """Share of an item's labels that say what A says, and what B says."""
    labels = np.maximum(kinds.labels, 1)
    return kinds.for_a / labels, kinds.for_b / labels


def _neither(kinds: Kinds, weights: Floats, which: Flags, known: Floats) -> Floats:
    """Share of the items on which the models differ and both are wrong; 0 with two classes."""
    if kinds.n_classes == TWO_CLASSES:
        return np.zeros(len(weights))
    share_a, share_b = _shares(kinds)
    guessed = 2 * (1 - known) / kinds.n_classes
    # A label says what one of them says with this chance, and with `known` more if one of them is right.
    either = weighted_mean(weights, share_a + share_b, which)
    return np.clip(np.nan_to_num(1 - (either - guessed) / known), 0, 1)


def _accuracy(kinds: Kinds, weights: Floats, disagreement: Floats, fit: LabelFit, *, is_b: bool) -> Floats:
    """Accuracy of one model: labels equal its answers with chance (1 - u) / K, and u more where it is right."""
    share = _shares(kinds)[is_b]
    known = np.maximum(fit.mean, SMALLEST)
    labelled = kinds.with_labels(1)
    apart = weighted_mean(weights, share, labelled & (kinds.answers == DIFFERENT))
    together = weighted_mean(weights, share, labelled & (kinds.answers == SAME))
    equal = (1 - disagreement) * together + disagreement * apart
    return np.asarray(np.clip((equal - (1 - known) / kinds.n_classes) / known, 0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number and its interval; the bounds are NaN without a bootstrap."""

    value: float
    low: float
    high: float


def estimate(samples: Floats, confidence: float) -> Estimate:
    """The first entry, with an interval from the others; NaN bounds if there are none."""
    low, high = percentile_interval(samples[1:], confidence, most_undefined=1.0)
    return Estimate(value=float(samples[0]), low=low, high=high)
