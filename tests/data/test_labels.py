import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import read
from dissensus.data.labels import (
    infer_scale,
    label_values,
    membership,
    natural_order,
    number,
    option_name,
    options_of,
    order_labels,
)
from dissensus.errors import OptionError

quick = settings(max_examples=50, deadline=None)

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="|"), max_size=8)
options = st.sampled_from(["no", "yes", "maybe", "1", "2.5", "10"])


@pytest.mark.parametrize("text", ["1", "01", "1.0", " 1 ", "+1", "1.", "1e0", "10e-1", "1.000"])
def test_one_number_has_one_name(text):
    assert option_name(text) == "1"


@pytest.mark.parametrize(
    "text",
    ["", "nan", "inf", "1,5", "1_000", "0x10", "1 2", "\u0661", "--1", "1e9999", "e5", ".", "9" * 41, "1|2"],
)
def test_what_is_no_number_stays_a_word(text):
    assert number(text) is None
    assert option_name(text) == text


def test_numbers_too_large_to_be_exact_keep_their_digits():
    # 2**53 + 1 is no float, so these two would become one.
    assert option_name("9007199254740992") != option_name("9007199254740993")


@quick
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_back_from_its_name(value):
    assert number(option_name(repr(value))) == value


@quick
@given(st.integers(-(2**53) + 1, 2**53 - 1))
def test_an_integer_is_named_as_python_writes_it(value):
    assert option_name(str(value)) == option_name(f"{value}.0") == str(value)


@quick
@given(words)
def test_naming_an_option_twice_changes_nothing(text):
    assert option_name(option_name(text)) == option_name(text)


@quick
@given(st.lists(options, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_response_set_is_the_same_in_any_order_and_spelling(chosen, random):
    shuffled = random.sample(chosen, len(chosen))
    as_set = set(options_of("|".join(chosen)))
    assert as_set == set(chosen)
    assert set(options_of("|".join(shuffled))) == as_set
    assert set(options_of(repr(shuffled))) == as_set
    assert set(options_of(str(shuffled).replace("'", '"'))) == as_set


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", ("a", "b")),
        (" a | b |", ("a", "b")),
        ("|", ()),
        ("[]", ()),
        ("[1, 2.0, 1]", ("1", "2")),
        ("['a', None, 'b']", ("a", "b")),
        ('["a", null]', ("a",)),
        ("[NaN, 1]", ("1",)),
        ('["a|b", "c"]', ("a", "b", "c")),
        ("[true]", ("true",)),
        ("[removed]", ("[removed]",)),
        ("[[1, 2], [3]]", ("[[1, 2], [3]]",)),
        ("('a', 'b')", ("('a', 'b')",)),
        ('{"a": 1}', ('{"a": 1}',)),
        ("<a>", ("<a>",)),
    ],
)
def test_lists_are_response_sets_and_the_rest_is_text(text, expected):
    assert options_of(text) == expected


@quick
@given(st.text(max_size=30))
def test_any_text_is_some_set_of_options(text):
    parsed = options_of(text)
    assert len(set(parsed)) == len(parsed)
    assert all(option and option == option_name(option) and "|" not in option for option in parsed)


@quick
@given(st.lists(st.integers(-50, 50) | st.sampled_from(["b", "a", "Z"]), unique=True))
def test_the_natural_order_is_numbers_as_numbers_then_words(values):
    texts = [str(value) for value in values]
    expected = [str(v) for v in sorted(v for v in values if isinstance(v, int))]
    expected += sorted(v for v in values if isinstance(v, str))
    assert sorted(texts, key=natural_order) == expected


def test_labels_are_the_options_then_smaller_sets_before_larger():
    label_set, code_of = order_labels([("b", "a"), ("c",), ("c", "b", "a"), ("c", "a")])
    assert label_set.options == ("a", "b", "c")
    assert label_set.labels == ("a", "b", "c", "a|b", "a|c", "a|b|c")
    assert code_of[frozenset("ac")] == 4


@quick
@given(st.lists(st.lists(options, min_size=1, max_size=3).map(tuple), min_size=1, max_size=8), st.randoms())
def test_the_order_of_labels_does_not_depend_on_the_order_they_come_in(given_labels, random):
    shuffled = random.sample(given_labels, len(given_labels))
    assert order_labels(shuffled) == order_labels(given_labels)


def test_a_given_order_is_kept_and_may_have_more():
    label_set, code_of = order_labels([("mid",), ("high", "low")], order=["low", "mid", "high", "never"])
    assert label_set.labels == ("low", "mid", "high", "never", "low|high")
    assert label_set.scale == "ordinal"
    assert code_of[frozenset(["never"])] == 3


def test_a_label_outside_the_given_order_is_refused():
    with pytest.raises(OptionError, match=r"the label c is not among those given \(a, b\)"):
        order_labels([("c",)], order=["a", "b"])


@pytest.mark.parametrize(
    ("given_options", "scale"),
    [
        (["0", "1"], "ordinal"),
        (["0.5", "1"], "interval"),
        (["1e-3", "2"], "interval"),
        (["a", "1"], "nominal"),
        ([], "nominal"),
    ],
)
def test_scales_are_inferred_from_the_options(given_options, scale):
    assert infer_scale(given_options) == scale


def test_words_and_sets_have_no_value():
    values = label_values(["-1", "2.5", "yes", "1|2"])
    assert values[:2].tolist() == [-1, 2.5]
    assert all(math.isnan(value) for value in values[2:])


@quick
@given(st.lists(st.sets(st.sampled_from("abc"), min_size=1).map(sorted), max_size=6))
def test_membership_is_what_it_says(sets):
    matrix = membership(["|".join(s) for s in sets], ["a", "b", "c"])
    np.testing.assert_array_equal(matrix, np.array([[o in s for o in "abc"] for s in sets]).reshape(len(sets), 3))


def test_a_comma_and_a_point_for_the_same_number_are_not_two_labels(tmp_path):
    rows = [("a", "x", "3,5"), ("a", "y", "3.5"), ("b", "x", "4"), ("b", "y", "4"), ("c", "x", "3,5"), ("c", "y", "2")]
    (tmp_path / "r.csv").write_text("item;rater;label\n" + "".join(";".join(row) + "\n" for row in rows))
    assert read(tmp_path / "r.csv").labels == ("2", "3.5", "4")
    names = ("item", "rater", "label")
    assert read([dict(zip(names, row, strict=True)) for row in rows]).labels == ("2", "3.5", "4")
    # Beside a label 5 they may be two options between commas: they stay apart, with a word.
    written = read([dict(zip(names, row, strict=True)) for row in [*rows, ("d", "x", "5")]])
    assert any("decimal comma" in warning for warning in written.warnings)
