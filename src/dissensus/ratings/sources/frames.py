"""The door for data frames: pandas, polars, pyarrow."""

import narwhals as nw
import numpy as np
from narwhals.typing import IntoFrame, IntoSeries

from dissensus.errors import RatingsError
from dissensus.ratings.coding import Cells, Sheet, TextColumn, code_texts
from dissensus.ratings.sources.cell_text import cell_text


class FrameSheet(Sheet):
    """A frame as a sheet of text columns; the first row is row 1."""

    def __init__(self, frame: IntoFrame) -> None:
        try:
            table = nw.from_native(frame)
        except (TypeError, ValueError) as error:
            raise RatingsError(
                f"This {type(frame).__name__} cannot be read ({error}): give a path or a frame."
            ) from error
        self._table = table.lazy()
        self._names = {str(name): name for name in self._table.collect_schema().names()}
        super().__init__(f"the {table.implementation.value} frame", tuple(self._names))

    def _read(self, columns: tuple[str, ...]) -> Cells:
        table = self._table.select(*(nw.col(self._names[column]) for column in columns)).collect()
        coded = {column: _coded(table.get_column(self._names[column])) for column in columns}
        return Cells(row=np.arange(1, len(table) + 1), columns=coded)


def _coded(series: nw.Series[IntoSeries]) -> TextColumn:
    # Python has no short floats: as a list, 0.1 would become 0.10000000149011612.
    values = series.to_numpy() if series.dtype == nw.Float32 else series.to_list()
    return code_texts(cell_text(value) for value in values)
