"""Panels of judges: twins, identical judges, and what theory says of independent ones."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from dissensus.data import read, read_judges
from dissensus.data.paths import example_path
from dissensus.errors import OptionError, RatingsError
from dissensus.methods.equivalence.scores import Score
from dissensus.methods.panel import PanelResult
from dissensus.methods.panel import panel as panels
from dissensus.methods.panel.beside_people import folds_among, item_scores, mean_scores, rows_of
from dissensus.methods.panel.stacking import (
    average,
    fit_stack,
    kinds_of,
    logs_of,
    plurality,
    refined,
    stacked,
    tabled,
)
from dissensus.report.views.section import main_chart, section_of
from dissensus.simulation import HARD_CLASSIFIER, RUNNING_EXAMPLE, HardClassifier, SoftClassifier, simulate_urn
from dissensus.simulation.urn_draws import (
    classifier_information,
    equivalent_raters,
    label_counts,
    mutual_information,
    survey_information,
)

from survey_builders import hard_judges_of, judges_of, ratings_of

URN = RUNNING_EXAMPLE
SECOND = HardClassifier(name="second", outputs=np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]]))


def joint_of(*outputs):
    """Probability of each combination of answers, independent given the state, with a rater's label."""
    rows = []
    for answers in itertools.product(*(range(own.shape[1]) for own in outputs)):
        weight = URN.weights.copy()
        for own, answer in zip(outputs, answers, strict=True):
            weight = weight * own[:, answer]
        rows.append(weight @ URN.states)
    return np.array(rows)


def surveys_of(k):
    """Probability of each survey of k raters in each state, of shape (n_states, n_surveys)."""
    return np.array([[math.comb(k, c) * s[0] ** c * s[1] ** d for c, d in label_counts(k, 2)] for s in URN.states])


@pytest.fixture(scope="module")
def simulated():
    """4,000 items of the running example, 8 raters each, and two judges that are independent given the state."""
    return simulate_urn(URN, items=4000, raters=8, classifiers=[HARD_CLASSIFIER, SECOND], rng=1)


@pytest.fixture(scope="module")
def answer(simulated):
    return panels(simulated.ratings, simulated.judges, bootstrap=100)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=5))
def test_plurality_and_average_are_what_they_say(votes):
    shares = [[(v + 0.5) / (sum(own) + 1.5) for v in own] for own in votes]
    predictions = np.array([[own] for own in shares])
    tally = [0.0, 0.0, 0.0]
    for own in votes:
        most_likely = [label for label in range(3) if own[label] == max(own)]
        for label in most_likely:
            tally[label] += 1 / len(most_likely)
    winners = [label for label in range(3) if abs(tally[label] - max(tally)) < 1e-9]
    expected = [1 / len(winners) if label in winners else 0 for label in range(3)]
    assert plurality(predictions)[0] == pytest.approx(expected)
    assert average(predictions)[0] == pytest.approx([sum(own[c] for own in shares) / len(shares) for c in range(3)])


def test_a_table_is_the_mean_of_the_rows_with_the_same_output_and_one_row_of_all(monkeypatch):
    outputs, place = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([2, 2, 0, 1])
    masses = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    assert tabled(outputs, place, masses) is outputs  # they come too seldom
    monkeypatch.setattr("dissensus.methods.panel.stacking.ROWS_PER_OUTPUT", 1)
    # two rows (1, 1) and one of all (1/3, 2/3) make (4/9, 5/9); an output never seen gets (1/3, 2/3)
    assert tabled(outputs, place, masses)[[0, 3]] == pytest.approx(np.array([[4 / 9, 5 / 9], [1 / 3, 2 / 3]]))


