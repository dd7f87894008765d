"""Options of `items` and what it returns."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np

from dissensus.arrays import Codes, Flags, Floats
from dissensus.data.ratings import Elicitation
from dissensus.data.writers import quoted, write_table, write_text
from dissensus.errors import OptionError
from dissensus.methods.equivalence.options import MOST_LABELS
from dissensus.methods.parts.result import Part
from dissensus.options import Options, elicitation_option, named, option
from dissensus.results import Result

Show = Literal["all", "telling", "split", "alone", "judges"]
SHOWN = 20  # this many items are shown unless the user says how many


@dataclass(frozen=True, kw_only=True)
class ItemsOptions(Options):
    """What the user asked for, as in `items`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to look at; may be repeated.")
    show: Show = option(
        "all",
        metavar="V",
        choices=get_args(Show),
        help="all, or those where people split, where a judge is alone against people, where judges disagree, or the "
        "most telling of the three: split, alone, judges, telling.",
    )
    sort: str | None = option(
        None,
        metavar="S",
        help="By split, surprise, ratings, item, or a column of the items; what fits the view if not given.",
    )
    majority: str | None = option(None, metavar="LABEL", help="Only items where most people gave this label.")
    answer: str | None = option(None, metavar="LABEL", help="Only items where a judge gave this answer.")
    top: int | None = option(
        None, metavar="N", at_least=1, wants="give the number of items",
        help=f"How many items; {SHOWN} are shown and all are written if not given.",
    )  # fmt: skip
    elicitation: Elicitation | None = elicitation_option()

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to look at all of them.")
        if self.show == "telling" and self.sort is not None:
            raise OptionError(f"{named('show')} telling has an order of its own: leave {named('sort')} out.")


Kind = Literal["split", "alone", "judges"]  # people split, a judge is alone against people, judges disagree
LINES = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOnItem:
    """What a judge said about an item."""

    judge: str
    answer: str | None  # its label, the most frequent one of several; `A or B` where two tie; None without an answer
    surprise: float  # bits: how little its answer, in people's terms, expected people's labels; NaN without an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """An item."""

    item: str
    question: str | None  # None where one question was asked
    text: str | None  # None where no text is given
    ratings: int
    shares: Mapping[str, float]  # of the labels that people gave
    split: float  # entropy of the shares in bits; NaN with one rating
    kinds: tuple[Kind, ...]  # the ready-made views that have it
    judges: tuple[JudgeOnItem, ...] = ()

    @property
    def surprise(self) -> float:
        """Mean over the judges that answered; NaN if none did."""
        known = [judge.surprise for judge in self.judges if math.isfinite(judge.surprise)]
        return sum(known) / len(known) if known else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSurprise:
    """A judge on all items that it answered, whatever is shown."""

    judge: str
    items: int
    surprise: float  # mean bits; the negative of its score in `equivalence`; NaN if that is undefined


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemTable:
    """Every rated item, in columns."""

    items: tuple[str, ...]
    labels: tuple[str, ...]  # of people and judges
    counts: Codes  # (n_items, n_labels): how many people gave each label
    split: Floats  # (n_items,)
    kinds: Mapping[Kind, Flags]  # each (n_items,)
    answers: Mapping[str, Sequence[str | None]]  # by judge, each of n_items
    surprise: Mapping[str, Floats]  # by judge, each (n_items,)
    texts: Sequence[str | None] | None = None  # of n_items
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # what else is known of items, by column

    def row(self, place: int) -> ItemRow:
        """One item."""
        counts, total = self.counts[place], int(self.counts[place].sum())
        judges = [
            JudgeOnItem(judge=judge, answer=answers[place], surprise=float(self.surprise[judge][place]))
            for judge, answers in self.answers.items()
        ]
        return ItemRow(
            item=self.items[place], question=None, text=None if self.texts is None else self.texts[place],
            ratings=total,
            shares={self.labels[label]: int(counts[label]) / total for label in np.flatnonzero(counts).tolist()},
            split=float(self.split[place]), kinds=self._kinds_of(place), judges=tuple(judges),
        )  # fmt: skip

    def take(self, rows: Codes) -> "ItemTable":
        """The same of some items."""
        places = rows.tolist()
        return replace(
            self, items=tuple(self.items[row] for row in places), counts=self.counts[rows], split=self.split[rows],
            kinds={kind: own[rows] for kind, own in self.kinds.items()},
            answers={judge: [own[row] for row in places] for judge, own in self.answers.items()},
            surprise={judge: own[rows] for judge, own in self.surprise.items()},
            texts=None if self.texts is None else [self.texts[row] for row in places],
        )  # fmt: skip

    def columns(self, places: Codes, part: Mapping[str, str | None] | None = None) -> dict[str, list[object]]:
        """Some items as columns of a flat table: one for each label, and two for each judge."""
        rows = places.tolist()
        counts = self.counts[places]
        total = counts.sum(axis=1)
        texts = {} if self.texts is None else {"text": [self.texts[row] for row in rows]}
        shown = self.labels if len(self.labels) <= MOST_LABELS else ()
        columns: dict[str, list[object]] = {"item": [self.items[row] for row in rows]}
        columns |= {name: [value] * len(rows) for name, value in (part or {"question": None}).items()}
        columns |= {**texts, "ratings": total.tolist()}
        columns |= {f"share_{label}": (counts[:, i] / total).tolist() for i, label in enumerate(shown)}
        columns |= {"split": self.split[places].tolist(), "kinds": [" ".join(self._kinds_of(row)) for row in rows]}
        for judge, answers in self.answers.items():
            columns[f"answer_{judge}"] = [answers[row] for row in rows]
            columns[f"surprise_{judge}"] = self.surprise[judge][places].tolist()
        return columns

    def _kinds_of(self, place: int) -> tuple[Kind, ...]:
        return tuple(kind for kind, own in self.kinds.items() if own[place])


