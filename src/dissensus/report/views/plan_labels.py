"""What `plan labels` says: one label each for many items, or several for few."""

import math

from dissensus.errors import DissensusError
from dissensus.methods.plan_labels.result import BreakEven, LabelDesign, PlanLabelsResult
from dissensus.report.document import Block, Cell, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, decimal, percent, spelled, whole
from dissensus.report.views.plan_labels_charts import (
    AHEAD,
    FIRST,
    chance,
    figures_of,
    in_test_sets,
    items_words,
    labels_each,
    models_words,
    pilot_points,
    series_name,
    way_words,
)
from dissensus.results import Result

MOST_RATIO = 1000
NO_GAIN = 1e-6
NO_BIAS = 5e-4
NO_USE = 0.5
"""A standard error of an accuracy that is no news."""


def recommendation(result: PlanLabelsResult) -> str:
    """What to buy, what not, and what that does to the error; or that nothing helps."""
    best = result.recommended
    if best is None:
        return (
            "More items do not help: with labels like these the better model does not come out ahead in the long run."
        )
    if best.log10_hoeffding == 0:
        return (
            f"Do not decide by labels like these: they do not put the better model first. Even with "
            f"{labels_each(best)} for {items_words(best)}, the best of the designs compared, "
            f"{AHEAD[result.options.ties]} in {in_test_sets(best.log10_error)}, and more items do not help."
        )
    other = result.runner_up
    text = f"Buy {labels_each(best)} for {items_words(best)}"
    if other is not None and result.options.target is None:
        text += f", not {_short(other)} for {_each_of(other)}"
    elif other is not None:
        text += f" ({_spent(result, best)}), not {_short(other)} for {_each_of(other)} ({_spent(result, other)})"
    return f"{text}: {_effect(result, best, other)}."


def _short(design: LabelDesign) -> str:
    return labels_each(design).removesuffix(" labels").removesuffix(" label")


def _each_of(design: LabelDesign) -> str:
    return "one" if design.items == 1 else f"each of {whole(design.items)}"


def _spent(result: PlanLabelsResult, design: LabelDesign) -> str:
    """What a design costs: labels, unless items or labels have their own price."""
    if result.options.in_labels:
        return counted(round(design.labels), "label")
    return f"a cost of {design.cost:,.6g}"


def _effect(result: PlanLabelsResult, best: LabelDesign, other: LabelDesign | None) -> str:
    ahead = AHEAD[result.options.ties]
    if result.options.target is None:
        text = f"{ahead} in {in_test_sets(best.log10_error)}"
        if other is None or chance(other.log10_error) != chance(best.log10_error):
            return f"{text} instead of {chance(other.log10_error)}" if other is not None else text
        return f"{text}, and {'as' if other.log10_error == best.log10_error else 'hardly more'} often with the other"
    goal = in_test_sets(math.log10(result.options.target), digits=3)
    cheapest = "the cheapest of the designs compared" if other is not None else "the fewest"
    return f"{cheapest} for which {ahead} in at most {goal}"


def compared_sentence(result: PlanLabelsResult) -> str:
    """What labels for items taken at random would do instead."""
    best = result.recommended
    if best is None or not result.compared:
        return ""
    random = result.best_of(result.compared)
    if result.options.target is None:
        return (
            f"For the same money, {labels_each(random)} for {items_words(random)} taken at random would have an error "
            f"of {chance(random.log10_error)}: where the models agree, a label does not tell which is better."
        )
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
    if one.label_accuracy == 1:
        return "Labels that are always right gain nothing from being asked for again."
    by_guessing = 1 / result.situation.classes
    if one.label_accuracy <= by_guessing:
        return _by_guessing(one, several, by_guessing)
    says = (several.label_accuracy - by_guessing) / (one.label_accuracy - by_guessing)
    name = way_words(several.strategy, several.labels_per_item)
    if says - 1 < NO_GAIN:
        return (
            f"{name[0].upper()}{name[1:]} do not make the label that counts right more often than one label "
            f"({percent(several.label_accuracy)} against {percent(one.label_accuracy)})."
        )
    text = (
        f"{name[0].upper()}{name[1:]} make the label that counts right {percent(several.label_accuracy)} of the time "
        f"instead of {percent(one.label_accuracy)}, so that an item says {decimal(says)} times as much"
    )
    weighed = _against_budget(one, several, says) if result.options.target is None else _against_error(one, several)
    return f"{text}{weighed[best is one]}."


