import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Literal

from dissensus.web.work.process import Message

Status = Literal["waiting", "running", "done", "failed", "cancelled"]
Key = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Job:
    """Work that was asked for, and how far it is.

    Attributes
    ----------
    key : tuple of str
        What was asked: the same question is not computed twice.
    task, arguments
        What a worker gets.
    id : str
        Unguessable.
    status : str
        waiting, running, done, failed or cancelled.
    what, done, total
        What is computed now, and how far that is.
    parts : dict of str to str
        HTML of the sections that are ready, by name.
    result : mapping
        What the task returned, once it is done.
    error : str
        Why it failed, in a sentence.
    ended : float, optional
        When, on the monotonic clock.
    """

    key: Key
    task: str
    arguments: Mapping[str, object]
    id: str = field(default_factory=lambda: token_urlsafe(18))
    status: Status = "waiting"
    what: str = "Waiting for its turn"
    done: int = 0
    total: int = 0
    parts: dict[str, str] = field(default_factory=dict)
    result: Mapping[str, object] = field(default_factory=dict)
    error: str = ""
    ended: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.status in {"done", "failed", "cancelled"}

    def take(self, message: Message) -> None:
        """Note what the worker told."""
        if message["kind"] == "part":
            self.parts[str(message["name"])] = str(message["html"])
        elif message["kind"] == "progress":
            self.what = str(message["what"])
            self.done, self.total = int(str(message["done"])), int(str(message["total"]))

    def end(self, status: Status, *, error: str = "", result: Mapping[str, object] | None = None) -> None:
        """Note that it is over."""
        self.status, self.error, self.result, self.ended = status, error, result or {}, time.monotonic()
