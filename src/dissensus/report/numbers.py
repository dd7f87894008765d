"""Numbers as text: one way to write shares, coefficients, counts and intervals, wherever they are shown.

Escaping for HTML is the template's business, and for rich that of `text.py`. Here go the characters that no output can
take: those that move a terminal's cursor, turn the direction of text or are not allowed in XML.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from dissensus.report.document import Cell, Table

# ---- What others wrote: made harmless and short

_CONTROL_PICTURES = 0x2400
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, delete and C1 controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of what follows
    "\u2028\u2029\ufeff\ufffe\uffff"  # line ends that are none, byte order marks, non-characters
    "\ud800-\udfff]"  # half of a character
)


def visible(text: str) -> str:
    r"""The text with every control character replaced by a picture of it.

    >>> visible("\x1b[31mred")
    '␛[31mred'
    >>> visible("evil\u202etxt.exe")
    'evil�txt.exe'
    """
    return HARMFUL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == ord("\x7f") else _REPLACEMENT


def shortened(text: str, longest: int = 60) -> str:
    """The text, visible and cut to a length with an ellipsis.

    >>> shortened("somewhat toxic", 9)
    'somewhat…'
    """
    text = visible(text)
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def short_names(texts: Iterable[str], longest: int = 60, *, has_end: bool = False) -> dict[str, str]:
    """A short name for each text, no two the same: on a chart's axis equal names would be one.

    Names with the same beginning are cut in the middle, and all of them where `has_end`: versions of a judge differ
    at the end.

    >>> short_names(["a long story", "a long song", "a tale"], 8)
    {'a long story': 'a l…tory', 'a long song': 'a l…song', 'a tale': 'a tale'}
    >>> short_names(["the judge 1 of 2", "the judge 2 of 2"], 8)
    {'the judge 1 of 2': 'the…of 2', 'the judge 2 of 2': 'the…of 2 (2)'}
    """
    texts = list(dict.fromkeys(texts))
    cut = Counter(shortened(text, longest) for text in texts)
    names: dict[str, str] = {}
    for text in texts:
        short = shortened(text, longest)
        short = name = _without_middle(text, longest) if has_end or cut[short] > 1 else short
        taken = set(names.values()) - {names.get(text)}
        again = 2
        while name in taken:
            name, again = f"{short} ({again})", again + 1
        names[text] = name
    return names


def _without_middle(text: str, longest: int) -> str:
    """The text, visible and cut to a length in the middle."""
    text = visible(text)
    head = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[:head].rstrip()}…{text[head + 1 - longest :].lstrip()}"


def quoted(text: str) -> str:
    """A label inside a sentence.

    >>> quoted("Not toxic")
    '"Not toxic"'
    """
    return f'"{shortened(text)}"'


# ---- Numbers and counts

DASH = "-"
"""Shown for a number that is not there."""
ROUNDING = 1e-14
"""What adds up to everything differs from it by less."""


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage; one that is not quite nothing or everything never looks as if it were.

    >>> percent(0.5876), percent(1), percent(0.99999), percent(0.0001), percent(-0.05)
    ('58.8%', '100%', '>99.9%', '<0.1%', '-5.0%')
    >>> percent(0.9999999999999998), percent(1e-17)
    ('100%', '<0.1%')
    """
    if share == 0 or abs(share - 1) < ROUNDING:
        return f"{round(share):.0%}"
    nothing, everything = f"{0:.{digits}%}", f"{1:.{digits}%}"
    text = f"{share:.{digits}%}"
    if text.lstrip("-") == nothing:
        return f"<{10.0**-digits:.{digits}f}%" if share > 0 else nothing
    return f">{100 - 10.0**-digits:.{digits}f}%" if text == everything and share < 1 else text


def decimal(value: float, digits: int = 2) -> str:
    """A number with some decimals, and no sign on zero.

    >>> decimal(0.1276), decimal(-0.0001), decimal(12345.678, 1)
    ('0.13', '0.00', '12,345.7')
    """
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def supported_digits(bounds: Iterable[tuple[float, float]], usual: int = 3) -> int:
    """Decimals that intervals support: the last one is about their standard error, a quarter of the narrowest width.

    >>> supported_digits([(0.047, 0.080)]), supported_digits([(-0.2, 0.01), (0.1, 0.2)]), supported_digits([(60, 70)])
    (3, 2, 0)
    >>> supported_digits([(math.nan, math.nan)], usual=2)
    2
    """
    widths = [high - low for low, high in bounds if high > low]
    return min(max(-math.floor(math.log10(min(widths) / 4)), 0), 12) if widths else usual


