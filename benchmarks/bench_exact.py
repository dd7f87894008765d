"""The quick way of `equivalence` against `--exact` on the real ratings beside the checkout, at two seeds each.

Every point of the curve, every judge's score and worth in raters, and both ends of their intervals: how far apart they
are in widths of the interval. `python bench_exact.py 500 vader_tweets` for so many bootstrap samples and one data set.
"""

import json
import math
import subprocess
import sys

from bench_real import ONLY, SHARED
from benchmark_page import EXACTLY

from timing import processor_seconds, report

SEEDS, SAMPLES = (0, 1), "100"
APART = 0.1
"""Of the width of the interval."""
ENDS = {"score": ("low", "high"), "equivalence": ("equivalence_low", "equivalence_high")}


def answered(folder, samples, *options):
    """What the command answers, and its processor seconds; no answer where the data cannot give one."""
    files = [str(next(folder.glob("ratings.*"))), str(folder / "judges.csv"), *ONLY.get(folder.name, [])]
    start = processor_seconds()
    command = [sys.executable, "-m", "dissensus", "equivalence", *files, "--bootstrap", samples, "--json", "--quiet"]
    done = subprocess.run([*command, *options], capture_output=True, check=False)
    answer = json.loads(done.stdout)["result"] if done.returncode == 0 else None
    return answer, processor_seconds() - start


def furthest(ours, theirs):
    """The largest difference of two answers, in widths of the interval around it."""
    rows = list(zip(ours["curve"] + ours["judges"], theirs["curve"] + theirs["judges"], strict=True))
    return max(off_by(*pair, name) for pair in rows for name in ENDS if name in pair[0])


def off_by(ours, theirs, name):
    """Of a value and its ends, where both answers have them: a worth may be beyond the curve."""
    names = [name, *ENDS[name]]
    low, high = (theirs[end] for end in ENDS[name])
    if low is None or high is None or not high > low:
        return 0.0 if ours[name] == theirs[name] else math.inf
    pairs = [(ours[each], theirs[each]) for each in names]
    if any((one is None) != (other is None) for one, other in pairs):
        return math.inf
    return max(abs(one - other) for one, other in pairs if one is not None) / (high - low)


def main(words):
    if not SHARED.exists():
        print("Skipped: the folder with real ratings is not here.")
        return 0
    samples = next((word for word in words if word.isdigit()), SAMPLES)
    names = [word for word in words if not word.isdigit()]
    kept = []
    for folder in sorted(path.parent for path in SHARED.glob("*/judges.csv")):
        for seed in SEEDS if not names or folder.name in names else ():
            quick, ours = answered(folder, samples, "--seed", str(seed))
            exact, theirs = answered(folder, samples, "--seed", str(seed), "--exact")
            if quick is None or exact is None:
                print(f"{folder.name}: these data cannot answer it")
                break
            what, apart = f"{folder.name}, {samples} samples, seed {seed} / {EXACTLY}", furthest(quick, exact)
            kept.append(report(what, ours, theirs, against=EXACTLY, difference=apart, tolerance=APART))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
