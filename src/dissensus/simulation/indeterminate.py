"""Draw ratings and judges from a population that may find several options reasonable."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dissensus.errors import OptionError
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.labels import SEPARATOR
from dissensus.simulation.indeterminate_model import Flags
from dissensus.simulation.indeterminate_population import Indeterminacy, Population, draw_population
from dissensus.simulation.indeterminate_truth import IndeterminateTruth
from dissensus.simulation.panels import Codes, numbered
from dissensus.simulation.probabilities import draw_categories

FORCED_CHOICE, RESPONSE_SET = 0, 1


class SimulatedIndeterminate(NamedTuple):
    """What was drawn, and from what."""

    ratings: Ratings
    judges: Judges
    truth: IndeterminateTruth


def simulate_indeterminate(
    design: Indeterminacy | None = None,
    *,
    items: int = 100,
    raters: int = 5,
    paired: int = 100,
    judges: int = 10,
    samples: int = 10,
    rng: int | Generator | None = None,
) -> SimulatedIndeterminate:
    """Ratings and judges' answers of an indeterminate task, with the truth behind them.

    Options are called A, B, C, ...; A is the positive one. Every rater gives every item a forced choice; for some
    ratings, drawn at random, the rater also gives the response set. Judges always give both.

    Parameters
    ----------
    design : Indeterminacy, optional
        How people and judges rate; three options and every set of them if not given.
    items, raters, judges : int
        How many.
    paired : int
        How many ratings come with a response set.
    samples : int
        How many answers of either kind each judge gives to each item.
    rng : int or Generator, optional
        Seed.

    Returns
    -------
    SimulatedIndeterminate
        `ratings`, `judges` and `truth`.

    Examples
    --------
    >>> ratings, judges, truth = simulate_indeterminate(items=20, raters=3, paired=30, judges=2, samples=5, rng=0)
    >>> ratings.n_ratings, judges.n_answers, truth.options
    (90, 400, ('A', 'B', 'C'))
    """
    if min(items, raters, samples) < 1 or judges < 0:
        raise OptionError(
            f"{items} items, {raters} raters, {judges} judges and {samples} samples: only judges can be none."
        )
    if not 0 <= paired <= items * raters:
        raise OptionError(f"{paired} paired ratings of {items * raters} ratings: give a number from 0 to that.")
    stream = np.random.default_rng(rng)
    chosen = Indeterminacy() if design is None else design
    population = draw_population(chosen, items=items, judges=judges, rng=stream)
    truth = IndeterminateTruth(
        design=chosen, population=population, items=numbered("item", items), judges=numbered("judge", judges)
    )
    return SimulatedIndeterminate(
        ratings=_draw_ratings(stream, population, truth, raters=raters, paired=paired),
        judges=_draw_judges(stream, population, truth, samples=samples),
        truth=truth,
    )


def _draw_ratings(
    rng: Generator, population: Population, truth: IndeterminateTruth, *, raters: int, paired: int
) -> Ratings:
    n_items = len(truth.items)
    item, rater = np.repeat(np.arange(n_items), raters), np.tile(np.arange(raters), n_items)
    given = draw_categories(rng.random(len(item)), population.observed[item])
    choice = draw_categories(rng.random(len(item)), population.choice[item, :, given])
    also = np.sort(np.argsort(rng.random(len(item)), kind="stable")[:paired])
    row = np.concatenate([np.arange(len(item)), also])
    elicitation = np.repeat([FORCED_CHOICE, RESPONSE_SET], [len(item), len(also)])
    order = np.lexsort((elicitation, row))
    label, labels = _labels(np.concatenate([choice, given[also]]), truth.options, population.members)
    return Ratings(
        item=item[row[order]],
        items=truth.items,
        rater=rater[row[order]],
        raters=numbered("rater", raters),
        label=label[order],
        labels=labels,
        options=truth.options,
        elicitation=elicitation[order],
    )


def _draw_judges(rng: Generator, population: Population, truth: IndeterminateTruth, *, samples: int) -> Judges:
    n_judges, n_items = len(truth.judges), len(truth.items)
    judge = np.repeat(np.arange(n_judges), n_items * samples)
    item = np.tile(np.repeat(np.arange(n_items), samples), n_judges)
    given = draw_categories(rng.random(len(item)), population.judge_stable[judge, item])
    choice = draw_categories(rng.random(len(item)), population.judge_choice[judge, item, :, given])
    label, labels = _labels(np.column_stack([choice, given]).ravel(), truth.options, population.members)
    return Judges(
        item=np.repeat(item, 2),
        items=truth.items if n_judges else (),
        judge=np.repeat(judge, 2),
        judges=truth.judges,
        sample=np.repeat(np.tile(np.arange(samples), n_judges * n_items), 2),
        label=label,
        labels=labels,
        options=truth.options,
        elicitation=np.tile([FORCED_CHOICE, RESPONSE_SET], len(item)),
    )


def _labels(sets: Codes, options: tuple[str, ...], members: Flags) -> tuple[Codes, tuple[str, ...]]:
    """Codes and names of labels: every option, then the larger sets that were given. The first sets are the options."""
    is_kept = np.bincount(sets, minlength=len(members)) > 0
    is_kept[: len(options)] = True
    names = (SEPARATOR.join(options[i] for i in np.flatnonzero(row)) for row in members[is_kept])
    return np.asarray((np.cumsum(is_kept) - 1)[sets], dtype=np.intp), tuple(names)
