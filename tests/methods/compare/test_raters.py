"""Judges compared for raters like these: who rated, left out in turn, and what that does to intervals and p-values."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from dissensus import compare, read, read_judges
from dissensus.methods.compare.metrics import METRICS
from dissensus.methods.compare.pairs import pairs_of
from dissensus.methods.compare.resampling import difference_without, noise_of
from dissensus.methods.compare.result import CompareOptions

NAMES = np.array(["1", "2", "3", "4"])


def ordered(n_items, n_raters, *, spread, seed, per_item=None):
    """Ratings from 1 to 4 by raters who differ in leniency, and two judges, one lenient and one strict by as much."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 1, n_items)

    def label(value):
        return NAMES[np.clip(np.floor(value + 2), 0, 3).astype(int)]

    pairs = [
        (item, rater)
        for item in range(n_items)
        for rater in (range(n_raters) if per_item is None else rng.choice(n_raters, per_item, replace=False))
    ]
    item, rater = (np.array(column) for column in zip(*pairs, strict=True))
    answers = quality[item] + spread * rng.standard_normal(n_raters)[rater] + 0.7 * rng.standard_normal(len(item))
    ratings = read(pd.DataFrame({"item": item, "rater": [f"r{r:03d}" for r in rater], "label": label(answers)}))
    frames = [
        pd.DataFrame({"item": range(n_items), "judge": name, "label": label(quality + shift + 0.5 * noise)})
        for name, shift, noise in zip("ab", (0.5, -0.5), rng.standard_normal((2, n_items)), strict=True)
    ]
    return ratings, read_judges(pd.concat(frames))


@pytest.mark.parametrize("metric", METRICS[1:])  # what a calibration learned is kept
def test_leaving_a_rater_out_is_comparing_without_the_ratings(metric):
    ratings, judges = ordered(30, 4, spread=1, seed=1)
    asked = pairs_of(ratings, judges, CompareOptions(metric=metric, bins=3, bounds=(1.0, 4.0)))
    (pair,) = asked.pairs
    left = ratings.where(ratings.rater != 2)
    cells = np.unique(np.stack([left.item, left.label], axis=1), axis=0, return_counts=True)
    times = np.zeros(asked.people.times.shape)
    for (item, label), count in zip(*cells, strict=True):
        mine = (asked.people.item == item) & (asked.people.place == label)
        times[item, asked.people.response[mine]] = count
    found = difference_without(pair.problem, pair.problem.a.mean(), pair.problem.b.mean(), times)
    alone = compare(left, judges, metric=metric, bins=3, bounds=(1.0, 4.0), bootstrap=0, resamples=1).pairs[0]
    # The paper's distance has the number of raters in it: it is kept as it was.
    scale = 4 / 3 if metric == "emd-binned" else 1
    assert found == pytest.approx(alone.difference * scale, abs=1e-12)


def test_raters_who_differ_widen_intervals_and_weaken_p_values():
    ratings, judges = ordered(60, 4, spread=1.5, seed=3)
    for test in ("sign-flip", "response-permutation"):
        ours, theirs = (
            compare(ratings, judges, metric="mae", test=test, raters=how, resamples=500, bootstrap=500, margin=0.3)
            for how in (None, "fixed")
        )
        assert (ours.settings["raters"], theirs.settings["raters"]) == ("sampled", "fixed")
        one, other = ours.pairs[0], theirs.pairs[0]
        assert (one.score_a, one.score_b) == (other.score_a, other.score_b)
        assert one.high - one.low > 2 * (other.high - other.low)
        assert one.p_value > 2 * other.p_value
        assert abs(one.non_inferiority.p_value - 0.5) < abs(other.non_inferiority.p_value - 0.5)
    assert any("4 raters say little about others" in text for text in ours.warnings)


def test_judges_that_differ_as_raters_do_are_not_called_different_after_four_raters():
    # Three lenient raters and a strict one; a judge takes after each kind. Of raters like these half may be strict:
    # by rater the lenient judge leads by .5, .5, .5 and -.5, which is t = 1 with 3 degrees of freedom, p = .39.
    lenient, strict = (["yes" if item < few else "no" for item in range(40)] for few in (30, 10))
    people = [(i, f"r{r}", (strict if r == 3 else lenient)[i]) for i in range(40) for r in range(4)]
    said = [(i, name, own[i]) for i in range(40) for name, own in (("lenient", lenient), ("strict", strict))]
    ratings = read(pd.DataFrame(people, columns=["item", "rater", "label"]))
    judges = read_judges(pd.DataFrame(said, columns=["item", "judge", "label"]))
    asked = {"metric": "accuracy", "resamples": 1000, "bootstrap": 400}
    ours, theirs = (compare(ratings, judges, raters=how, **asked).pairs[0] for how in (None, "fixed"))
    assert ours.difference == theirs.difference == 0.25
    assert (ours.better, theirs.better) == ("neither", "a")
    assert theirs.p_value < 0.01
    assert ours.p_value == pytest.approx(2 * t.sf(1, 3), abs=0.06)
    assert ours.low < 0 < theirs.low


