"""What `prevalence` says: how many items are positive."""

import math
from collections.abc import Sequence

from dissensus.decisions.prevalences.result import Estimate, JudgePrevalence, PrevalenceResult, SystemScore
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Cell, Figure, Fold, Paragraph, Part, Points, Section, Table
from dissensus.report.numbers import decimal, percent
from dissensus.report.sentences.prevalence import (
    METHOD_NAMES,
    METHOD_WORDS,
    SHORT_NAMES,
    STRENGTHS,
    UNITS,
    UNSEEN,
    estimate_text,
    finding_sentence,
    lead_sentence,
    naive_sentence,
    saved_sentence,
    strength_text,
    systems_sentence,
    target_sentence,
)
from dissensus.report.specs import Row, intervals
from dissensus.report.specs.zoomed import zoomed
from dissensus.report.untrusted import quoted, told_apart
from dissensus.results import Result

MOST_JUDGES = 6
"""So many judges are drawn and told of; the table has them all."""
LONGEST = 16
"""A chart has so much room for a judge's name before the method's."""


def view(result: Result) -> Section:
    """How many items are positive: the answer, what the judge saves, all estimates, and how they were computed."""
    if not isinstance(result, PrevalenceResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what prevalence found.")
    return Section(
        title="How many items are positive?",
        lead=lead_sentence(result),
        blocks=[*_said(result), _figure(result), *_systems(result), _computed(result)],
    )


def _said(result: PrevalenceResult) -> list[Block]:
    """What each judge is off by, and what it saves."""
    texts = [
        " ".join(filter(None, [naive_sentence(judge), saved_sentence(judge)])) for judge in result.judges[:MOST_JUDGES]
    ]
    known = [text for text in texts if text]
    if len(known) > 1:
        return [Points(title="", texts=known)]
    return [Paragraph(text=text) for text in known]


def _table(result: PrevalenceResult) -> Table:
    names = told_apart(judge.judge for judge in result.judges)
    has_several = len(result.judges) > 1
    rows: list[list[Cell]] = [
        [
            *([names[judge.judge]] if has_several else []),
            METHOD_NAMES[estimate.method],
            estimate_text(estimate),
            _or_none(estimate.high - estimate.low),
            _or_none(judge.ratings_saved) if estimate.method == "ppi++" else None,
        ]
        for judge in result.judges
        for estimate in judge.estimates
    ]
    return Table(
        caption=f"Share of positive items, with {percent(_confidence(result), 0)} intervals",
        columns=[*(["Judge"] if has_several else []), "Method", "Share", "Width", "Ratings saved"],
        rows=rows,
        digits=0,
        percent=frozenset({"Width"}),
    )


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _figure(result: PrevalenceResult) -> Block:
    """The estimates with their intervals, judge by judge."""
    rows = _rows(result.judges[:MOST_JUDGES])
    spec = intervals(rows, names="Estimate", values=["Share of positive items"])
    return Figure(
        title=finding_sentence(result.judges[0]),
        caption=f"Each line is an estimate of the share of positive items. Whiskers are "
        f"{percent(_confidence(result), 0)} intervals; that of the judge alone does not know of its errors.",
        spec=zoomed(spec, rows, form=".0%"),
        table=_table(result),
    )


def _rows(judges: Sequence[JudgePrevalence]) -> list[Row]:
    names = told_apart((judge.judge for judge in judges), longest=LONGEST)
    lines = [(judge, estimate) for judge in judges for estimate in judge.estimates if math.isfinite(estimate.value)]
    return [
        {
            "name": METHOD_NAMES[estimate.method]
            if len(judges) == 1
            else f"{names[judge.judge]}: {SHORT_NAMES[estimate.method]}",
            "value": estimate.value,
            "low": _or_none(estimate.low),
            "high": _or_none(estimate.high),
        }
        for judge, estimate in lines
    ]


def _systems(result: PrevalenceResult) -> list[Block]:
    """Win rates and strengths of the systems, by the judge that helps most; by the others, folded away."""
    judged = [judge for judge in result.judges if judge.systems]
    if not judged:
        return []
    said = systems_sentence(judged[0])
    blocks: list[Block] = [Paragraph(text=said)] if said else []
    blocks += _tables_of(judged[0])
    others: list[Part] = [table for judge in judged[1:] for table in _tables_of(judge)]
    return [*blocks, *([Fold(title="The systems by the other judges", parts=others)] if others else [])]


def _tables_of(judge: JudgePrevalence) -> list[Table]:
    systems = judge.systems or ()
    names = told_apart(system.system for system in systems)
    head = ["System", "Pairs", "Rated"]
    return [
        Table(
            caption=f"How often each system wins, with {quoted(judge.judge)}",
            columns=[*head, "Judge alone", "People alone", "PPI++"],
            rows=[[*_head(system, names), *_texts(system.win_rates, is_share=True)] for system in systems],
        ),
        Table(
            caption=f"Strength of each system, with {quoted(judge.judge)}",
            columns=[*head, "Judge alone", "People alone", "PPI++"],
            rows=[[*_head(system, names), *_texts(system.strengths, is_share=False)] for system in systems],
        ),
    ]


def _head(system: SystemScore, names: dict[str, str]) -> list[Cell]:
    return [names[system.system], system.items, system.rated_items]


def _texts(estimates: Sequence[Estimate], *, is_share: bool) -> list[Cell]:
    by_method = {estimate.method: estimate for estimate in estimates}
    found = [by_method.get(method) for method in ("naive", "people", "ppi++")]
    form = estimate_text if is_share else strength_text
    return [None if estimate is None else form(estimate) for estimate in found]


def _computed(result: PrevalenceResult) -> Block:
    weights = [
        f"PPI++ takes {quoted(judge.judge)} at the weight {decimal(judge.weight)}; it agrees with "
        f"{percent(judge.sensitivity)} of the yes and {percent(judge.specificity)} of the no of raters."
        for judge in result.judges[:MOST_JUDGES]
        if math.isfinite(judge.sensitivity)
    ]
    systems = [STRENGTHS] if any(judge.systems for judge in result.judges) else []
    unseen = [UNSEEN] if result.settings.get("interval") == "wilson" else []
    texts = [target_sentence(result), *METHOD_WORDS.values(), *weights, UNITS, *unseen, *systems]
    return Fold(title="How this was computed", parts=[Points(title="", texts=texts)])


def _confidence(result: PrevalenceResult) -> float:
    confidence = result.settings.get("confidence")
    return confidence if isinstance(confidence, float) else math.nan
