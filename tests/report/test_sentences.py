import math

import pytest

from dissensus.methods.describe.describe import Coefficient, LabelShare
from dissensus.report.views.describe import (
    agreement_in_short,
    coefficient_name,
    counterpart,
    facts,
    headline,
    labels_finding,
    unanimity_finding,
)
from dissensus.report.views.section import interval_sentence, section_of

NAMES = [
    "pairwise_agreement",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha_jaccard",
    "krippendorff_alpha_masi",
]


def coefficient(value, low=math.nan, high=math.nan, name="krippendorff_alpha_nominal"):
    return Coefficient(name=name, value=value, low=low, high=high)


def shares(**counts):
    total = sum(counts.values())
    return [LabelShare(label=label, count=n, share=n / total if total else 0.0) for label, n in counts.items()]


def test_the_answer_names_how_often_pairs_agree_and_how_far_that_is_from_chance(described):
    assert agreement_in_short(described().whole) == (
        "Two raters agree on an item 59% of the time [56%, 61%]; Krippendorff's alpha (nominal) is 0.13 [0.10, 0.16] "
        "(1 is perfect, 0 is chance)."
    )


def test_the_answer_about_one_group_names_it(described):
    assert agreement_in_short(described(group="experts").whole).startswith('Two raters of group "experts" agree')


def test_without_a_bootstrap_there_are_no_brackets(described):
    whole = described(
        pairwise_agreement=coefficient(0.588, name="pairwise_agreement"), coefficients=(coefficient(0.13),)
    ).whole
    assert "[" not in agreement_in_short(whole)


def test_undefined_numbers_in_the_answer_point_to_the_warning(described):
    whole = described(
        pairwise_agreement=coefficient(math.nan, name="pairwise_agreement"), coefficients=(coefficient(math.nan),)
    ).whole
    assert agreement_in_short(whole) == (
        "How often two raters of an item agree is undefined here: the warnings say why."
    )
    agreed = described(coefficients=(coefficient(math.nan),)).whole
    assert agreement_in_short(agreed).endswith("; Krippendorff's alpha (nominal) is undefined: the warnings say why.")


def test_numbers_on_a_measure_agree_by_how_near_they_are(described):
    near = described(coefficients=(coefficient(0.8, name="krippendorff_alpha_interval"),)).whole
    said = agreement_in_short(near, "interval")
    assert said.startswith("Krippendorff's alpha (interval) is 0.80")
    assert said.endswith("two raters give exactly the same number 59% of the time [56%, 61%].")


@pytest.mark.parametrize("name", NAMES)
def test_every_coefficient_has_words_of_its_own(name, described):
    assert "_" not in coefficient_name(name)
    shown = described(coefficients=(coefficient(0.5, name=name),))
    assert f"- {coefficient_name(name)}: " in shown.summary(details=True)


@pytest.mark.parametrize(
    ("present", "scale", "expected"),
    [
        (["fleiss_kappa", "krippendorff_alpha_nominal"], "nominal", "krippendorff_alpha_nominal"),
        (NAMES[1:4], "ordinal", "krippendorff_alpha_ordinal"),
        (NAMES[1:4], "interval", "krippendorff_alpha_interval"),
        (["krippendorff_alpha_nominal", "krippendorff_alpha_jaccard"], "ordinal", "krippendorff_alpha_jaccard"),
        (["fleiss_kappa", "gwet_ac1"], "ordinal", "fleiss_kappa"),
    ],
)
def test_the_headline_is_alpha_with_the_distance_that_fits(present, scale, expected):
    assert headline([coefficient(0.5, name=name) for name in present], scale).name == expected


def test_a_group_without_response_sets_shows_nominal_alpha_for_set_alpha():
    # sets of one option: Jaccard and MASI distance are 0 if equal, else 1, as for nominal alpha
    forced = [coefficient(0.4), coefficient(0.3, name="fleiss_kappa")]
    assert counterpart(forced, "krippendorff_alpha_jaccard").value == 0.4
    assert counterpart(forced, "krippendorff_alpha_ordinal") is None


def test_the_table_says_how_much_it_rests_on(described):
    one = described(items=1, raters=1, ratings=1, fewest=1, median=1.0, most=1)
    assert section_of(one).main_table().caption == "Agreement in 1 rating of 1 item by 1 rater"
    assert section_of(described(raters=None)).main_table().caption.endswith("of 1,000 items by unnamed raters")


def test_ratings_per_item_agree_in_number(described):
    assert facts(described(fewest=0, median=1.0, most=1).whole, None) == ["An item has 0 to 1 rating (median 1)."]
    assert facts(described(fewest=3, median=3.0, most=3).whole, None) == ["An item has 3 ratings."]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_each_scale_is_named(scale, described):
    assert f"({scale} scale)" in described(settings={"scale": scale}).summary(details=True)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"a": 3, "b": 1}, 'The most common label is "a": 75.0% of the ratings'),
        ({"a": 1, "b": 1}, '"a" and "b" are the most common labels: 50.0% of the ratings each'),
        (dict.fromkeys("abcd", 1), '"a", "b", "c" and 1 more are the most common labels: 25.0% of the ratings each'),
        ({"a": 3, "b": 0}, 'The most common label is "a": 100% of the ratings'),
        ({"a": 0}, "There are no ratings"),
        ({}, "There are no ratings"),
    ],
)
def test_the_most_common_label_is_named(counts, expected):
    assert labels_finding(shares(**counts)) == expected


def test_response_sets_are_counted(described):
    # 2 + 1 of 10 ratings hold several options
    sets = shares(**{"Yes": 4, "No": 3, "No|Yes": 2, "No|Unsure": 1})
    assert facts(described(labels=sets).whole, None)[-1] == (
        "30.0% of the ratings endorse several options at once (response sets)."
    )


@pytest.mark.parametrize(
    ("by_item", "items", "expected"),
    [
        (((0.0, 1), (1.0, 3)), 4, "All raters agree on 75% of the items"),
        (((0.0, 1), (1.0, 3)), 9, "All raters agree on 75% of the items with two or more ratings"),
        (((0.0, 4), (1.0, 0)), 4, "All raters agree on 0% of the items"),
        (((1.0, 4),), 4, "All raters agree on 100% of the items"),
    ],
)
def test_unanimous_items_are_counted_among_those_that_can_be_unanimous(described, by_item, items, expected):
    assert unanimity_finding(described(agreement_by_item=by_item, items=items).whole) == expected


def test_intervals_are_explained_only_where_there_are_any():
    assert interval_sentence({"bootstrap": 0, "confidence": 0.95}) == ""
    assert interval_sentence({"bootstrap": 500, "confidence": 0.999}) == (
        "Brackets hold 99.9% intervals: how far a number would move if other items of the same kind had been rated "
        "(500 bootstrap samples)."
    )
    assert "had been rated by other raters like these (" in interval_sentence({"bootstrap": 5, "raters": "sampled"})
