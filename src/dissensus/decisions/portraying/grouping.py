"""Which group each rater is in."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dissensus.decisions.portraying.cells import Cells
from dissensus.errors import counted
from dissensus.ratings import Ratings
from dissensus.ratings.assemble import NO_GROUP
from dissensus.ratings.coding import Codes


class Groups(NamedTuple):
    """Groups of raters.

    Attributes
    ----------
    names : tuple of str
        Two or more.
    of_rater : ndarray of shape (n_raters,)
        Code into `names`; -1 for a rater without a group.
    """

    names: tuple[str, ...]
    of_rater: Codes

    def of_cells(self, cells: Cells) -> Codes:
        """The group of each cell's rater."""
        return np.asarray(self.of_rater[cells.rater])


def groups_of_raters(ratings: Ratings) -> tuple[Groups | None, list[str]]:
    """The groups, and warnings; None if there are fewer than two, or they are not groups of raters.

    A rater whose group is missing in some rows is in that of the others.
    """
    names = tuple(name for name in ratings.groups if name != NO_GROUP)
    if ratings.group is None or ratings.rater is None or len(names) < 2:  # noqa: PLR2004 - two can differ
        return None, []
    codes = {name: code for code, name in enumerate(names)}
    group = np.array([codes.get(name, -1) for name in ratings.groups], dtype=np.intp)[ratings.group]
    of_rater = np.full(len(ratings.raters), -1, dtype=np.intp)
    of_rater[ratings.rater[group >= 0]] = group[group >= 0]
    differs = (group >= 0) & (of_rater[ratings.rater] != group)
    several = int(np.count_nonzero(np.bincount(ratings.rater[differs])))
    if several:
        said = f"Groups are not compared: {counted(several, 'rater')} rated in several of them, so the group column is"
        return None, [f"{said} not about raters. Name another one with --group."]
    without = int(np.sum(of_rater < 0))
    left_out = f"Left out {counted(without, 'rater')} without a group where groups are compared."
    return Groups(names, of_rater), [left_out] if without else []


def on_shared_items(cells: Cells, groups: Groups) -> npt.NDArray[np.bool_]:
    """Which cells of raters in groups are of items that two or more groups rated: others say nothing about groups."""
    group = groups.of_cells(cells)
    known = group >= 0
    one = np.full(len(cells.raters_of_item), -1, dtype=np.intp)
    one[cells.item[known]] = group[known]
    is_shared = np.bincount(cells.item[known & (one[cells.item] != group)], minlength=len(one)) > 0
    return np.asarray(known & is_shared[cells.item])


def smallest_p(groups: Groups) -> float:
    """The p-value of groups that could not be farther apart: one in so many dealings of the raters."""
    sizes = np.bincount(groups.of_rater[groups.of_rater >= 0], minlength=len(groups.names))
    dealings = math.lgamma(sizes.sum() + 1) - sum(math.lgamma(size + 1) for size in sizes)
    alike = sum(math.lgamma(times + 1) for times in np.bincount(sizes)[1:])  # groups of a size can change places
    return math.exp(alike - dealings)
