from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgeColumns, RatingsInput, read_judges_file
from dissensus.cli.output import Output, Work
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.methods.plan_raters.options import Method, PlanMetric


@dataclass(frozen=True, kw_only=True)
class PilotInput:
    """A pilot to learn from: ratings, and the answers of two judges."""

    pilot: Annotated[
        str | None,
        typer.Option(metavar="RATINGS", help="People's ratings of a few items."),
    ] = None
    pilot_judges: Annotated[
        str | None, typer.Option(metavar="JUDGES", help="Judges' answers on the pilot's items.")
    ] = None
    judge_columns: JudgeColumns = None
    a: Annotated[str | None, typer.Option("--a", metavar="A", help="A judge of the pilot.")] = None
    b: Annotated[str | None, typer.Option("--b", metavar="B", help="The judge to tell from it.")] = None
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples of the pilot.")] = 100
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the interval on the items.")] = 0.95

    def read(self) -> "tuple[Ratings | None, Judges | None]":
        """The pilot, if one was named."""
        ratings = None if self.pilot is None else RatingsInput(ratings=self.pilot).read()
        if self.pilot_judges is None:
            return ratings, None
        return ratings, read_judges_file(self.pilot_judges, self.judge_columns, repeats="error")


@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """The designs to consider, what they cost, and what they must reach."""

    metric: Annotated[
        str, typer.Option(metavar="M", help="How near a judge is to people: wins, mae, emd or emd-binned.")
    ] = "wins"
    effect: Annotated[
        float | None, typer.Option(metavar="E", help="How far B strays from people, as a share of the scale.")
    ] = None
    spread: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Standard deviations of raters' responses to an item.")
    ] = "0:0.3"
    items: Annotated[
        str | None, typer.Option(metavar="N,...", help="Numbers of items to consider; the best is found if not given.")
    ] = None
    raters: Annotated[str | None, typer.Option(metavar="K,...", help="Numbers of raters per item to consider.")] = None
    machine_samples: Annotated[
        int | None,
        typer.Option(metavar="L", help="Answers of each judge to each item; as many as raters if not given."),
    ] = None
    item_cost: Annotated[float, typer.Option(metavar="C", help="What an item costs to prepare.")] = 0.0
    rating_cost: Annotated[float, typer.Option(metavar="C", help="What one rating costs.")] = 1.0
    budget: Annotated[float | None, typer.Option(metavar="B", help="What all may cost.")] = None
    power: Annotated[float, typer.Option(metavar="P", help="How often the test must find the difference.")] = 0.8
    alpha: Annotated[float, typer.Option(metavar="P", help="Level of the two-sided sign-flip test.")] = 0.05
    method: Annotated[
        str | None, typer.Option(metavar="M", help="closed (wins, mae) or simulate; closed where there is one.")
    ] = None
    simulations: Annotated[int, typer.Option(metavar="N", help="Test sets to simulate.")] = 1000


def plan_raters_command(
    options: DesignOptions,
    source: PilotInput,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many items and raters does it take to tell two judges apart?

    Finds the cheapest test set that does, from what you expect of the judges or from a pilot.
    """
    from dissensus.methods.plan_raters.plan_raters import plan_raters

    ratings, judges = source.read()
    with output.progress("Simulating test sets") as progress:
        result = plan_raters(
            metric=cast("PlanMetric", options.metric),
            effect=options.effect,
            spread=spread_of(options.spread),
            items=numbers("--items", options.items),
            raters=numbers("--raters", options.raters),
            machine_samples=options.machine_samples,
            item_cost=options.item_cost,
            rating_cost=options.rating_cost,
            budget=options.budget,
            power=options.power,
            alpha=options.alpha,
            method=cast("Method | None", options.method),
            pilot=ratings,
            pilot_judges=judges,
            a=source.a,
            b=source.b,
            bootstrap=source.bootstrap,
            confidence=source.confidence,
            simulations=options.simulations,
            rng=output.seed,
            engine=work.engine,
            workers=work.workers,
            progress=progress,
        )
    output.show(result)


def numbers(option: str, text: str | None, *, example: str = "25,50,100") -> list[int] | None:
    """Whole numbers from `25,50,100`.

    Examples
    --------
    >>> numbers("--items", "25, 50")
    [25, 50]
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise OptionError(f"{option} cannot be {text!r}: give whole numbers such as {example}.")
    return [int(part) for part in parts]


def spread_of(text: str) -> tuple[float, float]:
    """Two standard deviations from `0:0.3`, or one.

    Examples
    --------
    >>> spread_of("0.1:0.3"), spread_of("0.2")
    ((0.1, 0.3), (0.2, 0.2))
    """
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in {1, 2}:
        raise OptionError(f"--spread cannot be {text!r}: give two standard deviations such as 0:0.3.")
    return ends[0], ends[-1]
