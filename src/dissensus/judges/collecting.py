"""What to ask people and judges for next."""

import numpy as np

from dissensus.errors import listed
from dissensus.judges.findings import Findings
from dissensus.judges.rating_model import specification_sentence
from dissensus.judges.result import Advice
from dissensus.judges.setting_up import Prepared
from dissensus.ratings.quantiles import median

PAIRS_NEEDED = 100
"""So many paired ratings give most of what F' can give."""
RATINGS_NEEDED = 3
MOST_OPTIONS = 12
"""With more than so many the options are points of a measure, of which nobody endorses a set."""


def collecting(findings: Findings) -> list[Advice]:
    """Advice on what to collect."""
    return [*_specify(findings), *_pair(findings), *_ratings(findings), *_judge_sets(findings)]


def _can_ask_for_sets(prepared: Prepared) -> bool:
    """Whether response sets would tell more than is known: on a scale of numbers nobody endorses several."""
    is_known = prepared.is_fully_specified or bool(prepared.people.has_set.all())
    options = prepared.space.options
    return not is_known and len(options) <= MOST_OPTIONS and not all(_is_number(option) for option in options)


def _is_number(option: str) -> bool:
    try:
        float(option)
    except ValueError:
        return False
    return True


def _specify(findings: Findings) -> list[Advice]:
    """Options that leave no room for several answers."""
    prepared = findings.prepared
    if not _can_ask_for_sets(prepared):
        return []
    return [
        Advice(
            text="Fully specify the options if you can: add one for each combination that is reasonable, as Maybe is "
            "for Yes and No.",
            reason=f"{specification_sentence(prepared.task)} In simulations one rating per item of a fully specified "
            "task selects judges as well as three of an underspecified one.",
        )
    ]


def _pair(findings: Findings) -> list[Advice]:
    """Response sets, or paired ratings."""
    prepared = findings.prepared
    reversal = prepared.problem.reversal
    if not _can_ask_for_sets(prepared):
        return []
    if reversal is None:
        return [
            Advice(
                text=f"Collect response sets; else ask some raters for both, about {PAIRS_NEEDED} ratings in all.",
                reason="A forced choice does not tell which other options the rater would endorse. 30 paired ratings "
                "already give most of what can be learned about it.",
            )
        ]
    if reversal.paired_by == "item":
        return [
            Advice(
                text=f"Ask the same raters for a forced choice and a response set, about {PAIRS_NEEDED} times.",
                reason="F' compares different people on the same items, so that what distinguishes them looks like an "
                "effect of the forced choice.",
            )
        ]
    pairs = reversal.n_pairs
    if pairs >= PAIRS_NEEDED:
        return []
    return [Advice(text=f"Collect about {PAIRS_NEEDED} paired ratings.", reason=f"F' rests on {pairs} so far.")]


def _ratings(findings: Findings) -> list[Advice]:
    """Enough ratings per item."""
    people, copies = findings.prepared.people, findings.prepared.problem.copies
    usual = median(np.maximum(people.choices.sum(axis=1), people.sets.sum(axis=1)).astype(np.float64), copies)
    if usual >= RATINGS_NEEDED:
        return []
    return [
        Advice(
            text=f"Collect {RATINGS_NEEDED} or more ratings per item.",
            reason=f"The median is {usual:g}. In simulations decisions from one rating are those of everybody on 72% "
            "of the items, and three ratings instead of one help every definition to select.",
        )
    ]


def _judge_sets(findings: Findings) -> list[Advice]:
    """Judges that were never asked for response sets."""
    prepared = findings.prepared
    asked = zip(prepared.judges, prepared.answers.has_set.T, strict=True)
    silent = [judge for judge, answered in asked if not answered.any()]
    if prepared.is_fully_specified or not silent or not findings.knows_sets:
        return []
    return [
        Advice(
            text=f"Ask {listed(silent)} for response sets, too.",
            reason="Their forced choices are compared with people's response sets, as if they never endorsed two "
            "options.",
        )
    ]
