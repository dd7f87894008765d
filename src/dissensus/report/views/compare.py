"""What `compare` says: which judge is better."""

import math
from collections.abc import Mapping

from dissensus.methods.compare.metrics import MetricName
from dissensus.methods.compare.result import ASKED, Asked, CompareResult, Constant, PairComparison
from dissensus.report.document import Cell, Figure, Fold, Section, Table
from dissensus.report.numbers import (
    capital,
    counted,
    decimal,
    listing,
    p_number,
    p_text,
    percent,
    points,
    sentences,
    short_names,
    supported_digits,
    with_interval,
)
from dissensus.report.specs.shapes import interval_row, intervals, zoomed
from dissensus.report.views.section import how_computed, interval_sentence, judge_slots, noted

METRIC_WORDS: dict[MetricName, str] = {
    "information": "Information, in bits: the mean logarithm of the probability that a judge's recalibrated answer "
    "gives to a rater's label; 0 is perfect.",
    "wins": "Wins: the share of items on which the judge is closer to the raters; a tie is half a win.",
    "mae": "Mean absolute error of the judge's mean answer against the raters' mean answer.",
    "rmse": "Root mean squared error of the judge's mean answer against the raters' mean answer.",
    "emd": "Earth mover's distance: how far a judge's answers must move to match the raters', averaged over items.",
    "emd-binned": "The paper's earth mover's distance: the mean difference between sorted numbers of answers in bins.",
    "accuracy": "Accuracy: the share of raters who gave the judge's most frequent label, averaged over items.",
    "cross-entropy": "Cross-entropy, in bits: the mean surprise at a rater's label if you trust the judge as it is.",
    "spearman": "Spearman's correlation over items between the judge's and the raters' mean answers.",
}
METRIC_NAMES: dict[str, str] = {
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "emd": "earth mover's distance",
    "emd-binned": "binned earth mover's distance",
    "spearman": "Spearman's correlation",
}
"""In a sentence; the others are words."""
TEST_WORDS: dict[Asked, str] = {
    "same quality": "The difference is paired, item by item; the p-value answers: are the judges equally good?",
    "same distribution": "The difference is paired, item by item; the p-value answers: do the judges answer the same "
    "way? If not, they can be equally good.",
}
HOLM = "p-values are Holm-corrected for the number of pairs."
DECIDE = "No judge beats {constant}: ask `dissensus decide` whether one is worth using."
PLAN = "To tell {a} and {b} apart, rate more items: `dissensus plan raters` says how many, with these files as pilot."
_SHARES = frozenset({"wins", "accuracy"})
LONGEST_NAME = 12
"""Two names of that length fit beside each other on the axis of a chart."""
LONGEST_ROW = 22
"""And of that length in a table of a terminal."""
MOST_NAMES = 3


def view(result: CompareResult) -> Section:
    """Which judge is better: the answer, a row for each judge, and what to do; the pairs are folded."""
    names = short_names((one.judge for one in result.standings), 30, has_end=True)
    has_many, figures = len(result.pairs) > 1, _figures(result)
    pairs = Fold(title="Pair by pair", parts=figures or [_pairs_table(result)])
    return Section(
        title="Is A better than B?" if result.is_single else "Which judge is better?",
        lead=lead_sentence(result, names),
        blocks=[
            _judges_table(result, names) if has_many else _pair_table(result, names),
            *noted(_notes(result, names)),
            *([pairs] if has_many else figures),
            how_computed(_computed(result)),
        ],
    )


# ---- The answer


def lead_sentence(result: CompareResult, names: Mapping[str, str]) -> str:
    """Who leads, and who cannot be told apart from the leader; of one pair which judge is better."""
    if len(result.pairs) == 1:
        return _pair_sentence(result, names)
    decided = sum(pair.better != "neither" for pair in result.pairs)
    best, *others = result.standings
    if not decided:
        return f"No judge is shown to be better than another by {_metric(result)} ({len(result.pairs)} pairs compared)."
    first = names[best.judge]
    beaten = listing([names[one.judge] for one in others if one.judge in best.beats], most=MOST_NAMES)
    if not best.beats:
        return (
            f"{first} scores best by {_metric(result)}, but is not shown to beat any other judge; {decided} of "
            f"{len(result.pairs)} pairs differ."
        )
    if not best.open:
        return f"{first} is better than every other judge by {_metric(result)}: {beaten}."
    level = [best, *(one for one in others if one.judge in best.open)]
    is_level = all(not {one.judge for one in level} & {*one.beats, *one.loses_to} for one in level)
    if is_level and all(set(best.beats) <= set(one.beats) for one in level):
        leaders = listing([names[one.judge] for one in level], most=MOST_NAMES)
        return f"{leaders} lead and cannot be told apart; {'both' if len(level) == 2 else 'all'} beat {beaten}."  # noqa: PLR2004
    apart = listing([names[name] for name in best.open], most=MOST_NAMES)
    return f"{first} leads by {_metric(result)} and beats {beaten}; it cannot be told apart from {apart}."


