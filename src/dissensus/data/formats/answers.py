"""Answers as a format finds them one by one, by the question they answer."""

from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.data.coding import Cells, ColumnsSheet, Sheet, TextCoder, TextColumn, stack
from dissensus.data.formats.plan import NO_RATER, RawJudges, RawRatings, ReadPlan, Tally
from dissensus.data.ratings import ELICITATIONS
from dissensus.data.sources.documents import as_text, paths_of, reach
from dissensus.errors import OptionError, counted, listed, named, shortened

# ---- What to call an item whose id may stand in several places of a record

ID_NAMES = ("item", "item_id", "id", "uid", "example_id", "doc_id", "external_id")
"""What users call their own ids, the most telling name first."""


class ItemKeys:
    """The ids of a source's records: that at a path in `own` where each record has another one, else at `fallback`."""

    def __init__(self, name: str, plan: ReadPlan, *, own: Sequence[str], fallback: str) -> None:
        self._name, self._given, self._own, self._fallback = name, plan.item_path, own, fallback
        self._option = plan.named("item_key")
        self._path: str | None = self._given
        self._ids: list[str | None] = []
        self._tools: list[str | None] = []

    def __len__(self) -> int:
        """How many records there were."""
        return len(self._tools)

    def add(self, record: object) -> str:
        """Note the ids of the next record; what stands for it until `named`."""
        if self._path is None and not self._tools:
            self._path = next((path for path in self._own if as_text(reach(record, path)) is not None), None)
        found = None if self._path is None else as_text(reach(record, self._path))
        if self._given is not None and found is None:
            raise OptionError(
                f"{self._name}, record {len(self._tools) + 1}: nothing stands at {self._given}. Name another key with "
                f"{self._option}; the record has {listed(list(paths_of(record)))}."
            )
        self._ids.append(found)
        self._tools.append(as_text(reach(record, self._fallback)) or str(len(self._tools) + 1))
        return str(len(self._tools) - 1)

    @property
    def path(self) -> str:
        """Where the ids that are used stand."""
        if self._given is not None:
            return self._given
        are_own = self._path is not None and None not in self._ids and len(set(self._ids)) == len(self._ids)
        return self._path if are_own and self._path is not None else self._fallback

    @property
    def taken(self) -> str:
        """What was taken for the item, in words."""
        return self.path if self.path == self._given else f"{self.path} ({self._option} names another)"

    def named(self, column: TextColumn) -> TextColumn:
        """The column of items with their names; two records with one name are one item."""
        ids = self._tools if self.path == self._fallback and self._given is None else self._ids
        names = tuple(ids[int(text)] or "" for text in column.texts)
        return stack([TextColumn(column.codes, names)])


ONLY = ""  # the question of a source that asks one only and does not name it
SHOWN_LABELS = 4


class _Table:
    """The answers to one question."""

    def __init__(self) -> None:
        self.row = array("q")
        self.coders: dict[str, TextCoder] = {}

    def add(self, row: int, cells: Mapping[str, str | None]) -> None:
        for name in cells.keys() - self.coders.keys():
            self.coders[name] = TextCoder()
            for _ in self.row:
                self.coders[name].add(None)
        self.row.append(row)
        for name, coder in self.coders.items():
            coder.add(cells.get(name))


