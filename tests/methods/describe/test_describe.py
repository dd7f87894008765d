import json
import re
from itertools import combinations, combinations_with_replacement

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import describe, read
from dissensus.data import types_of_matrix
from dissensus.errors import OptionError
from dissensus.methods.describe.describe import possible_agreement
from dissensus.sampling.draws import draw_types

DATA_SETS = [
    "ambient_nli",
    "bluebirds",
    "convabuse",
    "dices_350",
    "mtbench_pairs",
    "polis_votes",
    "vader_tweets",
    "wiki_attacks",
    "wmt23_mqm_ende",
]


def frame_of(text):
    """Ratings from words such as `aab abc`: an item per word, a rater per letter."""
    rows = [(i, f"r{j}", label) for i, word in enumerate(text.split()) for j, label in enumerate(word)]
    return pd.DataFrame(rows, columns=["item", "rater", "label"])


def value_of(description, name):
    return next(c.value for c in description.coefficients if c.name == name)


def ratings_file(shared, name):
    return next((shared / "data" / name).glob("ratings.*"))


def published_figures(shared, name):
    """The figures in the data set's README, by group: each is a JSON object after the group's name."""
    text = (shared / "data" / name / "README.md").read_text()
    found = re.findall(r"^- (\w+): (\{.*\})$", text, flags=re.MULTILINE)
    return {group: json.loads(figures) for group, figures in found if not group.startswith("judge")}


@pytest.mark.parametrize("name", DATA_SETS)
def test_real_data_give_the_figures_of_their_readme(shared, name):
    ratings = read(ratings_file(shared, name))
    result = describe(ratings, bootstrap=0, by_group=bool(ratings.groups))
    parts = {"all": result.whole} | {part.group: part for part in result.groups}
    for group, figures in published_figures(shared, name).items():
        part = parts[group]
        assert (part.items, part.ratings) == (figures["items"], figures["ratings"])
        if "raters" in figures:
            assert part.raters == figures["raters"]
            assert [part.fewest, part.median, part.most] == figures["rpi"]
            assert round(part.pairwise_agreement.value, 4) == figures["agree"]
        for level in ("nominal", "ordinal", "interval"):
            key = "alpha_nom" if level == "nominal" else f"alpha_{level}"
            if key in figures:
                assert round(value_of(part, f"krippendorff_alpha_{level}"), 4) == figures[key]


@pytest.mark.parametrize("name", DATA_SETS)
def test_alpha_on_real_data_agrees_with_the_krippendorff_package(shared, name):
    ratings = read(ratings_file(shared, name))
    result = describe(ratings, bootstrap=0)
    alphas = [c for c in result.whole.coefficients if re.search("alpha_(nominal|ordinal|interval)", c.name)]
    assert alphas
    for alpha in alphas:
        level = alpha.name.rpartition("_")[2]
        domain = np.arange(ratings.n_labels) if ratings.has_response_sets or level != "interval" else ratings.values
        theirs = krippendorff.alpha(value_counts=ratings.counts(), value_domain=domain, level_of_measurement=level)
        assert abs(alpha.value - theirs) < 1e-9


def test_coefficients_follow_the_scale():
    names = {
        scale: [c.name for c in describe(read(frame_of("112 122 333"), scale=scale), bootstrap=0).whole.coefficients]
        for scale in ("nominal", "ordinal")
    }
    assert names["nominal"] == ["krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1"]
    assert names["ordinal"] == [
        "krippendorff_alpha_nominal",
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        "fleiss_kappa",
        "gwet_ac1",
        "gwet_ac2",
    ]


def test_words_in_a_given_order_are_ordinal_without_an_interval_alpha():
    result = describe(read(frame_of("aab abc"), labels=["a", "b", "c"]), bootstrap=0)
    names = [c.name for c in result.whole.coefficients]
    assert "krippendorff_alpha_ordinal" in names
    assert "krippendorff_alpha_interval" not in names


def test_response_sets_get_alpha_on_the_distances_between_sets():
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "label": ["x|y", "x", "y", "y"]})
    whole = describe(read(frame), bootstrap=0).whole
    # Pairs within items: (xy, x) twice at distance 1/2, (y, y) twice at 0, so D_o = 1/4. Among the four ratings
    # xy, x, y, y the distances are 1/2 (xy-x), 1/2 (xy-y) twice, 1 (x-y) twice, 0: D_e = 2 * 3.5 / 12 = 7/12.
    assert np.isclose(value_of(whole, "krippendorff_alpha_jaccard"), 1 - (1 / 4) / (7 / 12))


def test_shares_add_up_and_agreement_by_item_counts_every_item_with_a_pair():
    whole = describe(read(frame_of("aab abc a bb")), bootstrap=0).whole
    assert [(s.label, s.count) for s in whole.labels] == [("a", 4), ("b", 4), ("c", 1)]
    assert np.isclose(sum(s.share for s in whole.labels), 1)
    # aab: 1 of 3 pairs; abc: none; a: no pair; bb: all.
    assert whole.agreement_by_item == ((0.0, 1), (1 / 3, 1), (1.0, 1))
    assert whole.agreement_step == 0


