"""Faults thrown at a running `dissensus serve`, and runs that are killed: what they leave must be whole."""

import contextlib
import csv
import json
import random
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

sys.path.append(str(Path(__file__).resolve().parents[1]))

from attack_cases import CELLS, VALUES, damaged, table

from dissensus.web.app import ROUTES, WORKS
from dissensus.web.pages.data import CHANGES

from collect_project import links, make_project
from eliciting_server import Asked, Says, ScriptedServer, error
from web_server import Running, form, running

SAMPLES, ITEMS = 3, 40
TASK = 'name = "t"\nkind = "single"\ninstructions = "?"\noptions = ["no", "yes"]\n'
FIELDS = (
    "bootstrap", "judge", "a", "b", "items", "raters", "effect", "question", "labels", "map", "error", "page", "sort",
    "show", "search", "place", "fixes", "up", "label", "role", "column", "file", "merge", "name", "rater", "judges_map",
    "options", "wanted", "ratings_per_item", "next", "token", "have", "says", "positive", "drop", "split", "merge_case",
    "data", "item", "scale", "repeats", "budget", "elicitation",
)  # fmt: skip
ODD = (
    *VALUES, *CELLS, "..", "../..", "%00", "NaN", '[["map", "x=y"]]', json.dumps([["map", "x" * 5000]]), "[[[]]]",
    "[" * 9000, '[["map", "=,=,"]]', "example:toxicity", "1e308",
)  # fmt: skip
JSON = (
    None, True, -1, 0, 1, 2**63, 10**30, 1e308, float("nan"), "", "x" * 9000, "\ud800", "\0", [], [0], [0, 0], [2**70],
    {}, {"a": [1]}, "answer", "skip", "undo", "a" * 32,
)  # fmt: skip
BROKEN, REFUSED = 500, 400


# ---- Faults of a server's visitors


