"""Portraits of raters: twins in plain Python, shrinkage against a peer, groups by simulation."""

import itertools
import json
import math
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.meta_analysis import combine_effects

from dissensus.cli.main import main
from dissensus.data import Ratings, Task, read, read_judges
from dissensus.data.closeness import closeness
from dissensus.errors import OptionError
from dissensus.methods.raters import RatersResult
from dissensus.methods.raters import raters as portraits
from dissensus.methods.raters.cells import (
    Groups,
    shrink,
    smallest_p,
    spread_between,
)
from dissensus.methods.raters.raters import standing_out
from dissensus.methods.raters.result import Measure
from dissensus.report.views.section import main_chart

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=3, max_size=25)
"""Item, rater and label; a rater may have rated an item several times."""


def ratings_from(table, *, labels=("1", "2", "3"), scale="ordinal", groups=None):
    items, raters = (sorted({row[i] for row in table}) for i in (0, 1))
    return Ratings(
        item=np.array([items.index(row[0]) for row in table]),
        rater=np.array([raters.index(row[1]) for row in table]),
        label=np.array([row[2] for row in table]),
        items=tuple(f"i{i}" for i in items),
        raters=tuple(f"r{r}" for r in raters),
        labels=labels,
        scale=scale,
        group=None if groups is None else np.array([groups[row[1]] for row in table]),
        groups=() if groups is None else ("a", "b"),
    )


def near(a, b, scale):
    return float(a == b) if scale == "nominal" else 1 - abs(a - b) / 2


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def twin(table, rater, scale):
    """Agreement, others, leniency and consistency of a rater, pair by pair."""
    agreement, others, difference, leniency, repeated = [], [], [], [], []
    for item in {row[0] for row in table if row[1] == rater}:
        given_ = {}
        for i, r, label in table:
            if i == item:
                given_.setdefault(r, []).append(label)
        own = given_.pop(rater)
        if len(own) > 1:
            repeated.append(mean(near(a, b, scale) for a, b in itertools.combinations(own, 2)))
        if given_:
            agreement.append(mean(mean(near(a, b, scale) for a in own for b in theirs) for theirs in given_.values()))
            leniency.append(mean(own) - mean(mean(theirs) for theirs in given_.values()))
        if len(given_) > 1:
            pairs = itertools.combinations(given_.values(), 2)
            others.append(mean(mean(near(a, b, scale) for a in x for b in y) for x, y in pairs))
            difference.append(agreement[-1] - others[-1])
    return [mean(part) for part in (agreement, others, difference, leniency, repeated)]


@settings(deadline=None)
@given(rows, st.sampled_from(["nominal", "ordinal"]))
def test_a_portrait_equals_its_definition_pair_by_pair(table, scale):
    ratings = ratings_from(table, scale=scale)
    found = portraits(ratings, resamples=1)
    for portrait in found.raters:
        expected = twin(table, int(portrait.rater[1:]), scale)
        values = [
            portrait.agreement,
            portrait.others,
            *(math.nan if measure is None else measure.value for measure in portrait.measures().values()),
        ]
        if scale == "nominal":
            assert portrait.leniency is None
            expected[3] = math.nan
        assert np.allclose(values, expected, equal_nan=True)


def test_leniency_counts_positive_labels_where_they_are_named():
    table = [(0, 0, 0), (0, 1, 2), (0, 2, 2), (1, 0, 0), (1, 1, 0), (1, 2, 2)]
    found = portraits(ratings_from(table, labels=("no", "maybe", "yes"), scale="nominal"), positive=["maybe", "yes"])
    # r0: 0 against (1 + 1) / 2, then 0 against (0 + 1) / 2
    assert [own.leniency.value for own in found.raters] == pytest.approx([-0.75, 0.0, 0.75])
    assert found.settings["leniency_in"] == "share"


def test_words_in_order_are_steps_apart():
    ratings = ratings_from([(0, 0, 0), (0, 1, 2)], labels=("low", "middle", "high"))
    assert closeness(ratings).tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]