@dataclass(frozen=True, kw_only=True)
class ItemsResult(Result):
    """Which items are behind a number?

    Attributes
    ----------
    items : tuple of ItemRow
        Those that are shown, in order.
    found : int
        How many items the view and the filters leave, shown or not.
    judges : tuple of JudgeSurprise
        Each judge on all items that it answered.
    kinds : mapping of str to int
        How many items people split on (`split`), have a judge alone against people (`alone`), and are judged
        differently by two judges (`judges`), of all rated items.
    """

    command: ClassVar[str] = "items"

    items: tuple[ItemRow, ...]
    found: int
    judges: tuple[JudgeSurprise, ...]
    kinds: Mapping[Kind, int]
    table: ItemTable = field(repr=False, compare=False)
    chosen: Codes = field(repr=False, compare=False)  # (found,): the rows of the table, in order

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON: the items that are shown."""
        return {name: value for name, value in super().as_dict().items() if name not in {"table", "chosen"}}

    def rows(self) -> list[dict[str, object]]:
        """One row per item that is shown: a column for each label, and two for each judge."""
        columns = self.table.columns(self.chosen[: len(self.items)])
        return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the items: as JSONL, one object per line as in the JSON, if the file is called so, else as CSV.

        All that the view and the filters leave, or as many as were asked for with `top`.
        """
        write_items([self], path)


def write_items(results: Sequence[ItemsResult | Part], path: str | os.PathLike[str]) -> None:
    """Write items below each other, those of a part with its question and its slice; see `ItemsResult.write`."""
    found: list[tuple[dict[str, str | None], ItemsResult, Codes]] = []
    for one in results:
        own, place = (one.result, one.place()) if isinstance(one, Part) else (one, {})
        if isinstance(own, ItemsResult):
            top = own.settings.get("top")
            found.append(({"question": None, **place}, own, own.chosen[: top if isinstance(top, int) else None]))
    if Path(path).suffix.lower() in LINES:
        lines = (_line(own.table.row(row), place) for place, own, rows in found for row in rows.tolist())
        write_text(path, "".join(lines))
        return
    tables = [own.table.columns(rows, place) for place, own, rows in found]
    names = dict.fromkeys(name for table in tables for name in table)
    nothing = [[None] * len(table["item"]) for table in tables]
    write_table(
        path,
        {name: [_cell(cell) for table, empty in zip(tables, nothing, strict=True) for cell in table.get(name, empty)]
         for name in names},
    )  # fmt: skip


def _line(row: ItemRow, place: Mapping[str, str | None]) -> str:
    """A line of a JSONL file, as the JSON has the item."""
    plain = {name: getattr(row, name) for name in ItemRow.__dataclass_fields__}
    judges = [{"judge": one.judge, "answer": one.answer, "surprise": _known(one.surprise)} for one in row.judges]
    return json.dumps({**plain, **place, "split": _known(row.split), "judges": judges}, ensure_ascii=False) + "\n"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _cell(value: object) -> str:
    """A cell of a CSV file; empty where there is nothing."""
    if isinstance(value, str):
        return quoted(value)
    return "" if value is None or value != value else repr(value)  # noqa: PLR0124 - NaN is not itself
