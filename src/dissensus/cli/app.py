"""The commands, in the order in which a newcomer needs them.

Only the command that was typed is imported and gets its options; the others are there by name and what they do, since
several hundred options would take longer to make than the help takes to read.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import typer

from dissensus import __version__
from dissensus.cli.flags import Command, spread


class Entry(NamedTuple):
    """Where a command is, and the first line of what it says of itself."""

    module: str
    function: str
    summary: str


COMMANDS = {
    "demo": Entry("demo", "demo_command", "Try it on bundled data."),
    "import": Entry("import_", "import_command", "Turn a tool's export into a plain file of ratings or judges."),
    "doctor": Entry("doctor", "doctor_command", "What is the matter with a file, and which option mends it?"),
    "describe": Entry("describe", "describe_command", "Do the raters agree?"),
    "raters": Entry("raters", "raters_command", "Who are the raters?"),
    "equivalence": Entry("equivalence", "equivalence_command", "How many raters is this judge worth?"),
    "judges": Entry("judges", "judges_command", "Which judge can stand in for people?"),
    "compare": Entry("compare", "compare_command", "Is judge A better than judge B?"),
    "panel": Entry("panel", "panel_command", "What are several judges worth together, and beside people?"),
    "alt-test": Entry("alt_test", "alt_test_command", "Can this judge replace a rater?"),
    "prevalence": Entry("prevalence", "prevalence_command", "How many items are positive?"),
    "plan raters": Entry(
        "plan_raters", "plan_raters_command", "How many items and raters does it take to tell two judges apart?"
    ),
    "plan labels": Entry("plan_labels", "plan_labels_command", "One label each for many items, or several for few?"),
    "rate": Entry("rate", "rate_command", "Ask a model what people were asked."),
    "gate": Entry("gate", "gate_command", "May this judge pass?"),
    "report": Entry("report", "report_command", "Write one page with everything that the files can say."),
    "serve": Entry("serve", "serve_command", "The same answers in a browser."),
    "simulate urn": Entry("simulate", "simulate_urn_command", "Raters and judges who draw labels from urns."),
    "simulate indeterminate": Entry(
        "simulate",
        "simulate_indeterminate_command",
        "Raters and judges who may find several options reasonable.",
    ),
    "simulate responses": Entry(
        "simulate", "simulate_responses_command", "People, a judge A like them, and a judge B that strays."
    ),
    "simulate labels": Entry(
        "simulate", "simulate_labels_command", "People with noisy labels, a better judge and a worse one."
    ),
    "reproduce": Entry("reproduce", "reproduce_command", "Recompute the numbers that the papers print."),
}
GROUPS = {"plan": "How many items, raters and labels do I need?", "simulate": "Make data whose truth is known."}


def app_for(typed: Sequence[str]) -> typer.Typer:
    """The application with the options of the command that was typed."""
    words = [word for word in typed if not word.startswith("-")]
    wanted = {" ".join(words[:1]), " ".join(words[:2])}
    return _app(lambda name: name in wanted)


def whole_app() -> typer.Typer:
    """The application with the options of every command."""
    return _app(lambda _: True)


def _app(is_wanted: Callable[[str], bool]) -> typer.Typer:
    app = typer.Typer(
        name="dissensus",
        help="Measure classifiers and AI judges against people who disagree.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=False,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    groups: dict[str, typer.Typer] = {}
    for name, entry in COMMANDS.items():
        *group, last = name.split()
        place = app
        if group:
            if group[0] not in groups:
                groups[group[0]] = typer.Typer(help=GROUPS[group[0]], rich_markup_mode=None)
                app.add_typer(groups[group[0]], name=group[0])
            place = groups[group[0]]
        place.command(last)(spread(_load(entry)) if is_wanted(name) else _named_only(entry))
    for name, group_app in groups.items():
        group_app.callback(help=GROUPS[name])(_nothing)
    return app


def _load(entry: Entry) -> Command:
    command: Command = getattr(importlib.import_module(f"dissensus.cli.{entry.module}"), entry.function)
    return command


def _named_only(entry: Entry) -> Command:
    """A command that is listed and not run."""

    def command() -> None: ...

    command.__doc__ = entry.summary
    return command


def _nothing() -> None:
    """What a group of commands does before one of them."""


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Measure classifiers and AI judges against people who disagree."""
    if version:
        print(f"dissensus {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
