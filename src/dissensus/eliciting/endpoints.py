"""Where to ask, and the key for it, which is never shown."""

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from dissensus.errors import OptionError

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
