"""Questions that the data leave open, and what would answer them."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from dissensus.methods.equivalence.result import EquivalenceResult, JudgeWorth
from dissensus.methods.judges.result import JudgesResult
from dissensus.options import named, names_in

# ---- Questions that the data leave open, and what would answer them

WORTH = "How many raters is each judge worth?"
STAND_IN = "Which judge can stand in for people?"
BETTER = "Is the best judge really better than the second?"
COLLECT = "What to collect next?"
RATERS = "Who are the raters?"
REPLACE = "Can a judge replace a rater?"
TOGETHER = "What are the judges worth together?"
SAVED = "How many raters does the judge save?"
POSITIVE = "How many items are positive?"
FURTHER = (RATERS, REPLACE, TOGETHER, SAVED, POSITIVE)
"""Questions beyond the four that everything else is about."""
COMMANDS = {
    WORTH: "equivalence",
    STAND_IN: "judges",
    BETTER: "compare",
    COLLECT: "plan raters",
    RATERS: "raters",
    REPLACE: "alt-test",
    TOGETHER: "panel",
    SAVED: "panel",
    POSITIVE: "prevalence",
}
"""The command that asks a question alone, with options that a report does not have."""
OPTIONS = frozenset({"bootstrap", "item_cost", "positive", "rating_cost", "task", "workers"})
"""The options of a report beside those of reading."""
READING = frozenset({"item", "label", "labels", "map", "question", "rater", "repeats", "scale"})
_TYPED = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that the data leave open.

    Attributes
    ----------
    question : str
        As its section would be called.
    reason : str
        Why, in a sentence.
    remedy : str
        What file or option would bring the answer; empty where the reason says so.
    """

    question: str
    reason: str
    remedy: str = ""

    def as_dict(self) -> dict[str, object]:
        """The fields as the JSON has them."""
        return {"question": self.question, "reason": self.reason, "remedy": self.remedy}


def options_elsewhere(texts: Iterable[str], command: str) -> str:
    """Where the options are that some messages name and a report does not have; empty if there are none.

    Examples
    --------
    >>> spelled(options_elsewhere([f"{named('cohort')} or {named('positive')}"], "equivalence"))
    'cohort= is an option of `dissensus equivalence`, which asks this question alone.'
    """
    found = [name for text in texts for name, of in names_in(text) if not of]
    found += [name.replace("-", "_") for text in texts for name in _TYPED.findall(text)]
    shown = dict.fromkeys(named(name) for name in found if name not in OPTIONS | READING)
    if not shown:
        return ""
    *names, last = shown
    listed = f"{', '.join(names)} and {last} are options" if names else f"{last} is an option"
    return f"{listed} of `dissensus {command}`, which asks this question alone."


WITHOUT_JUDGES = (
    Unanswered(
        question=WORTH,
        reason="No judge's answers were given.",
        remedy="Add a file with the columns item, judge and label: `dissensus report RATINGS JUDGES`.",
    ),
    Unanswered(question=STAND_IN, reason="The same file with judges' answers tells."),
    Unanswered(question=BETTER, reason="The same file with the answers of two judges tells."),
)
NO_LABELS = Unanswered(
    question=STAND_IN,
    reason="The answers are points of a measure, and the definitions of agreement ask whether two labels are the same.",
    remedy="Round raters' and judges' numbers to a few labels to see it.",
)


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