@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0.05, 2)), min_size=4, max_size=12))
def test_the_spread_of_raters_solves_its_equation(pairs):
    means, variances = (np.array(column) for column in zip(*pairs, strict=True))
    centre, between = spread_between(means, variances)
    weights = 1 / (variances + between)
    squares = (weights * (means - np.average(means, weights=weights)) ** 2).sum()
    assert centre == pytest.approx(np.average(means, weights=weights))
    assert squares == pytest.approx(len(means) - 1) if between else squares <= len(means) - 1 + 1e-9


def test_the_spread_of_raters_is_that_of_statsmodels():
    compared = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        variances = rng.uniform(0.05, 0.3, 15)
        means = rng.normal(0, 0.7, 15) + rng.normal(0, np.sqrt(variances))
        peer = combine_effects(means, variances, method_re="iterated", atol=1e-12)
        if peer.tau2 > 0:  # its iteration may stop at 0, which is no solution; when it does depends on the machine
            assert spread_between(means, variances) == pytest.approx((peer.mean_effect_re, peer.tau2), abs=1e-6)
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize("n_raters", [6, 20, 100])
def test_intervals_of_shrunk_raters_cover_the_truth_and_shrinking_comes_nearer(n_raters):
    # Raters' true means have a standard deviation of .1, items one of .5, and raters have 5 to 60 items.
    rng = np.random.default_rng(n_raters)
    covered, raw, drawn, n = 0, 0.0, 0.0, 0
    for _ in range(2400 // n_raters):
        truth = rng.normal(0.2, 0.1, n_raters)
        counts = rng.integers(5, 60, n_raters)
        means = truth + rng.normal(0, 0.5, n_raters) / np.sqrt(counts)
        found = shrink(means, counts, 0.25, confidence=0.95)
        covered += int(np.sum((found.low <= truth) & (truth <= found.high)))
        raw, drawn = raw + np.sum((means - truth) ** 2), drawn + np.sum((found.value - truth) ** 2)
        n += n_raters
    assert 0.93 <= covered / n <= 0.985
    assert drawn < raw


def agreeing(chances, weights, sets):
    """Each rater's true difference and leniency: the mean over sets of raters of what items of each state give."""
    same = np.einsum("t,rt,st->rs", weights, chances, chances) + np.einsum(
        "t,rt,st->rs", weights, 1 - chances, 1 - chances
    )
    height, difference, leniency, times = chances @ weights, *np.zeros((3, len(chances)))
    for own in sets:
        m, near = len(own), same[np.ix_(own, own)]
        to_others = near.sum(axis=1) - np.diag(near)
        difference[own] += to_others / (m - 1) - (to_others.sum() - 2 * to_others) / ((m - 1) * (m - 2))
        leniency[own] += height[own] - (height[own].sum() - height[own]) / (m - 1)
        times[own] += 1
    return difference / np.maximum(times, 1), leniency / np.maximum(times, 1)


@pytest.mark.slow
@pytest.mark.parametrize("n_spammers", [0, 4])
def test_portraits_of_raters_with_a_known_truth_are_nearer_to_it_than_raw_means_and_their_intervals_hold_it(
    n_spammers, trust
):
    # 40 raters, some busier than others, five to an item, 400 items of four states; each rater slips and leans.
    rng = np.random.default_rng(n_spammers)
    weights, states = np.array([0.48, 0.12, 0.08, 0.32]), np.array([0.02, 0.3, 0.7, 0.95])
    found = {"difference": [], "leniency": []}
    sets = trust.sets(25)
    for _ in range(sets):
        skill = rng.beta(18, 2, (40, 1))
        skill[:n_spammers] = rng.uniform(0.3, 0.6, (n_spammers, 1))
        chances = np.clip(states * skill + 0.5 * (1 - skill) + rng.normal(0, 0.06, (40, 1)), 0.005, 0.995)
        busy = rng.lognormal(0, 1, 40)
        sets = [rng.choice(40, 5, replace=False, p=busy / busy.sum()) for _ in range(3000)]
        truth = dict(zip(found, agreeing(chances, weights, sets), strict=True))
        drawn = enumerate(rng.choice(4, 400, p=weights))
        table = [(i, int(r), int(rng.random() < chances[r, state])) for i, state in drawn for r in sets[i]]
        for own in portraits(ratings_from(table, labels=("no", "yes"), scale="nominal"), positive="yes").raters:
            for name, exact in truth.items():
                got, is_ = own.measures()[name], exact[int(own.rater[1:])]
                found[name].append((got.low <= is_ <= got.high, (got.value - is_) ** 2, (got.shrunk - is_) ** 2))
    for name, held in found.items():
        share, raw, shrunk = np.mean(held, axis=0)
        data = f"40 raters of whom {n_spammers} guess, 5 per item, 400 items"
        trust.keep("coverage", f"raters: {name} of a rater", share, len(held), data=data)
        assert 0.92 <= share <= 0.98
        assert shrunk < raw / 2


def test_few_raters_are_drawn_nowhere():
    found = shrink(np.array([0.1, 0.5, np.nan]), np.array([10, 10, 0]), 0.25, confidence=0.95)
    assert found.value[:2].tolist() == [0.1, 0.5]
    assert found.high[0] - found.value[0] == pytest.approx(1.959964 * math.sqrt(0.25 / 10))
    assert np.isnan(found.value[2])


@pytest.fixture(scope="module")
def divided():
    """Two groups of eight that see a third of the items differently; a judge that sides with `a` and one that does not.

    Every item is rated by three of each group.
    """
    rng = np.random.default_rng(11)
    n = 240
    seen_by_a, flipped = rng.random(n) < 0.5, rng.random(n) < 1 / 3
    seen = {"a": seen_by_a, "b": seen_by_a ^ flipped}
    rated, judged = [], []
    for i in range(n):
        for group in ("a", "b"):
            for r in rng.choice(8, 3, replace=False):
                says = seen[group][i] ^ (rng.random() < 0.1)
                rated.append((i, f"{group}{r}", "yes" if says else "no", group))
        judged.append((i, "partisan", "yes" if seen["a"][i] ^ (rng.random() < 0.1) else "no"))
        side = "a" if rng.random() < 0.5 else "b"
        judged.append((i, "neutral", "yes" if seen[side][i] ^ (rng.random() < 0.1) else "no"))
    ratings = read(pd.DataFrame(rated, columns=["item", "rater", "label", "group"]))
    return ratings, read_judges(pd.DataFrame(judged, columns=["item", "judge", "label"]))


def test_a_judge_that_sides_with_a_group_is_found_out_and_a_neutral_one_is_not(divided):
    found = portraits(*divided, positive="yes", bootstrap=100)
    partisan, neutral = (next(s for s in found.judges if s.judge == name) for name in ("partisan", "neutral"))
    assert (partisan.sides_with, neutral.sides_with) == ("a", None)
    near_a, near_b = partisan.groups
    # It agrees with a on .9 * .9 + .1 * .1 = 82% and with b on a third less of .82 - .18: 82% - 64% / 3 = 60.7%.
    assert near_a.agreement == pytest.approx(0.82, abs=0.03)
    assert near_b.agreement == pytest.approx(0.607, abs=0.04)
    assert near_a.nearer_low > 0 > near_b.nearer_high
    assert near_a.nearer == pytest.approx(0.82 - 0.607, abs=0.04)
    assert near_a.worth.equivalence_low > near_b.worth.equivalence
    assert "sides with" in " ".join(found.summary().split())


def test_agreement_of_a_judge_with_a_group_is_the_share_of_its_raters_who_say_the_same(divided):
    ratings, judges = divided
    found = portraits(ratings, judges, judge="partisan", bootstrap=0).judges[0]
    answer = {judges.items[i]: judges.labels[label] for i, j, label in zip(judges.item, judges.judge, judges.label,
              strict=True) if judges.judges[j] == "partisan"}  # fmt: skip
    for place in range(len(ratings.groups)):
        rows_ = [(ratings.items[i], ratings.labels[label]) for i, label, g in zip(ratings.item, ratings.label,
                 ratings.group, strict=True) if g == place]  # fmt: skip
        assert found.groups[place].agreement == pytest.approx(mean(answer[i] == label for i, label in rows_))
        assert math.isnan(found.groups[place].nearer_low)


def test_groups_that_are_not_of_raters_are_not_compared():
    ratings = ratings_from([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)])
    mixed = Ratings(
        item=ratings.item, rater=ratings.rater, label=ratings.label, items=ratings.items, raters=ratings.raters,
        labels=ratings.labels, group=np.array([0, 0, 1, 1]), groups=("x", "y"),
    )  # fmt: skip
    found = portraits(mixed)
    assert found.groups == ()
    assert any("2 raters rated in several of them" in warning for warning in found.warnings)


