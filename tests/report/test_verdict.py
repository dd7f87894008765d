"""The verdict of a report and what it says to collect next: every case in words."""

import dataclasses
import math

import pytest

from dissensus.cli.flags import flag_of
from dissensus.methods.compare.result import CompareResult, PairComparison
from dissensus.methods.decide.answers import COLLECT, WITHOUT_JUDGES, Answers, Unanswered
from dissensus.methods.describe.result import Coefficient, DescribeResult, Description
from dissensus.methods.equivalence.result import CurvePoint, EquivalenceResult, JudgeWorth
from dissensus.methods.judges.result import Constant, DefinitionResult, Downstream, JudgesResult, JudgeValue
from dissensus.methods.plan_raters.result import Design, PlanRatersResult
from dissensus.options import named, spelled
from dissensus.report.document import Figure, Fold, Note, Paragraph, Points
from dissensus.report.verdict import verdict_of
from dissensus.report.whole import Prices, in_short, next_steps, report_of, together

from survey_builders import ends_of

NAN = math.nan
DATA = {"ratings": {"file": "ratings.csv", "sha256": "ab" * 32, "format": "tidy", "rows": 2000}}


def agreement(*, items=300, once=0, median=5.0, alpha=0.4, scale="nominal"):
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
        coefficients=(Coefficient(name=f"krippendorff_alpha_{scale}", value=alpha, low=0.35, high=0.45),),
        agreement_by_item=((1.0, items - once),),
    )
    return DescribeResult(settings={"scale": scale}, data=DATA, whole=part, groups=())


