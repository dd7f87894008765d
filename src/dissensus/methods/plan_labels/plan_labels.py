"""One label each for many items, or several for few?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Flags
from dissensus.errors import OptionError, counted, joined
from dissensus.methods.plan_labels.designs import (
    MOST_ITEMS,
    Assured,
    Scheme,
    absolute_of,
    affordable_items,
    assured_items,
    design_of,
    fixed_scheme,
    items_draws,
    needed_of,
    schemes_of,
    whole,
)
from dissensus.methods.plan_labels.options import (
    LABELS_PER_ITEM,
    TWO_CLASSES,
    PlanLabelsOptions,
    Situation,
    Strategy,
    checked_labels_per_item,
    situation_of,
)
from dissensus.methods.plan_labels.pilot import (
    LabelPilot,
    is_turned,
    read_pilot,
    situation_everywhere,
    situation_in,
    situations_drawn,
    with_pilot,
)
from dissensus.methods.plan_labels.result import Absolute, LabelDesign, Needed, PlanLabelsResult, smallest_error
from dissensus.methods.plan_labels.votes import Even
from dissensus.methods.plan_labels.walk import Ties
from dissensus.options import named
from dissensus.sampling import seed_of

if TYPE_CHECKING:
    from dissensus.data import JudgesLike, RatingsLike  # for a pilot only: a plan without one reads no data


def plan_labels(
    *,
    accuracy: float | None = None,
    margin: float | None = None,
    label_accuracy: float | None = None,
    disagreement: float | None = None,
    both_wrong: float | None = None,
    worse_accuracy: float | None = None,
    better_if_worse_wrong: float | None = None,
    better_if_worse_right: float | None = None,
    label_accuracy_better: float | None = None,
    label_accuracy_worse: float | None = None,
    budget: float | None = None,
    error: float | None = None,
    labels_per_item: Sequence[int] = LABELS_PER_ITEM,
    item_cost: float = 0.0,
    label_cost: float = 1.0,
    models: int | None = None,
    delta: float = 0.05,
    classes: int = 2,
    even: Even = "coin",
    ties: Ties = "lose",
    strategy: Strategy = "fixed",
    pilot: "RatingsLike | None" = None,
    pilot_judges: "JudgesLike | None" = None,
    a: str | None = None,
    b: str | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
) -> PlanLabelsResult:
    """How to spend labels to find out which of two models is better.

    Items are drawn at random, labels may be wrong, and the model that agrees with more labels wins. All chances are
    exact for that model of the data. A plan from a pilot allows for what the pilot leaves open: it keeps the error
    asked for on average, and in at least about 80% of pilots (`assurance` of a design has the share by this pilot).

    Parameters
    ----------
    accuracy, margin : float, optional
        Accuracy of the worse model, and how much more accurate the better one is.
    label_accuracy : float, optional
        How often a label is right.
    disagreement : float, optional
        Share of items on which the models differ, which their answers show without labels; if not given, that of models
        that err independently. With it, `accuracy` may be left out.
    both_wrong : float, optional
        With more than two classes, share of items on which both models are wrong and differ.
    worse_accuracy, better_if_worse_wrong, better_if_worse_right : float, optional
        The correlated form: accuracy of the worse model, and that of the better one where the worse one is wrong, and
        where it is right.
    label_accuracy_better, label_accuracy_worse : float, optional
        How often a label is right where only the better model is, and where only the worse one is.
    budget, error : float, optional
        What all may cost, or how often the worse model may come out ahead: one of them.
    labels_per_item : sequence of int
        Numbers of labels for each item to compare.
    item_cost, label_cost : float
        What an item costs before it is labelled, and one label.
    models : int, optional
        How many models to rank; without a budget it sets the error to delta / (models - 1).
    delta : float
        How often the best of several models may fail to come first.
    classes : int
        How many different labels there are.
    even : {"coin", "strict"}
        An even number of votes that is tied: a coin is tossed, or the label counts as wrong.
    ties : {"lose", "half", "win"}
        What it is worth to the better model to be right on as many items as the other.
    strategy : {"fixed", "adaptive", "lead-by-two", "disagreement-only"}
        As many labels for each item; a third one where two differ; labels until one class leads by two; labels only for
        items on which the models differ.
    pilot, pilot_judges : Ratings and Judges, or anything that `read` and `read_judges` take, optional
        Data to learn from what is not given: repeated labels of some items, and the answers of both models.
    a, b : str, optional
        The models of the pilot.
    bootstrap : int
        Bootstrap samples of the pilot, over which the plan is made; 0 to take the pilot's numbers as exact.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed.

    Returns
    -------
    PlanLabelsResult

    Raises
    ------
    DissensusError
        If options are missing or contradict each other, or a pilot is too small to plan from.

    See Also
    --------
    plan_raters : How many items and raters.
    compare : Is one judge better than another?

    References
    ----------
    F. E. Dorner, M. Hardt (2024), "Don't Label Twice: Quantity Beats Quality when Comparing Binary Classifiers on a
    Budget".

    Examples
    --------
    >>> plan = plan_labels(accuracy=0.75, margin=0.1, label_accuracy=0.75, budget=1500)
    >>> [(d.labels_per_item, d.items, d.models_testable) for d in plan.designs]
    [(1, 1500, 142), (3, 500, 14), (5, 300, 6)]
    """
    options = PlanLabelsOptions.given(
        locals(), labels_per_item=checked_labels_per_item(labels_per_item), has_pilot=pilot is not None,
        seed=seed_of(rng),
    )  # fmt: skip
    if (pilot is None) != (pilot_judges is None):
        raise OptionError(
            f"{named('pilot')} and {named('pilot_judges')} go together: give people's labels and both models' answers."
        )
    if pilot is None or pilot_judges is None:
        return _planned(options, situation_of(options))
    from dissensus.data import as_data  # noqa: PLC0415 - as above
    from dissensus.data.align import item_by_item  # noqa: PLC0415 - as above

    ratings, judges = item_by_item(*as_data(pilot, pilot_judges), what="A pilot")
    learnt = read_pilot(ratings, judges, a=a, b=b, bootstrap=bootstrap, confidence=confidence, rng=rng)
    options = with_pilot(options, learnt)
    data = {"pilot": dict(ratings.describe_data()), "pilot_judges": dict(judges.describe_data())}
    return _planned(options, situation_in(learnt, options), learnt, data)


def _planned(
    options: PlanLabelsOptions,
    situation: Situation,
    pilot: LabelPilot | None = None,
    data: Mapping[str, Mapping[str, object]] | None = None,
) -> PlanLabelsResult:
    """The result, once it is known how models and labels stand to each other."""
    schemes = schemes_of(options, situation)
    left = None
    if pilot is not None and options.bootstrap > 0:
        left = _LeftOpen(situations_drawn(pilot, options), is_turned(pilot, options))
    drawn = None if left is None else schemes_of(options, left.situation)
    needed: tuple[Needed, ...] = ()
    best: LabelDesign | None
    if options.target is None:
        designs = _bought(options, schemes, drawn)
        best = smallest_error(designs)
    else:
        needed = _all_needed(options, schemes, drawn, left)
        designs = _with_items(options, schemes, drawn, [one.items_planned for one in needed])
        best = min(designs, key=lambda design: (design.cost, design.labels_per_item), default=None)
    overall = situation if pilot is None else situation_everywhere(pilot, situation)
    doubts = cautions(options, situation, designs, best, needed)
    return PlanLabelsResult(
        settings=options.settings(), data=data or {}, warnings=(*(() if pilot is None else pilot.warnings), *doubts),
        designs=designs, recommended=best, needed=needed, compared=_compared(options, situation, left),
        absolute=() if best is None else _absolute(options, situation, schemes, overall, best.cost),
        situation=situation, options=options, pilot=pilot,
    )  # fmt: skip


class _LeftOpen(NamedTuple):
    """What a pilot leaves open: the models and the labels in each draw, and where the other model is the better one."""

    situation: Situation
    is_turned: Flags


def _assured(options: PlanLabelsOptions, drawn: Scheme | None, left: _LeftOpen | None, error: float) -> Assured | None:
    """The items that keep the error in most of what the pilot leaves open; None without a pilot."""
    if drawn is None or left is None:
        return None
    draws = items_draws(drawn, options, error)
    # As an interval it is one on who is better, too: where the other model may be, no number is an upper bound.
    return Assured(assured_items(drawn, options, error, draws), np.where(left.is_turned, np.inf, draws))


def _bought(
    options: PlanLabelsOptions, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None
) -> tuple[LabelDesign, ...]:
    """What the budget buys; a number of labels that it does not buy for one item is left out."""
    budget = options.budget or 0.0
    items = [affordable_items(scheme, options, budget) for scheme in schemes]
    if max(items) < 1:
        least = min(scheme.item_cost(options) for scheme in schemes)
        raise OptionError(
            f"{named('budget')} {budget:g} is below one item, which costs {least:g} with its labels: raise it."
        )
    return _with_items(options, schemes, drawn, [number or None for number in items])


def _absolute(
    options: PlanLabelsOptions, situation: Situation, schemes: Sequence[Scheme], overall: Situation, cost: float
) -> tuple[Absolute, ...]:
    """What the same money tells of the accuracy of one model, by the labels of all items."""
    designs, all_items = [], schemes if overall is situation else schemes_of(options, overall)
    for scheme, everywhere in zip(schemes, all_items, strict=True):
        items = affordable_items(scheme, options, options.budget or cost)
        if items:
            designs.append((whole(scheme.labels_per_item), items, float(everywhere.accuracy)))
    return absolute_of(options, situation, designs)


def _with_items(
    options: PlanLabelsOptions, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None, items: Sequence[int | None]
) -> tuple[LabelDesign, ...]:
    draws: Sequence[Scheme | None] = drawn or [None] * len(schemes)
    each = zip(schemes, draws, items, strict=True)
    return tuple(design_of(scheme, options, number, draw) for scheme, draw, number in each if number is not None)


def _all_needed(
    options: PlanLabelsOptions, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None, left: _LeftOpen | None
) -> tuple[Needed, ...]:
    error = options.target or 0.0
    draws: Sequence[Scheme | None] = drawn or [None] * len(schemes)
    found = [
        needed_of(scheme, options, error, _assured(options, draw, left, error))
        for scheme, draw in zip(schemes, draws, strict=True)
    ]
    least = min((one.cramer_items for one in found if one.cramer_items is not None), default=0)
    if least > MOST_ITEMS:
        raise OptionError(
            f"It would take about {least:.0e} items: the models are too similar, or labels too often wrong, to tell "
            f"them apart. Plan for a larger {named('margin')} or {named('error')}."
        )
    return tuple(found)


def _compared(options: PlanLabelsOptions, situation: Situation, left: _LeftOpen | None) -> tuple[LabelDesign, ...]:
    """With disagreement-only: labels for items taken at random, for the same money or the same error."""
    if not options.only_differing:
        return ()
    schemes = [fixed_scheme(options, situation, labels) for labels in options.labels_per_item]
    drawn = None
    if left is not None:
        drawn = [fixed_scheme(options, left.situation, labels) for labels in options.labels_per_item]
    if options.target is None:
        items = [affordable_items(scheme, options, options.budget or 0.0) or None for scheme in schemes]
    else:
        items = [one.items_planned for one in _all_needed(options, schemes, drawn, left)]
    return _with_items(options, schemes, drawn, items)


# ---- Warnings: where an assumption looks violated, and where a number could not be given

HALF = 0.5
SEQUENTIAL = {"adaptive": "a third label where two differ", "lead-by-two": "labels until one class leads by two"}


def cautions(
    options: PlanLabelsOptions, situation: Situation, designs: Sequence[LabelDesign], best: LabelDesign | None,
    needed: Sequence[Needed],
) -> Iterator[str]:  # fmt: skip
    """What the reader must know before the labels are bought."""
    if situation.accuracy is not None and situation.accuracy < HALF and options.classes == TWO_CLASSES:
        yield (
            f"The worse model is right on {situation.accuracy:.1%} of the items, less than by chance, and the paper "
            "assumes at least half. Check that its answers are not the wrong way round."
        )
    yield from _of_bias(options, situation)
    yield from _of_strategy(options, situation, best)
    yield from _of_goal(options, best, needed)
    yield from _of_money(options, designs)
    yield from _of_models_ranked(options, best)
    yield from _of_numbers(designs)
    if options.is_correlated and not options.only_differing:
        yield "How accurate one model is cannot be planned here: that takes the labels' accuracy where both agree."
    elif situation.accuracy is None and not options.only_differing:
        yield f"Give {named('accuracy')} to also plan how well each design measures the accuracy of one model."


def _of_bias(options: PlanLabelsOptions, situation: Situation) -> Iterator[str]:
    if not situation.is_biased:
        return
    better, worse = float(situation.label_accuracy_better), float(situation.label_accuracy_worse)
    text = (
        f"The labels favour the worse model: they are right on {worse:.1%} of the items that it alone gets right, and "
        f"on {better:.1%} of those that the better one alone gets right. One label for each item need not be best then."
    )
    steps = {m: fixed_scheme(options, situation, m).steps for m in options.labels_per_item}
    gaps = {m: float(one.x - one.y) for m, one in steps.items()}
    flipped = [str(m) for m, gap in gaps.items() if gap <= 0]
    if flipped:
        restored = [str(m) for m, gap in gaps.items() if gap > 0]
        text += (
            f" With {joined(flipped)} label{'' if flipped == ['1'] else 's'} for each item the worse model even wins "
            "in the long run, and more items make that more certain"
        )
        text += f"; with {joined(restored)} it does not." if restored else "."
    yield text


def _of_strategy(options: PlanLabelsOptions, situation: Situation, best: LabelDesign | None) -> Iterator[str]:
    if options.only_differing:
        yield (
            "Use these labels for this pair of models only: items on which two models differ are not a benchmark for a "
            "third model, and do not show how accurate either one is."
        )
    only_one = float(situation.better_only + situation.worse_only)
    if best is not None and best.labels_per_item > 1 and float(situation.both_wrong) > only_one:
        yield (
            f"Several labels gain here from models that are often both wrong and differ (on {situation.both_wrong:.1%} "
            f"of the items, against {only_one:.1%} on which one of them is right): one wrong label then speaks for "
            "either of them by chance. Check that wrong labels really fall on all classes equally often."
        )
    wasted = [m for m in options.labels_per_item if m % 2 == 0]
    if wasted and options.even == "coin" and options.classes == TWO_CLASSES:
        yield (
            f"Ask for {wasted[0] - 1} instead of {wasted[0]} labels: if a coin settles ties, the last label of an "
            "even number adds nothing."
        )


def _of_goal(options: PlanLabelsOptions, best: LabelDesign | None, needed: Sequence[Needed]) -> Iterator[str]:
    without = [one for one in needed if one.items is None]
    never = [_ways(one.strategy, one.labels_per_item) for one in without if one.cramer_items is None]
    too_many = [_ways(one.strategy, one.labels_per_item) for one in without if one.cramer_items is not None]
    if too_many:
        yield f"It would take more than {MOST_ITEMS:,} items with {_with_labels(too_many)}: left out."
    if never:
        yield (
            f"More items do not bring the error down with {_with_labels(never)}: such labels put the worse model "
            "first, or do not tell which one is better."
        )
    for one in needed:
        is_best = best is not None and one.labels_per_item == best.labels_per_item and one.items_planned == best.items
        if is_best and one.items is not None and one.items_safe is not None and one.items_safe > one.items:
            taken = ", which the plan takes," if one.items_planned == one.items_safe else ""
            yield (
                f"The error rises now and then with the number of items: {counted(one.items, 'item')} would do, but "
                f"some larger numbers do not; from {one.items_safe:,} on{taken} every number does."
            )
    if options.ties == "win" and best is not None and best.tie > best.win:
        yield (
            f"Such a test set ends in a tie in {best.tie:.1%} of cases, and a tie is not counted as an error: the "
            f"error is small because little is decided. See what it is with {named('ties')} half."
        )


def _of_money(options: PlanLabelsOptions, designs: Sequence[LabelDesign]) -> Iterator[str]:
    if options.budget is None:
        return
    bought = {_ways(design.strategy, design.labels_per_item) for design in designs}
    asked = [str(m) for m in options.labels_per_item]
    if options.strategy in SEQUENTIAL:
        asked.append(SEQUENTIAL[options.strategy])
    dear = [way for way in asked if way not in bought]
    if dear:
        yield f"The budget does not pay for one item with {_with_labels(dear)}: left out."


def _ways(strategy: str, labels_per_item: float) -> str:
    return SEQUENTIAL.get(strategy, f"{labels_per_item:g}")


def _with_labels(ways: Sequence[str]) -> str:
    """Numbers of labels, and other ways to ask for them, in a sentence."""
    numbers = [way for way in ways if way.isdigit()]
    others = [way for way in ways if not way.isdigit()]
    in_numbers = [f"{joined(numbers)} label{'' if numbers == ['1'] else 's'}"] if numbers else []
    return " or ".join(in_numbers + others)


def _of_models_ranked(options: PlanLabelsOptions, best: LabelDesign | None) -> Iterator[str]:
    if options.models is None or best is None:
        return
    if best.strategy == "disagreement-only":
        yield (
            f"{named('models')} goes with items taken at random: items on which two models differ rank these two only."
        )
    elif best.models_testable is not None and best.models_testable < options.models:
        yield (
            f"The best design ranks {counted(best.models_testable, 'model')}, not {options.models:,}: spend more, or "
            f"accept a larger {named('delta')} than {options.delta:g}."
        )


def _of_numbers(designs: Sequence[LabelDesign]) -> Iterator[str]:
    if any(design.error == 0 and math.isfinite(design.log10_error) for design in designs):
        yield "An error too small for a number is given as 0: read its logarithm, log10_error."
    if any(design.log10_error == -math.inf for design in designs):
        yield "An error is exactly 0: it has no logarithm."
    if any(design.log10_models == math.inf for design in designs):
        yield "A design without error ranks any number of models: models_testable is left out."
    elif any(design.models_testable is None and not math.isnan(design.log10_models) for design in designs):
        yield "A number of models too large for a number is left out: read its logarithm, log10_models."
