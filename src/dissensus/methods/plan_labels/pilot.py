"""Learn from a pilot how far two models differ, how often labels are right, and whom their errors favour."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, Ratings
from dissensus.errors import JudgesError, OptionError, RatingsError, counted
from dissensus.methods.plan_labels.pilot_data import (
    DIFFERENT,
    TWO_CLASSES,
    UNKNOWN,
    Estimate,
    Kinds,
    LabelPilot,
    Noise,
    PilotData,
    PilotDraws,
    pilot_data,
    resampled,
)
from dissensus.methods.plan_labels.pilot_fit import (
    FEWEST,
    REPEATED,
    TELLING,
    Comparison,
    LabelFit,
    Moments,
    compare,
    estimate,
    fit_labels,
    moments_of,
    sides_of,
)

# ---- The paper's two assumptions, checked on items with three labels or more on which the models differ

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


# ---- What a pilot cannot check, and what it finds amiss, in sentences

HALF = 0.5
WORTH = np.sqrt(3)
"""What three times as many items are worth, against the majority of three labels."""


def assumptions_of(classes: int) -> tuple[str, ...]:
    """What is taken for granted, because no pilot can tell."""
    truth = (
        "The true class of an item is the one that most raters would give it: where most are wrong, no number of "
        "labels can show it."
    )
    sample = (
        "The labelled items are a random sample of all items, or of those on which the models agree and of those on "
        "which they differ."
    )
    said = (truth, "Raters err independently of each other.", sample)
    if classes == TWO_CLASSES:
        return said
    return (*said, "A wrong label is any of the other classes with the same chance.")


def warnings_of(pilot: LabelPilot, checks: Checks) -> tuple[str, ...]:
    """What is to be warned of."""
    return (*_of_margin(pilot), *_of_labels(pilot), *_of_noise(pilot, checks), *_of_classes(pilot))


def _of_margin(pilot: LabelPilot) -> Iterator[str]:
    if pilot.margin.value == 0:
        yield f"By its labels {pilot.a} and {pilot.b} are equally good, so the pilot cannot tell which one is better."
    elif pilot.margin.low <= 0:
        share = float(np.mean(pilot.draws.margin <= 0))
        yield (
            f"The pilot is not sure that {pilot.better} is better than {pilot.worse}: in {share:.0%} of its bootstrap "
            "samples it is no better. A larger pilot would tell."
        )
    if pilot.classes == TWO_CLASSES and pilot.worse_accuracy.high < HALF:
        yield (
            f"{pilot.worse} is right on {pilot.worse_accuracy.value:.0%} of the items, which is worse than guessing: "
            "check that its labels are not swapped."
        )


def _of_labels(pilot: LabelPilot) -> Iterator[str]:
    if pilot.label_accuracy_apart is None:
        yield (
            f"Only {counted(pilot.repeated_apart, 'item')} on which the models differ have two labels or more "
            f"({FEWEST} would do), so labels are taken to be right there as often as on all items. That is often "
            "not so: what is hard for models is hard for people."
        )
    if not pilot.is_spread_told:
        least, most = pilot.label_accuracy_least.value, pilot.label_accuracy_most.value
        yield (
            f"Fewer than {FEWEST} items have {TELLING} labels or more, so the pilot cannot tell how far items differ "
            f"in difficulty: over all items a label is right with a chance between {least:.2f} and {most:.2f}, and the "
            "intervals allow for both."
        )


def _of_noise(pilot: LabelPilot, checks: Checks) -> Iterator[str]:
    if checks.noise == "cannot tell":
        yield (
            f"The pilot cannot tell whether wrong labels favour one model: that takes {TRIPLE} labels on at least "
            f"{FEWEST} items on which the models differ, and {checks.items} have them."
            if checks.items < FEWEST
            else "Without bootstrap samples nothing is said about whether wrong labels favour one model."
        )
    share = checks.better_right
    is_turned = share is not None and share.high < HALF
    if checks.noise == "favours worse":
        yield _against(pilot)
    if checks.noise == "favours better" and not is_turned:
        yield _favourable(pilot)
    if share is not None and is_turned:
        yield (
            f"{pilot.better} agrees with more labels, but on the items where the models differ repeated labels point "
            f"to {pilot.worse} as the one that is right more often ({1 - share.value:.0%} of them): the lead may come "
            "from wrong labels that favour one model. Have these items labelled by more raters before you plan."
        )
    gain = pilot.gain_of_three
    if gain is not None and gain.low > WORTH:
        yield (
            f"The majority of three labels moves the models apart by a factor of {_shown(gain)}, more than the "
            f"{WORTH:.2f} that three times as many items with one label are worth: several labels for each item are "
            "better here."
        )


def _against(pilot: LabelPilot) -> str:
    return (
        f"Wrong labels seem to work against {pilot.better}: either labels are right less often where only "
        f"{pilot.better} is right than where only {pilot.worse} is{_by_side(pilot)}, or items differ more in "
        f"difficulty where {pilot.better} is wrong. This check cannot tell which; in both cases one label for "
        "each item need not be best."
    )


def _favourable(pilot: LabelPilot) -> str:
    margin = pilot.margin_by_sides
    instead = "" if margin is None else f", and then the margin is {_shown(margin)}, not {_shown(pilot.margin)}"
    return (
        f"Wrong labels seem to favour {pilot.better}: either labels are right more often where only {pilot.better} is "
        f"right than where only {pilot.worse} is{_by_side(pilot)}{instead}; or items differ in difficulty. This check "
        "cannot tell which; a plan with one label for each item is the same in both cases."
    )


def _by_side(pilot: LabelPilot) -> str:
    better, worse, gap = pilot.label_accuracy_better, pilot.label_accuracy_worse, pilot.noise_gap
    if better is None or worse is None or gap is None:
        return ""
    return f" ({better.value:.2f} against {worse.value:.2f}, a difference of {_shown(gap)})"


def _of_classes(pilot: LabelPilot) -> Iterator[str]:
    if pilot.classes > TWO_CLASSES:
        yield (
            f"With {pilot.classes} classes, numbers that correct for wrong labels rest on wrong labels being spread "
            "evenly over the other classes, and whether they favour one model is checked by direction only."
        )


def _shown(found: Estimate) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


# ---- Learn from a pilot how far two models differ, how often labels are right, and whom their errors favour


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
    return _estimates_told(data, found, (everywhere, apart), checks, is_b=is_b, confidence=confidence)


def _estimates_told(
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