def test_every_exchange_is_counted_with_the_noise_of_raters_too():
    # Eight items: 256 exchanges, each with as many draws; without noise the p-value is exact.
    people = [(i, f"r{r}", 1 + (i + r) % 3) for i in range(8) for r in range(3)]
    said = [(i, name, label) for i in range(8) for name, label in (("near", 2), ("far", 1 + 2 * (i % 2)))]
    ratings = read(pd.DataFrame(people, columns=["item", "rater", "label"]))
    judges = read_judges(pd.DataFrame(said, columns=["item", "judge", "label"]))
    exact, moved = (
        compare(ratings, judges, metric="mae", raters=how, bootstrap=0).pairs[0].p_value for how in ("fixed", "sampled")
    )
    assert exact == 2 / 2**8
    assert exact < moved < 0.2


def test_pairs_share_draws_and_items_that_judges_did_not_answer_do_not_count():
    ratings, judges = ordered(40, 5, spread=1, seed=4)
    both = read_judges(pd.DataFrame([
        (judges.items[i], name, judges.labels[label])
        for i, j, label in zip(judges.item, judges.judge, judges.label, strict=True)
        for name in (judges.judges[j], f"{judges.judges[j]} again")
    ], columns=["item", "judge", "label"]))  # fmt: skip
    asked = pairs_of(ratings, both, CompareOptions(metric="mae"))
    noise = noise_of(asked, sizes=(50, 40), stream=np.random.default_rng(0))
    by_name = {(pair.judge_a, pair.judge_b): own for pair, own in zip(asked.pairs, noise, strict=True)}
    assert np.allclose(by_name["a", "b"].test, by_name["a again", "b again"].test, rtol=1e-12)
    assert not by_name["a", "a again"].bootstrap.any()
    # Ratings of items without answers, by raters of their own, change nothing.
    frame = pd.DataFrame({"item": [ratings.items[i] for i in ratings.item],
                          "rater": [ratings.raters[r] for r in ratings.rater],
                          "label": [ratings.labels[code] for code in ratings.label]})  # fmt: skip
    more = pd.concat([frame, pd.DataFrame({"item": "zz", "rater": ["x", "y", "z"], "label": ["1", "2", "4"]})])
    assert compare(read(more), judges, metric="mae").pairs == compare(ratings, judges, metric="mae").pairs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "n_items", "n_raters", "spread", "per_item"),
    [("accuracy", 150, 3, 0.6, None), ("accuracy", 150, 4, 1.0, None), ("accuracy", 150, 8, 0.6, None),
     ("accuracy", 150, 16, 0.6, 4), ("information", 150, 4, 1.0, None), ("mae", 150, 8, 0.6, None),
     ("emd", 150, 20, 1.0, None), ("mae", 200, 60, 0.8, 4)],
)  # fmt: skip
def test_equal_judges_are_called_different_in_one_of_twenty_data_sets(
    metric, n_items, n_raters, spread, per_item, trust
):
    """A lenient and a strict judge are equally good for people at large, whose leniency is symmetric around 0.

    Where raters differ more than the judges do, distances of means (wins, mae) bend so much in who rated that four
    raters give a level of .09 to .10 instead of .05; shares of labels (accuracy, information) do not bend.
    """
    sets = trust.sets(200)
    found = []
    for seed in range(sets):
        data = ordered(n_items, n_raters, spread=spread, seed=1000 + seed, per_item=per_item)
        pair = compare(*data, metric=metric, resamples=400, bootstrap=400, rng=seed).pairs[0]
        found.append((pair.p_value <= 0.05, pair.low <= 0 <= pair.high))
    level, coverage = np.mean(found, axis=0)
    data = f"{n_raters} raters, {per_item or n_raters} per item, {n_items} items"
    trust.keep("level", f"compare: {metric}", level, sets, data=data)
    trust.keep("coverage", f"compare: difference, {metric}", coverage, sets, data=data)
    error = np.sqrt(0.05 * 0.95 / sets)
    assert level <= 0.05 + 3 * error
    assert coverage >= 0.95 - 3 * error
