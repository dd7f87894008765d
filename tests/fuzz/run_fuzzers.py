"""Fuzz every target, each for a while; inputs that raise anything but a DissensusError are kept.

Usage: run_fuzzers.py [--seconds 60] [TARGET ...]
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from targets import ROOT, TARGETS

CACHE = ROOT / ".cache" / "fuzz"
SLOWEST_INPUT = 30
"""Seconds after which an input counts as a hang."""
MEGABYTES = 4096


def main() -> int:
    """Run the targets; 1 if one of them broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(TARGETS)}; all if none")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    asked = parser.parse_args()
    unknown = set(asked.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}: choose from {', '.join(TARGETS)}")
    broken = [name for name in asked.targets or TARGETS if not holds(name, asked.seconds)]
    if broken:
        print(f"Broken: {', '.join(broken)}. The inputs are in {CACHE.relative_to(ROOT)}/crashes.", file=sys.stderr)  # noqa: T201 - a script prints
    return int(bool(broken))


def holds(name: str, seconds: int) -> bool:
    """Fuzz one target and say how it went."""
    corpus, crashes, log = CACHE / "corpus" / name, CACHE / "crashes", CACHE / f"{name}.log"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in TARGETS[name].seeds():
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    options = [
        f"-max_total_time={seconds}", f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={crashes}/{name}-", "-print_final_stats=1", "-seed=1", "-max_len=40000",
    ]  # fmt: skip
    with log.open("wb") as out:
        ran = subprocess.run(
            [sys.executable, Path(__file__).with_name("fuzz_one.py"), name, *options, corpus],
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
    text = log.read_text(encoding="utf-8", errors="replace")
    runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
    points = re.findall(r"cov: (\d+)", text)
    inputs = f"{int(runs[-1]):,} inputs" if runs else "ended early"
    outcome = "holds" if ran.returncode == 0 else "BROKEN"
    print(f"{name:8} {outcome}: {inputs}, {points[-1] if points else '?'} places reached", flush=True)  # noqa: T201 - as above
    if ran.returncode:
        print(what_happened(text), file=sys.stderr)  # noqa: T201 - as above
    return ran.returncode == 0


def what_happened(log: str) -> str:
    """The traceback, or the end of the log where the process was killed, and which file has the input."""
    raised = re.search(r"(Traceback \(most recent call last\):\n(?: .*\n)*.*)", log)
    kept = re.findall(r"Test unit written to (\S+)", log)
    said = raised[1] if raised else "\n".join(log.splitlines()[-15:])
    return "\n".join([said, *(f"Kept as {Path(path).relative_to(ROOT)}" for path in kept)])


if __name__ == "__main__":
    sys.exit(main())
