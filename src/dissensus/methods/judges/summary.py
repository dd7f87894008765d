"""From scores and their replicates to the parts of the result: ranks, decisions, inversions, and what to warn about."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from dissensus.arrays import Floats
from dissensus.data.counts import median
from dissensus.errors import JudgesError, listed
from dissensus.methods.judges.answers import JudgeAnswers
from dissensus.methods.judges.definitions import COEFFICIENTS, SLACK, Definition, number_of
from dissensus.methods.judges.result import (
    BASELINES,
    Constant,
    DecisionRulers,
    DefinitionResult,
    Downstream,
    Inversion,
    JudgeValue,
    OrderFlips,
    OwnBeta,
    Perfect,
    Person,
    Redundancy,
    ReverseMatrix,
    ScaleUse,
    Violation,
)
from dissensus.methods.judges.rulers import FEWEST_ITEMS, BestConstant, Rulers, beats_constant
from dissensus.methods.judges.scoring import Scores
from dissensus.methods.judges.setup import Prepared
from dissensus.sampling.intervals import (
    UNDEFINED_SHARE,
    UNKNOWN,
    Bounds,
    paired_difference_interval,
    percentile_interval,
    share_interval,
)

NAN = float("nan")

# ---- Ranks, and how often a judge is best; values are turned so that higher is better


def oriented(definitions: Sequence[Definition], values: Floats) -> Floats:
    """Values of shape (..., n_definitions, n_judges), turned so that higher is better."""
    return np.asarray(values * np.array([definition.sign for definition in definitions])[:, None])


def ranks(values: Floats) -> Floats:
    """Rank of each judge, 1 for the best, from values of shape (..., n_judges).

    Judges that tie share the better rank, and NaN has none.
    """
    with np.errstate(invalid="ignore"):
        better = (values[..., None, :] > values[..., :, None] + SLACK).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, better + 1.0)


def selected(values: Floats, judges: Sequence[str]) -> str | None:
    """The judge with the best value, the first one of those that tie; None if none has a value."""
    first = np.flatnonzero(ranks(values) == 1)
    return judges[int(first[0])] if first.size else None


def shares_best(values: Floats) -> Floats:
    """Share of the replicates in which each judge is best, from values of shape (n_replicates, ..., n_judges).

    Judges that tie share the replicate, and one whose value is NaN is not best; NaN if that is so in every replicate.
    """
    is_known = ~np.isnan(values)
    filled = np.where(is_known, values, -np.inf)
    is_best = is_known & (filled >= filled.max(axis=-1, keepdims=True) - SLACK)
    parts = is_best / np.maximum(is_best.sum(axis=-1, keepdims=True), 1)
    counted = np.maximum(is_known.any(axis=-1).sum(axis=0), 1)[..., None]
    return np.where(is_known.any(axis=0), parts.sum(axis=0) / counted, np.nan)


def definition_results(
    prepared: Prepared, data: Scores, samples: Scores | None, constants: Sequence[BestConstant | None],
    rulers: Rulers | None, *, confidence: float,
) -> tuple[DefinitionResult, ...]:  # fmt: skip
    """Every definition with the value, interval, rank and share of each judge, and the rulers beside them."""
    definitions = prepared.problem.definitions
    turned = oriented(definitions, data.values[0])
    rank = ranks(turned)
    best = None if samples is None else shares_best(oriented(definitions, samples.values))
    beats = beats_constant(prepared, constants, data.values[0])
    tied_people, tied_judges = prepared.problem.tied()

    def value_of(d: int, j: int) -> JudgeValue:
        value = float(data.values[0, d, j])
        is_known = not math.isnan(value)
        low, high = percentile_interval(samples.values[:, d, j], confidence) if samples and is_known else (NAN, NAN)
        return JudgeValue(
            judge=prepared.judges[j], value=value, low=low, high=high,
            rank=None if math.isnan(rank[d, j]) else int(rank[d, j]),
            share_best=float(best[d, j]) if best is not None and is_known else NAN,
            tied_items=tied_judges[j] if definitions[d].judge == "hard" else 0,
            beats_constant=bool(beats[d, j]),
            reduced=NAN if rulers is None else float(rulers.judges[d, j]),
        )  # fmt: skip

    return tuple(
        DefinitionResult(
            id=definition.id, definition=definition.name, judge_aggregation=definition.judge,
            human_aggregation=definition.human, tau=definition.tau, better=definition.better,
            selected=selected(np.where(beats[d], turned[d], np.nan), prepared.judges),
            tied_items=tied_people if definition.human == "hard" else 0,
            values=tuple(value_of(d, j) for j in range(len(prepared.judges))),
            constant=constant, person=person, perfect=perfect,
        )
        for d, definition in enumerate(definitions)
        for constant, person, perfect in [_rulers_of(constants[d], rulers, d)]
    )  # fmt: skip


def _rulers_of(
    best: BestConstant | None, rulers: Rulers | None, d: int
) -> tuple[Constant | None, Person | None, Perfect | None]:
    """The rulers of one definition."""
    if best is None:
        return None, None, None
    if rulers is None:
        return Constant(answer=best.answer, value=best.value), None, None
    constant = Constant(answer=best.answer, value=best.value, reduced=float(rulers.constants[d]))
    person = None if math.isnan(rulers.person[d]) else Person(value=float(rulers.person[d]), items=rulers.items[d])
    return constant, person, _perfect(rulers.perfect[d])


def _perfect(ends: Floats) -> Perfect | None:
    low, high = map(float, ends)
    return None if math.isnan(low + high) else Perfect(value=(low + high) / 2, low=low, high=high)


def panel_size(prepared: Prepared) -> float:
    """Ratings per item, the median."""
    people = prepared.people
    sizes = np.maximum(people.choices.sum(axis=1), people.sets.sum(axis=1))
    return median(sizes.astype(np.float64), prepared.problem.weights)


def decision_rulers(prepared: Prepared, data: Scores, rulers: Rulers | None) -> tuple[DecisionRulers, ...]:
    """The better constant, a person and a perfect judge at every threshold; the scores have the constants."""
    if not data.prevalence.size:
        return ()
    rows = []
    for t, tau in enumerate(prepared.problem.taus):
        shares = data.consistency[0, t, -len(BASELINES) :]
        place = int(shares.argmax())
        constant = Constant(
            answer=BASELINES[place], value=float(shares[place]),
            reduced=NAN if rulers is None else float(rulers.constant_consistency[t, place]),
        )  # fmt: skip
        person = None if rulers is None else Person(value=float(rulers.person_consistency[t]), items=rulers.items[-1])
        perfect = None if rulers is None else _perfect(rulers.perfect_consistency[t])
        rows.append(
            DecisionRulers(tau=tau, panel=panel_size(prepared), constant=constant, person=person, perfect=perfect)
        )
    return tuple(rows)


def scale_use(prepared: Prepared) -> tuple[ScaleUse, ...]:
    """Shift, spread and unused labels of each judge; nothing where labels have no order."""
    problem, options = prepared.problem, prepared.space.options
    if problem.numbers is None:
        return ()
    numbers = problem.numbers
    weights = problem.weights * problem.is_chosen
    people = np.einsum("i,ik->k", weights, problem.people.soft) / weights.sum()
    judged = np.einsum("i,ijk->jk", weights, problem.judges.soft) / weights.sum()

    def spread(shares: Floats) -> float:
        return math.sqrt(max(float(shares @ numbers**2 - (shares @ numbers) ** 2), 0.0))

    of_people = spread(people)
    return tuple(
        ScaleUse(
            judge=judge,
            shift=float((own - people) @ numbers),
            spread=spread(own) / of_people if of_people > 0 else NAN,
            unused=tuple(
                option for option, mine, theirs in zip(options, own, people, strict=True) if theirs > 0 and mine <= 0
            ),
        )
        for judge, own in zip(prepared.judges, judged, strict=True)
    )


def reverse_matrix(prepared: Prepared, samples: Scores | None, *, confidence: float) -> ReverseMatrix | None:
    """F' with its intervals, where there are paired ratings."""
    reversal = prepared.problem.reversal
    if reversal is None:
        return None
    values = reversal.matrix()
    bounds = np.full((2, *values.shape), np.nan)
    if samples is not None:
        tail = (1 - confidence) / 2
        bounds = np.quantile(samples.reverse, [tail, 1 - tail], axis=0)
    rows, low, high = (tuple(tuple(row) for row in matrix.tolist()) for matrix in (values, *bounds))
    return ReverseMatrix(
        options=prepared.space.options, response_sets=prepared.space.response_sets,
        values=rows, low=low, high=high, pairs=reversal.n_pairs, paired_by=reversal.paired_by,
    )  # fmt: skip


