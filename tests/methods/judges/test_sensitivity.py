import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.data.labels import membership
from dissensus.errors import OptionError
from dissensus.methods.judges.reverse_matrix import apply_reverse, own_betas, share_meeting
from dissensus.methods.judges.sensitivity import (
    KnownSets,
    best_changes,
    flip_points,
    leaked_marginals,
    leaked_positive,
    nearest_positive,
    sweep,
)

VERY_TOXIC_TOXIC = np.array([True, True, False])
GRID = tuple(np.linspace(0, 1, 21).round(2))


def soft_of(n_items, n_options, seed, *, ratings=None):
    """Shares of forced choices; of so many ratings, so that they hit thresholds exactly."""
    rng = np.random.default_rng(seed)
    soft = rng.dirichlet(np.ones(n_options), size=n_items)
    return soft if ratings is None else rng.multinomial(ratings, soft) / ratings


def decided(share, tau):
    return share >= tau - 1e-12


# What leaks


@pytest.mark.parametrize("mapping", ["keep", "paper"])
@pytest.mark.parametrize("beta", [0.0, 0.1, 0.35, 1.0])
def test_leaking_is_a_reverse_matrix_of_table_2(mapping, beta):
    # Table 2: Very toxic and Toxic stay; No goes to the set in `target` with probability beta, else to {No}.
    members = membership(["VT", "T", "No", "T|No"], ["VT", "T", "No"])
    target = 3 if mapping == "keep" else 1
    reverse = np.eye(3, 4)
    reverse[2] = (1 - beta) * np.eye(4)[2] + beta * np.eye(4)[target]
    soft = soft_of(20, 3, seed=1)
    expected = apply_reverse(soft, reverse, members)
    assert np.allclose(leaked_marginals(soft, beta, VERY_TOXIC_TOXIC, mapping), expected, atol=1e-14)
    meets = members[:, :2].any(axis=1)
    assert np.allclose(leaked_positive(soft, beta, VERY_TOXIC_TOXIC), share_meeting(soft, reverse, meets), atol=1e-14)


def test_raters_keep_their_own_choice_unless_the_mapping_of_the_paper_is_asked_for():
    soft = np.array([[0.1, 0.3, 0.6]])
    assert np.allclose(leaked_marginals(soft, 0.5, VERY_TOXIC_TOXIC), [[0.1, 0.6, 0.6]])
    assert np.allclose(leaked_marginals(soft, 0.5, VERY_TOXIC_TOXIC, "paper"), [[0.1, 0.6, 0.3]])


def test_choices_leak_to_the_positive_option_nearest_to_them():
    assert nearest_positive(np.array([True, True, False, False])).tolist() == [0, 1, 1, 1]
    assert nearest_positive(np.array([False, True, False, True])).tolist() == [1, 1, 1, 3]
    leaked = leaked_marginals(np.array([[0.0, 0.5, 0.3, 0.2]]), 0.5, np.array([True, False, False, True]))
    assert np.allclose(leaked, [[0.25, 0.5, 0.3, 0.2 + 0.15]])


