"""Options of `judges`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dissensus.errors import OptionError
from dissensus.options import Options, bootstrap_option, confidence_option, named, option
from dissensus.sampling.raters import RatersAs, raters_option

LeakMapping = Literal["keep", "paper"]
MAPPINGS: tuple[LeakMapping, ...] = ("keep", "paper")
DECIMALS = 12
A_SHARE = "give a share above 0 and at most 1, such as 0.5"
SHARES = "give shares from 0 to 1, such as 0,0.1,0.2"


def shares_typed(text: str) -> list[float]:
    """Numbers from `0,0.1,0.2`.

    Examples
    --------
    >>> shares_typed("0, 0.1,.2")
    [0.0, 0.1, 0.2]
    """
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise OptionError(f"{named('beta')} cannot be {text!r}: {SHARES}.") from error


@dataclass(frozen=True, kw_only=True)
class JudgesOptions(Options):
    """What the user asked for, as in `judges`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to compare; may be repeated.")
    positive: tuple[str, ...] = option(
        (), metavar="LABEL", help="An option that counts as positive; may be repeated.", label="Positive option"
    )
    tau: tuple[float, ...] = option(
        (0.5,), above=0, at_most=1, wants=A_SHARE, metavar="T",
        help="Share at which an item is positive (.5 if not given); may be repeated.",
    )  # fmt: skip
    beta: tuple[float, ...] | None = option(
        None, at_least=0, at_most=1, wants=SHARES, typed=shares_typed, metavar="B,B,...",
        help="Shares of negative choices that hide a positive option, to sweep over.",
    )  # fmt: skip
    mapping: LeakMapping = option(
        "keep",
        choices=MAPPINGS,
        metavar="M",
        help="Whether such raters keep their own choice: keep, or paper (Table 2).",
    )
    smoothing: float = option(
        0.0, at_least=0, wants="it is added to shares, so 0 or more", metavar="S",
        help="Added to each share under a logarithm, instead of the clip.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()

    def check(self) -> None:
        """Raise where nothing was named."""
        if self.judge == ():
            raise OptionError("No judge was named: name at least one, or leave judge out to compare all of them.")
        if not self.tau:
            raise OptionError(f"{named('tau')} has no value: give a threshold such as 0.5.")


def distinct(values: float | Sequence[float]) -> tuple[float, ...]:
    """The values to twelve decimals, each once, in order of size.

    Examples
    --------
    >>> distinct([0.5, 0.3, 0.5]), distinct(0.5)
    ((0.3, 0.5), (0.5,))
    """
    several = [values] if isinstance(values, int | float) else values
    return tuple(sorted({round(float(value), DECIMALS) for value in several}))
