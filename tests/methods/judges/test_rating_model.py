import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import judges as rank_judges
from dissensus import read, read_judges
from dissensus.data import Task
from dissensus.data.labels import membership
from dissensus.errors import OptionError, TaskError
from dissensus.methods.judges.reverse_matrix import (
    is_fully_specified,
    is_identifiable,
    sets_behind_choices,
    specification_sentence,
)
from dissensus.simulation.indeterminate_model import (
    choice_matrix,
    choice_weights,
    endorsements,
    error_matrix,
    forced_choices,
    observed_sets,
    recalled_sets,
    response_sets,
    reverse_choice,
    reverse_error,
    selection_effect,
)

TASKS = [(2, 2), (2, 3), (3, 3), (3, 5), (3, 7), (4, 10), (5, 20)]


def random_model(n_options, n_sets, seed, *, zeros=0.0):
    """Theta, E and F with nothing special about them; some of theta and of F is 0 where zeros are asked for."""
    rng = np.random.default_rng(seed)
    members = response_sets(n_options, n_sets)
    stable = rng.dirichlet(np.ones(n_sets)) * (rng.random(n_sets) >= zeros)
    stable = stable / stable.sum() if stable.sum() > 0 else np.eye(n_sets)[0]
    error = rng.dirichlet(np.ones(n_sets), size=n_sets).T
    choice = choice_matrix(rng.random((n_options, n_sets)) * (rng.random((n_options, n_sets)) >= zeros), members)
    return members, stable, error, choice


def joint_distribution(stable, error, choice):
    """P(set in mind, set given, option chosen), term by term."""
    n_options, n_sets = choice.shape
    return {
        (u, v, k): stable[u] * error[v, u] * choice[k, v]
        for u, v, k in itertools.product(range(n_sets), range(n_sets), range(n_options))
    }


# Theorem 3.3


@pytest.mark.parametrize(("n_options", "n_sets"), TASKS)
@pytest.mark.parametrize("seed", range(5))
def test_forced_choices_and_endorsements_are_marginals_of_the_joint_distribution(n_options, n_sets, seed):
    members, stable, error, choice = random_model(n_options, n_sets, seed)
    joint = joint_distribution(stable, error, choice)
    observed = observed_sets(stable, error)
    chosen = [sum(p for (_, _, k), p in joint.items() if k == option) for option in range(n_options)]
    endorsed = [sum(p for (_, v, _), p in joint.items() if members[v, option]) for option in range(n_options)]
    assert np.abs(forced_choices(choice, observed) - chosen).max() <= 1e-12
    assert np.abs(endorsements(observed, members) - endorsed).max() <= 1e-12


@given(st.sampled_from(TASKS), st.integers(0, 10**6), st.sampled_from([0.0, 0.4]))
def test_the_reverse_matrices_lead_back_from_forced_choices_to_the_sets_in_mind(task, seed, zeros):
    members, stable, error, choice = random_model(*task, seed, zeros=zeros)
    observed = observed_sets(stable, error)
    soft = forced_choices(choice, observed)
    reverse_f, reverse_e = reverse_choice(choice, observed, members), reverse_error(error, stable)
    assert np.abs(recalled_sets(soft, reverse_f) - observed).max() <= 1e-12
    assert np.abs(recalled_sets(recalled_sets(soft, reverse_f), reverse_e) - stable).max() <= 1e-12


@given(st.sampled_from(TASKS), st.integers(0, 10**6), st.sampled_from([0.0, 0.6]))
def test_rows_of_the_reverse_matrices_are_distributions_over_sets_with_the_option(task, seed, zeros):
    members, stable, error, choice = random_model(*task, seed, zeros=zeros)
    reverse_f = reverse_choice(choice, observed_sets(stable, error), members)
    reverse_e = reverse_error(error, stable)
    for reverse in (reverse_f, reverse_e):
        assert reverse.min() >= 0
        assert np.allclose(reverse.sum(axis=1), 1, atol=1e-12)
    assert (reverse_f[~members.T] == 0).all()


