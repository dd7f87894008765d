"""Slices: items by an attribute, a column of the ratings or of a file about the items, or built in."""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.data.coding import Sheet
from dissensus.data.columns import find_column, is_nameless, shown_columns
from dissensus.data.formats.plan import ReadPlan
from dissensus.data.labels import natural_order, number
from dissensus.data.layout import named_otherwise
from dissensus.data.ratings import Ratings, Slicing
from dissensus.data.sources.source import Source, open_source
from dissensus.errors import ColumnError, OptionError, counted, listed, named, shortened

if TYPE_CHECKING:
    from dissensus.data.inputs import Table

BUILT_IN = {
    "split": "how far people split on an item",
    "ratings": "how many ratings an item has",
    "length": "how long the item's text is, where there is a column text",
    "suffix": "what follows the last _ or - in the item's id",
}
"""Attributes that need no column of their own; a column of the name goes first."""
TEXT = "text"
QUANTILES = 4
MOST_VALUES = 8
"""Numbers with more different values than that are cut into quantiles."""
MOST_SLICES = 50
SAME_ENDS = 0.8
"""Share of the items whose ids have the same few ends after each beginning, if they are questions about one thing."""
_SUFFIX = re.compile(r"[_\-.:/|#]([^_\-.:/|#]+)$")


def sliced(ratings: Ratings, slicing: Slicing) -> Ratings:
    """The ratings, and those of each question, with the slices that methods answer for.

    How far people split on an item, and how many rated it, is another matter for each question.
    """
    questions = {
        question: replace(own, slicing=built_in(slicing.by, own) if slicing.is_built_in else slicing)
        for question, own in ratings.questions.items()
    }
    return replace(ratings, slicing=slicing, questions=questions)


def slicing_in(by: str, ratings: Ratings, source: Source, plan: ReadPlan, items: "Table | None") -> Slicing:
    """The slices that an attribute makes: a column of a table of items, of the ratings' file, or one of `BUILT_IN`."""
    if ratings.questions and by.strip().lower() == "question":
        option = named("by", of="read", value=by)
        raise OptionError(f"{option} is not needed: each of the {len(ratings.questions)} questions is answered alone.")
    found = None
    if items is not None:
        with open_source(items) as opened:
            sheet = opened.table()
            found = _column_in(by, sheet, item_column(sheet, None, option="items"), None)
    if found is None and source.sheet is not None:
        sheet = source.sheet
        rater = None if plan.wide else find_column(sheet, "rater", _plain(sheet, plan.rater))
        found = _column_in(by, sheet, item_column(sheet, _plain(sheet, plan.item)), rater)
    if found is not None:
        return found
    if by in BUILT_IN and by != "length":
        return built_in(by, next(iter(ratings.questions.values()), ratings))
    raise _unknown(by, source, items)


def _plain(sheet: Sheet, name: str | None) -> str | None:
    """The name of one column, and not a pattern of several."""
    return name if name in sheet.columns else None


def item_column(sheet: Sheet, given: str | None, *, option: str = "item") -> str:
    """The column of the items."""
    guessed = find_column(sheet, "item", given) or named_otherwise(sheet, {}, ("item",)).get("item")
    if guessed is None and is_nameless(sheet.columns[0]):
        return sheet.columns[0]
    if guessed is None:
        raise ColumnError(
            f"{sheet.name} has no column 'item'. Columns found: {shown_columns(sheet)}. "
            f"{named(option, of='read')} needs one, with the ids that the ratings have."
        )
    return guessed


def _unknown(by: str, source: Source, items: "Table | None") -> OptionError:
    places = [source.name, *([] if items is None else ["the items' file"])]
    known = ", ".join(name for name in source.columns if not is_nameless(name))
    option = named("by", of="read", value=shortened(by))
    if by == "length":
        return OptionError(
            f"{option} needs the items' texts: give a file with the columns item and text with "
            f"{named('items', of='read')}."
        )
    return OptionError(
        f"{option} is not a column of {' or '.join(places)}, which has {known}. Choose a column, or "
        f"{', '.join(BUILT_IN)}; or give a file with a row per item with {named('items', of='read')}."
    )


def _column_in(by: str, sheet: Sheet, item: str, rater: str | None) -> Slicing | None:
    """The slices from a column of this name, or the lengths of texts."""
    column = find_column(sheet, by)
    if column is not None:
        return _slicing_of_column(by, sheet, column, item, rater)
    column = find_column(sheet, TEXT) if by == "length" else None
    if column is None:
        return None
    return slicing_of_numbers(by, {name: float(len(text)) for name, text in _by_key(sheet, item, column, by).items()})


def _slicing_of_column(by: str, sheet: Sheet, column: str, item: str, rater: str | None) -> Slicing:
    try:
        values = _by_key(sheet, item, column, by)
    except ColumnError:
        # What differs between the rows of an item may belong to who rated it.
        if rater is None or rater == column:
            raise
        with suppress(ColumnError):
            if values := _by_key(sheet, rater, column, by):
                return slicing_of(by, values, of_raters=True)
        raise
    return slicing_of(by, values)