def test_many_betas_stand_on_a_leading_axis():
    soft = soft_of(5, 3, seed=0)
    assert leaked_marginals(soft, GRID, VERY_TOXIC_TOXIC).shape == (21, 5, 3)
    assert np.allclose(
        leaked_marginals(soft, GRID, VERY_TOXIC_TOXIC, "paper")[4],
        leaked_marginals(soft, 0.2, VERY_TOXIC_TOXIC, "paper"),
    )
    assert np.allclose(leaked_positive(soft, GRID, VERY_TOXIC_TOXIC)[4], leaked_positive(soft, 0.2, VERY_TOXIC_TOXIC))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda soft: leaked_marginals(soft, 1.2, VERY_TOXIC_TOXIC),
            "beta= cannot be 1.2: give shares from 0 to 1, such as 0,0.1,0.2.",
        ),
        (
            lambda soft: leaked_positive(soft, [0.1, np.nan], VERY_TOXIC_TOXIC),
            "beta= cannot be nan: give shares from 0 to 1, such as 0,0.1,0.2.",
        ),
        (
            lambda soft: flip_points(soft, 0.0, VERY_TOXIC_TOXIC),
            "tau= cannot be 0: give a share above 0 and at most 1, such as 0.5.",
        ),
        (
            lambda soft: leaked_marginals(soft, 0.1, VERY_TOXIC_TOXIC, "lose"),
            "mapping= cannot be 'lose': choose one of keep, paper.",
        ),
        (
            lambda soft: leaked_marginals(soft, 0.1, np.zeros(3, dtype=bool)),
            "No option is positive: name at least one with positive= or in the task.",
        ),
    ],
)
def test_impossible_options_are_refused_in_one_line(call, message):
    with pytest.raises(OptionError) as caught:
        call(soft_of(2, 3, seed=0))
    assert str(caught.value) == message


# Where items flip


def test_flip_points_of_one_negative_option():
    # (tau - p) / (1 - p): (.5 - .3) / .7 and (.5 - 0) / 1; an item at tau is positive as it is.
    soft = np.array([[0.5, 0.5], [0.3, 0.7], [0.0, 1.0], [1.0, 0.0]])
    assert np.allclose(flip_points(soft, 0.5, np.array([True, False])), [0, 2 / 7, 0.5, 0])


def test_an_item_whose_negative_choices_do_not_suffice_never_flips():
    soft, positive = np.array([[0.2, 0.2, 0.6]]), np.array([True, False, False])
    assert flip_points(np.array([[0.2, 0.2, 0.0]]), 0.5, positive).tolist() == [np.inf]
    assert flip_points(soft, 1.0, positive) == pytest.approx([1.0])  # all of them are just enough


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.5, 0.7, 1.0]), st.sampled_from([5, 10, None]))
def test_an_item_is_positive_from_its_flip_point_on_and_not_before(seed, tau, ratings):
    soft = soft_of(12, 3, seed, ratings=ratings)
    point = flip_points(soft, tau, VERY_TOXIC_TOXIC)
    for shift, expected in ((0.0, True), (-1e-6, False)):
        beta = np.clip(point + shift, 0, 1)
        share = soft[:, :2].sum(axis=1) + beta * soft[:, 2]
        flips = np.isfinite(point) & (point > 1e-6)
        assert (decided(share, tau) == expected)[flips].all()
    always = leaked_positive(soft, 0.0, VERY_TOXIC_TOXIC)
    assert np.array_equal(point == 0, decided(always, tau))


# The sweep


def sweep_of(soft, judges, **options):
    settings = {"positive": VERY_TOXIC_TOXIC, "betas": GRID, "taus": (0.3, 0.5), "select": lambda _m, _t: {}}
    return sweep(soft, judges, **settings | options)


@given(st.integers(0, 10**6), st.sampled_from([10, None]))
def test_prevalence_and_consistency_equal_their_definitions(seed, ratings):
    soft, judges = soft_of(15, 3, seed, ratings=ratings), np.random.default_rng(seed).random((15, 4))
    for point in sweep_of(soft, judges):
        people = [decided(p[0] + p[1] + point.beta * p[2], point.tau) for p in soft]
        assert point.prevalence == pytest.approx(np.mean(people))
        for judge in range(4):
            said = [decided(share, point.tau) for share in judges[:, judge]]
            assert point.consistency[judge] == pytest.approx(np.mean(np.equal(said, people)))
        assert point.best == int(np.argmax(point.consistency))