def test_the_reverse_matrix_is_bayes_rule():
    # Option 1 comes from {1} (.2) and, half the time, from {1, 2} (.4): .2 / .4 = 1/2 each.
    reverse = reverse_choice(np.array([[1, 0, 0.5], [0, 1, 0.5]]), np.array([0.2, 0.4, 0.4]), response_sets(2))
    assert np.allclose(reverse, [[1 / 2, 0, 1 / 2], [0, 2 / 3, 1 / 3]])


def test_items_and_judges_stand_on_leading_axes():
    models = [random_model(3, 7, seed) for seed in range(6)]
    members = models[0][0]
    stable, error, choice = (np.array([model[i] for model in models]) for i in (1, 2, 3))
    observed = observed_sets(stable, error)
    soft = forced_choices(choice, observed)
    back = recalled_sets(recalled_sets(soft, reverse_choice(choice, observed, members)), reverse_error(error, stable))
    assert np.abs(back - stable).max() <= 1e-12
    assert np.array_equal(observed[3], observed_sets(stable[3], error[3]))


# The parts


def test_response_sets_come_by_size_and_then_in_the_order_of_the_options():
    expected = membership(["A", "B", "C", "A|B", "A|C", "B|C", "A|B|C"], ["A", "B", "C"])
    assert np.array_equal(response_sets(3), expected)
    assert np.array_equal(response_sets(3, 5), expected[:5])


@pytest.mark.parametrize(
    ("n_options", "n_sets", "message"),
    [
        (1, 1, "1 options: give a number from 2 to 16."),
        (17, 17, "17 options: give a number from 2 to 16."),
        (3, 8, "8 response sets of 3 options: give a number from 3 to 7."),
        (3, 2, "2 response sets of 3 options: give a number from 3 to 7."),
    ],
)
def test_sets_that_do_not_exist_are_refused(n_options, n_sets, message):
    with pytest.raises(OptionError, match=f"^{message}$"):
        response_sets(n_options, n_sets)


def test_errors_fall_evenly_without_skew():
    error = error_matrix(response_sets(3), 0.3)
    assert np.allclose(error, 0.05 + 0.65 * np.eye(7))  # .3 shared by six other sets


@pytest.mark.parametrize(
    ("skew", "order"),
    [(1, [0, 3, 4, 6, 1, 2, 5]), (-1, [1, 2, 5, 0, 3, 4, 6])],  # A, AB, AC, ABC have the first option; B, C, BC do not
)
def test_skewed_errors_weigh_one_over_the_rank_among_the_other_sets(skew, order):
    error = error_matrix(response_sets(3), 0.3, skew)
    for in_mind in range(7):
        others = [s for s in order if s != in_mind]
        harmonic = sum(1 / rank for rank in range(1, 7))
        for rank, given_set in enumerate(others, start=1):
            assert error[given_set, in_mind] == pytest.approx(0.3 / rank / harmonic)
        assert error[in_mind, in_mind] == pytest.approx(0.7)


def test_the_power_of_the_skew_sharpens_it():
    gentle, sharp = (error_matrix(response_sets(2), 0.5, skew)[0, 1] for skew in (1, 2))
    assert gentle == pytest.approx(0.5 * 2 / 3)  # weights 1 and 1/2
    assert sharp == pytest.approx(0.5 * 4 / 5)  # weights 1 and 1/4


def test_an_error_that_is_no_probability_is_refused():
    with pytest.raises(OptionError, match=r"^The size of the error is 1.5: it must lie between 0 and 1.$"):
        error_matrix(response_sets(2), 1.5)


def test_weights_of_choices_fall_from_the_first_or_from_the_last_option_of_the_set():
    members = membership(["A|C|D"], ["A", "B", "C", "D"])
    assert np.allclose(choice_weights(members, 1.0)[:, 0], [1, 0, np.exp(-1), np.exp(-2)])
    assert np.allclose(choice_weights(members, -2.0)[:, 0], [np.exp(-4), 0, np.exp(-2), 1])
    assert np.allclose(choice_weights(members, 0.0)[:, 0], [1, 0, 1, 1])


