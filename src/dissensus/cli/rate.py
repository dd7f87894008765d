"""Ask people, `collect`, or a model, `rate`, and how far it is."""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import Output, flag
from dissensus.errors import DissensusError, OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from dissensus.methods.rate.asking import Progress, Standing
    from dissensus.methods.rate.requests import Columns


def collect_command(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Columns item, text; or item, text_a, text_b. Or a project.")
    ],
    options: Annotated[Keywords, "collect.result.CollectOptions"],
    task: Annotated[Path | None, flag("TASK.toml", "What raters are asked.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="PROJECT", help="The folder to make.")] = None,
    plan: Annotated[Path | None, flag("PLAN.json", "What `plan raters --json` recommends.")] = None,
    chosen: Annotated[
        Path | None, flag("FILE", "Rate only the items in this file, as `route` writes it.", "--from")
    ] = None,
    drop: Annotated[
        str | None, flag("RATER", "In a project: withdraw this rater's link, and give the rest to the others.")
    ] = None,
    item: Annotated[str | None, flag("COL", "Name of the item column.")] = None,
    text: Annotated[str | None, flag("COL", "Name of the text column.")] = None,
    text_a: Annotated[str | None, flag("COL", "Name of the column of a pair's first text.")] = None,
    text_b: Annotated[str | None, flag("COL", "Name of the column of its second text.")] = None,
    output: Output = Output(),
) -> None:
    """Collect ratings from people.

    Plans who rates what and makes a project; `dissensus serve PROJECT` then has a link for each rater. With a project
    in place of ITEMS it says how far the collection is, and writes the ratings so far.
    """
    from dissensus.data.collection import Collection
    from dissensus.methods.collect import collect
    from dissensus.methods.collect.collect import drop_rater
    from dissensus.methods.rate.requests import Columns

    if drop is not None:
        if not items.is_dir():
            raise OptionError("--drop is about a project: name its folder in place of ITEMS.")
        with Collection(items) as collection:
            taken, left = drop_rater(collection, drop)
        output.remark(f"{drop} was dropped: {taken} ratings go to the others, {left} to nobody.")
    columns = Columns(item=item, text=text, text_a=text_a, text_b=text_b)
    output.show(
        collect(items, task=task, output=out, plan=plan, chosen=chosen, columns=columns, **options, rng=output.seed)
    )


SECONDS_BETWEEN_LINES = 10.0  # where stderr is no terminal, progress is a line now and then
NOT_ALL_ASKED = 1
INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class ItemsInput:
    """The items to ask about, and what was asked."""

    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Columns item, text; or item, text_a, text_b. Or a project.")
    ]
    task: Annotated[Path | None, flag("TASK.toml", "Instructions, options, examples, how to ask.")] = None
    item: Annotated[str | None, flag("COL", "Name of the item column.")] = None
    text: Annotated[str | None, flag("COL", "Name of the text column.")] = None
    text_a: Annotated[str | None, flag("COL", "Name of the column of a pair's first text.")] = None
    text_b: Annotated[str | None, flag("COL", "Name of the column of its second text.")] = None


