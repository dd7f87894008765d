"""Homan, Wein, Welty, Aroyo: "How Many Raters Do You Need? Power Analysis for Foundation Models".

What the paper concludes in words (Tables 1 and 2, sections 4 to 6), Table 3, and Tables 4 to 15 as wholes: furthest
cell, mean and order. Many cells are close to .5, so that a constant would pass one by one. Tables 1 and 2 repeat cells
of Tables 4 to 11.

Tables 6, 9 and 10 have two rows for 25 items in the text that we have; the first is garbled, so the second is used.
In Table 10 that row's third number is illegible (0.46/5/0) and is taken from the first row, 0.467570.

Two of the differences in MAE of Table 3 exceed their possible maximum, half of the perturbation, and are unexplained.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from dissensus.methods.plan_raters.plan_raters import plan_raters
from dissensus.methods.plan_raters.result import PlanMetric
from dissensus.methods.reproduce.claims import Claim, Drawing, Part, Point, spearman

PAPER = "how-many-raters"
CLAIMS: list[Claim] = []
"""What the paper concludes, Table 3, Tables 4 to 15, and what it concludes from the simulated ones."""

# ---- What the paper prints: the p of every test set in Tables 4 to 15

ITEMS = (25, 50, 100, 250, 500, 1000)
RESPONSES = (1, 5, 10, 25, 50, 100)
PERTURBATIONS = (0.005, 0.01, 0.02, 0.1)
METRICS: tuple[PlanMetric, ...] = ("wins", "mae", "emd-binned")
FIRST_TABLE = 4

PRINTED = """
.532728 .532937 .504313 .504714 .493821 .445982 | .533728 .512096 .526453 .471878 .449856 .400890
.483674 .506107 .466705 .470275 .443130 .397206 | .523777 .489725 .483119 .409684 .370236 .318485
.500946 .491946 .442751 .419190 .406609 .346261 | .496893 .446792 .441404 .358724 .298661 .216086
.474844 .467297 .420981 .383181 .346522 .268676 | .459792 .395051 .368231 .268284 .202322 .102964
.470714 .430802 .380449 .331669 .262719 .182288 | .424356 .340563 .291115 .175208 .096934 .036776
.440303 .379661 .317261 .241430 .174794 .101379 | .405872 .260752 .203025 .085938 .033042 .005474
.530782 .465481 .440375 .404518 .330468 .251441 | .4163 .2568 .1674 .0671 .0211 .0059
.493435 .426151 .385814 .328747 .240567 .161137 | .3284 .1409 .0710 .0138 .0020 .0001
.466991 .359638 .307280 .248111 .141226 .068867 | .2421 .0571 .0179 .0004 .0001 .0000
.420139 .286696 .203605 .102247 .040013 .007554 | .1192 .0036 .0003 .0000 .0000 .0000
.380634 .200943 .125768 .036828 .007439 .000218 | .0428 .0002 .0000 .0000 .0000 .0000
.327381 .118287 .050823 .005102 .000272 .000000 | .0052 .0000 .0000 .0000 .0000 .0000
.495551 .493076 .477210 .474897 .483937 .458687 | .496683 .484496 .485500 .491932 .460635 .418577
.485007 .501319 .471535 .471248 .466577 .454079 | .496567 .487428 .497806 .463185 .425495 .379793
.491444 .491754 .465804 .466923 .450338 .433630 | .489275 .492621 .494663 .445780 .401342 .321604
.499223 .481230 .486174 .475731 .467507 .439462 | .483415 .508406 .479275 .422221 .360559 .241187
.506496 .486368 .475118 .451602 .437663 .386180 | .492526 .488373 .454868 .391084 .307984 .183233
.480614 .504753 .470196 .430420 .405941 .353477 | .494677 .467117 .424842 .337664 .238503 .102904
.501454 .468317 .467570 .431753 .353261 .271256 | .4283 .2470 .1247 .0188 .0009 .0000
.502779 .473373 .449794 .396709 .315623 .209136 | .3913 .1641 .0527 .0027 .0000 .0000
.502380 .449883 .423328 .356146 .248200 .118621 | .3492 .0845 .0119 .0000 .0000 .0000
.473889 .444882 .390885 .265469 .137652 .026972 | .2776 .0106 .0001 .0000 .0000 .0000
.491067 .405322 .345264 .192024 .062419 .003117 | .2039 .0009 .0000 .0000 .0000 .0000
.494113 .382415 .289692 .101698 .012317 .000126 | .1193 .0000 .0000 .0000 .0000 .0000
.539872 .504037 .496508 .487312 .501847 .482049 | .572866 .503486 .494903 .470426 .438353 .411324
.517989 .503496 .508247 .496522 .495213 .467237 | .540708 .491227 .499775 .469750 .436827 .399017
.501885 .498564 .509060 .489665 .487306 .464313 | .526373 .503497 .489841 .444308 .405353 .351879
.497131 .498128 .489341 .480132 .469489 .441288 | .501497 .485039 .480643 .415959 .353553 .272446
.496065 .495014 .476651 .456579 .436668 .381117 | .501425 .463417 .478026 .386038 .305701 .198424
.494769 .492469 .480331 .430268 .402919 .338026 | .500922 .463818 .458767 .352803 .253529 .112516
.538096 .490751 .482491 .443054 .377346 .309274 | .5671 .3862 .3000 .1442 .0527 .0072
.514710 .478230 .459458 .410965 .342481 .245174 | .5482 .3368 .2352 .0576 .0094 .0000
.507034 .468373 .453770 .372558 .280805 .154227 | .4659 .2728 .1348 .0111 .0001 .0000
.504493 .451870 .404244 .283895 .158546 .050219 | .4336 .1779 .0417 .0002 .0000 .0000
.503959 .440916 .383145 .227624 .086505 .012174 | .3998 .0897 .0060 .0000 .0000 .0000
.502619 .421632 .334548 .144549 .024115 .001115 | .3488 .0297 .0003 .0000 .0000 .0000
"""
"""Tables 4 and 5, below them 6 and 7, and so on: a row for each number of items, a column for each of responses."""


class Cell(NamedTuple):
    """A printed p and what it is the p of."""

    table: int
    metric: PlanMetric
    effect: float
    items: int
    responses: int
    printed: float


def cells() -> Iterator[Cell]:
    """Every printed p, in the order of the tables.

    >>> next(cells())
    Cell(table=4, metric='wins', effect=0.005, items=25, responses=1, printed=0.532728)
    """
    lines = [[row.split() for row in line.split("|")] for line in PRINTED.split("\n") if line]
    for table in range(FIRST_TABLE, FIRST_TABLE + len(METRICS) * len(PERTURBATIONS)):
        pair, side = divmod(table - FIRST_TABLE, 2)
        metric, effect = divmod(table - FIRST_TABLE, len(PERTURBATIONS))
        for items, line in zip(ITEMS, lines[pair * len(ITEMS) : (pair + 1) * len(ITEMS)], strict=True):
            for responses, printed in zip(RESPONSES, line[side], strict=True):
                yield Cell(table, METRICS[metric], PERTURBATIONS[effect], items, responses, float(printed))


SETS = 1000  # test sets behind a cell, in the authors' tool and in our simulation
SHOWN = {"wins": "Wins", "mae": "MAE", "emd-binned": "MEMD"}


@cache
def table_of(metric: PlanMetric, effect: float) -> dict[tuple[int, int], float]:
    """Our p of each cell of a table: by closed form, and for the MEMD by simulation."""
    plan = plan_raters(metric=metric, effect=effect, items=ITEMS, raters=RESPONSES, simulations=SETS, rng=0)
    return {(design.items, design.raters): design.p_value for design in plan.grid}


# ---- What it concludes from its tables, in words: Tables 1 and 2, sections 4 to 6

EQUAL_RATINGS = (  # items and responses in Tables 1 and 2: groups with the same number of ratings, more and more items
    ((100, 10), (1000, 1)),
    ((25, 100), (100, 25), (500, 5)),
    ((50, 100), (1000, 5)),
    ((100, 100), (1000, 10)),
    ((250, 100), (1000, 25)),
    ((500, 100), (1000, 50)),
)
LEVEL = 0.05
SPREADS = ((0.0, 0.3), (0.1, 0.3))
"""Of the items' standard deviations: the paper's, and one without items that everybody agrees on."""
WINS = Part(CLAIMS, PAPER, "wins and MAE")


def more_items_better(metric: PlanMetric, effects: tuple[float, ...] = PERTURBATIONS) -> float:
    """Share of neighbours in those groups of which the one with more items has the lower p."""
    kept = [
        table_of(metric, effect)[few] >= table_of(metric, effect)[many]
        for effect in effects
        for group in EQUAL_RATINGS
        for few, many in pairwise(group)
    ]
    return float(np.mean(kept))


WINS.within(
    "table 1, more items", 1, 0,
    "The paper states that it always holds. Of the 28 printed pairs 3 go the other way, within the noise of 1,000 "
    "simulated test sets.",
    what="Share of neighbours with the same number of ratings where the one with more items has the lower p, Wins.",
)(lambda: more_items_better("wins"))  # fmt: skip
WINS.always(
    "table 2, more responses",
    differs="The exceptions are at perturbation .1, where p is below .0001 and printed as 0.0000: once there are "
    "25 responses, more items help MAE as well.",
    what="Share of neighbours with the same number of ratings where the one with more responses has the lower p, MAE.",
)(lambda: 1 - more_items_better("mae"))  # fmt: skip


@WINS.always(
    "section 4, Wins is the most sensitive",
    differs="Not at perturbation .1 with 10 responses or more: at 25 x 25 Table 7 has .0671 and Table 11 .0188. "
    "Nor at a smaller one with few items, where ties count against Wins: at 25 x 1 Table 4 has .5327 and Table 8 "
    ".4956.",
)
def wins_below_mae() -> float:
    """Share of the 144 cells in which Wins has a lower p than MAE."""
    kept = [
        p <= table_of("mae", effect)[cell] for effect in PERTURBATIONS for cell, p in table_of("wins", effect).items()
    ]
    return float(np.mean(kept))


def ratings_needed(metric: PlanMetric, effect: float) -> float:
    """The fewest ratings of a cell with p below .05; NaN if there is none."""
    found = [items * responses for (items, responses), p in table_of(metric, effect).items() if p < LEVEL]
    return float(min(found)) if found else float("nan")


def cells_below(metric: PlanMetric, effect: float) -> float:
    """How many cells have p below .05."""
    return float(sum(p < LEVEL for p in table_of(metric, effect).values()))


def shown_below(metric: PlanMetric, effect: float) -> float:
    """How many of the sizes in Tables 1 and 2 have p below .05."""
    return float(sum(table_of(metric, effect)[size] < LEVEL for group in EQUAL_RATINGS for size in group))


Count = Callable[[PlanMetric, float], float]
FROM_TABLE = "The fewest ratings among the 36 sizes tried."
WHY: dict[Count, str] = {ratings_needed: FROM_TABLE, cells_below: "None of 36.", shown_below: "Of 13 sizes."}
TAKES = "Ratings that p below .05 takes."
TOO_FEW = "Cells with p below .05: not enough ratings to find the difference."
ROWS_OF_TABLE_1 = (
    "The text looks at the rows of Table 1 only. Table 6 has p = .040 at 250 x 50, which are 12,500 ratings, and .0508 "
    "at 1000 x 10, where ours is just below .05."
)
SECTION_4: tuple[tuple[str, Count, PlanMetric, float, float, str], ...] = (
    ("Wins", cells_below, "wins", 0.005, 0, TOO_FEW),
    ("Wins", ratings_needed, "wins", 0.01, 50_000, TAKES),
    ("MAE", cells_below, "mae", 0.005, 0, TOO_FEW),
    ("MAE", cells_below, "mae", 0.01, 0, "Cells with p below .05: Wins is the only metric to find the difference."),
    ("Wins", ratings_needed, "wins", 0.02, 25_000, TAKES),
    ("Wins", ratings_needed, "wins", 0.1, 500, TAKES),
    ("Table 1", shown_below, "wins", 0.1, 13, "Sizes in Table 1 at which Wins has p below .05: all of them."),
    ("MAE", ratings_needed, "mae", 0.02, 25_000, TAKES),
    ("MAE", ratings_needed, "mae", 0.1, 625, "Ratings that p below .05 takes: 25 items with 25 responses."),
    ("Table 2", shown_below, "mae", 0.1, 12, "Sizes in Table 2 at which MAE has p below .05: all but 1000 x 1."),
)
"""Of what, what is counted, the metric and the perturbation, the printed number, and what it says."""
for _name, _count, _metric, _effect, _printed, _what in SECTION_4:
    _place = f"section 4, {_name} at perturbation {f'{_effect:g}'[1:]}"
    _differs = ROWS_OF_TABLE_1 if (_metric, _effect) == ("wins", 0.02) else None
    WINS.within(_place, _printed, 0, WHY[_count], differs=_differs, what=_what)(partial(_count, _metric, _effect))


@WINS.always(
    "section 5, items or responses for Wins",
    differs="It depends on the items: without those on which everybody agrees, more responses help Wins more, too.",
    what="Share of two spreads of the items, the paper's and U[.1, .3], with which Wins is better off with more items.",
)
def wins_prefers_items() -> float:
    """Share of two spreads of the items with which more items help Wins more than more responses."""
    kept = [plan_raters(metric="wins", effect=0.02, spread=spread).trade_off for spread in SPREADS]
    return float(np.mean([trade.helps == "items" for trade in kept if trade is not None]))


def responses_needed(metric: PlanMetric, effect: float, *, items: int) -> float:
    """The fewest responses of a cell with this many items and p below .05; NaN if there is none."""
    found = [responses for (n, responses), p in table_of(metric, effect).items() if n == items and p < LEVEL]
    return float(min(found)) if found else float("nan")


WINS.within(
    "section 6, responses for 1,000 items", 25, 0, "The fewest responses among the six numbers tried.",
    differs="Table 10 has p = .1017 at 1000 x 25, and .0123 at 1000 x 50.",
    what="Responses per item from which MAE has p below .05 with 1,000 items, perturbation .02.",
)(lambda: responses_needed("mae", 0.02, items=1000))  # fmt: skip


# ---- Tables 3 to 15

DIFFERENCES = {  # table 3, as printed
    "mae": {0.005: 0.0024, 0.01: 0.0106, 0.02: 0.0139, 0.1: 0.0243},
    "emd-binned": {0.005: 0.0036, 0.01: 0.0566, 0.02: 0.1773, 0.1: 0.3232},
    "wins": {0.005: 0.0146, 0.01: 0.0237, 0.02: 0.0438, 0.1: 0.1631},
}
BY_CHANCE = 0.01  # chance that a claim about our p and the printed ones fails although both estimate the same
DIGITS = 4  # printed in every table


def _why_no_difference(metric: str, effect: float) -> str:
    """Why nobody can compute a difference of Table 3."""
    reason = "The paper does not say at how many items and responses the scores were taken."
    if metric == "mae" and DIFFERENCES[metric][effect] > effect / 2:
        return (
            f"Impossible as printed: B's mean is off by up to {effect:g} either way, so its mean absolute error can "
            f"exceed A's by {effect / 2:g} on average at most. Unexplained."
        )
    if (metric, effect) == ("emd-binned", PERTURBATIONS[0]):
        reason += " Unexplained: B's mean score, 1.2055, is below A's, 1.2091, so B would be the better one."
    return reason


def cell_value(cell: Cell) -> float:
    """Our p of one cell."""
    return table_of(cell.metric, cell.effect)[cell.items, cell.responses]


def cell_error(cell: Cell) -> float:
    """Standard error of the difference between our p and the printed one.

    A printed p is a share of pairs of 1,000 test sets with 1,000 others, so its variance is that of an area under a
    curve (Hanley and McNeil 1982). Ours has no error by closed form, and the same one for the simulated MEMD.
    """
    p = cell.printed
    pairs = p * (1 - p) + (SETS - 1) * (p / (2 - p) + 2 * p**2 / (1 + p) - 2 * p**2)
    return max(math.sqrt(pairs * (2 if cell.metric == "emd-binned" else 1)), 1) / SETS


def furthest(table: tuple[Cell, ...]) -> float:
    """Largest difference of a table's cells, in standard errors."""
    return max(abs(cell_value(cell) - cell.printed) / cell_error(cell) for cell in table)


