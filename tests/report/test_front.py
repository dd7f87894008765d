"""The first screen of a report: the answer, four tiles, the judges with their bars; whatever the names and numbers."""

import dataclasses
import math
import re

import pytest

from dissensus.methods.decide.result import AsIs
from dissensus.methods.parts.result import Part, PartsResult
from dissensus.report.answers import WITHOUT_JUDGES, Answers, AnswersInParts
from dissensus.report.document import Bars, Table
from dissensus.report.front import front_of, title_of
from dissensus.report.html import page_of_report
from dissensus.report.whole import report_in_parts, report_of
from report_builders import DATA, MORE, agreement, decision, judged, surveys

NAN = math.nan
SCRIPT = "<script>alert(1)</script>"


def front(step="", **parts):
    return front_of(Answers(**{"agreement": agreement()} | parts), title="Toxicity", step=step)


def tiles(**parts):
    return {tile.question: tile for tile in front(**parts).tiles}


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("/somewhere/dices_350/ratings.csv", "Dices 350"),
        ("my-survey.jsonl.gz", "My-survey"),
        ("s3 export/data.parquet", "S3 export"),
        ("example:binary", "Binary"),
        ("ratings.csv", "Ratings"),
        ("", "Ratings"),
        ("\x1b[31mred.csv", "␛[31mred"),
    ],
)
def test_the_title_is_the_name_of_the_data(source, title):
    assert title_of(source) == title


def test_the_scope_counts_items_raters_and_judges_after_what_was_asked():
    assert front(decision=decision()).scope == "300 items, 12 raters, 2 judges"
    answers = Answers(agreement=agreement(), decision=decision(judges=(judged(),)))
    assert front_of(answers, title="t", asked="Is it\n toxic?").scope == "Is it toxic? 300 items, 12 raters, 1 judge"


def test_four_tiles_say_what_decides():
    found = tiles(decision=decision())
    assert [tile.answer for tile in found.values()] == [
        "0.40",
        "3.4 raters",
        "Yes",
        "Enough for this choice",
    ]
    assert found["What is the best judge worth?"].detail == "b, recalibrated, from 2.8 to 4.0."
    assert found["Is it ahead of the second?"].detail == "b beats c."


def test_judges_that_cannot_be_told_apart_are_named_and_what_would_tell_them_is_next():
    equal = (judged(separable=False), judged("c", separable=False), judged("d", separable=False))
    found = tiles(decision=decision(("b", "c", "d"), judges=equal, step=MORE), step="To tell b from c, rate 660 items.")
    assert found["Is it ahead of the second?"].answer == "Not shown"
    assert found["Is it ahead of the second?"].detail == "c and d cannot be told apart from b."
    assert found["What next?"].answer == "Rate 660 items"


def test_one_judge_is_ahead_of_nobody():
    assert tiles(decision=decision(judges=(judged(),)))["Is it ahead of the second?"].answer == "Only one judge"


def test_each_judge_has_a_bar_with_how_it_does_as_it_is_and_its_shift():
    judges = (judged("b", shift=-0.04), judged("c", 1.2, 0.9, 1.5, shift=0.31, standing="not better than a constant"))
    bars = front(decision=decision(judges=judges)).main
    assert isinstance(bars, Bars)
    as_is = "As it is: share of raters with its answer"
    assert bars.columns == ["Judge", "Worth, in people", "Worth", as_is, "Beats constant", "Shift"]
    assert [list(row.cells) for row in bars.rows[:2]] == [
        ["3.4 [2.8, 4.0]", "60.0% [50.0%, 70.0%]", "like a person", "0.0"],
        ["1.2 [0.9, 1.5]", "60.0% [50.0%, 70.0%]", "not shown", "+0.3"],
    ]
    assert [(row.name, row.value, row.slot, row.cells[1]) for row in bars.rows[2:]] == [
        ("always no", 0, None, "50.0%"),
        ("one more person", 1, None, "60.0%"),
    ]


def test_where_labels_are_ordered_the_header_says_that_it_is_a_distance():
    own = AsIs(measure="distance", value=0.38, low=0.271, high=0.524, standing="better than a constant")
    bars = front(decision=decision(judges=(dataclasses.replace(judged(), as_is=own),))).main
    assert (bars.columns[3], bars.rows[0].cells[1]) == ("As it is: distance from each rater", "0.38 [0.27, 0.52]")


