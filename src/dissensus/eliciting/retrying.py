"""How long to wait before asking again."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from dissensus.ratings.labels import number

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LONGEST_ASKED_WAIT = 600.0
"""A server that asks for more patience than this is given up for this run."""


def backoff(attempt: int, *, seed: int, key: str) -> float:
    """Seconds before the next try: twice as many each time, less up to a half by chance.

    The chance is that of the seed and of the request, so that the same run waits the same.

    Examples
    --------
    >>> [0.25 <= backoff(0, seed=0, key="k") <= 0.5, 2 <= backoff(3, seed=0, key="k") <= 4]
    [True, True]
    """
    digest = hashlib.sha256(f"{seed} {key} {attempt}".encode()).digest()
    chance = int.from_bytes(digest[:8], "big") / 2**64
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT) * (1 - chance / 2)


def asked_wait(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds that a server asks to wait: `Retry-After` in seconds or as a date; None if it does not say.

    Examples
    --------
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
