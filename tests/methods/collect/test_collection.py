"""The log of answers: nothing is lost, nothing counts twice, and it only grows."""

import json
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from dissensus import collect
from dissensus.data.collection import Collection, CollectionError, Event, Plan, Slot, answer_body
from dissensus.data.task import Task
from dissensus.errors import FileError

from collect_project import make_project

BODY = {"choice": "No", "seconds": 1.0, "order": ""}


def answer(rater, slot, key, **body):
    return Event(key=key, kind="answer", rater=rater, slot=slot, body={**BODY, **body})


@pytest.fixture
def collection(tmp_path):
    with Collection(make_project(tmp_path)) as opened:
        yield opened


def test_a_post_that_is_sent_again_counts_once(collection):
    assert collection.post(answer("rater-1", 0, "k1")) == ""
    assert collection.post(answer("rater-1", 0, "k1")) == ""
    assert [event.key for event in collection.standing.raters["rater-1"].answers.values()] == ["k1"]
    assert collection.post(answer("rater-1", 1, "k1")) == "This key was used before."
    assert collection.post(answer("rater-2", 0, "k1")) == "This key was used before."


def test_a_second_tab_cannot_answer_the_same_item_again(collection):
    assert collection.post(answer("rater-1", 0, "k1", choice="Yes")) == ""
    assert collection.post(answer("rater-1", 0, "k2", choice="No")) == "This item has an answer already."
    assert collection.standing.raters["rater-1"].answers[0].body["choice"] == "Yes"


def test_the_last_ten_answers_can_be_taken_back_and_no_more(collection):
    for slot in range(12):
        assert collection.post(answer("rater-1", slot, f"a{slot}")) == ""
    for back, slot in enumerate(range(11, 1, -1)):
        assert collection.post(Event(key=f"u{back}", kind="undo", rater="rater-1", slot=slot)) == ""
    refused = collection.post(Event(key="u10", kind="undo", rater="rater-1", slot=1))
    assert refused == "This answer cannot be changed any more."
    assert collection.standing.raters["rater-1"].open_slots(3) == [2, 3, 4]
    assert collection.post(answer("rater-1", 2, "again", choice="Yes")) == ""
    assert collection.post(Event(key="u11", kind="undo", rater="rater-1", slot=2)) == ""


def test_rows_are_only_ever_added(collection):
    collection.post(answer("rater-1", 0, "k1"))
    with closing(sqlite3.connect(collection.folder / "answers.sqlite")) as database, database:
        for change in ("UPDATE log SET body = '{}'", "DELETE FROM log"):
            with pytest.raises(sqlite3.IntegrityError, match="rows are only ever added"):
                database.execute(change)


def test_two_processes_write_into_one_log_and_see_each_other(collection):
    with Collection(collection.folder) as other:
        assert collection.post(answer("rater-1", 0, "k1")) == ""
        assert other.post(answer("rater-1", 0, "k2")) == "This item has an answer already."
        assert other.post(answer("rater-1", 1, "k3")) == ""
        assert collection.look(lambda standing: standing.raters["rater-1"].open_slots(1)) == [2]


def test_threads_that_answer_the_same_items_leave_one_answer_each(collection):
    slots = len(collection.plan.slots["rater-1"])

    def work(name):
        for slot in range(slots):
            collection.post(answer("rater-1", slot, f"{name}-{slot}"))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(sqlite3.connect(collection.folder / "answers.sqlite")) as database:
        answered = database.execute("SELECT slot FROM log WHERE kind = 'answer' ORDER BY slot").fetchall()
    assert answered == [(slot,) for slot in range(slots)]


WRITER = """
import sys
from dissensus.data.collection import Collection, Event
with Collection(sys.argv[1]) as collection:
    for slot in range(len(collection.plan.slots["rater-1"])):
        for times in range(2):
            body = {"choice": "No", "seconds": 1.0, "order": ""}
            collection.post(Event(key=f"k{slot}", kind="answer", rater="rater-1", slot=slot, body=body))
        print(slot, flush=True)
"""


def test_a_kill_loses_no_answer_that_was_confirmed_and_doubles_none(tmp_path):
    folder = make_project(tmp_path, items=100, raters=2, per_item=2)
    confirmed, runs = -1, 0
    while confirmed < 99 and runs < 4:
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        time.sleep(0.05 * runs)
        process.kill()
        rest = process.communicate()[0].split()
        confirmed = max([confirmed, *map(int, rest)])
        runs += 1
        with closing(sqlite3.connect(folder / "answers.sqlite")) as database:
            slots = [slot for (slot,) in database.execute("SELECT slot FROM log WHERE kind = 'answer' ORDER BY slot")]
        assert slots == list(range(len(slots)))
        assert len(slots) > confirmed
    assert runs > 1


def _fill(collection):
    for slot in range(1, 15):
        collection.post(answer("rater-1", slot, f"k{slot}", reason="x" * 2000))


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(collection):
    collection.post(answer("rater-1", 0, "k0"))
    pages = collection._database.execute("PRAGMA page_count").fetchone()[0]
    collection._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(FileError, match="database or disk is full"):
        _fill(collection)
    kept = len(collection.standing.raters["rater-1"].answers)
    collection._database.execute("PRAGMA max_page_count = 100000")
    assert collection.post(answer("rater-1", kept, f"k{kept}")) == ""
    assert list(collection.standing.raters["rater-1"].answers) == list(range(kept + 1))


