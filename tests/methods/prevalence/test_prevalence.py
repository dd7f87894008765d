"""Corrected shares against hand-worked cases, a plain-Python twin and ppi-python; what is refused."""

import json
import math

import numpy as np
import pandas as pd
import ppi_py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from dissensus import Task, read, read_judges
from dissensus.methods.prevalence import PrevalenceResult, prevalence
from dissensus.methods.prevalence.estimators import (
    Sample,
    estimates_of,
    naive,
    people_only,
    prediction_powered,
    rogan_gladen,
    tuned_weight,
)
from dissensus.methods.prevalence.result import PrevalenceOptions

from comparison_builders import judges_of, ratings_of
from tables import message_of

METHODS = ["naive", "people", "rogan-gladen", "ppi", "ppi++"]


def question(**changes):
    return PrevalenceOptions(**({"positive": ("yes",), "half": ()} | changes))


def found(items, answers, **options):
    """One judge named j; the ratings are of the first items."""
    return prevalence(ratings_of(items), judges_of(j=answers), **({"positive": "yes"} | options)).judges[0]


def values(judge):
    return {estimate.method: estimate.value for estimate in judge.estimates}


PEOPLE = [["yes", "yes"], ["yes", "no"], ["no", "no"], ["no", "no"]]
JUDGE = ["yes", "yes", "no", "yes", "yes", "no", "no", "no"]


def test_four_rated_and_four_other_items_by_hand():
    # People 1, 1/2, 0, 0: mean 3/8. Judge 1, 1, 0, 1 and 1, 0, 0, 0: mean 4/8.
    # PPI: 1/4 + mean(0, -1/2, 0, -1) = 1/4 - 3/8 = -1/8.
    # Rogan-Gladen: yes of raters 3/2, of which 3/2 met a yes: a = 1; no of raters 5/2, of which 3/2 met a yes: b = 3/5;
    # (1/2 - 3/5) / (2/5) = -1/4, cut to 0.
    # Weight: cov = mean(y f) - mean y mean f = 3/8 - 3/8 * 3/4 = 3/32; var of all answers (n - 1) = 2/7;
    # 3/32 / ((1 + 4/4) 2/7) = 21/128. PPI++: 21/128 * (1/4 - 3/4) + 3/8.
    judge = found(PEOPLE, JUDGE)
    assert values(judge) == pytest.approx(
        {"naive": 1 / 2, "people": 3 / 8, "rogan-gladen": 0, "ppi": -1 / 8, "ppi++": 3 / 8 - 21 / 256}
    )
    assert (judge.sensitivity, judge.specificity, judge.weight) == pytest.approx((1, 2 / 5, 21 / 128))
    assert (judge.items, judge.rated_items, judge.ratings) == (8, 4, 8)


def test_decisions_count_items_as_a_whole():
    # At 1/2 the first two items are positive, at .6 only the first one; the judge's samples 1/2 are a yes at 1/2 only.
    answers = [["yes", "no"], "no", "no", "no", "yes", "no"]
    assert values(found(PEOPLE, answers, target="decision"))["people"] == 1 / 2
    assert values(found(PEOPLE, answers, target="decision"))["naive"] == pytest.approx(2 / 6)
    assert values(found(PEOPLE, answers, target="decision", tau=0.6))["people"] == 1 / 4
    assert values(found(PEOPLE, answers, target="decision", tau=0.6))["naive"] == pytest.approx(1 / 6)
    assert values(found(PEOPLE, answers))["naive"] == pytest.approx(1.5 / 6)


def test_several_labels_can_be_positive_and_some_count_half():
    items = [["win", "tie"], ["lose", "lose"], ["tie", "tie"]]
    answers = ["win", "lose", "lose", "win"]
    assert values(found(items, answers, positive=["win", "tie"]))["people"] == pytest.approx(2 / 3)
    assert values(found(items, answers, positive="win", half="tie"))["people"] == pytest.approx((0.75 + 0 + 0.5) / 3)
    task = Task(name="t", kind="pairwise", instructions="", options=("win", "tie", "lose"))
    assert values(found(items, answers, positive=None, task=task))["people"] == pytest.approx((0.75 + 0 + 0.5) / 3)


def test_a_response_set_with_a_positive_option_is_positive():
    items = [["yes|no", "no"], ["no", "no"]]
    assert values(found(items, ["yes|no", "no", "no"]))["people"] == 1 / 4


