"""Projects: saved, listed to whoever started the server, found again after a restart, and whole after a kill."""

import json
import os
import signal
import time
from pathlib import Path

import duckdb
import pytest

from dissensus.cli.main import main
from dissensus.data.project import create_project, list_projects, open_project

from web_server import form, running, until, verdict_of, words

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

LABELS = [("no", "yes")[(i + (r == i % 4)) % 2] for i in range(30) for r in range(4)]
RATINGS = "item,rater,label\n" + "".join(f"i{n // 4},r{n % 4},{label}\n" for n, label in enumerate(LABELS))
JUDGES = "item,judge,label\n" + "".join(
    f"i{i},{judge},{('no', 'yes')[(i + (i % often == 0)) % 2]}\n"
    for judge, often in (("near", 9), ("far", 3))
    for i in range(30)
)
FILES = {"ratings": ("my ratings.csv", RATINGS.encode()), "judges": ("judges.csv", JUDGES.encode())}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server") / "projects"
    with running(is_lasting=True, folder=str(folder)) as started:
        started.folder = folder
        started.sign_in()
        yield started


def ask(server, path):
    return server.ask("GET", path, headers={"Cookie": server.cookie})


def test_a_project_is_saved_listed_and_there_after_a_restart(tmp_path):
    folder = tmp_path / "projects"
    with running(folder=str(folder)) as server:
        server.sign_in()
        id_ = server.upload(**FILES)
        assert (f'href="/p/{id_}/results"' in ask(server, "/")[2], id_ in server.ask("GET", "/")[2]) == (True, False)
        server.change(id_, "fix", fixes=json.dumps([["drop", "rater=r3"]]))
        answer = server.answer("report", f"data={id_}&bootstrap=20")
        status, headers, _ = server.change(id_, "save", name="Toxic comments")
        assert (status, headers["Location"]) == (303, "/p/toxic-comments/data")
        assert id_ not in ask(server, "/")[2]
    with running(folder=str(folder)) as server:
        assert "Toxic comments" not in server.ask("GET", "/")[2]
        server.sign_in()
        assert 'href="/p/toxic-comments/results"' in ask(server, "/")[2]
        page = ask(server, "/p/toxic-comments/results?bootstrap=20")[2]
        assert verdict_of(page) == verdict_of(answer)  # nothing is computed again
        assert "Leave out rows whose rater is r3" in ask(server, "/p/toxic-comments/data")[2]
        plan = ask(server, "/p/toxic-comments/plan")[2]  # the judges that were found yesterday are in its menus
        assert plan.count('<option value="near"') == plan.count('<option value="far"') == 2
        assert ask(server, "/p/toxic-comments/plan.json?a=near&b=far")[0] == 202  # it is computed from now on


def test_saved_projects_need_the_key_of_the_start_up_address(server):
    id_ = server.upload(**FILES)
    assert server.change(id_, "save", name="Mine")[0] == 303
    for path in ("/p/mine/data", "/p/mine/results", "/p/mine/results.json", "/p/nothing/data"):
        status, headers, _ = server.ask("GET", path)
        assert status == 303, path
        assert headers["Location"].startswith("/token")
    assert server.ask("POST", "/start/report?data=mine")[0] == 401
    assert server.ask("POST", "/upload?data=mine")[0] == 401
    other = server.ask("POST", f"/p/{id_}/data/save", body=b"name=x", headers={})
    assert other[0] == 401
    assert server.ask("GET", "/?token=wrong")[1]["Set-Cookie"] is None
    assert ask(server, "/p/mine/data")[0] == 200
    assert server.ask("GET", f"/p/{id_}/data")[0] == 200  # its address is known to nobody else


@pytest.mark.parametrize("name", ["../evil", "a/b", ".hidden", "", "x" * 300, "\0", "CON", "é ü"])
def test_a_name_makes_a_folder_in_the_place_of_projects_only(server, name):
    before = {path.name for path in server.folder.parent.iterdir()}
    status, headers, _ = server.change(server.upload(ratings=FILES["ratings"]), "save", name=name)
    assert status == 303
    id_ = headers["Location"].split("/")[2]
    assert ask(server, f"/p/{id_}/data")[0] == 200
    assert {path.name for path in server.folder.parent.iterdir()} == before | {"projects"}


