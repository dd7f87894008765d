"""What people and judges said: Ratings, Judges, Task; read any file; counts and their histogram."""

from dissensus.ratings.counts import CountTypes, types_of_matrix
from dissensus.ratings.judges import Judges
from dissensus.ratings.reading import read, read_judges
from dissensus.ratings.table import Ratings
from dissensus.ratings.task import Task, read_task

__all__ = ["CountTypes", "Judges", "Ratings", "Task", "read", "read_judges", "read_task", "types_of_matrix"]
