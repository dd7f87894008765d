import itertools
import json
from math import comb, isnan, log2, sqrt

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data import read, read_judges
from dissensus.data.writers import write_judges, write_ratings
from dissensus.errors import OptionError
from dissensus.simulation import (
    HARD_CLASSIFIER,
    RUNNING_EXAMPLE,
    SOFT_CLASSIFIER,
    HardClassifier,
    Panel,
    ResponseRule,
    SoftClassifier,
    Urn,
    simulate_urn,
)
from dissensus.simulation.urn import reports_of, rounded
from dissensus.simulation.urn_draws import (
    ceiling,
    classifier_agreement,
    classifier_information,
    classifier_score,
    equivalent_raters,
    label_counts,
    limiting_alpha,
    omniscient_score,
    pairwise_agreement,
    prior_score,
    readme_of,
    survey_information,
)

TOXIC = Urn(
    labels=("no", "some", "much"),
    states=[[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.1, 0.2, 0.7]],
    weights=[0.5, 0.3, 0.2],
    scale="ordinal",
)
STANDARD_ERRORS = 5
"""How far a seeded draw may be from its expectation: one in 1.7 million draws is farther."""


def is_near(share, probability, n):
    return abs(share - probability) <= STANDARD_ERRORS * sqrt(max(probability * (1 - probability), 1e-9) / n)


@st.composite
def distributions(draw, n):
    weights = [draw(st.integers(1, 9)) for _ in range(n)]
    return [weight / sum(weights) for weight in weights]


@st.composite
def urns(draw):
    n_labels, n_states = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    states = [draw(distributions(n_labels)) for _ in range(n_states)]
    return Urn(labels=tuple("abc"[:n_labels]), states=states, weights=draw(distributions(n_states)))


# The truth by formula


def test_the_running_example_has_the_numbers_of_the_paper():
    assert RUNNING_EXAMPLE.prior[0] == pytest.approx(0.63)  # section 3.1
    # Section 4: the formulas as printed, with the values that the paper gives for them.
    knows = 0.7 * (0.8 * log2(0.8) + 0.2 * log2(0.2)) + 0.1 * log2(0.5) + 0.2 * (0.1 * log2(0.1) + 0.9 * log2(0.9))
    assert omniscient_score(RUNNING_EXAMPLE) == pytest.approx(knows, abs=1e-14)
    assert round(omniscient_score(RUNNING_EXAMPLE), 3) == -0.699
    assert prior_score(RUNNING_EXAMPLE) == pytest.approx(0.63 * log2(0.63) + 0.37 * log2(0.37), abs=1e-14)
    assert round(prior_score(RUNNING_EXAMPLE), 3) == -0.951
    assert round(ceiling(RUNNING_EXAMPLE), 3) == 0.252


def test_the_soft_classifier_of_the_running_example_follows_from_bayes_rule():
    # P(C and output C) / P(output C) = (.7 .9 .8 + .2 .05 .1 + .1 .5 .5) / (.7 .9 + .2 .05 + .1 .5) = .53 / .69
    # P(C and output D) / P(output D) = (.7 .1 .8 + .2 .95 .1 + .1 .5 .5) / .31 = .10 / .31
    reports = reports_of(RUNNING_EXAMPLE, SOFT_CLASSIFIER)
    np.testing.assert_allclose(reports, [[0.53 / 0.69, 0.16 / 0.69], [0.10 / 0.31, 0.21 / 0.31]], atol=1e-14)


def test_the_hard_classifier_of_the_running_example_agrees_with_a_rater_as_often_as_counted_by_hand():
    # P(both C) + P(both D) = .53 + .21, from the test above
    assert classifier_agreement(RUNNING_EXAMPLE, HARD_CLASSIFIER) == pytest.approx(0.74)