def worth(
    judge="b", equivalence=3.4, low=2.8, high=4.0, *, score=-0.7, verdict="within", calibrated=False, has_interval=True
):
    is_on = verdict == "within"
    ends = (low, high) if is_on or (low, high) != (2.8, 4.0) else (NAN, NAN)
    return JudgeWorth(
        judge=judge,
        calibrated=calibrated,
        score=score,
        low=score - 0.02,
        high=score + 0.02,
        equivalence=equivalence if is_on else NAN,
        equivalence_raters=math.ceil(equivalence) if is_on else None,
        verdict=verdict,
        **ends_of(verdict, *ends, has_interval=has_interval),
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
    numbers = {"score_a": 0.53, "score_b": 0.47, "difference": 0.06, "low": -0.01, "high": 0.14, "items": 300}
    pair = PairComparison(judge_a=a, judge_b=b, better=better, p_value=p_value, p_holm=p_value, **numbers)
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
    # Three people lie in the interval.
    verdict = said(worth=surveys(), ranking=ranking(BC, BC, BC, CB, CB), comparison=duel(better="a", p_value=0.0004))
    assert verdict == [
        'Judge "b" is worth 3.40 raters [2.80, 4.00].',
        "Asking two people would be worse, four would be better.",
        ('By Jensen-Shannon divergence it comes closest to people, too, and it beats "c" item by item (p < 0.001).'),
    ]


def test_a_worth_that_rests_on_few_of_the_items_says_so():
    verdict = verdict_of(Answers(agreement=agreement(items=700), worth=surveys()))
    assert verdict[0] == 'On 300 of the 700 items, judge "b" is worth 3.40 raters [2.80, 4.00].'
    assert verdict_of(Answers(agreement=agreement(items=600), worth=surveys()))[0].startswith("Judge")


def test_where_asking_people_tells_nothing_no_judge_is_measured_by_them():
    flat = surveys(worth(equivalence=0.0, low=0.0, high=0.0, score=0.0))
    flat = dataclasses.replace(flat, curve=tuple(dataclasses.replace(p, score=0.0) for p in flat.curve))
    first, second = said(worth=flat, comparison=duel())
    assert first.startswith("Asking people tells nothing here, however many")
    assert second == 'That "b" is better than "c" is not shown (p = 0.150).'
    assert said(worth=flat, ranking=ranking(BC, BC))[1] == 'By Jensen-Shannon divergence "b" comes closest to people.'
    section = whole(worth=flat).sections[1]
    assert section.lead == first
    assert "tells more" not in " ".join(block.text for block in section.blocks if isinstance(block, Paragraph))
    assert section.figures()[0].title == "What a survey of people tells, by its size"


def test_without_intervals_there_are_no_brackets_and_a_calibrated_judge_is_called_that():
    assert (
        said(worth=surveys(worth(has_interval=False), settings={"bootstrap": 0}))[0]
        == 'Judge "b" is worth 3.40 raters.'
    )
    assert said(worth=surveys(worth(calibrated=True)))[0] == 'Judge "b" (calibrated) is worth 3.40 raters [2.80, 4.00].'


@pytest.mark.parametrize(
    ("largest", "raters", "people"), [(1, "1 rater", "one person"), (5, "5 raters", "five people")]
)
def test_above_the_curve_the_largest_survey_is_named(largest, raters, people):
    result = surveys(worth(verdict="above K"), largest=largest)
    assert said(worth=result, agreement=agreement(median=largest + 1.0)) == [
        f'Judge "b" is worth more than {raters}.',
        f"How many more these data cannot tell: the largest survey that they allow asks {people}.",
    ]


def test_a_curve_that_ends_before_the_ratings_do_is_not_blamed_on_the_data():
    # Up to 20 raters are looked at, but most items have 39 ratings.
    result, rated = surveys(worth(verdict="above K"), largest=20), agreement(median=39.0)
    assert said(worth=result, agreement=rated)[1] == (
        "How many more this page does not tell: its largest survey asks 20 people."
    )
    [step] = steps(worth=result, agreement=rated)
    assert spelled(step) == (
        '"b" is better than asking 20 raters, the largest survey here. Most items have more ratings than that takes: '
        "set `max_raters=` of `equivalence` to 38 to look further, without a new rating."
    )


@pytest.mark.parametrize(
    ("verdict", "end", "words"),
    [
        ("above K", (2.5, NAN), "is worth above 5 raters [2.50, above 5]."),
        ("below 0", (NAN, 0.42), "It is worth below 0 raters [below 0, 0.42]; asking one person tells more."),
        ("below 0", (NAN, NAN), "It is worth less than asking nobody; asking one person tells more."),
    ],
)
def test_an_interval_that_comes_back_to_the_curve_is_shown(verdict, end, words):
    judge = worth("b", 3.4, *end, verdict=verdict, score=-2.0)
    assert any(text.endswith(words) for text in said(worth=surveys(judge)))


def test_where_nobody_can_be_asked_a_judge_can_only_be_better_than_nobody():
    # One rating per item: the curve ends with nobody asked, and a judge above it has a score but no place.
    assert said(worth=surveys(worth(verdict=None, score=-0.8), largest=0)) == [
        'Judge "b" predicts people better than asking nobody.',
        "To know how many raters that is worth, at least half of the items need a second rating.",
    ]


def test_a_judge_without_a_score_has_no_worth():
    assert said(worth=surveys(worth(verdict=None, score=NAN))) == [
        'How many raters judge "b" is worth is undefined here.'
    ]


def test_experts_are_called_by_their_group():
    verdict = said(worth=surveys(settings={"experts": "doctors"}))
    assert verdict[1] == 'Asking two "doctors" raters would be worse, four would be better.'


@pytest.mark.parametrize(
    ("orders", "comparison", "expected"),
    [
        ([BC] * 5, None, "By Jensen-Shannon divergence it comes closest to people, too."),
        (
            [BC, CB, CB, CB, CB],  # how many definitions would pick whom is no evidence
            duel(),
            (
                "By Jensen-Shannon divergence it comes closest to people, too, but that it is better than "
                '"c" is not shown (p = 0.150).'
            ),
        ),
        (
            [BC] * 5,
            duel(better="b", p_value=0.01, metric="mae"),
            'By Jensen-Shannon divergence it comes closest to people, too, although "c" beats it by mae (p = 0.010).',
        ),
    ],
)
def test_how_sure_the_choice_is(orders, comparison, expected):
    assert said(worth=surveys(), ranking=ranking(*orders), comparison=comparison)[2] == expected


def test_judges_that_no_definition_tells_apart_are_not_ranked():
    result = ranking(BC, BC)
    tied = tuple(
        dataclasses.replace(d, values=tuple(dataclasses.replace(v, rank=1) for v in d.values))
        for d in result.definitions
    )
    verdict = said(worth=surveys(), ranking=dataclasses.replace(result, definitions=tied), comparison=duel(p_value=1.0))
    assert verdict[2] == (
        "By Jensen-Shannon divergence it and others are equally near to people, but that it is better than "
        '"c" is not shown (p = 1.000).'
    )


def test_another_judge_to_pick_than_the_one_that_is_worth_most_is_named():
    verdict = said(worth=surveys(), ranking=ranking(*[CB] * 5))
    assert verdict[2] == 'By Jensen-Shannon divergence "c" comes closest to people.'


def test_where_no_judge_beats_a_constant_none_is_named_as_closest():
    # By the definition to select by; the others, on which nothing is known of a constant, do not stand in for it.
    best, *others = ranking(BC, BC).definitions
    constant = Constant(answer="no", value=1.1)
    values = tuple(dataclasses.replace(value, beats_constant=False) for value in best.values)
    beaten = dataclasses.replace(best, constant=constant, values=values, selected=None)
    result = dataclasses.replace(
        ranking(BC, BC), definitions=(beaten, *others), recommended=None, measure="jsd", downstream=()
    )
    expected = 'No judge beats always answering "no" (Jensen-Shannon divergence 1.10, "b" 1.00; higher is better).'
    assert said(worth=surveys(), ranking=result)[2] == expected


def test_judges_whose_order_runs_against_peoples_may_have_their_scale_turned():
    turned = surveys(worth(verdict="below 0", score=-0.9), settings={"score": "pearson"})
    verdict = said(worth=turned, comparison=duel(better="a", metric="spearman"))
    # Which of two judges is less against people's order is no finding.
    assert verdict[2:] == ["The judge's order runs against people's: if its scale is reversed, flip it."]


def test_one_judge_is_told_beside_the_better_constant():
    alone = ranking(("b",), downstream=(decided("b", 0.6, 0.1), DECISIONS[2]))
    assert said(worth=surveys(), ranking=alone)[2] == (
        "It decides as people do on 60.0% of the items, calling no item positive without looking on 65.0%."
    )
    better = ranking(("b",), downstream=(decided("b", 0.8, 0.1), DECISIONS[2]))
    assert said(worth=surveys(), ranking=better)[2] == (
        "It decides as people do on 80.0% of the items, calling no item positive without looking on 65.0%."
    )
    known = dataclasses.replace(better.downstream[0], consistency_low=0.75, consistency_high=0.84)
    assert said(worth=surveys(), ranking=dataclasses.replace(better, downstream=(known,)))[2] == (
        "It decides as people do on 80.0% [75.0%, 84.0%] of the items."
    )
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
    assert said(ranking=ranking(BC, BC)) == ['By Jensen-Shannon divergence "b" comes closest to people.']


def test_without_judges_the_verdict_is_about_people():
    assert said(unanswered=WITHOUT_JUDGES) == [
        "Two raters of the same item give the same label 60.0% of the time [57.0%, 63.0%].",
        "Krippendorff's alpha (nominal) is 0.40 [0.35, 0.45], where 1 is perfect agreement and 0 is chance.",
        "With a file of judges' answers this page also says how many raters each judge is worth.",
    ]


def test_numbers_are_seldom_the_same_so_that_alpha_tells_how_far_people_agree():
    interval = agreement(scale="interval")
    alpha = "Krippendorff's alpha (interval) is 0.40 [0.35, 0.45], where 1 is perfect agreement and 0 is chance."
    assert verdict_of(Answers(agreement=interval))[0] == alpha
    assert verdict_of(Answers(agreement=interval, worth=surveys()))[2] == alpha


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
            'To tell "b" and "c" apart, collect 660 items with 1 rater each and 5 answers of each judge to each item: '
            "as far as these data tell how large the difference is, that finds it 80% of the time (cost 660)."
        )
    ]
    assert steps(comparison=duel(), plan=plan(None)) == [
        'To tell "b" and "c" apart more items are needed; how many these data cannot tell.'
    ]
    assert steps(comparison=duel(better="a")) == [
        'To tell "b" and "c" apart nothing more is needed: 300 items were enough.'
    ]


