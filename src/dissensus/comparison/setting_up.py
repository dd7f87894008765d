"""From ratings and judges to the responses that can be compared, on common labels and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.comparison.metrics.distances import Floats
from dissensus.comparison.responses import Responses, responses_of_judge, responses_of_raters
from dissensus.errors import JudgesError, OptionError, listed
from dissensus.ratings import Judges, Ratings
from dissensus.ratings.coding import Codes
from dissensus.ratings.labels import label_values
from dissensus.ratings.measures import nearest_labels
from dissensus.ratings.quantiles import median, quantiles

MOST_OUTSIDE = 0.05
"""Share of a judge's answers that may lie outside the raters' labels."""
USUAL = 0.95
"""Share of the ratings that must surround the middle answer of a judge on an interval scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """Everybody's responses on the rated items.

    Attributes
    ----------
    people : Responses
        What the raters answered.
    judges : mapping of str to Responses
        What each judge answered.
    labels : tuple of str
        The raters' labels, then those that only judges used.
    values : ndarray of shape (n_labels of the ratings,)
        The raters' labels as numbers; NaN where they are words without an order.
    scale : str
        Of the ratings.
    warnings : tuple of str
        What was mended, and why.
    copies : ndarray of shape (n_items,), optional
        How many items of the data each item stands for; one if None.
    """

    people: Responses
    judges: dict[str, Responses]
    labels: tuple[str, ...]
    values: Floats
    scale: str
    warnings: tuple[str, ...]
    copies: Codes | None = None

    @property
    def has_numbers(self) -> bool:
        """Whether the raters' labels are numbers, or words in an order that was given."""
        return bool(np.isfinite(self.values).all())


def panel_of(ratings: Ratings, judges: Judges, names: Sequence[str]) -> Panel:
    """The responses of the raters and of these judges."""
    warnings: list[str] = []
    values = _numbers(ratings)
    used = _used_labels(judges, names)
    judge_values = _judge_values(judges, ratings, values)
    labels, place = _places(judges, ratings, used, warnings)
    row_of = {item: row for row, item in enumerate(ratings.items)}
    rows = np.array([row_of.get(item, -1) for item in judges.items], dtype=np.intp)
    found = {
        name: responses_of_judge(
            judges, judges.judges.index(name), rows=rows, n_items=ratings.n_items, place=place, values=judge_values
        )
        for name in names
    }
    return Panel(
        people=responses_of_raters(ratings, values),
        judges=found,
        labels=labels,
        values=values,
        scale=ratings.scale,
        warnings=tuple(warnings),
        copies=ratings.copies,
    )


def _numbers(ratings: Ratings) -> Floats:
    """The raters' labels as numbers; words in a given order count 0, 1, 2, and so on."""
    values = ratings.values
    if ratings.scale == "nominal":
        return np.full(len(values), np.nan)
    if np.isnan(values).any() and not ratings.has_response_sets:
        return np.arange(len(values), dtype=np.float64)
    return values


def _judge_values(judges: Judges, ratings: Ratings, values: Floats) -> Floats:
    """The judges' labels as numbers: those of the raters, or what they say."""
    known = dict(zip(ratings.labels, values, strict=True))
    own = label_values(judges.labels) if np.isfinite(ratings.values).all() else np.full(len(judges.labels), np.nan)
    return np.array([known.get(label, number) for label, number in zip(judges.labels, own, strict=True)])


def _used_labels(judges: Judges, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which labels these judges gave, or gave a share of a response."""
    own = np.isin(judges.judge, [judges.judges.index(name) for name in names])
    bare = own if judges.probability is None else own & np.isnan(judges.probability).any(axis=1)
    used = np.bincount(judges.label[bare], minlength=len(judges.labels)) > 0
    return used if judges.probability is None else used | (np.nan_to_num(judges.probability[own]) > 0).any(axis=0)


def _places(
    judges: Judges, ratings: Ratings, used: npt.NDArray[np.bool_], warnings: list[str]
) -> tuple[tuple[str, ...], Codes]:
    """All labels, and where each of the judges' labels stands among them."""
    known = frozenset(ratings.labels)
    strange = [label for label, is_used in zip(judges.labels, used, strict=True) if is_used and label not in known]
    labels = (*ratings.labels, *strange)
    own = label_values(judges.labels)
    if strange and np.isfinite(ratings.values).all() and np.isfinite(label_values(strange)).all():
        return ratings.labels, nearest_labels(own, ratings.values)
    if strange:
        warnings.append(f"Judges used labels that no rater used, so they can never be right there: {listed(strange)}.")
    places = {label: place for place, label in enumerate(labels)}
    # A label without any share may stand anywhere: it adds nothing there.
    return labels, np.array([places.get(label, 0) for label in judges.labels], dtype=np.intp)


def other_scale(panel: Panel, name: str) -> str | None:
    """Why a judge's numbers cannot be on the raters' scale; None if they can.

    On the scale are the numbers between the lowest and the highest label, and some beyond, since a label may exist that
    no rater gave: one step on an ordinal scale, on an interval scale half of what lies between. The middle answer of a
    judge that measures lies where raters' do.
    """
    said = panel.judges[name]
    is_number = np.isfinite(said.value)
    values, labels = said.value[is_number], np.unique(panel.values)
    copies = None if panel.copies is None else panel.copies[said.item[is_number]]
    if not values.size or not panel.has_numbers:
        return None
    low, high = labels[[0, -1]]
    step = float(np.diff(labels).max(initial=0)) if panel.scale == "ordinal" else (high - low) / 2
    outside = float(np.average((values < low - step) | (values > high + step), weights=copies))
    middle = median(values, copies)
    if outside > MOST_OUTSIDE or not low <= middle <= high:
        return f"its answers run from {values.min():g} to {values.max():g}, the raters' labels from {low:g} to {high:g}"
    if panel.scale == "interval":
        people = panel.people
        times = people.times[people.item, people.response] * (1 if panel.copies is None else panel.copies[people.item])
        first, last = quantiles(people.value, [(1 - USUAL) / 2, (1 + USUAL) / 2], times)
        if not first <= middle <= last:
            return f"its middle answer is {middle:g}, but {USUAL:.0%} of the ratings lie from {first:g} to {last:g}"
    return None


def check_judges(judges: Judges, names: Sequence[str | None]) -> None:
    """Raise where a judge is named that is not there, or where there are not two to compare."""
    for name in names:
        if name is not None and name not in judges.judges:
            raise OptionError(f"There is no judge {name!r}: the judges are {listed(judges.judges)}.")
    if len(judges.judges) < 2:  # noqa: PLR2004 - a pair
        raise JudgesError(f"There is one judge only, {listed(judges.judges)}: a comparison needs two.")


def answered(responses: Responses) -> npt.NDArray[np.bool_]:
    """Which items have a response."""
    return np.asarray(responses.sizes > 0)
