"""Who are the raters? One portrait each, and what sets groups of them apart."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dissensus.decisions.closeness import Floats, closeness, label_heights
from dissensus.decisions.portraying.by_group import group_portraits, group_tests
from dissensus.decisions.portraying.cells import Cells, cells_of
from dissensus.decisions.portraying.grouping import groups_of_raters
from dissensus.decisions.portraying.judges_by_group import sidings
from dissensus.decisions.portraying.measuring import portraits_of
from dissensus.decisions.portraying.question import Question, check_question
from dissensus.decisions.portraying.result import PortraitsResult, Siding
from dissensus.engine import Engine, Progress, open_executor, seed_of
from dissensus.errors import counted
from dissensus.ratings import Judges, Ratings, Task
from dissensus.ratings.table import ELICITATIONS, Elicitation

NO_GROUPS = (
    "The judges were not looked at, because the ratings have no groups of raters to compare them with: name the column "
    "of groups with --group, or ask `dissensus equivalence`."
)


def portraits(
    ratings: Ratings,
    judges: Judges | None = None,
    *,
    judge: str | Sequence[str] | None = None,
    positive: str | Sequence[str] = (),
    task: Task | None = None,
    elicitation: Elicitation | None = None,
    resamples: int = 2000,
    bootstrap: int = 500,
    confidence: float = 0.95,
    rng: int | Generator | None = 0,
    engine: Engine = "local",
    workers: int = 1,
    progress: Progress | None = None,
) -> PortraitsResult:
    """How each rater agrees with the rest, how lenient and consistent each is, and whether judges side with a group.

    Parameters
    ----------
    ratings : Ratings
        Who gave which label to which item. Groups are compared if every rater is in one group only; consistency needs
        items that came again (read with `repeats="keep"`).
    judges : Judges, optional
        What judges answered; compared with each group.
    judge : str or sequence of str, optional
        Which judges; all if not given.
    positive : str or sequence of str
        Labels that leniency counts, and response sets with one of them; those of the task if not given; without either
        leniency is in the numbers or the order of the labels.
    task : Task, optional
        Which options are positive.
    elicitation : {"forced_choice", "response_set"}, optional
        Take only the ratings that were asked for in this way; forced choices where there are both.
    resamples : int
        Dealings of raters into groups, of the tests.
    bootstrap : int
        Bootstrap samples of the items, for judges by group; 0 for no intervals.
    confidence : float
        Of the intervals, and of what is called siding with a group.
    rng : int or Generator
        Seed.
    engine, workers
        Where the bootstrap runs; the numbers do not depend on it.
    progress : callable, optional
        Told how many tasks are done, and of how many.

    Returns
    -------
    PortraitsResult

    References
    ----------
    C. Morris (1983), "Parametric Empirical Bayes Inference: Theory and Applications", JASA 78.

    Examples
    --------
    >>> import pandas as pd
    >>> from dissensus import read
    >>> table = {"item": [1, 1, 1, 2, 2, 2], "rater": ["a", "b", "c"] * 2, "label": ["no", "no", "yes"] * 2}
    >>> found = portraits(read(pd.DataFrame(table)), positive="yes")
    >>> [(rater.rater, rater.agreement, rater.others, rater.leniency.value) for rater in found.raters]
    [('a', 0.5, 0.0, -0.5), ('b', 0.5, 0.0, -0.5), ('c', 0.0, 1.0, 1.0)]
    """
    question = Question(
        judge=None if judge is None else (judge,) if isinstance(judge, str) else tuple(judge),
        positive=_positive(positive, task),
        elicitation=elicitation, resamples=resamples, bootstrap=bootstrap, confidence=confidence, seed=seed_of(rng),
    )  # fmt: skip
    check_question(question)
    test_stream, judge_stream = np.random.default_rng(rng).spawn(2)
    asked, about_kinds = _asked(ratings, question)
    near, heights = closeness(asked), label_heights(asked, question.positive)
    cells = cells_of(asked, near, heights)
    groups, about_groups = groups_of_raters(asked)
    raters, populations = portraits_of(asked, cells, groups, question)
    tests, about_tests = group_tests(cells, groups, question, test_stream)
    warnings = [*ratings.warnings, *about_kinds, *about_groups, *about_tests, *_missing(cells, heights)]
    sides: tuple[Siding, ...] = ()
    about_judges = [] if judges is None or groups is not None else [NO_GROUPS]
    if judges is not None and groups is not None:
        with open_executor(engine, workers=workers) as executor:
            sides, about_judges = sidings(
                asked, judges, question, cells=cells, groups=groups, rng=judge_stream,
                executor=executor, progress=progress,
            )  # fmt: skip
    return PortraitsResult(
        settings=question.settings() | {"closeness": _kind(asked, near), "leniency_in": _unit(question, heights)},
        data={"ratings": ratings.describe_data(), **({} if judges is None else {"judges": judges.describe_data()})},
        warnings=tuple(dict.fromkeys([*warnings, *about_judges])),
        raters=raters,
        populations=populations,
        groups=group_portraits(cells, groups),
        tests=tests,
        judges=sides,
    )


def _asked(ratings: Ratings, question: Question) -> tuple[Ratings, list[str]]:
    """The ratings that were asked for in one way: who was asked in both ways would agree with himself."""
    if question.elicitation is not None:
        return ratings.of_elicitation(question.elicitation), []
    if ratings.elicitation is None or len(np.unique(ratings.elicitation)) < len(ELICITATIONS):
        return ratings, []
    kept = ratings.of_elicitation("forced_choice")
    lost = counted(ratings.n_ratings - kept.n_ratings, "other rating")
    return kept, [
        f"Raters are compared by forced choices only: {lost} were left out. Choose the other kind with --only."
    ]


def _positive(positive: str | Sequence[str], task: Task | None) -> tuple[str, ...]:
    """The positive labels: those named, else the task's."""
    named = (positive,) if isinstance(positive, str) else tuple(positive)
    return named or (() if task is None else task.positive)


def _kind(ratings: Ratings, near: Floats) -> str:
    if ratings.has_response_sets:
        return "shared options"
    return "same label" if np.array_equal(near, np.eye(len(near))) else "distance"


def _unit(question: Question, heights: Floats | None) -> str | None:
    return None if heights is None else "share" if question.positive else "labels"


def _missing(cells: Cells, heights: Floats | None) -> list[str]:
    """Why numbers are missing."""
    said = []
    if heights is None:
        said.append("No leniency: the labels have no order. Name the label that it shall count, --positive LABEL.")
    if np.isnan(cells.others).all():
        said.append("No item has three raters, so nobody's agreement can be compared with that of the others.")
    elif np.bincount(cells.rater[~np.isnan(cells.others)]).max() == 1:
        said.append(
            "Nobody has two items with three raters, so differences between raters cannot be told from chance: their "
            "numbers have no intervals and are not drawn towards each other."
        )
    if np.isnan(cells.repeated).all():
        said.append("No consistency: no rater rated an item twice (repeats are kept with --repeats keep).")
    return said
