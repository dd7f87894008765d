"""The words of a decision: why this judge, what could change the answer, what to do next."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dissensus.errors import counted
from dissensus.methods.decide.result import Constant, DecideJudge, How, Influential
from dissensus.methods.equivalence.result import Verdict, worth_decimals

FEW_RATERS = 4
MOST_CAVEATS = 3
LARGE_SHIFT = 0.25
"""In label steps: a difference from people that shows."""


class Decisions(NamedTuple):
    """Share of the items on which a judge, and the better constant, decide as people do."""

    judge: float
    constant: float
    says_yes: bool  # whether the constant calls every item positive, or none


def end_text(value: float, verdict: Verdict | None, largest: int, digits: int = 2) -> str:
    """A number of raters, or where it is off the curve.

    Examples
    --------
    >>> end_text(0.512, "within", 3), end_text(float("nan"), "above K", 3)
    ('0.51', 'above 3')
    """
    if verdict is None:
        return "?"
    return f"{value:.{digits}f}" if verdict == "within" else verdict.replace("K", str(largest))


def worth_text(judge: DecideJudge, largest: int) -> str:
    """What a judge is worth, with its interval.

    On a curve that ends with nobody asked, it only says whether the judge is worth more than that.
    """
    if not largest and judge.verdict != "below 0":
        return "above 0" if judge.low_verdict == "above K" else "-"
    digits = worth_decimals(judge.worth, judge.worth_low, judge.worth_high)
    value = end_text(judge.worth, judge.verdict, largest, digits)
    is_off = judge.low_verdict == judge.high_verdict != "within"
    if judge.low_verdict is None or judge.high_verdict is None or is_off:
        return value
    low = end_text(judge.worth_low, judge.low_verdict, largest, digits)
    return f"{value} [{low}, {end_text(judge.worth_high, judge.high_verdict, largest, digits)}]"


def raters_text(judge: DecideJudge, largest: int) -> str:
    """The same in a sentence: `0.51 raters [0.40, 0.70]`."""
    value, _, ends = worth_text(judge, largest).partition(" [")
    interval = f" [{ends}" if ends else ""
    if judge.verdict == "below 0":
        return f"less than asking nobody{interval}"
    if not largest or judge.verdict is None:
        return "more than asking nobody" if value == "above 0" else "an unknown number of raters"
    value = f"more than {largest}" if judge.verdict == "above K" else value
    unit = "rater" if value in {"1", "1.0", "1.00", "more than 1"} else "raters"
    return f"{value} {unit}{interval}"


def reason_text(
    use: Sequence[DecideJudge], judges: Sequence[DecideJudge], constant: Constant | None, largest: int
) -> str:
    """Why: what the judge is worth, and whether it beats the others."""
    if not use:
        nearest = judges[0]
        known = "always giving the same answer" if constant is None else f"always answering {constant.answer}"
        worth = f", worth {raters_text(nearest, largest)}" if largest else ""
        return f"None is shown to know more than {known}; {nearest.judge} comes closest{worth}."
    best, others = use[0], len(use) - 1
    text = f"{best.judge} is worth {raters_text(best, largest)}{_people(best)}"
    if others:
        text += f", and {counted(others, 'other judge')} cannot be told apart from it"
    elif len(judges) > 1:
        text += ", and beats every other judge"
    return f"{text}."


def _people(judge: DecideJudge) -> str:
    """Whether it is worth less or more than one person."""
    if judge.high_verdict == "below 0" or (judge.high_verdict == "within" and judge.worth_high < 1):
        return ", less than one person"
    if judge.low_verdict == "above K" or (judge.low_verdict == "within" and judge.worth_low > 1):
        return ", more than one person"
    return ""


def caveat_texts(
    best: DecideJudge | None,
    judges: Sequence[DecideJudge],
    influential: Sequence[Influential],
    n_raters: int | None,
    largest: int,
    *,
    how: How | None = None,
    constant: Constant | None = None,
    is_reversed: bool = False,
    decisions: Decisions | None = None,
) -> tuple[str, ...]:
    """What could change the answer, at most three sentences, the gravest first."""
    texts = []
    about = best or judges[0]
    if how == "recalibrated" and constant is not None and about.as_is is not None:
        texts.append(f"Do not use its answers as they are: always answering {constant.answer} does as well.")
    if is_reversed:
        texts.append(f"{about.judge}'s numbers fall where people's rise: if its scale is reversed, change their sign.")
    for rater in influential[:1]:
        without = end_text(rater.worth_without, rater.verdict_without, largest)
        now = end_text(about.worth, about.verdict, largest)
        texts.append(f"Look at rater {rater.rater}: without them {rater.judge} is worth {without} instead of {now}.")
    if best is not None and decisions is not None and decisions.judge <= decisions.constant:
        always = "calling every item positive" if decisions.says_yes else "calling no item positive"
        texts.append(
            f"Do not use it for yes-or-no decisions: {always} agrees with people on {decisions.constant:.0%} of the "
            f"items, {best.judge} on {decisions.judge:.0%}."
        )
    if n_raters is not None and n_raters <= FEW_RATERS:
        texts.append(f"Add raters: {counted(n_raters, 'rater')} cannot speak for many other people.")
    if best is not None and best.as_is is not None and best.as_is.standing == "better than a constant":
        texts.append("Do not expect a person's precision: its answers are further from people's than a person's.")
    shift = about.shift
    if shift is not None and math.isfinite(shift) and abs(shift) >= LARGE_SHIFT:
        way = "higher" if shift > 0 else "lower"
        texts.append(f"Allow for its shift: {about.judge} answers {abs(shift):.1f} label steps {way} than people.")
    return tuple(texts[:MOST_CAVEATS])
