"""From what resampling found to the result."""

import math
import shlex
from collections.abc import Mapping, Sequence

from dissensus.errors import listed
from dissensus.methods.compare.metrics import Columns, midranks
from dissensus.methods.compare.options import ASKED, Question
from dissensus.methods.compare.pairs import Found, NamedPair
from dissensus.methods.compare.resampling import Resampled, holm, non_inferiority_p_value
from dissensus.methods.compare.result import Better, CompareResult, NonInferiority, PairComparison
from dissensus.sampling.intervals import percentile_interval

MIXTURE = (
    "The mixture test almost never finds a difference that is there: with 100 items, 5 raters and a true difference it "
    "found it in 9% of the data sets by mae, sign-flip in 48%. It is here to compare with the paper."
)
PERMUTATION = (
    "Response permutation asks whether the judges answer alike, not whether they are equally good: of judges that are "
    "equally good in different ways it calls more than 5% different (13% for mae in simulations)."
)
ANSWERED_ONCE = (
    "Every judge answered each item once, so dealing out responses is the same as exchanging the judges on an item."
)
NO_INTERVAL = (
    "Without intervals (--bootstrap 0) no judge is called better: this test alone does not say whether they are "
    "equally good."
)
BINNED = (
    "emd-binned sorts the bins before it compares them, as the authors' tool does, so it cannot see whether a judge "
    "answers too high or too low. For a distance that can, choose emd."
)


def sum_up(
    found: Found, resampled: Sequence[Resampled], question: Question, *, data: Mapping[str, Mapping[str, object]]
) -> CompareResult:
    """The result, its p-values corrected for all pairs."""
    columns = [pair.problem.observed() for pair in found.pairs]
    adjusted = holm([own.p_value for own in resampled])
    inferior = _non_inferiorities(found, columns, resampled, question)
    pairs = tuple(
        _pair(pair, own, resamples, p_holm, margin, question)
        for pair, own, resamples, p_holm, margin in zip(
            found.pairs, columns, resampled, adjusted, inferior, strict=True
        )
    )
    return CompareResult(
        settings=question.settings(),
        data=data,
        warnings=(*found.warnings, *_warnings(found, columns, pairs, question)),
        pairs=pairs,
        metric=question.metric,
        test=question.test,
        better_scores=found.metric.better,
        question=ASKED[question.test],
        is_single=question.is_single,
    )


def _pair(
    pair: NamedPair,
    columns: Columns,
    resampled: Resampled,
    p_holm: float,
    inferiority: NonInferiority | None,
    question: Question,
) -> PairComparison:
    scores = pair.problem.metric.score(columns)
    difference = float(scores.difference)
    low, high = percentile_interval(resampled.differences, question.confidence, most_undefined=1.0)
    if not math.isfinite(difference):
        low = high = math.nan
    gain = difference if pair.problem.metric.higher_is_better else -difference
    return PairComparison(
        judge_a=pair.judge_a,
        judge_b=pair.judge_b,
        score_a=float(scores.a),
        score_b=float(scores.b),
        difference=difference,
        better=_better(gain, p_holm, low, high, question),
        low=low,
        high=high,
        p_value=resampled.p_value,
        p_holm=p_holm,
        items=pair.problem.items_in_all,
        non_inferiority=inferiority,
    )


def _better(gain: float, p_value: float, low: float, high: float, question: Question) -> Better:
    """Which judge is better: what the p-value says, and the interval too where the test asks another question."""
    if not p_value <= 1 - question.confidence or gain == 0:
        return "neither"
    if ASKED[question.test] == "same distribution" and not (low > 0 or high < 0):
        return "neither"
    return "a" if gain > 0 else "b"


