"""The definitions of performance as measures of the simulated selection experiment."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from dissensus.errors import OptionError
from dissensus.judges.aggregation import Floats, RatingVectors
from dissensus.judges.definitions import COEFFICIENTS, PER_ITEM, Definition, Margins, definitions_at
from dissensus.simulation.indeterminate_experiment import Measure, Seen


def measures_of(ids: Iterable[str], *, tau: float = 0.5) -> dict[str, Measure]:
    """The definitions with these ids, each as a measure of which higher is better.

    Parameters
    ----------
    ids : iterable of str
        Such as hit_rate, jsd or mse_response_set.
    tau : float
        Threshold of hard response sets.

    Examples
    --------
    >>> from dissensus.simulation.indeterminate_experiment import selected_consistency
    >>> from dissensus.simulation.indeterminate_population import Indeterminacy
    >>> found = selected_consistency(Indeterminacy(), measures_of(["mse_response_set"]), ratings=100, rng=0)
    >>> found["mse_response_set"] > 0.9
    True
    """
    known = {definition.id: definition for definition in definitions_at([tau])}
    wanted = list(ids)
    for name in wanted:
        if name not in known:
            raise OptionError.unknown("A definition", name, known)
    return {name: partial(_values, known[name]) for name in wanted}


def _values(definition: Definition, seen: Seen) -> Floats:
    """Each judge's value, of shape (n_judges,), the better the higher; NaN where undefined."""
    people = RatingVectors(soft=seen.soft, marginals=seen.marginals).aggregated(definition.human, definition.tau)
    judges = RatingVectors(soft=seen.judge_soft, marginals=seen.judge_marginals)
    judge = judges.aggregated(definition.judge, definition.tau)
    if definition.name not in COEFFICIENTS:
        return np.asarray(definition.sign * PER_ITEM[definition.name](judge, people).mean(axis=1))
    margins = Margins(
        items=np.full((1, 1), float(len(people))),
        agreement=(judge * people).sum(axis=2).mean(axis=1)[None, :],
        judge=judge.mean(axis=1)[None, :, :],
        people=people.mean(axis=0)[None, None, :],
    )
    return np.asarray(definition.sign * COEFFICIENTS[definition.name](margins)[0])
