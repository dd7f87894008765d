import enum
import json
import math
from pathlib import PurePosixPath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dissensus
from dissensus.methods.describe.describe import Coefficient
from dissensus.report.envelope import envelope, envelope_json, plain


def test_the_envelope_has_the_agreed_keys_in_the_agreed_order(described):
    assert list(json.loads(envelope_json(described()))) == [
        "dissensus",
        "command",
        "settings",
        "data",
        "result",
        "warnings",
    ]


def test_the_envelope_of_describe(described, golden, monkeypatch):
    monkeypatch.setattr(dissensus, "__version__", "1.2.3")
    assert envelope_json(described(warnings=("Zwölf fehlen.",))) + "\n" == golden("describe.json")


def test_what_cannot_be_computed_is_null(described):
    undefined = Coefficient(name="fleiss_kappa", value=math.nan, low=-math.inf, high=math.inf)
    found = json.loads(envelope_json(described(coefficients=(undefined,))))["result"]["coefficients"]
    assert found == [{"name": "fleiss_kappa", "value": None, "low": None, "high": None}]


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),  # noqa: FBT003 - numpy's
        (np.float64("nan"), None),
        (np.array([[1.0, np.nan], [2.0, np.inf]]), [[1.0, None], [2.0, None]]),
        ((1, (2, 3)), [1, [2, 3]]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (PurePosixPath("a/b.csv"), "a/b.csv"),
        (Colour.RED, "red"),
        ({1: {"x": None}}, {"1": {"x": None}}),
        ((n for n in (1, 2)), [1, 2]),
        (True, True),
    ],
)
def test_values_become_what_json_knows(value, expected):
    found = plain(value)
    assert found == expected
    assert json.loads(json.dumps(found, allow_nan=False)) == expected
    assert type(json.loads(json.dumps(found))) is type(expected)


def test_what_json_does_not_know_is_refused():
    with pytest.raises(TypeError, match="A object has no place in JSON"):
        plain(object())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(json_values)
def test_any_nesting_is_valid_json_without_nan(value):
    json.dumps(plain(value), allow_nan=False)


def test_text_is_not_escaped_and_the_end_has_no_newline(described):
    text = envelope_json(described(warnings=("Zwölf fehlen",)))
    assert "Zwölf" in text
    assert not text.endswith("\n")
    assert envelope(described())["dissensus"] == dissensus.__version__
