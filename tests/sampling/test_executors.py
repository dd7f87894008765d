import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dissensus.errors import OptionError
from dissensus.sampling import open_executor, run_tasks, seed_of


def draw(scale, stream):
    return scale * float(stream.random())


def fail(task, _stream):
    raise ArithmeticError(f"task {task}")


def run(rng=0, **engine):
    with open_executor(**engine) as executor:
        return run_tasks(executor, draw, list(range(1, 12)), rng=rng)


def test_streams_belong_to_tasks_not_to_workers():
    here = run()
    assert here == run(workers=2)
    with ThreadPoolExecutor(3) as own:
        assert here == run(engine=own)


def test_every_task_has_a_stream_of_its_own():
    with open_executor() as executor:
        values = run_tasks(executor, draw, [1] * 50, rng=0)
    assert len(set(values)) == 50


def test_a_generator_gives_its_children_and_moves_on():
    rng = np.random.default_rng(5)
    assert run(np.random.default_rng(5)) == run(rng)
    assert run(rng) != run(np.random.default_rng(5))


def test_a_callers_executor_stays_open():
    with ThreadPoolExecutor(1) as own:
        run(engine=own)
        assert own.submit(int, 3).result() == 3


def test_an_error_in_a_task_reaches_the_caller():
    with open_executor() as executor, pytest.raises(ArithmeticError, match="task 7"):
        run_tasks(executor, fail, [7], rng=0)


def test_progress_counts_tasks():
    seen = []
    with open_executor() as executor:
        run_tasks(executor, draw, [1, 2, 3], rng=0, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_unknown_engines_are_refused():
    with pytest.raises(OptionError, match="choose local, dask://host:port or tls://host:port"), open_executor("ray"):
        pass


def test_the_seed_is_written_down_only_if_it_is_a_number():
    assert seed_of(3) == 3
    assert seed_of(np.random.default_rng(3)) is None


KILLED = """
import os, sys, time
from dissensus.sampling import open_executor
from concurrent.futures import wait

if __name__ == "__main__":
    with open_executor(workers=2) as executor:
        print(*{f.result() for f in [executor.submit(os.getpid) for _ in range(8)]}, flush=True)
        wait([executor.submit(time.sleep, 600) for _ in range(2)])
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
def test_workers_end_with_a_process_that_was_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers
    assert not any(map(is_running, workers))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
