"""What is seen of a population: few forced choices per item, and few raters who gave a response set as well."""

import numpy as np
from numpy.random import Generator

from dissensus.simulation.indeterminate_model import endorsements, recalled_sets, reverse_choice, reverse_error
from dissensus.simulation.indeterminate_population import Population
from dissensus.simulation.panels import Codes
from dissensus.simulation.probabilities import Floats, draw_categories


def sample_choices(soft: Floats, ratings: int, rng: Generator) -> Floats:
    """Shares of the options among so many forced choices per item.

    Parameters
    ----------
    soft : ndarray of shape (n_items, n_options)
        The probability of each choice.
    ratings : int
        How many choices are drawn for each item.
    rng : Generator
        Source of random numbers.

    Returns
    -------
    ndarray of shape (n_items, n_options)
    """
    n_items, n_options = soft.shape
    item = np.repeat(np.arange(n_items), ratings)
    chosen = draw_categories(rng.random(len(item)), soft[item])
    counts = np.bincount(item * n_options + chosen, minlength=soft.size).reshape(soft.shape)
    return np.asarray(counts / ratings)


def sample_pairs(population: Population, pairs: int, rng: Generator) -> tuple[Codes, Codes]:
    """Forced choice and response set of so many raters, each on an item drawn at random.

    Returns
    -------
    choice, response_set : ndarray of shape (pairs,)
        Codes of options and of sets.
    """
    n_items = len(population.stable)
    item = (rng.random(pairs) * n_items).astype(np.intp)
    response_set = draw_categories(rng.random(pairs), population.observed[item])
    choice = draw_categories(rng.random(pairs), population.choice[item, :, response_set])
    return choice, response_set


def oracle_marginals(population: Population, soft: Floats) -> Floats:
    """Omega without error, estimated with the true F' and E' of each item (Appendix D.1).

    Parameters
    ----------
    population : Population
        The truth.
    soft : ndarray of shape (n_items, n_options)
        Shares of the forced choices that were seen.

    Returns
    -------
    ndarray of shape (n_items, n_options)
    """
    observed = recalled_sets(soft, reverse_choice(population.choice, population.observed, population.members))
    if not np.array_equal(population.error, np.eye(len(population.error))):
        observed = recalled_sets(observed, reverse_error(population.error, population.stable))
    return endorsements(observed, population.members)
