from typing import Annotated

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output
from dissensus.methods.alt_test.options import AltTestOptions


def alt_test_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, AltTestOptions],
    output: Output = Output(),
) -> None:
    """Can this judge replace a rater?

    Leaves out one rater after the other and puts the judge in the place: the alternative annotator test.
    """
    from dissensus.methods.alt_test import alt_test

    output.show(alt_test(source.read(), judges_source.read_all(repeats=source.repeats), **options))
