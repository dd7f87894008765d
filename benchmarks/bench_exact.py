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

SEEDS, SAMPLES = ("0", "1"), "500"
APART = 0.1
"""Of the width of the interval."""
OPTIONS = {"vader_tweets": ([], ["--score", "cross-entropy"])}
"""Nine labels by twenty people: by default they are numbers, whose correlation needs no surveys."""


def answered(folder, samples, *options):
    """What the command answers, and its processor seconds; no answer where the data cannot give one."""
    files = [str(next(folder.glob("ratings.*"))), str(folder / "judges.csv"), *ONLY.get(folder.name, [])]
    start = processor_seconds()
    command = [sys.executable, "-m", "dissensus", "equivalence", *files, "--bootstrap", samples, "--json", "--quiet"]
    done = subprocess.run([*command, *options], capture_output=True, check=False)
    answer = json.loads(done.stdout)["result"] if done.returncode == 0 else None
    return answer, processor_seconds() - start


def compared(folder, samples, *options):
    """Whether the quick way is near enough; also where the data cannot answer."""
    (quick, ours), (exact, theirs) = (answered(folder, samples, *options, *more) for more in ((), (EXACTLY,)))
    what = " ".join([f"{folder.name}, {samples} samples", *options])
    if quick is None or exact is None:
        print(f"{what}: these data cannot answer it")
        return quick is exact
    apart = furthest(quick, exact)
    return report(f"{what} / {EXACTLY}", ours, theirs, against=EXACTLY, difference=apart, tolerance=APART)


def furthest(ours, theirs):
    """The largest difference of two answers, in widths of the interval around it."""
    most = max((point["raters"] for point in theirs["curve"]), default=0)
    both = zip(ours["curve"] + ours["judges"], theirs["curve"] + theirs["judges"], strict=True)
    # A size of too many surveys for --exact, too, has its standard error, which is larger than that of the quick way.
    found = [(scores_of(mine), scores_of(other)) for mine, other in both if other.get("standard_error") is None]
    judges = zip(ours["judges"], theirs["judges"], strict=True)
    found += [(worth_of(mine, most), worth_of(other, most)) for mine, other in judges]
    return max(off_by(*pair) for pair in found)


def scores_of(row):
    return [row[name] for name in ("score", "low", "high")]


def worth_of(judge, most):
    """A judge's worth and its ends; one beyond the curve counts as the curve's end."""
    names = (("equivalence", "verdict"), ("equivalence_low", "low_verdict"), ("equivalence_high", "high_verdict"))
    beyond = {True: 0.0, False: float(most)}
    return [
        judge[value] if judge[value] is not None else beyond[judge[verdict] == "below 0"] for value, verdict in names
    ]


def off_by(ours, theirs):
    """Of a value and the ends of its interval."""
    apart = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    width = theirs[2] - theirs[1]
    return apart / width if width > 0 else math.inf if apart else 0.0


def main(words):
    if not SHARED.exists():
        print("Skipped: the folder with real ratings is not here.")
        return 0
    samples = next((word for word in words if word.isdigit()), SAMPLES)
    names = [word for word in words if not word.isdigit()] or [path.name for path in SHARED.iterdir()]
    kept = []
    for folder in sorted(path.parent for path in SHARED.glob("*/judges.csv")):
        for options in OPTIONS.get(folder.name, ([],)) if folder.name in names else ():
            kept += [compared(folder, samples, *options, "--seed", seed) for seed in SEEDS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
