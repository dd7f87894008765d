"""Nothing is lost: what was answered is on the disk, whatever happens to the process, the disk or the server."""

import csv
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from dissensus.errors import FileError
from dissensus.methods.rate.cache import Cache, Entry
from dissensus.methods.rate.client import Reply

from eliciting_server import Says, ScriptedServer

pytest.importorskip("openai", reason="the extra [llm] is not installed")

TASK = 'options = ["Not toxic", "Toxic", "Very toxic"]\ninstructions = "How toxic?"\n'
SAMPLES, CONCURRENCY = 5, 16
MANY, FEW = 100, 60
"""Items: so many to kill it in their middle, so few where that is not the point."""


@pytest.fixture
def folder(tmp_path):
    return filled(tmp_path, FEW)


def filled(folder, n_items):
    (folder / "task.toml").write_text(TASK)
    (folder / "items.csv").write_text("item,text\n" + "".join(f"c{i},comment {i}\n" for i in range(n_items)))
    return folder


def command(server, folder, *options, out="out.csv"):
    return [
        sys.executable, "-m", "dissensus", "rate", str(folder / "items.csv"), "--task", str(folder / "task.toml"),
        "--model", "m", "--base-url", server.url, "-o", str(folder / out), "--cache", str(folder / "cache.sqlite"),
        "--samples", str(SAMPLES), "--concurrency", str(CONCURRENCY), "--quiet", *options,
    ]  # fmt: skip


def run(arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=False, **options)


def start(arguments):
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def saved(folder) -> dict[str, str]:
    """The answers on the disk by key, as another process sees them."""
    path = folder / "cache.sqlite"
    if not path.exists() or path.stat().st_size == 0:
        return {}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as connection:
            return dict(connection.execute("SELECT key, reply FROM answers WHERE reply IS NOT NULL"))
    except sqlite3.OperationalError:  # not made yet
        return {}


def wait_until(is_true, seconds=240):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def rows_of(path: Path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=10)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")
def test_killed_in_the_middle_it_loses_no_answer_and_asks_none_twice(tmp_path):
    folder, answers = filled(tmp_path, MANY), 200

    def script(_asked, number):
        return Says(text="ABC"[number % 3], hangs=number >= answers)

    with ScriptedServer(script) as server:
        process = start(command(server, folder))
        wait_until(lambda: len(saved(folder)) == answers)
        kill(process)
        before = saved(folder)
        assert len(server.answered) == len(before) == answers
        assert not (folder / "out.csv").exists()
        server._script = lambda _asked, number: Says(text="ABC"[number % 3])
        done = run(command(server, folder))
        assert (done.returncode, done.stderr) == (0, "")
        assert len(server.answered) == MANY * SAMPLES  # each once
    after = saved(folder)
    assert len(after) == MANY * SAMPLES
    assert {key: after[key] for key in before} == before
    rows = rows_of(folder / "out.csv")
    assert len({(row["item"], row["sample"]) for row in rows}) == len(rows) == MANY * SAMPLES
    assert {row["status"] for row in rows} == {"ok"}


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")
def test_killed_at_any_moment_it_asks_again_only_what_was_under_way(folder):
    with ScriptedServer(lambda _asked, number: Says(text="ABC"[number % 3], delay=0.005)) as server:
        process = start(command(server, folder))
        wait_until(lambda: len(saved(folder)) >= 100)
        kill(process)
        before = saved(folder)
        assert run(command(server, folder)).returncode == 0
        assert FEW * SAMPLES <= len(server.answered) <= FEW * SAMPLES + 2 * CONCURRENCY
    after = saved(folder)
    assert {key: after[key] for key in before} == before
    assert len(rows_of(folder / "out.csv")) == FEW * SAMPLES


