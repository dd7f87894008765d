"""Numbers with a comma where we write a point: how to tell them from response sets and from thousands."""

import re
from collections.abc import Iterable

from dissensus.ratings.label_codes import LIKE_MISSING

_NUMBER = re.compile(r"\s*([+-]?\d+)(?:,(\d+))?\s*", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}", re.ASCII)
HALVES = frozenset({"0", "5"})


def with_point(text: str) -> str:
    """A number with a point for its comma; any other text as it is.

    Examples
    --------
    >>> with_point("3,5"), with_point(" -0,25 "), with_point("3"), with_point("yes, no"), with_point("1,2,3")
    ('3.5', '-0.25', '3', 'yes, no', '1,2,3')
    """
    match = _NUMBER.fullmatch(text)
    return text if match is None or match[2] is None else f"{match[1]}.{match[2]}"


def has_decimal_commas(labels: Iterable[str]) -> bool:
    """Whether labels look like numbers with a comma for the point.

    Every label is a number or stands for none (`n/a`), at least one has a comma, none reads like thousands (`1,000`).
    Two numbers of a response set (`1,3`) look alike: there both stand alone, too, and the second is not always a half.

    Examples
    --------
    >>> has_decimal_commas(["1,0", "3,5", "4"]), has_decimal_commas(["1", "2", "3", "1,3"])
    (True, False)
    >>> has_decimal_commas(["1,000", "2,500"]), has_decimal_commas(["3", "4"]), has_decimal_commas(["3,5", "no"])
    (False, False, False)
    """
    matches = []
    for label in labels:
        if label.strip().lower() in LIKE_MISSING:
            continue
        match = _NUMBER.fullmatch(label)
        if match is None or _THOUSANDS.fullmatch(label.strip().lstrip("+-")):
            return False
        matches.append((match[1], match[2]))
    whole = {number for number, fraction in matches if fraction is None}
    parts = [(number, fraction) for number, fraction in matches if fraction is not None]
    are_sets = all(number in whole and fraction in whole for number, fraction in parts)
    return bool(parts) and (not are_sets or {fraction for _, fraction in parts} <= HALVES)
