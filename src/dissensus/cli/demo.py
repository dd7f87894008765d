from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.output import Output

if TYPE_CHECKING:
    from dissensus.report.document import Report

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
    from dissensus.cli.flags import flag_of
    from dissensus.data import read, read_judges, read_task
    from dissensus.data.examples import example_path
    from dissensus.methods.decide.answers import answers_of
    from dissensus.report.charts import check_place
    from dissensus.report.envelope import envelope_json
    from dissensus.report.files import write_page
    from dissensus.report.html import bundled_meanwhile
    from dissensus.report.whole import report_of, together

    check_place(out)
    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings = read(folder / "ratings.csv", task=task)
    judges = read_judges(folder / "judges.csv", task=task)
    with bundled_meanwhile():
        answers = answers_of(ratings, judges, task=task, seed=output.seed, step=output.progress)
        report = report_of(answers, title=task.instructions, spelling=flag_of)
        write_page(report, out, command_line=f"dissensus demo --seed {output.seed}")
    if output.as_json:
        print(envelope_json(together(answers), flag_of))
    else:
        show_in_short(report)
    output.remark(f"\n{NEXT}\nWrote {out}")


def show_in_short(report: "Report") -> None:
    """The verdict, then each section's answer and main table, on stdout."""
    from rich.console import Console

    from dissensus.report.text import print_section, print_verdict
    from dissensus.report.whole import in_short

    console = Console()
    print_verdict(report.verdict, console)
    for section in report.sections:
        print_section(in_short(section), console)
