import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Literal
from urllib.parse import parse_qsl

from dissensus.web.uploads import Uploads
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Long work that a page asks for.

    Attributes
    ----------
    task, arguments
        What a worker gets.
    data : str
        Id of the data set; empty if there is none.
    state : str
        What was chosen on the page, as in its address.
    """

    task: str
    arguments: Mapping[str, object]
    data: str
    state: str

    @property
    def key(self) -> Key:
        """The same for the same question."""
        return self.task, self.data, self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A kind of long work.

    Attributes
    ----------
    path : str
        The page that shows it.
    part_names : tuple of str
        Pieces that come before the end, in reading order.
    order : callable
        What a page's address asks for.
    show : callable
        HTML of the answer, once the job is done.
    """

    path: str
    part_names: tuple[str, ...]
    order: Callable[[Uploads, Mapping[str, str]], Order]
    show: Callable[[Job], str]

    def page_address(self, key: Key) -> str:
        """The page that shows the answer to a question."""
        return f"{self.path}?{key[2]}"


def start_address(key: Key) -> str:
    """Where to ask for the work that answers a question."""
    task, _, state = key
    return f"/start/{task}?{state}"


def state_of(job: Job) -> dict[str, str]:
    """What was chosen on the page that asked for a job."""
    return dict(parse_qsl(job.key[2]))
