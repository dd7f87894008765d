"""The two judges that a reader chooses between: the one to pick, and its strongest rival."""

import math
from dataclasses import dataclass

from dissensus.decisions.unanswered import BETTER, Unanswered
from dissensus.judges.result import JudgesResult
from dissensus.survey.result import EquivalenceResult, JudgeWorth


@dataclass(frozen=True, slots=True, kw_only=True)
class Contenders:
    """The best judge and the second."""

    best: str
    second: str


def contenders(worth: EquivalenceResult | None, ranking: JudgesResult | None) -> Contenders | Unanswered:
    """The judge to pick and the one that is worth the most raters, or the second by the same measure if they are one.

    The judge to pick is the best by the definition to select by, or else by what judges are worth.
    """
    names = [] if ranking is None else _by_definition(ranking)
    by_worth = [] if worth is None else _by_worth(worth)
    if names and by_worth[:1] != names[:1]:
        names = list(dict.fromkeys([names[0], *(name for name in by_worth[:1] if name in names), *names]))
    names = names or by_worth
    if len(names) > 1:
        return Contenders(best=names[0], second=names[1])
    return Unanswered(
        question=BETTER,
        reason="Only one judge can be ranked." if names else "No judge can be ranked.",
        remedy="It takes answers of a second judge to the same items, in the same file.",
    )


def _by_definition(ranking: JudgesResult) -> list[str]:
    if ranking.recommended is None:
        return []
    values = [value for value in ranking.definition(ranking.recommended).values if value.rank is not None]
    return [value.judge for value in sorted(values, key=lambda value: value.rank or 0)]


def _by_worth(worth: EquivalenceResult) -> list[str]:
    """The judges by their score, the best first; calibrated where they were."""
    by_name = {judge.judge: judge for judge in worth.judges}  # calibrated judges come after themselves raw
    known: list[JudgeWorth] = [judge for judge in by_name.values() if math.isfinite(judge.score)]
    return [judge.judge for judge in sorted(known, key=lambda judge: -judge.score)]
