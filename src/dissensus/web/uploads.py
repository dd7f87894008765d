"""Files that visitors gave: in a private folder, under names of ours, for an hour."""

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from typing import cast

from dissensus.errors import DissensusError
from dissensus.example_data.examples import EXAMPLES, Example, example_path
from dissensus.ratings.sources.input_file import SUFFIXES
from dissensus.web.private_folder import PrivateFolder

EXAMPLE = "example:"
MOST_KEPT = 20
"""Data sets; with the limit on one of them, that is what they may take of the disk."""
GONE = "These files are not here (any more): uploads are removed after an hour and when the server ends. Upload again."


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file, and what its owner calls it."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Ratings, perhaps judges, and for the examples what was asked.

    Attributes
    ----------
    id : str
        Unguessable, or the name of an example.
    ratings, judges : StoredFile
        Judges may be missing.
    task : Path, optional
        The task of an example.
    since : float
        When it was stored, on the monotonic clock.
    """

    id: str
    ratings: StoredFile
    judges: StoredFile | None = None
    task: Path | None = None
    since: float = field(default_factory=time.monotonic)

    def arguments(self) -> dict[str, object]:
        """What a worker must know to read it."""
        return {
            "ratings": str(self.ratings.path),
            "ratings_name": self.ratings.name,
            "judges": None if self.judges is None else str(self.judges.path),
            "judges_name": "" if self.judges is None else self.judges.name,
            "task": None if self.task is None else str(self.task),
        }


class Uploads:
    """The data sets of all visitors.

    Parameters
    ----------
    keep_seconds : float
        How long they are kept.

    Attributes
    ----------
    folder : Path
        Where they are.
    coming : int
        How many uploads come in at the moment.
    """

    def __init__(self, *, keep_seconds: float) -> None:
        self._private = PrivateFolder()
        self.folder = self._private.path
        self.coming = 0
        self._keep = keep_seconds
        self._known: dict[str, DataSet] = {}

    def place_for(self, role: str, name: str) -> Path:
        """A new place for a file; of the name that the visitor gave only a known suffix is kept."""
        folder = Path(tempfile.mkdtemp(prefix="data-", dir=self.folder))
        return folder / f"{role}{known_suffix(name)}"

    def add(self, files: Mapping[str, StoredFile]) -> DataSet:
        """Keep a data set; `files` are its ratings and perhaps its judges."""
        made = DataSet(id=token_urlsafe(18), ratings=files["ratings"], judges=files.get("judges"))
        self._known[made.id] = made
        return made

    def find(self, id_: str) -> DataSet:
        """A data set by its id; `example:toxicity` and the like are always there."""
        if id_.removeprefix(EXAMPLE) in EXAMPLES and id_.startswith(EXAMPLE):
            return _example(cast("Example", id_.removeprefix(EXAMPLE)))
        found = self._known.get(id_)
        if found is None or time.monotonic() - found.since > self._keep:
            raise DissensusError(GONE)
        return found

    def tidy(self) -> list[str]:
        """Remove what was kept long enough, and the oldest of too many; the ids of what is gone."""
        now = time.monotonic()
        known = list(self._known.values())
        too_many = known[: max(len(known) - MOST_KEPT, 0)]
        old = [*too_many, *(one for one in known[len(too_many) :] if now - one.since > self._keep)]
        for one in old:
            del self._known[one.id]
            for file in (one.ratings, one.judges):
                if file is not None:
                    discard(file.path)
        return [one.id for one in old]

    def close(self) -> None:
        """Remove everything."""
        self._private.remove()


def discard(path: Path) -> None:
    """Remove a stored file and the folder that was made for it."""
    shutil.rmtree(path.parent, ignore_errors=True)


def known_suffix(name: str) -> str:
    """The suffix of a file name if we read such files, `.csv` if not: nothing else of the name is used.

    Examples
    --------
    >>> known_suffix("../../Ratings.JSONL.gz"), known_suffix("evil.csv/../../x.sh"), known_suffix("a.xlsx")
    ('.jsonl.gz', '.csv', '.xlsx')
    """
    lower = name.lower()
    packed = ".gz" if lower.endswith(".gz") else ""
    inner = lower.removesuffix(".gz")
    found = next((suffix for suffix in SUFFIXES if inner.endswith(suffix)), None)
    return ".csv" + packed if found is None else found + packed


def _example(name: Example) -> DataSet:
    folder = example_path(name)
    return DataSet(
        id=EXAMPLE + name,
        ratings=StoredFile(path=folder / "ratings.csv", name=EXAMPLE + name),
        judges=StoredFile(path=folder / "judges.csv", name=EXAMPLE + name),
        task=folder / "task.toml",
    )
