"""Options of `compare` and what it returns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

from dissensus.errors import OptionError
from dissensus.methods.compare.metrics import METRICS, MetricName
from dissensus.options import Options, bootstrap_option, confidence_option, named, option
from dissensus.results import Result, as_dict
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
    judge: tuple[str, ...] | None = option(
        None, metavar="J", help="A judge to compare with the others named so; may be repeated."
    )
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
        None, metavar="N", at_least=1, limit="samples", wants="give a number of at least 1",
        help="Resamples of the test; 10,000 if not given, for mixture 1,000.",
    )  # fmt: skip
    raters: RatersAs | None = raters_option()
    bootstrap: int = bootstrap_option()
    confidence: float = confidence_option()
    clip: float = option(
        0.02, metavar="E", above=0, below=0.5, wants="it is a share between 0 and 0.5",
        help="Cross-entropy keeps probabilities this far from 0 and 1.",
    )  # fmt: skip
    bins: int = option(
        5, metavar="N", at_least=1, at_most=MOST_BINS, wants=f"give a number from 1 to {MOST_BINS}",
        help="Bins of emd-binned.",
    )  # fmt: skip
    bounds: tuple[float, float] | None = option(
        None, metavar="LOW,HIGH", typed=bounds_of, wants="give two numbers, the lower one first",
        help="Where the bins begin and end; the raters' labels if not given.",
    )  # fmt: skip
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
        if self.judge is not None and (self.a is not None or self.b is not None):
            raise OptionError(
                f"{named('judge')} compares every pair of those named: leave out {named('a')} and {named('b')}."
            )
        if self.judge is not None and len(set(self.judge)) < 2:  # noqa: PLR2004 - a pair
            raise OptionError(f"{named('judge')} names fewer than two judges: a comparison needs two.")
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
        """The pairs to compare: the named one, one judge against every other, or all of those chosen."""
        if self.a is not None and self.b is not None:
            return [(self.a, self.b)]
        if self.a is not None:
            return [(self.a, other) for other in judges if other != self.a]
        if self.b is not None:
            return [(other, self.b) for other in judges if other != self.b]
        return list(combinations([name for name in judges if self.judge is None or name in self.judge], 2))


Better = Literal["a", "b", "neither"]
SAME = 1e-6  # scores that are closer are the same: calibrations of two judges that know nothing differ by rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Is B worse than A by less than a margin?

    Attributes
    ----------
    margin : float
        How much worse it may be, in units of the metric.
    p_value : float
        Of the hypothesis that B is worse by the margin or more, from the item bootstrap.
    p_holm : float
        The same, corrected for all pairs; equal to it where there is one pair.
    is_non_inferior : bool
        Whether the hypothesis is rejected.
    """

    margin: float
    p_value: float
    p_holm: float
    is_non_inferior: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """One judge against another; NaN where a number is undefined.

    Attributes
    ----------
    difference : float
        A's score less B's.
    better : str
        Which judge is better by the test, or neither.
    low, high : float
        Of the difference, by item bootstrap; NaN where there is no interval.
    p_value : float
        Of the test, for this pair alone.
    p_holm : float
        The same, corrected for all pairs; equal to it where there is one pair.
    items : int
        On which raters and both judges answered.
    """

    judge_a: str
    judge_b: str
    score_a: float
    score_b: float
    difference: float
    better: Better
    low: float
    high: float
    p_value: float
    p_holm: float
    items: int
    non_inferiority: NonInferiority | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One judge beside all that it was compared with."""

    judge: str
    score: float  # the mean over its pairs, which differ where judges answered different items; NaN if undefined
    beats: tuple[str, ...]
    loses_to: tuple[str, ...]
    open: tuple[str, ...]  # the judges that it cannot be told apart from


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """The best of all judges that always give the same answer."""

    answer: str | None  # what it answers; None if it is the shares of the labels
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One more person as the judge: each rating left out in turn, against the other raters of its item."""

    score: float


