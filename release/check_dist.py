"""Check that the files to publish hold what they should and nothing else.

python release/check_dist.py    the wheel and the source distribution of this version in dist/
"""

import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BESIDE_THE_PACKAGE = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "hatch_build.py", "pyproject.toml"}
"""What the source distribution holds beside src/; tests and docs are read in the repository."""
ADDED_BY_THE_BUILDER = {"PKG-INFO", ".gitignore"}
METADATA = {
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE",
    "licenses/src/dissensus/report/templates/vega.LICENSE.txt",
    "licenses/src/dissensus/web/static/htmx.LICENSE.txt",
}


def package_files() -> set[str]:
    """Files of the package in this checkout, from `dissensus/` on, without what tools leave behind."""
    folder = ROOT / "src"
    files = (path.relative_to(folder) for path in (folder / "dissensus").rglob("*") if path.is_file())
    return {
        path.as_posix() for path in files if not any(part == "__pycache__" or part[0] == "." for part in path.parts)
    }


def wheel_faults(wheel: Path) -> list[str]:
    """What the wheel lacks and what it holds too much."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    information = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    return differences(wheel, held, package_files() | {f"{information}/{name}" for name in METADATA})


def sdist_faults(sdist: Path) -> list[str]:
    """What the source distribution lacks and what it holds too much."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    expected = {f"src/{name}" for name in package_files()} | BESIDE_THE_PACKAGE | ADDED_BY_THE_BUILDER
    return differences(sdist, held, expected)


def differences(path: Path, held: set[str], expected: set[str]) -> list[str]:
    """One line per file that is missing or should not be there."""
    return [f"{path.name} lacks {name}" for name in sorted(expected - held)] + [
        f"{path.name} should not hold {name}" for name in sorted(held - expected)
    ]


def main() -> int:
    """Status 1 if a file of dist/ is not as it should be."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    wheel = ROOT / "dist" / f"dissensus-{version}-py3-none-any.whl"
    sdist = ROOT / "dist" / f"dissensus-{version}.tar.gz"
    faults = wheel_faults(wheel) + sdist_faults(sdist)
    print("\n".join(faults) or f"{wheel.name} and {sdist.name} hold what they should and nothing else.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
