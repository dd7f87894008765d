"""What "Judges without gold labels" says about its simulations: findings 1 to 4, Figures 4 to 6 and 10 to 15.

The paper shows figures without numbers, so a statement in words becomes the share of cases in which it holds. In the
order of the paper; the figures are drawn anew from our simulation of the described design.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial, wraps

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Floats
from dissensus.errors import OptionError
from dissensus.methods.judges.definitions import (
    COEFFICIENTS,
    PER_ITEM,
    Definition,
    Margins,
    RatingVectors,
    definitions_at,
)
from dissensus.methods.reproduce.claims import Claim, Drawing, Part, Point, spearman
from dissensus.methods.reproduce.judges_without_gold import PAPER
from dissensus.simulation.indeterminate import (
    FULLY_SPECIFIED,
    SLACK,
    TAUS,
    UNDERSPECIFIED,
    Measure,
    Seen,
    consistency,
    seen_of,
    selected_consistency,
)
from dissensus.simulation.indeterminate_model import (
    Indeterminacy,
    Population,
    choice_matrix,
    choice_weights,
    draw_population,
    oracle_marginals,
    response_sets,
    sample_choices,
)


def measures_of(ids: Iterable[str]) -> dict[str, Measure]:
    """The definitions with these ids, such as jsd, each as a measure of which higher is better.

    >>> from dissensus.simulation.indeterminate import selected_consistency
    >>> from dissensus.simulation.indeterminate_model import Indeterminacy
    >>> found = selected_consistency(Indeterminacy(), measures_of(["mse_response_set"]), ratings=100, rng=0)
    >>> found["mse_response_set"] > 0.9
    True
    """
    known = {definition.id: definition for definition in definitions_at([0.5])}
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
        items=np.full((1, 1), float(len(people))), agreement=(judge * people).sum(axis=2).mean(axis=1)[None, :],
        judge=judge.mean(axis=1)[None, :, :], people=people.mean(axis=0)[None, None, :],
    )  # fmt: skip
    return np.asarray(definition.sign * COEFFICIENTS[definition.name](margins)[0])


Tasks = Sequence[tuple[int, int]]
Gammas = Sequence[tuple[float, float | tuple[float, float]]]
"""Pairs of people's and judges' gamma, averaged; below 0 is negative. A judge's may be a range."""
Means = dict[str, float]

EVERY: Tasks = (*FULLY_SPECIFIED, *UNDERSPECIFIED)
SELECTING = ("hit_rate", "kl_human_judge", "jsd", "mse_response_set")
RANKING = ("hit_rate", "fleiss_kappa", "cohen_kappa", "jsd", "mse_response_set")
RANDOM: Gammas = ((0.0, 0.0),)
ASYMMETRIC: Gammas = ((-1.0, 2.0), (2.0, -1.0))
SYMMETRIC: Gammas = ((1.0, 2.0), (-2.0, -1.0))
POSITIVE: Gammas = ((1.0, 1.0),)


def mean_of(rows: Iterable[Mapping[str, float]]) -> Means:
    """The mean of each entry, of those that are defined."""
    every = list(rows)
    return {name: float(np.nanmean([row[name] for row in every])) for name in every[0]}


def experiment(run: Callable[..., Mapping[str, float]]) -> Callable[..., Means]:
    """From what a population gives, run(design, stream), to its mean over tasks, pairs of gammas and trials."""

    @wraps(run)
    def over_designs(
        tasks: Tasks, gammas: Gammas, *, seed: int, trials: int = 3, error: float = 0.0, skew: float = 0.0,
        **settings: int,
    ) -> Means:  # fmt: skip
        designs = [
            Indeterminacy(n_options=options, n_sets=sets, gamma=people, judge_gamma=judges, error=error, skew=skew)
            for people, judges in gammas
            for options, sets in tasks
            for _ in range(trials)
        ]
        streams = np.random.default_rng(seed).spawn(len(designs))
        return mean_of([run(one, stream, **settings) for one, stream in zip(designs, streams, strict=True)])

    return over_designs


