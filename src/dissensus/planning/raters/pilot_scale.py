"""Whether a metric makes sense of a pilot's labels, and both judges answer on the raters' scale."""

import numpy as np

from dissensus.errors import OptionError, listed
from dissensus.planning.raters.nodes import Floats
from dissensus.planning.raters.pilot_answers import Answers
from dissensus.planning.raters.pilot_data import Pilot

MOST_OUTSIDE = 0.05
"""Share of a judge's answers that may lie outside the raters' labels."""
USUAL = 0.95
"""Share of the ratings that must surround the middle answer of a judge on an interval scale."""


def check_metric(pilot: Pilot, metric: str) -> None:
    """Raise where the metric needs what the pilot's labels are not; the same rules as those of `compare`."""
    space = pilot.space
    if not space.has_numbers:
        if metric in {"mae", "emd-binned"}:
            raise OptionError(
                f"--metric {metric} needs numbers, but the pilot's labels are {listed(space.labels)}, on a "
                f"{pilot.scale} scale: choose --metric wins or emd, which compare shares of labels, or recode the "
                "labels as numbers."
            )
        return
    for name, said in zip(pilot.names, pilot.answers, strict=True):
        if not np.isfinite(said.value).all():
            raise OptionError(
                f"--metric {metric} needs numbers, but the judge {name} gave other labels: recode its answers."
            )
        reason = other_scale(pilot, said)
        if reason is not None:
            raise OptionError(
                f"--metric {metric} compares answers with labels, but {name} is on another scale: {reason}. Put its "
                "answers on the raters' scale; without that only `compare --metric spearman` makes sense, and there "
                "is no plan for it."
            )


def other_scale(pilot: Pilot, said: Answers) -> str | None:
    """Why a judge's numbers cannot be on the raters' scale; None if they can.

    On the scale are the numbers between the lowest and the highest label; on an ordinal scale one step further too,
    since a label may exist that no rater gave. The middle answer of a judge that measures lies where raters' do.
    """
    labels = np.unique(pilot.space.values)
    low, high = labels[[0, -1]]
    step = float(np.diff(labels).max(initial=0)) if pilot.scale == "ordinal" else 0.0
    values: Floats = said.value
    outside = float(np.mean((values < low - step) | (values > high + step)))
    middle = float(np.median(values))
    if outside > MOST_OUTSIDE or not low <= middle <= high:
        return f"its answers run from {values.min():g} to {values.max():g}, the raters' labels from {low:g} to {high:g}"
    if pilot.scale == "interval":
        first, last = np.nanquantile(pilot.rating_values(), [(1 - USUAL) / 2, (1 + USUAL) / 2])
        if not first <= middle <= last:
            return f"its middle answer is {middle:g}, but {USUAL:.0%} of the ratings lie from {first:g} to {last:g}"
    return None
