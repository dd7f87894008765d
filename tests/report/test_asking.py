"""Which surveys are worse and better than a judge, and questions that are left open."""

import math

import pytest

from dissensus.methods.equivalence.result import JudgeWorth
from dissensus.report.answers import Unanswered
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
        (0.4, "better than asking nobody, worse than asking one person"),
        (1.2, "better than asking one person, worse than asking two people"),
        (3.0, "as good as asking three people"),
        (12.5, "better than asking 12 people, worse than asking 13 people"),
    ],
)
def test_without_intervals_the_surveys_on_either_side_of_the_estimate_are_named(equivalence, expected):
    assert asking(worth(equivalence, NAN, NAN, has_interval=False), TERMS) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2.97, 13.09, "better than asking two people, worse than asking 14 people"),
        (0.75, 0.87, "better than asking nobody, worse than asking one person"),
        (1.26, NAN, "better than asking one person; asking two to 20 people may be better"),
        (0.5, NAN, "better than asking nobody; asking one to 20 people may be better"),
        (19.2, NAN, "better than asking 19 people; asking 20 people may be better"),
        # Of an interval that holds 0, or begins below it, asking nobody may be as good.
        (NAN, 0.27, "worse than asking one person, not shown to be better than asking nobody"),
        (0.0, 1.83, "worse than asking two people, not shown to be better than asking nobody"),
        (NAN, NAN, "too uncertain to say how many people it equals"),
        (3.0, 3.0, "as good as asking three people"),
    ],
)
def test_with_an_interval_only_surveys_outside_of_it_are_called_worse_or_better(low, high, expected):
    assert asking(worth(3.0, low, high), TERMS) == expected


def test_an_open_question_has_its_reason_and_its_remedy():
    assert open_question(Unanswered(question="Who?", reason="Nobody said.", remedy="Ask.")) == "Who? Nobody said. Ask."
    assert open_question(Unanswered(question="Who?", reason="Nobody said.")) == "Who? Nobody said."
