"""What to ask, where, how often and at what cost: the options of `rate`, and the server with its key."""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from dissensus.data.ratings import ELICITATIONS, Elicitation
from dissensus.data.task import ASKED_AS, AskedAs, Task
from dissensus.errors import OptionError
from dissensus.options import Options, declarations, named, option

# ---- Where to ask, and the key for it, which is never shown

OPENAI = "https://api.openai.com/v1"
DEFAULT_KEY = "OPENAI_API_KEY"
REDACTED = "[key]"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
NO_KEY = "none"  # what is sent to a server that needs no key; the SDK wants to send something
_ONE = "give 1 or more"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address, without a slash at the end, and the key for it, which is in no repr and so in no message."""

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
    """The address of a server, without a slash at its end."""
    try:
        parts = urlsplit(url.strip())
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in {"http", "https"}:
        raise OptionError(f"{named('base_url')} cannot be {url!r}: give an address such as http://localhost:8080/v1.")
    if parts.username is not None or parts.query or parts.fragment:
        # Not shown: a key may stand in it.
        raise OptionError(
            f"{named('base_url')} for {parts.hostname} has a user name, a ? or a # in it: leave that out, and put the "
            f"key into the environment variable {DEFAULT_KEY}."
        )
    # One spelling of the scheme: what follows looks at it, such as whether certificates are to be checked.
    return parts.scheme + url.strip().rstrip("/")[len(parts.scheme) :]


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("http://localhost"), is_loopback(OPENAI)
    (True, True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def endpoint_of(url: str, *, key_variable: str | None = None) -> Endpoint:
    """The endpoint with its key from an environment variable, OPENAI_API_KEY if none is named.

    A server on this machine gets a key only if a variable is named: it needs none as a rule, and a key for another
    server is none of its business.
    """
    if key_variable is None and is_loopback(url):
        return Endpoint(url)
    name = key_variable or DEFAULT_KEY
    if not _VARIABLE.fullmatch(name):
        # Not shown: it may be the key itself.
        raise OptionError(
            f"{named('key_variable')} is not the name of an environment variable: put the key into a variable, such as "
            f"{DEFAULT_KEY}, and give that name."
        )
    key = os.environ.get(name, "").strip()
    if not key:
        # A name in small letters is not shown: it may be the key itself.
        shown = (
            f"The environment variable {name}" if name.isupper() else f"The variable that {named('key_variable')} names"
        )
        raise OptionError(
            f"{shown} is not set, and {urlsplit(url).hostname} is not on this machine: set it "
            "to the key of that server, or to none if it needs no key."
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise OptionError(f"The environment variable {name} holds no key: it has blanks or other odd characters in it.")
    return Endpoint(url, key)


# ---- What to ask, of whom, how often and at what cost

Structured = Literal["auto", "json-schema", "letters"]
STRUCTURED: tuple[Structured, ...] = ("auto", "json-schema", "letters")
TOP_TOKENS = 20  # how many tokens servers tell the log-probabilities of at most
_NOT_SHOWN = ("key_variable", "judge")  # options that are no settings


@dataclass(frozen=True, kw_only=True)
class RateOptions(Options):
    """How to ask, as in `rate`; the seed is that of the order of the options and of the waits between tries."""

    model: str = option(metavar="M", help="What the server calls the model.")
    base_url: str = option(OPENAI, metavar="URL", help="The server: anything that speaks the OpenAI protocol.")
    key_variable: str | None = option(
        None, metavar="NAME", help="Environment variable with the key; OPENAI_API_KEY if not given, none for localhost."
    )
    elicitation: AskedAs | None = option(
        None, metavar="E", flag="--elicitation",
        help="forced-choice, response-set or both; as the task says if not given.",
    )  # fmt: skip
    samples: int = option(
        10, metavar="N", at_least=1, limit="samples", wants=_ONE, help="Answers to each item, in each elicitation."
    )
    temperature: float = option(
        1.0, metavar="T", at_least=0, wants="give a number of 0 or more, such as 1", help="How much the answers vary."
    )
    max_tokens: int = option(
        64, metavar="N", at_least=1, wants=_ONE, help="How long an answer may be, thinking included."
    )
    logprobs: bool = option(default=False, help="Probabilities of forced choices, from log-probabilities.")
    structured: Structured = option(
        "auto",
        metavar="S",
        choices=STRUCTURED,
        help="json-schema, letters, or auto: a schema where the server takes one.",
    )
    judge: str | None = option(None, metavar="NAME", help="What to call the judge, if not MODEL.")
    concurrency: int = option(8, metavar="N", at_least=1, wants=_ONE, help="Requests at a time.")
    timeout: float = option(
        60.0, metavar="SECONDS", above=0, wants="give a number of seconds, such as 60",
        help="How long to wait for an answer.",
    )  # fmt: skip
    retries: int = option(
        5, metavar="N", at_least=0, wants="give 0 or more", help="Tries after the first, if a server is busy or fails."
    )
    max_requests: int | None = option(
        None, metavar="N", at_least=1, wants=_ONE, help="Send no more requests than this, tries included."
    )
    max_tokens_total: int | None = option(
        None, metavar="N", at_least=1, wants=_ONE, help="Use no more tokens than this."
    )
    seed: int = 0

    @classmethod
    def asked(cls, parameters: Mapping[str, object], task: Task, *, seed: int) -> "RateOptions":
        """The options among the parameters of `rate`, with what the task says about them."""
        asking = parameters["elicitation"] or task.elicitation
        options = cls.given(
            parameters, base_url=checked_url(str(parameters["base_url"])), elicitation=asking, seed=seed
        )
        if asking != "forced-choice" and task.response_sets == "single":
            raise OptionError(
                'The task says response_sets = "single", so that a response set is no more than a forced choice: ask '
                f"with {named('elicitation', of='rate')} forced-choice, or change the task."
            )
        return options

    def check(self) -> None:
        """Raise where a name is blank, or the address or the elicitation none."""
        checked_url(self.base_url)
        if self.judge is not None and not self.judge.strip():
            raise OptionError(
                f"{named('judge')} is blank: give the judge a name, or leave it out to call it by its model."
            )
        if not self.model.strip():
            raise OptionError(f"{named('model')} is empty: name the model as the server knows it.")
        if self.elicitation not in (None, *ASKED_AS):
            raise OptionError.unknown(named("elicitation", of="rate"), self.elicitation, ASKED_AS)

    @property
    def elicitations(self) -> tuple[Elicitation, ...]:
        """The elicitations to ask in, forced choices first."""
        if self.elicitation == "both":
            return ELICITATIONS
        return ("response_set",) if self.elicitation == "response-set" else ("forced_choice",)

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON; the seed stands before what does not change the answers."""
        names = [name for name in declarations(type(self)) if name not in _NOT_SHOWN]
        names.insert(names.index("concurrency"), "seed")
        return {name: getattr(self, name) for name in names}
