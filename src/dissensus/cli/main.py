"""The entry point: every error that we foresee is one line and exit status 2."""

import io
import os
import sys
from collections.abc import Sequence

import typer

from dissensus.cli.app import app_for
from dissensus.cli.flags import flag_of
from dissensus.errors import DissensusError
from dissensus.options import spelled

WRONG_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0 done, 1 a check failed, 2 the input or the usage is wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a label that the terminal cannot show is no reason to fail
    typed = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # Commands find what was typed in the context, to say how a page can be made again.
        status = app_for(typed)(args=typed, prog_name="dissensus", standalone_mode=False, obj=typed)
    except DissensusError as error:
        return _refuse(spelled(error.message, flag_of))
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return _refuse(_usage(error))
    except BrokenPipeError:
        # The reader of our output has gone, as `| head` does; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0


def _refuse(message: str) -> int:
    print("dissensus: " + " ".join(message.split()), file=sys.stderr)
    return WRONG_INPUT


def _usage(error: typer.TyperException) -> str:
    """A usage error in one line, with the command whose help would tell more."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "dissensus"
    ended = message if message.endswith(("?", ".")) else f"{message}."
    return f"{ended} See `{path} --help`."
