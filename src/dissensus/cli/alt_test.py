from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.methods.alt_test import AltTestResult
    from dissensus.methods.alt_test.options import Score, Test


@dataclass(frozen=True, kw_only=True)
class AltOptions:
    """What is granted to a judge, and who is compared."""

    judge: Annotated[list[str] | None, typer.Option(metavar="J", help="A judge to test; may be repeated.")] = None
    epsilon: Annotated[
        float,
        typer.Option(metavar="E", help="What is granted to a judge: .2 for experts, .15 for skilled raters, .1 crowd."),
    ] = 0.1
    score: Annotated[
        str, typer.Option(metavar="S", help="How close answers are: accuracy, rmse or similarity (response sets).")
    ] = "accuracy"
    test: Annotated[
        str,
        typer.Option(metavar="T", help="For each rater: auto (t, sign-flip below 30 items), t, sign-flip or exact."),
    ] = "auto"
    alpha: Annotated[float, typer.Option(metavar="A", help="Expected share of wrong wins.")] = 0.05
    min_raters: Annotated[int, typer.Option(metavar="N", help="Ratings that an item needs.")] = 2
    min_items: Annotated[int, typer.Option(metavar="N", help="Items that a rater needs.")] = 30
    same_scale: Annotated[
        bool, typer.Option("--same-scale", help="Judges' numbers are on the raters' scale, whatever they look like.")
    ] = False

    def run(self, ratings: "Ratings", judges: "Judges") -> "AltTestResult":
        """The answer, with these options."""
        from dissensus.methods.alt_test import alt_test

        return alt_test(
            ratings,
            judges,
            judge=self.judge or None,
            epsilon=self.epsilon,
            score=cast("Score", self.score),
            test=cast("Test", self.test),
            alpha=self.alpha,
            min_raters=self.min_raters,
            min_items=self.min_items,
            same_scale=self.same_scale or None,
        )


def alt_test_command(
    source: RatingsInput, judges_source: JudgesInput, options: AltOptions, output: Output = Output()
) -> None:
    """Can this judge replace a rater?

    Leaves out one rater after the other and puts the judge in the place: the alternative annotator test.
    """
    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    output.show(options.run(ratings, judges))
