from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.output import Output
from dissensus.cli.plan_raters import spread_of
from dissensus.cli.simulate import raters_per_item

if TYPE_CHECKING:
    from dissensus.simulation.responses_population import Kind


def simulate_responses_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    kind: Annotated[str, typer.Option(metavar="K", help="normal, likert or dirichlet.")] = "normal",
    items: Annotated[int, typer.Option(metavar="N", min=1, help="How many items.")] = 100,
    raters: Annotated[str, typer.Option(metavar="K", help="Raters per item: a number, or a range such as 3-9.")] = "5",
    samples_a: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of A to each item.")] = 5,
    samples_b: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of B to each item.")] = 5,
    effect: Annotated[float, typer.Option(metavar="E", help="How far B strays from people, from 0 to 1.")] = 0.1,
    spread: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Standard deviations of responses to an item.")
    ] = "0:0.3",
    clip: Annotated[bool, typer.Option("--clip", help="Set normal responses below 0 and above 1 to these.")] = False,
    points: Annotated[int, typer.Option(metavar="N", help="Steps of the Likert scale, or labels.")] = 5,
    concentration: Annotated[float, typer.Option(metavar="X", help="The smaller, the more raters agree.")] = 1.0,
    output: Output = Output(),
) -> None:
    """People, a judge A like them, and a judge B that strays.

    Writes ratings.csv, judges.csv, truth.json and README.md.
    """
    from dissensus.ratings.writing import write_folder
    from dissensus.simulation.responses import SimulateResponsesResult, simulate_responses
    from dissensus.simulation.responses_population import Responses

    population = Responses(
        kind=cast("Kind", kind),
        effect=effect,
        spread=spread_of(spread),
        is_clipped=clip,
        points=points,
        concentration=concentration,
    )
    made = simulate_responses(
        population, items=items, raters=raters_per_item(raters), samples=(samples_a, samples_b), rng=output.seed
    )
    settings: dict[str, object] = {
        "kind": kind, "items": items, "raters": raters, "samples_a": samples_a, "samples_b": samples_b,
        "effect": effect, "spread": spread, "points": points, "concentration": concentration, "seed": output.seed,
    }  # fmt: skip
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in settings.items())
    again = f"`dissensus simulate responses {flags}{' --clip' if clip else ''}`"
    texts = {"truth.json": made.truth.to_json(), "README.md": made.truth.readme(made_with=again)}
    write_folder(out, ratings=made.ratings, judges=made.judges, texts=texts)
    output.remark(f"Wrote {made.ratings.n_ratings} ratings of {items} items to {out}; the truth is in truth.json.")
    if output.as_json:
        data = {"ratings": dict(made.ratings.describe_data()), "judges": dict(made.judges.describe_data())}
        output.show(SimulateResponsesResult(settings=settings | {"clip": clip}, data=data, truth=made.truth))