@dataclass
class Target:
    """A server whose owner's key is known, the projects that it has, and a rater's link."""

    server: Running
    ids: list[str]
    tokens: list[str]

    def ask(self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
        """The status of the answer to the owner's browser."""
        return self.server.ask(method, path, body=body, headers={"Cookie": self.server.cookie, **(headers or {})})[0]


@contextlib.contextmanager
def _attacked(folder: Path) -> Iterator[Target]:
    project = make_project(folder, items=30, raters=3, per_item=2, elicitation="both")
    with running(is_lasting=True, request_seconds=3.0, largest_upload=8 << 20, folder=str(folder)) as server:
        server.sign_in()
        yield Target(server, ["example:toxicity", "example:binary", project.name], list(links(project).values()))


def fault_counts(rng: random.Random, number: int) -> Counter[str]:
    """How a server bears faults: each is answered or refused, and the first page is there afterwards."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _attacked(Path(folder)) as target:
        for _ in range(number):
            fault = rng.choice(FAULTS)
            try:
                status = fault(rng, target)
                answered = target.ask("GET", "/") == 200
            except (OSError, TimeoutError):
                status, answered = 0, target.server.process.poll() is None and _answers(target)
            kind = "traceback" if status == BROKEN else "answered" if 0 < status < REFUSED else "refused"
            counts[kind if answered else "hang"] += 1
        target.server.process.send_signal(signal.SIGTERM)
        said = target.server.process.communicate(timeout=60)[1]
    if "Traceback" in said or "Error" in said:
        counts["traceback"] += said.count("Traceback") or 1
        print(said, file=sys.stderr)  # noqa: T201
    return counts


def _answers(target: Target) -> bool:
    with contextlib.suppress(OSError, TimeoutError):
        return target.ask("GET", "/") == 200
    return False


def _raw(target: Target, content: bytes, *, resets: bool) -> None:
    """Send bytes and go: with a reset, as a machine that is switched off, or in good order."""
    with socket.create_connection(("127.0.0.1", target.server.port), timeout=20) as connection:
        connection.sendall(content)
        if resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _address(rng: random.Random, target: Target) -> str:
    """An address of any of our pages, about one of our projects or about none."""
    known = {
        "id": target.ids, "token": target.tokens, "change": list(CHANGES), "task": list(WORKS),
        "form": ["csv", "json", "html"], "page": ["report", "describe"], "file": ["ratings.csv", "answers.csv"],
        "name": ["app.js", "app.css"], "action": ["stop", "reopen", "link", "drop"], "slot": ["0", "9" * 5000],
        "side": ["0", "7"],
    }  # fmt: skip

    def filled(found: re.Match[str]) -> str:
        values = known[found[1]] if rng.random() < 0.9 else ODD
        return quote(rng.choice(values), errors="replace")[:6000]

    return re.sub(r"\{(\w+)(?::\w+)?\}", filled, rng.choice(ROUTES).path)


def _query(rng: random.Random) -> str:
    pairs = [(rng.choice(FIELDS), rng.choice(ODD)) for _ in range(rng.randrange(4))]
    return urlencode(pairs, errors="replace")[:7000]


def noise(rng: random.Random, target: Target) -> int:
    """Bytes that are no request."""
    _raw(target, rng.randbytes(rng.randrange(1, 4000)), resets=rng.random() < 0.5)
    return 0


def half_a_request(rng: random.Random, target: Target) -> int:
    """A request that is cut off, in its head or in its body."""
    sent = form({"ratings": ("r.csv", table(rng).encode() * 50)})
    host = f"127.0.0.1:{target.server.port}"
    head = f"POST /upload HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    head += f"Content-Type: {sent['headers']['Content-Type']}\r\n"
    whole = f"{head}Content-Length: {len(sent['body'])}\r\n\r\n".encode() + sent["body"]
    _raw(target, whole[: rng.randrange(1, len(whole))], resets=rng.random() < 0.7)
    return 0


def odd_head(rng: random.Random, target: Target) -> int:
    """A request whose head says what no browser says."""
    lines = (
        "Content-Length: -1", "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Content-Type: multipart/form-data", "Content-Type: multipart/form-data; boundary=" + "x" * 300,
        "Range: bytes=5-1", "Range: bytes=0-0,0-0,1-2", "Cookie: dissensus=" + "\xff" * 50, "Cookie: " + "a=b; " * 900,
        "Origin: http://[", "Content-Encoding: gzip", "Upgrade: websocket\r\nConnection: Upgrade", "X: " + "y" * 60_000,
        "HX-Request: true", "Host: 127.0.0.1", "If-Modified-Since: never",
    )  # fmt: skip
    path = f"{_address(rng, target)}?{_query(rng)}"
    host, method = f"127.0.0.1:{target.server.port}", rng.choice(("GET", "POST", "HEAD", "DELETE", "get"))
    chosen = "".join(f"{line}\r\n" for line in rng.sample(lines, rng.randrange(1, 4)))
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{chosen}Connection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", target.server.port), timeout=30) as connection:
        connection.sendall(head.encode("latin-1") + rng.choice((b"", b"0\r\n\r\n", b"zz\r\n", b"{}")))
        first = connection.recv(20).split()
    return int(first[1]) if len(first) > 1 and first[1].isdigit() else 0


def garbled_upload(rng: random.Random, target: Target) -> int:
    """An upload with bytes changed."""
    sent = form({rng.choice(("ratings", "judges", "items", "task", "")): ("r.csv", table(rng).encode())})
    body = bytearray(sent["body"])
    for _ in range(rng.randrange(1, 20)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return target.ask("POST", f"/upload?{_query(rng)}", body=bytes(body), headers=sent["headers"])


def hostile_file(rng: random.Random, target: Target) -> int:
    """A hostile file, uploaded well, looked at and asked about; its project stays for the faults to come."""
    name, content = damaged(rng, table(rng))
    files = {"ratings": (name, content), "judges": ("j.csv", table(rng, judges=True).encode())}
    status, headers, _ = target.server.ask("POST", "/upload", **form(files))
    where = re.fullmatch(r"/p/([^/]+)/data", headers.get("Location", ""))
    if where is None:
        return status
    target.ids.append(where[1])
    found = [target.ask("GET", f"/p/{where[1]}/{page}") for page in ("data", "results", "items", "plan/raters")]
    asked = f"/start/{rng.choice(list(WORKS))}?data={where[1]}&bootstrap=5"
    return max(status, *found, target.ask("POST", asked, headers={"HX-Request": "true"}))


def odd_address(rng: random.Random, target: Target) -> int:
    """A page with odd values in its address."""
    return target.ask("GET", f"{_address(rng, target)}?{_query(rng)}")


def odd_form(rng: random.Random, target: Target) -> int:
    """A button pressed with odd fields."""
    pairs = [(rng.choice(FIELDS), rng.choice(ODD)) for _ in range(rng.randrange(6))]
    body = urlencode(pairs, errors="replace").encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded"} | rng.choice(({}, {"HX-Request": "true"}))
    return target.ask("POST", f"{_address(rng, target)}?{_query(rng)}", body=body, headers=headers)


def odd_answer(rng: random.Random, target: Target) -> int:
    """What no rater's browser sends."""
    names = ("key", "kind", "slot", "choice", "set", "seconds", "reason")
    sent = {"key": f"{rng.getrandbits(120):030x}", "kind": rng.choice(("answer", "skip")), "slot": 0, "choice": 0}
    sent |= {rng.choice(names): rng.choice(JSON) for _ in range(rng.randrange(3))}
    body = rng.choice((*[json.dumps(sent)] * 5, json.dumps([sent]), json.dumps(sent)[:-3], "[" * 9000, "9" * 5000))
    path = f"/r/{rng.choice(target.tokens)}"
    status = target.ask("POST", path, body=body.encode(), headers={"Content-Type": "application/json"})
    is_open = target.ask("GET", f"/p/{target.ids[2]}/collect") == 200  # whatever a rater sends, the owner can go on
    return status if is_open else BROKEN


def odd_task(rng: random.Random, target: Target) -> int:
    """Long work with options that nobody has time for."""
    query = f"data={rng.choice(target.ids)}&bootstrap={rng.choice(('1000000000', '-1', 'x', '1e9'))}&{_query(rng)}"
    return target.ask("POST", f"/start/{rng.choice(list(WORKS))}?{query}", headers={"HX-Request": "true"})


def stranger(rng: random.Random, target: Target) -> int:
    """A request from another site, or under another name."""
    headers = rng.choice(({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}))
    return target.ask(rng.choice(("GET", "POST", "PUT")), _address(rng, target), headers=headers)


FAULTS: tuple[Callable[[random.Random, Target], int], ...] = (
    noise, half_a_request, odd_head, garbled_upload, hostile_file, odd_address, odd_address, odd_form, odd_form,
    odd_answer, odd_task, stranger,
)  # fmt: skip


# ---- Runs that are killed


def kill_counts(rng: random.Random, number: int, folder: Path) -> Counter[str]:
    """Kills, half of them of `rate` and half of commands that write a file; what was there must be there, or be new."""
    counts = killed_rating(rng, number - number // 2, folder)
    for _ in range(number // 2):
        counts[_killed_import(rng, folder)] += 1
    return counts


def _script(rng: random.Random) -> Callable[[Asked, int], Says]:
    """A server that has bad days."""

    def says(_asked: Asked, number: int) -> Says:
        bad = (Says(drops=True), error(500), error(429), Says(body=b"{"), Says(text="?"))
        return rng.choice(bad) if rng.random() < 0.1 else Says(text="AB"[number % 2], delay=0.01)

    return says


def killed_rating(rng: random.Random, kills: int, folder: Path) -> Counter[str]:
    """Kill `rate` until it was killed often enough, then let it end: each answer is there, once, and as it was."""
    (folder / "task.toml").write_text(TASK, encoding="utf-8")
    (folder / "items.csv").write_text(
        "item,text\n" + "".join(f"c{i},comment {i}\n" for i in range(ITEMS)), encoding="utf-8"
    )
    counts: Counter[str] = Counter()
    with ScriptedServer(_script(rng)) as server:
        while counts.total() < kills:
            (folder / "cache.sqlite").unlink(missing_ok=True)
            known: dict[str, str] = {}
            for _ in range(min(5, kills - counts.total())):
                known, end = _killed_once(rng, server, folder, known)
                counts[end] += 1
            counts["lost answer"] += _finished(server, folder, known)
    return +counts


def _command(server: ScriptedServer, folder: Path) -> list[str]:
    return [
        sys.executable, "-m", "dissensus", "rate", str(folder / "items.csv"), "--task", str(folder / "task.toml"),
        "--model", "m", "--base-url", server.url, "-o", str(folder / "out.csv"),
        "--cache", str(folder / "cache.sqlite"), "--samples", str(SAMPLES), "--quiet",
    ]  # fmt: skip


def _saved(folder: Path) -> dict[str, str]:
    with (
        contextlib.suppress(sqlite3.OperationalError),
        contextlib.closing(sqlite3.connect(folder / "cache.sqlite")) as connection,
    ):
        return dict(connection.execute("SELECT key, reply FROM answers WHERE reply IS NOT NULL"))
    return {}


def _killed_once(
    rng: random.Random, server: ScriptedServer, folder: Path, known: dict[str, str]
) -> tuple[dict[str, str], str]:
    """What is on the disk after a kill once some more answers are there, and whether all that was there still is."""
    process = subprocess.Popen(_command(server, folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wanted = len(known) + rng.randrange(0, 25)
    until = time.monotonic() + 300
    while len(_saved(folder)) < wanted and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    said = process.communicate()[1]
    found = _saved(folder)
    is_kept = all(found.get(key) == reply for key, reply in known.items())
    return found, "lost answer" if not is_kept else "traceback" if "Traceback" in said else "answered"


def _finished(server: ScriptedServer, folder: Path, known: dict[str, str]) -> int:
    """How many answers are lost, doubled or changed when a run ends in peace."""
    done = subprocess.run(_command(server, folder), capture_output=True, text=True, check=False, timeout=600)
    found = _saved(folder)
    if done.returncode:
        return 1
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["item"], row["sample"]) for row in csv.DictReader(stream)]
    changed = sum(found.get(key) != reply for key, reply in known.items())
    return changed + abs(ITEMS * SAMPLES - len(set(rows))) + len(rows) - len(set(rows))


def _killed_import(rng: random.Random, folder: Path) -> str:
    """Kill a command at any moment: the older file or the new one is there, whole, and nothing else."""
    source, out = folder / "large.csv", folder / "new.csv"
    if not source.exists():
        rows = "".join(f"i{i},r{r},{'xy'[(i * r) % 2]}\n" for i in range(40_000) for r in range(3))
        source.write_text(f"item,rater,label\n{rows}", encoding="utf-8")
    out.write_text("old", encoding="utf-8")
    words = [sys.executable, "-m", "dissensus", "import", str(source), "-o", str(out)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    part = f".{out.name}.*.part"
    while not list(folder.glob(part)) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(rng.random() * 0.05)
    process.kill()
    process.wait()
    for left in folder.glob(part):
        left.unlink()  # what a kill leaves beside it has another name
    content = out.read_text(encoding="utf-8")
    return "answered" if content in {"old", source.read_text(encoding="utf-8")} else "lost answer"
