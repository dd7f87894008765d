"""Install the built wheel into clean environments and use it as a newcomer does.

    python release/try_wheel.py             on every supported Python that is found here
    python release/try_wheel.py --lowest    on the oldest one, with the lowest versions that pyproject.toml allows

The commands run in an empty folder, so that nothing comes from this checkout.
"""

import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from pathlib import Path

from interpreters import SUPPORTED, CommandError, clean_environment, find_python, run

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
AT_LEAST = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[a-z,]+)\])?>=(?P<version>[0-9.]+)")
LOWEST_NEEDS = ("pytest", "hypothesis", "polars", "openpyxl", "krippendorff")
LOWEST_TESTS = (
    "data/test_frames.py",
    "data/test_counts.py",
    "data/test_task.py",
    "data/test_writing.py",
    "data/test_formats_people.py",
    "data/test_formats_judges.py",
    "methods/equivalence/test_twin.py",
    "methods/rate/test_prompts.py",
)
"""Files of tests that need little else, among them those of each door that a dependency keeps."""
PATIENCE = 60.0
"""Seconds until the web app must answer."""


def built_wheel() -> Path:
    """The wheel of this version in dist/."""
    wheel = ROOT / "dist" / f"dissensus-{PROJECT['version']}-py3-none-any.whl"
    if not wheel.exists():
        sys.exit(f"There is no {wheel.relative_to(ROOT)}: run `make dist` first.")
    return wheel


def use(python: Path, folder: Path) -> None:
    """Do what a newcomer does, and look at what comes out."""
    command = python.parent / "dissensus"
    said = run([command, "--version"], folder=folder).strip()
    if said != f"dissensus {PROJECT['version']}":
        raise CommandError(f"`dissensus --version` says {said!r}, and pyproject.toml says {PROJECT['version']}")
    run([command, "demo", "-o", "demo.html"], folder=folder)
    run([command, "report", "example:binary", "example:binary", "-o", "report.html"], folder=folder)
    for page in ("demo.html", "report.html"):
        text = (folder / page).read_text(encoding="utf-8")
        if not text.startswith("<!doctype html>") or "vega" not in text:
            raise CommandError(f"{page} is not the page that it should be")
    serve(command, folder)


def serve(command: Path, folder: Path) -> None:
    """Open the web app's first page and the script that comes with it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [command, "serve", "--port", str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            for path, content in (("/", "dissensus"), ("/static/htmx.min.js", "htmx")):
                if content not in _fetched(f"http://127.0.0.1:{port}{path}"):
                    raise CommandError(f"`dissensus serve` answers {path} with something else")
        finally:
            server.terminate()


def _fetched(address: str) -> str:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
                return str(answer.read().decode("utf-8"))
        except OSError as error:
            if time.monotonic() > end:
                raise CommandError(f"`dissensus serve` does not answer at {address}: {error}") from error
            time.sleep(0.2)


def lowest() -> list[str]:
    """Every dependency, those of the extras included, pinned to the lowest version that is declared."""
    extras = PROJECT["optional-dependencies"].values()
    pins = []
    for requirement in [*PROJECT["dependencies"], *(one for extra in extras for one in extra)]:
        bound = AT_LEAST.fullmatch(requirement)
        if bound is None:
            sys.exit(f"{requirement!r} in pyproject.toml has no lowest version: write it as name>=version.")
        pins.append(f"{bound['name']}=={bound['version']}")
        if "distributed" in (bound["extras"] or ""):
            pins.append(f"distributed=={bound['version']}")  # dask's other half has the same versions
    return pins


def tried(title: str, python: Path, requirements: list[str], *, tests: tuple[str, ...] = ()) -> bool:
    """Install, use and test, and say how that went."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "empty"
        folder.mkdir()
        try:
            inside = clean_environment(python, Path(scratch) / "environment", requirements)
            use(inside, folder)
            if tests:
                files = [f"tests/{name}" for name in tests]
                run([inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], folder=ROOT)
        except CommandError as error:
            print(f"{title}: FAILED\n{error}", flush=True)
            return False
    tested = f" and {len(tests)} files of tests" if tests else ""
    print(f"{title}: installs; --version, demo, report, serve{tested} work", flush=True)
    return True


def try_everywhere(wheel: Path) -> bool:
    """Whether every Python that is here runs it; says which are not here."""
    found = {version: find_python(version) for version in SUPPORTED}
    for version, python in found.items():
        if python is None:
            print(f"Python {version}: absent here, so NOT TRIED", flush=True)
    outcomes = [tried(f"Python {version}", python, [f"{wheel}[web]"]) for version, python in found.items() if python]
    return bool(outcomes) and all(outcomes)


def try_lowest(wheel: Path) -> bool:
    """Whether the lowest versions that are declared work on the oldest Python."""
    python = find_python(SUPPORTED[0])
    if python is None:
        print(f"Python {SUPPORTED[0]}: absent here, so the lowest versions were NOT TRIED", flush=True)
        return False
    print("Lowest versions: " + ", ".join(lowest()), flush=True)
    everything = f"{wheel}[{','.join(PROJECT['optional-dependencies'])}]"
    title = f"Python {SUPPORTED[0]} with the lowest versions"
    return tried(title, python, [everything, *lowest(), *LOWEST_NEEDS], tests=LOWEST_TESTS)


if __name__ == "__main__":
    works = try_lowest(built_wheel()) if "--lowest" in sys.argv[1:] else try_everywhere(built_wheel())
    sys.exit(0 if works else 1)
