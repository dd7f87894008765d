"""Routing: twins in plain Python, populations whose best policy is known, refusals and files."""

import csv
import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.route.populations import CHECKED, POPULATIONS

from dissensus import read, read_judges, route
from dissensus.cli.main import main
from dissensus.errors import OptionError, RatingsError
from dissensus.methods.equivalence.problem import Predictions
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.route.policies import (
    SHARES,
    Doubt,
    GainMap,
    known_of,
    routed_shares,
    share_needed,
    survey_masses,
)
from dissensus.report.views.route import WIDEST
from dissensus.sampling.raters import rater_pool


def drawn(name, n=200, seed=0):
    return POPULATIONS[name].draw(n, 8, 4, np.random.default_rng(seed))


def knowledge_of(counts, most=2):
    shares = counts / counts.sum(axis=1, keepdims=True)
    judge = Predictions(
        judge="j", calibrated=True, predictions=shares, values=np.full(len(counts), np.nan), inside=shares
    )
    scores = (Score(name="cross-entropy", values=np.full(counts.shape[1], np.nan)),)
    return known_of(counts, shares, judge, scores, most=most, fold=np.arange(len(counts)))


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3).filter(lambda row: sum(row) > 2), min_size=2, max_size=5))
@settings(max_examples=25, deadline=None)
def test_masses_of_surveys_are_those_of_drawing_raters_one_by_one(rows):
    counts = np.array(rows)
    survey = knowledge_of(counts).surveys[2]
    masses = survey_masses(survey, np.arange(len(survey.rows.item)), counts[survey.rows.item])
    assert np.allclose(masses, survey.rows.masses)
    for item, own in enumerate(counts):
        people = np.repeat(np.arange(len(own)), own)
        expected = {}
        for pair in combinations(range(len(people)), 2):
            rest = [people[i] for i in range(len(people)) if i not in pair]
            key = tuple(np.bincount(people[list(pair)], minlength=len(own)))
            for label in rest:
                chance = 1 / len(list(combinations(range(len(people)), 2))) / len(rest)
                expected[key, label] = expected.get((key, label), 0) + chance
        mine = survey.rows.item == item
        for row in np.flatnonzero(mine):
            key = tuple(survey.rows.counts[survey.rows.survey[row]])
            for label in range(len(own)):
                assert masses[row, label] == pytest.approx(expected.get((key, label), 0))


def test_scores_without_a_rater_are_those_of_the_data_without_them():
    ratings, _ = drawn("graded", n=30)
    pool = rater_pool(ratings, np.random.default_rng(0))
    counts = ratings.counts()
    known = knowledge_of(counts)
    first = next(iter(known.scores_without(pool, np.arange(2), 2, known.scores())))
    without = np.zeros_like(counts)
    for item, rater, label in zip(ratings.item, ratings.rater, ratings.label, strict=True):
        without[item, label] += rater != pool.raters[0]
    survey = known.surveys[1]
    masses = survey_masses(survey, np.arange(len(survey.rows.item)), without[survey.rows.item])
    expected = np.bincount(survey.rows.item, weights=(masses * survey.beside[:, 0]).sum(axis=1))
    assert np.allclose(first.beside[1, 0], expected)
    shares = without / without.sum(axis=1, keepdims=True)
    assert np.allclose(first.judge[0], (shares * known.judge[:, 0]).sum(axis=1))


def test_numbers_do_not_depend_on_the_order_of_the_items_names():
    ratings, judges = drawn("graded", n=60)  # i0, i1, i2: not in the order of the alphabet, which has i10 before i2
    names = tuple(f"i{i:02d}" for i in range(60))
    people = tuple(f"r{i:02d}" for i in range(8))
    same = route(replace(ratings, items=names, raters=people), replace(judges, items=names), bootstrap=40)
    assert route(ratings, judges, bootstrap=40).as_dict() == same.as_dict()


def test_the_least_sure_items_are_not_those_where_people_add_most():
    predictions = np.repeat([[0.5, 0.5], [0.8, 0.2], [0.99, 0.01]], 100, axis=0)
    gains = np.repeat([0.0, 0.6, 0.0], 100)
    learned = GainMap.of(predictions, gains)
    split, fairly, sure = learned(predictions)[[0, 100, 200]]
    assert fairly > 0.5
    assert max(abs(split), abs(sure)) < 0.05
    assert Doubt.of(predictions).bits[0] > Doubt.of(predictions).bits[100]


