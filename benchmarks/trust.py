"""Write the page *How far to trust these numbers* from the slow simulations, whose truth is known.

python benchmarks/trust.py                  run them and write benchmarks/trust.json and the page, file by file
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
NOTHING_CHOSEN = 5
"""Of pytest, where no test of a file has the words."""
FIGURES = ROOT / "benchmarks" / "trust.json"
PAGE = ROOT / "docs" / "explanation" / "how-far-to-trust.md"
BEGIN, END = "<!-- measured: {} -->\n", "<!-- end -->"
HEADS = {
    "coverage": ("command: number", "should be", "contained the truth", "farthest below: which data"),
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
BANDS = {"coverage": (0.92, 0.98), "level": (0.03, 0.07), "power": (0.8, 1.0), "kept": (0.8, 1.0)}
"""Where a share should be; outside by more than two standard errors it stands on the page, with a reason."""
SAFE = "On the safe side: the interval is wider than needed where shares are near 0 or 1, or the judge adds little."
WHY = {
    "prevalence: ": SAFE,
    "alt-test: ": "On the safe side: its correction holds however the raters' tests depend on each other.",
    "decide: a judge just beyond": "On the safe side: a judge is called so only where the interval shows it.",
    "label-next: worth": "On the safe side: it holds for other raters, and these do not differ.",
    "history: ": "On the safe side: the level is spent over all looks there could ever be, and few are looked at.",
}
"""Why a number is outside its band, by the beginning of its name."""
MOST_COUNTED = 1000
"""Of data sets: beyond, chance moves no share out of its band."""
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


def cells_of(rows: Iterable[dict], number: str) -> list[dict]:
    """One share per population: intervals of several judges on the same data sets miss together, and count once."""
    cells = []
    chosen = sorted((row for row in rows if row["number"] == number), key=lambda row: row["data"])
    for data, group in groupby(chosen, key=lambda row: row["data"]):
        same = list(group)
        whole = {"kind": same[0]["kind"], "number": number, "data": data}
        share = sum(row["share"] for row in same) / len(same)
        error = {"error": max(row["error"] for row in same)} if "error" in same[0] else {}
        cells.append(whole | {"share": share, "sets": max(row["sets"] for row in same)} | error)
    return cells


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    lines = [list(heads), ["---"] * len(list(heads)), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def summary(rows: list[dict], kind: str) -> Iterator[tuple[str, str, str, str]]:
    """A row per number: over all populations, and where it does worst."""
    for number in sorted({row["number"] for row in rows if row["kind"] == kind}):
        cells = cells_of(rows, number)
        all_of_them = pooled(cells)
        sign = -1 if kind == "level" else 1
        worst = min(cells, key=lambda cell: sign * (cell["share"] - AIMS[kind]) / error_of(cell))
        command, _, what = number.partition(": ")
        yield (
            f"`{command}`: {what}", f"{AIMS[kind]:.0%}", f"{percent(all_of_them)} of {all_of_them['sets']:,}",
            f"{percent(worst)}: {worst['data']}",
        )  # fmt: skip


def advice(rows: list[dict]) -> Iterator[list[object]]:
    """A row per population: how often advice is right, undecided, wrong, or trusts a judge that knows nothing."""
    given = {(*row["number"].split(": "), row["data"]): row for row in rows if row["kind"] == "advice"}
    for command, data in dict.fromkeys((command, data) for command, _, data in given):
        shares = [given[command, word, data] for word in ADVICE]
        yield [f"`{command}`", data, shares[0]["sets"], *(f"{one['share']:.0%}" for one in shares)]


def is_outside(row: dict, *, errors: float = 2) -> bool:
    """Whether a share is outside its band, by more than so many standard errors."""
    low, high = BANDS[row["kind"]]
    return not low - errors * error_of(row) <= row["share"] <= high + errors * error_of(row)


def outside(rows: list[dict]) -> Iterator[list[object]]:
    """A row per number that is outside its band, with the reason.

    Over all data by any amount, or in some of them by more than two standard errors.
    """
    for number in sorted({row["number"] for row in rows if row["kind"] in BANDS}):
        cells = cells_of(rows, number)
        found = [cell for cell in cells if is_outside(cell)]
        whole = pooled(cells) | {"kind": cells[0]["kind"]}
        if not found and not is_outside(whole, errors=0):
            continue
        command, _, what = number.partition(": ")
        why = next((why for beginning, why in WHY.items() if number.startswith(beginning)), None)
        if why is None:
            raise LookupError(f"{number} is outside its bounds ({percent(whole)}): fix it, or say in WHY why that is.")
        which = "; ".join(cell["data"] for cell in found) or "all together"
        ends = sorted({f"{cell['share']:.1%}" for cell in found or [whole]}, key=lambda text: float(text[:-1]))
        yield [f"`{command}`: {what}", " to ".join(dict.fromkeys((ends[0], ends[-1]))), which, why]


def chance_outside(row: dict) -> float:
    """How likely so few data sets give a share outside the band where the true share is the one aimed at."""
    (low, high), aim, n = BANDS[row["kind"]], AIMS[row["kind"]], row["sets"]
    within = (k for k in range(n + 1) if low <= k / n <= high)
    return 1 - sum(math.comb(n, k) * aim**k * (1 - aim) ** (n - k) for k in within)


def by_chance(rows: list[dict]) -> str:
    """How many shares are outside by less than two standard errors, and how many would be by chance alone."""
    kinds = ("coverage", "level")
    cells = [cell for n in {row["number"] for row in rows if row["kind"] in kinds} for cell in cells_of(rows, n)]
    drawn = [cell for cell in cells if "error" not in cell and cell["sets"] <= MOST_COUNTED]
    found = sum(is_outside(cell, errors=0) and not is_outside(cell) for cell in drawn)
    few = f"{len(drawn)} shares of intervals and tests come from {MOST_COUNTED:,} data sets or fewer"
    return (
        f"{few}. {found} of them are outside by less than two standard errors. Were every true share 95% or 5%, about "
        f"{sum(map(chance_outside, drawn)):.0f} would be outside by chance."
    )


def page_of(text: str, figures: dict) -> str:
    """The page with its tables made anew from the figures."""
    rows = figures["measured"]
    tables = {kind: table(HEADS[kind], summary(rows, kind)) for kind in HEADS}
    tables["advice"] = table(("command", "data", "sets", "right", "undecided", "wrong", "useless judge"), advice(rows))
    tables["outside"] = table(("command: number", "share", "data", "why"), outside(rows))
    tables["chance"] = by_chance(rows)
    dates = sorted({row["date"] for row in rows})
    tables["run"] = (
        f"Figures of {' to '.join(dict.fromkeys((dates[0], dates[-1])))}. Where the number after *of* is small, one "
        "miss moves a share by several points."
    )
    for name, body in tables.items():
        before, rest = text.split(BEGIN.format(name))
        after = rest.split(END, 1)[1]
        text = f"{before}{BEGIN.format(name)}\n{body}\n\n{END}{after}"
    return text


def run(share: float, only: str) -> None:
    """Run the simulations file by file; one that fails its test is shown on the page all the same."""
    files = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if "trust.keep(" in path.read_text("utf-8")]
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "trust.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "slow", "--measured", str(found)]
        for path in files:
            done = subprocess.run([*command, "--share", str(share), "-k", only, str(path)], cwd=ROOT, check=False)
            if done.returncode not in (0, 1, NOTHING_CHOSEN):
                sys.exit(done.returncode)
            keep(json.loads(found.read_text(encoding="utf-8")))


def keep(new: dict) -> None:
    """Write new figures over those of the same numbers and data; what is finished stays if the rest is cut off."""
    rows = [row | {"date": new["date"]} for row in new["measured"]]
    renewed = {(row["number"], row["data"]) for row in rows}
    old = json.loads(FIGURES.read_text(encoding="utf-8"))["measured"] if FIGURES.exists() else []
    rows = [row for row in old if (row["number"], row["data"]) not in renewed] + rows
    FIGURES.write_text(json.dumps({"measured": rows}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the data sets of the slow tests")
    parser.add_argument("--only", default="", help="run only what has this in its name, as `pytest -k` takes it")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    if not options.page:
        if not options.only:
            FIGURES.unlink(missing_ok=True)
        run(options.share, options.only)
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
