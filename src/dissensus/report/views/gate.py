"""What `gate` says: does the judge pass."""

from dissensus.decisions.gating.result import GateResult
from dissensus.errors import DissensusError
from dissensus.report.document import Cell, Points, Section, Table
from dissensus.report.sentences.gate import (
    RULE,
    asked_text,
    check_sentence,
    constants_cell,
    found_text,
    lead_sentence,
    measure_sentences,
)
from dissensus.report.sentences.intervals import interval_sentence
from dissensus.results import Result


def view(result: Result) -> Section:
    """Whether the judge passes: the answer, each check, and how it was decided."""
    if not isinstance(result, GateResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as what gate found.")
    said = [RULE, *measure_sentences(result), interval_sentence(result.settings)]
    open_checks = [check_sentence(check) for check in result.checks if check.verdict != "pass"]
    return Section(
        title="May this judge pass?",
        lead=lead_sentence(result),
        blocks=[
            _table(result),
            *([Points(title="What keeps it from passing", texts=open_checks)] if open_checks else []),
            Points(title="How this was decided", texts=[text for text in said if text]),
        ],
    )


def _table(result: GateResult) -> Table:
    has_constants = any(check.constants for check in result.checks)
    rows: list[list[Cell]] = [
        [
            asked_text(check),
            found_text(check),
            *([constants_cell(check)] if has_constants else []),
            check.items,
            check.verdict,
        ]
        for check in result.checks
    ]
    beside = ["Always yes / no"] if has_constants else []
    return Table(caption="The checks", columns=["Asked for", "Found", *beside, "Items", "Verdict"], rows=rows)
