"""Ask a model what people were asked, and write its answers as a judges file."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from dissensus.data.labels import SEPARATOR
from dissensus.data.paths import check_csv, is_same, replaced
from dissensus.data.sources.csv_rows import guarded
from dissensus.data.task import AskedAs, Task
from dissensus.errors import DissensusError, FileError, OptionError, counted
from dissensus.methods.rate.answers import Verdict, verdict_on
from dissensus.methods.rate.asking import Progress, Standing, Stop, first_plan, run, tokens_at_most
from dissensus.methods.rate.cache import Cache
from dissensus.methods.rate.client import Reply
from dissensus.methods.rate.options import OPENAI, Endpoint, RateOptions, Structured, endpoint_of
from dissensus.methods.rate.requests import Columns, Items, Plan, Request, check_options, examples_for, read_items
from dissensus.methods.rate.result import Counts, RateResult, Spending
from dissensus.options import named
from dissensus.results import Message

if TYPE_CHECKING:
    from dissensus.methods.rate.requests import Source

OUTPUT = named("output", of="rate")
ROOM = 1 << 20  # bytes that must fit on the disk before anything is asked


def rate(
    items: "Source",
    *,
    task: Task,
    model: str,
    output: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    judge: str | None = None,
    base_url: str = OPENAI,
    key_variable: str | None = None,
    elicitation: AskedAs | None = None,
    samples: int = 10,
    temperature: float = 1.0,
    max_tokens: int = 64,
    logprobs: bool = False,
    structured: Structured = "auto",
    concurrency: int = 8,
    timeout: float = 60.0,
    retries: int = 5,
    max_requests: int | None = None,
    max_tokens_total: int | None = None,
    columns: Columns | None = None,
    dry_run: bool = False,
    rng: int = 0,
    progress: Progress | None = None,
) -> RateResult:
    """Ask a model what people were asked, and write its answers as a judges file.

    Every answer is saved before it is counted. The same call goes on where an earlier one stopped, and asks nothing
    that is answered already; requests that failed are asked again.

    Parameters
    ----------
    items : path or frame
        Columns `item, text`, or `item, text_a, text_b` for a pairwise task.
    task : Task
        Instructions, options, examples and how to ask.
    model : str
        What the server calls the model.
    output : path, optional
        The judges file, CSV; needed unless it is a dry run.
    cache : path, optional
        Where answers are kept, an SQLite file; beside the output if not given.
    judge : str, optional
        What the judges file calls the model; its own name if not given.
    base_url : str
        The server: anything that speaks the OpenAI protocol.
    key_variable : str, optional
        The environment variable with the key; OPENAI_API_KEY if not given. A server on this machine needs none.
    elicitation : {"forced-choice", "response-set", "both"}, optional
        How to ask; as the task says if not given.
    samples : int
        Answers to each item, each with the options in another order; for pairs in each of the two orders.
    temperature : float
        How much answers vary.
    max_tokens : int
        How long an answer may be.
    logprobs : bool
        Ask for log-probabilities, and write the probability of each option with each forced choice.
    structured : {"auto", "json-schema", "letters"}
        Hold the model to a JSON schema, ask for letters, or the first that works.
    concurrency, timeout, retries
        Requests at a time, seconds for each, and tries after the first where a server is busy or fails.
    max_requests, max_tokens_total : int, optional
        What this call may spend, tries included.
    columns : Columns, optional
        What the columns of the items are called.
    dry_run : bool
        Count what would be asked, and ask nothing.
    rng : int
        Seed of the order of options.
    progress : callable, optional
        Called with a Standing after each request.

    Returns
    -------
    RateResult

    Raises
    ------
    DissensusError
        If the items or the task cannot be read, the extra `llm` is not installed, or the server cannot be asked at all.

    See Also
    --------
    read_judges : Judges' answers from a file or a frame.
    read_task : What people were asked.
    decide : Which judge to use, and how.

    Examples
    --------
    >>> from dissensus import read_task
    >>> result = rate("items.csv", task=read_task("task.toml"), model="gpt-4.1-mini")  # doctest: +SKIP
    """
    options = RateOptions.asked(locals(), task, seed=rng)
    target, store = _files(items, output, cache, dry_run=dry_run)
    plan, read = planned(items, task, options, columns)
    if dry_run:
        return _counted(plan, read, store, judge=judge or model)
    endpoint = endpoint_of(options.base_url, key_variable=key_variable)
    check_writable(target)
    answers = Cache(store)
    try:
        plan = first_plan(plan, answers.learned(options.base_url, model))
        plan, standing, stop = run(plan, endpoint, answers, progress=progress)
        if stop is not None and stop.is_fatal:
            raise DissensusError(f"{plan.options.model} at {plan.options.base_url} cannot be asked: {stop.reason}")
        return _written(plan, read, answers, target, standing=standing, stop=stop, judge=judge or model, to=endpoint)
    finally:
        answers.close()


def planned(items: "Source", task: Task, options: RateOptions, columns: Columns | None = None) -> tuple[Plan, Items]:
    """Every request, in the form that is asked for first, and the items that they are about."""
    check_options(task)
    read = read_items(items, kind=task.kind, columns=columns)
    return first_plan(Plan(items=read.items, task=task, options=options, as_json=True), {}), read


def _files(
    items: "Source", output: str | os.PathLike[str] | None, cache: str | os.PathLike[str] | None, *, dry_run: bool
) -> tuple[Path, Path]:
    """The judges file, and the cache beside it; neither may be the items, nor the other."""
    if output is None and not dry_run:
        raise OptionError(f"There is no file to write: name one with {OUTPUT} JUDGES.csv.")
    target = Path("judges.csv" if output is None else output)
    check_csv(target)
    store = target.with_name(f"{target.stem}.cache.sqlite") if cache is None else Path(cache)
    if output is not None:
        check_names(target, store, source=items if isinstance(items, str | os.PathLike) else None)
    return target, store


def outcomes(plan: Plan, cache: Cache) -> Iterator[tuple[Request, Reply | None, Verdict]]:
    """What came of each request that was made, in the order of the plan."""
    for number in range(len(plan)):
        request = plan.request(number)
        reply, failure = cache.find(request.key)
        if reply is not None:
            yield request, reply, verdict_on(reply, request, plan.task)
        elif failure is not None:
            yield request, None, Verdict(status="failed", reason=failure)


def _written(
    plan: Plan, items: Items, cache: Cache, target: Path, *, standing: Standing, stop: Stop | None, judge: str,
    to: Endpoint,
) -> RateResult:  # fmt: skip
    """Write the judges file, and say what is in it."""
    counts = Counts()
    with replaced(target) as stream:
        file = JudgesFile(stream, plan, judge)
        for request, reply, verdict in outcomes(plan, cache):
            file.add(request, verdict)
            counts.add(request, verdict, reply)
    spending = Spending(
        cached=standing.cached, asked=standing.answered + standing.failed, sent=standing.sent,
        prompt_tokens=standing.prompt_tokens, answer_tokens=standing.answer_tokens, all_tokens=counts.tokens,
    )  # fmt: skip
    warnings = (*_before(plan, to), *_after(plan, counts, stop))
    return _result(plan, items, counts, spending, judge=judge, stop=stop, output=str(target), warnings=warnings)


def _counted(plan: Plan, items: Items, store: Path, *, judge: str) -> RateResult:
    """What would be asked, without asking it; answers that are there already are counted as such."""
    counts = Counts()
    cached, most = 0, 0
    cache = Cache(store) if store.exists() else None
    try:
        if cache is not None:
            plan = first_plan(plan, cache.learned(plan.options.base_url, plan.options.model))
            for request, reply, verdict in outcomes(plan, cache):
                counts.add(request, verdict, reply)
        for request in map(plan.request, range(len(plan))):
            is_known = cache is not None and cache.has_answer(request.key)
            cached += is_known
            most += 0 if is_known else tokens_at_most(request, plan.options.max_tokens)
    finally:
        if cache is not None:
            cache.close()
    spending = Spending(cached=cached, all_tokens=counts.tokens, most_tokens=most)
    warnings = (*_before(plan, None), *_limited(plan.options, requests=len(plan) - cached, tokens=most))
    return _result(plan, items, counts, spending, judge=judge, warnings=warnings)


def _limited(options: RateOptions, *, requests: int, tokens: int) -> list[str]:
    """Which limits would end the run early."""
    warnings = []
    if options.max_requests is not None and requests > options.max_requests:
        warnings.append(
            f"The run would stop after {counted(options.max_requests, 'request')}, at {named('max_requests')}."
        )
    if options.max_tokens_total is not None and tokens > options.max_tokens_total:
        warnings.append(f"The run may stop before all is asked, at {named('max_tokens_total')}.")
    return warnings


def _result(
    plan: Plan, items: Items, counts: Counts, spending: Spending, *, judge: str, warnings: tuple[str, ...],
    stop: Stop | None = None, output: str | None = None,
) -> RateResult:  # fmt: skip
    return RateResult(
        settings={**plan.options.settings(), "task": plan.task.name, "options": list(plan.task.options)},
        data={"items": items.describe_data()}, warnings=warnings, judge=judge, dry_run=output is None,
        form="json-schema" if plan.as_json else "letters", requests=len(plan), tallies=counts.tallies(plan),
        labels=counts.label_counts(plan), places=counts.place_counts(plan), troubled=tuple(counts.troubled),
        spending=spending, stopped=None if stop is None else Message(stop.reason), output=output,
    )  # fmt: skip


def _before(plan: Plan, to: Endpoint | None) -> tuple[str, ...]:
    """What is odd about the options."""
    options, task, warnings = plan.options, plan.task, []
    if options.temperature == 0 and options.samples > 1:
        warnings.append(
            "At temperature 0 samples differ by the order of the options only: they are not independent draws."
        )
    left_out = len(task.examples) - len(examples_for(task, "forced_choice"))
    if left_out and "forced_choice" in options.elicitations:
        warnings.append(f"Forced choices are asked without {counted(left_out, 'example')} of several options.")
    if to is not None and to.key and to.url.startswith("http:") and not to.is_loopback:
        warnings.append("The key was sent without encryption: give an address with https if the server has one.")
    return tuple(warnings)


def _after(plan: Plan, counts: Counts, stop: Stop | None) -> tuple[str, ...]:
    """What is odd about the answers."""
    warnings = []
    if plan.options.structured == "auto" and not plan.as_json:
        warnings.append("The server takes no JSON schema: letters were asked for.")
    failed = sum(counts.statuses[elicitation, "failed"] for elicitation in plan.options.elicitations)
    if failed:
        warnings.append(f"{counted(failed, 'request')} failed. The same command asks them again, and only them.")
    if stop is not None:
        warnings.append(f"Not everything was asked: {stop.reason}. The same command goes on where this one stopped.")
    if plan.options.logprobs and counts.without_probabilities:
        without = counted(counts.without_probabilities, "forced choice")
        warnings.append(f"The server sent no log-probabilities with {without}: they have a label only.")
    if not counts.labels:
        warnings.append("Not one answer is among the options: other commands cannot read the file.")
    return tuple(warnings)


# ---- The judges file: one row for each request that was made


class JudgesFile:
    """Writes a CSV file that `read_judges` reads; it takes the place of an older one only when it is complete.

    Columns: item, judge, sample, elicitation, order (pairs only), label, p_<option> (with log-probabilities), status,
    reason, shown (the options in the order in which they were shown) and raw (what the server said, as a JSON string).
    """

    def __init__(self, stream: TextIO, plan: Plan, judge: str) -> None:
        self._stream, self._judge = stream, judge
        self._is_paired = plan.task.kind == "pairwise"
        self._options = plan.task.options if plan.options.logprobs else ()
        self._write(
            "item", "judge", "sample", "elicitation", *(["order"] if self._is_paired else []), "label",
            *(f"p_{option}" for option in self._options), "status", "reason", "shown", "raw",
        )  # fmt: skip

    def add(self, request: Request, verdict: Verdict) -> None:
        """Write what came of a request."""
        probabilities = [verdict.probabilities.get(option) for option in self._options]
        # As JSON what the server said stays on one line, and no spreadsheet takes it for a formula.
        raw = json.dumps(verdict.raw, ensure_ascii=False) if verdict.raw else ""
        self._write(
            request.item, self._judge, str(request.sample), request.elicitation,
            *([request.order] if self._is_paired else []), verdict.label,
            *("" if value is None else repr(value) for value in probabilities), verdict.status, verdict.reason,
            SEPARATOR.join(option.name for option in request.shown), raw,
        )  # fmt: skip

    def _write(self, *cells: str) -> None:
        self._stream.write(",".join(map(_quoted, cells)) + "\n")


def _quoted(cell: str) -> str:
    cell = guarded(cell)
    needs_quotes = set(cell) & set('",\r\n') or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


def check_names(output: Path, cache: Path, *, source: str | os.PathLike[str] | None) -> None:
    """An error if one file would take the place of another, or is none."""
    if source is not None and is_same(output, Path(source)):
        raise OptionError(f"{OUTPUT} {output} is the file of the items, which would be lost: name another file.")
    if is_same(output, cache):
        raise OptionError(f"{OUTPUT} {output} is the cache as well, which would be lost: name another file.")
    if output.exists() and not output.is_file():
        raise OptionError(f"{OUTPUT} {output} is a device or a pipe, which is not read again: name a file.")


def check_writable(path: Path) -> None:
    """An error now if the file cannot be written later: its folder, or a disk without room."""
    with _explained(path):
        if path.is_dir():
            raise FileError(f"{path} is a folder: name a file in it, such as judges.csv.")
        with tempfile.TemporaryFile(prefix=f".{path.name}.", dir=path.parent) as stream:
            stream.write(bytes(ROOM))
            stream.flush()
            os.fsync(stream.fileno())


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}. Name another file with {OUTPUT}.") from error