def test_gains_that_are_chance_follow_the_judge_s_doubt_alone():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 0.99, 2000)
    predictions = np.stack([p, 1 - p], axis=1)
    learned = GainMap.of(predictions, 0.3 * Doubt.of(predictions).bits + rng.normal(0, 0.5, 2000))
    assert np.abs(learned(predictions) - 0.3 * Doubt.of(predictions).bits).max() < 0.1


def test_people_may_add_most_where_the_judge_is_sure():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.5, 0.99, 600)
    predictions = np.stack([p, 1 - p], axis=1)
    gains = 0.25 - 0.2 * Doubt.of(predictions).bits
    learned = GainMap.of(predictions, gains + rng.normal(0, 0.4, 600))(predictions)
    assert np.abs(learned - gains).max() < 0.1
    assert np.corrcoef(learned, gains)[0, 1] > 0.9


@given(st.lists(st.integers(0, 3), min_size=4, max_size=30))
def test_each_share_of_the_items_goes_to_people_whatever_ties_there_are(gains):
    expected = np.array(gains, dtype=float)
    routed = routed_shares(expected, expected)
    assert np.allclose(routed.mean(axis=1), SHARES)
    for row in routed:  # nobody is left to the judge while an item with less to gain goes to people
        assert all(row[i] >= row[j] for i in range(len(row)) for j in range(len(row)) if expected[i] > expected[j])


def test_the_share_needed_is_where_the_gap_closes():
    gaps = np.stack([SHARES - 0.25, SHARES + 1, SHARES - 2])
    assert np.allclose(share_needed(gaps), [0.25, 0, np.nan], equal_nan=True)


def test_a_judge_that_knows_nothing_routes_everything_to_people():
    result = route(*drawn("knows nothing"), bootstrap=100)
    assert not result.recommended.saves
    assert all(one.raters == 2 for one in route(*_with_new("knows nothing"), bootstrap=100).assignments)
    assert "ask two people about every item" in " ".join(result.summary().split())


@pytest.mark.parametrize("labels", [2, 5])
def test_guesses_in_several_samples_save_nothing(labels):
    rng = np.random.default_rng(4)
    people = rng.dirichlet(np.full(labels, 0.3), 400)
    rows = [
        {"item": i, "rater": r, "label": "abcde"[rng.choice(labels, p=own)]}
        for i, own in enumerate(people) for r in rng.choice(12, 5, replace=False)
    ]  # fmt: skip
    guesses = [
        {"item": i, "judge": "j", "sample": s, "label": "abcde"[rng.integers(labels)]}
        for i in range(400) for s in range(4)
    ]  # fmt: skip
    result = route(read(rows), read_judges(guesses), max_raters=2, bootstrap=50)
    assert not result.shown
    assert not any(plan.saves for plan in result.plans)
    assert "is not shown to know more than a constant answer" in " ".join(result.summary().split())


def test_a_saving_of_a_wide_interval_is_told_by_its_ends():
    ratings, judges = drawn("graded", n=160)
    result = route(ratings.where(ratings.item < 140), judges, match=1, bootstrap=100)
    plan = result.recommended
    assert plan.saves
    assert plan.high - plan.low > WIDEST
    text = " ".join(result.summary().split())
    assert f"can do alone ({plan.low:.0%} to {plan.high:.0%} of the cost of one person everywhere): rate more" in text
    assert f"{1 - plan.share_to_people:.0%} of the items" not in text
    assert f"That plan is uncertain: it is for the best guess, {plan.cost_share:.0%} of the cost." in text


def test_a_judge_that_knows_more_than_people_is_left_alone():
    result = route(*drawn("graded", n=600), match=1, bootstrap=100)
    assert result.recommended.saves
    assert result.recommended.share_to_people < 0.2


def test_answers_between_labels_count_as_the_nearest():
    rng = np.random.default_rng(2)
    level = rng.uniform(-4, 4, 150)
    rows = [
        {"item": i, "rater": r, "label": int(np.clip(round(own + rng.normal()), -4, 4))}
        for i, own in enumerate(level) for r in range(4)
    ]  # fmt: skip
    told = [{"item": i, "judge": "j", "label": f"{own:.3f}"} for i, own in enumerate(level)]
    nearest = [row | {"label": round(float(row["label"]))} for row in told]
    points, labels = (route(read(rows), read_judges(one), max_raters=1, bootstrap=0) for one in (told, nearest))
    assert points.recommended == labels.recommended


