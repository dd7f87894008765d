from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.data.ratings import Elicitation
    from dissensus.methods.panel import PanelResult
    from dissensus.methods.panel.options import Method, PanelScore


@dataclass(frozen=True, kw_only=True)
class PanelOptions:
    """Who is in the panel, and how its members are combined."""

    judge: Annotated[
        list[str] | None, typer.Option(metavar="J", help="A member; may be repeated. All judges if not given.")
    ] = None
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="M", help="plurality, average or stacked; may be repeated. All if not given."),
    ] = None
    score: Annotated[str, typer.Option(metavar="S", help="cross-entropy (bits), brier or agreement.")] = "cross-entropy"
    raw: Annotated[bool, typer.Option("--raw", help="Take answers at face value, without calibrating them.")] = False
    people: Annotated[
        bool, typer.Option("--people/--no-people", help="Whether to ask what a judge saves beside people.")
    ] = True
    only: Annotated[
        str | None, typer.Option(metavar="E", help="Only ratings elicited so: forced_choice or response_set.")
    ] = None
    max_raters: Annotated[int | None, typer.Option(metavar="K", help="The largest survey.")] = None
    clip: Annotated[
        float, typer.Option(metavar="E", help="Cross-entropy keeps probabilities this far from 0 and 1.")
    ] = 0.02
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95

    def run(self, ratings: "Ratings", judges: "Judges", work: Work, output: Output) -> "PanelResult":
        """The answer, with these options."""
        from dissensus.methods.panel import panel as panels
        from dissensus.methods.panel.options import METHODS

        with output.progress("Combining the judges") as progress:
            return panels(
                ratings,
                judges,
                judge=self.judge or None,
                method=cast("list[Method]", self.method) if self.method else METHODS,
                score=cast("PanelScore", self.score),
                calibrate=not self.raw,
                people=self.people,
                elicitation=cast("Elicitation | None", self.only),
                max_raters=self.max_raters,
                clip=self.clip,
                bootstrap=self.bootstrap,
                confidence=self.confidence,
                rng=output.seed,
                engine=work.engine,
                workers=work.workers,
                progress=progress,
            )


def panel_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: PanelOptions,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """What are several judges worth together, and beside people?

    Combines the judges in three ways, and says how many raters each judge saves in surveys of people.
    """
    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    output.show(options.run(ratings, judges, work, output))