def test_two_runs_at_once_share_one_cache_and_hardly_ask_twice(folder):
    with ScriptedServer(lambda _asked, number: Says(text="ABC"[number % 3], delay=0.01)) as server:
        both = [start(command(server, folder, out=f"{i}.csv")) for i in range(2)]
        errors = [process.communicate(timeout=600)[1] for process in both]
        assert [process.returncode for process in both] == [0, 0], errors
        # They start at opposite ends; where they meet, what is under way may be asked by both.
        assert len(server.asked) <= FEW * SAMPLES + 2 * CONCURRENCY + 2
    first, second = ((folder / f"{i}.csv").read_bytes() for i in range(2))
    assert first == second
    with closing(sqlite3.connect(folder / "cache.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert len(saved(folder)) == FEW * SAMPLES
    assert not (folder / "cache.sqlite.lock").exists()


@pytest.fixture
def cache(tmp_path):
    opened = Cache(tmp_path / "c.sqlite")
    yield opened
    opened.close()


def entry(key="k", **fields):
    return Entry(key=key, endpoint="http://x", model="m", sample=0, **fields)


def test_an_answer_stays_and_a_failure_gives_way(cache):
    cache.save([entry(failure="HTTP 500")])
    assert cache.find("k") == (None, "HTTP 500")
    assert not cache.has_answer("k")
    cache.save([entry(reply=Reply(text="A"))])
    assert cache.find("k") == (Reply(text="A"), None)
    cache.save([entry(reply=Reply(text="B")), entry(failure="late")])
    assert cache.find("k") == (Reply(text="A"), None)
    assert cache.find("other") == (None, None)


def test_what_is_learned_about_a_server_is_kept_by_endpoint_and_model(cache):
    cache.learn("http://x", "m", {"json_schema": "no"})
    cache.learn("http://x", "m", {"json_schema": "yes"})
    assert cache.learned("http://x", "m") == {"json_schema": "yes"}
    assert cache.learned("http://x", "n") == {}


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_only_the_owner_can_read_the_cache_and_its_side_files(tmp_path):
    old = os.umask(0)
    try:
        cache = Cache(tmp_path / "c.sqlite")
        cache.save([entry(reply=Reply(text="A"))])
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        cache.close()
    finally:
        os.umask(old)
    assert "c.sqlite-wal" in modes
    assert set(modes.values()) == {0o600}


def test_answers_are_in_a_write_ahead_log_that_waits_for_the_disk(cache):
    assert cache._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert cache._writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


@pytest.mark.parametrize("place", ["missing/c.sqlite", "file.txt/c.sqlite", "."])
def test_a_cache_that_cannot_be_made_is_one_line(tmp_path, place):
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(FileError, match=r"cannot be written: .*name another file with cache="):
        Cache(tmp_path / place)


def test_a_file_of_something_else_is_refused_and_stays(tmp_path):
    path = tmp_path / "c.sqlite"
    path.write_text("item,text\n" * 100)
    with pytest.raises(FileError, match="file is not a database"):
        Cache(path)
    assert path.read_text() == "item,text\n" * 100
    other = tmp_path / "o.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(FileError, match=r"o\.sqlite is a database of something else"):
        Cache(other)
    newer = tmp_path / "n.sqlite"
    with closing(sqlite3.connect(newer)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(FileError, match=r"n\.sqlite was written by another version"):
        Cache(newer)


def no_more_than(size):
    """Called in a child: no file of it can grow beyond so many bytes, as on a full disk."""
    import resource  # noqa: PLC0415 - only POSIX has it

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.skipif(os.name != "posix", reason="limits are of POSIX")
@pytest.mark.parametrize("limit", [4096, 500_000])
def test_a_full_disk_is_an_error_before_the_first_request(folder, limit):
    with ScriptedServer(lambda _asked, _number: Says()) as server:
        done = run(command(server, folder), preexec_fn=no_more_than(limit))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert server.asked == []


@pytest.mark.skipif(os.name != "posix", reason="limits are of POSIX")
def test_a_disk_that_fills_up_stops_the_run_in_one_line(folder):
    with ScriptedServer(lambda _asked, _number: Says(text="x" * 20_000)) as server:
        done = run(command(server, folder), preexec_fn=no_more_than(4_000_000))
        assert done.returncode == 2
        assert "The cache" in done.stderr
        assert len(done.stderr.splitlines()) == 1
        kept = len(saved(folder))
        assert 0 < kept < FEW * SAMPLES
        assert len(server.asked) <= kept + 2 * CONCURRENCY  # on the way to the disk, and on the wire


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a folder that nobody can write")
def test_a_read_only_folder_is_an_error_before_the_first_request(folder):
    with ScriptedServer(lambda _asked, _number: Says()) as server:
        for option, path in (("--cache", "/sys/kernel/c.sqlite"), ("-o", "/sys/kernel/out.csv")):
            words = command(server, folder)
            words[words.index(option) + 1] = path
            done = run(words)
            assert done.returncode == 2
            assert "cannot be written: " in done.stderr
            assert len(done.stderr.splitlines()) == 1
    assert server.asked == []


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
def test_interrupted_it_says_that_nothing_is_lost_and_goes_on(folder):
    is_stopped = threading.Event()

    def script(_asked, number):
        # However slow the machine: not all is answered before it is interrupted.
        return Says(delay=0.01 if number < 100 or is_stopped.is_set() else 600)

    with ScriptedServer(script) as server:
        arguments = [part for part in command(server, folder) if part != "--quiet"]
        process = start(arguments)
        wait_until(lambda: len(saved(folder)) >= 50)
        process.send_signal(signal.SIGINT)
        *progress, last = process.communicate(timeout=600)[1].splitlines()
        assert process.returncode == 130
        assert last == "Stopped. Every answer so far is kept: the same command goes on from here."
        assert all(" requests, " in line for line in progress)  # a line every ten seconds, on a slow machine
        is_stopped.set()
        assert run(command(server, folder)).returncode == 0
        assert len(server.answered) <= FEW * SAMPLES + 2 * CONCURRENCY


def test_a_database_of_something_else_with_our_number_is_left_alone(tmp_path):
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 1")
        connection.execute("CREATE TABLE room (bytes BLOB)")
    with pytest.raises(FileError, match=r"theirs\.sqlite is a database of something else"):
        Cache(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("room",)]


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_file_that_is_no_cache_keeps_its_mode(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,text\n" * 100)
    path.chmod(0o644)
    with pytest.raises(FileError, match="Name another file with cache="):
        Cache(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("damaged", ["{", "[]", '{"unknown": 1}', '{"tokens": 1}'])
def test_a_damaged_answer_is_one_line(cache, damaged):
    cache._writer.execute(
        "INSERT INTO answers (key, endpoint, model, sample, reply) VALUES ('k', 'e', 'm', 0, ?)", (damaged,)
    )
    with pytest.raises(FileError, match=r"An answer in the cache .* is damaged"):
        cache.find("k")


def test_a_cache_that_another_program_holds_is_one_line_that_says_so(tmp_path, monkeypatch):
    path = tmp_path / "c.sqlite"
    Cache(path).close()
    monkeypatch.setattr("dissensus.methods.rate.cache.BUSY_SECONDS", 0.1)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(FileError, match=r"locked\. Wait until the other program that uses it is done, or name"):
            Cache(path)
    finally:
        holder.close()


def test_a_damaged_cache_is_one_line_that_says_so(tmp_path):
    path = tmp_path / "c.sqlite"
    Cache(path).close()
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)
    with pytest.raises(FileError, match=r"malformed\. It is damaged: restore it, or name another file with cache="):
        Cache(path)
