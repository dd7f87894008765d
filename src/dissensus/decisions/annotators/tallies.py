"""How often the judge, and how often the rater, is closer to the other raters: all that the tests need to know."""

from dataclasses import dataclass

import numpy as np

from dissensus.decisions.closeness import Floats, Signs
from dissensus.ratings.coding import Codes

ROUNDING = 1e-9
"""Two scores that are closer count as equal, relative to the largest: the same sum in another order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The items of one rater, by who is closer to the others.

    Attributes
    ----------
    judge_closer, alike, rater_closer : int
        Items on which d = W_h - W_f is -1, 0 and 1.

    Examples
    --------
    >>> tally = Tally(judge_closer=2, alike=5, rater_closer=3)
    >>> tally.items, tally.mean, tally.judge_at_least_as_close, tally.rater_at_least_as_close
    (10, 0.1, 0.7, 0.8)
    """

    judge_closer: int
    alike: int
    rater_closer: int

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.judge_closer + self.alike + self.rater_closer

    @property
    def differing(self) -> int:
        """On how many items one of the two is closer."""
        return self.judge_closer + self.rater_closer

    @property
    def mean(self) -> float:
        """Mean of d."""
        return (self.rater_closer - self.judge_closer) / self.items

    @property
    def variance(self) -> float:
        """Variance of d, with one less than the items below the line."""
        return (self.differing - self.items * self.mean**2) / (self.items - 1)

    @property
    def judge_at_least_as_close(self) -> float:
        """Mean of W_f: the chance that the judge is at least as close to the others as the rater."""
        return (self.judge_closer + self.alike) / self.items

    @property
    def rater_at_least_as_close(self) -> float:
        """Mean of W_h: the chance that the rater is at least as close to the others as the judge."""
        return (self.rater_closer + self.alike) / self.items


def sides(judge_score: Floats, rater_score: Floats) -> Signs:
    """Values of d, one for each rating: -1 where the judge is closer to the others, 1 where the rater is, else 0."""
    lead = rater_score - judge_score
    largest = max((float(np.abs(scores).max(initial=0)) for scores in (judge_score, rater_score)), default=0.0)
    return np.where(np.abs(lead) <= ROUNDING * largest, 0, np.sign(lead)).astype(np.intp)


def tallies_of(d: Signs, rater: Codes, n_raters: int) -> list[Tally]:
    """One tally for each rater."""
    table = np.bincount(rater * 3 + d + 1, minlength=3 * n_raters).reshape(n_raters, 3)
    return [Tally(judge_closer=int(a), alike=int(b), rater_closer=int(c)) for a, b, c in table]
