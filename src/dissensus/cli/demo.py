from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.output import Output
from dissensus.cli.report import results_of

if TYPE_CHECKING:
    from dissensus.results import Result

NEXT = "The same on your own files: dissensus report ratings.csv judges.csv"


def demo_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    output: Output = Output(),
) -> None:
    """Try it on bundled data.

    Do raters of toxic comments agree, how many of them is each of four judges worth, and which one can stand in for
    them? Writes a page about it.
    """
    from dissensus.example_data import example_path
    from dissensus.ratings import read, read_judges, read_task
    from dissensus.report.writing import write_report

    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings = read(folder / "ratings.csv", task=task)
    judges = read_judges(folder / "judges.csv", task=task)
    results = results_of(ratings, judges, task, bootstrap=500, output=output)
    write_report(results, out, title=task.instructions, command_line=f"dissensus demo --seed {output.seed}")
    show_in_short(results, output)
    output.remark(f"\n{NEXT}\nWrote {out}")


def show_in_short(results: "list[Result]", output: Output) -> None:
    """The answers and their main tables on stdout, or everything as JSON."""
    from rich.console import Console

    from dissensus.report.text import print_section
    from dissensus.report.together import in_short, together

    if output.as_json:
        print(together(results).to_json())
        return
    for result in results:
        print_section(in_short(result), Console())
