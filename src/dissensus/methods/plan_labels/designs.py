"""Ways to spend labels, what a design shows, how many items a budget buys, and how many an error needs."""

import math
from collections.abc import Callable, Iterable
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
    log_rate,
)
from dissensus.methods.plan_labels.options import (
    SHARE_ROUNDING,
    TWO_CLASSES,
    PlanLabelsOptions,
    Situation,
    Strategy,
    independent_shares,
    situation_from,
)
from dissensus.methods.plan_labels.result import Absolute, BreakEven, LabelDesign, Needed, Point
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
MOST_DIGITS = 300  # decimal digits that a count of models may have
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
        models_testable=math.floor(1 + options.delta / math.exp(error)) if log10_models < MOST_DIGITS else None,
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


# ---- The plans around the one that was asked for: other budgets, label accuracies and costs, and other aims

BUDGETS = 2.0 ** np.arange(-4, 2.5, 0.5)  # around the budget, from a sixteenth to four times as much
REFERENCE = int(np.flatnonzero(BUDGETS == 1)[0])


def by_budget(
    options: PlanLabelsOptions, situation: Situation, budget: float, drawn: Situation | None = None
) -> tuple[Point, ...]:
    """Designs that budgets around this one buy, each way to label after the other; `drawn` as in `design_of`."""
    budgets = budget * BUDGETS
    if options.in_labels:
        budgets = np.floor(budgets)
    found: list[Point] = []
    schemes = schemes_of(options, situation)
    for scheme, draws in zip(schemes, schemes if drawn is None else schemes_of(options, drawn), strict=True):
        found += _points(options, scheme, budgets, float(situation.label_accuracy), draws)
    return tuple(found)


def _points(
    options: PlanLabelsOptions, scheme: Scheme, budgets: Floats, label_accuracy: float, drawn: Scheme
) -> list[Point]:
    items = _items(budgets / scheme.item_cost(options), scheme)
    is_reference = (np.arange(len(budgets)) == REFERENCE) | (len(budgets) == 1)
    is_reference, budgets, items = (each[items >= 1] for each in (is_reference, budgets, items))
    if not len(items):
        return []
    x, y = drawn.steps.x[..., None], drawn.steps.y[..., None]
    error = _mean(log_chances(x, y, items).error(options.ties))
    columns = {
        "log10_error": error / LN_10,
        "log10_cramer": _mean(log_cramer(x, y, items)) / LN_10,
        "log10_hoeffding": _mean(log_hoeffding(x, y, items)) / LN_10,
        "log10_models": np.logaddexp(0.0, math.log(options.delta) - error) / LN_10,
    }
    return [
        Point(
            strategy=scheme.strategy, labels_per_item=scheme.labels_per_item, items=int(items[i]),
            budget=float(budgets[i]), label_accuracy=label_accuracy, is_reference=bool(is_reference[i]),
            **{name: float(values[i]) for name, values in columns.items()},
        )
        for i in range(len(items))
    ]  # fmt: skip


def _mean(logs: Floats) -> Floats:
    return log_mean(logs) if logs.ndim > 1 else logs


def _items(paid_for: Floats, scheme: Scheme) -> Floats:
    """Whole items; with disagreement-only an odd number, which leaves no tie."""
    items = np.floor(paid_for * (1 + ROUNDING))
    return items - (items % 2 == 0) if scheme.strategy == "disagreement-only" else items


# ---- How well a design measures the accuracy of one model


def absolute_of(
    options: PlanLabelsOptions, situation: Situation, designs: Iterable[tuple[float, int, float]]
) -> tuple[Absolute, ...]:
    """Standard error and bias of each design (labels per item, items, and how often their label is right).

    None where the accuracy of the model or of all labels is not known.
    """
    if situation.accuracy is None or options.is_correlated or options.only_differing:
        return ()
    by_guessing = 1 / situation.classes  # labels like that measure nothing
    return tuple(
        _measured(labels, items, right, situation.accuracy, situation.classes)
        for labels, items, right in designs
        if right > by_guessing + SHARE_ROUNDING
    )


def _measured(labels: float, items: int, right: float, accuracy: float, classes: int) -> Absolute:
    """The model agrees with a label if both are right, or both wrong in the same way."""
    same_wrong = (1 - right) / (classes - 1)
    agreement = accuracy * right + (1 - accuracy) * same_wrong
    # (agreement - same_wrong) / (right - same_wrong) is the accuracy; its error is that of the observed agreement.
    error = math.sqrt(agreement * (1 - agreement) / items) / (right - same_wrong)
    return Absolute(labels_per_item=labels, items=items, standard_error=error, bias=agreement - accuracy)


# ---- How dear an item must be until several labels for each pay

SMALLEST_LOG = -700.0  # errors below this logarithm are no floating point numbers


