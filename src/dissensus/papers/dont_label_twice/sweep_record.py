"""What a sweep has done so far, in a file to which every finished cell is added: a killed sweep goes on from there.

The first line says what the file is; each further one has a cell, what was found there, and a checksum of both.
"""

import json
import os
import zlib
from pathlib import Path

from dissensus.errors import FileError
from dissensus.papers.dont_label_twice.sweep import ITEMS, LABELS, Tallies, Tally

HEADER = json.dumps({"record": "dissensus sweep of Conjecture 1", "items": ITEMS, "labels": LABELS})
START = '{"cell": '
"""How the line of a cell begins."""


def read_record(path: Path) -> dict[str, Tallies]:
    """The cells in a record; a last line that was cut off by a kill is left out."""
    lines, cut = _lines(path)
    if not (lines[0] == HEADER if lines else HEADER.startswith(cut)):
        raise _foreign(path)
    found: dict[str, Tallies] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            name, tallies = _parsed(line)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise _damaged(path, number) from None
        found[name] = tallies
    if lines and not (cut.startswith(START) or START.startswith(cut)):
        raise _damaged(path, len(lines) + 1)
    return found


def _lines(path: Path) -> tuple[list[str], str]:
    """The whole lines of a file, and what stands after the last of them; nothing if there is no such file."""
    try:
        *lines, cut = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return [], ""
    except UnicodeDecodeError:
        raise _foreign(path) from None
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror}. Choose another place with --record.") from error
    return lines, cut


def _foreign(path: Path) -> FileError:
    return FileError(
        f"{path.name} is not a record of this sweep. Name another file with --record, or delete it to begin anew."
    )


def _damaged(path: Path, number: int) -> FileError:
    return FileError(
        f"{path.name}, line {number}: damaged. Delete the line to have its part computed again, or the file to begin "
        "anew."
    )


def _parsed(line: str) -> tuple[str, Tallies]:
    entry = json.loads(line)
    tallies = {int(items): Tally(**counts) for items, counts in entry["tallies"].items()}
    if _line(entry["cell"], tallies) != line:
        raise ValueError("not what was written")
    return entry["cell"], tallies


def _line(name: str, tallies: Tallies) -> str:
    """A cell as it stands in the record."""
    entry = {"cell": name, "tallies": {str(items): tally.as_dict() for items, tally in tallies.items()}}
    return json.dumps({**entry, "checksum": zlib.crc32(json.dumps(entry).encode())})


class Record:
    """A file to which finished cells are added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_ready = False

    def note(self, name: str, tallies: Tallies) -> None:
        """Add a cell, and see that it is on the disk."""
        try:
            if not self._is_ready:
                self._get_ready()
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(_line(name, tallies) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FileError(
                f"Cannot write {self._path}: {error.strerror}. Choose another place with --record."
            ) from error

    def _get_ready(self) -> None:
        """Begin the file, or leave out a last line that a kill cut off, so that the next one starts afresh."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        read_record(self._path)  # what is no record is refused, not cut
        with self._path.open("a+b") as file:
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)
            if not whole:
                file.write(f"{HEADER}\n".encode())
        self._is_ready = True
