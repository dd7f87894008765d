"""Two judges and the raters on the items that all of them answered, ready to be resampled."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dissensus.comparison.coordinates import Cloud, Space, clouds_of
from dissensus.comparison.metrics import Metric
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.metrics.ranks import rankable
from dissensus.comparison.metrics.scores import Columns, put_together, settled
from dissensus.comparison.responses import Responses
from dissensus.ratings.coding import Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A pair of judges to compare.

    Attributes
    ----------
    metric : Metric
        How they are scored.
    people, a, b : Cloud
        Responses of the raters and the judges, item by item.
    size : float
        The largest of the raters' responses; what is small against it is rounding.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each item stands for; one if None.
    """

    metric: Metric
    people: Cloud
    a: Cloud
    b: Cloud
    size: float
    copies: Floats | None = None

    @property
    def n_items(self) -> int:
        """How many items there are; where alike items were put together, how many different ones."""
        return len(self.people.times)

    @property
    def items_in_all(self) -> int:
        """How many items of the data there are."""
        return self.n_items if self.copies is None else int(self.copies.sum())

    @property
    def most_numbers(self) -> int:
        """How many numbers one resample of every response needs."""
        return max(1, *(cloud.vectors.size for cloud in (self.people, self.a, self.b)))

    def columns(self, a: Floats, b: Floats, people: Floats) -> Columns:
        """What each item counts, from mean responses of shape (..., n_items, n_coordinates)."""
        if self.metric.name == "spearman":
            ranked = partial(rankable, copies=self.copies)
            return Columns(ranked(a, people), ranked(b, people), ranked(people, people), self.copies)
        of_item = self.metric.of_item
        errors = Columns(of_item(a, people), of_item(b, people), people[..., 0], self.copies)
        return settled(errors, size=self.size, is_square=self.metric.name == "rmse")

    def observed(self) -> Columns:
        """What each item counts in the data; with copies, one item for all that count the same."""
        columns = self.columns(self.a.mean(), self.b.mean(), self.people.mean())
        if self.copies is None:
            return columns
        return put_together(columns, by_sign=self.metric.name == "wins", by_people=self.metric.name == "spearman")


def problem_of(parties: Sequence[Responses], metric: Metric, space: Space, *, copies: Codes | None = None) -> Problem:
    """The problem of comparing two judges, from the responses of the raters, of A and of B to the same items."""
    people, a, b = clouds_of(parties, metric.coordinates, space)
    size = float(np.abs(people.vectors).sum(axis=-1).max(initial=0))
    counted = None if copies is None else copies.astype(np.float64)
    return Problem(metric=metric, people=people, a=a, b=b, size=size, copies=counted)


def problem_of_values(people: Floats, a: Floats, b: Floats, metric: Metric, space: Space | None = None) -> Problem:
    """The problem of comparing judges whose responses are numbers.

    Parameters
    ----------
    people, a, b : ndarray of shape (n_items, n_responses)
        NaN where an item has fewer responses; the numbers of responses may differ.
    metric : Metric
        One that takes numbers.
    space : Space, optional
        The bins, where the metric has some.
    """
    parties = [_responses_of_values(np.asarray(values, dtype=np.float64)) for values in (people, a, b)]
    return problem_of(parties, metric, space or Space(n_labels=1))


def _responses_of_values(values: Floats) -> Responses:
    # Responses stand first in their rows.
    ordered = np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)
    item, response = np.nonzero(~np.isnan(ordered))
    return Responses(
        times=(~np.isnan(ordered)).astype(np.float64),
        item=item,
        response=response,
        place=np.zeros(len(item), dtype=np.intp),
        value=ordered[item, response],
        share=np.ones(len(item)),
    )
