"""Shares for raters like these: what leaving raters out moves, and how often intervals hold the share of all people."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus import prevalence, read, read_judges
from dissensus.sampling.raters import RaterSpread


def expit(values):
    return 1 / (1 + np.exp(-values))


def lenient(rng, *, rated=60, others=100, raters=4, spread=1.0, per_item=None):
    """Ratings by raters who differ in leniency, and a judge that answers the other items, too."""
    quality = rng.normal(-0.7, 1.2, rated + others)
    leniency = spread * rng.standard_normal(raters)
    pairs = [
        (item, rater)
        for item in range(rated)
        for rater in (range(raters) if per_item is None else rng.choice(raters, per_item, replace=False))
    ]
    item, rater = np.array(pairs).T
    yes = rng.random(len(item)) < expit(quality[item] + leniency[rater])
    frame = pd.DataFrame({"item": item, "rater": [f"r{r:03d}" for r in rater], "label": np.where(yes, "yes", "no")})
    said = np.where(rng.random(rated + others) < expit(1.5 * quality + 0.5), "yes", "no")
    return read(frame), read_judges(pd.DataFrame({"item": range(rated + others), "judge": "j", "label": said}))


def test_raters_who_differ_widen_every_interval_but_that_of_the_judge_alone():
    data = lenient(np.random.default_rng(1))
    ours, theirs = (prevalence(*data, positive="yes", raters=how) for how in (None, "fixed"))
    assert (ours.settings["raters"], theirs.settings["raters"]) == ("sampled", "fixed")
    assert any("4 raters say little about others" in text for text in ours.warnings)
    for one, other in zip(ours.judges[0].estimates, theirs.judges[0].estimates, strict=True):
        assert one.value == other.value
        if one.method == "naive":
            assert one == other
        else:
            assert one.high - one.low > 1.2 * (other.high - other.low), one.method
    assert ours.judges[0].ratings_saved == theirs.judges[0].ratings_saved


def test_people_alone_have_the_interval_of_a_t_distribution_over_raters():
    # Raters who rate everything and say the same of every item: all that varies is between them, in t with 3 degrees.
    shares = np.array([0.2, 0.4, 0.5, 0.9])
    frame = pd.DataFrame([(i, f"r{r}", "yes" if i < 200 * share else "no") for i in range(200)
                          for r, share in enumerate(shares)], columns=["item", "rater", "label"])  # fmt: skip
    judge = pd.DataFrame({"item": range(200), "judge": "j", "label": ["yes", "no"] * 100})
    result = prevalence(read(frame), read_judges(judge), positive="yes", interval="normal")
    people = result.judges[0].estimate("people")
    reach = stats.t.ppf(0.975, 3) * shares.std(ddof=1) / 2
    assert people.value == 0.5
    assert reach < (people.high - people.low) / 2 < 1.03 * reach  # and a little for items


def test_the_variance_of_an_interval_is_that_of_normal_and_t_together():
    rng = np.random.default_rng(0)
    spread = RaterSpread(total=np.array([4.0, 0.0, 2.0]), within=np.array([1.0, 0.0, 2.0]), groups=5)
    found = spread.variance_with(np.array([1.0, 3.0, 0.5]), 0.9)
    inflation = 4 / rng.chisquare(4, size=400_000)
    for place, variance in enumerate((1.0, 3.0, 0.5)):
        extra = np.maximum(spread.total[place] * inflation - spread.within[place], 0)
        drawn = np.abs(np.sqrt(variance + extra) * rng.standard_normal(len(inflation)))
        assert np.sqrt(found[place]) * stats.norm.ppf(0.95) == pytest.approx(np.quantile(drawn, 0.9), rel=0.01)
    assert np.isnan(RaterSpread(np.array([np.nan]), np.zeros(1), 4).variance_with(np.ones(1), 0.95)).all()


def test_systems_have_wider_intervals_for_raters_like_these():
    ratings, judges = lenient(np.random.default_rng(5), rated=90, others=90)
    names = ("x", "y", "z")
    pairs = {str(i): (names[i % 3], names[(i + 1) % 3]) for i in range(180)}
    ours, theirs = (
        prevalence(ratings, judges, positive="yes", pairs=pairs, raters=how).judges[0].systems
        for how in ("sampled", "fixed")
    )
    for one, other in zip(ours, theirs, strict=True):
        assert one.system == other.system
        for mine, their in zip((*one.win_rates, *one.strengths), (*other.win_rates, *other.strengths), strict=True):
            assert mine.value == their.value
            assert mine.high - mine.low >= their.high - their.low - 1e-12
        assert one.win_rates[1].high - one.win_rates[1].low > 1.2 * (other.win_rates[1].high - other.win_rates[1].low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raters", "spread", "per_item"), [(3, 0.7, None), (4, 1.0, None), (8, 1.0, None), (20, 0.7, None), (60, 1.0, 5)]
)
def test_intervals_hold_the_share_of_all_people(raters, spread, per_item):
    sets, rng = 200, np.random.default_rng([raters, 3])
    draws = np.random.default_rng(0).standard_normal((2, 1_000_000))
    truth = expit(-0.7 + 1.2 * draws[0] + spread * draws[1]).mean()
    holds = {}
    for _ in range(sets):
        data = lenient(rng, rated=150, others=400, raters=raters, spread=spread, per_item=per_item)
        for one in prevalence(*data, positive="yes").judges[0].estimates:
            holds.setdefault(one.method, []).append(one.low <= truth <= one.high)
    error = 3 * np.sqrt(0.05 * 0.95 / sets)
    for method in ("people", "rogan-gladen", "ppi", "ppi++"):
        assert np.mean(holds[method]) >= (0.90 if raters == 3 else 0.95) - error, method
    assert np.mean(holds["people"]) <= 0.995