@experiment
def selection(design: Indeterminacy, stream: Generator, *, ratings: int) -> Means:
    """Consistency of the judge that each measure selects (Figures 4, 10 and 13)."""
    return selected_consistency(design, measures_of(SELECTING), ratings=ratings, rng=stream)


@experiment
def rank_correlations(design: Indeterminacy, stream: Generator) -> Means:
    """Spearman between each measure and consistency at a threshold, for populations; mean over thresholds (5, 14)."""
    population = draw_population(design, rng=stream)
    seen = seen_of(population, None, stream)
    achieved = [consistency(population, tau) for tau in TAUS]
    values = {name: measure(seen) for name, measure in measures_of(RANKING).items()}
    return {name: float(np.nanmean([spearman(value, of) for of in achieved])) for name, value in values.items()}


@experiment
def rank_correlations_under_error(design: Indeterminacy, stream: Generator) -> Means:
    """Spearman of each measure's values with and without people's error, for populations (Figure 11)."""
    population = draw_population(design, rng=stream)
    wrong = _seen(population, population.soft, population.marginals)
    right = _seen(population, population.stable_soft, population.stable_marginals)
    measures = measures_of(("hit_rate", "jsd", "mse_response_set"))
    return {name: spearman(measure(wrong), measure(right)) for name, measure in measures.items()}


def _seen(population: Population, soft: Floats, marginals: Floats) -> Seen:
    judge_soft, judge_marginals = population.judge_soft, population.judge_marginals
    return Seen(soft=soft, marginals=marginals, judge_soft=judge_soft, judge_marginals=judge_marginals)


def _is_positive(shares: Floats, tau: float) -> Floats:
    return np.asarray(shares[:, 0] >= tau - SLACK)


@experiment
def misleading_people(design: Indeterminacy, stream: Generator, *, ratings: int) -> Means:
    """Decisions of few ratings against the population's, and prevalences that differ (Figures 6 and 15).

    `same_decisions` (and at each threshold: `same_decisions_0.3`), `few_ratings_gap_0.3` (prevalence of few ratings
    less that of the population), and `prevalence_gap` (by forced choices less by response sets, at .5).
    """
    population = draw_population(design, judges=0, rng=stream)
    estimated = oracle_marginals(population, sample_choices(population.soft, ratings, stream))
    few = {tau: _is_positive(estimated, tau) for tau in TAUS}
    truth = {tau: _is_positive(population.marginals, tau) for tau in TAUS}
    same = {f"same_decisions_{tau}": float(np.mean(few[tau] == truth[tau])) for tau in TAUS}
    gaps = {f"few_ratings_gap_{tau}": float(few[tau].mean() - truth[tau].mean()) for tau in TAUS}
    gap = _is_positive(population.soft, 0.5).mean() - truth[0.5].mean()
    return same | gaps | {"same_decisions": float(np.mean(list(same.values()))), "prevalence_gap": float(gap)}


@experiment
def prevalence_bias(design: Indeterminacy, stream: Generator) -> Means:
    """Prevalence by forced choices with error less that by response sets without (Figure 12), mean over thresholds."""
    population = draw_population(design, judges=0, rng=stream)
    gaps = [
        _is_positive(population.soft, tau).mean() - _is_positive(population.stable_marginals, tau).mean()
        for tau in TAUS
    ]
    return {"bias": float(np.mean(gaps))}


CLAIMS: list[Claim] = []
FOUR, FIVE, ELEVEN, SIX = (
    Part(CLAIMS, PAPER, group)
    for group in ("figures 4, 10 and 13", "figures 5 and 14", "figure 11", "figures 6, 12 and 15")
)
SEEDS, TRIALS = range(2), 2
CATEGORICAL, OTHER = ("hit_rate", "fleiss_kappa", "cohen_kappa"), ("jsd", "mse_response_set")
EFFECTS: dict[str, Gammas] = {
    "random": RANDOM,
    "symmetric": SYMMETRIC,
    "asymmetric": ASYMMETRIC,
    "positive": POSITIVE,
}
FEW, MANY = 1, 100
CONSISTENT = '"A consistent ranking": nearly 1. Ours has a standard error of .002.'
SIMULATED = "Simulated: 50 judges, 100 items, 14 tasks, thresholds .3, .5 and .7."

