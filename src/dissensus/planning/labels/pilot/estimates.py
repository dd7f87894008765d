"""The numbers of a pilot, in the pilot itself and in each of its bootstrap samples."""

from dataclasses import dataclass

import numpy as np

from dissensus.errors import RatingsError
from dissensus.planning.labels.pilot.data import DIFFERENT, SAME, UNKNOWN, Flags, Floats, Kinds
from dissensus.planning.labels.pilot.difficulty import fit_known, known_squared, weighted_mean
from dissensus.planning.labels.pilot.findings import TWO_CLASSES, Estimate
from dissensus.planning.labels.pilot.noise import lead

FEWEST = 20
"""Items that it takes to learn something from them alone."""
REPEATED = 2
TELLING = 4
"""So many labels of an item show more than how often two of them agree."""
SMALLEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelFit:
    """How well raters know the classes of some items; each array has shape (1 + bootstrap,), the pilot first.

    Attributes
    ----------
    mean : ndarray
        Mean of u. In the bootstrap samples of a pilot that cannot tell how far u varies it is the least and the most
        that agreement allows, by turns.
    least, most : ndarray
        E[u^2] and its root.
    concentration : float
        Of the pilot.
    is_told : bool
        Whether the pilot tells how far u varies.
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
            "--label-accuracy, or ask raters a clearer question."
        )
    found = fit_known(kinds, weights, which, is_told=is_told)
    least = np.maximum(np.nan_to_num(squared), 0)
    most = np.sqrt(least)
    mean = found.mean.copy()
    if not is_told:
        mean[1::2], mean[2::2] = least[1::2], most[2::2]
    return LabelFit(mean=mean, least=least, most=most, concentration=float(found.concentration[0]), is_told=is_told)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """How the models compare, A against B; each array has shape (1 + bootstrap,), the pilot first."""

    disagreement: Floats
    margin: Floats
    both_wrong: Floats
    accuracy_a: Floats
    accuracy_b: Floats


def compare(kinds: Kinds, weights: Floats, everywhere: LabelFit, apart: LabelFit) -> Comparison:
    """How the models compare, with what labels say corrected by how often they are right.

    Of two different answers a label equals the right one more often than the wrong one, by u: so the lead of A in
    labels is E[u] times its lead in accuracy. A label is any one wrong class with chance (1 - u) / K.

    Parameters
    ----------
    kinds, weights
        The pilot.
    everywhere, apart : LabelFit
        How well raters know the classes: of all items, and of those on which the models differ.
    """
    different = kinds.answers == DIFFERENT
    disagreement = weighted_mean(weights, different.astype(np.float64), kinds.answers != UNKNOWN)
    which = kinds.with_labels(1, different=True)
    known = np.maximum(apart.mean, SMALLEST)
    # A sample without a label on any item where the models differ says nothing of who leads.
    leads = np.nan_to_num(weighted_mean(weights, lead(kinds), which))
    margin = np.clip(disagreement * leads / known, -disagreement, disagreement)
    neither = _neither(kinds, weights, which, known)
    return Comparison(
        disagreement=disagreement,
        margin=margin,
        both_wrong=np.minimum(disagreement * neither, disagreement - np.abs(margin)),
        accuracy_a=_accuracy(kinds, weights, disagreement, everywhere, is_b=False),
        accuracy_b=_accuracy(kinds, weights, disagreement, everywhere, is_b=True),
    )


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
    said = weighted_mean(weights, share_a + share_b, which)
    return np.clip(np.nan_to_num(1 - (said - guessed) / known), 0, 1)


def _accuracy(kinds: Kinds, weights: Floats, disagreement: Floats, fit: LabelFit, *, is_b: bool) -> Floats:
    """Accuracy of one model: labels equal its answers with chance (1 - u) / K, and u more where it is right."""
    own = _shares(kinds)[is_b]
    known = np.maximum(fit.mean, SMALLEST)
    labelled = kinds.with_labels(1)
    apart = weighted_mean(weights, own, labelled & (kinds.answers == DIFFERENT))
    together = weighted_mean(weights, own, labelled & (kinds.answers == SAME))
    equal = (1 - disagreement) * together + disagreement * apart
    return np.asarray(np.clip((equal - (1 - known) / kinds.n_classes) / known, 0, 1))


def estimate(samples: Floats, confidence: float) -> Estimate:
    """The first entry, with an interval from the others; NaN bounds if there are none."""
    others = samples[1:]
    others = others[~np.isnan(others)]
    if not len(others):
        return Estimate(value=float(samples[0]), low=np.nan, high=np.nan)
    low, high = np.quantile(others, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value=float(samples[0]), low=float(low), high=float(high))
