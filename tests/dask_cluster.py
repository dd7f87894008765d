"""A Dask cluster of separate processes on this machine, and tasks for it; stands beside the tests that import it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from dissensus.sampling import open_executor, run_tasks
from dissensus.sampling.dask_cluster import quiet

TESTS = Path(__file__).resolve().parent
SETTINGS = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1", "OMP_NUM_THREADS": "1"}
"""A task may lose one worker, and is given up with the second."""
START_SECONDS = 60
"""A machine that is busy with other tests starts slowly."""


class Cluster:
    """A scheduler and workers of one thread each; no dashboards, and any free ports.

    Where the tests are killed, the processes end on their own after a while.
    """

    def __init__(self, folder: Path, *, workers: int = 2, tls: tuple[str, ...] = ()) -> None:
        self._tls = tls
        self._file = folder / "scheduler.json"
        self._log = (folder / "cluster.log").open("w")
        self.workers = []
        self.scheduler = self._started("scheduler", "--port", "0", "--idle-timeout", "300s")
        self.add_workers(workers)
        self._until(self._is_written)
        self.address = json.loads(self._file.read_text())["address"].removeprefix("tcp://")
        self.engine = self.address if tls else f"dask://{self.address}"

    def add_workers(self, number: int, *, path: Path | None = None) -> None:
        """Start more workers, which may find other packages first."""
        options = ("--no-nanny", "--nthreads", "1", "--memory-limit", "0", "--death-timeout", "60s")
        self.workers += [self._started("worker", *options, path=path) for _ in range(number)]

    def wait_for_workers(self) -> None:
        """Wait until the scheduler has these workers and no others: all have joined, and killed ones are gone."""
        from distributed import Client  # noqa: PLC0415 - tests of other things need no Dask

        with quiet(), Client(self.address, set_as_default=False, timeout=START_SECONDS) as client:
            own = sorted(worker.pid for worker in self.workers)
            self._until(lambda: sorted(client.run(os.getpid, on_error="ignore").values()) == own)
            self._until(lambda: len(client.nthreads()) == len(own))

    def allow_failures(self, number: int) -> None:
        """Let a task lose so many workers before it is given up."""
        from distributed import Client  # noqa: PLC0415 - as above

        def allow(dask_scheduler):
            dask_scheduler.allowed_failures = number

        with quiet(), Client(self.address, set_as_default=False, timeout=START_SECONDS) as client:
            client.run_on_scheduler(allow)

    def kill_workers(self, number: int = 1) -> None:
        """Kill -9 the oldest workers."""
        for worker in self.workers[:number]:
            worker.kill()
            worker.wait()
        self.workers = self.workers[number:]

    def mend(self) -> None:
        """Go on with two workers, whatever became of them."""
        self.allow_failures(1)
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        self.add_workers(2 - len(self.workers))
        self.wait_for_workers()

    def close(self) -> None:
        """Kill all that was started."""
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()
        self._log.close()

    def _started(self, kind: str, *options: str, path: Path | None = None) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self._file), "--host", "127.0.0.1"]
        paths = os.pathsep.join([str(TESTS)] if path is None else [str(path), str(TESTS)])
        return subprocess.Popen(
            [*command, "--no-dashboard", "--dashboard-address", "127.0.0.1:0", *options, *self._tls],
            stdout=self._log,
            stderr=self._log,
            env=os.environ | {"PYTHONPATH": paths, "DASK_TEMPORARY_DIRECTORY": str(self._file.parent)} | SETTINGS,
        )

    def _is_written(self) -> bool:
        return self._file.is_file() and self._file.read_text().rstrip().endswith("}")

    def _until(self, is_so) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_so():
            assert time.monotonic() < deadline, Path(self._log.name).read_text()
            time.sleep(0.05)


def run_on(engine, function, tasks, **options):
    """The results of tasks on an engine."""
    with open_executor(engine) as executor:
        return run_tasks(executor, function, tasks, rng=0, **options)


def draw(scale, stream):
    """A number from the task's own stream."""
    return scale * float(stream.random())


def draw_backwards(task, stream):
    """The same, but the first tasks take longest."""
    place, of = task
    time.sleep(0.02 * (of - place))
    return place, float(stream.random())


def total_and_process(task, stream):
    """The sum of a large array and a small number, and where it was computed."""
    large, small = task
    time.sleep(0.1)
    return float(large.sum()) + small + stream.random(), os.getpid()


def sleep(seconds, _stream):
    time.sleep(seconds)


def fail(task, _stream):
    raise ArithmeticError(f"task {task}")


def end_process(_task, _stream):
    """What running out of memory looks like."""
    os._exit(9)
