"""Biases of judges: statsmodels for regressions, plain Python for orders, level and power by simulation."""

import json
import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t as student

from dissensus import judges, read, read_judges
from dissensus.data import Judges, Ratings
from dissensus.methods.judges.biases import biases_of, is_same, last_coefficient, wins_of
from dissensus.methods.judges.result import JudgesOptions
from dissensus.methods.judges.setup import set_up
from dissensus.report.text import text_of

PAIR = ("A", "B", "tie")


def data(heights, answers, *, labels=("1", "2", "3"), scale="ordinal", groups=None, about=None, order=None):
    """Ratings of shape (n_items, n_raters) and answers of one judge, perhaps in two orders, as codes of labels."""
    n_items, n_raters = heights.shape
    names = tuple(f"i{i:04d}" for i in range(n_items))
    ratings = Ratings(
        item=np.repeat(np.arange(n_items), n_raters), rater=np.tile(np.arange(n_raters), n_items),
        label=heights.ravel(), items=names, raters=tuple(f"r{r}" for r in range(n_raters)), labels=labels, scale=scale,
        group=None if groups is None else np.repeat(groups, n_raters), groups=() if groups is None else ("g", "h", "k"),
        about={name: dict(zip(names, column, strict=True)) for name, column in (about or {}).items()},
    )  # fmt: skip
    n = len(answers)
    given = Judges(
        item=np.arange(n) % n_items, judge=np.zeros(n, dtype=int), sample=np.arange(n) // n_items, label=answers,
        items=names, judges=("gpt-4_pair",), labels=labels, options=labels, order=order,
    )  # fmt: skip
    return ratings, given


def asked(*args, **options):
    return judges(*args, **{"bootstrap": 1, "raters": "fixed", **options}).biases


def three_labels(rng, n_items=120, n_raters=3):
    return rng.integers(0, 3, (n_items, n_raters)), rng.integers(0, 3, n_items)


def test_a_length_is_a_slope_with_robust_errors():
    rng = np.random.default_rng(4)
    said, answers = three_labels(rng)
    texts = ["x" * int(size) for size in rng.integers(1, 400, len(said))]
    [bias] = asked(*data(said, answers, about={"text": texts}))
    y = answers + 1 - (said + 1).mean(axis=1)
    x = sm.add_constant(np.log2([len(text) for text in texts]))
    fit = sm.OLS(y, x).fit(cov_type="HC3", use_t=True)
    assert (bias.kind, bias.unit, bias.items, bias.about) == ("length", "labels", 120, None)
    assert (bias.value, bias.p_value) == pytest.approx((fit.params[1], fit.pvalues[1]), rel=1e-9)
    assert (bias.low, bias.high) == pytest.approx(tuple(fit.conf_int()[1]), rel=1e-9)


def test_lengths_of_a_pair_are_compared():
    rng = np.random.default_rng(5)
    said, answers = three_labels(rng)
    sizes = rng.integers(1, 400, (2, len(said)))
    about = {name: ["x" * int(size) for size in own] for name, own in zip(("text_a", "text_b"), sizes, strict=True)}
    [bias] = asked(*data(said, answers, labels=PAIR, scale="nominal", about=about))
    won = np.array([1.0, 0.0, 0.5])
    fit = sm.OLS(won[answers] - won[said].mean(axis=1), sm.add_constant(np.log2(sizes[0] / sizes[1]))).fit(
        cov_type="HC3", use_t=True
    )
    assert (bias.kind, bias.unit) == ("length", "wins")
    assert (bias.value, bias.p_value) == pytest.approx((fit.params[1], fit.pvalues[1]), rel=1e-9)


