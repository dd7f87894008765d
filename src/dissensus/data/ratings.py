"""Ratings: who gave which label to which item."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data.coding import compact
from dissensus.data.counts import CountTypes, count_cells, count_types
from dissensus.data.labels import SEPARATOR, Scale, label_values, number
from dissensus.errors import SHOWN, DissensusError, OptionError, RatingsError, counted, listed, shortened
from dissensus.results import Message

Elicitation = Literal["forced_choice", "response_set"]
ELICITATIONS: tuple[Elicitation, ...] = ("forced_choice", "response_set")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where data came from."""

    name: str  # the file's, without its folder, or the kind of frame
    sha256: str | None  # of the file's bytes; None for a frame
    format: str  # that was recognised, such as tidy or label-studio
    rows: int  # of the table as it was read
    columns: int

    def as_dict(self) -> dict[str, object]:
        """The fields by name, as the JSON has them."""
        return {
            "file": self.name,
            "sha256": self.sha256,
            "format": self.format,
            "rows": self.rows,
            "columns": self.columns,
        }


class Slicing(NamedTuple):
    """How items, or raters, fall into slices by an attribute."""

    by: str  # the attribute
    of: Literal["item", "rater"]  # whose it is
    values: Mapping[str, str]  # the slice of each item or rater by name; one without a value is in none
    order: tuple[str, ...]  # the slices in order
    numbers: Mapping[str, float]  # the attribute of each item where it is a number; empty elsewhere
    is_outcome: bool = False  # whether it was told from the labels themselves
    is_built_in: bool = False  # whether each question has its own, from its ratings


