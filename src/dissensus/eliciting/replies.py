"""What a server sent back, checked: nothing in it is taken on trust."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

Token = tuple[str, dict[str, float]]
"""A piece of the answer, and the log-probabilities of what could have stood there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as the server sent it.

    Attributes
    ----------
    text : str
        What the model said.
    finish : str
        Why it stopped: stop, length, content_filter, ...
    refusal : str
        What it said instead of an answer, where the server tells the two apart.
    tokens : tuple of Token
        Log-probabilities, if they were asked for and sent.
    prompt_tokens, answer_tokens : int, optional
        What it cost, where the server says so.
    """

    text: str = ""
    finish: str = ""
    refusal: str = ""
    tokens: tuple[Token, ...] = ()
    prompt_tokens: int | None = None
    answer_tokens: int | None = None

    def to_json(self) -> str:
        """The reply as one line."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({name: value for name, value in fields.items() if value not in ("", (), None)})

    @classmethod
    def from_json(cls, line: str) -> "Reply":
        """The reply that `to_json` wrote."""
        fields = json.loads(line)
        tokens = tuple((str(text), dict(alternatives)) for text, alternatives in fields.pop("tokens", ()))
        return cls(tokens=tokens, **fields)


class MalformedReplyError(Exception):
    """The server's answer is no chat completion."""


def reply_of(body: object) -> Reply:
    """A reply from the parsed body of a chat completion.

    Raises
    ------
    MalformedReplyError
        If there is no message in it.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(body, dict) or not isinstance(first, dict) or not isinstance(message, dict):
        raise MalformedReplyError("the answer has no message in it")
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Reply(
        text=_text(message.get("content")),
        finish=_text(first.get("finish_reason")),
        refusal=_text(message.get("refusal")),
        tokens=_tokens(first.get("logprobs")),
        prompt_tokens=_count(counts.get("prompt_tokens")),
        answer_tokens=_count(counts.get("completion_tokens")),
    )


def _text(value: object) -> str:
    """A text that UTF-8 can hold, empty if there is none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tokens(value: object) -> tuple[Token, ...]:
    content = value.get("content") if isinstance(value, dict) else None
    entries = content if isinstance(content, list) else []
    return tuple((_text(entry.get("token")), _alternatives(entry)) for entry in entries if isinstance(entry, dict))


def _alternatives(entry: Mapping[str, object]) -> dict[str, float]:
    top = entry.get("top_logprobs")
    pairs = [
        (_text(other.get("token")), other.get("logprob"))
        for other in (top if isinstance(top, list) else [])
        if isinstance(other, dict)
    ]
    return {text: number for text, value in pairs if (number := _number(value)) is not None}


def _number(value: object) -> float | None:
    """A number that can be reckoned with; one of 400 digits cannot."""
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return None
    return None if math.isnan(number) else number
