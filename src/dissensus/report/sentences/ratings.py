"""What the ratings are: how many, on which scale, with which labels."""

from collections.abc import Sequence
from itertools import accumulate

from dissensus.agreement.result import Description, LabelShare
from dissensus.ratings.labels import SEPARATOR
from dissensus.report.numbers import counted, listing, percent, whole
from dissensus.report.untrusted import quoted

QUARTILES = (0.25 - 1e-9, 0.75 - 1e-9)
"""A hair below, so that shares that add up to a quarter but for rounding reach it."""
_SCALES = {
    "nominal": "The labels are read as names without an order (nominal scale).",
    "ordinal": "The labels are read as steps in an order, with no distances between them (ordinal scale).",
    "interval": "The labels are read as numbers with distances between them (interval scale).",
}


def shape_sentence(part: Description) -> str:
    """How many items, raters and ratings there are, and how they are spread."""
    whose = "" if part.group is None else f" of group {quoted(part.group)}"
    items, ratings = counted(part.items, "item"), counted(part.ratings, "rating")
    if part.raters is None:
        said = f"{items} {'has' if part.items == 1 else 'have'} {ratings}{whose}; the data do not say who gave them."
    else:
        said = f"{counted(part.raters, 'rater')}{whose} gave {ratings} to {items}."
    return f"{said} {ratings_per_item_sentence(part.fewest, part.median, part.most)}"


def ratings_per_item_sentence(fewest: int, median: float, most: int) -> str:
    """How many ratings an item has.

    Examples
    --------
    >>> ratings_per_item_sentence(10, 10.0, 10)
    'Every item has 10 ratings.'
    >>> ratings_per_item_sentence(1, 4.5, 12)
    'An item has 1 to 12 ratings (median 4.5).'
    """
    if fewest == most:
        return f"Every item has {counted(most, 'rating')}."
    return f"An item has {whole(fewest)} to {counted(most, 'rating')} (median {whole(median)})."


def scale_sentence(scale: object) -> str:
    """How the labels were read."""
    return _SCALES.get(str(scale), "")


def labels_finding(labels: Sequence[LabelShare]) -> str:
    """Which label is the most common."""
    used = [label for label in labels if label.count]
    if not used:
        return "There are no ratings"
    if len(used) == 1:
        return f"Every rating says {quoted(used[0].label)}"
    top = [label for label in used if label.count == max(other.count for other in used)]
    share = percent(top[0].share)
    if len(top) == 1:
        return f"The most common label is {quoted(top[0].label)}: {share} of the ratings"
    if len(top) > 3:  # noqa: PLR2004 - more names would bury the finding
        return f"{len(top)} labels are the most common ones: {share} of the ratings each"
    return f"{listing([quoted(label.label) for label in top])} are the most common labels: {share} of the ratings each"


def numbers_finding(values: Sequence[float], shares: Sequence[float]) -> str:
    """Between which numbers the middle half of the ratings lies.

    Examples
    --------
    >>> numbers_finding([1.5, 2, 4, 9], [0.2, 0.3, 0.3, 0.2])
    'Half of the ratings lie between 2 and 4'
    """
    ordered = sorted(zip(values, shares, strict=True))
    reached = list(accumulate(share for _, share in ordered))
    low, high = (
        next((v for (v, _), r in zip(ordered, reached, strict=True) if r >= q), ordered[-1][0]) for q in QUARTILES
    )
    return f"Half of the ratings lie between {low:g} and {high:g}"


def unused_labels_sentence(labels: Sequence[LabelShare], most: int = 5) -> str:
    """Which labels nobody gave; empty if all were."""
    unused = [quoted(label.label) for label in labels if not label.count]
    more = len(unused) - most
    shown = [*unused[:most], f"{more} more"] if more > 0 else unused
    return f"Nobody gave {listing(shown)}." if unused else ""


def response_sets_sentence(labels: Sequence[LabelShare]) -> str:
    """How many ratings endorse several options at once; empty if none does."""
    sets = [label for label in labels if SEPARATOR in label.label and label.count]
    if not sets:
        return ""
    largest = max(sets, key=lambda label: label.count)
    share = percent(sum(label.share for label in sets))
    return (
        f"{share} of the ratings endorse several options at once (a response set); "
        f"the most common one is {quoted(largest.label)}."
    )


def unanimity_finding(part: Description) -> str:
    """On how many items all raters agree."""
    items = sum(count for _, count in part.agreement_by_item)
    agreed = sum(count for share, count in part.agreement_by_item if share >= 1)
    if not items:
        return "No item has two ratings"
    if not agreed:
        return "There is no item on which all raters agree"
    if agreed == items:
        return "All raters agree on every item"
    which = "" if items == part.items else " with two or more ratings"
    return f"All raters agree on {percent(agreed / items)} of the items{which}"