# ---- The experiments, over seeds


@cache
def selected(effects: str, ratings: int, error: float = 0.0, skew: float = 0.0, *, is_specified: bool = False) -> Means:
    """Consistency of the judge that each measure selects."""
    tasks = FULLY_SPECIFIED if is_specified else UNDERSPECIFIED
    return mean_of(
        selection(tasks, EFFECTS[effects], ratings=ratings, seed=seed, trials=TRIALS, error=error, skew=skew)
        for seed in SEEDS
    )


@cache
def ranked(effects: str) -> Means:
    """Rank correlation of each measure with consistency."""
    return mean_of(rank_correlations(UNDERSPECIFIED, EFFECTS[effects], seed=seed, trials=TRIALS) for seed in SEEDS)


@cache
def ranked_under_error(error: float, skew: float, *, is_specified: bool = False) -> Means:
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
def misled(ratings: int) -> Means:
    """Decisions and prevalences of few ratings against those of everybody."""
    return mean_of(misleading_people(EVERY, RANDOM, ratings=ratings, seed=seed) for seed in range(8))


@SIX.printed(
    "section 6, Gamma at random chance", 1, decimals=1,
    differs="The printed formula divides by the size of the set; multiplied by it instead, chance is 1.",
)  # fmt: skip
def gamma_as_printed() -> float:
    """The measure of selection effects where every option of a set is equally likely."""
    members = response_sets(2)
    choice = choice_matrix(choice_weights(members, 0.0), members)
    has_first, size = members[:, 0], members.sum(axis=1)
    return float((choice[0, has_first] / size[has_first]).mean())


@FOUR.always(
    "finding 1, three ratings",
    differs="Selection effects matter less. The metric matters more: with one rating per item, choosing by MSE "
    "(srs/srs) or KL instead of hit rate gains more than two further ratings (Figure 4, redrawn).",
)
def budget_matters_more() -> float:
    """Share of two factors, selection effects and metric, that matter less than three ratings instead of one."""
    one, three = selected("random", 1), selected("random", 3)
    budget = np.mean([three[name] - one[name] for name in SELECTING])
    effects = np.mean([selected("symmetric", 1)[name] - selected("asymmetric", 1)[name] for name in SELECTING])
    metric = max(one[name] for name in SELECTING) - one["hit_rate"]
    return float(np.mean([effects < budget, metric < budget]))


@FOUR.always("finding 1, one rating for three")
def one_matches_three() -> float:
    """Share of metrics with which one rating of a fully specified task does as well as three of another."""
    one, three = selected("random", 1, is_specified=True), selected("random", 3)
    return float(np.mean([one[name] >= three[name] for name in SELECTING]))


FOUR.within("finding 1, saved ratings", 0.66, 0.01, "Cut off: 66%.", what="Reduction of the budget.")(lambda: 1 - 1 / 3)


def loss(name: str) -> float:
    """Consistency that asymmetric selection effects cost, with 100 ratings per item."""
    return selected("symmetric", MANY)[name] - selected("asymmetric", MANY)[name]


FOUR.always(
    "finding 2, hit rate",
    what="Share of three other metrics that lose less from asymmetric selection effects (Figure 4, centre).",
)(lambda: float(np.mean([loss("hit_rate") > loss(name) for name in SELECTING if name != "hit_rate"])))  # fmt: skip


@FIVE.always("figure 5, categorical metrics")
def categorical_rank_worse() -> float:
    """Share of pairs in which a categorical metric ranks judges worse than JSD or MSE, asymmetric effects."""
    found = ranked("asymmetric")
    return float(np.mean([found[first] < found[second] for first in CATEGORICAL for second in OTHER]))


FIVE.always(
    "figure 14, asymmetric effects",
    what="Share of categorical metrics that rank worse under asymmetric effects than under symmetric ones.",
)(lambda: float(np.mean([ranked("asymmetric")[name] < ranked("symmetric")[name] for name in CATEGORICAL])))  # fmt: skip


def error_costs(skew: float) -> float:
    """Consistency that error of .3 costs if judges are selected by hit rate."""
    return selected("positive", MANY)["hit_rate"] - selected("positive", MANY, 0.3, skew)["hit_rate"]


