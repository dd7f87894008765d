"""What follows from a judge's decisions, and from what forced choices do not tell, in words."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from dissensus.judges.downstream import ALWAYS_POSITIVE, BASELINES, Downstream
from dissensus.judges.result import JudgesResult, OrderFlips, OwnBeta
from dissensus.judges.sweeping import FlipPoint, Sensitivity
from dissensus.report.numbers import counted, decimal, listing, percent, with_interval
from dissensus.report.untrusted import quoted

Settings = Mapping[str, object]
MOST_NAMES = 4
WORTH_WORDS = 0.1
"""A share that changes by less over the sweep needs no words."""
SMALLEST = 0.0005
"""A smaller share is nothing that a percentage with one decimal would show."""


def options_words(settings: Settings) -> str:
    """The positive options in a sentence."""
    positive = settings.get("positive")
    names = [quoted(str(name)) for name in positive] if isinstance(positive, Sequence) else []
    return listing(names[:MOST_NAMES] + ([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []))


def decision_meaning(settings: Settings, tau: float) -> str:
    """When an item is decided positive."""
    return (
        f"An item counts as positive where at least {percent(tau, 0)} of the raters endorse {options_words(settings)}; "
        "a judge's own answers are counted in the same way."
    )


def constant_words(row: Downstream) -> str:
    """A constant in a sentence."""
    return "calling every item positive" if row.judge == ALWAYS_POSITIVE else "calling no item positive"


def best_constant(rows: Iterable[Downstream]) -> Downstream | None:
    """The constant that decides as people do more often."""
    return max((row for row in rows if row.judge in BASELINES), key=lambda row: row.consistency, default=None)


def consistency_sentence(row: Downstream) -> str:
    """How a judge decides beside people."""
    shared = with_interval(row.consistency, row.consistency_low, row.consistency_high, form=percent)
    return f"{quoted(row.judge)} decides as people do on {shared} of the items and {bias_words(row)}."


def bias_words(row: Downstream) -> str:
    """How a judge's prevalence differs from people's."""
    if abs(row.bias) < SMALLEST:
        return "calls as many of them positive as people do"
    low, high = (row.bias_low, row.bias_high) if row.bias > 0 else (-row.bias_high, -row.bias_low)
    size = with_interval(abs(row.bias), low, high, form=points)
    return f"calls {size} points {'more' if row.bias > 0 else 'fewer'} of them positive than people do"


def points(share: float) -> str:
    """A share in percentage points."""
    return decimal(100 * share, 1)


def below_constant(rows: Collection[Downstream]) -> str:
    """Which judges a constant equals or beats at one threshold; empty if none."""
    constant = best_constant(rows)
    if constant is None:
        return ""
    beaten = [row for row in rows if row.judge not in BASELINES and row.consistency <= constant.consistency]
    if not beaten:
        return ""
    shown = [f"{quoted(row.judge)} ({percent(row.consistency)})" for row in beaten[:MOST_NAMES]]
    shown += [f"{len(beaten) - MOST_NAMES} more"] if len(beaten) > MOST_NAMES else []
    whole = constant_words(constant)
    return (
        f"At tau {constant.tau:g} {listing(shown)} {'is' if len(beaten) == 1 else 'are'} no better than a constant: "
        f"{whole}, without looking, decides as people do on {percent(constant.consistency)} of the items."
    )


def elsewhere_sentence(rows: Collection[Downstream], tau: float) -> str:
    """Of how many judges the same holds at other thresholds; empty if of none."""
    said = []
    for other in dict.fromkeys(row.tau for row in rows if row.tau != tau):
        here = [row for row in rows if row.tau == other]
        constant = best_constant(here)
        judged = [row for row in here if row.judge not in BASELINES]
        beaten = sum(constant is not None and row.consistency <= constant.consistency for row in judged)
        said += [f"at tau {other:g} as {beaten} of {counted(len(judged), 'judge')}"] if beaten else []
    return f"Without looking, a constant does at least as well {listing(said)}." if said else ""


def consistency_finding(judged: Sequence[Downstream], constant: Downstream | None) -> str:
    """The title of the chart of decisions."""
    best = max(judged, key=lambda row: row.consistency)
    tied = [quoted(row.judge) for row in judged if abs(row.consistency - best.consistency) < SMALLEST]
    how = "decides most like people:" if len(judged) > 1 else "decides as people do"
    who = f"{quoted(best.judge)} {how}"
    if len(tied) > 1:
        left = len(tied) - MOST_NAMES
        who = f"{listing(tied[:MOST_NAMES] + ([f'{left} more'] if left > 0 else []))} decide most like people:"
    said = f"{who} on {percent(best.consistency, 0)} of the items at tau"
    beaten = constant is not None and best.consistency <= constant.consistency
    return f"{said} {best.tau:g}{', and a constant does no worse' if beaten else ''}"


def bias_finding(rows: Collection[Downstream]) -> str:
    """The title of the chart of prevalence bias."""
    judged = [row for row in rows if row.judge not in BASELINES]
    worst = max(judged, key=lambda row: abs(row.bias))
    how, size = "fewer" if worst.bias < 0 else "more", f"{points(abs(worst.bias))} points"
    if abs(worst.bias) < SMALLEST:
        who = quoted(worst.judge) if len(judged) == 1 else "Every judge"
        return f"{who} calls as many items positive as people do, at tau {worst.tau:g}"
    if len(judged) == 1:
        return f"{quoted(worst.judge)} calls {size} {how} items positive than people do, at tau {worst.tau:g}"
    if len(judged) > 1 and (all(row.bias < 0 for row in judged) or all(row.bias > 0 for row in judged)):
        said = f"Every judge calls {how} items positive than people do, {quoted(worst.judge)} by {size}"
    else:
        said = f"{quoted(worst.judge)} is furthest from people's prevalence: {size} {how}"
    return f"{said}, at tau {worst.tau:g}"


def sweep_meaning(settings: Settings) -> str:
    """What beta is."""
    instead = ", instead of it" if settings.get("mapping") == "paper" else ""
    return (
        f"A forced choice hides what else a rater would have endorsed. Beta is the share of those who chose another "
        f"option who would also endorse {options_words(settings)}{instead}; it cannot be known from forced choices, so "
        "it is tried out."
    )


def sweep_finding(rows: Sequence[Sensitivity], flips: Sequence[FlipPoint]) -> str:
    """The title of the chart of the sweep, at one threshold."""
    first, last = rows[0], rows[-1]
    if len(first.consistency) == 1:
        shares = [row.consistency[first.best] for row in rows]
        spread = f"on {percent(min(shares), 0)} to {percent(max(shares), 0)} of the items"
        return f"{quoted(first.best)} decides as people do {spread}, depending on beta"
    if not flips:
        return f"{_never_beaten(rows)}, from beta {first.beta:g} to {last.beta:g}{_falling(rows)}"
    change = flips[0]
    more = f", with {counted(len(flips) - 1, 'more change')} after that" if len(flips) > 1 else ""
    return (
        f"{quoted(first.best)} decides most like people up to beta {decimal(change.beta_to)}, from there on "
        f"{quoted(str(change.judge_to))}{more}"
    )


def _never_beaten(rows: Sequence[Sensitivity]) -> str:
    """Who decides most like people at every beta: one judge alone, one that others equal at some, or none."""
    judge = rows[0].best
    ahead = [_ahead(row, judge) for row in rows]
    if all(ahead):
        return f"{quoted(judge)} decides most like people whatever beta is"
    if any(ahead):
        return f"No judge decides more like people than {quoted(judge)} whatever beta is, some as often"
    return "No judge decides more like people than every other, whatever beta is"


def _ahead(row: Sensitivity, judge: str) -> bool:
    """Whether a judge decides more like people than every other one at this beta."""
    others = [value for name, value in row.consistency.items() if name != judge]
    return row.consistency[judge] > max(others) + SMALLEST


def _falling(rows: Sequence[Sensitivity]) -> str:
    """How rarely even the best judge decides as people do somewhere in the sweep; empty if that hardly changes."""
    best = [max(row.consistency.values()) for row in rows]
    lowest = min(range(len(rows)), key=lambda i: best[i])
    if best[0] - best[lowest] < WORTH_WORDS:
        return ""
    shares = percent(best[0], 0), percent(best[lowest], 0)
    return f"; but on {shares[0]} of the items at first and on {shares[1]} at {rows[lowest].beta:g}"


def prevalence_finding(rows: Sequence[Sensitivity]) -> str:
    """The title of the chart of prevalence over beta."""
    first, last = rows[0], rows[-1]
    return (
        f"Between {percent(first.prevalence, 0)} and {percent(last.prevalence, 0)} of the items are positive at tau "
        f"{first.tau:g}, depending on beta{_so_what(abs(last.prevalence - first.prevalence))}"
    )


def _so_what(spread: float) -> str:
    """What follows where the prevalence hangs on beta."""
    return ": only response sets would tell which" if spread >= WORTH_WORDS else ""


def selection_flips(result: JudgesResult, tau: float) -> list[FlipPoint]:
    """Where definitions select another judge in the sweep, at one threshold."""
    return [flip for flip in result.flip_points if flip.definition is not None and flip.tau == tau]


def own_beta_sentence(own: OwnBeta) -> str:
    """What share of a judge's negative choices hide a positive option, by its own account."""
    if math.isnan(own.beta):
        return f"{quoted(own.judge)} never chose a negative option, so it has no beta of its own."
    return (
        f"{quoted(own.judge)}: beta {with_interval(own.beta, own.low, own.high)}, from "
        f"{counted(own.items, 'item')} that it answered in both ways."
    )


def order_sentence(flips: OrderFlips) -> str:
    """How often the order decides."""
    return (
        f"{quoted(flips.judge)} answers otherwise on {percent(flips.share)} of the {counted(flips.items, 'pair')} when "
        "the two are shown in the other order."
    )
