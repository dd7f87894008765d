"""What an answer says: strict about meaning, lenient about form.

`A`, `a.`, ` A, B`, `AB`, `"A and B"`, `{"answer": "AB"}` and the name of an option are answers. `An apple` is none, and
neither is a text that could be read in two ways.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dissensus.data.labels import SEPARATOR
from dissensus.data.task import Task
from dissensus.methods.rate.client import Reply, Token
from dissensus.methods.rate.requests import Request, ShownOption, line_of

Picks = tuple[ShownOption, ...]

ANSWER_KEYS = ("answer", "answers", "choice", "choices", "option", "options", "label", "labels", "letter", "letters")
LONGEST_ANSWER = 2_000  # longer texts are no answer of ours, and are not searched for one

_THOUGHT = re.compile(r".*</think>", re.DOTALL)  # some servers leave out where thoughts begin
_CODE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
_LEAD = re.compile(
    r"(?:(?:the|my)\s+)?(?:(?:final|correct|best)\s+)?(?:answers?|choices?|options?|letters?|ratings?|labels?|picks?)"
    r"\s*(?:\b(?:is|are|would be)\b)?\s*[:=]?\s*",
    re.IGNORECASE,
)
_AROUND = " \t\r\n\"'`*_()[]{}<>"
_AFTER = _AROUND + ".!:;,"
_BETWEEN = re.compile(r"\s*(?:(?:[,;/&+|]|\n)\s*(?:and\b)?|\band\b)\s*", re.IGNORECASE)
_MARK_THEN_NAME = re.compile(r"\s*[.:)\]=\-\u2013\u2014]+\s*")
_BULLET = re.compile(r"^\s*[-*\u2022]\s+", re.MULTILINE)
_WORDS = frozenset({"n/a", "na", "no", "ok", "yes", "hi"})
"""Capitals that are words and not letters of options, however many options there are."""
_OTHER_KEY = re.compile(r"(?:no|non|not)\b|.*\b(?:wrong|incorrect|rejected|excluded|error|question)\b", re.IGNORECASE)
"""The key of a JSON object under which something else than the answer stands."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: the options picked, or why nothing was."""

    picks: Picks = ()
    reason: str = ""


def read_answer(text: str, shown: Sequence[ShownOption]) -> Reading:
    """The options that an answer picks; none of them if it cannot be understood, or in more than one way."""
    thought = _THOUGHT.match(text)
    answer = text[thought.end() :] if thought else text
    if hopeless := _hopeless(answer):
        return Reading(reason=hopeless)
    bare = _bare(answer)
    if _repeats_options(bare, shown):
        return Reading(reason="repeats the options")
    readings = {frozenset(o.mark for o in picks): picks for picks in _readings(bare, shown)}
    if not readings:
        return Reading(reason="not one of the options" if bare[:1] != "{" or _is_json(bare) else "malformed JSON")
    if len(readings) > 1:
        return Reading(reason="can be read in several ways")
    (picks,) = readings.values()
    marks = [option.mark for option in picks]
    if len(set(marks)) < len(marks):
        return Reading(reason="names an option twice")
    return Reading(picks=picks)


def _repeats_options(text: str, shown: Sequence[ShownOption]) -> bool:
    """Whether a text is the list of options as the prompt has it, heading included: that picks none of them."""
    return _folded(text) == _folded("\n".join(["Options:", *map(line_of, shown)]))


def _hopeless(answer: str) -> str:
    """Why a text cannot be an answer, before it is looked at closely; empty if it may be one."""
    if answer.lstrip().startswith("<think>"):
        return "it thought and never answered"
    if not answer.strip():
        return "empty"
    return "too long for an answer" if len(answer) > LONGEST_ANSWER else ""


def _bare(text: str) -> str:
    """The text in its plainest spelling, without the fence that code stands in."""
    plain = unicodedata.normalize("NFKC", text).strip()
    code = _CODE.fullmatch(plain)
    return code[1] if code else plain


