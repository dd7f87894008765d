"""Every cell of Tables 3 to 15 of "How Many Raters Do You Need?", ours beside the printed one.

The printed p of every cell stands in `how_many_raters_tables`. Tables 1 and 2 repeat cells of Tables 4 to 11; what
they are to show is in `how_many_raters_words`.

Tables 6, 9 and 10 have two rows for 25 items in the text that we have; the first is garbled, so the second is used.
In Table 10 that row's third number is illegible (0.46/5/0) and is taken from the first row, 0.467570.

Not here: Table 3, which stands in `how_many_raters_cells`. Two of its differences in MAE exceed their possible maximum,
half of the perturbation, and are unexplained.
"""

import math
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from dissensus.methods.plan_raters.options import PlanMetric
from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.reproduce.claims import Claim, Drawing, Part, Point
from dissensus.methods.reproduce.data import PaperData

# ---- What "How Many Raters Do You Need?" prints: the p of every test set in Tables 4 to 15, as printed

ITEMS = (25, 50, 100, 250, 500, 1000)
RESPONSES = (1, 5, 10, 25, 50, 100)
PERTURBATIONS = (0.005, 0.01, 0.02, 0.1)
METRICS = ("wins", "mae", "emd-binned")
FIRST_TABLE = 4

P_VALUES = {
    4: (
        (0.532728, 0.532937, 0.504313, 0.504714, 0.493821, 0.445982),
        (0.483674, 0.506107, 0.466705, 0.470275, 0.443130, 0.397206),
        (0.500946, 0.491946, 0.442751, 0.419190, 0.406609, 0.346261),
        (0.474844, 0.467297, 0.420981, 0.383181, 0.346522, 0.268676),
        (0.470714, 0.430802, 0.380449, 0.331669, 0.262719, 0.182288),
        (0.440303, 0.379661, 0.317261, 0.241430, 0.174794, 0.101379),
    ),
    5: (
        (0.533728, 0.512096, 0.526453, 0.471878, 0.449856, 0.400890),
        (0.523777, 0.489725, 0.483119, 0.409684, 0.370236, 0.318485),
        (0.496893, 0.446792, 0.441404, 0.358724, 0.298661, 0.216086),
        (0.459792, 0.395051, 0.368231, 0.268284, 0.202322, 0.102964),
        (0.424356, 0.340563, 0.291115, 0.175208, 0.096934, 0.036776),
        (0.405872, 0.260752, 0.203025, 0.085938, 0.033042, 0.005474),
    ),
    6: (
        (0.530782, 0.465481, 0.440375, 0.404518, 0.330468, 0.251441),
        (0.493435, 0.426151, 0.385814, 0.328747, 0.240567, 0.161137),
        (0.466991, 0.359638, 0.307280, 0.248111, 0.141226, 0.068867),
        (0.420139, 0.286696, 0.203605, 0.102247, 0.040013, 0.007554),
        (0.380634, 0.200943, 0.125768, 0.036828, 0.007439, 0.000218),
        (0.327381, 0.118287, 0.050823, 0.005102, 0.000272, 0.000000),
    ),
    7: (
        (0.4163, 0.2568, 0.1674, 0.0671, 0.0211, 0.0059),
        (0.3284, 0.1409, 0.0710, 0.0138, 0.0020, 0.0001),
        (0.2421, 0.0571, 0.0179, 0.0004, 0.0001, 0.0000),
        (0.1192, 0.0036, 0.0003, 0.0000, 0.0000, 0.0000),
        (0.0428, 0.0002, 0.0000, 0.0000, 0.0000, 0.0000),
        (0.0052, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000),
    ),
    8: (
        (0.495551, 0.493076, 0.477210, 0.474897, 0.483937, 0.458687),
        (0.485007, 0.501319, 0.471535, 0.471248, 0.466577, 0.454079),
        (0.491444, 0.491754, 0.465804, 0.466923, 0.450338, 0.433630),
        (0.499223, 0.481230, 0.486174, 0.475731, 0.467507, 0.439462),
        (0.506496, 0.486368, 0.475118, 0.451602, 0.437663, 0.386180),
        (0.480614, 0.504753, 0.470196, 0.430420, 0.405941, 0.353477),
    ),
    9: (
        (0.496683, 0.484496, 0.485500, 0.491932, 0.460635, 0.418577),
        (0.496567, 0.487428, 0.497806, 0.463185, 0.425495, 0.379793),
        (0.489275, 0.492621, 0.494663, 0.445780, 0.401342, 0.321604),
        (0.483415, 0.508406, 0.479275, 0.422221, 0.360559, 0.241187),
        (0.492526, 0.488373, 0.454868, 0.391084, 0.307984, 0.183233),
        (0.494677, 0.467117, 0.424842, 0.337664, 0.238503, 0.102904),
    ),
    10: (
        (0.501454, 0.468317, 0.467570, 0.431753, 0.353261, 0.271256),
        (0.502779, 0.473373, 0.449794, 0.396709, 0.315623, 0.209136),
        (0.502380, 0.449883, 0.423328, 0.356146, 0.248200, 0.118621),
        (0.473889, 0.444882, 0.390885, 0.265469, 0.137652, 0.026972),
        (0.491067, 0.405322, 0.345264, 0.192024, 0.062419, 0.003117),
        (0.494113, 0.382415, 0.289692, 0.101698, 0.012317, 0.000126),
    ),
    11: (
        (0.4283, 0.2470, 0.1247, 0.0188, 0.0009, 0.0000),
        (0.3913, 0.1641, 0.0527, 0.0027, 0.0000, 0.0000),
        (0.3492, 0.0845, 0.0119, 0.0000, 0.0000, 0.0000),
        (0.2776, 0.0106, 0.0001, 0.0000, 0.0000, 0.0000),
        (0.2039, 0.0009, 0.0000, 0.0000, 0.0000, 0.0000),
        (0.1193, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000),
    ),
    12: (
        (0.539872, 0.504037, 0.496508, 0.487312, 0.501847, 0.482049),
        (0.517989, 0.503496, 0.508247, 0.496522, 0.495213, 0.467237),
        (0.501885, 0.498564, 0.509060, 0.489665, 0.487306, 0.464313),
        (0.497131, 0.498128, 0.489341, 0.480132, 0.469489, 0.441288),
        (0.496065, 0.495014, 0.476651, 0.456579, 0.436668, 0.381117),
        (0.494769, 0.492469, 0.480331, 0.430268, 0.402919, 0.338026),
    ),
    13: (
        (0.572866, 0.503486, 0.494903, 0.470426, 0.438353, 0.411324),
        (0.540708, 0.491227, 0.499775, 0.469750, 0.436827, 0.399017),
        (0.526373, 0.503497, 0.489841, 0.444308, 0.405353, 0.351879),
        (0.501497, 0.485039, 0.480643, 0.415959, 0.353553, 0.272446),
        (0.501425, 0.463417, 0.478026, 0.386038, 0.305701, 0.198424),
        (0.500922, 0.463818, 0.458767, 0.352803, 0.253529, 0.112516),
    ),
    14: (
        (0.538096, 0.490751, 0.482491, 0.443054, 0.377346, 0.309274),
        (0.514710, 0.478230, 0.459458, 0.410965, 0.342481, 0.245174),
        (0.507034, 0.468373, 0.453770, 0.372558, 0.280805, 0.154227),
        (0.504493, 0.451870, 0.404244, 0.283895, 0.158546, 0.050219),
        (0.503959, 0.440916, 0.383145, 0.227624, 0.086505, 0.012174),
        (0.502619, 0.421632, 0.334548, 0.144549, 0.024115, 0.001115),
    ),
    15: (
        (0.5671, 0.3862, 0.3000, 0.1442, 0.0527, 0.0072),
        (0.5482, 0.3368, 0.2352, 0.0576, 0.0094, 0.0000),
        (0.4659, 0.2728, 0.1348, 0.0111, 0.0001, 0.0000),
        (0.4336, 0.1779, 0.0417, 0.0002, 0.0000, 0.0000),
        (0.3998, 0.0897, 0.0060, 0.0000, 0.0000, 0.0000),
        (0.3488, 0.0297, 0.0003, 0.0000, 0.0000, 0.0000),
    ),
}
"""By table, then items, then responses per item."""


