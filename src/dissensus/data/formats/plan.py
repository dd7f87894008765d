"""What passes between `read` and a format: the user's wishes in, plain columns out; and which formats there are."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self

from dissensus.arrays import Codes
from dissensus.data import formats as folder
from dissensus.data.coding import Sheet, TextColumn
from dissensus.data.labels import Scale
from dissensus.data.sources.source import Source
from dissensus.errors import FileError, OptionError, counted, named
from dissensus.results import Message

if TYPE_CHECKING:
    from dissensus.data.task import Task

Repeats = Literal["error", "first", "last", "keep"]
REPEATS: tuple[Repeats, ...] = ("error", "first", "last", "keep")
Skipped = Literal["drop", "keep"]
SKIPPED: tuple[Skipped, ...] = ("drop", "keep")
OffScale = Literal["error", "missing"]
OFF_SCALE: tuple[OffScale, ...] = ("error", "missing")
Wants = Literal["ratings", "judges"]
Reader = Literal["read", "read_judges", "import_"]
AUTO = "auto"
NO_RATER = "There is no rater column: each rating is taken to be by a rater of its own."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlan:
    """What the user says about a file; `read` and `read_judges` explain all but the last two."""

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
    source_format: str | None = None
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
    wants: Wants = "ratings"  # whose answers the user is after
    of: Reader = "import_"  # the function whose options these are, for messages

    @classmethod
    def given(cls, parameters: Mapping[str, Any], *, of: Reader, task: "Task | None" = None) -> Self:
        """The plan among a function's parameters, which it hands over as `locals()` before anything else."""
        values = {own.name: parameters[own.name] for own in fields(cls) if own.name in parameters}
        if task is not None and values["labels"] is None:
            values["labels"] = task.options or None
        for name in ("columns", "drop"):
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        return cls(**values | {"label_map": values["label_map"] or {}, "of": of})

    def options(self) -> dict[str, Any]:
        """The options by name, as functions take them."""
        return {own.name: getattr(self, own.name) for own in fields(self) if own.name not in {"wants", "of"}}

    def changed(self) -> dict[str, Any]:
        """The options that are not as they would be anyway, for the JSON."""
        return {name: value for name, value in self.options().items() if value != getattr(ReadPlan(), name)}

    def named(self, option: str) -> str:
        """An option of this file in a message."""
        return named(option, of=self.of)

    @property
    def item_path(self) -> str | None:
        """Where the item's id stands, if the user says so."""
        return self.item_key or self.item

    def item_column(self, column: str) -> str:
        """What was taken for the item, in words."""
        return f"column {column} ({self.named('item_key')} names another)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Some things that a file has and the ratings do not."""

    what: str
    count: int
    several: str = ""  # what several of them are called
    why: str = ""  # empty if `what` says it
    can_be_kept: bool = False  # with `skipped`

    def sentence(self) -> str:
        """One plain sentence.

        >>> from dissensus.errors import spelled
        >>> spelled(LeftOut(what="skipped annotation", count=2, can_be_kept=True).sentence())
        'Left out 2 skipped annotations (`skipped=` of `read` keeps them).'
        """
        why = f": {self.why}" if self.why else ""
        keeps = f" ({named('skipped', of='read')} keeps them)" if self.can_be_kept else ""
        return f"Left out {counted(self.count, self.what, self.several)}{why}{keeps}."

    @property
    def option(self) -> str:
        """What to type to keep them; empty if nothing brings them back."""
        return f"{named('skipped', of='import_')} keep" if self.can_be_kept else ""

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        what = self.what if self.count == 1 else self.several or f"{self.what}s"
        return {"what": what, "count": self.count, "why": self.why, "option": Message(self.option)}


class Tally:
    """Counts what is left out while a source is read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str, bool]] = Counter()

    def add(self, what: str, *, several: str = "", why: str = "", can_be_kept: bool = False, count: int = 1) -> None:
        """Count one more of a kind."""
        plural = several or (what.replace(" without ", "s without ", 1) if " without " in what else "")
        self._counts[what, plural, why, can_be_kept] += count

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was counted, in the order in which it was first met."""
        return tuple(
            LeftOut(what=what, several=several, count=count, why=why, can_be_kept=can_be_kept)
            for (what, several, why, can_be_kept), count in self._counts.items()
            if count
        )


