from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_inputs
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.data.ratings import Elicitation
    from dissensus.methods.describe.coefficients import Weighting


def describe_command(
    source: RatingsInput,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="G", help="A group column, to describe each of its groups; or a group, to describe only it."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="E", help="Only ratings elicited so: forced_choice or response_set.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="W", help="Weights of Gwet's AC2: ordinal, linear or quadratic.")
    ] = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500,
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Do the raters agree?

    Shape of the data, shares of the labels, and agreement with an interval from resampling items.
    """
    from dissensus.methods.describe import describe

    by_group = group is not None and source.has_column(group)
    ratings, _ = read_inputs(source, None, large, work, group_column=group if by_group else None)
    with output.progress("Resampling items") as progress:
        result = describe(
            ratings,
            group=None if by_group else group,
            by_group=by_group,
            elicitation=cast("Elicitation | None", only),
            bootstrap=bootstrap,
            confidence=confidence,
            weights=cast("Weighting | None", weights),
            rng=output.seed,
            engine=work.engine,
            workers=work.workers,
            progress=progress,
        )
    output.show(result)