def mean_p(table: tuple[Cell, ...]) -> float:
    """Mean of our p over a table."""
    return float(np.mean([cell_value(cell) for cell in table]))


def rank_order(table: tuple[Cell, ...]) -> float:
    """Rank correlation of our p, to as many digits as are printed everywhere, with the printed ones."""
    ours = np.array([cell_value(cell) for cell in table])
    return spearman(ours.round(DIGITS), np.array([cell.printed for cell in table]).round(DIGITS))


def _lost_order(table: tuple[Cell, ...]) -> float:
    """What noise of the size of the standard errors takes from a rank correlation, but for chance."""
    printed, errors = np.array([cell.printed for cell in table]), [cell_error(cell) for cell in table]
    noise = np.random.default_rng(0).normal(0, errors, (300, len(table))) * (printed >= 10**-DIGITS)
    again = np.clip(printed + noise, 0, 1).round(DIGITS)
    return 1 - float(np.quantile([spearman(printed.round(DIGITS), one) for one in again], BY_CHANCE))


def _add_table(table: tuple[Cell, ...]) -> None:
    first = table[0]
    part = Part(CLAIMS, PAPER, f"table {first.table}")
    of = f"{SHOWN[first.metric]} with perturbation {first.effect:g}"
    most, on_average = (NormalDist().inv_cdf(1 - BY_CHANCE / (2 * tries)) for tries in (len(table), 1))
    error, mean = (float(np.mean([get(cell) for cell in table])) for get in (cell_error, attrgetter("printed")))
    part.within(
        f"table {first.table}, furthest cell", 0, most, "All 36 cells are within it in 99 of 100 runs.",
        what=f"Largest difference between our p of {of} and the 36 printed, in standard errors.",
    )(partial(furthest, table))  # fmt: skip
    part.within(
        f"table {first.table}, mean", mean, on_average * error,
        "Cells of a table share test sets, so all may be off the same way.",
        what=f"Mean p of {of} over the 36 test sets.",
    )(partial(mean_p, table))  # fmt: skip
    part.within(
        f"table {first.table}, order", 1, _lost_order(table), "Noise of the cells reorders close ones.",
        what=f"Rank correlation of our p of {of} with the 36 printed.",
    )(partial(rank_order, table))  # fmt: skip