def sentences(left_out: Iterable[LeftOut]) -> tuple[str, ...]:
    """One sentence for each kind."""
    return tuple(some.sentence() for some in left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRatings:
    """What a format hands over: columns of equal length, not yet validated."""

    format: str  # the layout, such as tidy or wide, or the tool that wrote the file
    row: Codes  # the number of the row that each label stands in, as a spreadsheet counts
    item: TextColumn  # its texts are all items of the file, those without any label included
    label: TextColumn
    rater: TextColumn | None = None
    group: TextColumn | None = None
    elicitation: TextColumn | None = None
    times: Codes | None = None  # how many raters gave the label, for a table of counts; may be 0
    rows: int  # of the file, blank ones not counted
    blank_rows: int = 0
    warnings: tuple[str, ...] = ()  # what the format took for granted
    left_out: tuple[LeftOut, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)  # for item, rater, label, question, ..., in words


@dataclass(frozen=True, slots=True, kw_only=True)
class RawJudges:
    """What a format hands over about judges: a sheet with a row per answer, not yet validated; else as RawRatings."""

    format: str
    sheet: Sheet  # its columns are item, judge, sample, label, p_<label>, elicitation, order, or what `names` says
    names: Mapping[str, str | None] = field(default_factory=dict)  # of columns by role, if they are called otherwise
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way in which ratings or judges' answers are written down; modules of this folder list theirs in `FORMATS`."""

    name: str  # what the user calls it
    what: str  # what it is, in a few words
    recognises: Callable[[Source, ReadPlan], bool]  # whether a source is written so; must not read more than it needs
    # `ratings`, `judges`: takes people's ratings or judges' answers from a source; None if the format has none.
    ratings: Callable[[Source, ReadPlan], RawRatings] | None = None
    judges: Callable[[Source, ReadPlan], RawJudges] | None = None
    is_layout: bool = False  # whether any program may have written it. Layouts are tried after the tools

    def ratings_in(self, source: Source, plan: ReadPlan) -> RawRatings:
        """The ratings of a source in this format."""
        if self.ratings is None:
            raise FileError(
                f"{source.name} is {self.what}, which holds judges' answers and no people's ratings: give it as "
                "JUDGES, or name another format."
            )
        return self.ratings(source, plan)

    def judges_in(self, source: Source, plan: ReadPlan) -> RawJudges:
        """The judges' answers of a source in this format."""
        if self.judges is None:
            raise FileError(
                f"{source.name} is {self.what}, which holds people's ratings and no judges' answers: give it as "
                "RATINGS, or name another format."
            )
        return self.judges(source, plan)


@cache
def all_formats() -> tuple[Format, ...]:
    """The formats of all modules beside this one, those of tools first."""
    names = [f"{folder.__name__}.{module.name}" for module in pkgutil.iter_modules(folder.__path__)]
    formats = [one for name in names for one in getattr(importlib.import_module(name), "FORMATS", ())]
    return tuple(sorted(formats, key=lambda format_: (format_.is_layout, format_.name)))


def format_of(source: Source, plan: ReadPlan) -> Format | None:
    """The format that the user named, or else the first that recognises the source; None for other tables."""
    if plan.source_format in {None, AUTO}:
        fitting = (f for f in all_formats() if not f.is_layout or getattr(f, plan.wants) is not None)
        return next((format_ for format_ in fitting if format_.recognises(source, plan)), None)
    known = {format_.name: format_ for format_ in all_formats()}
    if plan.source_format not in known:
        raise OptionError.unknown(plan.named("source_format"), plan.source_format, (AUTO, *known))
    return known[plan.source_format]


def unrecognised(source: Source, plan: ReadPlan) -> FileError:
    """Error for a source that is not a table and that no format recognises."""
    names = ", ".join(format_.name for format_ in all_formats())
    return FileError(
        f"{source.name} is in no format that we recognise{source.outline()}. If it is one of these, name it with "
        f"{plan.named('source_format')}: {names}. Otherwise export it as CSV with a row per rating."
    )