class Cell(NamedTuple):
    """A printed p and what it is the p of."""

    table: int
    metric: str
    effect: float
    items: int
    responses: int
    printed: float


def cells() -> Iterator[Cell]:
    """Every printed p, in the order of the tables.

    Examples
    --------
    >>> next(cells())
    Cell(table=4, metric='wins', effect=0.005, items=25, responses=1, printed=0.532728)
    """
    for table, rows in P_VALUES.items():
        metric, effect = divmod(table - FIRST_TABLE, len(PERTURBATIONS))
        for items, row in zip(ITEMS, rows, strict=True):
            for responses, printed in zip(RESPONSES, row, strict=True):
                yield Cell(table, METRICS[metric], PERTURBATIONS[effect], items, responses, printed)


# ---- Every cell of Tables 3 to 15 of "How Many Raters Do You Need?", ours beside the printed one

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


def _table_figures(table: tuple[Cell, ...], data: PaperData) -> list[Drawing]:
    del data  # nothing but the model is needed
    first = table[0]
    ours = table_of(first.metric, first.effect)
    what = f"p of {SHOWN[first.metric]} at perturbation {first.effect:g}"
    gaps = [abs(ours[cell.items, cell.responses] - cell.printed) for cell in table]
    return [
        Drawing(
            paper=PAPER,
            place=f"table {first.table}",
            title=f"{what}: ours is off by {max(gaps):.3f} at most",
            caption="By closed form." if first.metric != "emd-binned" else "By 1,000 simulated test sets.",
            kind="cells",
            points=tuple(
                Point(
                    series=f"{cell.items:,}",
                    x=cell.responses,
                    y=ours[cell.items, cell.responses],
                    printed=cell.printed,
                )
                for cell in table
            ),
            series="Items",
            x_title="Responses per item",
            y_title="p",
        )
    ]


def _by_table() -> dict[int, tuple[Cell, ...]]:
    found: dict[int, tuple[Cell, ...]] = {}
    for cell in cells():
        found[cell.table] = (*found.get(cell.table, ()), cell)
    return found


FIGURES = {f"table {number}": partial(_table_figures, table) for number, table in _by_table().items()}
"""By group of claims."""
