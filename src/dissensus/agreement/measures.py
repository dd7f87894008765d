"""Which coefficients a set of ratings allows."""

from functools import partial

import numpy as np

from dissensus.agreement.alpha import interval_alpha, nominal_alpha, ordinal_alpha
from dissensus.agreement.bootstrap import Measure
from dissensus.agreement.fleiss import fleiss_kappa
from dissensus.agreement.gwet import Weighting, gwet_ac1, gwet_ac2
from dissensus.agreement.pairwise import pairwise_agreement
from dissensus.agreement.set_alpha import jaccard_distance, masi_distance, set_alpha
from dissensus.ratings import Ratings
from dissensus.ratings.labels import Scale, membership

PAIRWISE = "pairwise_agreement"


def measures_for(ratings: Ratings, *, weighting: Weighting | None = None) -> dict[str, Measure]:
    """The coefficients that the scale of the labels allows, by name and in the order of the output.

    Response sets have no order, so they get the nominal coefficients and alpha with the distances between sets. Labels
    that are numbers get interval alpha on an ordinal scale too: the numbers are there, and the output names the scale.
    """
    scale: Scale = "nominal" if ratings.has_response_sets else ratings.scale
    values = ratings.values
    measures: dict[str, Measure] = {PAIRWISE: pairwise_agreement, "krippendorff_alpha_nominal": nominal_alpha}
    if scale != "nominal":
        measures["krippendorff_alpha_ordinal"] = ordinal_alpha
        if np.isfinite(values).all():
            measures["krippendorff_alpha_interval"] = partial(interval_alpha, values=values)
    measures["fleiss_kappa"] = fleiss_kappa
    measures["gwet_ac1"] = gwet_ac1
    if scale != "nominal":
        measures["gwet_ac2"] = partial(gwet_ac2, values=values, weighting=weighting or default_weighting(scale))
    if ratings.has_response_sets:
        members = membership(ratings.labels, ratings.options)
        measures["krippendorff_alpha_jaccard"] = partial(set_alpha, distance=jaccard_distance(members))
        measures["krippendorff_alpha_masi"] = partial(set_alpha, distance=masi_distance(members))
    return measures


def default_weighting(scale: Scale) -> Weighting:
    """Weights of AC2 that fit a scale: by rank for an order, by squared distance for numbers."""
    return "quadratic" if scale == "interval" else "ordinal"


def why_undefined(ratings: Ratings) -> str:
    """The reason that a coefficient is undefined."""
    ratings_per_item = ratings.types.ratings
    if ratings_per_item.max(initial=0) < 2:  # noqa: PLR2004 - a pair
        return "no item has two ratings, so nobody could agree or disagree"
    return "only one label was used on the items with two or more ratings, so chance agreement is complete"
