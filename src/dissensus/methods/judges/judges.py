"""Which judge can stand in for people? Every definition of performance, what follows from it, and what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from dissensus.data import JudgesLike, RatingsLike, Task, as_data
from dissensus.methods.judges.advice import advice_on
from dissensus.methods.judges.biases import biases_of
from dissensus.methods.judges.confusion import confusions, moved_by_raters
from dissensus.methods.judges.result import (
    FlipPoint,
    JudgesOptions,
    JudgesResult,
    LeakMapping,
    Sensitivity,
    Violation,
    distinct,
)
from dissensus.methods.judges.rulers import (
    BestConstant,
    beats_constant,
    best_constants,
    constant_answers,
    give_labels,
    is_constant,
    rulers_of,
)
from dissensus.methods.judges.scoring import Scores, Statistics, bootstrap_scores, scores_of, statistics_of
from dissensus.methods.judges.sensitivity import Constants, sweep_problem
from dissensus.methods.judges.setup import Prepared, set_up
from dissensus.methods.judges.summary import (
    check_names,
    decision_rulers,
    definition_results,
    downstream_rows,
    interval_warnings,
    inversions,
    kappa_warnings,
    order_flips,
    oriented,
    own_beta,
    redundancies,
    reverse_matrix,
    ruler_warnings,
    scale_use,
    tie_warnings,
    undefined_warnings,
    violations,
    with_baselines,
)
from dissensus.methods.parts.parts import in_parts
from dissensus.sampling import Engine, Progress, seed_of
from dissensus.sampling.raters import RatersAs, rater_stream, resolve_raters

SHOWN = ("hit_rate", "kl_human_judge", "jsd", "mse_soft", "coverage", "mse_response_set")
"""Definitions, one of each kind, for which an item is looked for that sets them against each other."""


@in_parts()
def judges(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    task: Task | None = None,
    judge: str | Sequence[str] | None = None,
    positive: str | Sequence[str] | None = (),
    tau: float | Sequence[float] = (0.5,),
    beta: float | Sequence[float] | None = None,
    mapping: LeakMapping = "keep",
    smoothing: float = 0.0,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> JudgesResult:
    """How well each judge stands in for people, by every definition of performance, and what follows from it.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item: forced choices, response sets, or both.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered; samples are averaged. All judges are compared on the items that all of them answered.
    task : Task, optional
        The options in order, the response sets that a rater may give, the positive options. Without it every set of
        options may be given.
    judge : str or sequence of str, optional
        Which judges to compare; all if not given.
    positive : str or sequence of str
        Options that count as positive in a decision; those of the task if none is named.
    tau : float or sequence of float
        Thresholds: an item is positive, or an option in the hard response set, if at least this share endorses it.
    beta : float or sequence of float, optional
        Sweep: shares of those who chose a negative option who would also endorse a positive one. If not given, from 0
        to .5 where people's response sets are neither known nor estimated from paired ratings.
    mapping : {"keep", "paper"}
        Whether such a rater keeps the own choice, or endorses the positive option instead, as in the paper's Table 2.
    smoothing : float
        Added to each option of the distribution under a logarithm, of divergences and cross-entropies.
    raters : {"sampled", "fixed"}, optional
        Intervals for raters like these, or for these raters alone; sampled if not given and at least three raters have
        ids.
    bootstrap : int
        Bootstrap samples of the items; 0 for no intervals.
    confidence : float
        Of the intervals.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    JudgesResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have.

    See Also
    --------
    decide : Which judge to use, and how.
    equivalence : How many raters a judge is worth.
    compare : Is one judge better than another?

    References
    ----------
    L. Guerdan, S. Barocas, K. Holstein, H. Wallach, Z. S. Wu, A. Chouldechova (2025), "Validating LLM-as-a-Judge
    Systems in the Absence of Gold Labels".

    Examples
    --------
    >>> import pandas as pd
    >>> from dissensus import read, read_judges
    >>> rated = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": ["no", "no", "no", "yes"]})
    >>> answers = read_judges(pd.DataFrame({"item": [1, 2], "judge": "j", "p_no": [0.9, 0.5], "p_yes": [0.1, 0.5]}))
    >>> result = judges(read(rated), answers, positive="yes", bootstrap=0)
    >>> round(result.definition("mse_soft").values[0].value, 6)  # (.1^2 + .1^2 + 0) / 2
    0.01
    """
    ratings, judges = as_data(ratings, judges)
    options = JudgesOptions.given(
        locals(), positive=() if positive is None else positive, tau=distinct(tau),
        beta=None if beta is None else distinct(beta), seed=seed_of(rng),
    )  # fmt: skip
    check_names(judges.judges if options.judge is None else options.judge)
    prepared = set_up(ratings, judges, task, options)
    merged, _ = prepared.merged(prepared.rows.people())
    problem = merged.problem
    statistics = statistics_of(problem)
    replicates = bootstrap if problem.items_in_all > 1 else 0
    samples = bootstrap_scores(
        problem, statistics, replicates=replicates, rng=rng, engine=engine, workers=workers, progress=progress
    )
    samples = None if samples is None else with_baselines(samples)
    drawn_as, about_raters = resolve_raters(raters, ratings, bootstrap=replicates)
    if samples is not None and drawn_as == "sampled":
        samples = moved_by_raters(prepared, ratings, samples, rater_stream(rng))
    data = {"ratings": ratings.describe_data(), "judges": judges.describe_data()}
    merged = replace(merged, warnings=(*merged.warnings, *about_raters))
    options = replace(options, raters=drawn_as)
    confused, person = confusions(prepared, ratings, options, rng)
    return replace(
        _sum_up(merged, options, statistics, samples, data),
        confusion=confused,
        person_confusion=person,
        biases=biases_of(prepared, ratings, judges, options, rng),
    )


def _sum_up(
    prepared: Prepared, options: JudgesOptions, statistics: Statistics, samples: Scores | None,
    data: Mapping[str, Mapping[str, object]],
) -> JudgesResult:  # fmt: skip
    """The result of a question, from the problem and the scores of the bootstrap samples."""
    problem, judges, confidence = prepared.problem, prepared.judges, options.confidence
    scores = scores_of(problem, statistics, problem.pool_weights[None, :])
    decided = with_baselines(scores)
    constants = best_constants(prepared)
    rulers = rulers_of(prepared, constants, options.seed)
    definitions = definition_results(prepared, scores, samples, constants, rulers, confidence=confidence)
    downstream = downstream_rows(
        decided, samples, taus=problem.taus, judges=judges, confidence=confidence, items=problem.items_in_all,
        rulers=rulers,
    )  # fmt: skip
    sensitivity, flips = _sweep(prepared, options, scores, constants)
    turned = oriented(problem.definitions, scores.values[0])
    by_measure = next(definition for definition in definitions if definition.id == prepared.measure)
    result = JudgesResult(
        settings=_settings(prepared, options),
        data=data,
        warnings=(
            *prepared.warnings,
            *undefined_warnings(prepared, definitions),
            *interval_warnings(definitions, bootstrap=options.bootstrap, n_items=problem.items_in_all),
            *tie_warnings(definitions),
            *kappa_warnings(downstream),
            *ruler_warnings(rulers),
        ),
        definitions=definitions,
        downstream=downstream,
        sensitivity=sensitivity,
        inversions=inversions(turned, ids=[definition.id for definition in definitions], judges=judges),
        reverse_matrix=reverse_matrix(prepared, samples, confidence=confidence),
        recommended=None if by_measure.selected is None else prepared.measure,
        measure=prepared.measure,
        decision_rulers=decision_rulers(prepared, decided, rulers),
        scale_use=scale_use(prepared),
        redundant=redundancies(problem.definitions, has_sets=prepared.has_sets),
        violations=_violations(prepared, statistics),
        flip_points=flips,
        own_beta=own_beta(prepared, scores, samples, confidence=confidence),
        order_flips=order_flips(prepared.answers, judges, problem.weights),
    )
    return replace(result, advice=advice_on(prepared, result))


def _settings(prepared: Prepared, options: JudgesOptions) -> dict[str, object]:
    names = prepared.space.options
    return options.settings() | {
        "judge": list(prepared.judges),
        "options": list(names),
        "positive": [name for name, is_positive in zip(names, prepared.positive, strict=True) if is_positive],
        "task": prepared.task.name or None,
        "items": prepared.problem.items_in_all,
        "interval": "percentile",
    }


def _sweep(
    prepared: Prepared, options: JudgesOptions, data: Scores, best: Sequence[BestConstant | None]
) -> tuple[tuple[Sensitivity, ...], tuple[FlipPoint, ...]]:
    """The sweep over beta, where it was asked for or nothing tells people's response sets."""
    is_told = prepared.problem.reversal is not None and options.beta is None
    has_set = prepared.people.has_set
    if prepared.is_fully_specified or is_told or not prepared.positive.any() or has_set.all():
        return (), ()
    problem, values = prepared.problem, data.values[0]
    constants = Constants(
        answers=constant_answers(prepared)[1].ratings,
        may_share=not give_labels(problem),
        beats=beats_constant(prepared, best, values),
        are_constant=is_constant(problem),
    )
    return sweep_problem(problem, values, has_set, prepared.judges, options, constants)


def _violations(prepared: Prepared, statistics: Statistics) -> tuple[Violation, ...]:
    """Items that set the definitions of different kinds against each other."""
    problem = prepared.problem
    first: dict[str, int] = {}
    for place, definition in enumerate(problem.definitions):
        if definition.name in SHOWN:
            first.setdefault(definition.name, place)
    places = list(first.values())
    rows = np.flatnonzero(problem.is_chosen)
    return violations(
        statistics.per_item[rows][:, places],
        ids=[problem.definitions[place].id for place in places],
        signs=[problem.definitions[place].sign for place in places],
        items=[prepared.items[row] for row in rows],
        judges=prepared.judges,
    )
