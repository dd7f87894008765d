import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from dissensus import read, read_judges, read_task
from dissensus.cli.inputs import Output
from dissensus.cli.simulate import number_or_range, simulate_indeterminate_command
from dissensus.errors import OptionError
from dissensus.methods.reproduce.judges_without_gold_findings import measures_of
from dissensus.simulation.indeterminate import (
    TAUS,
    Seen,
    best_judge,
    consistency,
    readme_of,
    seen_of,
    selected_consistency,
    simulate_indeterminate,
    task_of,
)
from dissensus.simulation.indeterminate_model import (
    Indeterminacy,
    choice_matrix,
    choice_weights,
    draw_population,
    error_matrix,
    onto_simplex,
    oracle_marginals,
    response_sets,
    sample_choices,
)

from judges_builders import sample_pairs

SHAPES = [(2, 3), (3, 3), (3, 7), (4, 10)]
STANDARD_ERRORS = 5


def population_of(seed=0, *, items=100, judges=20, **design):
    return draw_population(Indeterminacy(**design), items=items, judges=judges, rng=seed)


def is_near(mean, expected, values):
    return np.abs(mean - expected).max() <= STANDARD_ERRORS * np.std(values) / np.sqrt(len(values))


# Populations


@given(st.sampled_from(SHAPES), st.integers(0, 10**6), st.sampled_from([-2.0, 0.0, 1.0]))
def test_everything_drawn_is_a_distribution(shape, seed, gamma):
    drawn = population_of(
        seed, items=6, judges=3, n_options=shape[0], n_sets=shape[1], gamma=gamma, judge_gamma=(-1.0, 1.0), error=0.2
    )
    for values in (drawn.stable, drawn.observed, drawn.soft, drawn.judge_stable, drawn.judge_soft, drawn.stable_soft):
        assert values.min() >= 0
        assert np.allclose(values.sum(axis=-1), 1)
    for choice in (drawn.choice, drawn.judge_choice):
        assert np.allclose(choice.sum(axis=-2), 1)
        assert (choice[..., ~drawn.members.T] == 0).all()
    for endorsed, chosen in ((drawn.marginals, drawn.soft), (drawn.judge_marginals, drawn.judge_soft)):
        assert (endorsed >= chosen - 1e-12).all()  # what is chosen is endorsed


def test_theta_is_uniform_on_the_simplex():
    # Dirichlet(1, ..., 1) over V sets: mean 1/V, variance (V - 1) / (V^2 (V + 1)).
    stable = population_of(items=20_000, judges=0, n_options=3, n_sets=7).stable
    assert is_near(stable.mean(axis=0), 1 / 7, stable[:, 0])
    assert np.allclose(stable.var(axis=0), 6 / (49 * 8), rtol=0.05)


def test_choices_follow_the_exponential_of_the_rank_with_noise_of_a_twentieth():
    drawn = population_of(items=20_000, judges=0, n_options=2, n_sets=3, gamma=1.0)
    ratio = drawn.choice[:, 1, 2] / drawn.choice[:, 0, 2]  # (exp(-1) + e) / (1 + e')
    expected = np.exp(-1) * (1 + 0.05**2)  # to second order in the noise
    assert is_near(ratio.mean(), expected, ratio)
    assert np.std(ratio) == pytest.approx(np.hypot(0.05, 0.05 * np.exp(-1)), rel=0.03)
    assert np.allclose(drawn.choice[:, :, :2], np.eye(2))  # one option leaves no choice


def test_each_item_and_each_judge_chooses_in_its_own_way():
    drawn = population_of(items=3, judges=2)
    assert not np.allclose(drawn.choice[0], drawn.choice[1])
    assert not np.allclose(drawn.judge_choice[0, 0], drawn.judge_choice[1, 0])
    assert not np.allclose(drawn.judge_choice[0, 0], drawn.judge_choice[0, 1])


def test_the_error_matrix_is_that_of_the_design():
    drawn = population_of(items=2, judges=0, error=0.5, skew=1.0)
    assert np.array_equal(drawn.error, error_matrix(response_sets(3), 0.5, 1.0))
    assert np.allclose(drawn.observed, drawn.stable @ drawn.error.T)
    assert np.allclose(drawn.marginals, drawn.observed @ drawn.members)


