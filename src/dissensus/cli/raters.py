from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import OptionalJudgesInput, RatingsInput
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.ratings.table import Elicitation


def raters_command(
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    judge: Annotated[
        list[str] | None, typer.Option(metavar="J", help="A judge to compare with groups; may be repeated.")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="COL", help="Name of the column with the raters' group.")] = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL",
            help="A label to count for each rater; may be repeated. Else those of the task.",
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="E", help="Only ratings elicited so: forced_choice or response_set.")
    ] = None,
    resamples: Annotated[int, typer.Option(metavar="N", help="Resamples of the tests of groups.")] = 2000,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals of judges.")] = 500,
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Who are the raters?

    How each agrees with the rest, how high and consistently each rates, and whether a judge sides with a group.
    """
    from dissensus.decisions.portraying import portraits

    ratings = source.read(group_column=group)
    judges = judges_source.read_all(repeats=source.repeats)
    with output.progress("Comparing raters") as progress:
        result = portraits(
            ratings,
            judges,
            judge=judge or None,
            positive=positive or (),
            task=source.read_task(),
            elicitation=cast("Elicitation | None", only),
            resamples=resamples,
            bootstrap=bootstrap,
            confidence=confidence,
            rng=output.seed,
            engine=work.engine,
            workers=work.workers,
            progress=progress,
        )
    output.show(result)