def test_consistency_needs_items_that_came_again():
    table = pd.DataFrame(
        {
            "item": [1, 1, 1, 2, 2, 2, 1, 2],
            "rater": ["a", "b", "c", "a", "b", "c", "a", "a"],
            "label": ["no", "no", "yes", "yes", "no", "yes", "no", "no"],
        }
    )
    found = portraits(read(table, repeats="keep"), positive="yes")
    a, b, _ = found.raters
    assert (a.consistency.value, a.consistency.items, a.ratings) == (0.5, 2, 4)
    assert b.consistency is None
    first = portraits(read(table, repeats="first"), positive="yes")
    assert first.raters[0].consistency is None
    assert any("`repeats=` of `read` keep" in warning for warning in first.warnings)


def test_a_rater_who_repeats_everything_is_not_certain_to():
    table = [(i, 0, i % 2) for i in range(6)] * 2 + [(i, r, 0) for i in range(6) for r in (1, 2, 3, 4)] * 2
    found = portraits(ratings_from(table, labels=("1", "2", "3")))
    assert found.raters[0].consistency.value == 1
    assert found.raters[0].consistency.low < 1


def test_nobody_knows_who_rated():
    ratings = Ratings(item=np.array([0, 0]), label=np.array([0, 1]), items=("a",), labels=("x", "y"))
    with pytest.raises(OptionError, match="do not say who rated"):
        portraits(ratings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "x"}, "positive= 'x' is not a label: the labels are 1, 2, 3."),
        ({"resamples": 0}, "resamples= cannot be 0"),
        ({"bootstrap": -1}, "bootstrap= cannot be -1"),
        ({"confidence": 0.0}, "confidence= cannot be 0"),
    ],
)
def test_bad_usage_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        portraits(ratings_from([(0, 0, 0), (0, 1, 1)]), **options)


