"""Which judge to select, by which definition, and what not to rely on; each with its reason.

Figures in the reasons come from the simulations of the paper, repeated in tests/methods/reproduce.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dissensus.data.counts import median
from dissensus.data.labels import number
from dissensus.errors import counted, listed
from dissensus.methods.judges.definitions import BLIND, CLIP, SLACK, mean_of
from dissensus.methods.judges.result import (
    BASELINES,
    Advice,
    Constant,
    DecisionRulers,
    DefinitionResult,
    Downstream,
    JudgesResult,
    JudgeValue,
)
from dissensus.methods.judges.reverse_matrix import specification_sentence
from dissensus.methods.judges.setup import Prepared
from dissensus.options import named
from dissensus.results import Message

# ---- What a ranking of judges comes down to: kinds of definitions, the judge to pick, its rivals and the constants

HALF = 0.5
NEARLY = 0.99  # of the largest Jensen-Shannon divergence, ln 2: judge and people share almost no label


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Definitions that always rank judges the same way: they count once."""

    definitions: tuple[DefinitionResult, ...]  # the first one stands for all
    reason: str = ""  # why they rank judges the same; empty for a definition that stands alone

    @property
    def first(self) -> DefinitionResult:
        """The definition that stands for the others."""
        return self.definitions[0]

    @property
    def best(self) -> tuple[str, ...]:
        """The judges with the best value: several if they tie, none if it is undefined or no judge beats a constant."""
        return self.first.best

    @property
    def looks_at_people(self) -> bool:
        """Whether it compares judges with people at all."""
        return self.first.definition != BLIND


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What there is to choose between, and by what."""

    kinds: Sequence[Kind]  # the definitions at the threshold, those that rank judges the same as one
    tau: float  # the threshold
    select_by: Kind | None  # the one to select by; None if none has a value
    ranked: Sequence[JudgeValue]  # the judges by it, the best first, those without a value last
    downstream: Mapping[str, Downstream]  # decisions at the threshold, by judge; empty if no option is positive
    has_numbers: bool = False  # whether every label is a number, so that distances mean something
    rulers: DecisionRulers | None = None  # what stands beside decisions at the threshold

    @property
    def picked(self) -> JudgeValue | None:
        """The judge to pick; None if no judge has a value, or none beats the best constant."""
        names = () if self.select_by is None else self.select_by.best
        return next((value for value in self.ranked if value.judge in names), None)

    @property
    def beaten_by(self) -> Constant | None:
        """The constant that no judge beats by the definition to select by; None if one does, or none has a value."""
        has_value = any(value.rank is not None for value in self.ranked)
        return self.select_by.first.constant if self.select_by and has_value and self.picked is None else None

    @property
    def is_shown(self) -> bool:
        """Whether the judge to pick is shown to beat the constant: by its interval, or its value where it has none."""
        picked, constant = self.picked, None if self.select_by is None else self.select_by.first.constant
        if picked is None or self.select_by is None or constant is None:
            return picked is not None
        if self.select_by.first.better == "higher":
            return not picked.low <= constant.value
        return not picked.high >= constant.value

    @property
    def constant(self) -> Downstream | None:
        """The constant that decides as people do more often."""
        return best_constant(list(self.downstream.values()))

    @property
    def is_hopeless(self) -> bool:
        """Whether no judge ever gives a label of people, so that definitions that ask for that say nothing."""
        by_id = {own.id: own for kind in self.kinds for own in kind.definitions}
        hits, jsd = by_id.get("hit_rate"), by_id.get("jsd")
        if hits is None or jsd is None or not hits.values or not jsd.values:
            return False
        never = all(value.value == 0 for value in hits.values)
        return never and all(value.value >= NEARLY * math.log(2) for value in jsd.values)

    def closest_first(self) -> list[Kind]:
        """The kinds that rank judges: the one to select by first, then those that rank most as it does."""
        defined = [kind for kind in self.kinds if any(value.rank is not None for value in kind.first.values)]
        main = self.select_by
        if main is None:
            return defined
        return sorted(defined, key=lambda kind: -2.0 if kind is main else -rank_correlation(main, kind))


def choice_of(result: JudgesResult) -> Choice:
    """What a result lets the reader choose between."""
    tau = main_tau(result)
    kinds = kinds_of(result, tau)
    select_by = _recommended(result, kinds)
    values = () if select_by is None else select_by.first.values
    options = result.settings.get("options")
    numbers = [number(str(option)) for option in options] if isinstance(options, Sequence) else []
    return Choice(
        kinds=kinds,
        tau=tau,
        select_by=select_by,
        ranked=sorted(values, key=lambda value: math.inf if value.rank is None else value.rank),
        downstream={row.judge: row for row in result.downstream if math.isclose(row.tau, tau)},
        has_numbers=bool(numbers) and None not in numbers,
        rulers=next((row for row in result.decision_rulers if math.isclose(row.tau, tau)), None),
    )


def main_tau(result: JudgesResult) -> float:
    """The threshold that is shown where there is room for one: the one nearest to a half."""
    taus = [definition.tau for definition in result.definitions if definition.tau is not None]
    return min([*taus, *(row.tau for row in result.downstream)], key=lambda tau: abs(tau - HALF), default=HALF)


def kinds_of(result: JudgesResult, tau: float) -> list[Kind]:
    """The definitions without threshold and those at one threshold, by kind, in their order."""
    groups: dict[tuple[str, ...], list[DefinitionResult]] = {}
    reasons: dict[tuple[str, ...], str] = {}
    for definition in result.definitions:
        if definition.tau is not None and not math.isclose(definition.tau, tau):
            continue
        redundancy = next((one for one in result.redundant if definition.id in one.definitions), None)
        key = (definition.id,) if redundancy is None else redundancy.definitions
        groups.setdefault(key, []).append(definition)
        reasons[key] = "" if redundancy is None else redundancy.reason
    return [
        Kind(definitions=tuple(group), reason=reasons[key] if len(group) > 1 else "") for key, group in groups.items()
    ]


def _recommended(result: JudgesResult, kinds: Sequence[Kind]) -> Kind | None:
    """The kind with the definition that fits the data, if a judge has a value there; else the first with a value."""
    measure = result.measure or result.recommended
    for kind in kinds:
        is_known = any(value.rank is not None for value in kind.first.values)
        if is_known and any(definition.id == measure for definition in kind.definitions):
            return kind
    return next((kind for kind in kinds if kind.best and kind.looks_at_people), None)


def best_constant(rows: Collection[Downstream]) -> Downstream | None:
    """The constant that decides as people do more often."""
    return max((row for row in rows if row.judge in BASELINES), key=lambda row: row.consistency, default=None)


def rank_correlation(first: Kind, second: Kind) -> float:
    """Kendall's tau of two kinds: pairs of judges ranked the same way less those ranked the other way, as a share.

    Pairs that either kind ties or leaves undefined count as neither; NaN where there is no pair at all.
    """
    ranks = ([value.rank for value in kind.first.values] for kind in (first, second))
    pairs = list(combinations(zip(*ranks, strict=True), 2))
    ways = [_direction(a[0], b[0]) * _direction(a[1], b[1]) for a, b in pairs]
    return sum(ways) / len(ways) if ways else math.nan


def _direction(a: int | None, b: int | None) -> int:
    return 0 if a is None or b is None else (a < b) - (a > b)


# ---- What to ask people and judges for next

PAIRS_NEEDED = 100  # this number of paired ratings gives most of what F' can give
RATINGS_NEEDED = 3
ONE_RATING = "In simulations, decisions from one rating match those of all raters on 72% of the items."
MIXED, ALL_ENDORSED = "Add an option for mixed cases", "Ask raters for all options they endorse"
MOST_OPTIONS = 12  # more options than that are points of a measure, and nobody endorses several


def _can_ask_for_sets(prepared: Prepared) -> bool:
    """Whether response sets would add something: on a scale of numbers nobody endorses several."""
    is_known = prepared.is_fully_specified or bool(prepared.people.has_set.all())
    options = prepared.space.options
    return not is_known and len(options) <= MOST_OPTIONS and None in map(number, options)


def _specify(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Options that leave no room for several answers."""
    if _can_ask_for_sets(prepared):
        which = "such as Maybe beside Yes and No" if len(prepared.space.options) == 2 else "if there is none"  # noqa: PLR2004
        yield Advice(
            text=f"{MIXED}, {which}.",
            reason=f"{specification_sentence(prepared.task)} In simulations one rating per item of a fully specified "
            "task selects judges at least as well as three of an underspecified one.",
        )


