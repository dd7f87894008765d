"""A task as what an annotation tool shows people: the same options, for a forced choice and for a response set."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dissensus.data.labels import SEPARATOR
from dissensus.data.outputs import save_bytes
from dissensus.data.task import Task

CHOICE, SET = "forced_choice", "response_set"
"""The names of the two questions. `import` takes them for the two ways of asking one question."""
WORDS = {
    CHOICE: "Choose the one option that fits best.",
    SET: "Tick every option that a reasonable person could choose here. Tick one if only one fits.",
}
TEXTS = {"single": {"text": "Text"}, "pairwise": {"text_a": "A", "text_b": "B"}}
"""What people see of an item: the columns that `rate` reads, and what they are called on the screen."""


def questions_of(task: Task) -> dict[str, tuple[Sequence[str], bool]]:
    """The answers to each question, and whether several of them can be ticked.

    A task whose options leave nothing open asks for the choice only. Where it lists the sets, one of them is chosen.
    """
    asked: dict[str, tuple[Sequence[str], bool]] = {CHOICE: (task.options, False)}
    if task.response_sets == "any":
        asked[SET] = (task.options, True)
    elif task.response_sets != "single":
        asked[SET] = ([SEPARATOR.join(options) for options in task.response_sets], False)
    return asked


def label_studio_config(task: Task) -> str:
    """The labelling configuration of Label Studio, to paste under Settings, Labeling Interface, Code.

    Examples
    --------
    >>> print(label_studio_config(Task(options=("No", "Yes"), response_sets="single")))
    <View>
      <Text name="text" value="$text" />
      <Header value="Choose the one option that fits best." size="5" />
      <Choices name="forced_choice" toName="text" choice="single-radio" required="true">
        <Choice value="No" />
        <Choice value="Yes" />
      </Choices>
    </View>
    """
    view = ET.Element("View")
    if task.instructions:
        ET.SubElement(view, "Header", value=task.instructions)
    for name, title in TEXTS[task.kind].items():
        if task.kind == "pairwise":
            ET.SubElement(view, "Header", value=title, size="4")
        ET.SubElement(view, "Text", name=name, value=f"${name}")
    for name, (answers, is_many) in questions_of(task).items():
        ET.SubElement(view, "Header", value=WORDS[name], size="5")
        how = "multiple" if is_many else "single-radio"
        holder = ET.SubElement(
            view, "Choices", name=name, toName=next(iter(TEXTS[task.kind])), choice=how, required="true"
        )
        for answer in answers:
            choice = ET.SubElement(holder, "Choice", value=answer)
            if answer in task.descriptions:
                choice.set("hint", task.descriptions[answer])
    ET.indent(view)
    return ET.tostring(view, encoding="unicode")


def argilla_settings(task: Task) -> str:
    """The settings of a dataset of Argilla as JSON, for `rg.Settings.from_json`."""
    fields = [
        {"name": name, "title": title, "required": True, "settings": {"type": "text", "use_markdown": False}}
        for name, title in TEXTS[task.kind].items()
    ]
    questions = []
    for name, (answers, is_many) in questions_of(task).items():
        options = [_described(answer, task.descriptions) for answer in answers]
        kind = "multi_label_selection" if is_many else "label_selection"
        order = {"options_order": "natural"} if is_many else {}
        settings = {"type": kind, "options": options, "visible_options": None, **order}
        questions.append({"name": name, "title": WORDS[name], "required": True, "settings": settings})
    whole = {
        "guidelines": task.instructions or None, "fields": fields, "questions": questions, "vectors": [],
        "metadata": [], "allow_extra_metadata": True, "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }  # fmt: skip
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _described(answer: str, descriptions: Mapping[str, str]) -> dict[str, str]:
    described = {"description": descriptions[answer]} if answer in descriptions else {}
    return {"value": answer, "text": answer, **described}


TOOLS: dict[str, Callable[[Task], str]] = {"argilla": argilla_settings, "label-studio": label_studio_config}


def write_labelling(task: Task, tool: str, path: Path) -> None:
    """Write what a tool needs to ask people the task."""
    save_bytes(path, (TOOLS[tool](task) + "\n").encode())