def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_processes(divided):
    options = {"positive": "yes", "bootstrap": 60, "resamples": 100}
    one, two = (portraits(*divided, **options, workers=n).to_json() for n in (1, 2))
    assert one == two


@pytest.mark.slow
@pytest.mark.parametrize(("lean", "least", "most"), [(0.0, 0.0, 0.11), (0.5, 0.45, 1.0)])
def test_siding_is_found_five_times_in_a_hundred_without_it_and_mostly_with_it(lean, least, most, trust):
    # Four raters with 15 items each and twelve with 60; the judge takes a view by lot, or always the few's. Views
    # differ on 30% of items and 82% of answers tell them, so it agrees .3 * .65 = .2 more with the few, or
    # three standard errors. Luck that a group shares must not count: with dealings of raters alone 56 of 400 judges
    # without a side had one (72 of 100 with one were found), now 21 (60).
    rng = np.random.default_rng(21)
    told, apart, sets = 0, 0, trust.sets(100)
    for _ in range(sets):
        views = {"few": rng.random(240) < 0.5}
        views["many"] = np.where(rng.random(240) < 0.7, views["few"], ~views["few"])
        skill = {r: rng.uniform(0.7, 0.95) for r in range(16)}
        rows_ = [(i, r, "few" if r < 4 else "many") for i in range(240) for r in
                 [*([i % 4] if i < 60 else []), *rng.choice(np.arange(4, 16), 3, replace=False)]]  # fmt: skip
        rated = [(i, f"r{r}", "yes" if views[g][i] == (rng.random() < skill[r]) else "no", g) for i, r, g in rows_]
        copies = rng.random(240) < 0.5 + lean
        judge = np.where(copies, views["few"], views["many"])
        judged = pd.DataFrame({"item": range(240), "judge": "j", "label": np.where(judge, "yes", "no")})
        ratings = read(pd.DataFrame(rated, columns=["item", "rater", "label", "group"]))
        found = portraits(ratings, read_judges(judged), positive="yes", bootstrap=0, resamples=199)
        told += found.judges[0].sides_with is not None
        apart += next(test.p_value for test in found.tests if test.about == "leniency") <= 0.05
    if not lean:
        data = "16 raters in two groups, 240 items"
        trust.keep("level", "raters: a judge sides with a group", told / sets, sets, data=data)
        trust.keep("level", "raters: groups differ in leniency", apart / sets, sets, data=data)
    # Views say yes equally often, so neither group is more lenient (13% of 300 data sets said so, now 5%).
    assert apart / sets <= 0.11
    assert least <= told / sets <= most


