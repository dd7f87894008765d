"""What a result says, before it is known where: a section of paragraphs, tables, figures and notes.

Each method has one view (report/views/) that turns its result into a Section; the terminal, the HTML page and the web
app render the same Section, so that a sentence is written once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Cell = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One or more plain sentences."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption; numbers stay numbers until a renderer formats them.

    Attributes
    ----------
    columns : sequence of str
        Headings, in words.
    rows : sequence of sequence of Cell
        None is shown as a dash.
    digits : int
        Decimals shown for floats.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart.

    Attributes
    ----------
    title : str
        States the finding.
    caption : str
        Says how it was computed.
    spec : mapping
        Vega-Lite without size or theme; every text in it is plain data.
    table : Table, optional
        The numbers behind it.
    spark : str, optional
        A line of block characters that shows the same in a terminal.
    """

    title: str
    caption: str
    spec: Mapping[str, object]
    table: Table | None = None
    spark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A warning or a hint."""

    text: str
    kind: Literal["warning", "hint"] = "warning"


Block = Paragraph | Table | Figure | Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a result says.

    Attributes
    ----------
    title : str
        The question that it answers.
    lead : str
        The answer in one sentence.
    blocks : sequence of Block
        The rest, in reading order.
    """

    title: str
    lead: str
    blocks: Sequence[Block] = field(default_factory=tuple)