def _pair_sentence(result: CompareResult, names: Mapping[str, str]) -> str:
    """Which judge of the one pair is better, or whether B is good enough where that was asked."""
    pair = result.pairs[0]
    a, b = names[pair.judge_a], names[pair.judge_b]
    if not math.isfinite(pair.difference):
        return f"{a} and {b} cannot be compared by {_metric(result)}: a score is undefined."
    if pair.non_inferiority is not None:
        is_good = pair.non_inferiority.is_non_inferior
        shown = f"is at most {_margin(pair, result)}" if is_good else f"may be more than {_margin(pair, result)}"
        return f"{b} {shown} worse than {a} ({p_text(pair.non_inferiority.p_holm)})."
    sure = f"{p_text(pair.p_holm)}, {counted(pair.items, 'item')}"
    if pair.better == "neither":
        return f"{a} and {b} cannot be told apart by {_metric(result)} ({sure})."
    better, worse = (a, b) if pair.better == "a" else (b, a)
    return f"{better} is better than {worse} by {_metric(result)} ({sure})."


def _metric(result: CompareResult) -> str:
    return METRIC_NAMES.get(str(result.metric), result.metric)


def _margin(pair: PairComparison, result: CompareResult) -> str:
    margin = math.nan if pair.non_inferiority is None else pair.non_inferiority.margin
    return f"{100 * margin:g} percentage points" if result.metric in _SHARES else f"{margin:g}"


def _notes(result: CompareResult, names: Mapping[str, str]) -> list[str]:
    """That no judge beats a constant, and how to tell the best two apart."""
    texts = []
    if result.constant is not None and result.has_better_than_constant is False:
        texts.append(DECIDE.format(constant=_always(result.constant)))
    best, second, *_ = result.standings
    if second.judge in best.open and math.isfinite(best.score):
        texts.append(PLAN.format(a=names[best.judge], b=names[second.judge]))
    return texts


def _always(constant: Constant) -> str:
    return "always answering the overall shares" if constant.answer is None else f"always answering {constant.answer}"


# ---- The tables


def _number(value: float, result: CompareResult) -> str:
    """A score with the digits that the intervals support; wins and accuracy are shares."""
    if not math.isfinite(value):
        return "undefined"
    if result.metric in _SHARES:
        return percent(value, _places(result))
    bounds = [(pair.low, pair.high) for pair in result.pairs]
    scores = [abs(score) for pair in result.pairs for score in (pair.score_a, pair.score_b) if score]
    usual = max(3, 1 - math.floor(math.log10(max((s for s in scores if math.isfinite(s)), default=1.0))))
    return decimal(value, max(supported_digits(bounds, usual=usual), 1))


def _places(result: CompareResult) -> int:
    """Decimals of a percentage that the intervals support."""
    return min(supported_digits([(100 * pair.low, 100 * pair.high) for pair in result.pairs], usual=1), 1)


def _gap(pair: PairComparison, result: CompareResult) -> str:
    """A difference of scores; that of two percentages is in points."""
    if result.metric not in _SHARES or not math.isfinite(pair.difference):
        return with_interval(pair.difference, pair.low, pair.high, form=lambda value: _number(value, result))
    places = _places(result)
    ends = with_interval(pair.difference, pair.low, pair.high, form=lambda share: points(share, places))
    return f"{ends} points"


def _caption(result: CompareResult) -> str:
    unit = ", bits" if result.metric in {"information", "cross-entropy"} else ""
    of = " of means" if result.metric in {"mae", "rmse"} else ""
    return f"{capital(_metric(result))}{of} ({result.better_scores} is better{unit})"


