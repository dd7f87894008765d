"""Everything at once: `report`, `demo` and `serve`; and the papers: `reproduce`."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dissensus.cli.flags import check_files, flag_of
from dissensus.cli.inputs import LargeOptions, OptionalJudgesInput, Output, RatingsInput, Text, Work, flag, read_inputs
from dissensus.errors import MissingExtraError, OptionError, counted

if TYPE_CHECKING:
    from dissensus.methods.reproduce.dont_label_twice_sweep import Grid
    from dissensus.methods.reproduce.reproduce import Sweep
    from dissensus.report.answers import Answers
    from dissensus.report.document import Report
    from dissensus.results import Result
    from dissensus.sampling import Progress

SUFFIXES = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}
PAGE = (".html", ".htm")
MOST_LINES = 20
NEXT = "The same on your own files: dissensus report ratings.csv judges.csv"


@dataclass(frozen=True, kw_only=True)
class Writing:
    """What to write, and where."""

    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write; report.html if not given.")
    ] = None
    form: Annotated[Text, flag("F", "html, md (for pull requests) or json; else by the file's name.", "--format")] = (
        None
    )
    charts: Annotated[Path | None, flag("DIR", "Also write each chart to this folder, as PNG and SVG.")] = None
    title: Annotated[Text, flag("TEXT", "Heading of the report.")] = None

    def check(self) -> None:
        """Raise if it cannot be written, before the work, so that a misspelt format or folder costs no time."""
        from dissensus.data.paths import check_place
        from dissensus.report.charts import converter

        self.file_format()
        check_place(self.path())
        if self.charts is not None:
            converter()

    def file_format(self) -> str:
        """The format that was asked for, by name or by the file's."""
        if self.form is not None and self.form not in SUFFIXES.values():
            raise OptionError(f"--format cannot be {self.form!r}: choose html, md or json.")
        suffix = "" if self.out is None else self.out.suffix.lower()
        if self.form is None and suffix[1:].isalpha() and suffix not in SUFFIXES:
            raise OptionError(f"-o {self.out}: a report is written as html, md or json. Print the page to have a PDF.")
        return self.form or SUFFIXES.get(suffix, "html")

    def path(self) -> Path:
        """Where to write."""
        return self.out or Path(f"report.{self.file_format()}")

    def write(self, found: "Result", report: "Report", *, command_line: str, output: Output) -> str:
        """Write the report and its charts; what was written, in words."""
        from dissensus.data.paths import save_bytes
        from dissensus.report.envelope import envelope_json
        from dissensus.report.files import write_charts, write_markdown, write_page

        path, form, words = self.path(), self.file_format(), ""
        if self.charts is not None:
            with output.progress("Drawing the charts") as progress:
                drawn = write_charts(report, self.charts, progress=progress)
            words = f" and {len(drawn)} drawings in {self.charts}" if drawn else ""
        if form == "json":
            save_bytes(path, (envelope_json(found, flag_of) + "\n").encode())
        elif form == "md":
            write_markdown(report, path, command_line=command_line, charts=self.charts)
        else:
            write_page(report, path, command_line=command_line)
        return f"Wrote {path}{words}"


def report_command(
    context: typer.Context, source: RatingsInput, judges_source: OptionalJudgesInput, writing: Writing = Writing(),
    judge: Annotated[list[str] | None, flag("J", "A judge to choose from; may be repeated.")] = None,
    positive: Annotated[list[str] | None, flag("LABEL", "An option that counts as positive; may be repeated.")] = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", min=0, help="Bootstrap samples; 0 for no intervals.")] = 500,
    item_cost: Annotated[float, typer.Option(metavar="C", min=0, help="What a new item costs to prepare.")] = 0.0,
    rating_cost: Annotated[float, typer.Option(metavar="C", min=0, help="What one rating costs.")] = 1.0,
    large: LargeOptions = LargeOptions(), work: Work = Work(), output: Output = Output(),
) -> None:  # fmt: skip
    """Write one page with everything that the files can say.

    The page is self-contained: it loads nothing and can be sent as it is.
    """
    from dissensus.report.answers import answers_in_parts, answers_of
    from dissensus.report.envelope import envelope_json
    from dissensus.report.front import title_of
    from dissensus.report.whole import report_in_parts, report_of, together, together_in_parts

    writing.check()
    check_files({**vars(source), **vars(judges_source), "out": writing.path()})  # also where nobody named it
    with output.progress("Reading the files"):
        task = source.read_task()
        ratings, judges = read_inputs(source, judges_source, large, work)
    title = writing.title or (task.name and title_of(task.name) if task else "") or title_of(source.ratings)
    costs: dict[str, Any] = {"item_cost": item_cost, "rating_cost": rating_cost}
    asked: dict[str, Any] = {
        "task": task, "judge": judge or None, "positive": positive or (), "bootstrap": bootstrap, **costs,
        "seed": output.seed, "engine": work.engine, "workers": work.workers, "step": output.progress,
    }  # fmt: skip
    found: Result
    if ratings.questions or ratings.slicing is not None or (judges is not None and judges.questions):
        parts = answers_in_parts(ratings, judges, **asked)
        report, found = report_in_parts(parts, title=title, **costs), together_in_parts(parts)
    else:
        answers = answers_of(ratings, judges, **asked)
        report = report_of(answers, title=title, asked=task.instructions if task else "", **costs)
        found = together(answers)
    written = writing.write(found, report, command_line=shlex.join(["dissensus", *context.obj]), output=output)
    if output.as_json:
        print(envelope_json(found, flag_of))
    else:
        left = counted(len(report.verdict) - MOST_LINES, "more line")
        print(*report.verdict[:MOST_LINES], *[f"{left} in the page."] * (len(report.verdict) > MOST_LINES), sep="\n")
    output.remark(written)


