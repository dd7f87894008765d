"""What the pages say, that it is what the command line and Python say, and that the server cleans up after itself."""

import asyncio
import itertools
import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dissensus.cli.main import main
from dissensus.errors import DissensusError, OptionError

from web_server import form, lead_of, running, shown, until, verdict_of, words

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

from dissensus.web.pages.plans import limits

LABELS = [("no", "yes")[(i + (r == i % 4)) % 2] for i in range(30) for r in range(4)]
RATINGS = "item,rater,label\n" + "".join(f"i{n // 4},r{n % 4},{label}\n" for n, label in enumerate(LABELS))
REPEATED = RATINGS + "i0,r1,yes\n"
JUDGES = "item,judge,label\n" + "".join(
    f"i{i},{judge},{('no', 'yes')[(i + (i % often == 0)) % 2]}\n"
    for judge, often in (("near", 9), ("far", 3))
    for i in range(30)
)


@pytest.fixture(scope="module")
def server():
    with running() as started:
        yield started


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The uploaded files under the names that their owner gave them, in the working directory."""
    (tmp_path / "my ratings.csv").write_text(REPEATED)
    (tmp_path / "judges.csv").write_text(JUDGES)
    monkeypatch.chdir(tmp_path)
    return {"ratings": ("my ratings.csv", REPEATED.encode()), "judges": ("judges.csv", JUDGES.encode())}


def run_command(command, capsys):
    for line in command.splitlines():
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0
    return words(capsys.readouterr().out)


def run_python(code, capsys):
    exec(compile(code, "recipe", "exec"), {})  # noqa: S102 - it is what the page tells people to run
    return words(capsys.readouterr().out)


@pytest.mark.parametrize(
    "path",
    [
        "/plan/labels",
        "/plan/labels?goal=budget&budget=500&item_cost=2&labels_per_item=1,5",
        "/plan/labels?error=0.01&strategy=disagreement-only",
        "/plan",
        "/plan?effect=0.2&metric=mae&items=50,100&raters=3&power=0.9",
    ],
)
def test_the_recipes_of_a_planner_say_what_its_page_says(server, path, capsys):
    status, _, text = server.ask("GET", path)
    assert status == 200
    assert lead_of(text) in run_command(shown(text, "recipe-command"), capsys)
    assert lead_of(text) in run_python(shown(text, "recipe-python"), capsys)


def test_the_recipes_of_a_report_say_what_its_page_says(server, files, capsys):
    id_, query = server.upload(**files), "repeats=first&bootstrap=50"
    answer = server.answer("report", f"data={id_}&{query}")
    text = server.page(id_, "results", query)
    for said in (run_command(shown(text, "recipe-command"), capsys), run_python(shown(text, "recipe-python"), capsys)):
        assert verdict_of(answer) in said
    assert Path("report.html").is_file()


def test_results_are_split_by_a_column_and_its_recipes_do_the_same(server, files, capsys):
    kinds = [row + (",kind" if n == 0 else f",{'xy'[int(row[1:].partition(',')[0]) % 2]}") for n, row in
             enumerate(RATINGS.splitlines())]  # fmt: skip
    Path("split.csv").write_text("\n".join(kinds))
    id_ = server.upload(ratings=("split.csv", Path("split.csv").read_bytes()), judges=files["judges"])
    whole = server.answer("report", f"data={id_}&bootstrap=20")
    assert '<option value="kind">kind</option>' in whole
    assert not [name for name in ("item", "rater", "label") if f'<option value="{name}">' in whole]
    answer = server.answer("report", f"data={id_}&bootstrap=20&by=kind")
    assert '<option value="kind" selected>' in answer
    assert "2 slices by kind" in answer
    assert 'href="results.csv?bootstrap=20&amp;by=kind"' in answer
    text = server.page(id_, "results", "bootstrap=20&by=kind")
    for said in (run_command(shown(text, "recipe-command"), capsys), run_python(shown(text, "recipe-python"), capsys)):
        assert verdict_of(answer) in said


def test_results_name_no_command(server):
    answer = server.answer("report", "data=example:toxicity&bootstrap=20")
    assert "`" not in words(answer.replace("&#39;", "'"))


def test_the_recipes_of_a_comparison_say_what_its_page_says(server, files, capsys):
    id_, query = server.upload(**files), "repeats=first&a=near&b=far&metric=accuracy"
    lead = lead_of(server.answer("compare", f"data={id_}&{query}"))
    text = server.page(id_, "compare", query)
    assert "near" in lead
    assert lead in run_command(shown(text, "recipe-command"), capsys)
    assert lead in run_python(shown(text, "recipe-python"), capsys)


def test_the_recipes_of_a_plan_from_a_pilot_say_what_its_page_says(server, files, capsys):
    id_, query = server.upload(**files), "repeats=first&a=near&b=far"
    lead = lead_of(server.answer("plan_raters", f"data={id_}&{query}"))
    text = server.page(id_, "plan", query)
    assert lead in run_command(shown(text, "recipe-command"), capsys)
    assert lead in run_python(shown(text, "recipe-python"), capsys)


def test_the_recipes_of_the_data_page_run(server, files, capsys):
    text = server.page(server.upload(**files), "data", "repeats=first")
    said = run_python(shown(text, "recipe-python"), capsys)
    assert said.startswith("30 120")
    assert "judges" in shown(text, "recipe-command")


def test_the_report_is_the_one_that_the_command_writes(server, files, capsys):
    id_ = server.upload(ratings=("my ratings.csv", RATINGS.encode()), judges=files["judges"])
    Path("my ratings.csv").write_text(RATINGS)
    answer = server.answer("report", f"data={id_}&bootstrap=50")
    assert main(["report", "my ratings.csv", "judges.csv", "--bootstrap", "50", "--quiet"]) == 0
    capsys.readouterr()
    page = Path("report.html").read_text()
    # A page names options in its own words, and is called after the project.
    leads = [words(lead) for lead in re.findall(r'<p class="lead">(.*?)</p>', page, re.DOTALL)]
    assert len(leads) > 5
    assert [words(lead) for lead in re.findall(r'<p class="lead">(.*?)</p>', answer, re.DOTALL)] == leads
    assert verdict_of(answer) == verdict_of(page)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/plan/labels",
        "/plan",
        "/explain/labels",
        "/p/example:binary/results",
        "/p/example:binary/data",
        "/p/example:binary/compare",
        "/p/example:binary/plan",
    ],
)
def test_every_page_shows_how_to_do_the_same_elsewhere(server, path):
    text = server.ask("GET", path)[2]
    assert shown(text, "recipe-command").startswith("dissensus ")
    compile(shown(text, "recipe-python"), "recipe", "exec")


def test_the_same_question_is_computed_once(server):
    answers = [
        server.ask("POST", "/start/report?data=example:binary&bootstrap=77", headers={"HX-Request": "true"})[2]
        for _ in range(2)
    ]
    ids = {re.search(r"/jobs/([^/?\"]+)", text)[1] for text in answers}
    assert len(ids) == 1
    assert len(ids.pop()) >= 22  # 128 bits and more


def test_a_job_that_cannot_be_done_says_why_in_words(server):
    id_ = server.upload(ratings=("a.csv", b"nothing,here\n1,2\n"))
    assert "item" in words(server.answer("report", f"data={id_}"))
    assert "no judges to ask about" in server.answer("compare", f"data={id_}")


def test_what_is_not_saved_goes_after_its_last_use_and_stays_while_it_is_used(tmp_path, monkeypatch):
    from dissensus.web import shelf as shelf_module  # noqa: PLC0415 - the extra may be missing

    now = [0.0]
    monkeypatch.setattr(shelf_module.time, "monotonic", lambda: now[0])
    shelf = shelf_module.Shelf(tmp_path, keep_seconds=3600)
    try:
        (shelf.folder / "in").mkdir()
        (shelf.folder / "in" / "file.csv").write_text(RATINGS)
        stored = shelf_module.StoredFile(path=shelf.folder / "in" / "file.csv", name="a.csv")
        id_ = shelf.add([stored], ["people"]).id
        for _ in range(5):
            now[0] += 3000
            assert shelf.find(id_).ratings.path.is_file()
            assert shelf.tidy() == []
        now[0] += 3601
        with pytest.raises(DissensusError, match="Send it again"):
            shelf.find(id_)
        assert shelf.tidy() == [id_]
    finally:
        shelf.close()


def test_a_full_queue_says_that_it_is_busy_and_other_pages_answer():
    with running(reports_at_once=1, most_waiting=1) as server:

        def ask(samples):
            query = f"data=example:toxicity&bootstrap={samples}"
            return server.ask("POST", f"/start/report?{query}", headers={"HX-Request": "true"})

        first = ask(19_000)
        assert first[0] == 200
        # The second is taken once the first has left the queue.
        assert until(lambda: ask(19_001), lambda answer: answer[0] == 200)[0] == 200
        status, _, text = ask(19_002)
        assert status == 503
        assert "Busy" in text
        assert server.ask("GET", "/move/labels")[0] == 200
        id_ = re.search(r"/jobs/([^/?\"]+)", first[2])[1]
        assert "Cancelled" in server.ask("POST", f"/jobs/{id_}/cancel", headers={"HX-Request": "true"})[2]
        assert until(lambda: ask(19_002), lambda answer: answer[0] == 200)[0] == 200


def children(pid):
    """Processes that a process has started, on systems that tell."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(each) for each in listed.stdout.split()]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_server_leaves_nothing_behind(how, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running() as server:
        server.upload(ratings=("a.csv", RATINGS.encode()))
        server.ask("POST", "/start/report?data=example:toxicity&bootstrap=20000", headers={"HX-Request": "true"})
        workers = until(lambda: children(server.process.pid), lambda found: len(found) >= 3)
        assert len(workers) >= 3
        (folder,) = tmp_path.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        os.kill(server.process.pid, how)
        status = server.process.wait(timeout=30)
        assert not until(lambda: any(map(is_running, workers)), lambda found: not found)
    if how is not signal.SIGKILL:  # which leaves no time to clean up
        assert status == 0
        assert list(tmp_path.iterdir()) == []


