"""The links of raters as somebody without a browser sees them: faults, limits, and what they do not show."""

import http.client
import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from urllib.parse import urlencode

import pytest

from dissensus.data.collection import ALL_ANSWERS_FILE, Collection
from dissensus.methods.collect.collect import status_of
from dissensus.web.collecting import BURST, PER_SECOND, Allowance, Desk, event_of
from dissensus.web.layout import RUN

from collect_project import links, make_project
from web_server import START, form, running, words

OURS = {"Content-Type": "application/json"}


def post(server, token, **message):
    """Status and content of the answer to what a rater's browser sends."""
    body = json.dumps({"key": secrets.token_hex(16), "kind": "answer", "slot": 0, "choice": 0, "seconds": 1, **message})
    status, _, text = server.ask("POST", f"/r/{token}", body=body.encode(), headers=OURS)
    return status, json.loads(text)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("served"), items=30, raters=3, per_item=2, elicitation="both")
    with running(folder=str(project)) as server:
        yield server, project, links(project)


def test_an_answer_leads_to_the_next_item_with_one_request(served):
    server, _, tokens = served
    status, content = post(server, tokens["rater-1"], set=[0])
    assert status == 200
    assert content["state"]["done"] == 1
    assert [item["slot"] for item in content["state"]["items"]] == [1, 2]


def test_a_rater_sees_neither_ids_nor_others_nor_why_an_item_is_there(served):
    server, project, tokens = served
    page = server.ask("GET", f"/r/{tokens['rater-2']}", headers={"Origin": None})[2]
    for drawn in (tokens["rater-2"], RUN):  # their own link and the server's number: such letters may come in any order
        page = page.replace(drawn, "")
    with Collection(project) as collection:
        names = set(collection.plan.slots)
    ids = [f"c{i:03d}" for i in range(30)]
    assert not [word for word in (*ids, *names, *(tokens[name] for name in ("rater-1", "rater-3"))) if word in page]
    assert not [word for word in ("repeat", 'check"', "answers.sqlite", str(project)) if word in page]


@pytest.mark.parametrize(
    "reason", ["\ud800", "\0", "\x1b[31m", "\u202e", "=1+1", ["\0"], {"a": "\ud800"}, None, "x" * 9000]
)
def test_whatever_a_rater_gives_as_a_reason_the_owner_can_still_open_the_project(tmp_path, reason):
    project = make_project(tmp_path, items=6, raters=2, per_item=1)
    with Collection(project) as collection:
        desk = Desk(collection=collection, items=(), checks=())
        collection.post(event_of(desk, "rater-1", {"key": "k1", "kind": "skip", "slot": 0, "reason": reason}))
        assert status_of(collection, bootstrap=0, confidence=0.95, seed=0).skipped == 1
    text = (project / ALL_ANSWERS_FILE).read_text(encoding="utf-8")
    assert not {char for char in text if not char.isprintable()} - {"\n"}
    assert ("no reason given" in text) == (reason in (None, "\0", "\ud800", "\u202e"))


@pytest.mark.parametrize("path", ["collect", "collect/ratings.csv", "collect/answers.csv"])
def test_the_owners_pages_and_files_need_the_owners_key(served, path):
    server, project, tokens = served
    status, headers, _ = server.ask("GET", f"/p/{project.name}/{path}", headers={"Origin": None})
    assert (status, headers["Location"].startswith("/token")) == (303, True)
    cookie = {"Cookie": f"dissensus={tokens['rater-1']}", "Origin": None}
    assert server.ask("GET", f"/p/{project.name}/{path}?token={tokens['rater-1']}", headers=cookie)[0] == 303
    assert server.ask("POST", f"/p/{project.name}/collect/stop", body=b"")[0] == 401


