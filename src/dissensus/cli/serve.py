import sys
from typing import Annotated

import typer

from dissensus.errors import MissingExtraError


def serve_command(
    port: Annotated[int, typer.Option(metavar="N", help="Where to listen; 0 takes a free port.")] = 8000,
    host: Annotated[
        str, typer.Option(metavar="H", help="Address to listen at; other machines reach it only if you name one.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            metavar="T",
            envvar="DISSENSUS_TOKEN",
            show_envvar=False,
            help="What visitors must know; demanded with --host. Better set as DISSENSUS_TOKEN.",
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not say where it is.")] = False,
) -> None:
    """The same answers in a browser.

    Drop files and read the report as it grows, plan with sliders, compare judges. Everything stays on this machine.
    End it with Ctrl-C.
    """
    try:
        from dissensus.web.server import serve
    except ImportError as error:
        raise MissingExtraError("`dissensus serve`", install="dissensus[web]") from error
    from dissensus.web.guard import Settings

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    serve(Settings(host=host, port=port, token=token or None), opens=not no_open, say=say)
