"""The verdict of a report and what it says to collect next: every case in words."""

import dataclasses

import pytest

from dissensus.methods.decide.result import (
    Next,
)
from dissensus.methods.plan_raters.result import Design, PlanRatersResult
from dissensus.options import named
from dissensus.report.answers import COLLECT, WITHOUT_JUDGES, Answers, Unanswered
from dissensus.report.document import Figure, Fold, Note, Paragraph, Points
from dissensus.report.front import verdict_of
from dissensus.report.whole import Prices, next_steps, report_of, together
from report_builders import (
    BC,
    CB,
    DATA,
    MORE,
    NAN,
    agreement,
    decision,
    duel,
    judged,
    ranking,
    surveys,
    worth,
)


def said(**parts):
    return verdict_of(Answers(**{"agreement": agreement()} | parts))


# The verdict


def test_the_verdict_is_the_decision_its_reason_its_caveats_and_the_next_step():
    found = said(decision=decision(("b", "c"), step=MORE, caveats=["Look at rater w40."]), worth=surveys())
    assert found == [
        "Use b or c, as it is: b is worth 3.40 raters.",
        "Look at rater w40.",
        "Next: to tell b from c, rate 660 items by 1 person each.",
    ]


def test_one_judge_is_used_recalibrated_where_its_own_answers_do_not_beat_a_constant():
    found = said(decision=decision(how="recalibrated", judges=(judged(how="recalibrated"),)))
    assert found[0] == "Use b, recalibrated: it is worth 3.40 raters."


def test_where_no_judge_is_shown_the_verdict_is_to_ask_people():
    found = said(decision=decision((), reason="No judge is shown to know more than always answering no."))
    assert found[0] == "Use no judge yet: no judge is shown to know more than always answering no."
    assert not any("b" in text.split() for text in found)


@pytest.mark.parametrize("n_judges", [2, 3, 10])
def test_the_answer_has_at_most_30_words_however_many_judges_are_equal(n_judges):
    names = [f"judge-{number}" for number in range(n_judges)]
    [first, *_] = said(decision=decision(names, judges=tuple(judged(name, separable=False) for name in names)))
    assert len(first.split()) <= 30
    assert ("more" in first) is (n_judges > 3)


def test_without_judges_the_verdict_is_about_people():
    assert said(unanswered=WITHOUT_JUDGES) == [
        (
            "Two raters agree on an item 60% of the time [57%, 63%]; Krippendorff's alpha (nominal) is 0.40 "
            "[0.35, 0.45] (1 is perfect, 0 is chance)."
        ),
        "With a file of judges' answers this page also says which judge to use and what it is worth.",
    ]


def test_judges_about_whom_nothing_can_be_decided_are_not_asked_for_again():
    assert not any("file of judges" in text for text in said(ranking=ranking(BC, BC)))


def test_numbers_are_seldom_the_same_so_that_alpha_tells_how_far_people_agree():
    interval = agreement(scale="interval")
    assert verdict_of(Answers(agreement=interval))[0].startswith("Krippendorff's alpha (interval) is 0.40 [0.35, 0.45]")


def test_an_undefined_alpha_is_not_made_up():
    verdict = verdict_of(Answers(agreement=agreement(alpha=NAN)))
    assert len(verdict) == 2
    assert not any("nan" in sentence for sentence in verdict)


# What to collect next


def plan(recommended=Design(items=660, raters=1, machine_samples=5, p_value=0.05, power=0.81, cost=660.0)):  # noqa: B008
    return PlanRatersResult(
        settings={"power": 0.8, "metric": "wins"},
        data=DATA,
        grid=tuple(
            Design(items=n, raters=k, machine_samples=5, p_value=0.1, power=0.5, cost=float(n * k))
            for n in (100, 200)
            for k in (1, 3)
        ),
        recommended=recommended,
        frontier=(Design(items=100, raters=1, machine_samples=5, p_value=0.1, power=0.5, cost=100.0),),
    )


