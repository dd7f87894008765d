"""The server's private folder: swept if a server was killed, and nothing else is touched."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from web_server import running

pytest.importorskip("fcntl", reason="there are no such locks here")
pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

RATINGS = b"item,rater,label\n1,a,yes\n1,b,no\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where servers have their folders."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def left_behind(folder, name="dissensus-serve-old", mode=0o700):
    """A folder as a server that was killed leaves it."""
    made = folder / name
    made.mkdir()
    (made / "lock").touch()
    (made / "ratings.csv").write_bytes(RATINGS)
    made.chmod(mode)
    return made


def sweep(folder):
    from dissensus.web.uploads import sweep as swept  # noqa: PLC0415 - the extra may be missing

    return swept(folder)


def test_the_next_server_removes_what_a_killed_one_left_behind(folder):
    with running() as server:
        server.upload(ratings=("a.csv", RATINGS))
        (killed,) = folder.iterdir()
        assert list(killed.rglob("*.csv"))
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait(timeout=60)
    assert killed.exists()
    with running():
        assert not killed.exists()
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


def test_the_folder_of_a_server_that_runs_stays(folder):
    with running() as first:
        first.upload(ratings=("a.csv", RATINGS))
        (own,) = folder.iterdir()
        with running() as second:
            assert own.exists()
            assert second.ask("GET", "/")[0] == 200
        assert own.exists()
        assert sweep(folder) == []
        assert first.ask("GET", "/")[0] == 200


def test_a_folder_with_a_lock_that_nobody_holds_is_removed(tmp_path):
    left_behind(tmp_path)
    assert sweep(tmp_path) == ["dissensus-serve-old"]
    assert list(tmp_path.iterdir()) == []


def test_links_are_neither_followed_nor_removed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "lock").touch()
    (tmp_path / "dissensus-serve-link").symlink_to(precious)
    old = left_behind(tmp_path)
    (old / "inside").symlink_to(precious)
    assert sweep(tmp_path) == ["dissensus-serve-old"]
    assert (precious / "lock").exists()
    assert (tmp_path / "dissensus-serve-link").is_symlink()


def test_a_folder_whose_lock_is_a_link_or_missing_or_that_others_may_enter_stays(tmp_path):
    (left_behind(tmp_path, "dissensus-serve-linked") / "lock").unlink()
    (tmp_path / "dissensus-serve-linked" / "lock").symlink_to("/dev/null")
    (left_behind(tmp_path, "dissensus-serve-starting") / "lock").unlink()
    left_behind(tmp_path, "dissensus-serve-open", mode=0o755)
    left_behind(tmp_path, "another")
    (tmp_path / "dissensus-serve-file").write_text("no folder")
    os.mkfifo(left_behind(tmp_path, "dissensus-serve-pipe") / "lock.new")
    (tmp_path / "dissensus-serve-pipe" / "lock.new").rename(tmp_path / "dissensus-serve-pipe" / "lock")
    before = sorted(each.name for each in tmp_path.iterdir())
    removed = sweep(tmp_path)
    assert [name for name in before if not (tmp_path / name).exists()] == removed
    assert set(removed) <= {"dissensus-serve-pipe"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of somebody else's")
def test_a_folder_of_somebody_elses_stays(tmp_path):
    os.chown(left_behind(tmp_path), 12345, 12345)
    assert sweep(tmp_path) == []


def test_a_lock_is_held_as_soon_as_it_can_be_found(tmp_path):
    # Many servers start and sweep at once: none of them may lose its folder.
    program = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from dissensus.web.uploads import PrivateFolder\n"
        "for _ in range(50):\n"
        "    made = PrivateFolder()\n"
        "    assert (made.path / 'lock').exists(), made.path\n"
        "    (made.path / 'ratings.csv').write_text('x')\n"
        "    made.remove()\n"
    )
    running_ones = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [each.communicate(timeout=60)[1] for each in running_ones] == [""] * 3
    assert list(Path(tmp_path).iterdir()) == []
