"""Processes that are killed, sent signals or out of memory: one line at most, no orphan, no file half written."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from test_attack import RATINGS, here, run

__all__ = ["here"]

FORKS = pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")


@FORKS
@pytest.mark.usefixtures("here")
def test_a_process_that_wants_more_memory_than_it_may_have_ends_in_one_line():
    Path("many.csv").write_text("item,rater,label\n" + "".join(f"i{i},r,{i % 7}\n" for i in range(2_000_000)))
    words = [sys.executable, "-m", "dissensus", "describe", "many.csv", "--limit", "memory=512MB"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "our limit for memory is 0.5 GB" in done.stderr


@FORKS
@pytest.mark.parametrize(("sent", "status", "lines"), [("SIGSEGV", 2, 1), ("SIGABRT", 2, 1), ("SIGTERM", 143, 0)])
def test_a_library_that_crashes_at_the_limit_of_memory_ends_in_one_line(sent, status, lines):
    crash = f"main._run = lambda typed: os.kill(os.getpid(), signal.{sent})"
    code = f"import os, signal, sys; from dissensus.cli import main; {crash}; sys.exit(main.main())"
    words = [sys.executable, "-c", code, "describe", "r.csv", "--limit", "memory=512MB"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", lines), done.stderr


def start_bounded(what, **options):
    """A command whose work is this code, with a limit that makes it run in a child."""
    code = f"import os, signal, sys, time; from dissensus.cli import main\ndef work(typed):\n {what}\n"
    code += "main._run = work; sys.exit(main.main())"
    words = [sys.executable, "-c", code, "describe", "--limit", "memory=1GB"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


SAYS_AND_SLEEPS = "print(os.getpid(), flush=True); time.sleep(60)"


@FORKS
@pytest.mark.parametrize(("sent", "status"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGHUP", 129), ("SIGKILL", -9)])
def test_whatever_ends_a_bounded_command_ends_its_child(sent, status):
    default = lambda: signal.signal(getattr(signal, sent), signal.SIG_DFL)  # noqa: E731 - as nohup ignores some
    with start_bounded(SAYS_AND_SLEEPS, preexec_fn=None if sent == "SIGKILL" else default) as process:
        child = int(process.stdout.readline())
        assert child != process.pid
        process.send_signal(getattr(signal, sent))  # to the one process that its caller knows
        process.communicate(timeout=30)
    assert process.returncode == status
    until = time.monotonic() + 30
    while Path(f"/proc/{child}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists()


@FORKS
def test_ctrl_c_in_a_terminal_reaches_a_bounded_command_once():
    terminal, other = os.openpty()
    twice = "print(os.getpid(), flush=True); signal.signal(2, lambda *_: print('once', flush=True)); time.sleep(2)"
    begin = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
    with start_bounded(twice, stdin=other, start_new_session=True, preexec_fn=lambda: exec(begin)) as process:  # noqa: S102 - ours
        assert process.stdout.readline()
        time.sleep(0.3)
        os.write(terminal, b"\x03")
        out, _ = process.communicate(timeout=30)
    os.close(terminal)
    os.close(other)
    assert (process.returncode, out) == (0, "once\n")


@FORKS
@pytest.mark.parametrize("ignored", ["SIGCHLD", "SIGINT"])
def test_what_a_parent_lets_a_bounded_command_ignore_changes_no_status(ignored):
    ignore = lambda: signal.signal(getattr(signal, ignored), signal.SIG_IGN)  # noqa: E731 - in the child
    with start_bounded("print(sys.stdin.read()); return 1", stdin=subprocess.PIPE, preexec_fn=ignore) as process:
        out, err = process.communicate("typed", timeout=30)
    assert (process.returncode, out, err) == (1, "typed\n", "")


@FORKS
def test_a_bounded_command_prints_its_json_once(here):
    words = [sys.executable, "-m", "dissensus", "describe", "r.csv", "--bootstrap", "0", "--json"]
    plain, bounded = (
        subprocess.run([*words, *more], cwd=here, capture_output=True, text=True, timeout=120, check=True)
        for more in ((), ("--limit", "memory=2GB"))
    )
    assert json.loads(bounded.stdout)["result"] == json.loads(plain.stdout)["result"]
    assert (bounded.stderr, bounded.stdout.count('"dissensus":')) == (plain.stderr, 1)


def test_a_system_without_our_signals_and_forks_runs_everything_here(here):
    hidden = "import os, signal, enum, sys; sys.platform = 'win32'; del os.fork, signal.SIGBUS, signal.SIGHUP\n"
    hidden += "signal.Signals = enum.IntEnum('Signals', [(s.name, s.value) for s in signal.Signals if s.value != 7])\n"
    code = f"{hidden}from dissensus.sizes import CRASHES, child_status; print(sorted(CRASHES), child_status())"
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout == "[6, 11] None\n"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError("a bug"), 3),
        (MemoryError(), 2),
        (ZeroDivisionError("a bug"), 3),
        (BrokenProcessPool("a worker"), 2),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_crash_is_no_failed_gate(capsys, monkeypatch, error, status):
    def broken(*_arguments, **_keywords):
        raise error

    monkeypatch.setattr("dissensus.data.readers.open_source", broken)
    found, _, err = run(capsys, "describe", "r.csv")
    assert found == status
    assert ("a bug" in err) == (status == 3)
    assert ("not enough memory" in err) == isinstance(error, MemoryError)
    assert ("fewer --workers" in err) == isinstance(error, BrokenProcessPool)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing is killed like this here")
@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ("import r.csv -o out.csv", "out.csv"),
        ("items r.csv j.csv -o out.csv", "out.csv"),
        ("apply p.csv j.csv -o out.csv", "out.csv"),
        ("report r.csv --bootstrap 0 -o out.html", "out.html"),
        ("simulate urn --items 5 -o new", "new/ratings.csv"),
    ],
)
def test_a_command_that_is_killed_while_it_writes_leaves_the_older_file(here, capsys, arguments, out):
    (here / "p.csv").write_text("judge,answer,p_n,p_y\nj,n,.8,.2\nj,y,.1,.9\n")
    assert run(capsys, *arguments.split())[0] == 0
    (here / out).write_text("old")
    code = "import os, sys; os.fsync = lambda handle: os.kill(os.getpid(), 9)\n"
    code += "from dissensus.cli.main import main; sys.exit(main())"
    words = [sys.executable, "-c", code, *arguments.split()]
    done = subprocess.run(words, cwd=here, capture_output=True, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (here / out).read_text() == "old"
    assert (here / "r.csv").read_text() == RATINGS


@pytest.mark.parametrize("bootstrap", [0, 20])
@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_raters_with_one_rating_each_get_a_report(here, capsys, bootstrap, suffix):
    (here / "crowd.csv").write_text("item,rater,label\na,x,y\na,z,n\na,q,y\nb,v,y\nb,w,y\n")
    status, _, err = run(capsys, "report", "crowd.csv", "--bootstrap", bootstrap, "-o", f"x.{suffix}")
    assert status == 0, err
    found = (here / f"x.{suffix}").read_text()
    specs = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', found, re.DOTALL)
    assert len(specs) >= 3 * (suffix == "html")
    assert "NaN" not in " ".join(specs or [found])
