"""Tables 4 to 15 of "How Many Raters Do You Need?": wins and MAE by closed form, the binned MEMD by simulation."""

import itertools
import math

import numpy as np
import pytest

from dissensus.papers.how_many_raters_tables import PERTURBATIONS, RESPONSES, cells
from dissensus.planning import plan_raters

SETS = 1000  # as in the paper's tool
TABLES = {table: list(group) for table, group in itertools.groupby(cells(), key=lambda cell: cell.table)}


def tolerance(cell):
    """Noise of two estimates of p from some 3,000 effective pairs of test sets; ties decide at one response."""
    if cell.metric == "emd-binned" and cell.responses == 1:
        return 0.08
    return 4.5 * math.sqrt(2 * cell.printed * (1 - cell.printed) / 3000) + 0.003


def planned(table, *, items=None, **options):
    """Our p of each cell of a table."""
    first = table[0]
    sizes = items or sorted({cell.items for cell in table})
    plan = plan_raters(metric=first.metric, effect=first.effect, items=sizes, raters=RESPONSES, **options)
    return {(design.items, design.raters): design.p_value for design in plan.grid}


def check(table, ours):
    known = [cell for cell in table if (cell.items, cell.responses) in ours]
    gaps = [abs(ours[cell.items, cell.responses] - cell.printed) for cell in known]
    assert [cell for cell, gap in zip(known, gaps, strict=True) if gap > tolerance(cell)] == []
    assert np.mean(gaps) <= 0.015


def test_all_432_cells_are_there():
    assert sum(len(table) for table in TABLES.values()) == 432
    assert {(table[0].metric, table[0].effect) for table in TABLES.values()} == set(
        itertools.product(("wins", "mae", "emd-binned"), PERTURBATIONS)
    )


@pytest.mark.parametrize("number", range(4, 12))
def test_a_table_of_wins_or_mae_by_closed_form(number):
    check(TABLES[number], planned(TABLES[number]))


def test_a_part_of_the_last_memd_table_by_simulation():
    check(TABLES[15], planned(TABLES[15], items=(25, 50, 100), simulations=SETS))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12, 16))
def test_a_table_of_memd_by_simulation(number):
    check(TABLES[number], planned(TABLES[number], simulations=SETS, rng=number))


def test_wins_prefers_items_and_mae_raters_with_the_papers_items():
    # Tables 1 and 2: with N x K fixed, p falls with N for wins and with K for MAE.
    assert plan_raters(metric="wins", effect=0.02).trade_off.helps == "items"
    assert plan_raters(metric="mae", effect=0.02).trade_off.helps == "raters"


def test_without_items_that_everybody_agrees_on_wins_prefers_raters_too():
    assert plan_raters(metric="wins", effect=0.02, spread=(0.1, 0.3)).trade_off.helps == "raters"