def test_other_machines_are_let_in_only_with_a_token():
    from dissensus.web.guard import Settings  # noqa: PLC0415 - as above
    from dissensus.web.server import check_token  # noqa: PLC0415 - the extra may be missing

    check_token(Settings())
    check_token(Settings(host="0.0.0.0", token="correct horse battery"))  # noqa: S104, S106 - the point of the test
    with pytest.raises(OptionError, match=r"--host 0\.0\.0\.0 lets other machines in: .* --token"):
        check_token(Settings(host="0.0.0.0"))  # noqa: S104 - as above
    with pytest.raises(OptionError, match="too easy to guess"):
        check_token(Settings(token="short"))  # noqa: S106 - as above


def test_a_port_that_is_taken_is_named():
    from dissensus.web.guard import Settings  # noqa: PLC0415 - as above
    from dissensus.web.server import listen  # noqa: PLC0415 - as above

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(DissensusError, match=f"Something else is at 127.0.0.1:{port}: choose another port"):
            listen(Settings(port=port))
    with pytest.raises(DissensusError, match=r"Cannot listen at nowhere\.invalid"):
        listen(Settings(host="nowhere.invalid"))


def test_the_command_prints_its_address_and_ends_on_ctrl_c():
    program = "from dissensus.cli.show import serve_command as serve; serve(port=0, no_open=True)"
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    try:
        assert re.fullmatch(
            r"dissensus is running at http://127\.0\.0\.1:\d+/\?token=\S{24} - press Ctrl-C to stop\n",
            process.stderr.readline(),
        )
    finally:
        process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0


