"""Each option is declared once: signatures, flags and messages keep to the declaration."""

import ast
import inspect
import json
import re
from dataclasses import MISSING
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import typer

import dissensus
from dissensus.cli.flags import declared_in, flag_of, spread
from dissensus.cli.main import COMMANDS, load, main
from dissensus.options import declarations, default_of

SOURCE = Path(dissensus.__file__).parent
OTHERS = {
    "data": {
        "ratings",
        "judges",
        "task",
        "new",
        "baseline",
        "path",
        "pairs",
        "items",
        "pilot",
        "pilot_judges",
        "columns",
        "group",
        "by_group",
    },
    "work": {"rng", "engine", "workers", "progress"},
    "files": {"output", "cache", "dry_run", "ask", "plan", "chosen"},
}
"""Parameters of functions that are no options of the method: what it is about, where it runs, what it writes."""
ROOMS = {
    path.name: {"alt_test": "alt-test"}.get(path.name, path.name.replace("plan_", "plan "))
    for path in (SOURCE / "methods").iterdir()
    if (path / "__init__.py").exists() and path.name != "parts"
}
"""The command of each method; parts are of any."""
FLAGS_IN_TEXT = {
    "methods/reproduce/claims.py": 1,
    "methods/reproduce/survey_equivalence.py": 3,
}
"""Texts outside the front ends that still have an option as the command line types it; it must only get shorter."""
FLAG = re.compile(r"(?<![\w(-])--[a-z][a-z-]+")


def options_of(command):
    """The declared options of a command, one class after the other."""
    hints = get_type_hints(load(command), include_extras=True).values()
    return [declared_in(hint) for hint in hints if any(isinstance(note, str) for note in get_args(hint)[1:])]


def flags_of(command):
    """Every flag that can be typed for a command."""
    app = typer.Typer()
    app.command()(spread(load(command)))
    return {flag for one in typer.main.get_command(app).params for flag in (*one.opts, *one.secondary_opts)}


DECLARED = [command for command in COMMANDS if options_of(command)]


def test_every_method_with_options_has_a_command():
    files = (SOURCE / "methods").glob("*/*.py")
    rooms = {path.parent.name for path in files if "Options(Options):" in path.read_text(encoding="utf-8")}
    assert rooms == {room for room, command in ROOMS.items() if command in DECLARED}


@pytest.mark.parametrize("command", DECLARED)
def test_a_function_has_the_parameters_that_its_options_declare(command):
    function = getattr(dissensus, re.sub(r"\W", "_", command))
    parameters = dict(inspect.signature(function).parameters)
    for options in options_of(command):
        for name in declarations(options):
            assert name in parameters, (
                f"give {function.__name__}() the keyword {name}, as {options.__name__} declares it"
            )
            default = default_of(options, name)
            assert parameters.pop(name).default == (inspect.Parameter.empty if default is MISSING else default), name
    strange = set(parameters) - set.union(*OTHERS.values())
    assert not strange, f"declare {strange} in the options of {function.__name__}()"


@pytest.mark.parametrize("command", DECLARED)
def test_a_command_has_a_flag_for_each_declared_option(command):
    flags = flags_of(command)
    for options in options_of(command):
        for name, declared in declarations(options).items():
            assert set((declared.flag or flag_of(name)).split("/")) <= flags


def named_options(path):
    """The options that a file names as those of the command at hand."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = [call for call in calls if getattr(call.func, "id", "") == "named" and not call.keywords]
    return {call.args[0].value for call in named if isinstance(call.args[0], ast.Constant)}


@pytest.mark.parametrize("room", ROOMS)
def test_messages_of_a_method_name_only_options_that_its_command_has(room):
    flags = flags_of(ROOMS[room])
    by_declaration = {
        name: declared.flag
        for options in options_of(ROOMS[room])
        for name, declared in declarations(options).items()
        if declared.flag
    }
    for path in (SOURCE / "methods" / room).rglob("*.py"):
        strange = {name for name in named_options(path) if not {flag_of(name), by_declaration.get(name)} & flags}
        assert not strange, path.name


def flags_in_text(path):
    """The texts of a file, docstrings included, that have a flag; what declares or passes one is no text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "flag":
            allowed.add(id(node.value))
        if isinstance(node, ast.List):  # the words of a command that we run
            allowed.update(map(id, node.elts))
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [node.value for node in texts if id(node) not in allowed and FLAG.search(node.value)]


def test_texts_outside_the_front_ends_name_options_as_data():
    ends = {"cli", "web", "pytest.py"}
    core = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ends]
    found = {path.relative_to(SOURCE).as_posix(): len(flags_in_text(path)) for path in core}
    assert {name: count for name, count in found.items() if count} == FLAGS_IN_TEXT


TWO = ["example:toxicity", "example:toxicity"]
CALLS = {
    "decide": [*TWO, "--bootstrap", "20"],
    "compare": [*TWO, "--resamples", "20"],
    "alt-test": TWO,
    "prevalence": ["example:binary", "example:binary", "--positive", "Yes"],
    "items": TWO,
    "route": [*TWO, "--judge", "strong", "--bootstrap", "20"],
    "plan raters": ["--method", "closed", "--effect", "0.2"],
    "plan labels": ["--accuracy", "0.8", "--margin", "0.02", "--label-accuracy", "0.8", "--budget", "1000"],
    "gate": [*TWO, "--judge", "strong", "--min-equivalence", "0", "--bootstrap", "20"],
    "panel": [*TWO, "--bootstrap", "20"],
    "equivalence": [*TWO, "--calibrate", "isotonic", "--bootstrap", "20"],
    "judges": [*TWO, "--bootstrap", "20"],
    "raters": [*TWO, "--bootstrap", "20"],
    "describe": [TWO[0], "--bootstrap", "20"],
}

WITHOUT_SETTINGS = {  # why a method is not in CALLS
    "collect": "its plan keeps them, and a project's file",
    "rate": "asks a model",
    "history": "reads a database of earlier runs",
}


def test_every_method_with_options_is_called_or_says_why_not():
    assert sorted([*CALLS, *WITHOUT_SETTINGS]) == sorted(DECLARED)


@pytest.mark.parametrize("command", CALLS)
def test_settings_have_every_declared_option(command, capsys):
    assert main([*command.split(), *CALLS[command], "--json"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    declared = {name for options in options_of(command) for name in declarations(options)}
    assert declared <= settings.keys()


@pytest.mark.parametrize("command", CALLS)
def test_a_warning_names_only_options_that_there_are(command, capsys):
    # A method that is called by another command speaks of its own options: then it says whose they are.
    assert main([*command.split(), *CALLS[command], "--json"]) == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    for warning in warnings:
        for found in FLAG.finditer(warning):
            home = re.search(r"`dissensus ([a-z-]+) $", warning[: found.start()])
            assert found[0] in flags_of(home[1] if home else command), warning
    if command in {"gate", "panel"}:
        assert any("`dissensus equivalence --" in warning for warning in warnings)
