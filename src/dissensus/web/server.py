"""Run the web app until it is told to end."""

import errno
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType

import uvicorn

from dissensus.errors import DissensusError, OptionError
from dissensus.web.app import make_app
from dissensus.web.connections import protocol_for
from dissensus.web.settings import LOOPBACK, Settings

SHORTEST_TOKEN = 12
LINGER_SECONDS = 1


class Server(uvicorn.Server):
    """uvicorn, which ends at the first signal and then returns instead of ending the process."""

    def __init__(self, config: uvicorn.Config, *, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on Ctrl-C and SIGTERM; what there was before stands again afterwards."""

        def end(number: int, frame: FrameType | None) -> None:
            del number, frame
            self.should_exit = True

        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(settings: Settings, *, opens: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Parameters
    ----------
    settings : Settings
        Where, and what is allowed.
    opens : bool
        Whether to open a browser.
    say : callable
        Told the address.

    Raises
    ------
    DissensusError
        If the address cannot be had, or is open to others without a token.
    """
    check_token(settings)
    listening = listen(settings)
    port = listening.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - shown, not bound
    where = f"http://{shown}:{port}/"

    def started() -> None:
        say(f"dissensus serves at {where} - end it with Ctrl-C")
        if opens:
            # A daemon, as some systems' openers wait until the browser is closed.
            Thread(target=webbrowser.open, args=(where,), daemon=True).start()

    config = uvicorn.Config(
        make_app(settings),
        http=protocol_for(settings),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LINGER_SECONDS,
    )
    with listening:
        Server(config, on_started=started).run(sockets=[listening])


def check_token(settings: Settings) -> None:
    """Raise where others could come in without a token, or with one that is easy to guess."""
    if settings.host not in LOOPBACK and settings.token is None:
        raise OptionError(
            f"--host {settings.host} lets other machines in: choose a token they must know, with --token or in the "
            "environment variable DISSENSUS_TOKEN."
        )
    if settings.token is not None and len(settings.token) < SHORTEST_TOKEN:
        raise OptionError(f"--token is too easy to guess: give at least {SHORTEST_TOKEN} characters.")


def listen(settings: Settings) -> socket.socket:
    """A socket at the address; port 0 takes any that is free."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        found = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise DissensusError(f"Something else is at {where}: choose another port with --port.") from error
        raise DissensusError(
            f"Cannot listen at {where}: {error.strerror or error}. Check --host and --port."
        ) from error
    except OverflowError as error:
        raise OptionError(f"--port cannot be {settings.port}: choose one from 1 to 65535, or 0 for any.") from error
    return found
