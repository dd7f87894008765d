"""From ratings, judges and options to the arrays of a Problem: which items, how large surveys, what judges predict."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Answers, answered_by_all, answers_of, asked_in_one_way, order_of_labels
from dissensus.data.coding import rows_among
from dissensus.data.labels import label_values, option_name
from dissensus.data.ratings import DRAWN, item_weights
from dissensus.errors import OptionError, RatingsError, counted, listed
from dissensus.methods.equivalence.calibration import FoldRows, calibrated_predictions, rows_in_folds
from dissensus.methods.equivalence.ceiling import FEW_LABELS, TWO_LABELS
from dissensus.methods.equivalence.curve import Panel, nearest_dirichlet
from dissensus.methods.equivalence.options import EquivalenceOptions, Learn
from dissensus.methods.equivalence.problem import (
    Among,
    Predictions,
    Problem,
    check_moments,
    numbers_of_cells,
    reference_shares,
    scored_moments,
    types_of_items,
)
from dissensus.methods.equivalence.scores import ADDITIVE_SCORES, CORRELATIONS, PROPER_SCORES, Score, clipped
from dissensus.options import named

MOST_RATERS = 20
"""The largest survey unless the user asks for more."""
FEWEST_ITEMS = 20
"""With a second rating, for a curve that goes beyond asking nobody."""
SHARED = 0.8
"""Where every judge answered a smaller share of the items, numbers may be about other items than a reader expects."""
ENUMERABLE = 2_000_000
"""Surveys that items allow, times labels, that every bootstrap sample can go through."""
MANY_LABELS = 40
"""With more labels than that hardly two items have the same answers."""


class ItemChoice(NamedTuple):
    """The items that take part."""

    kept: Flags  # (n_rated_items,)
    counts: Codes  # (n_items, n_labels): ratings of those that do
    amateurs: Codes | None  # the same by amateurs, if they were asked for
    sizes: tuple[int, ...]  # numbers of raters of the curve
    amateur_sizes: tuple[int, ...]
    copies: Codes | None  # (n_items,): how many items of the data each stands for; None means one
    weights: Floats | None  # (n_items,): what each counts for, where they were drawn with other chances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A problem, and what there is to say about how it came about."""

    problem: Problem
    rated: Ratings  # what judges are scored against, of the problem's items
    item: Codes  # (n_rows,): which of these items each row of the problem is
    labels: tuple[str, ...]  # the problem's
    settings: dict[str, object]
    data: dict[str, dict[str, object]]
    warnings: tuple[str, ...]


def set_up(ratings: Ratings, judges: Judges, options: EquivalenceOptions, *, rng: Generator) -> Prepared:
    """The problem that the options ask about."""
    asked, about_kinds = asked_in_one_way(ratings, judges, options.elicitation)
    rated = asked if options.experts is None else asked.of_group(options.experts)
    chosen = _shared(judges.only(options.judge), ratings, rated)
    options, about_calibration = _calibration(options, chosen)
    takes_numbers = options.scored_by in CORRELATIONS and options.calibrate == "none"
    everybody, labels, about_labels = answers_of(chosen, rated, as_numbers=takes_numbers)
    answered = answered_by_all(everybody)
    choice, about_items = _choose_items(asked, rated, answered, options, len(labels))
    about_items = [*_about_unanswered(rated, answered, len(everybody)), *about_items]
    check_moments(chosen, options, labels)
    score = Score(
        name=options.scored_by, values=label_values(labels), positive=_positive(options, labels), clip=options.clip,
        order=order_of_labels(rated, labels),
    )  # fmt: skip
    if options.scored_by == "cross-entropy":
        clipped(np.zeros((1, len(labels))), options.clip)  # refuses one that is too large before judges are calibrated
    learn = _learn(options, score, len(labels))
    kept = np.flatnonzero(choice.kept)
    rows = FoldRows(np.arange(len(kept)), np.zeros_like(kept), choice.copies)
    if choice.copies is None or learn == "cross-fit" or options.calibrate != "none":
        rows = rows_in_folds(len(kept), choice.copies, rng)
    item = kept[rows.place]
    panel = Panel(combiner=options.combiner, learn=learn, prior=options.prior)
    problem = _without_judges(choice, rows, options, panel, score)
    problem = replace(problem, columns=_columns(rated, choice.kept, options, score))
    problem, about_sizes = _enumerable(problem, options)
    problem = replace(
        problem, judges=_predictions(problem, everybody, item, options), among=_among(ratings, rated, item)
    )
    if chosen.moments is not None:
        items = tuple(rated.items[i] for i in item)
        shares = reference_shares(problem)[problem.type_of_item]
        problem = replace(problem, moments=scored_moments(chosen, items, labels, shares))
    settings = options.settings() | {
        "learn": problem.panel.learn if options.combiner in {"abc", "npmle"} else None,
        "max_raters": problem.sizes[-1],
        "labels": list(labels),
        "judge": list(chosen.judges),
    }
    warnings = [*ratings.warnings, *about_kinds, *chosen.warnings, *about_labels, *about_items, *about_sizes]
    warnings += about_calibration
    return Prepared(
        problem=problem,
        rated=rated if choice.kept.all() else rated.where(choice.kept[rated.item]),
        item=rows.place,
        labels=labels,
        settings=settings,
        data={"ratings": dict(ratings.describe_data()), "judges": dict(judges.describe_data())},
        warnings=(*warnings, *_other_options(labels, everybody, problem, options)),
    )


