"""What a coefficient of agreement says."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dissensus.data.labels import SEPARATOR
from dissensus.methods.describe.result import Coefficient, Description, LabelShare
from dissensus.report.numbers import counted, decimal, listing, percent, quoted, visible, whole, with_interval

# ---- What a coefficient of agreement says

RULE_OF_THUMB = (
    "A common rule of thumb is Krippendorff's (Content Analysis, 2004): rely on ratings with an alpha of 0.8 or more, "
    "draw only tentative conclusions from 0.667 to 0.8. It is a convention, not a law: where people truly see things "
    "differently, a low alpha is a finding."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a coefficient is called, and what it counts."""

    name: str
    counts: str


PAIRWISE = "pairwise_agreement"
_ALPHA = "Krippendorff's alpha"
_COEFFICIENTS: Mapping[str, Wording] = {
    PAIRWISE: Wording(name="Pairwise agreement", counts="Chance is not taken into account."),
    "krippendorff_alpha_nominal": Wording(
        name=f"{_ALPHA} (nominal)", counts="Two different labels count as a full disagreement, whichever they are."
    ),
    "krippendorff_alpha_ordinal": Wording(
        name=f"{_ALPHA} (ordinal)", counts="Labels further apart in the order count as a larger disagreement."
    ),
    "krippendorff_alpha_interval": Wording(
        name=f"{_ALPHA} (interval)", counts="A disagreement counts by the square of the distance between the numbers."
    ),
    "fleiss_kappa": Wording(
        name="Fleiss' kappa",
        counts="It is close to nominal alpha, but every item counts the same, however many ratings it has.",
    ),
    "gwet_ac1": Wording(
        name="Gwet's AC1",
        counts="It expects less agreement by chance when one label is given most of the time, where alpha and kappa "
        "can be near 0 although raters rarely differ.",
    ),
    "gwet_ac2": Wording(name="Gwet's AC2", counts="It is AC1 with part of the credit for labels that are close."),
    "krippendorff_alpha_jaccard": Wording(
        name=f"{_ALPHA} (Jaccard)", counts="Response sets agree by the share of their options that they have in common."
    ),
    "krippendorff_alpha_masi": Wording(
        name=f"{_ALPHA} (MASI)",
        counts="Response sets agree by the share of their options that they have in common, less if they are not equal "
        "and least if neither contains the other.",
    ),
}

_SET_DISTANCES = ("_jaccard", "_masi")


def coefficient_name(name: str) -> str:
    """What a coefficient is called in a sentence.

    Examples
    --------
    >>> coefficient_name("gwet_ac1"), coefficient_name("some_new_measure")
    ("Gwet's AC1", 'Some new measure')
    """
    return _COEFFICIENTS[name].name if name in _COEFFICIENTS else visible(name).replace("_", " ").capitalize()


def coefficient_heading(name: str) -> str:
    """What a coefficient is called above a column.

    Examples
    --------
    >>> coefficient_heading("krippendorff_alpha_nominal")
    'Alpha (nominal)'
    """
    return coefficient_name(name).replace(_ALPHA, "Alpha")


def headline(coefficients: Sequence[Coefficient], scale: object = None) -> Coefficient | None:
    """The coefficient that sums up the others: alpha for response sets if there are any, else alpha for the scale."""
    by_name = {coefficient.name: coefficient for coefficient in coefficients}
    wanted = (by_name.get(f"krippendorff_alpha_{distance}") for distance in ("jaccard", scale, "nominal"))
    return next((found for found in wanted if found is not None), coefficients[0] if coefficients else None)


def counterpart(coefficients: Sequence[Coefficient], name: str) -> Coefficient | None:
    """The coefficient of that name among those of a group.

    A group that gave no response sets has no alpha for them; its nominal alpha is the same number, since sets of one
    option are either equal or have nothing in common.
    """
    by_name = {coefficient.name: coefficient for coefficient in coefficients}
    nominal = by_name.get("krippendorff_alpha_nominal") if name.endswith(_SET_DISTANCES) else None
    return by_name.get(name, nominal)


def interval_of(coefficient: Coefficient) -> str:
    """A coefficient's value and interval, in its own unit."""
    form = percent if coefficient.name == PAIRWISE else decimal
    return with_interval(coefficient.value, coefficient.low, coefficient.high, form=form)


