"""A plan of labels, in words."""

import math
from collections.abc import Iterator

from dissensus.planning.labels.designs import best_of
from dissensus.planning.labels.result import LabelDesign, PlanLabelsResult
from dissensus.report.numbers import counted, decimal, percent, spelled, whole, with_interval
from dissensus.report.sentences.plan_labels_chances import (
    AHEAD,
    chance,
    in_test_sets,
    items_words,
    labels_each,
    models_words,
    way_words,
)
from dissensus.report.untrusted import quoted

MOST_RATIO = 1000
NO_GAIN = 1e-6
NO_BIAS = 5e-4


def recommendation(result: PlanLabelsResult) -> str:
    """What to buy, what not, and what that does to the error; or that nothing helps."""
    best = result.recommended
    if best is None:
        return "No number of items is enough: with labels like these the worse model comes out ahead in the long run."
    if best.log10_hoeffding == 0:
        return (
            f"Do not decide by labels like these: they put the worse model first. Even with {labels_each(best)} for "
            f"each of {items_words(best)}, the best of the designs compared, {AHEAD[result.question.ties]} in "
            f"{in_test_sets(best.log10_error)}, and more items make it worse."
        )
    other = _other(result, best)
    said = f"Buy {labels_each(best)} for each of {items_words(best)}"
    if other is not None and result.question.target is None:
        said += f", not {_short(other)} for each of {whole(other.items)}"
    elif other is not None:
        said += f" ({_labels(best)}), not {_short(other)} for each of {whole(other.items)} ({_labels(other)})"
    return f"{said}: {_effect(result, best, other)}."


def _short(design: LabelDesign) -> str:
    return labels_each(design).removesuffix(" labels").removesuffix(" label")


def _labels(design: LabelDesign) -> str:
    return counted(round(design.labels), "label")


def _other(result: PlanLabelsResult, best: LabelDesign) -> LabelDesign | None:
    """The design to warn against: the strategy asked for if it loses, else the next best."""
    others = [design for design in result.designs if design is not best]
    asked = [design for design in others if design.strategy == result.question.strategy != "fixed"]
    if not others:
        return None
    if asked and best.strategy == "fixed":
        return asked[-1]
    return best_of(others) if result.question.target is None else min(others, key=lambda design: design.cost)


def _effect(result: PlanLabelsResult, best: LabelDesign, other: LabelDesign | None) -> str:
    ahead = AHEAD[result.question.ties]
    if result.question.target is None:
        said = f"{ahead} in {in_test_sets(best.log10_error)}"
        return f"{said} instead of {chance(other.log10_error)}" if other is not None else said
    goal = in_test_sets(math.log10(result.question.target)).replace(".0%", "%")
    cheapest = "the cheapest of the designs compared" if other is not None else "the fewest"
    return f"{cheapest} for which {ahead} in at most {goal}"


def compared_sentence(result: PlanLabelsResult) -> str:
    """What labels for items taken at random would do instead."""
    best = result.recommended
    if best is None or not result.compared:
        return ""
    if result.question.target is None:
        random = best_of(result.compared)
        return (
            f"For the same money, {labels_each(random)} for each of {whole(random.items)} items taken at random leave "
            f"an error of {chance(random.log10_error)}: where the models agree, a label does not tell which is better."
        )
    random = min(result.compared, key=lambda design: design.cost)
    return (
        f"Of items taken at random it would take {whole(random.items)} with {labels_each(random)} each: where the "
        "models agree, a label does not tell which is better."
    )


def reason(result: PlanLabelsResult) -> str:
    """Why one label, or several, are better: what each item says against how many there are."""
    best = result.recommended
    plain = {design.labels_per_item: design for design in result.designs}
    if best is None or 1 not in plain or len(plain) == 1 or result.situation.is_biased:
        return ""
    one = plain[1]
    several = best if best is not one else plain[min(m for m in plain if m != 1)]
    by_guessing = 1 / result.situation.classes
    says = (several.label_accuracy - by_guessing) / (one.label_accuracy - by_guessing)
    if says - 1 < NO_GAIN:
        return "Labels that are always right gain nothing from being asked for again."
    name = way_words(several.strategy, several.labels_per_item)
    said = (
        f"{name[0].upper()}{name[1:]} make the label that counts right {percent(several.label_accuracy)} of the time "
        f"instead of {percent(one.label_accuracy)}, so that an item says {decimal(says)} times as much"
    )
    if result.question.target is not None:
        saved = f"{counted(several.items, 'item does', 'items do')} instead of {whole(one.items)}"
        return f"{said}: {saved}, which saves items but not money." if best is one else f"{said}: {saved}."
    made_up = math.sqrt(one.items / several.items)
    if (best is one) != (says < made_up):
        return f"{said}; that about makes up for the fewer items."
    if best is one:
        return f"{said}; to make up for the fewer items it would have to say {decimal(made_up)} times as much."
    return f"{said}; that is more than the {decimal(made_up)} times that make up for the fewer items."