def _by_key(sheet: Sheet, key: str, column: str, by: str) -> dict[str, str]:
    """The value of each item or rater; an error if it has two."""
    cells = sheet.load([key, column])
    names, texts = cells.columns[key], cells.columns[column]
    known: dict[str, tuple[str, int]] = {}
    for i, row in enumerate(cells.row.tolist()):
        name, text = names[i], texts[i]
        if name is None or text is None:
            continue
        before, at = known.setdefault(name, (text, row))
        if before != text:
            raise ColumnError(
                f"{sheet.name}: {by} of the item {shortened(name)} is {shortened(before)} in row {at} and "
                f"{shortened(text)} in row {row}. {named('by', of='read')} needs one value for each item: correct the "
                f"rows, or give the values with {named('items', of='read')}."
            )
    return {name: text for name, (text, _) in known.items()}


def slicing_of(by: str, values: Mapping[str, str], *, of_raters: bool = False) -> Slicing:
    """The slices from the value of each item, or of each rater: a slice for each value, many numbers in quantiles."""
    distinct = Counter(values.values())
    numbers = {text: number(text) for text in distinct}
    are_numbers = bool(distinct) and all(value is not None for value in numbers.values())
    if are_numbers and not of_raters:
        return slicing_of_numbers(by, {name: float(numbers[text] or 0) for name, text in values.items()})
    if len(distinct) > MOST_SLICES:
        raise OptionError(
            f"{named('by', of='read', value=shortened(by))} has {len(distinct):,} different values ("
            f"{listed(sorted(distinct))}), too many to slice by. Put values together, {MOST_SLICES} at most."
        )
    order = tuple(sorted(distinct, key=natural_order))
    return Slicing(by, "rater" if of_raters else "item", dict(values), order, {})


def slicing_of_numbers(by: str, numbers: Mapping[str, float]) -> Slicing:
    """The slices from a number for each item: one for each value, or quantiles where there are many.

    >>> slicing_of_numbers("length", {str(i): float(i) for i in range(1, 13)}).order
    ('1 to 3', '4 to 6', '7 to 9', '10 to 12')
    """
    found = np.array(list(numbers.values()))
    distinct = np.unique(found)
    if len(distinct) <= MOST_VALUES:
        short = {value: f"{value:.3g}" for value in distinct.tolist()}
        names = short if len(set(short.values())) == len(short) else {value: f"{value!r}" for value in short}
        values = {name: names[value] for name, value in numbers.items()}
        return Slicing(by, "item", values, tuple(names.values()), dict(numbers))
    shares = np.arange(1, QUANTILES) / QUANTILES
    place = np.searchsorted(np.unique(np.quantile(found, shares, method="inverted_cdf")), found, side="left")
    ends = {int(p): (found[place == p].min(), found[place == p].max()) for p in np.unique(place)}
    ranges = {p: f"{low:.3g} to {high:.3g}" if low < high else f"{low:.3g}" for p, (low, high) in ends.items()}
    named_places = dict(zip(numbers, place.tolist(), strict=True))
    values = {name: ranges[p] for name, p in named_places.items()}
    return Slicing(by, "item", values, tuple(ranges.values()), dict(numbers))


def built_in(by: str, ratings: Ratings) -> Slicing:
    """The slices of an attribute that the ratings of one question have themselves."""
    if by == "suffix":
        ends = {item: _SUFFIX.search(item) for item in ratings.items}
        return slicing_of(by, {item: end[1] for item, end in ends.items() if end is not None})
    counts = ratings.counts().astype(np.float64)
    total = counts.sum(axis=1)
    if by == "ratings":
        own = slicing_of_numbers(by, dict(zip(ratings.items, total.tolist(), strict=True)))
        return own._replace(is_built_in=True)
    shares = counts / total[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.where(shares > 0, shares * np.log2(shares), 0.0).sum(axis=1)
    # Adding 0 turns the -0 of an item on which all agree into 0; rounding keeps equal counts together.
    own = slicing_of_numbers(by, dict(zip(ratings.items, (np.round(bits, 9) + 0.0).tolist(), strict=True)))
    return own._replace(is_outcome=True, is_built_in=True)


def about_pooling(ratings: Ratings) -> list[str]:
    """Sentences about items that look like several questions, or kinds of items, put together."""
    texts = []
    own: dict[str, list[str]] = {}
    for item in ratings.items:
        if (end := _SUFFIX.search(item)) is not None:
            own.setdefault(item[: end.start()], []).append(end[1])
    ends, times = Counter(tuple(sorted(ends)) for ends in own.values()).most_common(1)[0] if own else ((), 0)
    is_same = len(ends) * times >= SAME_ENDS * ratings.n_items
    if 1 < len(ends) <= MOST_VALUES * 2 and times > 1 and is_same:
        texts.append(
            f"Item ids end in {listed(list(ends))}, as if each item had {len(ends)} questions, which are pooled "
            f"here. See each alone with {named('by', of='read', value='suffix')}, or a column question."
        )
    if ratings.group is not None and len(ratings.groups) > 1:
        pairs = np.unique(ratings.item * len(ratings.groups) + ratings.group)
        if len(pairs) == ratings.n_items:
            texts.append(
                f"Each item has one group ({listed(ratings.groups)}), so these are groups of items, not of raters, "
                f"and are pooled here. See each alone with {named('by', of='read', value='group')}."
            )
    return texts


def without_value(slicing: Slicing, ratings: Ratings) -> str:
    """A sentence about items, or raters, in no slice; empty if there are none."""
    names = ratings.items if slicing.of == "item" else ratings.raters
    left = sum(name not in slicing.values for name in names)
    return f"{counted(left, slicing.of)} without {slicing.by}: in no slice." if left else ""
