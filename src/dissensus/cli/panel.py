from typing import Annotated

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output, Work
from dissensus.methods.panel.options import PanelOptions


def panel_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, PanelOptions],
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """What are several judges worth together, and beside people?

    Combines the judges in three ways, and says how many raters each judge saves in surveys of people.
    """
    from dissensus.methods.panel import panel

    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    with output.progress("Combining the judges") as progress:
        result = panel(ratings, judges, **options, **work.where(output), progress=progress)
    output.show(result)
