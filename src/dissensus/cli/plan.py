"""How many items, raters and labels: `plan raters` and `plan labels`."""

from dataclasses import dataclass
from typing import Annotated

from dissensus.cli.flags import Keywords
from dissensus.cli.inputs import JudgeColumns, OptionalJudgesInput, RatingsInput, Text, flag
from dissensus.cli.output import Output, Work


@dataclass(frozen=True, kw_only=True)
class PilotInput:
    """A pilot to learn from: ratings, and the answers of two judges."""

    pilot: Annotated[Text, flag("RATINGS", "People's ratings of a few items.")] = None
    pilot_judges: Annotated[Text, flag("JUDGES", "Judges' answers on the pilot's items.")] = None
    judge_columns: JudgeColumns = None
    question: Annotated[Text, flag("Q", "Which question of the pilot, if it has several.")] = None

    def read(self) -> Keywords:
        """The pilot, if one was named."""
        ratings = None if self.pilot is None else RatingsInput(ratings=self.pilot, question=self.question).read()
        source = OptionalJudgesInput(judges=self.pilot_judges, judge_columns=self.judge_columns)
        judges = source.read_all(question=self.question)
        return {"pilot": ratings, "pilot_judges": judges}


@dataclass(frozen=True, kw_only=True)
class LabelPilotInput(PilotInput):
    """A pilot with repeated labels of some items, and the answers of both models."""

    pilot: Annotated[Text, flag("RATINGS", "People's labels of a few items, some of them labelled repeatedly.")] = None
    pilot_judges: Annotated[Text, flag("JUDGES", "Both models' answers, also on items without labels.")] = None


def plan_raters_command(
    design: Annotated[Keywords, "plan_raters.options.DesignOptions"],
    source: PilotInput,
    options: Annotated[Keywords, "plan_raters.options.PilotOptions"],
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many items and raters does it take to tell two judges apart?

    Finds the cheapest test set that does, from what you expect of the judges or from a pilot.
    """
    from dissensus.methods.plan_raters import plan_raters

    pilot, where = source.read(), work.where(output)
    output.run("Simulating test sets", plan_raters, **design, **options, **pilot, **where)


def plan_labels_command(
    options: Annotated[Keywords, "plan_labels.options.PlanLabelsOptions"],
    source: LabelPilotInput,
    output: Output = Output(),
) -> None:
    """One label each for many items, or several for few?

    Says how to spend labels to find out which of two models is better, and how many it takes.
    """
    from dissensus.methods.plan_labels import plan_labels

    output.show(plan_labels(**options, **source.read(), rng=output.seed))
