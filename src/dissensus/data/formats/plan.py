"""What passes between `read` and a format: the user's wishes in, plain columns out."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from dissensus.arrays import Codes
from dissensus.data import formats as folder
from dissensus.data.coding import Sheet, TextColumn
from dissensus.data.columns import NAMED_BY
from dissensus.data.labels import Scale
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, OptionError, counted

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


NO_RATER = "There is no rater column: each rating is taken to be by a rater of its own."


AUTO = "auto"


@cache
def all_formats() -> tuple[Format, ...]:
    """The formats of all modules beside this one, those of tools first."""
    modules = [
        importlib.import_module(f"{folder.__name__}.{module.name}") for module in pkgutil.iter_modules(folder.__path__)
    ]
    found = {value.name: value for module in modules for value in vars(module).values() if isinstance(value, Format)}
    return tuple(sorted(found.values(), key=lambda format_: (format_.is_layout, format_.name)))


def format_of(source: Source, plan: ReadPlan) -> Format | None:
    """The format that the user named, or else the first that recognises the source."""
    if plan.format is None or plan.format == AUTO:
        fitting = (f for f in all_formats() if not f.is_layout or getattr(f, plan.wants) is not None)
        return next((format_ for format_ in fitting if format_.recognises(source, plan)), None)
    known = {format_.name: format_ for format_ in all_formats()}
    if plan.format not in known:
        raise OptionError.unknown(plan.named("format"), plan.format, (AUTO, *known))
    return known[plan.format]


def ratings_in(format_: Format, source: Source, plan: ReadPlan) -> RawRatings:
    """The ratings of a source in a format."""
    if format_.ratings is None:
        raise FileError(
            f"{source.name} is {format_.what}, which holds judges' answers and no people's ratings: give it as JUDGES, "
            "or name another format."
        )
    return format_.ratings(source, plan)


def judges_in(format_: Format, source: Source, plan: ReadPlan) -> RawJudges:
    """The judges' answers of a source in a format."""
    if format_.judges is None:
        raise FileError(
            f"{source.name} is {format_.what}, which holds people's ratings and no judges' answers: give it as "
            "RATINGS, or name another format."
        )
    return format_.judges(source, plan)


def unrecognised(source: Source, plan: ReadPlan) -> FileError:
    """Error for a source that is no table and that no format recognises."""
    names = ", ".join(format_.name for format_ in all_formats())
    return FileError(
        f"{source.name} is in no format that we recognise{source.outline()}. If it is one of these, name it with "
        f"{plan.named('format')}: {names}. Otherwise export it as CSV with a row per rating."
    )
