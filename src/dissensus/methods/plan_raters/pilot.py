"""A pilot: what people and two judges answered to each item, as vectors, and how far responses spread.

Vectors are such that what a metric compares are means of them, as in `compare`:

- values: the response as a number (the mean of its distribution), for wins and MAE;
- half-shares: half of its share of each label, for labels that are words: absolute differences add up to the total
  variation distance;
- steps: its distribution function between the answers that an item got, times the gaps between them: absolute
  differences add up to the earth mover's distance;
- bins: its share of each of five bins between the lowest and the highest label.

Variances are shrunk towards those of the other items, but by the nonparametric maximum likelihood: drawing all of them
towards their mean would lift the smallest, and items that raters agree on tell most about the judges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.arrays import Codes, Floats
from dissensus.data import Judges, Ratings
from dissensus.data.align import Aligned, Responses, about_order, align, asked_in_one_way, label_numbers, other_scale
from dissensus.data.coding import position_in_item, rows_among
from dissensus.errors import JudgesError, OptionError, RatingsError, counted, listed, named
from dissensus.methods.plan_raters.designs import BINS
from dissensus.methods.plan_raters.result import FEWEST_ITEMS

FEWEST_RATED_TWICE = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """Responses to each item, in numbers."""

    # (n_items,): number, mean and variance (NaN of a single one) of the responses; NaN too where labels are words
    size: npt.NDArray[np.intp]
    mean: Floats  # (n_items,)
    variance: Floats  # (n_items,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """Responses of people and of the two judges to the items that all three have."""

    items: tuple[str, ...]  # names of the items, and of A and B
    names: tuple[str, str]
    people: Summary  # in numbers
    a: Summary
    b: Summary
    # (n_items, most): the label that each rater of an item gave, as its place in `aligned.labels`; -1 where an item
    # has fewer ratings
    codes: Codes
    aligned: Aligned  # the same response by response
    ratings: Ratings  # people's, of these items
    warnings: tuple[str, ...] = ()  # what is to be known of the labels

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

    def means_of(self, vectors: Sequence[Floats]) -> list[Floats]:
        """Mean of the vectors of A's answers, and of B's, to each item, of shape (n_items, n_coordinates)."""
        return [own.sum(axis=1) / answers.sizes[:, None] for own, answers in zip(vectors, self.answers, strict=True)]

    def answer_values(self) -> tuple[Floats, Floats]:
        """Each answer of A and of B as the mean of its distribution, of shape (n_items, most); NaN if there is none."""
        a, b = (_numbers(own) for own in self.answers)
        return a, b


def pilot_of(ratings: Ratings, judges: Judges, *, a: str | None = None, b: str | None = None) -> Pilot:
    """The pilot in files; an error says why it cannot serve. The judges may be left out if there are just two."""
    names = _names_of(judges, a, b)
    ratings, left_out = asked_in_one_way(ratings, judges, None)
    answered = [set(judges[name].items) for name in names]
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
        items=shared, names=names,
        people=_summary(np.where(codes >= 0, aligned.values[codes], np.nan), (codes >= 0).sum(axis=1)),
        a=_summary(_numbers(first), first.sizes), b=_summary(_numbers(second), second.sizes), codes=codes,
        aligned=aligned, ratings=kept,
        warnings=(*ratings.warnings, *judges.warnings, *left_out, *(about_order(ratings) * aligned.has_numbers)),
    )  # fmt: skip
    _check_repeats(pilot.people)
    return pilot


def _codes(ratings: Ratings) -> Codes:
    """The labels given to each item, of shape (n_items, most), in order, -1 where there are fewer.

    In order, so that the rows of a file may stand in any.
    """
    item, label = ratings.item, ratings.label
    if ratings.times is not None:
        item, label = np.repeat(item, ratings.times), np.repeat(label, ratings.times)
    order = np.lexsort((label, item))
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


def _names_of(judges: Judges, a: str | None, b: str | None) -> tuple[str, str]:
    if a is None and b is None and len(judges.judges) == 2:  # noqa: PLR2004 - A and B
        return judges.judges[0], judges.judges[1]
    both = f"{named('a')} and {named('b')}"
    if a is None or b is None:
        raise OptionError(f"Name the two judges to compare with {both}: the judges are {listed(judges.judges)}.")
    if a == b:
        raise OptionError(f"{both} are both {a}: name two different judges.")
    for name in (a, b):
        judges[name]  # raises for an unknown judge
    return a, b


def check_metric(pilot: Pilot, metric: str) -> None:
    """Raise where the metric needs what the pilot's labels are not; the same rules as those of `compare`."""
    aligned, this = pilot.aligned, f"{named('metric')} {metric}"
    if metric == "information":
        return
    if not aligned.has_numbers:
        if metric in {"mae", "emd-binned"}:
            raise OptionError(
                f"{this} needs numbers, but the pilot's labels are {listed(aligned.labels)}, on a {aligned.scale} "
                f"scale: choose {named('metric')} wins or emd, which compare shares of labels, or recode the labels as "
                "numbers."
            )
        return
    for name in pilot.names:
        if not np.isfinite(aligned.judges[name].value).all():
            raise OptionError(f"{this} needs numbers, but the judge {name} gave other labels: recode its answers.")
        reason = other_scale(aligned, name)
        if reason is not None:
            raise OptionError(
                f"{this} compares answers with labels, but {name} is on another scale: {reason}. Put its answers on "
                f"the raters' scale; without that only `compare {named('metric')} spearman` makes sense, and there is "
                "no plan for it."
            )


