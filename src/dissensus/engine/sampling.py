"""How much chance a user may ask for: options that every method checks alike."""

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
