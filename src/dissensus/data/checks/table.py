"""A file as the checks see it: who gave which answer about which item, in which row, nothing left out yet."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import Cells, Sheet, TextColumn, stack
from dissensus.data.columns import find_column
from dissensus.data.fixes import with_plain_numbers
from dissensus.data.formats.plan import LeftOut, RawJudges, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR, option_name, options_of, probability_columns, read_probabilities
from dissensus.data.sources.files import InputFile
from dissensus.errors import DissensusError
from dissensus.results import Message

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""A command stops at an error, computes in spite of a warning, and needs not mind a note."""
MOST_ROWS = 5
REPEAT = ("elicitation", "order", "sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about a file that its owner should know."""

    check: str  # the one that found it
    severity: Severity
    message: str  # the problem, in a sentence
    count: int = 1  # of rows, labels, raters or items that it is about
    rows: tuple[int, ...] = ()  # the first of them, as a spreadsheet counts
    option: str = ""  # that fixes it; empty where only the file can be fixed, or nothing needs to be
    is_choice: bool = False  # whether nothing is wrong for certain, so that the option is only one thing to do about it
    names: tuple[str, ...] = ()  # of all raters that it is about, where the message shows some of them

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", Message(self.message))
        object.__setattr__(self, "option", Message(self.option))
        object.__setattr__(self, "rows", tuple(int(row) for row in self.rows[:MOST_ROWS]))


@dataclass(frozen=True, kw_only=True)
class Table:
    """What the checks look at; arrays are of shape (n_answers,)."""

    name: str
    holds: str  # whose answers: ratings or judges
    row: Codes
    item: TextColumn
    label: TextColumn
    who: TextColumn | None  # the rater or the judge; None if nobody knows
    repeat: tuple[TextColumn, ...] = ()  # what else tells two answers of one rater about one item apart
    times: Codes | None = None  # how many gave the label, in a table of counts
    blank_rows: int = 0
    left_out: tuple[LeftOut, ...] = ()  # by the format
    plan: ReadPlan
    sheet: Sheet | None = None
    file: InputFile | None = None
    people: "Table | None" = None  # the ratings that judges are compared with
    shares: Floats | None = None  # of shape (n_answers, n_probabilities), NaN where there are none

    @property
    def person(self) -> str:
        """What one who answers is called."""
        return "rater" if self.holds == "ratings" else "judge"

    @cached_property
    def persons(self) -> TextColumn:
        """Those who answer; one without a name where nobody knows."""
        return self.who or TextColumn(np.zeros(len(self.row), dtype=np.intp), (self.person,))

    @cached_property
    def options(self) -> list[tuple[str, ...]]:
        """The options of each distinct label."""
        return [options_of(text) for text in self.label.texts]

    @cached_property
    def answer(self) -> TextColumn:
        """The labels, each in one spelling."""
        plain = TextColumn(self.label.codes, tuple(SEPARATOR.join(sorted(options)) for options in self.options))
        return stack([plain])

    @cached_property
    def weight(self) -> Codes:
        """How many ratings each answer stands for."""
        given = np.asarray(self.answer.codes >= 0, dtype=np.intp)
        return given if self.times is None else given * self.times

    def label_counts(self) -> dict[str, int]:
        """How often each label was given."""
        codes = self.answer.codes
        given = codes >= 0
        count = np.bincount(codes[given], weights=self.weight[given], minlength=len(self.answer.texts))
        return {text: int(n) for text, n in zip(self.answer.texts, count.tolist(), strict=True) if n}

    def answers_of_each(self) -> Iterator[tuple[str, Codes]]:
        """Each person's name, and the positions of their answers."""
        for code, name in enumerate(self.persons.texts):
            yield name, np.flatnonzero((self.persons.codes == code) & (self.answer.codes >= 0))

    def rows_of(self, column: TextColumn, is_wanted: Callable[[str], bool]) -> list[int]:
        """The rows whose text in a column is wanted."""
        return [int(row) for row in self.row[column.having(is_wanted)]]

    def rows_with(self, labels: Collection[str], *, as_written: bool = False) -> list[int]:
        """The rows with one of these labels, however a number is written; with `as_written` as it stands there."""
        return self.rows_of(self.label, lambda text: (text.strip() if as_written else option_name(text)) in labels)


Check = Callable[[Table], Iterator[Finding]]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by severity, otherwise in their order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def table_of_ratings(
    raw: RawRatings, plan: ReadPlan, *, name: str, sheet: Sheet | None = None, file: InputFile | None = None
) -> Table:
    """Ratings as the checks see them."""
    repeat = () if raw.elicitation is None else (raw.elicitation,)
    return Table(
        name=name, holds="ratings", row=raw.row, item=raw.item, label=raw.label, who=raw.rater, repeat=repeat,
        times=raw.times, blank_rows=raw.blank_rows, left_out=raw.left_out, plan=plan, sheet=sheet, file=file,
    )  # fmt: skip


def table_of_judges(
    raw: RawJudges, plan: ReadPlan, *, sheet: Sheet | None, file: InputFile | None, people: Table | None
) -> Table:
    """Judges' answers as the checks see them; the most likely label stands for probabilities."""
    roles = {role: find_column(raw.sheet, role, raw.names.get(role)) for role in ("item", "judge", "label", *REPEAT)}
    p_columns = probability_columns(raw.sheet)
    cells = raw.sheet.load([name for name in (*roles.values(), *p_columns) if name is not None])
    columns = {role: cells.columns[name] for role, name in roles.items() if name is not None}
    nothing = TextColumn(np.full(len(cells.row), -1, dtype=np.intp), ())
    written, _ = with_plain_numbers(columns.get("label", nothing), raw.sheet.delimiter)
    label, shares = _most_likely(written, cells, p_columns, raw.sheet.name)
    return Table(
        name=raw.sheet.name, holds="judges", row=cells.row, item=columns.get("item", nothing), label=label,
        who=columns.get("judge"), repeat=tuple(columns[role] for role in REPEAT if role in columns),
        blank_rows=cells.blank_rows, left_out=raw.left_out, plan=plan, sheet=sheet, file=file, people=people,
        shares=shares,
    )  # fmt: skip


def _most_likely(
    label: TextColumn, cells: Cells, p_columns: Mapping[str, tuple[str, ...]], name: str
) -> tuple[TextColumn, Floats | None]:
    """The labels, where there is none the one with the highest probability, and the probabilities."""
    if not p_columns:
        return label, None
    try:
        shares, _ = read_probabilities({c: cells.columns[c] for c in p_columns}, row=cells.row, name=name)
    except DissensusError:
        return label, None  # the reading itself says what is wrong with them
    names = tuple(SEPARATOR.join(options) for options in p_columns.values())
    given = ~np.isnan(shares).any(axis=1) & (label.codes < 0)
    best = TextColumn(np.where(given, np.argmax(np.nan_to_num(shares), axis=1), -1), names)
    both = stack([label, best])
    first, second = both.codes[: len(label.codes)], both.codes[len(label.codes) :]
    return TextColumn(np.where(first >= 0, first, second), both.texts), shares


def shown_counts(counts: Mapping[str, int], labels: Iterable[str]) -> list[str]:
    """Labels, each with how often it was given."""
    return [f"{label} ({counts[label]:,})" for label in labels]