def _among(ratings: Ratings, rated: Ratings, item: Codes) -> Among | None:
    """Where the items stand in the file that the ratings are a part of."""
    if not ratings.among or ratings.copies is not None:
        return None
    return Among(len(ratings.among), rows_among(tuple(rated.items[i] for i in item), ratings.among))


def _calibration(options: EquivalenceOptions, judges: Judges) -> tuple[EquivalenceOptions, list[str]]:
    """The options with the calibration that is used: auto calibrates for scores of probabilities, where it can."""
    if options.calibrate != "auto" or (options.scored_by in PROPER_SCORES and judges.moments is None):
        return options, []
    raw = replace(options, calibrate="none")
    if options.scored_by not in PROPER_SCORES:
        return raw, []
    known = "of their outputs only mean and covariance by label counts were kept"
    remedy = f"To calibrate them, read them with rounded outputs ({named('round_outputs', of='read_reduced')} 3)."
    return raw, [f"Judges are taken at face value: {known}. {remedy}"]


def _shared(judges: Judges, ratings: Ratings, rated: Ratings) -> Judges:
    """The answers on items that take part; what profiles are left out is counted in items."""
    names = set(rated.items)
    if ratings.copies is None or names.isdisjoint(judges.items):
        return judges.on_items_of(rated)
    judges.check_answered(names)
    copies = dict(zip(ratings.items, ratings.copies.tolist(), strict=True))
    lost = sum(copies.get(item, 1) for item in judges.items if item not in names)
    kept = judges.where(np.array([item in names for item in judges.items], dtype=np.bool_)[judges.item])
    about = [f"Left out {counted(lost, 'item')} that judges answered and nobody rated."] if lost else []
    return replace(kept, warnings=(*judges.warnings, *about)).on_items_of(rated)


def _positive(options: EquivalenceOptions, labels: tuple[str, ...]) -> int | None:
    if options.positive is None:
        return None
    name = option_name(options.positive)
    if name not in labels:
        raise OptionError(f"{named('positive')} {options.positive!r} is not a label: the labels are {listed(labels)}.")
    return labels.index(name)


def _learn(options: EquivalenceOptions, score: Score, n_labels: int) -> Learn:
    """How the combiner learns, where the user leaves it to us."""
    is_npmle = options.combiner == "npmle"
    if options.learn is None:
        if is_npmle or score.is_ranked:
            return "cross-fit"
        # A calibrated judge is scored at the midpoint, so surveys are, too.
        return "midpoint" if options.calibrate != "none" and score.name in PROPER_SCORES else "leave-one-out"
    if options.learn == "midpoint" and (score.name not in PROPER_SCORES or is_npmle):
        raise OptionError(f"{named('learn')} midpoint goes with {named('combiner')} abc and {listed(PROPER_SCORES)}.")
    if options.learn == "leave-one-out" and score.is_ranked and options.combiner == "abc":
        spoils = f"{named('learn')} leave-one-out spoils {score.name}, which compares items"
        raise OptionError(f"{spoils}: choose in-sample or cross-fit.")
    if options.learn == "leave-one-out" and is_npmle:
        raise OptionError(f"{named('combiner')} npmle learns in-sample or cross-fit, not leave-one-out.")
    if options.learn == "in-sample" and is_npmle and n_labels > FEW_LABELS:
        raise OptionError(
            f"{named('combiner')} npmle would learn the very items that it predicts with {n_labels} labels: from "
            f"{FEW_LABELS + 1} labels on choose {named('learn')} cross-fit."
        )
    return options.learn


