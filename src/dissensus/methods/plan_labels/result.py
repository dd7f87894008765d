"""What `plan_labels` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from dissensus.methods.plan_labels.options import PlanLabelsOptions, Situation, Strategy
from dissensus.results import Result, as_dict

if TYPE_CHECKING:
    from dissensus.methods.plan_labels.pilot import LabelPilot


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
        With disagreement-only: unlabelled items to look through until enough are found on which the models disagree.
    labels, cost : float
        All labels (expected ones), and what labels and items cost.
    label_accuracy : float
        How often the label that counts, the majority's, is right where exactly one of the models is.
    error, log10_error : float
        Chance that the worse model comes out ahead, ties counted as asked, and its decimal logarithm: the chance itself
        is 0 where it is too small for a number. Planned from a pilot, this and the other chances are means over what
        the pilot leaves open, whichever model is the better one there.
    error_low, error_high : float
        Interval on the error from what the pilot leaves open; NaN without one.
    error_if_exact : float
        The error if the pilot's numbers were exact; without a pilot the error itself.
    assurance : float
        Share of what the pilot leaves open in which the error asked for is kept; NaN without a pilot or such an error.
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
    error_if_exact: float
    assurance: float
    tie: float
    win: float
    cramer: float
    log10_cramer: float
    hoeffding: float
    log10_hoeffding: float
    models_testable: int | None
    log10_models: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The smallest test set whose error is small enough.

    Attributes
    ----------
    strategy, labels_per_item
        As in `LabelDesign`.
    items : int, optional
        The fewest labelled items with at most that error; None where no number has, or none up to 10^12. Planned
        from a pilot, the fewest that keep it on average and in 85% of what the pilot leaves open: in simulated pilots
        such plans kept it in about 80% and more.
    items_safe : int, optional
        From here on every number of items has; the same unless the error rises now and then with the items.
    items_planned : int, optional
        The one of both that the plan takes: the fewest, but the safe number where ties are won, as an item or two that
        mostly end in a tie then have a small error.
    items_low, items_high : float
        Interval on `items_planned` from what the pilot leaves open; NaN without one, infinite where no number may do.
    items_if_exact : int, optional
        What `items_planned` would be if the pilot's numbers were exact; without a pilot the same.
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
    items_if_exact: int | None
    screened: int | None
    labels: float | None
    cost: float | None
    cramer_items: int | None
    hoeffding_items: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """What an item must cost, in labels, until several labels for each pay.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute:
    """What a design says about the accuracy of one model, rather than about which is better.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One design among others, in a chart; the logarithms are decimal.

    Attributes
    ----------
    strategy, labels_per_item, items
        The design.
    budget, label_accuracy : float
        What it may cost, and how often one label is right.
    is_reference : bool
        Whether that is the budget of the plan.
    log10_error, log10_cramer, log10_hoeffding, log10_models : float
        The error, the bounds on it, and how many models it ranks.
    """

    strategy: str
    labels_per_item: float
    items: int
    budget: float
    label_accuracy: float
    is_reference: bool
    log10_error: float
    log10_cramer: float
    log10_hoeffding: float
    log10_models: float


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
        From which item cost on several labels pay; computed when it is asked for.
    absolute : tuple of Absolute
        How well each design measures the accuracy of one model; empty where that is not known.
    situation : Situation
        How models and labels stand to each other.
    pilot : LabelPilot, optional
        What the pilot said, if there was one.
    options : PlanLabelsOptions
        What was asked.
    """

    command: ClassVar[str] = "plan labels"

    designs: tuple[LabelDesign, ...]
    recommended: LabelDesign | None
    situation: Situation
    options: PlanLabelsOptions
    needed: tuple[Needed, ...] = ()
    compared: tuple[LabelDesign, ...] = ()
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

    @property
    def reference_budget(self) -> float:
        """The budget, or what the recommended design costs; without one, a thousand labels."""
        if self.options.budget is not None:
            return self.options.budget
        if self.recommended is not None:
            return self.recommended.cost
        return 1000 * max(self.options.label_cost, self.options.item_cost)

    # What takes long and not everyone looks at: the plans around this one, and from which item cost several labels pay.

    @cached_property
    def by_budget(self) -> tuple[Point, ...]:
        """Designs that budgets around this one buy, each way to label after the other."""
        from dissensus.methods.plan_labels.designs import by_budget  # noqa: PLC0415 - as above
        from dissensus.methods.plan_labels.pilot import situations_drawn  # noqa: PLC0415 - as above

        has_draws = self.pilot is not None and self.options.bootstrap > 0
        drawn = situations_drawn(self.pilot, self.options) if self.pilot is not None and has_draws else None
        return by_budget(self.options, self.situation, self.reference_budget, drawn)

    @cached_property
    def break_even(self) -> tuple[BreakEven, ...]:
        """From which item cost on several labels pay."""
        from dissensus.methods.plan_labels.designs import break_even_of  # noqa: PLC0415 - as above

        return break_even_of(self.options, self.situation)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        fields, precise = super().as_dict(), self.most_precise
        measured = None if precise is None else {"best": precise.labels_per_item, "designs": fields["absolute"]}
        names = ("designs", "best", "needed", "compared", "break_even", "absolute", "situation", "pilot")
        pays = [as_dict(one) for one in self.break_even]
        found = fields | {"best": self.best, "absolute": measured, "break_even": pays}
        return {name: found[name] for name in names}

    def rows(self) -> list[dict[str, object]]:
        """One row per design."""
        return [as_dict(design) for design in self.designs]


def smallest_error(designs: Sequence[LabelDesign]) -> LabelDesign:
    """The design with the smallest error; of equals the one with fewer labels for each item."""
    return min(designs, key=lambda design: (design.log10_error, design.labels_per_item))
