"""Answers by hand: what a report is made from, each number known."""

import math

from dissensus.methods.compare.result import CompareResult, PairComparison
from dissensus.methods.decide.result import (
    AsIs,
    Constant,
    DecideJudge,
    DecideResult,
    Next,
    Person,
    Raters,
    Recommendation,
)
from dissensus.methods.describe.describe import Coefficient, DescribeResult, Description
from dissensus.methods.equivalence.result import CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.methods.judges.result import DefinitionResult, Downstream, JudgesResult, JudgeValue
from dissensus.report.html import page_of

from survey_builders import ends_of

NAN = math.nan
DATA = {"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 2000}}


def agreement(*, items=300, once=0, median=5.0, alpha=0.4, scale="nominal"):
    """What `describe` found: items of which so many have one rating."""
    part = Description(
        group=None,
        items=items,
        raters=12,
        ratings=1500,
        fewest=1,
        median=median,
        most=8,
        labels=(),
        pairwise_agreement=Coefficient(name="pairwise_agreement", value=0.6, low=0.57, high=0.63),
        coefficients=(Coefficient(name=f"krippendorff_alpha_{scale}", value=alpha, low=0.35, high=0.45),),
        agreement_by_item=((1.0, items - once),),
    )
    return DescribeResult(settings={"scale": scale}, data=DATA, whole=part, groups=())


def worth(
    judge="b", equivalence=3.4, low=2.8, high=4.0, *, score=-0.7, verdict="within", calibrated=False, has_interval=True
):
    is_on = verdict == "within"
    ends = (low, high) if is_on or (low, high) != (2.8, 4.0) else (NAN, NAN)
    return JudgeWorth(
        judge=judge,
        calibrated=calibrated,
        score=score,
        low=score - 0.02,
        high=score + 0.02,
        equivalence=equivalence if is_on else NAN,
        equivalence_raters=math.ceil(equivalence) if is_on else None,
        verdict=verdict,
        **ends_of(verdict, *ends, has_interval=has_interval),
        share_below=0.0,
        share_above=0.0,
    )


def surveys(*judges, largest=5, settings=None):
    curve = [CurvePoint(raters=k, score=-(0.5**k), low=NAN, high=NAN, items=300) for k in range(largest + 1)]
    return EquivalenceResult(
        settings={"bootstrap": 500} | (settings or {}), data=DATA, curve=tuple(curve), judges=judges or (worth(),)
    )


def definition(id_, *order, better="higher"):
    """A definition that puts the judges in this order."""
    values = tuple(
        JudgeValue(judge=judge, value=1 - i / 10, low=NAN, high=NAN, rank=i + 1, share_best=NAN, tied_items=0)
        for i, judge in enumerate(order)
    )
    return DefinitionResult(
        id=id_,
        definition=id_,
        better=better,
        tau=None,
        selected=order[0],
        tied_items=0,
        values=values,
        judge_aggregation="soft",
        human_aggregation="soft",
    )


FIVE = ("jsd", "mse_soft", "kl_judge_human", "hit_rate", "cohen_kappa")


def decided(judge, consistency, bias):
    ends = {"consistency_low": NAN, "consistency_high": NAN, "bias_low": NAN, "bias_high": NAN}
    return Downstream(tau=0.5, judge=judge, consistency=consistency, bias=bias, kappa=NAN, **ends)


DECISIONS = (decided("b", 0.81, -0.02), decided("c", 0.74, 0.12), decided("always-negative", 0.65, -0.35))


def ranking(*orders, downstream=DECISIONS, positive=("toxic",)):
    """A ranking by five definitions, the first of them the one to select by, with these orders of judges."""
    return JudgesResult(
        settings={"positive": list(positive)},
        data=DATA,
        definitions=tuple(definition(id_, *order) for id_, order in zip(FIVE, orders, strict=False)),
        downstream=downstream,
        recommended="jsd",
    )


BC, CB = ("b", "c"), ("c", "b")


def duel(a="b", b="c", *, better="neither", p_value=0.15, metric="wins"):
    numbers = {"score_a": 0.53, "score_b": 0.47, "difference": 0.06, "low": -0.01, "high": 0.14, "items": 300}
    pair = PairComparison(judge_a=a, judge_b=b, better=better, p_value=p_value, p_holm=p_value, **numbers)
    return CompareResult(
        settings={},
        data=DATA,
        pairs=(pair,),
        metric=metric,
        test="sign-flip",
        better_scores="higher",
        question="equally good",
        is_single=True,
    )


def judged(
    judge="b",
    worth=3.4,
    low=2.8,
    high=4.0,
    *,
    shown=True,
    separable=True,
    standing="like a person",
    shift=None,
    how="as is",
):
    """A judge of a decision, on the curve."""
    ends = {"verdict": "within", "low_verdict": "within", "high_verdict": "within"}
    own = AsIs(measure="agreement", value=0.6, low=0.5, high=0.7, standing=standing)
    return DecideJudge(
        judge=judge, worth=worth, worth_low=low, worth_high=high, **ends, shown=shown, as_is=own, shift=shift,
        separable=separable, how=how,
    )  # fmt: skip


MORE = Next(text="to tell b from c, rate 660 items by 1 person each.", items=660, raters=1, cost=660.0)


def decision(use=("b",), how="as is", *, judges=None, step=None, caveats=(), reason="b is worth 3.40 raters."):
    advice = Recommendation(use=tuple(use), how=how if use else None, reason=reason, caveats=tuple(caveats))
    return DecideResult(
        settings={}, data=DATA, recommendation=advice, judges=judges or (judged(), judged("c", 1.2, 0.9, 1.5)),
        constant=Constant(answer="no", measure="agreement", value=0.5),
        person=Person(measure="agreement", value=0.6),
        raters=Raters(count=12, intervals="raters like these", influential=()), next=step, largest=5, items=300,
    )  # fmt: skip


def written(results, path, **said):
    """A page about the results, on disk."""
    path.write_text(page_of(results, **({"title": "What the ratings say"} | said)), encoding="utf-8")
    return path
