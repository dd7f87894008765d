import numpy as np

from dissensus.judges.aggregation import Flags, Floats


def own_betas(
    soft: Floats,
    judge_positive: Floats,
    *,
    positive: Flags,
    has_both: Flags,
    leaking: Flags | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Each judge's own beta: how often its response sets have a positive option where its forced choice is negative.

    It tells which beta is plausible for people. How much more often a judge's sets are positive than its choices, as a
    share of its negative choices: sets are positive with probability O_positive + beta O_leak.

    Differs from the paper: choices and sets come from separate samples, so which set goes with which choice is not
    known. The share of positive sets on items with a negative choice would take a judge that wavers between yes and
    no, and never endorses both, for one with a large beta.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_judges, n_options)
        Shares of each judge's forced choices.
    judge_positive : ndarray of shape (n_items, n_judges)
        Share of its response sets with a positive option.
    positive : ndarray of shape (n_options,)
        Which options are positive.
    has_both : ndarray of shape (n_items, n_judges)
        On which items the judge was asked for both.
    leaking : ndarray of shape (n_options,), optional
        Which negative options leak; all if not given.
    weights : ndarray of shape (n_items,) or (n_replicates, n_items), optional
        How often each item counts.

    Returns
    -------
    ndarray of shape (n_judges,) or (n_replicates, n_judges)
        From 0, also for a judge whose sets are less often positive than its choices, to 1; NaN for a judge that was
        asked for both nowhere, or never chose a negative option there.

    References
    ----------
    "Validating LLM-as-a-Judge Systems in the Absence of Gold Labels", section 7, Finding 6: .32, .44, .04, .06, .11.

    Examples
    --------
    >>> choices = np.array([[[0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0]]])
    >>> own_betas(choices, np.array([[0.2], [0.8], [1.0]]), positive=np.array([True, False]),
    ...           has_both=np.ones((3, 1), dtype=bool)).round(3)  # (.2 + .3 + 0) / (1 + .5 + 0)
    array([0.333])
    """
    leaks = ~positive if leaking is None else leaking & ~positive
    gained = (judge_positive - soft[:, :, positive].sum(axis=2)) * has_both
    negative = soft[:, :, leaks].sum(axis=2) * has_both
    w = np.ones(len(soft)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = np.einsum("...i,ij->...j", w, negative)
    share = np.divide(np.einsum("...i,ij->...j", w, gained), total, out=np.full_like(total, np.nan), where=total > 0)
    return np.asarray(np.clip(share, 0.0, 1.0))