# ---- Responses as vectors


class Vectors(NamedTuple):
    """What each response is as a vector."""

    people: Floats  # (n_items or 1, n_labels, n_coordinates): A rating with each label
    judges: tuple[Floats, Floats]  # (n_items, most, n_coordinates): each answer of A, and of B; 0 where there is none
    # whether the coordinates are sorted before they are compared, as the paper's tool does with its bins
    is_sorted: bool = False


def vectors_of(pilot: Pilot, metric: str) -> Vectors:
    """The responses to a pilot as vectors for this metric."""
    if not pilot.aligned.has_numbers:
        n_labels = len(pilot.aligned.labels)
        a, b = (answers.filled(answers.place, n_labels) / 2 for answers in pilot.answers)
        return Vectors(np.eye(n_labels)[None] / 2, (a, b))
    values = pilot.aligned.values
    if metric == "emd":
        return _steps(pilot, values)
    if metric == "emd-binned":
        bounds = float(values.min()), float(values.max())
        a, b = (answers.filled(bins_of(answers.value, bounds), BINS + 1)[..., :BINS] for answers in pilot.answers)
        return Vectors(np.eye(BINS + 1)[None, bins_of(values, bounds), :BINS], (a, b), is_sorted=True)
    a, b = (np.nan_to_num(values)[:, :, None] for values in pilot.answer_values())
    return Vectors(values[None, :, None], (a, b))


def label_shares(pilot: Pilot) -> list[Floats]:
    """Each judge's share of each label, of shape (n_items, n_labels); a number between two labels is some of each."""
    n_labels = len(pilot.aligned.labels)
    if not pilot.aligned.has_numbers:
        return [
            answers.filled(answers.place, n_labels).sum(axis=1) / answers.sizes[:, None] for answers in pilot.answers
        ]
    order = np.argsort(pilot.aligned.values)
    values = pilot.aligned.values[order]
    shares_of_judges = []
    for answers in pilot.answers:
        place = np.interp(answers.value, values, np.arange(len(values)))
        low = np.minimum(place.astype(np.intp), max(len(values) - 2, 0))
        high = np.minimum(low + 1, len(values) - 1)
        shares = np.zeros((pilot.n_items, n_labels))
        np.add.at(shares, (answers.item, order[low]), answers.share * (1 - (place - low)))
        np.add.at(shares, (answers.item, order[high]), answers.share * (place - low))
        shares_of_judges.append(shares / answers.sizes[:, None])
    return shares_of_judges


def bins_of(values: Floats, bounds: tuple[float, float]) -> Codes:
    """The bin of each value; one more bin takes what lies outside.

    >>> bins_of(np.array([0.0, 0.5, 1.0, 1.2]), (0.0, 1.0)).tolist()
    [0, 2, 4, 5]
    """
    low, high = bounds
    bins = np.floor((values - low) / (high - low) * BINS) if high > low else np.zeros_like(values)
    bins = np.where(values == high, BINS - 1, bins)
    return np.where((bins < 0) | (bins >= BINS), BINS, bins).astype(np.intp)


def _steps(pilot: Pilot, values: Floats) -> Vectors:
    grid = _grid(pilot, values)
    gaps = np.diff(grid, axis=1)
    people = (values[None, :, None] <= grid[:, None, :-1]) * gaps[:, None, :]
    a, b = (_stepped(answers, grid, gaps) for answers in pilot.answers)
    return Vectors(people, (a, b))


