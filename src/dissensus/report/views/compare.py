"""What `compare` says: is A better than B."""

import math
from collections.abc import Sequence

from dissensus.comparison.result import CompareResult, PairComparison
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Paragraph, Points, Section, Table
from dissensus.report.numbers import percent
from dissensus.report.sentences.compare import (
    METRIC_WORDS,
    TEST_WORDS,
    digits_of,
    finding_sentence,
    interval_text,
    lead_sentence,
    non_inferiority_sentence,
    p_text,
    pair_sentence,
)
from dissensus.report.sentences.intervals import interval_sentence
from dissensus.report.specs import Row, intervals
from dissensus.report.specs.zoomed import zoomed
from dissensus.report.untrusted import told_apart
from dissensus.results import Result

MOST_SENTENCES = 10
LONGEST_NAME = 12
"""Two names of that length fit beside each other on the axis of a chart."""
_SHARES = frozenset({"wins", "accuracy"})


def view(result: Result) -> Section:
    """Which judge is better: the answer, the scores, their differences, and which question the p-value answers."""
    if not isinstance(result, CompareResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what compare found.")
    return Section(
        title="Is A better than B?" if result.is_single else "Which judge is better?",
        lead=lead_sentence(result),
        blocks=[
            *_non_inferiority(result),
            _figure(result),
            *_pairs(result),
            Paragraph(text=TEST_WORDS[result.test]),
            Points(title="How this was computed", texts=_computed(result)),
        ],
    )


def _table(result: CompareResult) -> Table:
    names = told_apart(name for pair in result.pairs for name in (pair.judge_a, pair.judge_b))
    has_many = len(result.pairs) > 1
    rows: list[list[Cell]] = []
    for pair in result.pairs:
        p_value = p_text(pair.p_holm).removeprefix("p = ").removeprefix("p ")
        difference = interval_text(pair, result.metric)
        rows.append([names[pair.judge_a], names[pair.judge_b], pair.score_a, pair.score_b, difference, p_value])
    return Table(
        caption=f"Scores ({result.metric}, {result.better_scores} is better) and their difference, A less B",
        columns=["A", "B", "Score A", "Score B", "Difference", "p (Holm)" if has_many else "p"],
        rows=rows,
        percent=frozenset({"Score A", "Score B"}) if result.metric in _SHARES else frozenset(),
        digits=max(map(digits_of, result.pairs)),
    )


def _pairs(result: CompareResult) -> list[Block]:
    """Each pair in words, where there are several."""
    if len(result.pairs) == 1:
        return []
    said = [pair_sentence(pair, result) for pair in result.pairs[:MOST_SENTENCES]]
    return [Points(title="Pair by pair", texts=said)]


def _non_inferiority(result: CompareResult) -> list[Block]:
    said = [non_inferiority_sentence(pair, result) for pair in result.pairs]
    texts = [text for text in said if text]
    if not texts:
        return []
    return [Paragraph(text=texts[0])] if len(texts) == 1 else [Points(title="At most the margin worse?", texts=texts)]


def _figure(result: CompareResult) -> Block:
    """The differences with their intervals, around no difference, and the numbers behind them."""
    known = [pair for pair in result.pairs if math.isfinite(pair.difference)]
    if not known:
        return _table(result)
    rows = _rows(known)
    spec = intervals(rows, names="Judges", values=[f"Difference in {result.metric}, A less B"], reference=0.0)
    side = "right" if result.better_scores == "higher" else "left"
    return Figure(
        title=finding_sentence(result),
        caption=f"Each line is the difference of two judges' scores ({result.metric}), the first less the second; to "
        f"the {side} of the dashed line the first is better. {interval_sentence(result.settings, 'Whiskers are')}",
        spec=zoomed(spec, rows, anchors=[0.0], form=None),
        table=_table(result),
    )


def _rows(pairs: Sequence[PairComparison]) -> list[Row]:
    judges = (name for pair in pairs for name in (pair.judge_a, pair.judge_b))
    names = told_apart(judges, LONGEST_NAME, has_end=True)
    return [
        {
            "name": f"{names[pair.judge_a]} - {names[pair.judge_b]}",
            "value": pair.difference,
            "low": pair.low if math.isfinite(pair.low) else None,
            "high": pair.high if math.isfinite(pair.high) else None,
        }
        for pair in pairs
    ]


def _computed(result: CompareResult) -> list[str]:
    said = [METRIC_WORDS[result.metric], interval_sentence(result.settings)]
    if len(result.pairs) > 1:
        said.append(
            "Holm's correction makes p-values of many pairs honest: the chance that any pair of equal judges is called "
            f"different stays below {_level(result)}."
        )
    return [text for text in said if text]


def _level(result: CompareResult) -> str:
    """The largest p-value that decides."""
    confidence = result.settings.get("confidence")
    return percent(1 - confidence, 0) if isinstance(confidence, float) else "its level"
