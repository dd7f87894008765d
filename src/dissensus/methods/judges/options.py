"""What the user asked for, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from dissensus.errors import OptionError
from dissensus.methods.judges.sensitivity import MAPPINGS, LeakMapping, check_tau
from dissensus.sampling.intervals import check_bootstrap, check_confidence

DECIMALS = 12
DEFAULT_BETAS = tuple(round(0.05 * step, 2) for step in range(11))
"""From 0 to .5: beyond it most of those who said no would have meant yes as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The options of `judges`.

    Attributes
    ----------
    judge : tuple of str, optional
        Which judges to compare; all if None.
    positive : tuple of str
        Options that count as positive; those of the task if empty.
    taus : tuple of float
        Thresholds.
    betas : tuple of float, optional
        Of the sweep; None leaves it to us whether there is one.
    mapping : {"keep", "paper"}
        Where the share beta of a negative option goes.
    smoothing : float
        Added to each option of a distribution under a logarithm.
    bootstrap : int
        Samples of the items.
    confidence : float
        Of the intervals.
    seed : int, optional
        Of the random numbers.
    """

    judge: tuple[str, ...] | None
    positive: tuple[str, ...]
    taus: tuple[float, ...]
    betas: tuple[float, ...] | None
    mapping: LeakMapping
    smoothing: float
    bootstrap: int
    confidence: float
    seed: int | None

    def __post_init__(self) -> None:
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to compare all of them.")
        if not self.taus:
            raise OptionError("--tau has no value: give a threshold such as 0.5.")
        for tau in self.taus:
            check_tau(tau)
        wrong = [beta for beta in self.betas or () if not 0 <= beta <= 1]
        if wrong:
            raise OptionError(f"--beta cannot be {wrong[0]:g}: give shares from 0 to 1, such as 0,0.1,0.2.")
        if self.mapping not in MAPPINGS:
            raise OptionError.unknown("--mapping", self.mapping, MAPPINGS)
        self._check_numbers()

    def _check_numbers(self) -> None:
        if not 0 <= self.smoothing < float("inf"):
            raise OptionError(f"--smoothing cannot be {self.smoothing:g}: it is added to shares, so 0 or more.")
        check_bootstrap(self.bootstrap)
        check_confidence(self.confidence)

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        renamed = {"taus": "tau", "betas": "beta"}
        return {renamed.get(field.name, field.name): getattr(self, field.name) for field in fields(self)}


def distinct(values: float | Sequence[float]) -> tuple[float, ...]:
    """The values to twelve decimals, each once, in order of size.

    Examples
    --------
    >>> distinct([0.5, 0.3, 0.5]), distinct(0.5)
    ((0.3, 0.5), (0.5,))
    """
    several = [values] if isinstance(values, int | float) else values
    return tuple(sorted({round(float(value), DECIMALS) for value in several}))


def names(values: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """One name, several, or None."""
    return (values,) if isinstance(values, str) else None if values is None else tuple(values)
