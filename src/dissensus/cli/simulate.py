"""How many ratings: `plan`; and data whose truth is known: `simulate`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgeColumns, OptionalJudgesInput, Output, RatingsInput, Text, Work, flag
from dissensus.errors import FileError, OptionError
from dissensus.options import LONGEST_NUMBER

if TYPE_CHECKING:
    from dissensus.simulation import Classifier, Simulated, Urn
    from dissensus.simulation.labels import Difficulty, LabelNoise, TwoClassifiers, Where
    from dissensus.simulation.responses import Kind


@dataclass(frozen=True, kw_only=True)
class PilotInput:
    """A pilot to learn from: ratings, and the answers of two judges."""

    pilot: Annotated[Text, flag("RATINGS", "People's ratings of a few items.")] = None
    pilot_judges: Annotated[Text, flag("JUDGES", "Judges' answers on the pilot's items.")] = None
    judge_columns: JudgeColumns = None
    question: Annotated[Text, flag("Q", "Which question of the pilot, if it has several.")] = None

    def read(self) -> Keywords:
        """The pilot, if one was named."""
        ratings = None if self.pilot is None else RatingsInput(ratings=self.pilot, question=self.question).read()
        source = OptionalJudgesInput(judges=self.pilot_judges, judge_columns=self.judge_columns)
        judges = source.read_all(question=self.question)
        return {"pilot": ratings, "pilot_judges": judges}


@dataclass(frozen=True, kw_only=True)
class LabelPilotInput(PilotInput):
    """A pilot with repeated labels of some items, and the answers of both models."""

    pilot: Annotated[Text, flag("RATINGS", "People's labels of a few items, some of them labelled repeatedly.")] = None
    pilot_judges: Annotated[Text, flag("JUDGES", "Both models' answers, also on items without labels.")] = None


def plan_raters_command(
    design: Annotated[Keywords, "plan_raters.result.DesignOptions"],
    source: PilotInput,
    options: Annotated[Keywords, "plan_raters.result.PilotOptions"],
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many items and raters does it take to tell two judges apart?

    Finds the cheapest test set that does, from what you expect of the judges or from a pilot.
    """
    from dissensus.methods.plan_raters import plan_raters

    pilot, where = source.read(), work.where(output)
    output.run("Simulating test sets", plan_raters, **design, **options, **pilot, **where)


def plan_labels_command(
    options: Annotated[Keywords, "plan_labels.options.PlanLabelsOptions"],
    source: LabelPilotInput,
    output: Output = Output(),
) -> None:
    """One label each for many items, or several for few?

    Says how to spend labels to find out which of two models is better, and how many it takes.
    """
    from dissensus.methods.plan_labels import plan_labels

    output.show(plan_labels(**options, **source.read(), rng=output.seed))


Folder = Annotated[Path, flag("DIR", "The folder to write.", "-o", "--output")]
Raters = Annotated[str, flag("K", "Raters per item: a number, or a range such as 3-9.")]
Share = float | None