def test_a_set_without_any_weight_has_its_options_equally_likely():
    members = response_sets(2)
    choice = choice_matrix(np.array([[1.0, 0.0, -0.1], [0.0, 1.0, 0.0]]), members)
    assert np.allclose(choice, [[1, 0, 0.5], [0, 1, 0.5]])


@pytest.mark.parametrize(("n_options", "n_sets"), TASKS)
def test_the_selection_effect_of_chance_is_one(n_options, n_sets):
    members = response_sets(n_options, n_sets)
    assert selection_effect(choice_matrix(choice_weights(members, 0.0), members), members) == pytest.approx(1)


def test_the_selection_effect_is_the_ratio_to_chance():
    # {A} alone is certain (1 of 1), {A, B} chooses A with probability p (2p of 1): (1 + 2p) / 2.
    members = response_sets(2)
    choice = choice_matrix(choice_weights(members, 2.0), members)
    p = 1 / (1 + np.exp(-2))
    assert selection_effect(choice, members) == pytest.approx((1 + 2 * p) / 2)


# Theorem 3.4


@settings(max_examples=30)
@given(st.integers(2, 4).flatmap(lambda k: st.tuples(st.just(k), st.integers(k, 2**k - 1))), st.integers(0, 10**6))
def test_with_every_option_alone_among_the_sets_identifiable_means_full_rank(task, seed):
    members, _, _, choice = random_model(*task, seed)
    assert is_identifiable(members) == (np.linalg.matrix_rank(choice) == len(members))


def test_an_underspecified_task_has_different_sets_behind_the_same_choices():
    members, stable, _, choice = random_model(3, 7, seed=1)
    direction = np.linalg.svd(choice)[2][-1]  # choosing cannot tell theta from theta + t direction
    other = stable + 0.5 * direction * np.min(stable[direction < 0] / -direction[direction < 0])
    assert np.allclose(forced_choices(choice, other), forced_choices(choice, stable), atol=1e-12)
    assert np.abs(endorsements(other, members) - endorsements(stable, members)).max() > 0.01


def test_sets_without_a_common_option_are_told_by_the_choice():
    assert is_identifiable(membership(["A|B", "C"], ["A", "B", "C"]))
    assert not is_identifiable(membership(["A|B", "B|C"], ["A", "B", "C"]))


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"options": ("a", "b", "c")}, "Your task is underspecified: three options, seven admissible sets."),
        ({"options": ("a", "b")}, "Your task is underspecified: two options, three admissible sets."),
        (
            {"options": ("a", "b", "c"), "response_sets": "single"},
            "Your task is fully specified: three options, three admissible sets.",
        ),
        (
            {"options": ("a", "b", "c"), "response_sets": (("a",), ("b",), ("c",), ("b", "a"))},
            "Your task is underspecified: three options, four admissible sets.",
        ),
        (
            {"options": ("a", "b", "c"), "response_sets": (("a", "b"), ("c",), ("b", "a"))},
            "Your task is fully specified: three options, two admissible sets.",
        ),
        (
            {"options": tuple(str(i) for i in range(20))},  # too many to list
            "Your task is underspecified: 20 options, 1,048,575 admissible sets.",
        ),
    ],
)
def test_the_sentence_counts_options_and_admissible_sets(task, sentence):
    assert specification_sentence(Task(**task)) == sentence


def asked(answers, kind, who):
    """Answers, a list for each item, as a table of one elicitation."""
    rows = [(f"i{i:02}", f"{who}{k}", label, kind) for i, own in enumerate(answers) for k, label in enumerate(own)]
    return pd.DataFrame(rows, columns=["item", who, "label", "elicitation"])