def test_a_decision_without_answers_as_they_are_has_no_such_column():
    found = decision(judges=(dataclasses.replace(judged(), as_is=None),))
    bars = front(decision=dataclasses.replace(found, constant=None, person=None)).main
    assert bars.columns == ["Judge", "Worth, in people", "Worth"]


def test_the_axis_has_0_1_and_2_people_and_an_arrow_leads_off_its_end():
    small = dataclasses.replace(judged(worth=0.2, low=NAN, high=0.4), low_verdict="below 0")
    bars = front(decision=decision(judges=(small,))).main
    assert list(bars.ticks) == [0, 1, 2]
    assert (bars.at(0), bars.at(2), bars.at(bars.rows[0].low)) == ("6.0%", "94.0%", "0.0%")
    large = dataclasses.replace(judged(high=NAN), high_verdict="above K")  # K is 5
    assert list(front(decision=decision(judges=(large,))).main.ticks) == [0, 1, 2, 3, 4, 5]


def test_of_many_judges_the_best_are_shown_and_all_are_in_the_table():
    judges = tuple(judged(f"judge {i}", 3.4 - i / 10) for i in range(10))
    bars = front(decision=decision(judges=judges)).main
    assert len([row for row in bars.rows if row.slot is not None]) == 8
    assert bars.left_out == "2 more judges in the table"
    assert len(bars.table.rows) == 12
    assert len({row.slot for row in bars.rows if row.slot is not None}) == 8


def test_without_judges_the_first_screen_says_how_far_raters_agree():
    found = front(unanswered=WITHOUT_JUDGES)
    assert found.answer == "Two raters agree on an item 60% of the time [57%, 63%]."
    assert found.reason.startswith("Krippendorff's alpha")
    assert "file of judges' answers" in found.caveat
    assert isinstance(found.main, Table)
    assert len(found.tiles) == 4


def test_hostile_names_are_text_on_the_page():
    hostile = decision((SCRIPT,), judges=(judged(SCRIPT), judged('" onload="x')), reason=f"{SCRIPT} is worth 3 raters.")
    report = report_of(Answers(agreement=agreement(), decision=hostile, worth=surveys()), title=SCRIPT, asked=SCRIPT)
    page = page_of_report(report)
    assert SCRIPT not in re.sub(r"<script>.*?</script>\n</body>", "", page, flags=re.DOTALL)
    assert 'onload="x' not in page
    assert "&lt;script&gt;" in page


# Several questions, or slices


def questions(*decisions):
    names = [f"question {i}" for i in range(len(decisions))]
    parts = tuple(Part(question=name, items=300, result=own) for name, own in zip(names, decisions, strict=True))
    asked = {
        name: Answers(agreement=agreement(), decision=own, worth=surveys())
        for name, own in zip(names, decisions, strict=True)
    }
    return AnswersInParts(PartsResult(settings={}, data=DATA, method="decide", parts=parts), asked)


def test_several_questions_have_a_small_chart_each_on_one_axis_and_a_judge_has_one_colour_in_all():
    found = questions(decision(), decision(judges=(judged("c"), judged("b", 1.0, 0.5, 1.4))))
    report = report_in_parts(found, title="t")
    panels = report.front.figures
    assert [panel.title for panel in panels] == ["Question 0 (300 items)", "Question 1 (300 items)"]
    axes = [panel.spec["layer"][2]["encoding"]["x"]["scale"]["domain"] for panel in panels]
    assert axes == [[0, 4.0], [0, 4.0]]  # 4.0 raters is the most that a judge may be worth
    assert report.front.scope == "2 questions, 300 items, 12 raters, 2 judges"
    assert {tile.question: tile.answer for tile in report.front.tiles}["Does one judge suit every question?"] == "No"
    assert [table.rows[0][0] for table in (panel.table for panel in panels)] == ["b", "c"]


def test_each_question_keeps_the_chart_of_what_judges_are_worth_in_its_section():
    report = report_in_parts(questions(decision(), decision()), title="t")
    charts = [figure.title for section in report.sections for figure in section.figures()]
    assert charts.count('"b" predicts people as well as 3.4 raters can') == 2
