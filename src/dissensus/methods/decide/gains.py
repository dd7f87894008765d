"""Does a judge know anything? What its calibrated answers tell, item by item, against always predicting the shares.

A constant answer goes through the same calibration as the judges, and both are scored on items that they did not learn
from: a judge that knows nothing gains nothing. A judge is used only if its gain is beyond doubt: a t test with the
noise of items and of raters, corrected for the number of judges.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.data.coding import rows_among
from dissensus.methods.equivalence.calibration import calibrated_predictions
from dissensus.methods.equivalence.equivalence import learned_by
from dissensus.methods.equivalence.problem import Predictions, Problem, reference_shares
from dissensus.methods.equivalence.setup import Prepared
from dissensus.sampling.raters import CountCells, RatersAs, RaterSpread, rater_pool

LEVEL = 0.001  # of recommending a judge that knows nothing: a wrong recommendation costs more than a missed one
RATERS_LEVEL = 0.025  # of a gain that raters like these do not have: one-sided, as the lower end of an interval
LEAST = 0.05  # in raters: a judge that is worth less is not worth using, whatever is shown


class Gain(NamedTuple):
    """What a judge tells beyond a constant answer, in bits per item."""

    value: float
    error: float  # its standard error, with the noise of raters if they are a sample
    freedom: float  # degrees of freedom of the error
    p_value: float  # one-sided, corrected for the number of judges
    p_fixed: float  # the same for these very raters

    @property
    def is_shown(self) -> bool:
        """Whether it is beyond doubt for these raters, and shown for raters like these."""
        p_value, needed = self.decisive
        return p_value < needed

    @property
    def decisive(self) -> tuple[float, float]:
        """The p-value farther from what it must be below, and that."""
        tests = ((self.p_fixed, LEVEL), (self.p_value, RATERS_LEVEL))
        return max(tests, key=lambda test: test[0] / test[1])


def gains(prepared: Prepared, *, raters: RatersAs, rng: Generator) -> dict[str, Gain]:
    """The gain of each calibrated judge over a constant, by name, for an additive score."""
    problem = prepared.problem
    judges = [judge for judge in problem.judges if judge.calibrated]
    if not judges:
        return {}
    # A judge that says the same of every item is no test.
    tests = max(sum(bool(np.ptp(learned_by(judge), axis=0).any()) for judge in judges), 1)
    scored = np.stack([problem.score.of_labels()(judge.predictions) for judge in (_constant(problem), *judges)])
    differences = scored[1:] - scored[0]  # (n_judges, n_rows, n_labels)
    shares = reference_shares(problem)[problem.type_of_item]
    known = ~np.isnan(shares).any(axis=1)
    weights = problem.weights[0].astype(np.float64)[known]
    each = np.einsum("jnl,nl->jn", differences[:, known], shares[known])
    n = weights.sum()
    value = np.einsum("jn,n->j", each, weights) / n
    squared = weights if problem.unit is None else weights**2
    variance = np.einsum("jn,n->j", (each - value[:, None]) ** 2, squared) / max(n - 1, 1) / n
    freedom = np.full(len(judges), max(n - 1, 1.0))
    p_fixed = _p_values(value, variance, freedom, tests)
    if raters == "sampled":
        spread = _rater_spread(differences, prepared, rng)
        whole = variance + spread.variance
        # Welch and Satterthwaite: the variance of raters is known from few of them.
        parts = variance**2 / max(n - 1, 1) + spread.variance**2 / max(spread.groups - 1, 1)
        freedom = np.where(parts > 0, whole**2 / np.where(parts > 0, parts, 1), freedom)
        variance = whole
    found = zip(value, np.sqrt(variance), freedom, _p_values(value, variance, freedom, tests), p_fixed, strict=True)
    return {judge.judge: Gain(*map(float, one)) for judge, one in zip(judges, found, strict=True)}


def _p_values(value: Floats, variance: Floats, freedom: Floats, tests: int) -> Floats:
    """One-sided t tests, corrected for their number."""
    from scipy.special import stdtr  # noqa: PLC0415 - takes a while to import

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(variance > 0, value / np.sqrt(variance), np.where(value > 0, np.inf, -np.inf))
    return np.asarray(np.minimum(stdtr(freedom, -t) * tests, 1.0))


def _constant(problem: Problem) -> Predictions:
    """A judge that always answers the same, calibrated: the shares of the labels."""
    shares = np.nan_to_num(reference_shares(problem)[problem.type_of_item])
    same = np.full(shares.shape, 1 / shares.shape[1])
    found = calibrated_predictions("table", same, shares, fold=problem.fold, copies=problem.stands_for)
    nothing = np.full(len(same), np.nan)
    return Predictions(judge="", calibrated=True, predictions=found.outside, inside=found.inside, values=nothing)


def _rater_spread(differences: Floats, prepared: Prepared, rng: Generator) -> RaterSpread:
    rated = prepared.rated
    own = differences[:, :, rows_among(rated.labels, prepared.labels)].reshape(len(differences), -1)

    def statistics(cells: CountCells) -> Floats:
        counts = cells.dense(rated.n_items, rated.n_labels)[prepared.item].astype(np.float64)
        size = counts.sum(axis=1)
        weight = np.where(size > 0, prepared.problem.weights[0], 0.0)
        counts *= (weight / np.maximum(size, 1))[:, None]
        return np.asarray(np.einsum("jc,c->j", own, counts.ravel()) / max(weight.sum(), 1))

    return rater_pool(rated, rng).spread_of(statistics, rated.n_labels)
