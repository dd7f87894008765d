"""Whether what "Judges without gold labels" says about its simulations holds in ours: Figures 4 to 6 and 10 to 15."""

from functools import cache

import numpy as np

from dissensus.methods.reproduce.judges_without_gold.experiments import (
    ASYMMETRIC,
    EVERY,
    POSITIVE,
    RANDOM,
    SELECTING,
    SYMMETRIC,
    Found,
    Gammas,
    mean_of,
    misleading_people,
    prevalence_bias,
    rank_correlations,
    rank_correlations_under_error,
    selection,
)
from dissensus.simulation.indeterminate import FULLY_SPECIFIED, TAUS, UNDERSPECIFIED
from dissensus.simulation.indeterminate_model import choice_matrix, choice_weights, response_sets

SEEDS, TRIALS = range(2), 2
CATEGORICAL, OTHER = ("hit_rate", "fleiss_kappa", "cohen_kappa"), ("jsd", "mse_response_set")
EFFECTS: dict[str, Gammas] = {
    "random": RANDOM,
    "symmetric": SYMMETRIC,
    "asymmetric": ASYMMETRIC,
    "positive": POSITIVE,
}
BUDGETS = (1, 3, 10, 100)
"""Ratings per item in Figure 4."""
FEW, MANY = 1, 100


@cache
def selected(effects: str, ratings: int, error: float = 0.0, skew: float = 0.0, *, is_specified: bool = False) -> Found:
    """Consistency of the judge that each measure selects."""
    tasks = FULLY_SPECIFIED if is_specified else UNDERSPECIFIED
    return mean_of(
        selection(tasks, EFFECTS[effects], ratings=ratings, seed=seed, trials=TRIALS, error=error, skew=skew)
        for seed in SEEDS
    )


@cache
def ranked(effects: str) -> Found:
    """Rank correlation of each measure with consistency."""
    return mean_of(rank_correlations(UNDERSPECIFIED, EFFECTS[effects], seed=seed, trials=TRIALS) for seed in SEEDS)


@cache
def ranked_under_error(error: float, skew: float, *, is_specified: bool = False) -> Found:
    """Rank correlation of each measure with itself where people make no error."""
    tasks = FULLY_SPECIFIED if is_specified else UNDERSPECIFIED
    return mean_of(
        rank_correlations_under_error(tasks, RANDOM, seed=seed, trials=TRIALS, error=error, skew=skew) for seed in SEEDS
    )


@cache
def bias_of_prevalence(error: float, skew: float) -> float:
    """Prevalence by forced choices with error less that by response sets without."""
    found = mean_of(prevalence_bias(EVERY, RANDOM, seed=seed, error=error, skew=skew) for seed in range(4))
    return found["bias"]


@cache
def misled(ratings: int) -> Found:
    """Decisions and prevalences of few ratings against those of everybody."""
    return mean_of(misleading_people(EVERY, RANDOM, ratings=ratings, seed=seed) for seed in range(8))


def budget_matters_more() -> float:
    """Share of two other factors, selection effects and metric, that matter less than three ratings instead of one."""
    one, three = selected("random", 1), selected("random", 3)
    budget = np.mean([three[name] - one[name] for name in SELECTING])
    effects = np.mean([selected("symmetric", 1)[name] - selected("asymmetric", 1)[name] for name in SELECTING])
    metric = max(one[name] for name in SELECTING) - one["hit_rate"]
    return float(np.mean([effects < budget, metric < budget]))


def one_matches_three() -> float:
    """Share of metrics with which one rating of a fully specified task does at least as well as three of another."""
    one, three = selected("random", 1, is_specified=True), selected("random", 3)
    return float(np.mean([one[name] >= three[name] for name in SELECTING]))


def loss(name: str) -> float:
    """Consistency that asymmetric selection effects cost, with 100 ratings per item."""
    return selected("symmetric", MANY)[name] - selected("asymmetric", MANY)[name]


def hit_rate_loses_most() -> float:
    """Share of the other metrics that lose less from asymmetric selection effects."""
    return float(np.mean([loss("hit_rate") > loss(name) for name in SELECTING if name != "hit_rate"]))


def categorical_rank_worse() -> float:
    """Share of pairs of a categorical and another metric in which the categorical one ranks worse."""
    found = ranked("asymmetric")
    return float(np.mean([found[first] < found[second] for first in CATEGORICAL for second in OTHER]))


def asymmetry_weakens() -> float:
    """Share of the categorical metrics that rank worse under asymmetric selection effects than under symmetric ones."""
    return float(np.mean([ranked("asymmetric")[name] < ranked("symmetric")[name] for name in CATEGORICAL]))


def error_costs(skew: float, effects: str = "positive") -> float:
    """Consistency that error of .3 costs if judges are selected by hit rate."""
    return selected(effects, MANY)["hit_rate"] - selected(effects, MANY, 0.3, skew)["hit_rate"]


def error_matters_less() -> float:
    """Share of two kinds of error, random and additive, that cost less than asymmetric selection effects."""
    return float(np.mean([error_costs(skew) < loss("hit_rate") for skew in (0.0, 1.0)]))


def same_way_costs_more() -> float:
    """1 if error that favours the option that choices favour, too, costs more than error the other way."""
    return float(error_costs(1.0) > error_costs(-1.0))


def skewed_error_turns_hit_rate() -> float:
    """Share of other conditions in which error leaves the ranking by hit rate more as it is."""
    worst = ranked_under_error(0.5, 1.0)["hit_rate"]
    others = [ranked_under_error(0.5, 0.0), ranked_under_error(0.5, 1.0, is_specified=True)]
    return float(np.mean([found["hit_rate"] > worst for found in others]))


def skew_moves_prevalence() -> float:
    """Share of two skews with which error moves the prevalence more than without skew."""
    without = abs(bias_of_prevalence(0.4, 0.0) - bias_of_prevalence(0.0, 0.0))
    return float(
        np.mean([abs(bias_of_prevalence(0.4, s) - bias_of_prevalence(0.0, 0.0)) > without for s in (1.0, -1.0)])
    )


def underestimates() -> float:
    """Share of underspecified tasks whose prevalence forced choices understate at a threshold of one half."""
    gaps = [
        mean_of(misleading_people([task], RANDOM, ratings=1, seed=seed) for seed in SEEDS)["prevalence_gap"]
        for task in UNDERSPECIFIED
    ]
    return float(np.mean([gap < 0 for gap in gaps]))


def few_ratings_mislead() -> float:
    """Share of thresholds at which one rating per item misstates prevalence more than 30 do."""
    one, many = misled(1), misled(30)
    names = [f"few_ratings_gap_{tau}" for tau in TAUS]
    return float(np.mean([abs(one[name]) > abs(many[name]) for name in names]))


def direction_depends() -> float:
    """1 if one rating per item understates prevalence at the lowest threshold and overstates it at the highest."""
    found = misled(FEW)
    return float(found[f"few_ratings_gap_{TAUS[0]}"] < 0 < found[f"few_ratings_gap_{TAUS[-1]}"])


def gamma_as_printed() -> float:
    """The printed measure of selection effects where options of a set are equally likely, for two options."""
    members = response_sets(2)
    choice = choice_matrix(choice_weights(members, 0.0), members)
    has_first, size = members[:, 0], members.sum(axis=1)
    return float((choice[0, has_first] / size[has_first]).mean())
