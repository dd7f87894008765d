"""From ratings, judges and options to the arrays of a Problem."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes
from dissensus.data import Judges, Ratings
from dissensus.data.align import Answers, answered_by_all, answers_of, asked_in_one_way
from dissensus.data.labels import label_values, option_name
from dissensus.errors import OptionError, counted, listed
from dissensus.methods.equivalence.calibration import calibrate
from dissensus.methods.equivalence.ceiling import (
    FEW_LABELS,
    TWO_LABELS,
    Mixture,
    ceiling_of,
    fit_labels,
    fit_mixtures,
    why_unasked,
    why_untold,
)
from dissensus.methods.equivalence.combiners import Learn
from dissensus.methods.equivalence.curve import Panel
from dissensus.methods.equivalence.items import ItemChoice, Rows, choose_items, rows_of
from dissensus.methods.equivalence.large_sizes import number_of_cells
from dissensus.methods.equivalence.options import Question
from dissensus.methods.equivalence.problem import (
    Predictions,
    Problem,
    ScoredMoments,
    check_moments,
    fold_weights,
    reference_shares,
    scored_moments,
    types_of_items,
)
from dissensus.methods.equivalence.replicates import Extras, training_parts
from dissensus.methods.equivalence.scores import CORRELATIONS, Score

ENUMERABLE = 2_000_000
"""Surveys that items allow, times labels, that every bootstrap sample can go through."""
MANY_LABELS = 40
"""With more labels than that hardly two items have the same answers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A problem, and what there is to say about how it came about."""

    problem: Problem
    settings: dict[str, object]
    data: dict[str, dict[str, object]]
    warnings: tuple[str, ...]


def set_up(ratings: Ratings, judges: Judges, question: Question, *, rng: Generator) -> Prepared:
    """The problem behind a question."""
    asked, about_kinds = asked_in_one_way(ratings, judges, question.elicitation)
    rated = asked if question.experts is None else asked.of_group(question.experts)
    chosen = _shared(judges.only(question.judge), ratings, rated)
    takes_numbers = question.score in CORRELATIONS and question.calibrate == "none"
    everybody, labels, about_labels = answers_of(chosen, rated, as_numbers=takes_numbers)
    choice, about_items = choose_items(asked, rated, answered_by_all(everybody), question, len(labels))
    check_moments(chosen, question, labels)
    score = _score(question, labels)
    learn = _learn(question, score, len(labels))
    rows = rows_of(choice, needs_folds=learn == "cross-fit" or question.calibrate != "none", rng=rng)
    panel = Panel(combiner=question.combiner, learn=learn, prior=question.prior)
    problem = _without_judges(choice, rows, question, panel, score)
    problem = replace(problem, columns=_columns(rated, choice.kept, question, score))
    problem, about_sizes = _enumerable(problem, question)
    predictions = _predictions(problem, everybody, rows, question)
    settings = question.settings() | {
        "learn": problem.panel.learn if question.combiner in {"abc", "npmle"} else None,
        "max_raters": problem.sizes[-1],
        "labels": list(labels),
        "judge": list(chosen.judges),
    }
    warnings = [*ratings.warnings, *about_kinds, *chosen.warnings, *about_labels, *about_items, *about_sizes]
    return Prepared(
        problem=replace(problem, judges=predictions, moments=_moments(problem, chosen, rated, rows, labels)),
        settings=settings,
        data={"ratings": dict(ratings.describe_data()), "judges": dict(judges.describe_data())},
        warnings=(
            *warnings,
            *_combiner_warnings(labels, question),
            *_calibration_warnings(everybody, predictions, problem, question),
        ),
    )


def _score(question: Question, labels: tuple[str, ...]) -> Score:
    return Score(
        name=question.score, values=label_values(labels), positive=_positive(question, labels), clip=question.clip
    )


def _without_judges(choice: ItemChoice, rows: Rows, question: Question, panel: Panel, score: Score) -> Problem:
    """The raters' side of the problem."""
    both = choice.counts if choice.amateurs is None else np.concatenate([choice.counts, choice.amateurs], axis=1)
    distinct, type_of_item = types_of_items(both)
    n_labels = choice.counts.shape[1]
    return Problem(
        counts=distinct[:, :n_labels],
        amateurs=None if choice.amateurs is None else distinct[:, n_labels:],
        amateur_sizes=choice.amateur_sizes,
        type_of_item=type_of_item[rows.place],
        copies=rows.copies,
        judges=(),
        sizes=choice.sizes,
        panel=panel,
        score=score,
        references=question.reference_raters,
        fold=rows.fold,
    )


