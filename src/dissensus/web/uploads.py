"""Files that visitors gave: in a private folder, under names of ours, for an hour.

A server that ends removes its folder. One that is killed cannot, but its lock goes with it: the next server removes a
folder with a lock that nobody holds.
"""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from types import ModuleType
from typing import cast

from dissensus.data.examples import EXAMPLES, Example, example_path
from dissensus.data.sources.files import SUFFIXES
from dissensus.errors import DissensusError

# ---- The server's folder for uploads: private, and locked as long as the server lives

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: there is nothing to tell a dead server's folder by, so none is removed
    fcntl = None

PREFIX = "dissensus-serve-"
LOCK, UNFINISHED = "lock", "lock.new"


class PrivateFolder:
    """A new folder that only this user may enter, with a lock in it.

    Attributes
    ----------
    path : Path
        The folder.
    """

    def __init__(self) -> None:
        sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        # The lock gets its name once it is held: a sweeping server never finds one that is not.
        self._lock = os.open(self.path / UNFINISHED, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / UNFINISHED).rename(self.path / LOCK)

    def remove(self) -> None:
        """Remove the folder with all that is in it, then let the lock go."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep(where: Path) -> list[str]:
    """Remove folders of this user's servers that were killed; the names of what was removed.

    No link is followed. A folder of somebody else's stays, and one whose lock is held or missing.
    """
    if fcntl is None or not shutil.rmtree.avoids_symlink_attacks:
        return []
    removed = []
    with suppress(OSError), _opened(where.resolve()) as parent:
        for name in os.listdir(parent):  # noqa: PTH208 - of the folder that is open, whatever its name leads to now
            if name.startswith(PREFIX) and _is_left_behind(name, parent):
                shutil.rmtree(name, ignore_errors=True, dir_fd=parent)
                removed.append(name)
    return removed


def _is_left_behind(name: str, parent: int) -> bool:
    """Whether a folder is ours and the server that made it is gone."""
    assert fcntl is not None  # noqa: S101 - asked before
    with suppress(OSError), _opened(name, parent) as folder:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            return False
        lock = os.open(LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)
        return True
    return False


@contextmanager
def _opened(path: Path | str, parent: int | None = None) -> Iterator[int]:
    """A folder, and not what a link leads to, as a file descriptor."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


# ---- Files that visitors gave: in a private folder, under names of ours, for an hour

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