@pytest.mark.parametrize("name", ["known split", "three labels", "guesses at times"])
def test_the_cost_is_near_that_of_the_best_policy(name):
    population = POPULATIONS[name]
    result = route(*population.draw(3000, 12, 5, np.random.default_rng(5)), bootstrap=100, max_raters=4)
    best = population.best_cost(2, 4) / 2
    plan = result.recommended
    assert best <= plan.high  # what is learned from items costs a little more than what is known
    assert plan.cost_share == pytest.approx(best, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*POPULATIONS, *CHECKED])
def test_savings_are_not_overstated(name, trust):
    population, items = (POPULATIONS | CHECKED)[name], 400 if name in POPULATIONS else 2000
    best = population.best_cost(2, 4) / 2
    runs, costs, held, advice = trust.sets(100), [], 0, []
    for run in range(runs):
        data = population.draw(items, 12, 5, np.random.default_rng([3, run]))
        plan = route(*data, bootstrap=200, max_raters=4, rng=run).recommended
        costs.append(plan.cost_share)
        held += not plan.high < best
        worse = "useless" if name == "knows nothing" else "wrong"
        advice.append("right" if plan.saves == (best < 1) else worse if plan.saves else "undecided")
    about = f"{name}, 12 raters, {items} items"
    for word in ("right", "undecided", "wrong", "useless"):
        trust.keep("advice", f"route: {word}", advice.count(word) / runs, runs, data=about)
    trust.keep("coverage", "route: cost is not below the interval", held / runs, runs, data=about)
    assert np.mean(costs) == pytest.approx(best, abs=0.05)
    assert held >= (0.93 if name in POPULATIONS else 0.9) * runs  # .92 to 1 when they were made


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CHECKED if name != "weak judge"])
def test_new_items_cost_what_is_promised_and_tell_as_much(name):
    population = CHECKED[name]
    wanted, (_, alone, chance) = population.bits(2)[0], population.bits(0)
    signals = len(chance)
    seen = np.repeat(np.arange(signals), 40)
    names = [f"n{i:04d}" for i in range(len(seen))]
    labels = "abcdef"[: population.people.shape[1]]
    new = read_judges([
        {"item": item, "judge": "judge"} | {f"p_{x}": p for x, p in zip(labels, own.tolist(), strict=True)}
        for item, own in zip(names, population.output[seen], strict=True)
    ])  # fmt: skip
    off, short = [], []
    for run in range(40):
        data = population.draw(1000, 12, 5, np.random.default_rng([37, run]))
        result = route(*data, new=new, bootstrap=0, max_raters=4, rng=run)
        plan = result.recommended
        if not plan.saves:
            continue
        asked = np.bincount(seen, weights=[one.raters > 0 for one in result.assignments]) / 40
        off.append(chance @ asked * plan.raters / 2 - plan.cost_share)
        told = chance @ ((1 - asked) * alone + asked * population.bits(plan.raters)[1])
        short.append((wanted - told) / (wanted - population.bits(0)[0]))
    assert len(off) > 20
    assert abs(np.mean(off)) < 0.02  # of the cost of two people
    assert abs(np.mean(short)) < 0.05  # of what two people tell


def test_costs_are_counted_as_given():
    ratings, judges = drawn("graded")
    cheap = route(ratings, judges, bootstrap=0).recommended
    dear = route(ratings, judges, bootstrap=0, rating_cost=2, judge_cost=0.1).recommended
    assert dear.people_cost == 4
    if dear.raters == cheap.raters:
        assert dear.cost == pytest.approx(0.1 + 2 * cheap.cost)
    assert np.isnan(cheap.low)


def test_numbers_do_not_depend_on_the_order_of_rows_or_on_processes():
    ratings, judges = drawn("three labels")
    first = route(ratings, judges, bootstrap=40)
    again = route(ratings, judges, bootstrap=40, workers=2)
    assert first.to_json() == again.to_json()