def test_judges_are_people_with_projected_noise():
    drawn = population_of(items=400, judges=200, sigma=(0.02, 0.4))
    assert drawn.sigma.min() >= 0.02
    assert drawn.sigma.max() <= 0.4
    assert drawn.sigma.mean() == pytest.approx(0.21, abs=0.03)
    apart = np.sqrt(((drawn.judge_stable - drawn.stable) ** 2).mean(axis=(1, 2)))
    assert np.corrcoef(apart, drawn.sigma)[0, 1] > 0.95
    assert (apart <= drawn.sigma).all()  # a projection onto a convex set moves nothing away from it


def test_a_judge_without_noise_is_people_without_error():
    drawn = population_of(items=5, judges=3, sigma=(0.0, 0.0), error=0.3)
    assert np.allclose(drawn.judge_marginals, drawn.stable_marginals)
    assert [consistency(drawn, tau).tolist() for tau in TAUS] == [[1.0] * 3] * 3


def test_judges_share_a_gamma_or_draw_their_own():
    assert set(population_of(judges=5, judge_gamma=2.0).gamma) == {2.0}
    own = population_of(judges=500, items=1, judge_gamma=(-3.0, 3.0)).gamma
    assert own.min() < -2.9
    assert own.max() > 2.9
    assert own.mean() == pytest.approx(0, abs=STANDARD_ERRORS * np.sqrt(3 / 500))  # variance 36/12


def test_the_same_seed_gives_the_same_population():
    one, two = population_of(7, items=4, judges=3), population_of(7, items=4, judges=3)
    assert np.array_equal(one.judge_soft, two.judge_soft)
    assert not np.array_equal(one.soft, population_of(8, items=4, judges=3).soft)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=6))
def test_the_projection_is_the_nearest_distribution(point):
    found = onto_simplex(np.array(point))
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    nearest = minimize(
        lambda x: ((x - point) ** 2).sum(),
        np.full(len(point), 1 / len(point)),
        bounds=[(0, 1)] * len(point),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert np.allclose(found, nearest.x, atol=1e-5)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"n_sets": 8}, "8 response sets of 3 options: give a number from 3 to 7."),
        ({"error": -0.1}, "The size of the error is -0.1: it must lie between 0 and 1."),
        ({"gamma": np.inf}, "skew, gamma, judge_gamma and sigma must be finite numbers."),
        ({"judge_gamma": (3.0, -3.0)}, "The range of judge_gamma goes from 3 to -3: give the lower end first."),
        ({"sigma": (-0.1, 0.2)}, "sigma starts at -0.1: a standard deviation is 0 or more."),
    ],
)
def test_impossible_designs_are_refused_in_one_line(design, message):
    with pytest.raises(OptionError) as caught:
        Indeterminacy(**design)
    assert str(caught.value) == message


def test_a_population_that_does_not_fit_is_refused_before_it_is_drawn():
    with pytest.raises(OptionError, match=r"make 1,048,560,000 numbers: ask for fewer sets, items or judges"):
        draw_population(Indeterminacy(n_options=16, n_sets=2**16 - 1), items=100, judges=10)


# Samples


def test_sampled_choices_have_the_probabilities_of_the_population():
    soft = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
    shares = sample_choices(soft, 40_000, np.random.default_rng(0))
    assert np.allclose(shares, soft, atol=STANDARD_ERRORS * 0.5 / 200)
    assert np.allclose(sample_choices(soft, 4, np.random.default_rng(0)) * 4 % 1, 0)


def test_pairs_come_from_the_joint_distribution_over_items():
    drawn = population_of(items=4, judges=0, n_options=2, n_sets=3, error=0.2, gamma=1.0)
    choice, sets = sample_pairs(drawn, 60_000, np.random.default_rng(0))
    counts = np.bincount(choice * 3 + sets, minlength=6).reshape(2, 3) / 60_000
    assert np.allclose(counts, (drawn.choice * drawn.observed[:, None, :]).mean(axis=0), atol=5 * 0.5 / np.sqrt(60_000))
    assert drawn.members[sets, choice].all()


@given(st.sampled_from(SHAPES), st.integers(0, 10**6), st.sampled_from([0.0, 0.4]))
def test_the_oracle_undoes_choice_and_error_on_the_population(shape, seed, error):
    drawn = population_of(seed, items=5, judges=0, n_options=shape[0], n_sets=shape[1], error=error, skew=1.0)
    assert np.allclose(oracle_marginals(drawn, drawn.soft), drawn.stable_marginals, atol=1e-12)


# The experiment


def test_the_selected_judge_is_the_one_with_the_highest_value():
    drawn = population_of(3, judges=6)
    achieved = np.mean([consistency(drawn, tau) for tau in TAUS], axis=0)
    measures = {f"always {j}": lambda seen, j=j: np.eye(len(seen.judge_soft))[j] for j in range(6)}
    found = selected_consistency(Indeterminacy(), measures, judges=6, rng=3)
    assert [found[f"always {j}"] for j in range(6)] == pytest.approx(achieved.tolist())
    assert found["best"] == pytest.approx(achieved.max())