FOUR.always(
    "finding 3, error",
    what="Share of two kinds of error, random and additive, that cost less than selection effects (Figure 4, right).",
)(lambda: float(np.mean([error_costs(skew) < loss("hit_rate") for skew in (0.0, 1.0)])))  # fmt: skip
FOUR.within(
    "figure 10, error without skew", 0, 0.02, '"Similar performance": two points. Ours has a standard error of .002.',
    what="Consistency that error of .3 costs if judges are selected by hit rate.",
)(lambda: error_costs(0.0))  # fmt: skip
FOUR.always(
    "figure 10, error with positive skew",
    what="Whether error costs more if it favours the option that choices favour as well (1 is yes).",
)(lambda: float(error_costs(1.0) > error_costs(-1.0)))  # fmt: skip
ELEVEN.within(
    "figure 11, JSD", 1, 0.02, CONSISTENT,
    what="Rank correlation of judges' order with and without error (.5, skew 1).",
)(lambda: ranked_under_error(0.5, 1.0)["jsd"])  # fmt: skip
ELEVEN.within("figure 11, MSE (srs/srs)", 1, 0.02, CONSISTENT, what="The same.")(
    lambda: ranked_under_error(0.5, 1.0)["mse_response_set"]
)


@ELEVEN.always("figure 11, hit rate")
def skewed_error_turns_hit_rate() -> float:
    """Share of conditions without skew or fully specified in which error turns the order less."""
    worst = ranked_under_error(0.5, 1.0)["hit_rate"]
    others = [ranked_under_error(0.5, 0.0), ranked_under_error(0.5, 1.0, is_specified=True)]
    return float(np.mean([found["hit_rate"] > worst for found in others]))


SIX.within(
    "finding 4, one rating per item", 0.30, 0.02,
    f'"In 30% of items", and three standard deviations of one run. {SIMULATED}',
    what="Share of items on which one rating decides otherwise than everybody.",
)(lambda: 1 - misled(FEW)["same_decisions"])  # fmt: skip


@SIX.always("figure 6, forced choices understate")
def underestimates() -> float:
    """Share of underspecified tasks whose prevalence forced choices understate."""
    gaps = [
        mean_of(misleading_people([task], RANDOM, ratings=1, seed=seed) for seed in SEEDS)["prevalence_gap"]
        for task in UNDERSPECIFIED
    ]
    return float(np.mean([gap < 0 for gap in gaps]))


@SIX.always("figure 12, skewed error")
def skew_moves_prevalence() -> float:
    """Share of two skews with which error of .4 moves prevalence more than without skew."""
    without = abs(bias_of_prevalence(0.4, 0.0) - bias_of_prevalence(0.0, 0.0))
    return float(
        np.mean([abs(bias_of_prevalence(0.4, s) - bias_of_prevalence(0.0, 0.0)) > without for s in (1.0, -1.0)])
    )


def same_decisions(tau: float) -> float:
    """Share of items on which one rating decides as everybody."""
    return misled(FEW)[f"same_decisions_{tau}"]


for _tau in TAUS:
    _why, _what = f'"65-75% of items". {SIMULATED}', "Share of items on which one rating decides as everybody."
    SIX.within(f"figure 15, same decisions at {_tau:g}", 0.70, 0.05, _why, what=_what)(partial(same_decisions, _tau))


@SIX.always("figure 15, few ratings")
def few_ratings_mislead() -> float:
    """Share of thresholds at which one rating per item misstates prevalence more than 30 do."""
    one, many = misled(1), misled(30)
    names = [f"few_ratings_gap_{tau}" for tau in TAUS]
    return float(np.mean([abs(one[name]) > abs(many[name]) for name in names]))


@SIX.always("figure 15, direction")
def direction_depends() -> float:
    """Whether the bias turns from the lowest threshold to the highest (1 is yes)."""
    found = misled(FEW)
    return float(found[f"few_ratings_gap_{TAUS[0]}"] < 0 < found[f"few_ratings_gap_{TAUS[-1]}"])


# ---- Figures 4, 5, 6, 11 and 12

