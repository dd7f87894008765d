"""Questions that cannot be asked of the data, each refused in one line that says what to do."""

import re

import numpy as np
import pandas as pd
import pytest

from dissensus import equivalence, read, read_judges
from dissensus.errors import OptionError, RatingsError
from dissensus.methods.equivalence.bounds import equivalence_ends

ROWS = [(i, f"{group}{r}", "ab"[(i + r) % 2], group) for i in range(6) for r in range(3) for group in ("e", "n")]


def ratings_of(rows=ROWS):
    return read(pd.DataFrame(rows, columns=["item", "rater", "label", "group"]))


def judges_of(items=range(6), **columns):
    return read_judges(pd.DataFrame({"item": list(items), "judge": "j", "p_a": 0.5, "p_b": 0.5, **columns}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experts": "e", "amateurs": "e"}, "experts= and amateurs= are both e: name two different groups."),
        ({"reference_raters": 9}, "reference_raters= 9 is more than any item has: the most are 6."),
        ({"interval": "wald"}, "interval= cannot be 'wald': choose one of studentized, basic, percentile."),
        ({"weights": "label"}, "weights= cannot be 'label': choose one of item, rater."),
        ({"elicitation": "forced_choice"}, "The ratings do not say how they were elicited"),
    ],
)
def test_contradictions_are_refused(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        equivalence(ratings_of(), judges_of(), bootstrap=0, **options)


def test_experts_and_amateurs_without_a_common_item_are_refused():
    rows = [row for row in ROWS if (row[3] == "e") == (row[0] < 3)]
    with pytest.raises(RatingsError, match="No item was rated by both e and n: check the groups"):
        equivalence(ratings_of(rows), judges_of(), experts="e", amateurs="n", bootstrap=0)


def test_items_that_amateurs_did_not_rate_are_counted():
    rows = [row for row in ROWS if row[3] == "e" or row[0] < 4]
    result = equivalence(ratings_of(rows), judges_of(), experts="e", amateurs="n", bootstrap=0)
    assert "Left out 2 items that n did not rate." in result.warnings
    assert result.curve[0].items == 4


def test_a_table_of_outputs_that_occur_once_is_warned_of():
    share = np.linspace(0.1, 0.9, 6)
    judges = judges_of(p_a=share, p_b=1 - share)
    result = equivalence(ratings_of(), judges, calibrate="table", bootstrap=0)
    assert any("use calibrate= auto" in warning for warning in result.warnings)


def test_the_interval_holds_the_numbers_of_raters_that_cannot_be_told_from_the_judge():
    # The judge beats 0 raters by 2, ties with 2, loses to 4 by 2, one rater apart for each point; every replicate
    # moves all gaps by the same -1, 0 or 1, so 1 to 3 raters cannot be told apart from it.
    gap = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
    gaps = gap + np.repeat([-1.0, 0.0, 1.0], 100)[:, None]
    assert equivalence_ends(gaps, 0.95) == (1.0, 3.0)


def test_a_judge_above_the_curve_keeps_its_lower_bound():
    gap = np.array([5.0, 2.0, 1.0])
    gaps = gap + np.repeat([-1.5, 0.0, 1.5], 100)[:, None]
    low, high = equivalence_ends(gaps, 0.95)
    assert low == 1.5  # between 1 rater (2 - 1.5 > 0) and 2 raters (1 - 1.5 < 0)
    assert high == np.inf