def test_an_upload_without_a_file_is_refused(server):
    status, _, text = server.ask("POST", "/upload", **form({"other": ("judges.csv", JUDGES.encode())}))
    assert status == 400
    assert "No file was chosen" in text


def test_of_too_many_projects_that_are_not_saved_the_one_unused_longest_goes(tmp_path):
    from dissensus.web.shelf import MOST_UNSAVED, Shelf  # noqa: PLC0415
    from dissensus.web.uploads import StoredFile  # noqa: PLC0415

    shelf = Shelf(tmp_path / "projects", keep_seconds=3600)
    try:
        ids = []
        for n in range(MOST_UNSAVED + 2):
            (shelf.folder / f"in-{n}").mkdir()
            place = shelf.folder / f"in-{n}" / "file.csv"
            place.write_text(RATINGS)
            ids.append(shelf.add([StoredFile(path=place, name=f"{n}.csv")], ["people"]).id)
        first = shelf.folder / ids[1]
        shelf.find(ids[0])  # used again, so it stays
        assert shelf.tidy() == ids[1:3]
        assert not first.exists()
        assert shelf.find(ids[0]).ratings.name == "0.csv"
        with pytest.raises(DissensusError, match="Send it again"):
            shelf.find(ids[1])
    finally:
        shelf.close()
    assert not shelf.folder.exists()
    assert not (tmp_path / "projects").exists()


