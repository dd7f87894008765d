"""What a table says of each item beside its ratings: its text, who wrote it, and whatever else has a column."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dissensus.data.coding import Sheet
from dissensus.data.columns import find_column
from dissensus.data.layout import named_otherwise
from dissensus.data.ratings import Ratings
from dissensus.data.slices import item_column
from dissensus.data.sources.source import open_source
from dissensus.errors import ColumnError, listed

if TYPE_CHECKING:
    from dissensus.data.inputs import Table

KNOWN = ("text", "text_a", "text_b", "writer", "writer_a", "writer_b")
"""Columns of ratings that are about the item, by their names: what it is, or both of a pair, and who wrote it."""

About = dict[str, dict[str, str]]
"""By the name of a column the value of each item that has one."""


def with_about(ratings: Ratings, sheet: Sheet | None, item: str | None, items: "Table | None") -> Ratings:
    """The ratings, and those of each question, with what their table and one about the items say of each item.

    Parameters
    ----------
    ratings : Ratings
        The ratings.
    sheet : Sheet, optional
        Their table, of which the columns in `KNOWN` are about items.
    item : str, optional
        The column of the items' ids there.
    items : path or table, optional
        A table with a row per item; its columns go first.
    """
    about = {} if sheet is None else about_items(sheet, item)
    if items is not None:
        with open_source(items) as opened:
            sheet = opened.table()
            place = item_column(sheet, None, option="items")
            _check_ids(sheet, place, ratings)
            about |= about_items(sheet, place, only=None)
    questions = {question: replace(own, about=about) for question, own in ratings.questions.items()}
    return replace(ratings, about=about, questions=questions)


def _check_ids(sheet: Sheet, item: str, ratings: Ratings) -> None:
    """Raise if a table is about none of the rated items."""
    ids = [text.strip() for text in sheet.load([item]).columns[item].texts]
    rated = [name for own in (ratings.questions or {"": ratings}).values() for name in own.items]
    if set(ids).isdisjoint(rated):
        raise ColumnError(
            f"{sheet.name} is about none of the rated items: its column {item} has {listed(ids)}; rated are "
            f"{listed(rated)}. Check that both hold the same ids."
        )


def about_items(sheet: Sheet, item: str | None = None, *, only: Sequence[str] | None = KNOWN) -> About:
    """The columns that have one value for each item.

    Parameters
    ----------
    sheet : Sheet
        A table with a row per item, or with several.
    item : str, optional
        The column of the items' ids; found by its name if not given.
    only : sequence of str, optional
        Names of columns to take; all but that of the items if None.
    """
    known = item if item in sheet.columns else find_column(sheet, "item")
    place = known or named_otherwise(sheet, {}, ("item",)).get("item")
    by_name = {column.strip().lower(): column for column in sheet.columns if column != place}
    names = [column for name, column in by_name.items() if only is None or name in only]
    if place is None or not names:
        return {}
    cells = sheet.load([place, *names])
    ids = cells.columns[place]
    about: About = {}
    for name in names:
        column, values = cells.columns[name], dict[str, str]()
        pairs = {(i, j) for i, j in zip(ids.codes.tolist(), column.codes.tolist(), strict=True) if i >= 0 and j >= 0}
        for i, j in pairs:
            values[ids.texts[i].strip()] = column.texts[j]
        if len(values) == len(pairs):  # what differs between the rows of an item is not about the item
            about[name.strip().lower() if name.strip().lower() in KNOWN else name] = values
    return about
