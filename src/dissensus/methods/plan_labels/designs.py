"""Ways to spend labels, what a design shows, how many items a budget buys, and how many an error needs."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.needed import (
    SLACK,
    ItemsNeeded,
    cramer_items,
    hoeffding_items,
    items_needed,
    log_cramer,
    log_hoeffding,
)
from dissensus.methods.plan_labels.options import (
    TWO_CLASSES,
    PlanLabelsOptions,
    Situation,
    Strategy,
    independent_shares,
    situation_from,
)
from dissensus.methods.plan_labels.result import LabelDesign, Needed
from dissensus.methods.plan_labels.votes import (
    Even,
    Steps,
    lead_by_two,
    majority_accuracy,
    over_items,
    plurality_accuracy,
    plurality_steps,
    two_plus_one,
)
from dissensus.methods.plan_labels.walk import Ties, log_chances
from dissensus.options import named


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scheme:
    """A way to label an item; each array has shape () or, for draws from a pilot, (n_draws,)."""

    strategy: Strategy  # its name
    labels_per_item: float  # expected labels for an item that is labelled
    accuracy: Floats  # how often the label that counts is right where exactly one of the models is
    steps: Steps  # how often such an item speaks for the better model, and for the worse one
    kept: Floats  # share of the items that are labelled at all

    def item_cost(self, options: PlanLabelsOptions) -> float:
        """What a labelled item costs, with those that were looked through to find it."""
        return options.item_cost / float(np.mean(self.kept)) + self.labels_per_item * options.label_cost


def schemes_of(options: PlanLabelsOptions, situation: Situation) -> list[Scheme]:
    """The ways to be compared: each number of labels, and the strategy where that is another way to label."""
    found = [
        fixed_scheme(options, situation, m, only_differing=options.only_differing) for m in options.labels_per_item
    ]
    if options.strategy in {"adaptive", "lead-by-two"}:
        found.append(sequential_scheme(options.strategy, situation))
    return found


def fixed_scheme(
    options: PlanLabelsOptions, situation: Situation, labels: int, *, only_differing: bool = False
) -> Scheme:
    """A number of labels for each item, or for each on which the models differ."""
    better, worse = (
        voted_accuracy(options, situation, one, labels)
        for one in (situation.label_accuracy_better, situation.label_accuracy_worse)
    )
    strategy: Strategy = "disagreement-only" if only_differing else "fixed"
    return _scheme(situation, strategy, float(labels), (better, worse))


def sequential_scheme(strategy: Strategy, situation: Situation) -> Scheme:
    """A third label where two differ (adaptive), or labels until one class leads by two."""
    rule = two_plus_one if strategy == "adaptive" else lead_by_two
    (better, labels_better), (worse, labels_worse) = (
        (_over_items(lambda q: rule(q)[0], situation, one), _over_items(lambda q: rule(q)[1], situation, one))
        for one in (situation.label_accuracy_better, situation.label_accuracy_worse)
    )
    # Labels are taken to be as hard where the models agree as where they do not.
    labels = float(np.mean(situation.averaged(labels_better, labels_worse)))
    return _scheme(situation, strategy, labels, (better, worse))


def voted_accuracy(options: PlanLabelsOptions, situation: Situation, label_accuracy: Floats, labels: int) -> Floats:
    """How often the most frequent of several labels is right."""
    if labels == 1:
        return label_accuracy
    return _over_items(lambda one: _voted(one, labels, options.classes, options.even), situation, label_accuracy)


def _voted(label_accuracy: Floats, labels: int, classes: int, even: Even) -> Floats:
    if classes > TWO_CLASSES:
        return plurality_accuracy(label_accuracy, labels, classes)
    return majority_accuracy(label_accuracy, labels, even)


def _over_items(vote: Callable[[Floats], Floats], situation: Situation, label_accuracy: Floats) -> Floats:
    """What a vote makes of the accuracy of labels, over items that may differ in difficulty."""
    return over_items(vote, label_accuracy, concentration=situation.concentration, classes=situation.classes)


def _scheme(situation: Situation, strategy: Strategy, labels: float, accuracies: tuple[Floats, Floats]) -> Scheme:
    steps, kept = gap_steps(situation, *accuracies), np.ones_like(situation.disagreement)
    if strategy == "disagreement-only":
        kept = situation.disagreement
        x, y = steps.x / kept, steps.y / kept
        if situation.classes == TWO_CLASSES:
            # A label then speaks for one of the models. The smaller chance is the more exact one, and both must add up
            # to 1: a trace of ties would count as such.
            x, y = np.where(x < y, x, 1 - y), np.where(x < y, 1 - x, y)
        steps = Steps(x=x, y=y)
    accuracy = situation.averaged(*accuracies)
    return Scheme(strategy=strategy, labels_per_item=labels, accuracy=accuracy, steps=steps, kept=kept)


def gap_steps(situation: Situation, better: Floats, worse: Floats) -> Steps:
    """How often an item speaks for the better model and for the worse one, by the accuracy of its label."""
    a, b, d = situation.better_only, situation.worse_only, situation.both_wrong
    if situation.classes > TWO_CLASSES:
        return plurality_steps(a, b, d, better, situation.classes)
    return Steps(x=better * a + (1 - worse) * b, y=(1 - better) * a + worse * b)  # as in Proposition 2


def label_error(
    items: npt.ArrayLike,
    accuracy: npt.ArrayLike,
    margin: npt.ArrayLike,
    label_accuracy: npt.ArrayLike,
    *,
    labels_per_item: npt.ArrayLike = 1,
    classes: int = TWO_CLASSES,
    even: Even = "coin",
    ties: Ties = "lose",
) -> Floats:
    """Chance that the better of two models does not come out first, for any number of designs at once.

    The error of `plan_labels` where models err independently and every item gets the same number of labels. A million
    designs take one or two seconds.

    Parameters
    ----------
    items : array_like of int
        Labelled items.
    accuracy, margin : array_like
        Accuracy of the worse model, and how much more accurate the better one is.
    label_accuracy : array_like
        How often a label is right.
    labels_per_item : array_like of int
        Labels of each item, whose most frequent one counts.
    classes : int
        How many different labels there are.
    even : {"coin", "strict"}
        Whether a tie of two classes is worth the flip of a coin or a wrong label.
    ties : {"lose", "half", "win"}
        Whether two models that come out equal are an error, half of one, or none.

    Returns
    -------
    ndarray
        Of the shape that the arguments broadcast to.

    Raises
    ------
    DissensusError
        If a share is not from 0 to 1, or a number of labels is not whole.

    See Also
    --------
    plan_labels : How many labels, and how many per item.

    References
    ----------
    "Don't Label Twice", Proposition 2.

    Examples
    --------
    1,000 labels on 1,000 items, or on 333 of them three times:

    >>> label_error([1000, 333], 0.8, 0.05, 0.8, labels_per_item=[1, 3]).round(3)
    array([0.041, 0.098])
    """
    arrays = np.broadcast_arrays(items, accuracy, margin, label_accuracy, labels_per_item)
    number, worse, more, right, labels = (np.asarray(each, dtype=np.float64) for each in arrays)
    for name, values in {"accuracy": worse, "margin": more, "label_accuracy": right}.items():
        if not np.all((values >= 0) & (values <= 1)):
            raise OptionError(f"{named(name)} must be from 0 to 1: it is a share of the items.")
    voted = np.empty_like(right)
    for own in np.unique(labels):
        voted[labels == own] = _voted(right[labels == own], _number_of_labels(own), classes, even)
    situation = situation_from(independent_shares(worse, more, classes), (voted, voted), classes=classes)
    steps = gap_steps(situation, voted, voted)
    return np.asarray(np.exp(log_chances(steps.x, steps.y, number).error(ties)))


def _number_of_labels(labels: float) -> int:
    if labels != math.floor(labels):
        raise OptionError(f"{named('labels_per_item')} is {labels:g}: give a whole number.")
    return int(labels)


# ---- Designs

LN_10 = math.log(10)
LARGEST = 300  # decimal digits that a count of models may have
ROUNDING = 1e-14  # costs are decimal fractions: .3 must buy three labels at .1, and 10^12 not one more than 10^12
MOST_ITEMS = 10**12


def affordable_items(scheme: Scheme, options: PlanLabelsOptions, budget: float) -> int:
    """How many items the budget pays for; with disagreement-only an odd number, which leaves no tie."""
    paid_for = budget / scheme.item_cost(options)
    if paid_for > MOST_ITEMS:
        raise OptionError(f"{named('budget')} {budget:g} buys more than {MOST_ITEMS:,} items: give what you can spend.")
    items = math.floor(paid_for * (1 + ROUNDING))
    if scheme.strategy != "disagreement-only" or items < 2 or options.ties != "lose":  # noqa: PLR2004 - one item cannot be screened
        return items
    errors = log_chances(scheme.steps.x, scheme.steps.y, np.array([items - 1, items])).error(options.ties)
    return items - 1 if errors[0] < errors[1] else items


def design_of(scheme: Scheme, options: PlanLabelsOptions, items: int, drawn: Scheme | None = None) -> LabelDesign:
    """All about this many items labelled in this way; `drawn` is the way with other outcomes of the pilot."""
    steps = scheme.steps if drawn is None else drawn.steps
    chances = log_chances(steps.x, steps.y, items)
    errors = chances.error(options.ties)
    error = float(log_mean(errors))
    exact = error if drawn is None else float(log_chances(scheme.steps.x, scheme.steps.y, items).error(options.ties))
    cramer, hoeffding = (float(log_mean(bound(steps.x, steps.y, items))) for bound in (log_cramer, log_hoeffding))
    log10_models = math.inf if error == -math.inf else float(np.logaddexp(0.0, math.log(options.delta) - error)) / LN_10
    if scheme.strategy == "disagreement-only":
        log10_models = math.nan
    low, high = interval(None if drawn is None else np.exp(errors), options.confidence)
    target = options.target
    return LabelDesign(
        strategy=scheme.strategy, labels_per_item=whole(scheme.labels_per_item), items=items,
        screened=screened(scheme, items), labels=whole(items * scheme.labels_per_item),
        cost=whole(items * scheme.item_cost(options)), label_accuracy=float(scheme.accuracy),
        error=math.exp(error), log10_error=error / LN_10, error_low=low, error_high=high,
        error_if_exact=math.exp(exact),
        assurance=math.nan if drawn is None or target is None else float(np.mean(errors <= math.log(target) + SLACK)),
        tie=math.exp(float(log_mean(chances.tie))), win=math.exp(float(log_mean(chances.win))),
        cramer=math.exp(cramer), log10_cramer=cramer / LN_10,
        hoeffding=math.exp(hoeffding), log10_hoeffding=hoeffding / LN_10,
        # The best of this many models comes out first with chance 1 - delta, by the union bound over its rivals.
        models_testable=math.floor(1 + options.delta / math.exp(error)) if log10_models < LARGEST else None,
        log10_models=log10_models,
    )  # fmt: skip


def log_mean(logs: Floats) -> Floats:
    """Logarithm of the mean, over draws, of numbers that are given by their logarithms; a single number is its own."""
    return np.asarray(logs if np.ndim(logs) == 0 else np.logaddexp.reduce(logs, axis=0) - math.log(len(logs)))


class Assured(NamedTuple):
    """What the pilot leaves open of the items: those planned for, None if no number will do; an interval's draws."""

    items: int | None
    draws: Floats


