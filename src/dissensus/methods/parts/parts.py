"""Any method on data in parts: asked of each question and each slice, as of a file of its own.

Is a judge worse in a slice, or the longer a text is? The number that is compared is a judge's lead, item by item: its
score less that of as many raters as the judge is worth on all items. So a slice on which people, too, find it hard to
agree does not count against the judge. Items change slices at random, and the largest difference of all slices and
judges that chance then brings is what a real one has to beat, so that a slice which looks bad by chance does not fail.
What raters add, where slices have different ones, makes a difference count for less.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings, Task
from dissensus.data.inputs import unchecked_data
from dissensus.data.questions import questions_of
from dissensus.data.ratings import DRAWN, Slicing, item_weights
from dissensus.data.slices import without_value
from dissensus.errors import DissensusError, OptionError, counted, listed
from dissensus.methods.parts.result import (
    Overall,
    OverallJudge,
    Part,
    PartsResult,
    SliceDifference,
    Trend,
    WorthEvidence,
)
from dissensus.options import named
from dissensus.results import Result
from dissensus.sampling.intervals import UNKNOWN, Bounds, bootstrap_interval, normal_interval
from dissensus.sampling.raters import RaterDraws, jackknife_spread

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
FEWEST_ITEMS = 10  # a slice of fewer items says next to nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The data of one part."""

    question: str | None
    value: str | None
    ratings: Ratings
    judges: Judges | None


Slicer = Callable[..., "PartsResult | None"]
"""A method's own way to answer for slices, from what all items teach: ratings, judges, slices, then its keywords.

None where the method has to be asked of each slice."""