def test_the_weights_of_a_stack_minimise_the_loss_with_its_ridge():
    rng = np.random.default_rng(0)
    sources = rng.dirichlet(np.ones(3), (2, 80))
    masses = rng.dirichlet(np.ones(3), 80)
    logs = logs_of(sources)

    def loss(theta):
        values = np.tensordot(theta[:2], logs, 1) + theta[2:]
        likelihood = (masses * (values - np.logaddexp.reduce(values, axis=1, keepdims=True))).sum()
        spread = ((theta[:2] - theta[:2].mean()) ** 2).sum()
        return -likelihood + ((theta[:2].sum() - 1) ** 2 + spread + 0.01 * (theta[2:] ** 2).sum()) / 2

    expected = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    found = fit_stack(logs, masses)
    assert np.concatenate([found.weights, found.bias]) == pytest.approx(expected, abs=1e-4)
    again = fit_stack(logs, masses, start=fit_stack(logs[:, 20:], masses[20:]))
    assert again.predict(logs) == pytest.approx(found.predict(logs), abs=1e-9)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 4))
def test_a_stack_of_the_same_source_several_times_is_the_stack_of_it_once(seed, times):
    rng = np.random.default_rng(seed)
    source, masses, fold = rng.dirichlet(np.ones(3), 90), rng.dirichlet(np.ones(3), 90), np.arange(90) % 5
    once, several = (stacked(np.stack([source] * n), masses, fold=fold) for n in (1, times))
    assert several[0] == pytest.approx(once[0], abs=1e-4)
    assert several[1] == pytest.approx(once[1], abs=1e-4)


@pytest.mark.parametrize("kind", ["labels", "probabilities"])
def test_a_panel_of_identical_judges_is_worth_one(kind):
    classifier = HARD_CLASSIFIER if kind == "labels" else SoftClassifier.from_hard(HARD_CLASSIFIER, name="j", noise=0.3)
    sim = simulate_urn(URN, items=300, raters=4, classifiers=[classifier], rng=2)
    if kind == "labels":
        judges = hard_judges_of(dict.fromkeys(("x", "y", "z"), sim.judges.label), URN.labels)
    else:
        judges = judges_of(dict.fromkeys(("x", "y", "z"), sim.judges.probability), URN.labels)
    ratings = ratings_of(sim.ratings.label.reshape(300, 4).tolist(), URN.labels)
    found = panels(ratings, judges, bootstrap=50)
    one = found.judges[0].equivalence
    by_method = {panel.method: panel for panel in found.panels}
    assert by_method["average"].worth.equivalence == pytest.approx(one, abs=1e-6)
    assert by_method["stacked"].worth.equivalence == pytest.approx(one, abs=0.05)
    if kind == "labels":  # the plurality of probabilities keeps the most likely label only
        assert by_method["plurality"].worth.equivalence == pytest.approx(one, abs=1e-6)
    assert abs(by_method["average"].difference) < 1e-6
    beside = {row.beside: row.score for row in found.people_and_judge if row.raters == 2}
    assert beside["panel"] == pytest.approx(beside["x"], abs=2e-3)


def test_two_independent_judges_are_worth_more_than_either_as_theory_says(answer):
    # The exact worth of a panel: raters who tell as many bits as the two answers do together.
    truth = {
        "hard classifier": equivalent_raters(URN, classifier_information(URN, HARD_CLASSIFIER)),
        "second": equivalent_raters(URN, classifier_information(URN, SECOND)),
        "stacked": equivalent_raters(URN, mutual_information(joint_of(HARD_CLASSIFIER.outputs, SECOND.outputs))),
    }
    stack = next(panel for panel in answer.panels if panel.method == "stacked")
    found = {own.judge: own for own in answer.judges} | {"stacked": stack.worth}
    for name, exact in truth.items():
        assert found[name].equivalence_low <= exact <= found[name].equivalence_high
    assert stack.low > 0
    assert stack.best_judge == "hard classifier"


