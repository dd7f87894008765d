"""The commands, in the order in which a newcomer needs them. Nothing heavy is imported until a command runs."""

from typing import Annotated

import typer

from dissensus import __version__
from dissensus.cli.alt_test import alt_test_command
from dissensus.cli.bundles import spread
from dissensus.cli.compare import compare_command
from dissensus.cli.demo import demo_command
from dissensus.cli.describe import describe_command
from dissensus.cli.doctor import doctor_command
from dissensus.cli.equivalence import equivalence_command
from dissensus.cli.gate import gate_command
from dissensus.cli.import_ import import_command
from dissensus.cli.judges import judges_command
from dissensus.cli.panel import panel_command
from dissensus.cli.plan_labels import plan_labels_command
from dissensus.cli.plan_raters import plan_raters_command
from dissensus.cli.prevalence import prevalence_command
from dissensus.cli.rate import rate_command
from dissensus.cli.raters import raters_command
from dissensus.cli.report import report_command
from dissensus.cli.reproduce import reproduce_command
from dissensus.cli.serve import serve_command
from dissensus.cli.simulate import simulate_urn_command
from dissensus.cli.simulate_indeterminate import simulate_indeterminate_command
from dissensus.cli.simulate_labels import simulate_labels_command
from dissensus.cli.simulate_responses import simulate_responses_command

app = typer.Typer(
    name="dissensus",
    help="Measure classifiers and AI judges against people who disagree.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
simulate = typer.Typer(help="Make data whose truth is known.", rich_markup_mode=None)
plan = typer.Typer(help="How many items, raters and labels do I need?", rich_markup_mode=None)

app.command("demo")(spread(demo_command))
app.command("import")(spread(import_command))
app.command("doctor")(spread(doctor_command))
app.command("describe")(spread(describe_command))
app.command("raters")(spread(raters_command))
app.command("equivalence")(spread(equivalence_command))
app.command("judges")(spread(judges_command))
app.command("compare")(spread(compare_command))
app.command("panel")(spread(panel_command))
app.command("alt-test")(spread(alt_test_command))
app.command("prevalence")(spread(prevalence_command))
app.add_typer(plan, name="plan")
plan.command("raters")(spread(plan_raters_command))
plan.command("labels")(spread(plan_labels_command))
app.command("rate")(spread(rate_command))
app.command("gate")(spread(gate_command))
app.command("report")(spread(report_command))
app.command("serve")(spread(serve_command))
app.add_typer(simulate, name="simulate")
simulate.command("urn")(spread(simulate_urn_command))
simulate.command("indeterminate")(spread(simulate_indeterminate_command))
simulate.command("responses")(spread(simulate_responses_command))
simulate.command("labels")(spread(simulate_labels_command))
app.command("reproduce")(spread(reproduce_command))


@plan.callback()
def _plan() -> None:
    """How many items, raters and labels do I need?"""


@simulate.callback()
def _simulate() -> None:
    """Make data whose truth is known."""


@app.callback()
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
