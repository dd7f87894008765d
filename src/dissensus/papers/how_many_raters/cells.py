"""Every cell of Tables 3 to 15 of "How Many Raters Do You Need?", ours beside the printed one.

The printed p of every cell stands in `how_many_raters_tables`. Tables 1 and 2 repeat cells of Tables 4 to 11; what
they are to show is in `how_many_raters_words`.
"""

import math
from functools import cache, partial

from dissensus.papers.claims import Claim, Part
from dissensus.papers.data import PaperData
from dissensus.papers.how_many_raters.tables import ITEMS, PERTURBATIONS, RESPONSES, Cell, cells
from dissensus.planning import plan_raters
from dissensus.planning.raters.question import PlanMetric

PAPER = "how-many-raters"
SETS = 1000
"""Test sets behind a cell, in the authors' tool and in our simulation."""
INDEPENDENT = 3000
"""Pairs of test sets that carry as much as the million that share 1,000 sets on either side."""
ERRORS = 4.5
"""Standard errors that a cell may be away, so that none of 432 is by chance."""
BY_TIES = 0.08
"""The same for one response per item, where most test sets tie and the tie decides."""

METRIC_NAMES: dict[str, PlanMetric] = {"wins": "wins", "mae": "mae", "emd-binned": "emd-binned"}
SHOWN = {"wins": "Wins", "mae": "MAE", "emd-binned": "MEMD"}

# Table 3, as printed.
DIFFERENCES = {
    "mae": {0.005: 0.0024, 0.01: 0.0106, 0.02: 0.0139, 0.1: 0.0243},
    "emd-binned": {0.005: 0.0036, 0.01: 0.0566, 0.02: 0.1773, 0.1: 0.3232},
    "wins": {0.005: 0.0146, 0.01: 0.0237, 0.02: 0.0438, 0.1: 0.1631},
}


@cache
def table_of(metric: str, effect: float) -> dict[tuple[int, int], float]:
    """Our p of each cell of a table: by closed form, and for the MEMD by simulation."""
    plan = plan_raters(
        metric=METRIC_NAMES[metric], effect=effect, items=ITEMS, raters=RESPONSES, simulations=SETS, rng=0
    )
    return {(design.items, design.raters): design.p_value for design in plan.grid}


def cell_value(cell: Cell, data: PaperData) -> float:
    """Our p of one cell."""
    del data  # nothing but the model is needed
    return table_of(cell.metric, cell.effect)[cell.items, cell.responses]


def cell_tolerance(cell: Cell) -> float:
    """How far two estimates of p from test sets like theirs lie apart."""
    if cell.metric == "emd-binned" and cell.responses == 1:
        return BY_TIES
    return ERRORS * math.sqrt(2 * cell.printed * (1 - cell.printed) / INDEPENDENT) + 0.003


def _cell_claim(cell: Cell) -> Claim:
    where = f"table {cell.table}, {cell.items} items x {cell.responses} responses"
    return Claim(
        paper=PAPER,
        claim=where,
        what=f"Expected p of {SHOWN[cell.metric]} with perturbation {cell.effect:g}.",
        published=cell.printed,
        compute=partial(cell_value, cell),
        tolerance=cell_tolerance(cell),
        tolerance_reason=(
            "With one response per item most test sets tie."
            if cell.metric == "emd-binned" and cell.responses == 1
            else f"{ERRORS:g} standard errors of the printed value, which rests on {SETS:,} simulated test sets."
        ),
        group=f"table {cell.table}",
    )


def _difference_claim(metric: str, effect: float) -> Claim:
    """A difference of Table 3: nobody says at how many items and responses it was taken."""
    printed, largest = DIFFERENCES[metric][effect], effect / 2
    reason = "The paper does not say at how many items and responses the scores were taken."
    if metric == "mae" and printed > largest:
        reason = (
            f"Impossible as printed: B's mean is off by up to {effect:g} either way, so its mean absolute error can "
            f"exceed A's by {largest:g} on average at most. Unexplained."
        )
    if (metric, effect) == ("emd-binned", PERTURBATIONS[0]):
        reason += " Unexplained: B's mean score, 1.2055, is below A's, 1.2091, so B would be the better one."
    name, what = f"table 3, {SHOWN[metric]} at perturbation {effect:g}", f"Difference in {SHOWN[metric]} of A and B."
    return Part(paper=PAPER, group="table 3").out_of_reach(name, what, printed, reason)


DIFFERENCE_CLAIMS = tuple(_difference_claim(metric, effect) for metric, row in DIFFERENCES.items() for effect in row)
CELL_CLAIMS = tuple(_cell_claim(cell) for cell in cells())
"""Every cell of Table 3, and of Tables 4 to 15."""
