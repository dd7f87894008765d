from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dissensus.engine import open_executor, run_tasks, seed_of
from dissensus.errors import OptionError


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
    with pytest.raises(OptionError, match="choose local or dask://host:port"), open_executor("ray"):
        pass


def test_the_seed_is_written_down_only_if_it_is_a_number():
    assert seed_of(3) == 3
    assert seed_of(np.random.default_rng(3)) is None
