"""What every method returns: a frozen record that can show itself.

A result keeps the settings and the data that made it. Showing is the business of `report`, which stands below the
methods; these hand-overs are the only imports that point down, and they happen when they are called.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dissensus.report.charts import Chart


@dataclass(frozen=True, kw_only=True)
class Result(ABC):
    """Base of the methods' results.

    Attributes
    ----------
    settings : mapping
        The options that made the result, seed included.
    data : mapping
        Shape, file name and hash of the data, by role (ratings, judges).
    warnings : tuple of str
        What was left out, mended or could not be computed, and why.
    """

    command: ClassVar[str]

    settings: Mapping[str, object]
    data: Mapping[str, Mapping[str, object]]
    warnings: tuple[str, ...] = ()

    @abstractmethod
    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON, as docs/reference/json.md names it; a number that is undefined is NaN here."""

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """The main table, one plain dict per row."""

    def to_frame(self) -> object:
        """The rows as a pandas DataFrame, or a polars one where pandas is not installed."""
        from dissensus.report.frames import frame_of_rows  # noqa: PLC0415 - report stands below the methods

        return frame_of_rows(self.rows())

    def to_json(self) -> str:
        """The whole JSON object that the command prints."""
        from dissensus.report.envelope import envelope_json  # noqa: PLC0415 - as above

        return envelope_json(self)

    def summary(self) -> str:
        """The result in plain sentences and tables of text."""
        from dissensus.report.text import text_of  # noqa: PLC0415 - as above

        return text_of(self)

    def __str__(self) -> str:
        return self.summary()

    def plot(self) -> "Chart":
        """The main chart."""
        from dissensus.report.views import main_chart  # noqa: PLC0415 - as above

        return main_chart(self)

    def _repr_html_(self) -> str:
        from dissensus.report.html import fragment_of  # noqa: PLC0415 - as above

        return fragment_of(self)