def test_probabilities_count_as_they_are():
    frame = pd.DataFrame(
        [(f"i{i:03}", "j", p, 1 - p) for i, p in enumerate([0.9, 0.4, 0.1, 0.2, 0.6])],
        columns=["item", "judge", "p_yes", "p_no"],
    )
    result = prevalence(ratings_of(PEOPLE), read_judges(frame), positive="yes")
    assert values(result.judges[0])["naive"] == pytest.approx(2.2 / 5)


def test_both_orders_of_a_pair_count_the_same():
    rows = [("i000", "j", 0, "yes", "ab"), ("i000", "j", 1, "yes", "ab"), ("i000", "j", 2, "no", "ba")]
    rows += [(f"i{i:03}", "j", 0, "no", "ab") for i in range(1, 5)]
    judges = read_judges(pd.DataFrame(rows, columns=["item", "judge", "sample", "label", "order"]))
    assert values(prevalence(ratings_of(PEOPLE), judges, positive="yes").judges[0])["naive"] == pytest.approx(0.5 / 5)


def twin(people, judge, others):
    """The methods as formulas in plain Python: value and variance."""

    def mean(numbers):
        return sum(numbers) / len(numbers)

    def var(numbers, off=0):
        return sum((x - mean(numbers)) ** 2 for x in numbers) / (len(numbers) - off)

    n, m = len(people), len(others)
    cov = mean([y * f for y, f in zip(people, judge, strict=True)]) - mean(people) * mean(judge)
    spread = var([*judge, *others], off=1)
    weight = min(1, max(0, cov / ((1 + n / m) * spread))) if spread > 0 else 0

    def powered(w):
        rest = [y - w * f for y, f in zip(people, judge, strict=True)]
        return w * mean(others) + mean(rest), w**2 * var(others) / m + var(rest) / n

    yes = sum(y * f for y, f in zip(people, judge, strict=True)) / sum(people)
    no = sum((1 - y) * f for y, f in zip(people, judge, strict=True)) / sum(1 - y for y in people)
    everything = [*judge, *others]
    corrected = (mean(everything) - no) / (yes - no) if yes > no else math.nan
    return {
        "naive": (mean(everything), var(everything) / len(everything)),
        "people": (mean(people), var(people) / n),
        "ppi": powered(1),
        "ppi++": powered(weight),
    }, corrected if math.isnan(corrected) else min(1, max(0, corrected))


shares = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(
    st.lists(st.tuples(shares, shares), min_size=3, max_size=12).filter(lambda s: 0 < sum(y for y, _ in s) < len(s)),
    st.lists(shares, min_size=2, max_size=12),
)
def test_every_method_equals_its_formula(rated, others):
    people, judge = ([pair[side] for pair in rated] for side in (0, 1))
    sample = Sample(people=np.array(people), judge=np.array(judge), judge_only=np.array(others))
    expected, corrected = twin(people, judge, others)
    points = {
        "naive": naive(sample), "people": people_only(sample), "ppi": prediction_powered(sample, 1.0),
        "ppi++": prediction_powered(sample, tuned_weight(sample)),
    }  # fmt: skip
    for method, (value, variance) in expected.items():
        assert (points[method].value, points[method].variance) == pytest.approx((value, variance), abs=1e-12), method
    got = rogan_gladen(sample, 0.95)
    if abs(got.sensitivity + got.specificity - 1) > 1e-9:
        assert got.value == pytest.approx(corrected, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("method", "weight"), [("people", 0), ("ppi", 1), ("ppi++", None)])
def test_normal_intervals_are_those_of_ppi_python(seed, method, weight):
    rng = np.random.default_rng(seed)
    n, others = rng.integers(20, 200), rng.integers(50, 2000)
    chance = rng.beta(1, 2, n + others)
    people, judge = rng.binomial(4, chance[:n]) / 4, np.clip(chance + 0.2 * rng.standard_normal(n + others), 0, 1)
    sample = Sample(people=people, judge=judge[:n], judge_only=judge[n:])
    own = {e.method: e for e in estimates_of(sample, question(interval="normal", confidence=0.9)).estimates}[method]
    value = ppi_py.ppi_mean_pointestimate(people, judge[:n], judge[n:], lam=weight)
    low, high = ppi_py.ppi_mean_ci(people, judge[:n], judge[n:], alpha=0.1, lam=weight)
    assert (own.value, own.low, own.high) == pytest.approx((value.item(), low.item(), high.item()), abs=1e-6)


