"""Every goal in seconds on the real ratings beside the checkout, in units of a bare import in the same run.

A goal of 3 s is 3 s of processor time on a machine that imports numpy and duckdb in .147 s: a slower or busier machine
takes longer for both. Commands run as a user types them, start-up included. `python bench_real.py dices_350 panel` for
one data set or one command, `bars` for progress bars, which must not stand still.
"""

import itertools
import os
import pty
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import best_seconds, processor_seconds, report

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
UNIT = 0.147
"""Seconds of processor time that importing numpy and duckdb takes on the machine of the goals, when it is idle."""
GOALS = {"equivalence": 5.0, "equivalence --raters sampled": 10.0, "report": 10.0, "panel": 5.0, "plan raters": 3.0}
TIGHTER = {"vader_tweets": 3.0, "dices_350": 3.0}
"""Goals of `equivalence`; with raters as a sample twice that."""
ONLY = {"ambient_nli": ["--only", "forced_choice"]}
"""Its experts answered otherwise."""
REFUSED = 2
"""Exit status where the data cannot answer the question."""


def commands(folder, page):
    """Each command with its goal in seconds."""
    ratings = next(folder.glob("ratings.*"))
    judges = [str(path) for path in folder.glob("judges.csv")]
    files, only = [str(ratings), *judges], ONLY.get(folder.name, [])
    alone = TIGHTER.get(folder.name, GOALS["equivalence"])
    yield "equivalence", alone, ["equivalence", *files, *only, "--raters", "fixed"]
    yield "equivalence --raters sampled", 2 * alone, ["equivalence", *files, *only]
    yield "report", GOALS["report"], ["report", *files, "-o", str(page)]
    if judges:
        yield "panel", GOALS["panel"], ["panel", *files, *only]
        pilot = ["plan", "raters", "--pilot", files[0], "--pilot-judges", files[1]]
        yield "plan raters", GOALS["plan raters"], pilot + two_judges(Path(files[1]))


def two_judges(path):
    """The first two judges of a file, to plan for."""
    with path.open(encoding="utf-8") as lines:
        place = next(lines).rstrip("\n").split(",").index("judge")
        names = list(dict.fromkeys(line.split(",")[place] for line in lines))
    return ["--a", names[0], "--b", names[1]] if len(names) > 1 else []


def run(command):
    done = subprocess.run(
        [sys.executable, "-m", "dissensus", *command, "--quiet"], capture_output=True, text=True, check=False
    )
    return done.returncode


STILL = 2.0
"""Seconds for which a progress bar may stand still."""


def longest_silence(command):
    """Seconds for which nothing on the terminal moved between the first sign of a progress bar and the last."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dissensus", *command],
        stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    times = []
    while written(ours):
        times.append(time.monotonic())
    os.close(ours)
    process.wait()
    return max((after - before for before, after in itertools.pairwise(times)), default=float("inf"))


def written(terminal):
    """What was written; nothing once the other end is closed."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def bars_move(folder, page):
    """Whether the bars of the slowest commands move all the time, on a terminal."""
    files = [str(next(folder.glob("ratings.*"))), str(folder / "judges.csv")]
    commands = {"equivalence": [], "decide": [], "report": ["-o", str(page)]}
    waited = {name: longest_silence([name, *files, *more]) for name, more in commands.items()}
    allowed = STILL * unit() / UNIT
    return [
        report(f"{folder.name}, {name}: longest stand of the bar / {STILL:g} s", seconds, allowed, limit=1.0)
        for name, seconds in waited.items()
    ]


def unit():
    """What the machine takes now for what takes .147 s on the machine of the goals."""
    bare = [sys.executable, "-c", "import numpy, duckdb"]
    return best_seconds(lambda: subprocess.run(bare, check=True), times=3, clock=processor_seconds)


def main(words):
    if not SHARED.exists():
        print("Skipped: the folder with real ratings is not here.")
        return 0
    kept = []
    with tempfile.TemporaryDirectory() as place:
        for folder in sorted(path for path in SHARED.iterdir() if path.is_dir()):
            for name, goal, command in commands(folder, Path(place) / "report.html"):
                if words and not {folder.name, *name.split()} & set(words):
                    continue
                start = processor_seconds()
                status = run(command)
                seconds = processor_seconds() - start
                if status == REFUSED:
                    print(f"{folder.name}, {name}: these data cannot answer it, said after {seconds:.1f} s")
                    continue
                what = f"{folder.name}, {name} / {goal:g} s of an idle machine"
                kept.append(report(what, seconds, unit() * goal / UNIT, limit=1.0) and status == 0)
            if folder.name in TIGHTER and (not words or {folder.name, "bars"} & set(words)):
                kept += bars_move(folder, Path(place) / "report.html")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
