"""What judges confuse: twins in plain Python, scikit-learn and statsmodels where each item has one rating, coverage."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, recall_score
from statsmodels.stats.proportion import proportion_confint

from dissensus import judges, read, read_judges
from dissensus.cli.main import main
from dissensus.data import Judges, Ratings
from dissensus.methods.equivalence.scores import hard_predictions
from dissensus.methods.judges.confusion import confusions, judge_ratios, person_ratios, ratios_without
from dissensus.methods.judges.confusion import shares_of as shares_by_item
from dissensus.methods.judges.result import JudgesOptions
from dissensus.methods.judges.setup import set_up
from dissensus.report.text import text_of

LABELS = ("a", "b", "c")


def ratings_of(by_item):
    rows = [(f"i{i:03d}", f"r{r}", label) for i, own in enumerate(by_item) for r, label in enumerate(own)]
    return read(pd.DataFrame(rows, columns=["item", "rater", "label"]), labels=LABELS, scale="nominal")


def answers_of(by_judge):
    rows = [
        (f"i{i:03d}", judge, s, label)
        for judge, by_item in by_judge.items()
        for i, own in enumerate(by_item)
        for s, label in enumerate(own)
    ]
    return read_judges(pd.DataFrame(rows, columns=["item", "judge", "sample", "label"]), labels=LABELS)


def asked(by_item, by_judge, **options):
    return judges(ratings_of(by_item), answers_of(by_judge), **{"bootstrap": 0, **options})


def shares_of(table):
    return {(cell.people, cell.answer): cell.share for cell in table.cells}


# ---- Twins


def hard(samples):
    """The answer as shares of labels: labels that tie share it."""
    most = max(samples.count(label) for label in LABELS)
    top = [label for label in LABELS if samples.count(label) == most]
    return {label: (label in top) / len(top) for label in LABELS}


def twin(by_item, answers):
    """Shares by label and answer, and specificity, from every rating; `answers` says what else is said of an item."""
    cells, said, left, others = {}, dict.fromkeys(LABELS, 0.0), dict.fromkeys(LABELS, 0.0), dict.fromkeys(LABELS, 0.0)
    for i, own in enumerate(by_item):
        for r, label in enumerate(own):
            answer = answers(i, r)
            if answer is None:
                continue
            weight = 1 / len(own)
            said[label] += weight
            for other in LABELS:
                cells[label, other] = cells.get((label, other), 0.0) + weight * answer[other]
                if other != label:
                    others[other] += weight
                    left[other] += weight * (1 - answer[other])
    shares = {(label, other): share / said[label] for (label, other), share in cells.items()}
    return shares, {label: left[label] / others[label] for label in LABELS if others[label] and said[label]}


people = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5), min_size=2, max_size=8)
samples = st.lists(st.sampled_from(LABELS), min_size=1, max_size=3)


@given(people, st.data())
@settings(max_examples=30)
def test_confusion_equals_its_twin_in_plain_python(by_item, drawn):
    own = drawn.draw(st.lists(samples, min_size=len(by_item), max_size=len(by_item)))
    result = asked(by_item, {"j": own})
    shares, left = twin(by_item, lambda i, _: hard(own[i]))
    [table] = result.confusion
    assert shares_of(table) == pytest.approx(shares, abs=1e-12)
    assert (table.judge, table.items) == ("j", len(by_item))
    rates = {one.label: one for one in table.labels}
    assert {label: one.sensitivity for label, one in rates.items()} == pytest.approx(
        {label: shares[label, label] for label in rates}, abs=1e-12
    )
    known = {label: one.specificity for label, one in rates.items() if not math.isnan(one.specificity)}
    assert known == pytest.approx(left, abs=1e-12)


@given(people)
@settings(max_examples=30)
def test_one_more_person_equals_every_other_rater_in_turn(by_item):
    def others(i, r):
        rest = [label for place, label in enumerate(by_item[i]) if place != r]
        return {label: rest.count(label) / len(rest) for label in LABELS} if rest else None

    result = asked(by_item, {"j": [["a"]] * len(by_item)})
    shares, left = twin(by_item, others)
    if not shares:
        assert result.person_confusion is None
        return
    table = result.person_confusion
    assert shares_of(table) == pytest.approx(shares, abs=1e-12)
    known = {one.label: one.specificity for one in table.labels if not math.isnan(one.specificity)}
    assert known == pytest.approx(left, abs=1e-12)
    assert table.items == sum(len(own) > 1 for own in by_item)


def test_with_one_rating_each_it_is_the_usual_confusion():
    rng = np.random.default_rng(3)
    truth, said = (rng.choice(LABELS, 200, p=[0.5, 0.3, 0.2]) for _ in range(2))
    result = asked([[label] for label in truth], {"j": [[label] for label in said]}, bootstrap=5)
    expected = confusion_matrix(truth, said, labels=LABELS, normalize="true")
    [table] = result.confusion
    assert np.allclose(np.reshape([cell.share for cell in table.cells], (3, 3)), expected)
    recall = recall_score(truth, said, labels=LABELS, average=None)
    assert np.allclose([one.sensitivity for one in table.labels], recall)
    for one in table.labels:
        rest = truth != one.label
        assert one.specificity == pytest.approx(np.mean(said[rest] != one.label))
        # Wilson's interval; the variance over items has the usual n / (n - 1).
        size = int((truth == one.label).sum()) * 199 / 200
        low, high = proportion_confint(one.sensitivity * size, size, method="wilson")
        assert (one.sensitivity_low, one.sensitivity_high) == pytest.approx((low, high), abs=1e-9)


def test_a_share_of_nothing_has_an_interval():
    result = asked([["a", "a", "b"]] * 40, {"j": [["a"]] * 40}, bootstrap=5, raters="fixed")
    [table] = result.confusion
    [cell] = [cell for cell in table.cells if (cell.people, cell.answer) == ("a", "b")]
    low, high = proportion_confint(0, 40, method="wilson")
    assert (cell.share, cell.low, cell.high) == pytest.approx((0, low, high), abs=1e-9)


def test_response_sets_count_in_equal_parts():
    rated = pd.DataFrame({"item": ["1", "1", "2", "2"], "rater": ["r", "s"] * 2, "label": ["a|b", "a", "b", "b"],
                          "elicitation": "response_set"})  # fmt: skip
    answers = pd.DataFrame({"item": ["1", "2"], "judge": "j", "label": ["a", "b"]})
    [table] = judges(rated, answers, bootstrap=0).confusion
    # Of item 1 a has 3/4 and b 1/4, of item 2 b has all.
    assert shares_of(table) == pytest.approx({("a", "a"): 1, ("a", "b"): 0, ("b", "a"): 0.2, ("b", "b"): 0.8})


def test_raters_who_differ_widen_the_intervals():
    rng = np.random.default_rng(1)
    by_item = [["a" if rng.random() < p else "b" for p in (0.2, 0.5, 0.9)] for _ in range(100)]
    own = {"j": [[label] for label in rng.choice(["a", "b"], 100)]}
    width = {}
    for kind in ("fixed", "sampled"):
        [table] = asked(by_item, own, bootstrap=5, raters=kind).confusion
        width[kind] = [one.specificity_high - one.specificity_low for one in table.labels]
    assert all(wide > narrow for wide, narrow in zip(width["sampled"], width["fixed"], strict=True))


@pytest.mark.parametrize("between", ["", "|"])
def test_sums_over_items_are_those_of_the_items_one_by_one(between):
    rng = np.random.default_rng(3)
    texts = ["a", "b", "c", f"a{between}b", f"b{between}c"] if between else ["a", "b", "c"]
    by_item = [[str(text) for text in rng.choice(texts, rng.integers(1, 5))] for _ in range(60)]
    by_judge = {name: [list(rng.choice(list("abc"), 2)) for _ in by_item] for name in ("x", "y")}
    prepared = set_up(ratings_of(by_item), answers_of(by_judge), None, JudgesOptions(bootstrap=0))
    people = prepared.rows.people()
    shares, weights = shares_by_item(prepared, people), prepared.problem.weights
    each = [
        judge_ratios(shares.one, answers) for answers in np.moveaxis(hard_predictions(prepared.answers.stated), 1, 0)
    ]
    one_by_one = np.concatenate([own.values(weights) for own in (*each, person_ratios(shares))])
    assert ratios_without(prepared, people) == pytest.approx(one_by_one, abs=1e-12, nan_ok=True)


def test_it_is_in_the_json_and_among_the_details(capsys):
    arguments = ["judges", "example:toxicity", "example:toxicity", "--bootstrap", "5"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["result"]
    first = found["confusion"][0]
    assert list(first) == ["judge", "items", "cells", "labels"]
    assert list(first["cells"][0]) == ["people", "answer", "share", "low", "high"]
    assert found["person_confusion"]["judge"] == "one more person"
    for label in LABELS:
        shares = [cell["share"] for cell in first["cells"] if cell["people"] == label]
        assert not shares or sum(shares) == pytest.approx(1)
    assert main([*arguments, "--details"]) == 0
    assert "Which labels it confuses" in capsys.readouterr().out


def test_very_many_labels_have_no_table():
    rows = [(f"i{i}", f"r{r}", (i + r) % 25) for i in range(30) for r in range(2)]
    rated = read(pd.DataFrame(rows, columns=["item", "rater", "label"]), scale="ordinal")
    answers = pd.DataFrame({"item": [f"i{i}" for i in range(30)], "judge": "j", "label": [i % 25 for i in range(30)]})
    result = judges(rated, answers, bootstrap=0)
    assert (result.confusion, result.person_confusion) == ((), None)
    assert "Which labels it confuses" not in text_of(result, details=True)


# ---- Coverage


SPREAD = 0.7
"""Standard deviation of raters' leniency, in logits."""