def test_a_plan_for_fewer_items_than_did_not_tell_them_apart_says_so():
    small = plan(Design(items=23, raters=1, machine_samples=1, p_value=0.05, power=0.81, cost=23.0))
    [step] = steps(comparison=duel(), plan=small)
    assert step.endswith("(cost 23). Mind that the 300 items here did not find it, so take more rather than fewer.")


def test_why_there_is_no_plan_is_told_where_it_is_looked_for_and_only_there():
    why = Unanswered(question=COLLECT, reason="Both answer the same on each item.")
    report = whole(comparison=duel(), unanswered=(why,))
    assert report.sections[-1].title == COLLECT
    assert report.sections[-1].lead == (
        'What it takes to tell "b" and "c" apart these data cannot tell. Both answer the same on each item.'
    )


def test_a_wide_interval_asks_for_three_times_as_many_new_items():
    # Four times the items halve an interval: 900 new ones beside the 300, at 5 ratings each 4,500 ratings.
    [step] = steps(worth=surveys(worth(low=2.0, high=4.5)))
    assert "is 2.5 raters wide" in step
    assert "900 new items with 5 ratings each would about halve it (cost 4,500)." in step
    [step] = steps(Prices(item=2.0, rating=0.5), worth=surveys(worth(low=2.0, high=4.5)))
    assert step.endswith("(cost 4,050).")  # 900 * 2 + 4,500 * .5
    assert steps(worth=surveys(worth(low=3.0, high=3.9))) == []


