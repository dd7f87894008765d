"""The command: what it prints, writes and ends with, and that other commands read what it writes."""

import csv
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import read_judges
from dissensus.cli.main import main
from dissensus.data.collection import Collection, Event
from dissensus.data.project import open_project
from dissensus.methods.collect.items import read_stored
from dissensus.methods.rate.client import Client
from dissensus.methods.rate.options import Endpoint
from dissensus.report.text import text_of

from eliciting_server import Says, ScriptedServer, error

openai = pytest.importorskip("openai", reason="the extra [llm] is not installed")

TASK = """
name = "toxicity"
instructions = "How toxic is this comment?"
options = ["Not toxic", "Toxic", "Very toxic"]
positive = ["Toxic", "Very toxic"]
elicitation = "both"
"""
WORDS = {"kind": "Not toxic", "rude": "Toxic", "vile": "Very toxic"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "task.toml").write_text(TASK)
    texts = [(f"c{i:02}", list(WORDS)[i % 3]) for i in range(12)]
    (tmp_path / "items.csv").write_text("item,text\n" + "".join(f"{item},{text}\n" for item, text in texts))
    ratings = [(item, f"r{k}", WORDS[text] if k else "Toxic") for item, text in texts for k in range(4)]
    (tmp_path / "ratings.csv").write_text("item,rater,label\n" + "".join(",".join(row) + "\n" for row in ratings))
    return tmp_path


def understands(asked, _number):
    """A good judge: it reads the comment, and finds rude comments very toxic as well."""
    several = "EVERY" in asked.prompt and asked.text == "rude"
    marks = [asked.mark_of(WORDS[asked.text]), *([asked.mark_of("Very toxic")] if several else [])]
    return Says(text=json.dumps({"answer": "".join(sorted(marks))}))


@pytest.fixture
def server():
    with ScriptedServer(understands) as running:
        yield running


def rate(server, *options):
    return main(["rate", "items.csv", "--task", "task.toml", "--model", "m", "--base-url", server.url, *options])


def test_it_writes_answers_that_judges_and_equivalence_read(server, capsys):
    assert rate(server, "--samples", "3", "-o", "judges.csv", "--quiet") == 0
    said = capsys.readouterr()
    assert said.out.startswith('"m" answered 72 of 72 requests with one of the options (100%).')
    assert len(said.out.splitlines()) <= 25
    assert said.err == ""
    assert main(["judges", "ratings.csv", "judges.csv", "--task", "task.toml", "--json", "--bootstrap", "0"]) == 0
    judges = json.loads(capsys.readouterr().out)["result"]
    alike = {row["judge"]: row["consistency"] for row in judges["downstream"]}
    assert alike["m"] == 1
    assert main(["equivalence", "ratings.csv", "judges.csv", "--json", "--bootstrap", "0"]) == 0
    worth = json.loads(capsys.readouterr().out)["result"]["judges"]
    assert [(row["judge"], row["calibrated"]) for row in worth] == [("m", False), ("m", True)]


def test_json_is_one_object_with_counts_and_shares(server, capsys):
    assert rate(server, "--samples", "2", "-o", "judges.csv", "--json", "--elicitation", "response-set") == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["command"] == "rate"
    assert whole["settings"]["elicitation"] == "response-set"
    assert whole["data"]["items"]["items"] == 12
    (tally,) = whole["result"]["tallies"]
    assert (tally["requests"], tally["ok"], tally["share_ok"], tally["unasked"]) == (24, 24, 1.0, 0)
    counts = {label["label"]: label["count"] for label in whole["result"]["labels"]}
    assert counts == {"Not toxic": 8, "Toxic": 0, "Very toxic": 8, "Toxic|Very toxic": 8}
    assert whole["result"]["spending"]["sent"] == 24


def test_the_same_command_again_asks_nothing_and_writes_the_same(folder, server, capsys):
    rate(server, "--samples", "2", "-o", "judges.csv")
    before, asked = (folder / "judges.csv").read_bytes(), len(server.asked)
    capsys.readouterr()
    assert rate(server, "--samples", "2", "-o", "judges.csv", "--details") == 0
    assert len(server.asked) == asked
    assert (folder / "judges.csv").read_bytes() == before
    said = " ".join(capsys.readouterr().out.split())
    assert "Answered by an earlier run 48" in said
    assert "Not toxic" in said