def agreement_in_short(whole: Description, scale: object = None) -> str:
    """Do the raters agree, in one sentence: how often a pair does, and how much better than chance that is."""
    best = headline(whole.coefficients, scale)
    pairs = pairwise_clause(whole.pairwise_agreement, group=whole.group)
    is_known = best is not None and math.isfinite(best.value)
    if best is None or not (is_known or math.isfinite(whole.pairwise_agreement.value)):
        return f"{pairs}."
    if scale == "interval" and is_known:
        # Two numbers on a measure are seldom the same, so that it says little how often they are.
        equal = with_interval(*_ends(whole.pairwise_agreement), form=percent)
        scale_ends = "where 1 is perfect agreement and 0 is what chance would bring"
        return f"{_says(best)}, {scale_ends}; {equal} of the pairs of raters gave exactly the same number."
    if not math.isfinite(best.value):
        return f"{pairs}; {_undefined(best)}."
    return f"{pairs}; {_says(best)}, where 1 is perfect agreement and 0 is what chance would bring."


def _ends(coefficient: Coefficient) -> tuple[float, float, float]:
    return coefficient.value, coefficient.low, coefficient.high


def pairwise_clause(agreement: Coefficient, *, group: str | None = None) -> str:
    """How often two raters agree, without a full stop.

    Examples
    --------
    >>> pairwise_clause(Coefficient(name="pairwise_agreement", value=0.588, low=0.561, high=0.614))
    'Two raters of the same item give the same label 58.8% of the time [56.1%, 61.4%]'
    """
    subject = "Two raters" if group is None else f"Within group {quoted(group)}, two raters"
    if not math.isfinite(agreement.value):
        return "How often two raters of the same item agree is undefined here (the warnings say why)"
    value, _, bounds = interval_of(agreement).partition(" ")
    return f"{subject} of the same item give the same label {value} of the time{' ' + bounds if bounds else ''}"


def coefficient_sentence(coefficient: Coefficient) -> str:
    """What a coefficient's value means.

    Examples
    --------
    >>> print(coefficient_sentence(Coefficient(name="krippendorff_alpha_nominal", value=0.13, low=0.10, high=0.16)))
    Krippendorff's alpha (nominal) is 0.13 [0.10, 0.16]: the raters disagree 13% less than chance would make them.
    Two different labels count as a full disagreement, whichever they are.
    """
    if coefficient.name == PAIRWISE:
        return f"{pairwise_clause(coefficient)}."
    if not math.isfinite(coefficient.value):
        return f"{_undefined(coefficient)}."
    known = _COEFFICIENTS.get(coefficient.name)
    return f"{_says(coefficient)}: {_against_chance(coefficient.value)}.{' ' + known.counts if known else ''}"


def coefficients_finding(coefficients: Sequence[Coefficient]) -> str:
    """How much agreement is left when chance is taken off, over coefficients that are defined."""
    low, high = (decimal(pick(c.value for c in coefficients)) for pick in (min, max))
    if len(coefficients) == 1:
        return f"Corrected for chance, agreement is {low}"
    if low == high:
        return f"Corrected for chance, agreement is {low} by every coefficient"
    return f"Corrected for chance, agreement is between {low} and {high}, depending on the coefficient"


def _says(coefficient: Coefficient) -> str:
    return f"{coefficient_name(coefficient.name)} is {interval_of(coefficient)}"


def _undefined(coefficient: Coefficient) -> str:
    return f"{coefficient_name(coefficient.name)} is undefined here (the warnings say why)"


def _against_chance(value: float) -> str:
    """The value as what it is by definition: 1 minus the ratio of observed to expected disagreement."""
    if value == 1:
        return "the raters never disagree"
    size = percent(abs(value), 0)
    if size == "<1%" or value == 0:
        return "the raters disagree as much as chance would make them"
    return f"the raters disagree {size} {'less' if value > 0 else 'more'} than chance would make them"


def groups_finding(name: str, values: Mapping[str, float]) -> str:
    """In which groups the raters agree least and most.

    Parameters
    ----------
    name : str
        The coefficient.
    values : mapping from str to float
        Its value within each group where it is defined; at least one.

    Examples
    --------
    >>> print(groups_finding("fleiss_kappa", {"crowd": 0.2, "experts": 0.5, "students": 0.3}))
    Fleiss' kappa ranges from 0.20 within "crowd" to 0.50 within "experts"
    """
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    least, most = (f"{decimal(values[group])} within {quoted(group)}" for group in (low, high))
    if len(values) == 1:
        return f"{coefficient_name(name)} is {least}"
    if decimal(values[low]) == decimal(values[high]):
        return f"{coefficient_name(name)} is {decimal(values[low])} within every group"
    return f"{coefficient_name(name)} ranges from {least} to {most}"


# ---- What the ratings are: how many, on which scale, with which labels

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
