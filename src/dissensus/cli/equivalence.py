from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work
from dissensus.methods.equivalence.options import EquivalenceOptions

if TYPE_CHECKING:
    from dissensus.methods.equivalence.scores import AdditiveScore, LabelScoring


def equivalence_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, EquivalenceOptions],
    group: Annotated[str | None, typer.Option(metavar="COL", help="Name of the group column.")] = None,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many raters is this judge worth?

    Compares each judge with surveys of 0, 1, 2, ... raters: how well does it predict another rater's label?
    """
    from dissensus.methods.equivalence import equivalence

    ratings, judges = read_both(
        source, judges_source, large, work, group_column=group, judge=options["judge"], scored_by=_scored_by(options)
    )
    with output.progress("Resampling items") as progress:
        result = equivalence(ratings, judges, **options, **work.where(output), progress=progress)
    output.show(result)


def _scored_by(options: Keywords) -> "LabelScoring | None":
    """What labels score under a prediction, for scores that are means over items."""
    from dissensus.methods.equivalence.scores import ADDITIVE_SCORES, label_scores

    score = cast("AdditiveScore", options["score"])
    return label_scores(score, clip=options["clip"]) if score in ADDITIVE_SCORES else None