def check_page(path: Path) -> None:
    """Raise if there can be no such file, or its name is of another kind than a page, before the work is done."""
    from dissensus.data.paths import check_place

    check_place(path)
    if path.suffix[1:].isalpha() and path.suffix.lower() not in PAGE:
        raise OptionError(f"{path} ends in {path.suffix}, and we write a page: name a file that ends in .html.")


def demo_command(
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    output: Output = Output(),
) -> None:
    """Try it on bundled data.

    Which of four judges of toxic comments to use, what it is worth, and whether raters agree. Writes a page about it.
    """
    from dissensus.data import read, read_judges, read_task
    from dissensus.data.paths import example_path
    from dissensus.report.answers import answers_of
    from dissensus.report.envelope import envelope_json
    from dissensus.report.files import write_page
    from dissensus.report.front import title_of
    from dissensus.report.whole import report_of, together

    check_page(out)
    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings, judges = read(folder / "ratings.csv", task=task), read_judges(folder / "judges.csv", task=task)
    answers = answers_of(ratings, judges, task=task, seed=output.seed, step=output.progress)
    report = report_of(answers, title=title_of(task.name), asked=task.instructions)
    write_page(report, out, command_line=f"dissensus demo --seed {output.seed}")
    if output.as_json:
        print(envelope_json(together(answers), flag_of))
    else:
        _show_decision(answers, report, output)
    output.remark(f"\n{NEXT}\nWrote {out}")


def _show_decision(answers: "Answers", report: "Report", output: Output) -> None:
    """The decision on stdout; with details the other sections, too, each under its question."""
    from rich.console import Console

    from dissensus.report.text import print_result, print_section

    console = Console()
    if answers.decision is not None:
        print_result(answers.decision, console, flag_of, details=output.details, more="in the page")
    for section in report.sections if output.details else []:
        console.print(section.title, style="bold underline", markup=False)
        print_section(section, console)


def serve_command(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="A project, or a folder of projects; made when the first one is saved."),
    ] = Path("dissensus-projects"),
    port: Annotated[int, flag("N", "Where to listen; 0 takes a free port.")] = 8000,
    host: Annotated[
        str, flag("H", "Address to listen at; other machines reach it only if you name one.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            metavar="T",
            envvar="DISSENSUS_TOKEN",
            show_envvar=False,
            help="What visitors must type; required with --host. Better set as DISSENSUS_TOKEN.",
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not print the address.")] = False,
) -> None:
    """The same answers in a browser.

    Drop files and read the results as they come, fix files, look at items, plan with sliders. What you save is in
    FOLDER; everything stays on this machine. End it with Ctrl-C.
    """
    try:
        from dissensus.web.server import serve
    except ImportError as error:
        raise MissingExtraError("`dissensus serve`", install="dissensus[web]") from error
    from dissensus.web.guard import Settings

    with suppress(OSError):  # whoever saves in a folder that cannot be is told so
        if folder.exists() and not folder.is_dir():
            raise OptionError(f"{folder} is not a folder: name a project, or a folder of projects.")

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    serve(Settings(host=host, port=port, folder=str(folder), token=token or None), opens=not no_open, say=say)


FIRST, EVERY = 10.0, 60.0  # seconds until the first word about how far the work is, and between two of them


class Pace:
    """Says how much of the work is done and how long the rest will take; called like any progress."""

    def __init__(self, say: Callable[[str], None], *, clock: Callable[[], float] = monotonic) -> None:
        self._say, self._clock = say, clock
        self._total = 0

    def __call__(self, done: int, total: int) -> None:
        """Take note that so much is done."""
        now = self._clock()
        if total != self._total:  # other work begins; what came before its first part, such as imports, does not count
            self._total, self._began, self._done_then, self._next = total, now, done, now + FIRST
        elif now >= self._next and done < total:
            seconds = (now - self._began) / (done - self._done_then) * (total - done)
            self._say(f"{done:,} of {total:,} parts done, {duration(seconds)} to go.")
            self._next = now + EVERY


def duration(seconds: float) -> str:
    """A number of seconds in words, roughly.

    >>> duration(0.3), duration(80), duration(2700), duration(30_000), duration(400_000)
    ('about 1 second', 'about 80 seconds', 'about 45 minutes', 'about 8.3 hours', 'about 4.6 days')
    """
    for unit, size in (("day", 86_400), ("hour", 3600)):
        if seconds >= 2 * size:
            return f"about {seconds / size:.1f} {unit}s"
    unit, size = ("minute", 60) if seconds >= 2 * 60 else ("second", 1)
    number = max(round(seconds / size), 1)
    return f"about {number} {unit}{'' if number == 1 else 's'}"


SWEPT = ("all", "dont-label-twice")  # what the sweep belongs to


@dataclass(frozen=True, kw_only=True)
class UnseededOutput(Output):
    """How to show a result that no seed changes."""

    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Changes nothing here: each number has a seed of its own.")
    ] = 0


