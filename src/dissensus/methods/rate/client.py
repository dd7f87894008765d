"""The one place that talks to a server: the openai SDK, with our own retries, time limits and rules for redirects."""

import asyncio
import hashlib
import itertools
import json
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from dissensus.data.labels import number
from dissensus.errors import MissingExtraError, OptionError, one_line
from dissensus.methods.rate.options import NO_KEY, Endpoint
from dissensus.options import named

if TYPE_CHECKING:
    import openai

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LONGEST_ASKED_WAIT = 120.0  # a server that asks for more patience than this is given up for this run


def backoff(attempt: int, *, seed: int, key: str) -> float:
    """Seconds before the next try: twice as many each time, less up to a half by chance.

    The chance is that of the seed and of the request, so that the same run waits the same.

    >>> [0.25 <= backoff(0, seed=0, key="k") <= 0.5, 2 <= backoff(3, seed=0, key="k") <= 4]
    [True, True]
    """
    digest = hashlib.sha256(f"{seed} {key} {attempt}".encode()).digest()
    chance = int.from_bytes(digest[:8], "big") / 2**64
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT) * (1 - chance / 2)


def asked_wait(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds that a server asks to wait: `Retry-After` in seconds or as a date; None if it does not say.

    >>> noon = datetime(2025, 1, 6, 12, tzinfo=UTC)
    >>> asked_wait({"retry-after": "7"}, now=noon)
    7.0
    >>> asked_wait({"retry-after": "Mon, 06 Jan 2025 12:00:30 GMT"}, now=noon)
    30.0
    """
    milliseconds = number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(milliseconds / 1000, 0.0)
    text = headers.get("retry-after", "")
    seconds = number(text)
    if seconds is not None:
        return max(seconds, 0.0)
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    zoned = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max((zoned - now).total_seconds(), 0.0)


Kind = Literal["transient", "final", "fatal"]


class Trouble(Exception):  # noqa: N818 - not an error of ours: most troubles pass
    """A request without an answer.

    A transient one is worth another try, a final one of no use to try again in this run, a fatal one the same for every
    other request. `wait` has the seconds that the server asks for; the server may charge for a request that is spent,
    and nobody listens where it is unreachable. The reason is one line, without the key.
    """

    def __init__(
        self, reason: str, *, kind: Kind, status: int | None = None, wait: float | None = None, is_spent: bool = False,
        is_unreachable: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(reason)
        self.reason, self.kind, self.status, self.wait = reason, kind, status, wait
        self.is_spent, self.is_unreachable = is_spent, is_unreachable


# ---- What a server sent back, checked: nothing in it is taken on trust

Token = tuple[str, dict[str, float]]  # a piece of the answer, and the log-probabilities of what could have stood there


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as the server sent it.

    `finish` is why it stopped (stop, length, content_filter, ...), `refusal` what it answered instead where the server
    tells the two apart, `tokens` are log-probabilities, if they were asked for and sent; the rest is the cost, if the
    server reports it.
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
    """A reply from the parsed body of a chat completion; a MalformedReplyError if there is no message in it."""
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(body, dict) or not isinstance(first, dict) or not isinstance(message, dict):
        raise MalformedReplyError("the answer has no message in it")
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Reply(
        text=_text(message.get("content")), finish=_text(first.get("finish_reason")),
        refusal=_text(message.get("refusal")), tokens=_tokens(first.get("logprobs")),
        prompt_tokens=_count(counts.get("prompt_tokens")), answer_tokens=_count(counts.get("completion_tokens")),
    )  # fmt: skip


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
    """A number that can be used; one of 400 digits cannot."""
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return None
    return None if math.isnan(number) else number


PATH = "/chat/completions"
BASE_URL = named("base_url")
REDIRECTS = range(300, 400)
HINTS = {401: "Check the key in the environment.", 404: f"Check {named('model')} and {named('base_url')}."}
NOT_IMPLEMENTED = 501
TRANSIENT = frozenset({408, 409, 425, 429})
SERVER_ERRORS = 500
TRAITS = (
    "X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch", "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version", "X-Stainless-Async", "X-Stainless-Retry-Count", "X-Stainless-Read-Timeout",
    "OpenAI-Organization", "OpenAI-Project",
)  # fmt: skip
LARGEST_ANSWER = 1_000_000  # bytes of an answer; anything larger is cut off
CONNECTIONS_EACH = 4
"""Connections of one client of the SDK: it looks at all of them for each request, so that many get slow."""
FEWEST_OF_A_KEY = 12  # characters; a shorter key may stand in an answer by chance
LONGEST_MESSAGE = 200  # how much of what a server says about an error is kept


class TooLargeError(Exception):
    """The server's answer is larger than any answer is."""


async def _limit(response: Any) -> None:  # noqa: ANN401 - of whichever HTTP library the SDK brings
    """Cut an answer off that is too large, before it is read; packed ones, which we do not ask for, too."""
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise TooLargeError(f"the answer is packed ({packed}), though we asked for a plain one")
    stream = response.stream
    base: type = type(stream).__bases__[0]  # what the library takes for a stream

    class Limited(base):  # type: ignore[misc] # known at run time only
        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = LARGEST_ANSWER
            async for part in stream:
                left -= len(part)
                if left < 0:
                    raise TooLargeError(f"the answer is larger than {LARGEST_ANSWER:,} bytes")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Limited()


class Client:
    """A server that speaks the OpenAI protocol.

    Redirects are not followed: the key goes to the host that the user named and to no other.
    """

    def __init__(self, endpoint: Endpoint, *, concurrency: int, timeout: float) -> None:
        try:
            import openai  # noqa: PLC0415 - only those who ask a model have it, and it takes a second
        except ImportError as error:
            raise MissingExtraError("Asking a model", install="dissensus[llm]") from error
        self._openai, self._endpoint, self._timeout = openai, endpoint, timeout
        self._clients = [self._connect() for _ in range(0, concurrency, CONNECTIONS_EACH)]
        self._next = itertools.cycle(self._clients)

    def _connect(self) -> "openai.AsyncOpenAI":
        try:
            http = self._openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                trust_env=not self._endpoint.is_loopback,  # a proxy is no way to this machine
                verify=self._endpoint.url.startswith("https:"),  # without TLS its certificates need not be loaded
                timeout=None,
                headers={"accept-encoding": "identity"},
                event_hooks={"response": [_limit]},
            )
        except Exception as error:  # its HTTP library has errors of its own for an address that cannot be
            # The value is not shown: a proxy's address may hold a password.
            raise OptionError(
                f"The proxy or certificates that the environment names cannot be used ({type(error).__name__}): check "
                "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE."
            ) from error
        return self._openai.AsyncOpenAI(
            base_url=self._endpoint.url, api_key=self._endpoint.key or NO_KEY, max_retries=0, timeout=None,
            http_client=http, default_headers=self._without_traits(),
        )  # fmt: skip

    def _without_traits(self) -> Mapping[str, str] | None:
        """Headers that leave out what the SDK tells about this machine, where the SDK can leave it out."""
        omitted = getattr(self._openai, "Omit", None)
        return None if omitted is None else cast("Mapping[str, str]", {name: omitted() for name in TRAITS})

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            await client.close()

    async def send(self, body: Mapping[str, object]) -> Reply:
        """The reply to one request; Trouble if there is none."""
        try:
            async with asyncio.timeout(self._timeout):
                # Not through chat.completions.create: its checks of types take longer than all else together.
                answer = await next(self._next).post(PATH, body=dict(body), cast_to=object)
            return self._without_key(reply_of(answer))
        except (TimeoutError, self._openai.APITimeoutError):
            reason = f"no answer within {self._timeout:g} seconds"
            raise Trouble(reason, kind="transient", is_spent=True) from None
        except self._openai.APIStatusError as error:
            return self._on_status(error)
        except TooLargeError as error:
            raise Trouble(str(error), kind="final", is_spent=True) from None
        except self._openai.APIConnectionError as error:
            raise self._connection_trouble(error) from None
        except (MalformedReplyError, ValueError, RecursionError, self._openai.OpenAIError) as error:
            reason = f"malformed answer: {self._short(str(error))}"
            raise Trouble(reason, kind="transient", is_spent=True) from None

    def _without_key(self, reply: Reply) -> Reply:
        """The reply without the key, should it repeat that; a key as short as an answer is no secret."""
        if len(self._endpoint.key or "") < FEWEST_OF_A_KEY:
            return reply
        plain = self._endpoint.redacted
        tokens = tuple((plain(text), {plain(one): p for one, p in top.items()}) for text, top in reply.tokens)
        return replace(
            reply, text=plain(reply.text), refusal=plain(reply.refusal), finish=plain(reply.finish), tokens=tokens
        )

    def _connection_trouble(self, error: "openai.APIConnectionError") -> Trouble:
        cause = error.__cause__
        if isinstance(cause, TooLargeError):
            return Trouble(str(cause), kind="final", is_spent=True)
        name = type(cause).__name__
        is_unreachable = name == "ConnectError"
        reason = f"the connection broke off ({name})"
        if is_unreachable and "CERTIFICATE" in str(cause).upper():
            answer = self._short(str(cause))
            reason = f"the certificate of {self._endpoint.url} is not to be trusted ({answer}). Check {BASE_URL}."
        elif is_unreachable:
            reason = f"no server answers at {self._endpoint.url}. Start the server, or check {BASE_URL}."
        return Trouble(reason, kind="transient", is_spent=not is_unreachable, is_unreachable=is_unreachable)

    def _on_status(self, error: "openai.APIStatusError") -> Reply:
        """The reply behind an error: a filter that stops a text has answered; anything else is trouble."""
        status, message = error.status_code, self._short(_message(error.body) or error.message)
        code = _code(error.body)
        if "content_filter" in code or "content_policy" in code:
            return Reply(text=message, finish="content_filter")
        answer = f"HTTP {status}: {message}"
        if status in REDIRECTS:
            to = ""
            with suppress(ValueError):  # no address at all
                to = urlsplit(error.response.headers.get("location", "")).hostname or ""
            to = to or "another address"
            reason = f"{self._endpoint.url} redirects to {self._short(to)}. Give that address as {BASE_URL}."
            raise Trouble(reason, kind="fatal", status=status) from None
        if status in HINTS or "insufficient_quota" in code:
            hint = HINTS.get(status, "Add to the account, or ask another server.")
            raise Trouble(f"{answer.rstrip('.')}. {hint}", kind="fatal", status=status) from None
        if status in TRANSIENT or (status >= SERVER_ERRORS and status != NOT_IMPLEMENTED):
            wait = asked_wait(error.response.headers, now=datetime.now(UTC))
            raise Trouble(answer, kind="transient", status=status, wait=wait) from None
        raise Trouble(answer, kind="final", status=status) from None

    def _short(self, text: str) -> str:
        plain = one_line(self._endpoint.redacted(" ".join(text.split())))
        return plain if len(plain) <= LONGEST_MESSAGE else plain[: LONGEST_MESSAGE - 3] + "..."


def _error_part(body: object) -> Mapping[str, object]:
    """The error object in the body of a response, as servers variously send it."""
    if isinstance(body, str | bytes):
        with suppress(ValueError):
            body = json.loads(body)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {"message": inner} if isinstance(inner, str) else {}


def _message(body: object) -> str:
    message = _error_part(body).get("message", _error_part(body).get("detail"))
    return message if isinstance(message, str) else json.dumps(message) if message else ""


def _code(body: object) -> str:
    part = _error_part(body)
    return f"{part.get('code')} {part.get('type')}" if part.get("code") or part.get("type") else ""
