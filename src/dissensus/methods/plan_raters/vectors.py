"""Responses as vectors, such that what a metric compares are means of vectors, as in `compare`.

- values: the response as a number (the mean of its distribution), for wins and MAE;
- half-shares: half of its share of each label, for labels that are words: absolute differences add up to the total
  variation distance;
- steps: its distribution function between the answers that an item got, times the gaps between them: absolute
  differences add up to the earth mover's distance;
- bins: its share of each of five bins between the lowest and the highest label.

Variances are shrunk towards those of the other items, but by the nonparametric maximum likelihood: drawing all of them
towards their mean would lift the smallest, and items that raters agree on tell most about the judges.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dissensus.arrays import Codes, Floats
from dissensus.data.align import Responses
from dissensus.methods.plan_raters.pilot_data import Pilot, Summary
from dissensus.methods.plan_raters.simulated import BINS

# ---- Responses as vectors, such that what a metric compares are means of vectors, as in `compare`


class Vectors(NamedTuple):
    """What each response is as a vector.

    Attributes
    ----------
    people : ndarray of shape (n_items or 1, n_labels, n_coordinates)
        A rating with each label.
    judges : tuple of two ndarrays of shape (n_items, most, n_coordinates)
        Each answer of A, and of B; 0 where there is none.
    is_sorted : bool
        Whether the coordinates are sorted before they are compared, as the paper's tool does with its bins.
    """

    people: Floats
    judges: tuple[Floats, Floats]
    is_sorted: bool = False


def vectors_of(pilot: Pilot, metric: str) -> Vectors:
    """The responses to a pilot as vectors for this metric."""
    if not pilot.aligned.has_numbers:
        n_labels = len(pilot.aligned.labels)
        a, b = (said.filled(said.place, n_labels) / 2 for said in pilot.answers)
        return Vectors(np.eye(n_labels)[None] / 2, (a, b))
    values = pilot.aligned.values
    if metric == "emd":
        return _steps(pilot, values)
    if metric == "emd-binned":
        bounds = float(values.min()), float(values.max())
        a, b = (said.filled(bins_of(said.value, bounds), BINS + 1)[..., :BINS] for said in pilot.answers)
        return Vectors(np.eye(BINS + 1)[None, bins_of(values, bounds), :BINS], (a, b), is_sorted=True)
    a, b = (np.nan_to_num(values)[:, :, None] for values in pilot.answer_values())
    return Vectors(values[None, :, None], (a, b))


def label_shares(pilot: Pilot) -> list[Floats]:
    """Each judge's share of each label, of shape (n_items, n_labels); a number between two labels is some of each."""
    n_labels = len(pilot.aligned.labels)
    if not pilot.aligned.has_numbers:
        return [said.filled(said.place, n_labels).sum(axis=1) / said.sizes[:, None] for said in pilot.answers]
    order = np.argsort(pilot.aligned.values)
    values = pilot.aligned.values[order]
    found = []
    for said in pilot.answers:
        place = np.interp(said.value, values, np.arange(len(values)))
        low = np.minimum(place.astype(np.intp), max(len(values) - 2, 0))
        high = np.minimum(low + 1, len(values) - 1)
        shares = np.zeros((pilot.n_items, n_labels))
        np.add.at(shares, (said.item, order[low]), said.share * (1 - (place - low)))
        np.add.at(shares, (said.item, order[high]), said.share * (place - low))
        found.append(shares / said.sizes[:, None])
    return found


def bins_of(values: Floats, bounds: tuple[float, float]) -> Codes:
    """The bin of each value; one more bin takes what lies outside.

    Examples
    --------
    >>> bins_of(np.array([0.0, 0.5, 1.0, 1.2]), (0.0, 1.0)).tolist()
    [0, 2, 4, 5]
    """
    low, high = bounds
    found = np.floor((values - low) / (high - low) * BINS) if high > low else np.zeros_like(values)
    found = np.where(values == high, BINS - 1, found)
    return np.where((found < 0) | (found >= BINS), BINS, found).astype(np.intp)


def _steps(pilot: Pilot, values: Floats) -> Vectors:
    grid = _grid(pilot, values)
    gaps = np.diff(grid, axis=1)
    people = (values[None, :, None] <= grid[:, None, :-1]) * gaps[:, None, :]
    a, b = (_stepped(said, grid, gaps) for said in pilot.answers)
    return Vectors(people, (a, b))


def _grid(pilot: Pilot, values: Floats) -> Floats:
    """Every label and every answer of the judges to an item, in order; a value that stands twice does no harm."""
    columns = [np.broadcast_to(values, (pilot.n_items, len(values)))]
    for said in pilot.answers:
        between = np.flatnonzero(~np.isin(said.value, values))
        between = between[np.argsort(said.item[between], kind="stable")]
        item = said.item[between]
        place = np.arange(len(item)) - np.searchsorted(item, item)
        more = np.full((pilot.n_items, int(place.max(initial=-1)) + 1), values.min())
        more[item, place] = said.value[between]
        columns.append(more)
    return np.sort(np.concatenate(columns, axis=1), axis=1)


def _stepped(said: Responses, grid: Floats, gaps: Floats) -> Floats:
    """Each answer's distribution function on the grid, times the gaps."""
    below = np.zeros((*said.times.shape, gaps.shape[1]))
    rows = said.share[:, None] * (said.value[:, None] <= grid[said.item, :-1])
    np.add.at(below, (said.item, said.response), rows)
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


TIE = 1e-9
"""Distances that differ by less, relative to their size, are equal: they differ by rounding only."""


# ---- How far responses to each item spread: what a few responses leave open of each item's variance

CLASSES = 12
EM_STEPS = 200
SMALLEST_SHARE = 1e-3
"""The smallest variance considered, as a share of the mean."""
DRAWS = 6
"""An item's variances are represented by so many equally likely pairs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spreads:
    """Equally likely variances of one response, of shape (n_items, DRAWS), of people and of a judge."""

    people: Floats
    machine: Floats


def spreads_of(pilot: Pilot) -> Spreads:
    """What the pilot's data leave open of each item's variances."""
    people, machine = pilot.people, _both(pilot)
    people_classes, machine_classes = _classes(people), _classes(machine)
    fit = _log_likelihood(people, people_classes)[:, :, None] + _log_likelihood(machine, machine_classes)[:, None, :]
    open_to = mixture_posterior(fit.reshape(len(fit), -1))
    place = _systematic(open_to)
    return Spreads(
        people=people_classes[place // len(machine_classes)], machine=machine_classes[place % len(machine_classes)]
    )


def mixture_posterior(log_likelihood: Floats) -> Floats:
    """Probability of each class for each item, the classes' shares being those that fit all items best (by EM).

    Parameters
    ----------
    log_likelihood : ndarray of shape (n_items, n_classes)

    Returns
    -------
    ndarray of shape (n_items, n_classes)
    """
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    share = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(EM_STEPS):
        joint = likelihood * share
        share = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    joint = likelihood * share
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def _both(pilot: Pilot) -> Summary:
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
