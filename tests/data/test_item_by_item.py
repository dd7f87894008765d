"""Methods that look at each item take alike items apart, or say that they cannot."""

import math

import numpy as np
import pytest

from dissensus import alt_test, plan_labels, prevalence
from dissensus import panel as panels
from dissensus import raters as portraits
from dissensus.data import align as module
from dissensus.data.align import item_by_item
from dissensus.errors import DissensusError, JudgesError, RatingsError

from profiles import moments_of, profiles_of
from survey_builders import hard_judges_of, judges_of, ratings_of

LABELS = ("no", "yes")


@pytest.fixture
def whole():
    """Three raters and two judges on 200 items of two labels; each agrees with what is true more often than not."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    labels = np.where(rng.random((200, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    answers = {name: np.where(rng.random(200) < right, truth, 1 - truth) for name, right in (("a", 0.9), ("b", 0.7))}
    return ratings_of(labels.tolist(), LABELS), hard_judges_of(answers, LABELS)


def numbers_in(rows):
    return [value for row in rows for value in row.values() if isinstance(value, float) and not math.isnan(value)]


def test_a_panel_is_worth_the_same_from_items_that_were_put_together(whole):
    few, answers = profiles_of(*whole)
    assert few.n_items < 20
    options = {"score": "agreement", "bootstrap": 0, "method": "plurality"}
    found, expected = (panels(*data, **options) for data in ((few, answers), whole))
    assert np.allclose(numbers_in(found.rows()), numbers_in(expected.rows()), atol=1e-12)


def test_a_plan_from_a_pilot_is_the_same_from_items_that_were_put_together(whole):
    few, answers = profiles_of(*whole)
    found, expected = (plan_labels(pilot=r, pilot_judges=j, budget=500, rng=0) for r, j in ((few, answers), whole))
    assert found.settings["accuracy"] == pytest.approx(expected.settings["accuracy"], abs=1e-12)
    assert found.settings["margin"] == pytest.approx(expected.settings["margin"], abs=1e-12)


def test_too_many_items_are_not_taken_apart(whole, monkeypatch):
    monkeypatch.setattr(module, "MOST_ITEMS", 100)
    with pytest.raises(
        RatingsError, match=r"A panel looks at each of the 200 items, and 100 are the most: give it a s"
    ):
        item_by_item(*profiles_of(*whole), what="A panel")


def test_sums_of_outputs_are_not_taken_apart(whole):
    outputs = np.random.default_rng(1).dirichlet([1, 1], size=200)
    ratings, judges = moments_of(whole[0], judges_of({"a": outputs}, LABELS))
    with pytest.raises(JudgesError, match="only sums of them were read: use `round_outputs=` of `read_reduced` 3"):
        item_by_item(ratings, judges, what="A panel")


@pytest.mark.parametrize(
    "ask",
    [
        alt_test,
        lambda ratings, _: portraits(ratings),
        lambda ratings, judges: prevalence(ratings, judges, positive="yes"),
    ],
    ids=["alt-test", "raters", "prevalence"],
)
def test_what_asks_who_rated_or_what_nobody_rated_refuses_items_that_were_put_together(whole, ask):
    with pytest.raises(DissensusError, match="merged"):
        ask(*profiles_of(*whole))