NAMES = {
    "hit_rate": "hit rate (h/h)",
    "fleiss_kappa": "Fleiss' kappa (h/h)",
    "cohen_kappa": "Cohen's kappa (h/h)",
    "kl_human_judge": "KL (s/s)",
    "jsd": "JSD (s/s)",
    "mse_response_set": "MSE (srs/srs)",
}
BUDGETS = (1, 3, 10, 100)  # ratings per item in Figure 4
PANELS = {
    "fully specified": ("In fully specified tasks one rating per item selects good judges", "random"),
    "underspecified, symmetric effects": ("In underspecified tasks three ratings help", "symmetric"),
    "underspecified, asymmetric effects": (
        "Where people and judges choose differently, hit rate selects bad judges whatever the ratings", "asymmetric",
    ),
}  # fmt: skip
ERRORS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
SKEWS = {"favours the first option": 1.0, "no skew": 0.0, "counts against it": -1.0}
CAPTION = "50 judges, 100 items, thresholds .3, .5 and .7; mean over tasks and trials."


def selection_figures() -> list[Drawing]:
    """Figure 4: three of its panels."""
    return [
        Drawing(
            paper=PAPER, place=f"figure 4, {panel}", title=title, caption=CAPTION, kind="lines",
            points=tuple(
                Point(series=NAMES[name], x=ratings, y=found[name])
                for name in SELECTING
                for ratings in BUDGETS
                for found in [selected(effects, ratings, is_specified=panel == "fully specified")]
            ),
            series="Selected by", x_title="Ratings per item", y_title="Consistency of the selected judge",
            is_log_x=True,
        )
        for panel, (title, effects) in PANELS.items()
    ]  # fmt: skip


def ranking_figures() -> list[Drawing]:
    """Figure 5, as cells."""
    return [
        Drawing(
            paper=PAPER, place="figure 5", kind="cells",
            title="Categorical metrics hardly rank judges where people and judges choose differently",
            caption=f"Rank correlation of a metric with consistency; column 1: symmetric, 2: asymmetric. {CAPTION}",
            points=tuple(
                Point(series=NAMES[name], x=column, y=ranked(effects)[name])
                for name in RANKING
                for column, effects in enumerate(("symmetric", "asymmetric"), start=1)
            ),
            series="Metric", x_title="Selection effects", y_title="Rank correlation",
        )
    ]  # fmt: skip


def error_figures() -> list[Drawing]:
    """Figure 11, underspecified tasks and positive skew."""
    return [
        Drawing(
            paper=PAPER, place="figure 11", title="Error turns the ranking by hit rate, not those by JSD and MSE",
            caption=f"Rank correlation with the ranking without error, skew 1, underspecified tasks. {CAPTION}",
            kind="lines",
            points=tuple(
                Point(series=NAMES[name], x=error, y=ranked_under_error(error, 1.0)[name])
                for name in ("hit_rate", "jsd", "mse_response_set")
                for error in ERRORS[1:]
            ),
            series="Metric", x_title="Size of the error", y_title="Rank correlation",
        )
    ]  # fmt: skip


def people_figures() -> list[Drawing]:
    """Figures 6 (left) and 12."""
    return [
        Drawing(
            paper=PAPER, place="figure 6, left", kind="lines",
            title="One rating per item decides otherwise than everybody on three items of ten",
            caption=f"Against decisions of the whole population. {CAPTION}",
            points=tuple(
                Point(series=f"threshold {tau:g}", x=ratings, y=misled(ratings)[f"same_decisions_{tau}"])
                for tau in TAUS
                for ratings in (1, 3, 10, 30)
            ),
            series="Threshold", x_title="Ratings per item", y_title="Same decision", is_log_x=True,
        ),
        Drawing(
            paper=PAPER, place="figure 12", title="Error moves prevalence most if it depends on the option",
            caption=f"Prevalence by forced choices with error less that by response sets without. {CAPTION}",
            kind="lines",
            points=tuple(
                Point(series=name, x=error, y=bias_of_prevalence(error, skew))
                for name, skew in SKEWS.items()
                for error in ERRORS
            ),
            series="Error", x_title="Size of the error", y_title="Bias of prevalence",
        ),
    ]  # fmt: skip