def test_agreement_of_the_running_example_by_hand():
    # pairs agree: .7 (.64 + .04) + .2 (.01 + .81) + .1 (.25 + .25) = .69; by chance: .63^2 + .37^2 = .5338
    assert pairwise_agreement(RUNNING_EXAMPLE) == pytest.approx(0.69)
    assert limiting_alpha(RUNNING_EXAMPLE) == pytest.approx(0.1562 / 0.4662)


def test_alpha_of_an_urn_with_one_label_in_use_is_undefined():
    assert isnan(limiting_alpha(Urn(labels=("a", "b"), states=[[1, 0]], weights=[1])))


def bits_by_sequences(urn, raters):
    """Mutual information of the next label with every ordered sequence of labels, in plain Python."""
    states, weights, n_labels = urn.states.tolist(), urn.weights.tolist(), len(urn.labels)
    joint = {}
    for *survey, label in itertools.product(range(n_labels), repeat=raters + 1):
        for state, weight in zip(states, weights, strict=True):
            probability = weight * state[label]
            for given_label in survey:
                probability *= state[given_label]
            joint[tuple(survey), label] = joint.get((tuple(survey), label), 0.0) + probability
    rows, columns = {}, {}
    for (survey, label), probability in joint.items():
        rows[survey] = rows.get(survey, 0.0) + probability
        columns[label] = columns.get(label, 0.0) + probability
    return sum(p * log2(p / rows[survey] / columns[label]) for (survey, label), p in joint.items() if p > 0)


