"""How long work will take, for those who wait without a progress bar."""

from collections.abc import Callable
from time import monotonic

FIRST, EVERY = 10.0, 60.0
"""Seconds until the first word about how far the work is, and between two of them."""


class Pace:
    """Says how much of the work is done and how long the rest will take; called like any progress.

    Parameters
    ----------
    say : callable
        Told a sentence.
    clock : callable
        Seconds since some moment.
    """

    def __init__(self, say: Callable[[str], None], *, clock: Callable[[], float] = monotonic) -> None:
        self._say, self._clock = say, clock
        self._total = 0

    def __call__(self, done: int, total: int) -> None:
        """Take note that so much is done."""
        now = self._clock()
        if total != self._total:  # other work begins; what came before its first part, such as imports, does not count
            self._total, self._began, self._done_then, self._next = total, now, done, now + FIRST
        elif now >= self._next and done < total:
            seconds = (now - self._began) / (done - self._done_then) * (total - done)
            self._say(f"{done:,} of {total:,} parts done, {duration(seconds)} to go.")
            self._next = now + EVERY


def duration(seconds: float) -> str:
    """So many seconds in words, roughly.

    Examples
    --------
    >>> duration(0.3), duration(80), duration(2700), duration(30_000), duration(400_000)
    ('about 1 second', 'about 80 seconds', 'about 45 minutes', 'about 8.3 hours', 'about 4.6 days')
    """
    for unit, size in (("day", 86_400), ("hour", 3600)):
        if seconds >= 2 * size:
            return f"about {seconds / size:.1f} {unit}s"
    unit, size = ("minute", 60) if seconds >= 2 * 60 else ("second", 1)
    number = max(round(seconds / size), 1)
    return f"about {number} {unit}{'' if number == 1 else 's'}"