def test_a_group_is_compared_with_all_other_items():
    rng = np.random.default_rng(6)
    said, answers = three_labels(rng)
    groups = rng.integers(0, 3, len(said))
    found = asked(*data(said, answers, groups=groups))
    assert [(bias.kind, bias.about) for bias in found] == [("group", "g"), ("group", "h"), ("group", "k")]
    names = {"group": [("g", "h", "k")[g] for g in groups]}
    assert asked(*data(said, answers, about=names)) == found
    y = answers + 1 - (said + 1).mean(axis=1)
    for g, bias in enumerate(found):
        assert bias.value == pytest.approx(y[groups == g].mean() - y[groups != g].mean())
        fit = sm.OLS(y, sm.add_constant((groups == g).astype(float))).fit(cov_type="HC3", use_t=True)
        assert bias.p_value == pytest.approx(fit.pvalues[1])
    # Holm: the smallest three times, the second twice, never falling.
    p = sorted(bias.p_value for bias in found)
    expected = [min(1, 3 * p[0]), min(1, max(3 * p[0], 2 * p[1])), min(1, max(3 * p[0], 2 * p[1], p[2]))]
    assert sorted(bias.p_holm for bias in found) == pytest.approx(expected)


def test_own_outputs_are_compared_with_writers_as_good():
    rng = np.random.default_rng(7)
    said, answers = three_labels(rng, 200)
    names = np.array(["gpt-4", "claude", "llama"])
    writers = np.array([rng.choice(names, 2, replace=False) for _ in range(200)]).T
    about = {"writer_a": writers[0], "writer_b": writers[1]}
    [bias] = asked(*data(said, answers, labels=PAIR, scale="nominal", about=about))
    won = np.array([1.0, 0.0, 0.5])
    people = won[said].mean(axis=1)
    sides = (writers[0][:, None] == names).astype(float) - (writers[1][:, None] == names)
    strength = sides @ np.linalg.pinv(sides) @ (people - 0.5)
    x = np.column_stack([np.ones(200), strength, sides[:, 0]])
    fit = sm.OLS(won[answers] - people, x).fit(cov_type="HC3", use_t=True)
    assert (bias.kind, bias.about, bias.items) == ("self", "gpt-4", int((sides[:, 0] != 0).sum()))
    assert (bias.value, bias.p_value) == pytest.approx((fit.params[2], fit.pvalues[2]), rel=1e-6)


def test_single_outputs_with_two_writers_have_no_strength_to_hold():
    rng = np.random.default_rng(8)
    said, answers = three_labels(rng)
    writers = rng.choice(["gpt-4", "people"], len(said))
    [bias] = asked(*data(said, answers, about={"writer": writers}))
    y = answers + 1 - (said + 1).mean(axis=1)
    assert bias.value == pytest.approx(y[writers == "gpt-4"].mean() - y[writers != "gpt-4"].mean())