def test_downloads_are_what_the_command_prints(server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.values():
        Path(name).write_bytes(content)
    id_ = server.upload(**FILES)
    for page, task, command, more in (
        ("results", "report", ["report", "-o", "r.html"], "bootstrap=20"),
        ("compare", "compare", ["compare"], "metric=accuracy"),
    ):
        answer = server.answer(task, f"data={id_}&{more}")
        assert 'class="problem"' not in answer, words(answer)
        name, _, value = more.partition("=")
        assert (
            main([*command[:1], "my ratings.csv", "judges.csv", *command[1:], f"--{name}", value, "--json", "--quiet"])
            == 0
        )
        printed = json.loads(capsys.readouterr().out)
        status, headers, text = server.ask("GET", f"/p/{id_}/{page}.json?{more}")
        assert status == 200
        assert headers["Content-Type"] == "application/json"
        found = json.loads(text)
        assert as_numbers(found["result"]) == as_numbers(printed["result"])
        table = server.ask("GET", f"/p/{id_}/{page}.csv?{more}")
        assert "attachment" in table[1]["Content-Disposition"]
        assert len(table[2].splitlines()) > 1
        assert "</html>" in server.ask("GET", f"/p/{id_}/{page}.html?{more}")[2]
    assert server.ask("GET", f"/p/{id_}/nothing.json")[0] == 404
    assert server.ask("GET", f"/p/{id_}/panel.json?bootstrap=5")[0] == 202  # not computed yet


def test_new_answers_of_a_judge_are_shown_beside_the_earlier_ones(server):
    id_ = server.upload(**FILES)
    first = server.answer("report", f"data={id_}&bootstrap=0")
    assert "Is the judge still as good?" not in first
    assert server.answer("report", f"data={id_}&bootstrap=20")  # the same files are the same run
    worse = JUDGES.replace("near,no", "near,x").replace("near,yes", "near,no").replace("near,x", "near,yes")
    sent = server.ask("POST", f"/upload?data={id_}", **form({"judges": ("judges.csv", worse.encode())}))
    assert sent[0] == 303, sent[2]
    second = words(server.answer("report", f"data={id_}&bootstrap=0"))
    assert "Is the judge still as good?" in second
    assert "in 2 runs" in second
    where = server.change(id_, "save", name="With a past")[1]["Location"].split("/")[2]
    kept = duckdb.connect(str(server.folder / where / "history.duckdb"), read_only=True)
    assert kept.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    kept.close()


def as_numbers(value):
    """What is in a result but its texts, in which each front end names options in its own words."""
    if isinstance(value, dict):
        return {name: as_numbers(own) for name, own in value.items()}
    if isinstance(value, list):
        return [as_numbers(own) for own in value]
    return None if isinstance(value, str) else value


def test_a_kill_while_a_job_runs_leaves_the_project_whole(tmp_path):
    folder = tmp_path / "projects"
    with running(folder=str(folder)) as server:
        server.sign_in()
        id_ = server.change(server.upload(**FILES), "save", name="Kept")[1]["Location"].split("/")[2]
        headers = {"Cookie": server.cookie, "HX-Request": "true"}
        assert server.ask("POST", f"/start/report?data={id_}&bootstrap=20000", headers=headers)[0] == 200
        time.sleep(1.0)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait(timeout=30)
    project = open_project(folder / "kept")
    assert project.path("people").read_bytes() == RATINGS.encode()
    assert not list((project.folder / "results").glob("*.json"))
    assert not list(folder.rglob("*.part"))
    with running(folder=str(folder)) as server:
        server.sign_in()
        server.change("kept", "fix", fixes="[]")
        assert until(lambda: ask(server, "/p/kept/data")[0], lambda status: status == 200) == 200


def test_a_folder_that_is_a_project_opens_at_once_and_no_other_is_reached(tmp_path):
    project = create_project(tmp_path / "one", name="One")
    create_project(tmp_path / "other", name="Other")
    (project.folder / "data" / "r.csv").write_text(RATINGS)
    with running(folder=str(project.folder)) as server:
        server.sign_in()
        assert ask(server, "/")[1]["Location"] == "/p/one/data"
        assert ask(server, "/p/one/results")[1]["Location"] == "/p/one/data"  # no file plays a role yet
        assert ask(server, "/p/other/data")[0] == 404


def test_a_project_of_a_newer_version_is_named_and_the_others_open(server):
    newer = server.folder / "newer"
    newer.mkdir(parents=True)
    (newer / "project.toml").write_text("format = 99\n")
    text = words(ask(server, "/")[2])
    assert "has format 99" in text
    assert list_projects(server.folder)[1]
    assert ask(server, "/p/newer/data")[0] == 400
