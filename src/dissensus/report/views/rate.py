"""What `rate` says: how many answers are labels, what the others are, and what it took."""

import math

from dissensus.errors import DissensusError
from dissensus.methods.rate.result import RateResult, Tally, TroubledAnswer
from dissensus.report.document import Block, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, listing, percent, quoted, shortened, visible, whole
from dissensus.results import Result

# ---- How asking a model went, in words

ELICITATION_WORDS = {"forced_choice": "forced choice", "response_set": "response set"}
MANY_TROUBLED = 0.1
"""From this share on, what is not among the options is more than noise."""
LONGEST_RAW = 80


def headline(result: RateResult) -> str:
    """The answer in one or two sentences."""
    judge = quoted(result.judge)
    if result.dry_run:
        return _dry_headline(result)
    asked = result.requests - result.unasked
    ok = sum(tally.ok for tally in result.tallies)
    if not asked:
        return f"{judge} was not asked anything."
    lead = (
        f"{judge} answered {whole(ok)} of {counted(asked, 'request')} with one of the options ({percent(ok / asked)})."
    )
    return f"{lead} {_verdict(ok / asked)}"


def _verdict(share: float) -> str:
    if share == 1:
        return "Nothing is lost: every answer counts."
    if share >= 1 - MANY_TROUBLED:
        return "What is not among the options is recorded and is no label."
    return (
        "That is a poor yield: it does not do what it is asked to. Its labels are those of the answers it got right in "
        "form, which need not be like the others."
    )


def _dry_headline(result: RateResult) -> str:
    spent = result.spending
    known = f", {whole(spent.cached)} of them answered already" if spent.cached else ""
    left = result.requests - spent.cached
    requests = f"{counted(result.requests, 'request')} to {quoted(result.judge)}{known}: {whole(left)} would be asked."
    return (
        f"{requests} They take at most {whole(spent.most_tokens or 0)} tokens, tries not included; nothing was asked."
    )


def spending_sentence(result: RateResult) -> str:
    """What was sent and used."""
    spent = result.spending
    used = spent.prompt_tokens + spent.answer_tokens
    parts = [f"{counted(spent.asked, 'request')} asked in this run"]
    if spent.sent > spent.asked:
        parts.append(f"{whole(spent.sent)} sent, tries included")
    if spent.cached:
        parts.append(f"{whole(spent.cached)} answered by an earlier run")
    tokens = f"{whole(used)} tokens used ({whole(spent.prompt_tokens)} read, {whole(spent.answer_tokens)} written)"
    return f"{listing([*parts, tokens])}."


def form_sentence(result: RateResult) -> str:
    """In which form answers were asked for."""
    words = {"json-schema": "JSON that fits a schema", "letters": "the letters of options"}[result.form]
    samples, temperature = result.settings["samples"], result.settings["temperature"]
    return (
        f"Answers were asked for as {words}, in {counted(int(str(samples)), 'sample')} per item at temperature "
        f"{temperature}, with the options in another order in each."
    )


def place_sentence(result: RateResult) -> str | None:
    """Whether the place of an option mattered; None where there are no forced choices."""
    if not result.places:
        return None
    most = max(result.places, key=lambda place: place.share)
    even = 1 / len(result.places)
    return (
        f"{percent(most.share)} of its forced choices fell on the option at place {most.place}. The options were "
        f"shuffled: a judge who heeds only what they say would pick each place about {percent(even)} of the time."
    )


def troubled_point(answer: TroubledAnswer) -> str:
    """A request without a label, and what the server said."""
    raw = f": {shortened(answer.raw, LONGEST_RAW)}" if answer.raw else ""
    where = f"{quoted(answer.item)}, {ELICITATION_WORDS[answer.elicitation]}, sample {answer.sample}"
    return f"{where}: {answer.status} ({shortened(answer.reason, LONGEST_RAW)}){raw}"


def next_sentence(result: RateResult) -> str:
    """What to do with the file."""
    file = shortened(result.output or "")
    return (
        f"The answers are in {file}. `dissensus judges RATINGS {file} --task TASK.toml` says whether the model can "
        f"stand in for people, `dissensus equivalence RATINGS {file}` how many of them it is worth."
    )


def tally_row(tally: Tally) -> list[str | int | float]:
    """An elicitation as a row of the table."""
    counts: list[str | int | float] = [ELICITATION_WORDS[tally.elicitation], tally.requests]
    return [*counts, tally.ok, tally.invalid, tally.refused, tally.failed, tally.unasked]


def view(result: Result) -> Section:
    """How the asking went, and what the answers look like."""
    if not isinstance(result, RateResult):
        raise DissensusError(f"A {type(result).__name__} cannot be shown as answers of a model.")
    title = "What would the model be asked?" if result.dry_run else "What did the model answer?"
    return Section(title=title, lead=headline(result), blocks=_blocks(result))


def _blocks(result: RateResult) -> list[Block]:
    blocks: list[Block] = [_tallies(result)]
    if any(label.count for label in result.labels):
        blocks.append(_labels(result))
    places = place_sentence(result)
    if places is not None:
        blocks.append(Paragraph(text=places))
    if result.troubled:
        blocks.append(Points(title="Some that gave no label", texts=[troubled_point(a) for a in result.troubled]))
    if not result.dry_run:
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
            if not math.isnan(label.share)
        ],
        percent=frozenset({"Share"}),
    )