def needed_of(scheme: Scheme, options: PlanLabelsOptions, error: float, assured: Assured | None = None) -> Needed:
    """How many items it takes; `assured` allows for what a pilot leaves open."""
    x, y = float(scheme.steps.x), float(scheme.steps.y)
    by_cramer = cramer_items(x, y, error)
    too_many = by_cramer is not None and by_cramer > MOST_ITEMS
    found = ItemsNeeded(first=None, safe=None) if too_many else items_needed(x, y, error, options.ties)
    exact = found.safe if options.ties == "win" else found.first
    low, high = interval(None if assured is None else assured.draws, options.confidence)
    items = exact if assured is None else assured.items
    if assured is not None:
        found = ItemsNeeded(first=items, safe=items)
    return Needed(
        strategy=scheme.strategy, labels_per_item=whole(scheme.labels_per_item), items=found.first,
        items_safe=found.safe, items_planned=items, items_low=low, items_high=high, items_if_exact=exact,
        screened=None if items is None else screened(scheme, items),
        labels=None if items is None else whole(items * scheme.labels_per_item),
        cost=None if items is None else whole(items * scheme.item_cost(options)),
        cramer_items=by_cramer, hoeffding_items=hoeffding_items(x, y, error),
    )  # fmt: skip


def screened(scheme: Scheme, items: int) -> int | None:
    """How many items to look through, on average, for this many on which the models differ."""
    return math.ceil(items / float(scheme.kept) * (1 - ROUNDING)) if scheme.strategy == "disagreement-only" else None


def interval(draws: Floats | None, confidence: float) -> tuple[float, float]:
    """Percentile interval, NaN without draws; an end may be infinite."""
    if draws is None:
        return math.nan, math.nan
    ends = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2], method="nearest")
    return float(ends[0]), float(ends[1])


def whole(number: float) -> float:
    """The number as an int where it is one: labels are counted, expected labels are not."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-12) else number
