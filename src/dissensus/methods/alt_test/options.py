"""Options of `alt_test`."""

from dataclasses import dataclass
from typing import Literal

from dissensus.errors import OptionError
from dissensus.options import Options, option
from dissensus.sampling.raters import RatersAs, raters_option

Score = Literal["accuracy", "rmse", "similarity"]
SCORES: tuple[Score, ...] = ("accuracy", "rmse", "similarity")
Test = Literal["auto", "t", "sign-flip", "exact"]
TESTS: tuple[Test, ...] = ("auto", "t", "sign-flip", "exact")
FEW_ITEMS = 30
"""With fewer items of a rater the authors do not trust the t-test; `auto` then flips signs."""


@dataclass(frozen=True, kw_only=True)
class AltTestOptions(Options):
    """What the user asked for, as in `alt_test`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to test; may be repeated.")
    epsilon: float = option(
        0.1,
        metavar="E",
        at_least=0,
        below=1,
        wants="it is a share from 0 to below 1; the authors take 0.2 for experts, 0.15 for skilled raters and 0.1 for "
        "crowd workers",
        help="Head start of the judge: .2 against experts, .15 skilled raters, .1 a crowd.",
    )
    score: Score = option(
        "accuracy",
        metavar="S",
        choices=SCORES,
        help="How close answers are: accuracy, rmse or similarity (response sets).",
    )
    test: Test = option(
        "auto",
        metavar="T",
        choices=TESTS,
        help="For each rater: auto (t, sign-flip below 30 items), t, sign-flip or exact.",
    )
    alpha: float = option(
        0.05, metavar="A", above=0, below=1, wants="it is a share between 0 and 1", help="Expected share of wrong wins."
    )
    min_raters: int = option(
        2, metavar="N", at_least=2, wants="an item needs a rater and another one", help="Ratings that an item needs."
    )
    min_items: int = option(
        30, metavar="N", at_least=2, wants="a test needs two items or more", help="Items that a rater needs."
    )
    raters: RatersAs | None = raters_option()
    same_scale: bool | None = option(
        None, flag="--same-scale", help="Judges' numbers are on the raters' scale, whatever they look like."
    )

    def check(self) -> None:
        """Raise where no judge is named."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to test all of them.")

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON; nothing is drawn at random."""
        return {name: value for name, value in super().settings().items() if name != "seed"}
