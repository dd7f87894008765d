"""The words of a decision: why this judge, what could change the answer, what to do next."""

import math
from collections.abc import Mapping, Sequence

from dissensus.errors import counted, joined, named
from dissensus.methods.decide.as_is import Shift
from dissensus.methods.decide.result import (
    AsIs,
    Constant,
    DecideJudge,
    DecideResult,
    Decisions,
    How,
    Influential,
    Person,
)
from dissensus.methods.equivalence.result import Verdict, worth_decimals
from dissensus.results import Message

FEW_RATERS = 4
MOST_CAVEATS = 3
LARGE_SHIFT = 1 / 3  # of the mean distance between two raters: a difference from people that matters


def how_to_use(own: AsIs | None, shift: Shift | None, person: Person | None, *, by_correlation: bool) -> How:
    """As it is if its answers are shown to beat a constant and are not shifted, and always by correlation."""
    if by_correlation:
        return "as is"
    is_good = own is not None and own.standing != "not better than a constant"
    return "as is" if is_good and not is_shifted(shift, person) else "recalibrated"


def is_shifted(shift: Shift | None, person: Person | None) -> bool:
    """Whether a judge answers higher or lower than people, and so much that it matters beside how they differ."""
    if shift is None or person is None or shift.low <= 0 <= shift.high:
        return False
    return abs(shift.value) >= LARGE_SHIFT * person.value


def shift_decimals(person: Person | None) -> int:
    """With how many decimals a shift that matters is not rounded to 0.

    >>> [shift_decimals(Person(measure="distance", value=apart)) for apart in (0.6, 0.12, 0.0)]
    [1, 2, 2]
    """
    if person is None or person.value >= 0.05 / LARGE_SHIFT:
        return 1
    return 2 if person.value <= 0 else math.ceil(-math.log10(2 * LARGE_SHIFT * person.value))


