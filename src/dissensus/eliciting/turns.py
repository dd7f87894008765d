import os
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment] # not on Windows


class Turns:
    """Tells whether this process is the first to use a cache.

    A second one starts at the other end, so that the two meet in the middle instead of asking everything twice. That is
    a kindness and no lock: where it cannot be told, all are first, and the cache keeps one answer of each.
    """

    def __init__(self, cache: Path) -> None:
        self._path = cache.with_name(f"{cache.name}.lock")
        self._file: int | None = None
        self.is_first = True

    def __enter__(self) -> Self:
        if fcntl is None:
            return self
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.is_first = False
        except OSError:
            pass
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            return
        if self.is_first:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
