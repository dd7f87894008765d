"""Options of `collect` and what it returns."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dissensus.errors import OptionError
from dissensus.options import Options, bootstrap_option, confidence_option, named, option
from dissensus.results import Result, as_dict

MOST_RATERS = 1000
MOST_LOOKS = 20


@dataclass(frozen=True, kw_only=True)
class CollectOptions(Options):
    """What the user asked for, as in `collect`."""

    raters: int | None = option(
        None, metavar="N", at_least=1, at_most=MOST_RATERS, help="How many raters there are; each gets a link."
    )
    ratings_per_item: int | None = option(
        None, metavar="K", at_least=1, help="How many of them rate each item; else as the plan says."
    )
    repeat_share: float = option(
        0.05, metavar="S", at_least=0, at_most=0.5, help="Share of a rater's items that come again, for consistency."
    )
    check_share: float = option(
        0.05, metavar="S", at_least=0, at_most=0.5, help="Attention checks as a share of a rater's items."
    )
    stop_at: float | None = option(
        None, metavar="W", above=0, below=1, help="Stop early once agreement is known to within plus or minus W.",
    )  # fmt: skip
    looks: int = option(
        5, metavar="N", at_least=1, at_most=MOST_LOOKS,
        help="How many times to check that, evenly spaced; cannot be changed later.",
    )  # fmt: skip
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """There must be enough raters for each item."""
        if self.raters is not None and self.ratings_per_item is not None and self.ratings_per_item > self.raters:
            raise OptionError(
                f"{named('ratings_per_item')} {self.ratings_per_item} is more than the {self.raters} raters: "
                f"raise {named('raters')}."
            )


State = Literal["new", "open", "finished", "stopped"]
RaterState = Literal["new", "open", "finished", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """How far a rater is, and how the answers look so far."""

    rater: str
    state: RaterState
    asked: int  # items, repeats and checks
    answered: int  # of them, skipped ones included
    skipped: int
    seconds: float | None  # median time for an answer
    agreement: float | None  # with the other raters of the same items
    stands_out: bool  # agrees far less with the others than raters do
    checks: int  # attention checks answered, and how many of them right
    checks_right: int
    repeats: int  # items answered again, and how many of them in the same way
    repeats_same: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemProgress:
    """How far an item is."""

    item: str
    planned: int  # ratings
    ratings: int  # so far
    skipped: int
    seconds: float | None  # median time for an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Pairwise agreement with its interval; a number is NaN where it is not known yet."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One of the times, fixed before the start, at which a collection may stop early."""

    at: int  # ratings
    confidence: float  # of its interval: what may go wrong is shared out among the looks
    is_reached: bool
    agreement: Agreement | None  # of the first `at` ratings; None before it is reached
    may_stop: bool


@dataclass(frozen=True, kw_only=True)
class CollectResult(Result):
    """How far is the collection?

    Attributes
    ----------
    output : str
        The project's folder.
    state : {"new", "open", "finished", "stopped"}
        Whether ratings are still coming in.
    items, raters, ratings_per_item : int
        The design.
    planned, ratings, skipped : int
        Ratings that were planned, those that there are, and those that a rater skipped; without repeats and checks.
    complete : int
        Items with all of their ratings.
    fewest_shared : int
        Items that every two raters share, at least, by design.
    is_connected : bool
        Whether all raters are linked by shared items.
    agreement : Agreement, optional
        So far, of the forced choices where there are both; None before two people rated one item.
    by_rater : tuple of RaterProgress
        One for each rater.
    by_item : tuple of ItemProgress
        One for each item.
    looks : tuple of Look
        When the collection may stop early; empty without such a rule.
    """

    command: ClassVar[str] = "collect"

    output: str
    state: State
    items: int
    raters: int
    ratings_per_item: int
    planned: int
    ratings: int
    skipped: int
    complete: int
    fewest_shared: int
    is_connected: bool
    agreement: Agreement | None
    by_rater: tuple[RaterProgress, ...]
    by_item: tuple[ItemProgress, ...]
    looks: tuple[Look, ...] = ()

    @property
    def may_stop(self) -> bool:
        """Whether the rule that was fixed before the start is met."""
        return any(look.may_stop for look in self.looks)

    def rows(self) -> list[dict[str, object]]:
        """One row per rater."""
        return [as_dict(rater) for rater in self.by_rater]
