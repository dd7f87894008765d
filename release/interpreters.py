"""The Pythons of this machine, and clean environments made with them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13")
_ASKED = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


class CommandError(Exception):
    """A command that must succeed did not."""


def find_python(version: str) -> Path | None:
    """An interpreter of this version that can make environments: on the path, or one that pyenv keeps."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = shutil.which(f"python{version}")
    candidates = [Path(named)] if named else []
    candidates += sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)
    return next((path for path in candidates if _is_version(path, version)), None)


def _is_version(path: Path, version: str) -> bool:
    # A shim of pyenv stands on the path for versions that are not switched on, and fails when it is run.
    answer = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == version


def run(command: list[str | Path], *, folder: Path) -> str:
    """What a command prints, run in `folder` without sight of this checkout; an error that quotes it if it fails."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment | {"NO_COLOR": "1", "PYTHONWARNINGS": "error::SyntaxWarning"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise CommandError(f"{' '.join(map(str, command))}\nended with status {done.returncode} and said:\n{said}")
    return done.stdout


def clean_environment(python: Path, folder: Path, requirements: list[str]) -> Path:
    """A new environment in `folder` that holds only these requirements; returns its Python."""
    run([python, "-m", "venv", "--without-pip", folder], folder=folder.parent)
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([*pip(inside), "install", "--quiet", *requirements], folder=folder.parent)
    return inside


def pip(python: Path) -> list[str | Path]:
    """The command of our own pip, at work on another environment, which so holds no pip itself."""
    return [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--no-input"]
