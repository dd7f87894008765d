"""Raters as a sample: leaving them out, shuffled labels, and bootstrap values moved by what they add."""

import numpy as np
import pandas as pd
import pytest

from dissensus import describe, read
from dissensus.errors import OptionError
from dissensus.methods.describe.coefficients import nominal_alpha
from dissensus.sampling.raters import MOST_GROUPS, rater_draws, rater_pool, rater_stream, resolve_raters


def ratings_of(labels: np.ndarray, *, seen: float = 1.0, seed: int = 0):
    """Ratings from a table of items by raters, each cell kept with this chance, two per item at least."""
    keep = np.random.default_rng(seed).random(labels.shape) < seen
    keep[:, :2] = True
    item, rater = np.nonzero(keep)
    return read(
        pd.DataFrame({"item": item, "rater": [f"r{r:03d}" for r in rater], "label": labels[item, rater]}),
        labels=["no", "yes"],
    )


def lenient(n_items: int, n_raters: int, *, spread: float, seed: int) -> np.ndarray:
    """Answers of raters who share an item's logit and differ in leniency."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1.5, n_items)[:, None] + spread * rng.standard_normal(n_raters)
    return np.where(rng.random((n_items, n_raters)) < 1 / (1 + np.exp(-logit)), "yes", "no")


def share_of_yes(cells) -> np.ndarray:
    return np.array([cells.times[cells.label == 1].sum() / cells.times.sum()])


def test_leaving_a_rater_out_is_what_pandas_gives():
    ratings = ratings_of(lenient(12, 5, spread=1, seed=1), seen=0.7)
    frame = pd.DataFrame({"item": ratings.item, "rater": ratings.rater, "label": ratings.label})
    pool = rater_pool(ratings, np.random.default_rng(0))
    for cells, rater in zip(pool.cells(2), range(5), strict=False):
        expected = frame[frame.rater != rater].groupby(["item", "label"]).size()
        assert list(zip(cells.item, cells.label, cells.times, strict=True)) == [
            (*key, n) for key, n in expected.items()
        ]
    for (mask, label), cells in zip(pool.rows(), pool.cells(2), strict=True):
        table = np.zeros((ratings.n_items, 2), dtype=int)
        np.add.at(table, (pool.item[mask], label[mask]), 1)
        assert np.array_equal(table, cells.dense(ratings.n_items, 2))


def test_shuffled_labels_stay_with_their_item_and_elicitation():
    labels = lenient(30, 6, spread=1, seed=2)
    frame = pd.DataFrame(
        [
            {"item": i, "rater": f"r{r}", "label": labels[i, r] if r < 4 else "no|yes", "elicitation": kind}
            for i in range(30)
            for r in range(6)
            for kind in (["forced_choice"] if r < 4 else ["response_set"])
        ]
    )
    ratings = read(frame)
    pool = rater_pool(ratings, np.random.default_rng(0))
    kind = ratings.elicitation[pool.row]
    for label in pool.labels:
        for code in (0, 1):
            whole = np.bincount(ratings.item * 9 + ratings.label, weights=ratings.elicitation == code, minlength=300)
            assert np.array_equal(np.bincount(pool.item * 9 + label, weights=kind == code, minlength=300), whole)
    assert any(not np.array_equal(pool.labels[0], label) for label in pool.labels[1:])


def test_the_jackknife_is_the_one_of_the_textbook():
    ratings = ratings_of(lenient(40, 4, spread=1, seed=3))
    pool = rater_pool(ratings, np.random.default_rng(0))
    spread = pool.spread_of(share_of_yes, 2)
    shares = [np.mean(ratings.label[ratings.rater == r] == 1) for r in range(4)]
    # Raters who rate everything: the mean of three of four, whose jackknife variance is that of a mean of four.
    assert spread.total[0] == pytest.approx(np.var(shares, ddof=1) / 4)
    assert spread.within[0] < spread.total[0]


def test_groups_are_used_where_raters_are_many_and_none_is_lost():
    ratings = ratings_of(lenient(60, 80, spread=0.5, seed=4), seen=0.2)
    pool = rater_pool(ratings, np.random.default_rng(0))
    assert pool.n_groups == MOST_GROUPS
    assert not pool.raters.size
    sizes = [len(np.unique(ratings.rater[pool.row][pool.group == g])) for g in range(MOST_GROUPS)]
    assert sum(sizes) == 80
    assert max(sizes) - min(sizes) <= 1


def test_bootstrap_values_move_by_the_noise_of_raters():
    ratings = ratings_of(lenient(200, 8, spread=1, seed=5))
    pool = rater_pool(ratings, np.random.default_rng(0))
    spread = pool.spread_of(share_of_yes, 2)
    draws = rater_draws(20_000, pool.n_groups, np.random.default_rng(1))
    moved = spread.moved(np.zeros((20_000, 1)), draws)
    # The mean of (G - 1) / chi2 is (G - 1) / (G - 3).
    assert moved.var() == pytest.approx(spread.total[0] * 7 / 5 - spread.within[0], rel=0.1)
    assert spread.variance[0] == spread.total[0] - spread.within[0]


def test_arbitrary_ids_add_next_to_nothing():
    rng = np.random.default_rng(6)
    answers = lenient(150, 24, spread=1, seed=6)
    for row in answers:
        rng.shuffle(row)  # a list position says nothing about who answered
    narrow = describe(ratings_of(answers), raters="fixed").whole.coefficients[0]
    wide = describe(ratings_of(answers)).whole.coefficients[0]
    assert (wide.high - wide.low) / (narrow.high - narrow.low) < 1.2


def test_undefined_values_do_not_count():
    pool = rater_pool(ratings_of(lenient(20, 4, spread=1, seed=7)), np.random.default_rng(0))
    values = np.arange(20.0).reshape(5, 4, 1)
    values[0, 0] = np.nan
    assert pool.spread(values).total[0] == pytest.approx(np.var([1, 2, 3]) * 2)
    values[0] = np.nan
    assert np.isnan(pool.spread(values).total[0])


def test_who_the_intervals_speak_of():
    crossed = ratings_of(lenient(20, 5, spread=1, seed=8))
    assert resolve_raters(None, crossed) == ("sampled", [])
    assert resolve_raters("fixed", crossed) == ("fixed", [])
    drawn, [text] = resolve_raters(None, ratings_of(lenient(20, 4, spread=1, seed=8)))
    assert drawn == "sampled"
    assert "4 raters say little about others" in text
    two = ratings_of(lenient(20, 2, spread=1, seed=8))
    drawn, [text] = resolve_raters(None, two)
    assert drawn == "fixed"
    assert text.startswith("Intervals are for these 2 raters only, since it takes 3 raters")
    assert resolve_raters(None, two, bootstrap=0) == ("fixed", [])
    with pytest.raises(OptionError, match=r"raters= cannot be sampled: it takes 3 raters\. Choose fixed\."):
        describe(two, raters="sampled")
    without = read(pd.DataFrame({"item": [1, 1, 2, 2], "label": ["x", "y", "x", "x"]}))
    assert "the ratings do not say who rated" in resolve_raters(None, without)[1][0]
    assert describe(crossed).settings["raters"] == "sampled"


def test_one_seed_gives_the_same_draws_to_every_method():
    assert rater_stream(5).random() == rater_stream(5).random()
    assert rater_stream(5).random() != rater_stream(6).random()
    assert rater_stream(np.random.default_rng(5)).random() == rater_stream(np.random.default_rng(5)).random()


@pytest.mark.slow
@pytest.mark.parametrize(("n_raters", "spread"), [(3, 0.7), (5, 1.2), (12, 0.7), (40, 1.0)])
def test_alpha_covers_that_of_all_people(n_raters, spread):
    """A skewed population with another spread of items than the one the construction was chosen on."""

    def answers(n_items, n, seed):
        rng = np.random.default_rng(seed)
        logit = rng.normal(-1, 2, n_items)[:, None] + spread * rng.standard_normal(n)
        return np.where(rng.random((n_items, n)) < 1 / (1 + np.exp(-logit)), 1, 0)

    many = answers(4000, 400, 99)
    item, rater = np.indices(many.shape)
    whole = read(pd.DataFrame({"item": item.ravel(), "rater": rater.ravel(), "label": many.ravel()}))
    truth = float(nominal_alpha(whole.types)[0])
    covered = []
    for seed in range(200):
        table = np.where(answers(150, n_raters, seed) == 1, "yes", "no")
        alpha = describe(ratings_of(table), bootstrap=300).whole.coefficients[0]
        covered.append(alpha.low <= truth <= alpha.high)
    assert 0.9 <= np.mean(covered) <= 1.0
