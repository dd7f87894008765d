"""What stands beside the judges: a constant, a person, a perfect judge; each against a plain-Python twin."""

import math
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from dissensus import compare
from dissensus.data import Ratings
from dissensus.methods.equivalence.scores import ranked_probability_scores
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.confusion import scores_of_panels
from dissensus.methods.judges.rulers import perfect_draws
from dissensus.methods.judges.scoring import scores_of, statistics_of
from dissensus.methods.judges.setup import set_up
from dissensus.methods.judges.summary import with_baselines

from judges_builders import ASKED, choices, judges_from, ratings_from, sets

STEPS = ("1", "2", "3", "4")


def simulated(seed=0, *, n=60, raters=4, labels=STEPS, scale="ordinal", leniency=0.0):
    """Raters who all rate all items, and two judges that know something, one of them a step too high."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=n) * 1.2 + 1.2
    harsh = leniency * rng.normal(size=raters)
    given = np.clip(np.round(middle[:, None] + harsh + rng.normal(size=(n, raters)) * 0.7), 0, len(labels) - 1)
    near = np.clip(np.round(middle + rng.normal(size=n) * 0.5), 0, len(labels) - 1).astype(int)
    high = np.minimum(near + 1, len(labels) - 1)
    people = [choices(*map(int, row)) for row in given]
    who = [list(range(raters))] * n
    ratings = ratings_from(people, labels, raters=who, scale=scale)
    judges = {"near": [choices(int(k)) for k in near], "high": [choices(int(k)) for k in high]}
    return ratings, judges


def codes(ratings, judges):
    """Plain lists: labels of each item's raters, and of each judge."""
    people = [[] for _ in ratings.items]
    for item, label in zip(ratings.item, ratings.label, strict=True):
        people[item].append(int(label))
    return people, {name: [next(iter(own[0][1])) for own in given] for name, given in judges.items()}


# Panels without one rater, by enumeration


def left_out(people, answer, score):
    """Mean over items of the mean over raters of the score against the others; ties in their mode share it."""
    per_item = []
    for item, labels in enumerate(people):
        values = []
        for i, own in enumerate(labels):
            others = labels[:i] + labels[i + 1 :]
            values.append(score(answer(item, own), others))
        per_item.append(sum(values) / len(values))
    return sum(per_item) / len(per_item)


def hit(label, others):
    count = Counter(others)
    first = [k for k, times in count.items() if times == max(count.values())]
    return (label in first) / len(first)


def distance(label, others):
    return abs(label - sum(others) / len(others))


def divergence(label, others):
    total = 0.0
    for k in range(len(STEPS)):
        p, q = float(k == label), others.count(k) / len(others)
        for one in (p, q):
            total += one * math.log(2 * one / (p + q)) / 2 if one else 0.0
    return total


@pytest.mark.parametrize(("id_", "score"), [("hit_rate", hit), ("mae", distance), ("jsd", divergence)])
def test_person_constant_and_judges_are_scored_on_panels_without_one_rater(id_, score):
    ratings, judges = simulated()
    people, answers = codes(ratings, judges)
    found = rank_judges(ratings, judges_from(judges, STEPS), bootstrap=0).definition(id_)
    assert found.person.value == pytest.approx(left_out(people, lambda _, own: own, score))
    assert found.person.items == 60
    for name, given in answers.items():
        assert found.of(name).reduced == pytest.approx(left_out(people, lambda i, _, given=given: given[i], score))
    place = STEPS.index(found.constant.answer)
    assert found.constant.reduced == pytest.approx(left_out(people, lambda *_: place, score))
    whole = [sum(score(k, labels) for labels in people) / len(people) for k in range(4)]
    if id_ != "hit_rate":  # of whole panels the first of labels that tie counts
        best = (min if found.better == "lower" else max)(range(4), key=lambda k: whole[k])
        assert (place, found.constant.value) == (best, pytest.approx(whole[best]))


def test_decisions_have_the_same_rulers():
    ratings, judges = simulated(3)
    people, answers = codes(ratings, judges)
    result = rank_judges(ratings, judges_from(judges, STEPS), positive=("3", "4"), tau=0.5, bootstrap=0)

    def same(label, others):
        return (label >= 2) == (sum(own >= 2 for own in others) >= len(others) / 2)

    [rulers] = result.decision_rulers
    assert rulers.panel == 4
    assert rulers.person.value == pytest.approx(left_out(people, lambda _, own: own, same))
    constants = {"always-positive": 3, "always-negative": 0}
    assert rulers.constant.value == max(row.consistency for row in result.downstream if row.judge in constants)
    place = constants[rulers.constant.answer]
    assert rulers.constant.reduced == pytest.approx(left_out(people, lambda *_: place, same))
    for row in result.downstream:
        given = answers.get(row.judge, [constants.get(row.judge)] * len(people))
        assert row.reduced == pytest.approx(left_out(people, lambda i, _, given=given: given[i], same))


