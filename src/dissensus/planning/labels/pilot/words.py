"""What a pilot cannot check, and what it finds amiss, in sentences."""

from collections.abc import Iterator

import numpy as np

from dissensus.errors import counted
from dissensus.planning.labels.pilot.checks import TRIPLE, Checks
from dissensus.planning.labels.pilot.estimates import FEWEST, TELLING
from dissensus.planning.labels.pilot.findings import TWO_CLASSES, Estimate, LabelPilot

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
        f"{pilot.better} is right than where only {pilot.worse} is{_sides(pilot)}, or items differ more in difficulty "
        f"where {pilot.better} is wrong. This check cannot tell which; in both cases one label for each item need not "
        "be best."
    )


def _favourable(pilot: LabelPilot) -> str:
    margin = pilot.margin_by_sides
    instead = "" if margin is None else f", and then the margin is {_shown(margin)}, not {_shown(pilot.margin)}"
    return (
        f"Wrong labels seem to favour {pilot.better}: either labels are right more often where only {pilot.better} is "
        f"right than where only {pilot.worse} is{_sides(pilot)}{instead}; or items differ in difficulty. This check "
        "cannot tell which; a plan with one label for each item is the same in both cases."
    )


def _sides(pilot: LabelPilot) -> str:
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
