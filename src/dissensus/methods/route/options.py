"""Options of `route`."""

from dataclasses import dataclass

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.methods.equivalence.options import EquivalenceOptions, clip_option
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, named, option
from dissensus.sampling.raters import RatersAs, raters_option

MOST_PEOPLE = 5
"""People asked about one item, unless the user says more: beyond it each further person adds little."""
USUAL_PEOPLE = 2


@dataclass(frozen=True, kw_only=True)
class RouteOptions(Options):
    """What the user asked for, as in `route`."""

    judge: str | None = option(None, metavar="J", help="The judge to route with; needed where there are several.")
    match: int | None = option(
        None,
        metavar="K",
        at_least=1,
        wants="give the number of people that you would ask about every item",
        help="Do as well as this many people on every item; if not given, two, or one where items have two ratings.",
    )
    rating_cost: float = option(
        1.0, metavar="C", above=0, wants="it is what one rating costs", help="Cost of one person's rating."
    )
    judge_cost: float = option(
        0.0, metavar="C", at_least=0, wants="it is what one answer costs", help="Cost of one answer of the judge."
    )
    max_raters: int | None = option(
        None,
        metavar="K",
        at_least=1,
        wants="at least one person is asked",
        help=f"The most people asked about one item; what most items allow, at most {MOST_PEOPLE}, if not given.",
    )
    elicitation: Elicitation | None = elicitation_option()
    clip: float = clip_option()
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.match is not None and self.max_raters is not None and self.match > self.max_raters:
            raise OptionError(
                f"{named('match')} {self.match} is more than {named('max_raters')} {self.max_raters}: raise the "
                "latter, since what that many people tell must be known."
            )

    def survey_options(self, judge: str, max_raters: int | None) -> EquivalenceOptions:
        """How the judge is calibrated, and which items take part."""
        return EquivalenceOptions(
            judge=(judge,), elicitation=self.elicitation, max_raters=max_raters, clip=self.clip, raters=self.raters,
            bootstrap=self.bootstrap, confidence=self.confidence, seed=self.seed,
        )  # fmt: skip
