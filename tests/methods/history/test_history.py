"""The history of runs: what is kept, that nothing is lost, and what is said about it."""

import json
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dissensus import decide, history, read, read_judges
from dissensus.cli.main import main
from dissensus.data import history as store
from dissensus.data.history import NewRun, RunJudge, last_passed, read_history, record
from dissensus.errors import FileError, OptionError
from dissensus.methods.history.evidence import runs_of

AT = "2026-01-02 03:04:05"


def made_run(seed=0, n=40, *, drop=0.0, labels=("no", "yes"), verdict=None, value=None):
    rng = np.random.default_rng(seed)
    counts = np.random.default_rng(1).multinomial(4, [0.5, 0.5], size=n)
    outputs = rng.dirichlet([1, 1], n)
    bits = np.random.default_rng(2).gamma(1, 0.3, n) + 0.05 * rng.normal(size=n) - drop
    judge = RunJudge(
        judge="j", worth=1.5, worth_low=1.0, worth_high=float("nan"), worth_verdict="within", bits=float(bits.mean()),
        bits_low=0.0, bits_high=1.0,
    )  # fmt: skip
    return NewRun(
        version="1", command="decide", question=None, by=None if value is None else "month", value=value,
        data={"ratings": {"file": "r.csv", "sha256": "aa", "raters": 5}}, settings={"seed": 0}, verdict=verdict,
        result={"x": float("nan")}, labels=labels, items=tuple(f"i{i}" for i in range(n)), counts=counts,
        judges=(judge,), outputs={"j": outputs}, bits={"j": bits},
    )  # fmt: skip


def test_what_is_kept_is_read_back(tmp_path):
    path = tmp_path / "h.duckdb"
    run = made_run(verdict="pass")
    assert record(path, [run], recorded_at=AT) == 1
    assert record(path, [made_run(1), made_run(2)], recorded_at=AT) == 2
    kept = read_history(path)
    assert [one.run for one in kept.runs] == [1, 2, 3]
    assert kept.runs[0].recorded_at == AT
    assert kept.runs[0].judges[0].worth == 1.5
    assert np.isnan(kept.runs[0].judges[0].worth_high)
    number, key, bits = kept.scores["j"]
    assert len(key) == 120
    assert np.allclose(np.sort(bits[number == 1]), np.sort(run.bits["j"]))
    answers, name = last_passed(path, "j")
    assert name == "run 1 of 2026-01-02"
    order = [run.items.index(item) for item in answers.items]
    assert np.allclose(answers.probability, run.outputs["j"][order])


def test_plain_duckdb_reads_it(tmp_path):
    path = tmp_path / "h.duckdb"
    record(path, [made_run()], recorded_at=AT)
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute("SELECT judge, round(worth, 1) FROM judges").fetchall() == [("j", 1.5)]
        assert json.loads(plain.execute("SELECT result FROM runs").fetchone()[0]) == {"x": None}


def _record_some(path, seed):
    for i in range(5):
        record(Path(path), [made_run(100 * seed + i)], recorded_at=AT)