def own_beta(prepared: Prepared, data: Scores, samples: Scores | None, *, confidence: float) -> tuple[OwnBeta, ...]:
    """The own beta of each judge that answered in both elicitations."""
    betas = []
    for j, both in enumerate(number_of(prepared.problem.has_both, prepared.problem.weights)):
        if both and prepared.positive.any():
            low, high = (NAN, NAN) if samples is None else percentile_interval(samples.own_beta[:, j], confidence)
            beta = float(data.own_beta[0, j])
            betas.append(OwnBeta(judge=prepared.judges[j], beta=beta, low=low, high=high, items=int(both)))
    return tuple(betas)


def order_flips(answers: JudgeAnswers, judges: Sequence[str], weights: Floats) -> tuple[OrderFlips, ...]:
    """How often each judge that was asked in both orders answers otherwise."""
    asked, flipped = (number_of(items, weights) for items in (answers.both_orders, answers.flips))
    return tuple(
        OrderFlips(judge=judge, items=int(asked[j]), share=float(flipped[j] / asked[j]))
        for j, judge in enumerate(judges)
        if asked[j]
    )


# ---- What would follow from using a judge: decisions on items, and the prevalence that they add up to (section 2.2.2)


def check_names(judges: Sequence[str]) -> None:
    """Raise if a judge is called as one of the constants that stand beside the judges."""
    taken = [name for name in judges if name in BASELINES]
    if taken:
        raise JudgesError(
            f"A judge is called {taken[0]!r}, like the constant that is shown beside judges: rename it, or leave it "
            "out."
        )


