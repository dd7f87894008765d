"""Run the web app until it is stopped.

uvicorn waits for a request for ever. Here a connection has this many seconds to send a complete one, longer if it
uploads files, and of too many that are incomplete the oldest goes, so that those who send nothing keep nobody out.
"""

import asyncio
import errno
import logging
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from dissensus.errors import DissensusError, OptionError
from dissensus.web.app import make_app
from dissensus.web.collecting import link_lines
from dissensus.web.guard import KEY, LOOPBACK, Settings

# ---- Connections that do not get to the point are dropped

UPLOAD_PATH = "/upload"


class PunctualProtocol(H11Protocol):
    """HTTP/1.1 with a deadline for each request."""

    settings: ClassVar[Settings] = Settings()
    half_open: ClassVar[dict["PunctualProtocol", asyncio.TimerHandle]] = {}
    _is_upload = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn names a narrower type
        """Start the clock."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Stop the clock when the request is complete; a new request on the same connection starts it again."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # garbled after HEAD, to which no error has a body
            self.transport.close()
        is_incomplete = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        if is_incomplete and not self.transport.is_closing():
            self._start()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """After the answer the keep-alive timer runs, not ours."""
        super().on_response_complete()
        self._stop()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:  # another request has begun
            self._start()

    def _is_uploading(self) -> bool:
        """Whether files come in that are still wanted."""
        is_body = self.conn.their_state is h11.SEND_BODY and self.cycle is not None
        return is_body and not self.cycle.response_complete and self.scope["path"] == UPLOAD_PATH

    def _start(self) -> None:
        """Set the deadline of a request that has begun; one that has begun before keeps its own."""
        is_uploading = self._is_uploading()
        if self in self.half_open:
            if not is_uploading or self._is_upload:
                return
            self._stop()
        self._is_upload = is_uploading
        seconds = self.settings.upload_seconds if is_uploading else self.settings.request_seconds
        self.half_open[self] = self.loop.call_later(seconds, self._drop)
        if len(self.half_open) > self.settings.most_half_open:
            # The oldest makes room; those who upload were let in and are sending, so they go last.
            waiting = list(self.half_open)
            next((one for one in waiting if not one._is_upload), waiting[0])._drop()  # noqa: SLF001 - one of us

    def _stop(self) -> None:
        timer = self.half_open.pop(self, None)
        if timer is not None:
            timer.cancel()
        self._is_upload = False

    def _drop(self) -> None:
        self._stop()
        self.transport.abort()


def protocol_for(settings: Settings) -> type[PunctualProtocol]:
    """The protocol with the limits of a server."""
    return type("Protocol", (PunctualProtocol,), {"settings": settings, "half_open": {}})


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
    """Serve until Ctrl-C or SIGTERM; a DissensusError if the address cannot be had, or is open without a token."""
    check_token(settings)
    listening = listen(settings)
    port = listening.getsockname()[1]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - shown, not bound
    shown = f"[{host}]" if ":" in host else host
    app = make_app(settings)
    where = f"http://{shown}:{port}/" + ("" if settings.token else f"?{KEY}={app.key}")

    def started() -> None:
        say(f"dissensus is running at {where} - press Ctrl-C to stop")
        for line in link_lines(settings, port, app.key):
            say(line)
        if opens:
            # A daemon, as some systems' openers wait until the browser is closed.
            Thread(target=webbrowser.open, args=(where,), daemon=True).start()

    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # a garbled upload is its sender's problem
    config = uvicorn.Config(
        app, http=protocol_for(settings), ws="none", lifespan="on", log_config=None, log_level="critical",
        access_log=False, server_header=False, timeout_graceful_shutdown=LINGER_SECONDS,
    )  # fmt: skip
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
        # Connections inherit it. Otherwise each answer waits 40 ms for the browser to confirm its first packet: asyncio
        # asks for this only where the protocol of the socket is named, which create_server does not.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
