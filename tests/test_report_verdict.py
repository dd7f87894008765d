"""The verdict of a report and what it says to collect next: every case in words."""

import dataclasses
import math

import pytest

from dissensus.agreement.result import Coefficient, DescribeResult, Description
from dissensus.comparison.result import CompareResult, PairComparison
from dissensus.decisions.answers import Answers
from dissensus.decisions.unanswered import COLLECT, WITHOUT_JUDGES, Unanswered
from dissensus.judges.downstream import Downstream
from dissensus.judges.result import DefinitionResult, JudgesResult, JudgeValue
from dissensus.planning import PlanRatersResult
from dissensus.planning.raters.result import Design
from dissensus.report.document import Figure, Fold, Note, Points
from dissensus.report.sentences.next_steps import Prices, next_steps, open_question
from dissensus.report.sentences.verdict import verdict_of
from dissensus.report.together import in_short, together
from dissensus.report.whole import report_of
from dissensus.survey.result import CurvePoint, EquivalenceResult, JudgeWorth

NAN = math.nan
DATA = {"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 2000}}


def agreement(*, items=300, once=0, median=5.0, alpha=0.4):
    """What `describe` found: items of which so many have one rating."""
    part = Description(
        group=None,
        items=items,
        raters=12,
        ratings=1500,
        fewest=1,
        median=median,
        most=8,
        labels=(),
        pairwise_agreement=Coefficient(name="pairwise_agreement", value=0.6, low=0.57, high=0.63),
        coefficients=(Coefficient(name="krippendorff_alpha_nominal", value=alpha, low=0.35, high=0.45),),
        agreement_by_item=((1.0, items - once),),
    )
    return DescribeResult(settings={"scale": "nominal"}, data=DATA, whole=part, groups=())


def worth(judge="b", equivalence=3.4, low=2.8, high=4.0, *, score=-0.7, verdict="within", calibrated=False):
    is_on = verdict == "within"
    return JudgeWorth(
        judge=judge,
        calibrated=calibrated,
        score=score,
        low=score - 0.02,
        high=score + 0.02,
        equivalence=equivalence if is_on else NAN,
        equivalence_raters=math.ceil(equivalence) if is_on else None,
        equivalence_low=low if is_on else NAN,
        equivalence_high=high if is_on else NAN,
        verdict=verdict,
        share_below=0.0,
        share_above=0.0,
    )


def surveys(*judges, largest=5, settings=None):
    curve = [CurvePoint(raters=k, score=-(0.5**k), low=NAN, high=NAN, items=300) for k in range(largest + 1)]
    return EquivalenceResult(
        settings={"bootstrap": 500} | (settings or {}), data=DATA, curve=tuple(curve), judges=judges or (worth(),)
    )


def definition(id_, *order, better="higher"):
    """A definition that puts the judges in this order."""
    values = tuple(
        JudgeValue(judge=judge, value=1 - i / 10, low=NAN, high=NAN, rank=i + 1, share_best=NAN, tied_items=0)
        for i, judge in enumerate(order)
    )
    return DefinitionResult(
        id=id_,
        definition=id_,
        better=better,
        tau=None,
        selected=order[0],
        tied_items=0,
        values=values,
        judge_aggregation="soft",
        human_aggregation="soft",
    )


FIVE = ("jsd", "mse_soft", "kl_judge_human", "hit_rate", "cohen_kappa")


def decided(judge, consistency, bias):
    ends = {"consistency_low": NAN, "consistency_high": NAN, "bias_low": NAN, "bias_high": NAN}
    return Downstream(tau=0.5, judge=judge, consistency=consistency, bias=bias, kappa=NAN, **ends)


DECISIONS = (decided("b", 0.81, -0.02), decided("c", 0.74, 0.12), decided("always-negative", 0.65, -0.35))


def ranking(*orders, downstream=DECISIONS, positive=("toxic",)):
    """A ranking by five definitions, the first of them the one to select by, with these orders of judges."""
    return JudgesResult(
        settings={"positive": list(positive)},
        data=DATA,
        definitions=tuple(definition(id_, *order) for id_, order in zip(FIVE, orders, strict=False)),
        downstream=downstream,
        recommended="jsd",
    )


BC, CB = ("b", "c"), ("c", "b")


def duel(a="b", b="c", *, better="neither", p_value=0.15, metric="wins"):
    pair = PairComparison(
        judge_a=a,
        judge_b=b,
        score_a=0.53,
        score_b=0.47,
        difference=0.06,
        better=better,
        low=-0.01,
        high=0.14,
        p_value=p_value,
        p_holm=p_value,
        items=300,
    )
    return CompareResult(
        settings={},
        data=DATA,
        pairs=(pair,),
        metric=metric,
        test="sign-flip",
        better_scores="higher",
        question="equally good",
        is_single=True,
    )


PEOPLE = "Two raters of the same item give the same label 60.0% of the time [57.0%, 63.0%]."


def said(**parts):
    """The verdict, without the sentence about people that fills up a short one."""
    verdict = verdict_of(Answers(**{"agreement": agreement()} | parts))
    return verdict[:-1] if verdict[-1] == PEOPLE else verdict


# The verdict


def test_the_example_that_was_asked_for():
    # "Judge b is worth 3.4 raters [2.8, 4.0]. Asking two people would be worse, four would be better. Two definitions
    # of agreement would have picked judge c, which overstates toxicity by 12 points." - where three people lie between.
    verdict = said(worth=surveys(), ranking=ranking(BC, BC, BC, CB, CB), comparison=duel(better="a", p_value=0.0004))
    assert verdict == [
        'Judge "b" is worth 3.40 raters [2.80, 4.00].',
        "Asking three people would be worse, four would be better.",
        (
            '3 of 5 definitions of agreement pick it; two would have picked "c", which overstates "toxic" by 12 '
            "points and "
            "loses to it item by item (p < 0.001)."
        ),
    ]


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (worth(equivalence=0.4), "Asking nobody would be worse, asking one person would be better."),
        (worth(equivalence=1.2), "Asking one person would be worse, two would be better."),
        (worth(equivalence=3.0), "Asking three people would be exactly as good."),
        (worth(equivalence=12.5), "Asking 12 people would be worse, 13 would be better."),
    ],
)
def test_on_the_curve_the_surveys_on_either_side_are_named(judge, expected):
    assert said(worth=surveys(judge))[1] == expected