def _readings(text: str, shown: Sequence[ShownOption]) -> Iterator[Picks]:
    """Every way to understand a text."""
    if text[:1] in {"{", "["} and (read := _json_picks(text, shown)) is not None:
        yield read
        return
    yield from _plain_readings(text, shown)
    lead = _LEAD.match(text)
    if lead:
        yield from _plain_readings(text[lead.end() :], shown)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_picks(text: str, shown: Sequence[ShownOption]) -> Picks | None:
    """The picks of a JSON object or list, or None if it is none or has none."""
    if not _is_json(text):
        return None
    value = json.loads(text, object_pairs_hook=_Pairs)
    if isinstance(value, _Pairs):
        value = _answer_in(value, shown)
    parts = value if isinstance(value, list) else [value]
    picks: list[ShownOption] = []
    for part in parts:
        readings = set(_plain_readings(_json_text(part), shown))
        if len(readings) != 1:
            return None
        picks += readings.pop()
    return tuple(picks) or None


class _Pairs(tuple[tuple[str, object], ...]):
    """The keys and values of a JSON object, those included that stand there twice."""

    __slots__ = ()


def _answer_in(pairs: _Pairs, shown: Sequence[ShownOption]) -> object:
    """The value that is the answer, or None: if there are two, or if the key says that it is something else."""
    answers = pairs if len(pairs) == 1 else [(key, value) for key, value in pairs if key.lower() in ANSWER_KEYS]
    if len(answers) != 1:
        return None
    ((key, value),) = answers
    is_other = _OTHER_KEY.match(re.sub(r"[\W_]+", " ", key).strip()) or any(_plain_readings(key, shown))
    return None if is_other else value


def _json_text(value: object) -> str:
    """A value as an answer would have it: numbers are options, too."""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, int | float) else ""


def _plain_readings(text: str, shown: Sequence[ShownOption]) -> Iterator[Picks]:
    """A text as the name of an option, as letters written together, and as a list of letters and names."""
    whole = _folded(text)
    yield from ((option,) for option in shown if whole in {_folded(name) for name in _names(option)})
    if whole in _WORDS:
        return
    by_mark = {option.mark: option for option in shown}
    letters = re.sub(r"\s+", "", text.strip(_AFTER))
    if len(letters) > 1 and all(letter in by_mark for letter in letters) and _is_spaced_evenly(text.strip(_AFTER)):
        yield tuple(by_mark[letter] for letter in letters)
    listed = _listed(text, shown)
    if listed:
        yield listed


def _is_spaced_evenly(text: str) -> bool:
    """Letters are written together, or each on its own: `AB CD` are two words, not four letters."""
    return len({len(word) for word in text.split()}) == 1 and (" " not in text or len(text.split(maxsplit=1)[0]) == 1)


def _names(option: ShownOption) -> list[str]:
    """What the prompt calls an option: its name, with or without its description."""
    return [f"{option.name}: {option.description}", option.name] if option.description else [option.name]


def _folded(text: str) -> str:
    r"""A text for comparison: capitals, blanks and what stands around it do not count.

    >>> _folded(' "Not  Toxic." ')
    'not toxic'
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip(_AROUND).rstrip(_AFTER) or folded


def _listed(text: str, shown: Sequence[ShownOption]) -> Picks:
    """The units of a list such as `A, B` or `A. Toxic and B. Not toxic`; none if anything else stands there."""
    has_minus = any(option.name.startswith("-") for option in shown)
    rest = (text if has_minus else _BULLET.sub("", text)).strip(_AROUND).rstrip(_AFTER)
    picks = []
    while True:
        option, length = _unit(rest, shown)
        if option is None:
            return ()
        picks.append(option)
        rest = rest[length:]
        closed = rest.lstrip("\"'`*_)]}.")
        if not closed.strip():
            return tuple(picks)
        between = _BETWEEN.match(closed) or _BETWEEN.match(rest)
        if between is None:
            return ()
        rest = (closed if _BETWEEN.match(closed) else rest)[between.end() :].lstrip(_AROUND)


def _unit(text: str, shown: Sequence[ShownOption]) -> tuple[ShownOption | None, int]:
    """The option that a text starts with, and how much of the text that takes: the longest, none if two are."""
    lengths = {option: max(_starts_with_name(text, option), _starts_with_mark(text, option)) for option in shown}
    longest = max(lengths.values())
    best = [option for option, length in lengths.items() if length == longest]
    return (best[0], longest) if longest and len(best) == 1 else (None, 0)


def _starts_with_name(text: str, option: ShownOption) -> int:
    lowered = text.lower()
    names = [name.rstrip(_AFTER) or name for name in _names(option)]
    lengths = [len(name) for name in names if lowered.startswith(name.lower()) and _ends(text, len(name))]
    return max(lengths, default=0)


def _starts_with_mark(text: str, option: ShownOption) -> int:
    """The length of a letter, and of the option's own name if that follows: `A. Toxic`."""
    if text[:1].upper() != option.mark or not _ends(text, 1):
        return 0
    then = _MARK_THEN_NAME.match(text, 1)
    name = _starts_with_name(text[then.end() :], option) if then else 0
    return then.end() + name if then and name else 1


