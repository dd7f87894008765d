"""Simulated labels: the chances that were asked for are the chances in the data."""

import itertools
import json
import math

import numpy as np
import pytest
import typer

from dissensus import read, read_judges
from dissensus.cli.flags import spread
from dissensus.cli.simulate import simulate_labels_command
from dissensus.simulation.labels import LabelNoise, TwoClassifiers, chances_of, simulate_labels

from tables import message_of, triples

MANY = 40_000


def answers(made, judge):
    """What a judge says of each item."""
    own = made.judges[judge]
    found = np.empty(len(own.items), dtype=int)
    found[own.item] = own.label
    return found


def near(share, chance, n):
    """Whether a share of n draws is within four and a half standard errors of its chance."""
    return abs(share - chance) < 4.5 * np.sqrt(max(chance * (1 - chance), 1e-12) / n)


def chances_by_enumeration(classifiers, noise):
    """Chance that a label speaks for the better and for the worse classifier: all classes, one by one."""
    k, right = noise.classes, noise.accuracies()
    found = {"better": 0.0, "worse": 0.0, "different": 0.0}
    for better, worse, label in itertools.product(range(k), repeat=3):  # class 0 is the true one
        if worse == 0:
            chance = classifiers.worse_accuracy
            hit = classifiers.better_if_worse_right
        else:
            chance = (1 - classifiers.worse_accuracy) / (k - 1)
            hit = classifiers.better_if_worse_wrong
        chance *= hit if better == 0 else (1 - hit) / (k - 1)
        who = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[better == 0, worse == 0]
        chance *= right[who] if label == 0 else (1 - right[who]) / (k - 1)
        found["better"] += chance * (label == better != worse)
        found["worse"] += chance * (label == worse != better)
        found["different"] += chance * (better != worse)
    return found


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_chances_are_those_of_enumerating_all_classes(classes):
    classifiers = TwoClassifiers(worse_accuracy=0.6, better_if_worse_wrong=0.55, better_if_worse_right=0.8)
    noise = LabelNoise(label_accuracy=0.7, better=0.65, worse=0.9, classes=classes)
    expected, found = chances_by_enumeration(classifiers, noise), chances_of(classifiers, noise)
    assert found.speaks_for_better == pytest.approx(expected["better"], abs=1e-14)
    assert found.speaks_for_worse == pytest.approx(expected["worse"], abs=1e-14)
    assert found.disagreement == pytest.approx(expected["different"], abs=1e-14)


def test_the_chances_are_those_of_proposition_1():
    # Proposition 1: P(G = 1) = q eps + (1 - p - eps) p, P(G = -1) = (1 - q) eps + (1 - p - eps) p
    p, eps, q = 0.8, 0.01, 0.7
    found = chances_of(TwoClassifiers.independent(accuracy=p, margin=eps), LabelNoise(label_accuracy=q))
    assert found.speaks_for_better == pytest.approx(q * eps + (1 - p - eps) * p, abs=1e-14)
    assert found.speaks_for_worse == pytest.approx((1 - q) * eps + (1 - p - eps) * p, abs=1e-14)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_data_have_the_chances_of_their_truth(classes):
    classifiers = TwoClassifiers(worse_accuracy=0.7, better_if_worse_wrong=0.5, better_if_worse_right=0.9)
    noise = LabelNoise(label_accuracy=0.75, better=0.7, worse=0.85, difficulty="beta", classes=classes)
    made = simulate_labels(classifiers, noise, items=MANY, raters=2, rng=0)
    chances, truth = made.truth.chances, made.truth.truth
    better, worse = answers(made, "better"), answers(made, "worse")
    label = made.ratings.label.reshape(MANY, 2)  # ordered by item
    first = label[:, 0]
    assert near(np.mean(better == truth), chances.better_accuracy, MANY)
    assert near(np.mean(worse == truth), chances.worse_accuracy, MANY)
    assert near(np.mean(better != worse), chances.disagreement, MANY)
    assert near(np.mean(first == truth), chances.label_accuracy, MANY)
    assert near(np.mean(label[:, 0] == label[:, 1]), chances.pairwise_agreement, MANY)
    assert near(np.mean((first == better) & (better != worse)), chances.speaks_for_better, MANY)
    assert near(np.mean((first == worse) & (better != worse)), chances.speaks_for_worse, MANY)


