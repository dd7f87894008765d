"""Warnings: where an assumption looks violated, and where a number could not be given."""

import math
from collections.abc import Iterator, Sequence

from dissensus.errors import counted, joined
from dissensus.methods.plan_labels.curves import why_not_absolute
from dissensus.methods.plan_labels.designs import MOST_ITEMS, fixed_scheme
from dissensus.methods.plan_labels.options import TWO_CLASSES, Question
from dissensus.methods.plan_labels.result import LabelDesign, Needed
from dissensus.methods.plan_labels.situation import Situation

HALF = 0.5
SEQUENTIAL = {"adaptive": "a third label where two differ", "lead-by-two": "labels until one class leads by two"}


def cautions(
    question: Question,
    situation: Situation,
    designs: Sequence[LabelDesign],
    best: LabelDesign | None,
    needed: Sequence[Needed],
) -> Iterator[str]:
    """What the reader must know before the labels are bought."""
    yield from _of_models(question, situation)
    yield from _of_bias(question, situation)
    yield from _of_strategy(question, situation, best)
    yield from _of_goal(question, best, needed)
    yield from _of_money(question, designs)
    yield from _of_models_ranked(question, best)
    yield from _of_numbers(designs)
    why = why_not_absolute(question, situation)
    if why is not None:
        yield why


def _of_models(question: Question, situation: Situation) -> Iterator[str]:
    if situation.accuracy is not None and situation.accuracy < HALF and question.classes == TWO_CLASSES:
        yield (
            f"The worse model is right on {situation.accuracy:.1%} of the items, less than by chance, and the paper "
            "assumes at least half. Check that its answers are not the wrong way round."
        )


def _of_bias(question: Question, situation: Situation) -> Iterator[str]:
    if not situation.is_biased:
        return
    better, worse = float(situation.label_accuracy_better), float(situation.label_accuracy_worse)
    said = (
        f"The labels favour the worse model: they are right on {worse:.1%} of the items that it alone gets right, and "
        f"on {better:.1%} of those that the better one alone gets right. One label for each item need not be best then."
    )
    gaps = {m: _gap(question, situation, m) for m in question.labels_per_item}
    flipped = [str(m) for m, gap in gaps.items() if gap <= 0]
    if flipped:
        restored = [str(m) for m, gap in gaps.items() if gap > 0]
        said += (
            f" With {joined(flipped)} label{'' if flipped == ['1'] else 's'} for each item the worse model even wins "
            "in the long run, and more items make that surer"
        )
        said += f"; with {joined(restored)} it does not." if restored else "."
    yield said


def _gap(question: Question, situation: Situation, labels: int) -> float:
    steps = fixed_scheme(question, situation, labels).steps
    return float(steps.x - steps.y)


def _of_strategy(question: Question, situation: Situation, best: LabelDesign | None) -> Iterator[str]:
    if question.strategy == "disagreement-only":
        yield (
            "Labels of the items on which two models differ serve this pair only: they are no benchmark for a third "
            "model, and no measure of how accurate either is."
        )
    only_one = float(situation.better_only + situation.worse_only)
    if best is not None and best.labels_per_item > 1 and float(situation.both_wrong) > only_one:
        yield (
            f"Several labels gain here from models that are often both wrong and differ (on {situation.both_wrong:.1%} "
            f"of the items, against {only_one:.1%} on which one of them is right): one wrong label then speaks for "
            "either of them by chance. That rests on wrong labels falling on all classes alike."
        )
    wasted = [m for m in question.labels_per_item if m % 2 == 0]
    if wasted and question.even == "coin" and question.classes == TWO_CLASSES:
        yield (
            f"An even number of labels, as {wasted[0]}, is no better than {wasted[0] - 1} when ties are settled by a "
            "coin: the last label is wasted."
        )


def _of_goal(question: Question, best: LabelDesign | None, needed: Sequence[Needed]) -> Iterator[str]:
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
    if question.ties == "win" and best is not None and best.tie > best.win:
        yield (
            f"Such a test set ends in a tie in {best.tie:.1%} of cases, and a tie is not counted as an error: the "
            "error is small because little is decided. See what it is with --ties half."
        )


def _of_money(question: Question, designs: Sequence[LabelDesign]) -> Iterator[str]:
    if question.budget is None:
        return
    bought = {_ways(design.strategy, design.labels_per_item) for design in designs}
    asked = [str(m) for m in question.labels_per_item]
    if question.strategy in SEQUENTIAL:
        asked.append(SEQUENTIAL[question.strategy])
    dear = [way for way in asked if way not in bought]
    if dear:
        yield f"The budget does not pay for one item with {_with_labels(dear)}: left out."


def _ways(strategy: str, labels_per_item: float) -> str:
    return SEQUENTIAL.get(strategy, f"{labels_per_item:g}")


def _with_labels(ways: Sequence[str]) -> str:
    """Numbers of labels, and other ways to ask for them, in a sentence."""
    numbers = [way for way in ways if way.isdigit()]
    others = [way for way in ways if not way.isdigit()]
    said = [f"{joined(numbers)} label{'' if numbers == ['1'] else 's'}"] if numbers else []
    return " or ".join(said + others)


def _of_models_ranked(question: Question, best: LabelDesign | None) -> Iterator[str]:
    if question.models is None or best is None:
        return
    if best.strategy == "disagreement-only":
        yield "--models goes with items taken at random: items on which two models differ rank these two only."
    elif best.models_testable is not None and best.models_testable < question.models:
        yield (
            f"The best design ranks {counted(best.models_testable, 'model')}, not {question.models:,}: spend more, or "
            f"accept a larger --delta than {question.delta:g}."
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
