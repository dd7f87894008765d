from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task
    from dissensus.methods.judges import JudgesResult
    from dissensus.methods.judges.sensitivity import LeakMapping


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """How judges are ranked and what their decisions are compared on."""

    judge: Annotated[list[str] | None, typer.Option(metavar="J", help="A judge to compare; may be repeated.")] = None
    positive: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="An option that counts as positive; may be repeated.")
    ] = None
    tau: Annotated[
        list[float] | None,
        typer.Option(metavar="T", help="Share at which an item is positive (.5 if not given); may be repeated."),
    ] = None
    beta: Annotated[
        str | None,
        typer.Option(metavar="B,B,...", help="Shares of negative choices that hide a positive option, to sweep over."),
    ] = None
    mapping: Annotated[
        str, typer.Option(metavar="M", help="Whether such raters keep their own choice: keep, or paper (Table 2).")
    ] = "keep"
    smoothing: Annotated[
        float, typer.Option(metavar="S", help="Added to each share under a logarithm, instead of the clip.")
    ] = 0.0
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95

    def run(
        self, ratings: "Ratings", judges: "Judges", task: "Task | None", work: Work, output: Output
    ) -> "JudgesResult":
        """The answer, with these options."""
        from dissensus.methods.judges import judges as rank_judges

        with output.progress("Resampling items") as progress:
            return rank_judges(
                ratings,
                judges,
                task=task,
                judge=self.judge or None,
                positive=self.positive or None,
                tau=self.tau or 0.5,
                beta=shares(self.beta),
                mapping=cast("LeakMapping", self.mapping),
                smoothing=self.smoothing,
                bootstrap=self.bootstrap,
                confidence=self.confidence,
                rng=output.seed,
                engine=work.engine,
                workers=work.workers,
                progress=progress,
            )


def shares(text: str | None) -> list[float] | None:
    """Numbers from `0,0.1,0.2`.

    Examples
    --------
    >>> shares("0, 0.1,.2")
    [0.0, 0.1, 0.2]
    """
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise OptionError(f"--beta cannot be {text!r}: give shares from 0 to 1, such as 0,0.1,0.2.") from error


def judges_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: RankingOptions,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Which judge can stand in for people?

    Ranks the judges by every definition of agreement, compares their decisions with people's, and gives advice.
    """
    ratings, judges = read_both(source, judges_source, large, work, judge=options.judge)
    output.show(options.run(ratings, judges, source.read_task(), work, output))
