"""Tables 4 to 15 of "How Many Raters Do You Need?": wins and MAE by closed form, the binned MEMD by simulation.

That furthest cell, mean and order of each table are as printed are claims, which test_papers.py checks.
"""

import itertools
from statistics import NormalDist

import numpy as np
import pytest

from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.reproduce.how_many_raters import (
    EQUAL_RATINGS,
    PERTURBATIONS,
    RESPONSES,
    Cell,
    cell_error,
    cells,
    responses_needed,
    table_of,
)

SETS = 1000  # as in the paper's tool
FURTHEST = NormalDist().inv_cdf(1 - 0.01 / (2 * 36))  # standard errors of the furthest of 36 cells, 99 times of 100
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
    assert max(abs(ours[c.items, c.responses] - c.printed) / cell_error(c) for c in last) <= FURTHEST


@pytest.mark.parametrize("number", range(4, 16))
def test_no_constant_p_reproduces_a_table(number):
    # Neither .5, nor the table's mean, nor the constant that is nearest to its furthest cell.
    printed, error = (np.array([get(cell) for cell in TABLES[number]]) for get in (lambda c: c.printed, cell_error))
    for constant in (0.5, printed.mean(), *np.linspace(0, 1, 101)):
        assert np.max(np.abs(constant - printed) / error) > FURTHEST


def test_the_standard_error_of_a_cell_is_that_of_pairs_of_test_sets():
    # p = share of pairs (null, alternative) of normal test sets with null >= alternative, 400 tables.
    stream, cell = np.random.default_rng(0), Cell(4, "wins", 0.005, 25, 1, 0.25)
    away = NormalDist().inv_cdf(0.75) * 2**0.5
    null, alternative = np.sort(stream.normal(0, 1, (400, SETS)), axis=1), stream.normal(away, 1, (400, SETS))
    p = [1 - np.searchsorted(one, other).mean() / SETS for one, other in zip(null, alternative, strict=True)]
    assert np.std(p) == pytest.approx(cell_error(cell), rel=0.1)


def test_tables_1_and_2_repeat_cells_with_equally_many_ratings():
    # Printed in Table 1: .4428 at 100 x 10 and .4403 at 1000 x 1, perturbation .005.
    printed = {(c.items, c.responses): c.printed for c in TABLES[4]}
    assert (round(printed[100, 10], 4), round(printed[1000, 1], 4)) == (0.4428, 0.4403)
    assert all(len({items * responses for items, responses in group}) == 1 for group in EQUAL_RATINGS)


def test_three_pairs_of_table_1_go_against_what_it_is_to_show():
    # As the claim about Table 1 says: among 28 neighbours with equally many ratings, more items have the higher p.
    pairs = [
        (printed[few], printed[many])
        for printed in ({(c.items, c.responses): c.printed for c in TABLES[number]} for number in range(4, 8))
        for group in EQUAL_RATINGS
        for few, many in itertools.pairwise(group)
    ]
    assert len(pairs) == 28
    assert sum(few < many for few, many in pairs) == 3


def test_mae_is_more_sensitive_than_wins_only_where_the_claim_says_so():
    # With 10 responses or more at perturbation .1, and with at most 100 items and 50 responses at a smaller one.
    ahead = [
        (effect, *cell)
        for effect in PERTURBATIONS
        for cell, p in table_of("wins", effect).items()
        if p > table_of("mae", effect)[cell]
    ]
    assert sum(responses >= 10 for effect, _, responses in ahead if effect == 0.1) == 24
    assert sum(effect == 0.1 for effect, *_ in ahead) == 24
    assert max(items for effect, items, _ in ahead if effect < 0.1) <= 100
    assert (TABLES[4][0].printed, TABLES[8][0].printed) == (0.532728, 0.495551)  # 25 x 1


def test_25_responses_are_too_few_for_1000_items():
    # Section 6 says that 25 are enough for MAE at perturbation .02; its own Table 10 has p = .1017 there.
    printed = {(c.items, c.responses): c.printed for c in TABLES[10]}
    assert printed[1000, 25] == 0.101698
    assert min(responses for (items, responses), p in printed.items() if items == 1000 and p < 0.05) == 50
    assert responses_needed("mae", 0.02, items=1000) == 50


def test_wins_prefers_items_and_mae_raters_with_the_papers_items():
    # Tables 1 and 2: with N x K fixed, p falls with N for wins and with K for MAE.
    assert plan_raters(metric="wins", effect=0.02).trade_off.helps == "items"
    assert plan_raters(metric="mae", effect=0.02).trade_off.helps == "raters"
