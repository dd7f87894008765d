"""An attack on every command, on the server and on `rate`; counts what did not hold.

Usage: attack.py [--files 200] [--options 200] [--faults 50] [--kills 10] [--seed 0]

A run that ends in a traceback, takes more than a minute of CPU or 2 GB, or silently reads another shape than pandas
does is kept in .cache/attack with the command that broke.
"""

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attack_cases import Case, file_cases, option_case

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache" / "attack"
SECONDS, MEGABYTES = 60.0, 2048
REFUSED, FAILED = 2, 1
GOOD = ("answered", "refused")
BAD = ("traceback", "hang", "memory", "unclear refusal", "silent difference", "control character", "lost answer")
AT_ONCE = 200
"""Cases that one process runs, one after the other."""
HARMLESS = frozenset("\n\t")


def outcome(case: Case) -> str:
    """How a command line ended, in one word; run within a process of its own, which may die."""
    out, err = io.StringIO(), io.StringIO()
    from dissensus.cli.main import main  # noqa: PLC0415 - in the process that runs the cases
    from dissensus.report.numbers import HARMFUL  # noqa: PLC0415 - as above

    as_json = case.words[0] != "import" and hash(case.words) % 4
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*case.words, *(["--json"] if as_json else [])])
    shown, said = out.getvalue(), err.getvalue()
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEGABYTES * 1024:
        return "memory"
    if status not in (0, FAILED, REFUSED):
        return "traceback"
    if set(HARMFUL.findall(shown + said)) - HARMLESS:
        return "control character"
    if status == REFUSED:
        return "refused" if said.count("\n") == 1 and not shown else "unclear refusal"
    return "silent difference" if as_json and _differs(case, shown) else "answered"


def _differs(case: Case, out: str) -> bool:
    """Whether `describe` read other numbers of items and ratings than pandas, and says nothing about it."""
    if case.people is None or case.words[0] != "describe":
        return False
    import pandas as pd  # noqa: PLC0415 - as above

    found = json.loads(out)
    if found["warnings"] or "result" not in found or "items" not in found["result"]:
        return False
    frame = pd.read_csv(case.people, dtype=str, keep_default_na=False, skip_blank_lines=True)
    if not {"item", "label"} <= set(frame.columns):
        return False
    given = frame[frame["label"].str.strip().ne("") & frame["item"].str.strip().ne("")]
    return (found["result"]["items"], found["result"]["ratings"]) != (given["item"].str.strip().nunique(), len(given))


def run_cases(cases: list[Case]) -> Counter[str]:
    """The outcomes, counted; cases that broke are kept. After a child that dies the next one goes on."""
    counts: Counter[str] = Counter()
    left = list(cases)
    while left:
        some = left[:AT_ONCE]
        ends = list(_ends(some))
        for case, end in zip(some, ends, strict=False):
            counts[end] += 1
            if end not in GOOD:
                _keep(case, end)
        left = left[len(ends) :]
    return counts


def _ends(cases: list[Case]) -> Iterator[str]:
    """How each case ended, up to one that ends the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with contextlib.suppress(BaseException), os.fdopen(writer, "w") as stream:
            for case in cases:
                os.chdir(case.folder)  # what a command writes without being told where goes with the case
                signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of CPU; it ends the process
                print(outcome(case), file=stream, flush=True)
        os._exit(0)
    os.close(writer)
    n_done = 0
    with os.fdopen(reader) as stream:
        for line in stream:
            n_done += 1
            yield line.strip()
    _, status = os.waitpid(child, 0)
    if n_done < len(cases):
        yield "hang" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF else "traceback"


def _keep(case: Case, end: str) -> None:
    target = KEPT / f"{end.replace(' ', '-')}-{case.words[0]}-{case.folder.name}"
    shutil.copytree(case.folder, target, dirs_exist_ok=True)
    words = [word.replace(str(case.folder), ".") for word in case.words]
    (target / "command.json").write_text(json.dumps(words), encoding="utf-8")


def in_folders(rng: random.Random, folder: Path, *, files: int, options: int) -> Counter[str]:
    """The outcomes of files and of options, each in a folder of its own that goes when it is done."""
    counts: Counter[str] = Counter()
    asked = ["f"] * files + ["o"] * options
    for start in range(0, len(asked), AT_ONCE):
        cases: list[Case] = []
        for number, kind in enumerate(asked[start : start + AT_ONCE], start=start):
            place = folder / f"{kind}{number}"
            place.mkdir()
            cases += file_cases(rng, place) if kind == "f" else [option_case(rng, place)]
        counts += run_cases(cases)
        for case in cases:
            shutil.rmtree(case.folder, ignore_errors=True)
        print(f"... {min(start + AT_ONCE, len(asked)):,} of {len(asked):,}: {dict(counts)}", file=sys.stderr)  # noqa: T201
    return counts


def main() -> int:
    """Attack, print the counts, and end with 1 if anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("files", 200), ("options", 200), ("faults", 50), ("kills", 10), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    from attack_servers import fault_counts, kill_counts  # noqa: PLC0415 - with the extras, if they are wanted

    rng = random.Random(asked.seed)  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as folder:
        counts = in_folders(rng, Path(folder), files=asked.files, options=asked.options)
        counts += fault_counts(rng, asked.faults) if asked.faults else Counter()
        counts += kill_counts(rng, asked.kills, Path(folder)) if asked.kills else Counter()
    print(f"{counts.total():,} tried:", ", ".join(f"{counts[end]:,} {end}" for end in (*GOOD, *BAD)))  # noqa: T201
    broken = {end: number for end, number in counts.items() if end not in GOOD}
    if broken:
        print(f"Broken: {broken}. The cases are in {KEPT.relative_to(ROOT)}.", file=sys.stderr)  # noqa: T201
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
