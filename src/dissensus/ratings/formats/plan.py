from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.ratings.coding import Codes, TextColumn
from dissensus.ratings.labels import Scale

Repeats = Literal["error", "first", "last", "keep"]
REPEATS: tuple[Repeats, ...] = ("error", "first", "last", "keep")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlan:
    """What the user said about a file: names of columns, order of labels, what to do with repeats."""

    item: str | None = None
    rater: str | None = None
    label: str | None = None
    group: str | None = None
    elicitation: str | None = None
    count: str | None = None
    labels: Sequence[str] | None = None
    scale: Scale | None = None
    repeats: Repeats = "error"
    wide: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRatings:
    """What a format hands over: columns of equal length, not yet validated.

    Attributes
    ----------
    row : ndarray of shape (n_rows,)
        Number of the row in the file, as a person counts.
    times : ndarray of shape (n_rows,), optional
        Counts, for a table of counts.
    """

    format: str
    row: Codes
    item: TextColumn
    label: TextColumn
    rater: TextColumn | None = None
    group: TextColumn | None = None
    elicitation: TextColumn | None = None
    times: npt.NDArray[np.intp] | None = None
    warnings: tuple[str, ...] = ()
