"""The paper's two assumptions, checked on items with three labels or more on which the models differ."""

from dataclasses import dataclass

import numpy as np

from dissensus.planning.labels.pilot.data import Floats, Kinds
from dissensus.planning.labels.pilot.estimates import FEWEST, LabelFit, estimate
from dissensus.planning.labels.pilot.findings import TWO_CLASSES, Estimate, Noise
from dissensus.planning.labels.pilot.noise import Moments, moments_of, sides_of

TRIPLE = 3
MOST_UNDEFINED = 0.05
"""Share of the bootstrap samples that may leave a number undefined before it is called unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What three labels of an item tell of their errors; None where the pilot cannot tell.

    Attributes
    ----------
    items : int
        With three labels or more and different answers.
    noise : str
        Whom the labels' errors seem to favour.
    label_accuracy_better, label_accuracy_worse, noise_gap, margin_by_sides, difficulty_gap, gain_of_three
        As in `LabelPilot`.
    better_right : Estimate, optional
        Share of the items with different answers on which the better model is right, by the same reckoning as the two
        label accuracies.
    """

    items: int
    noise: Noise = "cannot tell"
    label_accuracy_better: Estimate | None = None
    label_accuracy_worse: Estimate | None = None
    noise_gap: Estimate | None = None
    margin_by_sides: Estimate | None = None
    difficulty_gap: Estimate | None = None
    gain_of_three: Estimate | None = None
    better_right: Estimate | None = None


def checks_of(
    kinds: Kinds, weights: Floats, fit: LabelFit, *, is_b: bool, disagreement: Floats, confidence: float
) -> Checks:
    """Check both assumptions.

    Parameters
    ----------
    kinds, weights
        The pilot.
    fit : LabelFit
        How well raters know the classes where the models differ.
    is_b : bool
        Whether B is the better model by the labels.
    disagreement : ndarray of shape (n_samples,)
        Share of the items on which the models differ.
    confidence : float
        Of the intervals.
    """
    which = kinds.with_labels(TRIPLE, different=True)
    items = kinds.number(which)
    if items < FEWEST or len(weights) == 1:
        return Checks(items=items)
    given = moments_of(kinds, weights, which)
    moments = given.turned() if is_b else given
    noise = _verdict(estimate(moments.lean, confidence))
    if kinds.n_classes > TWO_CLASSES:
        # Items on which both are wrong mix in, and pull the lean towards the better model: only its sign tells.
        return Checks(items=items, noise=noise)
    harm = disagreement * (moments.third - moments.first * fit.mean**2) / 4
    return Checks(
        items=items,
        noise=noise,
        difficulty_gap=estimate(harm, confidence),
        gain_of_three=_told(moments.gain_of_three, confidence),
        **_sides(moments, disagreement, confidence),
    )


def _verdict(lean: Estimate) -> Noise:
    if lean.high < 0:
        return "favours worse"
    return "favours better" if lean.low > 0 else "no sign"


def _told(samples: Floats, confidence: float) -> Estimate | None:
    """An estimate, unless too many samples leave the number undefined."""
    if np.isnan(samples[0]) or np.isnan(samples).mean() > MOST_UNDEFINED:
        return None
    return estimate(samples, confidence)


def _sides(moments: Moments, disagreement: Floats, confidence: float) -> dict[str, Estimate | None]:
    better, worse, share = sides_of(moments)
    return {
        "label_accuracy_better": _told((1 + better) / 2, confidence),
        "label_accuracy_worse": _told((1 + worse) / 2, confidence),
        "noise_gap": _told((better - worse) / 2, confidence),
        "margin_by_sides": _told(disagreement * (2 * share - 1), confidence),
        "better_right": _told(share, confidence),
    }