TOLD = Task(options=("A", "B", "C"), positive=("B",), response_sets=(("A", "B"), ("C",)))
BEHIND = {"A": "A|B", "B": "A|B", "C": "C"}


def told_and_given(task=TOLD, **options):
    """Judges ranked by forced choices, and by the response sets that stand behind them."""
    rng = np.random.default_rng(0)
    people, judges = (rng.choice(["A", "B", "C"], (30, n)).tolist() for n in (3, 2))
    found = []
    for kind, spelled in (("forced_choice", str), ("response_set", BEHIND.__getitem__)):
        said, answered = ([[spelled(label) for label in own] for own in side] for side in (people, judges))
        ratings = read(asked(said, kind, "rater"), labels=["A", "B", "C"])
        found.append(rank_judges(ratings, read_judges(asked(answered, kind, "judge")), task=task, **options))
    return found


def test_where_the_choice_tells_the_set_judges_rank_as_if_the_sets_had_been_asked_for():
    told, given = told_and_given(bootstrap=20)
    of_sets = [own for own in told.definitions if "response_set" in f"{own.judge_aggregation}{own.human_aggregation}"]
    both = [own for own in of_sets if own.judge_aggregation.endswith("set") and own.human_aggregation.endswith("set")]
    assert {"bce", "mse_response_set", "precision", "recall"} <= {own.definition for own in both}
    others = {own.id: own for own in given.definitions}
    for own in both:
        for mine, theirs in zip(own.values, others[own.id].values, strict=True):
            assert mine.judge == theirs.judge
            expected = (theirs.value, theirs.low, theirs.high)
            assert (mine.value, mine.low, mine.high) == pytest.approx(expected, nan_ok=True)
    decisions = [[(row.judge, row.tau, row.consistency, row.bias) for row in one.downstream] for one in (told, given)]
    assert decisions[0] == decisions[1]


def test_where_the_choice_tells_the_set_a_choice_outside_the_positive_options_may_be_positive():
    ratings = read(asked([["A"], ["B"], ["C"], ["C"]], "forced_choice", "rater"), labels=["A", "B", "C"])
    judges = read_judges(asked([["A"], ["A"], ["B"], ["C"]], "forced_choice", "judge"))
    result = rank_judges(ratings, judges, task=TOLD, bootstrap=0)
    row = next(own for own in result.downstream if own.judge == "judge0" and own.tau == 0.5)
    assert (row.consistency, row.bias) == (3 / 4, 1 / 4)  # {A, B} on two items by people, on three by the judge
    assert "a forced choice counts as the whole set that it is in" in " ".join(result.warnings)


def test_advice_and_its_reason_agree_on_whether_a_task_is_fully_specified():
    told, _ = told_and_given(bootstrap=0)
    assert is_fully_specified(TOLD)
    assert not [own for own in told.advice if own.text.startswith(("Add an option", "Ask raters"))]
    assert told.sensitivity == ()
    open_task = Task(options=("A", "B", "C"), positive=("B",), response_sets=(("A", "B"), ("C",), ("B",)))
    advice = told_and_given(open_task, bootstrap=0)[0].advice
    reason = next(own.reason for own in advice if own.text.startswith("Add an option"))
    assert not is_fully_specified(open_task)
    assert reason.startswith("Your task is underspecified: three options, three admissible sets.")


@pytest.mark.parametrize("sets", ["any", "single", (("A",), ("B",), ("C",)), (("A", "B"), ("B", "C"))])
def test_choices_tell_no_larger_sets_in_other_tasks(sets):
    assert sets_behind_choices(Task(options=("A", "B", "C"), response_sets=sets)) is None


def test_an_option_in_no_set_stands_for_itself():
    behind = sets_behind_choices(Task(options=("A", "B", "C"), response_sets=(("A", "C"),)))
    assert behind.tolist() == [[True, False, True], [False, True, False], [True, False, True]]


def test_a_task_of_one_option_cannot_be_made():
    with pytest.raises(TaskError, match="at least two options"):
        Task(options=("a",))
