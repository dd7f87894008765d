"""Alike items that were put together, taken apart again for a method that looks at each."""

from dissensus.errors import JudgesError, RatingsError
from dissensus.ratings.judges import Judges
from dissensus.ratings.table import Ratings

MOST_ITEMS = 5_000_000
"""More than this would fill the memory."""


def item_by_item(ratings: Ratings, judges: Judges, *, what: str) -> tuple[Ratings, Judges]:
    """Ratings and answers with a row for each item of the data; the same objects where nothing was put together.

    Parameters
    ----------
    ratings, judges
        What raters and judges said.
    what : str
        Which method looks at each item, for the message.
    """
    if ratings.copies is None:
        return ratings, judges
    if judges.moments is not None:
        raise JudgesError(f"{what} needs judges' outputs, and only sums of them were read: use --round-outputs 3.")
    if ratings.items_in_all > MOST_ITEMS:
        raise RatingsError(
            f"{what} looks at each of the {ratings.items_in_all:,} items, and {MOST_ITEMS:,} are the most: give it a "
            "sample of them."
        )
    return ratings.expanded(), judges.expanded(ratings)
