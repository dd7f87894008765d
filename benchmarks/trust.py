"""Write the page *How far to trust these numbers* from the slow simulations, whose truth is known.

python benchmarks/trust.py                  run them and write benchmarks/trust.json and the page
python benchmarks/trust.py --share 0.1      the same with a tenth of the data sets
python benchmarks/trust.py --only history   only those whose names hold a word; the other figures stay
python benchmarks/trust.py --page           only write the page, from benchmarks/trust.json
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "benchmarks" / "trust.json"
PAGE = ROOT / "docs" / "explanation" / "how-far-to-trust.md"
BEGIN, END = "<!-- measured: {} -->\n", "<!-- end -->"
HEADS = {
    "coverage": ("command: number", "should be", "held the truth", "farthest below: which data"),
    "level": (
        "command: what is found by chance",
        "should be at most",
        "was found",
        "farthest above: which data",
    ),
    "power": ("command: measure", "asked for", "reached", "farthest below: which data"),
    "kept": ("command: advice", "should be at least", "was kept", "farthest below: which data"),
}
AIMS = {"coverage": 0.95, "level": 0.05, "power": 0.8, "kept": 0.8}
ADVICE = ("right", "undecided", "wrong", "useless")


def error_of(row: dict) -> float:
    """Standard error of a share; a share of 0 or 1 has the error of one data set that came out otherwise."""
    share = min(max(row["share"], 1 / (row["sets"] + 2)), 1 - 1 / (row["sets"] + 2))
    return row.get("error", math.sqrt(share * (1 - share) / row["sets"]))


def percent(row: dict) -> str:
    """A share with its standard error."""
    return f"{row['share']:.1%} ± {error_of(row):.1%}"


def pooled(rows: list[dict]) -> dict:
    """One share of all data sets, and its standard error."""
    sets = sum(row["sets"] for row in rows)
    share = sum(row["share"] * row["sets"] for row in rows) / sets
    together = {"share": share, "sets": sets}
    if not any("error" in row for row in rows):
        return together
    return together | {"error": math.hypot(*(error_of(row) * row["sets"] for row in rows)) / sets}


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    lines = [list(heads), ["---"] * len(list(heads)), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def summary(rows: list[dict], kind: str) -> Iterator[tuple[str, str, str, str]]:
    """A row per number: over all populations, and where it does worst."""
    chosen = sorted((row for row in rows if row["kind"] == kind), key=lambda row: row["number"])
    for number, group in groupby(chosen, key=lambda row: row["number"]):
        cells = list(group)
        all_of_them = pooled(cells)
        sign = -1 if kind == "level" else 1
        worst = min(cells, key=lambda cell: sign * (cell["share"] - AIMS[kind]) / error_of(cell))
        command, _, what = number.partition(": ")
        yield (
            f"`{command}`: {what}", f"{AIMS[kind]:.0%}", f"{percent(all_of_them)} of {all_of_them['sets']:,}",
            f"{percent(worst)}: {worst['data']}",
        )  # fmt: skip


def advice(rows: list[dict]) -> Iterator[list[object]]:
    """A row per population: how often `decide` is right, undecided, wrong, or names a judge that knows nothing."""
    given = [row for row in rows if row["kind"] == "advice"]
    for data in dict.fromkeys(row["data"] for row in given):
        shares = {row["number"].removeprefix("decide: "): row for row in given if row["data"] == data}
        yield [data, shares["right"]["sets"], *(percent(shares[word]) for word in ADVICE)]


def page_of(text: str, figures: dict) -> str:
    """The page with its tables made anew from the figures."""
    rows = figures["measured"]
    tables = {kind: table(HEADS[kind], summary(rows, kind)) for kind in HEADS}
    tables["advice"] = table(("population", "data sets", "right", "undecided", "wrong", "useless judge"), advice(rows))
    tables["run"] = (
        f"Figures of {figures['date']}. With few data sets (the number behind *of*) a single miss moves a share by "
        "several points."
    )
    for name, body in tables.items():
        before, rest = text.split(BEGIN.format(name))
        after = rest.split(END, 1)[1]
        text = f"{before}{BEGIN.format(name)}\n{body}\n\n{END}{after}"
    return text


def run(share: float, only: str) -> None:
    """Run the simulations; one that fails its test is shown on the page all the same."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "trust.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "slow", "tests", "--measured", str(found)]
        done = subprocess.run([*command, "--share", str(share), "-k", only], cwd=ROOT, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.returncode)
        figures = json.loads(found.read_text(encoding="utf-8"))
    if only:
        figures["measured"] = merged(json.loads(FIGURES.read_text(encoding="utf-8"))["measured"], figures["measured"])
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def merged(old: list[dict], new: list[dict]) -> list[dict]:
    """The old rows with those of the same numbers replaced by the new ones."""
    numbers = {row["number"] for row in new}
    return [row for row in old if row["number"] not in numbers] + new


def main() -> None:
    """Run, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the data sets of the slow tests")
    parser.add_argument("--only", default="", help="run only what has this in its name, as `pytest -k` takes it")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    if not options.page:
        run(options.share, options.only)
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
