"""The JSON schema that an answer must fit, for servers that can hold a model to one."""

from collections.abc import Sequence

from dissensus.eliciting.shown import ShownOption
from dissensus.ratings.table import Elicitation
from dissensus.ratings.task import Task

ANSWER = "answer"
"""The key that an answer stands under."""
MOST_LISTED_SETS = 255
"""With more sets than this a list of letters is asked for: servers limit how long an enumeration may be."""


def response_format(task: Task, shown: Sequence[ShownOption], elicitation: Elicitation) -> dict[str, object]:
    """What to ask the server for: an object whose one value is an enumeration."""
    schema = {
        "type": "object",
        "properties": {ANSWER: _value(task, shown, elicitation)},
        "required": [ANSWER],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": ANSWER, "strict": True, "schema": schema}}


def asks_for_list(task: Task) -> bool:
    """Whether a response set is asked for as a list, because there are too many sets to enumerate them.

    Examples
    --------
    >>> asks_for_list(Task(options=("No", "Yes"))), asks_for_list(Task(options=tuple(map(str, range(10)))))
    (False, True)
    """
    if task.response_sets == "any":  # counted, not made: this is looked at for every request
        return (1 << len(task.options)) - 1 > MOST_LISTED_SETS
    return len(task.admissible_sets()) > MOST_LISTED_SETS


def _value(task: Task, shown: Sequence[ShownOption], elicitation: Elicitation) -> dict[str, object]:
    marks = [option.mark for option in shown]
    if elicitation == "forced_choice":
        return {"type": "string", "enum": marks}
    if asks_for_list(task):
        letter = {"type": "string", "enum": marks}
        return {"type": "array", "items": letter, "minItems": 1, "maxItems": len(marks)}
    sets = [[option.mark for option in shown if option.meaning in options] for options in task.admissible_sets()]
    return {"type": "string", "enum": sorted(map("".join, sets), key=lambda marks: (len(marks), marks))}