def test_without_intervals_there_are_no_brackets():
    assert said(worth=surveys(settings={"bootstrap": 0}))[0] == 'Judge "b" is worth 3.40 raters.'


def test_a_calibrated_judge_is_called_that():
    assert said(worth=surveys(worth(calibrated=True)))[0] == 'Judge "b" (calibrated) is worth 3.40 raters [2.80, 4.00].'


@pytest.mark.parametrize(
    ("largest", "raters", "people"), [(1, "1 rater", "one person"), (5, "5 raters", "five people")]
)
def test_above_the_curve_the_largest_survey_is_named(largest, raters, people):
    assert said(worth=surveys(worth(verdict="above K"), largest=largest)) == [
        f'Judge "b" is worth more than {raters}.',
        f"How many more these data cannot tell: the largest survey that they allow asks {people}.",
    ]


def test_where_nobody_can_be_asked_a_judge_can_only_be_better_than_nobody():
    # One rating per item: the curve ends with nobody asked, and a judge above it has a score but no place.
    assert said(worth=surveys(worth(verdict=None, score=-0.8), largest=0)) == [
        'Judge "b" predicts people better than asking nobody.',
        "To know how many raters that is worth, at least half of the items need a second rating.",
    ]


def test_below_the_curve_one_judge_is_worth_less_than_nobody():
    assert said(worth=surveys(worth(verdict="below 0", score=-2.0))) == [
        'Judge "b" is worth less than asking nobody.',
        "Asking one person tells more.",
    ]


def test_of_several_judges_below_the_curve_the_closest_is_named():
    judges = (worth("b", verdict="below 0", score=-2.0), worth("c", verdict="below 0", score=-1.5))
    assert said(worth=surveys(*judges))[0] == 'No judge is worth more than asking nobody; "c" comes closest.'


def test_a_judge_without_a_score_has_no_worth():
    assert said(worth=surveys(worth(verdict=None, score=NAN))) == [
        'How many raters judge "b" is worth is undefined here.'
    ]


def test_experts_are_called_by_their_group():
    assert said(worth=surveys(settings={"experts": "doctors"})) == [
        'Judge "b" is worth 3.40 "doctors" raters [2.80, 4.00].',
        'Asking three "doctors" raters would be worse, four would be better.',
    ]


