"""Where work runs: this process, its cores, a Dask cluster; seeds."""

from dissensus.sampling.executors import Engine, Progress, open_executor, run_tasks, seed_of

__all__ = ["Engine", "Progress", "open_executor", "run_tasks", "seed_of"]