def simulate_urn_command(
    out: Folder,
    urn: Annotated[Path | None, flag("URN.toml", "States, labels and judges; else the paper's cats and dogs.")] = None,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 1000,
    raters: Raters = "10",
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each judge to each item.")] = 1,
    output: Output = Output(),
) -> None:
    """Raters and judges who draw labels from urns.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.simulation import simulate_urn
    from dissensus.simulation.urn_draws import readme_of

    described, classifiers = _urn(urn)
    per_item = raters_per_item(raters)
    made = simulate_urn(
        described, items=items, raters=per_item, classifiers=classifiers, samples=samples, rng=output.seed
    )
    settings = {"urn": None if urn is None else urn.name, "items": items, "raters": raters, "samples": samples}
    again = _command("urn", settings, output)
    about = f"Drawn from {'the urn of cats and dogs' if urn is None else urn.name}."
    readme = readme_of(made.truth, title="Simulated ratings", about=about, made_with=again, samples=samples)
    _write(out, made, settings, output, {"README.md": readme})


def _command(simulator: str, settings: Mapping[str, object], output: Output) -> str:
    """What to run to make the same data again."""
    given = {name: value for name, value in (*settings.items(), ("seed", output.seed)) if value is not None}
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
    return f"`dissensus simulate {simulator} {flags}`"


def _write(
    out: Path, made: "Simulated[Any]", settings: Mapping[str, object], output: Output, texts: dict[str, str],
    *, what: str = "ratings", **last: object,
) -> None:  # fmt: skip
    """Write what was drawn, the truth behind it and these texts, and say so."""
    from dissensus.data.writers import write_folder

    write_folder(out, ratings=made.ratings, judges=made.judges, texts={"truth.json": made.truth.to_json(), **texts})
    n = made.ratings.n_ratings
    output.remark(f"Wrote {n:,} {what} of {settings['items']:,} items to {out}; the truth is in truth.json.")
    if output.as_json:
        output.show(made.result({**settings, "seed": output.seed, **last}))


def _urn(path: Path | None) -> "tuple[Urn, tuple[Classifier, ...]]":
    from dissensus.data.paths import toml_of
    from dissensus.simulation import HARD_CLASSIFIER, RUNNING_EXAMPLE, SOFT_CLASSIFIER
    from dissensus.simulation.urn import urn_from

    if path is None:
        return RUNNING_EXAMPLE, (HARD_CLASSIFIER, SOFT_CLASSIFIER)
    try:
        return urn_from(toml_of(path))
    except OSError as error:
        raise FileError(f"{path} cannot be opened: {error.strerror}.") from error


def raters_per_item(text: str) -> int | tuple[int, int]:
    """A number of raters, or a range.

    >>> raters_per_item("10"), raters_per_item("3-9")
    (10, (3, 9))
    """
    ends = text.split("-", 1)
    if not all(end.strip().isdecimal() and len(end) <= LONGEST_NUMBER for end in ends):
        raise OptionError(f"--raters cannot be {text[:100]!r}: give a number such as 10, or a range such as 3-9.")
    return int(ends[0]) if len(ends) == 1 else (int(ends[0]), int(ends[1]))


def simulate_indeterminate_command(
    out: Folder,
    options: Annotated[int, typer.Option(metavar="K", min=2, help="How many options there are.")] = 3,
    sets: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="How many response sets are admissible; all if not given."),
    ] = None,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 100,
    raters: Annotated[int, typer.Option(metavar="K", min=1, help="Raters per item.")] = 5,
    paired: Annotated[int, typer.Option(metavar="N", min=0, help="Ratings with a response set as well.")] = 100,
    judges: Annotated[int, typer.Option(metavar="N", min=0, help="How many judges.")] = 10,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each judge to each item.")] = 10,
    error: Annotated[float, flag("P", "Probability that a rater gives another set.")] = 0.0,
    skew: Annotated[float, flag("X", "Above 0, errors favour sets with the first option.")] = 0.0,
    gamma: Annotated[float, flag("X", "Above 0, raters prefer the first option of a set, below 0 the last.")] = 0.0,
    judge_gamma: Annotated[
        str, flag("X", "The same for judges: a number, or a range such as -3:3 to draw from.")
    ] = "0",
    output: Output = Output(),
) -> None:
    """Raters and judges who may find several options reasonable.

    Writes ratings.csv, judges.csv, task.toml, truth.json and README.md.
    """
    from dissensus.simulation.indeterminate import readme_of, simulate_indeterminate, task_of
    from dissensus.simulation.indeterminate_model import Indeterminacy

    n_sets = 2**options - 1 if sets is None else sets
    gammas = number_or_range("--judge-gamma", judge_gamma)
    design = Indeterminacy(n_options=options, n_sets=n_sets, error=error, skew=skew, gamma=gamma, judge_gamma=gammas)
    sizes = {"items": items, "raters": raters, "paired": paired, "judges": judges, "samples": samples}
    made = simulate_indeterminate(design, **sizes, rng=output.seed)
    settings: dict[str, object] = {"options": options, "sets": n_sets, **sizes}
    settings |= {"error": error, "skew": skew, "gamma": gamma, "judge_gamma": judge_gamma}
    again = _command("indeterminate", settings, output)
    readme = readme_of(made.truth, made_with=again, raters=raters, paired=paired, samples=samples)
    _write(out, made, settings, output, {"task.toml": task_of(made.truth), "README.md": readme})


def number_or_range(option: str, text: str) -> float | tuple[float, float]:
    """A number, or the two ends of a range.

    >>> number_or_range("--judge-gamma", "2"), number_or_range("--judge-gamma", "-3:3")
    (2.0, (-3.0, 3.0))
    """
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in {1, 2}:
        raise OptionError(f"{option} cannot be {text!r}: give a number such as 2, or a range such as -3:3.")
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


@dataclass(frozen=True, kw_only=True)
class ClassifierOptions:
    """How often the two judges are right, in one of two forms."""

    accuracy: Annotated[Share, flag("P", "Accuracy of the worse judge; else 0.75.")] = None
    margin: Annotated[Share, flag("E", "How much more accurate the better judge is; else 0.1.")] = None
    worse_accuracy: Annotated[
        Share, flag("P", "Correlated judges, instead of --accuracy: accuracy of the worse one.")
    ] = None
    better_if_worse_wrong: Annotated[Share, flag("P", "Accuracy of the better judge where the worse one is wrong.")] = (
        None
    )
    better_if_worse_right: Annotated[Share, flag("P", "Accuracy of the better judge where the worse one is right.")] = (
        None
    )

    def classifiers(self) -> "TwoClassifiers | None":
        """The judges that were described; None for the usual ones."""
        from dissensus.simulation.labels import TwoClassifiers

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

    label_accuracy: Annotated[float, flag("Q", "Chance that a label is right.")] = 0.75
    label_accuracy_better: Annotated[Share, flag("Q", "The same where only the better judge is right.")] = None
    label_accuracy_worse: Annotated[Share, flag("Q", "The same where only the worse judge is right.")] = None
    difficulty: Annotated[str, flag("D", "Items are equally hard (same), or differ: uniform or beta.")] = "same"
    concentration: Annotated[float, flag("X", "The smaller, the more items differ (beta).")] = 2.0
    difficulty_where: Annotated[
        str, flag("W", "Items that differ: all, or where only better, or only worse, is right.")
    ] = "all"
    classes: Annotated[int, flag("N", "How many classes there are.")] = 2

    def noise(self) -> "LabelNoise":
        """The labels that were described."""
        from dissensus.simulation.labels import LabelNoise

        return LabelNoise(
            label_accuracy=self.label_accuracy, better=self.label_accuracy_better, worse=self.label_accuracy_worse,
            difficulty=cast("Difficulty", self.difficulty), concentration=self.concentration,
            where=cast("Where", self.difficulty_where), classes=self.classes,
        )  # fmt: skip


def simulate_labels_command(
    out: Folder,
    models: ClassifierOptions,
    labels: NoiseOptions,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items people label.")] = 200,
    raters: Annotated[str, flag("K", "Labels per item: a number, or a range such as 3-9.")] = "5",
    unlabelled: Annotated[int, typer.Option(metavar="N", min=0, help="Further items that only the judges see.")] = 0,
    prevalence: Annotated[Share, flag("P", "Share of the first class; else all classes are equally common.")] = None,
    output: Output = Output(),
) -> None:
    """People with noisy labels, a better judge and a worse one.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.simulation.labels import simulate_labels

    made = simulate_labels(
        models.classifiers(), labels.noise(), items=items, raters=raters_per_item(raters), unlabelled=unlabelled,
        prevalence=prevalence, rng=output.seed,
    )  # fmt: skip
    settings: dict[str, object] = {"items": items, "raters": raters, "unlabelled": unlabelled, "prevalence": prevalence}
    settings |= {**asdict(models), **asdict(labels)}
    readme = made.truth.readme(made_with=_command("labels", settings, output))
    _write(out, made, settings, output, {"README.md": readme}, what="labels")


