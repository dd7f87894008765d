"""Hostile files and random options through every command that reads them; counts what did not hold.

Usage: attack.py [--files 200] [--options 200] [--seed 0]

A case that ends in a traceback, runs past its time, takes too much memory, or silently reads another shape than pandas
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
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache" / "attack"
SECONDS, MEGABYTES = 60.0, 2048
REFUSED, FAILED = 2, 1
CELLS = (
    "", " ", "x", "y", "x|y", "NA", "nan", "-", "0", "1", "1.0", "01", "1e400", "-1", "=1+1", "\u202ex", "caf\u00e9",
    "cafe\u0301", "y\u200b", '"', "a,b", "\t", "a\nb", "\x1b[31m", "x" * 5000, "\U0001f600",
    "{}", "[1]", "true", "3,5", "2024-01-01",
)  # fmt: skip
HEADERS = ("item", "rater", "label", "group", "elicitation", "count", "text", "item", "Label ", "p_x", "")
ONE_FILE = (("describe", "--bootstrap", "5"), ("raters", "--bootstrap", "5"), ("doctor",), ("import",), ("items",))
TWO_FILES = (
    ("decide", "--bootstrap", "5"), ("equivalence", "--bootstrap", "5"), ("judges", "--bootstrap", "5"),
    ("compare", "--bootstrap", "5", "--resamples", "20"), ("alt-test",), ("panel", "--bootstrap", "5"),
)  # fmt: skip
VALUES = ("0", "1", "-1", "2", "0.5", "1e9", "nan", "", "x", "auto", "a,b", "1,2", "sampled", "fixed", "none", "group")


@dataclass(frozen=True)
class Case:
    """A command line and the folder of its files."""

    folder: Path
    words: tuple[str, ...]
    people: Path | None = None  # a plain table whose shape pandas can tell


# ---- What is thrown


def table(rng: random.Random, *, judges: bool = False) -> str:
    """A table that is almost right: a few rows, and a few cells that are not."""
    who = "judge" if judges else "rater"
    header = ["item", who, "label"]
    rows = [[f"i{i}", f"{who[0]}{r}", rng.choice("xxy")] for i in range(rng.choice((1, 5, 12))) for r in range(3)]
    for _ in range(rng.choice((0, 0, 1, 1, 3, 10))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    if rng.random() < 0.3:
        header.append(rng.choice(HEADERS))
        for row in rows:
            row.append(rng.choice(CELLS))
    if rng.random() < 0.15:
        header[rng.randrange(3)] = rng.choice(HEADERS)
    if rng.random() < 0.1:
        rows.append(rng.choice(rows))
    if rng.random() < 0.1:
        rows.append(["short"])
    if rng.random() < 0.1:
        rng.shuffle(rows)
    return "\n".join(",".join(map(_quoted, row)) for row in [header, *rows]) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set('",\n\r') else cell


def damaged(rng: random.Random, text: str) -> tuple[str, bytes]:
    """A file name and its bytes: the table as it is, in another encoding or format, cut off, or with bytes changed."""
    content = text.encode()
    place = rng.randrange(1, len(content))
    records = [dict(zip("abc", line.split(","), strict=False)) for line in text.splitlines()]
    ways = [
        ("r.csv", text.encode("utf-16")),
        ("r.csv", text.encode("latin-1", "replace")),
        ("r.csv", content[:place]),
        ("r.csv", content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]),
        (rng.choice(("r.json", "r.jsonl")), "\n".join(map(json.dumps, records)).encode()),
        (rng.choice(("r.tsv", "r.txt")), content.replace(b",", rng.choice((b"\t", b";", b"|")))),
        (rng.choice(("r.parquet", "r.xlsx", "r.csv.gz", "r.yaml", "r.eval")), content),
        *[("r.csv", content)] * 8,
    ]
    return rng.choice(ways)


def cases_of(rng: random.Random, folder: Path, *, files: int, options: int) -> list[Case]:
    """Command lines, each with files of its own."""
    made = []
    for number in range(files):
        place = folder / f"f{number}"
        place.mkdir()
        text = table(rng)
        name, content = damaged(rng, text)
        (place / name).write_bytes(content)
        is_plain = (name, content) == ("r.csv", text.encode())
        plain = place / name if is_plain else None
        made += [Case(place, (words[0], str(place / name), *words[1:]), plain) for words in ONE_FILE]
        (place / "j.csv").write_text(table(rng, judges=True), encoding="utf-8")
        words = rng.choice(TWO_FILES)
        made.append(Case(place, (words[0], str(place / name), str(place / "j.csv"), *words[1:])))
    for number in range(options):
        place = folder / f"o{number}"
        place.mkdir()
        (place / "r.csv").write_text(_sound("rater"), encoding="utf-8")
        (place / "j.csv").write_text(_sound("judge"), encoding="utf-8")
        made.append(Case(place, (*_options(rng, place),)))
    return made


def _sound(who: str) -> str:
    return f"item,{who},label\n" + "".join(f"i{i},{who[0]}{r},{(i * r) % 3}\n" for i in range(12) for r in range(3))


def _options(rng: random.Random, place: Path) -> Sequence[str]:
    """A command with options that it has, and values that may be none of theirs."""
    command = rng.choice([*ONE_FILE, *TWO_FILES])
    files = [str(place / "r.csv"), *([str(place / "j.csv")] if command in TWO_FILES else [])]
    chosen = [word for _ in range(rng.randint(1, 4)) for word in (rng.choice(flags(command[0])), rng.choice(VALUES))]
    return [command[0], *files, *command[1:], *chosen]


def flags(command: str, known: dict[str, list[str]] = {}) -> list[str]:  # noqa: B006 - asked once for each command
    """The options that a command's help lists."""
    if command not in known:
        shown = subprocess.run(
            [sys.executable, "-m", "dissensus", command, "--help"], capture_output=True, text=True, check=True
        ).stdout
        written = {"--output", "-o", "--help", "--engine", "--workers"}  # these go elsewhere
        known[command] = sorted({word.rstrip(",") for word in shown.split() if word.startswith("--")} - written)
    return known[command]


