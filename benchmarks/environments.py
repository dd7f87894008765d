"""The alternatives we are measured against: each from PyPI, in a virtual environment of its own, made once.

A script in alternatives/ reads a problem as JSON on stdin and prints its answers, seconds and versions as JSON.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from recording import record

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / ".cache" / "bench"
INSTALL_SECONDS = 600
ANSWER_SECONDS = 300


@dataclass(frozen=True)
class Alternative:
    """What to install, where, and the script that asks it."""

    name: str
    pins: tuple[str, ...]
    script: str
    python: str | None = None
    """The Python it needs, where it does not run on ours."""

    @property
    def folder(self):
        return CACHE / self.name

    @property
    def interpreter(self):
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    @property
    def marker(self):
        """Holds the pins that were installed, so that new pins are installed anew."""
        return self.folder / "installed.txt"


class NotAvailableError(Exception):
    """The alternative cannot be installed or does not answer; the rest of the benchmark goes on."""


ALTERNATIVES = {
    each.name: each
    for each in (
        Alternative("surveyequivalence", ("surveyequivalence==0.1.3",), "survey_power_curve.py", python="3.11"),
        Alternative("krippendorff", ("krippendorff==0.9.0", "numpy==2.4.6"), "krippendorff_alpha.py"),
        Alternative("irrCAC", ("irrCAC==0.4.4", "setuptools<81"), "irrcac_coefficients.py", python="3.11"),
        Alternative("crowd-kit", ("crowd-kit==1.4.2",), "crowdkit_combiners.py"),
        Alternative("ppi-python", ("ppi-python==0.2.3",), "ppi_prevalence.py"),
        Alternative("scipy", ("scipy==1.17.1", "numpy==2.4.6"), "scipy_resampling.py"),
        Alternative("scikit-learn", ("scikit-learn==1.9.1", "numpy==2.4.6"), "sklearn_metrics.py"),
    )
}


def ready(alternative):
    """The interpreter of its environment, which is made where it is not there yet."""
    wanted = "\n".join(alternative.pins)
    if not (alternative.marker.exists() and alternative.marker.read_text(encoding="utf-8") == wanted):
        print(f"Installing {', '.join(alternative.pins)} into an environment of its own", flush=True)
        shutil.rmtree(alternative.folder, ignore_errors=True)
        _run([_base_python(alternative.python), "-m", "venv", str(alternative.folder)], alternative.name)
        pip = [str(alternative.interpreter), "-m", "pip", "-qq", "--disable-pip-version-check", "--no-input"]
        _run([*pip, "install", *alternative.pins], alternative.name)
        alternative.marker.write_text(wanted, encoding="utf-8")
    return alternative.interpreter


def answers_of(name, problem):
    """What the alternative answers, or None and a line that says why it is skipped."""
    try:
        found = ask(name, problem)
    except NotAvailableError as error:
        print(f"{name}: skipped, {error}", flush=True)
        record("skipped", name=name, reason=str(error))
        return None
    record("versions", name=name, versions=found["versions"])
    return found


def ask(name, problem):
    """What the alternative answers to a problem: `answers`, `seconds` and `versions` by name."""
    alternative = ALTERNATIVES[name]
    command = [str(ready(alternative)), str(HERE / "alternatives" / alternative.script)]
    # The scripts share timing.py and nothing else with us.
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore"}
    done = _run(command, name, text=json.dumps(problem), environment=environment, seconds=ANSWER_SECONDS)
    return parsed(name, done)


def parsed(name, printed):
    """The last line that a script printed; packages may print lines of their own before it."""
    lines = printed.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        raise NotAvailableError(f"{name} gave no answer: {lines[-1][:80] if lines else 'nothing printed'}") from error


def _base_python(version):
    """A Python of that version, our own if it does."""
    if version is None or sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    found = shutil.which(f"python{version}")
    if found is None:
        raise NotAvailableError(f"it needs Python {version}, which is not here")
    return found


def _run(command, name, *, text="", environment=None, seconds=INSTALL_SECONDS):
    try:
        done = subprocess.run(
            command, input=text, env=environment, timeout=seconds, check=True, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired as error:
        raise NotAvailableError(f"{name} took more than {seconds} s") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip().splitlines()
        raise NotAvailableError(said[-1] if said else f"{command[0]} ended with {error.returncode}") from error
    except OSError as error:
        raise NotAvailableError(str(error)) from error
    return done.stdout
