"""A sweep that is stopped, by Ctrl-C or by a kill, goes on where it was; what it says about the time is about right."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from dissensus.cli.inputs import Work
from dissensus.cli.main import main
from dissensus.cli.show import EVERY, FIRST, Pace, forecast
from dissensus.methods.reproduce.dont_label_twice_sweep import Grid, Record, read_record, sweep_grid

SMALL = Grid(parts=8, with_one=False)
"""16 cells of some hundredths of a second instead of the paper's 2,500 of about one second each."""
SETTING_UP = """
import importlib, sys
from dissensus.methods.reproduce.dont_label_twice_sweep import Grid
module = importlib.import_module("dissensus.methods.reproduce.reproduce")
module.GRIDS = {"full": Grid(parts=8, with_one=False)}
name = "dont-label-twice"
module.PAPERS = {name: tuple(c for c in module.PAPERS[name] if c.claim in {claims})}
from dissensus.cli.main import main
"""
CLAIMS = ("appendix A, violations", "appendix A, the same with 1,000 items")
"""Those of the sweep, which are all that the interrupted command has to compute."""
COMMAND = ["reproduce", "dont-label-twice", "--sweep", "full", "--json"]


@pytest.fixture
def small(monkeypatch):
    """In this process, a full sweep is a small one and nothing else is computed."""
    module = importlib.import_module("dissensus.methods.reproduce.reproduce")
    name = "dont-label-twice"
    monkeypatch.setattr(module, "GRIDS", {"full": SMALL, "reduced": SMALL})
    monkeypatch.setattr(module, "PAPERS", {name: tuple(c for c in module.PAPERS[name] if c.claim in CLAIMS)})


