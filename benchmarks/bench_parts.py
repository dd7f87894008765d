"""Twenty slices against all items at once: slices must cost at most three times as much."""

import sys
import time

import numpy as np

from dissensus import decide, equivalence, read, read_judges
from dissensus.data.slices import sliced, slicing_of

from timing import best_seconds, report

ITEMS, RATERS, PER_ITEM, LABELS, SLICES = 1000, 20, 5, 3, 20
MOST = 3.0


def population(rng):
    """Ratings of items with shares of their own, and two judges who know something about them."""
    shares = rng.dirichlet(np.full(LABELS, 0.6), size=ITEMS)
    people, answers = [], []
    for i, own in enumerate(shares):
        raters = rng.permutation(RATERS)[:PER_ITEM]
        people += [(f"i{i:04d}", f"r{rater}", str(rng.choice(LABELS, p=own))) for rater in raters]
        for judge in ("a", "b"):
            told = 0.6 * own + 0.4 * rng.dirichlet(np.ones(LABELS))
            answers.append({"item": f"i{i:04d}", "judge": judge, "label": str(told.argmax())})
    return read(people), read_judges(answers)


def main():
    """Time both, and say how many times as long slices take."""
    ratings, judges = population(np.random.default_rng(0))
    kinds = {item: f"kind {i % SLICES}" for i, item in enumerate(ratings.items)}
    cut = sliced(ratings, slicing_of("kind", kinds))
    kept = []
    for method in (equivalence, decide):
        method(ratings, judges)  # imports
        whole = best_seconds(lambda method=method: method(ratings, judges), times=3, clock=time.process_time)
        parts = best_seconds(lambda method=method: method(cut, judges), times=3, clock=time.process_time)
        kept.append(report(f"{method.__name__} of {SLICES} slices / of all items", parts, whole, limit=MOST))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
