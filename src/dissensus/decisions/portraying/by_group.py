"""Groups of raters beside each other."""

import numpy as np
from numpy.random import Generator

from dissensus.decisions.closeness import Floats
from dissensus.decisions.portraying.cells import Cells
from dissensus.decisions.portraying.grouping import Groups, on_shared_items, smallest_p
from dissensus.decisions.portraying.question import Question
from dissensus.decisions.portraying.result import About, GroupPortrait, GroupTest
from dissensus.decisions.portraying.siding import centred, groups_p


def group_portraits(cells: Cells, groups: Groups | None) -> tuple[GroupPortrait, ...]:
    """Each group's raters and ratings, and means over its ratings of items that other groups rated too."""
    if groups is None:
        return ()
    group = groups.of_cells(cells)
    in_both = on_shared_items(cells, groups)
    difference = cells.agreement - cells.others
    return tuple(
        GroupPortrait(
            group=name,
            raters=int(np.sum(groups.of_rater == code)),
            ratings=int(cells.size[group == code].sum()),
            difference=_mean(difference[in_both & (group == code)]),
            leniency=_mean(cells.leniency[in_both & (group == code)]),
        )
        for code, name in enumerate(groups.names)
    )


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def group_tests(
    cells: Cells, groups: Groups | None, question: Question, rng: Generator
) -> tuple[tuple[GroupTest, ...], list[str]]:
    """Whether groups differ in agreement and in leniency more than random groups of raters do, and warnings."""
    if groups is None:
        return (), []
    in_both = on_shared_items(cells, groups)
    values: dict[About, Floats] = {
        "agreement": np.where(in_both, cells.agreement - cells.others, np.nan),
        "leniency": centred(cells, np.where(in_both, cells.height, np.nan)),
    }
    tests = tuple(
        GroupTest(about=about, p_value=groups_p(cells, value, groups, resamples=question.resamples, rng=stream))
        for (about, value), stream in zip(values.items(), rng.spawn(len(values)), strict=True)
    )
    return tests, _said(groups, question, is_shared=bool(in_both.any()))


def _said(groups: Groups, question: Question, *, is_shared: bool) -> list[str]:
    if not is_shared:
        return ["Groups cannot be compared: no item was rated by two of them."]
    least = smallest_p(groups)
    if least <= 1 - question.confidence:
        return []
    few = "Groups of so few raters cannot be shown to differ"
    return [f"{few}: their p-value is never below {least:.2g}, however far apart they are."]