def test_a_judge_without_a_value_is_never_selected():
    assert best_judge(np.array([np.nan, 0.1, 0.3, 0.3])) == 2
    assert best_judge(np.array([-np.inf, np.nan, 0.0])) == 2


def test_without_ratings_the_population_is_seen():
    drawn = population_of(judges=2)
    seen = seen_of(drawn, None, np.random.default_rng(0))
    assert np.array_equal(seen.soft, drawn.soft)
    assert np.allclose(seen.marginals, drawn.stable_marginals)


def test_every_definition_is_a_measure():
    from dissensus.methods.judges.definitions import definitions_at  # noqa: PLC0415 - the ids of the other module

    drawn = population_of(judges=4)
    seen = seen_of(drawn, 5, np.random.default_rng(1))
    ids = [definition.id for definition in definitions_at([0.5])]
    values = {name: measure(seen) for name, measure in measures_of(ids).items()}
    assert all(value.shape == (4,) for value in values.values())
    assert np.allclose(values["jsd"].argmax(), best_judge(values["jsd"]))


def test_coefficients_as_measures_equal_their_formulas():
    # Two judges on four items with hard labels 0 0 1 1 of people; judge 0 says 0 0 1 0, judge 1 says 1 1 0 0.
    one_hot = np.eye(2)
    people, judges = one_hot[[0, 0, 1, 1]], one_hot[[[0, 0, 1, 0], [1, 1, 0, 0]]]
    seen = Seen(soft=people, marginals=people, judge_soft=judges, judge_marginals=judges)
    values = {name: measure(seen) for name, measure in measures_of(["cohen_kappa", "fleiss_kappa"]).items()}
    # Cohen: (3/4 - 1/2) / (1/2); Fleiss: pooled shares 5/8 and 3/8, so (3/4 - 34/64) / (1 - 34/64).
    assert values["cohen_kappa"] == pytest.approx([0.5, -1.0])
    assert values["fleiss_kappa"] == pytest.approx([(0.75 - 34 / 64) / (1 - 34 / 64), -1.0])


def test_an_unknown_measure_is_refused():
    with pytest.raises(OptionError, match=r"^A definition cannot be 'rouge': choose one of hit_rate, "):
        measures_of(["rouge"])


# Files


@pytest.fixture(scope="module")
def simulated():
    design = Indeterminacy(gamma=-1.0, judge_gamma=(-3.0, 3.0), error=0.1, skew=1.0)
    return simulate_indeterminate(design, items=60, raters=4, paired=50, judges=3, samples=5, rng=2)


def test_raters_choose_everywhere_and_give_sets_where_they_are_paired(simulated):
    ratings = simulated.ratings
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings) == (60, 4, 60 * 4 + 50)
    assert np.bincount(ratings.elicitation).tolist() == [240, 50]
    key = ratings.item * 4 + ratings.rater
    chosen = dict(zip(key[ratings.elicitation == 0], ratings.label[ratings.elicitation == 0], strict=True))
    members = [label.split("|") for label in ratings.labels]
    for row in np.flatnonzero(ratings.elicitation == 1):
        assert ratings.labels[chosen[key[row]]] in members[ratings.label[row]]


def test_judges_give_both_in_every_sample(simulated):
    judges = simulated.judges
    assert judges.n_answers == 3 * 60 * 5 * 2
    assert np.bincount(judges.elicitation).tolist() == [900, 900]
    assert all("|" not in judges.labels[code] for code in judges.label[judges.elicitation == 0])


def test_answers_of_many_samples_approach_the_truth():
    made = simulate_indeterminate(items=3, raters=4000, paired=12_000, judges=2, samples=4000, rng=0)
    truth, ratings, judges = made.truth.population, made.ratings, made.judges
    near = STANDARD_ERRORS * 0.5 / np.sqrt(4000)
    for kind, expected in ((0, truth.soft), (1, truth.marginals)):
        rows = ratings.elicitation == kind
        has_a = np.array(["A" in label for label in ratings.labels])[ratings.label[rows]]
        shares = np.bincount(ratings.item[rows], weights=has_a) / 4000
        assert np.allclose(shares, expected[:, 0], atol=near)
    for kind, expected in ((0, truth.judge_soft), (1, truth.judge_marginals)):
        rows = judges.elicitation == kind
        has_a = np.array(["A" in label for label in judges.labels])[judges.label[rows]]
        shares = np.bincount(judges.judge[rows] * 3 + judges.item[rows], weights=has_a) / 4000
        assert np.allclose(shares.reshape(2, 3), expected[:, :, 0], atol=near)


