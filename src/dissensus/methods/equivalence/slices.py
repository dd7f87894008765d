"""What judges are worth in slices of the items, with what all items teach: calibration and combiner are learned once.

A judge that is calibrated anew in each slice would hide what makes it worse there, and small slices would teach little.
One set of bootstrap samples serves all slices and the whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data.ratings import Slicing
from dissensus.errors import listed
from dissensus.methods.equivalence.bounds import Intervals
from dissensus.methods.equivalence.curve import crossings
from dissensus.methods.equivalence.equivalence import EquivalenceRun, run_equivalence, summed_up
from dissensus.methods.equivalence.influence import ItemScores, TypeScores, item_scores
from dissensus.methods.equivalence.options import EquivalenceOptions
from dissensus.methods.equivalence.problem import Problem, type_weights
from dissensus.methods.equivalence.raters import RaterTerm
from dissensus.methods.equivalence.replicates import Extras, scores_by_size, scores_of, task_sizes
from dissensus.methods.equivalence.setup import Prepared
from dissensus.methods.parts.parts import FEWEST_ITEMS, Cut, Leads, slice_differences, together, trends
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.sampling import Engine, seed_of
from dissensus.sampling.draws import draw_weights, merely

STREAM = 0x511CE
"""Keeps the random numbers of the tests apart from those of the samples."""
HALF = 0.5


class SliceProblem(NamedTuple):
    """The items of one slice, with what all items teach."""

    problem: Problem
    extras: Extras
    place: Codes  # (n_items,): where they stand among all items


def equivalence_in_slices(
    cut: Cut, slices: Sequence[Cut], slicing: Slicing, *, rng: int | Generator | None = 0, engine: Engine = "local",
    workers: int = 1, **given: Any,  # noqa: ANN401 - the keywords of `equivalence`
) -> PartsResult | None:  # fmt: skip
    """What judges are worth in each slice and on all items; None of a score that does not add up over items."""
    options = EquivalenceOptions.given(given, seed=seed_of(rng))
    assert cut.judges is not None  # noqa: S101 - `equivalence` needs them
    where: dict[str, Any] = {"rng": rng, "engine": engine, "workers": workers}
    worked = run_equivalence(cut.ratings, cut.judges, options, **where, progress=given.get("progress"), apart=True)
    options = worked.intervals.options  # with the score that fits the data
    slices, about = with_enough(worked, slices, slicing)
    found = worked_slices(worked, slices, slicing, options, rng=rng)
    if found is None:
        return None
    parts = [_part(one, slicing, own.result) for one, own in zip(slices, found, strict=True)]
    made = compared(worked, parts, slicing, options, question=cut.question, rng=rng, overall=worked.result)
    return replace(made, warnings=(*about, *made.warnings))


def _part(cut: Cut, slicing: Slicing, result: Any) -> Part:  # noqa: ANN401 - any result
    return Part(question=cut.question, by=slicing.by, value=cut.value, items=cut.ratings.items_in_all, result=result)


def with_enough(worked: EquivalenceRun, slices: Sequence[Cut], slicing: Slicing) -> tuple[list[Cut], list[str]]:
    """The slices of which judges answered enough items, and a sentence about the others."""
    place = places_of(worked.prepared, slicing, [one.value or "" for one in slices])
    items = np.bincount(place[place >= 0], minlength=len(slices))
    few = [f"{one.value} ({n})" for one, n in zip(slices, items.tolist(), strict=True) if n < FEWEST_ITEMS]
    about = f"Too few items that all judges answered: {listed(few)}. A slice needs {FEWEST_ITEMS}."
    kept = [one for one, n in zip(slices, items.tolist(), strict=True) if n >= FEWEST_ITEMS]
    return kept, [about] if few else []


def worked_slices(
    worked: EquivalenceRun, slices: Sequence[Cut], slicing: Slicing, options: EquivalenceOptions, *,
    rng: int | Generator | None,
) -> list[EquivalenceRun] | None:  # fmt: skip
    """The answer for each slice, and what it was worked out from; None where items have no score of their own."""
    scores, problem = worked.extras.items, worked.prepared.problem
    if scores is None and problem.score.is_additive:  # without bootstrap samples nobody needed them
        scores = item_scores(problem, scores_by_size(problem, worked.extras))
    if (
        not slices
        or scores is None
        or problem.stands_for is not None
        or problem.columns is not None
        or problem.amateurs is not None
    ):
        return None
    by_size = _by_size(worked, scores)
    place = places_of(worked.prepared, slicing, [one.value or "" for one in slices])
    subs = [_sub_problem(problem, scores, by_size, np.flatnonzero(place == s)) for s in range(len(slices))]
    data = [scores_of(sub.problem, merely(_types(sub, sub.problem.weights)), sub.problem.weights, sub.extras)
            for sub in subs]  # fmt: skip
    drawn = _drawn(problem.n_items, options.bootstrap, rng)
    answers = []
    for one, sub, own in zip(slices, subs, data, strict=True):
        sampled = None
        if options.bootstrap:
            weights = drawn[:, sub.place].astype(np.intp)
            sampled = scores_of(sub.problem, merely(_types(sub, weights)), weights, sub.extras)
        prepared = _prepared(worked.prepared, one, sub)
        term = None if worked.term is None else _scaled(worked.term, worked.prepared, sub)
        intervals = Intervals(options=options, data=own, samples=sampled, raters=term)
        # What there is to say about the curve is said about all items.
        result = replace(summed_up(prepared, sub.extras, intervals), warnings=())
        answers.append(EquivalenceRun(result, prepared, None, sub.extras, intervals))
    return answers


def places_of(prepared: Prepared, slicing: Slicing, values: Sequence[str]) -> Codes:
    """The slice of each row of the problem; -1 where it is in none."""
    place = {value: i for i, value in enumerate(values)}
    names = (prepared.rated.items[i] for i in prepared.item)
    return np.array([place.get(slicing.values.get(name, ""), -1) for name in names], dtype=np.intp)


def _by_size(worked: EquivalenceRun, scores: ItemScores) -> Mapping[int, TypeScores]:
    """What an item of each type scores after surveys of each size, as learned from all items."""
    curve = [point.score for point in worked.result.curve]
    return {
        k: TypeScores(scores.curve[:, i] + curve[i], scores.mass[:, i])
        for i, k in enumerate(worked.prepared.problem.sizes)
    }


def _sub_problem(problem: Problem, scores: ItemScores, by_size: Mapping[int, TypeScores], rows: Codes) -> SliceProblem:
    kinds, type_of_item = np.unique(problem.type_of_item[rows], return_inverse=True)
    ratings = problem.counts[kinds].sum(axis=1)[type_of_item]
    whole = problem.counts.sum(axis=1)[problem.type_of_item]
    # Sizes for which enough items have a further rating: half as many as among all items.
    shares = [[np.mean(own >= k + problem.references) for own in (ratings, whole)] for k in problem.sizes]
    sizes = tuple(k for k, (own, every) in zip(problem.sizes, shares, strict=True) if own >= HALF * every or k == 0)
    judges = tuple(
        replace(
            judge, predictions=judge.predictions[rows], values=judge.values[rows],
            inside=None if judge.inside is None else judge.inside[rows],
        )
        for judge in problem.judges
    )  # fmt: skip
    own = ItemScores(
        judges=scores.judges[rows], known=scores.known[rows], products=scores.products[rows],
        curve=scores.curve[kinds], mass=scores.mass[kinds], level=scores.level,
    )  # fmt: skip
    large = {k: TypeScores(by_size[k].score[kinds], by_size[k].mass[kinds]) for k in sizes}
    sub = replace(
        problem, counts=problem.counts[kinds], type_of_item=type_of_item, judges=judges, sizes=sizes,
        fold=problem.fold[rows], among=None,
    )  # fmt: skip
    return SliceProblem(sub, Extras(large=large, items=own), rows)


def _types(sub: SliceProblem, weights: Codes) -> Floats:
    return type_weights(weights, sub.problem)


def _drawn(n_items: int, replicates: int, rng: int | Generator | None) -> npt.NDArray[np.int16]:
    """How often each item is in each bootstrap sample: those of all items, which `run_equivalence` draws."""
    sizes = task_sizes(replicates)
    streams = np.random.default_rng(rng).spawn(3)[2].spawn(len(sizes))
    drawn = [draw_weights(n_items, size, stream) for size, stream in zip(sizes, streams, strict=True)]
    return np.concatenate([part.astype(np.int16) for part in drawn]) if drawn else np.empty((0, n_items), np.int16)


def _prepared(prepared: Prepared, one: Cut, sub: SliceProblem) -> Prepared:
    names = [prepared.rated.items[i] for i in prepared.item[sub.place]]
    known = set(names)
    rated = prepared.rated.where(np.array([item in known for item in prepared.rated.items])[prepared.rated.item])
    place = {name: i for i, name in enumerate(rated.items)}
    assert one.judges is not None  # noqa: S101 - as above
    return replace(
        prepared, problem=sub.problem, rated=rated, item=np.array([place[name] for name in names], dtype=np.intp),
        settings=prepared.settings | {"max_raters": sub.problem.sizes[-1]},
        data={"ratings": dict(one.ratings.describe_data()), "judges": dict(one.judges.describe_data())}, warnings=(),
    )  # fmt: skip


def _scaled(term: RaterTerm, prepared: Prepared, sub: SliceProblem) -> RaterTerm:
    """What raters add in a slice: more than in the whole, as fewer of them rated it."""
    whole = _shares(prepared, np.arange(len(prepared.item)))
    own = _shares(prepared, sub.place)
    scale = float(np.sqrt((own**2).sum() / (whole**2).sum()))
    moved = []
    for values in term.deleted:
        middle = values.mean(axis=1, keepdims=True)
        moved.append(middle + scale * (values - middle))
    return replace(term, deleted=type(term.deleted)(*moved)).up_to_size(len(sub.problem.sizes))


def _shares(prepared: Prepared, rows: Codes) -> Floats:
    """How much each rater counts in the mean of these items, (n_raters,)."""
    item, rater = _rating(prepared)
    chosen = np.zeros(len(prepared.item), dtype=np.bool_)
    chosen[rows] = True
    ratings = np.bincount(item, minlength=len(prepared.item))
    taken = chosen[item]
    own = np.bincount(rater[taken], weights=1 / ratings[item[taken]], minlength=int(rater.max(initial=0)) + 1)
    return np.asarray(own / len(rows))


def _rating(prepared: Prepared) -> tuple[Codes, Codes]:
    """Row of the problem and rater of each rating."""
    rated = prepared.rated
    assert rated.rater is not None  # noqa: S101 - where raters are a sample
    row = np.full(rated.n_items, -1, dtype=np.intp)
    row[prepared.item] = np.arange(len(prepared.item))
    taken = row[rated.item] >= 0
    return row[rated.item[taken]], rated.rater[taken]


# ---- How slices differ


def compared(
    worked: EquivalenceRun, parts: Sequence[Part], slicing: Slicing, options: Any, *, question: str | None,  # noqa: ANN401
    rng: int | Generator | None, overall: Any,  # noqa: ANN401 - any result
) -> PartsResult:  # fmt: skip
    """The slices as one result, with the tests of their differences; none without bootstrap samples."""
    made = together(parts, warnings=[getattr(text, "message", text) for text in overall.warnings])
    if not options.bootstrap:
        return replace(made, overall=overall)
    values = tuple(part.value or "" for part in parts)
    stream = np.random.default_rng([STREAM, rng] if isinstance(rng, int) else rng)
    if slicing.is_outcome:
        text = f"Slices by {slicing.by} are made from the labels that judges are scored against: not tested."
        return replace(made, overall=overall, warnings=(*made.warnings, text))
    leads = leads_of(worked, places_of(worked.prepared, slicing, values))
    names = [worked.prepared.rated.items[i] for i in worked.prepared.item]
    found: dict[str, Any] = {"question": question, "rng": stream}
    differences = slice_differences(leads, values, confidence=options.confidence, **found) if len(values) > 1 else ()
    own = np.array([slicing.numbers.get(name, np.nan) for name in names])
    return replace(
        made, overall=overall, differences=differences,
        trends=trends(leads, own, **found) if len(slicing.numbers) and len(values) > 1 else (),
    )  # fmt: skip


def leads_of(worked: EquivalenceRun, place: Codes) -> Leads:
    """Each item's score with each judge, less that with as many raters as the judge is worth on all items."""
    scores, problem, result = worked.extras.items, worked.prepared.problem, worked.result
    assert scores is not None  # noqa: S101 - the caller looked
    curve = np.array([[point.score for point in result.curve]])
    columns = {judge.judge: j for j, judge in enumerate(problem.judges)}  # calibrated comes last
    lead, known, variance = [], [], []
    for j in columns.values():
        worth = crossings(curve, np.array([result.judges[j].score]))[0]
        low, step = _between(float(worth), problem.sizes[-1])
        by_type = (1 - step) * scores.curve[:, low] + (step * scores.curve[:, low + 1] if step else 0.0)
        mass = scores.mass[:, low + (step > 0)] > 0
        is_known = scores.known & mass[problem.type_of_item]
        lead.append(np.where(is_known, scores.judges[:, j] - by_type[problem.type_of_item], 0.0))
        known.append(is_known.astype(np.float64))
        spread = 0.0 if worked.term is None else worked.term.of_gaps(j).variance
        variance.append(
            float(np.interp(low + step, np.arange(curve.shape[1]), np.broadcast_to(spread, curve.shape[1])))
        )
    centred = [own - is_known * own.sum() / max(is_known.sum(), 1) for own, is_known in zip(lead, known, strict=True)]
    return Leads(
        judges=tuple(columns), lead=np.stack(centred, axis=1), known=np.stack(known, axis=1), place=place,
        rating=None if worked.term is None else _rating(worked.prepared), rater_variance=np.array(variance),
    )  # fmt: skip


def _between(worth: float, largest: int) -> tuple[int, float]:
    """The survey size below a worth, and how far beyond it the worth is; ends of the curve where it is off it."""
    if not np.isfinite(worth):
        return (0, 0.0) if worth < 0 or np.isnan(worth) else (largest, 0.0)
    low = min(int(worth), largest)
    return low, 0.0 if low == largest else worth - low
