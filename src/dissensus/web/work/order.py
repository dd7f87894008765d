from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from dissensus.web.uploads import Uploads
from dissensus.web.work.job import Job, Key


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