def with_baselines(scores: Scores) -> Scores:
    """The scores with the two constants as further judges of the decisions."""
    prevalence = scores.prevalence[:, :, None]
    constant = np.concatenate([np.ones_like(prevalence), np.zeros_like(prevalence)], axis=2)
    return replace(
        scores,
        bias=np.concatenate([scores.bias, constant - prevalence], axis=2),
        consistency=np.concatenate([scores.consistency, prevalence, 1 - prevalence], axis=2),
        judged_positive=np.concatenate([scores.judged_positive, constant], axis=2),
    )


def decision_kappa(consistency: Floats, judged_positive: Floats, prevalence: Floats) -> Floats:
    """Cohen's kappa of two-way decisions, from how often they agree and how often each is positive.

    NaN where one side decides the same on all items: kappa would be 0 whatever the other does.

    >>> decision_kappa(np.array([0.75]), np.array([0.5]), np.array([0.5]))
    array([0.5])
    """
    by_chance = judged_positive * prevalence + (1 - judged_positive) * (1 - prevalence)
    spread = np.minimum(judged_positive * (1 - judged_positive), prevalence * (1 - prevalence))
    is_defined = spread > SLACK
    return np.where(is_defined, (consistency - by_chance) / np.where(is_defined, 1 - by_chance, 1.0), np.nan)


def downstream_rows(
    data: Scores, samples: Scores | None, *, taus: Sequence[float], judges: Sequence[str], confidence: float,
    items: int, rulers: Rulers | None = None,
) -> tuple[Downstream, ...]:  # fmt: skip
    """Every judge and both constants at every threshold; the scores have the constants, `data` one replicate.

    Intervals are the wider ones of the bootstrap and of a formula for this many items: where all decisions are
    the same, the bootstrap has no spread.
    """
    if not data.prevalence.size:
        return ()
    kappa = decision_kappa(data.consistency, data.judged_positive, data.prevalence[:, :, None])
    reduced = np.full(data.consistency.shape[1:], np.nan)
    if rulers is not None:
        reduced = np.concatenate([rulers.consistency, rulers.constant_consistency], axis=1)
    rows = []
    for t, tau in enumerate(taus):
        for j, judge in enumerate([*judges, *BASELINES]):
            alike, bias = float(data.consistency[0, t, j]), float(data.bias[0, t, j])
            alike_bounds = bias_bounds = UNKNOWN
            if samples is not None:
                drawn = percentile_interval(samples.consistency[:, t, j], confidence)
                alike_bounds = wider(drawn, share_interval(round(alike * items), items, confidence=confidence))
                drawn = percentile_interval(samples.bias[:, t, j], confidence)
                bias_bounds = wider(drawn, _paired_bounds(alike, bias, items, confidence))
            row = Downstream(
                tau=tau, judge=judge, kappa=float(kappa[0, t, j]), reduced=float(reduced[t, j]),
                consistency=alike, consistency_low=alike_bounds[0], consistency_high=alike_bounds[1],
                bias=bias, bias_low=bias_bounds[0], bias_high=bias_bounds[1],
            )  # fmt: skip
            rows.append(row)
    return tuple(rows)


