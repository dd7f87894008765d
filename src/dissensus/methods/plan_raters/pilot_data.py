"""A pilot in arrays: what people and two judges said of each item."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Aligned, Responses, about_order, align, label_numbers, other_scale, rows_among
from dissensus.data.coding import position_in_item
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed

FEWEST_ITEMS = 6
"""With five items a two-sided sign-flip test can never reach .05, so nothing can be learnt from them either."""
FEWEST_RATED_TWICE = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """Responses to each item, in numbers.

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
    people, a, b : Summary
        In numbers.
    codes : ndarray of shape (n_items, most)
        The label that each rater of an item gave, as its place in `aligned.labels`; -1 where an item has fewer ratings.
    aligned : Aligned
        The same response by response.
    warnings : tuple of str
        What is to be known of the labels.
    """

    items: tuple[str, ...]
    names: tuple[str, str]
    people: Summary
    a: Summary
    b: Summary
    codes: Codes
    aligned: Aligned
    warnings: tuple[str, ...] = ()

    @property
    def n_items(self) -> int:
        """How many items all three have."""
        return len(self.items)

    @property
    def answers(self) -> tuple[Responses, Responses]:
        """Of A and of B."""
        return self.aligned.judges[self.names[0]], self.aligned.judges[self.names[1]]

    @property
    def is_sampled(self) -> bool:
        """Whether the judges were asked several times about some items."""
        return bool((self.a.size > 1).any() and (self.b.size > 1).any())

    @property
    def is_measured(self) -> bool:
        """Whether ratings are measurements, and not labels of which there are a few."""
        return self.aligned.scale == "interval" and self.aligned.has_numbers

    def counts(self) -> Codes:
        """How many raters gave each label, of shape (n_items, n_labels)."""
        item, place = np.nonzero(self.codes >= 0)
        width = len(self.aligned.labels)
        cell = item * width + self.codes[item, place]
        return np.bincount(cell, minlength=self.n_items * width).reshape(self.n_items, width)

    def rating_values(self) -> Floats:
        """Each rating as a number, of shape (n_items, most); NaN where there is none."""
        return np.where(self.codes >= 0, self.aligned.values[self.codes], np.nan)

    def answer_values(self) -> tuple[Floats, Floats]:
        """Each answer of A and of B as the mean of its distribution, of shape (n_items, most); NaN if there is none."""
        a, b = (_numbers(own) for own in self.answers)
        return a, b


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
    labels = ratings.labels
    if not np.isfinite(label_numbers(ratings)).all():  # numbers of judges stand for themselves, words need a place
        labels = tuple(dict.fromkeys([*labels, *judges.labels]))
    kept = ratings.where(np.isin(ratings.item, rows_among(shared, ratings.items)))
    aligned = align(kept, judges.only(names), labels=labels)
    codes = _codes(kept)
    first, second = (aligned.judges[name] for name in names)
    pilot = Pilot(
        items=shared,
        names=names,
        people=_summary(np.where(codes >= 0, aligned.values[codes], np.nan), (codes >= 0).sum(axis=1)),
        a=_summary(_numbers(first), first.sizes),
        b=_summary(_numbers(second), second.sizes),
        codes=codes,
        aligned=aligned,
        warnings=tuple(about_order(ratings)) if aligned.has_numbers else (),
    )
    _check_repeats(pilot.people)
    return pilot


def _codes(ratings: Ratings) -> Codes:
    """The labels given to each item, of shape (n_items, most), -1 where there are fewer."""
    item, label = ratings.item, ratings.label
    if ratings.times is not None:
        item, label = np.repeat(item, ratings.times), np.repeat(label, ratings.times)
    order = np.argsort(item, kind="stable")
    item, label = item[order], label[order]
    position = position_in_item(item)
    codes = np.full((ratings.n_items, int(position.max()) + 1), -1, dtype=np.intp)
    codes[item, position] = label
    return codes


def _numbers(answers: Responses) -> Floats:
    means = answers.filled(np.zeros_like(answers.item), 1, by_value=True)[:, :, 0]
    return np.where(np.arange(means.shape[1]) < answers.sizes[:, None], means, np.nan)


def _summary(values: Floats, size: Codes | Floats) -> Summary:
    """Of values of shape (n_items, most), of which the first `size` count."""
    is_there = np.arange(values.shape[1]) < size[:, None]
    mean = np.where(is_there, values, 0).sum(axis=1) / size
    square = np.where(is_there, (values - mean[:, None]) ** 2, 0).sum(axis=1)
    variance = np.where(size > 1, square / np.maximum(size - 1, 1), np.nan)
    return Summary(size=np.asarray(size, dtype=np.intp), mean=mean, variance=variance)


def _check_repeats(people: Summary) -> None:
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


def check_metric(pilot: Pilot, metric: str) -> None:
    """Raise where the metric needs what the pilot's labels are not; the same rules as those of `compare`."""
    aligned = pilot.aligned
    if not aligned.has_numbers:
        if metric in {"mae", "emd-binned"}:
            raise OptionError(
                f"--metric {metric} needs numbers, but the pilot's labels are {listed(aligned.labels)}, on a "
                f"{aligned.scale} scale: choose --metric wins or emd, which compare shares of labels, or recode the "
                "labels as numbers."
            )
        return
    for name in pilot.names:
        if not np.isfinite(aligned.judges[name].value).all():
            raise OptionError(
                f"--metric {metric} needs numbers, but the judge {name} gave other labels: recode its answers."
            )
        reason = other_scale(aligned, name)
        if reason is not None:
            raise OptionError(
                f"--metric {metric} compares answers with labels, but {name} is on another scale: {reason}. Put its "
                "answers on the raters' scale; without that only `compare --metric spearman` makes sense, and there "
                "is no plan for it."
            )
