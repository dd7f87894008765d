"""The items to ask about: an id and a text, or two texts of a pair."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dissensus.errors import ColumnError, FileError, RatingsError, counted, listed
from dissensus.ratings.coding import Cells, Sheet
from dissensus.ratings.columns import find_column, missing_columns
from dissensus.ratings.provenance import Provenance
from dissensus.ratings.sources.files import open_sheet, sha256_of
from dissensus.ratings.task import Kind

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    Source = str | os.PathLike[str] | IntoFrame

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
        names = {role: find_column(sheet, role, getattr(given, role), option=_option(role)) for role in ROLES[kind]}
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
        from dissensus.ratings.sources.frames import FrameSheet  # noqa: PLC0415 - narwhals is for those who bring a frame

        yield FrameSheet(source)


def _option(role: str) -> str:
    return f"--{role.replace('_', '-')} {{column}}"


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
    raise missing_columns(sheet, absent, option="--{role} {column}")


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