@pytest.mark.parametrize(
    "path",
    ["/r/nobody", "/r/%2e%2e%2fplan.json", "/r/", "/r/../p/project/collect", "/r/{}/image/0/0", "/r/{}/plan.json"],
)
def test_no_link_leads_to_a_file_or_to_somebody_elses_page(served, path):
    server, _, tokens = served
    status, _, text = server.ask("GET", path.format(tokens["rater-1"]), headers={"Origin": None})
    assert status in {303, 404}
    assert "slots" not in text


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ({"slot": 99, "set": [0]}, 400), ({"slot": "0"}, 400), ({"kind": "link"}, 400), ({"kind": "stop"}, 400),
        ({"choice": 9, "set": [0]}, 400), ({"set": []}, 400), ({"set": [1], "choice": 0}, 400), ({"key": ""}, 400),
        ({"key": "x" * 65}, 400), ({"key": "../../x"}, 400), ({"kind": "undo", "slot": 7}, 409),
        ({"kind": []}, 400), ({"kind": {}}, 400), ({"slot": []}, 400), ({"choice": [], "set": {}}, 400),
    ],
)  # fmt: skip
def test_what_no_browser_of_ours_sends_is_refused(served, message, status):
    server, _, tokens = served
    assert post(server, tokens["rater-3"], **{"slot": 5, **message})[0] == status


def test_other_sites_forms_and_long_bodies_are_refused(served):
    server, _, tokens = served
    path, body = f"/r/{tokens['rater-3']}", b'{"key": "a", "kind": "answer", "slot": 0}'
    elsewhere = {**OURS, "Origin": "http://evil.example"}
    assert server.ask("POST", path, body=body, headers=elsewhere)[0] == 403
    assert server.ask("POST", path, body=body, headers={"Content-Type": "text/plain"})[0] == 400
    assert server.ask("POST", path, body=b'{"a": "' + b"x" * 20_000 + b'"}', headers=OURS)[0] == 400
    assert server.ask("POST", path, body=b"[" * 10_000, headers=OURS)[0] == 400