def test_the_truth_tells_what_each_judge_achieves(simulated):
    content = json.loads(simulated.truth.to_json())
    assert content["options"] == ["A", "B", "C"]
    assert content["response_sets"][3:] == ["A|B", "A|C", "B|C", "A|B|C"]
    achieved = consistency(simulated.truth.population, 0.5)
    assert [judge["consistency_0.5"] for judge in content["judges"]] == pytest.approx(achieved.tolist(), abs=1e-6)
    members = simulated.truth.population.members
    without_noise = choice_matrix(choice_weights(members, -1.0), members)
    expected = np.mean([size * without_noise[0, v] for v, size in enumerate(members.sum(axis=1)) if members[v, 0]])
    assert content["selection_effect"] == pytest.approx(expected, abs=0.02)
    assert content["prevalence"]["response_set"]["0.5"] > content["prevalence"]["forced_choice"]["0.5"]


def test_notes_and_task_describe_the_data(simulated, tmp_path):
    text = readme_of(simulated.truth, made_with="`x`", raters=4, paired=50, samples=5)
    assert "for 50 of the ratings" in text
    assert "slips" in text
    (tmp_path / "task.toml").write_text(task_of(simulated.truth))
    task = read_task(tmp_path / "task.toml")
    assert task.positive == ("A",)
    assert ["|".join(options) for options in task.admissible_sets()] == list(simulated.truth.response_sets)


def test_a_fully_specified_design_has_a_task_of_single_options(tmp_path):
    made = simulate_indeterminate(Indeterminacy(n_sets=3), items=5, raters=2, paired=0, judges=0, rng=0)
    (tmp_path / "task.toml").write_text(task_of(made.truth))
    assert read_task(tmp_path / "task.toml").response_sets == "single"
    assert made.judges.n_answers == 0
    assert "## Judges" not in readme_of(made.truth, made_with="`x`", raters=2, paired=0, samples=1)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"paired": 6}, "6 paired ratings of 4 ratings: give a number from 0 to that."),
        ({"samples": 0}, "2 items, 2 raters, 10 judges and 0 samples: only judges can be none."),
    ],
)
def test_impossible_sizes_are_refused_in_one_line(sizes, message):
    with pytest.raises(OptionError) as caught:
        simulate_indeterminate(**{"items": 2, "raters": 2, "paired": 0} | sizes)
    assert str(caught.value) == message


# The command


def test_the_command_writes_what_can_be_read_back(tmp_path, capsys):
    simulate_indeterminate_command(
        out=tmp_path, items=30, raters=3, paired=20, judges=2, samples=3, judge_gamma="-3:3", output=Output(seed=4)
    )
    assert capsys.readouterr().err == f"Wrote 110 ratings of 30 items to {tmp_path}; the truth is in truth.json.\n"
    design = Indeterminacy(judge_gamma=(-3.0, 3.0))
    made = simulate_indeterminate(design, items=30, raters=3, paired=20, judges=2, samples=3, rng=4)
    ratings, judges = read(tmp_path / "ratings.csv"), read_judges(tmp_path / "judges.csv")
    for name in ("item", "rater", "label", "elicitation"):
        assert np.array_equal(getattr(ratings, name), getattr(made.ratings, name))
    for name in ("item", "judge", "sample", "label", "elicitation"):
        assert np.array_equal(getattr(judges, name), getattr(made.judges, name))
    assert (ratings.labels, judges.labels) == (made.ratings.labels, made.judges.labels)
    assert "--judge-gamma -3:3 --seed 4" in (tmp_path / "README.md").read_text()


def test_the_command_prints_one_json_object(tmp_path, capsys):
    simulate_indeterminate_command(out=tmp_path, items=5, paired=5, judges=1, output=Output(as_json=True, quiet=True))
    content = json.loads(capsys.readouterr().out)
    assert content["command"] == "simulate"
    assert content["settings"]["options"] == 3
    assert content["result"] == json.loads((tmp_path / "truth.json").read_text())


@pytest.mark.parametrize("text", ["much", "1:2:3", "", "1:"])
def test_a_range_that_is_none_is_refused(text):
    with pytest.raises(
        OptionError, match=r"--judge-gamma cannot be .*: give a number such as 2, or a range such as -3:3"
    ):
        number_or_range("--judge-gamma", text)