def _ends(text: str, length: int) -> bool:
    """Whether a word ends there: `An apple` does not start with the letter A."""
    after = text[length : length + 1]
    return not (after.isalnum() or after in {"'", "\N{RIGHT SINGLE QUOTATION MARK}"})


_AROUND_LETTERS = " \t\r\n\"'`*_()[]{}:.\u2581\u0120"  # the last two are blanks in the spelling of tokenizers
FEWEST_SHARE = 0.01  # less probability than this on all letters together says nothing about the options


def option_probabilities(
    tokens: Sequence[Token], shown: Sequence[ShownOption], picked: ShownOption
) -> dict[str, float] | None:
    """Probability of each option, by what it means; None if the tokens do not tell.

    The place is the last one at which the letter that was picked stands. What could have stood there is added up by
    letter and rescaled to sum to 1; a letter that was not among the most probable tokens there has probability 0.
    """
    places = [alternatives for text, alternatives in tokens if text.strip(_AROUND_LETTERS) == picked.mark]
    if not places:
        return None
    by_mark = {option.mark: 0.0 for option in shown}
    for text, logarithm in places[-1].items():
        mark = text.strip(_AROUND_LETTERS)
        if mark in by_mark:
            by_mark[mark] += math.exp(min(logarithm, 0.0))
    total = math.fsum(by_mark.values())
    if total < FEWEST_SHARE:
        return None
    return {option.meaning: by_mark[option.mark] / total for option in shown}


_APOLOGY = r"(?:(?:i'?m|i am|we are) (?:very |so |really )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately)"
_CANNOT = (
    r"(?:i|we)(?:'m|'re| am| are)? (?:can ?not|can't|could not|couldn't|will not|won't|must decline|"
    r"refuse|decline|(?:unable|not able|not comfortable|uncomfortable|not allowed|not permitted)\b)"
)
_REFUSAL = re.compile(
    rf"\W*(?:{_APOLOGY}\b|{_CANNOT}|(?:as|i'?m|i am) an? (?:ai|artificial|language model|large language model)\b)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a text starts as refusals do."""
    return _REFUSAL.match(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) is not None


# ---- From a reply to what goes into the judges file: a label, or why there is none

Status = Literal["ok", "invalid", "refused", "failed"]
STATUSES: tuple[Status, ...] = ("ok", "invalid", "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one request.

    Ok is an answer among the options, invalid another one, refused none on purpose, failed none at all. The label has
    the options picked in the order of the task, `picks` as the prompt showed them, `raw` what the server said.
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
    is_admissible = task.response_sets == "any" or any(meant == set(options) for options in task.admissible_sets())
    if request.elicitation == "response_set" and not is_admissible:
        return Verdict(status="invalid", reason="a combination that the task does not have", raw=reply.text)
    probabilities = None
    if reply.tokens and request.elicitation == "forced_choice":
        probabilities = option_probabilities(reply.tokens, request.shown, picks[0])
    return Verdict(
        status="ok", label=SEPARATOR.join(option for option in task.options if option in meant), picks=picks,
        probabilities=probabilities or {}, raw=reply.text,
    )  # fmt: skip