def break_even_of(options: PlanLabelsOptions, situation: Situation) -> tuple[BreakEven, ...]:
    """For each number of labels above one, compared with the design with one label for each item."""
    single = fixed_scheme(options, situation, 1, only_differing=options.only_differing)
    if options.budget is not None:
        most = MOST_ITEMS * (1 - ROUNDING) * single.item_cost(options)
        single_items: int | None = affordable_items(single, options, min(options.budget, most))
    else:
        single_items = _items_at(options, single, options.target or 0.0)
    found = []
    for labels in options.labels_per_item:
        if labels > 1:
            several = fixed_scheme(options, situation, labels, only_differing=options.only_differing)
            ratio = _ratio(single, several, _gap(several) ** 2 / (_gap(single) ** 2 or 1))
            exact = _exact(options, single, several, single_items)
            kept = float(single.kept)
            found.append(BreakEven(labels_per_item=labels, ratio=kept * ratio, ratio_exact=kept * exact))
    return tuple(found)


def _items_at(options: PlanLabelsOptions, scheme: Scheme, error: float) -> int | None:
    """The items that a plan takes for this error."""
    found = items_needed(float(scheme.steps.x), float(scheme.steps.y), error, options.ties)
    return found.safe if options.ties == "win" else found.first


def _gap(scheme: Scheme) -> float:
    return float(scheme.steps.x - scheme.steps.y)


def _ratio(single: Scheme, several: Scheme, gain: float) -> float:
    """Where n items with several labels are worth as much as the single-label items for the same money.

    `gain` says how much faster the logarithm of the error falls with each item: by Hoeffding's bound as the square of
    the gap, by Cramer's theorem as its rate. NaN where the error falls with neither.
    """
    if _gap(single) <= 0:
        return 0.0 if _gap(several) > 0 else math.nan
    if _gap(several) <= 0 or gain <= 1:
        return math.inf
    return max((several.labels_per_item - gain) / (gain - 1), 0.0)


def _exact(options: PlanLabelsOptions, single: Scheme, several: Scheme, items: int | None) -> float:
    """Where several labels reach the error of this many single-label items for the same money."""
    x, y = float(several.steps.x), float(several.steps.y)
    if items is None or items < 1 or _gap(single) <= 0:
        return 0.0 if _gap(several) > 0 >= _gap(single) else math.nan
    error = float(log_chances(single.steps.x, single.steps.y, items).error(options.ties))
    if error < SMALLEST_LOG:
        rates = float(log_rate(x, y)), float(log_rate(single.steps.x, single.steps.y))
        return _ratio(single, several, rates[0] / rates[1]) if math.isfinite(sum(rates)) else math.nan
    enough = _items_at(options, several, math.exp(error))
    if enough is None or enough >= items:
        return math.inf
    return max((several.labels_per_item * enough - items) / (items - enough), 0.0)


# ---- The same in each bootstrap sample of a pilot

LARGEST = 10**9  # items beyond which no number is looked for


def items_draws(scheme: Scheme, options: PlanLabelsOptions, error: float) -> Floats:
    """The items that a plan takes for that error in each draw, of shape (n_draws,); infinite where none will do."""
    x, y = scheme.steps.x, scheme.steps.y
    if options.ties == "win":  # the error first rises with the number of items, so that no bisection finds it
        safe = [items_needed(float(up), float(down), error, "win").safe for up, down in zip(x, y, strict=True)]
        return np.array([np.inf if items is None else float(items) for items in safe])
    found = np.full(x.shape, np.inf)
    rate = log_cramer(x, y, 1)
    can = rate < np.log(error) / LARGEST
    if not can.any():
        return found
    x, y = x[can], y[can]
    # Only odd numbers where nothing but ties lies between them: there the error falls from odd number to odd number.
    step = 2 if scheme.strategy == "disagreement-only" else 1
    low = np.zeros(x.shape, dtype=np.int64)
    high = np.ceil(np.log(error) / np.maximum(rate[can], -1e300) / step).astype(np.int64)  # Cramer's number is enough
    while (low < high).any():
        middle = (low + high) // 2
        fine = log_chances(x, y, middle * step + 1).error(options.ties) <= np.log(error)
        low, high = np.where(fine, low, np.minimum(middle + 1, high)), np.where(fine, middle, high)
    found[can] = low * step + 1
    return found


ASSURED = 0.85
"""Share of what a pilot leaves open in which a plan keeps its error; small pilots leave open a little more than their
samples show, so that it is kept in about 80% of them."""


def assured_items(scheme: Scheme, options: PlanLabelsOptions, error: float, draws: Floats) -> int | None:
    """The fewest items that keep an error on average over the draws and in most of them; None if no number does."""
    enough = float(np.quantile(draws, ASSURED, method="inverted_cdf"))
    if not math.isfinite(enough):
        return None
    step = 2 if scheme.strategy == "disagreement-only" else 1

    def is_kept(more: int) -> bool:
        errors = log_chances(scheme.steps.x, scheme.steps.y, int(enough) + step * more).error(options.ties)
        return bool(np.exp(errors).mean() <= error)

    low, high = -1, 0
    while not is_kept(high):
        low, high = high, 2 * high + 1
        if high > LARGEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_kept(middle) else (middle, high)
    return int(enough) + step * high
