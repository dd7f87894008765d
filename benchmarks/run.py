"""Run the benchmarks, all or those whose names contain a word; a full run writes the page and the history.

python benchmarks/run.py                all of them
python benchmarks/run.py growth scale   bench_growth.py and bench_scale.py; nothing is written
"""

import datetime as dt
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dissensus
from benchmark_history import append, changes, line_of, runs
from benchmark_page import page
from recording import FILE, recorded

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"
HISTORY = HERE / "history.jsonl"
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
"""Linear algebra on one thread, ours and theirs: waiting threads would count as work where the machine is busy."""
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""With it, a fresh checkout would compile every module at each start, which no user's installation does."""
SLOWER = 1.5
"""A ratio that grew by more than this since the last run is named; it fails nothing, for it may be the machine."""


def chosen(words):
    """The scripts to run."""
    scripts = sorted(HERE.glob("bench_*.py"))
    return [path for path in scripts if not words or any(word in path.stem for word in words)]


def about():
    """When and where this run was made."""
    return {
        "version": dissensus.__version__,
        "commit": commit(),
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def commit():
    """The commit that is checked out, where git knows."""
    command = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def run_all(scripts, records):
    """The names of scripts that did not end well."""
    missed = []
    for script in scripts:
        print(f"Running {script.relative_to(HERE.parent)}", flush=True)
        start = time.perf_counter()
        environment = {**os.environ, **ONE_THREAD, FILE: str(records)}
        environment.pop(NO_BYTECODE, None)
        done = subprocess.run([sys.executable, str(script)], env=environment, check=False)
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)
        missed += [script.name] if done.returncode else []
    return missed


def publish(figures, where):
    """Write the page and the history, and say what became slower."""
    PAGE.write_text(page(figures, where), encoding="utf-8")
    line, before = line_of(figures, where), runs(HISTORY)
    for name, then, now in changes(before[-1], line, factor=SLOWER) if before else []:
        print(f"Slower than on {before[-1]['date']}: {name}: ratio {then:g}, now {now:g}")
    append(HISTORY, line)
    print(f"Wrote {PAGE.relative_to(HERE.parent)} and a line of {HISTORY.relative_to(HERE.parent)}")


def main(words):
    scripts, where = chosen(words), about()
    if not scripts:
        print(f"No benchmark is named like {' or '.join(words)}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.jsonl"
        missed = run_all(scripts, records)
        if not words:
            publish(recorded(records), where)
    if missed:
        print(f"Not kept: {' '.join(missed)}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