def test_a_clock_that_jumps_changes_nothing(collection, monkeypatch):
    import dissensus.data.collection as module  # noqa: PLC0415

    class Jumping(module.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(1970 if cls.late else 2099, 1, 1, tzinfo=tz)

    monkeypatch.setattr(module, "datetime", Jumping)
    for slot in range(6):
        Jumping.late = slot % 2
        assert collection.post(answer("rater-1", slot, f"k{slot}")) == ""
    assert list(collection.standing.raters["rater-1"].answers) == list(range(6))
    assert collection.standing.raters["rater-1"].last_answered() == 5


def test_a_link_that_was_withdrawn_or_renewed_no_longer_works(collection):
    from dissensus.data.collection import link_event  # noqa: PLC0415

    token = collection.standing.raters["rater-1"].token
    assert len(token) >= 22  # 128 bits
    assert collection.standing.by_token(token) == "rater-1"
    collection.add([link_event("rater-1")])
    assert collection.standing.by_token(token) is None
    new = collection.standing.raters["rater-1"].token
    collection.add([Event(key="gone", kind="revoke", rater="rater-1")])
    assert collection.standing.by_token(new) is None
    assert collection.post(answer("rater-1", 0, "late")) == "This link was withdrawn."


TASK = Task(options=("No", "Maybe", "Yes"), elicitation="both")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"choice": 3, "set": [0]}, "There is no such option."),
        ({"choice": True, "set": [0]}, "There is no such option."),
        ({"choice": None, "set": [0]}, "There is no such option."),
        ({"choice": 0, "set": []}, "These options cannot be ticked together."),
        ({"choice": 0, "set": "0"}, "These options cannot be ticked together."),
        ({"choice": 0, "set": [1]}, "Your own choice must be ticked, too."),
    ],
)
def test_an_answer_that_cannot_be_is_refused(content, message):
    with pytest.raises(CollectionError, match=message):
        answer_body(TASK, Slot(item=0), content, TASK.options)


def test_an_answer_keeps_the_options_in_order_and_a_time_only_if_it_can_be_one():
    body = answer_body(TASK, Slot(item=0), {"choice": 2, "set": [2, 0, 2], "seconds": 1e9}, TASK.options)
    assert body == {"choice": "Yes", "set": ["No", "Yes"], "seconds": None, "order": ""}


def test_a_plan_that_was_damaged_is_one_line(tmp_path):
    folder = make_project(tmp_path)
    Path(folder / "plan.json").write_text(json.dumps({"format": 2}), encoding="utf-8")
    with pytest.raises(FileError, match="it has format 2, and this version reads 1"):
        Collection(folder)
    with pytest.raises(FileError, match="is not a collection"):
        Collection(tmp_path)
    assert Plan.from_json('{"format":1,"settings":{},"slots":{}}').slots == {}


CHANGES = [
    ("body", "[1]"), ("body", "5"), ("body", '{"seconds": "x"}'), ("body", '{"seconds": NaN}'), ("body", "["),
    ("slot", 10**9), ("slot", -1), ("slot", 1.5), ("slot", b"\xff"), ("at", b"\xff"), ("rater", "x"), ("kind", "undo"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), CHANGES)
def test_a_row_of_the_log_that_was_changed_is_one_line(tmp_path, column, value):
    folder = make_project(tmp_path)
    with Collection(folder) as collection:
        assert [collection.post(answer("rater-1", slot, f"k{slot}")) for slot in (0, 1)] == ["", ""]
    with closing(sqlite3.connect(folder / "answers.sqlite")) as log, log:
        log.execute("DROP TRIGGER keep_UPDATE")
        log.execute(f"UPDATE log SET {column} = ? WHERE key = 'k0'", (value,))
    with pytest.raises(FileError, match=r"that no collection writes|answers\.sqlite cannot be used"):
        collect(folder, bootstrap=0)


@pytest.mark.parametrize("slot", [[10**9, "rating", ""], [-1, "rating", ""], [0, "x", ""], [0, "rating", "ac"]])
def test_a_plan_about_items_that_are_not_there_is_one_line(tmp_path, slot):
    folder = make_project(tmp_path)
    plan = json.loads((folder / "plan.json").read_text())
    plan["slots"]["rater-1"].append(slot)
    (folder / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(FileError, match=r"names 1 item more than there are|plan\.json cannot be read"):
        collect(folder, bootstrap=0)


def test_a_log_with_bytes_of_nobody_is_one_line(tmp_path):
    folder = make_project(tmp_path)
    content = (folder / "answers.sqlite").read_bytes()
    (folder / "answers.sqlite").write_bytes(content.replace(b"CREATE TABLE log", b"CREATE TABLE l\xe7g"))
    with pytest.raises(FileError, match=r"answers\.sqlite cannot be used"):
        collect(folder, bootstrap=0)
