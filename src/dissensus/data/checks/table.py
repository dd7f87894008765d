"""A file as the checks see it: who said what about which item, in which row, nothing left out yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import Cells, Sheet, TextColumn, stack
from dissensus.data.columns import find_column
from dissensus.data.formats.plan import LeftOut, RawJudges, RawRatings, ReadPlan
from dissensus.data.labels import SEPARATOR, options_of, probability_columns, read_probabilities
from dissensus.data.sources.files import InputFile
from dissensus.errors import DissensusError

# ---- A file as the checks see it: who said what about which item, in which row, nothing left out yet


@dataclass(frozen=True, kw_only=True)
class Patient:
    """What is examined.

    Attributes
    ----------
    name : str
        What to call the file.
    holds : str
        Whose answers it has: ratings or judges.
    row : ndarray of shape (n_answers,)
        Where each answer stands.
    item, label : TextColumn
        What was said about what; a label is missing where the code is -1.
    who : TextColumn, optional
        The rater or the judge; None if nobody knows.
    repeat : tuple of TextColumn
        What else tells two answers of one rater about one item apart: the elicitation, the sample, the order.
    times : ndarray of shape (n_answers,), optional
        How many gave the label, in a table of counts.
    blank_rows : int
        Rows with nothing in them.
    left_out : tuple of LeftOut
        What the format left out.
    plan : ReadPlan
        What the user says about the file.
    sheet : Sheet, optional
        The table, if it is one.
    file : InputFile, optional
        The file, if it is one.
    people : Patient, optional
        The ratings that judges are compared with.
    shares : ndarray of shape (n_answers, n_probabilities), optional
        The probabilities that judges give, NaN where they give none.
    """

    name: str
    holds: str
    row: Codes
    item: TextColumn
    label: TextColumn
    who: TextColumn | None
    repeat: tuple[TextColumn, ...] = ()
    times: Codes | None = None
    blank_rows: int = 0
    left_out: tuple[LeftOut, ...] = ()
    plan: ReadPlan
    sheet: Sheet | None = None
    file: InputFile | None = None
    people: "Patient | None" = None
    shares: Floats | None = None

    @property
    def person(self) -> str:
        """What one who answers is called."""
        return "rater" if self.holds == "ratings" else "judge"

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

    def rows_with(self, texts: set[str]) -> list[int]:
        """The rows whose label is one of these, as it is written."""
        wanted = np.array([*(text in texts for text in self.label.texts), False])
        return [int(row) for row in self.row[wanted[self.label.codes]]]


def patient_of_ratings(
    raw: RawRatings, plan: ReadPlan, *, name: str, sheet: Sheet | None, file: InputFile | None
) -> Patient:
    """Ratings as the checks see them."""
    return Patient(
        name=name,
        holds="ratings",
        row=raw.row,
        item=raw.item,
        label=raw.label,
        who=raw.rater,
        repeat=() if raw.elicitation is None else (raw.elicitation,),
        times=raw.times,
        blank_rows=raw.blank_rows,
        left_out=raw.left_out,
        plan=plan,
        sheet=sheet,
        file=file,
    )


def patient_of_judges(
    raw: RawJudges, plan: ReadPlan, *, sheet: Sheet | None, file: InputFile | None, people: Patient | None
) -> Patient:
    """Judges' answers as the checks see them; the likeliest label stands for probabilities."""
    roles = {role: find_column(raw.sheet, role, raw.names.get(role)) for role in (*_NEEDED, *_REPEAT)}
    p_columns = probability_columns(raw.sheet)
    names = [name for name in (*roles.values(), *p_columns) if name is not None]
    cells = raw.sheet.load(names)
    found = {role: cells.columns[name] for role, name in roles.items() if name is not None}
    nothing = TextColumn(np.full(len(cells.row), -1, dtype=np.intp), ())
    label, shares = _likeliest(found.get("label", nothing), cells, p_columns, raw.sheet.name)
    return Patient(
        name=raw.sheet.name,
        holds="judges",
        row=cells.row,
        item=found.get("item", nothing),
        label=label,
        who=found.get("judge"),
        repeat=tuple(found[role] for role in _REPEAT if role in found),
        blank_rows=cells.blank_rows,
        left_out=raw.left_out,
        plan=plan,
        sheet=sheet,
        file=file,
        people=people,
        shares=shares,
    )


_NEEDED = ("item", "judge", "label")
_REPEAT = ("elicitation", "order", "sample")


def _likeliest(
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