def _non_inferiorities(
    found: Found, columns: Sequence[Columns], resampled: Sequence[Resampled], question: Question
) -> list[NonInferiority | None]:
    if question.margin is None:
        return [None] * len(columns)
    sign = -1 if found.metric.higher_is_better else 1
    values = [
        non_inferiority_p_value(
            sign * float(found.metric.score(own).difference), sign * resamples.differences, question.margin
        )
        for own, resamples in zip(columns, resampled, strict=True)
    ]
    return [
        NonInferiority(
            margin=question.margin,
            p_value=p_value,
            p_holm=p_holm,
            is_non_inferior=bool(p_holm <= 1 - question.confidence),
        )
        for p_value, p_holm in zip(values, holm(values), strict=True)
    ]


def _warnings(
    found: Found, columns: Sequence[Columns], pairs: Sequence[PairComparison], question: Question
) -> list[str]:
    names = [f"{pair.judge_a} and {pair.judge_b}" for pair in found.pairs]
    warnings = []
    alike = [name for name, own in zip(names, columns, strict=True) if _are_alike(found, own)]
    if alike:
        # The other tests draw responses anew, and these may differ: their p need not be 1.
        answer = "p is 1: " if question.test == "sign-flip" else ""
        warnings.append(f"{answer}{listed(alike)} score the same on every item, so there is no difference to test.")
    undefined = [name for name, pair in zip(names, pairs, strict=True) if not math.isfinite(pair.difference)]
    if undefined:
        warnings.append(
            f"The correlation is undefined for {listed(undefined)}: a judge or the raters gave every item the same."
        )
    if question.metric == "spearman":
        warnings += _negative_correlations(pairs, question.reverse)
    if question.metric == "emd-binned":
        warnings.append(BINNED)
    return warnings + _too_few_draws(len(pairs), question) + _warnings_of_test(found, question)


def _are_alike(found: Found, columns: Columns) -> bool:
    """Whether every item counts the same for both judges."""
    a, b = (midranks(own) for own in columns[:2]) if found.metric.name == "spearman" else columns[:2]
    return bool((a == b).all())


def _negative_correlations(pairs: Sequence[PairComparison], reverse: Sequence[str]) -> list[str]:
    scores = {pair.judge_a: pair.score_a for pair in pairs} | {pair.judge_b: pair.score_b for pair in pairs}
    negative = [name for name, score in scores.items() if score < 0]
    warnings = []
    if plain := [name for name in negative if name not in reverse]:
        options = " ".join(f"--reverse {shlex.quote(name)}" for name in plain)
        warnings.append(
            f"{listed(plain)}: higher answers go with lower labels. If the scale is meant so, say {options}."
        )
    if turned := [name for name in negative if name in reverse]:
        options = " ".join(f"--reverse {shlex.quote(name)}" for name in turned)
        warnings.append(f"{listed(turned)}: higher answers go with higher labels. Perhaps leave {options} out.")
    return warnings


def _too_few_draws(n_pairs: int, question: Question) -> list[str]:
    """Say so where even the rarest result would not be rare enough, so that nothing can be found."""
    level = 1 - question.confidence
    drawn = {"--resamples": question.resamples} | ({"--bootstrap": question.bootstrap} if question.margin else {})
    warnings = []
    for option, number in drawn.items():
        sides = 2 if option == "--resamples" and question.test == "response-permutation" else 1
        least = sides * n_pairs / (1 + number)
        if least > level:
            of_pairs = "" if n_pairs == 1 else f" for {n_pairs} pairs"
            warnings.append(
                f"{option} {number} is too few{of_pairs}: no p can be below {min(1, least):.2g}, so nothing can be "
                f"found. Give at least {math.ceil(sides * n_pairs / level)}."
            )
    return warnings


def _warnings_of_test(found: Found, question: Question) -> list[str]:
    """What the test cannot do."""
    has_interval = question.bootstrap > 0 or ASKED[question.test] == "same quality"
    return _limits(found, question) + ([] if has_interval else [NO_INTERVAL])


def _limits(found: Found, question: Question) -> list[str]:
    if question.test == "mixture":
        return [MIXTURE]
    if question.test == "sign-flip":
        return []
    if all((pair.problem.a.sizes == 1).all() and (pair.problem.b.sizes == 1).all() for pair in found.pairs):
        return [ANSWERED_ONCE]
    return [] if question.metric == "wins" else [PERMUTATION]