def test_labels_are_right_as_often_as_asked_where_only_one_judge_is():
    made = simulate_labels(None, LabelNoise(better=0.6, worse=0.9), items=MANY, raters=1, rng=0)
    right = made.ratings.label == made.truth.truth
    for who, accuracy in ((1, 0.6), (2, 0.9)):
        own = made.truth.who == who
        assert near(right[own].mean(), accuracy, own.sum())


@pytest.mark.parametrize(
    ("noise", "squared"),
    [
        # q = (1 + u) / 2: E[u^2] is 1/4 for items alike, 1/3 for u uniform on (0, 1), and for beta(1.5, 1.5) the
        # variance is 1/16, so that it is 5/16.
        (LabelNoise(), 1 / 4),
        (LabelNoise(difficulty="uniform"), 1 / 3),
        (LabelNoise(difficulty="beta", concentration=3), 5 / 16),
    ],
)
def test_items_differ_in_difficulty_as_asked(noise, squared):
    made = simulate_labels(None, noise, items=MANY, raters=1, rng=0)
    u = 2 * made.truth.label_accuracy - 1
    assert made.truth.chances.known_squared == pytest.approx(squared)
    assert u.mean() == pytest.approx(0.5, abs=4.5 * 0.3 / np.sqrt(MANY))
    assert np.mean(u**2) == pytest.approx(squared, abs=4.5 * 0.3 / np.sqrt(MANY))


def test_difficulty_may_differ_only_where_the_better_judge_is_wrong():
    made = simulate_labels(None, LabelNoise(difficulty="uniform", where="worse"), items=2000, raters=1, rng=0)
    only_worse = made.truth.who == 2
    assert set(made.truth.label_accuracy[~only_worse]) == {0.75}
    assert len(set(made.truth.label_accuracy[only_worse])) == only_worse.sum()


def test_some_items_may_go_without_labels_and_classes_may_be_rare():
    made = simulate_labels(items=1000, raters=(1, 4), unlabelled=500, prevalence=0.1, rng=0)
    assert made.ratings.n_items == 1000
    assert len(made.judges.items) == 1500
    assert set(np.bincount(made.ratings.item)) == {1, 2, 3, 4}
    assert near(np.mean(made.truth.truth == 0), 0.1, 1500)


