"""Ratings, judges and responses for the tests of comparisons."""

import numpy as np
import pandas as pd

from dissensus import read, read_judges
from dissensus.data.align import Responses
from dissensus.methods.compare.pairs import Space, problem_of

N_ITEMS, N_RESPONSES = 100, 5


def padded(lists):
    """Lists of numbers as a matrix, NaN where a row is shorter."""
    matrix = np.full((len(lists), max(len(values) for values in lists)), np.nan)
    for row, values in zip(matrix, lists, strict=True):
        row[: len(values)] = values
    return matrix


def ratings_of(items, **options):
    """Ratings from a list of labels per item."""
    rows = [(f"i{i:03}", f"r{r}", label) for i, given in enumerate(items) for r, label in enumerate(given)]
    return read(pd.DataFrame(rows, columns=["item", "rater", "label"]), **options)


def judges_of(**answers):
    """Judges from lists of answers per item: one label, a list of samples, or nothing (None)."""
    rows = []
    for judge, items in answers.items():
        for i, given in enumerate(items):
            samples = [] if given is None else given if isinstance(given, list) else [given]
            rows += [(f"i{i:03}", judge, sample, label) for sample, label in enumerate(samples)]
    return read_judges(pd.DataFrame(rows, columns=["item", "judge", "sample", "label"]))


def normal_items(kind, rng, *, n_items=N_ITEMS, n_responses=N_RESPONSES):
    """Responses of raters, A and B as in the paper: mu ~ U[0, 1], sigma ~ U[0, .3], unclipped normal responses.

    Parameters
    ----------
    kind : {"no difference", "equal quality", "real difference"}
        B as good as A and the same; both perturbed by their own eps_i ~ U[-.2, .2]; only B, by U[-.1, .1].
    """
    mu, sigma = rng.uniform(0, 1, n_items), rng.uniform(0, 0.3, n_items)

    def drawn(eps):
        center = np.clip(mu + rng.uniform(-eps, eps, n_items), 0, 1)
        return center[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses))

    a, b = {"no difference": (0, 0), "equal quality": (0.2, 0.2), "real difference": (0, 0.1)}[kind]
    return drawn(0), drawn(a), drawn(b)


def problem_of_values(people, a, b, metric, space=None):
    """The problem of comparing judges whose responses are numbers.

    `people`, `a`, `b` (n_items, n_responses): NaN where an item has fewer responses; the numbers of responses may
    differ. `metric`: one that takes numbers. `space`: the bins, where the metric has some.
    """
    parties = [_responses_of_values(np.asarray(values, dtype=np.float64)) for values in (people, a, b)]
    return problem_of(parties, metric, space or Space(n_labels=1))


def _responses_of_values(values):
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