def test_without_the_extra_the_command_says_what_to_install(monkeypatch):
    from dissensus.cli.show import serve_command  # noqa: PLC0415 - beside the others

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "dissensus.web.server", raising=False)
    with pytest.raises(DissensusError, match=r"pip install 'dissensus\[web\]'"):
        serve_command(port=0)


def test_the_report_without_judges_is_the_one_that_the_command_writes(server, files, capsys):
    id_, query = server.upload(ratings=files["ratings"]), "repeats=first&bootstrap=50"
    answer = server.answer("report", f"data={id_}&{query}")
    text = server.page(id_, "results", query)
    assert verdict_of(answer) in run_command(shown(text, "recipe-command"), capsys)
    written = re.findall(r"<h2[^>]*>(.*?)</h2>", Path("report.html").read_text())
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", answer)[1:]  # the first is the name of the project
    assert len(titles) >= 3
    assert [title for title in titles if title not in written] == []


def test_the_first_visitors_get_every_style_sheet_and_script():
    # A browser asks for all of them at once, as soon as the server answers at all.
    names = ["page.css", "app.css", "app.js", "htmx.min.js"] * 15
    with running() as started, ThreadPoolExecutor(20) as visitors:
        answers = list(visitors.map(lambda name: started.ask("GET", f"/static/{name}"), names))
        assert {status for status, _, _ in answers} == {200}
        assert len({text for _, _, text in answers}) == 4
        assert all(len(text) > 500 for _, _, text in answers)


@pytest.mark.parametrize("value", ["1e308", "inf", "9" * 400, "-1e300", "nan"])
def test_numbers_beyond_any_plan_are_answered_in_words(server, value):
    for path, names in (
        ("/move/labels", ("item_cost", "label_cost", "labels_per_item", "accuracy", "error")),
        ("/move/raters", ("item_cost", "rating_cost", "items", "effect", "budget")),
    ):
        for name in names:
            status, _, text = server.ask("GET", f"{path}?{name}={value}")
            assert status == 200
            assert "went wrong on our side" not in text, (path, name)
            assert json.loads(text)["error"], (path, name)


def test_a_move_sends_numbers_that_are_those_of_the_page(server):
    for planner, page in (("labels", "/plan/labels"), ("raters", "/plan")):
        _, _, moved = server.ask("GET", f"/move/{planner}?error=0.1&effect=0.2")
        found = json.loads(moved)
        assert len(moved) < 2500
        assert words(found["numbers"]["sentence"]) == lead_of(server.ask("GET", found["address"])[2])
        assert found["address"].startswith(page + "?")