def test_a_limit_that_is_reached_ends_with_status_1_and_the_next_run_goes_on(folder, server, capsys):
    assert rate(server, "--samples", "1", "-o", "judges.csv", "--max-requests", "10") == 1
    assert "Not everything was asked: --max-requests is reached." in " ".join(capsys.readouterr().out.split())
    assert len((folder / "judges.csv").read_text().splitlines()) == 11
    assert rate(server, "--samples", "1", "-o", "judges.csv") == 0
    assert len(server.asked) == 24


def test_a_dry_run_says_what_it_would_take(server, capsys):
    assert rate(server, "--dry-run") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r'^Nothing was asked: 240 requests to "m" would take at most [\d,]+ tokens\.', said)
    assert server.asked == []


def test_show_prints_the_very_prompt_that_is_sent(server, capsys):
    assert rate(server, "--show") == 0
    shown = capsys.readouterr()
    assert "--- item c00, forced choice ---" in shown.err
    assert rate(server, "--samples", "1", "-o", "judges.csv") == 0
    forced = next(request for request in server.asked if "ONE option" in request.prompt and request.text == "kind")
    assert forced.prompt in shown.out
    capsys.readouterr()
    assert rate(server, "--show", "--json") == 0
    bodies = json.loads(capsys.readouterr().out)["requests"]
    assert forced.body in bodies


def test_what_gave_no_label_is_shown_and_counted(folder, server, capsys):
    server._script = lambda _asked, number: Says(text="\x1b[31mI cannot." if number % 2 else "[red]maybe[/red]")
    assert rate(server, "--samples", "1", "-o", "judges.csv", "--elicitation", "forced-choice", "--details") == 0
    said = capsys.readouterr().out
    assert "[red]maybe[/red]" in said
    assert "\x1b[31m" not in said
    assert "Not one answer is among the options" in " ".join(said.split())
    with (folder / "judges.csv").open() as stream:
        assert {row["label"] for row in csv.DictReader(stream)} == {""}


def test_failures_are_recorded_and_end_with_status_0(server, capsys):
    server._script = lambda asked, _: error(400, "too long") if asked.text == "vile" else understands(asked, 0)
    assert rate(server, "--samples", "1", "-o", "judges.csv", "--elicitation", "forced-choice", "--details") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Change the prompt or the model before you use these labels" in said
    assert "4 requests failed. The same command asks them again, and only them." in said
    assert "HTTP 400: too" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "There is no file to write: name one with -o JUDGES.csv."),
        (
            ["-o", "missing/judges.csv"],
            "Cannot write missing/judges.csv: the folder missing does not exist.",
        ),
        (["-o", "j.csv", "--elicitation", "sets"], "--elicitation cannot be 'sets'"),
        (["-o", "j.csv", "--text", "comment"], "items.csv has no column 'comment'. Columns found: item, text."),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(server, capsys, options, message):
    assert rate(server, *options) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert server.asked == []


def test_progress_has_rate_time_left_and_tokens(server, capsys, monkeypatch):
    monkeypatch.setattr("dissensus.cli.rate.SECONDS_BETWEEN_LINES", 0.0)
    assert rate(server, "--samples", "1", "-o", "judges.csv") == 0
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"24 of 24 requests, [\d.]+ a second, 0 s left, 2,424 tokens", lines[-1])


def test_samples_at_temperature_0_are_warned_of(server, capsys):
    assert rate(server, "--samples", "2", "--temperature", "0", "--dry-run", "--json") == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    assert warnings == [
        "At temperature 0 samples differ by the order of the options only: they are not independent draws."
    ]


def test_a_result_shows_itself_everywhere(server):
    from dissensus.data import read_task  # noqa: PLC0415
    from dissensus.methods.rate import rate as ask  # noqa: PLC0415 - the command has the same name here

    task = read_task("task.toml")
    result = ask("items.csv", task=task, model="<b>m</b>", base_url=server.url, samples=1, output="j.csv")
    assert '"<b>m</b>" answered 24 of 24' in " ".join(text_of(result).split())
    assert "&lt;b&gt;m&lt;/b&gt;" in result._repr_html_()
    assert [row["elicitation"] for row in result.rows()] == ["forced_choice", "response_set"]
    assert len(result.to_frame()) == 2


def test_show_moves_no_cursor_of_a_terminal(folder, server, capsys, monkeypatch):
    (folder / "items.csv").write_text("item,text\nc\x1b[2J,\x1b]0;title\x07rude\n")
    assert rate(server, "--show") == 0
    assert "\x1b]0;title\x07rude" in capsys.readouterr().out  # exact where it is no terminal
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert rate(server, "--show") == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "rude" in said.out


