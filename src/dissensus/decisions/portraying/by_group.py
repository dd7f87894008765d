"""Groups of raters beside each other."""

import numpy as np
from numpy.random import Generator

from dissensus.decisions.portraying.cells import Cells
from dissensus.decisions.portraying.closeness import Floats
from dissensus.decisions.portraying.result import GroupPortrait, GroupTest
from dissensus.decisions.portraying.siding import centred, permutation_p, rater_sums
from dissensus.errors import counted
from dissensus.ratings import Ratings
from dissensus.ratings.coding import Codes


def groups_of_raters(ratings: Ratings) -> tuple[Codes | None, list[str]]:
    """The group of each rater, and warnings; None if there are no groups, or they are not groups of raters."""
    if ratings.group is None or ratings.rater is None or len(ratings.groups) < 2:  # noqa: PLR2004 - two can differ
        return None, []
    pairs = np.unique(ratings.rater * len(ratings.groups) + ratings.group)
    rater, group = pairs // len(ratings.groups), pairs % len(ratings.groups)
    several = int(np.sum(np.bincount(rater) > 1))
    if several:
        said = f"Groups are not compared: {counted(several, 'rater')} rated in several of them, so the group column is"
        return None, [f"{said} not about raters. Name another one with --group."]
    return group, []


def group_portraits(ratings: Ratings, cells: Cells, group_of_rater: Codes | None) -> tuple[GroupPortrait, ...]:
    """Each group's raters and ratings, and the means of what their portraits hold."""
    if group_of_rater is None:
        return ()
    group = group_of_rater[cells.rater]
    difference = cells.agreement - cells.others
    return tuple(
        GroupPortrait(
            group=name,
            raters=int(np.sum(group_of_rater == code)),
            ratings=int(cells.size[group == code].sum()),
            difference=_mean(difference[group == code]),
            leniency=_mean(cells.leniency[group == code]),
        )
        for code, name in enumerate(ratings.groups)
    )


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def group_tests(
    ratings: Ratings, cells: Cells, group_of_rater: Codes | None, *, resamples: int, rng: Generator
) -> tuple[GroupTest, ...]:
    """Whether groups differ in agreement and in leniency more than random groups of raters do."""
    if group_of_rater is None:
        return ()
    streams = rng.spawn(2)
    heights = centred(cells, cells.height)
    several = cells.raters_of_item[cells.item] > 1
    values = {"agreement": cells.agreement - cells.others, "leniency": np.where(several, heights, np.nan)}
    found = []
    for (about, value), stream in zip(values.items(), streams, strict=True):
        sums, counts = rater_sums(cells, value, len(ratings.raters))
        p_value = permutation_p(sums, counts, group_of_rater, resamples=resamples, rng=stream)
        found.append(GroupTest(about="agreement" if about == "agreement" else "leniency", p_value=p_value))
    return tuple(found)
