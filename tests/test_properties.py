"""What must hold for every public method that takes ratings: each is found by its signature, and none is left out.

A new method is tested as soon as `dissensus.__all__` lists it. Its options are drawn from their types; only what must
be said and cannot be guessed stands in `NEEDED`.
"""

import inspect
import json
import math
import re
import types
import typing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import dissensus
from dissensus import DissensusError, Judges, Ratings, read, read_judges, read_reduced
from dissensus.results import Result

LABELS = ("qa", "qb", "qc")
POSITIVE = LABELS[0]
JUDGES = ("qj0", "qj1", "qj2")
KINDS = ("forced_choice", "response_set")
DATA = ("ratings", "judges", "pilot", "pilot_judges", "baseline", "new")
RUNS = ("rng", "engine", "workers", "progress")
"""How a method runs, not what it answers."""

NEEDED = {
    "gate": {"judge": JUDGES[0], "positive": POSITIVE, "min_equivalence": 0.5, "min_consistency": 0.5, "min_items": 2},
    "route": {"judge": JUDGES[0]},
    "alt_test": {"min_items": 2},
    "panel": {"people": False},
    "prevalence": {"positive": POSITIVE},
    "judges": {"positive": POSITIVE},
    "raters": {"resamples": 200},
    "plan_labels": {"a": JUDGES[0], "b": JUDGES[1], "budget": 60},
    "plan_raters": {"a": JUDGES[0], "b": JUDGES[1], "items": (10, 40), "raters": (1, 3), "simulations": 100},
}
"""What must be said for an answer, or makes a small one."""

REDUCED_REFUSED = {"alt_test", "items", "raters", "prevalence"}
"""Methods that ask who rated, for items one by one, or for unrated ones: they refuse alike items put together."""

WHO_RATED = {("raters", "sampled"), ("weights", "rater")}
"""Choices that ask who rated: they are refused, too."""

NOT_REDUCED = {"raters", "more_items", "caveats"}
"""What nobody knows of a part of the ratings once alike items were put together, and what is drawn from them."""

EXPLAINED = {
    "compare": {"non_inferiority"},
    "equivalence": {"equivalence", "equivalence_raters", "performance_ratio", "difference", "amateurs", "ceiling"},
    "gate": {"value", "tau", "place", "against", "largest", "more_items", "p_value"},
    "items": {"question", "text", "answer", "surprise"},
    "panel": {"equivalence", "equivalence_raters", "difference", "worth", "saved"},
}
"""What is null for a reason that stands beside it in the result: a verdict, a status, or that it was not asked for."""

MORE = settings().max_examples // 30
"""How many times as many examples as `make test` draws: 1 there, more in `make test-slow`."""
QUICK = settings(
    max_examples=3 * MORE,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # the data are small as they are, and to shrink them takes minutes
    suppress_health_check=list(HealthCheck),
)


@cache
def methods() -> dict[str, typing.Callable[..., Result]]:
    """The public functions that take ratings and return a result, by name."""
    functions = {name: getattr(dissensus, name) for name in dissensus.__all__}
    functions = {name: function for name, function in functions.items() if inspect.isfunction(function)}
    return {name: function for name, function in functions.items() if takes_ratings(function)}


def takes_ratings(function) -> bool:
    """Whether some parameter is `Ratings`, or may be."""
    return any(Ratings in kinds_of(p.annotation) for p in inspect.signature(function).parameters.values())


def kinds_of(annotation) -> tuple[object, ...]:
    """The types that an annotation allows: those of a union, or the one."""
    if isinstance(annotation, str):  # of a method that does not load what its annotations name
        known = {"RatingsLike": Ratings, "JudgesLike": Judges, "None": None}
        return tuple(known.get(name, name) for name in annotation.split(" | "))
    is_union = typing.get_origin(annotation) in {typing.Union, types.UnionType}
    return typing.get_args(annotation) if is_union else (annotation,)


every_method = pytest.mark.parametrize("name", methods())
scales = st.sampled_from(["nominal", "ordinal"])


# Small data: raters who skip items, ties, several judges with samples or probabilities.


