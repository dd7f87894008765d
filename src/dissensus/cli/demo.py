from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.output import Output


def demo_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    output: Output = Output(),
) -> None:
    """Try it on bundled data.

    Describes simulated ratings of toxic comments and writes a page about them.
    """
    from dissensus.agreement import describe
    from dissensus.example_data import example_path
    from dissensus.ratings import read, read_task
    from dissensus.report.writing import write_report

    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings = read(folder / "ratings.csv", task=task)
    with output.progress("Resampling items") as progress:
        result = describe(ratings, by_group=True, rng=output.seed, progress=progress)
    write_report([result], out, title=task.instructions, command_line=f"dissensus demo --seed {output.seed}")
    output.show(result)
    output.remark(f"\nThe same on your own file: dissensus describe ratings.csv\nWrote {out}")
