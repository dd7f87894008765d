"""Options of `decide`."""

from dataclasses import dataclass

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.options import Options, bootstrap_option, confidence_option, elicitation_option, named, option
from dissensus.sampling.raters import RatersAs, raters_option


@dataclass(frozen=True, kw_only=True)
class DecideOptions(Options):
    """What the user asked for, as in `decide`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to choose from; may be repeated.")
    positive: tuple[str, ...] = option((), metavar="LABEL", help="An option that counts as positive; may be repeated.")
    elicitation: Elicitation | None = elicitation_option()
    judge_cost: tuple[str, ...] = option(
        (), metavar="J=C", help="What a judge costs, to put the cheapest first where several are as good."
    )
    item_cost: float = option(0.0, metavar="C", at_least=0, help="What a new item costs to prepare.")
    rating_cost: float = option(1.0, metavar="C", at_least=0, help="What one rating costs.")
    margin: float = option(
        0.1, metavar="D", at_least=0, wants="it is a share, such as 0.1",
        help="How much worse than a person a judge may be and still be like one, as a share of a person's lead over "
        "always giving the same answer.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where a price cannot be read."""
        self.costs()

    def costs(self) -> dict[str, float]:
        """What each judge costs, where that was said."""
        costs = {}
        for text in self.judge_cost:
            judge, equals, price = text.rpartition("=")
            try:
                costs[judge] = float(price)
            except ValueError:
                equals = ""
            if not equals or not costs.get(judge, -1) >= 0:
                raise OptionError(f"{named('judge_cost')} cannot be {text!r}: write JUDGE=COST, such as gpt=2.5.")
        return costs
