"""What `compare` says: is A better than B."""

import math
from functools import partial

from dissensus.errors import DissensusError
from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.options import Test
from dissensus.methods.compare.result import CompareResult, Constant, PairComparison
from dissensus.report.document import Block, Cell, Figure, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import (
    are,
    counted,
    decimal,
    p_number,
    p_text,
    percent,
    points,
    quoted,
    sentences,
    short_names,
    with_interval,
)
from dissensus.report.specs import interval_row, intervals, zoomed
from dissensus.report.views.section import interval_sentence
from dissensus.results import Result

METRIC_WORDS: dict[MetricName, str] = {
    "information": "Information, in bits: the logarithm of the chance that a judge's answers, turned into people's "
    "terms, give to a rater's label, averaged over items. It counts what a judge knows, not how strict or how sure it "
    "is, and is the score of `dissensus equivalence`. Higher is better; 0 would be perfect.",
    "wins": "Wins is the share of the items on which a judge's answer is nearer to the raters' than the other judge's "
    "is; a tie is half a win for each. Numbers are compared by their means, other labels by their distributions. Wins "
    "rewards the sharper judge: against few raters one that never hedges wins more items, even if it knows less.",
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
HOLM = (
    "Holm's correction makes p-values of many pairs honest: the chance that any pair of equal judges is called "
    "different stays below {level}."
)
_SHARES = frozenset({"wins", "accuracy"})
MOST_DIGITS = 12
MOST_SENTENCES = 10
LONGEST_NAME = 12
"""Two names of that length fit beside each other on the axis of a chart."""


def view(result: Result) -> Section:
    """Which judge is better: the answer, the scores, their differences, and which question the p-value answers."""
    if not isinstance(result, CompareResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what compare found.")
    has_many = len(result.pairs) > 1
    pairs = [pair_sentence(pair, result) for pair in result.pairs[:MOST_SENTENCES]] if has_many else []
    more = len(result.pairs) - len(pairs) if has_many else 0
    pairs += [f"{counted(more, 'more pair')} {are(more)} in the table."] if more else []
    confidence = result.settings.get("confidence")
    level = percent(1 - confidence, 0) if isinstance(confidence, float) else "its level"
    computed = [METRIC_WORDS[result.metric], interval_sentence(result.settings)]
    computed += [HOLM.format(level=level)] if has_many else []
    return Section(
        title="Is A better than B?" if result.is_single else "Which judge is better?",
        lead=lead_sentence(result),
        blocks=[
            *_non_inferiority(result),
            *_references(result),
            _figure(result),
            *([Points(title="Pair by pair", texts=pairs)] if pairs else []),
            Paragraph(text=TEST_WORDS[result.test]),
            Points(title="How this was computed", texts=[text for text in computed if text]),
        ],
    )


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


def lead_sentence(result: CompareResult) -> str:
    """The answer: the one pair, or who is better than everybody else."""
    if len(result.pairs) == 1:
        return pair_sentence(result.pairs[0], result)
    decided = sum(pair.better != "neither" for pair in result.pairs)
    has = "has" if decided == 1 else "have"
    text = f"Of {counted(len(result.pairs), 'pair')} of judges, {decided} {has} a better one"
    best = result.best_judge
    return f"{text}; {quoted(best)} is better than every other by {result.metric}." if best else f"{text}."


def pair_sentence(pair: PairComparison, result: CompareResult) -> str:
    """Which judge of a pair is better, by how much, and how sure that is."""
    a, b = quoted(pair.judge_a), quoted(pair.judge_b)
    if not math.isfinite(pair.difference):
        return f"{a} and {b} cannot be compared by {result.metric}: a score is undefined."
    first, second = (number(score, result.metric, digits_of(pair)) for score in (pair.score_a, pair.score_b))
    if pair.better == "b":
        a, b, first, second = b, a, second, first
    who = f"It is open whether {a} or {b} is better" if pair.better == "neither" else f"{a} is better than {b}"
    sure = f"{p_text(pair.p_holm)}{' (Holm-corrected)' if len(result.pairs) > 1 else ''}"
    return f"{who}: {result.metric} {first} against {second}, {sure} on {counted(pair.items, 'item')}."


def finding_sentence(result: CompareResult) -> str:
    """What the chart of the differences shows."""
    if len(result.pairs) > 1:
        decided = sum(pair.better != "neither" for pair in result.pairs)
        differences = counted(len(result.pairs), "difference")
        return f"{decided} of {differences} in {result.metric} {are(decided)} told apart from chance"
    pair = result.pairs[0]
    score, other = f"{quoted(pair.judge_a)}'s {result.metric} score is", f"{quoted(pair.judge_b)}'s"
    if pair.difference == 0:
        return f"{score} equal to {other}"
    chance = "; that may be chance" if pair.better == "neither" else ""
    return f"{score} {'higher' if pair.difference > 0 else 'lower'} than {other}{chance}"


def non_inferiority_sentence(pair: PairComparison, result: CompareResult) -> str:
    """Whether B is at most so much worse; empty if that was not asked."""
    test = pair.non_inferiority
    if test is None:
        return ""
    is_share = result.metric in _SHARES
    margin = f"{points(test.margin)} percentage points" if is_share else f"{test.margin:g}"
    claim = f"{quoted(pair.judge_b)} is at most {margin} worse than {quoted(pair.judge_a)} ({p_text(test.p_holm)})."
    return claim if test.is_non_inferior else f"It is not shown that {claim}"


def _non_inferiority(result: CompareResult) -> list[Block]:
    texts = [text for pair in result.pairs if (text := non_inferiority_sentence(pair, result))]
    if len(texts) == 1:
        return [Paragraph(text=texts[0])]
    return [Points(title="At most the margin worse?", texts=texts)] if texts else []


def constant_sentence(result: CompareResult) -> str:
    """That no judge beats a constant answer, where that is so; else empty."""
    if result.constant is None or result.has_better_than_constant is not False:
        return ""
    return f"No judge beats {_constant_name(result.constant)}."


def _constant_name(constant: Constant) -> str:
    return "giving the usual shares of the labels" if constant.answer is None else f"always answering {constant.answer}"


def _references(result: CompareResult) -> list[Block]:
    """What a constant answer and one more person score, to read the judges' scores by."""
    rows: list[list[Cell]] = []
    if result.constant is not None:
        rows.append([_constant_name(result.constant), result.constant.score])
    if result.person is not None:
        rows.append(["one more person", result.person.score])
    if not rows:
        return []
    text = constant_sentence(result)
    table = Table(
        caption=f"To read the scores by ({result.metric}, {result.better_scores} is better)",
        columns=["Instead of a judge", "Score"],
        rows=rows,
        percent=frozenset({"Score"}) if result.metric in _SHARES else frozenset(),
        digits=max(map(digits_of, result.pairs)),
    )
    return [*([Note(text=text)] if text else []), table]


def _table(result: CompareResult) -> Table:
    names = short_names(name for pair in result.pairs for name in (pair.judge_a, pair.judge_b))
    rows: list[list[Cell]] = []
    for pair in result.pairs:
        form = partial(number, metric=result.metric, digits=digits_of(pair))
        difference = with_interval(pair.difference, pair.low, pair.high, form=form)
        rows.append(
            [names[pair.judge_a], names[pair.judge_b], pair.score_a, pair.score_b, difference, p_number(pair.p_holm)]
        )
    return Table(
        caption=f"Scores ({result.metric}, {result.better_scores} is better) and their difference, A less B",
        columns=["A", "B", "Score A", "Score B", "Difference", "p (Holm)" if len(result.pairs) > 1 else "p"],
        rows=rows,
        percent=frozenset({"Score A", "Score B"}) if result.metric in _SHARES else frozenset(),
        digits=max(map(digits_of, result.pairs)),
    )


def _figure(result: CompareResult) -> Block:
    """The differences with their intervals, around no difference, and the numbers behind them."""
    known = [pair for pair in result.pairs if math.isfinite(pair.difference)]
    if not known:
        return _table(result)
    names = short_names((name for pair in known for name in (pair.judge_a, pair.judge_b)), LONGEST_NAME, has_end=True)
    rows = [
        interval_row(f"{names[pair.judge_a]} - {names[pair.judge_b]}", pair.difference, pair.low, pair.high)
        for pair in known
    ]
    spec = intervals(rows, names="Judges", values=[f"Difference in {result.metric}, A less B"], reference=0.0)
    side = "right" if result.better_scores == "higher" else "left"
    return Figure(
        title=finding_sentence(result),
        caption=sentences(
            f"Each line is the difference of two judges' scores ({result.metric}), the first less the second; to the "
            f"{side} of the dashed line the first is better.",
            interval_sentence(result.settings, "Whiskers are"),
        ),
        spec=zoomed(spec, rows, anchors=[0.0], form=None),
        table=_table(result),
    )
