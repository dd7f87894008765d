"""Commands are listed without being imported; what the list says of them is what they say of themselves."""

import inspect
import subprocess
import sys

import pytest
from typer.core import TyperCommand, TyperGroup

from dissensus.cli.main import COMMANDS, GROUPS, app_for, load, whole_app


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_the_command_says(name):
    said = inspect.getdoc(load(name))
    assert said.splitlines()[0] == COMMANDS[name].summary


def test_every_command_of_a_group_belongs_to_a_known_one():
    assert {name.split()[0] for name in COMMANDS if " " in name} == set(GROUPS)


def options_of(app):
    """How many options each command has, by name."""
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    places = {"": app, **{f"{name} ": group for name, group in groups.items()}}
    return {
        prefix + command.name: len(inspect.signature(command.callback).parameters)
        for prefix, place in places.items()
        for command in place.registered_commands
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_only_the_command_that_was_typed_gets_its_options(name):
    found, whole = options_of(app_for([*name.split(), "--help"])), options_of(whole_app())
    assert list(found) == list(whole)
    assert found[name] == whole[name] > 0
    assert {other for other, options in found.items() if options} == {name}


def test_the_list_imports_no_command():
    code = "import sys\nfrom dissensus.cli.main import main\nmain(['--help'])\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "dissensus.cli.main" in done.stderr.split()
    assert not {f"dissensus.cli.{entry.module}" for entry in COMMANDS.values()} & set(done.stderr.split())


@pytest.mark.parametrize(
    "typed",
    [
        ["describe", "example:binary", "--bootstrap", "20"],
        ["equivalence", "example:binary", "example:binary", "--bootstrap", "0"],
        ["plan", "labels", "--accuracy", "0.8", "--margin", "0.05", "--label-accuracy", "0.8", "--budget", "100"],
    ],
)
def test_small_questions_import_no_large_package(typed):
    code = f"import sys\nfrom dissensus.cli.main import main\nmain({typed!r})\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "numpy" in loaded
    assert not {"pydantic", "duckdb", "scipy", "pandas", "jinja2"} & loaded


@pytest.mark.parametrize(
    ("option", "word"), [("--bootstrap", "ten"), ("--bootstrap", "1e1"), ("--confidence", "nan"), ("--seed", "-1")]
)
def test_a_value_that_is_not_plain_is_left_to_typer(option, word):
    quick, slow = app_for(["describe"]), app_for(["describe"])
    slow.info.cls = TyperGroup
    for command in slow.registered_commands:
        command.cls = TyperCommand
    said = []
    for app in (quick, slow):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, both raise the same
            app(args=["describe", "example:binary", option, word], standalone_mode=False)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]