def test_a_judge_beside_people_saves_what_theory_says(answer):
    # Exactly: the bits of k raters and the judge's answer together, as so many raters.
    for k in range(1, 5):
        together = mutual_information(joint_of(surveys_of(k), HARD_CLASSIFIER.outputs))
        exact = equivalent_raters(URN, together) - k
        row = next(row for row in answer.people_and_judge if (row.beside, row.raters) == ("hard classifier", k))
        assert row.low - k - 0.1 <= exact <= row.high - k + 0.1
        assert row.saved == pytest.approx(exact, abs=0.25)


def test_people_alone_score_what_their_survey_tells(answer):
    rows = [row for row in answer.people_and_judge if row.beside == "second"]
    for row in rows[:6]:
        gain = row.people_score - rows[0].people_score
        exact = survey_information(URN, row.raters) - survey_information(URN, rows[0].raters)
        assert gain == pytest.approx(exact, abs=0.012)


def pairs_of(labels):
    """For each item, how often each (label of one rater, label of another) occurs among ordered pairs."""
    found = []
    for own in labels.tolist():
        pairs = list(itertools.permutations(own, 2))
        found.append({pair: pairs.count(pair) / len(pairs) for pair in set(pairs)})
    return found


def test_scores_of_surveys_with_a_judge_equal_a_plain_count():
    # The Brier score of what raters say after (survey of one, judge's answer), counted over ordered pairs of raters:
    # in other folds and in all items, averaged. The learner draws each of the four shares a little towards all.
    rng = np.random.default_rng(6)
    labels = (rng.random((300, 3)) < rng.choice([0.2, 0.8], 300)[:, None]).astype(int)
    judge, fold = labels[:, 0] ^ (rng.random(300) < 0.1), np.arange(300) % 10
    pairs = pairs_of(labels)

    def scored(i, others):
        total = 0.0
        for (first, second), mass in pairs[i].items():
            follows = [0.0, 0.0]
            for other in others:
                for next_label in range(2):
                    follows[next_label] += pairs[other].get((first, next_label), 0.0)
            shares = [count / sum(follows) for count in follows]
            total -= mass * sum((share - (label == second)) ** 2 for label, share in enumerate(shares))
        return total

    expected = []
    for i in range(300):
        alike = [other for other in range(300) if judge[other] == judge[i]]
        expected.append((scored(i, alike) + scored(i, [other for other in alike if fold[other] != fold[i]])) / 2)
    counts = np.stack([(labels == 0).sum(axis=1), (labels == 1).sum(axis=1)], axis=1)
    score = Score(name="brier", values=np.array([np.nan, np.nan]))
    found = item_scores(rows_of(counts, 1), np.eye(2)[judge][None], score, fold=fold)
    assert found == pytest.approx(expected, abs=0.02)
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.001)


