"""Calibration of judges: what raters say where the judge says this, learned from other items.

The cross-entropy of a judge that is too sure of itself measures its manners, not its information. A map from outputs
to label shares mends that. It is cross-fitted: an item's calibrated prediction comes from a map that never saw it.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats

Calibration = Literal["none", "isotonic", "platt", "table"]
CALIBRATIONS: tuple[Calibration, ...] = ("none", "isotonic", "platt", "table")
FOLDS = 10
NEWTON_STEPS = 50
SMALL_STEP = 1e-9
LOGIT_LIMIT = 12.0
Map = Callable[[Floats], Floats]


def draw_folds(n_items: int, rng: Generator, *, folds: int = FOLDS) -> Codes:
    """A fold for each item, as equal in size as can be, at random."""
    fold = np.arange(n_items) % min(folds, n_items)
    return rng.permutation(fold).astype(np.intp)


def calibrate(
    method: Calibration, predictions: Floats, shares: Floats, *, fold: Codes, copies: Codes | None = None
) -> Floats:
    """Calibrated predictions, each learned from the items in other folds.

    Parameters
    ----------
    method : {"isotonic", "platt", "table"}
        A monotone map, a logistic one, or the mean answer of raters for each distinct output.
    predictions : ndarray of shape (n_items, n_labels)
        The judge's probabilities.
    shares : ndarray of shape (n_items, n_labels)
        Share of an item's raters who gave each label; a row of zeros teaches nothing.
    fold : ndarray of shape (n_items,)
        Fold of each item.
    copies : ndarray of shape (n_items,), optional
        How many items each one stands for; None means one.

    Returns
    -------
    ndarray of shape (n_items, n_labels)
    """
    calibrated = predictions.copy()
    known = shares.sum(axis=1) > 0
    times = np.ones(len(shares)) if copies is None else copies.astype(np.float64)
    for number in np.unique(fold) if known.any() else ():
        held = fold == number
        learned = known & ~held if (known & ~held).any() else known
        if method == "table":
            calibrated[held] = _table(predictions[learned], shares[learned], times[learned], predictions[held])
        else:
            fit = _isotonic if method == "isotonic" else _platt
            calibrated[held] = _label_by_label(
                fit, predictions[learned], shares[learned], times[learned], predictions[held]
            )
    return calibrated


def _table(known: Floats, shares: Floats, times: Floats, asked: Floats) -> Floats:
    """Mean shares of the training items with the same output; of all of them where there is none."""
    outputs = np.round(np.concatenate([known, asked]), 9)
    _, place = np.unique(outputs, axis=0, return_inverse=True)
    place = place.ravel()
    learned, wanted = place[: len(known)], place[len(known) :]
    n_outputs = int(place.max()) + 1
    total = np.stack([np.bincount(learned, weights=column * times, minlength=n_outputs) for column in shares.T], axis=1)
    count = np.bincount(learned, weights=times, minlength=n_outputs)[:, None]
    mean = np.where(count > 0, total / np.maximum(count, 1), _mean(shares, times))
    return np.asarray(mean[wanted])


def _mean(shares: Floats, times: Floats) -> Floats:
    """Mean share of each label, of shape (n_labels,)."""
    return np.asarray((shares * times[:, None]).sum(axis=0) / times.sum())


def _label_by_label(
    fit: Callable[[Floats, Floats, Floats], Map], known: Floats, shares: Floats, times: Floats, asked: Floats
) -> Floats:
    """Each label against the rest, rescaled to sum to 1; for two labels the second is the rest of the first."""
    n_labels = known.shape[1]
    if n_labels == 2:  # noqa: PLR2004 - two labels need one map
        second = fit(known[:, 1], shares[:, 1], times)(asked[:, 1])
        return np.stack([1 - second, second], axis=1)
    each = np.stack([fit(known[:, c], shares[:, c], times)(asked[:, c]) for c in range(n_labels)], axis=1)
    total = each.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, each / np.where(total > 0, total, 1), _mean(shares, times)))


def _isotonic(p: Floats, share: Floats, times: Floats) -> Map:
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - takes a while to import and is rarely needed

    x, place = np.unique(p, return_inverse=True)
    weight = np.bincount(place, weights=times)
    mean = np.bincount(place, weights=share * times) / weight
    y = isotonic_regression(mean, weights=weight).x
    return lambda asked: np.interp(asked, x, y)


def _platt(p: Floats, share: Floats, times: Floats) -> Map:
    """Logistic regression of the raters' share on the judge's log-odds, by Newton's method with a light ridge.

    It starts from the share of the label, whatever the judge says, and a step that loses is halved until it gains:
    where a judge is very sure the likelihood is almost flat, and a full step from there would land anywhere.
    """
    from scipy.special import expit  # noqa: PLC0415 - takes a while to import and is rarely needed

    x = np.stack([np.ones_like(p), _log_odds(p)], axis=1)
    goal, ridge = np.array([0.0, 1.0]), np.array([1e-6, 1e-3])

    def loss(beta: Floats) -> float:
        odds = x @ beta
        return float(((np.logaddexp(0, odds) - share * odds) * times).sum() + (ridge * (beta - goal) ** 2).sum() / 2)

    beta = np.array([float(_log_odds(_mean(share[:, None], times))[0]), 0.0])
    value = loss(beta)
    for _ in range(NEWTON_STEPS):
        q = expit(x @ beta)
        slope = x.T @ ((share - q) * times) - ridge * (beta - goal)
        step = np.linalg.solve((x * (q * (1 - q) * times)[:, None]).T @ x + np.diag(ridge), slope)
        while loss(beta + step) > value and np.abs(step).max() > SMALL_STEP:
            step = step / 2
        if np.abs(step).max() <= SMALL_STEP:
            break
        beta = beta + step
        value = loss(beta)
    return lambda asked: np.asarray(expit(beta[0] + beta[1] * _log_odds(asked)))


def _log_odds(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(np.log(p) - np.log1p(-p), -LOGIT_LIMIT, LOGIT_LIMIT))