def _enumerable(problem: Problem, question: Question) -> tuple[Problem, list[str]]:
    """Where surveys cannot be sampled, the sizes up to which they can be enumerated, unless the user named one."""
    can_sample = problem.score.is_additive and question.combiner != "npmle" and problem.panel.learn != "cross-fit"
    if can_sample or question.max_raters is not None:
        return problem, []
    sizes = tuple(k for k in problem.sizes if k == 0 or number_of_cells(problem, k) <= ENUMERABLE)
    if sizes == problem.sizes:
        return problem, []
    shorter = f"The curve ends at {sizes[-1]} raters: larger surveys are too many to enumerate with {question.score}"
    return replace(problem, sizes=sizes), [f"{shorter} in every bootstrap sample. --max-raters goes further."]


def _combiner_warnings(labels: tuple[str, ...], question: Question) -> list[str]:
    if question.combiner != "abc" or len(labels) <= MANY_LABELS:
        return []
    little = f"With {len(labels)} labels hardly any survey comes again, so the combiner abc learns little"
    return [f"{little}: numbers are better averaged, with --score pearson --combiner frequency."]


def _calibration_warnings(
    everybody: list[Answers], judges: tuple[Predictions, ...], problem: Problem, question: Question
) -> list[str]:
    """Say where another calibration makes more of the outputs."""
    if question.calibrate == "none":
        return []
    if question.calibrate == "table":
        raw = [judge for judge in judges if not judge.calibrated]
        most = problem.items.sum() / 2
        fine = [judge.judge for judge in raw if len(np.unique(judge.predictions, axis=0)) > most]
        said = (
            f"Most outputs of {listed(fine)} occur once, so a table learns nothing of them: use --calibrate isotonic."
        )
        return [said] if fine else []
    hard = [answers.judge for answers in everybody if answers.is_hard]
    if not hard or problem.counts.shape[1] <= TWO_LABELS:
        return []
    little = f"of which --calibrate {question.calibrate} keeps little, since it looks at one label after the other"
    return [f"{listed(hard)} gave one label per item, {little}: use --calibrate table."]


def _shared(judges: Judges, ratings: Ratings, rated: Ratings) -> Judges:
    """The answers on items that take part; what profiles are left out is counted in items."""
    names = set(rated.items)
    if ratings.copies is None or names.isdisjoint(judges.items):
        return judges.on_items_of(rated)
    judges.check_answered(names)
    copies = dict(zip(ratings.items, ratings.copies.tolist(), strict=True))
    lost = sum(copies.get(item, 1) for item in judges.items if item not in names)
    kept = judges.where(np.array([item in names for item in judges.items], dtype=np.bool_)[judges.item])
    said = [f"Left out {counted(lost, 'item')} that judges answered and nobody rated."] if lost else []
    return replace(kept, warnings=(*judges.warnings, *said)).on_items_of(rated)


def _positive(question: Question, labels: tuple[str, ...]) -> int | None:
    if question.positive is None:
        return None
    name = option_name(question.positive)
    if name not in labels:
        raise OptionError(f"--positive {question.positive!r} is no label: the labels are {', '.join(labels)}.")
    return labels.index(name)


def _learn(question: Question, score: Score, n_labels: int) -> Learn:
    """How the combiner learns, where the user leaves it to us."""
    if question.learn is not None:
        if question.learn == "leave-one-out" and score.is_ranked and question.combiner == "abc":
            raise OptionError(f"--learn leave-one-out spoils {score.name}, which compares items: choose in-sample or "
                              "cross-fit.")  # fmt: skip
        if question.learn == "leave-one-out" and question.combiner == "npmle":
            raise OptionError("--combiner npmle learns in-sample or cross-fit, not leave-one-out.")
        if question.learn == "in-sample" and question.combiner == "npmle" and n_labels > FEW_LABELS:
            raise OptionError(f"--combiner npmle would learn the very items that it predicts with {n_labels} labels: "
                              f"from {FEW_LABELS + 1} labels on choose --learn cross-fit.")  # fmt: skip
        return question.learn
    if question.combiner == "npmle":
        return "cross-fit"
    return "cross-fit" if score.is_ranked else "leave-one-out"


