"""`dissensus --help` against a bare typer application with as many commands, and an import against its base."""

import subprocess
import sys
import tempfile
from pathlib import Path

from timing import best_seconds, processor_seconds, report

BARE = """
import typer
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
{commands}
app()
"""
PLAN = ["plan", "labels", "--accuracy", "0.8", "--margin", "0.05", "--label-accuracy", "0.8", "--budget", "1000"]


def commands_of_ours():
    listing = subprocess.run(
        [sys.executable, "-m", "dissensus", "--help"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split()[0] for line in listing.partition("Commands:")[2].splitlines() if line.strip()]


def start_seconds(*arguments, times=15):
    command = [sys.executable, *arguments]
    return best_seconds(
        lambda: subprocess.run(command, capture_output=True, check=True), times=times, clock=processor_seconds
    )


def main():
    names = commands_of_ours()
    functions = "\n".join(f"@app.command({name!r})\ndef command_{i}(path: str): ..." for i, name in enumerate(names))
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE.format(commands=functions))
        is_kept = report(
            f"dissensus --help / bare typer application with {len(names)} commands",
            start_seconds("-m", "dissensus", "--help"),
            start_seconds(str(bare), "--help"),
            limit=1.5,
        )
    is_quick = report(
        "dissensus --version / dissensus --help",
        start_seconds("-m", "dissensus", "--version"),
        start_seconds("-m", "dissensus", "--help"),
        limit=1.1,
    )
    bare = start_seconds("-c", "import numpy, duckdb")
    # A goal in seconds is one of a machine that imports both in .147 s: .45 s for `describe`, .35 s for `plan labels`.
    goals = [
        report(f"{what} / import numpy and duckdb", start_seconds(*arguments), bare, limit=limit)
        for what, arguments, limit in (
            # 1.6 to 1.9 when set; 2.4 with scipy.special at import
            ("import dissensus.methods.plan_raters", ("-c", "import dissensus.methods.plan_raters"), 2.2),
            ("dissensus describe", ("-m", "dissensus", "describe", "example:binary"), 0.45 / 0.147),
            ("dissensus plan labels", ("-m", "dissensus", *PLAN), 0.35 / 0.147),
        )
    ]
    return 0 if is_kept and is_quick and all(goals) else 1


if __name__ == "__main__":
    sys.exit(main())
