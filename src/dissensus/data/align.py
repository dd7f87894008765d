"""The one place where judges' items, labels and scales meet those of people."""

import numpy as np

from dissensus.data.judges import Judges
from dissensus.data.ratings import ELICITATIONS, Elicitation, Ratings
from dissensus.errors import JudgesError, RatingsError


def asked_in_one_way(ratings: Ratings, judges: Judges, elicitation: Elicitation | None) -> tuple[Ratings, list[str]]:
    """The ratings of one elicitation, and what was left out.

    Parameters
    ----------
    ratings, judges
        The data.
    elicitation : str, optional
        Which one. Left to us, response sets where judges answer with several options, else forced choices.
    """
    if elicitation is not None:
        return ratings.of_elicitation(elicitation), []
    if ratings.elicitation is None or len(np.unique(ratings.elicitation)) < len(ELICITATIONS):
        return ratings, []
    kind = ELICITATIONS[len(judges.labels) > len(judges.options)]
    kept = ratings.of_elicitation(kind)
    if not set(kept.items) & set(judges.items):
        return ratings, []
    words = kind.replace("_", " ")
    lost = f"{ratings.n_ratings - kept.n_ratings:,} other ratings were left out, so that nobody counts twice"
    return kept, [f"Judges are compared with {words}s only: {lost}. Choose the other kind with --only."]


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