@settings(deadline=None, max_examples=40)
@given(urns(), st.integers(0, 4))
def test_information_of_a_survey_equals_the_sum_over_all_sequences_of_labels(urn, raters):
    assert survey_information(urn, raters) == pytest.approx(bits_by_sequences(urn, raters), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(urns(), st.integers(1, 8))
def test_more_raters_tell_more_and_never_more_than_the_state(urn, raters):
    fewer, more = survey_information(urn, raters - 1), survey_information(urn, raters)
    assert fewer - 1e-12 <= more <= ceiling(urn) + 1e-12
    assert ceiling(urn) == pytest.approx(omniscient_score(urn) - prior_score(urn), abs=1e-12)


def test_very_many_raters_tell_as_much_as_the_state():
    assert survey_information(RUNNING_EXAMPLE, 400) == pytest.approx(ceiling(RUNNING_EXAMPLE), abs=1e-4)


def test_a_label_that_a_state_excludes_gives_the_state_away():
    urn = Urn(labels=("a", "b"), states=[[1, 0], [0, 1]], weights=[0.5, 0.5])
    assert survey_information(urn, 0) == 0
    assert survey_information(urn, 3) == pytest.approx(1)  # one fair coin


def test_label_counts_are_all_the_ways_to_share_ratings():
    ways = label_counts(4, 3).tolist()
    assert len(ways) == comb(6, 2)
    assert sorted(map(tuple, ways)) == sorted(c for c in itertools.product(range(5), repeat=3) if sum(c) == 4)


def test_too_many_surveys_are_refused():
    urn = Urn(labels=tuple("abcdefghij"), states=np.full((1, 10), 0.1), weights=[1])
    with pytest.raises(OptionError, match="Surveys of 20 raters with 10 labels come out in 10,015,005 ways, too many"):
        survey_information(urn, 20)


def test_a_calibrated_classifier_scores_its_information_above_the_prior():
    # Theorem 2 of the paper
    gain = classifier_score(RUNNING_EXAMPLE, SOFT_CLASSIFIER) - prior_score(RUNNING_EXAMPLE)
    assert gain == pytest.approx(classifier_information(RUNNING_EXAMPLE, HARD_CLASSIFIER), abs=1e-12)
    assert gain == pytest.approx(0.53 * log2(0.53 / 0.69 / 0.63) + 0.16 * log2(0.16 / 0.69 / 0.37)
                                 + 0.10 * log2(0.10 / 0.31 / 0.63) + 0.21 * log2(0.21 / 0.31 / 0.37))  # fmt: skip


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_a_classifier_that_is_not_calibrated_scores_less(temperature):
    other = SoftClassifier.from_hard(HARD_CLASSIFIER, name="other", temperature=temperature)
    assert classifier_score(RUNNING_EXAMPLE, other) < classifier_score(RUNNING_EXAMPLE, SOFT_CLASSIFIER)
    # p^(1/T), rescaled, of .53 / .69
    powers = (0.53 / 0.69) ** (1 / temperature), (0.16 / 0.69) ** (1 / temperature)
    assert reports_of(RUNNING_EXAMPLE, other)[0, 0] == pytest.approx(powers[0] / sum(powers))


def test_the_score_of_noisy_reports_has_no_formula():
    assert isnan(classifier_score(RUNNING_EXAMPLE, SoftClassifier.from_hard(HARD_CLASSIFIER, name="n", noise=0.1)))


def test_a_survey_is_worth_its_own_number_of_raters():
    for raters in (0, 1, 5):
        gain = survey_information(RUNNING_EXAMPLE, raters)
        assert equivalent_raters(RUNNING_EXAMPLE, gain) == pytest.approx(raters, abs=1e-9)
    halfway = (survey_information(RUNNING_EXAMPLE, 2) + survey_information(RUNNING_EXAMPLE, 3)) / 2
    assert equivalent_raters(RUNNING_EXAMPLE, halfway) == pytest.approx(2.5)
    assert isnan(equivalent_raters(RUNNING_EXAMPLE, -0.01))
    assert isnan(equivalent_raters(RUNNING_EXAMPLE, ceiling(RUNNING_EXAMPLE)))


def test_an_omniscient_classifier_has_all_the_information_there_is():
    knows = SoftClassifier(name="knows", outputs=np.eye(3))
    assert classifier_information(TOXIC, knows) == pytest.approx(ceiling(TOXIC))
    assert classifier_score(TOXIC, knows) == pytest.approx(omniscient_score(TOXIC))


def test_a_signal_that_never_comes_is_reported_as_the_prior():
    blind = SoftClassifier(name="blind", outputs=[[1, 0], [1, 0], [1, 0]])
    np.testing.assert_allclose(reports_of(TOXIC, blind), [TOXIC.prior, TOXIC.prior])


@given(st.lists(st.integers(1, 99), min_size=2, max_size=5), st.integers(1, 4))
def test_rounded_reports_still_sum_to_one(weights, decimals):
    reports = np.array([weights]) / sum(weights)
    near = rounded(reports, decimals)
    assert near.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(near - reports).max() <= len(weights) * 10.0**-decimals
    assert np.allclose(near * 10**decimals, np.round(near * 10**decimals), atol=1e-9)


# Draws against the truth


def test_states_labels_and_answers_are_drawn_as_often_as_the_urn_says():
    n = 20_000
    hard = HardClassifier(name="h", outputs=[[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0, 0.3, 0.7]])
    ratings, judges, truth = simulate_urn(TOXIC, items=n, raters=3, classifiers=[hard], rng=7)
    state_of_rating, state_of_answer = truth.state[ratings.item], truth.state[judges.item]
    for state in range(3):
        assert is_near(np.mean(truth.state == state), TOXIC.weights[state], n)
        labels = ratings.label[state_of_rating == state]
        answers = judges.label[state_of_answer == state]
        for label in range(3):
            assert is_near(np.mean(labels == label), TOXIC.states[state, label], len(labels))
            assert is_near(np.mean(answers == label), hard.outputs[state, label], len(answers))


def test_two_raters_of_an_item_agree_as_often_as_the_formula_says():
    n = 40_000
    counts = simulate_urn(RUNNING_EXAMPLE, items=n, raters=2, rng=3).ratings.counts()
    assert is_near(np.mean(counts.max(axis=1) == 2), 0.69, n)


def test_alpha_of_many_items_is_near_its_limit():
    ratings = simulate_urn(TOXIC, items=5_000, raters=6, rng=1).ratings
    matrix = ratings.label.reshape(5_000, 6).T.astype(float)
    alpha = krippendorff.alpha(reliability_data=matrix, level_of_measurement="nominal")
    assert alpha == pytest.approx(limiting_alpha(TOXIC), abs=0.02)


def test_what_a_survey_of_one_says_about_the_next_rater_is_as_informative_as_the_formula_says():
    n = 100_000
    label = simulate_urn(TOXIC, items=n, raters=2, rng=4).ratings.label.reshape(n, 2)
    joint = np.zeros((3, 3))
    np.add.at(joint, (label[:, 0], label[:, 1]), 1 / n)
    estimate = (joint * np.log2(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))).sum()
    # The plug-in estimate is biased upwards by (3 - 1)^2 / (2 n ln 2) = .00003 and has a standard error near .002.
    assert estimate == pytest.approx(survey_information(TOXIC, 1), abs=0.01)


