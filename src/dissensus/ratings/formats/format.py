from collections.abc import Callable
from dataclasses import dataclass

from dissensus.ratings.formats.plan import RawJudges, RawRatings, ReadPlan
from dissensus.ratings.sources.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way in which ratings or judges' answers are written down.

    Every module of this folder with a `FORMAT` is found by the registry.

    Attributes
    ----------
    name : str
        What `--format` calls it.
    what : str
        What it is, in a few words.
    recognises : callable
        Whether a source is written so; must not read more than it needs.
    ratings, judges : callable, optional
        Takes people's ratings or judges' answers from a source; None if the format has none.
    is_layout : bool
        Whether any program may have written it. Layouts are tried after the tools.
    """

    name: str
    what: str
    recognises: Callable[[Source, ReadPlan], bool]
    ratings: Callable[[Source, ReadPlan], RawRatings] | None = None
    judges: Callable[[Source, ReadPlan], RawJudges] | None = None
    is_layout: bool = False
