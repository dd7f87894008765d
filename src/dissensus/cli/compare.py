from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.methods.compare import CompareResult
    from dissensus.methods.compare.metrics import MetricName
    from dissensus.methods.compare.options import Test


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Which judges are compared, and how."""

    a: Annotated[
        str | None, typer.Option("--a", metavar="A", help="The first judge; without --a and --b every pair.")
    ] = None
    b: Annotated[str | None, typer.Option("--b", metavar="B", help="The second judge.")] = None
    metric: Annotated[
        str,
        typer.Option(
            metavar="M", help="wins, mae, rmse, emd, emd-binned (the paper's), accuracy, cross-entropy or spearman."
        ),
    ] = "wins"
    test: Annotated[
        str,
        typer.Option(
            metavar="T",
            help="sign-flip (are they equally good?), response-permutation or mixture (do they answer alike?).",
        ),
    ] = "sign-flip"
    margin: Annotated[
        float | None, typer.Option(metavar="D", help="Also ask whether B is at most so much worse than A.")
    ] = None
    resamples: Annotated[
        int | None, typer.Option(metavar="N", help="Resamples of the test; 10,000 if not given, for mixture 1,000.")
    ] = None
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 2000
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95
    clip: Annotated[
        float, typer.Option(metavar="E", help="Cross-entropy keeps probabilities this far from 0 and 1.")
    ] = 0.02
    bins: Annotated[int, typer.Option(metavar="N", help="Bins of emd-binned.")] = 5
    bounds: Annotated[
        str | None,
        typer.Option(metavar="LOW,HIGH", help="Where the bins begin and end; the raters' labels if not given."),
    ] = None
    same_scale: Annotated[
        bool | None,
        typer.Option("--same-scale/--other-scale", help="Whether judges' numbers are on the raters' scale."),
    ] = None
    reverse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="J", help="A judge whose higher numbers mean lower labels; for spearman; may be repeated."
        ),
    ] = None

    def run(self, ratings: "Ratings", judges: "Judges", work: Work, output: Output) -> "CompareResult":
        """The answer, with these options."""
        from dissensus.methods.compare import compare

        with output.progress("Resampling") as progress:
            return compare(
                ratings,
                judges,
                a=self.a,
                b=self.b,
                metric=cast("MetricName", self.metric),
                test=cast("Test", self.test),
                margin=self.margin,
                resamples=self.resamples,
                bootstrap=self.bootstrap,
                confidence=self.confidence,
                clip=self.clip,
                bins=self.bins,
                bounds=bounds_of(self.bounds),
                same_scale=self.same_scale,
                reverse=self.reverse or (),
                rng=output.seed,
                engine=work.engine,
                workers=work.workers,
                progress=progress,
            )


def bounds_of(text: str | None) -> tuple[float, float] | None:
    """Two numbers from `0,1`.

    Examples
    --------
    >>> bounds_of("0, 1")
    (0.0, 1.0)
    """
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise OptionError(f"--bounds cannot be {text!r}: give two numbers such as 0,1.") from error
    return low, high


def compare_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: CompareOptions,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Is judge A better than judge B?

    Scores two judges, or every pair, against the raters, and tests whether their difference could be chance.
    """
    chosen = [name for name in (options.a, options.b) if name is not None]
    ratings, judges = read_both(source, judges_source, large, work, judge=chosen if len(chosen) == 2 else None)  # noqa: PLR2004 - a pair
    output.show(options.run(ratings, judges, work, output))