def whole(count: float) -> str:
    """A count, with thousands set apart; a half (as a median can have) keeps its half.

    >>> whole(700586), whole(4.5), whole(5.0)
    ('700,586', '4.5', '5')
    """
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def rough(count: float) -> str:
    """A count with the two digits that an estimate supports.

    >>> rough(4264), rough(38.2), rough(7)
    ('4,300', '38', '7')
    """
    return whole(float(f"{count:.2g}"))


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "rater"), counted(2000, "rater"), counted(0, "response set"), counted(2, "category", "categories")
    ('1 rater', '2,000 raters', '0 response sets', '2 categories')
    """
    return f"{whole(count)} {one if count == 1 else many or one + 's'}"


def listing(parts: Sequence[str], *, most: int = 0, word: str = "and") -> str:
    """Things in a sentence; after `most` of them, how many more there are.

    >>> listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"]), listing(["a", "b", "c", "d"], most=2)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 more')
    """
    if 0 < most < len(parts):
        parts = [*parts[:most], f"{len(parts) - most:,} more"]
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def sentences(*texts: str) -> str:
    """The texts that are not empty, one after the other."""
    return " ".join(text for text in texts if text)


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def are(count: int) -> str:
    """The verb for a count."""
    return "is" if count == 1 else "are"


def finite(value: float) -> float | None:
    """The number as a chart takes it: None if it is none."""
    return value if math.isfinite(value) else None


def points(share: float, digits: int = 1) -> str:
    """A share in percentage points, without the word."""
    return decimal(100 * share, digits)


def cost_text(cost: float, settings: Mapping[str, object]) -> str:
    """What ratings cost, with its unit: ratings, unless prices were given.

    >>> cost_text(85.0, {}), cost_text(1790.5, {"item_cost": 0.5, "rating_cost": 1.0})
    ('85 ratings', 'cost 1,790.5 at your prices')
    """
    if (settings.get("item_cost", 0.0), settings.get("rating_cost", 1.0)) == (0.0, 1.0):
        return counted(round(cost), "rating")
    return f"cost {cost:,.6g} at your prices"


def p_text(p_value: float) -> str:
    """A p-value.

    >>> p_text(0.0312), p_text(0.00004), p_text(float("nan"))
    ('p = 0.031', 'p < 0.001', 'no p-value')
    """
    if not math.isfinite(p_value):
        return "no p-value"
    number = p_number(p_value)
    return f"p {number}" if number.startswith("<") else f"p = {number}"


def p_number(p_value: float) -> str:
    """A p-value in a table.

    >>> p_number(0.0312), p_number(0.00004), p_number(float("nan"))
    ('0.031', '< 0.001', '-')
    """
    if not math.isfinite(p_value):
        return DASH
    return decimal(p_value, 3) if p_value >= 0.001 else "< 0.001"  # noqa: PLR2004 - three decimals


def with_interval(value: float, low: float, high: float, *, form: Callable[[float], str] = decimal) -> str:
    """A number and its interval; the number alone if there is no interval.

    >>> with_interval(0.588, 0.561, 0.614, form=percent)
    '58.8% [56.1%, 61.4%]'
    >>> with_interval(0.13, math.nan, math.nan)
    '0.13'
    """
    bounds = f" [{form(low)}, {form(high)}]" if math.isfinite(low) and math.isfinite(high) else ""
    return form(value) + bounds


def table_cells(table: Table, row: Sequence[Cell]) -> list[str]:
    """The cells of a table's row as text."""
    columns = zip(table.columns, row, strict=True)
    return [cell_text(cell, digits=table.digits, is_percent=name in table.percent) for name, cell in columns]


def cell_text(value: Cell, *, digits: int, is_percent: bool = False) -> str:
    """A table's cell as text.

    >>> [cell_text(v, digits=2) for v in ("a", 1200, 0.126, None, math.nan, True)]
    ['a', '1,200', '0.13', '-', '-', 'yes']
    """
    if isinstance(value, str):
        return visible(value)
    if value is None or not math.isfinite(value):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_percent:
        return percent(value)
    return whole(value) if isinstance(value, int) else decimal(value, digits)


_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def spelled(count: int) -> str:
    """A count as prose has it: up to ten in words.

    >>> spelled(2), spelled(12)
    ('two', '12')
    """
    return _SMALL[count] if 0 <= count < len(_SMALL) else whole(count)