def _without_judges(
    choice: ItemChoice, rows: FoldRows, options: EquivalenceOptions, panel: Panel, score: Score
) -> Problem:
    """The raters' side of the problem."""
    both = choice.counts if choice.amateurs is None else np.concatenate([choice.counts, choice.amateurs], axis=1)
    n_labels, width, unit = choice.counts.shape[1], both.shape[1], None
    if choice.weights is not None:
        values, code = np.unique(choice.weights, return_inverse=True)
        both = np.column_stack([both, code + 1])
    distinct, type_of_item = types_of_items(both)
    if choice.weights is not None:
        unit = values[distinct[:, width] - 1]
    problem = Problem(
        counts=distinct[:, :n_labels],
        amateurs=None if choice.amateurs is None else distinct[:, n_labels:width],
        amateur_sizes=choice.amateur_sizes,
        type_of_item=type_of_item[rows.place],
        copies=None if rows.copies is None else rows.copies.astype(np.intp),
        judges=(),
        sizes=choice.sizes,
        panel=panel,
        score=score,
        references=options.reference_raters,
        fold=rows.fold,
        unit=unit,
    )
    if not panel.is_midpoint:
        return problem
    dirichlet = nearest_dirichlet(problem.counts, problem.observed.weights[0])
    return replace(problem, panel=replace(panel, dirichlet=dirichlet))


def _columns(
    rated: Ratings, kept: Flags, options: EquivalenceOptions, score: Score
) -> tuple[Codes, Codes, Codes] | None:
    """Item, rater and label of each rating, where judges are scored rater by rater."""
    if options.weights == "item":
        return None
    by_rater = f"{named('weights')} rater"
    if rated.rater is None or rated.copies is not None:
        raise OptionError(f"{by_rater} needs to know who rated: the ratings have no rater column.")
    if not score.is_additive or options.reference_raters > 1:
        additive = " or ".join([", ".join(ADDITIVE_SCORES[:-1]), ADDITIVE_SCORES[-1]])
        raise OptionError(f"{by_rater} goes with {additive}, and one reference rater.")
    new_row = np.cumsum(kept) - 1
    taken = kept[rated.item]
    return new_row[rated.item[taken]], rated.rater[taken], rated.label[taken]


def _enumerable(problem: Problem, options: EquivalenceOptions) -> tuple[Problem, list[str]]:
    """Where surveys cannot be sampled, the sizes up to which they can be enumerated, unless the user named one."""
    can_sample = problem.score.is_additive and options.combiner != "npmle" and problem.panel.learn != "cross-fit"
    if can_sample or options.max_raters is not None:
        return problem, []
    cells = numbers_of_cells(problem, problem.sizes)
    sizes = tuple(k for k in problem.sizes if k == 0 or cells[k] <= ENUMERABLE)
    if sizes == problem.sizes:
        return problem, []
    end = counted(sizes[-1], "rater")
    shorter = f"The curve ends at {end}: larger samples of raters are too many to enumerate with {options.scored_by}"
    return replace(problem, sizes=sizes), [f"{shorter} in every bootstrap sample. {named('max_raters')} goes further."]