@pytest.mark.parametrize(
    ("orders", "comparison", "expected"),
    [
        ([BC] * 5, None, "All 5 definitions of agreement pick it."),
        ([BC], None, "The one definition of agreement picks it."),
        (
            [BC] * 5,
            duel(),
            'All 5 definitions of agreement pick it, but that it is better than "c" is not shown (p = 0.150).',
        ),
        (
            [BC] * 5,
            duel(better="a", p_value=0.01),
            'All 5 definitions of agreement pick it, and it beats "c" item by item (p = 0.010).',
        ),
        (
            [BC] * 5,
            duel(better="b", p_value=0.01, metric="mae"),
            'All 5 definitions of agreement pick it, although "c" beats it by mae (p = 0.010).',
        ),
        (
            [BC, BC, BC, BC, CB],
            duel(),
            (
                '4 of 5 definitions of agreement pick it; one would have picked "c", which overstates "toxic" by 12 '
                "points "
                "and is not shown to be worse (p = 0.150)."
            ),
        ),
        (
            [BC, CB, CB, CB, CB],
            duel(better="b", p_value=0.0001),
            (
                "By Jensen-Shannon divergence it is the judge to pick, but only 1 of 5 definitions of agreement "
                "picks it; "
                'four would have picked "c", which overstates "toxic" by 12 points and beats it item by item (p < '
                "0.001)."
            ),
        ),
    ],
)
def test_how_sure_the_choice_is(orders, comparison, expected):
    assert said(worth=surveys(), ranking=ranking(*orders), comparison=comparison)[2] == expected


def test_definitions_that_cannot_tell_are_not_counted_as_votes():
    tied = tuple(
        dataclasses.replace(d, values=tuple(dataclasses.replace(v, rank=1) for v in d.values))
        for d in ranking(BC, BC, BC).definitions[1:]
    )
    result = dataclasses.replace(ranking(BC), definitions=(*ranking(BC).definitions, *tied))
    verdict = said(worth=surveys(), ranking=result)
    assert verdict[2] == "1 of 3 definitions of agreement picks it, 2 cannot tell it from another judge."


def test_another_judge_to_pick_than_the_one_that_is_worth_most_is_named():
    verdict = said(worth=surveys(), ranking=ranking(*[CB] * 5))
    assert verdict[2] == 'All 5 definitions of agreement would rather pick "c".'
    verdict = said(worth=surveys(), ranking=ranking(CB, CB, BC, BC, BC))
    assert verdict[2] == (
        'By Jensen-Shannon divergence the judge to pick is "c", but only 2 of 5 definitions of agreement pick it; '
        "three "
        'would have picked "b".'  # which decides as people do more often, and with less bias: nothing to warn of
    )


def test_a_rival_that_decides_worse_without_more_bias_is_told_by_its_decisions():
    downstream = (decided("b", 0.81, -0.12), decided("c", 0.74, 0.02), DECISIONS[2])
    verdict = said(worth=surveys(), ranking=ranking(BC, BC, BC, CB, CB, downstream=downstream))
    assert verdict[2].endswith('"c", which decides as people do on 74.0% of the items, not on 81.0%.')


@pytest.mark.parametrize(
    ("positive", "words"),
    [(("a", "b"), '"a" or "b"'), (("a", "b", "c"), "the positive options")],
)
def test_positive_options_are_named_where_there_are_few(positive, words):
    verdict = said(worth=surveys(), ranking=ranking(BC, BC, BC, CB, CB, positive=positive))
    assert verdict[2].endswith(f"which overstates {words} by 12 points.")


def test_one_judge_is_told_beside_the_better_constant():
    alone = ranking(("b",), downstream=(decided("b", 0.6, 0.1), DECISIONS[2]))
    assert said(worth=surveys(), ranking=alone)[2] == (
        "It decides as people do on 60.0% of the items, calling no item positive without looking on 65.0%."
    )
    better = ranking(("b",), downstream=(decided("b", 0.8, 0.1), DECISIONS[2]))
    assert said(worth=surveys(), ranking=better)[2] == "It decides as people do on 80.0% of the items."
    assert len(said(worth=surveys(), ranking=ranking(("b",), downstream=()))) == 2


def test_a_verdict_of_fewer_than_three_sentences_ends_with_how_far_people_agree():
    verdict = verdict_of(Answers(agreement=agreement(), worth=surveys()))
    assert verdict[2:] == [PEOPLE]
    full = verdict_of(Answers(agreement=agreement(), worth=surveys(), ranking=ranking(BC, BC)))
    assert len(full) == 3
    assert PEOPLE not in full


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (duel(better="a", p_value=0.01), 'It beats "c" item by item (p = 0.010).'),
        (duel(), 'That it is better than "c" is not shown (p = 0.150).'),
        (duel(better="b", p_value=0.01), '"c" beats it item by item (p = 0.010).'),
    ],
)
def test_where_judges_cannot_be_ranked_the_best_is_still_compared_with_the_second(comparison, expected):
    assert said(worth=surveys(), comparison=comparison)[2] == expected


def test_a_ranking_alone_is_a_verdict():
    assert said(ranking=ranking(BC, BC)) == ['All 2 definitions of agreement would rather pick "b".']


