"""What passes between `read` and a format: the user's wishes in, plain columns out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
    format : str
        Name of the layout: tidy, counts or wide.
    row : ndarray of shape (n_cells,)
        Number of the row that each label stands in, as a spreadsheet counts.
    item, label, rater, group, elicitation : TextColumn
        Who said what; `item.texts` are all items of the file, those without any label included.
    times : ndarray of shape (n_cells,), optional
        How many raters gave the label, for a table of counts; may be 0.
    rows : int
        How many rows the file has, blank ones not counted.
    blank_rows : int
        How many rows had nothing in them.
    warnings : tuple of str
        What the format left out otherwise, or took for granted.
    """

    format: str
    row: Codes
    item: TextColumn
    label: TextColumn
    rater: TextColumn | None = None
    group: TextColumn | None = None
    elicitation: TextColumn | None = None
    times: Codes | None = None
    rows: int
    blank_rows: int = 0
    warnings: tuple[str, ...] = ()
