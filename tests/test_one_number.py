"""One quantity, one number: what commands say about the same judge under the same name is the same."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from dissensus import alt_test, compare, decide, describe, equivalence, gate, items, judges, panel, read, read_judges
from dissensus.data.paths import example_path
from dissensus.report.answers import answers_of

SAMPLES = 60
ROUNDING = 1e-12
"""Sums over items in another order differ by so much."""


def five_points():
    """Ratings of 100 items on a scale of five points by five raters, and a hard, a sampled and a soft judge."""
    rng = np.random.default_rng(20)
    height = rng.normal(size=100)

    def point(middle, spread):
        return np.clip(np.rint(3 + middle + rng.normal(scale=spread, size=100)), 1, 5).astype(int)

    rated = pd.DataFrame(
        {"item": f"i{i}", "rater": f"r{r}", "label": label}
        for r in range(5)
        for i, label in enumerate(point(height + 0.3 * (r - 2), 0.8).tolist())
        if r < 3 or (i + r) % 4
    )
    rows = [{"item": f"i{i}", "judge": "hard", "label": v} for i, v in enumerate(point(height - 0.6, 0.6).tolist())]
    for sample in range(4):
        rows += [
            {"item": f"i{i}", "judge": "sampled", "label": v, "sample": sample}
            for i, v in enumerate(point(height, 1.0).tolist())
        ]
    far = np.exp(-((np.arange(1, 6) - 3 - height[:, None] - rng.normal(scale=0.5, size=(100, 1))) ** 2))
    shares = far / far.sum(axis=1, keepdims=True)
    soft = [{"item": f"i{i}", "judge": "soft"} | {f"p_{c + 1}": p for c, p in enumerate(row)}
            for i, row in enumerate(shares.tolist())]  # fmt: skip
    return read(rated), read_judges(pd.DataFrame(rows + soft)), "5"


def bundled(name, positive):
    folder = example_path(name)
    return read(folder / "ratings.csv"), read_judges(folder / "judges.csv"), positive


@pytest.fixture(scope="module", params=["five points", pytest.param("toxicity", marks=pytest.mark.slow)])
def asked(request):
    """The data, and what every command says about them."""
    ratings, answers, positive = five_points() if request.param == "five points" else bundled("toxicity", "Toxic")
    how = {"bootstrap": SAMPLES}
    found = {
        "describe": describe(ratings, **how),
        "equivalence": equivalence(ratings, answers, **how),
        "judges": judges(ratings, answers, positive=positive, **how),
        "compare": compare(ratings, answers, **how),
        "panel": panel(ratings, answers, people=False, **how),
        "alt_test": alt_test(ratings, answers),
        "decide": decide(ratings, answers, positive=positive, **how),
        "items": items(ratings, answers),
        "report": answers_of(ratings, answers, positive=[positive], bootstrap=SAMPLES),
        "gate": {
            name: gate(
                ratings, answers, judge=name, min_equivalence=0.5, min_consistency=0.5, positive=positive,
                better_than=[other for other in answers.judges if other != name], **how,
            )
            for name in answers.judges
        },
    }  # fmt: skip
    return ratings, answers, positive, found


class Numbers:
    """Numbers by name and judge, each with who says so."""

    def __init__(self):
        self.said = defaultdict(list)

    def add(self, name, judge, command, value):
        self.said[name, judge].append((command, math.nan if value is None or math.isinf(value) else value))

    def different(self):
        """Names under which two commands have different numbers, with all of them."""
        return {
            key: values for key, values in self.said.items()
            if any(value != pytest.approx(values[0][1], rel=ROUNDING, abs=ROUNDING, nan_ok=True) for _, value in values)
        }  # fmt: skip


def calibrated(result):
    """What each judge is worth, calibrated."""
    return {worth.judge: worth for worth in result.judges}


def test_what_a_judge_is_worth_is_the_same_everywhere(asked):
    _, answers, _, found = asked
    numbers = Numbers()
    tables = {"equivalence": found["equivalence"], "report": found["report"].worth, "panel": found["panel"],
              "panel of a report": found["report"].together}  # fmt: skip
    for command, result in tables.items():
        for name, worth in calibrated(result).items():
            for field in ("score", "low", "high", "equivalence", "equivalence_low", "equivalence_high"):
                numbers.add(field, name, command, getattr(worth, field))
    for name in answers.judges:
        check = found["gate"][name].checks[0]
        for field, value in {"equivalence": check.value, "equivalence_low": check.low,
                             "equivalence_high": check.high}.items():  # fmt: skip
            numbers.add(field, name, "gate", value)
    for pair in found["compare"].pairs:
        numbers.add("score", pair.judge_a, "compare", pair.score_a)
        numbers.add("score", pair.judge_b, "compare", pair.score_b)
    surprised = [("items", found["items"]), ("items of a report", found["report"].items)]
    for command, own in [(command, own) for command, result in surprised for own in result.judges]:
        numbers.add("score", own.judge, command, -own.surprise)
    # The best judge was picked for its score: the interval that allows for it is another one, in a place of its own.
    best = found["equivalence"].best
    for command, result in {"decide": found["decide"], "decision of a report": found["report"].decision}.items():
        for own in result.judges:
            numbers.add("equivalence", own.judge, command, own.worth)
            picked = own.judge == best.judge
            numbers.add("best.equivalence_low" if picked else "equivalence_low", own.judge, command, own.worth_low)
            numbers.add("best.equivalence_high" if picked else "equivalence_high", own.judge, command, own.worth_high)
    numbers.add("best.equivalence_low", best.judge, "equivalence", best.equivalence_low)
    numbers.add("best.equivalence_high", best.judge, "equivalence", best.equivalence_high)
    assert len(numbers.said) >= 6 * len(answers.judges)
    assert not numbers.different()


def test_a_pair_of_judges_has_the_same_numbers_alone_and_among_others(asked):
    _, _, _, found = asked
    numbers = Numbers()
    alone = found["report"].comparison.pairs[0]
    pairs = [("compare", pair) for pair in found["compare"].pairs] + [("report", alone)]
    for command, pair in pairs:
        is_turned = pair.judge_a > pair.judge_b
        names, sign = sorted([pair.judge_a, pair.judge_b]), -1 if is_turned else 1
        low, high = (-pair.high, -pair.low) if is_turned else (pair.low, pair.high)
        for field, value in {"difference": sign * pair.difference, "low": low, "high": high,
                             "p_value": pair.p_value, "items": pair.items}.items():  # fmt: skip
            numbers.add(field, tuple(names), command, value)
    for name, result in found["gate"].items():
        for check in result.checks[2:]:
            is_turned = name > check.against
            sign, names = -1 if is_turned else 1, tuple(sorted([name, check.against]))
            low, high = (-check.high, -check.low) if is_turned else (check.low, check.high)
            for field, value in {"difference": sign * check.value, "low": low, "high": high,
                                 "p_value": check.p_value, "items": check.items}.items():  # fmt: skip
                numbers.add(field, names, "gate", value)
    assert not numbers.different()


def test_decisions_of_a_judge_are_the_same_everywhere(asked):
    _, answers, _, found = asked
    numbers = Numbers()
    ranked = {"judges": found["judges"], "report": found["report"].ranking}
    for command, result in ranked.items():
        for row in result.downstream:
            if row.tau == 0.5:
                for field in ("consistency", "consistency_low", "consistency_high", "bias"):
                    numbers.add(field, row.judge, command, getattr(row, field))
        [rulers] = [one for one in result.decision_rulers if one.tau == 0.5]
        numbers.add("constant", "consistency", command, rulers.constant.value)
        numbers.add("person", "consistency", command, rulers.person.value)
    for name in answers.judges:
        check = found["gate"][name].checks[1]
        for field, value in {"consistency": check.value, "consistency_low": check.low,
                             "consistency_high": check.high}.items():  # fmt: skip
            numbers.add(field, name, "gate", value)
        numbers.add("constant", "consistency", "gate", check.constant.value)
        numbers.add("person", "consistency", "gate", check.person.value)
    assert not numbers.different()


def test_measures_have_one_number_for_a_judge_a_constant_and_a_person(asked):
    ratings, answers, _, found = asked
    numbers = Numbers()
    decided = found["decide"]
    measure = decided.constant.measure
    raw = {} if measure == "distance" else equivalence(
        ratings, answers, score="agreement", combiner="plurality", calibrate="none", bootstrap=0
    ).judges  # fmt: skip
    for worth in raw:
        numbers.add(measure, worth.judge, "equivalence", worth.score)
    for command, result in {"decide": decided, "report": found["report"].decision}.items():
        numbers.add("constant", measure, command, result.constant.value)
        numbers.add("person", measure, command, result.person.value)
        for own in result.judges:
            numbers.add(measure, own.judge, command, own.as_is.value)
    compared = compare(ratings, answers, metric="mae", bootstrap=0) if measure == "distance" else None
    for pair in () if compared is None else compared.pairs:
        numbers.add("mae", pair.judge_a, "compare", pair.score_a)
        numbers.add("mae", pair.judge_b, "compare", pair.score_b)
    for command, result in {"judges": found["judges"], "report": found["report"].ranking}.items():
        for definition in result.definitions:
            for value in definition.values:
                numbers.add(definition.id, value.judge, command, value.value)
                numbers.add(f"{definition.id} low", value.judge, command, value.low)
            if definition.constant is not None:
                numbers.add(definition.id, "constant", command, definition.constant.value)
            if definition.person is not None:
                numbers.add(definition.id, "person", command, definition.person.value)
    assert not numbers.different()


def test_agreement_of_raters_is_the_same_everywhere(asked):
    _, _, _, found = asked
    own, other = found["describe"].whole, found["report"].agreement.whole
    assert own == other
    assert {(row.judge, row.winning_rate) for row in found["alt_test"].judges} == {
        (row.judge, row.winning_rate) for row in found["report"].replacing.judges
    }
