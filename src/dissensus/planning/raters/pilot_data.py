"""A pilot as numbers: means, variances and sizes of the responses to each item, of people and of two judges."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed
from dissensus.planning.raters.nodes import Floats
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import label_values

FEWEST_ITEMS = 6
"""With five items a two-sided sign-flip test can never reach .05, so nothing can be learnt from them either."""
FEWEST_RATED_TWICE = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Responses:
    """What was said of each item.

    Attributes
    ----------
    size, mean, variance : ndarray of shape (n_items,)
        Number, mean and variance (NaN of a single one) of the responses.
    """

    size: npt.NDArray[np.intp]
    mean: Floats
    variance: Floats

    def at(self, rows: npt.NDArray[np.intp]) -> "Responses":
        """Those of some items."""
        return Responses(size=self.size[rows], mean=self.mean[rows], variance=self.variance[rows])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Responses of people and of the two judges to the items that all three have.

    Attributes
    ----------
    items, names : tuple of str
        Names of the items, and of A and B.
    people, a, b : Responses
        In numbers.
    counts : ndarray of shape (n_items, n_labels), optional
        How many raters gave each label, where labels are steps of a scale and not measurements.
    values : ndarray of shape (n_labels,), optional
        The labels as numbers, where there are counts.
    """

    items: tuple[str, ...]
    people: Responses
    a: Responses
    b: Responses
    names: tuple[str, str]
    counts: npt.NDArray[np.intp] | None = None
    values: Floats | None = None

    @property
    def n_items(self) -> int:
        """How many items all three have."""
        return len(self.items)

    @property
    def is_sampled(self) -> bool:
        """Whether the judges were asked several times about some items."""
        return bool((self.a.size > 1).any() and (self.b.size > 1).any())


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
    values = _numbers(ratings.labels)
    own = [_answers(judges[name]) for name in names]
    shared = [item for item in ratings.items if all(item in found for found in own)]
    if len(shared) < FEWEST_ITEMS:
        raise JudgesError(
            f"The pilot has {counted(len(shared), 'item')} with ratings and answers of both {names[0]} and {names[1]}: "
            f"give at least {FEWEST_ITEMS}, better 50."
        )
    times = np.ones(len(ratings.item)) if ratings.times is None else ratings.times
    everybody = _grouped(ratings.item, values[ratings.label], times, n=ratings.n_items)
    place = {item: i for i, item in enumerate(ratings.items)}
    rows = np.array([place[item] for item in shared])
    people = everybody.at(rows)
    _check_repeats(people)
    is_stepped = ratings.scale != "interval"
    return Pilot(
        items=tuple(shared),
        people=people,
        a=_on(own[0], shared),
        b=_on(own[1], shared),
        names=names,
        counts=ratings.counts()[rows] if is_stepped else None,
        values=values if is_stepped else None,
    )


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


def _numbers(labels: tuple[str, ...]) -> Floats:
    values = label_values(labels)
    words = [label for label, value in zip(labels, values, strict=True) if np.isnan(value)]
    if words:
        raise RatingsError(
            f"Planning from a pilot needs labels that are numbers, and these are words: {listed(words)}. "
            "Recode them as numbers, such as 0 and 1."
        )
    return values


Answers = dict[str, tuple[int, float, float]]
"""Number, mean and variance of a judge's answers, by item."""


def _answers(judge: Judges) -> Answers:
    values = _numbers(judge.labels)
    said = np.where(judge.label >= 0, values[judge.label], np.nan)
    if judge.probability is not None:  # a distribution is worth its mean
        said = np.where(np.isnan(judge.probability).any(axis=1), said, np.nan_to_num(judge.probability) @ values)
    found = _grouped(judge.item, said, np.ones(len(said)), n=len(judge.items))
    rows = zip(found.size.tolist(), found.mean.tolist(), found.variance.tolist(), strict=True)
    return dict(zip(judge.items, rows, strict=True))


def _on(answers: Answers, items: list[str]) -> Responses:
    size, mean, variance = (np.array(column) for column in zip(*(answers[item] for item in items), strict=True))
    return Responses(size=size.astype(np.intp), mean=mean, variance=variance)


def _grouped(item: npt.NDArray[np.intp], value: Floats, times: npt.ArrayLike, *, n: int) -> Responses:
    weight = np.asarray(times, dtype=np.float64)
    size = np.bincount(item, weights=weight, minlength=n)
    mean = np.bincount(item, weights=weight * value, minlength=n) / size
    square = np.bincount(item, weights=weight * (value - mean[item]) ** 2, minlength=n)
    variance = np.where(size > 1, square / np.maximum(size - 1, 1), np.nan)
    return Responses(size=size.astype(np.intp), mean=mean, variance=variance)
