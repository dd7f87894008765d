"""How probable each option was, from the log-probabilities of its letter."""

import math
from collections.abc import Sequence

from dissensus.eliciting.replies import Token
from dissensus.eliciting.shown import ShownOption

_AROUND = " \t\r\n\"'`*_()[]{}:.\u2581\u0120"  # the last two are blanks in the spelling of tokenizers
FEWEST_SHARE = 0.01
"""Less probability than this on all letters together says nothing about the options."""


def option_probabilities(
    tokens: Sequence[Token], shown: Sequence[ShownOption], picked: ShownOption
) -> dict[str, float] | None:
    """Probability of each option, by what it means; None if the tokens do not tell.

    The place is the last one at which the letter that was picked stands. What could have stood there is added up by
    letter and rescaled to sum to 1; a letter that was not among the most probable tokens there has probability 0.

    Examples
    --------
    >>> a, b = ShownOption("A", "No", "", "No"), ShownOption("B", "Yes", "", "Yes")
    >>> found = option_probabilities([("A", {"A": math.log(0.6), " B": math.log(0.2)})], [a, b], a)
    >>> {option: round(share, 3) for option, share in found.items()}
    {'No': 0.75, 'Yes': 0.25}
    """
    places = [alternatives for text, alternatives in tokens if text.strip(_AROUND) == picked.mark]
    if not places:
        return None
    by_mark = {option.mark: 0.0 for option in shown}
    for text, logarithm in places[-1].items():
        mark = text.strip(_AROUND)
        if mark in by_mark:
            by_mark[mark] += math.exp(min(logarithm, 0.0))
    total = math.fsum(by_mark.values())
    if total < FEWEST_SHARE:
        return None
    return {option.meaning: by_mark[option.mark] / total for option in shown}