def _by_guessing(one: LabelDesign, several: LabelDesign, by_guessing: float) -> str:
    """What several labels can do where one is no better than a guess."""
    text = f"One label is right {percent(one.label_accuracy)} of the time, no more often than a guess"
    name = way_words(several.strategy, several.labels_per_item)
    if several.label_accuracy <= by_guessing + NO_GAIN:
        return f"{text}, and {name} do not mend that."
    return f"{text}; {name} make the label that counts right {percent(several.label_accuracy)} of the time."


def _against_error(one: LabelDesign, several: LabelDesign) -> tuple[str, str]:
    """What fewer items with several labels save; if several labels are the better choice, and if one label is."""
    if several.items >= one.items:
        return ("; but it takes as many items",) * 2
    saved = f": {counted(several.items, 'item does', 'items do')} instead of {whole(one.items)}"
    return saved, f"{saved}, which saves items but not money"


def _against_budget(one: LabelDesign, several: LabelDesign, says: float) -> tuple[str, str]:
    """Whether what an item says makes up for fewer items; if several labels are the better choice, and if one is."""
    if one.items <= several.items:
        return (", and as many items are paid for",) * 2
    made_up = math.sqrt(one.items / several.items)
    needs = f"{decimal(made_up)} times"
    unclear = f"; as a rule {needs} make up for the fewer items, but here the exact errors decide"
    if says < made_up:
        return unclear, f"; to make up for the fewer items it would have to say {needs} as much"
    return f"; that is more than the {needs} that make up for the fewer items", unclear


def break_even_sentence(result: PlanLabelsResult) -> str:
    """From which cost of an item on several labels pay."""
    pays = [_pays(one) for one in result.break_even if one.ratio_exact < MOST_RATIO]
    options, best = result.options, result.recommended
    if not pays:
        never = any(one.ratio_exact == math.inf for one in result.break_even)
        is_one = best is not None and best.labels_per_item == 1 and best.items > 1
        return "Several labels for each item do not pay here, whatever an item costs." if never and is_one else ""
    if all(one.ratio_exact == 0 for one in result.break_even):
        return "Several labels for each item reach the same error for less money here, whatever an item costs."
    costs = "an item costs nothing"
    if options.label_cost and options.item_cost:
        costs = f"an item costs as much as {options.item_cost / options.label_cost:g} labels"
    elif options.item_cost:
        costs = "labels cost nothing"
    return (
        f"Several labels for each item reach the same error for less money once an item, before it is labelled, costs "
        f"enough: {', '.join(pays)}. Here {costs}."
    )


def _pays(one: BreakEven) -> str:
    labels = spelled(one.labels_per_item)
    if one.ratio_exact == 0:
        return f"{labels} even if it costs nothing"
    formula = f" ({decimal(one.ratio)} by the formula for small margins)" if math.isfinite(one.ratio) else ""
    return f"{labels} from a cost of {decimal(one.ratio_exact)} labels on{formula}"


