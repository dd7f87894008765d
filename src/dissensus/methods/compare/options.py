"""Options of `compare`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from dissensus.errors import OptionError
from dissensus.methods.compare.metrics import METRICS, MetricName
from dissensus.options import Options, bootstrap_option, confidence_option, named, option
from dissensus.sampling.raters import RatersAs, raters_option

Test = Literal["sign-flip", "response-permutation", "mixture"]
TESTS: tuple[Test, ...] = ("sign-flip", "response-permutation", "mixture")
Asked = Literal["same quality", "same distribution"]
ASKED: dict[Test, Asked] = {
    "sign-flip": "same quality",
    "response-permutation": "same distribution",
    "mixture": "same distribution",
}
"""What each test's p-value is about: are the judges equally good, or do they answer the same way?"""

RESAMPLES: dict[Test, int] = {"sign-flip": 10_000, "response-permutation": 10_000, "mixture": 1_000}
"""If not given; the authors draw 1,000 test sets."""
MOST_BINS = 1_000


def bounds_of(text: str) -> tuple[float, float]:
    """Two numbers from `0,1`.

    Examples
    --------
    >>> bounds_of("0, 1")
    (0.0, 1.0)
    """
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise OptionError(f"{named('bounds')} cannot be {text!r}: give two numbers such as 0,1.") from error
    return low, high


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Options):
    """What the user asked for, as in `compare`."""

    a: str | None = option(
        None, metavar="A", help=f"The first judge; without {named('a')} and {named('b')} every pair."
    )
    b: str | None = option(None, metavar="B", help="The second judge.")
    metric: MetricName | None = option(
        None,
        metavar="M",
        choices=METRICS,
        help="information, wins, mae, rmse, emd, emd-binned (the paper's), accuracy, cross-entropy or spearman; "
        "information if not given and the labels allow it.",
    )
    test: Test = option(
        "sign-flip",
        metavar="T",
        choices=TESTS,
        help="sign-flip (are they equally good?), response-permutation or mixture (do they answer the same way?).",
    )
    margin: float | None = option(
        None,
        metavar="D",
        above=0,
        wants="give how much worse B may be than A, a number above 0 in units of the metric, whichever way is better",
        help="Also ask whether B is worse than A by at most this much.",
    )
    resamples: int | None = option(
        None,
        metavar="N",
        at_least=1,
        limit="samples",
        wants="give a number of at least 1",
        help="Resamples of the test; 10,000 if not given, for mixture 1,000.",
    )
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()
    clip: float = option(
        0.02,
        metavar="E",
        above=0,
        below=0.5,
        wants="it is a share between 0 and 0.5",
        help="Cross-entropy keeps probabilities this far from 0 and 1.",
    )
    bins: int = option(
        5,
        metavar="N",
        at_least=1,
        at_most=MOST_BINS,
        wants=f"give a number from 1 to {MOST_BINS}",
        help="Bins of emd-binned.",
    )
    bounds: tuple[float, float] | None = option(
        None,
        metavar="LOW,HIGH",
        typed=bounds_of,
        wants="give two numbers, the lower one first",
        help="Where the bins begin and end; the raters' labels if not given.",
    )
    same_scale: bool | None = option(
        None, flag="--same-scale/--other-scale", help="Whether judges' numbers are on the raters' scale."
    )
    reverse: tuple[str, ...] = option(
        (), metavar="J", help="A judge whose higher numbers mean lower labels; for spearman; may be repeated."
    )

    def check(self) -> None:
        """Raise where two options contradict each other."""
        if self.a is not None and self.a == self.b:
            raise OptionError(f"{named('a')} and {named('b')} are both {self.a}: name two different judges.")
        if self.bounds is not None and self.bounds[0] >= self.bounds[1]:
            shown = f"{self.bounds[0]:g},{self.bounds[1]:g}"
            raise OptionError(f"{named('bounds')} cannot be {shown}: give two numbers, the lower one first.")
        if self.margin is not None and not self.bootstrap:
            raise OptionError(f"{named('margin')} needs the bootstrap: leave {named('bootstrap')} 0 out.")
        if self.metric == "information" and self.test != "sign-flip":
            raise OptionError(
                f"{named('test')} {self.test} draws a judge's answers again, and information needs all answers of an "
                f"item: choose {named('test')} sign-flip, or another metric such as wins."
            )
        if self.reverse and self.metric not in {None, "spearman"}:
            raise OptionError(
                f"{named('reverse')} turns ranks: it goes with {named('metric')} spearman, not {self.metric}."
            )

    @property
    def n_resamples(self) -> int:
        """How many resamples the test draws."""
        return RESAMPLES[self.test] if self.resamples is None else self.resamples

    def settings(self) -> dict[str, object]:
        """The options by name, for the JSON."""
        return super().settings() | {"resamples": self.n_resamples}

    def pairs(self, judges: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs to compare: the named one, one judge against every other, or all."""
        if self.a is not None and self.b is not None:
            return [(self.a, self.b)]
        if self.a is not None:
            return [(self.a, other) for other in judges if other != self.a]
        if self.b is not None:
            return [(other, self.b) for other in judges if other != self.b]
        return list(combinations(judges, 2))
