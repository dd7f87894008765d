"""What the benchmarks of one run found: each figure is a line of JSON in a file that run.py names."""

import json
import os
from pathlib import Path

FILE = "DISSENSUS_BENCH_RECORDS"


def record(kind, **figures):
    """Keep a figure for the page and the history; a benchmark that is run by itself keeps nothing."""
    path = os.environ.get(FILE)
    if path:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"kind": kind, **figures}) + "\n")


def recorded(path):
    """Every figure of the run, in the order in which they were found."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]