def test_a_project_asks_models_what_it_asks_people_and_both_land_in_it(folder, server, capsys):
    collected = ["collect", "items.csv", "--task", "task.toml", "--raters", "3", "--ratings-per-item", "3"]
    assert main([*collected, "--repeat-share", "0", "-o", "project", "--quiet"]) == 0
    texts = {row["item"]: row["text"] for row in csv.DictReader((folder / "items.csv").read_text().splitlines())}
    with Collection("project") as collection:
        items = [item.name for item in read_stored(collection)[0]]
        for rater, slots in collection.plan.slots.items():
            for number, slot in enumerate(slots):
                label = WORDS[texts[items[slot.item]]] if (number, rater) != (0, "rater-1") else "Toxic"
                body = {"choice": label, "set": [label], "order": ""}
                assert not collection.post(
                    Event(key=f"{rater}{number}", kind="answer", rater=rater, slot=number, body=body)
                )
    assert main(["collect", "project", "--quiet"]) == 0
    for model in ("m", "n", "m"):
        assert main(["rate", "project", "--model", model, "--base-url", server.url, "--samples", "2", "--quiet"]) == 0
    asked = {found.text for found in server.asked}
    assert asked == set(WORDS)  # the texts that people saw
    project = open_project(folder / "project")
    assert (project.file_name("people"), project.file_name("judges")) == ("ratings.csv", "judges.csv")
    rows = list(csv.DictReader(project.path("judges").read_text().splitlines()))
    assert [len([row for row in rows if row["judge"] == judge]) for judge in ("m", "n")] == [48, 48]
    assert {row["item"] for row in rows} == set(texts)
    capsys.readouterr()
    files = [str(project.path("people")), str(project.path("judges"))]
    assert main(["decide", *files, "--bootstrap", "0", "--json"]) == 0
    assert {one["judge"] for one in json.loads(capsys.readouterr().out)["result"]["judges"]} == {"m", "n"}


OLD = [{"item": "c1", "judge": "old", "label": "=Toxic"}]


@pytest.mark.parametrize("name", ["judges.parquet", "judges.json", "judges.tsv", "judges.csv", "lost.csv", "other.csv"])
def test_answers_join_whatever_table_of_judges_a_project_has(folder, server, capsys, name):
    collected = ["collect", "items.csv", "--task", "task.toml", "--raters", "3", "--ratings-per-item", "3"]
    assert main([*collected, "-o", "project", "--quiet"]) == 0
    file = folder / "project" / "data" / name
    tables = {"json": json.dumps(OLD), "tsv": "item\tjudge\tlabel\nc1\told\t'=Toxic\n"}
    if name == "judges.parquet":
        pq.write_table(pa.Table.from_pylist(OLD), file)
    elif name == "judges.csv":  # as Excel writes it, with an answer longer than the csv module reads
        file.write_bytes(f"item,judge,label,raw\nc1,old,=Toxic,{'x' * 200_000}\n".encode("utf-16"))
    elif name != "lost.csv":
        file.write_text(tables.get(name.partition(".")[2], "item,label\nc1,Toxic\n"))
    known = folder / "project" / "project.toml"
    known.write_text(known.read_text().replace("[files]\n", f'[files]\njudges = "data/{name}"\n'))
    status = main(["rate", "project", "--model", "m", "--base-url", server.url, "--samples", "1", "--quiet"])
    err = capsys.readouterr().err
    if name == "other.csv":
        assert (status, err.count("\n")) == (2, 1)
        assert "judges-m.csv has the new answers" in err
        return
    assert (status, open_project(folder / "project").file_name("judges")) == (0, "judges.csv")
    found = read_judges(folder / "project" / "data" / "judges.csv")
    assert found.judges == (("m",) if name == "lost.csv" else ("m", "old"))
    assert ("=Toxic" in {row["label"] for row in found.rows()}) == (name != "lost.csv")


def test_a_certificate_that_is_not_trusted_is_not_taken_for_nobody_listening():
    client = Client(Endpoint("https://example.org/v1", "sk-x"), concurrency=1, timeout=1)
    cause = type("ConnectError", (Exception,), {})("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
    failure = openai.APIConnectionError(request=None)
    failure.__cause__ = cause
    trouble = client._connection_trouble(failure)
    assert trouble.is_unreachable
    assert trouble.reason.startswith("the certificate of https://example.org/v1 is not to be trusted ([SSL: CERTIF")
