"""What it costs to treat raters as a sample: whole commands with `--raters sampled` against the same with `fixed`.

On the real data beside the checkout, where they are, else on bundled data. Seconds are of the processor, start-up
included, as somebody at a terminal pays them.
"""

import resource
import subprocess
import sys
from pathlib import Path

from timing import report

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("convabuse", "dices_350", "mtbench_pairs", "vader_tweets", "wiki_attacks")
COMMANDS = ("describe", "equivalence", "judges", "compare")
MOST = 2.0


def inputs():
    """Name, ratings and judges of each data set."""
    for name in SETS:
        files = sorted((SHARED / name).glob("ratings.csv*"))
        if files:
            yield name, str(files[0]), str(SHARED / name / "judges.csv")
    if not SHARED.exists():
        yield "toxicity", "example:toxicity", "example:toxicity"


def seconds(command, ratings, judges, raters):
    """Processor time of one command; None if it refuses the data."""
    files = [ratings] if command == "describe" else [ratings, judges]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call = [sys.executable, "-m", "dissensus", command, *files, "--raters", raters, "--json", "--quiet"]
    done = subprocess.run(call, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken if done.returncode == 0 else None


def main():
    kept = []
    for name, ratings, judges in inputs():
        for command in COMMANDS:
            fixed = seconds(command, ratings, judges, "fixed")
            sampled = seconds(command, ratings, judges, "sampled")
            if fixed is not None and sampled is not None:
                kept.append(report(f"{command} {name}: raters sampled / fixed", sampled, fixed, limit=MOST))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
