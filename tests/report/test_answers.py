"""Which questions are asked of which data, and what is said where there is no answer."""

import dataclasses
import re
from contextlib import contextmanager

import pandas as pd
import pytest

from dissensus import decide, read, read_judges
from dissensus.cli.flags import flag_of
from dissensus.cli.main import main
from dissensus.data import Task, read_task
from dissensus.data.align import are_points_of_a_measure
from dissensus.data.paths import example_path
from dissensus.errors import DissensusError, OptionError
from dissensus.methods.equivalence.options import survey_options
from dissensus.report.answers import (
    BETTER,
    OPTIONS,
    REPLACE,
    STAND_IN,
    WORTH,
    Contenders,
    ReportRun,
    answers_in_parts,
    answers_of,
    contenders,
    no_progress,
)
from dissensus.sampling.executors import HereExecutor

LABELS = [["x", "x", "y"], ["x", "x", "x"], ["y", "y", "x"], ["y", "y", "y"]] * 5
GOOD, BAD = ["x", "x", "y", "y"] * 5, ["y", "x", "x", "y"] * 5
# Six raters, of whom each is the odd one out on a sixth of the items.
SIX = [["yx"[(i % 2) ^ (r != i % 6)] if i % 5 else "xy"[i % 2] for r in range(6)] for i in range(60)]
SAME, WORSE = ["x" if given.count("x") > 3 else "y" for given in SIX], ["x", "y", "y"] * 20


def ratings_of(items, **options):
    rows = [(f"i{i}", f"r{r}", label) for i, given in enumerate(items) for r, label in enumerate(given)]
    return read(pd.DataFrame(rows, columns=["item", "rater", "label"]), **options)


def judges_of(**answers):
    rows = [(f"i{i}", judge, label) for judge, given in answers.items() for i, label in enumerate(given)]
    return read_judges(pd.DataFrame(rows, columns=["item", "judge", "label"]))


def asked(ratings, judges=None, **options):
    return answers_of(ratings, judges, **{"bootstrap": 20} | options)


FURTHER = {"decide", "raters", "alt-test", "panel", "prevalence"}


def commands(answers):
    """The four papers' questions that were answered; the further ones have tests of their own."""
    return [result.command for result in answers.results if result.command not in {*FURTHER, "items"}]


def further(answers):
    return [result.command for result in answers.results if result.command in FURTHER]


def open_questions(answers):
    return [part.question for part in answers.unanswered if part.question != REPLACE]  # 20 items are too few for that


def test_ratings_alone_answer_whether_people_agree_and_say_which_file_would_answer_the_rest():
    answers = asked(ratings_of(LABELS))
    assert commands(answers) == ["describe"]
    assert open_questions(answers) == [WORTH, STAND_IN, BETTER]
    assert all("file with" in f"{part.reason} {part.remedy}" for part in answers.unanswered)


def test_one_judge_has_a_worth_and_nobody_to_be_compared_with():
    answers = asked(ratings_of(LABELS), judges_of(good=GOOD))
    assert commands(answers) == ["describe", "equivalence", "judges"]
    assert open_questions(answers) == [BETTER]
    [alone, _] = answers.unanswered
    assert alone.reason == "Only one judge can be ranked."
    assert alone.remedy == "It takes answers of a second judge to the same items, in the same file."


def test_judges_that_are_told_apart_need_no_plan():
    answers = asked(ratings_of(SIX), judges_of(good=SAME, bad=WORSE))
    assert commands(answers) == ["describe", "equivalence", "judges", "compare"]
    assert answers.decision.recommendation.use == ("good",)
    [pair] = answers.comparison.pairs
    assert (pair.judge_a, pair.judge_b, pair.better) == ("good", "bad", "a")
    assert open_questions(answers) == []


def test_a_judge_that_is_not_chosen_spoils_nobodys_comparison():
    few = judges_of(good=SAME, bad=WORSE, few=SAME[:12])
    answers = asked(ratings_of(SIX), few, judge=("good", "bad"))
    assert asked(ratings_of(SIX), few).decision.items == 12
    assert answers.decision.items == 60
    assert answers.decision.settings["judge"] == ("good", "bad")
    filtered = asked(ratings_of(SIX), judges_of(good=SAME, bad=WORSE))
    assert [own.rows() for own in answers.results] == [own.rows() for own in filtered.results]
    alone = decide(ratings_of(SIX), few, judge=["good", "bad"], bootstrap=20)
    assert answers.decision.judges == alone.judges
    assert commands(asked(ratings_of(SIX), few, judge="good")) == ["describe", "equivalence", "judges"]


