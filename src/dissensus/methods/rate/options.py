"""What to ask, of whom, how often and at what cost: the options of `rate`, checked."""

import ipaddress
import math
import os
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from dissensus.data.ratings import ELICITATIONS, Elicitation
from dissensus.data.task import ASKINGS, Asking, Task
from dissensus.errors import OptionError

# ---- Where to ask, and the key for it, which is never shown

OPENAI = "https://api.openai.com/v1"
DEFAULT_KEY = "OPENAI_API_KEY"
REDACTED = "[key]"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
NO_KEY = "none"
"""What is sent to a server that needs no key; the SDK wants to send something."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address and the key for it.

    Attributes
    ----------
    url : str
        Without a slash at the end.
    key : str, optional
        Not in its repr, so that it gets into no message.
    """

    url: str
    key: str | None = field(default=None, repr=False)

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return is_loopback(self.url)

    def redacted(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        return text.replace(self.key, REDACTED) if self.key else text


def checked_url(url: str) -> str:
    """The address of a server, without a slash at its end.

    Examples
    --------
    >>> checked_url("http://localhost:8080/v1/")
    'http://localhost:8080/v1'
    """
    try:
        parts = urlsplit(url.strip())
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in {"http", "https"}:
        raise OptionError(f"--base-url cannot be {url!r}: give an address such as http://localhost:8080/v1.")
    if parts.username is not None or parts.query or parts.fragment:
        # Not shown: a key may stand in it.
        raise OptionError(
            f"--base-url for {parts.hostname} has a user name, a ? or a # in it: leave that out, and put the key into "
            f"the environment variable {DEFAULT_KEY}."
        )
    # One spelling of the scheme: what follows looks at it, such as whether certificates are to be checked.
    return parts.scheme + url.strip().rstrip("/")[len(parts.scheme) :]


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine.

    Examples
    --------
    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("http://localhost"), is_loopback(OPENAI)
    (True, True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def endpoint_of(url: str, *, key_variable: str | None = None) -> Endpoint:
    """The endpoint with its key from the environment.

    Parameters
    ----------
    url : str
        The server.
    key_variable : str, optional
        The environment variable that holds the key; OPENAI_API_KEY if not given. A server on this machine gets a key
        only if a variable is named: it needs none as a rule, and a key for another server is none of its business.
    """
    if key_variable is None and is_loopback(url):
        return Endpoint(url)
    name = key_variable or DEFAULT_KEY
    if not _VARIABLE.fullmatch(name):
        # Not shown: it may be the key itself.
        raise OptionError(
            "--key-variable is no name of an environment variable: put the key into a variable, such as "
            f"{DEFAULT_KEY}, and give that name."
        )
    key = os.environ.get(name, "").strip()
    if not key:
        # A name in small letters is not shown: it may be the key itself.
        shown = f"The environment variable {name}" if name.isupper() else "The variable that --key-variable names"
        raise OptionError(
            f"{shown} is not set, and {urlsplit(url).hostname} is not on this machine: set it "
            "to the key of that server, or to none if it needs no key."
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise OptionError(f"The environment variable {name} holds no key: it has blanks or other odd characters in it.")
    return Endpoint(url, key)


# ---- What to ask, of whom, how often and at what cost: the options of `rate`, checked

Structured = Literal["auto", "json-schema", "letters"]
STRUCTURED: tuple[Structured, ...] = ("auto", "json-schema", "letters")
TOP_TOKENS = 20
"""How many tokens servers tell the log-probabilities of at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How to ask.

    Attributes
    ----------
    model, base_url : str
        Whom, and where.
    asking : {"forced-choice", "response-set", "both"}
        Which elicitations.
    samples : int
        Answers to each item in each elicitation and order.
    temperature : float
        How much the model's answers vary.
    max_tokens : int
        How long an answer may be.
    logprobs : bool
        Whether to ask for log-probabilities.
    structured : {"auto", "json-schema", "letters"}
        Whether to hold the model to a JSON schema; auto tries.
    seed : int
        Of the order of the options and of the waits between tries.
    concurrency, timeout, retries
        Requests at a time, seconds for each, and tries after the first.
    max_requests, max_tokens_total : int, optional
        What this run may spend.
    """

    model: str
    base_url: str = OPENAI
    asking: Asking = "forced-choice"
    samples: int = 10
    temperature: float = 1.0
    max_tokens: int = 64
    logprobs: bool = False
    structured: Structured = "auto"
    seed: int = 0
    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 5
    max_requests: int | None = None
    max_tokens_total: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", checked_url(self.base_url))
        if not self.model.strip():
            raise OptionError("--model is empty: name the model as the server knows it.")
        if self.asking not in ASKINGS:
            raise OptionError.unknown("--elicitation", self.asking, ASKINGS)
        if self.structured not in STRUCTURED:
            raise OptionError.unknown("--structured", self.structured, STRUCTURED)
        for name in ("samples", "max_tokens", "concurrency", "max_requests", "max_tokens_total"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"--{name.replace('_', '-')} cannot be {value}: give 1 or more.")
        if self.retries < 0:
            raise OptionError(f"--retries cannot be {self.retries}: give 0 or more.")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise OptionError(f"--temperature cannot be {self.temperature}: give a number from 0 on, such as 1.")
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise OptionError(f"--timeout cannot be {self.timeout}: give a number of seconds, such as 60.")

    @property
    def elicitations(self) -> tuple[Elicitation, ...]:
        """The elicitations to ask in, forced choices first."""
        if self.asking == "both":
            return ELICITATIONS
        return ("forced_choice",) if self.asking == "forced-choice" else ("response_set",)

    def check_against(self, task: Task) -> None:
        """An error where the task leaves nothing to ask for."""
        if self.asking != "forced-choice" and task.response_sets == "single":
            raise OptionError(
                'The task says response_sets = "single", so that a response set is no more than a forced choice: ask '
                "with --elicitation forced-choice, or change the task."
            )

    def settings(self) -> dict[str, object]:
        """The options for the `settings` part of the JSON."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {"elicitation" if name == "asking" else name: value for name, value in fields.items()}
