"""Where work runs: this process, its cores, a Dask cluster; seeds."""

from dissensus.engine.executors import Engine, open_executor
from dissensus.engine.streams import Progress, run_tasks, seed_of

__all__ = ["Engine", "Progress", "open_executor", "run_tasks", "seed_of"]
