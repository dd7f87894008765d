"""Every public method on data too small for most of them: a result or an error that says why, nothing else."""

import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import dissensus
from dissensus import DissensusError, read, read_judges
from dissensus.report.answers import answers_of
from dissensus.report.whole import report_of

SEEDS = [range(30), pytest.param(range(30, 70), marks=pytest.mark.slow)]
FEW = {"bootstrap": 3}


def labels_of(rng):
    """One to three labels: words, whole numbers or measures, and sets of words."""
    n_labels = int(rng.integers(1, 4))
    kind = rng.choice(["words", "numbers", "measures", "sets"])
    if kind == "words":
        return ["a", "b", "c"][:n_labels]
    if kind == "sets":
        return ["a", "a|b", "b"][:n_labels]
    return [1, 2, 3][:n_labels] if kind == "numbers" else [0.5, 1.25, 1e6][:n_labels]


def asked(rng, label):
    """How somebody was asked who gave this label."""
    return "response_set" if "|" in str(label) or rng.random() < 0.5 else "forced_choice"


def tiny(seed):
    """One to four items and one to three raters and judges, who may miss items or be asked in either way.

    A few data have six items or more, which some methods ask for at least.
    """
    rng = np.random.default_rng(seed)
    labels, n_items = labels_of(rng), int(rng.integers(6, 9) if seed % 5 == 0 else rng.integers(1, 5))
    n_raters, n_judges = (int(rng.integers(1, 4)) for _ in range(2))
    both_ways, missed = rng.random() < 0.4, float(rng.choice([0.0, 0.3]))
    rows = [
        (f"i{i}", f"r{r}", f"g{r % 2}", labels[int(rng.integers(len(labels)))])
        for i in range(n_items)
        for r in range(n_raters)
        if not r or rng.random() >= missed
    ]
    answers = [
        (f"i{i}", f"j{j}", sample, labels[int(rng.integers(len(labels)))])
        for i in range(n_items + int(rng.integers(0, 3)))
        for j in range(n_judges)
        for sample in range(int(rng.integers(1, 3)))
        if rng.random() >= missed
    ] or [("i0", "j0", 0, labels[0])]
    rated = pd.DataFrame(rows, columns=["item", "rater", "group", "label"])
    answered = pd.DataFrame(answers, columns=["item", "judge", "sample", "label"])
    if both_ways:
        for table in (rated, answered):
            table["elicitation"] = [asked(rng, label) for label in table["label"]]
    return read(rated), read_judges(answered), str(labels[-1]).split("|")[-1]


def systems(ratings, judges):
    """Two of three systems for each item."""
    items = sorted({*ratings.items, *judges.items})
    return {item: (f"s{i % 3}", f"s{(i + 1 + i // 3 % 2) % 3}") for i, item in enumerate(items)}


def two_of(judges):
    """The first and the last judge, where a plan is asked for."""
    return {"a": judges.judges[0], "b": judges.judges[-1]}


def recalibrated(ratings, judges):
    """Each judge's answers in people's terms, by a table of what people said where it gave this answer."""
    both = pd.DataFrame(judges.rows()).merge(pd.DataFrame(ratings.rows()), on="item")
    shares = pd.crosstab([both["judge"], both["label_x"].rename("answer")], both["label_y"], normalize="index")
    return dissensus.apply(shares.add_prefix("p_").reset_index(), judges)