# ---- What comes of it


def outcome(case: Case) -> str:
    """How a command line ended, in one word; run within a process of its own, which may die."""
    started = time.process_time()
    out, err = io.StringIO(), io.StringIO()
    from dissensus.cli.main import main  # noqa: PLC0415 - in the process that runs the cases

    words = [*case.words, *(["--json"] if case.words[0] != "import" else [])]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    if time.process_time() - started > SECONDS:
        return "hang"
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEGABYTES * 1024:
        return "memory"
    if status == REFUSED:
        return "refused" if err.getvalue().count("\n") == 1 and not out.getvalue() else "unclear refusal"
    if status not in (0, FAILED):
        return "traceback"
    return "silent difference" if _differs(case, out.getvalue()) else "answered"


def _differs(case: Case, out: str) -> bool:
    """Whether `describe` read other numbers of items and ratings than pandas, and says nothing about it."""
    if case.people is None or case.words[0] != "describe":
        return False
    import pandas as pd  # noqa: PLC0415 - as above

    found = json.loads(out)
    frame = pd.read_csv(case.people, dtype=str, keep_default_na=False, skip_blank_lines=True)
    if not {"item", "label"} <= set(frame.columns):
        return False
    given = frame[frame["label"].str.strip().ne("") & frame["item"].str.strip().ne("")]
    same = (found["result"]["items"], found["result"]["ratings"]) == (given["item"].str.strip().nunique(), len(given))
    return not same and not found["warnings"]


def run_cases(cases: list[Case]) -> Counter[str]:
    """The outcomes, counted; cases that broke are kept. A child that dies is a traceback, and the next one goes on."""
    counts: Counter[str] = Counter()
    left = list(cases)
    while left:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS * 20), int(SECONDS * 20)))
            try:
                with os.fdopen(writer, "w") as stream:
                    for case in left:
                        print(outcome(case), file=stream, flush=True)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as stream:
            ends = [line.strip() for line in stream]
        os.waitpid(child, 0)
        ends += ["traceback"] * (len(ends) < len(left))
        for case, end in zip(left, ends, strict=False):
            counts[end] += 1
            if end not in ("answered", "refused"):
                _keep(case, end)
        left = left[len(ends) :]
    return counts


def _keep(case: Case, end: str) -> None:
    target = KEPT / f"{end.replace(' ', '-')}-{case.words[0]}-{case.folder.name}"
    shutil.copytree(case.folder, target, dirs_exist_ok=True)
    (target / "command.json").write_text(json.dumps([word.replace(str(case.folder), ".") for word in case.words]))


def main() -> int:
    """Attack, print the counts, and end with 1 if anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("files", 200), ("options", 200), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as folder:
        cases = cases_of(rng, Path(folder), files=asked.files, options=asked.options)
        counts = run_cases(cases)
    broken = sum(number for end, number in counts.items() if end not in ("answered", "refused"))
    print(f"{len(cases):,} runs: " + ", ".join(f"{number:,} {end}" for end, number in sorted(counts.items())))  # noqa: T201
    if broken:
        print(f"The cases that broke are in {KEPT.relative_to(ROOT)}.", file=sys.stderr)  # noqa: T201
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
