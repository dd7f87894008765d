"""Sequences of responses to an item: its own in random order, then further ones as an urn gives them.

Of so many raters as the pilot has, nothing needs to be assumed: some of an item's ratings are left out at random.
Raters beyond them answer as a Dirichlet-multinomial model predicts from the ratings there are, which is Polya's urn:
each new rating repeats an earlier one, or follows the model's prior.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from dissensus.planning.raters.nodes import Floats

Codes = npt.NDArray[np.intp]


def shuffled(size: Codes, width: int, draws: int, rng: Generator) -> Codes:
    """Positions of each item's responses in random order, of shape (n_items, draws, width); then those of none."""
    keys = rng.random((len(size), draws, width))
    keys[np.broadcast_to((np.arange(width) >= size[:, None])[:, None, :], keys.shape)] = 2
    return np.argsort(keys, axis=2)


def continued(
    first: Codes,
    size: Codes,
    wanted: int,
    rng: Generator,
    *,
    concentration: float = 0.0,
    fresh: Callable[[], Codes] | None = None,
) -> Codes:
    """Sequences of `wanted` codes: the first `size` of each item are given, the others come from the urn.

    Parameters
    ----------
    first : ndarray of shape (n_items, draws, width)
        The responses there are, in order.
    size : ndarray of shape (n_items,)
        How many of them count.
    wanted : int
        Length of the sequences.
    rng : Generator
        Source of random numbers.
    concentration : float
        How many ratings the prior is worth; at 0 each further response repeats an earlier one.
    fresh : callable, optional
        Draws from the prior, of shape (n_items, draws).
    """
    n, draws, width = first.shape
    sequence = np.zeros((n, draws, wanted), dtype=np.intp)
    sequence[:, :, : min(width, wanted)] = first[:, :, :wanted]
    for place in range(int(size.min()), wanted):
        earlier = (rng.random((n, draws)) * place).astype(np.intp)[:, :, None]
        new = np.take_along_axis(sequence, earlier, axis=2)[:, :, 0]
        if fresh is not None:
            is_fresh = rng.random((n, draws)) * (concentration + place) < concentration
            new = np.where(is_fresh, fresh(), new)
        is_new = (place >= size)[:, None]
        sequence[:, :, place] = np.where(is_new, new, sequence[:, :, place])
    return sequence


def chosen_answers(size: Codes, wanted: int, draws: int, rng: Generator) -> Codes | None:
    """Which of a judge's answers to each item are used, of shape (n_items, draws, wanted); None if all are.

    More answers than there are repeat earlier ones: a judge that was asked once would answer the same again.
    """
    if (size == wanted).all() or (size == 1).all():
        return None
    return continued(shuffled(size, int(size.max()), draws, rng), size, wanted, rng)


def drawn_labels(shares: Floats, draws: int, rng: Generator) -> Codes:
    """A label for each item and draw, by the item's shares, of shape (n_items, draws)."""
    below = np.cumsum(shares, axis=1)[:, None, :-1]
    return np.asarray((rng.random((len(shares), draws))[:, :, None] > below).sum(axis=2), dtype=np.intp)
