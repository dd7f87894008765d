"""What asking people instead of the judge would bring, as far as the interval of its worth tells."""

import math

from dissensus.report.numbers import spelled
from dissensus.report.sentences.surveys import Settings, Terms
from dissensus.survey.result import JudgeWorth


def asking(best: JudgeWorth, settings: Settings, terms: Terms) -> str:
    """Which surveys are worse and which are better than a judge on the curve; without an interval by the estimate."""
    if not settings.get("bootstrap") or best.equivalence_low == best.equivalence_high:
        return _by_estimate(best.equivalence, terms)
    worse, better = surely_worse(best), surely_better(best, terms)
    if worse is None and better is None:
        return f"Whether asking people, up to {spelled(terms.largest)}, would be better or worse is open."
    if worse is None:
        asked = people_in_words(better or 0, terms)
        return f"Asking {asked} would be better; that the judge is better than asking nobody is not shown."
    said = f"Asking {people_in_words(worse, terms)} would be worse"
    if better is not None:
        return f"{said}, {_more(better, terms, worse=worse)} would be better."
    first, last = worse + 1, terms.largest
    most = spelled(last) if worse else people_in_words(last, terms)
    span = "" if first == last else f"{spelled(first)} {'or' if last == first + 1 else 'to'} "
    return f"{said}; whether asking {span}{most} would be better is open."


def surely_worse(worth: JudgeWorth) -> int | None:
    """The largest survey below the whole interval; None if even asking nobody is not."""
    low = worth.equivalence_low
    return math.ceil(low) - 1 if math.isfinite(low) and low > 0 else None


def surely_better(worth: JudgeWorth, terms: Terms) -> int | None:
    """The smallest survey beyond the whole interval; None if the data allow none."""
    high = worth.equivalence_high
    found = max(math.ceil(high), 1) if math.isfinite(high) else terms.largest + 1
    return found if found <= terms.largest else None


def people_in_words(number: int, terms: Terms) -> str:
    """So many people, small numbers spelled out."""
    return terms.people(number).replace(str(number), spelled(number), 1) if number else "nobody"


def _by_estimate(equivalence: float, terms: Terms) -> str:
    k = math.ceil(equivalence)
    if equivalence == k:
        return f"Asking {people_in_words(k, terms)} would be exactly as good."
    return f"Asking {people_in_words(k - 1, terms)} would be worse, {_more(k, terms, worse=k - 1)} would be better."


def _more(better: int, terms: Terms, *, worse: int) -> str:
    """The larger survey; the noun stands with the smaller one, unless that asks nobody."""
    return spelled(better) if worse else f"asking {people_in_words(better, terms)}"
