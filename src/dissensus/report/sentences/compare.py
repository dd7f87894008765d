"""Which of two judges is better, in words."""

import math
from collections.abc import Sequence

from dissensus.comparison.metrics import MetricName
from dissensus.comparison.question import Test
from dissensus.comparison.result import CompareResult, PairComparison
from dissensus.report.numbers import counted, decimal, percent, with_interval
from dissensus.report.untrusted import quoted

METRIC_WORDS: dict[MetricName, str] = {
    "wins": "Wins is the share of the items on which a judge's answer is nearer to the raters' than the other judge's "
    "is; a tie is half a win for each. Numbers are compared by their means, other labels by their distributions.",
    "mae": "Mean absolute error: how far a judge's mean answer is from the raters' mean answer, on the scale of the "
    "labels, averaged over items. Lower is better.",
    "rmse": "Root mean squared error of a judge's mean answer against the raters' mean answer, on the scale of the "
    "labels; large errors count more than in mae. Lower is better.",
    "emd": "Earth mover's distance: how far the judge's answers would have to be moved to be spread like the raters', "
    "averaged over items; between labels without an order every move is 1. Lower is better.",
    "emd-binned": "The paper's earth mover's distance: mean difference between the sorted numbers of answers in equal "
    "bins. Lower is better.",
    "accuracy": "Accuracy is the share of raters who gave the judge's most frequent label, averaged over items. Higher "
    "is better.",
    "cross-entropy": "Cross-entropy: bits of surprise at a rater's label for somebody who expects what the judge says, "
    "averaged over items. Lower is better.",
    "spearman": "Spearman's correlation over items: 1 if the judge's mean answers put the items in the same order as "
    "the raters' do. Higher is better.",
}
TEST_WORDS: dict[Test, str] = {
    "sign-flip": "The p-value answers: are the judges equally good? It exchanges the two judges on random items and "
    "counts how often they then differ at least as much.",
    "response-permutation": "The p-value answers: do the judges answer alike? It deals out the responses of both to "
    "each item anew and counts how often they then differ at least as much. Judges that answer differently can still "
    "be equally good.",
    "mixture": "The p-value answers: do the judges answer alike? As its authors do, it draws items and responses anew, "
    "with both judges answering from the mixture of their responses and each from its own, and counts how often the "
    "first differ at least as much as the second. Judges that answer differently can still be equally good.",
}
_SHARES = {"wins", "accuracy"}
MOST_DIGITS = 12


def number(value: float, metric: MetricName, digits: int = 3) -> str:
    """A score of this metric; wins and accuracy are shares.

    Examples
    --------
    >>> number(0.25, "wins"), number(0.25, "mae"), number(0.00013, "mae", 5)
    ('25.0%', '0.250', '0.00013')
    """
    if not math.isfinite(value):
        return "undefined"
    return percent(value) if metric in _SHARES else decimal(value, digits)


def digits_of(pair: PairComparison) -> int:
    """Decimals that show two digits of the larger score: three, or more where labels are small numbers."""
    larger = max((abs(score) for score in (pair.score_a, pair.score_b) if math.isfinite(score)), default=0.0)
    return 3 if larger == 0 else min(max(3, 1 - math.floor(math.log10(larger))), MOST_DIGITS)


def p_text(p_value: float) -> str:
    """A p-value.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.00004), p_text(float("nan"))
    ('p = 0.031', 'p < 0.001', 'no p-value')
    """
    if not math.isfinite(p_value):
        return "no p-value"
    return f"p = {decimal(p_value, 3)}" if p_value >= 0.001 else "p < 0.001"  # noqa: PLR2004 - three decimals


def pair_sentence(pair: PairComparison, result: CompareResult) -> str:
    """Which judge of a pair is better, by how much, and how sure that is."""
    a, b = quoted(pair.judge_a), quoted(pair.judge_b)
    if not math.isfinite(pair.difference):
        return f"{a} and {b} cannot be compared by {result.metric}: a score is undefined."
    sure = f"{p_text(pair.p_holm)}{' (Holm-corrected)' if len(result.pairs) > 1 else ''}"
    first, second = (number(score, result.metric, digits_of(pair)) for score in (pair.score_a, pair.score_b))
    scores = f"{result.metric} {first} against {second}"
    if pair.better == "neither":
        return f"It is open whether {a} or {b} is better: {scores}, {sure} on {counted(pair.items, 'item')}."
    if pair.better == "b":
        a, b, scores = b, a, f"{result.metric} {second} against {first}"
    return f"{a} is better than {b}: {scores}, {sure} on {counted(pair.items, 'item')}."


def lead_sentence(result: CompareResult) -> str:
    """The answer: the one pair, or who is better than everybody else."""
    if len(result.pairs) == 1:
        return pair_sentence(result.pairs[0], result)
    decided = sum(pair.better != "neither" for pair in result.pairs)
    text = (
        f"Of {counted(len(result.pairs), 'pair')} of judges, {decided} {'has' if decided == 1 else 'have'} a better one"
    )
    best = best_judge(result.pairs)
    return f"{text}; {quoted(best)} is better than every other by {result.metric}." if best else f"{text}."


def best_judge(pairs: Sequence[PairComparison]) -> str | None:
    """The judge that is better than every other; None if there is none, or if not every pair was compared."""
    names = {name for pair in pairs for name in (pair.judge_a, pair.judge_b)}
    won = [pair.judge_a if pair.better == "a" else pair.judge_b for pair in pairs if pair.better != "neither"]
    return next((name for name in sorted(names) if won.count(name) == len(names) - 1), None)


def finding_sentence(result: CompareResult) -> str:
    """What the chart of the differences shows."""
    if len(result.pairs) > 1:
        decided = sum(pair.better != "neither" for pair in result.pairs)
        found = f"{decided} of {counted(len(result.pairs), 'difference')} in {result.metric}"
        return f"{found} {'is' if decided == 1 else 'are'} told apart from chance"
    pair = result.pairs[0]
    more = "higher" if pair.difference > 0 else "lower"
    names = f"{quoted(pair.judge_a)}'s {result.metric} score is", f"than {quoted(pair.judge_b)}'s"
    if pair.difference == 0:
        return f"{names[0]} equal to {quoted(pair.judge_b)}'s"
    return f"{names[0]} {more} {names[1]}" + ("; that may be chance" if pair.better == "neither" else "")


def interval_text(pair: PairComparison, metric: MetricName) -> str:
    """The difference with its interval."""
    digits = digits_of(pair)
    return with_interval(pair.difference, pair.low, pair.high, form=lambda value: number(value, metric, digits))


def non_inferiority_sentence(pair: PairComparison, result: CompareResult) -> str:
    """Whether B is at most so much worse; empty if that was not asked."""
    found = pair.non_inferiority
    if found is None:
        return ""
    a, b = quoted(pair.judge_a), quoted(pair.judge_b)
    is_share = result.metric in _SHARES
    margin = f"{decimal(100 * found.margin, 1)} percentage points" if is_share else f"{found.margin:g}"
    if found.is_non_inferior:
        return f"{b} is at most {margin} worse than {a} ({p_text(found.p_holm)})."
    return f"It is not shown that {b} is at most {margin} worse than {a} ({p_text(found.p_holm)})."