def test_a_place_is_told_by_the_same_pair_in_both_orders():
    rng = np.random.default_rng(9)
    n = 30
    said, first = three_labels(rng, n)
    second = rng.integers(0, 3, n)
    order = np.repeat([0, 1], n)
    [bias] = asked(*data(said, np.concatenate([first, second]), labels=PAIR, scale="nominal", order=order))
    won = {0: 1.0, 1: 0.0, 2: 0.5}
    gaps = [won[a] - won[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert (bias.kind, bias.items) == ("position", n)
    assert bias.value == pytest.approx(sum(gaps) / n)
    more = [*gaps, 1, -1]
    assert (bias.low + bias.high) / 2 == pytest.approx(sum(more) / (n + 2))
    t = abs(sum(more) / (n + 2)) / (statistics.stdev(more) / math.sqrt(n + 2))
    assert bias.p_value == pytest.approx(2 * student.sf(t, n - 1))


def test_a_judge_that_always_takes_the_first_is_found_and_one_that_never_flips_is_not():
    rng = np.random.default_rng(10)
    n = 40
    said, first = three_labels(rng, n)
    order = np.repeat([0, 1], n)
    always = np.concatenate([np.zeros(n, dtype=int), np.ones(n, dtype=int)])
    [bias] = asked(*data(said, always, labels=PAIR, scale="nominal", order=order))
    assert (bias.value, bias.p_value < 1e-6, bias.low > 0.7) == (1, True, True)
    [bias] = asked(*data(said, np.concatenate([first, first]), labels=PAIR, scale="nominal", order=order))
    assert bias.value == 0
    assert bias.p_value == 1
    assert -0.1 < bias.low < 0 < bias.high < 0.1


def test_nothing_is_looked_for_where_nothing_can_be_seen():
    rng = np.random.default_rng(11)
    said, answers = three_labels(rng)
    texts = {"text": ["x" * int(size) for size in rng.integers(1, 400, len(said))]}
    assert asked(*data(said, answers)) == ()
    # Labels without an order have no height, unless one is positive.
    nominal = data(said, answers, scale="nominal", labels=("x", "y", "z"), about=texts)
    assert asked(*nominal) == ()
    [bias] = asked(*nominal, positive="z")
    assert (bias.kind, bias.unit) == ("length", "share")
    assert asked(*data(said, answers, about={"text": ["same"] * len(said)})) == ()
    assert last_coefficient(np.ones((3, 2)), np.zeros(3)) is None


def test_groups_of_raters_are_no_groups_of_items():
    rng = np.random.default_rng(12)
    said, answers = three_labels(rng)
    ratings, given = data(said, answers)
    by_rater = replace(ratings, group=ratings.rater % 2, groups=("g", "h"))
    assert asked(by_rater, given) == ()


def test_labels_of_pairs_are_known_by_their_names():
    assert wins_of(["Model_A", "model_b", "Tie"]).tolist() == [1, 0, 0.5]
    assert wins_of(["win", "tie", "lose"]).tolist() == [1, 0.5, 0]
    assert wins_of(["much better", "better", "worse"], is_pairwise=True).tolist() == [1, 0.5, 0]
    assert wins_of(["a", "b", "c"]) is None
    assert is_same(" GPT-4 ", "openai/gpt-4")
    assert not is_same(None, "gpt-4")


def test_biases_are_in_the_json_and_what_is_found_is_said():
    rng = np.random.default_rng(13)
    n = 60
    said = rng.integers(0, 3, (n, 3))
    always = np.concatenate([np.zeros(n, dtype=int), np.ones(n, dtype=int)])
    result = judges(*data(said, always, labels=PAIR, scale="nominal", order=np.repeat([0, 1], n)), bootstrap=5)
    [bias] = json.loads(result.to_json())["result"]["biases"]
    names = ["judge", "kind", "about", "value", "low", "high", "p_value", "p_holm", "items", "unit"]
    assert list(bias) == names
    text = text_of(result, details=True)
    assert "gpt-4_pair favours what is shown first: +100.0 pt [" in " ".join(text.split())
    assert "shown first" in text.partition("How far a judge favours")[2]


def test_gpt_4_favours_its_own_answers_as_its_authors_found(shared):
    # L. Zheng and others (2023), "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", section 3.3: GPT-4 favours
    # itself with a 10% higher win rate.
    folder = shared / "data" / "mtbench_pairs"
    ratings, given = read(folder / "ratings.csv"), read_judges(folder / "judges.csv")
    about = {
        name: {item: item.split("__")[place] for item in ratings.items}
        for name, place in {"writer_a": 1, "writer_b": 2}.items()
    }
    [bias] = asked(replace(ratings, about=about), given, judge="gpt-4_pair", raters="sampled")
    assert (bias.kind, bias.about, bias.items) == ("self", "gpt-4", 399)
    assert bias.low < 0.10 < bias.high
    assert bias.p_value < 0.001


# ---- Level and power

RUNS = 600
"""A share of .05 has a standard error of .009."""
LEVEL = 0.07


def with_raters(ratings, given):
    """The biases alone, which `judges` returns with much else, for people like these raters."""
    options = JudgesOptions(raters="sampled", bootstrap=1)
    return biases_of(set_up(ratings, given, None, options), ratings, given, options, 0)


def like_one_more_person(rng, kind, size, n_items=200, n_raters=6):
    """A judge that answers as a new person for each item, and favours long texts, a group or the first by `size`.

    People, too, like longer texts, and groups differ. A judge as lenient everywhere as one lenient person would not do:
    it runs out of labels sooner where people like a text, which is a bias.
    """
    groups, doublings = rng.integers(0, 3, n_items), rng.uniform(3, 9, n_items)
    height = rng.normal(0, 1, n_items) + 0.15 * (doublings - 6) + np.array([-0.3, 0.0, 0.3])[groups]
    taste, own = rng.normal(0, 0.5, n_raters), rng.normal(0, 0.5, n_items)

    def labels_of(seen):
        return np.digitize(seen + rng.logistic(0, 0.5, seen.shape), [-0.5, 0.6])

    said = labels_of(height[:, None] + taste)
    if kind == "position":
        answers = [labels_of(height + own + size), labels_of(height + own - size)]
        order = np.repeat([0, 1], n_items)
        return data(said, np.concatenate(answers), labels=("B", "tie", "A"), scale="nominal", order=order)
    if kind == "length":
        answers = labels_of(height + own + size * (doublings - 6))
        return data(said, answers, about={"text": ["x" * int(2**size) for size in doublings]})
    return data(said, labels_of(height + own + size * (groups == 0)), groups=groups)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size"), [("length", 0.25), ("group", 1.0), ("position", 0.35)])
def test_a_planted_bias_is_found_and_an_absent_one_is_not(kind, size, trust):
    rng, runs = np.random.default_rng([23, len(kind)]), trust.sets(RUNS)
    found = {0.0: 0, size: 0}
    for planted in found:
        for _ in range(runs):
            bias = with_raters(*like_one_more_person(rng, kind, planted))[0]  # of groups the first
            assert bias.kind == kind
            found[planted] += bias.p_value < 0.05
            assert (bias.p_value < 0.05) == (not bias.low <= 0 <= bias.high)
    trust.keep("level", f"judges: bias by {kind}", found[0.0] / runs, runs, data="6 raters, 200 items")
    assert found[0.0] / runs <= LEVEL, found
    assert found[size] / runs >= 0.9, found


def pairs(rng, n_items, n_raters, *, own=0.0, sure=2.0, leniency=0.5):
    """People compare outputs of four writers; a judge that is surer than they are, and may favour its own outputs."""
    strength = {"gpt-4": 1.0, "claude": 1.0, "llama": -1.0, "alpaca": -1.5}
    names = list(strength)
    writers = np.array([rng.choice(names, 2, replace=False) for _ in range(n_items)]).T
    gap = np.array([strength[a] - strength[b] for a, b in writers.T]) + rng.normal(0, 1, n_items)
    taste = rng.normal(0, leniency, n_raters)  # raters lean to the first or to the second
    said = (rng.random((n_items, n_raters)) > 1 / (1 + np.exp(-(gap[:, None] + taste)))).astype(int)
    mine = (writers[0] == "gpt-4").astype(float) - (writers[1] == "gpt-4")
    answers = (rng.random(n_items) > 1 / (1 + np.exp(-(sure * gap + own * mine)))).astype(int)
    return data(said, answers, labels=("A", "B"), scale="nominal",
                about={"writer_a": writers[0], "writer_b": writers[1]})  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("own", "least", "most"), [(0.0, 0.0, LEVEL), (1.5, 0.6, 1.0)])
def test_a_judge_that_is_surer_than_people_is_not_called_biased(own, least, most):
    rng = np.random.default_rng(14)
    found = 0
    for _ in range(RUNS):
        [bias] = with_raters(*pairs(rng, 300, 4, own=own))
        found += bias.p_value < 0.05
    assert least <= found / RUNS <= most, found / RUNS


@pytest.mark.slow
def test_with_equal_judges_few_data_sets_name_a_biased_one():
    rng = np.random.default_rng(15)
    named = 0
    for _ in range(RUNS):
        height = rng.normal(0, 1, 200)
        taste = rng.normal(0, 0.5, 5)
        said = np.digitize(height[:, None] + taste + rng.normal(0, 1, (200, 5)), [-0.5, 0.5])
        answers = np.digitize(height + 0.4 + rng.normal(0, 1, 200), [-0.5, 0.5])
        texts = {"text": ["x" * int(2**size) for size in rng.uniform(3, 9, 200)]}
        found = with_raters(*data(said, answers, groups=rng.integers(0, 3, 200), about=texts))
        named += min(bias.p_holm for bias in found) < 0.05
    assert named / RUNS <= LEVEL, named / RUNS
