from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.output import Output
from dissensus.cli.simulate import raters_per_item
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.simulation.labels_population import Difficulty, LabelNoise, TwoClassifiers, Where

Share = float | None


@dataclass(frozen=True, kw_only=True)
class ClassifierOptions:
    """How often the two judges are right, in one of two forms."""

    accuracy: Annotated[Share, typer.Option(metavar="P", help="Accuracy of the worse judge; else 0.75.")] = None
    margin: Annotated[
        Share, typer.Option(metavar="E", help="How much more accurate the better judge is; else 0.1.")
    ] = None
    worse_accuracy: Annotated[
        Share, typer.Option(metavar="P", help="Correlated judges, instead of --accuracy: accuracy of the worse one.")
    ] = None
    better_if_worse_wrong: Annotated[
        Share, typer.Option(metavar="P", help="Accuracy of the better judge where the worse one is wrong.")
    ] = None
    better_if_worse_right: Annotated[
        Share, typer.Option(metavar="P", help="Accuracy of the better judge where the worse one is right.")
    ] = None

    def classifiers(self) -> "TwoClassifiers | None":
        """The judges that were described; None for the usual ones."""
        from dissensus.simulation.labels_population import TwoClassifiers

        worse, if_wrong, if_right = self.worse_accuracy, self.better_if_worse_wrong, self.better_if_worse_right
        if worse is None and if_wrong is None and if_right is None:
            if self.accuracy is None and self.margin is None:
                return None
            if self.accuracy is None or self.margin is None:
                raise OptionError("--accuracy and --margin go together: give both, or none.")
            return TwoClassifiers.independent(accuracy=self.accuracy, margin=self.margin)
        if self.accuracy is not None or self.margin is not None:
            raise OptionError(
                "--accuracy and --margin describe independent judges, --worse-accuracy and its companions correlated "
                "ones: give one of the two."
            )
        if worse is None or if_wrong is None or if_right is None:
            raise OptionError(
                "--worse-accuracy, --better-if-worse-wrong and --better-if-worse-right go together: give all three."
            )
        return TwoClassifiers(worse_accuracy=worse, better_if_worse_wrong=if_wrong, better_if_worse_right=if_right)


@dataclass(frozen=True, kw_only=True)
class NoiseOptions:
    """How often labels are right."""

    label_accuracy: Annotated[float, typer.Option(metavar="Q", help="Chance that a label is right.")] = 0.75
    label_accuracy_better: Annotated[
        Share, typer.Option(metavar="Q", help="The same where only the better judge is right.")
    ] = None
    label_accuracy_worse: Annotated[
        Share, typer.Option(metavar="Q", help="The same where only the worse judge is right.")
    ] = None
    difficulty: Annotated[
        str, typer.Option(metavar="D", help="Items are alike in difficulty (same), or differ: uniform or beta.")
    ] = "same"
    concentration: Annotated[float, typer.Option(metavar="X", help="The smaller, the more items differ (beta).")] = 2.0
    difficulty_where: Annotated[
        str, typer.Option(metavar="W", help="Items that differ: all, or where only better, or only worse, is right.")
    ] = "all"
    classes: Annotated[int, typer.Option(metavar="N", help="How many classes there are.")] = 2

    def noise(self) -> "LabelNoise":
        """The labels that were described."""
        from dissensus.simulation.labels_population import LabelNoise

        return LabelNoise(
            label_accuracy=self.label_accuracy,
            better=self.label_accuracy_better,
            worse=self.label_accuracy_worse,
            difficulty=cast("Difficulty", self.difficulty),
            concentration=self.concentration,
            where=cast("Where", self.difficulty_where),
            classes=self.classes,
        )


def simulate_labels_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    models: ClassifierOptions,
    labels: NoiseOptions,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items people label.")] = 200,
    raters: Annotated[str, typer.Option(metavar="K", help="Labels per item: a number, or a range such as 3-9.")] = "5",
    unlabelled: Annotated[int, typer.Option(metavar="N", min=0, help="Further items that only the judges see.")] = 0,
    prevalence: Annotated[Share, typer.Option(metavar="P", help="Share of the first class; else all alike.")] = None,
    output: Output = Output(),
) -> None:
    """People with noisy labels, a better judge and a worse one.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.ratings.writing import write_folder
    from dissensus.simulation.labels import SimulateLabelsResult, simulate_labels

    made = simulate_labels(
        models.classifiers(),
        labels.noise(),
        items=items,
        raters=raters_per_item(raters),
        unlabelled=unlabelled,
        prevalence=prevalence,
        rng=output.seed,
    )
    settings: dict[str, object] = {"items": items, "raters": raters, "unlabelled": unlabelled, "prevalence": prevalence}
    settings |= {**asdict(models), **asdict(labels), "seed": output.seed}
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in settings.items() if value is not None)
    readme = made.truth.readme(made_with=f"`dissensus simulate labels {flags}`")
    texts = {"truth.json": made.truth.to_json(), "README.md": readme}
    write_folder(out, ratings=made.ratings, judges=made.judges, texts=texts)
    output.remark(f"Wrote {made.ratings.n_ratings} labels of {items} items to {out}; the truth is in truth.json.")
    if output.as_json:
        data = {"ratings": dict(made.ratings.describe_data()), "judges": dict(made.judges.describe_data())}
        output.show(SimulateLabelsResult(settings=settings, data=data, truth=made.truth))
