from typing import Annotated

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work
from dissensus.methods.compare.options import CompareOptions


def compare_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, CompareOptions],
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Is judge A better than judge B?

    Scores two judges, or every pair, against the raters, and tests whether their difference could be chance.
    """
    from dissensus.methods.compare import compare

    chosen = [options["a"], options["b"]]
    ratings, judges = read_both(source, judges_source, large, work, judge=None if None in chosen else chosen)
    with output.progress("Resampling") as progress:
        output.show(compare(ratings, judges, **options, **work.where(output), progress=progress))
