"""What passes between `read` and a format: the user's wishes in, plain columns out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dissensus.arrays import Codes
from dissensus.data.coding import Sheet, TextColumn
from dissensus.data.columns import NAMED_BY
from dissensus.data.labels import Scale
from dissensus.data.provenance import LeftOut
from dissensus.data.sources.source import Source

# ---- What passes between `read` and a format: the user's wishes in, plain columns out

Repeats = Literal["error", "first", "last", "keep"]
REPEATS: tuple[Repeats, ...] = ("error", "first", "last", "keep")
Skipped = Literal["drop", "keep"]
SKIPPED: tuple[Skipped, ...] = ("drop", "keep")
OffScale = Literal["error", "missing"]
Wants = Literal["ratings", "judges"]
OFF_SCALE: tuple[OffScale, ...] = ("error", "missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlan:
    """What the user said about a file.

    Attributes
    ----------
    item, rater, label, group, elicitation, count, judge, sample, order : str, optional
        Names of columns.
    labels, scale, repeats, wide
        As `read` takes them.
    format : str, optional
        Name of the format; recognised if not given.
    question : str, optional
        Which question, where a source asks several.
    item_key : str, optional
        Where the item's id stands in a tool's export, such as `data.id`.
    sheet : str, optional
        Which sheet of a workbook.
    columns : tuple of str, optional
        Names of the columns of a file without a header.
    skipped : {"drop", "keep"}
        Whether skipped, discarded and rejected answers count.
    label_map : mapping of str to str
        Other names for labels; an empty one means missing.
    merge_case : bool
        Whether labels that differ in case only are one.
    decimal_comma : bool
        Whether a comma in a label stands for the point of a number.
    off_scale : {"error", "missing"}
        What to do with labels that are not among `labels`.
    split : str, optional
        What stands between the options of a response set, besides a bar.
    drop : tuple of (str, str)
        Rows to leave out: a column and a pattern of its texts.
    wants : {"ratings", "judges"}
        Whose answers the user is after.
    options : mapping of str to str
        How the command line names an option of this file, where it is not named like the option of `import`; under
        `column` how it names a column, with {role} and {column}.
    """

    item: str | None = None
    rater: str | None = None
    label: str | None = None
    group: str | None = None
    elicitation: str | None = None
    count: str | None = None
    judge: str | None = None
    sample: str | None = None
    order: str | None = None
    labels: Sequence[str] | None = None
    scale: Scale | None = None
    repeats: Repeats = "error"
    wide: bool | None = None
    format: str | None = None
    question: str | None = None
    item_key: str | None = None
    sheet: str | None = None
    columns: tuple[str, ...] | None = None
    skipped: Skipped = "drop"
    label_map: Mapping[str, str] = field(default_factory=dict)
    merge_case: bool = False
    decimal_comma: bool = False
    off_scale: OffScale = "error"
    split: str | None = None
    drop: tuple[tuple[str, str], ...] = ()
    wants: Wants = "ratings"
    options: Mapping[str, str] = field(default_factory=dict)

    def named(self, name: str) -> str:
        """An option as it is typed for this file."""
        return self.options.get(name, f"--{name}")

    @property
    def named_by(self) -> str:
        """How the command line names a column of this file."""
        return self.options.get("column", NAMED_BY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRatings:
    """What a format hands over: columns of equal length, not yet validated.

    Attributes
    ----------
    format : str
        Name of the layout: tidy, counts or wide, or of the tool that wrote the file.
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
        What the format took for granted.
    left_out : tuple of LeftOut
        What the format left out.
    taken : mapping of str to str
        What was taken for item, rater, label, question, repeat, status, in words.
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
    left_out: tuple[LeftOut, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawJudges:
    """What a format hands over about judges: a sheet with a row per answer, not yet validated.

    Attributes
    ----------
    format : str
        Name of the layout, or of the tool that wrote the file.
    sheet : Sheet
        Its columns are item, judge, sample, label, p_<label>, elicitation, order, or what `names` says.
    names : mapping of str to str
        Names of columns by role, where they are called otherwise.
    warnings, left_out, taken
        As in RawRatings.
    """

    format: str
    sheet: Sheet
    names: Mapping[str, str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way in which ratings or judges' answers are written down.

    Every module of this folder with a `FORMAT` is found by the registry.

    Attributes
    ----------
    name : str
        What `--format` calls it.
    what : str
        What it is, in a few words.
    recognises : callable
        Whether a source is written so; must not read more than it needs.
    ratings, judges : callable, optional
        Takes people's ratings or judges' answers from a source; None if the format has none.
    is_layout : bool
        Whether any program may have written it. Layouts are tried after the tools.
    """

    name: str
    what: str
    recognises: Callable[[Source, ReadPlan], bool]
    ratings: Callable[[Source, ReadPlan], RawRatings] | None = None
    judges: Callable[[Source, ReadPlan], RawJudges] | None = None
    is_layout: bool = False
