from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import JudgeColumns, RatingsInput, read_judges_file
from dissensus.cli.output import Output
from dissensus.methods.plan_raters.options import numbers

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.methods.plan_labels.options import Strategy
    from dissensus.methods.plan_labels.votes import Even
    from dissensus.methods.plan_labels.walk import Ties


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The two models and the labels, in one of two forms."""

    accuracy: Annotated[float | None, typer.Option(metavar="P", help="Accuracy of the worse model.")] = None
    margin: Annotated[float | None, typer.Option(metavar="E", help="How much more accurate the better model is.")] = (
        None
    )
    label_accuracy: Annotated[float | None, typer.Option(metavar="Q", help="How often a label is right.")] = None
    disagreement: Annotated[
        float | None,
        typer.Option(metavar="W", help="Share of items on which the models differ; as by chance if not given."),
    ] = None
    both_wrong: Annotated[
        float | None,
        typer.Option(metavar="D", help="With --classes: share of items on which both are wrong and differ."),
    ] = None
    worse_accuracy: Annotated[
        float | None, typer.Option(metavar="P", help="Correlated form: accuracy of the worse model.")
    ] = None
    better_if_worse_wrong: Annotated[
        float | None, typer.Option(metavar="P", help="Accuracy of the better model where the worse one is wrong.")
    ] = None
    better_if_worse_right: Annotated[
        float | None, typer.Option(metavar="P", help="Accuracy of the better model where the worse one is right.")
    ] = None
    label_accuracy_better: Annotated[
        float | None, typer.Option(metavar="Q", help="How often a label is right where only the better model is.")
    ] = None
    label_accuracy_worse: Annotated[
        float | None, typer.Option(metavar="Q", help="How often a label is right where only the worse model is.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SpendingOptions:
    """What may be spent or must be reached, and the ways to spend it."""

    budget: Annotated[
        float | None, typer.Option(metavar="K", help="What all may cost; a number of labels unless you give costs.")
    ] = None
    error: Annotated[float | None, typer.Option(metavar="D", help="How often the worse model may come out ahead.")] = (
        None
    )
    labels_per_item: Annotated[str, typer.Option(metavar="M,...", help="Numbers of labels for each item.")] = "1,3,5"
    item_cost: Annotated[float, typer.Option(metavar="C", help="What an item costs before it is labelled.")] = 0.0
    label_cost: Annotated[float, typer.Option(metavar="C", help="What one label costs.")] = 1.0
    models: Annotated[
        int | None, typer.Option(metavar="M", help="How many models to rank; sets the error if there is no budget.")
    ] = None
    delta: Annotated[
        float, typer.Option(metavar="D", help="How often the best of several models may not come out first.")
    ] = 0.05
    classes: Annotated[int, typer.Option(metavar="C", help="How many different labels there are.")] = 2
    even: Annotated[
        str, typer.Option(metavar="E", help="An even vote that is tied: coin (toss one) or strict (counts as wrong).")
    ] = "coin"
    ties: Annotated[
        str, typer.Option(metavar="T", help="What a tie of the models is to the better one: lose, half or win.")
    ] = "lose"
    strategy: Annotated[
        str,
        typer.Option(
            metavar="S", help="fixed, adaptive (a third label if two differ), lead-by-two, disagreement-only."
        ),
    ] = "fixed"


@dataclass(frozen=True, kw_only=True)
class LabelPilotInput:
    """A pilot to learn from: repeated labels of some items, and the answers of both models."""

    pilot: Annotated[
        str | None,
        typer.Option(metavar="RATINGS", help="People's labels of a few items, some of them labelled repeatedly."),
    ] = None
    pilot_judges: Annotated[
        str | None, typer.Option(metavar="JUDGES", help="Both models' answers, also on items without labels.")
    ] = None
    judge_columns: JudgeColumns = None
    a: Annotated[str | None, typer.Option("--a", metavar="A", help="A model of the pilot.")] = None
    b: Annotated[str | None, typer.Option("--b", metavar="B", help="The model to tell from it.")] = None
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples of the pilot; 0 for no intervals.")] = (
        500
    )
    confidence: Annotated[float, typer.Option(metavar="C", help="Confidence of the intervals.")] = 0.95

    def read(self) -> "tuple[Ratings | None, Judges | None]":
        """The pilot, if one was named."""
        ratings = None if self.pilot is None else RatingsInput(ratings=self.pilot).read()
        if self.pilot_judges is None:
            return ratings, None
        return ratings, read_judges_file(self.pilot_judges, self.judge_columns, repeats="error")


def plan_labels_command(
    described: ModelOptions, options: SpendingOptions, source: LabelPilotInput, output: Output = Output()
) -> None:
    """One label each for many items, or several for few?

    Says how to spend labels to find out which of two models is better, and how many it takes.
    """
    from dissensus.methods.plan_labels.plan_labels import plan_labels

    ratings, judges = source.read()
    result = plan_labels(
        accuracy=described.accuracy,
        margin=described.margin,
        label_accuracy=described.label_accuracy,
        disagreement=described.disagreement,
        both_wrong=described.both_wrong,
        worse_accuracy=described.worse_accuracy,
        better_if_worse_wrong=described.better_if_worse_wrong,
        better_if_worse_right=described.better_if_worse_right,
        label_accuracy_better=described.label_accuracy_better,
        label_accuracy_worse=described.label_accuracy_worse,
        budget=options.budget,
        error=options.error,
        labels_per_item=()
        if options.labels_per_item is None
        else numbers("--labels-per-item", options.labels_per_item, example="1,3,5"),
        item_cost=options.item_cost,
        label_cost=options.label_cost,
        models=options.models,
        delta=options.delta,
        classes=options.classes,
        even=cast("Even", options.even),
        ties=cast("Ties", options.ties),
        strategy=cast("Strategy", options.strategy),
        pilot=ratings,
        pilot_judges=judges,
        a=source.a,
        b=source.b,
        bootstrap=source.bootstrap,
        confidence=source.confidence,
        rng=output.seed,
    )
    output.show(result)
