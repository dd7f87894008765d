from typing import Annotated

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work
from dissensus.methods.judges.options import JudgesOptions


def judges_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, JudgesOptions],
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Which judge can stand in for people?

    Ranks the judges by every definition of agreement, compares their decisions with people's, and gives advice.
    """
    from dissensus.methods.judges import judges as rank_judges

    ratings, judges = read_both(source, judges_source, large, work, judge=options["judge"])
    with output.progress("Resampling items") as progress:
        result = rank_judges(
            ratings, judges, task=source.read_task(), **options, **work.where(output), progress=progress
        )
    output.show(result)