def _predictions(
    problem: Problem, everybody: list[Answers], item: Codes, options: EquivalenceOptions
) -> tuple[Predictions, ...]:
    """Every judge as it is, and calibrated where that was asked for."""
    shares = np.nan_to_num(reference_shares(problem)[problem.type_of_item])
    made = []
    for answers in everybody:
        outputs, values = answers.predictions[item], answers.values[item]
        raw = answers.stated[item] if problem.score.is_hard else outputs
        needs_odds = options.scored_by == "cross-entropy" and answers.is_hard
        if needs_odds and options.calibrate == "none":
            has_numbers = np.isfinite(answers.values).any()
            pearson = f", or {named('score')} pearson since its labels are numbers" if has_numbers else ""
            raise OptionError(
                f"The judge {answers.judge} gave one label per item and no probabilities, which cross-entropy needs: "
                f"choose {named('calibrate')} auto, or {named('score')} agreement{pearson}."
            )
        if not needs_odds:
            made.append(Predictions(judge=answers.judge, calibrated=False, predictions=raw, values=values))
        if options.calibrate != "none":
            better = calibrated_predictions(
                options.calibrate, outputs, shares, fold=problem.fold, copies=problem.stands_for, exact=options.exact
            )
            made.append(
                Predictions(
                    judge=answers.judge, calibrated=True, predictions=better.outside, inside=better.inside,
                    values=np.full(len(raw), np.nan),
                )
            )  # fmt: skip
    return tuple(made)


def _other_options(
    labels: tuple[str, ...], everybody: list[Answers], problem: Problem, options: EquivalenceOptions
) -> list[str]:
    """Say where another combiner or calibration makes more of the answers."""
    warnings = []
    if options.combiner == "abc" and len(labels) > MANY_LABELS:
        little = (
            f"With {len(labels)} labels hardly any combination of labels comes twice, so the combiner abc learns little"
        )
        averaged = f"{named('score')} pearson {named('combiner')} frequency"
        warnings.append(f"{little}: numbers are better averaged, with {averaged}.")
    if options.calibrate == "table":
        most = problem.items.sum() / 2
        raw = [judge for judge in problem.judges if not judge.calibrated]
        fine = [judge.judge for judge in raw if len(np.unique(judge.predictions, axis=0)) > most]
        once = f"Most outputs of {listed(fine)} occur once, so a table learns nothing from them"
        warnings += [f"{once}: use {named('calibrate')} auto."] if fine else []
    elif options.calibrate in {"isotonic", "platt"} and problem.counts.shape[1] > TWO_LABELS:
        hard = [answers.judge for answers in everybody if answers.is_hard]
        kept = f"of which {named('calibrate')} {options.calibrate} keeps little"
        little = f"{listed(hard)} gave one label per item, {kept}, since it looks at one label after the other"
        warnings += [f"{little}: use {named('calibrate')} auto."] if hard else []
    return warnings


# ---- Which items take part, and how large surveys of them can be


def _about_unanswered(rated: Ratings, answered: Flags, n_judges: int) -> list[str]:
    """How many rated items have no answer of some judge, if any."""
    if answered.all():
        return []
    kept = int(answered.sum() if rated.copies is None else rated.copies[answered].sum())
    who, fewer = ("the judge", "") if n_judges == 1 else ("every judge", f", or choose fewer with {named('judge')}")
    only = "Only " if kept < SHARED * rated.items_in_all else ""
    count = f"{only}{kept:,} of {rated.items_in_all:,} rated items have an answer from {who}"
    here = "no others count here" if n_judges == 1 else "judges are compared on these alone"
    return [f"{count}, and {here}: get the rest{fewer}."]


