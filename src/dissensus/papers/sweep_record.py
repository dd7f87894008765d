"""What a sweep has done so far, in a file to which every finished cell is added: a killed sweep goes on from there."""

import json
import os
from pathlib import Path

from dissensus.errors import FileError
from dissensus.papers.label_sweep import ITEMS, Tallies, Tally


def read_record(path: Path) -> dict[str, Tallies]:
    """The cells in a record; a last line that was cut off by a kill is left out."""
    if not path.exists():
        return {}
    found: dict[str, Tallies] = {}
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            name, tallies = _parsed(line)
        except (ValueError, TypeError, KeyError, AttributeError):
            if number == len(lines):  # after a whole line there is an empty one, after a cut one nothing
                break
            raise FileError(
                f"{path.name}, line {number}: not a record of a sweep. Delete the file to begin anew."
            ) from None
        found[name] = tallies
    return found


def _parsed(line: str) -> tuple[str, Tallies]:
    entry = json.loads(line)
    tallies = {int(items): Tally(**counts) for items, counts in entry["tallies"].items()}
    if set(tallies) != set(ITEMS):
        raise ValueError("other numbers of items")
    return str(entry["cell"]), tallies


class Record:
    """A file to which finished cells are added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_whole = False

    def note(self, name: str, tallies: Tallies) -> None:
        """Add a cell, and see that it is on the disk."""
        entry = {"cell": name, "tallies": {str(items): tally.as_dict() for items, tally in tallies.items()}}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._drop_cut_line()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FileError(f"Cannot write {self._path}: {error.strerror}. Choose another place.") from error

    def _drop_cut_line(self) -> None:
        """Leave out a last line that a kill cut off, so that the next one starts afresh."""
        if self._is_whole:
            return
        self._is_whole = True
        content = self._path.read_bytes() if self._path.exists() else b""
        if content and not content.endswith(b"\n"):
            with self._path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)