def chance(logit):
    return 1 / (1 + np.exp(-logit))


def population(rng, n_items, n_raters):
    """Two labels: items differ, raters in leniency; the judge sees the item and makes errors of its own."""
    height = rng.normal(-0.5, 1.5, n_items)
    said = rng.random((n_items, n_raters)) < chance(height[:, None] + rng.normal(0, SPREAD, n_raters))
    return said, rng.random(n_items) < chance(1.5 * height + 0.5)


def truth(rng, n=400_000):
    """Sensitivity and specificity of the judge, and of one more person, with new raters for every item."""
    height = rng.normal(-0.5, 1.5, n)
    one, two = (rng.random(n) < chance(height + rng.normal(0, SPREAD, n)) for _ in range(2))
    judge = rng.random(n) < chance(1.5 * height + 0.5)
    return [judge[one].mean(), 1 - judge[~one].mean(), two[one].mean(), 1 - two[~one].mean()]


def tables_of(said, judge):
    """The tables of the judge and of one more person."""
    n_items, n_raters = said.shape
    ratings = Ratings(
        item=np.repeat(np.arange(n_items), n_raters), rater=np.tile(np.arange(n_raters), n_items),
        label=said.ravel().astype(int), items=tuple(f"i{i:03d}" for i in range(n_items)),
        raters=tuple(f"r{r}" for r in range(n_raters)), labels=("a", "b"),
    )  # fmt: skip
    nothing = np.zeros(n_items, dtype=int)
    answers = Judges(
        item=np.arange(n_items), judge=nothing, sample=nothing, label=judge.astype(int), items=ratings.items,
        judges=("j",), labels=("a", "b"), options=("a", "b"),
    )  # fmt: skip
    options = JudgesOptions(raters="sampled", bootstrap=1)
    (table,), person = confusions(set_up(ratings, answers, None, options), ratings, options, 0)
    return table, person


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [4, 8, 20])
def test_intervals_cover_what_new_raters_and_items_would_say(n_raters, trust):
    rng = np.random.default_rng(11)
    expected, runs, held = truth(rng), trust.sets(400), np.zeros(4)
    for _ in range(runs):
        ends = []
        for table in tables_of(*population(rng, 200, n_raters)):
            [own] = [one for one in table.labels if one.label == "b"]
            ends += [(own.sensitivity_low, own.sensitivity_high), (own.specificity_low, own.specificity_high)]
        held += [low <= value <= high for (low, high), value in zip(ends, expected, strict=True)]
    data = f"{n_raters} raters, 200 items"
    trust.keep("coverage", "judges: sensitivity and specificity", held.mean() / runs, runs, data=data)
    # .95 with a standard error of .011; .94 to .97 with other seeds
    assert (held / runs >= 0.92).all(), held / runs
