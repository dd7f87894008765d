"""Options of `describe`."""

from dataclasses import dataclass
from typing import Literal, get_args

from dissensus.data.ratings import Elicitation
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, option
from dissensus.sampling.raters import RatersAs, raters_option

Weighting = Literal["ordinal", "linear", "quadratic"]


@dataclass(frozen=True, kw_only=True)
class DescribeOptions(Options):
    """What the user asked for, as in `describe`; whose ratings is a group or, on the command line, a column."""

    elicitation: Elicitation | None = elicitation_option()
    weights: Weighting | None = option(
        None, metavar="W", choices=get_args(Weighting), help="Weights of Gwet's AC2: ordinal, linear or quadratic."
    )
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()