def test_without_intervals_no_rater_is_left_out(divided, monkeypatch):
    ratings, judges = divided
    left_out = []
    monkeypatch.setattr(sys.modules["dissensus.methods.raters.raters"], "_spread", lambda *_: left_out.append(1))
    portraits(ratings, judges, judge="partisan", bootstrap=0)
    assert not left_out
    with pytest.raises(AttributeError):  # what the stand-in gives has no columns
        portraits(ratings, judges, judge="partisan", bootstrap=2)
    assert left_out


def test_a_judge_is_nearer_to_a_group_by_what_it_agrees_more_than_with_the_others_on_the_same_items(divided):
    ratings, judges = divided
    lonely = ratings.where((ratings.item >= 60) | (ratings.group == 0))  # items that only the first group rated
    found = portraits(lonely, judges, judge="partisan", bootstrap=0).judges[0]
    said = {judges.items[i]: judges.labels[label] for i, j, label in zip(judges.item, judges.judge, judges.label,
            strict=True) if judges.judges[j] == "partisan"}  # fmt: skip
    agrees = {}
    for item, group, label in zip(lonely.item, lonely.group, lonely.label, strict=True):
        agrees.setdefault((lonely.items[item], int(group)), []).append(said[lonely.items[item]] == lonely.labels[label])
    for group in (0, 1):
        shared = [(own, agrees[item, 1 - group]) for (item, g), own in agrees.items()
                  if g == group and (item, 1 - group) in agrees]  # fmt: skip
        expected = mean(float(x) - mean(others) for own, others in shared for x in own)
        assert found.groups[group].nearer == pytest.approx(expected)


def test_groups_that_share_no_item_are_not_compared(divided):
    ratings, judges = divided
    apart = ratings.where((ratings.item % 2 == 0) == (ratings.group == 0))
    found = portraits(apart, judges, positive="yes", bootstrap=0)
    assert all(math.isnan(test.p_value) for test in found.tests)
    assert all(math.isnan(s.p_value) and s.sides_with is None for s in found.judges)
    assert "Groups cannot be compared: no item was rated by two of them." in found.warnings
    assert all(group["nearer"] is None for group in json.loads(found.to_json())["result"]["judges"][0]["groups"])


def test_raters_without_a_group_are_left_out_where_groups_are_compared(divided):
    ratings, judges = divided
    frame = pd.DataFrame({"item": [ratings.items[i] for i in ratings.item], "label": [ratings.labels[i] for i in
                          ratings.label], "rater": [ratings.raters[r] for r in ratings.rater],
                          "group": [ratings.groups[g] for g in ratings.group]})  # fmt: skip
    some = frame.assign(group=frame.group.where(~frame.rater.isin(["a0", "b3"])))
    found = portraits(read(some), judges, positive="yes", bootstrap=0)
    without = portraits(read(frame[~frame.rater.isin(["a0", "b3"])]), judges, positive="yes", bootstrap=0)
    assert [(own.group, own.raters) for own in found.groups] == [("a", 7), ("b", 7)]
    assert len(found.raters) == 16
    assert next(own for own in found.raters if own.rater == "a0").group is None
    assert "Left out 2 raters without a group where groups are compared." in found.warnings
    for own, other in zip(found.judges, without.judges, strict=True):
        assert own.p_value == other.p_value
        assert [g.nearer for g in own.groups] == pytest.approx([g.nearer for g in other.groups])


def test_a_group_of_one_rater_against_one_is_never_told_apart_and_the_warning_says_so():
    found = portraits(ratings_from([(i, r, i % 2 if r else 0) for i in range(9) for r in (0, 1)], groups=[0, 1]))
    assert [test.p_value for test in found.tests if test.about == "leniency"] == [1.0]
    assert any("their p-value is never below 1" in warning for warning in found.warnings)


