"""Whom to select, by which definition, and what not to trust; each with its reason.

Figures in the reasons come from the paper's simulation experiment.
"""

import math
from collections.abc import Callable, Sequence

from dissensus.errors import counted, listed
from dissensus.judges.aggregation import SLACK
from dissensus.judges.collecting import collecting
from dissensus.judges.downstream import BASELINES, Downstream
from dissensus.judges.findings import Findings
from dissensus.judges.reading import reading, scale
from dissensus.judges.result import Advice

SURE = 0.95


def advice_on(findings: Findings) -> tuple[Advice, ...]:
    """What to do, the most important first."""
    first = scale(findings) if findings.prepared.scale == "interval" else []
    return (
        *first,
        *_select(findings),
        *_decide(findings),
        *_rivals(findings),
        *_sweep(findings),
        *_baselines(findings),
        *_distrust(findings),
        *collecting(findings),
        *(advice for advice in reading(findings) if advice not in first),
    )


def _select(findings: Findings) -> list[Advice]:
    """By which definition to select, and whom that is."""
    chosen = findings.definition(findings.recommended)
    if chosen.selected is None:
        return []
    tied = [value.judge for value in chosen.values if value.rank == 1]
    if len(tied) > 1:
        return [Advice(text=f"Do not select by {chosen.id} alone: {listed(tied)} tie.", reason=_why(findings))]
    alone = f"Go by {chosen.id} when you compare it with another judge."
    select = f"Select by {chosen.id}: {chosen.selected}."
    if not _is_any_better(findings):
        select = f"Compare judges by {chosen.id}, by which {chosen.selected} comes closest; none is one to select yet."
    text = select if len(chosen.values) > 1 else alone
    return [Advice(text=text, reason=_why(findings))]


def _is_any_better(findings: Findings) -> bool:
    """Whether a judge decides as people do more often than both constants at some threshold, or none is compared."""
    rows = findings.downstream
    constants = {row.tau: max(own.consistency for own in rows if own.tau == row.tau and own.judge in BASELINES)
                 for row in rows}  # fmt: skip
    return not rows or any(row.consistency > constants[row.tau] + SLACK for row in rows if row.judge not in BASELINES)


def _why(findings: Findings) -> str:
    prepared = findings.prepared
    reversal = prepared.problem.reversal
    if prepared.is_fully_specified:
        return (
            "The task is fully specified, so that forced choices tell all there is, and a divergence uses every rating "
            "and not only the most frequent label."
        )
    if prepared.people.has_set.all():
        return (
            "People gave response sets, and in simulations the squared error of response sets ranks judges as their "
            "decisions do: Spearman .88 with consistency, hit rate .40."
        )
    if reversal is not None:
        what = "paired ratings" if reversal.paired_by == "rater" else "items with both elicitations"
        return (
            f"F' from {reversal.n_pairs:,} {what} turns forced choices into response sets. In simulations with 100 "
            "paired ratings this has Spearman .94 with consistency; jsd has .63, hit rate .38."
        )
    return (
        "There are forced choices only, and no paired ratings. Of the definitions that need nothing else jsd is the "
        "safest, but not safe: its Spearman with consistency falls from .86 to .63 if judges force choices otherwise "
        "than people do."
    )


def _decide(findings: Findings) -> list[Advice]:
    """Another judge where the one to select is not the one whose decisions are best; each with all its thresholds."""
    chosen = findings.definition(findings.recommended)
    better: dict[str, list[tuple[Downstream, Downstream]]] = {}
    for tau in dict.fromkeys(row.tau for row in findings.downstream):
        rows = {row.judge: row for row in findings.downstream if row.tau == tau and row.judge not in BASELINES}
        best = max(rows.values(), key=lambda row: row.consistency)
        if chosen.selected is not None and best.consistency > rows[chosen.selected].consistency + SLACK:
            better.setdefault(best.judge, []).append((best, rows[chosen.selected]))
    return [
        Advice(
            text=f"For decisions at {_taus(found)} alone, consider {judge} instead of {chosen.selected}.",
            reason=f"Share of the items decided as people do: {_beside(found, _with_interval)}. "
            f"{chosen.id} looks at every option, a decision only at whether a positive one is endorsed.",
        )
        for judge, found in better.items()
    ]


def _taus(found: Sequence[tuple[Downstream, ...]]) -> str:
    """The thresholds of some comparisons, in a sentence."""
    taus = [f"{rows[0].tau:g}" for rows in found]
    return f"tau {' and '.join([', '.join(taus[:-1]), taus[-1]] if len(taus) > 1 else taus)}"


