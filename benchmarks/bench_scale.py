"""Reducing 20 million ratings to the items that differ, against a bare GROUP BY of duckdb on the same file."""

import sys
import tempfile
from pathlib import Path

import duckdb

from dissensus import describe, read_reduced

from timing import best_seconds, report

ITEMS, RATERS = 2_000_000, 10
MEMORY = "2GB"


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


def main():
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
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