MODELS = ["--accuracy", "0.75", "--margin", "0.1", "--label-accuracy", "0.75"]


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/plan.json?effect=0.2", ["raters", "--effect", "0.2"]),
        ("/plan/labels.json?error=0.1", ["labels", *MODELS, "--error", "0.1"]),
    ],
)
def test_the_json_of_a_plan_is_what_the_command_prints(server, path, command, capsys):
    assert main(["plan", *command, "--json"]) == 0
    assert json.loads(server.ask("GET", path)[2])["result"] == json.loads(capsys.readouterr().out)["result"]


def test_of_two_models_neither_slider_leads_to_what_cannot_be():
    def is_better(worse, if_wrong, if_right):  # the better one alone is right on more items than the worse one alone
        return (1 - worse) * if_wrong - worse * (1 - if_right) > 1e-12

    names = ("worse_accuracy", "better_if_worse_wrong", "better_if_worse_right")
    possible = [
        three
        for three in itertools.product((0.5, 0.57, 0.75, 0.99), (0.0, 0.05, 0.5, 1.0), (0.0, 0.7, 0.95, 1.0))
        if is_better(*three)
    ]
    for three in possible:
        ends = limits(dict(zip(names, map(str, three), strict=True)))
        for place, (value, (low, high)) in enumerate(zip(three, (ends[name] for name in names), strict=True)):
            end, beyond = (float(high), 0.01) if place == 0 else (float(low), -0.01)
            assert float(low) - 1e-9 <= value <= float(high) + 1e-9
            assert is_better(*three[:place], end, *three[place + 1 :])
            is_last = end in {0.99, 0.0}  # the slider ends there anyway
            assert is_last or not is_better(*three[:place], end + beyond, *three[place + 1 :])


@pytest.mark.parametrize("query", ["bootstrap=20001", "bootstrap=-1", "bootstrap=9999999999"])
def test_counts_have_limits(server, query):
    for page in ("results", "panel"):
        assert "cannot be" in server.page("example:binary", page, query)


class SlowPool:
    """A pool whose jobs wait until they are told to be done."""

    def __init__(self):
        self.jobs = []
        self.over = {}

    def submit(self, job):
        self.jobs.append(job)
        self.over[job.id] = asyncio.Event()

    async def finished(self, job):
        await self.over[job.id].wait()

    def cancel(self, job):
        job.end("cancelled")
        self.over[job.id].set()

    def finish(self, job):
        job.end("done", result={"of": job.key})
        self.over[job.id].set()


def test_a_position_that_is_left_is_dropped_unless_somebody_else_waits_for_it():
    from dissensus.web.jobs import QuickAnswers, SupersededError  # noqa: PLC0415 - the extra may be missing

    async def move():
        pool = SlowPool()
        quick = QuickAnswers(pool)

        def ask(key, seat):
            return asyncio.create_task(quick.ask((key,), "plan", {}, seat=seat))

        first, shared, same = ask("1", "ann"), ask("2", "ann"), ask("2", "bob")
        await asyncio.sleep(0)
        last = ask("3", "ann")
        await asyncio.sleep(0)
        for job in pool.jobs:
            if not job.is_over:
                pool.finish(job)
        with pytest.raises(SupersededError):
            await first
        assert (await shared, await same, await last) == ({"of": ("2",)}, {"of": ("2",)}, {"of": ("3",)})
        assert [job.status for job in pool.jobs] == ["cancelled", "done", "done"]

    with ThreadPoolExecutor(1) as thread:  # a browser's tests may have a loop in this one
        thread.submit(lambda: asyncio.run(move())).result()


def test_the_judges_of_a_project_are_not_those_of_another_that_is_called_like_a_task():
    from dissensus.web.jobs import JobBook  # noqa: PLC0415 - the extra may be missing

    async def asked():
        pool = SlowPool()
        book = JobBook(pool, keep_seconds=60)
        pool.finish(book.ask(("report", "toxicity", "", ""), "report", {}))
        return [job.data for job in book.about("toxicity")], book.about("report")

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(asked())).result() == (["toxicity"], [])


def test_a_project_that_is_gone_is_not_found(server):
    for page in ("data", "results", "items"):
        status, _, text = server.ask("GET", f"/p/~gone/{page}")
        assert (status, "There is no such project" in text) == (404, True)
