"""What a pilot says of two models and of the labels."""

from dataclasses import dataclass
from typing import Literal

from dissensus.planning.labels.pilot.data import Floats

Noise = Literal["no sign", "favours better", "favours worse", "cannot tell"]
TWO_CLASSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number and its interval; the bounds are NaN without a bootstrap."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotDraws:
    """What a plan needs, in each bootstrap sample of the pilot; each of shape (n_samples,).

    Attributes
    ----------
    disagreement, margin, label_accuracy, both_wrong : ndarray
        As in `LabelPilot`, the label accuracy that of `for_plan`. A negative margin means that the other model is the
        better one there; where a label is right no more often than by guessing, the margin is as large as it can be.
    """

    disagreement: Floats
    margin: Floats
    label_accuracy: Floats
    both_wrong: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelPilot:
    """What a pilot says of two models and of the labels.

    Attributes
    ----------
    a, b, better, worse : str
        The models, as given and as the labels rank them.
    classes : int
        How many classes there are.
    items, labelled, repeated, repeated_apart : int
        Items that both models answered; those of them with a label; items with two labels or more; those of them on
        which the models differ.
    labels : int
        All labels.
    disagreement : Estimate
        Share of the items on which the models differ.
    margin : Estimate
        By how much the accuracy of the better model is higher, corrected for wrong labels.
    both_wrong : Estimate
        Share of the items on which both models are wrong and differ; 0 with two classes.
    worse_accuracy : Estimate
        Accuracy of the worse model, corrected for wrong labels.
    share_other : float
        Share of the bootstrap samples in which the other model is the better one; NaN without a bootstrap.
    label_accuracy : Estimate
        How often a label is right, over all items with two labels or more, which may differ in difficulty.
    label_accuracy_apart : Estimate, optional
        The same over the items on which the models differ, which is what a plan needs; None if they are too few.
    label_accuracy_least, label_accuracy_most : Estimate
        The least and the most that the agreement of two labels allows, over all items. The most is what one finds if
        all items are taken to be equally difficult.
    known, concentration : float
        Mean of u over items and its concentration, for the items of `for_plan`: u is the share of the raters who know
        an item's class. An infinite concentration means that items are alike.
    concentration_everywhere : float
        The same for the items of `label_accuracy`.
    is_spread_told : bool
        Whether enough items have four labels to tell how far items differ in difficulty.
    noise : {"no sign", "favours better", "favours worse", "cannot tell"}
        Whom the labels' errors seem to favour.
    label_accuracy_better, label_accuracy_worse, noise_gap : Estimate, optional
        How often a label is right where only the better model is right, where only the worse one is, and the
        difference, if items are alike within these two parts (assumption 1 is that it is not below 0); None where the
        pilot cannot tell.
    margin_by_sides : Estimate, optional
        The margin, if items are alike within these two parts; `margin` takes labels to be as often right in both.
    difficulty_gap : Estimate, optional
        By how much difficulties that differ harm the majority of three labels more where the better model is right,
        as a share of all items, if labels are as often right in both parts (assumption 2 is that it is not below 0).
    gain_of_three : Estimate, optional
        By what factor the difference of the models grows with the majority of three labels, whatever the noise; one
        label each for three times as many items is worth the root of three.
    draws : PilotDraws
        For the intervals of a plan.
    assumptions, warnings : tuple of str
        What no pilot can check, and what was found amiss.
    """

    a: str
    b: str
    better: str
    worse: str
    classes: int
    items: int
    labelled: int
    repeated: int
    repeated_apart: int
    labels: int
    disagreement: Estimate
    margin: Estimate
    both_wrong: Estimate
    worse_accuracy: Estimate
    share_other: float
    label_accuracy: Estimate
    label_accuracy_apart: Estimate | None
    label_accuracy_least: Estimate
    label_accuracy_most: Estimate
    known: float
    concentration: float
    concentration_everywhere: float
    is_spread_told: bool
    noise: Noise
    label_accuracy_better: Estimate | None
    label_accuracy_worse: Estimate | None
    noise_gap: Estimate | None
    margin_by_sides: Estimate | None
    difficulty_gap: Estimate | None
    gain_of_three: Estimate | None
    draws: PilotDraws
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def for_plan(self) -> Estimate:
        """The label accuracy that a plan needs: where the models differ, or over all items if these are too few."""
        return self.label_accuracy if self.label_accuracy_apart is None else self.label_accuracy_apart

    def as_dict(self) -> dict[str, object]:
        """The findings as the JSON has them: estimates with their intervals, no draws."""
        found: dict[str, object] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Estimate):
                found[name] = value.as_dict()
            elif name not in {"draws", "warnings"}:
                found[name] = list(value) if isinstance(value, tuple) else value
        return found
