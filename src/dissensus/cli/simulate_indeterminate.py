from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.output import Output
from dissensus.errors import OptionError


def simulate_indeterminate_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    options: Annotated[int, typer.Option(metavar="K", min=2, help="How many options there are.")] = 3,
    sets: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="How many response sets are admissible; every one if not said."),
    ] = None,
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 100,
    raters: Annotated[int, typer.Option(metavar="K", min=1, help="Raters per item.")] = 5,
    paired: Annotated[int, typer.Option(metavar="N", min=0, help="Ratings with a response set as well.")] = 100,
    judges: Annotated[int, typer.Option(metavar="N", min=0, help="How many judges.")] = 10,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each judge to each item.")] = 10,
    error: Annotated[float, typer.Option(metavar="P", help="Probability that a rater gives another set.")] = 0.0,
    skew: Annotated[float, typer.Option(metavar="X", help="Above 0, errors favour sets with the first option.")] = 0.0,
    gamma: Annotated[
        float, typer.Option(metavar="X", help="Above 0, raters prefer the first option of a set, below 0 the last.")
    ] = 0.0,
    judge_gamma: Annotated[
        str, typer.Option(metavar="X", help="The same for judges: a number, or a range such as -3:3 to draw from.")
    ] = "0",
    output: Output = Output(),
) -> None:
    """Raters and judges who may find several options reasonable.

    Writes ratings.csv, judges.csv, task.toml, truth.json and README.md.
    """
    from dissensus.ratings.writing import write_folder
    from dissensus.simulation.indeterminate import simulate_indeterminate
    from dissensus.simulation.indeterminate_notes import readme_of, task_of
    from dissensus.simulation.indeterminate_population import Indeterminacy
    from dissensus.simulation.indeterminate_truth import IndeterminateResult

    design = Indeterminacy(
        n_options=options,
        n_sets=2**options - 1 if sets is None else sets,
        error=error,
        skew=skew,
        gamma=gamma,
        judge_gamma=number_or_range("--judge-gamma", judge_gamma),
    )
    sizes = {"items": items, "raters": raters, "paired": paired, "judges": judges, "samples": samples}
    made = simulate_indeterminate(design, **sizes, rng=output.seed)
    settings = {"options": design.n_options, "sets": design.n_sets, **sizes} | {
        "error": error,
        "skew": skew,
        "gamma": gamma,
        "judge_gamma": judge_gamma,
        "seed": output.seed,
    }
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in settings.items())
    again = f"`dissensus simulate indeterminate {flags}`"
    readme = readme_of(made.truth, made_with=again, raters=raters, paired=paired, samples=samples)
    texts = {"task.toml": task_of(made.truth), "truth.json": made.truth.to_json(), "README.md": readme}
    write_folder(out, ratings=made.ratings, judges=made.judges, texts=texts)
    output.remark(f"Wrote {made.ratings.n_ratings} ratings of {items} items to {out}; the truth is in truth.json.")
    if output.as_json:
        data = {"ratings": dict(made.ratings.describe_data()), "judges": dict(made.judges.describe_data())}
        output.show(IndeterminateResult(settings=settings, data=data, truth=made.truth))


def number_or_range(option: str, text: str) -> float | tuple[float, float]:
    """A number, or the two ends of a range.

    Examples
    --------
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
