"""The answers of people and judges: Ratings, Judges, Task; read any file; counts and their histogram."""

from dissensus.data.counts import CountTypes, types_of_matrix
from dissensus.data.inputs import (
    JudgesLike,
    RatingsLike,
    as_data,
    as_ratings,
    check_order,
    has_judges,
    read_alike,
    read_both,
)
from dissensus.data.judges import Judges
from dissensus.data.ratings import Ratings
from dissensus.data.readers import read, read_judges
from dissensus.data.task import Task, read_task

__all__ = [
    "CountTypes",
    "Judges",
    "JudgesLike",
    "Ratings",
    "RatingsLike",
    "Task",
    "as_data",
    "as_ratings",
    "check_order",
    "has_judges",
    "read",
    "read_alike",
    "read_both",
    "read_judges",
    "read_task",
    "types_of_matrix",
]