def _pair(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Response sets, or paired ratings."""
    reversal = prepared.problem.reversal
    if not _can_ask_for_sets(prepared):
        return
    if reversal is None:
        yield Advice(
            text=f"{ALL_ENDORSED}, at least in about {PAIRS_NEEDED} ratings.",
            reason="A forced choice does not show which other options the rater would endorse; response sets do. In "
            "simulations, 30 ratings of both kinds already bring most of the gain.",
        )
    elif reversal.paired_by == "item":
        yield Advice(
            text=f"Ask the same raters for a choice and for all options they endorse, about {PAIRS_NEEDED} times.",
            reason="So far choices and sets come from different raters, and how these differ looks like an effect of "
            "the forced choice.",
        )
    elif reversal.n_pairs < PAIRS_NEEDED:
        so_far = f"There are {reversal.n_pairs} so far."
        yield Advice(text=f"Collect about {PAIRS_NEEDED} paired ratings.", reason=so_far)


def _ratings(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Enough ratings per item."""
    people, weights = prepared.people, prepared.problem.weights
    usual = median(np.maximum(people.choices.sum(axis=1), people.sets.sum(axis=1)).astype(np.float64), weights)
    if usual >= RATINGS_NEEDED:
        return
    yield Advice(
        text=f"Collect {RATINGS_NEEDED} or more ratings per item.",
        reason=f"The median is {usual:g}. {ONE_RATING}",
    )


def _judge_sets(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Judges that were never asked for response sets."""
    asked = zip(prepared.judges, prepared.answers.has_set.T, strict=True)
    silent = [judge for judge, answered in asked if not answered.any()]
    if prepared.is_fully_specified or not silent or not prepared.knows_sets:
        return
    yield Advice(
        text=f"Ask {'judges' if len(silent) == len(prepared.judges) else listed(silent)} for response sets as well.",
        reason="Their forced choices are compared with people's response sets, as if they never endorsed two options.",
    )


# ---- How not to read the numbers: ties, clips, scales and orders

MANY_CLIPPED = 0.01
MANY_TIES = 0.1
MANY_FLIPS = 0.1


def _clip(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Divergences that rest on the clip."""
    problem = prepared.problem
    rows = problem.is_chosen
    is_ruled_out = (problem.judges.soft[rows] < CLIP) & (problem.people.soft[rows] > 0)[:, None, :]
    share = mean_of(np.asarray(is_ruled_out.any(axis=2)), problem.weights[rows])
    judges = [judge for judge, part in zip(prepared.judges, share, strict=True) if part > MANY_CLIPPED]
    if not judges or problem.smoothing:
        return
    yield Advice(
        text="Ask judges for probabilities or more samples before you use kl_human_judge or cross_entropy_human_judge.",
        reason=Message(
            "Here they mostly count the items on which a judge rules out a label that somebody chose: up to "
            f"{share.max():.0%} of the items ({listed(judges)}), at up to {-math.log(CLIP):.0f} nats each, the clip at "
            f"{CLIP:g}. {named('smoothing')} softens this."
        ),
    )


def _ties(prepared: Prepared, _result: JudgesResult) -> Iterator[Advice]:
    """Hard labels that depend on the order of the options."""
    tied_people, tied = prepared.problem.tied()
    items = prepared.problem.items_chosen
    everybody = {"people": tied_people, **dict(zip(prepared.judges, tied, strict=True))}
    often = {name: number for name, number in everybody.items() if number > MANY_TIES * items}
    if not often:
        return
    yield Advice(
        text=f"Do not rely on definitions that use the most frequent label of {listed(list(often))}.",
        reason=f"Several options tie for it on up to {max(often.values()):,} of {counted(items, 'item')}; the first "
        "one in order is taken.",
    )


def orders_flipped(_prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Judges that go by the place of an output."""
    flipping = [flips for flips in result.order_flips if flips.share > MANY_FLIPS]
    if not flipping:
        return
    shown = ", ".join(f"{flips.judge} {flips.share:.0%}" for flips in flipping)
    yield Advice(
        text="Always ask in both orders, and average the two answers.",
        reason=f"The answer changes with the order on this share of the pairs: {shown}.",
    )


SURE = 0.95
OTHER_TASK = (MIXED, ALL_ENDORSED)  # how the advice begins that asks people something else: for those who look further
SELECT = "Select by"  # how the advice begins that names the judge of the answer


def advice_on(prepared: Prepared, result: JudgesResult) -> tuple[Advice, ...]:
    """What to do, the most important first."""
    to_do = (_select, _decide, _rivals, _sweep, _baselines, _distrust)
    order = (*to_do, _specify, _pair, _ratings, _judge_sets, _clip, _ties, orders_flipped)
    return tuple(dict.fromkeys(advice for about in order for advice in about(prepared, result)))


def _by_tau(result: JudgesResult) -> Iterator[tuple[dict[str, Downstream], Downstream]]:
    """At each threshold the decisions of every judge, and those of the better constant."""
    for tau in dict.fromkeys(row.tau for row in result.downstream):
        rows = {row.judge: row for row in result.downstream if row.tau == tau}
        yield rows, max((rows.pop(name) for name in BASELINES), key=lambda row: row.consistency)


def _select(prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """By which definition to select, and which judge that is."""
    chosen = result.definition(prepared.measure)
    if chosen.selected is None:
        yield from _none_beats(chosen)
        return
    if len(chosen.best) > 1:
        yield Advice(
            text=f"Do not select by {chosen.id} alone: {listed(chosen.best)} tie.", reason=_reason_for(prepared)
        )
        return
    alone = f"{SELECT} {chosen.id} when you compare it with another judge."
    select = f"{SELECT} {chosen.id}: {chosen.selected}."
    is_better = [
        row.consistency > constant.consistency + SLACK for rows, constant in _by_tau(result) for row in rows.values()
    ]
    if result.downstream and not any(is_better):
        select = f"Do not let a judge decide yet: at every threshold a constant agrees with people as often. {select}"
    text = select if len(chosen.values) > 1 else alone
    yield Advice(text=text, reason=_reason_for(prepared))


def _none_beats(chosen: DefinitionResult) -> Iterator[Advice]:
    """That a constant is better than every judge."""
    known = [value for value in chosen.values if value.rank is not None]
    if chosen.constant is None or not known:
        return
    best, answer = min(known, key=lambda value: value.rank or 0), chosen.constant.answer
    always = f"always answering {answer}" if isinstance(answer, str) else "always answering the overall shares"
    yield Advice(
        text="Do not use these answers as they are: `dissensus equivalence` says what they are worth recalibrated.",
        reason=f"By {chosen.id} {always} has {chosen.constant.value:.3g}, {best.judge} {best.value:.3g}, and "
        f"{chosen.better} is better. Recalibration removes a judge's strictness or leniency.",
    )


def _reason_for(prepared: Prepared) -> str:
    reversal = prepared.problem.reversal
    if prepared.problem.numbers is not None:
        return "The labels are in an order, and this definition counts a near miss as better than a far one."
    if prepared.is_fully_specified:
        return (
            "The task is fully specified, so forced choices show everything, and a divergence uses every rating, not "
            "only the most frequent label."
        )
    if prepared.people.has_set.all():
        return (
            "People gave response sets. In simulations the squared error of response sets ranks judges much as their "
            "decisions do: Spearman .88 with consistency, against .40 for hit_rate."
        )
    if reversal is not None:
        what = counted(reversal.n_pairs, "paired rating")
        if reversal.paired_by == "item":
            what = f"{counted(reversal.n_pairs, 'item')} with both elicitations"
        return (
            f"With {what}, forced choices become response sets. In simulations with 100 paired ratings the Spearman "
            "correlation with consistency is .94, against .63 for jsd and .38 for hit_rate."
        )
    return (
        "People gave forced choices only. jsd stays finite where a judge rules out a label that somebody chose. It is "
        "not safe: in simulations with judges that differ, its Spearman correlation with consistency is .63, against "
        ".79 for kl_human_judge and .94 for response sets estimated from 100 paired ratings."
    )


def _decide(prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Another judge where the one to select is not the one whose decisions are best; each with all its thresholds."""
    chosen = result.definition(prepared.measure)
    better: dict[str, list[tuple[Downstream, ...]]] = {}
    for rows, constant in _by_tau(result):
        best = max(rows.values(), key=lambda row: row.consistency)
        if best.consistency <= constant.consistency + SLACK:
            continue
        if chosen.selected is not None and best.consistency > rows[chosen.selected].consistency + SLACK:
            better.setdefault(best.judge, []).append((best, rows[chosen.selected]))
    for judge, beaten in better.items():
        yield Advice(
            text=f"For decisions at {_taus(beaten)} alone, consider {judge} instead of {chosen.selected}.",
            reason=f"Share of items decided as people do: {_beside(beaten, with_intervals=True)}. {chosen.id} looks at "
            "every option, a decision only at the positive ones.",
        )


def _taus(comparisons: Sequence[tuple[Downstream, ...]]) -> str:
    """The thresholds of some comparisons, in a sentence."""
    taus = [f"{rows[0].tau:g}" for rows in comparisons]
    return f"tau {' and '.join([', '.join(taus[:-1]), taus[-1]] if len(taus) > 1 else taus)}"


def _beside(comparisons: Sequence[tuple[Downstream, ...]], *, with_intervals: bool = False) -> str:
    """Judges beside each other, at each threshold."""

    def shown(row: Downstream) -> str:
        is_bounded = with_intervals and not math.isnan(row.consistency_low)
        bounds = f" ({row.consistency_low:.2f} to {row.consistency_high:.2f})" if is_bounded else ""
        return f"{row.judge} {row.consistency:.2f}{bounds}"

    texts = [", ".join(map(shown, rows)) for rows in comparisons]
    if len(texts) == 1:
        return texts[0]
    return "; ".join(f"at {rows[0].tau:g} {text}" for rows, text in zip(comparisons, texts, strict=True))


def _rivals(prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Whether the best judge is clearly best."""
    chosen = result.definition(prepared.measure)
    if len(chosen.able) > 1 and chosen.able[0].share_best < SURE:
        first, second = chosen.able[:2]
        yield Advice(
            text=f"Rate more items before you prefer {first.judge} to {second.judge}.",
            reason=f"By {chosen.id} {first.judge} is best in {first.share_best:.0%} of the bootstrap samples of "
            f"{counted(prepared.problem.items_in_all, 'item')}, {second.judge} in {second.share_best:.0%}.",
        )


def _sweep(_prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Whether the answer depends on beta."""
    # From beta = tau on every item is positive, so that a change there says nothing about judges.
    flips = [flip for flip in result.flip_points if flip.definition is None and flip.beta_to < flip.tau]
    if not flips:
        return
    first = min(flips, key=lambda flip: flip.beta_to)
    betas = ", ".join(f"{beta.judge} {beta.beta:.2f}" for beta in result.own_beta if beta.beta >= 0)
    plausible = f" The judges' own beta may be a hint: {betas}." if betas else ""
    yield Advice(
        text=f"Before you rely on {first.judge_from}, find out whether beta is {first.beta_to:.2f} or more.",
        reason=f"From there on {first.judge_to} decides most often as people do at tau {first.tau:g}. Beta is the "
        f"share of negative choices that hide a positive option; forced choices do not reveal it.{plausible}",
    )


def _baselines(prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Judges that do not beat a constant, in words; each set of judges with all its thresholds."""
    poor: dict[tuple[str, ...], list[tuple[Downstream, ...]]] = {}
    for rows, constant in _by_tau(result):
        beaten = [row for row in rows.values() if row.consistency <= constant.consistency + SLACK]
        if beaten:
            poor.setdefault(tuple(row.judge for row in beaten), []).append((constant, *beaten))
    caveat = ""
    if not prepared.is_fully_specified and not prepared.people.has_set.all():
        caveat = f" People's decisions are estimated from their forced choices here. {ONE_RATING}"
    for place, (judges, compared) in enumerate(poor.items()):
        constants = list(dict.fromkeys(row[0].judge for row in compared))
        yield Advice(
            text=f"Do not decide with {listed(list(judges))} at {_taus(compared)}: {listed(constants)} agrees with "
            "people as often.",
            reason=f"Share of items decided as people do: {_beside(compared)}.{'' if place else caveat}",
        )


def _distrust(prepared: Prepared, result: JudgesResult) -> Iterator[Advice]:
    """Categorical agreement where it would select another judge."""
    chosen, common = result.definition(prepared.measure), result.definition("hit_rate")
    if None in {common.selected, chosen.selected} or common.selected == chosen.selected or prepared.is_fully_specified:
        return
    best = max((value.share_best for value in chosen.values), default=math.nan)
    if best < SURE:  # the data do not show which judge is best, so neither which definition is right
        return
    yield Advice(
        text=f"Do not select by hit_rate: it would take {common.selected}.",
        reason=f"{chosen.id} takes {chosen.selected}. Where several options can be right, agreement with the most "
        "frequent label says little about decisions: Spearman .40 with consistency in simulations.",
    )