def _columns(
    rated: Ratings, kept: npt.NDArray[np.bool_], question: Question, score: Score
) -> tuple[Codes, Codes, Codes] | None:
    if question.weights == "item":
        return None
    if rated.rater is None or rated.copies is not None:
        raise OptionError("--weights rater needs to know who rated: the ratings have no rater column.")
    if not score.is_additive or question.reference_raters > 1:
        raise OptionError("--weights rater goes with cross-entropy, agreement or brier, and one reference rater.")
    new_row = np.cumsum(kept) - 1
    own = kept[rated.item]
    return new_row[rated.item[own]], rated.rater[own], rated.label[own]


def _predictions(problem: Problem, everybody: list[Answers], rows: Rows, question: Question) -> tuple[Predictions, ...]:
    """Every judge as it is, and calibrated where that was asked for."""
    shares = np.nan_to_num(reference_shares(problem)[problem.type_of_item])
    made = []
    for answers in everybody:
        raw = answers.predictions[rows.item]
        if question.score == "cross-entropy" and answers.is_hard and question.calibrate == "none":
            raise OptionError(
                f"The judge {answers.judge} gave one label per item and no probabilities, which cross-entropy needs: "
                f"add --calibrate table, or choose --score agreement{_or_correlation(answers)}."
            )
        values = answers.values[rows.item]
        made.append(Predictions(judge=answers.judge, calibrated=False, predictions=raw, values=values))
        if question.calibrate != "none":
            better = calibrate(question.calibrate, raw, shares, fold=problem.fold, copies=problem.copies)
            nothing = np.full(len(better), np.nan)
            made.append(Predictions(judge=answers.judge, calibrated=True, predictions=better, values=nothing))
    return tuple(made)


def _or_correlation(answers: Answers) -> str:
    return ", or --score pearson since its labels are numbers" if np.isfinite(answers.values).any() else ""


def _moments(
    problem: Problem, judges: Judges, rated: Ratings, rows: Rows, labels: tuple[str, ...]
) -> ScoredMoments | None:
    """What judges score on the copies of each item, where their outputs differ between them."""
    if judges.moments is None:
        return None
    items = tuple(rated.items[i] for i in rows.item)
    return scored_moments(judges, items, labels, reference_shares(problem)[problem.type_of_item])


def ceiling_extras(prepared: Prepared, question: Question) -> Extras:
    """What replicates start from, and the sizes beyond the data where the ceiling was asked for and can be told."""
    problem = prepared.problem
    extras = Extras(starts=_starts(problem) if question.combiner == "npmle" and question.bootstrap else ())
    if not question.ceiling:
        return extras
    if reason := why_unasked(problem.counts, problem.items):
        return replace(extras, no_ceiling=reason)
    weights = problem.items[None, :].astype(np.float64)
    labels = tuple(fits[0] for fits in fit_labels(problem.counts, weights))
    if reason := why_untold(problem.counts, problem.items, ceiling_of(labels)):
        return replace(extras, no_ceiling=reason)
    largest = problem.sizes[-1]
    beyond = tuple(range(largest + 1, 2 * largest + 1)) if problem.counts.shape[1] == TWO_LABELS else ()
    return replace(extras, labels=labels, beyond=beyond)


def _starts(problem: Problem) -> tuple[Mixture, ...]:
    """The mixing distribution of each part of the data that the combiner learns from.

    With few labels that of all data will do. With more, the possible states themselves come from the items, and must
    not come from those that are predicted.
    """
    copies = np.ones(problem.n_items, dtype=np.intp) if problem.copies is None else problem.copies
    folds = fold_weights(copies[None, :], problem) if problem.panel.learn == "cross-fit" else None
    whole = problem.items[None, :].astype(np.float64)
    parts = training_parts(whole, folds)
    if problem.counts.shape[1] <= FEW_LABELS:
        return (fit_mixtures(problem.counts, whole)[0],) * len(parts)
    return tuple(fit_mixtures(problem.counts, part)[0] for part in parts)
