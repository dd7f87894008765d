"""What `plan_labels` returns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dissensus.methods.plan_labels.options import Question, Strategy
from dissensus.methods.plan_labels.situation import Situation
from dissensus.results import Result

if TYPE_CHECKING:
    from dissensus.methods.plan_labels.pilot_data import LabelPilot


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDesign:
    """A test set that could be labelled.

    Attributes
    ----------
    strategy : str
        How labels are spent: a fixed number for each item, adaptive, lead-by-two or disagreement-only.
    labels_per_item : int or float
        Labels for each labelled item; expected ones where their number depends on what they say.
    items : int
        Labelled items.
    screened : int, optional
        With disagreement-only: unlabelled items to look through until so many are found on which the models disagree.
    labels, cost : float
        All labels (expected ones), and what labels and items cost.
    label_accuracy : float
        How often the label that counts, the majority's, is right where exactly one of the models is.
    error, log10_error : float
        Chance that the worse model comes out ahead, ties counted as asked, and its decimal logarithm: the chance itself
        is 0 where it is too small for a number.
    error_low, error_high : float
        Interval on the error from what the pilot leaves open; NaN without one.
    tie, win : float
        Chance that both models are right on as many items, and that the better one is on more.
    cramer, hoeffding : float
        What the two bounds say of the error, with `log10_cramer` and `log10_hoeffding`.
    models_testable : int, optional
        How many models a test set like this one can rank; None where that is too large for a number, and with
        disagreement-only, which serves one pair of models.
    log10_models : float
        Its decimal logarithm; NaN with disagreement-only.
    """

    strategy: Strategy
    labels_per_item: float
    items: int
    screened: int | None
    labels: float
    cost: float
    label_accuracy: float
    error: float
    log10_error: float
    error_low: float
    error_high: float
    tie: float
    win: float
    cramer: float
    log10_cramer: float
    hoeffding: float
    log10_hoeffding: float
    models_testable: int | None
    log10_models: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The smallest test set whose error is small enough.

    Attributes
    ----------
    strategy, labels_per_item
        As in `LabelDesign`.
    items : int, optional
        The fewest labelled items with at most that error; None where no number has, or none up to 10^12.
    items_safe : int, optional
        From here on every number of items has; the same unless the error rises now and then with the items.
    items_planned : int, optional
        The one of both that the plan takes: the fewest, but the safe number where ties are won, as an item or two that
        mostly end in a tie then have a small error.
    items_low, items_high : float
        Interval on `items_planned` from what the pilot leaves open; NaN without one, infinite where no number may do.
    screened : int, optional
        With disagreement-only: unlabelled items to look through.
    labels, cost : float, optional
        Of the planned items.
    cramer_items, hoeffding_items : int, optional
        What the two bounds would have asked for.
    """

    strategy: Strategy
    labels_per_item: float
    items: int | None
    items_safe: int | None
    items_planned: int | None
    items_low: float
    items_high: float
    screened: int | None
    labels: float | None
    cost: float | None
    cramer_items: int | None
    hoeffding_items: int | None

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """How dear an item must be, in labels, until several labels for each pay.

    Attributes
    ----------
    labels_per_item : int
        Several labels, compared with one.
    ratio : float
        Cost of an item over that of a label where both are as good, from the formula for small margins; infinite where
        several never pay.
    ratio_exact : float
        The same from the exact errors: where several labels reach the error of the single-label design for as much
        money.
    """

    labels_per_item: int
    ratio: float
    ratio_exact: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute:
    """What a design says of the accuracy of one model, rather than of which is better.

    Attributes
    ----------
    labels_per_item, items
        The design.
    standard_error : float
        Of the worse model's accuracy, corrected for wrong labels, whose accuracy is taken as known.
    bias : float
        How far its agreement with the labels, not corrected, lies from its accuracy.
    """

    labels_per_item: float
    items: int
    standard_error: float
    bias: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class PlanLabelsResult(Result):
    """One label each for many items, or several for few?

    Attributes
    ----------
    designs : tuple of LabelDesign
        One for each number of labels per item: what the budget buys, or what the error needs.
    recommended : LabelDesign, optional
        The one with the smallest error, or the cheapest with the error asked for; None where none has it.
    needed : tuple of Needed
        Where an error was asked for, how many items it takes.
    compared : tuple of LabelDesign
        With disagreement-only, the same money spent on items taken at random.
    break_even : tuple of BreakEven
        From which item cost on several labels pay.
    absolute : tuple of Absolute
        How well each design measures the accuracy of one model; empty where that is not known.
    situation : Situation
        How models and labels stand to each other.
    pilot : LabelPilot, optional
        What the pilot said, if there was one.
    question : Question
        What was asked.
    """

    command: ClassVar[str] = "plan labels"

    designs: tuple[LabelDesign, ...]
    recommended: LabelDesign | None
    situation: Situation
    question: Question
    needed: tuple[Needed, ...] = ()
    compared: tuple[LabelDesign, ...] = ()
    break_even: tuple[BreakEven, ...] = ()
    absolute: tuple[Absolute, ...] = ()
    pilot: "LabelPilot | None" = None

    @property
    def best(self) -> float | None:
        """Labels per item of the recommended design."""
        return None if self.recommended is None else self.recommended.labels_per_item

    @property
    def most_precise(self) -> Absolute | None:
        """The design that measures the accuracy of one model best."""
        return min(self.absolute, key=lambda design: design.standard_error, default=None)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        precise = self.most_precise
        return {
            "designs": [design.as_dict() for design in self.designs],
            "best": self.best,
            "needed": [design.as_dict() for design in self.needed],
            "compared": [design.as_dict() for design in self.compared],
            "break_even": [one.as_dict() for one in self.break_even],
            "absolute": None if precise is None else {
                "best": precise.labels_per_item,
                "designs": [one.as_dict() for one in self.absolute],
            },
            "situation": self.situation.as_dict(),
            "pilot": None if self.pilot is None else self.pilot.as_dict(),
        }  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """One row per design."""
        return [design.as_dict() for design in self.designs]
