"""Learn from a pilot how far two models differ, how often labels are right, and whom their errors favour."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.errors import JudgesError, OptionError, RatingsError, counted
from dissensus.planning.labels.pilot.checks import Checks, checks_of
from dissensus.planning.labels.pilot.data import DIFFERENT, UNKNOWN, Floats, PilotData, pilot_data, resampled
from dissensus.planning.labels.pilot.estimates import (
    FEWEST,
    REPEATED,
    Comparison,
    LabelFit,
    compare,
    estimate,
    fit_labels,
)
from dissensus.planning.labels.pilot.findings import Estimate, LabelPilot, PilotDraws
from dissensus.planning.labels.pilot.words import assumptions_of, warnings_of
from dissensus.ratings import Judges, Ratings


def read_pilot(
    ratings: Ratings,
    judges: Judges,
    *,
    a: str | None = None,
    b: str | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
) -> LabelPilot:
    """What a pilot says of two models and of the labels, with intervals by a bootstrap of items.

    Parameters
    ----------
    ratings : Ratings
        Labels of some items, a few of them labelled by several raters.
    judges : Judges
        What the models say of these items and of others.
    a, b : str, optional
        The models; may be left out if there are just two.
    bootstrap : int
        How many bootstrap samples; 0 for no intervals.
    confidence : float
        Of the intervals.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    LabelPilot

    Examples
    --------
    >>> from dissensus.simulation.labels import simulate_labels
    >>> made = simulate_labels(items=400, raters=5, unlabelled=2000, rng=1)
    >>> pilot = read_pilot(made.ratings, made.judges)
    >>> pilot.better, round(pilot.disagreement.value, 2), round(pilot.label_accuracy.value, 2)
    ('better', 0.33, 0.75)
    """
    if bootstrap < 0 or not 0 < confidence < 1:
        raise OptionError(
            f"--bootstrap {bootstrap} and --confidence {confidence:g}: give 0 samples or more, and a confidence "
            "between 0 and 1."
        )
    data = pilot_data(ratings, judges, a=a, b=b)
    _check(data)
    stream = np.random.default_rng(rng)
    weights = resampled(data.kinds, bootstrap, stream)
    return _findings(data, weights, confidence)


def _check(data: PilotData) -> None:
    """Raise where the pilot cannot tell."""
    kinds, (a, b) = data.kinds, data.names
    both = kinds.number(kinds.answers != UNKNOWN)
    if not both:
        raise JudgesError(f"The pilot cannot tell how often {a} and {b} differ: no item has answers of both.")
    if not kinds.number(kinds.answers == DIFFERENT):
        raise JudgesError(
            f"The pilot cannot tell: {a} and {b} say the same of each of the {counted(both, 'item')} that both "
            "answered. Check that they are two models, or give more items."
        )
    if not kinds.number(kinds.with_labels(REPEATED)):
        raise RatingsError(
            "The pilot cannot tell how often labels are right: no item has two labels. Have a few items labelled by "
            "several raters, or plan with --label-accuracy."
        )
    if not kinds.number(kinds.with_labels(1, different=True)):
        apart = counted(kinds.number(kinds.answers == DIFFERENT), "item")
        raise RatingsError(
            f"The pilot cannot tell which model is better: none of the {apart} on which {a} and {b} differ has a "
            "label. Label some of these."
        )


def _findings(data: PilotData, weights: Floats, confidence: float) -> LabelPilot:
    """The estimates, seen from the model that the labels prefer."""
    kinds = data.kinds
    everywhere = fit_labels(kinds, weights, different=False)
    is_apart = kinds.number(kinds.with_labels(REPEATED, different=True)) >= FEWEST
    apart = fit_labels(kinds, weights, different=True) if is_apart else everywhere
    found = compare(kinds, weights, everywhere, apart)
    is_b = bool(found.margin[0] < 0)
    checks = checks_of(kinds, weights, apart, is_b=is_b, disagreement=found.disagreement, confidence=confidence)
    return _told(data, found, (everywhere, apart), checks, is_b=is_b, confidence=confidence)


def _told(
    data: PilotData,
    found: Comparison,
    fits: tuple[LabelFit, LabelFit],
    checks: Checks,
    *,
    is_b: bool,
    confidence: float,
) -> LabelPilot:
    kinds, (everywhere, apart) = data.kinds, fits
    margin = -found.margin if is_b else found.margin
    better, worse = reversed(data.names) if is_b else data.names

    def right(known: Floats) -> Floats:
        return np.asarray(1 / kinds.n_classes + (1 - 1 / kinds.n_classes) * known)

    def told(samples: Floats) -> Estimate:
        return estimate(samples, confidence)

    pilot = LabelPilot(
        a=data.names[0],
        b=data.names[1],
        better=better,
        worse=worse,
        classes=kinds.n_classes,
        items=kinds.number(kinds.answers != UNKNOWN),
        labelled=kinds.number(kinds.with_labels(1) & (kinds.answers != UNKNOWN)),
        repeated=kinds.number(kinds.with_labels(REPEATED)),
        repeated_apart=kinds.number(kinds.with_labels(REPEATED, different=True)),
        labels=int(kinds.items @ kinds.labels),
        disagreement=told(found.disagreement),
        margin=told(margin),
        both_wrong=told(found.both_wrong),
        worse_accuracy=told(found.accuracy_a if is_b else found.accuracy_b),
        share_other=float(np.mean(margin[1:] < 0)) if len(margin) > 1 else np.nan,
        label_accuracy=told(right(everywhere.mean)),
        label_accuracy_apart=None if apart is everywhere else told(right(apart.mean)),
        label_accuracy_least=told(right(everywhere.least)),
        label_accuracy_most=told(right(everywhere.most)),
        known=float(apart.mean[0]),
        concentration=apart.concentration,
        concentration_everywhere=everywhere.concentration,
        is_spread_told=apart.is_told,
        noise=checks.noise,
        label_accuracy_better=checks.label_accuracy_better,
        label_accuracy_worse=checks.label_accuracy_worse,
        noise_gap=checks.noise_gap,
        margin_by_sides=checks.margin_by_sides,
        difficulty_gap=checks.difficulty_gap,
        gain_of_three=checks.gain_of_three if margin[0] > 0 else None,
        draws=PilotDraws(
            disagreement=found.disagreement[1:],
            margin=margin[1:],
            label_accuracy=right(apart.mean)[1:],
            both_wrong=found.both_wrong[1:],
        ),
        assumptions=assumptions_of(kinds.n_classes),
        warnings=data.warnings,
    )
    return replace(pilot, warnings=(*data.warnings, *warnings_of(pilot, checks)))
