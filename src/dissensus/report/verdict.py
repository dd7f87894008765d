"""The verdict at the top of a report: the decision in a few sentences, or without judges how far people agree."""

from dissensus.methods.decide.answers import Answers
from dissensus.report.numbers import visible
from dissensus.report.views.decide import lead_sentence
from dissensus.report.views.describe import agreement_in_short

WITH_JUDGES = "With a file of judges' answers this page also says which judge to use and what it is worth."


def verdict_of(answers: Answers) -> list[str]:
    """Which judge to use and why, what could change that, and what to do next; of ratings alone how far they agree."""
    decision = answers.decision
    if decision is None:
        agreement = answers.agreement
        texts = [agreement_in_short(agreement.whole, agreement.settings.get("scale"))]
        return texts if answers.ranking is not None or answers.worth is not None else [*texts, WITH_JUDGES]
    advice = decision.recommendation
    step = [] if decision.next is None else [f"Next: {visible(decision.next.text)}"]
    return [lead_sentence(decision), *(visible(text) for text in advice.caveats), *step]
