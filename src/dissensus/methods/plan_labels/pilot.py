"""Learn from a pilot how far two models differ, how often labels are right, and whom their errors favour."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Flags, Floats
from dissensus.errors import JudgesError, OptionError, RatingsError, counted
from dissensus.methods.plan_labels import pilot_fit as fits
from dissensus.methods.plan_labels.options import PlanLabelsOptions, Situation, situation_from
from dissensus.methods.plan_labels.pilot_fit import Estimate
from dissensus.options import named
from dissensus.results import as_dict

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings

Noise = Literal["no sign", "favours better", "favours worse", "cannot tell"]


class PilotDraws(NamedTuple):
    """What a plan needs, in each bootstrap sample of the pilot; each of shape (n_samples,)."""

    # `disagreement`, `margin`, `label_accuracy`, `both_wrong`: as in `LabelPilot`, the label accuracy that of
    # `for_plan`. A negative margin means that the other model is the better one there; where a label is right no more
    # often than by guessing, the margin is as large as it can be.
    disagreement: Floats
    margin: Floats
    label_accuracy: Floats
    both_wrong: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelPilot:
    """What a pilot says about two models and the labels."""

    # `a`, `b`, `better`, `worse`: the models, as given and as the labels rank them.
    a: str
    b: str
    better: str
    worse: str
    classes: int  # how many classes there are
    # `items`, `labelled`, `labelled_apart`, `repeated`, `repeated_apart`: items that both models answered; those of
    # them with a label; those of these on which the models differ; items with two labels or more; those of them on
    # which the models differ.
    items: int
    labelled: int
    labelled_apart: int
    repeated: int
    repeated_apart: int
    labels: int  # all labels
    disagreement: Estimate  # share of the items on which the models differ
    margin: Estimate  # by how much the accuracy of the better model is higher, corrected for wrong labels
    both_wrong: Estimate  # share of the items on which both models are wrong and differ; 0 with two classes
    worse_accuracy: Estimate  # accuracy of the worse model, corrected for wrong labels
    # Share of the bootstrap samples in which the other model is the better one; NaN without a bootstrap.
    share_other: float
    # How often a label is right, over all items with two labels or more, which may differ in difficulty.
    label_accuracy: Estimate
    # The same over the items on which the models differ, which is what a plan needs; None if they are too few.
    label_accuracy_apart: Estimate | None
    # `label_accuracy_least`, `label_accuracy_most`: the least and the most that the agreement of two labels allows,
    # over all items. The most is what one finds if all items are taken to be equally difficult.
    label_accuracy_least: Estimate
    label_accuracy_most: Estimate
    # `known`, `concentration`: mean of u over items and its concentration, for the items of `for_plan`: u is the share
    # of the raters who know an item's class. An infinite concentration means that items are equally hard.
    known: float
    concentration: float
    concentration_everywhere: float  # the same for the items of `label_accuracy`
    is_spread_told: bool  # whether enough items have four labels to tell how far items differ in difficulty
    noise: Noise  # whom the labels' errors seem to favour
    # `label_accuracy_better`, `label_accuracy_worse`, `noise_gap`: how often a label is right where only the better
    # model is right, where only the worse one is, and the difference, if items are equal within these two parts
    # (assumption 1 is that it is not below 0); None where the pilot cannot tell.
    label_accuracy_better: Estimate | None = None
    label_accuracy_worse: Estimate | None = None
    noise_gap: Estimate | None = None
    # The margin, if items are equal within these two parts; `margin` takes labels to be as often right in both.
    margin_by_sides: Estimate | None = None
    # By how much difficulties that differ harm the majority of three labels more where the better model is right, as a
    # share of all items, if labels are as often right in both parts (assumption 2 is that it is not below 0).
    difficulty_gap: Estimate | None = None
    # By what factor the difference of the models grows with the majority of three labels, whatever the noise; one label
    # each for three times as many items is worth the root of three.
    gain_of_three: Estimate | None = None
    draws: PilotDraws  # for the intervals of a plan
    # `assumptions`, `warnings`: what no pilot can check, and what looks wrong.
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def for_plan(self) -> Estimate:
        """The label accuracy that a plan needs: where the models differ, or over all items if these are too few."""
        return self.label_accuracy if self.label_accuracy_apart is None else self.label_accuracy_apart

    def as_dict(self) -> dict[str, object]:
        """The findings as the JSON has them: estimates with their intervals, no draws."""
        return {name: value for name, value in as_dict(self).items() if name not in {"draws", "warnings"}}


# ---- The paper's two assumptions, checked on items with three labels or more on which the models differ

TRIPLE = 3
MOST_UNDEFINED = 0.05  # share of the bootstrap samples that may leave a number undefined before it is called unknown


class Checks(NamedTuple):
    """What three labels of an item tell of their errors."""

    items: int  # with three labels or more and different answers
    noise: Noise = "cannot tell"  # whom the labels' errors seem to favour
    # `label_accuracy_better`, `noise_gap` and others, as in `LabelPilot`; None where the pilot cannot tell.
    estimates: Mapping[str, Estimate | None] = MappingProxyType({})
    # Share of the items with different answers on which the better model is right, by the same reckoning as the two
    # label accuracies.
    better_right: Estimate | None = None


def checks_of(
    kinds: fits.Kinds, weights: Floats, fit: fits.LabelFit, *, is_b: bool, disagreement: Floats, confidence: float
) -> Checks:
    """Check both assumptions, on how well raters know the classes where the models differ."""
    which = kinds.with_labels(TRIPLE, different=True)
    items = kinds.number(which)
    if items < fits.FEWEST or len(weights) == 1:
        return Checks(items)
    given = fits.moments_of(kinds, weights, which)
    moments = given.turned() if is_b else given
    lean = fits.estimate(moments.lean, confidence)
    noise: Noise = "favours worse" if lean.high < 0 else "favours better" if lean.low > 0 else "no sign"
    if kinds.n_classes > fits.TWO_CLASSES:
        # Items on which both are wrong mix in, and pull the lean towards the better model: only its sign tells.
        return Checks(items, noise)
    harm = disagreement * (moments.third - moments.first * fit.mean**2) / 4
    better, worse, share = fits.sides_of(moments)
    estimates = {
        "label_accuracy_better": _known((1 + better) / 2, confidence),
        "label_accuracy_worse": _known((1 + worse) / 2, confidence),
        "noise_gap": _known((better - worse) / 2, confidence),
        "margin_by_sides": _known(disagreement * (2 * share - 1), confidence),
        "difficulty_gap": fits.estimate(harm, confidence),
        "gain_of_three": _known(moments.gain_of_three, confidence),
    }
    return Checks(items, noise, estimates, _known(share, confidence))


def _known(samples: Floats, confidence: float) -> Estimate | None:
    """An estimate, unless too many samples leave the number undefined."""
    if np.isnan(samples[0]) or np.isnan(samples).mean() > MOST_UNDEFINED:
        return None
    return fits.estimate(samples, confidence)


# ---- What a pilot cannot check, and what it finds amiss, in sentences

HALF = 0.5
WORTH = np.sqrt(3)  # what three times as many items are worth, against the majority of three labels


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
    every = (truth, "Raters err independently of each other.", sample)
    if classes == fits.TWO_CLASSES:
        return every
    return (*every, "A wrong label is any of the other classes with the same chance.")


def warnings_of(pilot: LabelPilot, checks: Checks) -> Iterator[str]:
    """What to warn about."""
    yield from _of_margin(pilot)
    yield from _of_labels(pilot)
    yield from _of_noise(pilot, checks)
    if pilot.classes > fits.TWO_CLASSES:
        yield (
            f"Corrections for wrong labels assume that these are spread evenly over the other {pilot.classes - 1} "
            "classes; whether they favour one model is checked by direction only."
        )


def _of_margin(pilot: LabelPilot) -> Iterator[str]:
    if pilot.margin.value == 0:
        yield f"By its labels {pilot.a} and {pilot.b} are equally good, so the pilot cannot tell which one is better."
    elif pilot.margin.low <= 0:
        share = float(np.mean(pilot.draws.margin <= 0))
        yield (
            f"The pilot is not sure that {pilot.better} is better than {pilot.worse}: in {share:.0%} of its bootstrap "
            "samples it is no better. A larger pilot would tell."
        )
    if pilot.classes == fits.TWO_CLASSES and pilot.worse_accuracy.high < HALF:
        yield (
            f"{pilot.worse} is right on {pilot.worse_accuracy.value:.0%} of the items, which is worse than guessing: "
            "check that its labels are not swapped."
        )


def _of_labels(pilot: LabelPilot) -> Iterator[str]:
    if pilot.label_accuracy_apart is None:
        yield (
            f"Label more items twice on which the models differ: {pilot.repeated_apart:,} are, {fits.FEWEST} would do. "
            "Until then the plan takes labels there to be right as often as on all items."
        )
    if not pilot.is_spread_told:
        least, most = pilot.label_accuracy_least.value, pilot.label_accuracy_most.value
        yield (
            f"Fewer than {fits.FEWEST} items have {fits.TELLING} labels or more, so the pilot cannot tell how far "
            f"items differ in difficulty: over all items a label is right with a chance between {least:.2f} and "
            f"{most:.2f}, and the intervals allow for both."
        )


def _of_noise(pilot: LabelPilot, checks: Checks) -> Iterator[str]:
    if checks.noise == "cannot tell":
        yield (
            f"The pilot cannot tell whether wrong labels favour one model: that takes {TRIPLE} labels on at least "
            f"{fits.FEWEST} items on which the models differ, and {checks.items} have them."
            if checks.items < fits.FEWEST
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


def _shown(found: Estimate) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def read_pilot(
    ratings: "Ratings", judges: "Judges", *, a: str | None = None, b: str | None = None, bootstrap: int = 500,
    confidence: float = 0.95, rng: int | Generator | None = 0,
) -> LabelPilot:  # fmt: skip
    """What a pilot says about two models and the labels, with intervals by a bootstrap of items.

    >>> from dissensus.simulation.labels import simulate_labels
    >>> made = simulate_labels(items=400, raters=5, unlabelled=2000, rng=1)
    >>> pilot = read_pilot(made.ratings, made.judges)
    >>> pilot.better, round(pilot.disagreement.value, 2), round(pilot.label_accuracy.value, 2)
    ('better', 0.33, 0.75)
    """
    if bootstrap < 0 or not 0 < confidence < 1:
        raise OptionError(
            f"{named('bootstrap')} {bootstrap} and {named('confidence')} {confidence:g}: give 0 samples or more, and a "
            "confidence between 0 and 1."
        )
    data = fits.pilot_data(ratings, judges, a=a, b=b)
    _check(data)
    return _findings(data, fits.resampled(data.kinds, bootstrap, np.random.default_rng(rng)), confidence)


def _check(data: fits.PilotData) -> None:
    """Raise where the pilot cannot tell."""
    kinds, (a, b) = data.kinds, data.names
    both = kinds.number(kinds.answers != fits.UNKNOWN)
    if not both:
        raise JudgesError(f"The pilot cannot tell how often {a} and {b} differ: no item has answers of both.")
    if not kinds.number(kinds.answers == fits.DIFFERENT):
        raise JudgesError(
            f"The pilot cannot tell: {a} and {b} say the same of each of the {counted(both, 'item')} that both "
            "answered. Check that they are two models, or give more items."
        )
    if not kinds.number(kinds.with_labels(fits.REPEATED)):
        raise RatingsError(
            "The pilot cannot tell how often labels are right: no item has two labels. Have a few items labelled by "
            f"several raters, or plan with {named('label_accuracy')}."
        )
    if not kinds.number(kinds.with_labels(1, different=True)):
        apart = counted(kinds.number(kinds.answers == fits.DIFFERENT), "item")
        raise RatingsError(
            f"The pilot cannot tell which model is better: none of the {apart} on which {a} and {b} differ has a "
            "label. Label some of these."
        )


def _findings(data: fits.PilotData, weights: Floats, confidence: float) -> LabelPilot:
    """The estimates, seen from the model that the labels prefer."""
    kinds = data.kinds
    everywhere = fits.fit_labels(kinds, weights, different=False)
    is_apart = kinds.number(kinds.with_labels(fits.REPEATED, different=True)) >= fits.FEWEST
    apart = fits.fit_labels(kinds, weights, different=True) if is_apart else everywhere
    apart = fits.at_least_the_lead(kinds, weights, apart)
    found = fits.compare(kinds, weights, everywhere, apart)
    is_b = bool(found.margin[0] < 0)
    checks = checks_of(kinds, weights, apart, is_b=is_b, disagreement=found.disagreement, confidence=confidence)
    margin = -found.margin if is_b else found.margin
    better, worse = reversed(data.names) if is_b else data.names

    def right(known: Floats) -> Floats:
        return np.asarray(1 / kinds.n_classes + (1 - 1 / kinds.n_classes) * known)

    def estimated(samples: Floats) -> Estimate:
        return fits.estimate(samples, confidence)

    pilot = LabelPilot(
        a=data.names[0], b=data.names[1], better=better, worse=worse, classes=kinds.n_classes,
        items=kinds.number(kinds.answers != fits.UNKNOWN),
        labelled=kinds.number(kinds.with_labels(1) & (kinds.answers != fits.UNKNOWN)),
        labelled_apart=kinds.number(kinds.with_labels(1, different=True)),
        repeated=kinds.number(kinds.with_labels(fits.REPEATED)),
        repeated_apart=kinds.number(kinds.with_labels(fits.REPEATED, different=True)),
        labels=int(kinds.items @ kinds.labels),
        disagreement=estimated(found.disagreement), margin=estimated(margin), both_wrong=estimated(found.both_wrong),
        worse_accuracy=estimated(found.accuracy_a if is_b else found.accuracy_b),
        share_other=float(np.mean(margin[1:] < 0)) if len(margin) > 1 else np.nan,
        label_accuracy=estimated(right(everywhere.mean)),
        label_accuracy_apart=estimated(right(apart.mean)) if is_apart else None,
        label_accuracy_least=estimated(right(everywhere.least)), label_accuracy_most=estimated(right(everywhere.most)),
        known=float(apart.mean[0]), concentration=apart.concentration,
        concentration_everywhere=everywhere.concentration, is_spread_told=apart.is_told, noise=checks.noise,
        draws=PilotDraws(found.disagreement[1:], margin[1:], right(apart.mean)[1:], found.both_wrong[1:]),
        assumptions=assumptions_of(kinds.n_classes), warnings=data.warnings,
        **dict(checks.estimates) | ({} if margin[0] > 0 else {"gain_of_three": None}),
    )  # fmt: skip
    return replace(pilot, warnings=(*data.warnings, *warnings_of(pilot, checks)))


# ---- Models and labels as a pilot shows them, and as its bootstrap samples do


def with_pilot(options: PlanLabelsOptions, pilot: LabelPilot) -> PlanLabelsOptions:
    """The options with what the pilot decides."""
    if options.classes not in {fits.TWO_CLASSES, pilot.classes}:
        raise OptionError(
            f"{named('classes')} {options.classes} contradicts the pilot, which has {pilot.classes} classes."
        )
    if options.margin is not None and options.margin > pilot.disagreement.value:
        raise OptionError(
            f"{named('margin')} {options.margin:g} is more than the share of items on which the pilot's models differ, "
            f"{pilot.disagreement.value:.3g}: their accuracies cannot be that far apart."
        )
    if options.margin is None and options.bootstrap > 0:
        _check_size(pilot)
    return replace(options, a=pilot.a, b=pilot.b, classes=pilot.classes)


def _check_size(pilot: LabelPilot) -> None:
    """Refuse a pilot that is too small to say what it leaves open of the margin."""
    if pilot.labelled_apart >= fits.FEWEST:
        return
    enough = fits.FEWEST / (pilot.labelled_apart / pilot.labelled)
    raise RatingsError(
        f"The pilot is too small to plan from: {pilot.a} and {pilot.b} differ on {pilot.labelled_apart} of its "
        f"{counted(pilot.labelled, 'labelled item')}, and it takes {fits.FEWEST}. About {math.ceil(enough * 1.25):,} "
        f"labelled items would do; or say with {named('margin')} which difference is worth finding."
    )


def situation_in(pilot: LabelPilot, options: PlanLabelsOptions) -> Situation:
    """The models and the labels where the models differ."""
    margin = pilot.margin.value if options.margin is None else options.margin
    found = (pilot.disagreement.value, margin, pilot.for_plan.value, pilot.both_wrong.value)
    return _situation(pilot, options, PilotDraws(*(np.asarray(value) for value in found)))


def situation_everywhere(pilot: LabelPilot, situation: Situation) -> Situation:
    """The same models, with labels as they are on all items."""
    right = np.asarray(pilot.label_accuracy.value)
    return replace(
        situation, label_accuracy_better=right, label_accuracy_worse=right, concentration=pilot.concentration_everywhere
    )


def situations_drawn(pilot: LabelPilot, options: PlanLabelsOptions) -> Situation:
    """The models and the labels in each bootstrap sample, seen from the model that is the better one there."""
    return _situation(pilot, options, pilot.draws._replace(margin=np.abs(_margins(pilot, options))))


def is_turned(pilot: LabelPilot, options: PlanLabelsOptions) -> Flags:
    """In which bootstrap samples the other model is the better one, or none is."""
    return np.asarray(_margins(pilot, options) <= 0)


def _margins(pilot: LabelPilot, options: PlanLabelsOptions) -> Floats:
    return pilot.draws.margin if options.margin is None else np.full_like(pilot.draws.margin, options.margin)


def _situation(pilot: LabelPilot, options: PlanLabelsOptions, found: PilotDraws) -> Situation:
    """The shares that belong to these numbers; a margin is at most the disagreement, and a share not negative."""
    both = np.clip(found.both_wrong, 0, np.maximum(found.disagreement - np.abs(found.margin), 0))
    only_one = np.maximum(found.disagreement - both, 1e-12)
    lead = np.clip(found.margin, -only_one, only_one)
    return situation_from(
        ((only_one + lead) / 2, (only_one - lead) / 2, both), (found.label_accuracy, found.label_accuracy),
        classes=options.classes, accuracy=pilot.worse_accuracy.value, concentration=pilot.concentration,
    )  # fmt: skip
