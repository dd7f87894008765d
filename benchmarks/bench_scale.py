"""Many items: 20 million ratings against a bare GROUP BY of duckdb on the same file, and a million items in memory.

With a million items the slowest questions must take at most 60 s of a machine that imports numpy and duckdb in .147 s,
at most 4 GB, and hardly more than ten times what they take with a hundred thousand. `python bench_scale.py decide
100000` asks one question of so many items.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

from bench_real import UNIT, unit
from dissensus import compare, decide, describe, equivalence, read_reduced
from dissensus import judges as rank_judges
from populations import drawn

from timing import best_seconds, report

ITEMS, RATERS = 2_000_000, 10
MEMORY = "2GB"
QUESTIONS = {
    "equivalence": equivalence,
    "judges": lambda ratings, judges: rank_judges(ratings, judges, positive=ratings.labels[0]),
    "compare": compare,
    "decide": decide,
}
MANY, FEWER = 1_000_000, 100_000
SIZES = {"raters": 5, "labels": 3, "judges": 3, "samples": 5}
"""So many answers that hardly two items are the same to all judges, and equal ones cannot be put together."""
SECONDS, GIGABYTES, GROWTH = 60.0, 4.0, 1.3


def write(path):
    connection = duckdb.connect()
    connection.execute(
        "COPY (SELECT 'item' || i AS item, 'rater' || ((i * 7919 + r * 2003) % 20021) AS rater, "
        "CASE WHEN hash(i * 1000003 + r) % 1000 < hash(i) % 1001 THEN 'yes' ELSE 'no' END AS label "
        f"FROM range({ITEMS}) t(i), range({RATERS}) s(r)) TO '{path}' (FORMAT parquet)"
    )


def bare(path):
    with tempfile.TemporaryDirectory() as spill:
        connection = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": spill})
        counted = f"SELECT item, label, count(*) AS n FROM '{path}' GROUP BY item, label"
        return connection.execute(f"SELECT count(*), sum(n) FROM ({counted})").fetchall()


def described(path, **options):
    ratings, _ = read_reduced(path, memory=MEMORY, **options)
    return describe(ratings, bootstrap=0)


def asked(question, items):
    """Ask one question in this process: its processor seconds, and the most memory that the process took, in GB."""
    ratings, judges = drawn(np.random.default_rng(0), items=items, **SIZES)
    start = time.process_time()
    QUESTIONS[question](ratings, judges)
    seconds = time.process_time() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))


def a_million_items(question):
    """Whether the question keeps to its seconds, memory and growth."""
    answers = []
    for items in (FEWER, MANY):
        command = [sys.executable, __file__, question, str(items)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        answers.append(json.loads(done.stdout.splitlines()[-1]))
    (fewer, _), (seconds, memory) = answers
    print(f"{question}, {MANY:,} items: {memory:.1f} GB (at most {GIGABYTES:g})")
    what, allowed = f"{question}, {MANY:,} items / ", unit() * SECONDS / UNIT
    return [
        report(f"{what}{SECONDS:g} s of an idle machine", seconds, allowed, limit=1),
        report(f"{what}{MANY // FEWER} times {FEWER:,}", seconds, fewer * MANY / FEWER, limit=GROWTH),
        memory <= GIGABYTES,
    ]


def main():
    if len(sys.argv) > 1:
        return asked(sys.argv[1], int(sys.argv[2]))
    kept = [against_a_bare_count()]
    for question in QUESTIONS:
        kept += a_million_items(question)
    return 0 if all(kept) else 1


def against_a_bare_count():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        write(path)
        theirs = best_seconds(lambda: bare(path), times=3)
        ours = best_seconds(lambda: described(path, repeats="keep"), times=3)
        kept = report("describe 20 million ratings / bare GROUP BY item, label", ours, theirs, limit=1.5)
        for what, seconds in (("we", ours), ("the bare GROUP BY", theirs)):
            print(f"  {what}: {ITEMS * RATERS / seconds:,.0f} ratings per second")
        checked = best_seconds(lambda: described(path), times=2)
        report("  and check that nobody rated an item twice, which it does not", checked, theirs)
    return kept


if __name__ == "__main__":
    sys.exit(main())