@pytest.mark.parametrize(("positive", "total"), [(0, 20), (1, 20), (7, 30), (30, 30)])
def test_with_one_rater_per_item_people_alone_have_wilsons_interval(positive, total):
    items = [["yes"]] * positive + [["no"]] * (total - positive)
    answers = ["yes", "no"] * total
    people = found(items, answers).estimates[1]
    expected = proportion_confint(positive, total, method="wilson")
    assert (people.low, people.high) == pytest.approx(expected)


def test_without_other_items_rogan_gladen_is_what_people_say():
    # Then the judge says yes as often as its own errors on these items say, whatever they are.
    judge = found(PEOPLE, JUDGE[:4])
    assert values(judge)["rogan-gladen"] == pytest.approx(values(judge)["people"])
    assert (values(judge)["ppi++"], judge.weight, judge.ratings_saved) == (values(judge)["people"], 0, 0)
    assert math.isnan(values(judge)["ppi"])


def test_a_perfect_judge_saves_what_the_other_items_are_worth():
    # Y = f, n = 100 of 1000: the weight is near n_others / all = .9, the variance that of 1000 items: 10 times less.
    rng = np.random.default_rng(0)
    truth = ["yes" if x else "no" for x in rng.random(1000) < 0.3]
    judge = found([[label] for label in truth[:100]], truth, interval="normal")
    assert judge.ratings_saved == pytest.approx(900, rel=0.1)
    assert judge.weight == pytest.approx(0.9, abs=0.1)


def test_a_judge_that_did_not_err_yet_saves_less_than_one_that_is_known_to_be_perfect():
    # Half an error more in 100 items is a variance of .5 / 100^2; with the .21 / 1000 of the items that is .00026, and
    # .21 / .00026 = 808 items, against 100: 708 saved. The weight .9 makes it some more, the half item beside it less.
    rng = np.random.default_rng(0)
    truth = ["yes" if x else "no" for x in rng.random(1000) < 0.3]
    judge = found([[label] for label in truth[:100]], truth)
    assert judge.ratings_saved == pytest.approx(708, rel=0.25)
    people, tuned = judge.estimates[1], judge.estimates[4]
    # As many ratings as that are what makes people's interval as short: widths go with the root of the items.
    assert (people.high - people.low) / (tuned.high - tuned.low) == pytest.approx(
        math.sqrt(1 + judge.ratings_saved / 100), rel=0.1
    )


def test_an_estimate_beyond_what_a_share_can_be_is_said():
    result = prevalence(ratings_of(PEOPLE), judges_of(j=JUDGE), positive="yes")
    assert values(result.judges[0])["ppi"] < 0 == result.judges[0].estimates[3].low
    assert "With j ppi lies beyond what a share can be: read its interval." in result.warnings


def test_one_seventh_of_a_yes_on_a_hundred_items_is_no_more_exact_than_one_yes():
    # One rater of seven says yes of one item, nobody else of any: 1/700 of the ratings. Taken for a sample of 700, its
    # upper bound would be .8%; what 100 items can tell is that of 1 whole item in about 110.
    items = [["yes"] + ["no"] * 6] + [["no"] * 7] * 99
    people = found(items, ["no", "yes"] * 100).estimates[1]
    assert people.high > proportion_confint(1, 700, method="wilson")[1] * 3
    assert people.high < proportion_confint(1, 100, method="wilson")[1]


def test_a_judge_that_guesses_saves_next_to_nothing():
    rng = np.random.default_rng(1)
    people = [["yes" if x else "no"] for x in rng.random(200) < 0.3]
    judge = found(people, ["yes" if x else "no" for x in rng.random(2000) < 0.5])
    assert judge.weight < 0.1
    assert abs(judge.ratings_saved) < 10


@settings(max_examples=30)
@given(st.lists(st.tuples(shares, shares), min_size=4, max_size=10), st.lists(shares, min_size=2, max_size=10))
def test_counting_no_instead_of_yes_turns_every_number_round(rated, others):
    people, judge = (np.array([pair[side] for pair in rated]) for side in (0, 1))
    sample = Sample(people=people, judge=judge, judge_only=np.array(others))
    turned = Sample(people=1 - people, judge=1 - judge, judge_only=1 - np.array(others))
    for one, other in zip(
        estimates_of(sample, question()).estimates, estimates_of(turned, question()).estimates, strict=True
    ):
        assert (one.value, one.low, one.high) == pytest.approx((1 - other.value, 1 - other.high, 1 - other.low),
                                                               nan_ok=True, abs=1e-9)  # fmt: skip