def test_answers_are_of_their_own_kind_where_they_are_few_and_surer_or_less_sure_where_they_are_many():
    few = np.array([[[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]])
    assert kinds_of(few, np.array([0, 1, 2, 2])).tolist() == [0, 1, 2]
    many = np.array([[[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]]])
    # Of the items whose most likely label is the first, sureness is .9, .8, .6, .6: the middle is .7.
    assert kinds_of(many, np.array([0, 1, 2, 2, 3, 4, 4])).tolist() == [1, 1, 0, 2, 2]


def test_cases_with_many_items_say_what_they_hold_and_those_with_few_what_the_stack_says():
    predictions, case = np.array([[0.5, 0.5], [0.5, 0.5], [0.3, 0.7]]), np.array([0, 0, 1])
    masses = np.array([[0.0, 3000.0], [0.0, 2000.0], [0.01, 0.0]])
    found = refined(predictions, masses, case)
    # 5,000 items against the stack's 10; then .01 item that moves .7 * .01 / 10.01
    assert found == pytest.approx(np.array([[0.5 * 10 / 5010, 1 - 5 / 5010]] * 2 + [[0.3007, 0.6993]]), abs=1e-5)


def test_surveys_of_an_item_hold_its_ordered_pairs_of_raters():
    labels = np.array([[0, 0, 1], [1, 1, 1], [0, 1, 1]])
    counts = np.stack([(labels == 0).sum(axis=1), (labels == 1).sum(axis=1)], axis=1)
    rows = rows_of(counts, 1)
    for i, own in enumerate(pairs_of(labels)):
        masses = sorted(float(mass) for mass in rows.masses[rows.item == i].ravel() if mass > 0)
        assert masses == pytest.approx(sorted(own.values()))


def test_means_leave_out_items_that_take_no_part():
    scores = np.array([[1.0, 2.0, np.nan], [0.0, 1.0, 5.0]])
    assert mean_scores(scores, np.array([[1, 1, 1], [2, 0, 1]])).tolist() == [[1.5, 2.0], [1.0, 5 / 3]]


def test_one_judge_is_no_panel_but_saves_raters(simulated):
    found = panels(simulated.ratings, simulated.judges, judge=["second"], bootstrap=20)
    assert found.panels == ()
    assert {row.beside for row in found.people_and_judge} == {"second"}
    assert section_of(found).title == "How many raters does the judge save?"


def test_methods_and_people_can_be_chosen(simulated):
    found = panels(simulated.ratings, simulated.judges, method="average", people=False, bootstrap=0)
    assert [panel.method for panel in found.panels] == ["average"]
    assert found.people_and_judge == ()
    assert math.isnan(found.panels[0].worth.equivalence_low)


def test_agreement_is_that_of_the_most_likely_label(simulated):
    ratings, judges = simulated.ratings, simulated.judges
    found = panels(ratings, judges, judge=["hard classifier"], score="agreement", max_raters=2, bootstrap=0)
    rate = np.zeros(ratings.n_items)
    answer = judges.label[judges.judge == judges.judges.index("hard classifier")]
    np.add.at(rate, ratings.item, ratings.label == answer[ratings.item])
    assert found.judges[0].score == pytest.approx(np.mean(rate / 8))


@pytest.mark.parametrize("score", ["brier", "agreement"])
def test_other_scores_have_an_answer(score):
    folder = example_path("binary")
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    found = panels(ratings, judges, score=score, max_raters=3, bootstrap=20)
    assert all(math.isfinite(panel.worth.score) for panel in found.panels)
    assert found.summary()


def test_a_judge_called_panel_keeps_its_name():
    rng = np.random.default_rng(8)
    labels = rng.integers(2, size=(80, 4))
    judges = hard_judges_of({"panel": labels[:, 0], "stacked panel": labels[:, 1]}, ("a", "b"))
    found = panels(ratings_of(labels.tolist(), ("a", "b")), judges, bootstrap=10)
    assert [own.judge for own in found.judges] == ["panel", "stacked panel"]
    assert {row.beside for row in found.people_and_judge} == {"panel", "stacked panel", "panel of judges"}
    assert len(found.panels) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "auc"}, "score= cannot be 'auc'"),
        ({"method": "median"}, "method= cannot be 'median'"),
        ({"judge": ["second", "second"]}, "A judge is named twice"),
        ({"judge": ["third"]}, "There is no judge 'third'"),
        ({"bootstrap": -1}, "bootstrap= cannot be -1"),
        ({"confidence": 2.0}, "confidence= cannot be 2"),
    ],
)
def test_bad_usage_is_refused(simulated, options, message):
    with pytest.raises(OptionError, match=message):
        panels(simulated.ratings, simulated.judges, **options)


def test_measures_are_refused():
    rated = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": [1, 2, 3, 4]})
    judges = read_judges(pd.DataFrame({"item": [1, 2], "judge": "bleu", "label": [1.5, 3.25]}))
    with pytest.raises(OptionError, match="numbers on a scale: round them"):
        panels(read(rated), judges)