def test_the_score_of_a_soft_classifier_is_near_its_expectation():
    soft = SoftClassifier.from_hard(HARD_CLASSIFIER, name="soft", temperature=0.6)
    n = 40_000
    ratings, judges, _ = simulate_urn(RUNNING_EXAMPLE, items=n, raters=1, classifiers=[soft], rng=5)
    score = np.log2(judges.probability[ratings.item, ratings.label])
    assert abs(score.mean() - classifier_score(RUNNING_EXAMPLE, soft)) < STANDARD_ERRORS * score.std() / sqrt(n)


@pytest.mark.parametrize("consistency", [0.0, 0.6, 1.0])
def test_further_samples_repeat_the_first_answer_as_often_as_asked(consistency):
    coin = HardClassifier(name="coin", outputs=[[0.5, 0.5]] * 3, consistency=consistency)
    n = 20_000
    judges = simulate_urn(RUNNING_EXAMPLE, items=n, raters=1, classifiers=[coin], samples=3, rng=2).judges
    answers = judges.label.reshape(n, 3)
    for sample in (1, 2):  # repeated, or drawn anew and the same by chance
        assert is_near(np.mean(answers[:, sample] == answers[:, 0]), consistency + (1 - consistency) / 2, n)
        assert is_near(np.mean(answers[:, sample] == 0), 0.5, n)


def test_noise_moves_the_reports_and_keeps_them_probabilities():
    noisy = SoftClassifier.from_hard(HARD_CLASSIFIER, name="noisy", noise=0.3, decimals=3)
    judges = simulate_urn(RUNNING_EXAMPLE, items=2_000, raters=1, classifiers=[noisy], rng=2).judges
    np.testing.assert_allclose(judges.probability.sum(axis=1), 1, atol=1e-12)
    log_odds = np.log(judges.probability[:, 0] / judges.probability[:, 1])
    after_cat = log_odds[log_odds > (np.log(0.53 / 0.16) + np.log(0.10 / 0.21)) / 2]
    # Each logarithm has noise .3, so the log-odds have .3 sqrt(2) around log(.53 / .16); the cut takes off 1%.
    assert after_cat.std() == pytest.approx(0.3 * sqrt(2), abs=0.05)
    assert after_cat.mean() == pytest.approx(np.log(0.53 / 0.16), abs=0.05)


# Raters


