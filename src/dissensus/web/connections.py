"""Connections that do not get to the point are dropped.

uvicorn waits for a request for ever. Here a connection has so many seconds to send a complete one, longer if it
uploads files, and of too many that are incomplete the oldest goes, so that those who send nothing keep nobody out.
"""

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dissensus.web.settings import Settings

UPLOAD_PATH = "/data"


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
        super().data_received(data)
        if self.transport.is_closing():
            self._stop()
        elif self._is_incomplete():
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
        if self._has_begun_another():
            self._start()

    def _is_incomplete(self) -> bool:
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def _has_begun_another(self) -> bool:
        return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

    def _seconds(self) -> float:
        return self.settings.upload_seconds if self._is_uploading() else self.settings.request_seconds

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
        self.half_open[self] = self.loop.call_later(self._seconds(), self._drop)
        if len(self.half_open) > self.settings.most_half_open:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Make room; those who upload were let in and are sending, so they go last."""
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
