"""How a task tells the server how far it is."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic

from dissensus.engine import Progress
from dissensus.web.work.process import Tell

SECONDS_BETWEEN = 0.2
Step = Callable[[str], AbstractContextManager[Progress | None]]


def steps(tell: Tell) -> Step:
    """What a method is given to say what it does and how far it is; seldom enough not to slow it down."""

    @contextmanager
    def step(what: str) -> Iterator[Progress]:
        tell({"kind": "progress", "what": what, "done": 0, "total": 0})
        last = monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal last
            if monotonic() - last >= SECONDS_BETWEEN:
                last = monotonic()
                tell({"kind": "progress", "what": what, "done": done, "total": total})

        yield progress

    return step


def part(tell: Tell, name: str, html: str) -> None:
    """Hand over a piece of the page that is ready."""
    tell({"kind": "part", "name": name, "html": html})
