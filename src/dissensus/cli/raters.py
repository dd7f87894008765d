from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import OptionalJudgesInput, RatingsInput
from dissensus.cli.output import Output, Work
from dissensus.methods.raters.options import RatersOptions


def raters_command(
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    options: Annotated[Keywords, RatersOptions],
    group: Annotated[str | None, typer.Option(metavar="COL", help="Name of the column with the raters' group.")] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Who are the raters?

    How each agrees with the rest, how high and consistently each rates, and whether a judge sides with a group.
    """
    from dissensus.methods.raters import raters

    ratings = source.read(group_column=group)
    judges = judges_source.read_all(repeats=source.repeats)
    with output.progress("Comparing raters") as progress:
        result = raters(ratings, judges, task=source.read_task(), **options, **work.where(output), progress=progress)
    output.show(result)
