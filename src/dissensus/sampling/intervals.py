"""Bootstrap samples and resamples: how many there can be, and the interval that they give."""

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import OptionError


def check_bootstrap(samples: int) -> None:
    """Raise unless so many bootstrap samples can be drawn; 0 means no intervals."""
    if samples < 0:
        raise OptionError(f"--bootstrap cannot be {samples}: give the number of samples, or 0 for none.")


def check_resamples(resamples: int) -> None:
    """Raise unless a test can be made of so many resamples."""
    if resamples < 1:
        raise OptionError(f"--resamples cannot be {resamples}: at least one is needed.")


def check_confidence(confidence: float) -> None:
    """Raise unless intervals can have this confidence."""
    if not 0 < confidence < 1:
        raise OptionError(f"--confidence cannot be {confidence:g}: it is a share between 0 and 1.")


def percentile_interval(values: Floats, confidence: float) -> tuple[float, float]:
    """Bounds that hold the middle of the defined values; NaN if none is defined.

    Examples
    --------
    >>> percentile_interval(np.array([0.0, 1.0, 2.0, 3.0, 4.0, np.nan]), 0.5)
    (1.0, 3.0)
    """
    defined = values[np.isfinite(values)]
    if not defined.size:
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
