"""What runs in a worker's process: it takes tasks from a pipe, one at a time, and tells how far it is."""

import importlib
import json
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from multiprocessing import parent_process
from multiprocessing.connection import Connection

from dissensus.errors import DissensusError
from dissensus.sizes import LEAST_MEMORY, VARIABLE, bound_memory, current, machine_memory
from dissensus.web.fields import reason_of

Message = dict[str, object]
Tell = Callable[[Message], None]
Task = Callable[[Mapping[str, object], Tell], Message]

OURS = "Something went wrong on our side. The server's terminal shows the error: please report it."
MEMORY = (
    "This takes more memory than it may. Try fewer rows, or fewer bootstrap samples; or start the server with a higher "
    "limit of memory."
)
LARGEST_FILE = 8 * 2**30
"""Bytes that a worker may write to one temporary file, so that a file that unpacks without end does not fill a disk."""


def serve_tasks(connection: Connection, folder: str, warm: tuple[str, ...]) -> None:
    """Run tasks until the pipe is closed; the server removes the folder of temporary files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which stops us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    tempfile.tempdir = folder
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # there is a worker for each core already
    _limit()
    for name in warm:
        importlib.import_module(name)
    while True:
        try:
            order = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        _send(connection, run_task(order, lambda message: _send(connection, message)))


def run_task(order: Mapping[str, object], tell: Tell) -> Message:
    """What a task came to: its result, or why there is none."""
    try:
        arguments = order["arguments"]
        assert isinstance(arguments, dict)  # noqa: S101 - the server wrote it
        return {"kind": "done", "result": task_of(str(order["task"]))(arguments, tell)}
    except DissensusError as error:
        return {"kind": "failed", "error": reason_of(error)}
    except MemoryError:
        return {"kind": "failed", "error": MEMORY}
    except Exception:  # noqa: BLE001 - a visitor sees a sentence, the owner's terminal all of it
        traceback.print_exc(file=sys.stderr)
        return {"kind": "failed", "error": OURS}


def task_of(name: str) -> Task:
    """The function of a task by its name."""
    from dissensus.web.tasks import TASKS  # noqa: PLC0415 - the server itself needs none of the methods

    if name not in TASKS:
        raise DissensusError(f"There is no task {name!r}: choose one of {', '.join(TASKS)}.")
    return TASKS[name]


def _send(connection: Connection, message: Message) -> None:
    connection.send_bytes(json.dumps(message).encode())


def _end_with_parent() -> None:
    """A server that was killed leaves no worker behind."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _limit() -> None:
    """Refuse files that grow without end, and memory beyond a third of the machine's, since two workers may run."""
    third = max(machine_memory() // 3, LEAST_MEMORY)
    os.environ[VARIABLE] = f"memory={third},{os.environ.get(VARIABLE, '')}"  # what is said last counts
    bound_memory(current().memory)
    try:
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    except (ImportError, OSError, ValueError):
        return
