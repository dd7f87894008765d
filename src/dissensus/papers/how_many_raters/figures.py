"""Tables 4 to 15 of "How Many Raters Do You Need?" as maps of p."""

from functools import partial

from dissensus.papers.data import PaperData
from dissensus.papers.drawings import Drawing, Point
from dissensus.papers.how_many_raters.cells import PAPER, SHOWN, table_of
from dissensus.papers.how_many_raters.tables import Cell, cells


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
