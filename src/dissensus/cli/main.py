"""The entry point and the commands, in the order in which a newcomer needs them.

Only the command that was typed is imported and gets its options; the others are there by name and what they do, since
several hundred options would take longer to make than the help takes to read. Every error that we foresee is one line
and exit status 2.
"""

import atexit
import errno
import gc
import importlib
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

import typer

from dissensus import __version__
from dissensus.cli.flags import Command, QuickCommand, QuickGroup, flag_of, spread
from dissensus.errors import DissensusError, one_line
from dissensus.options import spelled
from dissensus.sizes import CRASHES, NAMES, bound_memory, child_status, current, machine_memory, raised_by

WRONG_INPUT = 2
OUR_FAULT = 3
INTERRUPTED = 130
LIMIT = "--limit"
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Our products of matrices are small: on more threads they take no less time, and the waiting threads compute, too."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})


class Entry(NamedTuple):
    """The module of a command, and the first line of what the command says about itself."""

    module: str
    summary: str


COMMANDS = {  # by name: the function of `plan raters` is `plan_raters_command`
    "demo": Entry("show", "Try it on bundled data."),
    "decide": Entry("measure", "Which judge do I use, and how?"),
    "import": Entry("files", "Turn a tool's export into a plain file of ratings or judges."),
    "doctor": Entry("files", "Check a file: what is wrong, and which option fixes it?"),
    "describe": Entry("measure", "Do the raters agree?"),
    "raters": Entry("measure", "Who are the raters?"),
    "equivalence": Entry("measure", "How many raters is this judge worth?"),
    "judges": Entry("measure", "Which judge can stand in for people?"),
    "items": Entry("measure", "Which items are behind a number?"),
    "compare": Entry("measure", "Is judge A better than judge B?"),
    "panel": Entry("measure", "What are several judges worth together, and beside people?"),
    "route": Entry("measure", "Which items can the judge do alone, and which need people?"),
    "alt-test": Entry("measure", "Can this judge replace a rater?"),
    "prevalence": Entry("measure", "How many items are positive?"),
    "plan raters": Entry("simulate", "How many items and raters does it take to tell two judges apart?"),
    "plan labels": Entry("simulate", "One label each for many items, or several for few?"),
    "collect": Entry("rate", "Collect ratings from people."),
    "rate": Entry("rate", "Ask a model what people were asked."),
    "gate": Entry("measure", "May this judge pass?"),
    "history": Entry("measure", "Is the judge still as good?"),
    "apply": Entry("measure", "What do new answers of a judge mean in people's terms?"),
    "report": Entry("show", "Write one page with everything that the files can say."),
    "serve": Entry("show", "The same answers in a browser."),
    "simulate urn": Entry("simulate", "Raters and judges who draw labels from urns."),
    "simulate indeterminate": Entry("simulate", "Raters and judges who may find several options reasonable."),
    "simulate responses": Entry("simulate", "People, a judge A like them, and a judge B that is off."),
    "simulate labels": Entry("simulate", "People with noisy labels, a better judge and a worse one."),
    "reproduce": Entry("show", "Recompute the numbers that the papers print."),
}
GROUPS = {"plan": "How many items, raters and labels do I need?", "simulate": "Make data whose truth is known."}


def app_for(typed: Sequence[str]) -> typer.Typer:
    """The application with the options of the command that was typed."""
    words = [word for word in typed if not word.startswith("-")]
    wanted = {" ".join(words[:1]), " ".join(words[:2])}
    return _app(lambda name: name in wanted)


def whole_app() -> typer.Typer:
    """The application with the options of every command."""
    return _app(lambda _: True)


