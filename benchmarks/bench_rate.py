"""`rate` against a server that answers in 50 ms: how near it comes to what the server allows, and its memory.

On a machine that is slower than that of the goals the server answers as much later.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_real import UNIT, unit
from dissensus.data import Task
from dissensus.methods.rate import rate

from timing import report

SERVER = Path(__file__).resolve().parents[1] / "tests" / "eliciting_server.py"
REQUESTS, CONCURRENCY = 2000, 32
SHARE_OF_IDEAL = 0.8
WARM = 500
"""Requests after which memory should not grow any more."""
MOST_GROWTH = 4.0
"""Megabytes, over 1,500 requests: less than 3 kilobytes each."""
TASK = Task(options=("Not toxic", "Toxic", "Very toxic"), instructions="How toxic is this comment?")


def resident_megabytes():
    """Memory of this process that is in use now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def run(url, folder):
    """Seconds of asking, seconds with all that goes before and after, and the growth of memory."""
    items = folder / "items.csv"
    items.write_text("item,text\n" + "".join(f"c{i},{'A comment of some length. ' * 10}{i}\n" for i in range(REQUESTS)))
    times, memory = [], {}

    def watch(standing):
        times.append(time.perf_counter())
        if standing.done in {WARM, REQUESTS}:
            memory[standing.done] = resident_megabytes()

    begun = time.perf_counter()
    result = rate(
        items, task=TASK, model="m", base_url=url, samples=1, concurrency=CONCURRENCY, structured="letters",
        output=folder / "out.csv", progress=watch,
    )  # fmt: skip
    whole = time.perf_counter() - begun
    if result.tallies[0].ok != REQUESTS:
        raise SystemExit(result.summary())
    return times[-1] - times[0], whole, memory[REQUESTS] - memory[WARM]


def main():
    delay = 0.05 * max(1.0, unit() / UNIT)
    server = subprocess.Popen(
        [sys.executable, SERVER, str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        url = server.stdout.readline().strip()
        runs = []
        for _ in range(5):
            with tempfile.TemporaryDirectory() as folder:
                runs.append(run(url, Path(folder)))
    finally:
        server.terminate()
        server.wait()
    asking, whole, growth = min(runs)
    # The first request is asked alone, to learn what the server takes; the clock starts with the first answer after it.
    ideal = (REQUESTS - 1 - CONCURRENCY) * delay / CONCURRENCY
    what = f"asking {REQUESTS:,} times, {CONCURRENCY} at a time / what the server allows"
    is_kept = report(what, asking, ideal, limit=1 / SHARE_OF_IDEAL)
    report("the same with reading, opening the cache and writing", whole, REQUESTS * delay / CONCURRENCY)
    is_flat = growth <= MOST_GROWTH
    verdict = "kept" if is_flat else "NOT KEPT"
    print(f"memory grew by {growth:.1f} MB over {REQUESTS - WARM:,} requests (at most {MOST_GROWTH:g}: {verdict})")
    return 0 if is_kept and is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
