"""Real ratings read with the figures that their README states."""

import json
import re

import numpy as np
import pytest

from dissensus.data import read, read_judges

FOLDERS = [
    "ambient_nli", "bluebirds", "convabuse", "dices_350", "mtbench_pairs", "polis_votes", "vader_tweets",
    "wiki_attacks", "wmt23_mqm_ende",
]  # fmt: skip
WITH_JUDGES = [folder for folder in FOLDERS if folder != "polis_votes"]
SHARES_ROUNDED_TO = 4


@pytest.fixture(scope="module")
def ratings_in(shared):
    cache = {}

    def load(folder):
        if folder not in cache:
            cache[folder] = read(next((shared / "data" / folder).glob("ratings.*")))
        return cache[folder]

    return load


def figures(shared, folder):
    """The figures of a README, by the part of the data: lines such as `- crowd: {"items": 540, ...}`."""
    text = (shared / "data" / folder / "README.md").read_text(encoding="utf-8")
    return {name: json.loads(values) for name, values in re.findall(r"^- (\w+): (\{.*\})$", text, re.MULTILINE)}


def shape(ratings, keys):
    """The same figures of some ratings."""
    per_item = np.bincount(ratings.item)
    every = {
        "items": ratings.n_items,
        "items2": int(np.sum(per_item >= 2)),
        "ratings": ratings.n_ratings,
        "raters": ratings.n_raters,
        "rpi": [per_item.min(), np.median(per_item), per_item.max()],
        "n_distinct": int(np.sum(np.bincount(ratings.label) > 0)),
    }
    return {key: value for key, value in every.items() if key in keys}


def check(ratings, stated):
    found = shape(ratings, stated)
    assert found == {key: stated[key] for key in found}
    share = np.bincount(ratings.label, minlength=ratings.n_labels) / ratings.n_ratings
    code = {frozenset(label.split("|")): i for i, label in enumerate(ratings.labels)}
    for label, stated_share in stated["labels"].items():
        name = label.removesuffix(".0")  # the READMEs write 5.0 for the label that is 5
        assert round(share[code[frozenset(name.split("|"))]], SHARES_ROUNDED_TO) == pytest.approx(
            stated_share, abs=1.01e-4
        )


@pytest.mark.parametrize("folder", FOLDERS)
def test_ratings_have_the_figures_of_their_readme(shared, ratings_in, folder):
    ratings, stated = ratings_in(folder), figures(shared, folder)
    check(ratings, stated["all"])
    assert ratings.warnings == ()
    parts = stated.keys() - {"all", "judges", "judge_mean_agreement", "judge_spearman"}
    for group in parts:
        check(ratings.of_group(group), stated[group])
    if parts:
        assert set(ratings.groups) == parts


@pytest.mark.parametrize("folder", WITH_JUDGES)
def test_judges_have_the_figures_of_their_readme(shared, ratings_in, folder):
    ratings = ratings_in(folder)
    judges = read_judges(shared / "data" / folder / "judges.csv")
    stated = figures(shared, folder)["judges"]
    found = {name: [len(judges[name].items), int(judges[name].sample.max()) + 1] for name in judges.judges}
    assert found == stated
    judges.on_items_of(ratings)
    if len(judges.labels) <= 10:  # not where the answers are continuous
        np.testing.assert_allclose(judges.distributions()[2].sum(axis=1), 1)


@pytest.mark.parametrize(
    ("folder", "scale"),
    [
        ("bluebirds", "nominal"),
        ("ambient_nli", "nominal"),
        ("polis_votes", "ordinal"),
        ("convabuse", "ordinal"),
        ("vader_tweets", "ordinal"),
        ("wmt23_mqm_ende", "interval"),
    ],
)
def test_scales_are_as_the_design_says(ratings_in, folder, scale):
    assert ratings_in(folder).scale == scale


def test_polis_is_conversations_with_votes_in_numeric_order(ratings_in):
    ratings = ratings_in("polis_votes")
    assert ratings.labels == ("-1", "0", "1")
    assert len(ratings.groups) == 17  # "17 conversations", says the title of its README
    assert sum(ratings.of_group(group).n_ratings for group in ratings.groups) == ratings.n_ratings


def test_ambient_has_items_in_both_elicitations(shared, ratings_in):
    ratings = ratings_in("ambient_nli")
    text = (shared / "data" / "ambient_nli" / "README.md").read_text(encoding="utf-8")
    both = int(re.search(r"(\d+) items have both", text).group(1))
    forced, sets = ratings.of_elicitation("forced_choice"), ratings.of_elicitation("response_set")
    assert len(set(forced.items) & set(sets.items)) == both
    assert not forced.has_response_sets
    assert sets.has_response_sets


def test_ambient_judges_on_unrated_items_are_counted(shared, ratings_in):
    text = (shared / "data" / "ambient_nli" / "README.md").read_text(encoding="utf-8")
    unrated = int(re.search(r"(\d+) judge items have no ratings", text).group(1))
    judges = read_judges(shared / "data" / "ambient_nli" / "judges.csv").on_items_of(ratings_in("ambient_nli"))
    assert f"Left out {unrated} items that judges answered and nobody rated." in judges.warnings
