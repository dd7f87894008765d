"""The two judges that a reader chooses between: the best and the second."""

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
    """The two best judges by the definition to select by, or else by what they are worth."""
    names = [] if ranking is None else _by_definition(ranking)
    if not names and worth is not None:
        names = _by_worth(worth)
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
    """The judges by their score, each at its better one, raw or calibrated."""
    known = [judge for judge in worth.judges if math.isfinite(judge.score)]
    ordered: list[JudgeWorth] = sorted(known, key=lambda judge: -judge.score)
    return list(dict.fromkeys(judge.judge for judge in ordered))