def test_a_rater_who_sends_hundreds_of_requests_at_once_is_slowed_down(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("dissensus.web.collecting.time.monotonic", lambda: now[0])
    allowance = Allowance(since=0.0)
    assert sum(allowance.take() for _ in range(200)) == BURST
    now[0] = 1.0
    assert sum(allowance.take() for _ in range(200)) == PER_SECOND


def start(project, port):
    """A server at a port, killed and started again by the test."""
    program = START.format(settings={"folder": str(project)}).replace("port=0", f"port={port}")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def send(port, token, message, counts):
    """Send until the server has it, and then once more, as a browser does that missed the answer."""
    body, wanted = json.dumps(message), 2
    while wanted:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            headers = {**OURS, "Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}"}
            connection.request("POST", f"/r/{token}", body, headers)
            status = connection.getresponse().status
            connection.close()
        except (OSError, http.client.HTTPException):
            counts["lost connections"] += 1
            time.sleep(0.05)
            continue
        if status == 429:
            time.sleep(0.2)
            continue
        assert status == 200, status
        wanted -= 1


def test_five_hundred_answers_survive_servers_that_are_killed_each_once(tmp_path):
    project = make_project(tmp_path, items=100, raters=5, per_item=5)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sent, counts = {}, {"lost connections": 0}

    def work(name, token):
        for slot in range(100):
            choice = (slot * 7 + len(name) + int(name[-1])) % 2
            sent[name, slot] = ("No", "Yes")[choice]
            message = {"key": f"{name[-1]}x{slot}", "kind": "answer", "slot": slot, "choice": choice, "seconds": 1}
            send(port, token, message, counts)

    server = start(project, port)
    threads = [threading.Thread(target=work, args=pair) for pair in links(project).items()]
    for thread in threads:
        thread.start()
    kills = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(1.5)
        if kills < 4:
            os.kill(server.pid, signal.SIGKILL)
            server.communicate()
            server, kills = start(project, port), kills + 1
    server.terminate()
    server.communicate()
    with closing(sqlite3.connect(project / "answers.sqlite")) as database:
        rows = database.execute("SELECT rater, slot, json_extract(body, '$.choice') FROM log WHERE kind = 'answer'")
        found = rows.fetchall()
    assert len(found) == 500
    assert {(rater, slot): choice for rater, slot, choice in found} == sent
    assert kills
    assert counts["lost connections"]


def begin(server, where, headers, **fields):
    form_type = {"Content-Type": "application/x-www-form-urlencoded"}
    return server.ask("POST", f"{where}/start", body=urlencode(fields).encode(), headers={**form_type, **headers})


def test_a_plan_becomes_a_collection(tmp_path):
    items = "item,text\n" + "".join(f"i{n},Comment {n}\n" for n in range(30))
    typed = {"question": "Is it rude?", "options": 'No\nYes, "very" 😀', "elicitation": "both", "name": "Rude"}
    numbers = {"raters": "4", "ratings_per_item": "2", "wanted": "12"}
    with running(folder=str(tmp_path / "projects")) as server:
        plan = json.loads(server.ask("GET", "/move/raters?effect=0.3")[2])["numbers"]
        assert plan["collect"].startswith("collect?items=")
        # Without a project its page asks for the items, and then for the question.
        asks = server.ask("GET", f"/{plan['collect']}")[2]
        assert 'name="items"' in asks
        assert re.search(r"The plan: \d+ items, \d+ ratings? of each\.", asks)
        status, headers, _ = server.ask(
            "POST", "/upload?items=12&raters=2", **form({"items": ("i.csv", items.encode())})
        )
        where = headers["Location"].partition("?")[0]
        assert (status, headers["Location"]) == (303, f"{where}?items=12&raters=2")
        assert 'name="question"' in server.ask("GET", headers["Location"])[2]
        assert begin(server, where, {}, **typed, **numbers)[0] == 401  # a project that stays is the owner's to make
        owner = server.sign_in()
        for wrong, says in (
            ({"wanted": "31"}, "there are 30"),
            ({"raters": "1"}, "more than the 1 raters"),
            ({"raters": "x"}, "give a whole number"),
        ):
            status, _, text = begin(server, where, owner, **typed, **numbers | wrong)
            assert (status, says in text) == (400, True)
            assert not list((tmp_path / "projects").iterdir())
        other = form({"items": ("i.csv", items.replace("text", "words").encode())})
        elsewhere = server.ask("POST", "/upload?items=12&raters=2", **other)[1]["Location"].partition("?")[0]
        text = words(begin(server, elsewhere, owner, **typed, **numbers)[2])
        assert "has no column 'text'. Columns found: item, words. Name it with the header 'text'." in text
        status, headers, _ = begin(server, where, owner, **typed, **numbers)
        assert (status, headers["Location"]) == (303, "/p/rude/collect")
        page = server.ask("GET", "/p/rude/collect", headers=owner)[2]
        assert "12 items are ready for 4 raters: 24 ratings, 2 of each item." in page
        assert 'href="/p/rude/results"' in page  # the tabs of the project
    with Collection(tmp_path / "projects" / "rude") as collection:
        assert collection.task.options == ("No", 'Yes, "very" 😀')
        assert (collection.task.instructions, collection.task.elicitation) == ("Is it rude?", "both")


def test_a_damaged_collection_stops_neither_the_server_nor_the_raters_of_others(tmp_path):
    tokens = {}
    for name in ("a-log", "b-plan", "c-slot", "d-fine"):
        (tmp_path / name).mkdir()
        folder = make_project(tmp_path / name, items=5, raters=2, per_item=1).rename(tmp_path / f"project-{name}")
        tokens[name] = links(folder)["rater-1"]
    with closing(sqlite3.connect(tmp_path / "project-a-log" / "answers.sqlite")) as log, log:
        log.execute("INSERT INTO log (key, kind, rater, slot, body, at) VALUES ('k', 'answer', '?', 9, '{', '')")
    plan = json.loads((tmp_path / "project-b-plan" / "plan.json").read_text())
    for name, slot in (("b-plan", ["x", "rating", ""]), ("c-slot", [10**9, "rating", ""])):
        wrong = plan | {"slots": plan["slots"] | {"rater-1": [slot]}}
        (tmp_path / f"project-{name}" / "plan.json").write_text(json.dumps(wrong))
    with running(folder=str(tmp_path)) as server:
        owner = server.sign_in()
        for name, token in tokens.items():
            wanted = (200, 200) if name == "d-fine" else (404, 400)
            pages = (f"/r/{token}", f"/p/project-{name}/collect")
            assert tuple(server.ask("GET", page, headers=owner)[0] for page in pages) == wanted
        assert post(server, tokens["d-fine"])[0] == 200
        server.process.terminate()
        assert "Traceback" not in server.process.communicate(timeout=60)[1]
