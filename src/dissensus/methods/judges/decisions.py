"""What would follow from using a judge: decisions on items, and the prevalence that they add up to (section 2.2.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import JudgesError
from dissensus.methods.judges.scoring import Scores
from dissensus.methods.judges.vectors import SLACK
from dissensus.sampling.intervals import percentile_interval

# ---- Ranks, and how often a judge is best; values are turned so that higher is better


def ranks(values: Floats) -> Floats:
    """Rank of each judge, 1 for the best; judges that tie share the better rank, and NaN has none.

    Parameters
    ----------
    values : ndarray of shape (..., n_judges)
        Higher is better.

    Examples
    --------
    >>> ranks(np.array([0.2, 0.9, np.nan, 0.9]))
    array([ 3.,  1., nan,  1.])
    """
    with np.errstate(invalid="ignore"):
        better = (values[..., None, :] > values[..., :, None] + SLACK).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, better + 1.0)


def selected(values: Floats, judges: Sequence[str]) -> str | None:
    """The judge with the best value, the first one of those that tie; None if none has a value.

    Examples
    --------
    >>> selected(np.array([np.nan, 0.1, 0.3, 0.3]), ["a", "b", "c", "d"])
    'c'
    """
    first = np.flatnonzero(ranks(values) == 1)
    return judges[int(first[0])] if first.size else None


def shares_best(values: Floats) -> Floats:
    """Share of the replicates in which each judge is best; judges that tie share the replicate.

    Parameters
    ----------
    values : ndarray of shape (n_replicates, ..., n_judges)
        Higher is better; a judge whose value is NaN is not best.

    Returns
    -------
    ndarray of shape (..., n_judges)
        NaN for a judge that has no value in any replicate.

    Examples
    --------
    >>> shares_best(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 1.0], [4.0, 1.0]]))
    array([0.625, 0.375])
    """
    is_known = ~np.isnan(values)
    filled = np.where(is_known, values, -np.inf)
    is_best = is_known & (filled >= filled.max(axis=-1, keepdims=True) - SLACK)
    parts = is_best / np.maximum(is_best.sum(axis=-1, keepdims=True), 1)
    counted = np.maximum(is_known.any(axis=-1).sum(axis=0), 1)[..., None]
    return np.where(is_known.any(axis=0), parts.sum(axis=0) / counted, np.nan)


# ---- What would follow from using a judge: decisions on items, and the prevalence that they add up to (section 2.2.2)

ALWAYS_POSITIVE, ALWAYS_NEGATIVE = "always-positive", "always-negative"
BASELINES = (ALWAYS_POSITIVE, ALWAYS_NEGATIVE)


def check_names(judges: Sequence[str]) -> None:
    """Raise if a judge is called as one of the constants that stand beside the judges."""
    taken = [name for name in judges if name in BASELINES]
    if taken:
        raise JudgesError(
            f"A judge is called {taken[0]!r}, as the constant that stands beside judges anyway: rename it, or leave "
            "it out."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream:
    """A judge's decisions at one threshold, beside those of people.

    Attributes
    ----------
    tau : float
        Share of raters at which an item is decided positive.
    judge : str
        A judge, or one of the constants `always-positive` and `always-negative`.
    consistency, consistency_low, consistency_high : float
        Share of the items that judge and people decide alike.
    bias, bias_low, bias_high : float
        Prevalence among the judge's decisions less that among people's.
    kappa : float
        Cohen's kappa of the decisions; NaN where one side decides all items alike.
    """

    tau: float
    judge: str
    consistency: float
    consistency_low: float
    consistency_high: float
    bias: float
    bias_low: float
    bias_high: float
    kappa: float

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def with_baselines(scores: Scores) -> Scores:
    """The scores with the two constants as further judges of the decisions."""
    prevalence = scores.prevalence[:, :, None]
    constant = np.concatenate([np.ones_like(prevalence), np.zeros_like(prevalence)], axis=2)
    return Scores(
        values=scores.values,
        consistency=np.concatenate([scores.consistency, prevalence, 1 - prevalence], axis=2),
        judged_positive=np.concatenate([scores.judged_positive, constant], axis=2),
        prevalence=scores.prevalence,
        reverse=scores.reverse,
        own_beta=scores.own_beta,
    )


def decision_kappa(consistency: Floats, judged_positive: Floats, prevalence: Floats) -> Floats:
    """Cohen's kappa of two-way decisions, from how often they agree and how often each is positive.

    NaN where one side decides all items alike: kappa would be 0 whatever the other does.

    Examples
    --------
    >>> decision_kappa(np.array([0.75]), np.array([0.5]), np.array([0.5]))
    array([0.5])
    """
    by_chance = judged_positive * prevalence + (1 - judged_positive) * (1 - prevalence)
    spread = np.minimum(judged_positive * (1 - judged_positive), prevalence * (1 - prevalence))
    is_defined = spread > SLACK
    return np.where(is_defined, (consistency - by_chance) / np.where(is_defined, 1 - by_chance, 1.0), np.nan)


def downstream_rows(
    data: Scores, samples: Scores | None, *, taus: Sequence[float], judges: Sequence[str], confidence: float
) -> tuple[Downstream, ...]:
    """Every judge and both constants at every threshold; `data` has one replicate."""
    if not data.prevalence.size:
        return ()
    data, samples = with_baselines(data), None if samples is None else with_baselines(samples)
    bias = data.judged_positive - data.prevalence[:, :, None]
    kappa = decision_kappa(data.consistency, data.judged_positive, data.prevalence[:, :, None])
    rows = []
    for t, tau in enumerate(taus):
        for j, judge in enumerate([*judges, *BASELINES]):
            bounds = [float("nan")] * 4
            if samples is not None:
                drawn = samples.judged_positive[:, t, j] - samples.prevalence[:, t]
                alike = samples.consistency[:, t, j]
                bounds = [*percentile_interval(alike, confidence), *percentile_interval(drawn, confidence)]
            rows.append(
                Downstream(
                    tau=tau,
                    judge=judge,
                    consistency=float(data.consistency[0, t, j]),
                    consistency_low=bounds[0],
                    consistency_high=bounds[1],
                    bias=float(bias[0, t, j]),
                    bias_low=bounds[2],
                    bias_high=bounds[3],
                    kappa=float(kappa[0, t, j]),
                )
            )
    return tuple(rows)
