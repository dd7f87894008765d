"""The verdict at the top of a report: the decision in a few sentences, or without judges how far people agree."""

import math

from dissensus.methods.decide.answers import Answers
from dissensus.report.numbers import visible
from dissensus.report.views.decide import lead_sentence
from dissensus.report.views.describe import coefficient_name, headline, interval_of, pairwise_clause

WITH_JUDGES = "With a file of judges' answers this page also says which judge to use and what it is worth."


def verdict_of(answers: Answers) -> list[str]:
    """Which judge to use and why, what could change that, and what to do next; of ratings alone how far they agree."""
    decision = answers.decision
    if decision is None:
        texts = _agreement(answers)
        return texts if answers.ranking is not None or answers.worth is not None else [*texts, WITH_JUDGES]
    advice = decision.recommendation
    step = [] if decision.next is None else [f"Next: {visible(decision.next.text)}"]
    return [lead_sentence(decision), *(visible(text) for text in advice.caveats), *step]


def _agreement(answers: Answers) -> list[str]:
    """How far the raters agree; of numbers, which are seldom equal, by how near they are."""
    part, scale = answers.agreement.whole, answers.agreement.settings.get("scale")
    texts = [f"{pairwise_clause(part.pairwise_agreement)}."]
    best = headline(part.coefficients, scale)
    if best is not None and math.isfinite(best.value):
        known = f"{coefficient_name(best.name)} is {interval_of(best)}, where 1 is perfect agreement and 0 is chance."
        texts = [known] if scale == "interval" else [*texts, known]
    return texts