@dataclass(frozen=True)
class Said:
    """Rows of ratings (item, rater, label, group perhaps elicitation) and of answers (item, judge, sample, what)."""

    ratings: tuple[tuple[str, ...], ...]
    answers: tuple[tuple[object, ...], ...]
    are_probabilities: bool

    def ratings_frame(self) -> pd.DataFrame:
        columns = ["item", "rater", "label", "group", "elicitation"]
        return pd.DataFrame(self.ratings, columns=columns[: len(self.ratings[0])])

    def answers_frame(self) -> pd.DataFrame:
        labels = [f"p_{label}" for label in LABELS] if self.are_probabilities else ["label"]
        return pd.DataFrame(self.answers, columns=["item", "judge", "sample", *labels])

    def read(self, scale: str) -> tuple[Ratings, Judges]:
        return (
            read(self.ratings_frame(), labels=LABELS, scale=scale),
            read_judges(self.answers_frame(), labels=LABELS),
        )


def answered(draw, items, *, are_probabilities):
    """Rows of what two or three judges said, each once or twice on most items."""
    judges = JUDGES[: draw(st.integers(2, 3))]
    samples = draw(st.integers(1, 2))
    share = st.sampled_from([(1.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.2, 0.3, 0.5), (0.25, 0.25, 0.5), (0.0, 0.75, 0.25)])
    what = share if are_probabilities else st.sampled_from(LABELS).map(lambda label: (label,))
    places = [(item, judge, sample) for item in items for judge in judges for sample in range(samples)]
    said = draw(st.lists(what, min_size=len(places), max_size=len(places)))
    missing = draw(st.sets(st.integers(1, len(places) - 1), max_size=3))
    return [(*place, *one) for n, (place, one) in enumerate(zip(places, said, strict=True)) if n not in missing]


