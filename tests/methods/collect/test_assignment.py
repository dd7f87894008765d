"""Who rates what: properties that hold for every design, and a plain-Python look at each of them."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.data.collection import Plan
from dissensus.methods.collect.assignment import assign, teams_of

designs = st.integers(1, 16).flatmap(
    lambda raters: st.tuples(st.integers(1, 80), st.just(raters), st.integers(1, raters), st.integers(0, 2**32))
)


def drawn(design):
    items, raters, per_item, seed = design
    return teams_of(items, raters, per_item=per_item, rng=np.random.default_rng(seed)).tolist()


def parts(teams, raters):
    """Connected parts by merging sets, apart from the code under test."""
    sets = [{rater} for rater in range(raters)]
    for team in teams:
        touched = [one for one in sets if one & set(team)]
        sets = [one for one in sets if not one & set(team)] + [set().union(*touched)]
    return len(sets)


@given(designs)
@settings(max_examples=300, deadline=None)
def test_each_item_gets_its_raters_and_loads_differ_by_one_at_most(design):
    items, raters, per_item, _ = design
    teams = drawn(design)
    assert [len(set(team)) for team in teams] == [per_item] * items
    load = Counter(rater for team in teams for rater in team)
    loads = [load[rater] for rater in range(raters)]
    assert max(loads) - min(loads) <= 1


@given(designs)
@settings(max_examples=300, deadline=None)
def test_raters_are_connected_wherever_that_is_possible(design):
    items, raters, per_item, _ = design
    if per_item > 1 and items * (per_item - 1) >= raters - 1:  # a tree of teams needs as many
        assert parts(drawn(design), raters) == 1


@given(designs)
@settings(max_examples=300, deadline=None)
def test_every_two_raters_share_an_item_where_there_are_three_times_as_many_meetings_as_pairs(design):
    items, raters, per_item, _ = design
    if items * comb(per_item, 2) >= 3 * comb(raters, 2):
        met = {pair for team in drawn(design) for pair in combinations(sorted(team), 2)}
        assert len(met) == comb(raters, 2)


@given(designs, st.floats(0, 0.5), st.integers(0, 5), st.booleans())
@settings(max_examples=100, deadline=None)
def test_each_rater_is_asked_each_item_once_then_repeats_later_and_checks(design, share, n_checks, is_pairwise):
    items, raters, per_item, seed = design
    names = [f"r{i}" for i in range(raters)]
    slots = assign(
        items, names, per_item=per_item, n_checks=n_checks, repeat_share=share, check_share=share, seed=seed,
        is_pairwise=is_pairwise,
    )  # fmt: skip
    counts = Counter(slot.item for own in slots.values() for slot in own if slot.kind == "rating")
    assert counts == dict.fromkeys(range(items), per_item)
    for own in slots.values():
        first = [slot.item for slot in own if slot.kind == "rating"]
        assert len(set(first)) == len(first)
        again = [place for place, slot in enumerate(own) if slot.kind == "repeat"]
        wanted = max(1, round(share * len(first))) if share and first else 0
        assert len(again) == wanted
        place_of = {slot.item: place for place, slot in enumerate(own) if slot.kind == "rating"}
        assert all(place_of[own[place].item] < place for place in again)
        checks = [slot.item for slot in own if slot.kind == "check"]
        assert len(set(checks)) == len(checks) == min(n_checks, wanted)
        assert {slot.order for slot in own} <= ({"ab", "ba"} if is_pairwise else {""})


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    def text(seed):
        slots = assign(30, ["a", "b", "c", "d"], per_item=2, repeat_share=0.1, is_pairwise=True, seed=seed)
        return Plan(settings={}, slots=slots).to_json()

    assert text(3) == text(3)
    assert text(3) != text(4)
    assert Plan.from_json(text(3)).to_json() == text(3)


def test_orders_are_shuffled_and_sides_are_swapped_about_half_the_time():
    slots = assign(400, ["a", "b"], per_item=2, is_pairwise=True, seed=1)
    order_a, order_b = ([slot.item for slot in slots[rater]] for rater in "ab")
    assert order_a != order_b
    assert abs(np.corrcoef(order_a, range(400))[0, 1]) < 0.2  # 4 standard errors of no correlation
    swapped = sum(slot.order == "ba" for own in slots.values() for slot in own)
    assert abs(swapped - 400) < 4 * np.sqrt(800 / 4)


def test_with_waves_every_rater_finishes_one_before_the_next():
    # 40 items in 4 waves: after a quarter of each rater's items, 10 items have all of their ratings.
    slots = assign(40, [f"r{i}" for i in range(4)], per_item=2, waves=4, seed=0)
    done = Counter(slot.item for own in slots.values() for slot in own[: len(own) // 4])
    assert sorted(done.values()) == [2] * 10


@pytest.mark.parametrize("per_item", [2, 3, 5])
def test_a_large_design_is_balanced_and_lets_every_pair_meet(per_item):
    teams = teams_of(2000, 60, per_item=per_item, rng=np.random.default_rng(0))
    met = {pair for team in teams.tolist() for pair in combinations(sorted(team), 2)}
    assert len(met) == comb(60, 2)