def test_json_has_the_keys_of_the_design():
    result = prevalence(ratings_of(PEOPLE), judges_of(a=JUDGE, b=["no"] * 8), positive="yes")
    content = json.loads(result.to_json())
    assert content["command"] == "prevalence"
    judge = content["result"]["judges"][0]
    assert {"judge", "estimates", "ratings_saved"} <= judge.keys()
    assert [e["method"] for e in judge["estimates"]] == METHODS
    assert judge["estimates"][0].keys() == {"method", "value", "low", "high"}
    assert judge["systems"] is None
    assert isinstance(result, PrevalenceResult)
    assert len(result.rows()) == 10


def test_a_constant_judge_leaves_people_alone_and_has_no_rogan_gladen():
    result = prevalence(ratings_of(PEOPLE), judges_of(b=["no"] * 8), positive="yes")
    judge = result.judges[0]
    assert math.isnan(values(judge)["rogan-gladen"])
    assert values(judge)["ppi++"] == values(judge)["people"]
    assert "b says yes no more often where people do: rogan-gladen has no value." in result.warnings
    assert "b says the same of every rated item, so ppi++ is what people say." in result.warnings


def test_nobody_positive_still_has_an_interval():
    result = prevalence(ratings_of([["no"]] * 40), judges_of(j=["no", "yes"] * 30), positive="yes")
    people = result.judges[0].estimates[1]
    assert (people.value, people.low) == (0, 0)
    assert people.high == pytest.approx(proportion_confint(0, 40, method="wilson")[1])
    assert math.isnan(result.judges[0].estimates[2].low)
    assert any("nobody says yes" in warning for warning in result.warnings)


def test_what_was_not_drawn_at_random_is_warned_about():
    people = [["yes"], ["no"]] * 50
    result = prevalence(ratings_of(people), judges_of(j=["yes", "no"] * 50 + ["no"] * 400), positive="yes")
    assert any("the rated ones do not look drawn at random" in warning for warning in result.warnings)


def test_items_that_the_judge_did_not_answer_are_left_out_and_told():
    result = prevalence(ratings_of(PEOPLE), judges_of(j=[None, *JUDGE[1:]]), positive="yes")
    assert result.judges[0].rated_items == 3
    assert "j did not answer 1 rated item: left out of its estimates, people's among them." in result.warnings


def test_the_judge_that_saves_most_comes_first():
    result = prevalence(ratings_of(PEOPLE), judges_of(a=["no"] * 8, b=JUDGE), positive="yes")
    assert [judge.judge for judge in result.judges] == ["b", "a"]


def test_counts_of_anonymous_raters_are_their_ratings():
    counted = read(
        pd.DataFrame(
            [("i000", "yes", 2), ("i001", "yes", 1), ("i001", "no", 1), ("i002", "no", 2), ("i003", "no", 2)],
            columns=["item", "label", "count"],
        )
    )
    other = prevalence(counted, judges_of(j=JUDGE), positive="yes").judges[0]
    assert other.estimates == found(PEOPLE, JUDGE).estimates
    assert other.ratings == 8


def test_arguments_cannot_be_swapped():
    assert message_of(lambda: prevalence(judges_of(j=JUDGE), ratings_of(PEOPLE), positive="yes")).startswith(
        "These are judges' answers, where people's ratings are needed"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"positive": None}, "Say which label is counted with positive="),
        ({"positive": "maybe"}, "positive= 'maybe' is not a label: the labels are no, yes."),
        ({"half": "maybe"}, "half= 'maybe' is not a label"),
        ({"half": "yes"}, "'yes' cannot count as positive and as half"),
        ({"positive": ["yes", "no"]}, "Every label counts as positive (yes, no): leave one out."),
        ({"target": "vote"}, "target= cannot be 'vote': choose one of share, decision."),
        ({"interval": "exact"}, "interval= cannot be 'exact'"),
        ({"tau": 0}, "tau= cannot be 0"),
        ({"confidence": 1}, "confidence= cannot be 1"),
        ({"judge": "k"}, "There is no judge 'k': the judges are j."),
        ({"judge": ()}, "No judge was named"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, said):
    assert message_of(lambda: found(PEOPLE, JUDGE, **options)).startswith(said)


def test_a_judge_without_a_rated_item_is_refused():
    far = read_judges(pd.DataFrame([("x", "j", "yes")], columns=["item", "judge", "label"]))
    assert "shares no item with the ratings" in message_of(lambda: prevalence(ratings_of(PEOPLE), far, positive="yes"))
    assert "People rated 1 item that j answered" in message_of(lambda: found([["yes", "no"]], JUDGE))
