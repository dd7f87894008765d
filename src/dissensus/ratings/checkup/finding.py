from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""A command stops at an error, computes in spite of a warning, and needs not mind a note."""

MOST_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about a file that its owner should know.

    Attributes
    ----------
    check : str
        The check that found it.
    severity : {"error", "warning", "note"}
        Whether commands stop at it, or it may spoil the numbers, or it is only worth knowing.
    message : str
        What is the matter, in a sentence.
    count : int
        How many rows, labels, raters or items it is about.
    rows : tuple of int
        The first of the rows, as a spreadsheet counts; none where it is about no row in particular.
    option : str
        What to type to mend it; empty where only the file can be mended, or nothing needs to be.
    is_choice : bool
        Whether nothing is wrong for certain, so that the option is only one thing to do about it.
    names : tuple of str
        All raters that it is about, where the message shows some of them.
    """

    check: str
    severity: Severity
    message: str
    count: int = 1
    rows: tuple[int, ...] = ()
    option: str = ""
    is_choice: bool = False
    names: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "check": self.check,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "rows": list(self.rows),
            "option": self.option,
            "is_choice": self.is_choice,
            "names": list(self.names),
        }


def first_rows(rows: Sequence[int]) -> tuple[int, ...]:
    """The first few row numbers."""
    return tuple(int(row) for row in rows[:MOST_ROWS])
