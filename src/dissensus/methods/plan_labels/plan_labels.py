"""One label each for many items, or several for few?"""

from collections.abc import Sequence

from numpy.random import Generator

from dissensus.data import Judges, Ratings
from dissensus.data.align import item_by_item
from dissensus.errors import OptionError
from dissensus.methods.plan_labels.cautions import cautions
from dissensus.methods.plan_labels.curves import (
    Measuring,
    absolute_of,
    break_even_of,
    error_draws,
    items_draws,
    single_label_items,
)
from dissensus.methods.plan_labels.designs import (
    MOST_ITEMS,
    Scheme,
    affordable_items,
    best_of,
    design_of,
    fixed_scheme,
    needed_of,
    schemes_of,
    whole,
)
from dissensus.methods.plan_labels.options import (
    LABELS_PER_ITEM,
    Question,
    Strategy,
    check_question,
    checked_labels_per_item,
)
from dissensus.methods.plan_labels.result import Absolute, LabelDesign, Needed, PlanLabelsResult
from dissensus.methods.plan_labels.situation import Known, Situation, situation_of
from dissensus.methods.plan_labels.votes import Even
from dissensus.methods.plan_labels.walk import Ties
from dissensus.sampling import seed_of


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
    pilot: Ratings | None = None,
    pilot_judges: Judges | None = None,
    a: str | None = None,
    b: str | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
) -> PlanLabelsResult:
    """How to spend labels to find out which of two models is better.

    Items are drawn at random, labels may be wrong, and the model that agrees with more labels wins. All chances are
    exact for that model of the data.

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
        How often the best of several models may not come out first.
    classes : int
        How many different labels there are.
    even : {"coin", "strict"}
        An even number of votes that is tied: a coin is tossed, or the label counts as wrong.
    ties : {"lose", "half", "win"}
        What it is worth to the better model to be right on as many items as the other.
    strategy : {"fixed", "adaptive", "lead-by-two", "disagreement-only"}
        So many labels for each item; a third one where two differ; labels until one class leads by two; labels only for
        items on which the models differ.
    pilot, pilot_judges : Ratings, Judges, optional
        Data to learn from what is not given: repeated labels of some items, and the answers of both models.
    a, b : str, optional
        The models of the pilot.
    bootstrap : int
        Bootstrap samples of the pilot; 0 for no intervals.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed.

    Returns
    -------
    PlanLabelsResult

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
    question = Question(
        accuracy=accuracy, margin=margin, label_accuracy=label_accuracy, disagreement=disagreement,
        both_wrong=both_wrong, worse_accuracy=worse_accuracy, better_if_worse_wrong=better_if_worse_wrong,
        better_if_worse_right=better_if_worse_right, label_accuracy_better=label_accuracy_better,
        label_accuracy_worse=label_accuracy_worse, budget=budget, error=error,
        labels_per_item=checked_labels_per_item(labels_per_item), item_cost=item_cost, label_cost=label_cost,
        models=models, delta=delta, classes=classes, even=even, ties=ties, strategy=strategy, a=a, b=b,
        bootstrap=bootstrap, confidence=confidence, seed=seed_of(rng),
    )  # fmt: skip
    if (pilot is None) != (pilot_judges is None):
        raise OptionError("--pilot and --pilot-judges go together: give people's labels and both models' answers.")
    check_question(question, has_pilot=pilot is not None)
    if pilot is not None and pilot_judges is not None:
        from dissensus.methods.plan_labels.from_pilot import known_from_pilot  # noqa: PLC0415 - needs scipy, others do not

        return _planned(*known_from_pilot(*item_by_item(pilot, pilot_judges, what="A pilot"), question, rng))
    return _planned(question, Known(situation=situation_of(question), data={}))


def _planned(question: Question, known: Known) -> PlanLabelsResult:
    """The result, once it is known how models and labels stand to each other."""
    situation = known.situation
    schemes = schemes_of(question, situation)
    drawn = None if known.draws is None else schemes_of(question, known.draws)
    needed: tuple[Needed, ...] = ()
    best: LabelDesign | None
    if question.target is None:
        designs = _bought(question, schemes, drawn)
        best = best_of(designs)
    else:
        needed = _all_needed(question, schemes, drawn, question.target)
        designs = _with_items(question, schemes, drawn, [one.items_planned for one in needed])
        best = min(designs, key=lambda design: (design.cost, design.labels_per_item), default=None)
    return PlanLabelsResult(
        settings=question.settings(),
        data=known.data,
        warnings=(*known.warnings, *cautions(question, situation, designs, best, needed)),
        designs=designs,
        recommended=best,
        needed=needed,
        compared=_compared(question, situation),
        break_even=break_even_of(question, situation, single_label_items(question, situation)),
        absolute=() if best is None else _absolute(question, known, schemes, best.cost),
        situation=situation,
        question=question,
        pilot=known.pilot,
    )


def _bought(question: Question, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None) -> tuple[LabelDesign, ...]:
    """What the budget buys; a number of labels that it does not buy for one item is left out."""
    budget = question.budget or 0.0
    items = [affordable_items(scheme, question, budget) for scheme in schemes]
    if max(items) < 1:
        least = min(scheme.item_cost(question) for scheme in schemes)
        raise OptionError(f"--budget {budget:g} is below one item, which costs {least:g} with its labels: raise it.")
    return _with_items(question, schemes, drawn, [number or None for number in items])


def _absolute(question: Question, known: Known, schemes: Sequence[Scheme], cost: float) -> tuple[Absolute, ...]:
    """What the same money tells of the accuracy of one model, by the labels of all items."""
    designs = []
    for scheme, overall in zip(schemes, schemes_of(question, known.overall or known.situation), strict=True):
        items = affordable_items(scheme, question, question.budget or cost)
        if items:
            designs.append(Measuring(whole(scheme.labels_per_item), items, float(overall.accuracy)))
    return absolute_of(question, known.situation, designs)


def _with_items(
    question: Question, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None, items: Sequence[int | None]
) -> tuple[LabelDesign, ...]:
    found = []
    for i, (scheme, number) in enumerate(zip(schemes, items, strict=True)):
        if number is not None:
            draws = None if drawn is None else error_draws(drawn[i], question, number)
            found.append(design_of(scheme, question, number, draws))
    return tuple(found)


def _all_needed(
    question: Question, schemes: Sequence[Scheme], drawn: Sequence[Scheme] | None, error: float
) -> tuple[Needed, ...]:
    found = []
    for i, scheme in enumerate(schemes):
        draws = None if drawn is None else items_draws(drawn[i], question, error)
        found.append(needed_of(scheme, question, error, draws))
    least = min((one.cramer_items for one in found if one.cramer_items is not None), default=0)
    if least > MOST_ITEMS:
        raise OptionError(
            f"It would take about {least:.0e} items: the models are too much alike, or labels too often wrong, to tell "
            "them apart. Plan for a larger --margin or --error."
        )
    return tuple(found)


def _compared(question: Question, situation: Situation) -> tuple[LabelDesign, ...]:
    """With disagreement-only: labels for items taken at random, for the same money or the same error."""
    if question.strategy != "disagreement-only":
        return ()
    schemes = [fixed_scheme(question, situation, labels) for labels in question.labels_per_item]
    if question.target is None:
        items = [affordable_items(scheme, question, question.budget or 0.0) or None for scheme in schemes]
    else:
        items = [needed_of(scheme, question, question.target).items_planned for scheme in schemes]
    return _with_items(question, schemes, None, items)
