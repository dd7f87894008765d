import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.inputs import OptionalJudgesInput, RatingsInput
from dissensus.cli.large_inputs import LargeOptions, read_inputs
from dissensus.cli.output import Output, Work
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Task
    from dissensus.methods.decide.answers import Answers
    from dissensus.report.document import Report

SUFFIXES = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


@dataclass(frozen=True, kw_only=True)
class Writing:
    """What to write, and where."""

    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write; report.html if not given.")
    ] = None
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="html, md (for pull requests) or json; else by the file's name."),
    ] = None
    charts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write each chart to this folder, as PNG and SVG.")
    ] = None
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the report.")] = None

    def file_format(self) -> str:
        """The format that was asked for, by name or by the file's."""
        if self.form is not None and self.form not in SUFFIXES.values():
            raise OptionError(f"--format cannot be {self.form!r}: choose html, md or json.")
        if self.form is not None:
            return self.form
        return "html" if self.out is None else SUFFIXES.get(self.out.suffix.lower(), "html")

    def heading(self, task: "Task | None") -> str:
        """The title: the user's, or what raters were asked."""
        asked = "" if task is None else task.instructions
        return self.title or asked or "What the ratings say"

    def path(self) -> Path:
        """Where to write."""
        return Path(f"report.{self.file_format()}") if self.out is None else self.out

    def write(self, answers: "Answers", report: "Report", *, command_line: str, output: Output) -> list[Path]:
        """Write the report and its charts; what was written."""
        from dissensus.cli.flags import flag_of
        from dissensus.report.charts import save_bytes
        from dissensus.report.envelope import envelope_json
        from dissensus.report.files import write_charts, write_markdown, write_page
        from dissensus.report.whole import together

        path, form = self.path(), self.file_format()
        drawn = []
        if self.charts is not None:
            with output.progress("Drawing the charts") as progress:
                drawn = write_charts(report, self.charts, progress=progress)
        if form == "json":
            save_bytes(path, (envelope_json(together(answers), flag_of) + "\n").encode())
        elif form == "md":
            write_markdown(report, path, command_line=command_line, charts=self.charts)
        else:
            write_page(report, path, command_line=command_line)
        return [path, *drawn]


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What it costs to collect more."""

    item_cost: Annotated[float, typer.Option(metavar="C", min=0, help="What a new item costs to prepare.")] = 0.0
    rating_cost: Annotated[float, typer.Option(metavar="C", min=0, help="What one rating costs.")] = 1.0


def report_command(
    context: typer.Context,
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    writing: Writing = Writing(),
    positive: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="An option that counts as positive; may be repeated.")
    ] = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", min=0, help="Bootstrap samples; 0 for no intervals.")] = 500,
    costs: Costs = Costs(),
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Write one page with everything that the files can say.

    The page is self-contained: it loads nothing and can be sent as it is.
    """
    from contextlib import nullcontext

    from dissensus.cli.flags import flag_of
    from dissensus.methods.decide.answers import answers_of
    from dissensus.report.charts import check_place
    from dissensus.report.envelope import envelope_json
    from dissensus.report.html import bundled_meanwhile
    from dissensus.report.whole import report_of, together

    form = writing.file_format()  # before the work, so that a misspelt format or folder costs no time
    check_place(writing.path())
    with output.progress("Reading the files"):
        task = source.read_task()
        ratings, judges = read_inputs(source, judges_source, large, work)
    with bundled_meanwhile() if form == "html" else nullcontext():
        answers = answers_of(
            ratings,
            judges,
            task=task,
            positive=positive or (),
            bootstrap=bootstrap,
            item_cost=costs.item_cost,
            rating_cost=costs.rating_cost,
            seed=output.seed,
            engine=work.engine,
            workers=work.workers,
            step=output.progress,
        )
        report = report_of(
            answers,
            title=writing.heading(task),
            item_cost=costs.item_cost,
            rating_cost=costs.rating_cost,
            spelling=flag_of,
        )
        written = writing.write(answers, report, command_line=shlex.join(["dissensus", *context.obj]), output=output)
    if output.as_json:
        print(envelope_json(together(answers), flag_of))
    for sentence in [] if output.as_json else report.verdict:
        print(sentence)
    drawn = f" and {len(written) - 1} drawings in {writing.charts}" if len(written) > 1 else ""
    output.remark(f"Wrote {written[0]}{drawn}")
