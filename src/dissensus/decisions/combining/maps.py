"""From a judge's outputs to what raters say after them, learned from weighted rows.

Outputs that come again and again are looked up in a table; others go through a rising curve for each label.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dissensus.survey.subsets import Floats

Map = Callable[[Floats], Floats]
ROWS_PER_OUTPUT = 20
"""Where outputs occur at least so often on average, a table can learn each of them."""
PRIOR_ROWS = 1.0
"""An output's table entry starts as so many rows with the shares of all."""
DECIMALS = 9


def are_few(outputs: Floats, *, weight: float) -> bool:
    """Whether outputs of this weight, in rows, come again often enough for a table."""
    return len(np.unique(np.round(outputs, DECIMALS), axis=0)) * ROWS_PER_OUTPUT <= weight


def table_map(outputs: Floats, masses: Floats) -> Map:
    """Mean shares of the rows with the same output; those of all rows for an output that was never seen.

    Parameters
    ----------
    outputs : ndarray of shape (n_rows, n_labels)
        What was predicted.
    masses : ndarray of shape (n_rows, n_labels)
        How often each label was given after it; a row's sum is its weight.
    """
    keys, place = np.unique(np.round(outputs, DECIMALS), axis=0, return_inverse=True)
    total = np.zeros((len(keys), masses.shape[1]))
    np.add.at(total, place.ravel(), masses)
    everybody = masses.sum(axis=0) / masses.sum()
    learned = (total + PRIOR_ROWS * everybody) / (total.sum(axis=1, keepdims=True) + PRIOR_ROWS)

    def look_up(asked: Floats) -> Floats:
        both = np.concatenate([keys, np.round(asked, DECIMALS)])
        _, code = np.unique(both, axis=0, return_inverse=True)
        known = np.full(len(both), -1, dtype=np.intp)
        known[code.ravel()[: len(keys)]] = np.arange(len(keys))
        found = known[code.ravel()[len(keys) :]]
        return np.asarray(np.where((found >= 0)[:, None], learned[found], everybody))

    return look_up


def rising_map(outputs: Floats, masses: Floats) -> Map:
    """A rising curve for each label against the rest (isotonic regression), rescaled to sum to 1."""
    everybody = masses.sum(axis=0) / masses.sum()
    weights = masses.sum(axis=1)
    if outputs.shape[1] == 2:  # noqa: PLR2004 - two labels need one curve
        curve = _curve(outputs[:, 1], masses[:, 1], weights)

        def second(asked: Floats) -> Floats:
            share = curve(asked[:, 1])
            return np.stack([1 - share, share], axis=1)

        return second
    curves = [_curve(outputs[:, c], masses[:, c], weights) for c in range(outputs.shape[1])]

    def each(asked: Floats) -> Floats:
        shares = np.stack([curve(asked[:, c]) for c, curve in enumerate(curves)], axis=1)
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1), everybody))

    return each


def _curve(x: Floats, mass: Floats, weight: Floats) -> Callable[[Floats], Floats]:
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - takes a while to import

    known = weight > 0
    places, place = np.unique(np.round(x[known], DECIMALS), return_inverse=True)
    total = np.bincount(place, weights=weight[known])
    shares = np.bincount(place, weights=mass[known]) / total
    rising = isotonic_regression(np.minimum(shares, 1.0), weights=total).x
    return lambda asked: np.interp(np.round(asked, DECIMALS), places, rising)


def learned_map(outputs: Floats, masses: Floats) -> Map:
    """The map that these outputs allow."""
    return table_map(outputs, masses) if are_few(outputs, weight=masses.sum()) else rising_map(outputs, masses)


def calibrated(outputs: Floats, masses: Floats, *, fold: npt.NDArray[np.intp]) -> Floats:
    """Outputs turned into raters' shares, each by a map learned from the items of other folds."""
    made = outputs.copy()
    for number in np.unique(fold):
        held = fold == number
        learned = ~held if (masses[~held].sum() > 0) else np.ones_like(held)
        made[held] = learned_map(outputs[learned], masses[learned])(outputs[held])
    return made