def models_sentence(result: PlanLabelsResult) -> str:
    """How many models a benchmark like the recommended design can rank."""
    best, delta = result.recommended, result.options.delta
    if best is None or best.strategy == "disagreement-only" or best.log10_hoeffding == 0:
        return ""
    if result.options.target is not None and result.options.models is None:
        return ""
    if best.log10_error > math.log10(delta):
        return (
            f"As a benchmark it is too small: even of two models the better one comes out "
            f"{FIRST[result.options.ties]} in less than {percent(1 - delta, 0)} of such test sets."
        )
    by_bound = "; by Hoeffding's bound not even two" if best.log10_hoeffding > math.log10(delta) else ""
    models = "any number of" if math.isinf(best.log10_models) else models_words(best.log10_models)
    return (
        f"As a benchmark it can hold {models} models and still put the best one {FIRST[result.options.ties]} in "
        f"{percent(1 - delta, 0)} of such test sets, if each rival is at least "
        f"{decimal(float(result.situation.margin), 3)} less accurate (a union bound over the rivals{by_bound})."
    )


def bounds_sentence(result: PlanLabelsResult) -> str:
    """What the bounds would have asked for."""
    best = result.recommended
    found = [one for one in result.needed if best is not None and one.labels_per_item == best.labels_per_item]
    if not found or found[0].cramer_items is None or found[0].hoeffding_items is None or _is_assured(result):
        return ""
    return (
        f"These are exact numbers: Cramer's bound would have asked for {counted(found[0].cramer_items, 'item')} with "
        f"as many labels, Hoeffding's for {whole(found[0].hoeffding_items)}."
    )


def _is_assured(result: PlanLabelsResult) -> bool:
    """Whether the plan allows for what a pilot leaves open, which bounds at its best guess do not."""
    return any(not math.isnan(design.assurance) for design in result.designs)


def absolute_sentence(result: PlanLabelsResult) -> str:
    """What the same labels say of the accuracy of one model, which is another aim."""
    precise, best = result.most_precise, result.recommended
    if precise is None or best is None:
        return ""
    aim = "To know how accurate a model is, rather than which is better, is another aim: "
    if precise.standard_error > NO_USE:
        return f"{aim}labels like these say next to nothing about that."
    design = next((one for one in result.absolute if one.labels_per_item == best.labels_per_item), precise)
    spread = _two_digits(design.standard_error)
    text = f"{aim}this design measures the worse model's accuracy with a standard error of {spread}"
    if abs(design.bias) > NO_BIAS:
        text += (
            f", corrected for wrong labels as if their accuracy were known; uncorrected it would look "
            f"{decimal(abs(design.bias), 3)} too {'low' if design.bias < 0 else 'high'}"
        )
    if precise.labels_per_item == design.labels_per_item:
        return f"{text}."
    return (
        f"{text}. For that aim {precise.labels_per_item:g} labels for each of {counted(precise.items, 'item')} are "
        f"better, with {_two_digits(precise.standard_error)}."
    )


def _two_digits(value: float) -> str:
    """A standard error, however small, never as a power of ten."""
    return decimal(value, max(3, 1 - math.floor(math.log10(value)))) if value > 0 else "0"


def assumptions(result: PlanLabelsResult) -> str:
    """What the plan rests on."""
    options, situation = result.options, result.situation
    parts = ["Assumed: items are drawn at random, and the model that agrees with more labels wins"]
    if options.strategy == "fixed" and max(options.labels_per_item) > 1:
        parts.append("an item's label is the one that most of its labels name")
    parts.append(_models_words(result))
    if options.is_correlated:
        parts.append(
            f"a label is right on {percent(float(situation.label_accuracy_better))} of the items that only the better "
            f"model gets right, and on {percent(float(situation.label_accuracy_worse))} of those that only the worse "
            "one does"
        )
    else:
        alike = "" if result.pilot is not None else ", on every item alike and whatever the models say of it"
        parts.append(f"a label is right {percent(float(situation.label_accuracy))} of the time{alike}")
    if situation.classes > 2:  # noqa: PLR2004
        parts.append(f"a wrong label is any of the {situation.classes - 1} wrong classes alike")
    return "; ".join(parts) + "."


