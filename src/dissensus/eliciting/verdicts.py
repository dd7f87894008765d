"""From a reply to what goes into the judges file: a label, or why there is none."""

from dataclasses import dataclass, field
from typing import Literal

from dissensus.eliciting.answers import read_answer
from dissensus.eliciting.letter_probabilities import option_probabilities
from dissensus.eliciting.refusals import is_refusal
from dissensus.eliciting.replies import Reply
from dissensus.eliciting.requests import Request
from dissensus.eliciting.shown import ShownOption
from dissensus.ratings.labels import SEPARATOR
from dissensus.ratings.task import Task

Status = Literal["ok", "invalid", "refused", "failed"]
STATUSES: tuple[Status, ...] = ("ok", "invalid", "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one request.

    Attributes
    ----------
    status : {"ok", "invalid", "refused", "failed"}
        An answer among the options, another answer, none on purpose, or none at all.
    label : str
        The options picked, in the order of the task; empty unless ok.
    picks : tuple of ShownOption
        The same, as the prompt showed them.
    probabilities : mapping of str to float
        Of each option, where log-probabilities told them.
    reason, raw : str
        Why there is no label, and what the server said.
    """

    status: Status
    label: str = ""
    picks: tuple[ShownOption, ...] = ()
    probabilities: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    raw: str = ""


def verdict_on(reply: Reply, request: Request, task: Task) -> Verdict:
    """What a reply comes to."""
    if reply.refusal or reply.finish == "content_filter":
        reason = "refused by the model" if reply.refusal else "stopped by a content filter"
        return Verdict(status="refused", reason=reason, raw=reply.refusal or reply.text)
    if reply.finish == "length":
        # Cut off, "A reasonable person" starts like the answer A.
        return Verdict(status="invalid", reason="cut off at the limit of tokens", raw=reply.text)
    reading = read_answer(reply.text, request.shown)
    if not reading.picks:
        is_refused = is_refusal(reply.text)
        return Verdict(
            status="refused" if is_refused else "invalid",
            reason="refused in words" if is_refused else reading.reason,
            raw=reply.text,
        )
    return _on_picks(reading.picks, reply, request, task)


def _on_picks(picks: tuple[ShownOption, ...], reply: Reply, request: Request, task: Task) -> Verdict:
    meant = {option.meaning for option in picks}
    if request.elicitation == "forced_choice" and len(meant) > 1:
        return Verdict(status="invalid", reason="several options where one was asked for", raw=reply.text)
    if request.elicitation == "response_set" and not _is_admissible(meant, task):
        return Verdict(status="invalid", reason="a combination that the task does not have", raw=reply.text)
    found = None
    if reply.tokens and request.elicitation == "forced_choice":
        found = option_probabilities(reply.tokens, request.shown, picks[0])
    return Verdict(
        status="ok",
        label=SEPARATOR.join(option for option in task.options if option in meant),
        picks=picks,
        probabilities=found or {},
        raw=reply.text,
    )


def _is_admissible(meant: set[str], task: Task) -> bool:
    return task.response_sets == "any" or any(meant == set(options) for options in task.admissible_sets())
