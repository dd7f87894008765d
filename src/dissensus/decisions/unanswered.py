"""Questions that the data leave open, and what would answer them."""

from dataclasses import dataclass

WORTH = "How many raters is each judge worth?"
STAND_IN = "Which judge can stand in for people?"
BETTER = "Is the best judge really better than the second?"
COLLECT = "What to collect next?"
JUDGES_FILE = "a judges file with the columns item, judge and label, which `dissensus report RATINGS JUDGES` takes"


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


WITHOUT_JUDGES = (
    Unanswered(question=WORTH, reason="No judge's answers were given.", remedy=f"It takes {JUDGES_FILE}."),
    Unanswered(question=STAND_IN, reason="No judge's answers were given.", remedy=f"It takes {JUDGES_FILE}."),
    Unanswered(
        question=BETTER, reason="No judge's answers were given.", remedy="It takes the same file with two judges in it."
    ),
)
NO_LABELS = Unanswered(
    question=STAND_IN,
    reason="The answers are points of a measure, and the definitions of agreement ask whether two labels are the same.",
    remedy="Round raters' and judges' numbers to a few labels to see it.",
)