def _rulers(result: CompareResult) -> list[tuple[str, float]]:
    """What a constant answer and one more person score."""
    constant = [] if result.constant is None else [(f"({_always(result.constant)})", result.constant.score)]
    return constant + ([] if result.person is None else [("(one more person)", result.person.score)])


def _pair_table(result: CompareResult, names: Mapping[str, str]) -> Table:
    """Two judges, their difference, and what a constant and a person score."""
    pair = result.pairs[0]
    rows: list[list[Cell]] = [
        [names[pair.judge_a], _number(pair.score_a, result)],
        [names[pair.judge_b], _number(pair.score_b, result)],
        ["difference, paired", f"{_gap(pair, result)}, {p_text(pair.p_holm)}"],
    ]
    rows += [[name, _number(score, result)] for name, score in _rulers(result)]
    return Table(caption=_caption(result), columns=["Judge", "Score"], rows=rows)


def _judges_table(result: CompareResult, names: Mapping[str, str]) -> Table:
    """A row for each judge, and below them a constant and a person."""
    rows: list[list[Cell]] = [
        [names[one.judge], _number(one.score, result), len(one.beats), len(one.loses_to), len(one.open)]
        for one in result.standings
    ]
    rows += [[name, _number(score, result), None, None, None] for name, score in _rulers(result)]
    is_mean = result.metric == "wins" or len({pair.items for pair in result.pairs}) > 1
    return Table(
        caption=f"{_caption(result)}{', mean over the pairs of a judge' * is_mean}",
        columns=["Judge", "Score", "Beats", "Loses to", "Not told apart"],
        rows=rows,
    )


def _pairs_table(result: CompareResult) -> Table:
    names = short_names((one.judge for one in result.standings), LONGEST_ROW, has_end=True)
    rows, margin = [], []
    for pair in result.pairs:
        rows.append([names[pair.judge_a], names[pair.judge_b], _gap(pair, result), p_number(pair.p_holm)])
        if (test := pair.non_inferiority) is not None:
            margin = [f"B at most {_margin(pair, result)} worse"]
            rows[-1].append(f"{'yes' if test.is_non_inferior else 'not shown'}, {p_text(test.p_holm)}")
    columns = ["A", "B", "Difference", "p", *margin]
    return Table(caption=f"{_caption(result)}: difference, A less B", columns=columns, rows=rows)


# ---- The chart, and how it was computed


def _figures(result: CompareResult) -> list[Figure]:
    """The differences with their intervals, around no difference; none where no score is defined."""
    known = [pair for pair in result.pairs if math.isfinite(pair.difference)]
    if not known:
        return []
    names = short_names((name for pair in known for name in (pair.judge_a, pair.judge_b)), LONGEST_NAME, has_end=True)
    slots = judge_slots(result, (pair.judge_a for pair in known))  # a difference has the colour of the first judge
    rows = []
    for pair in known:
        name, slot = f"{names[pair.judge_a]} - {names[pair.judge_b]}", slots[pair.judge_a]
        rows.append(interval_row(name, pair.difference, pair.low, pair.high, slot=slot))
    spec = intervals(rows, names="Judges", values=[f"Difference in {_metric(result)}, A less B"], reference=0.0)
    side = "right" if result.better_scores == "higher" else "left"
    decided = sum(pair.better != "neither" for pair in result.pairs)
    many = f"Beyond chance: {decided} of {counted(len(result.pairs), 'difference')} in {_metric(result)}"
    one = "The difference cannot be explained by chance" if decided else "The difference could be chance"
    where = f"to the {side} of the dashed line the first is better."
    figure = Figure(
        title=many if len(result.pairs) > 1 else one,
        caption=sentences(
            f"The first judge's score less the second's ({_metric(result)}); {where}",
            interval_sentence(result.settings, "Whiskers are"),
        ),
        spec=zoomed(spec, rows, anchors=[0.0], form=None),
        table=_pairs_table(result),
    )
    return [figure]


def _computed(result: CompareResult) -> list[str]:
    holm = HOLM if len(result.pairs) > 1 else ""
    return [METRIC_WORDS[result.metric], TEST_WORDS[ASKED[result.test]], holm, interval_sentence(result.settings)]
