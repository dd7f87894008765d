"""Build CHANGELOG.md from the sentences in changelog.d.

The section of the version in hand is made anew from the files; sections of earlier versions stay as they are.
After a release its files are deleted, and its section stays.

    python release/build_changelog.py             rewrites CHANGELOG.md
    python release/build_changelog.py --check     only says whether it would change, and fails if it would
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
HEAD = """# Changelog

Built from [changelog.d](changelog.d/README.md) by `make changelog`; write there, not here.
"""
TITLES = {
    "results": "Numbers that changed",
    "added": "Added",
    "changed": "Changed",
    "fixed": "Fixed",
    "removed": "Removed",
}
"""Kinds of change, in the order in which a user needs to know of them."""
CHANGE = re.compile(r"(?P<issue>\d+)(?:-(?P<topic>[a-z0-9-]+))?\.(?P<kind>[a-z]+)\.md")
SECTION = re.compile(r"^## (?P<version>\S+)\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class ChangeError(Exception):
    """A file in changelog.d is not named as a change."""


def changes(folder: Path) -> dict[str, list[str]]:
    """Sentences by kind, in the order of their issues."""
    found = []
    for path in folder.glob("*"):
        if path.name == "README.md":
            continue
        name = CHANGE.fullmatch(path.name)
        if name is None or name["kind"] not in TITLES:
            raise ChangeError(f"{path.name} is not named <issue>.<{'|'.join(TITLES)}>.md; see changelog.d/README.md")
        lines = path.read_text(encoding="utf-8").splitlines()
        found.append((name["kind"], int(name["issue"]), name["topic"] or "", lines))
    return {kind: [line for of, *_, lines in sorted(found) if of == kind for line in lines] for kind in TITLES}


def section(version: str, sentences: dict[str, list[str]]) -> str:
    """The section of one version; empty if nothing changed."""
    lists = [
        f"### {TITLES[kind]}\n\n" + "".join(f"- {text}\n" for text in texts)
        for kind, texts in sentences.items()
        if texts
    ]
    return "\n".join([f"## {version}\n", *lists]) if lists else ""


def changelog(before: str, version: str, sentences: dict[str, list[str]]) -> str:
    """The whole file: the version in hand first, then the sections that the file before had."""
    kept = {found["version"]: found[0].rstrip("\n") + "\n" for found in SECTION.finditer(before)}
    new = section(version, sentences)
    if new:
        kept = {version: new, **{name: text for name, text in kept.items() if name != version}}
    return "\n".join([HEAD, *kept.values()])


def main(arguments: list[str]) -> int:
    """Write or check CHANGELOG.md; 1 if it is not current."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    before = CHANGELOG.read_text(encoding="utf-8") if CHANGELOG.exists() else ""
    after = changelog(before, version, changes(ROOT / "changelog.d"))
    if "--check" in arguments:
        if before != after:
            print("CHANGELOG.md is not what changelog.d says: run `make changelog`.", file=sys.stderr)
        return int(before != after)
    CHANGELOG.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