def wider(drawn: Bounds, formula: Bounds) -> Bounds:
    """The interval that holds both; unknown where one is."""
    return (min(drawn[0], formula[0]), max(drawn[1], formula[1])) if not math.isnan(drawn[0]) else drawn


def _paired_bounds(alike: float, bias: float, items: int, confidence: float) -> Bounds:
    """The interval of a bias from how many items only the judge, and only people, call positive."""
    unlike = round((1 - alike) * items)
    more = (unlike + round(bias * items)) / 2
    return paired_difference_interval(more, unlike - more, items, confidence=confidence)


# ---- Where two definitions cannot both be right: pairs of judges that they rank against each other (section 5)
#
# Theorem 5.3: unless one definition is a monotone function of the other, some judges and items invert their ranking. A
# single item on which two judges stand the other way round shows that (Definition 5.2), as in Appendix C.


def inversions(values: Floats, *, ids: Sequence[str], judges: Sequence[str]) -> tuple[Inversion, ...]:
    """Pairs of judges that some definitions rank one way and some the other.

    In the values, of shape (n_definitions, n_judges), higher is better, and NaN prefers nobody.

    >>> found = inversions(np.array([[1.0, 0.0], [0.2, 0.3]]), ids=["hit_rate", "jsd"], judges=["z", "w"])
    >>> found[0].prefer_a, found[0].prefer_b
    (('hit_rate',), ('jsd',))
    """
    pairs = []
    for a, b in combinations(range(len(judges)), 2):
        gap = values[:, a] - values[:, b]
        prefer_a, prefer_b = (tuple(ids[int(i)] for i in np.flatnonzero(side > SLACK)) for side in (gap, -gap))
        if prefer_a and prefer_b:
            pairs.append(Inversion(judge_a=judges[a], judge_b=judges[b], prefer_a=prefer_a, prefer_b=prefer_b))
    return tuple(pairs)


def worst_violation(first: Floats, second: Floats) -> tuple[int, int, int] | None:
    """The item and the two judges on which two definitions disagree most, or None if they never do.

    From what each gives to each judge on each item, of shape (n_items, n_judges), higher being better. The first
    prefers the first of the judges, the second the second. Of all such triples it is the one whose smaller gap is
    largest, each gap as a share of the range of its definition.

    >>> hits, divergence = np.array([[1.0, 0.0]]), np.array([[-0.157, -0.058]])
    >>> worst_violation(hits, divergence)  # the corrected example 1 of Appendix C
    (0, 0, 1)
    """
    worst, place = SLACK, None
    scale = [max(float(np.ptp(values)), SLACK) for values in (first, second)]
    for a, b in combinations(range(first.shape[1]), 2):
        gap_first = (first[:, a] - first[:, b]) / scale[0]
        gap_second = (second[:, b] - second[:, a]) / scale[1]
        both = np.maximum(np.minimum(gap_first, gap_second), np.minimum(-gap_first, -gap_second))
        item = int(both.argmax())
        if both[item] > worst:
            worst = float(both[item])
            place = (item, a, b) if gap_first[item] > 0 else (item, b, a)
    return place


def violations(
    per_item: Floats, *, ids: Sequence[str], signs: Sequence[float], items: Sequence[str], judges: Sequence[str]
) -> tuple[Violation, ...]:
    """For each pair of definitions the item on which they disagree most; `per_item` as in Statistics."""
    worst = []
    for p, q in combinations(range(len(ids)), 2):
        place = worst_violation(signs[p] * per_item[:, p], signs[q] * per_item[:, q])
        if place is None:
            continue
        item, a, b = place
        first, second = ((float(per_item[item, d, a]), float(per_item[item, d, b])) for d in (p, q))
        violation = Violation(
            definition_a=ids[p], definition_b=ids[q], item=items[item], judge_a=judges[a], judge_b=judges[b],
            values_a=first, values_b=second,
        )  # fmt: skip
        worst.append(violation)
    return tuple(worst)


TWO_RATERS = "with two raters per item Fleiss' kappa is Scott's pi, and Krippendorff's alpha is pi + (1 - pi) / (2n)"
ONE_HOT = "the squared error of two labels is 2 (1 - hit)"
ENTROPY = "they differ by the entropy of people's ratings, which is the same for every judge"
ONE_ANSWER = "a set with one option lies within people's set entirely or not at all"
NO_SETS = "nobody gave a response set, so every choice counts as the whole set (beta 0)"