def test_the_frontier_rises_and_intervals_hold_their_values():
    result = route(*drawn("three labels"), bootstrap=60)
    costs, scores = [p.cost for p in result.frontier], [p.score for p in result.frontier]
    assert costs == sorted(costs)
    assert scores == sorted(scores)
    assert all(p.low <= p.score <= p.high and 0 <= p.share_to_people <= 1 for p in result.frontier)
    assert all(p.low <= p.score <= p.high for p in result.people)


def test_one_judge_must_be_named():
    with pytest.raises(OptionError, match=r"several judges \(classifier, keywords\): name one with judge="):
        route("example:binary", "example:binary")


def test_items_with_one_rating_cannot_be_routed():
    rows = [{"item": f"i{i}", "rater": "r", "label": "a" if i % 2 else "b"} for i in range(60)]
    judged = [{"item": f"i{i}", "judge": "j", "label": "a"} for i in range(60)]
    with pytest.raises(RatingsError, match=r"0 of the items that the judge answered have 2 ratings; it takes 20"):
        route(read(rows), read_judges(judged))


def test_more_people_than_may_be_asked_are_refused():
    with pytest.raises(OptionError, match="match= 3 is more than max_raters= 2"):
        route(*drawn("graded"), match=3, max_raters=2)


def _with_new(name):
    """Ratings of the first items only."""
    ratings, judges = drawn(name, n=660)
    return ratings.where(ratings.item < 600), judges


def test_new_items_go_to_people_as_rated_ones_would():
    ratings, judges = _with_new("known split")
    result = route(ratings, judges, bootstrap=50)
    assert [one.item for one in result.assignments] == [f"i{i}" for i in range(600, 660)]
    assert result.recommended.saves
    asked = [one for one in result.assignments if one.raters]
    alone = [one for one in result.assignments if not one.raters]
    assert 0 < len(asked) < 60
    assert min(one.gain for one in asked) >= np.median([one.gain for one in alone])
    assert result.new_items == {
        "items": 60,
        "to_people": len(asked),
        "ratings": result.recommended.raters * len(asked),
    }


def test_people_are_asked_about_as_many_new_items_as_planned_where_answers_are_the_same():
    population = POPULATIONS["known split"]  # a judge of four different answers
    for seed in range(3):
        ratings, judges = population.draw(900, 8, 4, np.random.default_rng([17, seed]))
        result = route(ratings.where(ratings.item < 400), judges, bootstrap=0)
        answers = judges.probability[400:, 0]  # i400 to i899 are in the order of the alphabet
        share = {p: np.mean(answers == p) for p in set(answers[:].tolist())}
        asked = {p: np.mean([one.raters > 0 for one, q in zip(result.assignments, answers, strict=True) if q == p])
                 for p in share}  # fmt: skip
        known = judges.probability[:400, 0]
        of_rated = sum(own * np.mean(known == p) for p, own in asked.items())
        assert of_rated == pytest.approx(result.recommended.share_to_people, abs=0.04)
        assert sum(0 < own < 1 for own in asked.values()) <= 2  # one answer at the threshold, or two that add the same


def test_assignments_are_written_and_refused_without_new_items(tmp_path, capsys):
    out = tmp_path / "assignments.csv"
    new = tmp_path / "new.csv"
    new.write_text("item,judge,p_No,p_Yes\nn1,classifier,.98,.02\nn2,classifier,.5,.5\n")
    typed = ["route", "example:binary", "example:binary", "--judge", "classifier", "--bootstrap", "20", "--json"]
    assert main([*typed, "--new", str(new), "-o", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["new_items"]["items"] == 2
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["item"] for row in rows] == ["n1", "n2"]
    assert rows[0]["answer"] == "No"
    assert main([*typed, "-o", str(out)]) == 2
    assert "Give its answers to others with --new" in capsys.readouterr().err


def test_an_answer_without_a_meaning_is_refused():
    ratings, judges = drawn("graded")
    strange = read_judges([{"item": "n1", "judge": "judge", "label": "zzz"}])
    with pytest.raises(OptionError, match="an answer that no rated item has"):
        route(ratings, judges, new=strange, bootstrap=0)


def test_json_has_no_items_of_the_user(capsys):
    assert (
        main(["route", "example:binary", "example:binary", "--judge", "classifier", "--bootstrap", "0", "--json"]) == 0
    )
    result = json.loads(capsys.readouterr().out)["result"]
    assert set(result) == {"judge", "shown", "items", "recommended", "plans", "frontier", "people", "new_items"}
    assert result["recommended"]["low"] is None