@pytest.mark.parametrize("seed", range(12))
def test_a_few_items_with_uneven_ratings_get_an_answer(seed):
    # Surveys of three leave two or three items, and folds of eleven that leave some of the ten empty, or all but one.
    full = [[0, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 1]][: 2 + seed % 2]
    ratings = ratings_of([*full, *[[0, 1]] * (12 - len(full))], labels=("a", "b"))
    judges = hard_judges_of({"one": [0, 1, 0] * 4, "two": [0, 0, 1] * 4}, labels=("a", "b"))
    found = panels(ratings, judges, max_raters=3, bootstrap=5, rng=seed)
    assert {row.items for row in found.people_and_judge} == {len(full)}
    assert all(np.isfinite(row.score) for row in found.people_and_judge)


def test_a_fold_that_is_everything_is_not_held_out():
    # As if every item had been drawn into a fold of its own: what is learned never comes from the item itself.
    members = np.array([[2, 1], [1, 2], [3, 0]])
    score = Score(name="brier", values=np.array([0.0, 1.0]), clip=0.02)
    judge = np.array([[[0.9, 0.1], [0.1, 0.9], [0.9, 0.1]]])
    one_fold, apart = folds_among(np.array([7, 7, 7])), np.arange(3)
    scores = [item_scores(rows_of(members, 1), judge, score, fold=fold) for fold in (one_fold, apart)]
    assert np.array_equal(*scores)
    assert folds_among(np.array([7, 2, 7])).tolist() == [1, 0, 1]


def test_what_must_be_learned_from_other_items_is_not_told_of_one_item():
    judges = hard_judges_of({"one": [0], "two": [1]}, labels=("a", "b"))
    with pytest.raises(RatingsError, match="learned from other items, and one item only was rated and answered"):
        panels(ratings_of([[0, 1, 1]], labels=("a", "b")), judges)
    uneven = ratings_of([[0, 1, 1, 0], [0, 1], [1, 1]], labels=("a", "b"))
    judges = hard_judges_of({"one": [0, 1, 1], "two": [1, 1, 0]}, labels=("a", "b"))
    found = panels(uneven, judges, max_raters=3, bootstrap=5)
    assert found.people_and_judge == ()
    assert len(found.panels) == 3
    assert (
        "What a judge saves beside people is learned from other items, and 1 item has the 4 ratings that it takes: "
        "lower max_raters=."
    ) in found.warnings


def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_processes(simulated):
    few = simulated.ratings.where(simulated.ratings.item < 200)
    one, two = (panels(few, simulated.judges, max_raters=2, bootstrap=60, workers=n).to_json() for n in (1, 2))
    assert one == two  # two tasks of 25 samples and one of 10


def test_the_json_has_members_panels_and_savings(answer):
    found = json.loads(answer.to_json())
    assert found["command"] == "panel"
    assert set(found["result"]) == {"curve", "judges", "panels", "people_and_judge", "constant", "person"}
    assert (found["result"]["constant"]["equivalence"], found["result"]["person"]["equivalence"]) == (0, 1)
    assert min(row["raters"] for row in found["result"]["people_and_judge"]) == 1
    assert {row["panel"] for row in found["result"]["panels"]} == {"plurality", "average", "stacked"}
    last = found["result"]["people_and_judge"][-1]
    assert (last["verdict"], last["worth"], last["saved"]) == ("above K", None, None)
    assert isinstance(answer, PanelResult)
    assert len(answer.rows()) == 5


def test_the_words_say_what_the_panel_is_worth_and_the_judge_saves(answer):
    text = " ".join(answer.summary().split())
    assert text.startswith("The 2 judges together (stacked) are worth ")
    row = next(row for row in answer.people_and_judge if row.beside == "hard classifier" and row.raters == 1)
    assert f'"hard classifier" saves {row.saved:.2f} [' in text
    assert "raters alongside one person." in text
    assert main_chart(answer).figure.title.startswith("How many people a judge saves")