def test_without_judges_the_verdict_is_about_people():
    assert said(unanswered=WITHOUT_JUDGES) == [
        "Two raters of the same item give the same label 60.0% of the time [57.0%, 63.0%].",
        "Krippendorff's alpha (nominal) is 0.40 [0.35, 0.45], where 1 is perfect agreement and 0 is chance.",
        "With a file of judges' answers this page also says how many raters each judge is worth.",
    ]


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


def test_what_tells_the_judges_apart_is_said_with_its_cost():
    assert steps(comparison=duel(), plan=plan()) == [
        (
            'To tell "b" and "c" apart, collect 660 items with 1 rater each and 5 answers of each judge to each '
            "item: where "
            "the difference is as these data suggest, that finds it 80% of the time (cost 660)."
        )
    ]
    assert steps(comparison=duel(), plan=plan(None)) == [
        'To tell "b" and "c" apart more items are needed; how many these data cannot tell.'
    ]
    assert steps(comparison=duel(better="a")) == [
        'To tell "b" and "c" apart nothing more is needed: 300 items were enough.'
    ]


def test_a_wide_interval_asks_for_three_times_as_many_new_items():
    # Four times the items halve an interval: 900 new ones beside the 300, at 5 ratings each 4,500 ratings.
    [step] = steps(worth=surveys(worth(low=2.0, high=4.5)))
    assert "is 2.5 raters wide" in step
    assert "900 new items with 5 ratings each would about halve it (cost 4,500)." in step
    [step] = steps(Prices(item=2.0, rating=0.5), worth=surveys(worth(low=2.0, high=4.5)))
    assert step.endswith("(cost 4,050).")  # 900 * 2 + 4,500 * .5
    assert steps(worth=surveys(worth(low=3.0, high=3.9))) == []


def test_a_judge_above_the_curve_asks_for_a_longer_one():
    [step] = steps(worth=surveys(worth(verdict="above K"), largest=5))
    assert step == (
        '"b" is better than the largest survey that the data allow. A survey of 6 takes 7 ratings of at least half of '
        "the items: up to 150 ratings more (cost 150)."
    )
    [step] = steps(worth=surveys(worth(verdict=None, score=-0.8), largest=0))
    assert step.startswith('"b" is better than asking nobody. A survey of 1 takes 2 ratings of at least half')


def test_items_rated_once_ask_for_a_second_rating():
    [step] = steps(agreement=agreement(once=100))
    assert step.startswith("100 items have one rating only")
    assert step.endswith("a second rating of each would (cost 100).")
    assert steps(agreement=agreement(once=20)) == []


def test_an_open_question_has_its_reason_and_its_remedy():
    assert open_question(Unanswered(question="Who?", reason="Nobody said.", remedy="Ask.")) == "Who? Nobody said. Ask."
    assert open_question(Unanswered(question="Who?", reason="Nobody said.")) == "Who? Nobody said."


# The whole report


def whole(**parts):
    return report_of(Answers(**{"agreement": agreement()} | parts), title="t")


def test_sections_come_in_the_order_of_a_readers_questions():
    report = whole(worth=surveys(), ranking=ranking(BC, BC), comparison=duel(), plan=plan())
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


def test_the_plan_shows_one_chart_and_folds_the_rest():
    collect = whole(worth=surveys(), comparison=duel(), plan=plan()).sections[-1]
    assert collect.title == COLLECT
    assert [type(block) for block in collect.blocks if not isinstance(block, Points)][-2:] == [Figure, Fold]


def test_each_warning_stands_once_and_many_are_folded():
    told = dataclasses.replace(agreement(), warnings=("One row was mended.",))
    more = dataclasses.replace(surveys(), warnings=("One row was mended.", "a.", "b.", "c."))
    report = whole(agreement=told, worth=more)
    first, second = report.sections[0], report.sections[1]
    assert [block.text for block in first.blocks if isinstance(block, Note)] == ["One row was mended."]
    fold = second.blocks[-1]
    assert isinstance(fold, Fold)
    assert (fold.title, [note.text for note in fold.parts]) == ("3 warnings about the data", ["a.", "b.", "c."])


def test_nothing_to_collect_is_said():
    lead = whole().sections[-1].lead
    assert lead == "Nothing that these data suggest: more of the same would only narrow the intervals."


def test_in_short_what_to_collect_is_told_in_points():
    report = whole(worth=surveys(worth(low=1.0, high=4.5)), comparison=duel(), plan=plan())
    assert [type(block) for block in in_short(report.sections[-1]).blocks] == [Points]


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
