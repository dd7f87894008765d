"""What `rate` says: how many answers are labels, what the others are, and what it took."""

import math

from dissensus.methods.rate.result import RateResult
from dissensus.report.document import Block, Cell, Fold, Section, Table
from dissensus.report.numbers import counted, percent, quoted, shortened, visible, whole
from dissensus.report.views.section import noted

ELICITATION_WORDS = {"forced_choice": "forced choice", "response_set": "response set"}
POOR = 0.9
"""Below this share of usable answers, the rest is more than noise."""
LONGEST_RAW = 80


def view(result: RateResult) -> Section:
    """How the asking went, and folded away what the answers look like and what they took."""
    title = "What would the model be asked?" if result.dry_run else "What did the model answer?"
    blocks: list[Block] = [_tallies(result), *noted(_notes(result))]
    if result.labels or result.places:
        blocks.append(Fold(title="Which labels it gave", parts=[_labels(result), *_places(result)]))
    if result.troubled:
        blocks.append(Fold(title="Some answers without a label", parts=[_troubled(result)]))
    blocks.append(Fold(title="What was sent and used", parts=[_spending(result)]))
    return Section(title=title, lead=headline(result), blocks=blocks)


def headline(result: RateResult) -> str:
    """The answer in one sentence."""
    judge, asked = quoted(result.judge), result.requests - result.unasked
    if result.dry_run:
        left = counted(result.requests - result.spending.cached, "request")
        return (
            f"Nothing was asked: {left} to {judge} would take at most {whole(result.spending.most_tokens or 0)} tokens."
        )
    ok = sum(tally.ok for tally in result.tallies)
    if not asked:
        return f"{judge} was not asked anything."
    share = percent(ok / asked)
    return f"{judge} answered {whole(ok)} of {counted(asked, 'request')} with one of the options ({share})."


def _notes(result: RateResult) -> list[str]:
    """What to do with the answers, and what about them to look into."""
    notes = []
    asked, ok = result.requests - result.unasked, sum(tally.ok for tally in result.tallies)
    if not result.dry_run and 0 < ok < POOR * asked:
        notes.append("Change the prompt or the model before you use these labels: too many answers are not an option.")
    if not result.dry_run and result.output is not None:
        file = shortened(result.output)
        notes.append(f"See whether it can stand in for people: `dissensus decide RATINGS {file}`.")
    return notes


def _tallies(result: RateResult) -> Table:
    rows: list[list[Cell]] = [
        [ELICITATION_WORDS[one.elicitation], one.requests, one.ok, one.invalid, one.refused, one.failed, one.unasked]
        for one in result.tallies
    ]
    columns = ["Asked for", "Requests", "Ok", "Invalid", "Refused", "Failed", "Not asked"]
    return Table(caption="Requests", columns=columns, rows=rows)


def _labels(result: RateResult) -> Table:
    rows: list[list[Cell]] = [
        [ELICITATION_WORDS[label.elicitation], visible(label.label), label.count, label.share]
        for label in result.labels
        if not math.isnan(label.share)
    ]
    columns = ["Asked for", "Label", "Count", "Share"]
    return Table(caption="Labels", columns=columns, rows=rows, percent=frozenset({"Share"}))


def _places(result: RateResult) -> list[Table]:
    """On which place of the shuffled options the choices fell: if places do not matter, equally often on each."""
    rows: list[list[Cell]] = [[place.place, place.count, place.share] for place in result.places]
    caption, columns = "Place of the chosen option (options are shuffled)", ["Place", "Count", "Share"]
    return [Table(caption=caption, columns=columns, rows=rows, percent=frozenset({"Share"}))] if rows else []


def _troubled(result: RateResult) -> Table:
    rows: list[list[Cell]] = [
        [shortened(one.item), one.sample, one.status, *(shortened(text, LONGEST_RAW) for text in (one.reason, one.raw))]
        for one in result.troubled
    ]
    columns = ["Item", "Sample", "Status", "Reason", "Answer"]
    return Table(caption="The first few; the file has them all", columns=columns, rows=rows)


def _spending(result: RateResult) -> Table:
    spent = result.spending
    rows = [
        ["Asked in this run", whole(spent.asked)],
        ["Sent, tries included", whole(spent.sent)],
        ["Answered by an earlier run", whole(spent.cached)],
        ["Tokens read and written", f"{whole(spent.prompt_tokens)} and {whole(spent.answer_tokens)}"],
    ]
    return Table(caption="Requests and tokens", columns=["What", "Number"], rows=rows)