for _name, _row in DIFFERENCES.items():
    for _effect, _printed in _row.items():
        Part(CLAIMS, PAPER, "table 3").out_of_reach(
            f"table 3, {SHOWN[_name]} at perturbation {_effect:g}", f"Difference in {SHOWN[_name]} of A and B.",
            _printed, _why_no_difference(_name, _effect),
        )  # fmt: skip
for _, _table in groupby(cells(), key=lambda cell: cell.table):
    _add_table(tuple(_table))


# ---- What it concludes from the simulated tables

MEMD_02, MEMD_1 = Part(CLAIMS, PAPER, "table 14"), Part(CLAIMS, PAPER, "table 15")
NOISE = (
    "At 25 x 50, which are 1,250 ratings, p is .0527 in Table 15 and just below .05 in ours: the noise of 1,000 "
    "simulated test sets."
)


MEMD_02.always("section 4, more responses for MEMD", what="The same for MEMD at perturbation .02.")(
    lambda: 1 - more_items_better("emd-binned", (0.02,))
)
MEMD_02.within("section 4, MEMD at perturbation .02", 50_000, 0, FROM_TABLE, what=TAKES)(
    partial(ratings_needed, "emd-binned", 0.02)
)
MEMD_1.within("section 4, MEMD at perturbation .1", 2500, 0, FROM_TABLE, differs=NOISE, what=TAKES)(
    partial(ratings_needed, "emd-binned", 0.1)
)


# ---- Tables 4 to 15, ours beside the printed ones


def _table_figures(table: tuple[Cell, ...]) -> list[Drawing]:
    first = table[0]
    gaps = [abs(cell_value(cell) - cell.printed) for cell in table]
    what = f"p of {SHOWN[first.metric]} at perturbation {first.effect:g}"
    return [
        Drawing(
            paper=PAPER, place=f"table {first.table}", title=f"{what}: ours is off by {max(gaps):.3f} at most",
            caption="By closed form." if first.metric != "emd-binned" else "By 1,000 simulated test sets.",
            kind="cells",
            points=tuple(
                Point(series=f"{cell.items:,}", x=cell.responses, y=cell_value(cell), printed=cell.printed)
                for cell in table
            ),
            series="Items", x_title="Responses per item", y_title="p",
        )
    ]  # fmt: skip


FIGURES = {  # by group of claims
    f"table {number}": partial(_table_figures, tuple(table))
    for number, table in groupby(cells(), key=lambda cell: cell.table)
}