def test_two_processes_record_at_once_and_nothing_is_lost(tmp_path):
    path = tmp_path / "h.duckdb"
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=_record_some, args=(str(path), seed)) for seed in (1, 2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert [run.run for run in read_history(path).runs] == list(range(1, 11))


KILLED = """
import sys, pathlib
sys.path.insert(0, {here!r})
from tests.methods.history.test_history import made_run
from dissensus.data.history import record
for i in range(10_000):
    record(pathlib.Path({path!r}), [made_run(i, n=300)], recorded_at={at!r})
    print(i, flush=True)
"""


def test_kill_9_loses_no_run_that_was_recorded(tmp_path):
    path, here = tmp_path / "h.duckdb", str(Path(__file__).parents[3])
    told = 0
    for wait in (0.05, 0.13):
        code = KILLED.format(here=here, path=str(path), at=AT)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            for _ in range(3):
                process.stdout.readline()
            time.sleep(wait)
            os.kill(process.pid, signal.SIGKILL)
            told += 3 + len(process.stdout.read().split())
    kept = read_history(path)
    assert told <= len(kept.runs) <= told + 2  # a run may be there that nobody was told of any more
    numbers, counts = np.unique(kept.scores["j"][0], return_counts=True)
    assert set(counts.tolist()) == {300}  # and each is whole
    assert len(numbers) == len(kept.runs)
    assert record(path, [made_run()], recorded_at=AT) == len(kept.runs) + 1


KILLED_AT_FIRST = """
import os, pathlib, signal, sys
sys.path.insert(0, {here!r})
from tests.methods.history.test_history import made_run
from dissensus.data import history
history._prepare = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
history.record(pathlib.Path({path!r}), [made_run()], recorded_at={at!r})
"""


def test_a_kill_while_the_file_is_made_leaves_no_half_of_it(tmp_path):
    path, here = tmp_path / "h.duckdb", str(Path(__file__).parents[3])
    code = KILLED_AT_FIRST.format(here=here, path=str(path), at=AT)
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    assert record(path, [made_run()], recorded_at=AT) == 1
    assert not path.with_name("h.duckdb.wal").exists()


def test_a_history_is_made_where_files_have_no_links(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "h.duckdb"
    assert [record(path, [made_run()], recorded_at=AT) for _ in range(2)] == [1, 2]
    assert [one.name for one in tmp_path.iterdir()] == ["h.duckdb"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(store.tempfile, "TemporaryDirectory", read_only)
    with pytest.raises(FileError, match=r"h\.duckdb cannot be made: Read-only file system\. Name another place"):
        record(tmp_path / "h.duckdb", [made_run()], recorded_at=AT)


FULL = """
import sys, pathlib, resource
sys.path.insert(0, {here!r})
from tests.methods.history.test_history import made_run
from dissensus.data.history import record
from dissensus.errors import FileError
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
try:
    record(pathlib.Path({path!r}), [made_run(5, n=200_000)], recorded_at={at!r})
except FileError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on the size of files")
def test_a_full_disk_keeps_what_was_there_and_says_so(tmp_path):
    path, here = tmp_path / "h.duckdb", str(Path(__file__).parents[3])
    record(path, [made_run()], recorded_at=AT)
    code = FULL.format(here=here, path=str(path), at=AT, size=path.stat().st_size + 100_000)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "the run was not recorded, and earlier ones are kept" in done.stdout, done.stderr
    assert [run.run for run in read_history(path).runs] == [1]
    assert record(path, [made_run()], recorded_at=AT) == 2


def test_an_older_history_is_brought_up_to_date_without_loss(tmp_path, monkeypatch):
    path = tmp_path / "h.duckdb"
    record(path, [made_run(verdict="pass")], recorded_at=AT)
    before = read_history(path)
    monkeypatch.setattr(store, "VERSION", 2)
    monkeypatch.setattr(store, "MIGRATIONS", {1: ("ALTER TABLE runs ADD COLUMN note VARCHAR",)})
    after = read_history(path)
    assert repr(after.runs) == repr(before.runs)  # NaN is not equal to itself
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute("SELECT max(version) FROM about").fetchone() == (2,)
        assert plain.execute("SELECT note FROM runs").fetchall() == [(None,)]


def test_a_newer_history_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "h.duckdb"
    record(path, [made_run()], recorded_at=AT)
    monkeypatch.setattr(store, "VERSION", 0)
    with pytest.raises(FileError, match="written by a newer dissensus"):
        read_history(path)


def test_other_files_are_refused(tmp_path):
    text = tmp_path / "text.duckdb"
    text.write_text("item,label\n" * 1000)
    with pytest.raises(FileError, match=r"text\.duckdb is not a history"):
        read_history(text)
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as plain:
        plain.execute("CREATE TABLE t (x INTEGER)")
    with pytest.raises(FileError, match="its tables are t"):
        record(other, [made_run()], recorded_at=AT)
    with pytest.raises(FileError, match="There is no history"):
        history(tmp_path / "nothing.duckdb")


def test_a_history_that_another_process_writes_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "h.duckdb"
    record(path, [made_run()], recorded_at=AT)
    monkeypatch.setattr(store, "WAIT", 0.2)
    code = f"import duckdb, time; c = duckdb.connect({str(path)!r}); print('open', flush=True); time.sleep(30)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        try:
            with pytest.raises(FileError, match="is written by another process: try again"):
                read_history(path)
        finally:
            process.kill()


def test_a_drop_is_marked_and_people_who_stayed_are_not(tmp_path):
    path = tmp_path / "h.duckdb"
    for i in range(6):
        record(path, [made_run(i, drop=0.3 * (i >= 4))], recorded_at=AT)
    result = history(path)
    judge = next(own for own in result.series if own.kind == "judge")
    assert [point.run for point in judge.changes] == [5]
    assert judge.changes[0].difference == pytest.approx(-0.3, abs=0.05)
    assert not any(own.changes for own in result.series if own.kind == "people")
    assert '"j" became worse with run 5.' in result.summary()
    assert len(result.rows()) == sum(len(own.points) for own in result.series)


def test_a_worth_whose_interval_leaves_the_curve_says_at_which_end(tmp_path):
    path, run = tmp_path / "h.duckdb", made_run()
    nan, own = float("nan"), run.judges[0]
    for low, high, shown in (
        (nan, 2.0, r"1\.5 \[<0, 2\.0\]"),
        (1.0, nan, r"1\.5 \[1\.0, more\]"),
        (nan, nan, r"[\d.]+"),
    ):
        record(path, [replace(run, judges=(replace(own, worth_low=low, worth_high=high),))], recorded_at=AT)
        assert re.search(rf"\n  j +{shown}  +\S", history(path).summary())


def test_slices_are_followed_in_their_order(tmp_path):
    path = tmp_path / "h.duckdb"
    record(path, [made_run(1, value="2026-02"), made_run(0, value="2026-01")], recorded_at=AT)
    judge = history(path, by="month").series[0]
    assert [point.at for point in judge.points] == ["2026-01", "2026-02"]
    with pytest.raises(OptionError, match="columns that runs were recorded by are month"):
        history(path, by="year")
    with pytest.raises(OptionError, match="There is no judge 'k'"):
        history(path, judge="k")


def test_runs_with_other_labels_are_named(tmp_path):
    path = tmp_path / "h.duckdb"
    record(path, [made_run(labels=("a", "b")), made_run(1)], recorded_at=AT)
    assert history(path).left_out == ("1 run with other labels (a, b) than the last is left out.",)


def test_bits_of_a_run_are_those_of_decide():
    ratings, judges = read("example:binary"), read_judges("example:binary")
    result = decide(ratings, judges, bootstrap=20)
    (run,) = runs_of(ratings, judges, result, version="1")
    own = {one.judge: one for one in run.judges}
    assert own["classifier"].bits == pytest.approx(0.202, abs=0.002)  # as `dissensus panel` prints it
    assert own["classifier"].worth == result.judges[0].worth
    assert run.counts.sum() == len(ratings.label)


@pytest.mark.parametrize("who", ["judge", "people"])
def test_a_change_of_the_judge_is_told_from_a_change_of_people_by_month(who, tmp_path, capsys):
    rng = np.random.default_rng(3)
    ratings, answers = ["item,rater,label,month"], ["item,judge,p_no,p_yes"]
    for month in range(1, 5):
        is_late = month > 2
        for i in range(150):
            item, chance = f"m{month}i{i}", rng.beta(0.4, 0.8)
            told = rng.uniform() if who == "judge" and is_late else np.clip(chance, 0.02, 0.98)
            answers.append(f"{item},j,{1 - told:.4f},{told:.4f}")
            chance = min(chance + 0.4, 1) if who == "people" and is_late else chance
            ratings += [f"{item},r{r},{'yes' if rng.random() < chance else 'no'},2026-{month:02d}" for r in range(4)]
    for name, lines in (("r.csv", ratings), ("j.csv", answers)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    path = str(tmp_path / "h.duckdb")
    files = [str(tmp_path / "r.csv"), str(tmp_path / "j.csv")]
    assert main(["decide", *files, "--by", "month", "--bootstrap", "20", "--record", path, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["history", path, "--by", "month", "--json"]) == 0
    series = json.loads(capsys.readouterr().out)["result"]["series"]
    found = {own["name"]: [point["at"] for point in own["points"] if point["changed"]] for own in series}
    people = [months for name, months in found.items() if name != "j"]
    assert found["j"] == ["2026-03"]  # a judge that answers as before is worse for people who changed
    assert (["2026-03"] in people) == any(people) == (who == "people")


def test_commands_record_and_the_history_shows_them(tmp_path, capsys):
    path = str(tmp_path / "h.duckdb")
    files = ["example:binary", "example:binary", "--bootstrap", "20"]
    assert main(["decide", *files, "--record", path]) == 0
    assert main(["judges", *files, "--record", path, "--quiet"]) == 0
    assert main(["gate", *files, "--judge", "classifier", "--min-equivalence", "0.1", "--record", path]) == 0
    assert "Recorded as run 3 of h.duckdb" in capsys.readouterr().err
    assert main(["history", path, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert result["runs"] == 3
    judge = next(own for own in result["series"] if own["name"] == "classifier")
    assert [point["verdict"] for point in judge["points"]] == [None, None, "pass"]
    assert not any(point["changed"] for point in judge["points"])
    assert main(["history", path]) == 0
    assert "No real change" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["other.csv", "other.json", "other.parquet", "empty.csv", "pipe", "folder"])
def test_a_run_is_never_recorded_where_it_would_be_lost(tmp_path, name):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other.csv").write_text("item,text\na,b\n")
    (tmp_path / "other.json").write_text('[{"item": 1}]')
    duckdb.sql("SELECT 1 AS item").write_parquet(str(tmp_path / "other.parquet"))
    (tmp_path / "empty.csv").write_text("")
    before = (tmp_path / name).read_bytes() if (tmp_path / name).is_file() else None
    with pytest.raises(FileError, match=r"not a (file|history)\b") as refused:
        record(tmp_path / name, [made_run()], recorded_at="2026-01-01T00:00:00Z")
    assert str(tmp_path) not in str(refused.value) or name in {"pipe", "folder"}
    assert before is None or (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("name", [":memory:", "md:x", "h.csv"])
def test_a_history_of_any_name_is_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        record(Path(name), [made_run()], recorded_at="2026-01-01T00:00:00Z")
        assert len(read_history(Path(name)).runs) == number