def test_without_second_ratings_there_is_a_constant_but_no_person():
    result = rank_judges(
        ratings_from([choices(0), choices(1), choices(0)]),
        judges_from({"one": [choices(0), choices(1), choices(1)]}),
        bootstrap=0,
    )
    found = result.definition("hit_rate")
    assert (found.constant.answer, found.constant.value) == ("a", pytest.approx(2 / 3))
    assert (found.person, found.perfect) == (None, None)
    assert "There is no person and no perfect judge to compare with: fewer than 20 items have two ratings, so " in (
        result.warnings[-1] + " "
    )


# A perfect judge, where the truth is known


def test_a_perfect_judge_lies_where_the_truth_is_known():
    # Binary items with beta(2, 1) shares, five raters each; a perfect judge answers the larger share.
    rng = np.random.default_rng(5)
    share = rng.beta(2, 1, size=1500)
    given = rng.random((1500, 5)) < share[:, None]
    ratings = ratings_from([choices(*map(int, row)) for row in given], ("no", "yes"))
    guess = judges_from({"one": [choices(int(k)) for k in rng.random(1500) < 0.6]}, ("no", "yes"))
    result = rank_judges(ratings, guess, positive="yes", bootstrap=0)
    people = [list(map(int, row)) for row in given]
    truth = left_out(people, lambda i, _: int(share[i] > 0.5), hit)
    found = result.definition("hit_rate").perfect
    assert found.low - 0.015 < truth < found.high + 0.015
    assert found.low <= found.value <= found.high
    assert result.definition("hit_rate").person.value < found.low


def test_states_of_items_that_were_rated_often_are_their_shares():
    counts = np.array([[900.0, 100.0], [100.0, 900.0]])
    for states in perfect_draws(counts, np.array([1.0, 1.0]), 50, np.random.default_rng(0)):
        assert np.allclose(states.mean(axis=1), [[0.9, 0.1], [0.1, 0.9]], atol=0.02)


# Who is picked


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_a_judge_that_always_says_the_same_is_never_picked_and_changes_nothing(seed, scale):
    ratings, judges = simulated(seed, n=25, scale=scale)
    if seed % 2:  # judges that know nothing
        rng = np.random.default_rng(seed)
        judges = {name: [choices(int(k)) for k in rng.integers(0, 4, size=25)] for name in judges}
    before = rank_judges(ratings, judges_from(judges, STEPS), bootstrap=0)
    chosen = before.definition(before.measure).selected
    constants = [choices(k) for k in range(4)] + [choices(0, 1, 1, 2), choices(1, 2, 2, 2, 3)]
    for constant in constants:
        with_it = judges_from({"constant": [constant] * 25, **judges}, STEPS)
        after = rank_judges(ratings, with_it, bootstrap=0)
        assert after.recommended == before.recommended
        assert after.definition(before.measure).selected == chosen
        assert not any(d.of("constant").beats_constant for d in after.definitions if d.constant is not None)
        assert "constant" not in {d.selected for d in after.definitions if d.constant is not None}


def test_where_a_constant_is_better_nobody_is_selected_or_recommended():
    # People mostly say 4; the judge is a step too low on all of them.
    people = [choices(3, 3, 3)] * 20 + [choices(2, 2, 3)] * 5
    strict = judges_from(
        {"strict": [choices(2)] * 20 + [choices(1)] * 5, "other": [choices(0), choices(3)] * 12 + [choices(0)]}, STEPS
    )
    result = rank_judges(ratings_from(people, STEPS, scale="ordinal"), strict, bootstrap=0)
    assert (result.measure, result.recommended) == ("mae", None)
    assert result.definition("mae").selected is None
    assert result.advice[0].reason.startswith("By mae always answering 4 has")
    assert result.summary().startswith("Without recalibration, no judge beats always answering 4; the best is")


# Labels in order


def test_definitions_that_know_order_are_those_of_other_libraries_and_commands():
    ratings, judges = simulated(7, raters=5)
    answers = judges_from(judges, STEPS)
    result = rank_judges(ratings, answers, bootstrap=0)
    for name in judges:
        for metric in ("mae", "emd"):
            pair = compare(
                ratings, answers, a=name, b="near" if name == "high" else "high", metric=metric, resamples=10
            )
            assert result.definition(metric).of(name).value == pytest.approx(pair.pairs[0].score_a)
    people, given = codes(ratings, judges)
    shares = np.array([[labels.count(k) / len(labels) for k in range(4)] for labels in people])
    mode = shares.argmax(axis=1)
    for name, labels in given.items():
        kappa = cohen_kappa_score(labels, mode, weights="quadratic", labels=range(4))
        assert result.definition("weighted_kappa").of(name).value == pytest.approx(kappa)
        scores = ranked_probability_scores(np.eye(4)[labels])
        assert result.definition("rps").of(name).value == pytest.approx((scores * shares).sum(axis=1).mean())


