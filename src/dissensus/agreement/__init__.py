"""Do the raters agree? One coefficient per file, and `describe`, which shows them together."""

from dissensus.agreement.alpha import interval_alpha, nominal_alpha, ordinal_alpha
from dissensus.agreement.describe import describe
from dissensus.agreement.fleiss import fleiss_kappa
from dissensus.agreement.gwet import gwet_ac1, gwet_ac2
from dissensus.agreement.pairwise import pairwise_agreement
from dissensus.agreement.result import Coefficient, DescribeResult, Description, LabelShare
from dissensus.agreement.set_alpha import jaccard_distance, masi_distance, set_alpha

__all__ = [
    "Coefficient",
    "DescribeResult",
    "Description",
    "LabelShare",
    "describe",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "interval_alpha",
    "jaccard_distance",
    "masi_distance",
    "nominal_alpha",
    "ordinal_alpha",
    "pairwise_agreement",
    "set_alpha",
]
