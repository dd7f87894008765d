from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgeColumns, RatingsInput, read_judges_file
from dissensus.cli.output import Output
from dissensus.methods.plan_labels.options import PlanLabelsOptions


def plan_labels_command(
    options: Annotated[Keywords, PlanLabelsOptions],
    pilot: Annotated[
        str | None,
        typer.Option(metavar="RATINGS", help="People's labels of a few items, some of them labelled repeatedly."),
    ] = None,
    pilot_judges: Annotated[
        str | None, typer.Option(metavar="JUDGES", help="Both models' answers, also on items without labels.")
    ] = None,
    judge_columns: JudgeColumns = None,
    output: Output = Output(),
) -> None:
    """One label each for many items, or several for few?

    Says how to spend labels to find out which of two models is better, and how many it takes.
    """
    from dissensus.methods.plan_labels.plan_labels import plan_labels

    ratings = None if pilot is None else RatingsInput(ratings=pilot).read()
    judges = None if pilot_judges is None else read_judges_file(pilot_judges, judge_columns, repeats="error")
    output.show(plan_labels(**options, pilot=ratings, pilot_judges=judges, rng=output.seed))