def test_scale_use_tells_shift_spread_and_labels_never_given():
    ratings, judges = simulated(2)
    people, given = codes(ratings, judges)
    result = rank_judges(ratings, judges_from(judges, STEPS), bootstrap=0)
    every = [label for labels in people for label in labels]
    for use in result.scale_use:
        own = given[use.judge]
        assert use.shift == pytest.approx(np.mean(own) - np.mean(every))
        assert use.spread == pytest.approx(np.std(own) / np.std(every))
        assert use.unused == tuple(STEPS[k] for k in range(4) if k not in own and k in every)
    assert {use.judge: use.unused for use in result.scale_use}["high"] == ("1",)
    assert rank_judges(*_nominal(), bootstrap=0).scale_use == ()


def _nominal():
    ratings, judges = simulated(2, scale="nominal")
    return ratings, judges_from(judges, STEPS)


# Raters as a sample


def test_scores_without_a_rater_are_those_of_the_ratings_without_them():
    ratings, judges = simulated(4, n=30, raters=3)
    answers = judges_from(judges, STEPS)
    prepared = set_up(ratings, answers, None, ASKED.__class__(positive=("4",), bootstrap=0, seed=0))
    kept = ratings.rater != 1
    problem = prepared.layout.problem(prepared.rows.people(kept=kept))
    fewer = Ratings(
        item=ratings.item[kept], rater=ratings.rater[kept], label=ratings.label[kept], items=ratings.items,
        raters=ratings.raters, labels=ratings.labels, options=STEPS, scale="ordinal",
    )  # fmt: skip
    expected = set_up(fewer, answers, None, ASKED.__class__(positive=("4",), bootstrap=0, seed=0)).problem
    assert np.array_equal(problem.people.soft, expected.people.soft)
    assert np.array_equal(problem.people_positive, expected.people_positive)


@pytest.mark.parametrize("kind", ["choices", "sets"])
def test_scores_of_many_panels_at_once_are_those_of_each(kind):
    ratings, judges = simulated(6, n=40, raters=5)
    if kind == "sets":
        people = [sets({own % 3}, {own % 3, 2}, {(own + 1) % 3}) for own in range(40)]
        ratings, judges = (
            ratings_from(people, raters=[[0, 1, 2]] * 40),
            {"one": [choices(own % 3) for own in range(40)]},
        )
    answers = judges_from(judges, ratings.options)
    prepared = set_up(ratings, answers, None, ASKED.__class__(positive=ratings.options[:1], bootstrap=0, seed=0))
    rng = np.random.default_rng(0)
    panels = [prepared.rows.people(kept=rng.random(len(ratings.item)) < 0.6) for _ in range(8)]  # some items nobody's
    for panel, found in zip(panels, scores_of_panels(prepared, panels), strict=True):
        problem = prepared.layout.problem(panel)
        is_rated = (panel.choices.sum(axis=1) + panel.sets.sum(axis=1)) > 0
        expected = with_baselines(scores_of(problem, statistics_of(problem), is_rated[None, :].astype(float)))
        for name in ("values", "consistency", "bias"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), nan_ok=True)


def test_intervals_for_raters_like_these_are_wider_where_raters_differ():
    ratings, judges = simulated(1, n=80, raters=4, leniency=1.0)
    answers = judges_from(judges, STEPS)

    def width(raters):
        result = rank_judges(ratings, answers, positive=("3", "4"), raters=raters, bootstrap=200)
        assert result.settings["raters"] == raters
        row, value = result.downstream[0], result.definition("mae").values[0]
        return np.array(
            [row.consistency_high - row.consistency_low, row.bias_high - row.bias_low, value.high - value.low]
        )

    assert (width("sampled") > 1.3 * width("fixed")).all()
    sampled = rank_judges(ratings, answers, bootstrap=20)
    assert sampled.settings["raters"] == "sampled"
    assert any("4 raters say little about others" in text for text in sampled.warnings)


def test_without_ids_intervals_are_for_these_raters():
    ratings, judges = simulated(1, n=30)
    nobody = Ratings(
        item=ratings.item, rater=None, label=ratings.label, items=ratings.items, raters=(), labels=ratings.labels,
        options=STEPS, scale="ordinal",
    )  # fmt: skip
    result = rank_judges(nobody, judges_from(judges, STEPS), bootstrap=20)
    assert result.settings["raters"] == "fixed"
    assert any("the ratings do not say who rated" in text for text in result.warnings)
    assert result.definition("mae").person is not None  # who it was does not matter