def in_parts(slicer: Slicer | None = None, *, needs_judges: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A method that answers each question and each slice where the data have several; else it is as before.

    For data in parts what is returned is a `PartsResult`, whose parts are what the method returns.

    `slicer`: the method's own way to answer for slices. `needs_judges`: whether one table must hold judges, too, where
    a method that takes judges is given none.
    """

    def decorated(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)
        parameters = signature.parameters

        @wraps(method)
        def asked(*args: P.args, **kwargs: P.kwargs) -> R:
            given: dict[str, Any] = signature.bind(*args, **kwargs).arguments
            wants = "judges" in parameters and (needs_judges or given.get("judges") is not None)
            ratings, judges = unchecked_data(given.pop("ratings"), given.pop("judges", None), has_judges=wants)
            data = (ratings, judges) if "judges" in parameters else (ratings,)
            if not ratings.questions and ratings.slicing is None and not (judges is not None and judges.questions):
                return cast("Callable[..., R]", method)(*data, **given)
            return cast("R", answered_in_parts(method, ratings, judges, given, slicer))

        return asked

    return decorated


def answered_in_parts(
    method: Callable[..., Result], ratings: Ratings, judges: Judges | None, given: Mapping[str, Any],
    slicer: Slicer | None,
) -> PartsResult:  # fmt: skip
    """What a method says about each question and slice."""
    whole = cuts_of(ratings, judges)
    slicing = ratings.slicing
    if slicing is None:
        made = _each(method, whole, given, by=None)
        made = replace(made, overall=overall_of(made.parts))
    else:
        own = {question: one.slicing or slicing for question, one in ratings.questions.items()}
        made = _joined([_by_slice(method, cut, own.get(cut.question or "", slicing), given, slicer) for cut in whole])
    silent = [q for q in ratings.questions if judges is not None and q not in judges.questions]
    about = [f"No judge answered the question {listed(silent)}: left out."] if silent else []
    data: dict[str, Mapping[str, object]] = {"ratings": ratings.describe_data()}
    if judges is not None:
        data["judges"] = judges.describe_data()
    by = {} if slicing is None else {"by": slicing.by}
    return replace(made, data=data, settings={**made.settings, **by}, warnings=(*about, *made.warnings))


def cuts_of(ratings: Ratings, judges: Judges | None) -> list[Cut]:
    """The data of each question, or all of them where there is one; slices are left to the caller."""
    if not ratings.questions and not (judges is not None and judges.questions):
        return [Cut(question=None, value=None, ratings=replace(ratings, slicing=None), judges=judges)]
    questions = questions_of(ratings, judges)
    among = tuple(sorted({item for own, _ in questions.values() for item in own.items}))
    return [
        Cut(question=question, value=None, ratings=replace(own, slicing=None, among=among), judges=theirs)
        for question, (own, theirs) in questions.items()
    ]


def _by_slice(
    method: Callable[..., Result], cut: Cut, slicing: Slicing, given: Mapping[str, Any], slicer: Slicer | None
) -> PartsResult:
    """What a method says about each slice of one question: in its own way, or asked of each."""
    slices, warnings = slices_of(cut, slicing)
    found = None
    if slicer is not None and slicing.of == "item":
        found = slicer(cut, slices, slicing, **_tasked(given, cut.question))
        if found is None and item_weights(cut.ratings) is not None:
            warnings.append(f"With {DRAWN} slices are not compared: for all items together, leave out {named('by')}.")
    if found is None:
        found = _each(method, slices, given, by=slicing.by)
    return replace(found, warnings=(*warnings, *found.warnings))


def slices_of(cut: Cut, slicing: Slicing) -> tuple[list[Cut], list[str]]:
    """The data of each slice with enough items, and sentences about the others."""
    ratings, warnings = cut.ratings, [without_value(slicing, cut.ratings)]
    names = ratings.items if slicing.of == "item" else ratings.raters
    codes = ratings.item if slicing.of == "item" else ratings.rater
    assert codes is not None  # noqa: S101 - slices of raters come from a rater column
    place = {value: i for i, value in enumerate(slicing.order)}
    of_name = np.array([place.get(slicing.values.get(name, ""), -1) for name in names], dtype=np.intp)
    slices, few = [], []
    for i, value in enumerate(slicing.order):
        mask = of_name[codes] == i
        items = len(np.unique(ratings.item[mask]))
        if items < FEWEST_ITEMS:
            few += [f"{value} ({counted(items, 'item')})"] if items else []
            continue
        own = replace(ratings.where(mask), among=ratings.among or ratings.items)
        slices.append(Cut(question=cut.question, value=value, ratings=own, judges=_answers_on(own, cut.judges)))
    if few:
        warnings.append(
            f"Too few items to answer for: {listed(few)}. A slice needs {FEWEST_ITEMS}: put slices together, or rate "
            "more of their items."
        )
    if not slices:
        option = named("by", of="read", value=slicing.by)
        raise OptionError(f"{option}: no slice can be answered for. {warnings[-1]}")
    return slices, [text for text in warnings if text]


def _answers_on(ratings: Ratings, judges: Judges | None) -> Judges | None:
    """The answers on these items."""
    if judges is None:
        return None
    known = set(ratings.items)
    return judges.where(np.array([item in known for item in judges.items], dtype=np.bool_)[judges.item])


def _each(method: Callable[..., Result], cuts: Sequence[Cut], given: Mapping[str, Any], *, by: str | None
          ) -> PartsResult:  # fmt: skip
    """What a method says about each part; a part that it refuses is left out, unless it refuses all."""
    parts, refused = [], []
    for cut in cuts:
        data = (cut.ratings,) if cut.judges is None else (cut.ratings, cut.judges)
        try:
            result = method(*data, **_tasked(given, cut.question))
        except DissensusError as error:
            refused.append((cut, error))
            continue
        parts.append(Part(question=cut.question, by=by, value=cut.value, items=cut.ratings.items_in_all, result=result))
    if not parts:
        raise refused[0][1]
    about = [f"No answer for {cut.value or cut.question}: {error.message}" for cut, error in refused]
    return together(parts, warnings=about)


def _tasked(given: Mapping[str, Any], question: str | None) -> dict[str, Any]:
    """The keywords, with the task of the question."""
    task = given.get("task")
    return {**given, "task": task.of_question(question)} if isinstance(task, Task) else dict(given)


def together(parts: Sequence[Part], *, warnings: Sequence[str] = ()) -> PartsResult:
    """Parts as one result: the warnings of all of them, each with its parts unless all have it."""
    by_text: dict[str, list[str]] = {}
    for part in parts:
        for warning in part.result.warnings:
            by_text.setdefault(getattr(warning, "message", warning), []).append(part.name)
    texts = [
        text if len(names) == len(parts) else f"{text.removesuffix('.')} ({listed(names)})."
        for text, names in by_text.items()
    ]
    first = parts[0].result
    shared = {name: value for name, value in first.settings.items()
              if all(part.result.settings.get(name) == value for part in parts)}  # fmt: skip
    return PartsResult(
        method=first.command, settings=shared, data=first.data, warnings=(*warnings, *texts), parts=tuple(parts)
    )


def _joined(found: Sequence[PartsResult]) -> PartsResult:
    """The slices of several questions one after the other."""
    if len(found) == 1:
        return found[0]
    return replace(
        together([part for one in found for part in one.parts]),
        differences=for_questions([own for one in found for own in one.differences], len(found)),
        trends=for_questions([own for one in found for own in one.trends], len(found)),
        warnings=tuple(dict.fromkeys(getattr(w, "message", w) for one in found for w in one.warnings)),
    )


# ---- What several questions say together about judges: the mean of what they are worth


def overall_of(parts: Sequence[Part]) -> Overall | None:
    """The mean over questions of what judges are worth; None where the questions recommend no judge in common.

    Items are drawn again once for all questions, so a sample has a worth for each of them, and their mean varies as it
    does when the same items are asked about. What is below the curve of a question counts as 0 raters, what is above it
    as the largest survey, so that the mean of a judge that is off one curve is known, if only as *at least*.
    """
    found = [getattr(part.result, "evidence", None) for part in parts]
    evidence = [own for own in found if isinstance(own, WorthEvidence)]
    if len(evidence) < len(parts) or len(parts) == 1:
        return None
    every = [name for name in evidence[0].judges if all(name in own.judges for own in evidence)]
    advice = [part.result.recommendation.use for part in parts if hasattr(part.result, "recommendation")]
    use = tuple(name for name in next(iter(advice), ()) if all(name in one for one in advice))
    if advice and not use:
        return None
    confidence = float(str(parts[0].result.settings.get("confidence", 0.95)))
    judges = [_judge(name, evidence, confidence) for name in every]
    known = [judge for judge in judges if np.isfinite(judge.worth)]
    if not use and not known:
        return None
    return Overall(use=use, judges=tuple(sorted(judges, key=lambda j: -np.nan_to_num(j.worth, nan=-1.0))))


def _judge(name: str, evidence: Sequence[WorthEvidence], confidence: float) -> OverallJudge:
    places = [own.judges.index(name) for own in evidence]
    values = [own.worth[j] for own, j in zip(evidence, places, strict=True)]
    worth = float(np.mean([_on_curve(value, own) for value, own in zip(values, evidence, strict=True)]))
    low, high = _interval(worth, evidence, places, confidence)
    return OverallJudge(judge=name, worth=worth, at_least=bool(np.isposinf(values).any()), worth_low=low,
                        worth_high=high)  # fmt: skip


def _on_curve(worth: Floats, evidence: WorthEvidence) -> Floats:
    """From 0 to the largest survey; NaN where nobody was asked."""
    return np.clip(worth, 0.0, evidence.largest) if evidence.largest else np.full_like(worth, np.nan)


def _interval(worth: float, evidence: Sequence[WorthEvidence], places: Sequence[int], confidence: float) -> Bounds:
    """Bounds of the mean worth from samples of the items, moved by the noise of raters."""
    drawn = [_on_curve(own.samples[:, j], own) for own, j in zip(evidence, places, strict=True)]
    if not np.isfinite(worth) or not all(len(own) for own in drawn):
        return UNKNOWN
    values, noise = np.mean(drawn, axis=0), _rater_noise(evidence, places)
    largest = float(np.mean([own.largest for own in evidence]))
    moved = values if noise is None else np.clip(values + noise, 0.0, largest)
    return bootstrap_interval(worth, moved, confidence=confidence, kind="percentile")


def _rater_noise(evidence: Sequence[WorthEvidence], places: Sequence[int]) -> Floats | None:
    """What raters add to each sample of the mean; None where they are taken as they are.

    Where the same raters answered all questions, leaving one out moves all at once. Else one draw moves every question,
    which is the widest that raters can do.
    """
    pairs = zip(evidence, places, strict=True)
    values = [_on_curve(own.deleted[:, :, j], own) for own, j in pairs if own.deleted is not None]
    draws = [own.draws for own in evidence if own.draws is not None]
    if len(values) < len(evidence) or len(draws) < len(evidence):
        return None
    if len({own.raters for own in evidence}) == 1 and len({own.shape for own in values}) == 1:
        return _moves(np.mean(values, axis=0), draws[0])
    return np.asarray(np.mean([_moves(own, draws[0]) for own in values], axis=0))


def _moves(values: Floats, draws: RaterDraws) -> Floats:
    """The noise of raters in each sample, from values of shape (n_shuffles + 1, n_groups) without each of them."""
    spread = jackknife_spread(np.where(np.isfinite(values), values, np.nan)[:, :, None])
    known = spread._replace(total=np.nan_to_num(spread.total), within=np.nan_to_num(spread.within))
    return np.asarray(known.moved(np.zeros((len(draws.normal), 1)), draws)[:, 0])


# ---- Is a judge worse in a slice, or the longer a text is?

T = TypeVar("T", SliceDifference, Trend)
LEVEL = 0.05
MOST, FEWEST = 2000, 400  # random exchanges, fewer of many items
AT_ONCE = 40_000_000


class Leads(NamedTuple):
    """What is compared: the items that take part, and what raters bring."""

    judges: tuple[str, ...]
    lead: Floats  # (n_items, n_judges); 0 where an item does not take part
    known: Floats  # (n_items, n_judges): 1 where it does, else 0
    place: Codes  # (n_items,): the slice of each item
    rating: tuple[Codes, Codes] | None  # item and rater of each rating; None where raters are taken as they are
    rater_variance: Floats  # (n_judges,): what raters add to the variance of the mean lead of all items


def slice_differences(
    leads: Leads, values: tuple[str, ...], *, confidence: float, question: str | None, rng: Generator
) -> tuple[SliceDifference, ...]:
    """Each slice against the other items, for each judge, the p-values allowing for all of them."""
    difference, variance = _against_the_rest(leads.lead, leads.known, leads.place, len(values))
    extra = np.stack([_rater_part(leads, leads.place == s, leads.place != s) for s in range(len(values))])
    t = _ratio(difference, variance + extra)
    largest = _largest_by_chance(leads, len(values), rng)
    found = []
    for s, value in enumerate(values):
        for j, judge in enumerate(leads.judges):
            low, high = normal_interval(float(difference[s, j]), float(variance[s, j] + extra[s, j]), confidence)
            p = _p_value(t[s, j], largest)
            found.append(
                SliceDifference(
                    question=question, value=value, judge=judge, difference=float(difference[s, j]), low=low, high=high,
                    p_value=p, finding=_finding(float(difference[s, j]), p),
                )
            )  # fmt: skip
    return tuple(found)


def trends(leads: Leads, numbers: Floats, *, question: str | None, rng: Generator) -> tuple[Trend, ...]:
    """Whether leads fall or rise with a number of each item, by its rank, the p-values allowing for all judges."""
    ranks = _ranks(numbers)
    slopes = [_slope(leads.lead, leads.known, ranks)]
    slopes += [_slope(leads.lead, leads.known, ranks[order]) for order in _orders(leads, rng)]
    observed, others = slopes[0], np.array(slopes[1:])
    largest = np.nanmax(np.abs(others), axis=1, initial=0.0)
    found = []
    for j, judge in enumerate(leads.judges):
        r = float(observed[j])
        p = _p_value(r * _shrunk(leads, ranks, j), largest)
        found.append(Trend(question=question, judge=judge, correlation=r, p_value=p, finding=_finding(r, p)))
    return tuple(found)


def _finding(difference: float, p_value: float) -> Literal["worse", "better"] | None:
    if not p_value < LEVEL:
        return None
    return "worse" if difference < 0 else "better"


def for_questions(differences: Sequence[T], questions: int) -> tuple[T, ...]:
    """Differences, or trends, of slices of several questions, the p-values allowing for them (Bonferroni)."""
    allowed = []
    for one in differences:
        p = min(one.p_value * questions, 1.0)
        allowed.append(replace(one, p_value=p, finding=one.finding if p < LEVEL else None))
    return tuple(allowed)


def _p_value(value: float, largest: Floats) -> float:
    """How often chance brings a value as large; NaN where there is none."""
    if not np.isfinite(value):
        return float("nan")
    return float((1 + np.sum(largest >= abs(value) - 1e-12)) / (1 + len(largest)))


def _orders(leads: Leads, rng: Generator) -> list[Codes]:
    """Random orders of the items."""
    times = int(np.clip(AT_ONCE // max(leads.lead.size, 1), FEWEST, MOST))
    return [rng.permutation(len(leads.place)) for _ in range(times)]


def _largest_by_chance(leads: Leads, n_slices: int, rng: Generator) -> Floats:
    """The largest difference of all slices and judges, in standard errors, in each random exchange of items."""
    columns = _columns(leads.lead, leads.known)
    sizes = np.bincount(leads.place[leads.place >= 0], minlength=n_slices)
    last = np.cumsum(sizes)
    starts, inside = np.append(last - sizes, last[-1])[: n_slices + (last[-1] < len(columns))], n_slices
    sums = np.stack([np.add.reduceat(columns[order], starts, axis=0)[:inside] for order in _orders(leads, rng)])
    t = np.abs(_ratio(*_against(sums, columns.sum(axis=0))))
    return np.asarray(np.nanmax(t.reshape(len(t), -1), axis=1, initial=0.0))


def _columns(lead: Floats, known: Floats) -> Floats:
    """Numbers, leads and their squares of each item, (n_items, 3 * n_judges)."""
    return np.concatenate([known, lead, lead**2], axis=1)


def _against_the_rest(lead: Floats, known: Floats, place: Codes, n_slices: int) -> tuple[Floats, Floats]:
    """Mean lead of each slice less that of the other items, and its variance; both (n_slices, n_judges)."""
    columns = _columns(lead, known)
    sums = np.stack([columns[place == s].sum(axis=0) for s in range(n_slices)])
    return _against(sums, columns.sum(axis=0))


def _against(sums: Floats, whole: Floats) -> tuple[Floats, Floats]:
    """The same from sums over each slice, (..., n_slices, 3 * n_judges), and over all items."""
    (mean, variance), (others, more) = _moments(sums), _moments(whole - sums)
    return mean - others, variance + more


def _moments(sums: Floats) -> tuple[Floats, Floats]:
    """Mean, and its variance, from numbers, sums and sums of squares; NaN of fewer than two."""
    number, total, squares = np.split(sums, 3, axis=-1)
    n = np.where(number > 1, number, np.nan)
    mean = total / n
    return mean, np.maximum(squares / n - mean**2, 0) / (n - 1)


def _ratio(difference: Floats, variance: Floats) -> Floats:
    return np.asarray(difference / np.sqrt(np.where(variance > 0, variance, np.nan)))


# ---- What raters bring: as if each moved the leads of the items that they rated


def _rater_part(leads: Leads, inside: Codes, outside: Codes) -> Floats:
    """What raters add to the variance of a difference of two means, (n_judges,)."""
    if leads.rating is None:
        return np.zeros(len(leads.judges))
    weights = inside / max(inside.sum(), 1) - outside / max(outside.sum(), 1)
    return leads.rater_variance * _concentration(leads, weights)


def _concentration(leads: Leads, weights: Floats) -> float:
    """How much raters move a weighted sum of leads, of how much they move the mean of all."""
    assert leads.rating is not None  # noqa: S101 - the caller asked
    item, rater = leads.rating
    ratings = np.bincount(item, minlength=len(leads.place))
    share = 1 / np.maximum(ratings, 1)
    own = np.bincount(rater, weights=(weights * share)[item])
    mean = np.bincount(rater, weights=(share / len(leads.place))[item])
    return float((own**2).sum() / (mean**2).sum())


def _shrunk(leads: Leads, ranks: Floats, j: int) -> float:
    """What is left of a correlation where part of it may be the raters'."""
    if leads.rating is None:
        return 1.0
    weights = ranks * leads.known[:, j]
    weights = weights - leads.known[:, j] * weights.sum() / max(leads.known[:, j].sum(), 1)
    apart = leads.lead[:, j] - leads.known[:, j] * leads.lead[:, j].sum() / max(leads.known[:, j].sum(), 1)
    variance = float((weights**2 * apart**2).sum())
    extra = float(leads.rater_variance[j]) * _concentration(leads, weights)
    return float(np.sqrt(variance / (variance + extra))) if variance > 0 else 1.0


# ---- Ranks


def _ranks(numbers: Floats) -> Floats:
    """Ranks from 1, those of equal numbers in the middle; 0 where a number is missing."""
    missing = np.isnan(numbers)
    _, place, count = np.unique(numbers[~missing], return_inverse=True, return_counts=True)
    ranks = np.zeros(len(numbers))
    ranks[~missing] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks


def _slope(lead: Floats, known: Floats, ranks: Floats) -> Floats:
    """Correlation of ranks and leads, over the items that have both, (n_judges,)."""
    both = known * (ranks > 0)[:, None]
    n = np.where(both.sum(axis=0) > 1, both.sum(axis=0), np.nan)
    x = both * (ranks[:, None] - (both * ranks[:, None]).sum(axis=0) / n)
    y = both * (lead - (both * lead).sum(axis=0) / n)
    scale = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    return np.asarray((x * y).sum(axis=0) / np.where(scale > 0, scale, np.nan))