def test_of_several_questions_those_count_that_a_chosen_judge_answered():
    people = pd.DataFrame(
        [(f"i{i}", q, f"r{r}", label) for q in "pq" for i, given in enumerate(SIX) for r, label in enumerate(given)],
        columns=["item", "question", "rater", "label"],
    )
    rows = [("p", "good", SAME), ("q", "good", SAME), ("p", "bad", WORSE), ("q", "few", SAME[:12])]
    theirs = pd.DataFrame(
        [(f"i{i}", q, judge, label) for q, judge, given in rows for i, label in enumerate(given)],
        columns=["item", "question", "judge", "label"],
    )
    data = read(people), read_judges(theirs)
    found = answers_in_parts(*data, judge=["good", "bad"], bootstrap=20)
    judges = {q: [judge.judge for judge in own.decision.judges] for q, own in found.by_question.items()}
    assert judges == {"p": ["good", "bad"], "q": ["good"]}
    assert list(answers_in_parts(*data, judge="bad", bootstrap=20).by_question) == ["p"]


def test_a_chosen_judge_must_be_there():
    with pytest.raises(OptionError, match="There is no judge 'god': the judges are bad, good"):
        asked(ratings_of(SIX), judges_of(good=SAME, bad=WORSE), judge="god")
    with pytest.raises(OptionError, match="needs the judges' answers"):
        asked(ratings_of(SIX), judge="good")


def test_judges_that_give_the_same_answers_are_both_to_use_and_no_plan_tells_them_apart():
    answers = asked(ratings_of(SIX), judges_of(good=SAME, alike=SAME))
    assert answers.comparison.pairs[0].better == "neither"
    assert set(answers.decision.recommendation.use) == {"good", "alike"}
    assert (answers.plan, answers.decision.next) == (None, None)


def test_the_plan_counts_a_choice_and_a_response_set_of_a_rater_once():
    # Six raters chose a label and then named every label that applies: twelve ratings of each item.
    rows = [(f"i{i}", f"r{r}", label) for i, given in enumerate(SIX) for r, label in enumerate(given)]
    twice = [(*row, "forced_choice") for row in rows] + [(*row[:2], "x|y", "response_set") for row in rows]
    ratings = read(pd.DataFrame(twice, columns=["item", "rater", "label", "elicitation"]))
    asking = ReportRun(
        ratings=ratings, task=None, positive=(), bootstrap=20, item_cost=0.0, rating_cost=1.0, seed=0,
        executor=HereExecutor(), step=no_progress,
    )  # fmt: skip
    judges = judges_of(good=SAME, bad=WORSE)
    decision = asking.decision(judges, asking.worth(judges))
    both = dataclasses.replace(decision.recommendation, use=("good", "bad"))
    plan = asking.plan(judges, dataclasses.replace(decision, recommendation=both))
    assert sorted({design.raters for design in plan.grid}) == [6, 12]


def test_the_bundled_data_answer_everything_with_costs():
    folder = example_path("toxicity")
    task = read_task(folder / "task.toml")
    ratings, judges = read(folder / "ratings.csv", task=task), read_judges(folder / "judges.csv", task=task)
    answers = asked(ratings, judges, task=task, item_cost=2.0, rating_cost=0.5)
    assert commands(answers)[:4] == ["describe", "equivalence", "judges", "compare"]
    if answers.plan is not None:
        design = answers.plan.grid[0]
        assert design.cost == pytest.approx(design.items * (2 + 0.5 * design.raters))


def test_judges_about_whom_nothing_can_be_said_are_an_error_with_the_first_reason():
    ratings = ratings_of(LABELS)
    judges = read_judges(pd.DataFrame({"item": ["z1", "z2"], "judge": "j", "label": "x"}))
    with pytest.raises(DissensusError, match="item"):
        asked(ratings, judges)


def test_where_one_question_fails_the_others_are_answered():
    task = Task(options=("x", "y"))
    judges = judges_of(good=[*GOOD[:-1], "z"], bad=BAD)  # the task has no option z
    answers = asked(ratings_of(LABELS, task=task), judges, task=task)
    assert "equivalence" in commands(answers)
    assert "judges" not in commands(answers)
    [left] = [part for part in answers.unanswered if part.question == STAND_IN]
    assert "z" in left.reason


NEAR, FAR = ["1.4", "4.2", "2.6", "4.9"] * 5, ["4.4", "1.2", "3.6", "2.9"] * 5


def test_judges_that_answer_between_the_labels_are_correlated_with_people():
    scores = [["1", "2", "2"], ["4", "4", "5"], ["2", "3", "3"], ["5", "5", "4"]] * 5
    ratings, judges = ratings_of(scores), judges_of(near=NEAR, far=FAR)
    assert ratings.scale == "ordinal"
    assert are_points_of_a_measure(ratings, judges)
    answers = asked(ratings, judges)
    assert answers.worth.settings["score"] == "pearson"
    assert answers.ranking is not None  # each answer counts as the nearest label