def rate_command(
    source: ItemsInput,
    options: Annotated[Keywords, "rate.options.RateOptions"],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="JUDGES.csv", help="The judges file to write.")
    ] = None,
    cache: Annotated[Path | None, flag("FILE", "Where answers are kept; JUDGES.cache.sqlite if not given.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be asked, and ask nothing.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print the exact prompts for the first item.")] = False,
    output: Output = Output(),
) -> None:
    """Ask a model what people were asked.

    Writes its answers as a judges file. Stop it at any time: the same command goes on, and asks nothing twice.
    """
    from dissensus.data import read_task
    from dissensus.methods.rate import rate
    from dissensus.methods.rate.requests import Columns

    project = source.items if source.items.is_dir() else None
    if project is not None:
        name = re.sub(r"[^\w.-]+", "-", str(options.get("judge") or options["model"]))
        source, out = _of_project(source), out or project / "data" / f"judges-{name}.csv"
    if source.task is None:
        raise OptionError("There is no task file: name it with --task TASK.toml.")
    columns = Columns(item=source.item, text=source.text, text_a=source.text_a, text_b=source.text_b)
    if show:
        show_prompts(source, options, columns, output)
        return
    try:
        with _progress(output) as progress:
            result = rate(
                source.items, task=read_task(source.task), columns=columns, **options, output=out, cache=cache,
                dry_run=dry_run, rng=output.seed, progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        output.remark("Stopped. Every answer so far is kept: the same command goes on from here.")
        raise typer.Exit(INTERRUPTED) from None
    output.show(result)
    if project is not None and out is not None and not dry_run:
        _add_to_project(project, out, result.judge)
    if result.unasked and not result.dry_run:
        raise typer.Exit(NOT_ALL_ASKED)


def _of_project(source: ItemsInput) -> ItemsInput:
    """The items and the task that a project collects ratings for."""
    from dissensus.data.collection import ITEMS_FILE, TASK_FILE

    folder = source.items
    if not (folder / ITEMS_FILE).is_file():
        raise OptionError(f"{folder} has no {ITEMS_FILE}: name a file of items, or a project of `dissensus collect`.")
    return replace(source, items=folder / ITEMS_FILE, task=source.task or folder / TASK_FILE)


def _add_to_project(folder: Path, answers: Path, judge: str) -> None:
    """Put a judge's answers into the project's file of judges, in place of those that it gave before."""
    from dissensus.data.project import open_project, save_project
    from dissensus.data.writers import quoted, write_table

    project = open_project(folder)
    known = project.path("judges")
    try:
        before = [row for row in _rows(known) if row["judge"] != judge]
    except (DissensusError, KeyError) as error:
        raise OptionError(f"{known} has another layout: {answers} has the new answers, which you can add to it."
                          ) from error  # fmt: skip
    rows = before + _rows(answers)
    names = dict.fromkeys(name for row in rows for name in row)
    target = folder / "data" / "judges.csv"
    write_table(target, {name: [quoted(row.get(name, "")) for row in rows] for name in names})
    save_project(replace(project, files={**project.files, "judges": f"data/{target.name}"}))


def _rows(path: Path | None) -> list[dict[str, str]]:
    """The rows of a table in any form that we read."""
    from dissensus.data.sources.source import open_sheet

    if path is None or not path.is_file():
        return []
    with open_sheet(path) as sheet:
        cells = sheet.load(list(sheet.columns))
        return [{name: column[row] or "" for name, column in cells.columns.items()} for row in range(len(cells.row))]


def show_prompts(source: ItemsInput, options: Keywords, columns: "Columns", output: Output) -> None:
    """Print what would be sent for the first sample of the first item: each elicitation, and each order of a pair."""
    import json

    from dissensus.data import read_task
    from dissensus.methods.rate.options import RateOptions
    from dissensus.methods.rate.rate import planned
    from dissensus.report.numbers import visible

    task = read_task(source.task or Path())
    plan, _ = planned(source.items, task, RateOptions.asked({**options, "samples": 1}, task, seed=output.seed), columns)
    requests = [plan.request(number) for number in range(plan.per_item)]
    if output.as_json:
        print(json.dumps({"requests": [request.body for request in requests]}, indent=2, ensure_ascii=False))
        return
    for request in requests:
        order = f", order {request.order}" if request.order else ""
        output.remark(f"--- item {visible(request.item)}, {request.elicitation.replace('_', ' ')}{order} ---")
        # Exact in a file or a pipe; a terminal would do what control characters in a text tell it to.
        prompt = "\n".join(map(visible, request.prompt.split("\n"))) if sys.stdout.isatty() else request.prompt
        print(prompt, end="\n\n", flush=True)


@contextmanager
def _progress(output: Output) -> "Iterator[Progress | None]":
    """Requests done, rate, time left and tokens used, on stderr: a bar in a terminal, else a line now and then."""
    if output.quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console

        with _bar(Console(stderr=True)) as progress:
            yield progress
    else:
        yield _Lines()


@contextmanager
def _bar(console: "Console") -> "Iterator[Progress]":
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[more]}"),
        TimeRemainingColumn(),
    )  # fmt: skip
    begun = time.monotonic()
    with RichProgress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Asking", total=None, more="")

        def update(standing: "Standing") -> None:
            more = f"{_rate(standing, begun):.1f}/s {_tokens(standing)}"
            bar.update(task, completed=standing.done, total=standing.total, more=more)

        yield update


class _Lines:
    """Progress where nobody watches: a line every few seconds."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()

    def __call__(self, standing: "Standing") -> None:
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_LINES:
            return
        self._last = now
        rate = _rate(standing, self._begun)
        left = f"{(standing.total - standing.done) / rate:,.0f} s left" if rate else "time left unknown"
        line = f"{standing.done:,} of {standing.total:,} requests, {rate:.1f} a second, {left}, {_tokens(standing)}"
        print(line, file=sys.stderr, flush=True)


def _rate(standing: "Standing", begun: float) -> float:
    """Requests a second in this run; those that were answered before do not count."""
    return (standing.done - standing.cached) / max(time.monotonic() - begun, 1e-9)


def _tokens(standing: "Standing") -> str:
    return f"{standing.prompt_tokens + standing.answer_tokens:,} tokens"