class Answers:
    """Collects the answers of a source, and what is left out of it."""

    def __init__(self, name: str, format_name: str) -> None:
        self.name, self.format = name, format_name
        self.tally = Tally()
        self._tables: dict[str, _Table] = {}

    def add(self, question: str, row: int, cells: Mapping[str, str | None]) -> None:
        """Add an answer: what it says by role (item, rater or judge, label, ...), and where it stands.

        Questions called forced_choice and response_set are two ways of asking one.
        """
        if question in ELICITATIONS:
            question, cells = ONLY, {**cells, "elicitation": question}
        self._tables.setdefault(question, _Table()).add(row, cells)

    def ratings(
        self, plan: ReadPlan, taken: Mapping[str, str], *, rows: int = 0, warnings: Sequence[str] = (),
        items: ItemKeys | None = None,
    ) -> RawRatings:  # fmt: skip
        """The answers to the question that was asked for, as ratings; `items` has names for items, of all records."""
        question, columns, table = self._columns(plan, items)
        rater = columns.get("rater")
        has_rater = rater is not None and bool(rater.texts)
        return RawRatings(
            format=self.format, row=np.array(table.row, dtype=np.intp), item=columns["item"], label=columns["label"],
            rater=rater if has_rater else None, group=columns.get("group"), elicitation=columns.get("elicitation"),
            rows=rows if items is None else len(items), left_out=self.tally.left_out(),
            warnings=(*warnings, *(() if has_rater else (NO_RATER,))), taken=self._taken(question, taken),
        )  # fmt: skip

    def judges(
        self, plan: ReadPlan, taken: Mapping[str, str], *, warnings: Sequence[str] = (), items: ItemKeys | None = None
    ) -> RawJudges:
        """The answers to the question that was asked for, as judges'."""
        question, columns, table = self._columns(plan, items)
        return RawJudges(
            format=self.format, sheet=ColumnsSheet(self.name, table.row, columns), warnings=tuple(warnings),
            left_out=self.tally.left_out(), taken=self._taken(question, taken),
        )  # fmt: skip

    def _columns(self, plan: ReadPlan, items: ItemKeys | None) -> tuple[str, dict[str, TextColumn], _Table]:
        question, table = self._chosen(plan)
        columns = {name: coder.column() for name, coder in table.coders.items()}
        if items is not None:
            columns["item"] = items.named(columns["item"])
        return question, columns, table

    def _taken(self, question: str, taken: Mapping[str, str]) -> dict[str, str]:
        """What was taken for what; the question and the others that were asked."""
        others = [name for name in self._tables if name != question]
        also = f" (also asked: {listed(others)})" if others else ""
        asked = {} if question == ONLY else {"question": f"{question}{also}"}
        return {**taken, **asked}

    def _chosen(self, plan: ReadPlan) -> tuple[str, _Table]:
        if not self._tables:
            why = " ".join(some.sentence() for some in self.tally.left_out())
            raise OptionError(f"{self.name} has not one answer that could be a label. {why}".strip())
        if plan.question is not None:
            if plan.question not in self._tables:
                known = [name for name in self._tables if name != ONLY]
                what = f"its questions are {', '.join(map(shortened, known))}" if known else "it asks one question only"
                raise OptionError(f"{self.name} has no question {plan.question!r}: {what}.")
            return plan.question, self._tables[plan.question]
        if len(self._tables) > 1:
            described = {name: self._described(table) for name, table in self._tables.items()}
            raise SeveralQuestionsError(self.name, described, plan)
        return next(iter(self._tables.items()))

    @staticmethod
    def _described(table: _Table) -> str:
        """How many answers there are, and what they say."""
        labels = table.coders["label"].column()
        few = [shortened(text) for text in sorted(labels.texts)[:SHOWN_LABELS]]
        more = ", ..." if len(labels.texts) > SHOWN_LABELS else ""
        return f"{counted(int(np.sum(labels.codes >= 0)), 'answer')}: {', '.join(few)}{more}"


class SeveralQuestionsError(OptionError):
    """A source asks several `questions`, of which `option` takes one, and the user named none."""

    def __init__(self, name: str, described: Mapping[str, str], plan: ReadPlan) -> None:
        listing = "; ".join(f"{shortened(question)} ({what})" for question, what in described.items())
        self.questions = tuple(described)
        self.option = named("question", of=plan.of, value=next(iter(described)))
        super().__init__(
            f"{name} asks {len(described)} questions: {listing}. Choose one with {plan.named('question')}, such as "
            f"{self.option}."
        )


def texts_of(column: TextColumn | None, n_rows: int) -> list[str | None]:
    """The text of each row of a column; None where it is empty or there is no such column."""
    if column is None:
        return [None] * n_rows
    lookup = [*column.texts, None]
    return [lookup[code] for code in column.codes.tolist()]


def loaded_texts(sheet: Sheet, columns: Sequence[str]) -> tuple[Cells, dict[str, list[str | None]]]:
    """Some columns of a sheet, and the text of each row in each."""
    cells = sheet.load(columns)
    return cells, {name: texts_of(column, len(cells.row)) for name, column in cells.columns.items()}