@dataclass(frozen=True, kw_only=True)
class CompareResult(Result):
    """Is A better than B?

    Attributes
    ----------
    pairs : tuple of PairComparison
        One, or all that were asked for.
    better_scores : str
        Whether higher or lower scores are better.
    question : str
        What the p-value is about: are the judges equally good, or do they answer the same way?
    is_single : bool
        Whether one pair was asked for by name; the JSON then holds it, else a list of pairs.
    constant, person : Constant, Person, optional
        What the best constant answer and one more person score on the items of the pairs; None where the metric has no
        score for them.
    """

    command: ClassVar[str] = "compare"

    pairs: tuple[PairComparison, ...]
    metric: MetricName
    test: Test
    better_scores: Literal["higher", "lower"]
    question: Asked
    is_single: bool
    constant: Constant | None = None
    person: Person | None = None

    @property
    def best_judge(self) -> str | None:
        """The judge that is better than every other; None if there is none, or if not every pair was compared."""
        names = {name for pair in self.pairs for name in (pair.judge_a, pair.judge_b)}
        won = [pair.judge_a if pair.better == "a" else pair.judge_b for pair in self.pairs if pair.better != "neither"]
        return next((name for name in sorted(names) if won.count(name) == len(names) - 1), None)

    @property
    def standings(self) -> list[Standing]:
        """Every judge with its score and the judges that it beats, loses to or cannot be told apart from; best first.

        Examples
        --------
        >>> pair = PairComparison(judge_a="x", judge_b="y", score_a=0.2, score_b=0.3, difference=-0.1, better="a",
        ...     low=-0.2, high=-0.05, p_value=0.01, p_holm=0.01, items=50)
        >>> result = CompareResult(settings={}, data={}, pairs=(pair,), metric="mae", test="sign-flip",
        ...     better_scores="lower", question="same quality", is_single=True)
        >>> [(one.judge, one.score, one.beats) for one in result.standings]
        [('x', 0.2, ('y',)), ('y', 0.3, ())]
        """
        scores: dict[str, list[float]] = {}
        met: dict[str, dict[str, list[str]]] = {}
        for pair in self.pairs:
            winner = {"a": pair.judge_a, "b": pair.judge_b, "neither": None}[pair.better]
            sides = ((pair.judge_a, pair.score_a, pair.judge_b), (pair.judge_b, pair.score_b, pair.judge_a))
            for judge, score, other in sides:
                scores.setdefault(judge, []).extend([score] if math.isfinite(score) else [])
                how = "open" if winner is None else "beats" if winner == judge else "loses_to"
                met.setdefault(judge, {"beats": [], "loses_to": [], "open": []})[how].append(other)
        means = {judge: sum(own) / len(own) if own else math.nan for judge, own in scores.items()}
        sign = -1 if self.better_scores == "higher" else 1
        order = sorted(means, key=lambda judge: (math.isnan(means[judge]), sign * means[judge]))
        return [
            Standing(judge=judge, score=means[judge], **{how: tuple(names) for how, names in met[judge].items()})
            for judge in order
        ]

    @property
    def has_better_than_constant(self) -> bool | None:
        """Whether some judge scores better than the best constant answer; None where one of them has no score."""
        if self.constant is None or not math.isfinite(self.constant.score):
            return None
        sign = 1 if self.better_scores == "higher" else -1
        scores = [score for pair in self.pairs for score in (pair.score_a, pair.score_b) if math.isfinite(score)]
        return any(sign * (score - self.constant.score) > SAME for score in scores) if scores else None

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON: the pair that was asked for, or all of them under `pairs`."""
        shared = {
            "metric": self.metric,
            "better_scores": self.better_scores,
            "test": self.test,
            "question": self.question,
            "constant": None if self.constant is None else as_dict(self.constant),
            "person": None if self.person is None else as_dict(self.person),
        }
        if self.is_single:
            return as_dict(self.pairs[0]) | shared
        return shared | {"pairs": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """One row per pair."""
        return [as_dict(pair) for pair in self.pairs]
