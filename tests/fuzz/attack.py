"""An attack on every command, on the server and on `rate`; counts what did not hold.

Usage: attack.py [--files 200] [--options 200] [--faults 50] [--kills 10] [--seed 0] [--minutes 60]

A run that ends in a traceback, takes more than a minute of CPU or 2 GB, or silently reads another shape than pandas
does is kept in .cache/attack with the command that broke. The runs of a file are made by a process of their own, forked
from one that has everything imported; one in two hundred is made again by a new interpreter, and must say the same.
"""

import argparse
import gc
import importlib
import json
import os
import pkgutil
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attack_cases import Case, file_cases, option_case

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache" / "attack"
SECONDS, WAITED, MEGABYTES = 60, 600, 2048
ROOM = 8 << 30
"""Bytes at which a run is refused more, so that the machine bears what takes more than it may."""
REFUSED, FAILED, CRASHED = 2, 1, 3
GOOD = ("answered", "refused")
BAD = (
    "traceback", "hang", "memory", "unclear refusal", "silent difference", "control character", "lost answer",
    "warning of Python",
    "other in a new interpreter",
)  # fmt: skip
AT_ONCE = 50
"""Folders that are there at a time."""
IN_A_PROCESS = 23
CONTROL = 200
"""One run of so many is made by a new interpreter, too."""
HARMLESS = frozenset("\n\t")
OF_PYTHON = re.compile(r"^\S+\.py:\d+: \w*Warning: ", re.MULTILINE)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its status (negative for a signal), its largest memory in KB, and what it printed."""

    status: int
    memory: int
    out: str
    err: str


def get_ready() -> None:
    """Import all that a command may need, so that forks have it; nothing is run, so no thread is there to be lost."""
    import dissensus  # noqa: PLC0415 - as long as `--help` takes

    for module in pkgutil.walk_packages(dissensus.__path__, "dissensus."):
        if module.name.split(".")[1] in {"cli", "data", "methods", "report", "sampling", "simulation"}:
            importlib.import_module(module.name)
    for name in ("pandas", "duckdb", "openpyxl", "yaml", "scipy.stats"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def forked(commands: Sequence[tuple[Sequence[str], Path]]) -> Iterator[Ended]:
    """How commands ended, one after the other in a fork of this process, up to one that ends it."""
    with tempfile.TemporaryDirectory() as place:
        child = os.fork()
        if not child:
            try:
                os.setsid()
                for number, (words, folder) in enumerate(commands):
                    _run(Path(place, str(number)), words, folder)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # workers that outlived it
        for number, _ in enumerate(commands):
            out, err, end = (Path(place, f"{number}{kind}") for kind in (".out", ".err", ".end"))
            said = [path.read_bytes().decode("utf-8", "backslashreplace") for path in (out, err)]
            if not end.exists():
                yield Ended(os.waitstatus_to_exitcode(status) or CRASHED, 0, *said)
                return
            yield Ended(*map(int, end.read_text().split()), *said)


def _run(place: Path, words: Sequence[str], folder: Path) -> None:
    """Run a command here; what it prints, its status and its memory go to files."""
    os.chdir(folder)  # what a command writes without being told where goes with the case
    for number, kind in ((1, ".out"), (2, ".err")):
        handle = os.open(place.with_name(place.name + kind), os.O_WRONLY | os.O_CREAT)
        os.dup2(handle, number)
        os.close(handle)
    _bounded()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the largest memory so far is forgotten
    status = CRASHED
    try:
        status = importlib.import_module("dissensus.cli.main").main(list(words))
    except BaseException:  # noqa: BLE001 - it is counted
        os.write(2, traceback.format_exc().encode(errors="replace"))
    sys.stdout.flush()
    sys.stderr.flush()
    used = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    place.with_name(place.name + ".end").write_text(f"{status} {used[1]}", encoding="ascii")


def _bounded() -> None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of CPU; both end the process
    signal.alarm(WAITED)
    resource.setrlimit(resource.RLIMIT_DATA, (ROOM, ROOM))  # drawings reserve more addresses than they use
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def in_new_interpreter(words: Sequence[str], folder: Path) -> Ended:
    """Run a command as a shell does."""
    typed = [sys.executable, "-m", "dissensus", *words]
    done = subprocess.run(typed, cwd=folder, capture_output=True, check=False, timeout=WAITED, preexec_fn=_bounded)
    said = (stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))
    return Ended(done.returncode, 0, *said)


def outcomes(cases: Sequence[Case]) -> Iterator[str]:
    """How command lines ended, each in one word, up to one that ends the process."""
    numbers = [_number(case) for case in cases]
    as_json = [case.words[0] != "import" and number % 4 > 0 for case, number in zip(cases, numbers, strict=True)]
    typed = [[*case.words, *["--json"] * wanted] for case, wanted in zip(cases, as_json, strict=True)]
    ends = forked([(words, case.folder) for words, case in zip(typed, cases, strict=True)])
    for ended, case, words, number in zip(ends, cases, typed, numbers, strict=False):
        fault = _fault(ended)
        if not fault and number % CONTROL == 0 and not case.writes and "\0" not in "".join(words):
            again = in_new_interpreter(words, case.folder)
            is_same = (again.status, again.out, again.err) == (ended.status, ended.out, ended.err)
            fault = "" if is_same else "other in a new interpreter"
        if not fault and words[-1] == "--json" and ended.status == 0 and _differs(case, ended.out):
            fault = "silent difference"
        yield fault or ("refused" if ended.status == REFUSED else "answered")


def _number(case: Case) -> int:
    """A number that is the same whenever this case is made."""
    return zlib.crc32("\0".join(case.words).replace(str(case.folder), "").encode(errors="replace"))


def _fault(ended: Ended) -> str:
    """What is wrong with how a command ended, if anything is."""
    from dissensus.report.numbers import HARMFUL  # noqa: PLC0415 - as above

    if ended.status in (-signal.SIGPROF, -signal.SIGALRM, -signal.SIGKILL):
        return "hang"
    if ended.memory > MEGABYTES * 1024 or "not enough memory" in ended.err:
        return "memory"
    if ended.status not in (0, FAILED, REFUSED) or "Traceback (most" in ended.err:
        return "traceback"
    if set(HARMFUL.findall(ended.out + ended.err)) - HARMLESS:
        return "control character"
    if OF_PYTHON.search(ended.err):
        return "warning of Python"
    is_unclear = ended.status == REFUSED and (ended.err.count("\n") != 1 or ended.out)
    return "unclear refusal" if is_unclear else ""


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
    """The outcomes, counted; cases that broke are kept. After a process that dies the next one goes on."""
    counts: Counter[str] = Counter()
    left = list(cases)
    while left:
        ends = list(outcomes(left[:IN_A_PROCESS]))
        for case, end in zip(left, ends, strict=False):
            counts[end] += 1
            if end not in GOOD:
                _keep(case, end)
        left = left[len(ends) :]
    return counts


def _keep(case: Case, end: str) -> None:
    target = KEPT / f"{end.replace(' ', '-')}-{case.words[0]}-{case.folder.name}"
    shutil.copytree(case.folder, target, dirs_exist_ok=True)
    words = [word.replace(str(case.folder), ".") for word in case.words]
    (target / "command.json").write_text(json.dumps(words), encoding="utf-8")


def in_folders(rng: random.Random, folder: Path, *, files: int, options: int, minutes: int) -> Counter[str]:
    """The outcomes of files and of options, each in a folder of its own, as far as the time goes."""
    counts: Counter[str] = Counter()
    get_ready()
    began = time.monotonic()
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
        pace = counts.total() / (time.monotonic() - began)
        done = f"{min(start + AT_ONCE, len(asked)):,} of {len(asked):,}"
        print(f"... {done}, {pace:.0f} runs a second: {dict(counts)}", file=sys.stderr, flush=True)  # noqa: T201
        if time.monotonic() - began > 60 * minutes:
            print(f"Stopped after {minutes} minutes: --minutes gives it more.", file=sys.stderr)  # noqa: T201
            break
    gc.unfreeze()
    return counts


def main() -> int:
    """Attack, print the counts, and end with 1 if anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (
        ("files", 200),
        ("options", 200),
        ("faults", 50),
        ("kills", 10),
        ("seed", 0),
        ("minutes", 60),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    from attack_servers import fault_counts, kill_counts  # noqa: PLC0415 - with the extras, if they are wanted

    rng = random.Random(asked.seed)  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as folder:
        counts = in_folders(rng, Path(folder), files=asked.files, options=asked.options, minutes=asked.minutes)
        counts += fault_counts(rng, asked.faults) if asked.faults else Counter()
        counts += kill_counts(rng, asked.kills, Path(folder)) if asked.kills else Counter()
    print(f"{counts.total():,} tried:", ", ".join(f"{counts[end]:,} {end}" for end in (*GOOD, *BAD)))  # noqa: T201
    broken = {end: number for end, number in counts.items() if end not in GOOD}
    if broken:
        print(f"Broken: {broken}. The cases are in {KEPT.relative_to(ROOT)}.", file=sys.stderr)  # noqa: T201
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
