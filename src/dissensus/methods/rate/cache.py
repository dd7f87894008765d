"""Every answer, on disk before it is counted: an SQLite file that only its owner can read."""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dissensus.errors import FileError
from dissensus.methods.rate.client import Reply
from dissensus.options import named

CACHE = named("cache")
OWNER_ONLY = 0o600
BUSY_SECONDS = 60.0
ROOM = 1 << 20  # bytes that must fit on the disk before anything is asked
FORMAT = 1  # kept in the file, so that a later version can tell an older file from a newer one

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS answers (
        key TEXT PRIMARY KEY,    -- hash of endpoint, model, parameters, prompt and sample
        endpoint TEXT NOT NULL,
        model TEXT NOT NULL,
        sample INTEGER NOT NULL,
        reply TEXT,              -- JSON; null if there was no answer
        failure TEXT,            -- why there was none
        at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS servers (
        endpoint TEXT, model TEXT, what TEXT, value TEXT, PRIMARY KEY (endpoint, model, what)
    ) WITHOUT ROWID
    """,
)
# An answer stays; a failure gives way to whatever comes next.
_SAVE = """
INSERT INTO answers (key, endpoint, model, sample, reply, failure) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET reply = excluded.reply, failure = excluded.failure, at = excluded.at
WHERE answers.reply IS NULL
"""


_OURS = {"answers", "servers"}
_REMEDIES = {  # what to do about an error, by a word in it
    "locked": "Wait until the other program that uses it is done",
    "malformed": "It is damaged: restore it",
    "ermission": "Ask for the right to write there",
    "readonly": "Ask for the right to write there",
    "No such": "Make the folder",
}
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What came of one request: a reply, or why there is none."""

    key: str
    endpoint: str
    model: str
    sample: int
    reply: Reply | None = None
    failure: str | None = None


class Cache:
    """Answers by key, shared by any number of processes.

    Opening one makes the file, and room for the first answers: a full disk or a folder that cannot be written is found
    out before anything is asked. Reading and saving use a connection each, so that they can run in two threads.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._explained(), contextlib.ExitStack() as opened:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, OWNER_ONLY))
            _check_is_database(self.path)
            if os.name == "posix":  # SQLite gives its side files the same mode
                self.path.chmod(OWNER_ONLY)
            self._reader = opened.enter_context(contextlib.closing(_connect(self.path)))
            self._writer = opened.enter_context(contextlib.closing(_connect(self.path)))
            with _transaction(self._writer):
                self._check_format()
                for table in _TABLES:
                    self._writer.execute(table)
            _check_room(self._writer)
            opened.pop_all()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._writer.close()

    def has_answer(self, key: str) -> bool:
        """Whether a request was answered; one that failed was not."""
        with self._explained():
            query = "SELECT 1 FROM answers WHERE key = ? AND reply IS NOT NULL"
            return self._reader.execute(query, (key,)).fetchone() is not None

    def find(self, key: str) -> tuple[Reply | None, str | None]:
        """The reply to a request, or why there was none; neither if it was never asked."""
        with self._explained():
            row = self._reader.execute("SELECT reply, failure FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None, None
        try:
            return (None if row[0] is None else Reply.from_json(row[0])), row[1]
        except (ValueError, TypeError, AttributeError) as error:
            raise FileError(
                f"An answer in the cache {self.path} is damaged: name another file with {CACHE}, and ask again."
            ) from error

    def save(self, entries: Iterable[Entry]) -> None:
        """Save entries for good: they are on the disk when this returns."""
        rows = [(e.key, e.endpoint, e.model, e.sample, e.reply and e.reply.to_json(), e.failure) for e in entries]
        with self._explained(), _transaction(self._writer):
            self._writer.executemany(_SAVE, rows)

    def learned(self, endpoint: str, model: str) -> dict[str, str]:
        """What was found out about a server."""
        with self._explained():
            query = "SELECT what, value FROM servers WHERE endpoint = ? AND model = ?"
            return dict(self._reader.execute(query, (endpoint, model)).fetchall())

    def learn(self, endpoint: str, model: str, facts: dict[str, str]) -> None:
        """Keep what was found out about a server, so that the next run asks in the same way."""
        rows = [(endpoint, model, what, value) for what, value in facts.items()]
        with self._explained(), _transaction(self._writer):
            self._writer.executemany("INSERT OR REPLACE INTO servers VALUES (?, ?, ?, ?)", rows)

    def _check_format(self) -> None:
        (version,) = self._writer.execute("PRAGMA user_version").fetchone()
        if version not in {0, FORMAT}:
            raise FileError(
                f"{self.path.name} was written by another version of dissensus: name another file with {CACHE}."
            )
        tables = {name for (name,) in self._writer.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if (version == 0 and tables) or (version == FORMAT and not tables >= _OURS):
            raise FileError(f"{self.path.name} is a database of something else: name another file with {CACHE}.")
        if version == 0:
            self._writer.execute(f"PRAGMA user_version = {FORMAT}")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of SQLite and of the disk in one line."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            advice = next((remedy for word, remedy in _REMEDIES.items() if word in str(reason)), "Make room")
            raise FileError(
                f"The cache {self.path} cannot be written: {reason}. {advice}, or name another file with {CACHE}."
            ) from error


def _check_is_database(path: Path) -> None:
    """A file that is none is left as it is, its mode included; so is a device or a pipe, which may never end."""
    if not path.is_file():
        raise FileError(f"{path} is not a cache: it is a device or a pipe. Name a file with {CACHE}.")
    with path.open("rb") as stream:
        start = stream.read(len(_MAGIC))
    if start and start != _MAGIC:
        raise FileError(f"{path} is not a cache: file is not a database. Name another file with {CACHE}.")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    deadline = time.monotonic() + BUSY_SECONDS
    with contextlib.ExitStack() as opened:
        opened.enter_context(contextlib.closing(connection))
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # SQLite does not wait here, where another process makes the same file at the same time.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        connection.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut, too
        opened.pop_all()
    return connection


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _check_room(connection: sqlite3.Connection) -> None:
    """Write a piece of nothing; its pages stay in the file for the answers to come."""
    with _transaction(connection):
        connection.execute("CREATE TABLE IF NOT EXISTS room (bytes BLOB)")
        connection.execute("INSERT INTO room VALUES (zeroblob(?))", (ROOM,))
    with _transaction(connection):
        connection.execute("DROP TABLE IF EXISTS room")


GATHERING = 0.02
"""Seconds in which answers gather for one commit: so much of a run can be lost if it is killed, and is asked again."""
Waiting = tuple[Entry, Callable[[], None]]


class Committer:
    """Saves entries while requests go on: those that come within an instant share a commit.

    A commit waits for the disk; one for each answer would make the disk the limit, one for many answers does not.
    """

    def __init__(self, cache: Cache, *, most: int, on_error: Callable[[], None]) -> None:
        self._cache, self._on_error = cache, on_error
        self._queue: asyncio.Queue[Waiting] = asyncio.Queue()
        self._room = asyncio.Semaphore(most)
        self._task: asyncio.Task[None] | None = None
        self._error: Exception | None = None

    async def save(self, entry: Entry, then: Callable[[], None]) -> None:
        """Save an entry soon, and call `then` when it is on the disk; waits only where too many wait already."""
        if self._task is None:
            self._task = asyncio.create_task(self._commit_forever())
        await self._room.acquire()
        self._queue.put_nowait((entry, then))

    async def saved(self) -> None:
        """Wait until all is on the disk; raises what kept it from being."""
        await self._queue.join()
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """Stop; what is not saved by then is lost."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _commit_forever(self) -> None:
        while True:
            batch = [await self._queue.get()]
            await asyncio.sleep(GATHERING)
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                if self._error is None:
                    await asyncio.to_thread(self._cache.save, [entry for entry, _ in batch])
                    for _, then in batch:
                        then()
            except Exception as error:  # noqa: BLE001 - `saved` raises it
                self._error = error
                self._on_error()
            finally:
                for _ in batch:
                    self._room.release()
                    self._queue.task_done()
