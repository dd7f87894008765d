"""What asking people instead of a judge would bring, and how judges that are equal or alone are told."""

import math

import pytest

from dissensus.methods.decide.answers import Unanswered
from dissensus.methods.equivalence.result import JudgeWorth
from dissensus.report.views.equivalence import Comparison, difference_sentence
from dissensus.report.views.worth import asking, terms_of
from dissensus.report.whole import open_question

from survey_builders import ends_of

NAN = math.nan
TERMS = terms_of({}, largest=20)


def worth(equivalence, low, high, judge="b", *, has_interval=True):
    return JudgeWorth(
        judge=judge,
        calibrated=False,
        score=-0.7,
        low=NAN,
        high=NAN,
        equivalence=equivalence,
        equivalence_raters=math.ceil(equivalence),
        verdict="within",
        **ends_of("within", low, high, has_interval=has_interval),
        share_below=0.0,
        share_above=0.0,
    )


@pytest.mark.parametrize(
    ("equivalence", "expected"),
    [
        (0.4, "Asking nobody would be worse, asking one person would be better."),
        (1.2, "Asking one person would be worse, two would be better."),
        (3.0, "Asking three people would be exactly as good."),
        (12.5, "Asking 12 people would be worse, 13 would be better."),
    ],
)
def test_without_intervals_the_surveys_on_either_side_of_the_estimate_are_named(equivalence, expected):
    assert asking(worth(equivalence, NAN, NAN, has_interval=False), TERMS) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2.97, 13.09, "Asking two people would be worse, 14 would be better."),
        (0.75, 0.87, "Asking nobody would be worse, asking one person would be better."),
        (1.26, NAN, "Asking one person would be worse; whether asking two to 20 would be better is open."),
        (18.5, NAN, "Asking 18 people would be worse; whether asking 19 or 20 would be better is open."),
        (0.5, NAN, "Asking nobody would be worse; whether asking one to 20 people would be better is open."),
        (19.2, NAN, "Asking 19 people would be worse; whether asking 20 would be better is open."),
        # Of an interval that holds 0, or begins below it, asking nobody may be as good.
        (NAN, 0.27, "Asking one person would be better; that the judge is better than asking nobody is not shown."),
        (0.0, 1.83, "Asking two people would be better; that the judge is better than asking nobody is not shown."),
        (NAN, NAN, "Whether asking people, up to 20, would be better or worse is open."),
        (3.0, 3.0, "Asking three people would be exactly as good."),
    ],
)
def test_with_an_interval_only_surveys_outside_of_it_are_called_worse_or_better(low, high, expected):
    assert asking(worth(3.0, low, high), TERMS) == expected


def compared(difference, low, high, share=0.5):
    one, other = worth(1.0, NAN, NAN, "a"), worth(1.0, NAN, NAN, "b")
    return Comparison(judge=one, other=other, difference=difference, low=low, high=high, share_better=share)


def test_two_judges_that_never_differ_are_worth_the_same():
    assert difference_sentence(compared(0.0, 0.0, 0.0), TERMS) == (
        '"a" and "b" are worth the same in every bootstrap sample.'
    )
    assert difference_sentence(compared(0.0, -0.1, 0.1), TERMS).startswith(
        '"a" is worth 0.00 [-0.10, 0.10] raters more'
    )


def test_without_a_curve_nobody_asks_how_far_apart_judges_are_on_it():
    far = compared(NAN, NAN, NAN, 0.9)
    assert difference_sentence(far, TERMS).endswith("since they are not both on the curve.")
    assert difference_sentence(far, terms_of({}, largest=0)) == (
        '"a" predicts people better than "b" in 90.0% of the bootstrap samples.'
    )


def test_an_open_question_has_its_reason_and_its_remedy():
    assert open_question(Unanswered(question="Who?", reason="Nobody said.", remedy="Ask.")) == "Who? Nobody said. Ask."
    assert open_question(Unanswered(question="Who?", reason="Nobody said.")) == "Who? Nobody said."
