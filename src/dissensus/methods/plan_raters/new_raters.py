"""New raters: how far those of the next test set may move the difference between two judges.

Bootstrap samples of a pilot's items speak of its own raters. What leaving one of them out changes, less what that
changes where labels change hands among the raters of each item, is what raters add to the variance.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.methods.plan_raters.designs import MomentSource, Pair
from dissensus.methods.plan_raters.moments import Crew, Moments
from dissensus.methods.plan_raters.pilot import Pilot, gap, vectors_of
from dissensus.sampling.raters import Cells, RaterDraws, RaterSpread, rater_draws, rater_pool, resolve_raters

Gaps = Callable[[Codes], Floats]
"""By how much B is farther from people than A on each item, from counts of labels of shape (n_items, n_labels)."""


def label_gaps(pilot: Pilot, metric: str) -> Gaps:
    """The gaps of a metric that compares means of vectors."""
    vectors = vectors_of(pilot, metric)
    a, b = pilot.means_of(vectors.judges)

    def gaps(counts: Codes) -> Floats:
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        people = shares @ vectors.people[0] if len(vectors.people) == 1 else (shares[:, None] @ vectors.people)[:, 0]
        return gap(people, a, b, is_sorted=vectors.is_sorted)

    return gaps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewRaters:
    """Moments for raters like those of the pilot: the same, with what raters add."""

    source: MomentSource  # for these raters
    spread: RaterSpread  # of the mean over items
    draws: RaterDraws  # one for each bootstrap sample
    raters: int  # in the pilot
    load: float  # ratings of one of them, on average

    @property
    def _added(self) -> Floats:
        """What the pilot's raters add to the variance, by the best guess and in each bootstrap sample."""
        inflation = np.concatenate([[1.0], self.draws.inflation])
        return np.asarray(np.maximum(self.spread.total * inflation - self.spread.within, 0))

    def possible(self, pair: Pair) -> Moments:
        """Moments by everything that is possible, the best guess first."""
        moments, added = self.source.possible(pair), self._added
        moved = np.concatenate([[0.0], self.draws.normal]) * np.sqrt(added)
        decided = 1 - moments.tied
        return replace(
            moments, mean=moments.mean + moved, margin=np.clip(moments.margin + moved, -decided, decided),
            between=added * self.raters, crew=Crew(pair[0], self.load),
        )  # fmt: skip

    def guess(self, pair: Pair) -> Moments:
        """Moments by the best guess."""
        return replace(
            self.source.guess(pair), between=float(self._added[0]) * self.raters, crew=Crew(pair[0], self.load)
        )

    def shift_and_noise(self, pair: Pair) -> tuple[float, float]:
        """How far apart the judges are on an item, and how far its means stray: root mean squares."""
        return self.source.shift_and_noise(pair)


def for_new_raters(
    pilot: Pilot, source: MomentSource, gaps: Gaps, *, metric: str, bootstrap: int, rng: Generator
) -> MomentSource:
    """The source for raters like those of the pilot, where it says who rated and has at least three; else the same."""
    rater = pilot.ratings.rater
    if rater is None or resolve_raters(None, pilot.ratings)[0] == "fixed":
        return source
    pool = rater_pool(pilot.ratings, rng)
    n_labels = pilot.ratings.n_labels

    def statistics(cells: Cells) -> Floats:
        counts = np.zeros((pilot.n_items, len(pilot.aligned.labels)), dtype=np.intp)
        counts[:, :n_labels] = cells.dense(pilot.n_items, n_labels)
        found = gaps(counts)[counts.sum(axis=1) > 0]
        return np.array([(np.sign(found) if metric == "wins" else found).mean()])

    spread = pool.spread_of(statistics, n_labels)
    draws = rater_draws(bootstrap, pool.n_groups, rng)
    raters = len(np.unique(rater))
    return NewRaters(source=source, spread=spread, draws=draws, raters=raters, load=len(rater) / raters)
