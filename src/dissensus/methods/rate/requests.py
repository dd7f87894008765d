"""Every request of a run, made when it is its turn: each item in each order, elicitation and sample."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dissensus.data.coding import Cells, Sheet
from dissensus.data.columns import find_column, missing_columns
from dissensus.data.judges import ORDERS
from dissensus.data.ratings import Elicitation, Provenance
from dissensus.data.sources.files import sha256_of
from dissensus.data.sources.source import FrameSheet, open_sheet
from dissensus.data.task import Kind, Task
from dissensus.errors import ColumnError, FileError, RatingsError, counted, listed
from dissensus.methods.rate.options import TOP_TOKENS, RateOptions
from dissensus.methods.rate.prompts import ShownOption, option_order, prompt_of, response_format, shown_options
from dissensus.options import named

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    Source = str | os.PathLike[str] | IntoFrame

# ---- The items to ask about: an id and a text, or two texts of a pair

ROLES: dict[Kind, tuple[str, ...]] = {"single": ("item", "text"), "pairwise": ("item", "text_a", "text_b")}


@dataclass(frozen=True, slots=True)
class Item:
    """What a model is asked about.

    Attributes
    ----------
    name : str
        The id by which people's ratings know it.
    texts : tuple of str
        One text, or the two outputs of a pair: a, then b.
    twin : int
        How many items before it have the same texts: each is asked on its own, and none gets another's answer.
    """

    name: str
    texts: tuple[str, ...]
    twin: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What the columns of the items are called, where that is not their usual name."""

    item: str | None = None
    text: str | None = None
    text_a: str | None = None
    text_b: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items in the order of their file, and where they came from."""

    items: tuple[Item, ...]
    provenance: Provenance

    def describe_data(self) -> dict[str, object]:
        """Shape and origin, for the `data` part of the JSON."""
        return {**self.provenance.as_dict(), "items": len(self.items)}


def read_items(source: "Source", *, kind: Kind, columns: Columns | None = None) -> Items:
    """Items from a file or a frame with the columns `item, text`, or `item, text_a, text_b` for pairs.

    Parameters
    ----------
    source : path or frame
        One row per item.
    kind : {"single", "pairwise"}
        What the task asks for.
    columns : Columns, optional
        Other names of the columns.
    """
    given = Columns() if columns is None else columns
    with _opened(source) as sheet:
        names = {
            role: find_column(sheet, role, getattr(given, role), option=f"{named(role, of='columns')} {{column}}")
            for role in ROLES[kind]
        }
        _check_columns(sheet, names, kind=kind)
        cells = sheet.load([name for name in names.values() if name is not None])
    items = _items(cells, {role: str(name) for role, name in names.items()}, name=sheet.name)
    return Items(
        items=items,
        provenance=Provenance(
            name=sheet.name,
            sha256=sha256_of(source) if isinstance(source, str | os.PathLike) else None,
            format="items",
            rows=len(cells.row),
            columns=len(sheet.columns),
        ),
    )


@contextmanager
def _opened(source: "Source") -> Iterator[Sheet]:
    if isinstance(source, str | os.PathLike):
        with open_sheet(source) as sheet:
            yield sheet
    else:
        yield FrameSheet(source)


def _check_columns(sheet: Sheet, names: dict[str, str | None], *, kind: Kind) -> None:
    """An error where a column is missing; it says so if the file is one for the other kind of task."""
    absent = [role for role, name in names.items() if name is None]
    if not absent:
        return
    other: Kind = "pairwise" if kind == "single" else "single"
    if absent != ["item"] and all(find_column(sheet, role) is not None for role in ROLES[other][1:]):
        raise ColumnError(
            f"{sheet.name} has the columns {' and '.join(ROLES[other][1:])}, and a {kind} task needs "
            f'{" and ".join(ROLES[kind][1:])}: write kind = "{other}" in the task file, or give other items.'
        )
    raise missing_columns(sheet, absent, option=f"{named('{role}', of='columns')} {{column}}")


def _items(cells: Cells, names: dict[str, str], *, name: str) -> tuple[Item, ...]:
    ids, *texts = (cells.columns[column] for column in names.values())
    items: list[Item] = []
    rows: dict[str, int] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    repeated = []
    for i, row in enumerate(cells.row.tolist()):
        found = [column[i] for column in (ids, *texts)]
        for role, cell in zip(names, found, strict=True):
            if cell is None:
                raise RatingsError(f"{name}, row {row}: the {role.replace('_', ' ')} is empty. Fill it or delete it.")
            _check_characters(cell, f"{name}, row {row}")
        cells_here = [str(cell) for cell in found]
        if rows.setdefault(cells_here[0], row) != row:
            repeated.append(f"{cells_here[0]} (rows {rows[cells_here[0]]} and {row})")
        same = tuple(cells_here[1:])
        items.append(Item(cells_here[0], same, seen[same]))
        seen[same] += 1
    if repeated:
        raise RatingsError(
            f"{name}: {counted(len(repeated), 'item')} twice: {listed(repeated)}. Give each text an id of its own."
        )
    if not items:
        raise FileError(f"{name} has columns but no rows below them: there is nothing to ask about.")
    return tuple(items)


def _check_characters(cell: str, place: str) -> None:
    """Half of a character, as JSON can have it, can be sent nowhere."""
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(f"{place}: character {error.start + 1} of a text is half of one. Export it again.") from error


# ---- Every request of a run, made when it is its turn: each item in each order, elicitation and sample

LengthKey = Literal["max_tokens", "max_completion_tokens"]
KEY_VERSION = 1
"""To be raised when the same key would mean another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the model.

    Attributes
    ----------
    item, sample, elicitation, order
        What it is about; the order is ab or ba for a pair, else empty.
    shown : tuple of ShownOption
        The options in the order in which they are shown.
    body : mapping
        What is sent.
    key : str
        The same for the same endpoint, model, parameters, prompt and sample, and for nothing else.
    """

    item: str
    sample: int
    elicitation: Elicitation
    order: str
    shown: tuple[ShownOption, ...]
    body: Mapping[str, object]
    key: str

    @property
    def prompt(self) -> str:
        """The message."""
        messages = self.body["messages"]
        return str(messages[0]["content"]) if isinstance(messages, list) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All requests, by number: the items one after the other, each with all of its samples.

    Attributes
    ----------
    items, task, options
        What to ask, and how.
    as_json : bool
        Whether answers are JSON objects or letters.
    length_key : {"max_tokens", "max_completion_tokens"}
        What the server calls the limit of an answer's length.
    """

    items: tuple[Item, ...]
    task: Task
    options: RateOptions
    as_json: bool
    length_key: LengthKey = "max_tokens"

    def __len__(self) -> int:
        return len(self.items) * self.per_item

    @property
    def orders(self) -> tuple[str, ...]:
        """A pair is shown in both orders."""
        return ORDERS if self.task.kind == "pairwise" else ("",)

    @property
    def per_item(self) -> int:
        """How many requests there are about an item."""
        return len(self.orders) * len(self.options.elicitations) * self.options.samples

    def request(self, number: int) -> Request:
        """The request with this number."""
        place, sample = divmod(number, self.options.samples)
        place, which = divmod(place, len(self.options.elicitations))
        at, order = divmod(place, len(self.orders))
        item, elicitation = self.items[at], self.options.elicitations[which]
        shuffled = option_order(len(self.task.options), seed=self.options.seed, item=item.name, sample=sample)
        is_swapped = self.orders[order] == "ba"
        shown = shown_options(self.task, shuffled, is_swapped=is_swapped)
        body = self._body(item, shown, elicitation, is_swapped=is_swapped)
        return Request(
            item=item.name,
            sample=sample,
            elicitation=elicitation,
            order=self.orders[order],
            shown=shown,
            body=body,
            key=key_of(self.options.base_url, body, sample, item.twin),
        )

    def _body(
        self, item: Item, shown: tuple[ShownOption, ...], elicitation: Elicitation, *, is_swapped: bool
    ) -> dict[str, object]:
        texts = item.texts[::-1] if is_swapped else item.texts
        prompt = prompt_of(self.task, texts, shown, elicitation=elicitation, as_json=self.as_json)
        body: dict[str, object] = {
            "model": self.options.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.options.temperature,
            self.length_key: self.options.max_tokens,
        }
        if self.as_json:
            body["response_format"] = response_format(self.task, shown, elicitation)
        if self.options.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        return body


def key_of(url: str, body: Mapping[str, object], sample: int, twin: int) -> str:
    """Hash of everything that the answer depends on, and of which draw it is."""
    whole = json.dumps([KEY_VERSION, url, body, sample, twin], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()