def test_three_raters_have_three_shares_of_agreeing_pairs_and_of_two_labels_two():
    # Three labels: all differ, two agree, all agree; of two labels somebody always agrees with somebody.
    three, two = (describe(read(frame_of(text)), bootstrap=0).whole for text in ("aaa bbb ccc", "aaa bbb bbb"))
    assert three.agreement_by_item == ((0.0, 0), (1 / 3, 0), (1.0, 3))
    assert two.agreement_by_item == ((1 / 3, 0), (1.0, 3))


@given(st.integers(2, 9), st.integers(1, 4))
def test_every_way_to_rate_an_item_has_a_possible_share_and_no_other_is_possible(ratings, labels):
    shares = set()
    for given_labels in combinations_with_replacement(range(labels), ratings):
        pairs = list(combinations(given_labels, 2))
        shares.add(round(sum(a == b for a, b in pairs) / len(pairs), 9))
    assert {round(share, 9) for share in possible_agreement(ratings, labels)} == shares


def test_shares_below_the_least_that_is_possible_have_no_bin():
    # Twenty ratings of two labels: 10 to 10 leaves 2 * 10 * 9 / (20 * 19) = 47% of the pairs in agreement.
    whole = describe(read(frame_of("a" * 10 + "b" * 10 + " " + "a" * 20)), bootstrap=0).whole
    assert [round(edge, 1) for edge, _ in whole.agreement_by_item] == [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert (whole.agreement_by_item[0][1], whole.agreement_by_item[-1][1], whole.agreement_step) == (1, 1, 0.1)


def test_groups_are_described_like_files_of_their_own():
    frame = frame_of("aabb abba bbbb aaaa abbb")
    frame["group"] = ["g", "h"] * 10
    result = describe(read(frame), bootstrap=20, by_group=True)
    for part in result.groups:
        alone = describe(read(frame[frame.group == part.group]), bootstrap=0).whole
        assert part.coefficients[0].value == alone.coefficients[0].value
        assert (part.items, part.raters, part.ratings) == (alone.items, alone.raters, alone.ratings)
    only = describe(read(frame), group="g", bootstrap=0).whole
    assert only.coefficients[0].value == result.groups[0].coefficients[0].value


def test_an_unknown_group_is_named_with_the_known_ones():
    frame = frame_of("aab abb")
    frame["group"] = ["g", "h", "g"] * 2
    with pytest.raises(OptionError, match="There is no group 'x': the groups are g, h"):
        describe(read(frame), group="x")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("aa aaa", "only one label was used"),
        ("a b a", "no item has two ratings"),
    ],
)
def test_undefined_is_nan_with_a_reason(words, reason):
    result = describe(read(frame_of(words)), bootstrap=20)
    assert np.isnan(value_of(result.whole, "krippendorff_alpha_nominal"))
    assert any("krippendorff_alpha_nominal" in w and reason in w for w in result.warnings)
    exported = json.loads(result.to_json())
    assert exported["result"]["coefficients"][0] == {
        "name": "krippendorff_alpha_nominal",
        "value": None,
        "low": None,
        "high": None,
    }


def test_forced_choices_and_response_sets_are_not_mixed_silently():
    frame = pd.DataFrame(
        {"item": [1, 1, 2, 2, 1, 1], "rater": list("ababab"), "label": ["x", "y", "x", "x", "x|y", "x"]}
    )
    frame["elicitation"] = ["forced_choice"] * 4 + ["response_set"] * 2
    mixed = describe(read(frame), bootstrap=0)
    assert any("elicitation= forced_choice" in warning for warning in mixed.warnings)
    forced = describe(read(frame), bootstrap=0, elicitation="forced_choice")
    assert forced.warnings == ()
    assert forced.whole.ratings == 4
    assert forced.whole.pairwise_agreement.value == 0.5  # xy differ, xx agree


def test_one_item_has_a_value_but_no_interval_and_says_why():
    result = describe(read(frame_of("aab")), bootstrap=20)
    alpha = result.whole.coefficients[0]
    assert alpha.value == 0.0  # the only item is the population: observed and expected disagreement are the same
    assert np.isnan(alpha.low)
    assert any("only one item" in w for w in result.warnings)


def test_no_bootstrap_no_interval():
    result = describe(read(frame_of("aab abb bbb")), bootstrap=0)
    assert all(np.isnan(c.low) and np.isnan(c.high) for c in result.whole.coefficients)
    assert result.warnings == ()


def test_the_number_of_workers_changes_no_byte():
    ratings = read(frame_of("aab abc bbc cca aaa bbb abb"))
    one = describe(ratings, bootstrap=120, workers=1)
    two = describe(ratings, bootstrap=120, workers=2)
    assert one.to_json() == two.to_json()


