"""What `rate` says: how many answers are labels, what the others are, and what it took."""

from dissensus.eliciting.result import RateResult
from dissensus.errors import DissensusError
from dissensus.report.document import Block, Paragraph, Points, Section, Table
from dissensus.report.sentences.rate import (
    ELICITATION_WORDS,
    form_sentence,
    headline,
    next_sentence,
    place_sentence,
    spending_sentence,
    tally_row,
    troubled_point,
)
from dissensus.report.untrusted import visible
from dissensus.results import Result


def view(result: Result) -> Section:
    """How the asking went, and what the answers look like."""
    if not isinstance(result, RateResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as answers of a model.")
    title = "What would the model be asked?" if result.is_dry_run else "What did the model answer?"
    return Section(title=title, lead=headline(result), blocks=_blocks(result))


def _blocks(result: RateResult) -> list[Block]:
    blocks: list[Block] = [_tallies(result)]
    if any(label.total for label in result.labels):
        blocks.append(_labels(result))
    places = place_sentence(result)
    if places is not None:
        blocks.append(Paragraph(text=places))
    if result.troubled:
        blocks.append(Points(title="Some that gave no label", texts=[troubled_point(a) for a in result.troubled]))
    if not result.is_dry_run:
        blocks.append(Paragraph(text=f"{form_sentence(result)} {spending_sentence(result)}"))
        blocks.append(Paragraph(text=next_sentence(result)))
    return blocks


def _tallies(result: RateResult) -> Table:
    return Table(
        caption="Requests",
        columns=["Asked for", "Requests", "Ok", "Invalid", "Refused", "Failed", "Not asked"],
        rows=[tally_row(tally) for tally in result.tallies],
    )


def _labels(result: RateResult) -> Table:
    return Table(
        caption="Labels",
        columns=["Asked for", "Label", "Count", "Share"],
        rows=[
            [ELICITATION_WORDS[label.elicitation], visible(label.label), label.count, label.share]
            for label in result.labels
            if label.total
        ],
        percent=frozenset({"Share"}),
    )
