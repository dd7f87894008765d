"""The ceiling, label by label: what knowing everything about an item would tell about a rater's label.

The entropy of an item's state is a sum over labels, and each part depends on the probability of that label only. So the
ceiling needs no mixing distribution of whole states, of which there are far too many when there are many labels: for
each label, that of its probability is enough, from how often the label was given and how often another one.
"""

import math
from collections.abc import Sequence

import numpy as np

from dissensus.ratings.coding import Codes
from dissensus.ratings.quantiles import median
from dissensus.survey.npmle import FEW_LABELS, Mixture, fit_mixtures, surprise
from dissensus.survey.subsets import Floats

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

    Parameters
    ----------
    counts : ndarray of shape (n_types, n_labels)
        Label counts of each type of item.
    weights : ndarray of shape (n_replicates, n_types)
        How many items of each type there are.
    start : sequence of Mixture
        Fits to similar data, one per label, if there are any.

    Returns
    -------
    list of list of Mixture
        For each label, the mixture of each replicate; one label stands for both where there are two.
    """
    given = np.ascontiguousarray(counts[:, counts.any(axis=0)])
    if given.shape[1] <= TWO_LABELS:
        return [fit_mixtures(given, weights, start=start[0] if start else None)]
    fits = []
    for label in range(given.shape[1]):
        own = given[:, label]
        pairs, place = np.unique(np.stack([own, given.sum(axis=1) - own], axis=1), axis=0, return_inverse=True)
        of_pairs = np.stack([np.bincount(place.ravel(), weights=row, minlength=len(pairs)) for row in weights])
        first = start[label] if start else None
        fits.append(fit_mixtures(pairs, of_pairs.astype(np.float64), start=first))
    return fits


def ceiling_of(labels: Sequence[Mixture]) -> float:
    """Bits that knowing the state of the item tells about a rater's label, from the mixture of each label."""
    if len(labels) == 1:
        return labels[0].ceiling()
    return prior_entropy_of(labels) - sum(float(own.weights @ surprise(own.states[:, 0])) for own in labels)


def prior_entropy_of(labels: Sequence[Mixture]) -> float:
    """Bits of surprise in a rater's label where nothing is known of the item."""
    if len(labels) == 1:
        return labels[0].prior_entropy()
    return sum(float(surprise(own.weights @ own.states[:, 0])) for own in labels)


def bits_by_chance(counts: Codes, items: Codes) -> float:
    """About the bits by which items would seem to differ, by chance alone, if they were all the same.

    For each label the spread of its shares over items, beyond that of drawing raters, has a standard error of
    p (1 - p) sqrt(2 / pairs), where pairs are those of ratings of the same item; it comes into the ceiling divided by
    2 p ln 2.

    Examples
    --------
    >>> round(bits_by_chance(np.array([[5, 3, 2]]), np.array([300])), 4)
    0.0124
    """
    per_item = counts.sum(axis=1).astype(np.float64)
    pairs = float(items @ (per_item * (per_item - 1)))
    n_labels = int(counts.any(axis=0).sum())
    return (n_labels - 1) / (2 * math.log(2)) * math.sqrt(2 / pairs) if pairs > 0 else math.inf


def why_unasked(counts: Codes, items: Codes) -> str:
    """Why these ratings have no ceiling; empty where they may have one."""
    if median(counts.sum(axis=1).astype(np.float64), items) < FEWEST_RATINGS:
        few = f"half of the items have fewer than {FEWEST_RATINGS} ratings"
        return f"No ceiling: {few}, too few to tell difficult items from noisy raters."
    if counts.any(axis=0).sum() == 1:
        return "No ceiling: all ratings are the same label, so there is nothing to tell."
    return ""


def why_untold(counts: Codes, items: Codes, gain: float) -> str:
    """Why the ceiling that was found cannot be told; empty where it can.

    With few labels the interval held the truth 8 to 10 times in 10 even where there was nothing to tell, so it is told.
    """
    n_labels = int(counts.any(axis=0).sum())
    noise = bits_by_chance(counts, items) * math.sqrt(max(1.0, float(items.sum()) / ITEMS_THAT_HELP))
    if n_labels <= FEW_LABELS or noise <= MOST_BY_CHANCE * gain:
        return ""
    found = f"items seem to differ by {gain:.2g} bits, of which with {n_labels} labels about {noise:.2g} may be chance"
    return f"No ceiling: {found}. More ratings per item would tell, or fewer labels."