@pytest.mark.parametrize(("sizes", "least"), [((3, 3), 1 / 10), ((1, 19), 1 / 20), ((2, 2, 2), 1 / 15)])
def test_the_smallest_p_value_is_one_in_the_number_of_partitions(sizes, least):
    # 6! / (3! 3!) / 2, 20 and 6! / (2! 2! 2!) / 3! ways to deal the raters, groups of a size alike
    groups = Groups(tuple("abc"[: len(sizes)]), np.repeat(np.arange(len(sizes)), sizes))
    assert smallest_p(groups) == pytest.approx(least)


def test_a_judge_is_not_named_without_its_answers(divided):
    with pytest.raises(OptionError, match=r"judge= needs the judges' answers: name their file as well\."):
        portraits(divided[0], judge="x")


def test_judges_without_groups_are_not_passed_over_in_silence(divided):
    ratings, judges = divided
    found = portraits(replace(ratings, group=None, groups=()), judges)
    assert any("name the column of groups" in warning for warning in found.warnings)


def test_labels_that_only_judges_use_count_as_the_numbers_they_are():
    rated = pd.DataFrame({"item": [1, 1, 2, 2] * 2, "rater": list("abab") * 2, "label": [1, 2, 3, 1, 1, 2, 3, 1],
                          "group": ["x", "y"] * 4}).drop_duplicates(["item", "rater"])  # fmt: skip
    judges = read_judges(pd.DataFrame({"item": [1, 2], "judge": "j", "label": [5, 3]}))
    x, y = portraits(read(rated), judges, bootstrap=0).judges[0].groups
    # x said 1 and 3, y said 2 and 1; the distance from 5 is more than the largest between raters' labels, 2
    assert (x.bias, y.bias) == ((4 + 0) / 2, (3 + 2) / 2)
    assert (x.agreement, y.agreement) == ((0 + 1) / 2, (0 + 0) / 2)


def test_positive_options_are_those_of_the_task_and_response_sets_count_by_what_they_hold():
    table = pd.DataFrame({"item": [1, 1, 1], "rater": list("abc"), "label": ["no", "no|yes", "yes"]})
    task = Task(name="t", options=("no", "yes"), positive=("yes",))
    found = portraits(read(table), task=task)
    assert [own.leniency.value for own in found.raters] == [-1.0, 0.5, 0.5]
    # Jaccard of {no} and {no, yes} is 1/2, of {no} and {yes} 0
    assert [own.agreement for own in found.raters] == [0.25, 0.5, 0.25]
    assert portraits(read(table), task=task, positive="no").settings["positive"] == ("no",)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([(i, 0, i % 2) for i in range(5)], "With 1 rater nobody can stand out: no item has three raters."),
        ([(i, 3 * i + r, r) for i in range(5) for r in range(3)], "is unknown: nobody has two items"),
        ([(i, r, r) for i in range(5) for r in range(3)], "is unknown: it takes 4 raters"),
    ],
)
def test_what_is_unknown_is_said(table, said):
    assert said in " ".join(portraits(ratings_from(table)).summary().split())


def test_ten_thousand_raters_with_long_names_stay_readable():
    rng = np.random.default_rng(5)
    n = 10_000
    names = tuple(f"{'x' * 295}{r:05d}" for r in range(n))
    item = np.concatenate([rng.permutation(n) % 2000 for _ in range(2)])
    ratings = Ratings(item=item, rater=np.tile(np.arange(n), 2), label=rng.integers(2, size=2 * n), labels=("a", "b"),
                      items=tuple(map(str, range(2000))), raters=names)  # fmt: skip
    text = portraits(ratings, positive="a").summary()
    assert len(text.splitlines()) < 120
    assert "10,000 raters" in text
    assert "x" * 20 not in text


def test_the_json_and_the_frame_have_every_rater(divided):
    found = portraits(*divided, positive="yes", bootstrap=50)
    answer = json.loads(found.to_json())
    assert answer["command"] == "raters"
    assert len(answer["result"]["raters"]) == 16
    assert set(answer["result"]["raters"][0]) == {
        "rater", "group", "items", "ratings", "agreement", "others", "stands_out", "difference", "leniency",
        "consistency",
    }  # fmt: skip
    frame = found.to_frame()
    assert {"difference", "difference_low", "leniency_shrunk", "consistency"} <= set(frame.columns)
    assert isinstance(found, RatersResult)
    assert main_chart(found).figure.title


