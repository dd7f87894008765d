"""The one place that talks to a server: the openai SDK, with our own retries, time limits and rules for redirects."""

import asyncio
import itertools
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from dissensus.eliciting.endpoints import NO_KEY, Endpoint
from dissensus.eliciting.replies import MalformedReplyError, Reply, reply_of
from dissensus.eliciting.retrying import asked_wait
from dissensus.eliciting.troubles import Trouble
from dissensus.errors import MissingExtraError, OptionError, one_line

if TYPE_CHECKING:
    import openai

PATH = "/chat/completions"
REDIRECTS = range(300, 400)
HINTS = {401: "Check the key in the environment.", 404: "Check --model and --base-url."}
NOT_IMPLEMENTED = 501
TRANSIENT = frozenset({408, 409, 425, 429})
SERVER_ERRORS = 500
TRAITS = (
    "X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch", "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version", "X-Stainless-Async", "X-Stainless-Retry-Count", "X-Stainless-Read-Timeout",
    "OpenAI-Organization", "OpenAI-Project",
)  # fmt: skip
CONNECTIONS_EACH = 4
"""Connections of one client of the SDK: it looks at all of them for each request, so that many get slow."""
FEWEST_OF_A_KEY = 12
"""Characters; a shorter key may stand in an answer by chance."""
LONGEST_MESSAGE = 200
"""How much of what a server says about an error is kept."""


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
            )
        except Exception as error:  # its HTTP library has errors of its own for an address that cannot be
            # The value is not shown: a proxy's address may hold a password.
            raise OptionError(
                f"The proxy or certificates that the environment names cannot be used ({type(error).__name__}): check "
                "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE."
            ) from error
        return self._openai.AsyncOpenAI(
            base_url=self._endpoint.url,
            api_key=self._endpoint.key or NO_KEY,
            max_retries=0,
            timeout=None,
            http_client=http,
            default_headers=self._without_traits(),
        )

    def _without_traits(self) -> Mapping[str, str] | None:
        """Headers that leave out what the SDK tells about this machine, where the SDK can leave it out."""
        omitted = getattr(self._openai, "Omit", None)
        return None if omitted is None else cast("Mapping[str, str]", {name: omitted() for name in TRAITS})

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            await client.close()

    async def send(self, body: Mapping[str, object]) -> Reply:
        """The reply to one request.

        Raises
        ------
        Trouble
            If there is none.
        """
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
        except self._openai.APIConnectionError as error:
            raise self._connection_trouble(error) from None
        except (MalformedReplyError, ValueError, RecursionError, self._openai.OpenAIError) as error:
            reason = f"malformed answer: {self._short(str(error))}"
            raise Trouble(reason, kind="transient", is_spent=True) from None

    def _without_key(self, reply: Reply) -> Reply:
        """The reply without the key, should it repeat that; a key as short as an answer is no secret."""
        if len(self._endpoint.key or "") < FEWEST_OF_A_KEY:
            return reply
        return replace(reply, text=self._endpoint.redacted(reply.text), refusal=self._endpoint.redacted(reply.refusal))

    def _connection_trouble(self, error: "openai.APIConnectionError") -> Trouble:
        cause = error.__cause__
        name = type(cause).__name__
        is_unreachable = name == "ConnectError"
        reason = f"the connection broke off ({name})"
        if is_unreachable and "CERTIFICATE" in str(cause).upper():
            said = self._short(str(cause))
            reason = f"the certificate of {self._endpoint.url} is not to be trusted ({said}). Check --base-url."
        elif is_unreachable:
            reason = f"nobody listens at {self._endpoint.url}. Start the server, or check --base-url."
        return Trouble(reason, kind="transient", is_spent=not is_unreachable, is_unreachable=is_unreachable)

    def _on_status(self, error: "openai.APIStatusError") -> Reply:
        """The reply behind an error: a filter that stops a text has answered; anything else is trouble."""
        status, message = error.status_code, self._short(_message(error.body) or error.message)
        code = _code(error.body)
        if "content_filter" in code or "content_policy" in code:
            return Reply(text=message, finish="content_filter")
        said = f"HTTP {status}: {message}"
        if status in REDIRECTS:
            to = urlsplit(error.response.headers.get("location", "")).hostname or "another address"
            reason = f"{self._endpoint.url} sends us on to {self._short(to)}. Give that address as --base-url."
            raise Trouble(reason, kind="fatal", status=status) from None
        if status in HINTS or "insufficient_quota" in code:
            hint = HINTS.get(status, "Add to the account, or ask another server.")
            raise Trouble(f"{said.rstrip('.')}. {hint}", kind="fatal", status=status) from None
        if status in TRANSIENT or (status >= SERVER_ERRORS and status != NOT_IMPLEMENTED):
            wait = asked_wait(error.response.headers, now=datetime.now(UTC))
            raise Trouble(said, kind="transient", status=status, wait=wait) from None
        raise Trouble(said, kind="final", status=status) from None

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
