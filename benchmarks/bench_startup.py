"""`dissensus --help` against a bare typer application with as many commands."""

import subprocess
import sys
import tempfile
from pathlib import Path

from timing import best_seconds, report

BARE = """
import typer
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
{commands}
app()
"""


def commands_of_ours():
    listing = subprocess.run(
        [sys.executable, "-m", "dissensus", "--help"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split()[0] for line in listing.partition("Commands:")[2].splitlines() if line.strip()]


def main():
    names = commands_of_ours()
    functions = "\n".join(f"@app.command()\ndef {name}(path: str): ..." for name in names)
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE.format(commands=functions))
        ours = [sys.executable, "-m", "dissensus", "--help"]
        theirs = [sys.executable, str(bare), "--help"]
        is_kept = report(
            f"dissensus --help / bare typer application with {len(names)} commands",
            best_seconds(lambda: subprocess.run(ours, capture_output=True, check=True), times=15),
            best_seconds(lambda: subprocess.run(theirs, capture_output=True, check=True), times=15),
            limit=1.5,
        )
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
