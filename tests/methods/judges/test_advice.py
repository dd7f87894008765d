"""Advice: each kind where its reason holds, and not where it does not."""

import numpy as np
import pytest

from dissensus.data import Task
from dissensus.methods.judges import judges as rank_judges
from dissensus.methods.judges.advice import orders_flipped
from dissensus.methods.judges.result import JudgesResult, OrderFlips
from dissensus.methods.judges.setup import set_up

from judges_builders import ASKED, choices, judges_from, ratings_from, sets

SINGLE = Task(options=("a", "b", "c"), response_sets="single")
THREE = [choices(0, 0, 0), choices(1, 1, 1), choices(2, 2, 2)]
SOFT = [choices(0, 0, 1, 2), choices(1, 0, 1, 2), choices(2, 2, 1, 0)]


def advice(items, judges, *, options=("a", "b", "c"), raters=None, **more):
    ratings = ratings_from(items, options, raters=raters)
    result = rank_judges(ratings, judges_from(judges, options), **({"bootstrap": 0} | more))
    return {own.text: own.reason for own in result.advice}


def about(found, words):
    """The reasons of the advice whose text has these words."""
    return [reason for text, reason in found.items() if words in text]


def test_response_sets_of_people_are_what_to_select_by():
    found = advice([sets({0}, {0, 1}, {0}), sets({1}, {1}, {1, 2})], {"one": [sets({0, 1}), sets({1})]})
    (reason,) = about(found, "Select by mse_response_set when you compare it with another judge.")
    assert reason.startswith("People gave response sets")
    assert not about(found, "Collect")
    assert not about(found, "Add an option for mixed cases")


def test_forced_choices_alone_give_jsd_with_a_warning_and_what_to_collect():
    found = advice(THREE, {"one": SOFT})
    (reason,) = about(found, "Select by jsd when you compare it with another judge.")
    assert "against .79 for kl_human_judge" in reason  # KL ranks judges better where they differ
    (reason,) = about(found, "Add an option for mixed cases")
    assert reason.startswith("Your task is underspecified: three options, seven admissible sets.")
    assert about(found, "Ask raters for all options they endorse, at least in about 100 ratings.")


def test_a_fully_specified_task_needs_no_response_sets():
    found = advice(THREE, {"one": SOFT}, task=SINGLE)
    (reason,) = about(found, "Select by jsd")
    assert reason.startswith("The task is fully specified")
    assert not about(found, "Add an option for mixed cases")
    assert not about(found, "Ask raters")


def test_few_paired_ratings_are_too_few():
    items = [choices(0) + sets({0}), choices(1, 1, 1)]
    found = advice(items, {"one": [choices(0), choices(1)]}, raters=[[0, 0], [1, 2, 3]])
    assert about(found, "Collect about 100 paired ratings.") == ["There are 1 so far."]
    assert about(found, "Select by mse_response_set")
    assert about(found, "Ask judges for response sets as well.")


def test_pairs_by_item_are_not_paired_ratings():
    found = advice([choices(0) + sets({0}), choices(1, 1, 1)], {"one": [choices(0), choices(1)]})
    assert about(found, "Ask the same raters for a choice and for all options they endorse")


@pytest.mark.parametrize(("ratings", "is_told"), [(1, True), (2, True), (3, False)])
def test_fewer_than_three_ratings_per_item_are_too_few(ratings, is_told):
    found = advice([choices(*[0] * ratings), choices(*[1] * ratings)], {"one": [choices(0), choices(1)]})
    assert bool(about(found, "Collect 3 or more ratings per item.")) == is_told


def test_a_judge_that_does_not_beat_a_constant_is_called_that():
    # Nobody says a, the first judge does once.
    found = advice([choices(1)] * 4, {"one": [choices(0), *[choices(1)] * 3], "two": [choices(1)] * 4}, positive="a")
    (reason,) = about(found, "Do not decide with one, two at tau 0.5: always-negative agrees with people as often.")
    shares = "Share of items decided as people do: always-negative 1.00, one 0.75, two 1.00."
    assert reason.startswith(shares)
    assert "People's decisions are estimated from their forced choices here" in reason
    better = advice([choices(0), choices(1)], {"one": [choices(0), choices(1)]}, positive="a")
    assert not about(better, "Do not decide")


def test_the_same_advice_at_several_thresholds_is_given_once():
    # Nobody says a: at every threshold the constant is as good as both judges.
    judges = {"one": [choices(0), *[choices(1)] * 3], "two": [choices(1)] * 4}
    found = advice([choices(1)] * 4, judges, positive="a", tau=(0.3, 0.5, 0.7))
    text = "Do not decide with one, two at tau 0.3, 0.5 and 0.7: always-negative agrees with people as often."
    (reason,) = about(found, "Do not decide")
    assert text in found
    row = "always-negative 1.00, one 0.75, two 1.00"
    assert reason.startswith(f"Share of items decided as people do: at 0.3 {row}; at 0.5 {row}; at 0.7 {row}.")


def test_another_judge_is_named_where_its_decisions_are_better():
    # The first judge has almost people's shares, but below the threshold; the second has their decisions alone.
    people = [choices(*[0] * 5, *[1] * 5), choices(*[0] * 5, *[1] * 5), choices(*[1] * 10)]
    near = [choices(*[0] * 4, *[1] * 6), choices(*[0] * 4, *[1] * 6), choices(1)]
    found = advice(people, {"near": near, "sharp": [choices(0), choices(0), choices(1)]}, positive="a")
    assert about(found, "Select by jsd: near.")
    (reason,) = about(found, "For decisions at tau 0.5 alone, consider sharp instead of near.")
    assert reason.startswith("Share of items decided as people do: sharp 1.00, near 0.33.")


