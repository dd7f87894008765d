"""What asking people brings, the more of them the more, in words."""

import math
from collections.abc import Sequence

from dissensus.report.numbers import counted, decimal, listing
from dissensus.report.sentences.surveys import ScoreWords, Settings, Terms
from dissensus.survey.result import CurvePoint

NEARLY_FLAT = 0.1
"""A curve that takes off a smaller share than that of what is unknown makes large numbers of raters of small gains."""


def nearly_flat_sentence(curve: Sequence[CurvePoint], settings: Settings, terms: Terms) -> str:
    """That even many people tell little, so that many raters are a small gain; empty where they tell more.

    What is unknown with nobody asked is the cross-entropy of that prediction, which only bits are a share of.
    """
    known = [point for point in curve if math.isfinite(point.score)]
    if settings.get("score", "cross-entropy") != "cross-entropy" or len(known) < 2:  # noqa: PLR2004 - no curve
        return ""
    first, last = known[0], known[-1]
    gain, unknown = last.score - first.score, -first.score
    if not 0 < gain < NEARLY_FLAT * unknown:
        return ""
    return (
        f"The whole curve is nearly flat: even asking {terms.people(last.raters)} tells {decimal(gain, 3)} of the "
        f"{decimal(unknown, 3)} bits that are unknown with nobody asked, so a large number of raters is a small gain."
    )


def curve_sentence(curve: Sequence[CurvePoint], terms: Terms, words: ScoreWords) -> str:
    """What asking people brings."""
    shown = [p for p in curve if p.raters in {0, 1, 2, curve[-1].raters} and math.isfinite(p.score)]
    if words.is_gain:
        parts = [f"{terms.people(p.raters)} {words.form(p.score - curve[0].score)}" for p in shown if p.raters]
        return f"What asking brings, over asking nobody: {listing(parts)}."
    return f"What asking brings: {listing([f'{terms.people(p.raters)} {words.form(p.score)}' for p in shown])}."


def falling_sentence(curve: Sequence[CurvePoint], settings: Settings) -> str:
    """That the curve falls although more people cannot know less; empty if it does not, beyond a hair."""
    known = [p for p in curve if math.isfinite(p.score)]
    top = max(known, key=lambda p: p.score)
    is_learned = settings.get("combiner", "abc") == "abc"
    if not is_learned or top.score - known[-1].score <= 0.05 * (top.score - known[0].score):
        return ""
    return (
        f"The curve falls after {counted(top.raters, 'rater')}. More people do not know less: the larger a survey, the "
        "fewer other items show the same answers, and the combiner has too little to learn from. Try --combiner npmle, "
        f"or --max-raters {top.raters}."
    )
