"""A pilot in arrays: what people and two judges said of each item."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_answers import (
    Answers,
    Codes,
    LabelSpace,
    answers_of,
    label_space,
)
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import position_in_item
from dissensus.ratings.labels import Scale

FEWEST_ITEMS = 6
"""With five items a two-sided sign-flip test can never reach .05, so nothing can be learnt from them either."""
FEWEST_RATED_TWICE = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Responses:
    """What was said of each item, in numbers.

    Attributes
    ----------
    size, mean, variance : ndarray of shape (n_items,)
        Number, mean and variance (NaN of a single one) of the responses; NaN too where labels are words.
    """

    size: npt.NDArray[np.intp]
    mean: Floats
    variance: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Responses of people and of the two judges to the items that all three have.

    Attributes
    ----------
    items, names : tuple of str
        Names of the items, and of A and B.
    people, a, b : Responses
        In numbers.
    codes : ndarray of shape (n_items, most)
        The label that each rater of an item gave, as its place in `space`; -1 where an item has fewer ratings.
    answers : tuple of Answers
        Of A and of B.
    space : LabelSpace
        The labels.
    scale : str
        Of the ratings.
    warnings : tuple of str
        What is to be known of the labels.
    """

    items: tuple[str, ...]
    names: tuple[str, str]
    people: Responses
    a: Responses
    b: Responses
    codes: Codes
    answers: tuple[Answers, Answers]
    space: LabelSpace
    scale: Scale
    warnings: tuple[str, ...] = ()

    @property
    def n_items(self) -> int:
        """How many items all three have."""
        return len(self.items)

    @property
    def is_sampled(self) -> bool:
        """Whether the judges were asked several times about some items."""
        return bool((self.a.size > 1).any() and (self.b.size > 1).any())

    @property
    def is_measured(self) -> bool:
        """Whether ratings are measurements, and not labels of which there are a few."""
        return self.scale == "interval" and self.space.has_numbers

    def counts(self) -> Codes:
        """How many raters gave each label, of shape (n_items, n_labels)."""
        item, place = np.nonzero(self.codes >= 0)
        width = len(self.space.labels)
        cell = item * width + self.codes[item, place]
        return np.bincount(cell, minlength=self.n_items * width).reshape(self.n_items, width)

    def rating_values(self) -> Floats:
        """Each rating as a number, of shape (n_items, most); NaN where there is none."""
        return np.where(self.codes >= 0, self.space.values[self.codes], np.nan)


def pilot_of(ratings: Ratings, judges: Judges, *, a: str | None = None, b: str | None = None) -> Pilot:
    """The pilot in files; an error says why it cannot serve.

    Parameters
    ----------
    ratings, judges
        The data.
    a, b : str, optional
        The judges to compare; may be left out if there are just two.
    """
    names = _two(judges, a, b)
    own = [judges[name] for name in names]
    answered = [set(judge.items) for judge in own]
    shared = tuple(item for item in ratings.items if all(item in items for items in answered))
    if len(shared) < FEWEST_ITEMS:
        raise JudgesError(
            f"The pilot has {counted(len(shared), 'item')} with ratings and answers of both {names[0]} and {names[1]}: "
            f"give at least {FEWEST_ITEMS}, better 50."
        )
    space = label_space(ratings, judges)
    codes = _codes(ratings, shared)
    first, second = (answers_of(judge, space, shared, ratings) for judge in own)
    pilot = Pilot(
        items=shared,
        names=names,
        people=_summary(np.where(codes >= 0, space.values[codes], np.nan), (codes >= 0).sum(axis=1)),
        a=_summary(first.numbers(), first.size),
        b=_summary(second.numbers(), second.size),
        codes=codes,
        answers=(first, second),
        space=space,
        scale=ratings.scale,
        warnings=_order_note(ratings, space),
    )
    _check_repeats(pilot.people)
    return pilot


def _codes(ratings: Ratings, items: tuple[str, ...]) -> Codes:
    """The labels given to these items, of shape (n_items, most), -1 where there are fewer."""
    place = {item: i for i, item in enumerate(items)}
    rows = np.array([place.get(item, -1) for item in ratings.items], dtype=np.intp)
    item, label = rows[ratings.item], ratings.label
    if ratings.times is not None:
        item, label = np.repeat(item, ratings.times), np.repeat(label, ratings.times)
    order = np.argsort(item, kind="stable")
    order = order[item[order] >= 0]
    item, label = item[order], label[order]
    position = position_in_item(item)
    codes = np.full((len(items), int(position.max()) + 1), -1, dtype=np.intp)
    codes[item, position] = label
    return codes


def _summary(values: Floats, size: Codes) -> Responses:
    """Of values of shape (n_items, most), of which the first `size` count."""
    is_there = np.arange(values.shape[1]) < size[:, None]
    mean = np.where(is_there, values, 0).sum(axis=1) / size
    square = np.where(is_there, (values - mean[:, None]) ** 2, 0).sum(axis=1)
    variance = np.where(size > 1, square / np.maximum(size - 1, 1), np.nan)
    return Responses(size=np.asarray(size, dtype=np.intp), mean=mean, variance=variance)


def _order_note(ratings: Ratings, space: LabelSpace) -> tuple[str, ...]:
    if not space.has_numbers or np.isfinite(ratings.values).all() or len(ratings.labels) <= 2:  # noqa: PLR2004 - one step
        return ()
    return (f"The labels are words in an order: they count 0 ({ratings.labels[0]}), 1, 2, and so on.",)


def _check_repeats(people: Responses) -> None:
    twice = int(np.sum(people.size > 1))
    if twice < FEWEST_RATED_TWICE:
        raise RatingsError(
            f"The pilot cannot tell how far raters disagree: {twice} of its {counted(len(people.size), 'item')} have "
            "two or more ratings. Have a few items rated by several raters, or plan without a pilot."
        )


def _two(judges: Judges, a: str | None, b: str | None) -> tuple[str, str]:
    if a is None and b is None and len(judges.judges) == 2:  # noqa: PLR2004 - A and B
        return judges.judges[0], judges.judges[1]
    if a is None or b is None:
        raise OptionError(f"Name the two judges to compare with --a and --b: the judges are {listed(judges.judges)}.")
    if a == b:
        raise OptionError(f"--a and --b are both {a}: name two different judges.")
    for name in (a, b):
        judges[name]  # raises for an unknown judge
    return a, b
