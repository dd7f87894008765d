"""What every method returns: a frozen record that can show itself.

A result keeps the settings and the data that made it. Showing is the business of `report`, which stands below the
methods; these hand-overs are the only imports that point down, and they happen when they are called.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Self

from dissensus.options import Spelling, in_python, spelled

if TYPE_CHECKING:
    from dissensus.report.charts import Chart


class Message(str):
    """A warning as Python users read it; `message` has the names of its options as data, for the other front ends."""

    message: str
    __slots__ = ("message",)

    def __new__(cls, message: str, spelling: Spelling = in_python) -> Self:
        """The message, its options spelled as Python does."""
        raw = unspelled(message)
        made = super().__new__(cls, spelled(raw, spelling))
        made.message = raw
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (str(self), self.message)


def unspelled(text: object) -> str:
    """A text with the names of options as data, if it has any."""
    return str(getattr(text, "message", text))


def _restored(text: str, message: str) -> Message:
    made = Message(text)
    made.message = message
    return made


def as_dict(record: object) -> dict[str, object]:
    """The fields of a dataclass as the JSON has them: records within it become dicts, tuples of them lists."""
    return {own.name: _plain(getattr(record, own.name)) for own in fields(record)}  # type: ignore[arg-type]


def _plain(value: object) -> object:
    inner = getattr(value, "as_dict", None)
    if callable(inner):
        return inner()
    if hasattr(value, "__dataclass_fields__"):
        return as_dict(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


@dataclass(frozen=True, kw_only=True)
class Result(ABC):
    """Base of the methods' results."""

    command: ClassVar[str]

    settings: Mapping[str, object]  # the options that made the result, seed included
    data: Mapping[str, Mapping[str, object]]  # shape, file name and hash of the data, by role (ratings, judges)
    warnings: tuple[str, ...] = ()  # what was left out, fixed or could not be computed, and why

    def __post_init__(self) -> None:
        def spelling(option: str, of: str) -> str:
            return in_python(option, "" if option in self.settings else of)

        object.__setattr__(self, "warnings", tuple(Message(warning, spelling) for warning in self.warnings))

    @property
    def shown_as(self) -> str:
        """The command whose view shows it."""
        return self.command

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON, as docs/reference/json.md names it; a number that is undefined is NaN here."""
        return {name: value for name, value in as_dict(self).items() if name not in Result.__dataclass_fields__}

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """The main table, one plain dict per row."""

    def to_frame(self) -> object:
        """The rows as a pandas DataFrame, or a polars one where pandas is not installed."""
        from dissensus.report.envelope import frame_of_rows  # noqa: PLC0415 - report stands below the methods

        return frame_of_rows(self.rows())

    def to_json(self) -> str:
        """The whole JSON object that the command prints."""
        from dissensus.report.envelope import envelope_json  # noqa: PLC0415 - as above

        return envelope_json(self)

    def summary(self, *, details: bool = False) -> str:
        """The answer, one table and a few notes as text; with `details` everything that there is to say."""
        from dissensus.report.text import text_of  # noqa: PLC0415 - as above

        return text_of(self, details=details)

    def __str__(self) -> str:
        return self.summary()

    def plot(self) -> "Chart":
        """The main chart."""
        from dissensus.report.views.section import main_chart  # noqa: PLC0415 - as above

        return main_chart(self)

    def _repr_html_(self) -> str:
        from dissensus.report.html import fragment_of  # noqa: PLC0415 - as above

        return fragment_of(self)

    def _ipython_display_(self) -> None:
        from dissensus.report.html import show_in_notebook  # noqa: PLC0415 - as above

        show_in_notebook(self)
