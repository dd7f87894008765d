from dataclasses import dataclass
from typing import Annotated

import typer

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgeColumns, RatingsInput, read_judges_file
from dissensus.cli.output import Output, Work
from dissensus.methods.plan_raters.options import DesignOptions, PilotOptions


@dataclass(frozen=True, kw_only=True)
class PilotInput:
    """A pilot to learn from: ratings, and the answers of two judges."""

    pilot: Annotated[str | None, typer.Option(metavar="RATINGS", help="People's ratings of a few items.")] = None
    pilot_judges: Annotated[
        str | None, typer.Option(metavar="JUDGES", help="Judges' answers on the pilot's items.")
    ] = None
    judge_columns: JudgeColumns = None

    def read(self) -> Keywords:
        """The pilot, if one was named."""
        judges = self.pilot_judges
        return {
            "pilot": None if self.pilot is None else RatingsInput(ratings=self.pilot).read(),
            "pilot_judges": None if judges is None else read_judges_file(judges, self.judge_columns, repeats="error"),
        }


def plan_raters_command(
    design: Annotated[Keywords, DesignOptions],
    source: PilotInput,
    options: Annotated[Keywords, PilotOptions],
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many items and raters does it take to tell two judges apart?

    Finds the cheapest test set that does, from what you expect of the judges or from a pilot.
    """
    from dissensus.methods.plan_raters import plan_raters

    with output.progress("Simulating test sets") as progress:
        result = plan_raters(**design, **options, **source.read(), **work.where(output), progress=progress)
    output.show(result)