def end_text(value: float, verdict: Verdict | None, largest: int, digits: int = 2) -> str:
    """A number of raters, or where it is off the curve.

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
    use: Sequence[DecideJudge], judges: Sequence[DecideJudge], constant: Constant | None, largest: int, *,
    by_correlation: bool = False,
) -> str:  # fmt: skip
    """Why: how the judge does as it is if that is how to use it, what it is worth, and whether it beats the others."""
    known = "always giving the same answer" if constant is None else f"always answering {constant.answer}"
    if not use:
        nearest = next((judge for judge in judges if _is_above_nobody(judge)), judges[0])
        closest = f"{nearest.judge} comes closest" + (f", worth {raters_text(nearest, largest)}" if largest else "")
        if _is_above_nobody(nearest):
            if nearest.p_value < nearest.p_needed:
                return f"{closest}, but only on the items that every judge answered."
            p_value = f" (p = {nearest.p_value:.2g}, needed: below {nearest.p_needed:g})"
            return f"{closest}, but that could be chance{'' if math.isnan(nearest.p_value) else p_value}."
        beating = [own for own in judges if own.as_is and own.as_is.standing != "not better than a constant"]
        if beating and largest:  # by its own answers, as the table says, and yet the worth may be 0
            better, worth = beating[0].judge, raters_text(beating[0], largest)
            return f"{better}, as it is, beats {known}, but is not shown to be worth more than asking nobody: {worth}."
        return f"None is shown to know more than {known}; {closest}."
    best, worth = use[0], raters_text(use[0], largest)
    if by_correlation:
        reason = f"{best.judge} is worth {worth} by correlation"
    elif best.how == "recalibrated" or best.as_is is None:
        reason = f"{best.judge} is worth {worth}"
    else:
        does = "answers like a person" if best.as_is.standing == "like a person" else f"beats {known}"
        reason = f"{best.judge} {does}, and is worth {worth} if recalibrated"
    is_ahead = best.judge == judges[0].judge and best.separable and len(judges) > 1
    return f"{reason}, ahead of every other judge." if is_ahead else f"{reason}."


def reason_alone(alone: DecideResult) -> str:
    """Why a judge is used that is shown only on all items that it answered, where other judges answered few of them."""
    reason = reason_text(alone.judges, alone.judges, alone.constant, alone.largest)
    return f"{reason.removesuffix('.')}, on all {alone.items:,} items that it answered."


def _is_above_nobody(judge: DecideJudge) -> bool:
    """Whether `equivalence` calls it better than asking nobody."""
    return judge.worth_low > 0 or judge.low_verdict == "above K"


def caveat_texts(
    best: DecideJudge | None,
    judges: Sequence[DecideJudge],
    influential: Sequence[Influential],
    n_raters: int | None,
    largest: int,
    *,
    constant: Constant | None = None,
    person: Person | None = None,
    alone: Mapping[str, DecideResult] | None = None,
    backwards: Sequence[str] = (),
    by_correlation: bool = False,
    decisions: Decisions | None = None,
) -> tuple[str, ...]:
    """What could change the answer or limits it, at most three sentences, the gravest first.

    `alone` are decisions on judges that answered far more items than all of them did, from all of these items.
    `backwards` are the judges whose numbers fall where people's rise.
    """
    about = best or judges[0]
    texts = [_unshown_text(name, own) for name, own in (alone or {}).items() if not own.recommendation.use]
    texts += [] if best is None or decisions is None else [decision_text(decisions)]
    limit = "" if best is None else _limit_text(best, constant, person, by_correlation=by_correlation)
    if best is not None and not limit and (own := (alone or {}).get(best.judge)) is not None:
        limit = _limit_text(own.judges[0], own.constant, own.person, by_correlation=by_correlation, items=own.items)
    texts += [limit] if limit else []
    if backwards:
        whose = "its scale is" if len(backwards) == 1 else "their scales are"
        texts.append(
            f"The numbers of {joined(backwards)} fall where people's rise: if {whose} reversed, multiply them "
            "by -1 in the file, and decide again."
        )
    for rater in influential[:1]:
        without = end_text(rater.worth_without, rater.verdict_without, largest)
        now = end_text(about.worth, about.verdict, largest)
        texts.append(f"Look at rater {rater.rater}: without them {rater.judge} is worth {without} instead of {now}.")
    if n_raters is not None and n_raters <= FEW_RATERS:
        about_these = f"for these alone, decide with {named('raters', value='fixed')}"
        texts.append(f"Add raters: {counted(n_raters, 'rater')} cannot speak for many other people; {about_these}.")
    return tuple(Message(text) for text in texts[:MOST_CAVEATS])


def _unshown_text(judge: str, alone: DecideResult) -> str:
    where = f"on all {alone.items:,} items that it answered"
    return f"Do not use {judge}: {where}, it is not shown to know more than a constant answer."


def _limit_text(
    best: DecideJudge, constant: Constant | None, person: Person | None, *, by_correlation: bool,
    items: int | None = None,
) -> str:  # fmt: skip
    """Why a judge's answers are not to be used as they are; by correlation, for what they are."""
    where = "" if items is None else f"on all {items:,} items that it answered, "
    only = "Use it to rank items only" if by_correlation else f"Do not use the answers of {best.judge} as they are"
    only += f": {where}{'its answers' if by_correlation else 'they'}"
    shift = None if best.shift is None else Shift(best.shift, best.shift_low or 0.0, best.shift_high or 0.0)
    if best.as_is is not None and constant is not None and best.as_is.standing == "not better than a constant":
        return f"{only} are not shown to beat always answering {constant.answer}."
    if shift is not None and is_shifted(shift, person):
        way = "higher" if shift.value > 0 else "lower"
        return f"{only} are {abs(shift.value):.{shift_decimals(person)}f} {way} than people's."
    return ""


def decision_text(decisions: Decisions) -> str:
    """How well a judge decides whether items are positive, beside the better constant."""
    always = f"calling {'every' if decisions.constant == 'always-positive' else 'no'} item positive"
    low, high = decisions.consistency_low, decisions.consistency_high
    ends = f" [{low:.0%}, {high:.0%}]" if math.isfinite(low) else ""
    share, other = f"{decisions.consistency:.0%}{ends}", f"{decisions.constant_consistency:.0%}"
    if not (low if ends else decisions.consistency) > decisions.constant_consistency:
        return (
            f"Not for yes-or-no decisions: as it is, {decisions.judge} decides like most raters on {share} of the "
            f"items, {always} on {other}."
        )
    way = "more" if decisions.bias > 0 else "fewer"
    return (
        f"Positive or not: as it is, {decisions.judge} decides like most raters on {share} of the items ({always}: "
        f"{other}) and calls {100 * abs(decisions.bias):.0f} points {way} positive."
    )
