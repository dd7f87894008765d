"""What a result says, before it is known where: a section of paragraphs, tables, figures and notes.

Each method has one view (report/views/) that turns its result into a Section; the terminal, the HTML page and the web
app render the same Section, so that a sentence is written once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Literal, TypeVar, cast

from dissensus.errors import NAME_START, counted
from dissensus.options import Spelling, spelled
from dissensus.results import Result

Cell = str | int | float | None
T = TypeVar("T")
MOST_NOTES = 3
"""More notes than that are folded away: nobody acts on ten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One or more plain sentences."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Sentences that stand beside each other, a bulleted list; the title says what they have in common, if it must."""

    title: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption; numbers stay numbers until a renderer formats them."""

    caption: str  # what the table holds
    columns: Sequence[str]  # headings, in words
    rows: Sequence[Sequence[Cell]]  # None and NaN are shown as a dash
    digits: int = 3  # decimals shown for floats
    percent: frozenset[str] = frozenset()  # the columns whose floats are shares, shown as percentages
    brief: "Table | None" = None  # the same as a terminal has room for, unless it is asked for details

    def number_columns(self) -> list[bool]:
        """Which columns hold numbers, to be set to the right; a cell that is missing does not decide."""
        columns = [[row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns))]
        return [bool(cells) and not any(isinstance(cell, str) for cell in cells) for cells in columns]

    def head(self, most: int) -> tuple["Table", int]:
        """The first rows, and how many more there are."""
        return replace(self, rows=self.rows[:most]), max(len(self.rows) - most, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart."""

    title: str  # states the finding
    caption: str  # says how it was computed
    # Vega-Lite without width or theme; every text in it that others wrote is data, never an expression.
    spec: Mapping[str, object]
    table: Table | None = None  # the numbers behind it
    # A line of block characters that shows the same in a terminal, where it stands for the table.
    spark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A warning or a hint."""

    text: str
    kind: Literal["warning", "hint"] = "warning"


Part = Paragraph | Points | Table | Figure | Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Parts that a page opens on demand and prints: for those who check, not for those who decide."""

    title: str
    parts: Sequence[Part]


Block = Part | Fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a result says."""

    title: str  # the question that it answers
    lead: str  # the answer in one sentence
    # The rest, in reading order: one table, charts, at most three notes; everything else is folded.
    blocks: Sequence[Block] = field(default_factory=tuple)
    group: str = ""  # what a page folds it away under, with its neighbours of the same group; empty for nothing

    def parts(self) -> list[Part]:
        """The blocks, with what is folded away in its place."""
        return [part for block in self.blocks for part in (block.parts if isinstance(block, Fold) else [block])]

    def figures(self) -> list[Figure]:
        """The charts, in reading order."""
        return [part for part in self.parts() if isinstance(part, Figure)]

    def brief(self) -> "Brief":
        """What a terminal shows unless it is asked for details: the main table and the first notes."""
        notes = [text for block in self.blocks for text in _note_texts(block)]
        folds = [block for block in self.blocks if isinstance(block, Fold)]
        titles = [fold.title for fold in folds if not all(isinstance(part, Note) for part in fold.parts)]  # mere facts
        left = [
            *_several(len(notes) - MOST_NOTES, "more note"),
            *(titles if len(titles) == 1 else _several(len(titles), "section")),
        ]
        table = self.main_table()
        table = table if table is None else table.brief or table
        return Brief(table=table, notes=notes[:MOST_NOTES], left_out=" and ".join(left))

    def main_table(self) -> Table | None:
        """The first table, whether it stands alone or behind a chart."""
        tables = (part.table if isinstance(part, Figure) else part for part in self.parts())
        return next((table for table in tables if isinstance(table, Table)), None)


def _note_texts(block: Block) -> list[str]:
    match block:
        case Points():
            return list(block.texts)
        case Note():
            return [block.text]
        case _:
            return []


def _several(count: int, word: str) -> list[str]:
    return [counted(count, word)] if count > 0 else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A section in short."""

    table: Table | None  # the table that holds the answer
    notes: Sequence[str]  # what to do about it
    left_out: str  # how many notes and sections there are besides; empty if that was all


# ---- The first screen of a report: what decides


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A question with its answer in a few words, and what the answer rests on."""

    question: str
    answer: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A line of `Bars`."""

    name: str  # of a judge, or of what judges are held against
    # Its colour and mark in every chart (`report.charts.colour_of`, `mark_of`); None for what is not a judge.
    slot: int | None
    # `value`, `low`, `high`: where mark and interval are on the axis; an end beyond it is infinite, None what is not
    # known.
    value: float | None
    low: float | None
    high: float | None
    cells: Sequence[str]  # what stands in the columns after the bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A table with a bar for each judge's interval."""

    caption: str  # what the bars are, with what they are held against
    columns: Sequence[str]  # headings: of the names, of the bars, and of the cells after them
    rows: Sequence[Bar]  # the best judge first
    ticks: Sequence[int]  # the numbers on the axis, 0 first
    table: Table  # the same in numbers, with what there was no room for
    left_out: str = ""  # how many rows only the table has; empty if none

    def at(self, value: float) -> str:
        """Where a number is on the axis, in percent of the bar's room: both ends leave room for arrows.

        >>> bars = Bars(caption="", columns=[], rows=[], ticks=[0, 1, 2], table=Table(caption="", columns=[], rows=[]))
        >>> bars.at(0), bars.at(1), bars.at(float("inf"))
        ('6.0%', '50.0%', '100.0%')
        """
        share = min(max(value / self.ticks[-1], -1.0), 2.0) if self.ticks[-1] else 0.0
        return f"{min(max(6 + 88 * share, 0.0), 100.0):.1f}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The first screen: what was looked at, the answer with one reason and one caveat, and what it rests on."""

    title: str  # the name of the data
    scope: str  # what was asked, and how many items, raters and judges there are
    # `answer`, `reason`, `caveat`: which judge to use and how, why, and what could change that; the last may be empty.
    answer: str
    reason: str = ""
    caveat: str = ""
    tiles: Sequence[Tile] = ()  # four questions at most
    main: Bars | Table | None = None  # the judges, or without judges how far raters agree
    figures: Sequence[Figure] = ()  # the chart beside it; of several questions or slices a small one for each
    more: Sequence[str] = ()  # what else could change the answer, folded

    @property
    def table(self) -> Table | None:
        """The table in numbers."""
        return self.main.table if isinstance(self.main, Bars) else self.main


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole page."""

    title: str  # its heading
    verdict: Sequence[str]  # what it comes down to, in a few sentences
    sections: Sequence[Section]  # one for each question, in the order in which they are read
    results: Sequence[Result]  # what they were made from, for the settings and the files at its foot
    front: Front | None = None  # the first screen, in place of title and verdict


def respelled(document: T, spelling: Spelling) -> T:
    """A section or a report with every option that its texts name as a front end spells it."""
    return reworded(document, lambda text: spelled(text, spelling) if NAME_START in text else text)


def reworded(document: T, change: Callable[[str], str]) -> T:
    """A section or a report with each of its texts changed."""
    if isinstance(document, str):
        return cast("T", change(document))
    if is_dataclass(document) and not isinstance(document, type | Result):
        changed = {one.name: reworded(getattr(document, one.name), change) for one in fields(document)}
        return cast("T", replace(document, **changed))
    if isinstance(document, list | tuple):
        return cast("T", type(document)(reworded(one, change) for one in document))
    if isinstance(document, Mapping):
        return cast("T", {key: reworded(one, change) for key, one in document.items()})
    return document
