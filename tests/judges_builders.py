"""Ratings and judges from plain lists of answers, for the tests of `judges`."""

import numpy as np

from dissensus.data import Judges, Ratings
from dissensus.methods.judges.result import JudgesOptions
from dissensus.methods.judges.reverse_matrix import apply_reverse, pooled_reverse
from dissensus.simulation.panels import draw_categories

OPTIONS = ("a", "b", "c")
KINDS = {"choice": 0, "set": 1, None: -1}
ASKED = JudgesOptions(positive=("a", "b"), tau=(0.3, 0.5), bootstrap=0, seed=0)


def names_of(n, prefix="item"):
    return tuple(f"{prefix}-{i:04}" for i in range(n))


def coded(answers, options):
    """Labels in order, and the code of each answer."""
    sets = sorted({tuple(sorted(own)) for _, own in answers if len(own) > 1}, key=lambda s: (len(s), s))
    labels = (*options, *("|".join(options[o] for o in s) for s in sets))
    place = {frozenset([o]): o for o in range(len(options))} | {
        frozenset(s): len(options) + i for i, s in enumerate(sets)
    }
    return labels, np.array([place[frozenset(own)] for _, own in answers], dtype=np.intp)


def ratings_from(items, options=OPTIONS, *, raters=None, **more):
    """Ratings from a list of answers (kind, options) for each item; everybody is another rater unless told."""
    rows = [(i, answer) for i, given in enumerate(items) for answer in given]
    labels, label = coded([answer for _, answer in rows], options)
    who = np.arange(len(rows)) if raters is None else np.array([r for given in raters for r in given])
    return Ratings(
        item=np.array([i for i, _ in rows]),
        rater=who,
        raters=names_of(int(who.max()) + 1, "rater"),
        label=label,
        labels=labels,
        options=options,
        elicitation=np.array([KINDS[kind] for _, (kind, _) in rows]),
        items=names_of(len(items)),
        **more,
    )


def judges_from(judges, options=OPTIONS):
    """Judges from {name: a list of answers for each item}."""
    names = tuple(judges)
    rows = [
        (j, i, sample, answer)
        for j, name in enumerate(names)
        for i, given in enumerate(judges[name])
        for sample, answer in enumerate(given)
    ]
    labels, label = coded([answer for *_, answer in rows], options)
    n_items = max(len(items) for items in judges.values())
    return Judges(
        item=np.array([i for _, i, *_ in rows]),
        judge=np.array([j for j, *_ in rows]),
        sample=np.array([sample for *_, sample, _ in rows]),
        label=label,
        labels=labels,
        options=options,
        elicitation=np.array([KINDS[kind] for *_, (kind, _) in rows]),
        items=names_of(n_items),
        judges=names,
    )


def choices(*codes):
    """Forced choices of one item."""
    return [("choice", {code}) for code in codes]


def sets(*given):
    """Response sets of one item."""
    return [("set", set(own)) for own in given]


def sample_pairs(population, pairs, rng):
    """Codes of the forced choice and the response set of this many raters, each on an item drawn at random."""
    n_items = len(population.stable)
    item = (rng.random(pairs) * n_items).astype(np.intp)
    response_set = draw_categories(rng.random(pairs), population.observed[item])
    choice = draw_categories(rng.random(pairs), population.choice[item, :, response_set])
    return choice, response_set


def paired_marginals(population, soft, pairs, stream):
    """Omega through F' estimated from raters who gave both."""
    reverse = pooled_reverse(*sample_pairs(population, pairs, stream), population.members)
    return apply_reverse(soft, reverse, population.members)