def test_the_callback_gets_the_endorsements_and_the_threshold():
    seen = []

    def select(marginals, tau):
        seen.append((marginals, tau))
        return {"mse_response_set": int(tau > 0.4), "cohen_kappa": None}

    soft = soft_of(6, 3, seed=3)
    points = sweep_of(soft, np.zeros((6, 2)), betas=(0.0, 0.2), mapping="paper", select=select)
    assert [(point.beta, point.tau) for point in points] == [(0, 0.3), (0, 0.5), (0.2, 0.3), (0.2, 0.5)]
    assert [tau for _, tau in seen] == [0.3, 0.5, 0.3, 0.5]
    assert np.allclose(seen[2][0], leaked_marginals(soft, 0.2, VERY_TOXIC_TOXIC, "paper"))
    assert points[1].selected == {"mse_response_set": 1, "cohen_kappa": None}


def test_consistency_lost_is_that_of_the_selected_judge_less_the_best():
    # Two items positive, two negative for people: judge 0 agrees on all, judge 1 (never positive) on half.
    soft = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 0, 1.0]])
    judges = np.array([[1.0, 0], [1.0, 0], [0, 0], [0, 0]])
    choice = {"good": 0, "bad": 1, "undefined": None}
    (point,) = sweep_of(soft, judges, betas=(0.0,), taus=(0.5,), select=lambda _m, _t: choice)
    assert point.best == 0
    assert point.lost() == pytest.approx({"good": 0.0, "bad": -0.5, "undefined": np.nan}, nan_ok=True)


def test_prevalence_doubles_with_a_small_beta_where_many_items_are_just_below():
    # Finding 7 in small: two of ten items at .5, two at .48 (flip at .02 / .52 = .038), six clear.
    share = np.array([0.5] * 2 + [0.48] * 2 + [0.1] * 6)
    soft = np.column_stack([np.zeros(10), share, 1 - share])
    points = sweep_of(soft, np.zeros((10, 1)), betas=(0.0, 0.05), taus=(0.5,))
    assert [point.prevalence for point in points] == [0.2, 0.4]


def test_beta_does_not_touch_items_with_response_sets():
    soft = np.array([[0.4, 0.0, 0.6], [0.4, 0.0, 0.6]])
    known = KnownSets(
        is_known=np.array([True, False]),
        marginals=np.array([[0.1, 0.2, 0.9], [0, 0, 0]]),
        positive=np.array([0.3, 0.0]),
    )
    seen = []
    points = sweep_of(
        soft, np.ones((2, 1)), betas=(1.0,), taus=(0.5,), known=known, select=lambda m, _t: seen.append(m) or {}
    )
    assert points[0].prevalence == 0.5
    assert np.allclose(seen[0], [[0.1, 0.2, 0.9], [0.4, 0.6, 0.6]])


# Where another judge becomes best


@given(st.integers(0, 10**6), st.sampled_from([5, 10]))
def test_the_best_judge_changes_exactly_where_the_changes_say(seed, ratings):
    soft, judges = soft_of(9, 3, seed, ratings=ratings), np.random.default_rng(seed).random((9, 3))
    changes = best_changes(soft, judges, 0.5, positive=VERY_TOXIC_TOXIC)
    flips = flip_points(soft, 0.5, VERY_TOXIC_TOXIC)
    between = np.unique(np.concatenate([[0.0, 1.0], flips[np.isfinite(flips)], GRID]))
    betas = np.unique(np.concatenate([between, (between[1:] + between[:-1]) / 2]))
    for point in sweep_of(soft, judges, betas=betas, taus=(0.5,)):
        passed = [change for change in changes if change.beta <= point.beta + 1e-9]
        first = changes[0].before if changes else sweep_of(soft, judges, betas=(0.0,), taus=(0.5,))[0].best
        assert point.best == (passed[-1].after if passed else first)


def test_changes_name_the_judges_before_and_after():
    soft = np.array([[0.3, 0.7], [0.4, 0.6], [0.9, 0.1]])
    strict_and_lenient = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    # At tau .52 the items flip at .12/.6 = .2 (a tie of 2 to 2, which the first judge keeps) and at .22/.7.
    (change,) = best_changes(soft, strict_and_lenient, 0.52, positive=np.array([True, False]))
    assert (change.before, change.after) == (0, 1)
    assert change.beta == pytest.approx(0.22 / 0.7)