def _beside(found: Sequence[tuple[Downstream, ...]], form: Callable[[Downstream], str]) -> str:
    """Judges beside each other, at each threshold."""
    said = [", ".join(form(row) for row in rows) for rows in found]
    if len(found) == 1:
        return said[0]
    return "; ".join(f"at {rows[0].tau:g} {text}" for rows, text in zip(found, said, strict=True))


def _with_interval(row: Downstream) -> str:
    bounds = "" if math.isnan(row.consistency_low) else f" ({row.consistency_low:.2f} to {row.consistency_high:.2f})"
    return f"{row.judge} {row.consistency:.2f}{bounds}"


def _without_interval(row: Downstream) -> str:
    return f"{row.judge} {row.consistency:.2f}"


def _rivals(findings: Findings) -> list[Advice]:
    """Whether the best judge is clearly best."""
    chosen = findings.definition(findings.recommended)
    ranked = sorted((value for value in chosen.values if value.rank is not None), key=lambda value: value.rank or 0)
    if len(ranked) < 2 or not ranked[0].share_best < SURE:  # noqa: PLR2004 - nobody to compare with
        return []
    first, second = ranked[:2]
    return [
        Advice(
            text=f"Do not take {first.judge} for clearly better than {second.judge}: compare them on more items.",
            reason=f"By {chosen.id} {first.judge} is best in {first.share_best:.0%} of the bootstrap samples of "
            f"{counted(findings.prepared.problem.items_in_all, 'item')}, {second.judge} in {second.share_best:.0%}.",
        )
    ]


def _sweep(findings: Findings) -> list[Advice]:
    """Whether the answer depends on beta."""
    # From beta = tau on every item is positive, so that a change there says nothing about judges.
    flips = [flip for flip in findings.flip_points if flip.definition is None and flip.beta_to < flip.tau]
    if not flips:
        return []
    first = min(flips, key=lambda flip: flip.beta_to)
    own = ", ".join(f"{beta.judge} {beta.beta:.2f}" for beta in findings.own_beta if beta.beta >= 0)
    plausible = f" The judges' own beta, which may be a hint: {own}." if own else ""
    return [
        Advice(
            text=f"Find out whether beta is {first.beta_to:.2f} or more before you rely on {first.judge_from}.",
            reason=f"From there on {first.judge_to} decides most often as people do at tau {first.tau:g}, and forced "
            f"choices cannot tell beta.{plausible}",
        )
    ]


def _baselines(findings: Findings) -> list[Advice]:
    """Judges that do not beat a constant, in words; each set of judges with all its thresholds."""
    found: dict[tuple[str, ...], list[tuple[Downstream, ...]]] = {}
    for tau in dict.fromkeys(row.tau for row in findings.downstream):
        rows = [row for row in findings.downstream if row.tau == tau]
        constant = max((row for row in rows if row.judge in BASELINES), key=lambda row: row.consistency)
        limit = constant.consistency + SLACK
        beaten = [row for row in rows if row.judge not in BASELINES and row.consistency <= limit]
        if beaten:
            found.setdefault(tuple(row.judge for row in beaten), []).append((constant, *beaten))
    return [
        Advice(
            text=f"Do not decide with {listed(list(judges))} at {_taus(rows)} before they are shown to beat "
            f"{listed(list(dict.fromkeys(row[0].judge for row in rows)))}.",
            reason=f"Share of the items decided as people do: {_beside(rows, _without_interval)}."
            f"{'' if place else _estimated(findings)}",
        )
        for place, (judges, rows) in enumerate(found.items())
    ]


def _estimated(findings: Findings) -> str:
    """A caveat where people's decisions are not observed but estimated from their forced choices."""
    if findings.prepared.is_fully_specified or findings.prepared.people.has_set.all():
        return ""
    return (
        " People's decisions are themselves estimated here, from their forced choices, and the fewer of these an item "
        "has, the worse good judges look."
    )


def _distrust(findings: Findings) -> list[Advice]:
    """Categorical agreement where it would select somebody else."""
    chosen, common = findings.definition(findings.recommended), findings.definition("hit_rate")
    if common.selected in {None, chosen.selected} or findings.prepared.is_fully_specified:
        return []
    best = max((value.share_best for value in chosen.values), default=math.nan)
    if best < SURE:  # the data cannot tell who is best, so they cannot tell which definition is right
        return []
    return [
        Advice(
            text=f"Do not select by hit_rate: it would take {common.selected}.",
            reason=f"{chosen.id} takes {chosen.selected}. Where several options can be right, agreement with the most "
            "frequent label says least about decisions: Spearman .40 with consistency in simulations.",
        )
    ]
