"""Which items can the judge do alone, and which need people?"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, as_data
from dissensus.data.align import answers_of, common_labels, item_by_item
from dissensus.data.labels import label_values
from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError, RatingsError, counted, listed
from dissensus.methods.decide.gains import LEAST, gains
from dissensus.methods.equivalence.calibration import calibrated_predictions
from dissensus.methods.equivalence.curve import crossings, verdict_of
from dissensus.methods.equivalence.options import MOST_LABELS
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.replicates import task_sizes
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.equivalence.setup import Prepared, set_up
from dissensus.methods.panel.beside_people import folds_among
from dissensus.methods.parts.parts import in_parts
from dissensus.methods.route.policies import (
    SHARES,
    GainMap,
    ItemScores,
    Knowledge,
    Means,
    at_share,
    bootstrap_columns,
    chances_of,
    columns_of,
    drawn_items,
    known_means,
    known_of,
    largest_survey,
    means_in,
    routed_shares,
    routing,
    share_needed,
    steps_of,
)
from dissensus.methods.route.result import (
    MOST_PEOPLE,
    USUAL_PEOPLE,
    Assigned,
    PeoplePoint,
    Plan,
    Policy,
    RouteOptions,
    RouteResult,
)
from dissensus.options import named
from dissensus.sampling import Engine, Progress, open_executor, run_tasks, seed_of
from dissensus.sampling.intervals import Bounds, bootstrap_interval
from dissensus.sampling.raters import (
    RaterDraws,
    RatersAs,
    RaterSpread,
    jackknife_spread,
    rater_draws,
    rater_pool,
    rater_stream,
    resolve_raters,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FEWEST_ITEMS = 20
"""To learn from and to test a threshold on."""
ENOUGH_LEFT = 0.5
"""Share of the items that a survey size must keep without any group of raters; others move as the largest that does."""
SHOWN_SHARES = np.flatnonzero(np.isin(SHARES, [0, 0.05, *np.arange(1, 11) / 10]))
NAN = float("nan")


@in_parts()
def route(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | None = None,
    match: int | None = None,
    rating_cost: float = 1.0,
    judge_cost: float = 0.0,
    max_raters: int | None = None,
    new: JudgesLike | None = None,
    label_next: int | None = None,
    elicitation: Elicitation | None = None,
    clip: float = 0.02,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> RouteResult:
    """Which items the judge can do alone, and on which people are asked.

    Each answer of the judge, in people's terms, says how sure the next person's answer is and how much k people would
    add. People are asked where that is more than a threshold; the cheapest policy is sought that tells as much as
    people on every item.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items. Items that nobody rated are assigned.
    judge : str, optional
        The judge to route with; needed where there are several.
    match : int, optional
        How many people on every item are to be matched; two if not given, or one if items have two ratings.
    rating_cost, judge_cost : float
        Of one person's rating and of one answer of the judge.
    max_raters : int, optional
        The most people asked about one item.
    new : Judges, or anything that `read_judges` takes, optional
        The judge's answers to further items without ratings, which are assigned as well.
    label_next : int, optional
        Draw this many items without ratings to be rated next, more often where they tell more about the judge.
        `decide` and `equivalence` undo that by the chance of each, which the assignments have.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way.
    clip : float
        How far predictions are kept from 0 and 1.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    bootstrap : int
        Bootstrap samples of the items; 0 for no intervals.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    RouteResult

    Raises
    ------
    DissensusError
        If the data cannot be read or do not match, an option has a value it cannot have, or items have one rating each.

    See Also
    --------
    panel : How many raters a judge saves beside people, asked about every item.
    decide : Which judge to use, and how.

    Examples
    --------
    >>> result = route("example:binary", "example:binary", judge="classifier", bootstrap=0)
    >>> result.recommended.people, result.recommended.cost_share < 1
    (2, True)
    """
    ratings, judges = as_data(ratings, judges)
    options = RouteOptions.given(locals(), seed=seed_of(rng))
    fold_stream, bootstrap_stream = np.random.default_rng(rng).spawn(2)
    rated, answered = item_by_item(ratings, judges, what="Routing")
    name = _chosen(answered, options.judge)
    setting = _setting(rated, answered, name, options, fold_stream)
    raters_as, about_raters = resolve_raters(options.raters, setting.prepared.rated, bootstrap=options.bootstrap)
    with open_executor(engine, workers=workers) as executor:
        found = _estimated(setting, options, raters_as, bootstrap_stream, rater_stream(rng), executor, progress)
    is_shown = _knows(setting, found, raters_as, rater_stream(rng))
    plans = tuple(_plan(setting, found, options, k, is_shown=is_shown) for k in range(1, setting.most + 1))
    wanted = options.match or min(USUAL_PEOPLE, setting.most)  # people everywhere, who are matched
    further = None if new is None else as_data(ratings, new)[1]
    unrated = _unrated(setting.prepared, rated, (answered, further), name)
    _check_new(options, len(unrated))
    assigned = _assigned(setting, unrated, plans[wanted - 1], options.label_next, fold_stream)
    asked = [one.raters for one in assigned]
    return RouteResult(
        settings=options.settings() | {"judge": name, "match": wanted, "max_raters": setting.most, "raters": raters_as},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys([*setting.prepared.warnings, *setting.warnings, *about_raters])),
        judge=name,
        shown=is_shown,
        items=len(setting.knowledge.counts),
        recommended=plans[wanted - 1],
        plans=plans,
        frontier=_frontier(setting, found, options),
        people=tuple(_people_point(found, options, k) for k in range(setting.most + 1)),
        new_items={"items": len(unrated), "to_people": sum(k > 0 for k in asked), "ratings": sum(asked)}
        if asked
        else None,
        assignments=assigned,
    )


def _chosen(judges: Judges, name: str | None) -> str:
    """The judge to route with."""
    if name is not None:
        return judges[name].judges[0]
    if len(judges.judges) > 1:
        raise OptionError(f"There are several judges ({listed(judges.judges)}): name one with {named('judge')}.")
    return judges.judges[0]


# ---- The items, and what is known of each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """The items that take part, and how they are routed."""

    prepared: Prepared
    kept: Codes  # (n_items,): which of the items of `prepared` take part
    outputs: Floats  # (n_rated_items, n_labels): the judge's answers to the items of `prepared`
    predictions: Floats  # (n_items, n_labels): the judge in people's terms, learned from other items
    knowledge: Knowledge
    scores: ItemScores
    routes: Floats  # (n_sizes - 1, n_shares, n_items)
    asked: Floats  # (n_sizes - 1, n_shares): share of the items that go to people
    gain_maps: tuple[GainMap, ...]  # what 1, 2, ... people would add, learned from all items
    expected: Floats  # (n_sizes - 1, n_items): that of these items, the largest first
    fold: Codes
    most: int  # people asked about an item
    warnings: tuple[str, ...]


def _setting(ratings: Ratings, judges: Judges, judge: str, options: RouteOptions, rng: Generator) -> Setting:
    if (many := len(common_labels(judges.only((judge,)), ratings, ratings.scale).labels)) > MOST_LABELS:
        raise OptionError(f"Routing needs the probability of each label, and {many:,} labels are too many: merge "
                          f"them to at most {MOST_LABELS}.")  # fmt: skip
    prepared = set_up(ratings, judges, options.survey_options(judge, options.max_raters), rng=rng)
    problem, labels = prepared.problem, prepared.labels
    counts = problem.counts[problem.type_of_item]
    asked = problem.sizes[-1] if options.max_raters is not None else min(problem.sizes[-1], MOST_PEOPLE)
    asked = max(asked, options.match or 1)
    most = largest_survey(counts, asked)
    kept = np.flatnonzero(counts.sum(axis=1) > most)
    if most < max(options.match or 1, 1) or len(kept) < FEWEST_ITEMS:
        needed = max(options.match or 1, 1) + 1
        able = int((counts.sum(axis=1) >= needed).sum())
        raise RatingsError(f"Routing compares {needed - 1} of an item's people with one more, and {able} of the items "
                           f"that the judge answered have {needed} ratings; it takes {FEWEST_ITEMS}: collect more "
                           f"ratings per item, or lower {named('match')}.")  # fmt: skip
    calibrated = next(own for own in problem.judges if own.calibrated)
    everybody, _, _ = answers_of(judges.only((judge,)).on_items_of(prepared.rated), prepared.rated)
    outputs = np.pad(everybody[0].predictions, ((0, 0), (0, len(labels) - everybody[0].predictions.shape[1])))
    fold = folds_among(problem.fold[kept])
    scores = (problem.score, Score(name="agreement", values=label_values(labels), clip=options.clip))
    inside = calibrated.predictions if calibrated.inside is None else calibrated.inside
    own = Predictions(judge=judge, calibrated=True, predictions=calibrated.predictions[kept],
                      values=calibrated.values[kept], inside=inside[kept])  # fmt: skip
    knowledge = known_of(counts[kept], outputs[kept], own, scores, most=most, fold=fold)
    by_item = knowledge.scores()
    routes = routing(own.predictions, by_item, fold)
    maps = tuple(GainMap.of(own.predictions, beside[0] - by_item.judge[0]) for beside in by_item.beside[1:])
    return Setting(
        prepared=prepared, kept=kept, outputs=outputs, predictions=own.predictions, knowledge=knowledge,
        scores=by_item, routes=routes, asked=routes.mean(axis=2), fold=fold, most=most,
        gain_maps=maps, expected=np.stack([np.sort(learned(inside[kept]))[::-1] for learned in maps]),
        warnings=_left_out(len(kept), len(counts), most, asked),
    )  # fmt: skip


def _left_out(kept: int, items: int, most: int, asked: int) -> tuple[str, ...]:
    warnings = []
    if kept < items:
        few = f"{counted(items - kept, 'item')} with fewer than {most + 1} ratings"
        more = f": {named('max_raters')} 1 keeps more of them" if most > 1 else ""
        warnings.append(f"{few} were left out, so that every policy has the same items{more}.")
    if most < asked:
        warnings.append(f"At most {most} people per item are looked at: larger samples are too many to go through.")
    return tuple(warnings)


# ---- What policies tell, with intervals for other items and other raters


class Estimated(NamedTuple):
    """Means over the items, in bootstrap samples of them, and how far raters move them."""

    data: Means
    samples: Means | None
    deleted: Means | None  # without each group of raters: replicates are groups, of each shuffle in turn
    groups: int
    draws: RaterDraws | None

    def moved(self, replicates: Floats, values: Floats | None) -> Floats:
        """Bootstrap values of one statistic or several, of shape (n_replicates, n), moved by the noise of raters.

        From the same values without each group of raters, of shape (n_deletions, n).
        """
        if values is None or self.draws is None:
            return replicates
        spread = jackknife_spread(values.reshape(-1, self.groups, values.shape[-1]))
        known = RaterSpread(np.nan_to_num(spread.total), np.nan_to_num(spread.within), spread.groups)
        return known.moved(replicates, self.draws)

    def bounds(self, value: float, of: Callable[[Means], Floats], confidence: float) -> Bounds:
        """The interval of a mean, which `of` takes from each replicate; shape (n_replicates,)."""
        if self.samples is None:
            return NAN, NAN
        deleted = None if self.deleted is None else of(self.deleted)[:, None]
        moved = self.moved(of(self.samples)[:, None], deleted)[:, 0]
        return bootstrap_interval(value, moved, confidence=confidence, kind="basic")


def _estimated(
    setting: Setting, options: RouteOptions, raters_as: RatersAs, rng: Generator, rater_rng: Generator,
    executor: Executor, progress: Progress | None,
) -> Estimated:  # fmt: skip
    steps = steps_of(setting.routes)
    columns = columns_of(setting.scores, steps)
    shape = setting.most + 1, len(setting.scores.judge)
    data = means_in(columns.mean(axis=1)[:, None], *shape)
    if not options.bootstrap:
        return Estimated(data, None, None, 0, None)
    tasks = [(columns, size) for size in task_sizes(options.bootstrap)]
    drawn = np.concatenate(run_tasks(executor, bootstrap_columns, tasks, rng=rng, progress=progress), axis=1)
    samples = means_in(drawn, *shape)
    if raters_as == "fixed":
        return Estimated(data, samples, None, 0, None)
    deleted, groups = _without_raters(setting, steps, rater_rng)
    return Estimated(data, samples, deleted, groups, rater_draws(options.bootstrap, groups, rater_rng))


def _without_raters(setting: Setting, steps: "csr_array", rng: Generator) -> tuple[Means, int]:
    """The means without each group of raters; what was learned and who is asked about what stay as they are."""
    rated, labels, knowledge = setting.prepared.rated, setting.prepared.labels, setting.knowledge
    is_kept = np.zeros(rated.n_items, dtype=np.bool_)
    is_kept[setting.kept] = True
    rated = rated.where(is_kept[rated.item])
    pool = rater_pool(rated, rng)
    places = np.array([labels.index(label) for label in rated.labels], dtype=np.intp)
    works, n_shares = setting.most, len(SHARES)
    of_sizes = [steps[k * n_shares : (k + 1) * n_shares] for k in range(setting.most)]
    values = []
    for scores in knowledge.scores_without(pool, places, rated.n_labels, setting.scores):
        values.append(known_means(scores, of_sizes))
        left = (~np.isnan(scores.alone[:, 0])).mean(axis=1)
        works = min(works, int(np.flatnonzero(left >= ENOUGH_LEFT).max(initial=0)))
    means = Means(*map(np.concatenate, zip(*values, strict=True)))
    # Larger surveys than raters left out allow move as the largest that works.
    sizes = np.minimum(np.arange(setting.most + 1), works)
    asked = np.maximum(sizes[1:], 1) - 1
    policies = means.policies[:, asked] if works else np.repeat(means.policies[:, :1, :1], len(asked), axis=1)
    policies = policies if works else np.repeat(policies, len(SHARES), axis=2)
    return Means(means.people[:, sizes], policies), pool.n_groups


def _people_point(found: Estimated, options: RouteOptions, k: int) -> PeoplePoint:
    """People everywhere."""
    score, agreement = found.data.people[0, k].tolist()
    low, high = found.bounds(score, lambda means: means.people[:, k, 0], options.confidence)
    agreement_low, agreement_high = found.bounds(agreement, lambda means: means.people[:, k, 1], options.confidence)
    return PeoplePoint(
        raters=k, cost=k * options.rating_cost, score=score, low=low, high=high, agreement=agreement,
        agreement_low=agreement_low, agreement_high=agreement_high,
    )  # fmt: skip


def _frontier(setting: Setting, found: Estimated, options: RouteOptions) -> tuple[Policy, ...]:
    """The policies that nothing cheaper beats."""
    cost = options.judge_cost + setting.asked * (np.arange(setting.most) + 1)[:, None] * options.rating_cost
    score = found.data.policies[0, :, :, 0]
    points = sorted(
        ((float(cost[k, s]), -float(score[k, s]), k, int(s)) for k in range(setting.most) for s in SHOWN_SHARES),
    )
    best, chosen = -np.inf, []
    for _, loss, k, s in points:
        if -loss > best:
            best = -loss
            chosen.append((k, s))
    return tuple(_policy(setting, found, options, k, s) for k, s in chosen)


def _policy(setting: Setting, found: Estimated, options: RouteOptions, k: int, s: int) -> Policy:
    share = float(setting.asked[k, s])
    values = found.data.policies[0, k, s]
    score, agreement = values.tolist()
    low, high = found.bounds(score, lambda means: means.policies[:, k, s, 0], options.confidence)
    agreement_low, agreement_high = found.bounds(
        agreement, lambda means: means.policies[:, k, s, 1], options.confidence
    )
    worth = float(crossings(found.data.people[:, :, 0], values[:1])[0])
    return Policy(
        threshold=_threshold(setting, k + 1, float(SHARES[s])), share_to_people=share, raters=k + 1,
        cost=options.judge_cost + share * (k + 1) * options.rating_cost, score=score, low=low, high=high,
        worth=worth if np.isfinite(worth) else NAN, worth_verdict=verdict_of(worth), agreement=agreement,
        agreement_low=agreement_low, agreement_high=agreement_high,
    )  # fmt: skip


def _threshold(setting: Setting, raters: int, share: float) -> float:
    """What people must be expected to add so that this share of the items goes to them."""
    gains = setting.expected[raters - 1]
    return float(gains[min(int(np.ceil(share * len(gains))), len(gains)) - 1]) if share else NAN


# ---- The cheapest policy that tells as much as people everywhere


def _knows(setting: Setting, found: Estimated, raters_as: RatersAs, rng: Generator) -> bool:
    """Whether the judge is shown to know something, as `decide` asks of a judge before it is used.

    Beside a judge that knows nothing people may seem to tell a little more: what both tell is learned from few items.
    """
    (gain,) = gains(setting.prepared, raters=raters_as, rng=rng).values()
    worth = crossings(found.data.people[:, :, 0], found.data.policies[0, 0, :1, 0])[0]
    return gain.is_shown and bool(worth >= LEAST)


def _plan(setting: Setting, found: Estimated, options: RouteOptions, people: int, *, is_shown: bool) -> Plan:
    """The cheapest policy that tells as much as this many people everywhere, and what it saves."""
    gaps, sizes = found.data.gaps(people)[0], np.arange(setting.most) + 1
    cost = options.judge_cost + np.nan_to_num(share_needed(gaps), nan=np.inf) * sizes * options.rating_cost
    everywhere = people * options.rating_cost
    number = int(cost.argmin())
    share, score, agreement = _held_out(setting, number, people)
    own = options.judge_cost + share * (number + 1) * options.rating_cost
    people_score, people_agreement = (float(one) for one in found.data.people[0, people])
    if not is_shown or max(float(cost[number]), own) >= everywhere:
        return Plan(
            people=people, saves=False, raters=people, share_to_people=1.0, threshold=NAN, cost=everywhere,
            people_cost=everywhere, cost_share=1.0, low=NAN, high=NAN, score=people_score, people_score=people_score,
            difference=0.0, difference_low=NAN, difference_high=NAN, agreement=people_agreement,
            people_agreement=people_agreement,
        )  # fmt: skip
    low, high = _saving_bounds(found, options, number, people, share - float(share_needed(gaps[number])))
    difference = score - people_score
    gap = float(at_share(gaps[number, :, None], share)[0])
    bounds = found.bounds(
        difference,  # around what it is on other items
        lambda means: at_share(means.gaps(people)[:, number, :, None], share)[:, 0] + difference - gap,
        options.confidence,
    )
    return Plan(
        people=people, saves=high < 1 or not options.bootstrap, raters=number + 1, share_to_people=share,
        threshold=_threshold(setting, number + 1, share), cost=own, people_cost=everywhere,
        cost_share=own / everywhere, low=low, high=high, score=score, people_score=people_score, difference=difference,
        difference_low=bounds[0], difference_high=bounds[1], agreement=agreement, people_agreement=people_agreement,
    )  # fmt: skip


def _held_out(setting: Setting, number: int, people: int) -> tuple[float, float, float]:
    """Share of items with people, score and agreement, where the share that each fold needs is set by the others."""
    scores, routes = setting.scores, setting.routes[number]
    gains = scores.beside[number + 1] - scores.judge
    apart = scores.judge[0] - scores.alone[people, 0]
    folds = [np.flatnonzero(setting.fold == fold) for fold in np.unique(setting.fold)]
    routed = [routes[:, held] for held in folds]
    gaps = [own @ gains[0, held] + apart[held].sum() for own, held in zip(routed, folds, strict=True)]
    asked = np.empty(len(apart))
    for own, gap, held in zip(routed, gaps, folds, strict=True):
        others = (sum(gaps) - gap) / (len(asked) - len(held))
        asked[held] = at_share(own, float(np.nan_to_num(share_needed(others), nan=1.0)))
    told = scores.judge + asked * gains
    return float(asked.mean()), float(told[0].mean()), float(told[1].mean())


def _saving_bounds(found: Estimated, options: RouteOptions, number: int, people: int, shift: float) -> Bounds:
    """Interval of the cost as a share of that of people everywhere, who are the choice where no share is enough.

    It holds what the items themselves need and, `shift` away from it, what is needed where others set the threshold.
    """
    if found.samples is None:
        return NAN, NAN
    gaps = found.moved(
        found.samples.gaps(people)[:, number], None if found.deleted is None else found.deleted.gaps(people)[:, number]
    )
    tail = (1 - options.confidence) / 2
    share = np.nan_to_num(share_needed(gaps), nan=np.inf)
    low, high = np.quantile(share, [tail, 1 - tail], method="inverted_cdf")
    ends = np.clip([low + min(shift, 0), high + max(shift, 0)], 0, np.inf)
    cost = (options.judge_cost + ends * (number + 1) * options.rating_cost) / (people * options.rating_cost)
    return float(min(cost[0], 1.0)), float(min(cost[1], 1.0))


# ---- Items that nobody has rated


def _check_new(options: RouteOptions, unrated: int) -> None:
    """Raise if more items are to be drawn than there are."""
    if options.label_next is not None and options.label_next > unrated:
        raise OptionError(
            f"{named('label_next')} {options.label_next} is more than the {counted(unrated, 'item')} that the judge "
            f"answered and nobody rated: give its answers to others with {named('new')}, or draw fewer."
        )


def _assigned(
    setting: Setting, outputs: dict[str, Floats], plan: Plan, label_next: int | None, rng: Generator
) -> tuple[Assigned, ...]:
    """Who is asked about each item that nobody rated; those near the threshold are drawn.

    Those that are drawn to be rated next are rated by one person more than are matched: who is predicted by the others.
    """
    if not outputs:
        return ()
    problem, labels = setting.prepared.problem, setting.prepared.labels
    shares = problem.counts / problem.counts.sum(axis=1, keepdims=True)
    learned = calibrated_predictions("auto", setting.outputs, shares[problem.type_of_item], fold=problem.fold).map
    predictions = learned(np.stack(list(outputs.values())))
    learned_gains = setting.gain_maps[plan.raters - 1]
    gains = learned_gains(predictions)
    # By the map of new items: learned fold by fold, the same answer would mean a little more in one fold than another.
    of_rated = learned_gains(learned(setting.outputs)[setting.kept])
    chances, which = np.full(len(gains), NAN), np.arange(len(gains))
    if label_next is not None:
        chances = chances_of(_information(setting, predictions), label_next)
        which = drawn_items(chances, rng)
        raters = np.full(len(gains), plan.people + 1)
    elif plan.saves:
        routed = at_share(routed_shares(gains, of_rated), plan.share_to_people)
        raters = np.where(rng.random(len(gains)) < routed, plan.raters, 0)
    else:
        raters = np.full(len(gains), plan.people)
    best, items = predictions.argmax(axis=1), list(outputs)
    return tuple(
        Assigned(item=items[i], raters=int(raters[i]), gain=float(gains[i]), answer=labels[best[i]],
                 probability=float(predictions[i, best[i]]), inclusion_probability=float(chances[i]))
        for i in which.tolist()
    )  # fmt: skip


def _information(setting: Setting, predictions: Floats) -> Floats:
    """How far items with these predictions are expected to be off in what the judge tells beyond people of its worth.

    A mean has the least standard error where items are drawn in proportion to that (Neyman 1934), and the interval of
    its worth comes from that mean.
    """
    scores = setting.scores
    worth = crossings(scores.alone[:, 0].mean(axis=1)[None], scores.judge[:1].mean(axis=1))[0]
    lead = scores.judge[0] - scores.alone[int(np.clip(np.rint(worth), 1, setting.most)), 0]
    squares = GainMap.of(setting.predictions, (lead - lead.mean()) ** 2)
    return np.sqrt(np.maximum(squares(predictions), 0.0))


def _unrated(prepared: Prepared, ratings: Ratings, sources: Sequence[Judges | None], judge: str) -> dict[str, Floats]:
    """The judge's answer to each item without ratings, on the labels of the rated ones."""
    rated, found = set(ratings.items), dict[str, Floats]()
    for judges in sources:
        if judges is None:
            continue
        own = judges[judge]
        common = common_labels(own, prepared.rated, prepared.rated.scale)
        if strange := [label for label in common.labels if label not in prepared.labels]:
            raise OptionError(f"New items have an answer that no rated item has ({listed(strange)}): what it means to "
                              "people is not known.")  # fmt: skip
        _, item, outputs = own.distributions(common.place, len(common.labels))
        column = [prepared.labels.index(label) for label in common.labels]
        for place, output in zip(item.tolist(), outputs, strict=True):
            if own.items[place] not in rated:
                found[own.items[place]] = np.asarray(output @ np.eye(len(prepared.labels))[column])
    return found
