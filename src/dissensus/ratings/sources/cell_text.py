import math

import numpy as np

from dissensus.ratings.labels import SEPARATOR


def cell_text(value: object) -> str | None:
    """A cell as text; None where it is empty.

    Examples
    --------
    >>> cell_text(1), cell_text(1.0), cell_text(True), cell_text({"b", "a"}), cell_text(float("nan")), cell_text(" ")
    ('1', '1.0', 'true', 'a|b', None, None)
    """
    if isinstance(value, str):
        return value if value.strip() else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return SEPARATOR.join(sorted(filter(None, map(cell_text, value)))) or None
    text = str(value)
    return None if text in {"NaT", "<NA>", "nan"} else text
