from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_inputs
from dissensus.cli.output import Output, Work
from dissensus.methods.describe.options import DescribeOptions


def describe_command(
    source: RatingsInput,
    options: Annotated[Keywords, DescribeOptions],
    group: Annotated[
        str | None,
        typer.Option(
            metavar="G", help="A group column, to describe each of its groups; or a group, to describe only it."
        ),
    ] = None,
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
            ratings, group=None if by_group else group, by_group=by_group, **options, **work.where(output),
            progress=progress,
        )  # fmt: skip
    output.show(result)
