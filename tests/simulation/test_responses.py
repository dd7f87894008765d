"""Simulated responses: the truth that was asked for is the truth in the data."""

import json

import numpy as np
import pytest
import typer
from scipy import stats

from dissensus import read, read_judges
from dissensus.cli.flags import spread
from dissensus.cli.simulate import simulate_responses_command
from dissensus.simulation.responses import Responses, expected_response, simulate_responses

from tables import message_of, triples


def means(made, *, judge=None):
    """Mean response to each item."""
    data = made.ratings if judge is None else made.judges[judge]
    values = np.array([float(label) for label in data.labels])[data.label]
    return np.bincount(data.item, weights=values) / np.bincount(data.item)


def test_a_answers_as_people_do_and_b_is_off_by_its_shift():
    made = simulate_responses(Responses(effect=0.3), items=300, raters=400, samples=(400, 400), rng=0)
    items = made.truth.drawn
    error = 4.5 * 0.3 / np.sqrt(400) + 1e-3
    assert np.abs(means(made) - items.mean).max() < error
    assert np.abs(means(made, judge="A") - items.mean).max() < error
    assert np.abs(means(made, judge="B") - items.mean - items.shift).max() < error


def test_items_are_uniform_and_b_stays_on_the_scale():
    items = simulate_responses(Responses(effect=0.5, spread=(0.1, 0.2)), items=4000, raters=1, rng=0).truth.drawn
    assert items.mean.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 4000))
    assert 0.1 <= items.spread.min() < items.spread.max() <= 0.2
    moved = items.mean + items.shift
    assert moved.min() == 0
    assert moved.max() == 1


def test_clipped_responses_stay_on_the_scale():
    unclipped, clipped = (
        simulate_responses(Responses(is_clipped=clip), items=200, rng=0).ratings.values for clip in (False, True)
    )
    assert unclipped.min() < 0
    assert unclipped.max() > 1
    assert clipped.min() == 0
    assert clipped.max() == 1


def test_likert_responses_are_steps_in_order():
    ratings = simulate_responses(Responses(kind="likert", points=7), items=100, rng=0).ratings
    assert ratings.labels == tuple("1234567")
    assert ratings.scale == "ordinal"


def test_labels_of_a_dirichlet_item_come_in_its_shares():
    made = simulate_responses(
        Responses(kind="dirichlet", points=3, effect=0.5), items=50, raters=2000, samples=(1, 2000), rng=0
    )
    items = made.truth.drawn
    assert np.abs(made.ratings.counts() / 2000 - items.shares).max() < 4.5 * 0.5 / np.sqrt(2000)
    own = made.judges["B"]
    counts = np.zeros((50, 3))
    np.add.at(counts, (own.item, own.label), 1)
    assert np.abs(counts / 2000 - items.shares_b).max() < 4.5 * 0.5 / np.sqrt(2000)


def test_people_a_and_b_may_have_different_numbers_of_responses():
    made = simulate_responses(items=40, raters=(2, 6), samples=(3, 1), rng=0)
    assert set(np.bincount(made.ratings.item)) == {2, 3, 4, 5, 6}
    assert made.judges["A"].n_answers == 120
    assert made.judges["B"].n_answers == 40
    assert set(made.judges["A"].sample) == {0, 1, 2}


def test_without_an_effect_b_is_as_good_as_a():
    truth = simulate_responses(Responses(effect=0), rng=0).truth
    assert truth.error() == 0
    assert truth.as_dict()["better"] == "neither"
    assert simulate_responses(rng=0).truth.as_dict()["better"] == "A"


@pytest.mark.parametrize("population", [{}, {"is_clipped": True}, {"kind": "likert", "points": 7}])
def test_the_true_error_of_b_is_that_of_endless_responses(population):
    made = simulate_responses(Responses(effect=0.5, **population), items=30, raters=1, samples=(9000, 9000), rng=0)
    seen = np.abs(means(made, judge="B") - means(made, judge="A"))
    scale = 7 if population.get("kind") == "likert" else 1
    assert made.truth.error() == pytest.approx(seen.mean(), abs=4.5 * scale * 0.3 * np.sqrt(2 / 9000 / 30) + 1e-3)


def test_the_mean_of_clipped_responses_is_that_of_scipys_integral():
    for mean, sd in ((0.1, 0.3), (0.5, 0.01), (1.0, 0.2)):
        inside = stats.norm(mean, sd).expect(lambda x: x, lb=0, ub=1)
        found = expected_response(Responses(is_clipped=True), np.array([mean]), np.array([sd]))
        assert found == pytest.approx([inside + stats.norm(mean, sd).sf(1)], abs=1e-6)
    assert expected_response(Responses(is_clipped=True), np.array([0.3]), np.zeros(1)) == pytest.approx([0.3])


@pytest.mark.parametrize(
    ("population", "message"),
    [
        ({"kind": "beta"}, "kind= cannot be 'beta': choose one of normal, likert, dirichlet."),
        ({"effect": 2}, "effect= is 2: it must lie between 0 and 1."),
        ({"spread": (0.3, 0.1)}, "spread= cannot be 0.3:0.1: give two standard deviations such as 0:0.3."),
        ({"spread": (0, np.inf)}, "spread= cannot be 0:inf: give two standard deviations such as 0:0.3."),
        ({"points": 1}, "1 points and concentration 1: give two points or more and a concentration of at least 1e-06."),
        (
            {"concentration": np.nan},
            "5 points and concentration nan: give two points or more and a concentration of at least 1e-06.",
        ),
    ],
)
def test_a_wrong_population_is_one_line(population, message):
    assert message_of(lambda: Responses(**population)) == message


def test_no_items_is_one_line():
    assert (
        message_of(lambda: simulate_responses(items=0)) == "0 items and 5 samples: there must be at least one of each."
    )


def test_the_command_writes_what_is_read_back_the_same(tmp_path, capsys):
    app = typer.Typer()
    app.command()(spread(simulate_responses_command))
    app(args=["-o", str(tmp_path), "--items", "30", "--raters", "2-4", "--seed", "7", "--json"], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    made = simulate_responses(items=30, raters=(2, 4), rng=7)
    assert triples(read(tmp_path / "ratings.csv")) == triples(made.ratings)
    assert read_judges(tmp_path / "judges.csv").n_answers == 300
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert truth == answer["result"]
    assert truth["items"][0]["mean"] == pytest.approx(made.truth.drawn.mean[0], abs=1e-6)
    assert "Judge `B` is off (effect 0.1)" in (tmp_path / "README.md").read_text()
