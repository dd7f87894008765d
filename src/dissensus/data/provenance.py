"""Where data came from, and what was left out of them: how many, why, and the option that keeps them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dissensus.errors import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where data came from.

    Attributes
    ----------
    name : str
        The file's name without its folder, or the kind of frame.
    sha256 : str, optional
        Hash of the file's bytes; None for a frame.
    format : str
        Format that was recognised, such as tidy or label-studio.
    rows, columns : int
        Shape of the table as it was read.
    """

    name: str
    sha256: str | None
    format: str
    rows: int
    columns: int

    def as_dict(self) -> dict[str, object]:
        """The fields by name, as the JSON has them."""
        return {
            "file": self.name,
            "sha256": self.sha256,
            "format": self.format,
            "rows": self.rows,
            "columns": self.columns,
        }


# ---- What was left out of a file: how many, why, and the option that keeps them


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Some things that a file has and the ratings do not.

    Attributes
    ----------
    what, several : str
        What one of them is called, and what several are.
    count : int
        How many there are.
    why : str
        Why they are not there; empty if `what` says it.
    option : str
        What to type to have them; empty if nothing brings them back.
    """

    what: str
    count: int
    several: str = ""
    why: str = ""
    option: str = ""

    def sentence(self) -> str:
        """One plain sentence.

        Examples
        --------
        >>> LeftOut(what="skipped annotation", count=2, option="--skipped keep").sentence()
        'Left out 2 skipped annotations (`dissensus import --skipped keep` keeps them).'
        """
        why = f": {self.why}" if self.why else ""
        keeps = f" (`dissensus import {self.option}` keeps them)" if self.option else ""
        return f"Left out {counted(self.count, self.what, self.several)}{why}{keeps}."

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "what": self.what if self.count == 1 else self.several or f"{self.what}s",
            "count": self.count,
            "why": self.why,
            "option": self.option,
        }


class Tally:
    """Counts what is left out while a source is read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str, str]] = Counter()

    def add(self, what: str, *, several: str = "", why: str = "", option: str = "", count: int = 1) -> None:
        """Count one more of a kind."""
        self._counts[what, several, why, option] += count

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was counted, in the order in which it was first met."""
        return tuple(
            LeftOut(what=what, several=several, count=count, why=why, option=option)
            for (what, several, why, option), count in self._counts.items()
            if count
        )


def sentences(left_out: Iterable[LeftOut]) -> tuple[str, ...]:
    """One sentence for each kind."""
    return tuple(some.sentence() for some in left_out)
