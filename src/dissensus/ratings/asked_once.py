"""Ratings that were asked for in one way: who was asked in both ways would count as two raters."""

import numpy as np

from dissensus.ratings.judges import Judges
from dissensus.ratings.table import ELICITATIONS, Elicitation, Ratings


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
