"""How far responses to each item spread: what a few responses leave open of each item's variance.

Variances are shrunk towards those of the other items, but by the nonparametric maximum likelihood: drawing all of them
towards their mean would lift the smallest, and items that raters agree on tell most about the judges.
"""

from dataclasses import dataclass

import numpy as np

from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_data import Pilot, Responses

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


def _both(pilot: Pilot) -> Responses:
    """The two judges' variances as one, each judge having its own mean; none if a judge was asked once."""
    df_a, df_b = pilot.a.size - 1, pilot.b.size - 1
    df = df_a + df_b if pilot.is_sampled else np.zeros_like(df_a)
    squares = df_a * np.nan_to_num(pilot.a.variance) + df_b * np.nan_to_num(pilot.b.variance)
    return Responses(size=df + 1, mean=pilot.a.mean, variance=squares / np.maximum(df, 1))


def _classes(responses: Responses) -> Floats:
    df = responses.size - 1
    own = np.nan_to_num(responses.variance)[df > 0]
    mean = float(np.average(own, weights=df[df > 0])) if own.size else 0.0
    if mean == 0:
        return np.zeros(1)
    return np.geomspace(SMALLEST_SHARE * mean, max(float(own.max()), 2 * mean), CLASSES)


def _log_likelihood(responses: Responses, classes: Floats) -> Floats:
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
