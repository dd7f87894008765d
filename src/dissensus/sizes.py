"""How much a source may hold: one limit for each thing that grows, the same for every way in.

A file of a few kilobytes can unpack to gigabytes, and a text column named by mistake has a million labels. Each limit
is far above what surveys hold. It is raised by an option of the command line, in Python with `with limits(...)`, or in
the environment variable DISSENSUS_LIMITS, from which the processes of `dissensus serve` take it.
"""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from dissensus.errors import FileError, OptionError, named

VARIABLE = "DISSENSUS_LIMITS"
_UNITS = {"": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_NUMBER = re.compile(r"(\d{1,18})\s*(KB|MB|GB|TB|)", re.IGNORECASE)
_CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")
MACHINE_SHARE = 0.9
LIBRARIES = 2**28  # bytes that Python, numpy and duckdb take before they read anything
PARENT_DIED = 1  # Linux's PR_SET_PDEATHSIG
CRASHES = frozenset(int(one) for one in signal.Signals if one.name in {"SIGSEGV", "SIGABRT", "SIGBUS"})  # if known here
LEAST_MEMORY = 2 * LIBRARIES  # a library that finds too little while it starts ends the process without a word


def machine_memory() -> int:
    """Bytes that a process may take on this machine: nine tenths of its memory, or of its container's."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows does not say
        total = 2**36
    with suppress(OSError, ValueError):  # no container, or one without a limit
        total = min(total, int(_CONTROL_GROUP.read_text(encoding="ascii")))
    return int(total * MACHINE_SHARE)


def bound_memory(most: int) -> None:
    """Let this process take no more, so that it ends with a message and is not killed, nor what runs beside it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))
    except (ImportError, OSError, ValueError):
        return


def child_status() -> int | None:
    """None in a child, which goes on; in the process that waits for it, its exit status or minus its signal.

    A library that finds no memory may end the process without a word, and somebody must be left to say so.
    """
    if sys.platform != "linux":
        return None
    passed_on = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    parent = os.getpid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever ignores it is never told that a child ended
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*passed_on, signal.SIGCHLD})
    child = os.fork()
    if not child:
        _end_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return None
    while True:
        came = signal.sigwaitinfo({*passed_on, signal.SIGCHLD})
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if came.si_signo in passed_on and came.si_code <= 0:  # sent by a process; a terminal's reach the child, too
            os.kill(child, came.si_signo)


def _end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, however it ends."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - for this alone

        ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits, each with what it counts."""

    bytes: int = 2 * 2**30  # of a packed file (gzip, ZIP, Zstandard) after unpacking
    ratio: int = 200  # times a packed file may grow, once it has more than 64 MB. Tables come to about 30
    rows: int = 20_000_000  # of a table that is read into memory; larger files are reduced while they are read
    columns: int = 10_000  # of a table
    cells: int = 20_000_000  # of a worksheet, empty ones included: one cell in the last corner makes seventeen billion
    cell: int = 2**24  # characters of one cell
    document: int = 2**26  # characters of one JSON or YAML document, or of one record
    depth: int = 100  # lists and objects within each other
    labels: int = 1000  # different ones; more are texts
    samples: int = 100_000  # resamples and simulated data sets: past this nothing becomes more exact that anybody reads
    memory: int = field(default_factory=machine_memory)  # bytes that a process of ours may take


NAMES = tuple(own.name for own in fields(Limits))


def current() -> Limits:
    """The limits that hold now."""
    return _parsed(os.environ.get(VARIABLE, ""))


@lru_cache
def _parsed(text: str) -> Limits:
    return Limits(**dict(map(_pair, filter(str.strip, text.split(",")))))


def _pair(text: str) -> tuple[str, int]:
    """A limit and its number from `columns=20000` or `bytes=8GB`.

    >>> _pair("columns=20000"), _pair(" bytes = 8GB ")
    (('columns', 20000), ('bytes', 8589934592))
    """
    name, _, value = (part.strip() for part in text.partition("="))
    if name not in NAMES:
        raise OptionError(f"There is no limit {name!r}: choose one of {', '.join(NAMES)}.")
    found = _NUMBER.fullmatch(value.replace("_", ""))
    if found is None or int(found[1]) == 0:
        raise OptionError(f"The limit {name} cannot be {value!r}: give a whole number above 0, such as 5000 or 8GB.")
    number = int(found[1]) * _UNITS[found[2].upper()]
    if name == "memory" and number < LEAST_MEMORY:
        raise OptionError(f"The limit memory cannot be {value!r}: give at least {LEAST_MEMORY // 2**20}MB.")
    return name, number


Raised = int | str | None


@contextmanager
def limits(
    *, bytes: Raised = None, ratio: Raised = None, rows: Raised = None, columns: Raised = None,  # noqa: A002 - a limit
    cells: Raised = None, cell: Raised = None, document: Raised = None, depth: Raised = None, labels: Raised = None,
    samples: Raised = None, memory: Raised = None,
) -> Iterator[Limits]:  # fmt: skip
    """Other limits until the block ends, for data that are larger than we expect.

    Parameters
    ----------
    bytes, ratio : int or str, optional
        What a packed file may unpack to, such as "8GB", and how many times its size that may be.
    rows, columns : int, optional
        Of a table.
    cells : int, optional
        Of a worksheet, empty ones included.
    cell, document : int, optional
        Characters of one cell, and of one JSON or YAML document.
    depth : int, optional
        Lists and objects within each other.
    labels : int, optional
        Different ones.
    samples : int, optional
        Of the bootstrap and other resampling.
    memory : int or str, optional
        Of one process of the command line or of the server; in Python the process is yours.

    Returns
    -------
    context manager
        For a `with` block, in which it hands over all limits as they are there.

    Raises
    ------
    DissensusError
        If a limit is not a number above 0.

    See Also
    --------
    read : Ratings from a file or a frame.

    Examples
    --------
    >>> import dissensus
    >>> with dissensus.limits(columns=50_000, bytes="8GB") as now:
    ...     now.columns, now.bytes
    (50000, 8589934592)
    """
    given = {name: value for name, value in locals().items() if value is not None}
    with raised_by([f"{name}={value}" for name, value in given.items()]) as found:
        yield found


@contextmanager
def raised_by(pairs: list[str]) -> Iterator[Limits]:
    """The same from texts such as `columns=20000`."""
    before = os.environ.get(VARIABLE)
    text = ",".join(filter(None, [before or "", *pairs]))
    found = _parsed(text)  # an error before anything is changed
    os.environ[VARIABLE] = text
    try:
        yield found
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def raising(name: str, needed: int | str) -> str:
    """How a user raises a limit, for a message."""
    return named(name, of="limits", value=str(needed))


def check_size(name: str, found: int, what: str, advice: str, *, error: type[Exception] = FileError) -> None:
    """Raise if there is more of something than its limit allows.

    `name`: the limit. `found`: how many there are. `what`: what has them, as the beginning of a sentence: "r.csv has
    20,003 columns". `advice`: what to do if they are not wanted. `error`: the error to raise.
    """
    most: int = getattr(current(), name)
    if found > most:
        raise error(f"{what}, and our limit for {name} is {most:,}. {advice} Or raise it with {raising(name, found)}.")
