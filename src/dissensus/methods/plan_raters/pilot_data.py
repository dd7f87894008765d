"""A pilot in arrays: what people and two judges said of each item."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.coding import position_in_item
from dissensus.data.labels import Scale, label_values
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed

# ---- What two judges answered to a pilot's items: answer by answer, each a label or a distribution over labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The answers of one judge, as entries: one for each label with a share in an answer.

    Attributes
    ----------
    size : ndarray of shape (n_items,)
        How many answers each item got.
    item, answer : ndarray of shape (n_entries,)
        The item, and the how-manieth of its answers, from 0.
    place : ndarray of shape (n_entries,)
        The label, as its place in the label space; of no meaning where labels are numbers.
    value, share : ndarray of shape (n_entries,)
        The label as a number, NaN for a word without one; and its share of the answer.
    """

    size: Codes
    item: Codes
    answer: Codes
    place: Codes
    value: Floats
    share: Floats

    def filled(self, column: Codes, n_columns: int, *, by_value: bool = False) -> Floats:
        """Sum of the shares, or of share times value, by column, of shape (n_items, most, n_columns)."""
        n, most = len(self.size), int(self.size.max())
        cell = (self.item * most + self.answer) * n_columns + column
        weights = self.share * self.value if by_value else self.share
        sums = np.bincount(cell, weights=weights, minlength=n * most * n_columns).astype(np.float64)
        return sums.reshape(n, most, n_columns)

    def numbers(self) -> Floats:
        """Each answer as a number, the mean of its distribution, of shape (n_items, most); NaN where there is none."""
        means = self.filled(np.zeros_like(self.item), 1, by_value=True)[:, :, 0]
        return np.where(np.arange(means.shape[1]) < self.size[:, None], means, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelSpace:
    """The labels of raters and judges.

    Attributes
    ----------
    labels : tuple of str
        Those of the raters, then words that only judges have.
    values : ndarray of shape (n_labels of the raters,)
        As numbers; NaN where they are words without an order.
    """

    labels: tuple[str, ...]
    values: Floats

    @property
    def has_numbers(self) -> bool:
        """Whether the raters' labels are numbers, or words in an order that was given."""
        return bool(np.isfinite(self.values).all())


def label_space(ratings: Ratings, judges: Judges) -> LabelSpace:
    """The labels; words in a given order count 0, 1, 2, and so on."""
    values = ratings.values
    if ratings.scale == "nominal":
        values = np.full(len(values), np.nan)
    elif np.isnan(values).any() and not ratings.has_response_sets:
        values = np.arange(len(values), dtype=np.float64)
    known = set(ratings.labels)
    # Numbers that only judges gave stand for themselves; words need a place of their own.
    strange = () if np.isfinite(values).all() else tuple(own for own in judges.labels if own not in known)
    return LabelSpace(labels=(*ratings.labels, *strange), values=values)


def answers_of(judge: Judges, space: LabelSpace, items: tuple[str, ...], ratings: Ratings) -> Answers:
    """What one judge answered to these items.

    Parameters
    ----------
    judge : Judges
        With this judge alone.
    space : LabelSpace
        The labels.
    items : tuple of str
        Those of the pilot, in order.
    ratings : Ratings
        Whose labels say whether others are numbers too.
    """
    row = {item: i for i, item in enumerate(items)}
    rows = np.array([row.get(item, -1) for item in judge.items], dtype=np.intp)
    own = np.flatnonzero(rows[judge.item] >= 0)
    own = own[np.lexsort((judge.sample[own], rows[judge.item[own]]))]
    item = rows[judge.item[own]]
    shares = _shares(judge, own)
    answer, label = np.nonzero(shares)
    place = {name: i for i, name in enumerate(space.labels)}
    places = np.array([place.get(name, 0) for name in judge.labels], dtype=np.intp)
    return Answers(
        size=np.bincount(item, minlength=len(items)),
        item=item[answer],
        answer=position_in_item(item)[answer],
        place=places[label],
        value=_values(judge, space, ratings)[label],
        share=shares[answer, label],
    )


def _shares(judge: Judges, own: Codes) -> Floats:
    shares = np.zeros((len(own), len(judge.labels)))
    is_bare: npt.NDArray[np.bool_] = np.ones(len(own), dtype=np.bool_)
    if judge.probability is not None:
        is_bare = np.asarray(np.isnan(judge.probability[own]).any(axis=1))
        shares[~is_bare] = judge.probability[own[~is_bare]]
    shares[is_bare, judge.label[own[is_bare]]] = 1
    return shares


def _values(judge: Judges, space: LabelSpace, ratings: Ratings) -> Floats:
    """A judge's labels as numbers: those of the raters, or what they say."""
    own = label_values(judge.labels)
    if not np.isfinite(ratings.values).all() or not space.has_numbers:
        own = np.full(len(judge.labels), np.nan)
    known = dict(zip(ratings.labels, space.values, strict=True))
    return np.array([known.get(label, number) for label, number in zip(judge.labels, own, strict=True)])


# ---- A pilot in arrays: what people and two judges said of each item

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


MOST_OUTSIDE = 0.05
"""Share of a judge's answers that may lie outside the raters' labels."""
USUAL = 0.95
"""Share of the ratings that must surround the middle answer of a judge on an interval scale."""


def check_metric(pilot: Pilot, metric: str) -> None:
    """Raise where the metric needs what the pilot's labels are not; the same rules as those of `compare`."""
    space = pilot.space
    if not space.has_numbers:
        if metric in {"mae", "emd-binned"}:
            raise OptionError(
                f"--metric {metric} needs numbers, but the pilot's labels are {listed(space.labels)}, on a "
                f"{pilot.scale} scale: choose --metric wins or emd, which compare shares of labels, or recode the "
                "labels as numbers."
            )
        return
    for name, said in zip(pilot.names, pilot.answers, strict=True):
        if not np.isfinite(said.value).all():
            raise OptionError(
                f"--metric {metric} needs numbers, but the judge {name} gave other labels: recode its answers."
            )
        reason = other_scale(pilot, said)
        if reason is not None:
            raise OptionError(
                f"--metric {metric} compares answers with labels, but {name} is on another scale: {reason}. Put its "
                "answers on the raters' scale; without that only `compare --metric spearman` makes sense, and there "
                "is no plan for it."
            )


def other_scale(pilot: Pilot, said: Answers) -> str | None:
    """Why a judge's numbers cannot be on the raters' scale; None if they can.

    On the scale are the numbers between the lowest and the highest label; on an ordinal scale one step further too,
    since a label may exist that no rater gave. The middle answer of a judge that measures lies where raters' do.
    """
    labels = np.unique(pilot.space.values)
    low, high = labels[[0, -1]]
    step = float(np.diff(labels).max(initial=0)) if pilot.scale == "ordinal" else 0.0
    values: Floats = said.value
    outside = float(np.mean((values < low - step) | (values > high + step)))
    middle = float(np.median(values))
    if outside > MOST_OUTSIDE or not low <= middle <= high:
        return f"its answers run from {values.min():g} to {values.max():g}, the raters' labels from {low:g} to {high:g}"
    if pilot.scale == "interval":
        first, last = np.nanquantile(pilot.rating_values(), [(1 - USUAL) / 2, (1 + USUAL) / 2])
        if not first <= middle <= last:
            return f"its middle answer is {middle:g}, but {USUAL:.0%} of the ratings lie from {first:g} to {last:g}"
    return None