def reproduce_command(
    context: typer.Context,
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="survey-equivalence, judges-without-gold, how-many-raters, dont-label-twice, or all."
        ),
    ] = "all",
    data: Annotated[Path | None, flag("DIR", "The authors' data: a folder, or the wheel they published.")] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the authors' data with pip into the cache.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a page with every number and the figures redrawn."),
    ] = None,
    sweep: Annotated[str, flag("S", "Grid of Conjecture 1: reduced (steps of .05) or full (the paper's).")] = "reduced",
    record: Annotated[
        Path | None,
        flag("FILE", "Save finished parts of the sweep here, and resume from them; a full sweep always does."),
    ] = None,
    work: Work = Work(),
    output: UnseededOutput = UnseededOutput(),
) -> None:
    """Recompute the numbers that the papers print.

    Shows ours beside the published one. Exit status 1 if one that should be reproduced is not.
    """
    from dissensus.methods.reproduce import download_data, reproduce

    if out is not None:
        check_page(out)
    folder = download_data(cache_folder()) if download and data is None else data
    noted = cache_folder() / "sweep.jsonl" if record is None and sweep == "full" else record
    long = noted if sweep == "full" and paper in SWEPT else None
    with output.progress("Recomputing") if long is None else _long_sweep(long, work, output) as progress:
        result = reproduce(
            paper, data=folder, sweep=cast("Sweep", sweep), record=noted, figures=out is not None, engine=work.engine,
            workers=work.workers, progress=progress,
        )  # fmt: skip
    output.show(result)
    if out is not None:
        from dissensus.report.document import respelled
        from dissensus.report.files import write_page
        from dissensus.report.views.reproduce import page_report

        write_page(respelled(page_report(result), flag_of), out, command_line=shlex.join(["dissensus", *context.obj]))
        output.remark(f"Wrote {out}")
    if result.count("failed"):
        raise typer.Exit(1)


def cache_folder() -> Path:
    """Where downloaded data are kept."""
    return Path(typer.get_app_dir("dissensus")) / "papers"


@contextmanager
def _long_sweep(record: Path, work: Work, output: Output) -> "Iterator[Progress | None]":
    """The progress of a full sweep, and how long it will take, also where there is no terminal."""
    from dissensus.methods.reproduce.reproduce import GRIDS

    if not output.quiet:
        output.remark(forecast(GRIDS["full"], record, work))
    try:
        with output.progress("Recomputing") as progress:
            yield Pace(output.remark) if progress is None else progress
    except KeyboardInterrupt:
        output.remark(f"Stopped. The same command goes on from {record}.")
        raise


def forecast(grid: "Grid", record: Path, work: Work) -> str:
    """What a sweep has to do and how long that will take, by one part of it."""
    from dissensus.methods.reproduce.dont_label_twice_sweep import REDUCED_GRID, read_record, sweep_cell

    done, cells = read_record(record), grid.cells()
    left = [cell for cell in cells if cell.name not in done]
    begun = f"The sweep has {len(cells):,} parts; {len(cells) - len(left):,} of them are done, by {record}."
    if not left:
        return begun
    sweep_cell(REDUCED_GRID.cells()[0])  # what only the first one needs, such as imports, is no part of the time
    start = perf_counter()
    sweep_cell(left[0])
    seconds = (perf_counter() - start) * len(left)
    if work.engine != "local":
        return f"{begun} The rest needs {duration(seconds)} of computing, which the workers of {work.engine} share."
    processes = "1 process" if work.workers == 1 else f"{work.workers} processes"
    return f"{begun} The rest will take {duration(seconds / work.workers)} with {processes}."
