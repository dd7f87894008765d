"""Audit what comes with dissensus and all its extras: licences, bill of materials, known vulnerabilities.

    python release/audit.py    needs the wheel in dist/; writes dist/dissensus-<version>.cdx.json (CycloneDX)

Each of the three says in one line how it ended. What could not be done counts as failed: an audit that asked nobody is
no audit.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from interpreters import clean_environment, pip, run
from try_wheel import PROJECT, ROOT, built_wheel

ALLOWED = {
    *("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "PSF-2.0", "Zlib", "CC0-1.0", "Unlicense"),
    *("MIT License", "Apache Software License", "BSD License", "ISC License (ISCL)", "BSD", "Apache 2.0"),
}
"""Licences that ask for no more than a notice: as SPDX names them, then as older packages do."""
UNKNOWN = "UNKNOWN"


def stated_licence(package: dict[str, str]) -> str:
    """What a package says of its licence: its SPDX expression, else its classifiers, else its own words."""
    stated = (package[f"License-{kind}"] for kind in ("Expression", "Classifier", "Metadata"))
    return next((text for text in stated if text != UNKNOWN), UNKNOWN)


def is_allowed(licence: str) -> bool:
    """Whether one may use it under permissive licences only: one side of an OR, all sides of an AND.

    AND binds closer than OR, as SPDX has it. An expression with brackets is refused: somebody has to read it.
    """
    return any(all(part in ALLOWED for part in _all_of(choice)) for choice in licence.split(" OR "))


def _all_of(choice: str) -> list[str]:
    return [part for one in choice.split(" AND ") for part in one.split("; ")]


def licences(python: Path) -> bool:
    """Whether every package that is installed has a permissive licence."""
    command: list[str | Path] = ["piplicenses", "--python", python, "--from=all", "--format=json"]
    packages = json.loads(run([sys.executable, "-m", *command], folder=ROOT))
    refused = [(one["Name"], stated_licence(one)) for one in packages if not is_allowed(stated_licence(one))]
    for name, licence in refused:
        print(f"Licences: {name} is under {licence[:80]!r}, which is not on the list of permissive licences")
    if not refused:
        print(f"Licences: all {len(packages)} packages are under permissive licences")
    return not refused


def bill_of_materials(python: Path) -> bool:
    """Whether the list of all that is installed could be written."""
    target = ROOT / "dist" / f"dissensus-{PROJECT['version']}.cdx.json"
    command: list[str | Path] = ["cyclonedx_py", "environment", python, "--pyproject", ROOT / "pyproject.toml"]
    options: list[str | Path] = ["--output-reproducible", "--of", "JSON", "-o", target]
    run([sys.executable, "-m", *command, *options], folder=ROOT)
    parts = json.loads(target.read_text(encoding="utf-8"))["components"]
    print(f"Bill of materials: wrote {target.relative_to(ROOT)} with {len(parts)} components")
    return bool(parts)


def vulnerabilities(python: Path, folder: Path) -> bool:
    """Whether the service was asked about every dependency and knows of no vulnerability."""
    frozen = run([*pip(python), "freeze", "--exclude", "dissensus"], folder=folder)
    listed = folder / "frozen.txt"
    listed.write_text(frozen, encoding="utf-8")
    options: list[str | Path] = ["--no-deps", "--disable-pip", "-r", listed, "--format=json", "--progress-spinner=off"]
    answer = subprocess.run(
        [sys.executable, "-m", "pip_audit", *options], capture_output=True, encoding="utf-8", check=False
    )
    return judged(answer.stdout, answer.stderr, asked=len(frozen.splitlines()))


def judged(answer: str, errors: str, *, asked: int) -> bool:
    """Whether an answer of pip-audit covers every package and names no vulnerability; says so."""
    if not answer.strip():
        reason = (errors.strip().splitlines() or ["no answer"])[-1]
        print(f"Vulnerabilities: NOT CHECKED, the service could not be asked: {reason[:200]}")
        return False
    packages = json.loads(answer)["dependencies"]
    known = [(one["name"], each["id"]) for one in packages for each in one.get("vulns", [])]
    checked = [one for one in packages if "skip_reason" not in one]
    for name, identifier in known:
        print(f"Vulnerabilities: {name} has {identifier}")
    if len(checked) < asked:
        missed = f"{asked - len(checked)} of {asked} packages"
        print(f"Vulnerabilities: NOT CHECKED for {missed}: the service was out of reach or does not know them")
    if not known and len(checked) >= asked:
        print(f"Vulnerabilities: none known in {asked} packages")
    return not known and len(checked) >= asked


def main() -> int:
    """Status 1 if one of the three failed or could not be done."""
    everything = f"{built_wheel()}[{','.join(PROJECT['optional-dependencies'])}]"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = clean_environment(Path(sys.executable), folder / "environment", [everything])
        outcomes = [licences(python), bill_of_materials(python), vulnerabilities(python, folder)]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
