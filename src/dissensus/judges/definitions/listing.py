"""The definitions by name, with the aggregations that Table 1 pairs them with."""

from collections.abc import Callable, Mapping, Sequence

from dissensus.judges.aggregation import Aggregation, Floats
from dissensus.judges.definitions.categorical import hit_rate
from dissensus.judges.definitions.definition import Better, Definition
from dissensus.judges.definitions.distributional import cross_entropy, jensen_shannon, kl_divergence
from dissensus.judges.definitions.response_sets import (
    binary_cross_entropy,
    coverage,
    precision,
    recall,
    set_size,
    squared_error,
)

Measure = Callable[[Floats, Floats], Floats]
"""Called as measure(judge, people) on aggregated vectors; one value per item."""

PER_ITEM: Mapping[str, Measure] = {
    "hit_rate": hit_rate,
    "kl_human_judge": lambda judge, people: kl_divergence(people, judge),
    "kl_judge_human": kl_divergence,
    "cross_entropy_human_judge": lambda judge, people: cross_entropy(people, judge),
    "cross_entropy_judge_human": cross_entropy,
    "jsd": jensen_shannon,
    "mse_hard": squared_error,
    "mse_soft": squared_error,
    "mse_response_set": squared_error,
    "coverage": coverage,
    "predictive_efficiency": set_size,
    "precision": precision,
    "recall": recall,
    "bce": binary_cross_entropy,
}

SECOND_IS_JUDGE = ("kl_human_judge", "cross_entropy_human_judge")
SECOND_IS_PEOPLE = ("kl_judge_human", "cross_entropy_judge_human")
"""Whose distribution stands under the logarithm, where smoothing applies."""

_ALONE: tuple[tuple[str, Aggregation, Better], ...] = (
    ("hit_rate", "hard", "higher"),
    ("krippendorff_alpha", "hard", "higher"),
    ("fleiss_kappa", "hard", "higher"),
    ("cohen_kappa", "hard", "higher"),
    ("scott_pi", "hard", "higher"),
    ("kl_human_judge", "soft", "lower"),
    ("kl_judge_human", "soft", "lower"),
    ("cross_entropy_human_judge", "soft", "lower"),
    ("cross_entropy_judge_human", "soft", "lower"),
    ("jsd", "soft", "lower"),
    ("mse_hard", "hard", "lower"),
    ("mse_soft", "soft", "lower"),
    ("mse_response_set", "soft_response_set", "lower"),
)

_PAIRED: tuple[tuple[str, Aggregation, Aggregation, Better], ...] = (
    ("coverage", "hard", "hard_response_set", "higher"),
    ("coverage", "hard_response_set", "hard_response_set", "higher"),
    ("coverage", "hard_response_set", "hard", "higher"),
    ("predictive_efficiency", "hard_response_set", "hard_response_set", "lower"),
    ("precision", "hard", "hard_response_set", "higher"),
    ("precision", "hard_response_set", "hard_response_set", "higher"),
    ("precision", "hard_response_set", "hard", "higher"),
    ("recall", "hard", "hard_response_set", "higher"),
    ("recall", "hard_response_set", "hard_response_set", "higher"),
    ("recall", "hard_response_set", "hard", "higher"),
    ("bce", "soft_response_set", "hard_response_set", "lower"),
    ("bce", "soft_response_set", "hard", "lower"),
)
"""With hard labels on both sides coverage, precision and recall are the hit rate, and every set has one option."""


def definitions_at(taus: Sequence[float]) -> tuple[Definition, ...]:
    """Every definition, those with hard response sets once for each threshold.

    Examples
    --------
    >>> [definition.id for definition in definitions_at([0.5])][-3:]
    ['recall_hrs_h_0.5', 'bce_srs_hrs_0.5', 'bce_srs_h']
    """
    alone = [Definition(name=name, judge=how, human=how, better=better) for name, how, better in _ALONE]
    paired = [
        Definition(name=name, judge=judge, human=human, better=better, tau=tau, is_one_of_many=True)
        for name, judge, human, better in _PAIRED
        for tau in (taus if "hard_response_set" in {judge, human} else [None])
    ]
    return (*alone, *paired)