CALLS = {
    "alt_test accuracy": lambda r, j, _: dissensus.alt_test(r, j, min_items=2),
    "alt_test rmse": lambda r, j, _: dissensus.alt_test(r, j, score="rmse", test="t", min_items=2),
    "alt_test similarity": lambda r, j, _: dissensus.alt_test(r, j, score="similarity", test="exact", min_items=2),
    "apply": lambda r, j, _: recalibrated(r, j),
    "compare accuracy": lambda r, j, _: dissensus.compare(r, j, metric="accuracy", test="mixture", resamples=5, **FEW),
    "compare wins": lambda r, j, _: dissensus.compare(r, j, metric="wins", resamples=5, **FEW),
    "decide": lambda r, j, _: dissensus.decide(r, j, **FEW),
    "describe": lambda r, _, __: dissensus.describe(r, **FEW),
    "equivalence": lambda r, j, _: dissensus.equivalence(r, j, **FEW),
    "equivalence f1": lambda r, j, p: dissensus.equivalence(r, j, score="f1", positive=p, calibrate="table", **FEW),
    "gate consistency": lambda r, j, p: dissensus.gate(
        r, j, judge=j.judges[0], min_consistency=0.5, positive=[p], **FEW
    ),
    "gate worth": lambda r, j, _: dissensus.gate(r, j, judge=j.judges[0], min_equivalence=1, **FEW),
    "items": lambda r, j, _: dissensus.items(r, j, show="telling"),
    "panel": lambda r, j, _: dissensus.panel(r, j, **FEW),
    "plan_labels": lambda r, j, _: dissensus.plan_labels(pilot=r, pilot_judges=j, budget=50, **two_of(j), **FEW),
    "plan_raters": lambda r, j, _: dissensus.plan_raters(pilot=r, pilot_judges=j, **two_of(j), **FEW),
    "raters": lambda r, j, _: dissensus.raters(r, j, resamples=5, **FEW),
    "prevalence": lambda r, j, p: dissensus.prevalence(r, j, positive=p),
    "prevalence of pairs": lambda r, j, p: dissensus.prevalence(r, j, positive=p, pairs=systems(r, j)),
    "judges": lambda r, j, p: dissensus.judges(r, j, positive=p, **FEW),
    "route": lambda r, j, _: dissensus.route(r, j, judge=j.judges[0], **FEW),
}
"""What is asked: the name of a method first; called with ratings, judges and a positive label."""


def test_every_public_method_is_tried():
    # Reading makes the data, rating asks a server, doctor and history take a file, collecting takes items, and the last
    # two take no data.
    methods = {name for name in dissensus.__all__ if name.islower() and not name.startswith(("_", "read"))}
    public = methods - {"rate", "doctor", "history", "collect", "label_error", "limits"}
    assert public == {name.split()[0] for name in CALLS}


@pytest.fixture(scope="module", params=SEEDS, ids=str)
def data(request):
    """Tiny data of many shapes, by seed."""
    return {seed: tiny(seed) for seed in request.param}


def refuse(constant):
    raise AssertionError(f"The JSON holds {constant}.")


def asked_of(method, own):
    """What a method answers, or why it does not."""
    try:
        return method(*own)
    except DissensusError as error:
        return str(error)


def outcome(method, own):
    """Whether a method has a result that can be shown in every way, or refuses in a line."""
    result = asked_of(method, own)
    if isinstance(result, str):
        assert re.fullmatch(r"[^\n]+[.?]", result)
        return "refused"
    assert result.summary()
    json.loads(result.to_json(), parse_constant=refuse)
    assert isinstance(result.rows(), list)
    return "answered"


@pytest.mark.parametrize("name", CALLS)
def test_tiny_data_give_a_result_or_a_refusal(name, data):
    outcomes = Counter()
    for seed, own in data.items():
        try:
            outcomes[outcome(CALLS[name], own)] += 1
        except Exception as error:
            raise AssertionError(f"{name} failed on the data of seed {seed}") from error
    # A pilot of eight items seldom tells which judge is nearer to people, and never how far apart two models are;
    # routing takes twenty.
    assert outcomes["answered"] > 0 or name.startswith(("plan_", "route")), outcomes


def test_a_report_on_tiny_data_has_sections_or_is_refused(data):
    found = [
        asked_of(lambda r, j, p: answers_of(r, j, positive=[p], bootstrap=3), own) for own in [*data.values()][:12]
    ]
    written = [answers for answers in found if not isinstance(answers, str)]
    assert written
    assert all(report_of(answers, title="Tiny").sections for answers in written)
