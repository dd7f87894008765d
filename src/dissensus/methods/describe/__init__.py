"""Do the raters agree? Coefficients of agreement, and `describe`, which shows them together."""

from dissensus.methods.describe.coefficients import (
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    interval_alpha,
    jaccard_distance,
    masi_distance,
    nominal_alpha,
    ordinal_alpha,
    pairwise_agreement,
    set_alpha,
)
from dissensus.methods.describe.describe import Coefficient, DescribeResult, Description, LabelShare, describe

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
