"""The door for data frames: pandas, polars, pyarrow."""

import narwhals as nw
from narwhals.typing import IntoFrame

from dissensus.errors import RatingsError
from dissensus.ratings.plain_sheets import PlainSheet


def frame_sheet(frame: IntoFrame) -> PlainSheet:
    """A frame as a sheet of text columns; the first row is row 1."""
    try:
        table = nw.from_native(frame)
    except TypeError as error:
        raise RatingsError(
            f"Give a path or a pandas, polars or pyarrow frame; this is a {type(frame).__name__}."
        ) from error
    eager = table.collect() if isinstance(table, nw.LazyFrame) else table
    values = {str(name): eager[name].to_list() for name in eager.columns}
    return PlainSheet(values, name=f"the {eager.implementation.value} frame", first_row=1)
