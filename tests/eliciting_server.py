"""A server that speaks the OpenAI protocol and says what a test tells it to: in this process, or as a script."""

import asyncio
import json
import re
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Says:
    """What to say to one request.

    A `text` becomes a chat completion; `body` is sent as it is; `drops` closes the connection instead of answering;
    `hangs` never answers, `drips` has the seconds between one byte of the answer and the next.
    """

    text: str = "A"
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str | None = None
    logprobs: object = None
    usage: object = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 1})
    delay: float = 0.0
    drops: bool = False
    hangs: bool = False
    drips: float = 0.0

    def payload(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "finish_reason": self.finish, "message": message, "logprobs": self.logprobs}
        whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return json.dumps(whole | ({"usage": self.usage} if self.usage else {})).encode()


@dataclass(frozen=True)
class Asked:
    """A request that the server got."""

    body: dict
    headers: dict[str, str]

    @property
    def prompt(self) -> str:
        return self.body["messages"][0]["content"]

    @property
    def text(self) -> str:
        """What stands inside the first fence."""
        return re.search(r"<(\w+) (\w+)>\n(.*?)\n</\1 \2>", self.prompt, re.DOTALL)[3]

    def mark_of(self, option: str) -> str:
        """The letter of an option."""
        return re.search(rf"^([A-Z])\. {re.escape(option)}(:|$)", self.prompt, re.MULTILINE)[1]


Script = Callable[[Asked, int], Says]
"""From a request and its number to what the server says."""


class ScriptedServer:
    """Answers by its script on a free port of this machine; `asked` has every request, `answered` those it answered."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._lock = threading.Lock()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task] = set()
        self.asked: list[Asked] = []
        self.answered: list[Asked] = []
        self.most_at_once = 0
        self._at_once = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def stop(self) -> None:
        """Die: close every connection and listen no more."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = {k.lower(): v for k, v in re.findall(r"^([\w-]+): *(.*?)\r$", head, re.MULTILINE)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(json.loads(body or b"{}"), headers)
        with self._lock:
            number = len(self.asked)
            self.asked.append(asked)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._say(self._script(asked, number), asked, writer)
        finally:
            self._at_once -= 1

    async def _say(self, says: Says, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        if says.delay:
            await asyncio.sleep(says.delay)
        if says.hangs:
            await asyncio.sleep(3600)
        if says.drops:
            return False
        payload = says.payload()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(payload)), **says.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with self._lock:
            self.answered.append(asked)
        writer.write(f"HTTP/1.1 {says.status} Scripted\r\n{lines}\r\n".encode() + (b"" if says.drips else payload))
        for byte in payload if says.drips else b"":
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(says.drips)
        await writer.drain()
        return True


def error(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Says:
    """An error as servers send it."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": code}}).encode()
    return Says(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def main(delay: float) -> None:
    """Answer A after a delay, for as long as stdin is open."""
    with ScriptedServer(lambda _asked, _number: Says(delay=delay)) as server:
        print(server.url, flush=True)  # noqa: T201 - how a benchmark finds it
        sys.stdin.read()


if __name__ == "__main__":
    main(float(sys.argv[1]))
