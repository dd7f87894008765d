from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task
    from dissensus.methods.compare.metrics import MetricName
    from dissensus.methods.equivalence.calibration import Calibration
    from dissensus.methods.equivalence.combiners import Combiner
    from dissensus.methods.equivalence.scores import ScoreName
    from dissensus.methods.gate import GateResult

NOT_PASSED = 1


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What the judge must keep to."""

    judge: Annotated[list[str], typer.Option(metavar="J", help="The judge at the gate.")]
    min_equivalence: Annotated[
        float | None, typer.Option(metavar="X", help="It must be worth at least so many raters.")
    ] = None
    min_consistency: Annotated[
        float | None, typer.Option(metavar="X", help="It must decide at least this share of the items as people do.")
    ] = None
    tau: Annotated[float, typer.Option(metavar="T", help="Share of raters at which an item is positive.")] = 0.5
    max_bias: Annotated[
        float | None,
        typer.Option(metavar="X", help="Its share of positive decisions may differ by so much from people's."),
    ] = None
    better_than: Annotated[
        list[str] | None, typer.Option(metavar="J", help="It must be better than this judge; may be repeated.")
    ] = None
    not_worse_than: Annotated[
        list[str] | None,
        typer.Option(metavar="J", help="It may be at most --margin worse than this judge; may be repeated."),
    ] = None
    margin: Annotated[float | None, typer.Option(metavar="D", help="How much worse, in units of the metric.")] = None
    metric: Annotated[
        str, typer.Option(metavar="M", help="Metric of the comparisons with judges, as in `compare`.")
    ] = "wins"
    positive: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="An option that counts as positive; may be repeated.")
    ] = None
    score: Annotated[
        str | None,
        typer.Option(metavar="S", help="Score of --min-equivalence, as in `equivalence`; chosen if not given."),
    ] = None
    combiner: Annotated[
        str | None, typer.Option(metavar="C", help="Combiner of --min-equivalence; chosen if not given.")
    ] = None
    calibrate: Annotated[
        str | None, typer.Option(metavar="M", help="none, isotonic, platt or table; chosen if not given.")
    ] = None
    min_items: Annotated[
        int, typer.Option(metavar="N", help="Equivalence and comparisons on fewer items are inconclusive.")
    ] = 30
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples.")] = 1000
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95

    def run(
        self, ratings: "Ratings", judges: "Judges", task: "Task | None", work: Work, output: Output
    ) -> "GateResult":
        """The answer, with these options."""
        from dissensus.errors import OptionError
        from dissensus.methods.gate import gate

        if len(self.judge) > 1:
            raise OptionError("--judge was given more than once: a gate is for one judge, so run it for each of them.")
        with output.progress("Checking the judge") as progress:
            return gate(
                ratings,
                judges,
                judge=self.judge[0],
                min_equivalence=self.min_equivalence,
                min_consistency=self.min_consistency,
                tau=self.tau,
                max_bias=self.max_bias,
                better_than=self.better_than or (),
                not_worse_than=self.not_worse_than or (),
                margin=self.margin,
                metric=cast("MetricName", self.metric),
                task=task,
                positive=self.positive or (),
                score=cast("ScoreName | None", self.score),
                combiner=cast("Combiner | None", self.combiner),
                calibrate=cast("Calibration | None", self.calibrate),
                min_items=self.min_items,
                bootstrap=self.bootstrap,
                confidence=self.confidence,
                rng=output.seed,
                engine=work.engine,
                workers=work.workers,
                progress=progress,
            )


def gate_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: GateOptions,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the checks as JUnit XML, for CI.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a summary in Markdown, for a pull request.")
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """May this judge pass?

    Tests thresholds on the bounds of intervals. Exit status 0: every check passes; 1: one fails or is inconclusive.
    """
    from dissensus.report.charts import check_place

    for path in (junit, summary):
        if path is not None:
            check_place(path)  # before the work, so that a misspelt folder costs no time
    ratings = source.read()
    judges = judges_source.read_all(repeats=source.repeats)
    result = options.run(ratings, judges, source.read_task(), work, output)
    output.show(result)
    _write(result, junit=junit, summary=summary)
    if not result.passes:
        raise typer.Exit(NOT_PASSED)


def _write(result: "GateResult", *, junit: Path | None, summary: Path | None) -> None:
    from dissensus.cli.flags import flag_of
    from dissensus.report.charts import save_bytes
    from dissensus.report.markdown import markdown_of
    from dissensus.report.views import report_on
    from dissensus.report.views.gate import junit_of

    if junit is not None:
        save_bytes(junit, junit_of(result))
    if summary is not None:
        report = report_on([result], title=f"Gate: {result.verdict}", spelling=flag_of)
        save_bytes(summary, markdown_of(report).encode())
