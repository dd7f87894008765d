"""How many source files does one command go through?

    trace_files.py COMMAND ARGUMENTS...     one command of dissensus; --list before it names the files
    trace_files.py --summary                the standard commands, and the size of the tree

What is counted, for the files under SOURCE/dissensus:

entered    files of which a function was called, by the command or by whatever it calls. Module-level code, class
           bodies, and functions that only ran while a module was being imported (decorators, tables) do not count.
imported   files that were loaded, whether or not anything in them was called.
switches   calls into another top folder (`cli`, `report`, ...; files outside any folder are one more) than that of the
           call before. The number behind it counts every folder, at any depth. A generator that goes on is no call.

On the tree before the restructuring this gives 80 files for `equivalence` and 235 files with 2,668 switches for
`report`. Only this process is traced, with all of its threads.
"""

import argparse
import ast
import contextlib
import io
import multiprocessing
import os
import shlex
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from inspect import CO_GENERATOR, CO_NEWLOCALS
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STANDARD = {
    "equivalence": "equivalence example:binary example:binary --judge classifier",
    "describe": "describe example:binary",
    "plan labels": "plan labels --accuracy .75 --margin .1 --label-accuracy .75 --error .05",
    "report": "report example:toxicity example:toxicity -o {folder}/report.html",
}
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass
class Trace:
    """What one command went through."""

    status: int = 0
    entered: Counter[str] = field(default_factory=Counter)  # calls by file
    imported: list[str] = field(default_factory=list)
    top_switches: int = 0
    switches: int = 0

    def __str__(self):
        return (
            f"{len(self.entered)} files entered, {len(self.imported)} imported, {self.top_switches:,} switches between "
            f"top folders ({self.switches:,} between folders at any depth)"
        )


class Tracer:
    """A profile function (`sys.setprofile`) that notes which files are entered."""

    def __init__(self, package):
        self.prefix = f"{package}{os.sep}"
        self.trace = Trace()
        self.folder = self.top = None  # of the call before
        self.generators = set()  # frames that were entered already
        self.importing = threading.local()  # how many modules are being imported, in this thread

    def __call__(self, frame, event, _):
        if event not in {"call", "return"}:
            return
        code = frame.f_code
        if code.co_name == "<module>":
            depth = getattr(self.importing, "depth", 0)
            self.importing.depth = depth + (1 if event == "call" else -1)
        elif event == "call" and code.co_filename.startswith(self.prefix) and not getattr(self.importing, "depth", 0):
            self.enter(frame, code)

    def enter(self, frame, code):
        if not code.co_flags & CO_NEWLOCALS or frame in self.generators:  # a class body; a generator that goes on
            return
        if code.co_flags & CO_GENERATOR:
            self.generators.add(frame)
        file = code.co_filename.removeprefix(self.prefix)
        folder = os.path.dirname(file)  # noqa: PTH120 - for every call, so it has to be quick
        top = folder.partition(os.sep)[0]
        self.trace.entered[file] += 1
        self.trace.switches += folder != self.folder and self.folder is not None
        self.trace.top_switches += top != self.top and self.top is not None
        self.folder, self.top = folder, top


def trace_command(source, arguments):
    """Run one command in this process, without showing what it prints."""
    package = source.resolve() / "dissensus"
    sys.path.insert(0, str(package.parent))
    tracer = Tracer(package)
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            from dissensus.cli.main import main  # noqa: PLC0415 - of the tree that was chosen

            tracer.trace.status = main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if tracer.trace.status:
        print(f"Exit status {tracer.trace.status}: {errors.getvalue().strip()}", file=sys.stderr)
    files = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    tracer.trace.imported = sorted(file.removeprefix(tracer.prefix) for file in files if file.startswith(tracer.prefix))
    return tracer.trace


def code_lines(text):
    """The numbers of the lines that hold code: no blank lines, comments or docstrings."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


def import_lines(text):
    """The numbers of the lines of import statements, wherever they stand."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom))
    return {line for node in found for line in range(node.lineno, node.end_lineno + 1)}


def print_sizes(source):
    texts = [path.read_text(encoding="utf-8") for path in sorted((source / "dissensus").rglob("*.py"))]
    code = sorted(len(code_lines(text)) for text in texts)
    imports = sum(len(import_lines(text)) for text in texts)
    print(f"source files           {len(code):>8,}")
    print(f"code lines             {sum(code):>8,}  (no blank lines, comments, docstrings)")
    print(f"code lines per file    {sum(code) / len(code):>8.1f}  (median {code[len(code) // 2]}, largest {code[-1]})")
    print(f"import share           {imports / sum(code):>8.1%}  ({imports:,} lines of import statements)")


def print_summary(source):
    """A row per standard command, each in a process of its own, and the size of the tree."""
    print(f"{'command':<14}{'entered':>9}{'imported':>10}{'switches':>10}{'(any depth)':>13}  arguments")
    own_process = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1)
    with own_process as pool, tempfile.TemporaryDirectory() as folder:
        for name, line in STANDARD.items():
            trace = pool.submit(trace_command, source, shlex.split(line.format(folder=folder))).result()
            counts = f"{len(trace.entered):>9}{len(trace.imported):>10}{trace.top_switches:>10,}{trace.switches:>13,}"
            print(f"{name:<14}{counts}  {line.format(folder='TMP')}")
    print()
    print_sizes(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the tree: the folder that holds dissensus/")
    parser.add_argument("--list", action="store_true", help="name the files, with the calls into each")
    parser.add_argument("--summary", action="store_true", help="the standard commands and the size of the tree")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command of dissensus and its arguments")
    chosen = parser.parse_args()
    if chosen.summary:
        print_summary(chosen.source)
        return 0
    if not chosen.command:
        parser.error("give a command of dissensus, or --summary")
    trace = trace_command(chosen.source, chosen.command)
    print(trace)
    if chosen.list:
        for file, calls in sorted(trace.entered.items()):
            print(f"{calls:>9,}  {file}")
        for file in sorted(set(trace.imported) - set(trace.entered)):
            print(f" imported  {file}")
    return trace.status


if __name__ == "__main__":
    sys.exit(main())
