"""What are several judges worth together, and how many raters does a judge save beside people?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.random import Generator

from dissensus.arrays import Codes, Floats
from dissensus.data import JudgesLike, RatingsLike, as_data
from dissensus.data.align import item_by_item
from dissensus.data.ratings import Elicitation
from dissensus.methods.equivalence.calibration import calibrated_predictions
from dissensus.methods.equivalence.equivalence import place
from dissensus.methods.equivalence.options import Calibration
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.result import EquivalenceResult
from dissensus.methods.panel.beside_people import Members, members_of, people_and_judge
from dissensus.methods.panel.result import METHODS, Method, PanelOptions, PanelResult, PanelScore, PanelWorth
from dissensus.methods.panel.stacking import average, plurality, stacked
from dissensus.methods.parts.parts import in_parts
from dissensus.sampling import Engine, Progress, open_executor, seed_of
from dissensus.sampling.raters import RatersAs, rater_stream

PANEL = "panel"  # what the stacked panel is called beside people


@in_parts()
def panel(
    ratings: RatingsLike,
    judges: JudgesLike | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    method: Method | Sequence[Method] = METHODS,
    score: PanelScore = "cross-entropy",
    calibrate: Calibration = "auto",
    people: bool = True,
    elicitation: Elicitation | None = None,
    max_raters: int | None = None,
    clip: float = 0.02,
    raters: RatersAs | None = None,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> PanelResult:
    """How many raters several judges are worth together, and how many a judge saves beside people.

    Parameters
    ----------
    ratings : Ratings, or anything that `read` takes
        Who gave which label to which item.
    judges : Judges, or anything that `read_judges` takes, optional
        What judges answered on these items; those that all of them answered count.
    judge : str or sequence of str, optional
        The members; all judges if not given. With one member there is no panel, only what it saves beside people.
    method : {"plurality", "average", "stacked"} or several of them
        The most frequent answer, the mean of the probabilities, or weights and a rising curve learned from the items of
        other folds.
    score : {"cross-entropy", "brier", "agreement"}
        What a prediction is worth; agreement is that of the most likely label, of surveys the most frequent one.
    calibrate : {"auto", "none", "isotonic", "platt", "table", "multinomial"}
        How members, plurality and average are calibrated, as in `equivalence`. The stacked panel learns by itself.
    people : bool
        Whether to also ask what a judge saves beside people.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way.
    max_raters : int, optional
        The largest survey, as in `equivalence`.
    clip : float
        How far cross-entropy keeps predictions from 0 and 1.
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
    PanelResult

    Raises
    ------
    DissensusError
        If the ratings or the judges cannot be read or do not match, or an option has a value it cannot have, or a judge
        gives neither labels nor probabilities.

    See Also
    --------
    equivalence : How many raters a judge is worth.
    decide : Which judge to use, and how.

    Examples
    --------
    >>> result = panel("example:binary", "example:binary", method="average", people=False, bootstrap=0)
    >>> result.panels[0].method, result.panels[0].worth.verdict
    ('average', 'within')
    """
    ratings, judges = as_data(ratings, judges)
    options = PanelOptions.given(locals(), seed=seed_of(rng))
    # The streams of `equivalence`, so that a judge alone gets the same numbers there, and one more.
    fold_stream, survey_stream, bootstrap_stream, people_stream = np.random.default_rng(rng).spawn(4)
    members = members_of(*item_by_item(ratings, judges, what="A panel"), options, rng=fold_stream)
    problem = members.prepared.problem
    alone = {judge.judge: judge for judge in problem.judges}  # calibrated judges come after themselves raw
    made = _made(members, options, problem.fold)
    named = {method: _unused_name(f"{method} panel", alone) for method in made}
    panels = tuple(_as_judge(named[method], *found) for method, found in made.items())
    beside = {name: members.predictions[[j]] for j, name in enumerate(members.judges)}
    beside |= {_unused_name(PANEL, alone): members.predictions} if "stacked" in made else {}
    prepared = replace(members.prepared, problem=replace(problem, judges=(*alone.values(), *panels)))
    with open_executor(engine, workers=workers) as executor:
        worth = place(
            prepared, options.survey_options(), survey_stream=survey_stream, bootstrap_stream=bootstrap_stream,
            rater_rng=rater_stream(rng), executor=executor, progress=progress,
        ).result  # fmt: skip
        sizes = range(len(worth.curve)) if people else range(0)
        rows, about_people = people_and_judge(
            members, beside, options, sizes=sizes, fold=problem.fold, rng=people_stream, executor=executor,
            progress=progress,
        )  # fmt: skip
    calibrate_used = prepared.settings["calibrate"]
    return PanelResult(
        settings=options.settings()
        | {"judge": list(members.judges), "max_raters": worth.curve[-1].raters, "calibrate": calibrate_used}
        | {"raters": worth.settings["raters"]},
        data={"ratings": ratings.describe_data(), "judges": judges.describe_data()},
        warnings=tuple(dict.fromkeys([*worth.warnings, *about_people])),
        curve=worth.curve,
        judges=tuple(judge for judge in worth.judges if judge.judge in alone),
        panels=tuple(_panel(worth, method, name, members) for method, name in named.items()),
        people_and_judge=rows,
    )


def _made(members: Members, options: PanelOptions, fold: Codes) -> dict[Method, tuple[Floats, Floats]]:
    """What each panel predicts, learned from all items and from others; none if there is one member."""
    if len(members.judges) == 1:
        return {}
    shares = members.shares
    method_used = cast("Calibration", members.prepared.settings["calibrate"])
    made: dict[Method, tuple[Floats, Floats]] = {}
    for method in METHODS:
        if method not in options.method:
            continue
        if method == "stacked":
            made[method] = stacked(members.predictions, shares, fold=fold)
        else:
            pooled = (average if method == "average" else plurality)(members.predictions)
            found = calibrated_predictions(method_used, pooled, shares, fold=fold)
            made[method] = found.inside, found.outside
    return made


def _as_judge(name: str, inside: Floats, outside: Floats) -> Predictions:
    """A panel as a judge that can be placed among surveys."""
    nothing = np.full(len(outside), np.nan)
    return Predictions(judge=name, calibrated=True, predictions=outside, inside=inside, values=nothing)


def _unused_name(name: str, taken: Mapping[str, Predictions]) -> str:
    """A name that no judge has."""
    return name if name not in taken else _unused_name(f"{name} of judges", taken)


def _panel(worth: EquivalenceResult, method: Method, name: str, members: Members) -> PanelWorth:
    """A panel beside the best of its members."""
    combined = next(judge for judge in worth.judges if judge.judge == name)
    alone = [judge for judge in worth.judges if judge.judge in members.judges]
    best = max(alone, key=lambda member: member.score if np.isfinite(member.score) else -np.inf)
    pair = next(pair for pair in worth.differences if {pair.judge_a, pair.judge_b} == {best.name, combined.name})
    is_first = pair.judge_a == combined.name
    return PanelWorth(
        method=method, judges=members.judges, worth=combined, best_judge=best.judge,
        difference=pair.difference if is_first else 0.0 - pair.difference,
        low=pair.low if is_first else 0.0 - pair.high, high=pair.high if is_first else 0.0 - pair.low,
        share_better=pair.share_a_better if is_first else 1 - pair.share_a_better,
    )  # fmt: skip
