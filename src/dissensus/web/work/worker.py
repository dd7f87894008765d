import asyncio
import json
import multiprocessing
import shutil
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path

from dissensus.web.work.process import Message, serve_tasks


class WorkerLostError(Exception):
    """The process has ended before its task was done."""


class Worker:
    """A process that runs one task at a time; it can be stopped in the middle of one.

    Parameters
    ----------
    folder : Path
        Where it may make a folder for its temporary files, which goes with it.
    warm : tuple of str
        Tasks that it imports at once.
    threads : Executor
        Where the server waits for its messages; a thread for each worker.
    """

    def __init__(self, folder: Path, *, warm: tuple[str, ...], threads: Executor) -> None:
        # Forking a process that runs threads can hang the child, so each worker starts afresh.
        context = multiprocessing.get_context("spawn")
        self._threads = threads
        self._folder = Path(tempfile.mkdtemp(prefix="work-", dir=folder))
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=serve_tasks, args=(theirs, str(self._folder), warm), daemon=True, name="dissensus-worker"
        )
        self._process.start()
        theirs.close()

    async def run(self, task: str, arguments: Mapping[str, object], tell: Callable[[Message], None]) -> Message:
        """Run a task; its messages go to `tell`, its last one is returned."""
        loop = asyncio.get_running_loop()
        order = json.dumps({"task": task, "arguments": arguments}).encode()
        try:
            await loop.run_in_executor(self._threads, self._pipe.send_bytes, order)
            while True:
                message: Message = json.loads(await loop.run_in_executor(self._threads, self._pipe.recv_bytes))
                if message["kind"] in {"done", "failed"}:
                    return message
                tell(message)
        except (EOFError, OSError) as error:
            raise WorkerLostError from error

    def stop(self) -> None:
        """End the process now, and remove what it wrote."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)