def break_even_sentence(result: PlanLabelsResult) -> str:
    """From which cost of an item on several labels pay."""
    pays = []
    for one in result.break_even:
        if math.isfinite(one.ratio_exact) and one.ratio_exact < MOST_RATIO:
            formula = f" ({decimal(one.ratio)} by the formula for small margins)" if math.isfinite(one.ratio) else ""
            pays.append(f"{spelled(one.labels_per_item)} from a cost of {decimal(one.ratio_exact)} labels on{formula}")
    question = result.question
    if not pays:
        never = any(one.ratio_exact == math.inf for one in result.break_even)
        return "Several labels for each item do not pay here, whatever an item costs." if never else ""
    costs = "an item costs nothing"
    if question.label_cost and question.item_cost:
        costs = f"an item costs as much as {question.item_cost / question.label_cost:g} labels"
    elif question.item_cost:
        costs = "labels cost nothing"
    return (
        f"Several labels for each item reach the same error for less money once an item is dear before it is labelled: "
        f"{', '.join(pays)}. Here {costs}."
    )


def models_sentence(result: PlanLabelsResult) -> str:
    """How many models a benchmark like the recommended design can rank."""
    best, delta = result.recommended, result.question.delta
    if best is None or best.strategy == "disagreement-only" or best.log10_hoeffding == 0:
        return ""
    if result.question.target is not None and result.question.models is None:
        return ""
    if best.log10_error > math.log10(delta):
        return (
            f"As a benchmark it is too small: even of two models the better one comes out first in less than "
            f"{percent(1 - delta, 0)} of such test sets."
        )
    by_bound = "; by Hoeffding's bound not even two" if best.log10_hoeffding > math.log10(delta) else ""
    return (
        f"As a benchmark it can hold {models_words(best.log10_models)} models and still put the best one first in "
        f"{percent(1 - delta, 0)} of such test sets, if each rival is at least "
        f"{decimal(float(result.situation.margin), 3)} less accurate (a union bound over the rivals{by_bound})."
    )


def bounds_sentence(result: PlanLabelsResult) -> str:
    """What the bounds would have asked for."""
    best = result.recommended
    found = [one for one in result.needed if best is not None and one.labels_per_item == best.labels_per_item]
    if not found or found[0].cramer_items is None or found[0].hoeffding_items is None:
        return ""
    return (
        f"These are exact numbers: Cramer's bound would have asked for {counted(found[0].cramer_items, 'item')} with "
        f"as many labels, Hoeffding's for {whole(found[0].hoeffding_items)}."
    )


def absolute_sentence(result: PlanLabelsResult) -> str:
    """What the same labels say of the accuracy of one model, which is another aim."""
    precise, best = result.most_precise, result.recommended
    if precise is None or best is None:
        return ""
    own = next((one for one in result.absolute if one.labels_per_item == best.labels_per_item), precise)
    said = (
        "To know how accurate a model is, rather than which is better, is another aim: this design measures the worse "
        f"model's accuracy with a standard error of {decimal(own.standard_error, 3)}"
    )
    if abs(own.bias) > NO_BIAS:
        said += (
            f", corrected for wrong labels as if their accuracy were known; uncorrected it would look "
            f"{decimal(abs(own.bias), 3)} too {'low' if own.bias < 0 else 'high'}"
        )
    if precise.labels_per_item == own.labels_per_item:
        return f"{said}."
    return (
        f"{said}. For that aim {precise.labels_per_item:g} labels for each of {counted(precise.items, 'item')} are "
        f"better, with {decimal(precise.standard_error, 3)}."
    )


