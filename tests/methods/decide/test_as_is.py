"""Judges as they are, beside a constant and a person: a plain-Python twin, and where they stand."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from dissensus import read, read_judges
from dissensus.methods.decide.as_is import item_scores, shared_items, standings


def nearness(a, b):
    return -abs(float(a) - float(b))


def streams(seed=0):
    return tuple(np.random.default_rng(seed).spawn(2))


def ragged(n_items, labels, seed):
    """Ratings with two to five people an item, and three judges: a copy of a person, a guesser, a constant."""
    rng = np.random.default_rng(seed)
    rows, answers = [], []
    for i in range(n_items):
        truth = rng.integers(len(labels))
        drawn = [labels[truth] if rng.random() < 0.7 else labels[rng.integers(len(labels))] for _ in range(6)]
        rows += [(f"i{i}", f"r{r}", drawn[r]) for r in range(rng.integers(2, 6))]
        answers += [(f"i{i}", "good", drawn[5]), (f"i{i}", "coin", labels[rng.integers(len(labels))])]
        answers.append((f"i{i}", "always", labels[0]))
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    return ratings, read_judges(pd.DataFrame(answers, columns=["item", "judge", "label"]))


def twin(ratings, judges, score):
    """Mean scores of each judge and of a person, pair by pair."""
    by_item = {}
    for item, label in zip(ratings.item, ratings.label, strict=True):
        by_item.setdefault(ratings.items[item], []).append(ratings.labels[label])
    means = {}
    for name in judges.judges:
        own = judges[name]
        answer = {own.items[i]: own.labels[label] for i, label in zip(own.item, own.label, strict=True)}
        means[name] = np.mean([np.mean([score(answer[i], x) for x in given]) for i, given in by_item.items()])
    people = [np.mean([score(a, b) for a, b in permutations(given, 2)]) for given in by_item.values()]
    constants = {
        label: np.mean([np.mean([score(label, x) for x in given]) for given in by_item.values()])
        for label in ratings.labels
    }
    return means, np.mean(people), constants


@pytest.mark.parametrize(
    ("labels", "measure", "score"),
    [
        (["a", "b", "c"], "agreement", lambda a, b: float(a == b)),
        (["1", "2", "3", "5"], "distance", nearness),
    ],
)
def test_scores_are_those_of_every_pair(labels, measure, score):
    ratings, judges = ragged(40, labels, seed=1)
    shared = shared_items(ratings, judges)
    assert shared.measure == measure
    means = item_scores(shared, shared.item, shared.label).mean(axis=0)
    expected, person, constants = twin(ratings, judges, score)
    assert means[0] == pytest.approx(max(constants.values()))
    assert constants[ratings.labels[shared.constant]] == pytest.approx(max(constants.values()))
    assert means[1] == pytest.approx(person)
    assert dict(zip(shared.judges, means[2:], strict=False)) == pytest.approx(expected)


@pytest.mark.parametrize("raters", ["fixed", "sampled"])
def test_the_order_in_which_numbers_are_listed_changes_nothing(raters):
    rated, judges = ragged(60, ["1", "2", "3", "5"], seed=4)
    frame = pd.DataFrame({
        name: np.array(getattr(rated, f"{name}s"))[getattr(rated, name)] for name in ("item", "rater", "label")
    })  # fmt: skip
    found = []
    for labels in ("1235", "5321", "2513"):
        ratings = read(frame, labels=list(labels), scale="ordinal")
        how = {"raters": raters, "bootstrap": 50, "confidence": 0.95, "margin": 0.1, "streams": streams()}
        found.append(standings(shared_items(ratings, judges), ratings, **how))
    # Two people are 0 or more apart, whatever comes first in the list.
    assert [own.person.value for own in found] == pytest.approx([-twin(rated, judges, nearness)[1]] * 3)
    nearest = twin(rated, judges, nearness)[2]
    assert [own.constant.answer for own in found] == [max(nearest, key=nearest.get)] * 3
    assert [own.judges["good"].standing for own in found] == [found[0].judges["good"].standing] * 3
    assert [own.judges["good"].low for own in found] == pytest.approx([found[0].judges["good"].low] * 3)


@pytest.mark.parametrize("labels", [["a", "b", "c"], ["1", "2", "3"]])
def test_a_copy_of_a_person_is_like_one_and_a_constant_is_no_better_than_itself(labels):
    ratings, judges = ragged(8000, labels, seed=2)
    found = standings(
        shared_items(ratings, judges), ratings, raters="fixed", bootstrap=300, confidence=0.95, margin=0.1,
        streams=streams(),
    )  # fmt: skip
    standing = {name: own.standing for name, own in found.judges.items()}
    assert standing == {
        "good": "like a person", "coin": "not better than a constant", "always": "not better than a constant"
    }  # fmt: skip
    for own in found.judges.values():
        assert own.low <= own.value <= own.high
    assert bool(found.shifts) == (labels[0] == "1")


def test_a_strict_judge_is_shifted():
    rng = np.random.default_rng(3)
    truth = rng.integers(2, 5, 150)
    rows = [(i, f"r{r}", int(np.clip(t + rng.integers(-1, 2), 1, 5))) for i, t in enumerate(truth) for r in range(3)]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    judges = read_judges(pd.DataFrame({"item": range(150), "judge": "strict", "label": truth - 1}))
    found = standings(
        shared_items(ratings, judges), ratings, raters="sampled", bootstrap=0, confidence=0.95, margin=0.1,
        streams=streams(),
    )  # fmt: skip
    people = np.mean([label for _, _, label in rows])
    assert found.shifts["strict"].value == pytest.approx(np.mean(truth - 1) - people)
    assert np.isnan(found.judges["strict"].low)


def test_nothing_is_scored_where_nobody_can_be_held_out():
    ratings = read(pd.DataFrame({"item": [1, 2], "rater": ["a", "b"], "label": ["x", "y"]}))
    judges = read_judges(pd.DataFrame({"item": [1, 2], "judge": "j", "label": ["x", "y"]}))
    assert shared_items(ratings, judges) == "no item that every judge answered has two ratings"


def population(seed, *, judge, n_items=400, n_raters=12, per_item=4, ordered=False, lean=0.3):
    """Raters who lean to labels, and a judge that is another rater like them, or one that answers at random as often.

    `judge` is the share of items on which it answers at random: 0 is a person, who leans too.
    """
    rng = np.random.default_rng(seed)
    n_labels = 5 if ordered else 3
    logits = (
        -((np.arange(n_labels) - rng.uniform(0, 4, n_items)[:, None]) ** 2)
        if ordered
        else 1.5 * rng.standard_normal((n_items, n_labels))
    )
    leaning = lean * rng.standard_normal((n_raters + 1, n_labels))

    def answers(who):
        p = np.exp(logits + leaning[who])
        return (p.cumsum(axis=1) / p.sum(axis=1, keepdims=True) < rng.random((n_items, 1))).sum(axis=1)

    labels = np.array([str(k + 1) for k in range(n_labels)] if ordered else list("abc"))
    everybody = np.stack([answers(who) for who in range(n_raters)], axis=1)
    asked = rng.random((n_items, n_raters)).argsort(axis=1)[:, :per_item]
    rows = [(i, f"r{r:02d}", labels[everybody[i, r]]) for i in range(n_items) for r in asked[i]]
    own = np.where(rng.random(n_items) < judge, rng.integers(n_labels, size=n_items), answers(n_raters))
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    return ratings, read_judges(pd.DataFrame({"item": range(n_items), "judge": "j", "label": labels[own]}))


def share_like_a_person(n, *, raters="sampled", **how):
    """In what share of data sets the judge stands like a person."""
    found = 0
    for seed in range(n):
        ratings, judges = population(seed, **how)
        made = standings(
            shared_items(ratings, judges), ratings, raters=raters, bootstrap=200, confidence=0.95, margin=0.1,
            streams=streams(seed),
        )  # fmt: skip
        found += made.judges["j"].standing == "like a person"
    return found / n


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("n_raters", [3, 12])
@pytest.mark.parametrize("n_items", [60, 400])
def test_a_judge_that_is_worse_than_a_person_is_seldom_called_like_one(ordered, n_raters, n_items):
    # A third of its answers are random: it has lost a third of a person's lead over chance, and a tenth is allowed.
    how = {"judge": 1 / 3, "ordered": ordered, "n_raters": n_raters, "n_items": n_items, "per_item": 3}
    assert share_like_a_person(100, **how) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [False, True])
def test_a_judge_that_is_a_person_is_called_like_one_with_enough_items(ordered):
    assert share_like_a_person(40, judge=0.0, ordered=ordered, n_items=4000, raters="fixed", lean=0.0) >= 0.8
    assert share_like_a_person(40, judge=0.0, ordered=ordered, n_items=60, n_raters=3, per_item=3) <= 0.2