def steps(prices=Prices(item=0.0, rating=1.0), **parts):  # noqa: B008
    return next_steps(Answers(**{"agreement": agreement()} | parts), prices)


def test_what_to_collect_starts_with_the_next_step_of_the_decision_and_its_cost():
    assert steps(decision=decision(("b", "c"), step=MORE)) == [
        "To tell b from c, rate 660 items by 1 person each (660 ratings)."
    ]
    nothing = Next(text="better judges are needed before more ratings.", items=None, raters=None, cost=None)
    assert steps(decision=decision((), step=nothing)) == ["Better judges are needed before more ratings."]
    assert steps(decision=decision()) == []


def test_rated_items_that_judges_left_out_come_before_new_ones():
    assert steps(worth=surveys(), agreement=agreement(items=700)) == [
        (
            "Let every judge answer all 700 rated items, which costs no rating: what judges are worth rests on 300 of "
            "them."
        )
    ]
    assert steps(worth=surveys()) == []


def test_items_rated_once_ask_for_a_second_rating():
    [step] = steps(agreement=agreement(once=100))
    assert step == (
        "Get a second rating of 100 items (100 ratings): an item with one rating says nothing about agreement."
    )
    assert steps(agreement=agreement(once=20)) == []


# The whole report


def whole(**parts):
    return report_of(Answers(**{"agreement": agreement()} | parts), title="t")


def test_sections_come_in_the_order_of_a_readers_questions():
    report = whole(decision=decision(), worth=surveys(), ranking=ranking(BC, BC), comparison=duel(), plan=plan())
    assert [section.title for section in report.sections] == [
        "Do the raters agree?",
        "How many raters is each judge worth?",
        "Which judge can stand in for people?",
        "Is the best judge really better than the second?",
        "What to collect next?",
    ]


def test_without_judges_what_is_left_open_says_which_file_would_answer_it():
    report = whole(unanswered=WITHOUT_JUDGES)
    assert [section.title for section in report.sections] == [
        "Do the raters agree?",
        "What to collect next?",
        "What these data leave open",
    ]
    [points] = report.sections[-1].blocks
    assert isinstance(points, Points)
    assert len(points.texts) == 3
    assert all("file with" in text for text in points.texts)
    assert len(set(points.texts)) == 3


def section_about(start, **parts):
    [found] = [section for section in whole(**parts).sections if section.title.startswith(start)]
    return found


def remarks(section):
    return [block.text for block in section.blocks if isinstance(block, Paragraph)]


def test_beside_a_decision_no_other_judge_is_one_to_pick():
    picked = section_about("Which judge can stand", ranking=ranking(CB, CB, downstream=()))
    assert picked.lead.startswith("Without recalibration, c is closest to people")
    decided_on = section_about("Which judge can stand", ranking=ranking(CB, CB), decision=decision())
    assert not any(verb in decided_on.lead for verb in ("Pick ", "Lean ", "take ", "Use "))
    assert remarks(decided_on)[0].endswith("is answered at the top.")


def test_a_report_shows_what_judges_are_worth_only_as_the_decision_counts_it():
    raw, calibrated = worth(verdict="below 0"), worth(calibrated=True)
    table = section_about("How many raters", worth=surveys(raw, calibrated), decision=decision()).main_table()
    assert table.columns == ["Judge", "Worth, recalibrated", "Bits"]
    assert [row[1] for row in table.rows] == ["3.4 [2.8, 4.0]"]
    assert section_about("How many raters", worth=surveys(worth())).main_table().rows[0][1] == "3.4 [2.8, 4.0]"


@pytest.mark.parametrize(("use", "better", "is_said"), [("bc", "a", True), ("bc", "neither", False), ("b", "a", False)])
def test_two_judges_that_are_told_apart_only_as_a_pair_are_both_named_and_why_is_said(use, better, is_said):
    section = section_about("Is the best", decision=decision(tuple(use)), comparison=duel(better=better))
    assert any("among all 2 they cannot be told apart" in text for text in remarks(section)) is is_said


