"""So which judge do I use, and how? One answer, from what judges are worth and how they do as they are."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data import Judges, JudgesLike, Ratings, RatingsLike, Task, as_data
from dissensus.data.align import answers_of, asked_in_one_way
from dissensus.data.coding import rows_among
from dissensus.data.ratings import DRAWN, Elicitation, Slicing, item_weights
from dissensus.data.recalibration import Recalibration
from dissensus.errors import DissensusError, OptionError, counted, listed
from dissensus.methods.apply import recalibration_of
from dissensus.methods.decide.as_is import Standings, shared_items, standings
from dissensus.methods.decide.gains import LEAST, Gain, gains
from dissensus.methods.decide.reasons import caveat_texts, how_to_use, reason_alone, reason_text
from dissensus.methods.decide.result import (
    DecideJudge,
    DecideOptions,
    DecideResult,
    Decisions,
    How,
    Influential,
    Next,
    Raters,
    Recommendation,
)
from dissensus.methods.equivalence.calibration import calibrated_predictions
from dissensus.methods.equivalence.curve import crossings, verdict_of
from dissensus.methods.equivalence.equivalence import EquivalenceRun, run_equivalence
from dissensus.methods.equivalence.options import EquivalenceOptions, survey_options
from dissensus.methods.equivalence.problem import reference_shares
from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth, Verdict
from dissensus.methods.equivalence.scores import CORRELATIONS
from dissensus.methods.equivalence.setup import SHARED, enough_items
from dissensus.methods.equivalence.slices import compared, with_enough, worked_slices
from dissensus.methods.gate.verdicts import SENSIBLE, SurveyRun, round_up, worth_verdict
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.advice import HALF, best_constant
from dissensus.methods.parts.parts import Cut, in_parts
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.plan_raters.result import PlanRatersResult
from dissensus.options import named
from dissensus.sampling import Engine, Progress, seed_of
from dissensus.sampling.raters import RatersAs, rater_stream

PAIR = 2
PILOT_SAMPLES = 100  # bootstrap samples of a plan, which fits a model to each, are fewer than those of an interval
FEWEST_TO_STAND_OUT = 5  # with fewer raters everybody moves the answer
OUTLYING = 6.0  # robust z: random answers stand out so far in 70% of pools of 8 raters, a rater like the others in 4%
MAD_TO_SD = 1.4826
VISIBLE = 1 / 8  # of the interval: a smaller change of what a judge is worth is lost in it
HOPELESS = 0.5  # in raters: where no judge can be worth as much, more ratings would not help


def _in_slices(
    cut: Cut, slices: Sequence[Cut], slicing: Slicing, *, task: Task | None = None, rng: int | Generator | None = 0,
    engine: Engine = "local", workers: int = 1, progress: Progress | None = None,
    **given: Any,  # noqa: ANN401 - the keywords of `decide`
) -> PartsResult | None:  # fmt: skip
    """The decision on all items, and how it looks in each slice; None of a score that does not add up over items."""
    assert cut.judges is not None  # noqa: S101 - `decide` needs them
    positive = _positive(given.pop("positive", ()), task)
    options = DecideOptions.given(given, positive=positive, seed=seed_of(rng))
    where: dict[str, Any] = {"rng": rng, "engine": engine, "workers": workers}
    worked = worked_worth(cut.ratings, cut.judges, options, progress=progress, apart=True, **where)
    asked = worth_options(cut.ratings, cut.judges, options)
    slices, about = with_enough(worked, slices, slicing)
    found = worked_slices(worked, slices, slicing, asked, rng=rng)
    if found is None:
        return None
    decision = decision_of(cut.ratings, cut.judges, worked, options, rng=rng)
    plan = plan_of(cut.ratings, cut.judges, decision, options, progress=progress, **where)
    decision = with_next(decision, worked, plan, options)
    parts = []
    for one, own in zip(slices, found, strict=True):
        assert one.judges is not None  # noqa: S101 - as above
        result = decision_of(one.ratings, one.judges, own, options, rng=rng, is_part=True)
        parts.append(
            Part(question=cut.question, by=slicing.by, value=one.value, items=one.ratings.items_in_all, result=result)
        )
    made = compared(worked, parts, slicing, options, question=cut.question, rng=rng, overall=decision)
    return replace(made, warnings=(*about, *made.warnings))


@in_parts(_in_slices)
def decide(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    task: Task | None = None,
    judge: str | Sequence[str] | None = None,
    positive: str | Sequence[str] = (),
    elicitation: Elicitation | None = None,
    judge_cost: Sequence[str] = (),
    item_cost: float = 0.0,
    rating_cost: float = 1.0,
    margin: float = 0.1,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> DecideResult:
    """Which judge to use, as it is or recalibrated, or none; what it is worth, and what would change the answer.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item: a path, a frame or a list of records with a row per rating (`item`, `rater`,
        `label`), or a column per rater.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items: a row per answer (`item`, `judge`, `label`, or `p_<label>` columns). Not
        given where the first table has people and judges.
    task : Task, optional
        Which options are positive, where `positive` does not say.
    judge : str or sequence of str, optional
        Which judges to choose from; all if not given.
    positive : str or sequence of str
        Options that count as positive in a decision: then how well the first judge decides is reported.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way.
    judge_cost : sequence of str
        What judges cost, such as `gpt=2.5`, to put the cheapest first where several are as good.
    item_cost, rating_cost : float
        What a new item costs to prepare, and one rating of it.
    margin : float
        How much worse than a person a judge may be and still be like one, as a share of a person's lead over always
        giving the same answer.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone.
    bootstrap : int
        Bootstrap samples; 0 for no intervals.
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
    DecideResult
        `recommendation.use` has the judges to use, best first, none if it is empty; `how` and `reason` stand beside it.
        `judges` has a record for each judge, and `to_frame()` a row; `summary()` is the text, `plot()` the chart.

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have.

    See Also
    --------
    equivalence : How many raters a judge is worth.
    judges : Judges by every definition of agreement.
    gate : Does a judge meet thresholds?
    apply : New answers in people's terms.

    Notes
    -----
    A judge is used only if it is shown to know something: the lower end of its worth is above 0, and what its
    calibrated answers tell beyond a constant answer is beyond doubt (p < .001, corrected for the number of judges). Of
    those not told apart from the best one all are named. Where all judges answered less than 80% of a judge's items, it
    must do well on all of these, too, and may be used for them alone. A judge is used as it is if its own answers beat
    the best constant answer and are not shifted from people's, else recalibrated.

    Examples
    --------
    >>> advice = decide("example:binary", "example:binary", bootstrap=50).recommendation
    >>> advice.use, advice.how
    (('classifier',), 'as is')
    """
    ratings, judges = as_data(ratings, judges, has_weights=True)
    options = DecideOptions.given(locals(), positive=_positive(positive, task), seed=seed_of(rng))
    where: dict[str, Any] = {"rng": rng, "engine": engine, "workers": workers, "progress": progress}
    worked = worked_worth(ratings, judges, options, **where)
    decision = decision_of(ratings, judges, worked, options, rng=rng)
    return with_next(decision, worked, plan_of(ratings, judges, decision, options, **where), options)


def worked_worth(
    ratings: Ratings,
    judges: Judges,
    options: DecideOptions,
    **where: Any,  # noqa: ANN401 - rng, engine, workers
) -> EquivalenceRun:
    """What judges are worth, by the score that fits the data, and what it was worked out from."""
    return run_equivalence(ratings, judges, worth_options(ratings, judges, options), **where)


def worth_options(ratings: Ratings, judges: Judges, options: DecideOptions) -> EquivalenceOptions:
    """How worth is measured: by the score that fits the data."""
    return EquivalenceOptions(
        judge=options.judge, elicitation=options.elicitation, raters=options.raters, bootstrap=options.bootstrap,
        confidence=options.confidence, seed=options.seed, **survey_options(ratings, judges.only(options.judge)),
    )  # fmt: skip


def _positive(positive: str | Sequence[str], task: Task | None) -> tuple[str, ...]:
    given = (positive,) if isinstance(positive, str) else tuple(positive)
    return given or (() if task is None else tuple(task.positive))


def decision_of(
    ratings: Ratings, judges: Judges, worked: EquivalenceRun, options: DecideOptions, *, rng: int | Generator | None,
    is_part: bool = False,
) -> DecideResult:  # fmt: skip
    """The decision from what judges are worth, which was worked out before; of a slice without a recalibration."""
    result, prepared = worked.result, worked.prepared
    chosen = judges.only(options.judge)
    _check_costs(options, chosen)
    drawn_as: RatersAs = "sampled" if result.settings["raters"] == "sampled" else "fixed"
    streams = rater_stream(rng).spawn(3)
    asked, _ = asked_in_one_way(ratings, chosen, options.elicitation)
    warnings = list(result.warnings)
    if not is_part and item_weights(ratings) is not None:
        warnings.append(f"Plans and yes-or-no decisions do not use {DRAWN}, so there are none.")
    standing, why = _standings(asked, chosen, options, drawn_as, (streams[0], streams[1]))
    warnings += why
    known = gains(prepared, raters=drawn_as, rng=streams[2]) if prepared.problem.score.is_additive else {}
    by_correlation = result.settings["score"] in CORRELATIONS
    rows = tuple(_row(worth, result, known, standing) for worth in result.ranked)
    shared = _to_use(rows, {})
    found = {} if is_part else _each_alone(shared or rows, asked, chosen, worked, options, rng=rng)
    if not shared:
        found = {name: own for name, own in found.items() if _is_shown_alone(own.judges[0], len(rows))}
    rows = tuple(_held_to(row, found[row.judge].judges[0]) if row.judge in found else row for row in rows)
    use = _to_use(rows, options.costs())
    alone = None if shared or not use else found[use[0].judge]
    largest = result.curve[-1].raters
    first = (use or list(rows))[0]
    influential, count = _influential(worked, first), asked.n_raters
    constant, person = (None, None) if standing is None else (standing.constant, standing.person)
    samples = 0 if is_part else options.bootstrap
    decisions = _decisions(ratings, chosen, first.judge, replace(options, bootstrap=samples), rng=rng)
    backwards = [worth.judge for worth in result.ranked if by_correlation and worth.high < 0]
    caveats = alone.recommendation.caveats if alone else caveat_texts(
        use[0] if use else None, rows, influential, count if drawn_as == "sampled" else None, largest,
        constant=constant, person=person, alone=found, by_correlation=by_correlation, decisions=decisions,
        backwards=backwards,
    )  # fmt: skip
    learned = (
        found[row.judge].recalibration if row.judge in found else _recalibration(worked, chosen[row.judge])
        for row in use
    )
    return DecideResult(
        settings=options.settings() | {"raters": drawn_as, "score": result.settings["score"]},
        data=result.data,
        warnings=tuple(warnings),
        recommendation=Recommendation(
            use=tuple(row.judge for row in use), how=use[0].how if use else None, caveats=caveats,
            reason=reason_alone(alone) if alone else reason_text(
                use, rows, constant, largest, by_correlation=by_correlation
            ),
        ),
        judges=rows, constant=constant, person=person, decisions=decisions,
        raters=Raters(
            count=count, intervals="raters like these" if drawn_as == "sampled" else "these raters",
            influential=influential,
        ),
        next=alone.next if alone else None, largest=largest, items=result.curve[0].items,
        recalibration=() if is_part else tuple(one for maps in learned for one in maps),
        evidence=result.evidence,
    )  # fmt: skip


def _each_alone(
    use: Sequence[DecideJudge], ratings: Ratings, judges: Judges, worked: EquivalenceRun, options: DecideOptions, *,
    rng: int | Generator | None,
) -> dict[str, DecideResult]:  # fmt: skip
    """The decision on each of these judges, from all rated items that it answered, if others answered far fewer."""
    found = {}
    for row in use:
        own = judges.only((row.judge,)).on_items_of(ratings)
        copies = 1 if ratings.copies is None else ratings.copies[rows_among(own.items, ratings.items)]
        if worked.result.curve[0].items < SHARED * np.broadcast_to(copies, len(own.items)).sum():
            only = replace(options, judge=(row.judge,), judge_cost=(), positive=())
            worth = worked_worth(ratings, own, only, rng=rng)
            found[row.judge] = with_next(decision_of(ratings, own, worth, only, rng=rng), worth, None, only)
    return found


def _is_shown_alone(alone: DecideJudge, tests: int) -> bool:
    """Whether a judge is shown on its own items, although not on the few that all judges answered."""
    return alone.shown and alone.p_value * tests < alone.p_needed


def _held_to(row: DecideJudge, alone: DecideJudge) -> DecideJudge:
    """What we say about a judge must hold on all items that it answered, not only on those that all judges answered."""
    how: How = "recalibrated" if row.shown and "recalibrated" in {row.how, alone.how} else alone.how
    return replace(row, shown=alone.shown, how=how)


def _standings(
    ratings: Ratings, judges: Judges, options: DecideOptions, raters: RatersAs, streams: tuple[Generator, Generator]
) -> tuple[Standings | None, list[str]]:
    """How judges do as they are; None where that is not known, and a warning that says why."""
    shared = shared_items(ratings, judges.on_items_of(ratings))
    if isinstance(shared, str):
        return None, [f"How judges do as they are is not known: {shared}."]
    is_alone = np.bincount(shared.item, minlength=shared.n_items) == 1
    used = int((~is_alone if shared.copies is None else shared.copies[~is_alone]).sum())
    about = [f"'As it is' uses only the {counted(used, 'item')} with two or more ratings."] if is_alone.any() else []
    return standings(
        shared, ratings, raters=raters, bootstrap=options.bootstrap, confidence=options.confidence,
        margin=options.margin, streams=streams,
    ), about  # fmt: skip


def _recalibration(worked: EquivalenceRun, judges: Judges) -> tuple[Recalibration, ...]:
    """What the answers of one judge mean; nothing where the score takes numbers as they are."""
    problem, rated, item = worked.prepared.problem, worked.prepared.rated, worked.prepared.item
    if not any(own.calibrated for own in problem.judges):
        return ()
    [answers], own, _ = answers_of(judges.on_items_of(rated), rated)
    labels = worked.prepared.labels
    shares = np.nan_to_num(reference_shares(problem)[problem.type_of_item])
    outputs = np.zeros_like(shares)
    outputs[:, rows_among(own, labels)] = answers.predictions[item]
    learned = calibrated_predictions("auto", outputs, shares, fold=problem.fold, copies=problem.stands_for).map
    return (
        recalibration_of(
            answers.judge, learned, outputs=outputs, shares=shares, labels=labels, scale=rated.scale,
            copies=problem.stands_for,
        ),
    )  # fmt: skip


def _decisions(
    ratings: Ratings, judges: Judges, judge: str, options: DecideOptions, *, rng: int | Generator | None
) -> Decisions | None:
    """How a judge and the better constant decide, where half of the raters decide.

    None where no option is positive, or nothing can be decided. A positive option that is none is refused.
    """
    if not options.positive or item_weights(ratings) is not None:
        return None
    try:
        result = rank_judges(
            ratings, judges.only((judge,)), positive=options.positive, tau=HALF, bootstrap=options.bootstrap,
            raters=options.raters, confidence=options.confidence, rng=rng,
        )  # fmt: skip
    except OptionError:
        raise
    except DissensusError:
        return None
    rows = {row.judge: row for row in result.downstream}
    own, constant = rows.get(judge), best_constant(list(rows.values()))
    if own is None or constant is None:
        return None
    return Decisions(
        judge=judge, consistency=own.consistency, consistency_low=own.consistency_low,
        consistency_high=own.consistency_high, bias=own.bias, bias_low=own.bias_low, bias_high=own.bias_high,
        constant=constant.judge,
        constant_consistency=constant.consistency,
    )  # fmt: skip


def _check_costs(options: DecideOptions, judges: Judges) -> None:
    unknown = [name for name in options.costs() if name not in judges.judges]
    if unknown:
        raise OptionError(
            f"{named('judge_cost')} names {listed(unknown)}, which is not a judge: they are {listed(judges.judges)}."
        )


def _row(
    worth: JudgeWorth, result: EquivalenceResult, known: Mapping[str, Gain], standing: Standings | None
) -> DecideJudge:
    gain = known.get(worth.judge)
    own, shift = (
        (None, None) if standing is None else (standing.judges.get(worth.judge), standing.shifts.get(worth.judge))
    )
    by_correlation = result.settings["score"] in CORRELATIONS
    best, others = result.best, _not_apart_from_best(result)
    is_first = worth.judge == result.ranked[0].judge
    # The best was picked for its score, so its interval allows for that.
    ends = best if best is not None and best.judge == worth.judge else worth
    return DecideJudge(
        judge=worth.judge, worth=worth.equivalence, worth_low=ends.equivalence_low, worth_high=ends.equivalence_high,
        verdict=worth.verdict, low_verdict=ends.low_verdict, high_verdict=ends.high_verdict,
        shown=_is_shown(ends.low_verdict, ends.equivalence_low, worth) and (gain is None or gain.is_shown),
        p_value=math.nan if gain is None else gain.decisive[0], p_needed=math.nan if gain is None else gain.decisive[1],
        as_is=own, shift=None if shift is None else shift.value, shift_low=None if shift is None else shift.low,
        shift_high=None if shift is None else shift.high,
        how=how_to_use(own, shift, None if standing is None else standing.person, by_correlation=by_correlation),
        separable=not others if is_first else worth.judge not in others,
    )  # fmt: skip


def _not_apart_from_best(result: EquivalenceResult) -> set[str]:
    """The judges that cannot be told apart from the best; by the samples of its lead where a score does not add up."""
    first, *rest = result.ranked
    if result.best is not None:
        return set(result.best.candidates) - {first.judge}
    level = (1 - float(str(result.settings.get("confidence", 0.95)))) / 2 / max(len(rest), 1)
    leads: dict[str, float] = {}
    for pair in result.differences:
        shares = {
            (pair.judge_a, pair.judge_b): pair.share_a_better,
            (pair.judge_b, pair.judge_a): 1 - pair.share_a_better,
        }
        leads |= {other: share for (one, other), share in shares.items() if one == first.name}
    return {worth.judge for worth in rest if not leads.get(worth.name, 0.0) >= 1 - level}


def _is_shown(low_verdict: str | None, low: float, worth: JudgeWorth) -> bool:
    if worth.verdict == "within" and worth.equivalence < LEAST:
        return False
    return worth.is_shown and (low_verdict is None or low_verdict == "above K" or low > 0)


def _to_use(rows: Sequence[DecideJudge], costs: Mapping[str, float]) -> list[DecideJudge]:
    """The judges that are shown and cannot be told apart from the best; the cheapest first where prices are known."""
    use = [row for number, row in enumerate(rows) if row.shown and (number == 0 or not row.separable)]
    return sorted(use, key=lambda row: costs.get(row.judge, math.inf)) if costs else use


def _influential(worked: EquivalenceRun, best: DecideJudge) -> tuple[Influential, ...]:
    """Raters without whom the best judge is worth something else, the farthest from the others first.

    A rater stands out by how well one person predicts another without them, or by the judge's lead over one person.
    """
    term = worked.term
    if term is None or len(term.pool.raters) < FEWEST_TO_STAND_OUT or worked.prepared.problem.sizes[-1] < 1:
        return ()
    judges = worked.prepared.problem.judges
    j = max(number for number, own in enumerate(judges) if own.judge == best.judge)  # calibrated comes last
    scores, curve = term.deleted.judges[0][:, j], term.deleted.curve[0]
    apart = np.maximum(_outlying(curve[:, 1] - curve[:, 0]), _outlying(scores - curve[:, 1]))
    worths = crossings(curve, scores)
    names = worked.prepared.rated.raters
    found = []
    for group in np.argsort(-apart, kind="stable"):
        worth, verdict = float(worths[group]), verdict_of(float(worths[group]))
        if apart[group] > OUTLYING and _is_visible(worth, verdict, best):
            number = worth if math.isfinite(worth) else math.nan
            name = names[term.pool.raters[group]]
            found.append(Influential(rater=name, judge=best.judge, worth_without=number, verdict_without=verdict))
    return tuple(found)


def _is_visible(worth: float, verdict: Verdict | None, best: DecideJudge) -> bool:
    """Whether what a judge is worth without a rater differs so much that it shows beside the interval."""
    if verdict != best.verdict or verdict != "within":
        return verdict != best.verdict
    width = best.worth_high - (best.worth_low if best.low_verdict == "within" else 0.0)
    return abs(worth - best.worth) >= VISIBLE * width  # not where the upper end is off the curve: all on it is inside


def _outlying(values: Floats) -> Floats:
    """How many robust standard deviations each value is from the middle one; 0 where they do not differ."""
    apart = np.abs(values - np.median(values))
    spread = float(np.median(apart)) * MAD_TO_SD
    return np.asarray(apart / spread if spread > 0 else np.zeros_like(apart))


def plan_of(
    ratings: Ratings, judges: Judges, decision: DecideResult, options: DecideOptions, *, rng: int | Generator | None,
    **where: Any,  # noqa: ANN401 - engine, workers, progress
) -> PlanRatersResult | None:  # fmt: skip
    """What it takes to tell the two best judges apart, where they cannot be; None where no plan can be made."""
    if len(decision.recommendation.use) < PAIR or not options.bootstrap or item_weights(ratings) is not None:
        return None
    asked, _ = asked_in_one_way(ratings, judges, options.elicitation)
    typical = typical_ratings(asked)
    first, second = [row.judge for row in decision.judges if row.judge in decision.recommendation.use][:PAIR]
    try:
        return plan_raters(
            pilot=asked, pilot_judges=judges, a=first, b=second, raters=(typical, 2 * typical), metric="information",
            item_cost=options.item_cost, rating_cost=options.rating_cost,
            bootstrap=min(options.bootstrap, PILOT_SAMPLES), rng=rng, **where,
        )  # fmt: skip
    except DissensusError:
        return None


def typical_ratings(ratings: Ratings) -> int:
    """How many ratings an item has on average, at least one."""
    return max(round(ratings.n_ratings / ratings.items_in_all), 1)


def with_next(
    decision: DecideResult, worked: EquivalenceRun, plan: PlanRatersResult | None, options: DecideOptions
) -> DecideResult:
    """The decision with the cheapest step that would change or settle it."""
    step = decision.next  # of a judge used for its own items alone
    if plan is not None and plan.recommended is not None:
        items, raters = round_up(plan.recommended.items), plan.recommended.raters
        text = (
            f"to tell {plan.settings['a']} from {plan.settings['b']}, have about {items:,} items rated by "
            f"{counted(raters, 'person', 'people')} each; or use the cheaper one."
        )
        cost = items * (options.item_cost + raters * options.rating_cost)
        step = Next(text=text, items=items, raters=raters, cost=cost)
    elif not decision.recommendation.use:
        step = _to_be_shown(decision.judges[0], worked, options)
    elif len(decision.recommendation.use) == 1 and step is None:
        step = _to_be_settled(decision.recommendation.use[0], worked, options, 1)
    return replace(decision, next=step)


def _to_be_shown(nearest: DecideJudge, worked: EquivalenceRun, options: DecideOptions) -> Next:
    """What would show that the nearest judge knows something, unless it cannot be worth much."""
    items, largest = worked.result.curve[0].items, worked.result.curve[-1].raters
    if not largest:
        needed = enough_items(items)
        text = f"get a second rating for at least {counted(needed, 'item')}: without it no rater can be left out."
        return Next(text=text, items=needed, raters=1, cost=needed * options.rating_cost)
    if nearest.high_verdict == "below 0" or (nearest.high_verdict == "within" and nearest.worth_high < HOPELESS):
        return Next(text="look for better judges before you collect more ratings.", items=None, raters=None, cost=None)
    if (step := _to_be_settled(nearest.judge, worked, options, 0)) is not None:
        return step
    more, each = 3 * items, max(typical_ratings(worked.prepared.rated), PAIR)
    text = f"to halve the interval of {nearest.judge}, collect {more:,} more items with {counted(each, 'rating')} each."
    cost = more * (options.item_cost + each * options.rating_cost)
    return Next(text=text, items=more, raters=each, cost=cost)


def _to_be_settled(judge: str, worked: EquivalenceRun, options: DecideOptions, people: int) -> Next | None:
    """What `gate` says would settle whether the judge is worth that many people; None where that is settled."""
    prepared = worked.prepared
    if not options.bootstrap or prepared.problem.sizes[-1] < 1 or prepared.problem.unit is not None:
        return None
    number = max(j for j, own in enumerate(prepared.problem.judges) if own.judge == judge)  # calibrated comes last
    run = SurveyRun(prepared=prepared, intervals=worked.intervals, judge=number)
    items, verdict, what = worth_verdict(run, people, confidence=options.confidence)
    if verdict != "inconclusive":
        return None
    question = f"whether {judge} is worth {'one person' if people else 'more than asking nobody'}"
    if what.missing == "raters":
        text = f"have other people also rate these items, as more items will not settle {question}."
    elif what.more_items is None:
        text = f"nothing, as more items will not settle {question}."
    elif what.more_items > SENSIBLE * items:
        text = f"nothing, as settling {question} takes about {round_up(what.more_items):,} more items."
    else:
        more, rated = round_up(what.more_items), prepared.rated
        each = what.each if what.missing == "ratings" and what.each else typical_ratings(rated)
        text = f"to settle {question}, collect about {counted(more, 'more item')} with {counted(each, 'rating')} each."
        return Next(text=text, items=more, raters=each, cost=more * (options.item_cost + each * options.rating_cost))
    return Next(text=text, items=None, raters=None, cost=None)
