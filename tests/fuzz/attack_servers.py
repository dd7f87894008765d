"""Faults thrown at a running `dissensus serve`, and runs that are killed: what they leave must be whole."""

import contextlib
import csv
import random
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

sys.path.append(str(Path(__file__).resolve().parents[1]))

from attack_cases import CELLS, VALUES, damaged, table

from eliciting_server import Asked, Says, ScriptedServer, error
from web_server import Running, form, running

SAMPLES, ITEMS = 3, 40
TASK = 'name = "t"\nkind = "single"\ninstructions = "?"\noptions = ["no", "yes"]\n'
PAGES = ("/", "/data", "/report", "/judges", "/compare", "/plan/labels/answer", "/plan/raters/answer", "/explain/x")
TASKS = ("report", "decide", "describe", "judges", "equivalence", "compare", "check", "x")
BROKEN = 500


# ---- Faults of a server's visitors


def fault_counts(rng: random.Random, number: int) -> Counter[str]:
    """How a server bears faults: each is answered or refused, and the first page is there afterwards."""
    counts: Counter[str] = Counter()
    with running(is_lasting=True, request_seconds=3.0, largest_upload=8 << 20) as server:
        for _ in range(number):
            fault = rng.choice(FAULTS)
            try:
                status = fault(rng, server)
                answered = server.ask("GET", "/")[0] == 200
            except (OSError, TimeoutError):
                status, answered = 0, server.process.poll() is None and _answers(server)
            counts["hang" if not answered else "traceback" if status == BROKEN else "refused"] += 1
        server.process.send_signal(signal.SIGTERM)
        said = server.process.communicate(timeout=60)[1]
    if "Traceback" in said or "Error" in said:
        counts["traceback"] += said.count("Traceback") or 1
        print(said, file=sys.stderr)  # noqa: T201
    return counts


def _answers(server: Running) -> bool:
    with contextlib.suppress(OSError, TimeoutError):
        return server.ask("GET", "/")[0] == 200
    return False


def _raw(server: Running, content: bytes, *, resets: bool) -> None:
    """Send bytes and go: with a reset, as a machine that is switched off, or in good order."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(content)
        if resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def noise(rng: random.Random, server: Running) -> int:
    """Bytes that are no request."""
    _raw(server, rng.randbytes(rng.randrange(1, 4000)), resets=rng.random() < 0.5)
    return 0


def half_a_request(rng: random.Random, server: Running) -> int:
    """A request that is cut off, in its head or in its body."""
    sent = form({"ratings": ("r.csv", table(rng).encode() * 50)})
    kind = sent["headers"]["Content-Type"]
    host = f"127.0.0.1:{server.port}"
    head = f"POST /data HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: {kind}\r\n"
    whole = f"{head}Content-Length: {len(sent['body'])}\r\n\r\n".encode() + sent["body"]
    _raw(server, whole[: rng.randrange(1, len(whole))], resets=rng.random() < 0.7)
    return 0


def garbled_upload(rng: random.Random, server: Running) -> int:
    """An upload with bytes changed."""
    sent = form({"ratings": ("r.csv", table(rng).encode())})
    body = bytearray(sent["body"])
    for _ in range(rng.randrange(1, 20)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return server.ask("POST", "/data", body=bytes(body), headers=sent["headers"])[0]


def hostile_file(rng: random.Random, server: Running) -> int:
    """A hostile file, uploaded well, looked at and asked about."""
    name, content = damaged(rng, table(rng))
    files = {"ratings": (name, content), "judges": ("j.csv", table(rng, judges=True).encode())}
    status, headers, _ = server.ask("POST", "/data", **form(files))
    where = headers.get("Location", "/")
    found = [status, server.ask("GET", where)[0]]
    query = where.partition("?")[2]
    task = rng.choice(TASKS)
    found.append(server.ask("POST", f"/start/{task}?{query}&bootstrap=5", headers={"HX-Request": "true"})[0])
    return max(found)


def odd_address(rng: random.Random, server: Running) -> int:
    """A page with odd values in its address."""
    names = ("data", "bootstrap", "judge", "a", "b", "items", "raters", "effect", "question", "labels", "map", "error")
    values = [quote(rng.choice((*VALUES, *CELLS)), errors="replace")[:4000] for _ in range(3)]
    query = "&".join(f"{rng.choice(names)}={value}" for value in values)
    page = rng.choice(PAGES)
    return server.ask("GET", f"{page}?data=example:toxicity&{query}")[0]


def odd_task(rng: random.Random, server: Running) -> int:
    """Long work with options that nobody has time for."""
    query = f"data=example:binary&bootstrap={rng.choice(('1000000000', '-1', 'x', '1e9'))}"
    return server.ask("POST", f"/start/{rng.choice(TASKS)}?{query}", headers={"HX-Request": "true"})[0]


def stranger(rng: random.Random, server: Running) -> int:
    """A request from another site, or under another name."""
    headers = rng.choice(({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}))
    return server.ask(rng.choice(("GET", "POST", "PUT")), rng.choice(PAGES), headers=headers)[0]


FAULTS: tuple[Callable[[random.Random, Running], int], ...] = (
    noise, half_a_request, half_a_request, garbled_upload, hostile_file, odd_address, odd_task, stranger,
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
    with contextlib.suppress(sqlite3.OperationalError), sqlite3.connect(folder / "cache.sqlite") as connection:
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