def test_another_seed_moves_the_interval_only():
    ratings = read(frame_of("aab abc bbc cca aaa bbb abb"))
    first, second = (describe(ratings, bootstrap=100, rng=seed).whole.coefficients[0] for seed in (0, 1))
    assert first.value == second.value
    assert (first.low, first.high) != (second.low, second.high)


@given(st.permutations(range(9)))
@settings(max_examples=20)
def test_the_order_of_rows_changes_no_byte(order):
    frame = frame_of("aab abc bbc")
    shuffled = frame.iloc[list(order)]
    assert describe(read(frame), bootstrap=50).to_json() == describe(read(shuffled), bootstrap=50).to_json()


@pytest.mark.parametrize("copies", [1, 30])
def test_bootstrap_weights_are_multinomial_whichever_way_they_are_drawn(copies):
    # One copy of each item draws item by item; thirty draw type by type. Both have mean n p and variance n p (1 - p).
    types = types_of_matrix([[2, 0], [1, 1], [0, 2], [0, 2]] * copies)
    weights = draw_types(types.items, 20_000, np.random.default_rng(0))
    n, p = types.items.sum(), types.items / types.items.sum()
    assert (weights.sum(axis=1) == n).all()
    sd = np.sqrt(n * p * (1 - p))
    assert (abs(weights.mean(axis=0) - n * p) < 4 * sd / np.sqrt(20_000)).all()
    assert np.allclose(weights.var(axis=0), sd**2, rtol=0.05)


def test_interval_is_that_of_resampled_items():
    # The same bootstrap item by item, in plain numpy, with its own random numbers.
    rng = np.random.default_rng(3)
    counts = rng.multinomial(5, [0.5, 0.3, 0.2], size=60)
    rows = [(i, f"r{j}", "abc"[c]) for i, row in enumerate(counts) for j, c in enumerate(np.repeat([0, 1, 2], row))]
    ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
    alpha = describe(ratings, bootstrap=4000, raters="fixed").whole.coefficients[0]
    samples = [
        krippendorff.alpha(value_counts=counts[rng.integers(60, size=60)], level_of_measurement="nominal")
        for _ in range(2000)
    ]
    low, high = np.quantile(samples, [0.025, 0.975])
    assert abs(alpha.low - low) < 0.015
    assert abs(alpha.high - high) < 0.015


@pytest.mark.slow
def test_interval_covers_the_true_alpha():
    # An urn with two states, labels .9/.1 or .2/.8, half of the items each: two ratings of an item agree with
    # probability .5 (.82 + .68) = .75, two ratings of different items with .55^2 + .45^2 = .505, so alpha is .4949.
    truth = 1 - (1 - 0.75) / (1 - 0.505)
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(300):
        p = rng.choice([0.9, 0.2], size=150)
        counts = rng.binomial(6, p)
        rows = [(i, f"r{j}", "a" if j < c else "b") for i, c in enumerate(counts) for j in range(6)]
        ratings = read(pd.DataFrame(rows, columns=["item", "rater", "label"]))
        alpha = describe(ratings, bootstrap=300, rng=rng).whole.coefficients[0]
        hits += alpha.low <= truth <= alpha.high
    # Binomial standard error at .95 is .0126; the percentile interval of 150 items is a little short.
    assert 0.90 <= hits / 300 <= 0.985


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bootstrap": -1}, "bootstrap= cannot be -1"),
        ({"confidence": 1.0}, "confidence= cannot be 1"),
        ({"weights": "cubic"}, "weights= cannot be 'cubic': choose one of ordinal, linear, quadratic"),
        ({"engine": "spark"}, "engine= cannot be 'spark': choose local, dask://host:port or tls://host:port"),
        ({"workers": 0}, "workers= cannot be 0"),
        ({"by_group": True}, "The ratings have no groups"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        describe(read(frame_of("aab abb")), **options)


def test_a_kind_of_rating_that_nobody_gave_is_refused():
    frame = pd.DataFrame({"item": [1, 1], "rater": ["a", "b"], "label": ["x", "y"], "elicitation": "forced_choice"})
    with pytest.raises(OptionError, match=r"No rating is a response set, as the elicitation column has it: leave out"):
        describe(read(frame), elicitation="response_set")


def test_groups_that_are_put_together_are_named_with_how_to_see_each_alone():
    frame = frame_of("aab abb bba").assign(group=["crowd", "crowd", "expert"] * 3)
    [said] = describe(read(frame), bootstrap=0).warnings
    assert said == "Groups are counted together (crowd, expert): group= group shows each alone."
    assert not any("put together" in text for text in describe(read(frame), bootstrap=0, by_group=True).warnings)
    assert not any("put together" in text for text in describe(read(frame), bootstrap=0, group="crowd").warnings)
