import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.output import Output

if TYPE_CHECKING:
    from rich.console import Console

    from dissensus.data.task import Asking, Task
    from dissensus.methods.rate.asking import Progress, Standing
    from dissensus.methods.rate.options import Structured
    from dissensus.methods.rate.requests import Columns
    from dissensus.methods.rate.result import RateResult

SECONDS_BETWEEN_LINES = 10.0
"""Where stderr is no terminal, progress is a line now and then."""
NOT_ALL_ASKED = 1
INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class ItemsInput:
    """The items to ask about, and what was asked."""

    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Columns item, text; or item, text_a, text_b for pairs.")
    ]
    task: Annotated[Path, typer.Option(metavar="TASK.toml", help="Instructions, options, examples, how to ask.")]
    item: Annotated[str | None, typer.Option(metavar="COL", help="Name of the item column.")] = None
    text: Annotated[str | None, typer.Option(metavar="COL", help="Name of the text column.")] = None
    text_a: Annotated[str | None, typer.Option(metavar="COL", help="Name of the column of a pair's first text.")] = None
    text_b: Annotated[str | None, typer.Option(metavar="COL", help="Name of the column of its second text.")] = None

    def read_task(self) -> "Task":
        """The task."""
        from dissensus.data import read_task

        return read_task(self.task)

    def columns(self) -> "Columns":
        """What the columns are called."""
        from dissensus.methods.rate.requests import Columns

        return Columns(item=self.item, text=self.text, text_a=self.text_a, text_b=self.text_b)


@dataclass(frozen=True, kw_only=True)
class AskingOptions:
    """Whom to ask, and how."""

    model: Annotated[str, typer.Option(metavar="M", help="What the server calls the model.")]
    base_url: Annotated[
        str, typer.Option(metavar="URL", help="The server: anything that speaks the OpenAI protocol.")
    ] = "https://api.openai.com/v1"
    key_variable: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Environment variable with the key, else OPENAI_API_KEY; none for localhost."
        ),
    ] = None
    elicitation: Annotated[
        str | None,
        typer.Option(metavar="E", help="forced-choice, response-set or both; as the task says if not given."),
    ] = None
    samples: Annotated[int, typer.Option(metavar="N", help="Answers to each item, in each elicitation.")] = 10
    temperature: Annotated[float, typer.Option(metavar="T", help="How much the answers vary.")] = 1.0
    max_tokens: Annotated[int, typer.Option(metavar="N", help="How long an answer may be, thinking included.")] = 64
    logprobs: Annotated[
        bool, typer.Option("--logprobs", help="Probabilities of forced choices, from log-probabilities.")
    ] = False
    structured: Annotated[
        str, typer.Option(metavar="S", help="json-schema, letters, or auto: a schema where the server takes one.")
    ] = "auto"
    judge: Annotated[str | None, typer.Option(metavar="NAME", help="What to call the judge, if not MODEL.")] = None


@dataclass(frozen=True, kw_only=True)
class SendingOptions:
    """How fast, how patiently and at what cost."""

    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="JUDGES.csv", help="The judges file to write.")
    ] = None
    cache: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where answers are kept; JUDGES.cache.sqlite if not given.")
    ] = None
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests at a time.")] = 8
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for an answer.")] = 60.0
    retries: Annotated[int, typer.Option(metavar="N", help="Tries after the first, if a server is busy or fails.")] = 5
    max_requests: Annotated[
        int | None, typer.Option(metavar="N", help="Send no more requests than this, tries included.")
    ] = None
    max_tokens_total: Annotated[int | None, typer.Option(metavar="N", help="Use no more tokens than this.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be asked, and ask nothing.")] = False
    show: Annotated[bool, typer.Option("--show", help="Print the exact prompts for the first item.")] = False


def rate_command(
    source: ItemsInput, options: AskingOptions, sending: SendingOptions, output: Output = Output()
) -> None:
    """Ask a model what people were asked.

    Writes its answers as a judges file. Stop it at any time: the same command goes on, and asks nothing twice.
    """
    if sending.show:
        show_prompts(source, options, output)
        return
    try:
        with _progress(output) as progress:
            result = _rated(source, options, sending, output, progress)
    except KeyboardInterrupt:
        output.remark("Stopped. Every answer so far is kept: the same command goes on from here.")
        raise typer.Exit(INTERRUPTED) from None
    output.show(result)
    if result.unasked and not result.is_dry_run:
        raise typer.Exit(NOT_ALL_ASKED)


def _rated(
    source: ItemsInput,
    options: AskingOptions,
    sending: SendingOptions,
    output: Output,
    progress: "Progress | None",
) -> "RateResult":
    from dissensus.methods.rate import rate

    return rate(
        source.items,
        task=source.read_task(),
        columns=source.columns(),
        model=options.model,
        base_url=options.base_url,
        key_variable=options.key_variable,
        elicitation=cast("Asking | None", options.elicitation),
        samples=options.samples,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        logprobs=options.logprobs,
        structured=cast("Structured", options.structured),
        judge=options.judge,
        output=sending.out,
        cache=sending.cache,
        concurrency=sending.concurrency,
        timeout=sending.timeout,
        retries=sending.retries,
        max_requests=sending.max_requests,
        max_tokens_total=sending.max_tokens_total,
        dry_run=sending.dry_run,
        rng=output.seed,
        progress=progress,
    )


def show_prompts(source: ItemsInput, options: AskingOptions, output: Output) -> None:
    """Print what would be sent for the first sample of the first item: each elicitation, and each order of a pair."""
    import json

    from dissensus.methods.rate.options import Question
    from dissensus.methods.rate.rate import planned
    from dissensus.report.numbers import visible

    task = source.read_task()
    question = Question(
        model=options.model,
        base_url=options.base_url,
        asking=cast("Asking", options.elicitation or task.elicitation),
        samples=1,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        logprobs=options.logprobs,
        structured=cast("Structured", options.structured),
        seed=output.seed,
    )
    plan, _ = planned(source.items, task, question, source.columns())
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
