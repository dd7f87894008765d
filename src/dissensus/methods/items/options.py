"""Options of `items`."""

from dataclasses import dataclass
from typing import Literal, get_args

from dissensus.data.ratings import Elicitation
from dissensus.errors import OptionError
from dissensus.options import Options, elicitation_option, named, option

Show = Literal["all", "telling", "split", "alone", "judges"]
SHOWN = 20
"""This many items are shown unless the user says how many."""


@dataclass(frozen=True, kw_only=True)
class ItemsOptions(Options):
    """What the user asked for, as in `items`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to look at; may be repeated.")
    show: Show = option(
        "all",
        metavar="V",
        choices=get_args(Show),
        help="all, or those where people split, where a judge is alone against people, where judges disagree, or the "
        "most telling of the three: split, alone, judges, telling.",
    )
    sort: str | None = option(
        None,
        metavar="S",
        help="By split, surprise, ratings, item, or a column of the items; what fits the view if not given.",
    )
    majority: str | None = option(None, metavar="LABEL", help="Only items where most people gave this label.")
    answer: str | None = option(None, metavar="LABEL", help="Only items where a judge gave this answer.")
    top: int | None = option(
        None,
        metavar="N",
        at_least=1,
        wants="give the number of items",
        help=f"How many items; {SHOWN} are shown and all are written if not given.",
    )
    elicitation: Elicitation | None = elicitation_option()

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to look at all of them.")
        if self.show == "telling" and self.sort is not None:
            raise OptionError(f"{named('show')} telling has an order of its own: leave {named('sort')} out.")