def test_ragged_items_have_distinct_raters_and_every_number_in_the_range():
    n = 6_000
    ratings = simulate_urn(RUNNING_EXAMPLE, items=n, raters=[Panel(per_item=(3, 9), pool=12)], rng=0).ratings
    assert len(np.unique(ratings.item * 12 + ratings.rater)) == ratings.n_ratings
    per_item = np.bincount(ratings.item)
    for number in range(3, 10):
        assert is_near(np.mean(per_item == number), 1 / 7, n)
    # Six of twelve on average: each rater rates half of the items, and each pair of raters meets as often as any other.
    rated = np.zeros((n, 12), dtype=bool)
    rated[ratings.item, ratings.rater] = True
    assert all(is_near(share, 0.5, n) for share in rated.mean(axis=0))
    meet = sum(m * (m - 1) for m in range(3, 10)) / 7 / (12 * 11)
    together = rated.T.astype(float) @ rated / n
    assert all(is_near(together[i, j], meet, n) for i in range(12) for j in range(i))


def test_a_fixed_number_of_raters_is_everybody():
    ratings = simulate_urn(RUNNING_EXAMPLE, items=4, raters=3, rng=0).ratings
    assert ratings.raters == ("rater-1", "rater-2", "rater-3")
    assert ratings.rater.tolist() == [0, 1, 2] * 4
    assert ratings.group is None
    assert ratings.elicitation is None


def experts(asked, **rule):
    panel = Panel(name="expert", per_item=2, pool=5, asked=asked, rule=ResponseRule(**rule))
    drawn = simulate_urn(TOXIC, items=2_000, raters=[Panel(name="crowd", per_item=(0, 2), pool=9), panel], rng=6)
    return drawn.ratings, drawn.truth


def test_a_response_set_is_the_own_choice_and_what_the_rule_adds():
    ratings, truth = experts("both", threshold=0.2)
    # In plain Python: the options at .2 or more are {no}, {no, some, much} and {some, much} in the three states.
    likely = [{"no"}, {"no", "some", "much"}, {"some", "much"}]
    choice = {}
    for row in range(ratings.n_ratings):
        key, label = (ratings.item[row], ratings.rater[row]), ratings.labels[ratings.label[row]]
        if ratings.groups[ratings.group[row]] == "crowd" or ratings.elicitation[row] == 0:
            assert label in TOXIC.labels
            choice[key] = label
        else:  # the forced choice stands in the row before
            assert set(label.split("|")) == likely[truth.state[ratings.item[row]]] | {choice[key]}
    assert set(ratings.labels) == {"no", "some", "much", "no|some", "no|much", "some|much", "no|some|much"}
    assert ratings.has_response_sets


def test_likely_options_are_endorsed_as_often_as_asked():
    ratings, truth = experts("response_set", threshold=0.2, chance=0.7)
    sets = ratings.of_group("expert")
    in_second = np.isin(sets.item, np.flatnonzero(truth.state == 1))
    has_no = np.array(["no" in label.split("|") for label in sets.labels])[sets.label[in_second]]
    # In the second state "no" is the own choice with .3, and else endorsed with .7.
    assert is_near(has_no.mean(), 0.3 + 0.7 * 0.7, in_second.sum())
    assert (sets.elicitation == 1).all()


def test_an_item_that_nobody_rated_is_no_item_of_the_ratings():
    ratings, judges, truth = simulate_urn(
        RUNNING_EXAMPLE, items=100, raters=(0, 1), classifiers=[HARD_CLASSIFIER], rng=0
    )
    assert 0 < ratings.n_items < 100
    assert set(ratings.items) < set(truth.items) == set(judges.items)


# Seeds, files


def everything(rng):
    return simulate_urn(
        TOXIC, items=40, raters=(2, 5), classifiers=[SoftClassifier(name="s", outputs=np.eye(3), noise=1)], rng=rng
    )


def test_the_same_seed_gives_the_same_data_and_another_seed_others():
    one, same, other = everything(1), everything(np.random.default_rng(1)), everything(2)
    assert np.array_equal(one.ratings.label, same.ratings.label)
    assert np.array_equal(one.judges.probability, same.judges.probability)
    assert not np.array_equal(one.truth.state, other.truth.state)