def _app(is_wanted: Callable[[str], bool]) -> typer.Typer:
    app = typer.Typer(
        name="dissensus",
        cls=QuickGroup,
        help="Measure classifiers and AI judges against people who disagree.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=False,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    groups: dict[str, typer.Typer] = {}
    for name, entry in COMMANDS.items():
        *group, last = name.split()
        place = app
        if group:
            if group[0] not in groups:
                groups[group[0]] = typer.Typer(cls=QuickGroup, help=GROUPS[group[0]], rich_markup_mode=None)
                app.add_typer(groups[group[0]], name=group[0])
            place = groups[group[0]]
        place.command(last, cls=QuickCommand)(spread(load(name)) if is_wanted(name) else _named_only(entry.summary))
    for name, group_app in groups.items():
        group_app.callback(help=GROUPS[name])(_nothing)
    return app


def load(name: str) -> Command:
    """The function of a command."""
    module = importlib.import_module(f"dissensus.cli.{COMMANDS[name].module}")
    command: Command = getattr(module, re.sub(r"\W", "_", name) + "_command")
    return command


def _named_only(summary: str) -> Command:
    """A command that is listed and not run."""

    def command() -> None: ...

    command.__doc__ = summary
    return command


def _nothing() -> None:
    """What a group of commands does before one of them."""


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    limit: Annotated[
        str,
        typer.Option("--limit", metavar="NAME=N", help=f"Raise a limit, here or after a command: {', '.join(NAMES)}."),
    ] = "",
) -> None:
    """Measure classifiers and AI judges against people who disagree."""
    del limit  # taken out before, since it may stand anywhere
    if version:
        print(f"dissensus {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    0 done, 1 a check failed, 2 the input or the usage is wrong, 3 a fault of ours, which keeps its traceback.
    """
    atexit.register(_end_quickly)
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")  # numpy looks when it is imported
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a label that the terminal cannot show is no reason to fail
    most = 0
    try:
        most = current().memory
        typed, raised = without_limits(list(sys.argv[1:] if arguments is None else arguments))
        with raised_by(raised) as limits:
            most = limits.memory
            status = _run_within(most, typed, in_child=arguments is None and most < machine_memory())
        sys.stdout.flush()
    except DissensusError as error:
        return _refuse(spelled(error.message, flag_of))
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return _refuse(_usage(error))
    except BrokenPipeError:
        _to_nowhere()  # the reader of our output has gone, as `| head` does; there is nobody left to tell
        return 1
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not look like a check that failed
        return _failed(error, most)
    return status if isinstance(status, int) else 0


def _end_quickly() -> None:
    """Spare a process that ends the search of all objects for rings, which is a sixth of a short command."""
    if "duckdb" not in sys.modules:  # its bindings complain of objects that nobody collected
        gc.freeze()


def _run_within(most: int, typed: list[str], *, in_child: bool) -> object:
    """Run a command within this many bytes; in a child, so that a crash of a library is reported."""
    ended = child_status() if in_child else None
    if ended is None:
        bound_memory(most)
        return _run(typed)
    if -ended in CRASHES:
        raise MemoryError
    return ended if ended >= 0 else 128 - ended  # as shells say that a signal ended it


def without_limits(typed: list[str]) -> tuple[list[str], list[str]]:
    """What was typed without `--limit NAME=NUMBER`, which stands anywhere, and the limits that it raises.

    >>> without_limits(["describe", "r.csv", "--limit", "columns=20000", "--json"])
    (['describe', 'r.csv', '--json'], ['columns=20000'])
    """
    kept: list[str] = []
    raised: list[str] = []
    words = iter(typed)
    for word in words:
        if word == LIMIT:
            raised.append(next(words, "?"))
        elif word.startswith(f"{LIMIT}="):
            raised.append(word.removeprefix(f"{LIMIT}="))
        else:
            kept.append(word)
    return kept, raised


def _run(typed: list[str]) -> object:
    """What a command returns."""
    if typed == ["--version"]:  # as fast as the help: reading options takes another package
        return print(f"dissensus {__version__}")
    # Commands find what was typed in the context, to say how a page can be made again.
    return app_for(typed)(args=typed, prog_name="dissensus", standalone_mode=False, obj=typed)


def _failed(error: Exception, most: int) -> int:
    """What no command foresaw: want of memory in one line, a fault of ours with its traceback."""
    if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
        return _refuse(
            f"There is not enough memory for these data: our limit for memory is {most / 2**30:.1f} GB. Take fewer "
            f"items or labels, or raise it with --limit memory={2 * most // 2**30 or 1}GB if there is that much."
        )
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        _to_nowhere()
        return _refuse(f"Cannot write: {error.strerror}. Make room, and run it again.")
    if type(error).__name__ in {"BrokenProcessPool", "KilledWorker"}:
        return _refuse("A worker process was killed, perhaps for want of memory. Try again with fewer --workers.")
    import traceback

    traceback.print_exception(error)
    return OUR_FAULT


def _to_nowhere() -> None:
    """Let what is still to be printed go, so that Python does not complain of it at its end."""
    with suppress(OSError, ValueError):  # where stdout is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str) -> int:
    print("dissensus: " + one_line(" ".join(message.split())), file=sys.stderr)
    return WRONG_INPUT


def _usage(error: typer.TyperException) -> str:
    """A usage error in one line, with the command whose help would tell more."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "dissensus"
    ended = message if message.endswith(("?", ".")) else f"{message}."
    return f"{ended} See `{path} --help`."
