"""An executor for every engine: this process, a pool of processes, a Dask cluster, or the caller's own."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np
from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.options import named

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Engine = str | Executor
P = ParamSpec("P")
T = TypeVar("T")

DASK = "dask://"
CLUSTERS = (DASK, "tls://")


class HereExecutor(Executor):
    """Runs each task in this process: a submitted one at once, mapped ones when their result is asked for.

    So whoever waits hears of each mapped task as it is done, not of all at the end.
    """

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[object], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[T]:
        """Results in the order of the tasks."""
        del timeout, chunksize  # nothing runs elsewhere
        return (fn(*arguments) for arguments in zip(*iterables, strict=False))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the task and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - a future carries any error to whoever asks for its result
            future.set_exception(error)
        return future


@contextmanager
def open_executor(engine: Engine = "local", *, workers: int = 1) -> Iterator[Executor]:
    """An executor for the block.

    `engine`: `local`, `dask://host:port`, `tls://host:port`, or an executor, which is used as it is and left open.
    `workers`: processes of the local engine; 1 works in this process.
    """
    if isinstance(engine, Executor):
        yield engine
    elif engine == "local":
        if workers < 1:
            raise OptionError(f"{named('workers')} cannot be {workers}: at least one process must work.")
        with HereExecutor() if workers == 1 else _pool(workers) as executor:
            yield executor
    elif engine.startswith(CLUSTERS):
        from dissensus.sampling.dask_cluster import open_cluster  # noqa: PLC0415 - an optional dependency

        with open_cluster(engine.removeprefix(DASK)) as executor:
            yield executor
    else:
        raise OptionError(f"{named('engine')} cannot be {engine!r}: choose local, dask://host:port or tls://host:port.")


@contextmanager
def _pool(workers: int) -> Iterator["ProcessPoolExecutor"]:
    import multiprocessing  # noqa: PLC0415 - for several processes only
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as above

    # Forking a process that runs threads (duckdb, BLAS) can hang the child, so each worker starts afresh.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=follow_the_parent)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C, also a double one, nothing more is begun
        raise
    pool.shutdown()


def follow_the_parent() -> None:
    """In a worker: leave Ctrl-C to the parent, and end with it, also where it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process  # noqa: PLC0415 - in a worker only

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


Task = TypeVar("Task")
Progress = Callable[[int, int], None]  # told how many tasks are done, and of how many


def run_tasks(
    executor: Executor, function: Callable[[Task, Generator], T], tasks: Sequence[Task], *,
    rng: int | Generator | None = None, streams: Sequence[Generator] | None = None, progress: Progress | None = None,
) -> list[T]:  # fmt: skip
    """Results of `function(task, stream)` for each task, in the order of the tasks.

    The streams belong to the tasks, not to the workers: one worker or ten, the same numbers come out. They come from
    `rng` unless each task has its own.

    >>> from dissensus.sampling.executors import HereExecutor
    >>> run_tasks(HereExecutor(), lambda scale, stream: int(scale * stream.integers(10)), [1, 1], rng=0)
    [8, 6]
    """
    own = np.random.default_rng(rng).spawn(len(tasks)) if streams is None else streams
    results = []
    for done, result in enumerate(executor.map(function, tasks, own), start=1):
        results.append(result)
        if progress is not None:
            progress(done, len(tasks))
    return results


def seed_of(rng: int | Generator | None) -> int | None:
    """The seed to write down: a number if one was given."""
    return rng if isinstance(rng, int) else None