def test_who_stands_out_is_named():
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=120)
    table = [(i, r, int(truth[i] if rng.random() < 0.9 else 1 - truth[i])) for i in range(120) for r in range(12)]
    table += [(i, 99, int(rng.integers(2))) for i in range(120)]  # one who guesses
    found = portraits(ratings_from(table, labels=("no", "yes"), scale="nominal"))
    assert '"r99" stands out among 13 raters: ' in " ".join(found.summary().split())


def test_one_who_stands_out_among_few_is_not_hidden_by_the_spread_that_he_makes():
    # Values -45.8, 2.8, 9.7, 16.7, 16.7: the median is 9.7, the median deviation 6.9, the limit 9.7 - 2.5 * 10.3.
    values = [-0.458, 0.028, 0.097, 0.167, 0.167]
    measures = [Measure(value=v, shrunk=v, low=v - 0.2, high=v + 0.2, items=6) for v in values]
    assert standing_out(measures) == [True, False, False, False, False]
    assert standing_out(measures[:3]) == [False] * 3  # three raters cannot outvote each other


def test_dices_has_raters_who_call_almost_everything_unsafe(shared):
    folder = shared / "data" / "dices_350"
    ratings, judges = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    found = portraits(ratings, judges, positive="Yes", bootstrap=0, resamples=500)
    frame = pd.read_csv(folder / "ratings.csv")
    yes = frame.assign(yes=frame.label == "Yes").pivot_table(
        index="item", columns="rater", values="yes", aggfunc="mean"
    )
    share, everybody = yes["r100"], yes.sum(axis=1)
    expected = (share - (everybody - share) / (yes.shape[1] - 1)).mean()
    r100 = next(own for own in found.raters if own.rater == "r100")
    assert r100.leniency.value == pytest.approx(expected)
    assert r100.leniency.value > 0.6
    assert [(group.group, group.raters) for group in found.groups] == [("crowd", 123), ("expert", 1)]
    # One expert among 124 raters: no test can tell whether she is a group of her own.
    assert all(siding.sides_with is None and siding.p_value > 1 / 124 for siding in found.judges)


def test_convabuse_has_one_strict_rater_and_groups_that_are_no_groups_of_raters(shared):
    found = portraits(read(shared / "data" / "convabuse" / "ratings.csv"))
    strict = min(found.raters, key=lambda own: own.leniency.shrunk)
    assert strict.rater == "Annotator5"
    assert strict.leniency.high < -0.4
    assert found.groups == ()
    assert any("not about raters" in warning for warning in found.warnings)


def test_polis_has_thousands_of_raters_and_an_answer(shared):
    ratings = read(shared / "data" / "polis_votes" / "ratings.parquet")
    found = portraits(ratings.where(ratings.item < 300))
    assert len(found.raters) > 1_000
    assert found.populations["leniency"].spread > 0.2


def test_the_command_takes_the_positive_options_of_a_task(tmp_path, capsys):
    (tmp_path / "task.toml").write_text('name = "t"\noptions = ["no", "yes"]\npositive = ["yes"]\n')
    (tmp_path / "ratings.csv").write_text("item,rater,label\n1,a,no\n1,b,yes\n1,c,yes\n")
    assert main(["raters", str(tmp_path / "ratings.csv"), "--task", str(tmp_path / "task.toml"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [own["leniency"]["value"] for own in found["result"]["raters"]] == [-1, 0.5, 0.5]
    assert found["settings"]["leniency_in"] == "share"


def test_who_gives_a_bad_label_more_often_is_not_called_lenient():
    table = [(i, r, "unsafe" if r == 0 or i % 4 == 0 else "safe") for i in range(20) for r in range(5)]
    frame = pd.DataFrame(table, columns=["item", "rater", "label"])
    said = " ".join(portraits(read(frame), positive="unsafe").summary().split())
    assert "lenien" not in said.lower()
    assert "strict" not in said
    assert 'More "unsafe"' in said
    numbers = frame.assign(label=frame["label"].map({"unsafe": 3, "safe": 1}))
    assert "Higher labels" in portraits(read(numbers)).summary()
