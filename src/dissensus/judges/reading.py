"""How not to read the numbers: ties, clips, scales and orders."""

import math

import numpy as np

from dissensus.errors import counted, listed
from dissensus.judges.alike_items import mean_of
from dissensus.judges.definitions.distributional import CLIP
from dissensus.judges.findings import Findings
from dissensus.judges.result import Advice

MANY_CLIPPED = 0.01
MANY_TIES = 0.1
MANY_FLIPS = 0.1
FEWEST_STEPS = 3
"""With two options there is no near miss."""


def reading(findings: Findings) -> list[Advice]:
    """Advice on what the numbers do not say."""
    return [*_clip(findings), *_ties(findings), *scale(findings), *_orders(findings)]


def _clip(findings: Findings) -> list[Advice]:
    """Divergences that rest on the clip."""
    problem = findings.prepared.problem
    rows = problem.is_chosen
    is_ruled_out = (problem.judges.soft[rows] < CLIP) & (problem.people.soft[rows] > 0)[:, None, :]
    copies = None if problem.copies is None else problem.copies[rows]
    share = mean_of(np.asarray(is_ruled_out.any(axis=2)), copies)
    judges = [judge for judge, own in zip(findings.prepared.judges, share, strict=True) if own > MANY_CLIPPED]
    if not judges or problem.smoothing:
        return []
    return [
        Advice(
            text="Take kl_human_judge and cross_entropy_human_judge for what they mostly are here: a count of items on "
            "which a judge rules out what somebody chose.",
            reason=f"That happens on up to {share.max():.0%} of the items ({listed(judges)}) and costs up to "
            f"{-math.log(CLIP):.0f} nats each, the clip at {CLIP:g}. Ask for probabilities or more samples, or add "
            "--smoothing.",
        )
    ]


def _ties(findings: Findings) -> list[Advice]:
    """Hard labels that depend on the order of the options."""
    prepared = findings.prepared
    tied_people, tied = prepared.problem.tied()
    items = prepared.problem.items_chosen
    everybody = {"people": tied_people, **dict(zip(prepared.judges, tied, strict=True))}
    often = {name: number for name, number in everybody.items() if number > MANY_TIES * items}
    if not often:
        return []
    return [
        Advice(
            text=f"Do not trust definitions with the hard label of {listed(list(often))}.",
            reason=f"Several options tie for it on up to {max(often.values()):,} of {counted(items, 'item')}, and then "
            "the first one in order is taken.",
        )
    ]


def scale(findings: Findings) -> list[Advice]:
    """Labels in an order, which these definitions do not know."""
    prepared = findings.prepared
    if prepared.scale == "nominal" or len(prepared.space.options) < FEWEST_STEPS:
        return []
    return [
        Advice(
            text=f"Look at distances{'' if prepared.scale == 'interval' else ', too'}: the mean absolute error or a "
            "rank correlation (`dissensus compare --metric mae` or spearman; `dissensus equivalence --score pearson`).",
            reason=f"The labels are {prepared.scale}, and every definition here takes a near miss for as bad as a far "
            "one.",
        )
    ]


def _orders(findings: Findings) -> list[Advice]:
    """Judges that go by the place of an output."""
    flipping = [flips for flips in findings.order_flips if flips.share > MANY_FLIPS]
    if not flipping:
        return []
    shown = ", ".join(f"{flips.judge} {flips.share:.0%}" for flips in flipping)
    return [
        Advice(
            text="Ask in both orders, always, and count the two answers together.",
            reason=f"When the order is swapped the choice flips on this share of the pairs: {shown}.",
        )
    ]
