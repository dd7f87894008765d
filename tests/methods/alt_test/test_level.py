"""How often the test finds what is not there, and what is: by counting every outcome, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from dissensus.data import Judges, Ratings
from dissensus.methods.alt_test import alt_test
from dissensus.methods.alt_test.p_values import Tally, exact_p_value, sign_flip_p_value, t_p_value

LABELS = ("a", "b", "c", "d")
N_RATERS = 5
JUDGE_NOISE = 0.45
RATER_NOISE = 0.3


def drawn(rng, n_items, judge_noise):
    """Raters and a judge who name the true one of four labels, or with a chance any label."""
    truth = rng.integers(0, len(LABELS), n_items)

    def named(noise, size):
        return np.where(rng.random(size) < noise, rng.integers(0, len(LABELS), size), truth[:, None])

    people, judge = named(RATER_NOISE, (n_items, N_RATERS)), named(judge_noise, (n_items, 1))
    items = tuple(f"i{i}" for i in range(n_items))
    ratings = Ratings(
        item=np.repeat(np.arange(n_items), N_RATERS), label=people.ravel(), items=items, labels=LABELS,
        rater=np.tile(np.arange(N_RATERS), n_items), raters=tuple(f"r{r}" for r in range(N_RATERS)),
    )  # fmt: skip
    judges = Judges(
        item=np.arange(n_items), judge=np.zeros(n_items, dtype=int), sample=np.zeros(n_items, dtype=int),
        label=judge[:, 0], items=items, judges=("j",), labels=LABELS, options=LABELS,
    )  # fmt: skip
    return ratings, judges


def level_of(p_value, n_items, epsilon, judge_closer):
    """The chance that a p-value is at most .05 where the rater is closer by epsilon: over every outcome."""
    chances = [judge_closer, judge_closer + epsilon, max(0.0, 1 - 2 * judge_closer - epsilon)]
    found = 0.0
    for judge in range(n_items + 1):
        for rater in range(n_items + 1 - judge):
            outcome = (judge, rater, n_items - judge - rater)
            if p_value(Tally(judge_closer=judge, rater_closer=rater, alike=outcome[2]), epsilon) <= 0.05:
                found += stats.multinomial.pmf(outcome, n_items, chances)
    return found


@pytest.mark.parametrize("judge_closer", [0.1, 0.2, 0.3])
def test_t_keeps_its_level_at_thirty_items_where_judge_and_rater_differ_on_some(judge_closer):
    assert 0.03 <= level_of(t_p_value, 30, 0.1, judge_closer) <= 0.06


@pytest.mark.parametrize("judge_closer", [0.1, 0.2, 0.3])
def test_sign_flips_keep_their_level_at_fifteen_items_where_judge_and_rater_differ_on_some(judge_closer):
    assert level_of(sign_flip_p_value, 15, 0.1, judge_closer) <= 0.05


def test_t_and_sign_flips_find_too_much_where_judge_and_rater_hardly_differ():
    # Why there is a warning below ten differing items, and an exact test.
    assert level_of(t_p_value, 30, 0.1, 0.0) > 0.15
    assert level_of(sign_flip_p_value, 15, 0.1, 0.0) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("judge_closer", [0.0, 0.02, 0.1, 0.3, 0.45])
def test_the_exact_test_keeps_its_level_wherever(judge_closer):
    assert level_of(exact_p_value, 20, 0.1, judge_closer) <= 0.05


@pytest.mark.slow
def test_the_exact_test_uses_most_of_its_level_and_finds_a_better_judge():
    assert max(level_of(exact_p_value, 20, 0.1, share) for share in (0.0, 0.1, 0.3)) > 0.03
    clear = Tally(judge_closer=10, alike=8, rater_closer=2)
    assert exact_p_value(clear, 0.1) < 0.01


@pytest.mark.slow
def test_no_rater_is_beaten_by_chance_more_often_than_alpha(trust):
    # What the rater is ahead of this judge by, on very many items, is granted as epsilon: then no win is right.
    large = alt_test(*drawn(np.random.default_rng(0), 200_000, JUDGE_NOISE))
    epsilon = float(np.mean([rater.difference for rater in large.judges[0].raters]))
    assert 0.05 < epsilon < 0.3
    rng = np.random.default_rng(1)
    runs = [alt_test(*drawn(rng, 100, JUDGE_NOISE), epsilon=epsilon).judges[0] for _ in range(trust.sets(600))]
    chance = np.mean([judge.won > 0 for judge in runs])
    trust.keep("level", "alt-test: some rater is beaten by chance", chance, len(runs), data="5 raters, 100 items")
    assert chance <= 0.05
    assert np.mean([judge.replaces for judge in runs]) <= 0.02
    raw = np.mean([rater.p_value <= 0.05 for judge in runs for rater in judge.raters])
    # 3000 p-values, which depend on each other: their share of at most .05 is .05 give or take .015.
    assert raw == pytest.approx(0.05, abs=0.015)


@pytest.mark.slow
def test_a_judge_like_the_raters_replaces_them_and_a_poor_one_does_not():
    rng = np.random.default_rng(2)
    like = [alt_test(*drawn(rng, 200, RATER_NOISE), epsilon=0.2).judges[0] for _ in range(100)]
    assert np.mean([judge.replaces for judge in like]) >= 0.95
    poor = [alt_test(*drawn(rng, 200, 0.8), epsilon=0.2).judges[0] for _ in range(100)]
    assert not any(judge.replaces for judge in poor)
    # More items, more power.
    few = [alt_test(*drawn(rng, 40, RATER_NOISE), epsilon=0.2).judges[0] for _ in range(100)]
    assert np.mean([judge.winning_rate for judge in few]) < np.mean([judge.winning_rate for judge in like])
