"""Chances that may be very small, and designs of labels, in words."""

import math

from dissensus.planning.labels.result import LabelDesign
from dissensus.report.numbers import decimal, percent, spelled, whole

THOUSANDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
LEAST_PERCENT = -4.0
LARGEST_WORD = 15.0
LARGEST_EXACT = 6.0
ROUNDING = 1e-9
AHEAD = {
    "lose": "the worse model wins or ties",
    "half": "the worse model wins, a tie counted half,",
    "win": "the worse model wins outright",
}
FIRST = {"lose": "first", "half": "first, ties settled by a coin,", "win": "first or level with the first"}


def chance(log10: float) -> str:
    """A chance from its decimal logarithm, however small.

    Examples
    --------
    >>> [chance(math.log10(p)) for p in (1.0, 0.35, 0.0123, 0.00035)]
    ['100%', '35.0%', '1.2%', '0.035%']
    >>> chance(-5.0), chance(-8.99), chance(-10000.2), chance(-math.inf)
    ('1 in 100,000', '1 in 980 million', '1 in 10^10,000', '0%')
    """
    if log10 >= LEAST_PERCENT:
        share = 10.0**log10
        return percent(share) if share >= 0.01 else f"{100 * share:.2g}%"  # noqa: PLR2004 - one percent
    return f"1 in {count_of(-log10)}" if math.isfinite(log10) else "0%"


def in_test_sets(log10: float, digits: int | None = None) -> str:
    """A chance as a share of test sets; with so many digits, if it is one that somebody asked for.

    Examples
    --------
    >>> in_test_sets(-2.0), in_test_sets(math.log10(0.0125), digits=3), in_test_sets(-5.0)
    ('1.0% of such test sets', '1.25% of such test sets', '1 of 100,000 such test sets')
    """
    said = chance(log10) if digits is None or log10 < LEAST_PERCENT else f"{100 * 10.0**log10:.{digits}g}%"
    return f"{said} of such test sets" if said.endswith("%") else f"{said.replace('1 in', '1 of')} such test sets"


def count_of(log10: float) -> str:
    """A count from its decimal logarithm, two digits of it, however large.

    Examples
    --------
    >>> [count_of(x) for x in (0.0, 2.1523, 5.0, 8.99, 47.3)]
    ['1', '140', '100,000', '980 million', '10^47']
    """
    if not math.isfinite(log10):
        return "any number"
    if log10 >= LARGEST_WORD:
        return f"10^{log10:,.0f}"
    rounded = float(f"{10.0**log10:.2g}")
    for size, name in THOUSANDS:
        if rounded >= size:
            return f"{rounded / size:g} {name}"
    return whole(rounded)


def models_words(log10: float) -> str:
    """How many models can be ranked, from the decimal logarithm of 1 + delta / error: whole ones.

    Examples
    --------
    >>> models_words(0.2), models_words(2.1552), models_words(47.3)
    ('1', '142', '10^47')
    """
    return whole(math.floor(10.0**log10 + ROUNDING)) if log10 < LARGEST_EXACT else count_of(log10)


def labels_each(design: LabelDesign) -> str:
    """Labels for each item, in words."""
    if design.strategy == "adaptive":
        return f"two labels and a third where they differ ({decimal(design.labels_per_item)} on average)"
    if design.strategy == "lead-by-two":
        return f"labels until one side leads by two ({decimal(design.labels_per_item)} on average)"
    number = int(design.labels_per_item)
    return f"{spelled(number)} label{'' if number == 1 else 's'}"


def way_words(strategy: str, labels: float) -> str:
    """A way to label as the subject of a sentence that goes on with `leave`.

    Examples
    --------
    >>> way_words("fixed", 3), way_words("lead-by-two", 3.2)
    ('three labels for each item', 'labels until one side leads by two')
    """
    if strategy == "adaptive":
        return "two labels and a third where they differ"
    if strategy == "lead-by-two":
        return "labels until one side leads by two"
    return f"{spelled(int(labels))} label{'' if labels == 1 else 's'} for each item"


def series_name(strategy: str, labels: float) -> str:
    """A way to label, in a legend or a table.

    Examples
    --------
    >>> series_name("fixed", 1), series_name("disagreement-only", 3), series_name("adaptive", 2.375)
    ('1 label', '3 labels', 'two, then a third')
    """
    if strategy == "adaptive":
        return "two, then a third"
    if strategy == "lead-by-two":
        return "until a lead of two"
    return f"{labels:g} label{'' if labels == 1 else 's'}"


def items_words(design: LabelDesign) -> str:
    """The items of a design, as they follow `one label for`."""
    each = "one item" if design.items == 1 else f"each of {whole(design.items)} items"
    if design.screened is None:
        return each
    return f"{each} on which the models differ, to be found among about {whole(design.screened)}"