def test_numbers_on_a_measure_are_not_compared_for_equality():
    scores = [["1.5", "2", "2.5"], ["4", "4.5", "5"], ["2", "3.5", "3"], ["5", "5", "4.5"]] * 5
    answers = asked(ratings_of(scores), judges_of(near=NEAR, far=FAR))
    assert answers.ranking is None
    [left] = [part for part in answers.unanswered if part.question == STAND_IN]
    assert left.remedy == "Round raters' and judges' numbers to a few labels to see it."
    # Without a ranking the two best judges are those of the highest score.
    assert answers.comparison.pairs[0].judge_a == "near"


def test_positive_options_bring_decisions_without_a_task():
    judges = judges_of(good=GOOD, bad=BAD)
    assert not asked(ratings_of(LABELS), judges).ranking.downstream
    assert asked(ratings_of(LABELS), judges, positive=["y"]).ranking.settings["positive"] == ["y"]


def test_labels_that_judges_share_are_labels_even_if_they_are_numbers():
    scores = [["1", "2", "2"], ["4", "4", "5"]] * 5
    assert not are_points_of_a_measure(ratings_of(scores), judges_of(j=["2", "4"] * 5))
    assert survey_options(ratings_of(scores), judges_of(j=["2", "4"] * 5)) == {}
    assert are_points_of_a_measure(ratings_of([["0.5", "1"], ["2", "2.5"]]), judges_of(j=["1", "2"]))
    assert not are_points_of_a_measure(ratings_of(LABELS), judges_of(j=["1.5"] * 20))  # words are none


def test_an_option_that_is_none_is_the_users_mistake_and_no_open_question():
    with pytest.raises(OptionError, match="positive= 'maybe' is not an option: the options are x, y"):
        asked(ratings_of(LABELS), judges_of(good=GOOD), positive=["maybe"])


def test_judges_without_a_common_item_are_refused_with_the_option_that_takes_one_of_them():
    halves = [(f"i{i}", "one" if i < 10 else "two", label) for i, label in enumerate(GOOD)]
    judges = read_judges(pd.DataFrame(halves, columns=["item", "judge", "label"]))
    with pytest.raises(DissensusError, match="No item was answered by every judge: choose one of them with judge="):
        asked(ratings_of(LABELS), judges)
    assert asked(ratings_of(LABELS), judges, judge="one").worth is not None


def test_judges_on_another_scale_are_compared_by_their_order():
    scores = [["10.5", "20", "25"], ["40", "45", "50.5"], ["22", "35", "30"], ["60", "55", "45"]] * 5
    percents = judges_of(near=[f"{float(x) / 100}" for x in NEAR], far=[f"{float(x) / 100}" for x in FAR])
    answers = asked(ratings_of(scores), percents)
    assert answers.comparison.metric == "spearman"
    [pair] = answers.comparison.pairs
    assert (pair.judge_a, pair.score_a > pair.score_b) == ("near", True)


def test_the_two_judges_that_are_worth_the_most_are_compared():
    answers = asked(ratings_of(LABELS), judges_of(good=GOOD, bad=BAD, alike=GOOD), bootstrap=0)
    by_name = {judge.judge: judge for judge in answers.worth.judges}
    scores = dict(zip(by_name, (-0.9, -0.5, -0.8), strict=True))
    judges = [dataclasses.replace(by_name[name], score=score) for name, score in scores.items()]
    worth = dataclasses.replace(answers.worth, judges=tuple(judges))
    first, second = [judge.judge for judge in worth.ranked][:2]
    assert (scores[first], scores[second]) == (-0.5, -0.8)
    assert contenders(worth, answers.ranking) == Contenders(best=first, second=second)
    assert contenders(None, answers.ranking).best == "alike"  # where nothing is worth a number


def test_the_options_of_a_report_are_those_of_the_command(capsys):
    assert main(["report", "--help"]) == 0
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert known >= {flag_of(name) for name in OPTIONS}


def test_contenders_are_the_first_two_by_the_definition_to_select_by():
    answers = asked(ratings_of(LABELS), judges_of(bad=BAD, good=GOOD), bootstrap=0)
    assert contenders(answers.worth, answers.ranking) == Contenders(best="good", second="bad")
    assert contenders(answers.worth, None) == Contenders(best="good", second="bad")
    assert contenders(None, None).reason == "No judge can be ranked."