def test_items_with_response_sets_never_flip():
    soft, judges = np.array([[0.3, 0.7]]), np.array([[0.0, 1.0]])
    known = KnownSets(is_known=np.array([True]), marginals=soft, positive=np.array([0.2]))
    assert len(best_changes(soft, judges, 0.5, positive=np.array([True, False]))) == 1
    assert best_changes(soft, judges, 0.5, positive=np.array([True, False]), known=known) == ()


# A judge's own beta


def test_own_beta_is_what_sets_add_to_choices():
    # Item 1: never positive by choice, .2 by sets; item 2: .5 and .8; item 3: always positive.
    soft = np.array([[[0, 0, 1.0]], [[0.25, 0.25, 0.5]], [[0.5, 0.5, 0]]])
    sets = np.array([[0.2], [0.8], [1.0]])
    found = own_betas(soft, sets, positive=VERY_TOXIC_TOXIC, has_both=np.ones((3, 1), dtype=bool))
    assert found == pytest.approx([(0.2 + 0.3 + 0) / (1 + 0.5 + 0)])


@given(st.integers(0, 10**6))
def test_own_beta_equals_its_definition_and_ignores_items_asked_for_one_only(seed):
    rng = np.random.default_rng(seed)
    soft, sets = rng.dirichlet(np.ones(3), size=(8, 2)), rng.random((8, 2))
    asked, weights = rng.random((8, 2)) < 0.7, rng.integers(0, 3, size=(3, 8)).astype(float)
    found = own_betas(soft, sets, positive=VERY_TOXIC_TOXIC, has_both=asked, weights=weights)
    for replicate, row in enumerate(weights):
        for judge in range(2):
            rows = [i for i in range(8) if asked[i, judge]]
            negative = sum(row[i] * soft[i, judge, 2] for i in rows)
            gained = sum(row[i] * (sets[i, judge] - soft[i, judge, :2].sum()) for i in rows)
            expected = min(max(gained / negative, 0), 1) if negative else np.nan
            assert found[replicate, judge] == pytest.approx(expected, nan_ok=True)


def test_a_judge_that_never_says_no_has_no_beta():
    soft = np.array([[[1.0, 0, 0]]])
    found = own_betas(soft, np.array([[1.0]]), positive=VERY_TOXIC_TOXIC, has_both=np.array([[True]]))
    assert np.isnan(found).all()


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_own_beta_is_the_beta_under_which_a_judge_answers(beta):
    soft = soft_of(50, 3, seed=4)
    sets = leaked_positive(soft, beta, VERY_TOXIC_TOXIC)[:, None]
    found = own_betas(soft[:, None], sets, positive=VERY_TOXIC_TOXIC, has_both=np.ones_like(sets, dtype=bool))
    assert found == pytest.approx([beta])


@pytest.mark.parametrize("beta", [0.1, 0.3])
def test_own_beta_needs_no_more_than_one_answer_of_each_kind(beta):
    # The judge wavers on every item, and its two answers are drawn apart: a standard error of about .014.
    rng = np.random.default_rng(0)
    soft = soft_of(20_000, 3, seed=5)
    chosen = (rng.random(20_000)[:, None] > np.cumsum(soft, axis=1)[:, :2]).sum(axis=1)
    sets = (rng.random(20_000) < leaked_positive(soft, beta, VERY_TOXIC_TOXIC)).astype(float)[:, None]
    found = own_betas(
        np.eye(3)[chosen][:, None], sets, positive=VERY_TOXIC_TOXIC, has_both=np.ones_like(sets, dtype=bool)
    )
    assert found == pytest.approx([beta], abs=0.04)
