"""The reference has an example of every public function and what it raises, and the types of results' rows."""

import dataclasses
import inspect
import re
import sys
from pathlib import Path

import pytest

import dissensus

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
PUBLIC = {name: getattr(dissensus, name) for name in dissensus.__all__ if name != "__version__"}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
RESULTS = {name: value for name, value in PUBLIC.items() if name.endswith("Result")}


def section(function, title: str) -> str:
    """The text below a heading of the docstring; empty if there is none."""
    found = re.search(
        rf"^{title}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", inspect.getdoc(function) or "", re.DOTALL | re.MULTILINE
    )
    return found[1] if found else ""


def row_types(result: type) -> list[type]:
    """The public dataclasses and named tuples beside a result."""
    module = sys.modules[result.__module__]
    own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    kinds = [value for value in own if dataclasses.is_dataclass(value) or hasattr(value, "_fields")]
    return [value for value in kinds if value is not result and not value.__name__.startswith("_")]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("title", ["Parameters", "Returns", "Raises", "See Also", "Examples"])
def test_a_public_function_has_every_section(name, title):
    assert section(FUNCTIONS[name], title), f"{name} has no section {title}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_explains_every_parameter(name):
    lines = re.findall(r"^(\w+(?:, \w+)*)(?: :|$)", section(FUNCTIONS[name], "Parameters"), re.MULTILINE)
    explained = {parameter for line in lines for parameter in line.split(", ")}
    missing = inspect.signature(FUNCTIONS[name]).parameters.keys() - explained
    assert not missing, f"explain {missing} in the docstring of {name}()"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_see_also_names_other_public_functions(name):
    others = re.findall(r"^(\w+) : .+\.$|^(\w+) : .+\?$", section(FUNCTIONS[name], "See Also"), re.MULTILINE)
    named = {one or other for one, other in others}
    assert named <= FUNCTIONS.keys() - {name}
    assert named


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_calls_the_function(name):
    assert re.search(rf"^(>>>|\.\.\.) .*\b{name}\(", section(FUNCTIONS[name], "Examples"), re.MULTILINE)


@pytest.mark.parametrize("name", RESULTS)
def test_every_type_of_a_row_is_on_the_page_and_says_what_it_is(name):
    result = RESULTS[name]
    assert f"::: {result.__module__}\n" in PAGE or name == "DoctorResult"  # its rows are findings, below it
    for row in row_types(result):
        assert row.__doc__, row
        assert not row.__doc__.startswith(f"{row.__name__}("), f"{row} has the docstring that dataclasses make"
