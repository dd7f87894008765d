from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_both
from dissensus.cli.output import Output, Work

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.data.ratings import Elicitation
    from dissensus.methods.equivalence import EquivalenceResult
    from dissensus.methods.equivalence.calibration import Calibration
    from dissensus.methods.equivalence.combiners import Combiner, Learn, Prior
    from dissensus.methods.equivalence.scores import LabelScores, ScoreName
    from dissensus.sampling.intervals import Interval


@dataclass(frozen=True, kw_only=True)
class SurveyOptions:
    """How surveys are combined and scored."""

    judge: Annotated[list[str] | None, typer.Option(metavar="J", help="A judge to compare; may be repeated.")] = None
    group: Annotated[str | None, typer.Option(metavar="COL", help="Name of the group column.")] = None
    combiner: Annotated[
        str, typer.Option(metavar="C", help="How a survey predicts: abc, frequency, plurality or npmle.")
    ] = "abc"
    score: Annotated[
        str,
        typer.Option(
            metavar="S",
            help="cross-entropy, agreement, auc, f1, precision, recall, dmi, pearson, spearman or brier.",
        ),
    ] = "cross-entropy"
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Positive label of auc, f1, precision and recall.")
    ] = None
    learn: Annotated[
        str | None, typer.Option(metavar="L", help="What abc learns from: leave-one-out, in-sample or cross-fit.")
    ] = None
    calibrate: Annotated[
        str, typer.Option(metavar="M", help="Calibrate the judges: none, isotonic, platt or table.")
    ] = "none"
    reference_raters: Annotated[
        int, typer.Option(metavar="R", help="Score against the plurality of so many held-out raters.")
    ] = 1
    experts: Annotated[str | None, typer.Option(metavar="G", help="Group to score against, with --amateurs.")] = None
    amateurs: Annotated[str | None, typer.Option(metavar="G", help="Group whose surveys are scored.")] = None
    only: Annotated[
        str | None, typer.Option(metavar="E", help="Only ratings elicited so: forced_choice or response_set.")
    ] = None
    prior: Annotated[
        str, typer.Option(metavar="P", help="What --combiner frequency predicts with nobody asked: uniform or data.")
    ] = "uniform"
    clip: Annotated[
        float, typer.Option(metavar="E", help="Cross-entropy keeps probabilities this far from 0 and 1.")
    ] = 0.02
    weights: Annotated[
        str, typer.Option(metavar="W", help="A judge's score is a mean over items or over raters: item or rater.")
    ] = "item"
    max_raters: Annotated[int | None, typer.Option(metavar="K", help="The largest survey.")] = None
    cohort: Annotated[bool, typer.Option("--cohort", help="Only items with enough ratings for every survey.")] = False
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples; 0 for no intervals.")] = 500
    interval: Annotated[str, typer.Option(metavar="I", help="Kind of interval: basic or percentile.")] = "basic"
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95
    ceiling: Annotated[
        bool, typer.Option("--ceiling", help="Estimate the curve beyond the data and what no survey can exceed.")
    ] = False

    def scored_by(self) -> "LabelScores | None":
        """What labels score under a prediction, for scores that are means over items."""
        from dissensus.methods.equivalence.scores import ADDITIVE_SCORES, label_scores

        return label_scores(self.score, clip=self.clip) if self.score in ADDITIVE_SCORES else None

    def run(self, ratings: "Ratings", judges: "Judges", work: Work, output: Output) -> "EquivalenceResult":
        """The answer, with these options."""
        from dissensus.methods.equivalence import equivalence

        with output.progress("Resampling items") as progress:
            return equivalence(
                ratings,
                judges,
                judge=self.judge or None,
                combiner=cast("Combiner", self.combiner),
                score=cast("ScoreName", self.score),
                positive=self.positive,
                learn=cast("Learn | None", self.learn),
                calibrate=cast("Calibration", self.calibrate),
                reference_raters=self.reference_raters,
                experts=self.experts,
                amateurs=self.amateurs,
                elicitation=cast("Elicitation | None", self.only),
                prior=cast("Prior", self.prior),
                clip=self.clip,
                weights=self.weights,
                max_raters=self.max_raters,
                cohort=self.cohort,
                bootstrap=self.bootstrap,
                interval=cast("Interval", self.interval),
                confidence=self.confidence,
                ceiling=self.ceiling,
                rng=output.seed,
                engine=work.engine,
                workers=work.workers,
                progress=progress,
            )


def equivalence_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: SurveyOptions,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many raters is this judge worth?

    Compares each judge with surveys of 0, 1, 2, ... raters: how well does it predict another rater's label?
    """
    ratings, judges = read_both(
        source,
        judges_source,
        large,
        work,
        group_column=options.group,
        judge=options.judge,
        scored_by=options.scored_by(),
    )
    output.show(options.run(ratings, judges, work, output))