def _grid(pilot: Pilot, values: Floats) -> Floats:
    """Every label and every answer of the judges to an item, in order; a value that stands twice does no harm."""
    columns = [np.broadcast_to(values, (pilot.n_items, len(values)))]
    for answers in pilot.answers:
        between = np.flatnonzero(~np.isin(answers.value, values))
        between = between[np.argsort(answers.item[between], kind="stable")]
        item = answers.item[between]
        place = np.arange(len(item)) - np.searchsorted(item, item)
        more = np.full((pilot.n_items, int(place.max(initial=-1)) + 1), values.min())
        more[item, place] = answers.value[between]
        columns.append(more)
    return np.sort(np.concatenate(columns, axis=1), axis=1)


def _stepped(answers: Responses, grid: Floats, gaps: Floats) -> Floats:
    """Each answer's distribution function on the grid, times the gaps."""
    below = np.zeros((*answers.times.shape, gaps.shape[1]))
    rows = answers.share[:, None] * (answers.value[:, None] <= grid[answers.item, :-1])
    np.add.at(below, (answers.item, answers.response), rows)
    return np.asarray(below * gaps[:, None, :])


def gap(people: Floats, a: Floats, b: Floats, *, is_sorted: bool) -> Floats:
    """By how much B is farther from people than A, from mean vectors of shape (..., n_coordinates).

    Equal distances come out as exactly equal, whatever the rounding.
    """
    if is_sorted:
        people, a, b = (np.sort(each, axis=-1) for each in (people, a, b))
    far_a, far_b = (np.abs(each - people).sum(axis=-1) for each in (a, b))
    apart = far_b - far_a
    is_tie = np.abs(apart) <= TIE * np.maximum(1, np.maximum(far_a, far_b))
    return np.asarray(np.where(is_tie, 0.0, apart))


TIE = 1e-9  # distances that differ by less, relative to their size, are equal: they differ by rounding only


# ---- How far responses to each item spread: what a few responses leave open of each item's variance

CLASSES = 12
EM_STEPS = 200
SMALLEST_SHARE = 1e-3  # the smallest variance considered, as a share of the mean
DRAWS = 6  # an item's variances are represented by this many equally likely pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spreads:
    """Equally likely variances of one response, of shape (n_items, DRAWS), of people and of a judge."""

    people: Floats
    machine: Floats


def spreads_of(pilot: Pilot) -> Spreads:
    """What the pilot's data leave open of each item's variances."""
    people, machine = pilot.people, _pooled_variances(pilot)
    people_classes, machine_classes = _classes(people), _classes(machine)
    fit = _log_likelihood(people, people_classes)[:, :, None] + _log_likelihood(machine, machine_classes)[:, None, :]
    open_to = mixture_posterior(fit.reshape(len(fit), -1))
    place = _systematic(open_to)
    return Spreads(
        people=people_classes[place // len(machine_classes)], machine=machine_classes[place % len(machine_classes)]
    )


def mixture_posterior(log_likelihood: Floats) -> Floats:
    """Probability of each class for each item, the classes' shares being those that fit all items best (by EM)."""
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    share = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(EM_STEPS):
        joint = likelihood * share
        share = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    joint = likelihood * share
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def _pooled_variances(pilot: Pilot) -> Summary:
    """The two judges' variances as one, each judge having its own mean; none if a judge was asked once."""
    df_a, df_b = pilot.a.size - 1, pilot.b.size - 1
    df = df_a + df_b if pilot.is_sampled else np.zeros_like(df_a)
    squares = df_a * np.nan_to_num(pilot.a.variance) + df_b * np.nan_to_num(pilot.b.variance)
    return Summary(size=df + 1, mean=pilot.a.mean, variance=squares / np.maximum(df, 1))


def _classes(responses: Summary) -> Floats:
    df = responses.size - 1
    own = np.nan_to_num(responses.variance)[df > 0]
    mean = float(np.average(own, weights=df[df > 0])) if own.size else 0.0
    if mean == 0:
        return np.zeros(1)
    return np.geomspace(SMALLEST_SHARE * mean, max(float(own.max()), 2 * mean), CLASSES)


def _log_likelihood(responses: Summary, classes: Floats) -> Floats:
    """Of normal responses, up to a constant, of shape (n_items, n_classes)."""
    if len(classes) == 1:
        return np.zeros((len(responses.size), 1))
    df = (responses.size - 1)[:, None]
    return np.asarray(-df / 2 * (np.log(classes) + np.nan_to_num(responses.variance)[:, None] / classes))


def _systematic(probability: Floats) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """Classes at evenly spaced places of each row's distribution."""
    below = np.cumsum(probability, axis=1)
    places = (np.arange(DRAWS) + 0.5) / DRAWS * below[:, -1:]
    return np.asarray((below[:, None, :] < places[:, :, None]).sum(axis=2), dtype=np.intp)
