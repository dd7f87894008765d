"""Options of `raters`."""

from dataclasses import dataclass

from dissensus.data.ratings import Elicitation
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, option
from dissensus.sampling.raters import RatersAs, raters_option


@dataclass(frozen=True, kw_only=True)
class RatersOptions(Options):
    """What the user asked for, as in `raters`."""

    judge: tuple[str, ...] | None = option(
        None, metavar="J", help="A judge to compare with groups; may be repeated.", label="Judge to compare with groups"
    )
    positive: tuple[str, ...] = option(
        (), metavar="LABEL", help="A label to count for each rater; may be repeated; the task's if not given."
    )
    elicitation: Elicitation | None = elicitation_option()
    resamples: int = option(
        2000,
        metavar="N",
        at_least=1,
        limit="samples",
        wants="give a number of at least 1",
        help="Resamples of the tests of groups.",
    )
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option(help="Bootstrap samples; 0 for no intervals of judges.")
    confidence: float = confidence_option()