class ShownData(ABC):
    """How ratings and judges' answers show themselves."""

    @abstractmethod
    def describe_data(self) -> Mapping[str, object]:
        """Shape and origin of the data."""

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """One row per answer, as plain dicts."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.shape()}>"

    @abstractmethod
    def shape(self) -> str:
        """How much of what there is, in words."""

    def _check_codes(
        self, name: str, n_rows: int, lowest: int, size: int | None, *, error: type[DissensusError]
    ) -> None:
        """Make a field, if it is given, a read-only copy; raise unless it has a code in its range for each row."""
        codes = getattr(self, name)
        if codes is None:
            return
        checked = np.array(codes, dtype=np.intp)  # the caller's array stays writable
        if checked.shape != (n_rows,):
            entries = counted(checked.size, "entry", "entries")
            raise error(f"{counted(n_rows, 'item')} but {entries} in {name}: each row needs one of each.")
        if checked.size and (checked.min() < lowest or (size is not None and checked.max() >= size)):
            most = "" if size is None else f" and less than {size}"
            raise error(
                f"The codes of {name} run from {checked.min()} to {checked.max()}: they must be {lowest} or more{most}."
            )
        checked.flags.writeable = False
        object.__setattr__(self, name, checked)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - in notebooks only

        head = self.rows()[:SHOWN]
        names = "".join(f"<th>{escape(name)}</th>" for name in (head[0] if head else ()))
        cells = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row.values()) for row in head]
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{escape(self.shape())}</p><table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"

    def to_frame(self) -> object:
        """One row per answer, as a pandas DataFrame, or a polars one where pandas is not installed."""
        from dissensus.report.envelope import frame_of_rows  # noqa: PLC0415 - report stands below the data

        return frame_of_rows(self.rows())


def listed_labels(labels: Sequence[str]) -> str:
    """Labels in one line."""
    return f"{counted(len(labels), 'label')} ({listed(list(labels))})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ratings(ShownData):
    """Who gave which label to which item.

    Attributes
    ----------
    item, label : ndarray of shape (n_rows,)
        Codes into `items` and `labels`; a rating that is missing is simply not there.
    rater : ndarray of shape (n_rows,), optional
        Codes into `raters`; None if nobody knows who rated, and then each rating has a rater of its own.
    times : ndarray of shape (n_rows,), optional
        How many raters gave this label to this item, for data that come as counts; None means one.
    group : ndarray of shape (n_rows,), optional
        Codes into `groups`.
    elicitation : ndarray of shape (n_rows,), optional
        0 for a forced choice, 1 for a response set, -1 where nobody knows.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each item stands for, where items that nobody can tell apart were put together; None
        means one.
    rater_count : int, optional
        How many raters there are, where their number is known but not who gave which rating.
    items, raters, labels, groups : tuple of str
        Names. Labels are in order: the options, then the response sets that were given (`Yes|No`).
    options : tuple of str
        What a rater could choose, in order.
    scale : str
        Whether the order of the labels means nothing (nominal), an order (ordinal) or distances (interval).
    warnings : tuple of str
        What was left out when the data were read, and why.
    provenance : Provenance, optional
        The file that the ratings came from.
    questions : mapping of str to Ratings
        The ratings of each question, where a file asks several; all others are put together then, with each item named
        after its question.
    slicing : Slicing, optional
        How items fall into slices, where methods answer for each.
    among : tuple of str
        The items of which these are a part: bootstrap samples draw all of them, so that parts share what is drawn.
    about : mapping of str to mapping
        What is known of items: by the name of a column (text, writer) the value of each item that has one.
    """

    item: Codes
    label: Codes
    items: tuple[str, ...]
    labels: tuple[str, ...]
    rater: Codes | None = None
    raters: tuple[str, ...] = ()
    times: Codes | None = None
    group: Codes | None = None
    groups: tuple[str, ...] = ()
    elicitation: Codes | None = None
    copies: Codes | None = None
    rater_count: int | None = None
    options: tuple[str, ...] = field(default=())
    scale: Scale = "nominal"
    warnings: tuple[str, ...] = ()
    provenance: Provenance | None = None
    questions: Mapping[str, "Ratings"] = field(default_factory=dict)
    slicing: Slicing | None = None
    among: tuple[str, ...] = ()
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.options:
            singles = tuple(label for label in self.labels if SEPARATOR not in label)
            object.__setattr__(self, "options", singles)
        limits = {
            "item": (0, len(self.items)),
            "label": (0, len(self.labels)),
            "rater": (0, len(self.raters)),
            "group": (0, len(self.groups)),
            "elicitation": (-1, len(ELICITATIONS)),
            "times": (1, None),
        }
        for name, (lowest, size) in limits.items():
            self._check_codes(name, len(self.item), lowest, size, error=RatingsError)
        self._check_codes("copies", self.n_items, 1, None, error=RatingsError)
        object.__setattr__(self, "warnings", tuple(map(Message, self.warnings)))
        self._check_names()

    def _check_names(self) -> None:
        """Labels are options or sets of them; every item has a rating."""
        check_labels(self.labels, self.options, error=RatingsError)
        unrated = np.flatnonzero(np.bincount(self.item, minlength=self.n_items) == 0)
        if unrated.size:
            names = [self.items[i] for i in unrated[:SHOWN]]
            raise RatingsError(
                f"{counted(unrated.size, 'item')} without a rating: {listed(names, total=unrated.size)}. Drop them."
            )

    def __len__(self) -> int:
        """How many ratings there are."""
        return self.n_ratings

    def shape(self) -> str:
        """How many ratings of how many items by how many raters, and the labels.

        Examples
        --------
        >>> from dissensus import read
        >>> read([(1, "ann", "no"), (1, "bob", "yes")])
        <Ratings: 2 ratings of 1 item by 2 raters; 2 labels (no, yes), nominal>
        """
        by = "" if self.n_raters is None else f" by {counted(self.n_raters, 'rater')}"
        of = f"{counted(self.n_ratings, 'rating')} of {counted(self.items_in_all, 'item')}{by}"
        return f"{of}; {listed_labels(self.labels)}, {self.scale}"

    def rows(self) -> list[dict[str, object]]:
        """One row per rating, or per item and label with a count."""
        if self.questions:
            return [{"question": q, **row} for q, own in self.questions.items() for row in own.rows()]
        columns: dict[str, Sequence[object]] = {"item": [self.items[i] for i in self.item]}
        if self.rater is not None:
            columns["rater"] = [self.raters[i] for i in self.rater]
        columns["label"] = [self.labels[i] for i in self.label]
        if self.group is not None:
            columns["group"] = [self.groups[i] for i in self.group]
        if self.elicitation is not None:
            columns["elicitation"] = [None if i < 0 else ELICITATIONS[i] for i in self.elicitation]
        if self.times is not None:
            columns["count"] = self.times.tolist()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def n_items(self) -> int:
        """How many items have a rating; where identical items were merged, how many different ones."""
        return len(self.items)

    @property
    def items_in_all(self) -> int:
        """How many items of the data have a rating, those counted one by one that were put together."""
        return self.n_items if self.copies is None else int(self.copies.sum())

    @property
    def n_labels(self) -> int:
        """How many labels there are, used or not."""
        return len(self.labels)

    @property
    def n_raters(self) -> int | None:
        """How many raters there are, or None if nobody knows."""
        return self.rater_count if self.rater is None else len(self.raters)

    @property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        times = np.ones(len(self.item), dtype=np.intp) if self.times is None else self.times
        return int(times.sum() if self.copies is None else (times * self.copies[self.item]).sum())

    @property
    def has_response_sets(self) -> bool:
        """Whether somebody endorsed several options at once."""
        return len(self.labels) > len(self.options)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The labels as numbers; NaN for a word or a response set."""
        return label_values(self.labels)

    @cached_property
    def _histogram(self) -> tuple[CountTypes, Codes]:
        cells = count_cells(self.item, self.label, self.times, n_items=self.n_items, n_labels=self.n_labels)
        types, type_of_item = count_types(*cells, n_items=self.n_items, n_labels=self.n_labels)
        if self.copies is None:
            return types, type_of_item
        items = np.zeros(types.n_types, dtype=np.intp)
        np.add.at(items, type_of_item, self.copies)
        return replace(types, items=items), type_of_item

    @property
    def types(self) -> CountTypes:
        """The histogram of the items' label counts; computed once."""
        return self._histogram[0]

    @property
    def type_of_item(self) -> Codes:
        """The type of each item, of shape (n_items,)."""
        return self._histogram[1]

    def counts(self) -> Codes:
        """How often each item got each label, of shape (n_items, n_labels)."""
        return self.types.dense()[self.type_of_item]

    def where(self, mask: npt.NDArray[np.bool_]) -> "Ratings":
        """The ratings at these rows, with the items, raters and groups that are left, in their order.

        Options stay, since they could have been chosen; response sets nobody gave here go.
        """
        item, items = compact(self.item[mask], self.items, by_name=False)
        copies = None if self.copies is None else np.ones(len(items), dtype=np.intp)
        if copies is not None and self.copies is not None:
            copies[item] = self.copies[self.item[mask]]
        rater, raters = (None, ()) if self.rater is None else compact(self.rater[mask], self.raters, by_name=False)
        group, groups = (None, ()) if self.group is None else compact(self.group[mask], self.groups, by_name=False)
        is_kept = np.bincount(self.label[mask], minlength=self.n_labels) > 0
        is_kept[: len(self.options)] = True
        return replace(
            self,
            item=item,
            items=items,
            rater=rater,
            raters=raters,
            group=group,
            groups=groups,
            label=(np.cumsum(is_kept) - 1)[self.label[mask]],
            labels=tuple(label for label, keep in zip(self.labels, is_kept, strict=True) if keep),
            times=None if self.times is None else self.times[mask],
            elicitation=None if self.elicitation is None else self.elicitation[mask],
            copies=copies,
            rater_count=self.rater_count if mask.all() else None,  # who is left is not known
        )

    def expanded(self) -> "Ratings":
        """The same with an item for each item of the data, named after the one that stood for it."""
        if self.copies is None:
            return self
        row, item = copied_rows(self.item, self.copies)
        names = ("label", "times", "group", "elicitation")
        taken = {name: values[row] for name in names if (values := getattr(self, name)) is not None}
        return replace(self, item=item, items=copied_names(self.items, self.copies), copies=None, **taken)

    def of_group(self, group: str) -> "Ratings":
        """The ratings of one group."""
        if self.group is None or group not in self.groups:
            known = f"the groups are {listed(self.groups)}" if self.groups else "the ratings have no group column"
            raise OptionError(f"There is no group {group!r}: {known}.")
        return self.where(self.group == self.groups.index(group))

    def of_elicitation(self, elicitation: Elicitation) -> "Ratings":
        """The ratings that were asked for in one way."""
        if elicitation not in ELICITATIONS:
            raise OptionError.unknown("elicitation", elicitation, ELICITATIONS)
        if self.elicitation is None:
            raise OptionError("The ratings do not say how they were elicited: they have no elicitation column.")
        return self.where(self.elicitation == ELICITATIONS.index(elicitation))

    def with_at_least(self, ratings: int) -> "Ratings":
        """The items with at least this many ratings."""
        return self.where(self.types.ratings[self.type_of_item][self.item] >= ratings)

    def describe_data(self) -> Mapping[str, object]:
        """Shape and origin of the data, for the `data` part of the JSON."""
        origin = {} if self.provenance is None else self.provenance.as_dict()
        return {
            **origin,
            "items": self.items_in_all,
            "raters": self.n_raters,
            "ratings": self.n_ratings,
            "labels": list(self.labels),
            "scale": self.scale,
            "groups": list(self.groups),
            **({"questions": list(self.questions)} if self.questions else {}),
        }


