"""What `gate` says: does the judge pass."""

from dissensus.decisions.gating.result import GateResult
from dissensus.errors import DissensusError
from dissensus.report.document import Cell, Points, Section, Table
from dissensus.report.sentences.gate import (
    RULE,
    asked_text,
    check_sentence,
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
    rows: list[list[Cell]] = [
        [asked_text(check), found_text(check), check.items, check.verdict] for check in result.checks
    ]
    return Table(caption="The checks", columns=["Asked for", "Found", "Items", "Verdict"], rows=rows)
