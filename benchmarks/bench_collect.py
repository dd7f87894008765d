"""Raters who answer at the same time: how long an answer takes to be saved.

Run it on a machine that does nothing else: `python benchmarks/bench_collect.py [raters] [seconds]`. A hundred raters
who answer every 2 s must have 95% of their answers saved within 100 ms.
"""

import asyncio
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

from dissensus import collect
from dissensus.data.collection import Collection

SERVER = """
import sys
from dissensus.web.server import serve
from dissensus.web.guard import Settings
serve(Settings(port=0, folder=sys.argv[1]), opens=False, say=lambda text: print(text, flush=True))
"""
EVERY = 2.0


def make(place, raters, items):
    with (place / "items.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["item", "text"], *([f"i{i}", f"Comment {i} " * 20] for i in range(items))])
    (place / "task.toml").write_text('options = ["No", "Yes"]\nelicitation = "both"\n', encoding="utf-8")
    folder = place / "project"
    collect(
        place / "items.csv", task=place / "task.toml", output=folder, raters=raters, ratings_per_item=3, bootstrap=0
    )
    return folder


async def rate(client, token, seconds, times):
    rng = random.Random(token)  # noqa: S311 - when somebody clicks
    await asyncio.sleep(rng.random() * EVERY)
    end, slot = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        choice = rng.randrange(2)
        message = {"key": f"{rng.getrandbits(64):x}", "kind": "answer", "slot": slot, "choice": choice, "set": [0, 1]}
        begun = time.perf_counter()
        answer = await client.post(f"/r/{token}", json=message)
        times.append(time.perf_counter() - begun)
        assert answer.status_code == 200, answer.text  # noqa: S101
        slot += 1
        await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - begun)))


async def run(url, tokens, seconds):
    times = []
    limits = httpx.Limits(max_connections=len(tokens), max_keepalive_connections=len(tokens))
    async with httpx.AsyncClient(base_url=url, headers={"Origin": url}, limits=limits, timeout=30) as client:
        await asyncio.gather(*(rate(client, token, seconds, times) for token in tokens))
    return np.array(times) * 1000


def cpu_seconds(pid):
    """What a process has used so far."""
    used = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[13:15]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def main(raters=100, seconds=60):
    with tempfile.TemporaryDirectory() as place:
        folder = make(Path(place), raters, raters * int(seconds / EVERY + 2) // 3 + 1)
        with Collection(folder) as collection:
            tokens = [rater.token for rater in collection.standing.raters.values()]
        server = subprocess.Popen([sys.executable, "-c", SERVER, str(folder)], stdout=subprocess.PIPE, text=True)
        url = "http://127.0.0.1:" + server.stdout.readline().split("127.0.0.1:")[1].split("/")[0]
        before = cpu_seconds(server.pid)
        times = asyncio.run(run(url, tokens, seconds))
        used = cpu_seconds(server.pid) - before
        server.terminate()
        print(f"{len(times):,} answers of {raters} raters in {seconds} s")
        print("ms: median {:.0f}, 95% {:.0f}, 99% {:.0f}, most {:.0f}".format(*np.percentile(times, [50, 95, 99, 100])))
        print(f"CPU of the server: {1000 * used / len(times):.1f} ms for each; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