def test_the_same_seed_gives_the_same_labels():
    noise = LabelNoise(difficulty="beta")
    first, second = (simulate_labels(None, noise, items=50, rng=3) for _ in range(2))
    assert first.truth.to_json() == second.truth.to_json()
    assert triples(first.ratings) == triples(second.ratings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: TwoClassifiers.independent(accuracy=0.95, margin=0.1),
            (
                "accuracy= 0.95 and margin= 0.1: the better classifier would have accuracy 1.05; give a margin from "
                "0 to 0.05."
            ),
        ),
        (
            lambda: TwoClassifiers(worse_accuracy=0.8, better_if_worse_wrong=0.1, better_if_worse_right=0.8),
            (
                "The better classifier has accuracy 0.66 and the worse one 0.8: raise better_if_worse_wrong= or "
                "better_if_worse_right=."
            ),
        ),
        (
            lambda: LabelNoise(label_accuracy=0.5),
            "label_accuracy= is 0.5: with 2 classes it must lie above 0.5, which is guessing, and be at most 1.",
        ),
        (
            lambda: LabelNoise(worse=1.2),
            "label_accuracy_worse= is 1.2: with 2 classes it must lie above 0.5, which is guessing, and be at most 1.",
        ),
        (lambda: LabelNoise(classes=1), "classes= is 1: there must be two or more."),
        (
            lambda: LabelNoise(concentration=0),
            "concentration= is 0: it must be above 0 and finite. Items that are equally hard are difficulty= same.",
        ),
        (
            lambda: LabelNoise(difficulty="beta", concentration=math.inf),
            "concentration= is inf: it must be above 0 and finite. Items that are equally hard are difficulty= same.",
        ),
        (
            lambda: TwoClassifiers.independent(accuracy=0.5, margin=math.nan),
            (
                "accuracy= 0.5 and margin= nan: the better classifier would have accuracy nan; give a margin from 0 "
                "to 0.5."
            ),
        ),
        (
            lambda: LabelNoise(difficulty="normal"),
            "difficulty= cannot be 'normal': choose one of same, uniform, beta. The likely match is uniform.",
        ),
        (lambda: LabelNoise(where="both"), "difficulty_where= cannot be 'both': choose one of all, better, worse."),
        (lambda: simulate_labels(items=0), "0 items and 0 unlabelled ones: give at least 1 and at least 0."),
        (lambda: simulate_labels(prevalence=1), "prevalence= is 1: it must lie between 0 and 1."),
    ],
)
def test_a_wrong_population_is_one_line(make, message):
    assert message_of(make) == message


def run(*arguments):
    app = typer.Typer()
    app.command()(spread(simulate_labels_command))
    app(args=list(arguments), standalone_mode=False)


def test_the_command_writes_what_is_read_back_the_same(tmp_path, capsys):
    options = ["--items", "40", "--raters", "2-4", "--unlabelled", "10", "--label-accuracy-worse", "0.9"]
    run("-o", str(tmp_path), *options, "--difficulty", "uniform", "--seed", "7", "--json")
    answer = json.loads(capsys.readouterr().out)
    noise = LabelNoise(worse=0.9, difficulty="uniform")
    made = simulate_labels(None, noise, items=40, raters=(2, 4), unlabelled=10, rng=7)
    assert triples(read(tmp_path / "ratings.csv")) == triples(made.ratings)
    judges = read_judges(tmp_path / "judges.csv")
    assert judges.judges == ("better", "worse")
    assert judges.n_answers == 100
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert truth == answer["result"]
    assert truth["chances"]["margin"] == 0.1
    assert truth["population"]["labels"]["worse"] == 0.9
    assert [row["item"] for row in truth["items"]] == list(made.truth.items)
    readme = (tmp_path / "README.md").read_text()
    assert "People labelled the first 40 of the 50 items." in readme
    assert "0.75 where only `better` is right and 0.9 where only `worse` is" in readme


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--accuracy", "0.7"], "--accuracy and --margin go together: give both, or none."),
        (
            ["--worse-accuracy", "0.7"],
            "--worse-accuracy, --better-if-worse-wrong and --better-if-worse-right go together: give all three.",
        ),
        (
            ["--accuracy", "0.7", "--margin", "0.1", "--worse-accuracy", "0.7"],
            (
                "--accuracy and --margin describe independent judges, --worse-accuracy and its companions correlated "
                "ones: give one of the two."
            ),
        ),
    ],
)
def test_half_a_description_of_the_judges_is_one_line(tmp_path, options, message):
    assert message_of(lambda: run("-o", str(tmp_path), *options)) == message


def test_the_command_takes_correlated_judges(tmp_path):
    options = ["--worse-accuracy", "0.7", "--better-if-worse-wrong", "0.5", "--better-if-worse-right", "0.9"]
    run("-o", str(tmp_path), *options, "--quiet")
    # (1 - .7) .5 - .7 (1 - .9)
    assert json.loads((tmp_path / "truth.json").read_text())["chances"]["margin"] == pytest.approx(0.08)
