"""Agreement of two hard labels beyond chance. Two raters only: the judge and the most frequent choice of people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dissensus.judges.aggregation import SLACK, Floats, over_options


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """What the coefficients are made of, in each replicate.

    Attributes
    ----------
    items : ndarray of shape (n_replicates, 1)
        How many items there are.
    agreement : ndarray of shape (n_replicates, n_judges)
        Share of the items where judge and people have the same label.
    judge : ndarray of shape (n_replicates, n_judges, n_options)
        Share of each label among the judge's.
    people : ndarray of shape (n_replicates, 1, n_options)
        Share of each label among people's.
    """

    items: Floats
    agreement: Floats
    judge: Floats
    people: Floats


def hit_rate(judge: Floats, people: Floats) -> Floats:
    """Whether the judge's hard label is that of people, for each item.

    Parameters
    ----------
    judge, people : ndarrays of shape (..., n_options)
        Hard labels, one-hot.

    Examples
    --------
    >>> hit_rate(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([1., 0.])
    """
    return over_options(judge * people)


def cohen_kappa(margins: Margins) -> Floats:
    """Cohen's kappa, of shape (n_replicates, n_judges).

    NaN where the judge or people have one label only. Kappa is then 0 whatever the others do (0/0 where both have the
    same one), so the number would say nothing about the judge.

    Examples
    --------
    >>> both = np.array([[[0.5, 0.5]]])
    >>> margins = Margins(items=np.array([[4.0]]), agreement=np.array([[0.75]]), judge=both, people=both)
    >>> cohen_kappa(margins)  # (.75 - .5) / (1 - .5)
    array([[0.5]])
    """
    by_chance = (margins.judge * margins.people).sum(axis=-1)
    is_constant = np.maximum(margins.judge.max(axis=-1), margins.people.max(axis=-1)) >= 1 - SLACK
    return _beyond_chance(margins.agreement, np.where(is_constant, 1.0, by_chance))


def scott_pi(margins: Margins) -> Floats:
    """Scott's pi: chance is two draws from the labels of both sides together; NaN if there is one label only.

    Examples
    --------
    >>> margins = Margins(items=np.array([[2.0]]), agreement=np.array([[0.5]]), judge=np.array([[[1.0, 0.0]]]),
    ...                   people=np.array([[[0.5, 0.5]]]))
    >>> scott_pi(margins).round(4)  # chance is (3/4)^2 + (1/4)^2 = 5/8, so (4 - 5) / (8 - 5)
    array([[-0.3333]])
    """
    pooled = (margins.judge + margins.people) / 2
    return _beyond_chance(margins.agreement, (pooled**2).sum(axis=-1))


def fleiss_kappa(margins: Margins) -> Floats:
    """Fleiss' kappa, which for two raters per item is Scott's pi."""
    return scott_pi(margins)


def krippendorff_alpha(margins: Margins) -> Floats:
    """Krippendorff's nominal alpha: for two raters of n items it is pi + (1 - pi) / (2n)."""
    pi = scott_pi(margins)
    return np.asarray(pi + (1 - pi) / (2 * margins.items))


def _beyond_chance(agreement: Floats, by_chance: Floats) -> Floats:
    is_defined = by_chance < 1 - SLACK
    room = np.where(is_defined, 1 - by_chance, 1.0)
    return np.where(is_defined, (agreement - by_chance) / room, np.nan)


Coefficient = Callable[[Margins], Floats]
COEFFICIENTS: Mapping[str, Coefficient] = {
    "krippendorff_alpha": krippendorff_alpha,
    "fleiss_kappa": fleiss_kappa,
    "cohen_kappa": cohen_kappa,
    "scott_pi": scott_pi,
}