def test_an_interval_that_leaves_the_curve_is_wide():
    # From 2.8 to beyond 5, the end of the curve: 2.2 raters or more.
    [step] = steps(worth=surveys(worth(low=2.8, high=NAN)))
    assert "is at least 2.2 raters wide" in step
    missing, step = steps(worth=surveys(worth(low=NAN, high=4.0)))
    assert missing.endswith("on 300 items: it takes more items to know, or better judges.")
    assert "is at least 4.0 raters wide" in step
    assert steps(worth=surveys(worth(has_interval=False), settings={"bootstrap": 0})) == []


def test_rated_items_that_judges_left_out_come_before_new_ones():
    first, *_ = steps(worth=surveys(), agreement=agreement(items=700))
    assert first == (
        "What judges are worth rests on 300 of the 700 items. Let every judge answer all rated items before you "
        "collect new ones: that costs no rating."
    )


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
    assert len(set(points.texts)) == 3


def test_why_these_two_judges_are_compared_is_said_where_they_are_best_in_two_ways():
    report = whole(worth=surveys(), ranking=ranking(CB, CB), comparison=duel("c", "b"))
    assert report.sections[3].blocks[0].text == (
        '"c" comes first by Jensen-Shannon divergence, "b" is worth the most raters.'
    )
    report = whole(worth=surveys(), ranking=ranking(BC, BC), comparison=duel())
    assert not isinstance(report.sections[3].blocks[0], Paragraph)


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
    [fold] = [block for block in second.blocks if isinstance(block, Fold) and "warnings" in block.title]
    assert (fold.title, [note.text for note in fold.parts]) == ("3 warnings about the data", ["a.", "b.", "c."])


def test_options_that_a_report_does_not_have_are_named_with_the_command_that_has_them():
    def note(warning, **spelling):
        told = dataclasses.replace(surveys(settings={"calibrate": "table"}), warnings=(warning,))
        answers = Answers(agreement=agreement(), worth=told)
        return report_of(answers, title="t", **spelling).sections[1].blocks[-1].text

    fixed = f"{named('cohort')} keeps the items fixed."
    assert note(fixed) == "`cohort=` of `equivalence` keeps the items fixed."
    assert note(fixed, spelling=flag_of) == "--cohort of `dissensus equivalence` keeps the items fixed."
    assert note(f"Name it with {named('positive')}.") == "Name it with positive=."
    assert note(f"See {named('scale', of='read')}.", spelling=flag_of) == "See --scale."


def test_the_users_prices_are_repeated_and_no_others_asked_for():
    answers = Answers(agreement=agreement(), comparison=duel(), plan=plan())
    texts = [
        [block.text for block in report.sections[-1].blocks if isinstance(block, Paragraph)]
        for report in (report_of(answers, title="t"), report_of(answers, title="t", item_cost=0.5, rating_cost=0.12))
    ]
    assert texts[0] == ["Costs are in units of what one rating costs, unless you give item_cost= and rating_cost=."]
    assert texts[1] == ["Costs are in your units: 0.5 for a new item and 0.12 for a rating."]


def test_nothing_to_collect_is_said():
    assert whole().sections[-1].lead.startswith("Nothing that these data suggest")


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
