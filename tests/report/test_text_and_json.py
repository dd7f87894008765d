"""What a command prints as text and as JSON is the same: both from one result, under random options."""

import json
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dissensus
from dissensus.report.envelope import envelope_json

PEOPLE = [
    {"item": f"i{i}", "rater": f"r{r}", "label": str((i * 7 + r * (i % 3)) % 3 + 1)}
    for i in range(36)
    for r in range(4)
]
JUDGES = [
    {"item": f"i{i}", "judge": judge, "label": str((i * 7 + shift * (i % 4 == 0)) % 3 + 1)}
    for i in range(36)
    for shift, judge in enumerate(("near", "far"))
]
COMMON = {"bootstrap": st.sampled_from([0, 20, 50]), "confidence": st.sampled_from([0.8, 0.95])}
RANDOM = {
    "describe": COMMON,
    "raters": {**COMMON, "resamples": st.just(20)},
    "equivalence": {**COMMON, "score": st.sampled_from(["cross-entropy", "agreement", "brier"])},
    "judges": {**COMMON, "positive": st.sampled_from(["1", "3"])},
    "compare": {**COMMON, "metric": st.sampled_from(["information", "mae", "wins"]), "resamples": st.just(99)},
    "panel": COMMON,
    "decide": COMMON,
    "alt_test": {"epsilon": st.sampled_from([0.05, 0.2]), "score": st.sampled_from(["accuracy", "rmse"])},
    "prevalence": {"positive": st.sampled_from(["1", "3"]), "confidence": st.sampled_from([0.8, 0.95])},
    "gate": {"bootstrap": st.just(50), "judge": st.just("near"), "min_equivalence": st.sampled_from([0.5, 3])},
    "route": {**COMMON, "judge": st.sampled_from(["near", "far"])},
    "items": {"show": st.sampled_from(["telling", "split"])},
    "plan_raters": {"effect": st.sampled_from([0.1, 0.3]), "power": st.sampled_from([0.8, 0.9])},
    "plan_labels": {"accuracy": st.sampled_from([0.7, 0.9]), "margin": st.just(0.03), "budget": st.just(500),
                    "label_accuracy": st.sampled_from([0.8, 0.95])},
}  # fmt: skip
ELSEWHERE = {"apply", "collect", "doctor", "history", "rate", "limits", "label_error"}
"""Public functions that take files or ask servers, or are no methods."""
NO_DATA = {"plan_raters", "plan_labels"}
NUMBER = re.compile(r"(?<![\w.,<>-])-?\d[\d,]*\.\d+(?![\w.]*\w)%?")
"""Numbers with decimals that are not a bound: counts say little, since some count is always there."""

RULES = {"0.667", "2.5", "0.001"}
"""What the text states without a result: when an alpha is enough, when a rater stands out, the smallest p shown."""


def numbers_in(value):
    """Every number of a JSON object, those in its texts included."""
    if isinstance(value, dict):
        return [number for one in value.values() for number in numbers_in(one)]
    if isinstance(value, list):
        return [number for one in value for number in numbers_in(one)]
    if isinstance(value, str):
        return [float(found.strip("%").replace(",", "")) for found in NUMBER.findall(value)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def is_shown(text, known):
    """Whether a number of the text is one of the JSON, rounded as it is written; shares may be written in percent."""
    digits = len(text.strip("%").split(".")[1])
    shown = float(text.strip("%").replace(",", ""))
    scaled = known * 100 if text.endswith("%") else np.concatenate([known, known * 100])
    return bool(np.any(np.abs(np.abs(scaled) - abs(shown)) <= 0.5 * 10.0**-digits + 1e-9))


def test_every_method_is_shown_in_both_ways():
    methods = {name for name in dissensus.__all__ if name.islower() and not name.startswith(("_", "read"))}
    assert set(RANDOM) == methods - ELSEWHERE


def missing(command, options, text=str):
    """Numbers in the text of a result, as `text` changes them, and those of them that are not in its JSON."""
    ratings, judges = dissensus.read(PEOPLE), dissensus.read_judges(JUDGES)
    given_data = (ratings,) if command in {"describe", "raters"} else () if command in NO_DATA else (ratings, judges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = getattr(dissensus, command)(*given_data, **options)
    found = json.loads(envelope_json(result))
    drawn = [10**point.log10_error for point in getattr(result, "by_budget", ())]  # around this plan, for a chart
    known = np.array([number for number in numbers_in([found, drawn]) if math.isfinite(number)])
    known = np.concatenate([known, 1 - known])  # what is left of a share
    if command == "plan_labels":  # how often the better model is right, from two settings
        known = np.append(known, options["accuracy"] + options["margin"])
    if curve := found["result"].get("curve"):  # bits are shown as gained over asking nobody, as the text says
        known = np.concatenate([known, known - curve[0]["score"]])
    shown = [text(number) for number in NUMBER.findall(result.summary(details=True)) if number not in RULES]
    return shown, [number for number in shown if not is_shown(number, known)]


@pytest.mark.parametrize("command", RANDOM)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_number_in_the_text_of_a_result_is_in_its_json(command, data):
    options = {name: data.draw(values, label=name) for name, values in RANDOM[command].items()}
    shown, absent = missing(command, options)
    assert shown or command in NO_DATA
    assert absent == []


def changed(number):
    """An eighth more, as it would be written."""
    digits = len(number.strip("%").split(".")[1])
    return f"{float(number.strip('%').replace(',', '')) * 9 / 8:.{digits}f}{'%' if number.endswith('%') else ''}"


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("describe", {"bootstrap": 20}),
        ("equivalence", {"bootstrap": 20}),
        ("decide", {"bootstrap": 20}),
        ("route", {"bootstrap": 20, "judge": "near"}),
        ("items", {}),
    ],
)
def test_numbers_that_are_not_those_of_the_json_are_noticed(command, options):
    shown, absent = missing(command, options, text=changed)
    assert len(absent) >= 0.6 * len(shown) > 0