def test_judges_do_not_change_the_ratings():
    without = simulate_urn(TOXIC, items=40, raters=(2, 5), rng=1)
    assert np.array_equal(without.ratings.label, everything(1).ratings.label)
    assert without.judges.n_answers == 0


def test_simulated_data_are_what_reading_their_files_gives(tmp_path):
    panels = [Panel(name="crowd", per_item=(1, 3), pool=30), Panel(name="expert", per_item=(0, 2), asked="both")]
    hard = HardClassifier(name="hard", outputs=[[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0, 0.3, 0.7]], consistency=0.5)
    soft = SoftClassifier.from_hard(hard, name="a soft one", decimals=3)
    ratings, judges, _ = simulate_urn(TOXIC, items=25, raters=panels, classifiers=[hard, soft], samples=2, rng=0)
    write_ratings(ratings, tmp_path / "ratings.csv")
    write_judges(judges, tmp_path / "judges.csv")
    again, judges_again = (
        read(tmp_path / "ratings.csv", labels=TOXIC.labels),
        read_judges(tmp_path / "judges.csv", labels=TOXIC.labels),
    )
    for name in ("items", "raters", "labels", "options", "groups", "scale"):
        assert getattr(again, name) == getattr(ratings, name), name
    for name in ("item", "rater", "label", "group", "elicitation"):
        assert np.array_equal(getattr(again, name), getattr(ratings, name)), name
    for name in ("items", "judges", "labels", "options"):
        assert getattr(judges_again, name) == getattr(judges, name), name
    for name in ("item", "judge", "sample", "label"):
        assert np.array_equal(getattr(judges_again, name), getattr(judges, name)), name
    np.testing.assert_allclose(judges_again.probability, judges.probability, atol=1e-12)
    assert not again.warnings
    assert not judges_again.warnings


def test_the_truth_is_plain_json_with_a_state_for_each_item():
    truth = everything(1).truth
    told = json.loads(truth.to_json())
    assert told["urn"]["weights"] == [0.5, 0.3, 0.2]
    assert told["exact"]["survey_information"] == pytest.approx(
        [bits_by_sequences(TOXIC, k) for k in range(5)], abs=1e-6
    )
    assert list(told["states"]) == list(truth.items)
    assert list(told["states"].values()) == [row["state"] for row in truth.rows()]
    judge = told["classifiers"][0]
    assert judge["judge"] == "s"
    assert judge["score"] is None  # noisy: no formula
    assert judge["equivalent_raters"] is None  # it knows the state, as no survey does


def test_the_readme_says_what_was_drawn():
    panels = [Panel(name="crowd", per_item=(3, 7), pool=24), Panel(name="expert", per_item=2, asked="both")]
    hard = HardClassifier(name="hard", outputs=np.eye(3), consistency=0.5)
    soft = SoftClassifier(name="soft", outputs=np.eye(3), temperature=2)
    truth = simulate_urn(TOXIC, items=9, raters=panels, classifiers=[hard, soft], samples=5, rng=0).truth
    text = readme_of(truth, title="Some data", about="About.", made_with="`this` (seed 0)", samples=5)
    assert text.startswith("# Some data\n\nAbout.\n\n")
    assert "Made with `this` (seed 0)." in text
    assert "| 1 | 30% | 30% | 50% | 20% |" in text
    assert "rated by 3 to 7 of 24 raters of the group `crowd`, who gave one label each" in text
    assert "rated by all 2 raters of the group `expert`" in text
    assert "asked 5 times about each item" in text
    # What knows the state agrees with .5 .8 + .3 .5 + .2 .7 = .69 of the raters.
    assert "| `hard` | 0.690 |" in text
    assert "`hard` repeats its first answer to an item with probability 0.5." in text
    assert "`soft` answers with probabilities and is not sure enough (temperature 2)." in text


# Refusals