def test_the_plan_is_folded():
    collect = whole(worth=surveys(), comparison=duel(), plan=plan()).sections[-1]
    assert collect.title == COLLECT
    assert isinstance(collect.blocks[-1], Fold)
    assert any(isinstance(part, Figure) for part in collect.blocks[-1].parts)


def test_the_decision_is_the_first_screen_and_stands_nowhere_else():
    told = decision(("b", "c"), step=MORE, caveats=["Look at rater w40.", "Add raters."])
    report = whole(decision=told, worth=surveys())
    front = report.front
    assert (front.answer, front.reason) == ("Use b or c, as it is.", "b is worth 3.40 raters.")
    assert (front.caveat, list(front.more)) == ("Look at rater w40.", ["Add raters."])
    assert str(report.sections).count("Look at rater w40.") == 0
    assert report.verdict[1] == "Look at rater w40."


def test_the_chart_of_what_judges_are_worth_stands_beside_them_and_not_again_below():
    report = whole(decision=decision(), worth=surveys())
    [figure] = report.front.figures
    assert figure.title == '"b" predicts people as well as 3.4 raters can'
    assert figure not in [one for section in report.sections for one in section.figures()]


def test_each_warning_stands_once_and_many_are_folded():
    told = dataclasses.replace(agreement(), warnings=("One row was fixed.",))
    more = dataclasses.replace(surveys(), warnings=("One row was fixed.", "a.", "b.", "c.", "d.", "e."))
    report = whole(agreement=told, worth=more)
    first, second = report.sections[0], report.sections[1]
    assert [block.text for block in first.blocks if isinstance(block, Note)] == ["One row was fixed."]
    [fold] = [block for block in second.blocks if isinstance(block, Fold) and block.title.endswith("more warnings")]
    kept = [block.text for block in second.blocks if isinstance(block, Note)]
    assert [*kept, *(note.text for note in fold.parts)] == ["a.", "b.", "c.", "d.", "e."]


def test_a_page_has_no_options_and_folds_warnings_that_only_advise_them():
    def shown(warning):
        told = dataclasses.replace(surveys(settings={"calibrate": "table"}), warnings=(warning,))
        return whole(worth=told).sections[1].parts()[-1].text

    fixed = f"3 items are left out: {named('cohort')} keeps them. {named('max_raters')} 1 does, too."
    assert shown(fixed) == "3 items are left out."
    assert shown(f"Name it with {named('positive')}, or in the task.") == "Name it."
    assert shown(f"Only 3 items count: get the rest, or choose with {named('judge')}.").endswith("get the rest.")
    assert shown(f"A judge wins by 10 points ({named('epsilon')}).") == "A judge wins by 10 points."
    assert shown(f"{named('resamples')} 200 is too few.") == "'resamples' 200 is too few."
    assert shown("`dissensus decide` or `dissensus items`?") == (
        "the top of this page or 'Which items are behind the numbers?'?"
    )


def test_costs_are_ratings_unless_there_are_prices():
    [usual] = steps(decision=decision(step=MORE))
    [priced] = steps(Prices(item=0.5, rating=0.12), decision=decision(step=MORE))
    assert usual.endswith("(660 ratings).")
    assert priced.endswith("(cost 660 at your prices).")


def test_nothing_to_collect_is_said():
    assert whole().sections[-1].lead.startswith("Enough for this choice.")


def test_the_findings_are_one_object_with_a_part_for_each_command():
    answers = Answers(
        agreement=dataclasses.replace(agreement(), warnings=("w",)),
        worth=dataclasses.replace(surveys(), warnings=("w", "v")),
        unanswered=(Unanswered(question="Who?", reason="Nobody said."),),
    )
    both = together(answers)
    assert list(both.as_dict()) == ["verdict", "describe", "equivalence", "unanswered"]
    assert both.as_dict()["unanswered"] == [{"question": "Who?", "reason": "Nobody said.", "remedy": ""}]
    assert both.warnings == ("w", "v")
    assert {row["command"] for row in both.rows()} == {"describe", "equivalence"}