def _choose_items(
    asked: Ratings, rated: Ratings, answered: Flags, options: EquivalenceOptions, n_labels: int
) -> tuple[ItemChoice, list[str]]:
    """The items with answers and enough ratings, and what was left out.

    `asked`, `rated`: all ratings, and those that judges are compared with (all, or the experts'). `answered`
    (n_rated_items,): whether every judge answered the item. `options`: what the user asked for. `n_labels`: how many
    labels there are, those included that only judges use.
    """
    kept = answered.copy()
    copies = np.ones(rated.n_items, dtype=np.intp) if rated.copies is None else rated.copies
    warnings = []
    counts = np.pad(rated.counts(), ((0, 0), (0, n_labels - rated.n_labels)))
    amateurs = _amateur_counts(asked, rated, options.amateurs, n_labels)
    if amateurs is not None:
        is_rated = amateurs.sum(axis=1) > 0
        if not (kept & is_rated).any():
            raise RatingsError(f"No item was rated by both {options.experts} and {options.amateurs}: check the groups.")
        unrated = int(copies[kept & ~is_rated].sum())
        warnings += [f"Left out {counted(unrated, 'item')} that {options.amateurs} did not rate."] if unrated else []
        kept &= is_rated
    limit = _largest(counts[kept], copies[kept], options)
    ratings = counts.sum(axis=1)
    more = int(copies[kept & (ratings > options.reference_raters)].sum())
    if limit == 0 and more and options.max_raters is None:
        needed = enough_items(int(copies[kept].sum()))
        warnings.append(
            f"Only {counted(more, 'item')} {'has' if more == 1 else 'have'} {options.reference_raters + 1} or more "
            f"ratings; comparing judges with a rater takes {needed}: get as many for {needed - more} more."
        )
    if options.cohort:
        kept &= ratings >= limit + options.reference_raters
        warnings.append(_about_cohort(kept, copies, limit))
    elif limit > 0 and (first := int(ratings[kept].min()) - options.reference_raters + 1) <= limit:
        fewer = f"From {counted(max(first, 0), 'rater')} on the curve rests on fewer items and may jump"
        warnings.append(f"{fewer}: {named('cohort', of='equivalence')} keeps the items fixed.")
    chosen = None if amateurs is None else amateurs[kept]
    most = -1 if chosen is None else _half(chosen.sum(axis=1), copies[kept])
    kept_copies = None if rated.copies is None else copies[kept]
    weights = item_weights(rated)
    if weights is not None:
        if rated.copies is not None:
            raise RatingsError(f"Identical items were merged, and they have {DRAWN}: read the files whole.")
        weights = weights[kept] / weights[kept].mean()
        warnings.append(f"Items count by the inverse of their {DRAWN}.")
    return ItemChoice(
        kept, counts[kept], chosen, tuple(range(limit + 1)), tuple(range(most + 1)), kept_copies, weights
    ), warnings


def _amateur_counts(ratings: Ratings, experts: Ratings, group: str | None, n_labels: int) -> Codes | None:
    """How often amateurs gave each label to each of the experts' items."""
    if group is None:
        return None
    amateurs = ratings.of_group(group)
    strange = [label for label in amateurs.labels if label not in experts.labels]
    if strange:
        never = f"Amateurs gave labels that experts never gave ({strange[0]})"
        raise RatingsError(f"{never}: give all labels with {named('labels', of='read')}.")
    counts = np.zeros((experts.n_items, n_labels), dtype=np.intp)
    rows = rows_among(amateurs.items, experts.items)
    known = rows >= 0
    counts[rows[known, None], rows_among(amateurs.labels, experts.labels)] = amateurs.counts()[known]
    return counts


def _largest(counts: Codes, copies: Codes, options: EquivalenceOptions) -> int:
    """The largest survey of the curve."""
    per_item, references = counts.sum(axis=1), options.reference_raters
    possible = int(per_item.max(initial=0)) - references
    if possible < 0:
        more = f"{named('reference_raters')} {references} is more than any item has"
        raise OptionError(f"{more}: the most are {per_item.max()}.")
    if options.max_raters is None:
        is_enough = copies[per_item > references].sum() >= enough_items(copies.sum())
        return max(_half(per_item - references, copies), int(is_enough))
    if options.max_raters > possible:
        raise OptionError(
            f"{named('max_raters')} {options.max_raters} is more than the data have: no item has more than "
            f"{possible + references} ratings, so {max(possible, 0)} is the most."
        )
    return options.max_raters


def enough_items(items: int) -> int:
    """With a further rating, so that judges are compared with one rater: half of the items, or `FEWEST_ITEMS`."""
    return min(FEWEST_ITEMS, max(-(-items // 2), 1))


def _half(per_item: Codes, copies: Codes) -> int:
    """The largest survey for which half of the items have raters, at most `MOST_RATERS`."""
    enough = [k for k in range(MOST_RATERS + 1) if 2 * copies[per_item >= k].sum() >= copies.sum()]
    return max(enough, default=0)


def _about_cohort(kept: Flags, copies: Codes, limit: int) -> str:
    if not kept.any():
        few = f"No item has enough ratings for {limit} raters and a reference"
        raise RatingsError(f"{few}: lower {named('max_raters')}.")
    left = int(copies[~kept].sum())
    return (
        f"The cohort has the {counted(int(copies[kept].sum()), 'item')} with enough ratings for {limit} raters; "
        f"{left:,} were left out."
    )