@st.composite
def data(draw, fewest_items=7, fewest_raters=3):
    """What few raters and judges said about few items; most raters agree on most items."""
    items = [f"qi{i}" for i in range(draw(st.integers(fewest_items, 9)))]
    raters = [f"qr{r}" for r in range(draw(st.integers(fewest_raters, 4)))]
    usual = draw(st.lists(st.sampled_from(LABELS), min_size=len(items), max_size=len(items)))
    places = [(item, rater, label) for item, label in zip(items, usual, strict=True) for rater in raters]
    others = draw(st.dictionaries(st.integers(0, len(places) - 1), st.sampled_from(LABELS), max_size=len(places) // 2))
    missing = draw(st.sets(st.integers(1, len(places) - 1), max_size=len(places) // 3)) if len(places) > 1 else set()
    rows = [
        (item, rater, others.get(n, label), "qg0" if rater in raters[:2] else "qg1")
        for n, (item, rater, label) in enumerate(places)
        if n not in missing
    ]
    are_probabilities = draw(st.booleans())
    answers = answered(draw, items, are_probabilities=are_probabilities)
    has_sets = draw(st.booleans()) and len(rows) > 2
    return Said(tuple(with_sets(rows) if has_sets else rows), tuple(answers), are_probabilities)


def with_sets(rows):
    """The same ratings, of which every third was asked for as a response set."""
    return [
        (item, rater, "qa|qb" if n % 3 == 0 and label != "qc" else label, group, KINDS[n % 3 == 0])
        for n, (item, rater, label, group) in enumerate(rows)
    ]


# Options, from the types of the parameters.


def options_of(name: str, *, is_wild: bool = False) -> st.SearchStrategy[dict[str, object]]:
    """Some of the options of a method, with values that their types allow."""
    drawn = {
        parameter.name: values
        for parameter in inspect.signature(methods()[name]).parameters.values()
        if parameter.name not in {*DATA, *RUNS, "bootstrap"}
        and (values := values_of(parameter.annotation, is_wild=is_wild)) is not None
    }
    some = st.lists(st.sampled_from(sorted(drawn)), max_size=2, unique=True) if drawn else st.just([])
    return some.flatmap(lambda names: st.fixed_dictionaries({option: drawn[option] for option in names}))


def values_of(annotation: object, *, is_wild: bool) -> st.SearchStrategy[object] | None:
    """Values of a type: each choice and both truths; numbers and names where they may be nonsense, too."""
    strategies = [s for kind in kinds_of(annotation) if (s := of_kind(kind, is_wild=is_wild)) is not None]
    return st.one_of(strategies) if strategies else None


def of_kind(kind: object, *, is_wild: bool) -> st.SearchStrategy[object] | None:
    if typing.get_origin(kind) is typing.Literal:
        return st.sampled_from(typing.get_args(kind))
    if kind is bool:
        return st.booleans()
    wild = {
        int: st.sampled_from([-1, 0, 1, 2, 3, 50]),
        float: st.sampled_from([-1.0, 0.0, 1e-9, 0.02, 0.5, 0.95, 1.0, 2.0, math.inf, math.nan]),
        str: st.sampled_from(["", "qa", "qc", "qj0", "qj1", "qg0", "qr0", "rater", "no such name"]),
    }
    return wild.get(kind) if is_wild else None


def asked(name: str, ratings: Ratings, judges: Judges | None, /, **options) -> Result | DissensusError:
    """The result of a method on these data, or the error that it raises on purpose; any other is a fault."""
    function = methods()[name]
    known = inspect.signature(function).parameters
    roles = {"ratings": ratings, "judges": judges, "pilot": ratings, "pilot_judges": judges}
    wanted = {**{role: table for role, table in roles.items() if role in known}, **NEEDED.get(name, {}), **options}
    wanted = {option: value for option, value in wanted.items() if option in known}
    try:
        return function(*[wanted.pop(role) for role in DATA[:2] if role in wanted], **wanted)
    except DissensusError as error:
        refused = error
    assert str(refused).isprintable()
    assert str(refused).endswith((".", "?")), refused
    return refused


# Comparing answers.

DRAWN = {"low", "high", "bound", "share_best"}
"""What is drawn with random numbers, which fall on the data in their order."""

DRAWN_BY = {
    "gate": {"status", "passed", "verdict", "text", "reason", "missing"},
    "plan_raters": {
        "grid",
        "recommended",
        "frontier",
        "trade_off",
        "simulated_power",
        "share_other",
        "raters",
        "rater_error",
    },
}
"""What else is drawn, or follows from it, method by method."""


def point_of(name: str, answer: Result | DissensusError, *, besides: frozenset[str] = frozenset()) -> object:
    """What an answer says apart from what was drawn: nested plain values. Of an error its kind."""
    if isinstance(answer, DissensusError):
        return type(answer).__name__
    return undrawn(parsed(answer)["result"], DRAWN | DRAWN_BY.get(name, set()) | besides)


def parsed(result: Result) -> dict[str, object]:
    """The JSON of a result, in which NaN and infinity are faults."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in the JSON")

    return json.loads(result.to_json(), parse_constant=refuse)


def undrawn(value: object, drawn: set[str]) -> object:
    """The value without what was drawn, lists in an order of their own."""
    if isinstance(value, dict):
        kept = [k for k in value if k not in drawn and not k.endswith(("_low", "_high"))]
        return {key: undrawn(value[key], drawn) for key in kept}
    return sorted((undrawn(inner, drawn) for inner in value), key=words_in) if isinstance(value, list) else value


def words_in(value: object) -> str:
    """The texts and whole numbers of a nested value: what tells the entries of a list apart."""
    if isinstance(value, dict):
        return " ".join(f"{key}={words_in(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " ".join(map(words_in, value))
    return "" if isinstance(value, float) else str(value)


def assert_same(one: object, other: object, where: str = "") -> None:
    """The same nested values; numbers up to what the order of a sum can do."""
    if isinstance(one, float) and isinstance(other, float | int):
        assert math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-9), (where, one, other)
    elif isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), where
        for n, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, theirs, f"{where}[{n}]")
    else:
        assert one == other, where


def samples_of(name: str, most: int = 0) -> dict[str, int]:
    """So many bootstrap samples; a gate needs some."""
    return {"bootstrap": max(most, 20 if name == "gate" else 0), "rng": 0}


def test_methods_are_found_by_their_signatures():
    # Those of the four questions, so that a change of the search does not leave all of them out.
    assert {"describe", "equivalence", "judges", "compare", "plan_raters", "plan_labels"} <= methods().keys()


@every_method
def test_a_method_can_be_asked_by_discovery(name):
    parameters = inspect.signature(methods()[name]).parameters.values()
    required = {p.name for p in parameters if p.default is p.empty} - {*DATA, *NEEDED.get(name, {})}
    assert not required, f"Add what {name} needs to NEEDED in tests/test_properties.py: {', '.join(required)}."
    of_ratings = {p.name for p in parameters if {Ratings, Judges} & set(kinds_of(p.annotation))}
    assert of_ratings <= set(DATA), f"Add to DATA in tests/test_properties.py how {name} calls its data."


@every_method
def test_a_method_answers_most_small_data(name):
    answers = []

    @QUICK
    @given(data(), scales)
    def ask(said, scale):
        answers.append(asked(name, *said.read(scale), **samples_of(name)))

    ask()
    errors = [str(answer) for answer in answers if isinstance(answer, DissensusError)]
    assert len(errors) < len(answers) or name == "route", (
        f"Add to NEEDED in tests/test_properties.py what {name} needs: {errors[0]}"
    )


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data(), order=st.randoms(use_true_random=False))
def test_the_order_of_rows_items_and_raters_changes_no_number(name, said, scale, options, order):
    chosen = options.draw(options_of(name))
    shuffled = replace(
        said,
        ratings=tuple(order.sample(said.ratings, len(said.ratings))),
        answers=tuple(order.sample(said.answers, len(said.answers))),
    )
    one, other = (asked(name, *s.read(scale), **samples_of(name), **chosen) for s in (said, shuffled))
    # Responses are exchanged at random where there are too many ways to exchange them.
    is_drawn = chosen.get("test") in {"mixture", "response-permutation"} or chosen.get("learn") == "cross-fit"
    besides = frozenset({"p_value", "score", "verdict"} if is_drawn else ())
    assert_same(point_of(name, one, besides=besides), point_of(name, other, besides=besides))


def renamed(text: str) -> str:
    """Every name with the next first letter: as long, and in the same order, also beside names of ours."""
    return re.sub(r"(?<![a-z])q(?=[abc]\b|[ijrg]\d\b)", "r", text)


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data())
def test_other_names_for_everything_rename_the_answer_and_change_nothing_else(name, said, scale, options):
    chosen = options.draw(options_of(name))
    one = asked(name, *said.read(scale), **samples_of(name, 10), **chosen)
    tables = [pd.DataFrame(json.loads(renamed(f.to_json()))) for f in (said.ratings_frame(), said.answers_frame())]
    labels = [renamed(label) for label in LABELS]
    ratings, judges = read(tables[0], labels=labels, scale=scale), read_judges(tables[1], labels=labels)
    needed = json.loads(renamed(json.dumps(NEEDED.get(name, {}))))
    other = asked(name, ratings, judges, **samples_of(name, 10), **{**needed, **chosen})
    if isinstance(one, DissensusError):
        assert renamed(str(one)) == str(other)
    else:
        assert without_hashes(renamed(one.to_json())) == without_hashes(other.to_json())


def without_hashes(text: str) -> str:
    return re.sub(r'"sha256": "\w+"', "", text)


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data(), cut=st.floats(0.1, 0.9))
def test_files_in_parts_give_the_numbers_of_the_whole(name, said, scale, options, cut, tmp_path_factory):
    # Without names raters are fixed, and what is shown of these raters need not be shown of others like them.
    fixed = {} if name == "plan_raters" else {"raters": "fixed"}  # there they are how many are asked
    chosen = fixed | options.draw(options_of(name))
    folder = tmp_path_factory.mktemp("parts")
    for role, frame in (("ratings", said.ratings_frame()), ("judges", said.answers_frame())):
        (folder / role).mkdir()
        first = max(1, int(cut * len(frame)))
        frame[:first].to_csv(folder / role / "1.csv", index=False)
        frame[first:].to_csv(folder / role / "2.csv", index=False)
    parts = read_reduced(folder / "ratings", folder / "judges", labels=LABELS, scale=scale)
    whole = asked(name, *said.read(scale), **samples_of(name), **chosen)
    reduced = asked(name, *parts, **samples_of(name), **chosen)
    if name in REDUCED_REFUSED or WHO_RATED & chosen.items():
        assert isinstance(reduced, DissensusError)
        return
    besides = frozenset(NOT_REDUCED | ({"p_value", "score", "verdict"} if {"test", "learn"} & chosen.keys() else set()))
    assert_same(point_of(name, whole, besides=besides), point_of(name, reduced, besides=besides))


@pytest.fixture(scope="module")
def two_processes():
    """What `workers=2` starts for every call; started once here."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data())
def test_the_same_seed_gives_the_same_bytes_again_and_in_two_processes(name, said, scale, options, two_processes):
    chosen = options.draw(options_of(name))
    tables = said.read(scale)
    runs = [{}, {}, {"engine": two_processes}]
    answers = [asked(name, *tables, **samples_of(name, 20), **chosen, **run) for run in runs]
    texts = {str(a) if isinstance(a, DissensusError) else a.to_json() for a in answers}
    assert len(texts) == 1


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data())
def test_what_is_null_in_the_json_is_explained_and_nothing_is_nan(name, said, scale, options):
    chosen = options.draw(options_of(name))
    answer = asked(name, *said.read(scale), **samples_of(name, 20), **chosen)
    if isinstance(answer, DissensusError):
        return
    whole = parsed(answer)
    left = nulls(whole["result"], EXPLAINED.get(name, set()))
    assert not left or whole["warnings"], f"{name} says nothing about why these are null: {left}"


def nulls(value: object, explained: set[str], key: str = "") -> set[str]:
    """The keys of what is null, apart from those that are explained, and their bounds."""
    if value is None:
        return set() if key in explained or key.removesuffix("_low").removesuffix("_high") in explained else {key}
    if isinstance(value, dict):
        is_without = any(value.get(k, 0) is None for k in explained)  # no bounds of what there is not
        keys = [k for k in value if not (is_without and k in {"low", "high"})]
        return set().union(*(nulls(value[k], explained, k) for k in keys))
    return set().union(*(nulls(v, explained, key) for v in value)) if isinstance(value, list) else set()


@every_method
@QUICK
@given(said=data(), scale=scales, options=st.data())
def test_a_result_can_be_shown_in_every_way(name, said, scale, options):
    chosen = options.draw(options_of(name))
    answer = asked(name, *said.read(scale), **samples_of(name, 20), **chosen)
    if isinstance(answer, DissensusError):
        return
    rows, frame = answer.rows(), answer.to_frame()
    assert len(frame) == len(rows)
    assert set(frame.columns) == {key for row in rows for key in row}
    assert parsed(answer)["command"].replace(" ", "_") == answer.command.replace(" ", "_")
    assert answer.summary().strip()
    assert not re.search(r"\bnan\b", answer.summary())
    assert "<script" not in answer._repr_html_().lower().replace('<script type="application/json"', "")


@every_method
@settings(QUICK, max_examples=5 * MORE)
@given(said=data(fewest_items=1, fewest_raters=1), scale=scales, options=st.data())
def test_whatever_is_asked_of_whatever_data_is_answered_or_refused_in_one_line(name, said, scale, options):
    chosen = options.draw(options_of(name, is_wild=True))
    answer = asked(name, *said.read(scale), **samples_of(name), **chosen)  # any other error is raised
    assert isinstance(answer, DissensusError) or parsed(answer)


@every_method
@settings(QUICK, max_examples=2 * MORE)
@given(said=data(), scale=scales)
def test_every_choice_of_every_option_is_answered_or_refused_in_one_line(name, said, scale):
    tables = said.read(scale)
    for parameter in inspect.signature(methods()[name]).parameters.values():
        literals = [kind for kind in kinds_of(parameter.annotation) if typing.get_origin(kind) is typing.Literal]
        for choice in (choice for kind in literals for choice in typing.get_args(kind)):
            asked(name, *tables, **samples_of(name), **{parameter.name: choice})  # any other error is raised