def _models_words(result: PlanLabelsResult) -> str:
    situation = result.situation
    differ = percent(float(situation.disagreement))
    margin = decimal(float(situation.margin), 3)
    if result.pilot is not None:
        if result.options.margin is not None:
            return f"the models differ on {differ} of the items, as in the pilot, and their accuracies by {margin}"
        return f"the models differ on {differ} of the items and their accuracies by {margin}, as in the pilot"
    if situation.accuracy is None:
        return f"the models differ on {differ} of the items and their accuracies by {margin}"
    better = situation.accuracy + float(situation.margin)
    right = f"the models are right on {percent(situation.accuracy)} and {percent(better)}"
    if result.options.is_correlated or result.options.disagreement is not None:
        return f"{right} of the items and differ on {differ}"
    return f"{right} of the items, err independently of each other and so differ on {differ}"


def reasons(result: PlanLabelsResult) -> list[str]:
    """The sentences below the recommendation, in reading order."""
    why = [compared_sentence(result), reason(result), bounds_sentence(result)]
    costs = [break_even_sentence(result)]
    goals = [models_sentence(result), absolute_sentence(result)]
    paragraphs = [" ".join(filter(None, part)) for part in (why, costs, goals)]
    return [text for text in paragraphs if text]


def view(result: Result) -> Section:
    """What to buy, why, what it rests on, and the plans around it."""
    if not isinstance(result, PlanLabelsResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as a plan of labels.")
    blocks: list[Block] = [Paragraph(text=text) for text in reasons(result)]
    blocks.append(Paragraph(text=assumptions(result)))
    if result.pilot is not None:
        blocks.append(Points(title="What the pilot says", texts=pilot_points(result)))
    if result.designs:
        blocks.append(_designs_table(result))
    if result.needed:
        blocks.append(_needed_table(result))
    return Section(
        title="One label each for many items, or several for few?",
        lead=recommendation(result),
        blocks=[*blocks, *figures_of(result)],
    )


def _designs_table(result: PlanLabelsResult) -> Table:
    only_differing, has_interval = bool(result.compared), any(d.error_low >= 0 for d in result.designs)
    columns = ["Per item", "Items", "Label right", "Error", *(["Interval"] if has_interval else [])]
    rows: list[list[Cell]] = [
        [
            series_name(design.strategy, design.labels_per_item) + ("" if design in result.designs else ", any item"),
            design.items,
            design.label_accuracy,
            chance(design.log10_error),
            *([_interval(design)] if has_interval else []),
            *([] if has_interval else [design.tie, design.win]),
            *([design.screened] if only_differing else [models_words(design.log10_models)]),
        ]
        for design in (*result.designs, *result.compared)
    ]
    return Table(
        caption="What each way to spend the labels does",
        columns=[
            *columns,
            *([] if has_interval else ["Tie", "Wins"]),
            "Look through" if only_differing else "Models",
        ],
        rows=rows,
        percent=frozenset({"Label right", "Tie", "Wins"}),
    )


def _interval(design: LabelDesign) -> str | None:
    """What the pilot leaves open of the error."""
    if math.isnan(design.error_low):
        return None
    return " to ".join("0%" if end == 0 else chance(math.log10(end)) for end in (design.error_low, design.error_high))


def _needed_table(result: PlanLabelsResult) -> Table:
    screened = ["Look through"] if any(one.screened is not None for one in result.needed) else []
    is_assured = _is_assured(result)
    others = ["If exact"] if is_assured else ["By Cramer", "By Hoeffding"]
    columns = ["Per item", "Items", "Safe from", *screened, "Labels", "Cost", *others]
    rows: list[list[Cell]] = [
        [
            series_name(one.strategy, one.labels_per_item),
            one.items,
            one.items_safe,
            *([one.screened] if screened else []),
            one.labels,
            one.cost,
            *([one.items_if_exact] if is_assured else [one.cramer_items, one.hoeffding_items]),
        ]
        for one in result.needed
    ]
    return Table(caption="Items that the error takes", columns=columns, rows=rows, digits=1)
