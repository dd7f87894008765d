"""A project is a folder: what is saved comes back, wherever it is copied, and whenever the process was killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.data.project import (
    PROJECT_FILE,
    add_file,
    copy_project,
    create_project,
    list_projects,
    open_project,
    read_form,
    save_project,
    save_result,
)
from dissensus.errors import FileError

TEXTS = st.text(max_size=20)


@given(st.dictionaries(TEXTS, TEXTS, max_size=4), st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_what_is_saved_comes_back_as_it_was(columns, fixes):
    with tempfile.TemporaryDirectory() as place:
        project = create_project(Path(place) / "p", name="P")
        changed = replace(project, columns=columns, fixes=tuple(fixes), options=columns)
        save_project(changed)
        assert open_project(project.folder) == changed


def test_a_file_keeps_its_owners_name_and_its_bytes(tmp_path):
    source = tmp_path / "x"
    source.write_bytes(b"item,rater,label\n\xff\x00")
    project = add_file(create_project(tmp_path / "p", name="P"), "people", source, name="C:\\me\\my ratings.csv")
    assert open_project(project.folder) == project
    assert project.file_name("people") == "my ratings.csv"
    assert project.path("people").read_bytes() == source.read_bytes()


def test_two_files_of_one_name_do_not_overwrite_each_other(tmp_path):
    source = tmp_path / "x"
    project = create_project(tmp_path / "p", name="P")
    for role in ("people", "judges"):
        source.write_text(role)
        project = add_file(project, role, source, name="Export.csv")
    assert [project.path(role).read_text() for role in ("people", "judges")] == ["people", "judges"]


@pytest.mark.parametrize("name", ["../../evil.csv", "..", ".project.toml", "", "a\0b.csv", "x" * 500 + ".jsonl.gz"])
def test_no_name_of_a_file_leads_out_of_the_folder(tmp_path, name):
    source = tmp_path / "x"
    source.write_text("1")
    project = add_file(create_project(tmp_path / "p", name="P"), "people", source, name=name)
    assert project.path("people").parent == project.folder / "data"
    assert project.path("people").read_text() == "1"


def test_a_project_that_names_a_file_outside_itself_is_not_followed(tmp_path):
    project = replace(create_project(tmp_path / "p", name="P"), files={"people": "../secret.csv"})
    save_project(project)
    with pytest.raises(FileError, match="outside the project"):
        open_project(project.folder).path("people")
    (tmp_path / "secret.csv").write_text("1")
    (project.folder / "data" / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(FileError, match="outside the project"):
        replace(project, files={"people": "data/link.csv"}).path("people")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("format = 2\nname = 'x'\n", "newer version"),
        ("name = 'x'\n", "does not say `format = 1`"),
        ("format = 1\n[files]\npeople = 3\n", "must be texts"),
        ("format = ", "Fix it there"),
        ("\x00", "Fix it there"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, content, words):
    project = create_project(tmp_path / "p", name="P")
    (project.folder / PROJECT_FILE).write_text(content)
    with pytest.raises(FileError, match=words):
        open_project(project.folder)
    found, problems = list_projects(tmp_path)
    assert not found
    assert len(problems) == 1


def test_a_folder_that_holds_something_else_is_not_taken(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileError, match="not empty"):
        create_project(tmp_path, name="P")
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_results_are_kept_by_key(tmp_path):
    project = create_project(tmp_path / "p", name="P")
    save_result(project, "decide-1a", {"result": {"value": None}}, forms={"html": "<p>é</p>"})
    assert json.loads(read_form(project, "decide-1a", "json")) == {"result": {"value": None}}
    assert read_form(project, "decide-1a", "html") == "<p>é</p>"
    (project.folder / "results" / "decide-1a.json").write_bytes(b"\xff")
    assert read_form(project, "decide-1a", "json") is None
    with pytest.raises(FileError, match="cannot be called"):
        save_result(project, "../evil", {})


def test_a_copied_folder_is_the_same_project_and_a_saved_copy_has_its_own_name(tmp_path):
    source = tmp_path / "x"
    source.write_text("1")
    project = add_file(create_project(tmp_path / "p", name="P"), "people", source, name="r.csv")
    shutil.copytree(project.folder, tmp_path / "elsewhere")
    assert open_project(tmp_path / "elsewhere").path("people").read_text() == "1"
    copies = [copy_project(project, tmp_path / "place", name="My copy") for _ in range(2)]
    assert [one.id for one in copies] == ["my-copy", "my-copy-2"]
    assert [one.name for one in list_projects(tmp_path / "place")[0]] == ["My copy", "My copy"]


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from dissensus.data.project import open_project, save_project, save_result
project = open_project(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(100_000):
    save_project(replace(project, options={"number": str(number), "long": "x" * 20_000}))
    save_result(project, "report", {"number": number, "long": "x" * 20_000}, forms={"html": str(number) * 1000})
"""


def test_a_project_is_whole_after_kill_9_while_it_is_written(tmp_path):
    project = create_project(tmp_path / "p", name="P")
    for wait in (0.05, 0.11, 0.17):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(project.folder)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        found = open_project(project.folder)
        assert set(found.options) <= {"number", "long"}
        result = read_form(project, "report", "json")
        assert result is None or len(json.loads(result)["long"]) == 20_000
    assert result is not None
