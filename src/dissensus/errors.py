"""Every error raised on purpose.

DissensusError
    RatingsError (also a ValueError): the ratings cannot be used as given
        FileError: a file cannot be read
        ColumnError: a column is missing, named twice or holds the wrong thing
        RepeatedRatingsError: somebody rated the same item twice
        TooFewRatingsError: some items have too few ratings for the method
    JudgesError (also a ValueError): the judges' answers cannot be used as given
    TaskError (also a ValueError): the task file cannot be used as given
    OptionError (also a ValueError): an option has a value it cannot have
    MissingExtraError (also an ImportError): an optional dependency is not installed
"""

from collections.abc import Iterable, Sequence

SHOWN = 5
"""How many culprits a message names before it says how many more there are."""


class DissensusError(Exception):
    """Base of every error raised on purpose."""


class RatingsError(DissensusError, ValueError):
    """The ratings cannot be used as given."""


class FileError(RatingsError):
    """A file cannot be read."""


class ColumnError(RatingsError):
    """A column is missing, named twice or holds the wrong thing."""


class JudgesError(DissensusError, ValueError):
    """The judges' answers cannot be used as given."""


class TaskError(DissensusError, ValueError):
    """The task file cannot be used as given."""


class RepeatedRatingsError(RatingsError):
    """Somebody rated the same item twice."""

    def __init__(self, repeats: Sequence[str], *, total: int) -> None:
        times = "rating repeats" if total == 1 else "ratings repeat"
        super().__init__(
            f"{total} {times} an earlier one of the same item and rater: {listed(repeats, total=total)}. "
            "Keep one of each with --repeats first or --repeats last, or all of them with --repeats keep."
        )


class TooFewRatingsError(RatingsError):
    """Some items have too few ratings for the method."""

    def __init__(self, items: Sequence[str], *, needed: int) -> None:
        super().__init__(
            f"{len(items)} items have fewer than {needed} ratings: {listed(items)}. "
            f"Drop them with `ratings.with_at_least({needed})`, or collect more ratings."
        )


class OptionError(DissensusError, ValueError):
    """An option has a value it cannot have."""

    @classmethod
    def unknown(cls, option: str, value: object, known: Iterable[object]) -> "OptionError":
        """Error for a value that is none of the known ones."""
        return cls(f"{option} cannot be {value!r}: choose one of {', '.join(str(k) for k in known)}.")


class MissingExtraError(DissensusError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, *, install: str) -> None:
        super().__init__(f"{what} needs a package that is not installed: run `pip install '{install}'`.")


def listed(names: Sequence[str], *, total: int | None = None) -> str:
    """The first names in one line, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    more = (len(names) if total is None else total) - min(len(names), SHOWN)
    shown = ", ".join(names[:SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
