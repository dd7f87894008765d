"""How many raters of each group a judge is worth."""

from concurrent.futures import Executor

import numpy as np
from numpy.random import Generator

from dissensus.decisions.portraying.question import Question
from dissensus.decisions.survey_options import survey_options
from dissensus.engine import Progress
from dissensus.errors import DissensusError
from dissensus.ratings import Judges, Ratings
from dissensus.survey import equivalence
from dissensus.survey.result import JudgeWorth

Worth = JudgeWorth | str
"""What a judge is worth, or why that cannot be told."""
ONE_RATER = "most items have one rater of the group."


def worths_by_group(
    ratings: Ratings,
    judges: Judges,
    question: Question,
    *,
    names: tuple[str, ...],
    rng: Generator,
    executor: Executor,
    progress: Progress | None,
) -> dict[str, list[Worth]]:
    """For each judge how many raters of each of these groups it is worth.

    Judges that answered the same items in the same way go through one survey of people, which is what takes long.
    """
    found: dict[str, list[Worth]] = {name: [] for name in judges.judges}
    for group, stream in zip(names, rng.spawn(len(names)), strict=True):
        members = ratings.of_group(group)
        batches = _alike(members, judges)
        for batch, own in zip(batches, stream.spawn(len(batches)), strict=True):
            for name, worth in _worths(members, batch, question, own, executor, progress).items():
                found[name].append(worth)
    return found


def _alike(members: Ratings, judges: Judges) -> list[Judges]:
    """The judges in batches that the same survey of these raters serves."""
    batches: dict[tuple[object, ...], list[int]] = {}
    known = np.isin(judges.items, members.items)
    for code, name in enumerate(judges.judges):
        rows = judges.judge == code
        own = judges[name]
        key = (np.unique(judges.item[rows & known[judges.item]]).tobytes(), *survey_options(members, own).items())
        batches.setdefault(key, []).append(code)
    return [judges.where(np.isin(judges.judge, codes)) for codes in batches.values()]


def _worths(
    members: Ratings,
    judges: Judges,
    question: Question,
    rng: Generator,
    executor: Executor,
    progress: Progress | None,
) -> dict[str, Worth]:
    """What each of some judges is worth in raters of one group."""
    try:
        result = equivalence(
            members, judges, **survey_options(members, judges), bootstrap=question.bootstrap,
            confidence=question.confidence, rng=rng, engine=executor, progress=progress,
        )  # fmt: skip
    except DissensusError as error:
        return dict.fromkeys(judges.judges, str(error))
    if not result.curve[-1].raters:
        return dict.fromkeys(judges.judges, ONE_RATER)
    return {own.judge: own for own in sorted(result.judges, key=lambda own: own.calibrated)}  # the last one stays