def test_each_step_says_what_is_done_and_how_far_it_is():
    told = {}

    @contextmanager
    def step(what):
        told[what] = []
        yield lambda done, total: told[what].append((done, total))

    asked(ratings_of(LABELS), judges_of(good=GOOD, bad=BAD), bootstrap=100, step=step)
    assert list(told) == [  # the cheapest first
        "Resampling items",
        "Looking at the raters",
        "Putting judges in the place of raters",
        "Comparing judges with people",
        "Deciding",
        "Ranking judges under every definition",
        "Comparing the two best judges",
        "Planning what to collect next",
        "Combining judges",
        "Looking for telling items",
    ]
    for quick in (
        "Deciding",
        "Planning what to collect next",
        "Comparing the two best judges",
        "Looking at the raters",
        "Putting judges in the place of raters",
        "Looking for telling items",
    ):
        del told[quick]  # one step; of so few items every exchange is counted
    for steps in told.values():
        assert steps
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)
        assert steps[-1][0] == steps[-1][1]


MANY = LABELS * 3
ALL_GOOD, ALL_BAD = GOOD * 3, BAD * 3


def test_named_raters_are_portrayed_and_replaced_and_judges_combined():
    answers = asked(ratings_of(MANY), judges_of(good=ALL_GOOD, bad=ALL_BAD))
    assert further(answers) == ["decide", "raters", "alt-test", "panel"]
    assert not answers.together.people_and_judge  # of several judges only what they are worth together
    single = asked(ratings_of(MANY), judges_of(good=ALL_GOOD))
    assert {row.beside for row in single.together.people_and_judge} == {"good"}


def test_raters_are_portrayed_without_judges_too():
    assert further(asked(ratings_of(LABELS))) == ["raters"]


def test_who_is_not_named_is_neither_portrayed_nor_replaced():
    rows = [(f"i{i}", label) for i, given in enumerate(MANY) for label in given]
    anonymous = read(pd.DataFrame(rows, columns=["item", "label"]))
    answers = asked(anonymous, judges_of(good=ALL_GOOD, bad=ALL_BAD))
    assert further(answers) == ["decide", "panel"]
    assert REPLACE not in [part.question for part in answers.unanswered]


def test_too_few_items_to_replace_anybody_are_told():
    [left] = asked(ratings_of(LABELS), judges_of(good=GOOD, bad=BAD)).unanswered
    assert left.question == REPLACE
    assert left.reason.startswith("No rater has 30 items that 2 raters and a judge labelled; the most are 20.")
    assert left.remedy == "min_items= is an option of `dissensus alt-test`, which asks this question alone."


def test_positive_items_are_counted_where_judges_answered_thirty_more_than_people():
    ratings = ratings_of([["x", "x", "y"], ["x", "x", "x"]] * 10)
    more = judges_of(wide=GOOD + ["y", "x", "x"] * 10, narrow=BAD)
    answers = asked(ratings, more)
    assert [judge.judge for judge in answers.prevalence.judges] == ["wide"]
    assert answers.prevalence.positive == ("y",)  # the rarer one of two labels
    assert asked(ratings, judges_of(wide=GOOD + ["y"] * 29)).prevalence is None
    named = asked(ratings, more, positive=["x"]).prevalence
    assert named.positive == ("x",)


def test_of_three_labels_somebody_has_to_say_which_is_positive():
    three = ratings_of([["x", "y", "z"]] * 20)
    more = judges_of(wide=["x"] * 60)
    assert asked(three, more).prevalence is None
    task = Task(options=("x", "y", "z"), positive=("z",))
    assert asked(three, more, task=task).prevalence.positive == ("z",)
    assert asked(three, more, positive=["y"]).prevalence.positive == ("y",)


def test_numbers_are_replaced_by_their_distance_and_sets_by_their_similarity():
    scores = [["1.5", "2", "2.5"], ["4", "4.5", "5"], ["2", "3.5", "3"], ["5", "5", "4.5"]] * 10
    answers = asked(ratings_of(scores), judges_of(near=NEAR * 2, far=FAR * 2))
    assert answers.replacing.score == "rmse"
    assert answers.together is None  # probabilities of points of a measure there are none
    sets = [["x|y", "x", "x"], ["y", "y", "x|y"]] * 20
    assert asked(ratings_of(sets), judges_of(j=["x", "y"] * 20)).replacing.score == "similarity"


def test_tasks_run_when_their_results_are_asked_for_so_that_progress_is_told_between_them():
    ran = []
    results = HereExecutor().map(lambda task: ran.append(task) or task, [1, 2, 3])
    assert ran == []
    assert next(results) == 1
    assert ran == [1]
    assert list(results) == [2, 3]


def test_a_pool_of_processes_gives_the_same_answers():
    ratings, judges = ratings_of(LABELS), judges_of(good=GOOD, alike=GOOD)
    one, two = (asked(ratings, judges, workers=workers) for workers in (1, 2))
    assert [result.to_json() for result in one.results] == [result.to_json() for result in two.results]