def copied_rows(item: Codes, copies: Codes) -> tuple[Codes, Codes]:
    """Rows of each item once for each of its copies: which row, and the item it then belongs to.

    >>> copied_rows(np.array([1, 0, 1]), np.array([1, 2]))
    (array([1, 0, 2, 0, 2]), array([0, 1, 1, 2, 2]))
    """
    rows = np.bincount(item, minlength=len(copies))
    original = np.repeat(np.arange(len(copies)), copies)
    copied = np.repeat(np.arange(len(original)), rows[original])
    own = rows[original]
    place = np.arange(len(copied)) - np.repeat(np.cumsum(own) - own, own)
    first = np.cumsum(rows) - rows
    return np.argsort(item, kind="stable")[np.repeat(first[original], own) + place], copied


def copied_names(items: tuple[str, ...], copies: Codes) -> tuple[str, ...]:
    """A name for each item that was put together with others.

    >>> copied_names(("a", "b"), np.array([1, 2]))
    ('a', 'b', 'b (copy 2)')
    """
    return tuple(
        name if copy == 0 else f"{name} (copy {copy + 1})"
        for name, times in zip(items, copies.tolist(), strict=True)
        for copy in range(times)
    )


def check_labels(labels: tuple[str, ...], options: tuple[str, ...], *, error: type[DissensusError]) -> None:
    """Raise unless the labels are the options, in their order, then sets of options, each once."""
    if labels[: len(options)] != options or len(set(labels)) < len(labels):
        raise error("The labels must start with the options, in the same order, and name each label once.")
    known = set(options)
    for label in labels[len(options) :]:
        if not known.issuperset(label.split(SEPARATOR)):
            raise error(f"The label {label!r} is neither an option nor a set of options: add it to them.")


