"""Raters: how many rate an item, out of how many, and how they are asked."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from dissensus.errors import OptionError
from dissensus.simulation.probabilities import Floats, checked_share

Codes = npt.NDArray[np.intp]
Asked = Literal["forced_choice", "response_set", "both"]
ASKED: tuple[Asked, ...] = ("forced_choice", "response_set", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRule:
    """Which options a rater endorses who may endorse several: the own choice, and others that many would choose.

    Attributes
    ----------
    threshold : float
        Besides the own choice, an option can be endorsed if at least this share of raters would choose it for an item
        in this state.
    chance : float
        Probability that the rater endorses such an option, each on its own.
    """

    threshold: float = 0.25
    chance: float = 1.0

    def __post_init__(self) -> None:
        checked_share("The threshold of the response rule", self.threshold)
        checked_share("The chance of the response rule", self.chance)

    def endorsed(self, uniform: Floats, probabilities: Floats, choice: Codes) -> npt.NDArray[np.bool_]:
        """Which options each rater endorses.

        Parameters
        ----------
        uniform, probabilities : ndarray of shape (n_ratings, n_labels)
            Numbers in [0, 1), and the probabilities of the labels in the item's state.
        choice : ndarray of shape (n_ratings,)
            What the rater would choose if only one option could be chosen.

        Returns
        -------
        ndarray of shape (n_ratings, n_labels)

        Examples
        --------
        >>> rule = ResponseRule(threshold=0.3)
        >>> rule.endorsed(np.zeros((2, 3)), np.array([[0.6, 0.3, 0.1]] * 2), np.array([0, 2])).astype(int)
        array([[1, 1, 0],
               [1, 1, 1]])
        """
        members: npt.NDArray[np.bool_] = (probabilities >= self.threshold) & (uniform < self.chance)
        members[np.arange(len(choice)), choice] = True
        return members


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Raters who are asked in the same way.

    Attributes
    ----------
    per_item : int or (int, int)
        How many of them rate each item: a number, or a range from which each item's number is drawn, ends included.
    pool : int, optional
        How many raters there are; the largest number per item if not given. Each item gets a random few of them.
    name : str, optional
        Name of the group; None for raters without a group.
    asked : {"forced_choice", "response_set", "both"}
        For one option, for all options that apply, or first for one and then for all.
    rule : ResponseRule
        Which options they endorse if they may endorse several.
    """

    per_item: int | tuple[int, int]
    pool: int | None = None
    name: str | None = None
    asked: Asked = "forced_choice"
    rule: ResponseRule = field(default_factory=ResponseRule)

    def __post_init__(self) -> None:
        fewest, most = self.bounds
        if not 0 <= fewest <= most or most < 1:
            raise OptionError(
                f"Raters per item go from {fewest} to {most}: give a number from 1, or a range such as 3-9."
            )
        if self.size < most:
            raise OptionError(
                f"{self.size} raters cannot give {most} ratings to an item: make the pool at least {most}."
            )
        if self.asked not in ASKED:
            raise OptionError.unknown("What a panel is asked for", self.asked, ASKED)

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most ratings that an item gets."""
        return (self.per_item, self.per_item) if isinstance(self.per_item, int) else self.per_item

    @property
    def size(self) -> int:
        """How many raters there are."""
        return self.bounds[1] if self.pool is None else self.pool

    def rater_names(self) -> tuple[str, ...]:
        """Names that sort in their order: rater-01, rater-02, ..."""
        return numbered(self.name or "rater", self.size)


def numbered(prefix: str, n: int) -> tuple[str, ...]:
    """Names with numbers from 1, all of the same width, so that they sort in their order.

    Examples
    --------
    >>> numbered("item", 10)[8:]
    ('item-09', 'item-10')
    """
    width = len(str(n))
    return tuple(f"{prefix}-{i:0{width}}" for i in range(1, n + 1))


def assign_raters(rng: np.random.Generator, panel: Panel, *, items: int) -> tuple[Codes, Codes]:
    """Item and rater of each rating: each item gets a random set of distinct raters from the panel.

    Robert Floyd's sampling without replacement, for all items at once: it needs no array of items times raters.

    Returns
    -------
    item, rater : ndarray of shape (n_ratings,)
        Ordered by item, then rater.
    """
    fewest, most = panel.bounds
    number = fewest + (rng.random(items) * (most - fewest + 1)).astype(np.intp)
    if fewest == most == panel.size:
        return np.repeat(np.arange(items), most), np.tile(np.arange(most), items)
    chosen = np.full((items, most), panel.size, dtype=np.intp)  # one past the last rater: nobody
    for place in range(most):
        newest = panel.size - number + place
        candidate = (rng.random(items) * (newest + 1)).astype(np.intp)
        is_taken = (chosen[:, :place] == candidate[:, None]).any(axis=1)
        chosen[:, place] = np.where(place < number, np.where(is_taken, newest, candidate), panel.size)
    chosen.sort(axis=1)
    item, place_of = np.nonzero(chosen < panel.size)
    return item.astype(np.intp), chosen[item, place_of]