def test_judges_that_cannot_be_told_apart_are_called_that():
    people = [choices(0), choices(1)] * 10
    even = {"one": [choices(0), choices(1), choices(0)] * 6 + [choices(0), choices(1)],
            "two": [choices(0), choices(1), choices(1)] * 6 + [choices(0), choices(1)]}  # fmt: skip
    assert about(advice(people, even, bootstrap=100), "Rate more items before you prefer one to two.")
    clear = {"one": [choices(0), choices(1)] * 10, "two": [choices(1), choices(0)] * 10}
    assert not about(advice(people, clear, bootstrap=100), "Rate more items")


def test_a_beta_at_which_another_judge_is_best_has_to_be_found_out():
    people, judges = [choices(*[0] * 3, *[1] * 7)], {"no": [choices(1)], "yes": [choices(0)]}
    found = advice(people, judges, positive="a")
    (reason,) = about(found, "Before you rely on no, find out whether beta is 0.29 or more.")
    assert reason.startswith("From there on yes decides most often as people do at tau 0.5")
    with_own = {"no": [choices(1) + sets({1})], "yes": [choices(0)]}
    (reason,) = about(advice(people, with_own, positive="a"), "find out whether beta")
    assert reason.endswith("The judges' own beta may be a hint: no 0.00.")


def test_hit_rate_is_not_to_be_trusted_where_it_selects_somebody_else():
    people = [choices(*[0] * 6, *[1] * 4), choices(*[2] * 10)]
    judges = {"hits": [choices(0, 0, 0, 0, 2), choices(2)], "near": [choices(0, 0, 1, 1, 1), choices(2)]}
    (reason,) = about(advice(people, judges), "Do not select by hit_rate: it would take hits.")
    assert reason.startswith("jsd takes near.")
    assert not about(advice(people, judges, task=SINGLE), "Do not select by hit_rate")


def test_divergences_that_rest_on_the_clip_are_called_that():
    people = [choices(0, 1)] * 3
    (reason,) = about(advice(people, {"one": [choices(0)] * 3}), "Ask judges for probabilities or more samples")
    assert "up to 100% of the items (one), at up to 23 nats" in reason  # -ln 1e-10 = 23.03
    assert not about(advice(people, {"one": [choices(0)] * 3}, smoothing=0.1), "probabilities")
    assert not about(advice(people, {"one": [choices(0, 1)] * 3}), "probabilities")


def test_hard_labels_that_tie_are_not_to_be_trusted():
    found = advice([choices(0, 1), choices(0), choices(1)], {"one": [choices(0, 2), choices(1), choices(1)]})
    (reason,) = about(found, "Do not rely on definitions that use the most frequent label of people, one.")
    assert reason.startswith("Several options tie for it on up to 1 of 3 items")


def test_labels_in_order_are_selected_by_a_definition_that_knows_the_order():
    people, steps = [choices(0, 0), choices(2, 2), choices(1, 1)], ("1", "2", "3")
    near = {"near": [choices(0), choices(1), choices(1)], "far": [choices(0), choices(0), choices(1)]}
    result = rank_judges(ratings_from(people, steps, scale="ordinal"), judges_from(near, steps), bootstrap=0)
    assert result.recommended == "mae"
    assert [definition.id for definition in result.definitions[:4]] == ["mae", "rps", "emd", "weighted_kappa"]
    assert result.advice[0].text == "Select by mae: near."
    assert result.definition("hit_rate").of("near").value == result.definition("hit_rate").of("far").value


def test_nobody_is_asked_for_response_sets_on_a_measure():
    many, few = tuple(f"option {i}" for i in range(13)), ("1", "2", "3")
    for options in (many, few):
        found = advice([choices(0), choices(2)], {"one": [choices(1), choices(2)]}, options=options)
        assert not about(found, "Add an option for mixed cases")
        assert not about(found, "response sets")
    assert about(advice([choices(0)], {"one": [choices(1)]}, options=many[:12]), "Add an option for mixed cases")


def test_choices_that_flip_with_the_order_ask_for_both_orders():
    prepared = set_up(ratings_from(THREE), judges_from({"one": SOFT}), None, ASKED)
    flips = (OrderFlips(judge="one", items=10, share=0.3), OrderFlips(judge="two", items=10, share=0.1))
    result = JudgesResult(settings={}, data={}, definitions=(), order_flips=flips)
    (found,) = [own for own in orders_flipped(prepared, result) if own.text.startswith("Always ask in both orders")]
    assert found.reason == "The answer changes with the order on this share of the pairs: one 30%."


def test_every_piece_of_advice_has_a_reason_and_no_nan():
    rng = np.random.default_rng(0)
    items = [choices(*rng.integers(0, 3, size=2)) for _ in range(20)]
    judges = {name: [choices(*rng.integers(0, 3, size=2)) for _ in range(20)] for name in ("one", "two", "three")}
    for text, reason in advice(items, judges, positive="a", bootstrap=50).items():
        assert text.endswith(".")
        assert reason.endswith(".")
        assert "nan" not in text + reason


def test_where_every_judge_decides_like_a_constant_none_is_to_be_selected():
    people = [choices(0, 0, 0)] * 4 + [choices(1, 1, 1)]
    judges = {"one": [choices(0)] * 5, "two": [choices(0, 0, 1)] * 5}
    found = advice(people, judges, positive="b")
    (reason,) = about(found, "Do not use these answers as they are")
    assert reason.startswith("By jsd always answering a has")
    assert not about(found, "Select by")


def test_judges_that_tie_by_the_definition_to_select_by_are_not_selected():
    found = advice(THREE, {"one": SOFT, "two": SOFT})
    assert about(found, "Do not select by jsd alone: one, two tie.")
