"""The server's folder for uploads: private, and locked as long as the server lives.

A server that ends removes its folder. One that is killed cannot, but its lock goes with it: the next server removes a
folder with a lock that nobody holds.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

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
