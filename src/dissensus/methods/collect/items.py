"""The items of a collection: read from the user's file, kept in the project."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from dissensus.data.coding import Cells, Sheet
from dissensus.data.collection import CHECKS_FILE, IMAGES, ITEMS_FILE, Collection, Item
from dissensus.data.columns import find_column, missing_columns
from dissensus.data.labels import option_name
from dissensus.data.ratings import DRAWN
from dissensus.data.sources.source import open_sheet
from dissensus.data.task import Kind, Task
from dissensus.data.writers import quoted, write_table
from dissensus.errors import ColumnError, FileError, RatingsError, counted, listed
from dissensus.methods.rate.requests import Columns

TEXTS: dict[Kind, tuple[str, ...]] = {"single": ("text",), "pairwise": ("text_a", "text_b")}
PICTURES: dict[Kind, tuple[str, ...]] = {"single": ("image",), "pairwise": ("image_a", "image_b")}
CHECK = "check"
MOST_IMAGE_BYTES = 20 * 2**20
IMAGE_STARTS = {
    ".png": (b"\x89PNG\r\n\x1a\n",), ".jpg": (b"\xff\xd8\xff",), ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"), ".webp": (b"RIFF",),
}  # fmt: skip
"""Images by the end of their name, and how such a file begins; an SVG is a program and is not among them."""


def read_for_rating(
    path: str | os.PathLike[str], task: Task, columns: Columns | None = None
) -> tuple[list[Item], list[Item]]:
    """The items of a file, and those among them whose answer is known: rows with a label in the column `check`.

    An item has a text, an image, or both; a pair has two of them. Images are files in the folder of the items.
    """
    given = Columns() if columns is None else columns
    with open_sheet(path) as sheet:
        names = _columns(sheet, task.kind, given)
        cells = sheet.load([name for name in names.values() if name is not None])
    items = _items(cells, names, task, name=sheet.name)
    if not items:
        raise FileError(f"{sheet.name} has columns but no rows below them: there is nothing to rate.")
    plain = [item for item in items if not item.right]
    if not plain:
        raise RatingsError(
            f"{sheet.name} has attention checks only: add items without a label in the column {CHECK!r}."
        )
    return plain, [item for item in items if item.right]


def _columns(sheet: Sheet, kind: Kind, given: Columns) -> dict[str, str | None]:
    """The column of each role; an error unless there is an id, and a text or an image for each side."""
    named = {role: find_column(sheet, role, getattr(given, role), of="columns") for role in ("item", *TEXTS[kind])}
    more = {role: find_column(sheet, role) for role in (*PICTURES[kind], CHECK, DRAWN)}
    absent = [] if named["item"] is not None else ["item"]
    sides = zip(TEXTS[kind], PICTURES[kind], strict=True)
    absent += [text for text, image in sides if named[text] is None and more[image] is None]
    if absent:
        other: Kind = "single" if kind == "pairwise" else "pairwise"
        if absent != ["item"] and all(find_column(sheet, role) for role in TEXTS[other]):
            raise ColumnError(
                f"{sheet.name} has the columns {' and '.join(TEXTS[other])}, and the task is {kind}: write "
                f'kind = "{other}" in the task file, or give other items.'
            )
        raise missing_columns(sheet, absent, of="columns")
    return {**named, **more}


def _items(cells: Cells, names: Mapping[str, str | None], task: Task, *, name: str) -> list[Item]:
    items: list[Item] = []
    rows: dict[str, int] = {}
    repeated = []
    for i, row in enumerate(cells.row.tolist()):
        found = {role: "" if c is None else cells.columns[c][i] or "" for role, c in names.items()}
        place = f"{name}, row {row}"
        _check_row(found, task, place)
        if rows.setdefault(found["item"], row) != row:
            repeated.append(f"{found['item']} (rows {rows[found['item']]} and {row})")
        items.append(
            Item(
                name=found["item"], texts=tuple(found[role] for role in TEXTS[task.kind]),
                images=tuple(found[role] for role in PICTURES[task.kind]),
                right=option_name(found[CHECK]) if found[CHECK] else "", drawn=found[DRAWN],
            )
        )  # fmt: skip
    if repeated:
        raise RatingsError(
            f"{name}: {counted(len(repeated), 'item')} twice: {listed(repeated)}. Give each item an id of its own."
        )
    return items


def _check_row(found: Mapping[str, str], task: Task, place: str) -> None:
    if not found["item"]:
        raise RatingsError(f"{place}: the item is empty. Fill it or delete the row.")
    for text, image in zip(TEXTS[task.kind], PICTURES[task.kind], strict=True):
        if not found[text].strip() and not found[image]:
            raise RatingsError(f"{place}: there is neither a {text} nor an {image}. Fill it or delete the row.")
    for cell in found.values():
        try:
            cell.encode("utf-8")
        except UnicodeEncodeError as error:
            raise FileError(
                f"{place}: character {error.start + 1} of a cell is half of one. Export it again."
            ) from error
    right = found[CHECK]
    if right and option_name(right) not in task.options:
        raise RatingsError(
            f"{place}: the check expects {right!r}, which is not an option: the options are {listed(task.options)}."
        )


# ---- In the project


def store(folder: Path, items: Sequence[Item], checks: Sequence[Item], *, kind: Kind, beside: Path) -> None:
    """Keep the items in the project, with copies of their images, so that the folder needs nothing outside itself."""
    copied: dict[str, str] = {}
    for name, found in ((ITEMS_FILE, items), (CHECKS_FILE, checks)):
        if not found:
            continue
        kept = [tuple(_copied(folder, beside, image, copied) for image in item.images) for item in found]
        columns: dict[str, list[str]] = {"item": [quoted(item.name) for item in found]}
        for side, (text, image) in enumerate(zip(TEXTS[kind], PICTURES[kind], strict=True)):
            columns[text] = [quoted(item.texts[side]) for item in found]
            if any(images[side] for images in kept):
                columns[image] = [quoted(images[side]) for images in kept]
        if any(item.drawn for item in found):
            columns[DRAWN] = [item.drawn for item in found]
        if name == CHECKS_FILE:
            columns[CHECK] = [quoted(item.right) for item in found]
        write_table(folder / name, columns)


def _copied(folder: Path, beside: Path, image: str, copied: dict[str, str]) -> str:
    """Where the copy of an image is; a file outside the items' folder, or that is no image, is refused."""
    if not image or image in copied:
        return copied.get(image, "")
    source = (beside / image.replace("\0", "")).resolve()
    suffix = source.suffix.lower()
    if "://" in image or "\0" in image or not source.is_relative_to(beside.resolve()):
        raise FileError(f"The image {image!r} is not in the folder of the items: copy it there.")
    if suffix not in IMAGE_STARTS:
        raise FileError(f"The image {image!r} cannot be shown: give a {', '.join(IMAGE_STARTS)} file.")
    try:
        if source.exists() and not source.is_file():
            raise FileError(f"The image {image!r} is a folder, a device or a pipe: give a file.")
        content = source.open("rb")
    except OSError as error:
        raise FileError(f"The image {image!r} cannot be opened: {error.strerror}. Check its path.") from error
    with content:
        if not content.read(16).startswith(IMAGE_STARTS[suffix]) or source.stat().st_size > MOST_IMAGE_BYTES:
            raise FileError(f"The image {image!r} is no {suffix} file, or larger than 20 MB: save it again.")
    (folder / IMAGES).mkdir(exist_ok=True)
    copied[image] = f"{IMAGES}/{len(copied) + 1}{suffix}"
    shutil.copyfile(source, folder / copied[image])
    return copied[image]


def read_stored(collection: Collection) -> tuple[list[Item], list[Item]]:
    """The items and the checks that a project keeps, among them all that its raters are asked about."""
    folder, task = collection.folder, collection.task
    items, _ = read_for_rating(folder / ITEMS_FILE, task)
    checks: list[Item] = []
    if (folder / CHECKS_FILE).exists():
        with open_sheet(folder / CHECKS_FILE) as sheet:
            names = _columns(sheet, task.kind, Columns())
            cells = sheet.load([name for name in names.values() if name is not None])
        checks = _items(cells, names, task, name=CHECKS_FILE)
    known = {"rating": len(items), "repeat": len(items), "check": len(checks)}
    slots = [slot for rater in collection.standing.raters.values() for slot in rater.slots]
    if lost := [slot for slot in slots if not 0 <= slot.item < known.get(slot.kind, 0)]:
        what = counted(len(lost), "item")
        raise FileError(f"The plan of {folder} names {what} more than there are: take it from a copy.")
    return items, checks