def simulate_responses_command(
    out: Folder,
    kind: Annotated[str, flag("K", "normal, likert or dirichlet.")] = "normal",
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 100,
    raters: Raters = "5",
    samples_a: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of A to each item.")] = 5,
    samples_b: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of B to each item.")] = 5,
    effect: Annotated[float, flag("E", "How far B is off, from 0 to 1.")] = 0.1,
    spread: Annotated[str, flag("LOW:HIGH", "Standard deviations of responses to an item.")] = "0:0.3",
    clip: Annotated[bool, typer.Option("--clip", help="Set normal responses below 0 and above 1 to these.")] = False,
    points: Annotated[int, flag("N", "Steps of the Likert scale, or labels.")] = 5,
    concentration: Annotated[float, flag("X", "The smaller, the more raters agree.")] = 1.0,
    output: Output = Output(),
) -> None:
    """People, a judge A like them, and a judge B that is off.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.methods.plan_raters.result import spread_of
    from dissensus.simulation.responses import Responses, simulate_responses

    population = Responses(
        kind=cast("Kind", kind), effect=effect, spread=spread_of(spread), is_clipped=clip, points=points,
        concentration=concentration,
    )  # fmt: skip
    per_item = raters_per_item(raters)
    made = simulate_responses(population, items=items, raters=per_item, samples=(samples_a, samples_b), rng=output.seed)
    settings: dict[str, object] = {
        "kind": kind, "items": items, "raters": raters, "samples_a": samples_a, "samples_b": samples_b,
        "effect": effect, "spread": spread, "points": points, "concentration": concentration,
    }  # fmt: skip
    again = _command("responses", settings, output)
    again = f"{again[:-1]} --clip`" if clip else again
    _write(out, made, settings, output, {"README.md": made.truth.readme(made_with=again)}, clip=clip)