# ---- Items that were drawn with other chances

DRAWN = "inclusion_probability"
"""The chance with which an item was drawn to be rated; each rated item stands for 1 / chance items."""
SAME = 1e-12


def item_weights(ratings: Ratings) -> Floats | None:
    """How much each item counts, 1 on average: the inverse of the chance with which it was drawn; None if all the same.

    Raises RatingsError if some items have no chance, or one that is none.

    >>> from dissensus import read
    >>> rows = [{"item": i, "rater": "r", "label": "a", "inclusion_probability": p} for i, p in ((1, 0.5), (2, 0.25))]
    >>> item_weights(read(rows))
    array([0.66666667, 1.33333333])
    """
    given = ratings.about.get(DRAWN)
    if given is None:
        return None
    weights = 1 / np.array([chance_of(item, given.get(item, "")) for item in ratings.items])
    return None if np.ptp(weights) <= SAME * weights[0] else np.asarray(weights / weights.mean())


def chance_of(item: str, text: str) -> float:
    """The chance with which an item was drawn; RatingsError if there is none, or the text is none."""
    chance = number(text)
    if chance is None or not 0 < chance <= 1:
        what = f"the {DRAWN} {shortened(text)!r}" if text else f"no {DRAWN}"
        raise RatingsError(f"The item {shortened(item)} has {what}: give every item one above 0 and at most 1, or "
                           "leave the column out.")  # fmt: skip
    return chance


def refuse_weights(ratings: Ratings, what: str) -> None:
    """Raise RatingsError if items were drawn with different chances, which this does not weigh."""
    if item_weights(ratings) is not None:
        raise RatingsError(f"{what} counts every item the same, and these items have different chances in the column "
                           f"{DRAWN}: ask `decide`, or leave the column out.")  # fmt: skip


def counted_the_same(ratings: Ratings) -> Ratings:
    """The ratings for a method that has no weights, which says so."""
    if DRAWN not in ratings.about:
        return ratings
    ignored = f"All items count the same here: only `decide` and `equivalence` use the column {DRAWN}."
    about = {name: values for name, values in ratings.about.items() if name != DRAWN}
    return replace(ratings, about=about, warnings=(*ratings.warnings, ignored))