def urn(**changes):
    return Urn(**{"labels": ("a", "b"), "states": [[0.5, 0.5], [0.1, 0.9]], "weights": [0.5, 0.5], **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": ("a",)}, "at least two labels, and this one has 1"),
        ({"labels": ("a", "a")}, "The label 'a' is listed twice"),
        ({"labels": ("a|b", "c")}, r"The label 'a\|b' cannot be used"),
        ({"labels": ("1.0", "2")}, r"numbers are written short \(1, not 1.0\)"),
        ({"labels": ("a", "b", "c")}, "3 labels, and its states have 2 probabilities"),
        ({"states": [[0.5, 0.5], [0.1, 0.8]]}, "The urn's states, state 2, sums to 0.9, not to 1"),
        ({"states": [[1.5, -0.5], [0.1, 0.9]]}, "state 1, has -0.5: a probability lies between 0 and 1"),
        ({"states": [[np.nan, 1], [0.1, 0.9]]}, "state 1, has nan"),
        ({"states": [0.5, 0.5]}, r"must be a table of numbers, and its shape is \(2,\)"),
        ({"states": [["x", "y"]]}, "must be numbers"),
        ({"weights": [1]}, "2 states and 1 weights"),
        ({"weights": [0.5, 0.4]}, "The weights of the states sums to 0.9"),
        ({"scale": "fancy"}, "The urn's scale cannot be 'fancy'"),
    ],
)
def test_an_urn_that_is_none_is_refused(changes, message):
    with pytest.raises(OptionError, match=message):
        urn(**changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HardClassifier(name=" ", outputs=np.eye(2)), "needs a name"),
        (lambda: HardClassifier(name="h", outputs=[[0.5, 0.6]]), "The outputs of h, state 1, sums to 1.1"),
        (lambda: HardClassifier(name="h", outputs=np.eye(2), consistency=1.5), "consistency of h is 1.5"),
        (lambda: SoftClassifier(name="s", outputs=np.eye(2), temperature=0), "temperature of s is 0"),
        (lambda: SoftClassifier(name="s", outputs=np.eye(2), noise=-1), "noise of s is -1"),
        (lambda: SoftClassifier(name="s", outputs=np.eye(2), decimals=0), "s reports 0 decimals"),
        (lambda: Panel(per_item=(5, 3)), "Raters per item go from 5 to 3"),
        (lambda: Panel(per_item=0), "Raters per item go from 0 to 0"),
        (lambda: Panel(per_item=5, pool=4), "4 raters cannot give 5 ratings"),
        (lambda: Panel(per_item=5, asked="nicely"), "cannot be 'nicely'"),
        (lambda: ResponseRule(threshold=2), "threshold of the response rule is 2"),
        (lambda: simulate_urn(urn(), items=0), "0 items and 1 samples"),
        (lambda: simulate_urn(urn(), items=3, raters=[]), "Raters must be a number"),
        (
            lambda: simulate_urn(urn(), items=3, raters=[Panel(per_item=1)] * 2),
            "Two panels have no name: name them apart",
        ),
        (
            lambda: simulate_urn(urn(), items=3, classifiers=[HARD_CLASSIFIER]),
            "has outputs for 3 states, and the urn has 2",
        ),
        (
            lambda: simulate_urn(urn(), items=3, classifiers=[HardClassifier(name="h", outputs=np.eye(2))] * 2),
            "Two classifiers are called 'h'",
        ),
        (
            lambda: simulate_urn(urn(), items=3, classifiers=[HardClassifier(name="h", outputs=np.eye(2, 3))]),
            "h has 3 outputs, and the urn has 2 labels",
        ),
        (
            lambda: simulate_urn(
                Urn(labels=tuple("abcdefghijklmnopq"), states=np.eye(1, 17), weights=[1]),
                items=3,
                raters=[Panel(per_item=1, asked="both")],
            ),
            "Response sets over 17 labels: at most 16",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(OptionError, match=message):
        make()


def test_an_urn_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        RUNNING_EXAMPLE.states[0, 0] = 1
