"""What both planners do with a pilot: data from which they learn how raters and judges are."""

from collections.abc import Mapping, Sequence

from dissensus.web.data_options import DATA, mending, pilot_words
from dissensus.web.fields import Field, chosen, values_of
from dissensus.web.reading_recipe import reading_lines
from dissensus.web.showing import Recipe, arguments_of, command_line, options_of, python_call
from dissensus.web.uploads import DataSet, Uploads

PAIRS = {"example:toxicity": "&a=strong&b=weak", "example:binary": ""}
"""Two judges of an example that are worth telling apart."""


def pilot_values(uploads: Uploads, query: Mapping[str, str]) -> tuple[DataSet, dict[str, str]]:
    """The pilot, and what an address says about its files."""
    data = uploads.find(query.get("data", ""))
    return data, {"data": data.id, **chosen(DATA, values_of(DATA, query))}


def planning_recipe(
    planner: str, data: DataSet | None, fields: Sequence[Field], values: Mapping[str, str]
) -> Recipe:  # fmt: skip
    """How to plan elsewhere, from a pilot if there is one."""
    lines, arguments, commands, pilot = ["import dissensus", ""], [], [], []
    if data is not None:
        lines, arguments = reading_lines(data, values), ["pilot=ratings"]
        arguments += [] if data.judges is None else ["pilot_judges=judges"]
        commands = mending(data, values, takes_options=False)
        pilot = pilot_words(data, values)
    call = python_call(f"dissensus.plan_{planner}", [*arguments, *arguments_of(fields, values)])
    commands.append(["plan", planner, *pilot, *options_of(fields, values)])
    return Recipe(
        command="\n".join(command_line(*words) for words in commands),
        python="\n".join([*lines, f"plan = {call}", "print(plan.summary())"]),
    )
