"""Options of `collect`."""

from dataclasses import dataclass

from dissensus.errors import OptionError
from dissensus.options import Options, bootstrap_option, confidence_option, named, option

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
        None,
        metavar="W",
        above=0,
        below=1,
        help="Stop early once agreement is known to within plus or minus W.",
    )
    looks: int = option(
        5,
        metavar="N",
        at_least=1,
        at_most=MOST_LOOKS,
        help="How many times to check that, evenly spaced; cannot be changed later.",
    )
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """There must be enough raters for each item."""
        if self.raters is not None and self.ratings_per_item is not None and self.ratings_per_item > self.raters:
            raise OptionError(
                f"{named('ratings_per_item')} {self.ratings_per_item} is more than the {self.raters} raters: "
                f"raise {named('raters')}."
            )