@pytest.mark.slow
def test_95_of_100_intervals_of_what_a_judge_saves_hold_the_truth(trust):
    # 150 simulations of 1,200 items, beside one to four people; three standard errors of 95% are 5.3%.
    exact = [
        equivalent_raters(URN, mutual_information(joint_of(surveys_of(k), HARD_CLASSIFIER.outputs)))
        for k in range(1, 5)
    ]
    worths, held, sets = [], np.zeros(4), trust.sets(150)
    for seed in range(sets):
        sim = simulate_urn(URN, items=1200, raters=8, classifiers=[HARD_CLASSIFIER], rng=seed)
        rows = panels(sim.ratings, sim.judges, bootstrap=200).people_and_judge[:4]
        worths.append([row.worth for row in rows])
        held += [row.low <= truth <= row.high for row, truth in zip(rows, exact, strict=True)]
    for k, share in enumerate(held / sets, start=1):
        data = f"2 labels, 8 raters, 1200 items, beside {k}"
        trust.keep("coverage", "panel: worth of people and a judge together", share, sets, data=data)
    assert np.median(worths, axis=0) == pytest.approx(exact, abs=0.05)
    assert held / sets == pytest.approx(np.full(4, 0.95), abs=0.053)


@pytest.mark.slow
def test_with_many_items_a_judge_saves_what_theory_says_beside_any_number_of_people():
    # A stack alone would fall .1 of a rater short beside two people and more, however many items there are.
    exact = [
        equivalent_raters(URN, mutual_information(joint_of(surveys_of(k), HARD_CLASSIFIER.outputs)))
        for k in range(1, 5)
    ]
    worths = []
    for seed in range(20):
        sim = simulate_urn(URN, items=5000, raters=8, classifiers=[HARD_CLASSIFIER], rng=seed)
        worths.append([row.worth for row in panels(sim.ratings, sim.judges, bootstrap=0).people_and_judge[:4]])
    assert np.mean(worths, axis=0) == pytest.approx(exact, abs=3 * 0.09 / math.sqrt(20))


@pytest.mark.slow
def test_judges_that_tell_nothing_are_not_said_to_save_or_to_cost_raters():
    # Two judges that draw lots, 350 items: by held-out scores alone half of the intervals lay below 0.
    held = np.zeros(4)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sim = simulate_urn(URN, items=350, raters=8, classifiers=[HARD_CLASSIFIER], rng=seed)
        lots = [np.stack([1 - p, p], axis=1) for p in rng.beta(2, 2, (2, 350))]
        ratings = ratings_of(sim.ratings.label.reshape(350, 8).tolist(), URN.labels)
        found = panels(ratings, judges_of({"x": lots[0], "y": lots[1]}, URN.labels), method="stacked", bootstrap=200)
        beside = [row for row in found.people_and_judge if row.beside == "panel"][:4]
        held += [row.low <= row.raters <= row.high for row in beside]
    assert (held / 60 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60)).all()


@pytest.mark.parametrize("name", ["convabuse", "ambient_nli"])
def test_real_judges_together_are_worth_at_least_the_best_of_them(shared, name):
    folder = shared / "data" / name
    found = panels(read(folder / "ratings.csv"), read_judges(folder / "judges.csv"), bootstrap=20, people=False)
    best = max(own.score for own in found.judges)
    stack = next(panel for panel in found.panels if panel.method == "stacked")
    assert stack.worth.score >= best - 0.01
    # Not shown to be worse: where one judge knows all that the others do, the stack is that judge. Off the curve, where
    # no difference in raters is known, the samples say so.
    assert not stack.high < 0
    assert math.isfinite(stack.high) or stack.share_better > 0.025


def test_wikipedias_classifier_saves_as_many_raters_beside_people_as_it_is_worth(shared):
    folder = shared / "data" / "wiki_attacks"
    ratings = read(folder / "ratings.csv.gz")
    found = panels(ratings, read_judges(folder / "judges.csv"), max_raters=7, bootstrap=10)
    worth = found.judges[0].equivalence
    assert worth == pytest.approx(3.42, abs=0.05)
    for row in found.people_and_judge[:3]:  # beside four it is off a curve of seven
        assert row.saved == pytest.approx(worth, abs=0.15)
