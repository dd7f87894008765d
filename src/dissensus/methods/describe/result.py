"""What `describe` returns."""

from dataclasses import dataclass
from typing import ClassVar

from dissensus.results import Result, as_dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One measure of agreement with its interval; NaN where it is undefined."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShare:
    """How often a label was given."""

    label: str
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Shape of a set of ratings and how far the raters agree."""

    group: str | None  # whose ratings these are; None for all
    items: int  # how many there are
    raters: int | None  # how many there are; None if nobody knows
    ratings: int
    fewest: int  # ratings per item
    median: float
    most: int
    labels: tuple[LabelShare, ...]  # in their order
    # Mean over items with two or more ratings of the share of pairs of ratings that agree.
    pairwise_agreement: Coefficient
    coefficients: tuple[Coefficient, ...]  # those that the scale of the labels allows
    # How many items have which share of agreeing pairs: each share that is possible with as many ratings as items have,
    # and its items, from the least agreed upon. Of many shares the lower edges of bins that hold a possible one; the
    # last entry, 1.0, holds the items with complete agreement. Items rated once are not in it.
    agreement_by_item: tuple[tuple[float, int], ...]
    agreement_step: float = 0.0  # how wide the bins are; 0 where the shares are exact

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {
            "items": self.items,
            "raters": self.raters,
            "ratings": self.ratings,
            "ratings_per_item": {"min": self.fewest, "median": self.median, "max": self.most},
            "labels": [as_dict(label) for label in self.labels],
            "pairwise_agreement": self.pairwise_agreement.value,
            "pairwise_agreement_low": self.pairwise_agreement.low,
            "pairwise_agreement_high": self.pairwise_agreement.high,
            "coefficients": [as_dict(coefficient) for coefficient in self.coefficients],
            "agreement_by_item": [{"share": share, "items": items} for share, items in self.agreement_by_item],
            "agreement_step": self.agreement_step,
        }


@dataclass(frozen=True, kw_only=True)
class DescribeResult(Result):
    """Do the raters agree?

    Attributes
    ----------
    whole : Description
        All ratings.
    groups : tuple of Description
        Each group's ratings, where they were asked for.
    """

    command: ClassVar[str] = "describe"

    whole: Description
    groups: tuple[Description, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        groups = [{"group": part.group, **part.as_dict()} for part in self.groups]
        return {**self.whole.as_dict(), **({"groups": groups} if groups else {})}

    def rows(self) -> list[dict[str, object]]:
        """One row per coefficient, and per group where there are groups."""
        parts = (self.whole, *self.groups)
        names = ({"group": part.group} if self.groups else {} for part in parts)
        return [
            {**name, **as_dict(coefficient)}
            for part, name in zip(parts, names, strict=True)
            for coefficient in (part.pairwise_agreement, *part.coefficients)
        ]