def redundancies(definitions: Sequence[Definition], *, has_sets: bool) -> tuple[Redundancy, ...]:
    """Groups of definitions that rank judges the same way, with `has_sets` if any response sets are known or estimated.

    >>> from dissensus.methods.judges.definitions import definitions_at
    >>> [group.definitions for group in redundancies(definitions_at([0.5]), has_sets=True)][-1]
    ('coverage_h_hrs_0.5', 'precision_h_hrs_0.5')
    """
    groups: list[tuple[tuple[str, ...], str]] = [
        (("scott_pi", "fleiss_kappa", "krippendorff_alpha"), TWO_RATERS),
        (("hit_rate", "mse_hard"), ONE_HOT),
        (("kl_human_judge", "cross_entropy_human_judge"), ENTROPY),
    ]
    if not has_sets:
        groups.append((("mse_soft", "mse_response_set"), NO_SETS))
    covering = [d for d in definitions if d.name == "coverage" and d.judge == "hard"]
    precise = {d.tau: d.id for d in definitions if d.name == "precision" and d.judge == "hard"}
    groups += [((d.id, precise[d.tau]), ONE_ANSWER) for d in covering]
    return tuple(Redundancy(definitions=ids, reason=reason) for ids, reason in groups)


# ---- What to warn about


def undefined_warnings(prepared: Prepared, results: Sequence[DefinitionResult]) -> list[str]:
    """Why values are missing."""
    missing: dict[str, list[str]] = {}
    for result in results:
        if result.definition in COEFFICIENTS:
            for value in result.values:
                if math.isnan(value.value):
                    missing.setdefault(value.judge, []).append(result.id)
    reasons = dict(zip(prepared.judges, _one_label(prepared), strict=True))
    return [f"{', '.join(ids)} of {judge} undefined: {reasons[judge]}." for judge, ids in missing.items()]


def _one_label(prepared: Prepared) -> list[str]:
    """For each judge why its agreement beyond chance is undefined."""
    problem, options = prepared.problem, prepared.space.options
    rows = problem.is_chosen
    people = np.asarray(problem.people.aggregated("hard")[rows].any(axis=0))
    reasons = []
    for labels in np.asarray(problem.judges.aggregated("hard")[rows].any(axis=0)):
        alone = [options[int(side.argmax())] for side in (labels, people) if side.sum() == 1]
        if labels.sum() == 1 and people.sum() == 1:
            reasons.append(f"it and people each have one hard label only ({listed(list(dict.fromkeys(alone)))})")
        else:
            whose = "it has" if labels.sum() == 1 else "people have"
            reasons.append(f"{whose} one hard label only ({listed(alone)}), so agreement is that of chance")
    return reasons


def interval_warnings(results: Sequence[DefinitionResult], *, bootstrap: int, n_items: int) -> list[str]:
    """Why intervals are missing."""
    if not bootstrap:
        return []
    if n_items == 1:
        return ["There is only one item to resample, so there are no intervals."]
    ids = [r.id for r in results if any(math.isnan(v.low) and not math.isnan(v.value) for v in r.values)]
    why = f"undefined in more than {UNDEFINED_SHARE:.0%} of the bootstrap samples"
    return [f"No interval for {', '.join(ids)} of some judges: {why}."] if ids else []


def tie_warnings(results: Sequence[DefinitionResult]) -> list[str]:
    """Where several judges are best."""
    tied: dict[tuple[str, ...], list[str]] = {}
    for result in results:
        first = tuple(value.judge for value in result.values if value.rank == 1)
        if len(first) > 1:
            tied.setdefault(first, []).append(result.id)
    return [
        f"{listed(judges)} tie for best by {listed(ids)}: the first is named as selected."
        for judges, ids in tied.items()
    ]


def ruler_warnings(rulers: Rulers | None) -> list[str]:
    """Why no person and no perfect judge stands beside the judges."""
    if rulers is not None:
        return []
    why = f"fewer than {FEWEST_ITEMS} items have two ratings, so no rater can be left out"
    return [f"There is no person and no perfect judge to compare with: {why}."]


def kappa_warnings(downstream: Sequence[Downstream]) -> list[str]:
    """Where decisions have no kappa."""
    missing = [row for row in downstream if math.isnan(row.kappa)]
    if not missing:
        return []
    judges = [f"{row.judge} at tau {row.tau:g}" for row in missing if row.judge not in BASELINES]
    others = f", nor for {listed(judges)}, where judge or people decide the same on all items" if judges else ""
    return [f"Decisions have no kappa for constant answers{others}: agreement there is chance alone."]