def assumptions(result: PlanLabelsResult) -> str:
    """What the plan rests on."""
    question, situation = result.question, result.situation
    said = ["Assumed: items are drawn at random, and the model that agrees with more labels wins"]
    if question.strategy == "fixed" and max(question.labels_per_item) > 1:
        said.append("an item's label is the one that most of its labels name")
    said.append(_models_words(result))
    if question.is_correlated:
        said.append(
            f"a label is right on {percent(float(situation.label_accuracy_better))} of the items that only the better "
            f"model gets right, and on {percent(float(situation.label_accuracy_worse))} of those that only the worse "
            "one does"
        )
    else:
        alike = "" if result.pilot is not None else ", on every item alike and whatever the models say of it"
        said.append(f"a label is right {percent(float(situation.label_accuracy))} of the time{alike}")
    if situation.classes > 2:  # noqa: PLR2004
        said.append(f"a wrong label is any of the {situation.classes - 1} wrong classes alike")
    return "; ".join(said) + "."


def _models_words(result: PlanLabelsResult) -> str:
    situation = result.situation
    differ = percent(float(situation.disagreement))
    margin = decimal(float(situation.margin), 3)
    if result.pilot is not None:
        return f"the models differ on {differ} of the items and their accuracies by {margin}, as in the pilot"
    if situation.accuracy is None:
        return f"the models differ on {differ} of the items and their accuracies by {margin}"
    better = situation.accuracy + float(situation.margin)
    right = f"the models are right on {percent(situation.accuracy)} and {percent(better)}"
    if result.question.is_correlated or result.question.disagreement is not None:
        return f"{right} of the items and differ on {differ}"
    return f"{right} of the items, err independently of each other and so differ on {differ}"


def pilot_points(result: PlanLabelsResult) -> list[str]:
    """What the pilot said, what it leaves open, and what it could not check."""
    pilot = result.pilot
    if pilot is None:
        return []
    apart, margin, right = pilot.disagreement, pilot.margin, pilot.for_plan
    other = pilot.share_other
    sure = "" if math.isnan(other) else f" (the other one in {percent(other)} of the bootstrap samples)"
    where = "" if pilot.label_accuracy_apart is None else " where the models differ"
    seen = (
        f"{counted(pilot.items, 'item')} answered by both models, {whole(pilot.labelled)} of them labelled, with "
        f"{counted(pilot.labels, 'label')} in all; {whole(pilot.repeated)} have two labels or more."
    )
    differ = (
        f"The models differ on {with_interval(apart.value, apart.low, apart.high, form=percent)} of the items; "
        f"{quoted(pilot.better)} is the more accurate one{sure}, by "
        f"{with_interval(margin.value, margin.low, margin.high, form=_thousandths)}."
    )
    labels = (
        f"A label is right {with_interval(right.value, right.low, right.high, form=percent)} of the time{where}; the "
        f"agreement of two labels alone allows {percent(pilot.label_accuracy_least.value)} to "
        f"{percent(pilot.label_accuracy_most.value)}, over all items."
    )
    return [seen, differ, labels, *_left_open(result), *pilot.assumptions]


def _left_open(result: PlanLabelsResult) -> Iterator[str]:
    """How far the plan could be off because the pilot is small."""
    best = result.recommended
    if best is None or math.isnan(best.error_low):
        return
    ends = [chance(math.log10(end)) if end > 0 else "0%" for end in (best.error_low, best.error_high)]
    said = f"What the pilot leaves open: the error of the recommended design may be {ends[0]} to {ends[1]}"
    for one in result.needed:
        if one.labels_per_item == best.labels_per_item:
            bounds = [whole(end) if math.isfinite(end) else "any number" for end in (one.items_low, one.items_high)]
            said += f", and {bounds[0]} to {bounds[1]} items may be needed"
    yield f"{said} ({percent(result.question.confidence, 0)} intervals). A larger pilot would narrow that."


def _thousandths(value: float) -> str:
    return decimal(value, 3)


def reasons(result: PlanLabelsResult) -> list[str]:
    """The sentences below the recommendation, in reading order."""
    said = [compared_sentence(result), reason(result), bounds_sentence(result)]
    costs = [break_even_sentence(result)]
    goals = [models_sentence(result), absolute_sentence(result)]
    paragraphs = [" ".join(filter(None, part)) for part in (said, costs, goals)]
    return [text for text in paragraphs if text]
