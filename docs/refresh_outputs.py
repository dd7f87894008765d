"""Rewrite the outputs shown in the docs by running the commands that made them.

In a page, a comment above a fenced block says where the block comes from:

    <!-- file: ratings.csv -->                  the page's commands find the block as this file
    <!-- run: dissensus describe ratings.csv -->     the block is what this prints; in a `console` block, after `$`
    <!-- fails: dissensus describe nothing.csv -->   the same for a command that must end with status 2

What a command says on stderr is shown if the command ends with `2>&1`, which itself is not shown.
A page's commands run in its order, in a scratch folder of its own, in a terminal 80 columns wide and without colours.

    python docs/refresh_outputs.py             rewrites the pages
    python docs/refresh_outputs.py --check     only names the pages that would change, and fails if there are any
    python docs/refresh_outputs.py PAGE...     the same for these pages alone
"""  # noqa: INP001 - a script, not a package

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TO_STDOUT = " 2>&1"
"""What a reader's terminal needs no telling: to show what goes to stderr."""
TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
"""The reader's terminal."""
MARKER = re.compile(r"^<!-- (?:file|run|fails): ", re.MULTILINE)
BLOCK = re.compile(
    r"^<!-- (?P<kind>file|run|fails): (?P<what>[^\n]+) -->\n+(?P<open>(?P<fence>```+)(?P<language>\w*)[^\n]*\n)"
    r"(?P<body>.*?)(?P<close>^(?P=fence)$)",
    re.MULTILINE | re.DOTALL,
)


class PageError(Exception):
    """A page's marker or command is wrong."""


def pages() -> list[Path]:
    """Every page that can show outputs."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str, run: "Run | None" = None) -> str:
    """The page's text with its outputs made anew by `run`, a shell unless given."""
    blocks = list(BLOCK.finditer(text))
    if len(blocks) != len(MARKER.findall(text)):
        marked = {block.start() for block in blocks}
        lost = next(marker for marker in MARKER.finditer(text) if marker.start() not in marked)
        raise PageError(f"line {text.count(chr(10), 0, lost.start()) + 1}: a marker without a fenced block below it")
    with tempfile.TemporaryDirectory() as scratch:
        return BLOCK.sub(lambda block: _refreshed_block(block, Path(scratch), run or in_a_shell), text)


def _refreshed_block(block: re.Match[str], scratch: Path, run: "Run") -> str:
    if block["kind"] == "file":
        (scratch / block["what"]).write_text(block["body"], encoding="utf-8")
        return block[0]
    prompt = f"$ {block['what'].removesuffix(TO_STDOUT)}\n" if block["language"] == "console" else ""
    output = _output(run(block["what"], scratch), status=0 if block["kind"] == "run" else 2)
    head = block[0][: block.start("body") - block.start()]
    return f"{head}{prompt}{output}{block['close']}"


Run = Callable[[str, Path], "subprocess.CompletedProcess[str]"]


def in_a_shell(command: str, scratch: Path, *, given: str = "") -> "subprocess.CompletedProcess[str]":
    """What a command of a page prints in this folder, where it may read what is given."""
    bin_folder = Path(sys.executable).parent
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHONPATH": str(ROOT / "src"), **TERMINAL}  # this checkout, whatever is installed
    return subprocess.run(  # noqa: S603 - the commands stand in our own pages
        ["/bin/sh", "-c", command], cwd=scratch, env=environment, input=given,
        capture_output=True, text=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip


def _output(done: "subprocess.CompletedProcess[str]", *, status: int) -> str:
    command = done.args if isinstance(done.args, str) else done.args[-1]
    if done.returncode != status:
        raise PageError(f"`{command}` ended with status {done.returncode}, not {status}: {done.stderr.strip()}")
    printed = done.stdout if status == 0 else done.stderr
    if not printed.strip():  # the status of `command | head` is that of head
        raise PageError(f"`{command}` prints nothing: {done.stderr.strip()}")
    return "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())


def main(arguments: list[str]) -> int:
    """Refresh or check every page, or those that are named; the number of pages that changed or would."""
    stale = []
    named = [Path(name).resolve() for name in arguments if name != "--check"]
    for page in named or pages():
        old = page.read_text(encoding="utf-8")
        try:
            new = refreshed(old)
        except PageError as error:
            raise SystemExit(f"{page.relative_to(ROOT)}: {error}") from error
        if new != old:
            stale.append(page)
            if "--check" not in arguments:
                page.write_text(new, encoding="utf-8")
            print(f"{'Stale' if '--check' in arguments else 'Refreshed'}: {page.relative_to(ROOT)}")  # noqa: T201
    print(f"{len(stale)} {'page' if len(stale) == 1 else 'pages'} {'stale' if '--check' in arguments else 'changed'}")  # noqa: T201
    return len(stale) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