def started(record, *, pause):
    """The command as a process of its own, which takes some time for each part."""
    slow = (
        "from dissensus.methods.reproduce import dont_label_twice_sweep as sweep; import time\n"
        f"whole = sweep.sweep_cell; sweep.sweep_cell = lambda cell: (time.sleep({pause}), whole(cell))[1]\n"
    )
    call = f"sys.exit(main({[*COMMAND, '--record', str(record)]}))"
    return subprocess.Popen(
        [sys.executable, "-c", SETTING_UP.replace("{claims}", repr(CLAIMS)) + slow + call],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def stopped(process, record, *, after, by):
    """Stop the process when it has noted so many parts; its exit status, stdout and stderr."""
    deadline = time.monotonic() + 60
    while not record.exists() or len(record.read_bytes().splitlines()) <= after:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.killpg(process.pid, by)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.usefixtures("small")
def test_a_sweep_killed_and_interrupted_and_gone_on_with_prints_the_same_bytes(tmp_path, capsys):
    whole = tmp_path / "whole.jsonl"
    assert main([*COMMAND, "--record", str(whole)]) == 0
    expected = capsys.readouterr().out

    record = tmp_path / "sweep.jsonl"
    status, out, err = stopped(started(record, pause=0.2), record, after=3, by=signal.SIGKILL)
    assert (status, out) == (-signal.SIGKILL, "")
    assert err.startswith("The sweep has 16 parts; 0 of them are done, by ")
    noted = len(read_record(record))
    assert 3 <= noted < 16

    status, out, err = stopped(started(record, pause=0.2), record, after=noted + 3, by=signal.SIGINT)
    assert (status, out) == (130, "")
    first, last = err.splitlines()
    assert first.startswith(f"The sweep has 16 parts; {noted} of them are done, by {record}. The rest will take about ")
    assert last == f"Stopped. The same command goes on from {record}."
    assert noted < len(read_record(record)) < 16

    assert main([*COMMAND, "--record", str(record)]) == 0
    assert capsys.readouterr().out == expected
    assert record.read_bytes() == whole.read_bytes()
    assert json.loads(expected)["result"]["claims"][0]["ours"] == 0


@pytest.mark.usefixtures("small")
def test_a_finished_sweep_is_not_computed_again(tmp_path, capsys, monkeypatch):
    record = tmp_path / "sweep.jsonl"
    main([*COMMAND, "--record", str(record)])
    expected = capsys.readouterr().out
    monkeypatch.setattr(
        importlib.import_module("dissensus.methods.reproduce.dont_label_twice_sweep"), "sweep_cell", None
    )
    assert main([*COMMAND, "--record", str(record)]) == 0
    printed = capsys.readouterr()
    assert printed.out == expected
    assert printed.err == f"The sweep has 16 parts; 16 of them are done, by {record}.\n"


@pytest.mark.usefixtures("small")
def test_a_foreign_record_is_one_line_and_stays_as_it_is(tmp_path, capsys):
    record = tmp_path / "notes.txt"
    record.write_text("my notes")
    assert main([*COMMAND, "--record", str(record)]) == 2
    assert capsys.readouterr().err == (
        "dissensus: notes.txt is not a record of this sweep. Name another file with --record, or delete it to begin "
        "again.\n"
    )
    assert record.read_text() == "my notes"


@pytest.mark.usefixtures("small")
def test_quiet_says_nothing_about_the_time(tmp_path, capsys):
    assert main([*COMMAND, "--quiet", "--record", str(tmp_path / "sweep.jsonl")]) == 0
    assert capsys.readouterr().err == ""


def test_help_says_that_the_seed_changes_nothing(capsys):
    main(["reproduce", "--help"])
    assert "Changes nothing here: each number has a seed of its own." in capsys.readouterr().out


@pytest.mark.usefixtures("small")
def test_a_seed_changes_nothing(capsys):
    outputs = []
    for seed in ("0", "7"):
        main(["reproduce", "dont-label-twice", "--json", "--seed", seed])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


# The time


def seconds_in(text):
    """The seconds that a sentence such as `about 3 minutes to go` speaks of."""
    number, unit = text.split("about ")[1].split()[:2]
    return float(number) * {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}[unit.rstrip("s.")]


def test_the_time_foretold_is_that_of_the_parts_that_are_left(tmp_path, monkeypatch):
    # On a clock by which a part takes two minutes: 16 parts are 32 minutes, shared by two they are 16; 7 are 14.
    ticks = iter(range(0, 10_000, 120))
    monkeypatch.setattr(importlib.import_module("dissensus.cli.show"), "perf_counter", lambda: next(ticks))
    record = tmp_path / "sweep.jsonl"
    alone = forecast(SMALL, record, Work())
    assert alone.endswith(
        " 0 of them are done, by " + str(record) + ". The rest will take about 32 minutes with 1 process."
    )
    assert forecast(SMALL, record, Work(workers=2)).endswith("about 16 minutes with 2 processes.")
    assert forecast(SMALL, record, Work(engine="dask://h:1")).endswith(
        "The rest needs about 32 minutes of computing, which the workers of dask://h:1 share."
    )
    done = Record(record)
    for cell in SMALL.cells()[:9]:
        done.note(cell.name, {})
    assert forecast(SMALL, record, Work()).endswith(" 9 of them are done, by " + str(record) + ". "
                                                     "The rest will take about 14 minutes with 1 process.")  # fmt: skip


def paced(times, total):
    """What is said about work whose parts are done at these times, and when."""
    said = []
    now = [0.0]
    pace = Pace(lambda text: said.append((now[0], text)), clock=lambda: now[0])
    for done, moment in enumerate(times, start=1):
        now[0] = moment
        pace(done, total)
    return said


def test_the_time_to_go_is_right_on_a_clock_of_known_parts():
    # Imports take 50 seconds, then a part takes 2: 500 parts end at 1,050 seconds.
    said = paced([50 + 2 * part for part in range(1, 501)], 500)
    assert said[0] == (62, "6 of 500 parts done, about 16 minutes to go.")  # 494 parts of 2 seconds are 16.5 minutes
    assert all(abs(moment + seconds_in(text.split(",")[1]) - 1050) <= 30 for moment, text in said)
    assert said[0][0] - 52 >= FIRST
    assert all(EVERY <= later - earlier <= EVERY + 2 for (earlier, _), (later, _) in pairwise(said))


def test_nothing_is_said_about_short_work_nor_about_work_that_is_done():
    assert paced([1, 2, 3], 3) == []
    assert paced([1, 500], 2) == []


def test_other_work_has_a_time_of_its_own():
    said, now = [], [0.0]
    pace = Pace(said.append, clock=lambda: now[0])
    for done, total, moment in ((1, 9, 0), (2, 9, 100), (1, 5, 110), (2, 5, 115), (3, 5, 125)):
        now[0] = moment
        pace(done, total)
    # 7 parts of 100 seconds; then 2 parts, of which two took 15 seconds
    assert said == ["2 of 9 parts done, about 12 minutes to go.", "3 of 5 parts done, about 15 seconds to go."]


# Sharing the work


class Cluster(ThreadPoolExecutor):
    """Keeps what it was handed."""

    def __init__(self, workers):
        super().__init__(workers)
        self.handed = []

    def submit(self, *arguments, **options):
        self.handed.append(super().submit(*arguments, **options))
        return self.handed[-1]


def test_a_cluster_of_any_size_gets_all_parts_at_once():
    grid = Grid(parts=4)
    with Cluster(3) as cluster:
        handed = []
        found = sweep_grid(grid, engine=cluster, note=lambda *_: handed.append(len(cluster.handed)))
    assert handed == [9] * 9
    assert found == sweep_grid(grid)


def test_workers_note_the_same_parts_in_the_same_order(tmp_path):
    records = [tmp_path / f"{workers}.jsonl" for workers in (1, 2)]
    results = [sweep_grid(SMALL, note=Record(record).note, workers=i) for i, record in enumerate(records, start=1)]
    assert results[0] == results[1]
    assert records[0].read_bytes() == records[1].read_bytes()


def test_a_sweep_that_is_left_drops_what_is_not_begun():
    def stop(*_):
        raise KeyboardInterrupt

    with Cluster(1) as cluster, pytest.raises(KeyboardInterrupt):
        sweep_grid(SMALL, engine=cluster, note=stop)
    assert len(cluster.handed) == 16
    assert sum(future.cancelled() for future in cluster.handed) > 10
