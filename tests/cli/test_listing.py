"""Commands are listed without being imported; what the list says of them is what they say of themselves."""

import inspect
import subprocess
import sys

import pytest

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
