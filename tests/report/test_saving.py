import os
import stat
import threading

import pytest

from dissensus.data.paths import save_bytes
from dissensus.errors import DissensusError


def test_the_file_takes_the_place_of_an_older_one_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    save_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert [beside.name for beside in tmp_path.iterdir()] == ["report.html"]


def test_a_failed_write_keeps_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DissensusError, match=r"Cannot write .*report.html: No space left on device"):
        save_bytes(path, b"new")
    assert path.read_text() == "old"
    assert [beside.name for beside in tmp_path.iterdir()] == ["report.html"]


def test_others_may_read_the_file(tmp_path):
    path = tmp_path / "report.html"
    before = os.umask(0o022)
    try:
        save_bytes(path, b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "real.html", tmp_path / "link.html"
    target.write_text("old")
    link.symlink_to(target)
    save_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    save_bytes(pipe, b"new")
    reader.join(timeout=10)
    assert read == [b"new"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(DissensusError, match=r"the folder .*nowhere does not exist. Create it first."):
        save_bytes(tmp_path / "nowhere" / "report.html", b"")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(DissensusError, match=r"it is a folder. Name a file in it."):
        save_bytes(tmp_path, b"")
