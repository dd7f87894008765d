"""Two judges and the raters on the items that all of them answered, ready to be resampled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.comparison.coordinates import Cloud, Space, clouds_of
from dissensus.comparison.metrics import Metric
from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.metrics.scores import Columns, settled
from dissensus.comparison.responses import Responses


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
    """

    metric: Metric
    people: Cloud
    a: Cloud
    b: Cloud
    size: float

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.people.times)

    @property
    def most_numbers(self) -> int:
        """How many numbers one resample of every response needs."""
        return max(1, *(cloud.vectors.size for cloud in (self.people, self.a, self.b)))

    def columns(self, a: Floats, b: Floats, people: Floats) -> Columns:
        """What each item counts, from mean responses of shape (..., n_items, n_coordinates)."""
        of_item = self.metric.of_item
        if self.metric.name == "spearman":
            return Columns(of_item(a, people), of_item(b, people), of_item(people, people))
        errors = Columns(of_item(a, people), of_item(b, people), people[..., 0])
        return settled(errors, size=self.size, is_square=self.metric.name == "rmse")

    def observed(self) -> Columns:
        """What each item counts in the data."""
        return self.columns(self.a.mean(), self.b.mean(), self.people.mean())


def problem_of(parties: Sequence[Responses], metric: Metric, space: Space) -> Problem:
    """The problem of comparing two judges, from the responses of the raters, of A and of B to the same items."""
    people, a, b = clouds_of(parties, metric.coordinates, space)
    size = float(np.abs(people.vectors).sum(axis=-1).max(initial=0))
    return Problem(metric=metric, people=people, a=a, b=b, size=size)


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
