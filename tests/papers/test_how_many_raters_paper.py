"""Tables 4 to 15 of "How Many Raters Do You Need?": wins and MAE by closed form, the binned MEMD by simulation.

That each cell is within its tolerance is a claim, which tests/test_papers.py checks.
"""

import itertools

import numpy as np
import pytest

from dissensus.papers.how_many_raters_cells import cell_tolerance, table_of
from dissensus.papers.how_many_raters_tables import PERTURBATIONS, RESPONSES, cells
from dissensus.papers.how_many_raters_words import EQUAL_RATINGS
from dissensus.planning import plan_raters

SETS = 1000  # as in the paper's tool
TABLES = {table: list(group) for table, group in itertools.groupby(cells(), key=lambda cell: cell.table)}


def mean_gap(number):
    table = TABLES[number]
    ours = table_of(table[0].metric, table[0].effect)
    return np.mean([abs(ours[cell.items, cell.responses] - cell.printed) for cell in table])


def test_all_432_cells_are_there():
    assert sum(len(table) for table in TABLES.values()) == 432
    assert {(table[0].metric, table[0].effect) for table in TABLES.values()} == set(
        itertools.product(("wins", "mae", "emd-binned"), PERTURBATIONS)
    )


@pytest.mark.parametrize("number", range(4, 12))
def test_a_table_of_wins_or_mae_is_off_by_its_own_noise(number):
    assert mean_gap(number) <= 0.015


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12, 16))
def test_a_table_of_memd_is_off_by_its_own_noise(number):
    assert mean_gap(number) <= 0.015


def test_a_part_of_the_last_memd_table_by_simulation():
    last = [cell for cell in TABLES[15] if cell.items <= 100]
    plan = plan_raters(metric="emd-binned", effect=0.1, items=(25, 50, 100), raters=RESPONSES, simulations=SETS, rng=0)
    ours = {(design.items, design.raters): design.p_value for design in plan.grid}
    assert [c for c in last if abs(ours[c.items, c.responses] - c.printed) > cell_tolerance(c)] == []


def test_tables_1_and_2_repeat_cells_with_equally_many_ratings():
    # Printed in Table 1: .4428 at 100 x 10 and .4403 at 1000 x 1, perturbation .005.
    printed = {(c.items, c.responses): c.printed for c in TABLES[4]}
    assert (round(printed[100, 10], 4), round(printed[1000, 1], 4)) == (0.4428, 0.4403)
    assert all(len({items * responses for items, responses in group}) == 1 for group in EQUAL_RATINGS)


def test_wins_prefers_items_and_mae_raters_with_the_papers_items():
    # Tables 1 and 2: with N x K fixed, p falls with N for wins and with K for MAE.
    assert plan_raters(metric="wins", effect=0.02).trade_off.helps == "items"
    assert plan_raters(metric="mae", effect=0.02).trade_off.helps == "raters"
