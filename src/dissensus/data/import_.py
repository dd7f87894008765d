"""Import a source and say what was taken for what, and what was left out."""

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from dissensus.data.formats.plan import LeftOut, OffScale, ReadPlan, Repeats, Skipped, format_of
from dissensus.data.inputs import judges_beside_people, of_judges
from dissensus.data.judges import Judges
from dissensus.data.labels import SEPARATOR, Scale
from dissensus.data.paths import check_csv, is_same, save_bytes
from dissensus.data.ratings import Ratings
from dissensus.data.readers import judges_of, ratings_of
from dissensus.data.sources.source import Source, open_source
from dissensus.data.task import Task
from dissensus.data.writers import write_judges, write_ratings
from dissensus.errors import OptionError, listed, named
from dissensus.results import Message, Result

if TYPE_CHECKING:
    from dissensus.data.inputs import Table

ROLES = ("item", "rater", "judge", "label", "question", "repeat", "status")
"""What an import says it took, in this order; formats may add more."""


@dataclass(frozen=True, kw_only=True)
class ImportResult(Result):
    """What was imported."""

    command: ClassVar[str] = "import"

    format: str  # the format that was recognised
    imported: Ratings | Judges  # the answers themselves
    taken: Mapping[str, str]  # what was taken for item, rater or judge, label, question, repeat and status, in words
    left_out: tuple[LeftOut, ...]  # what was left out and why
    output: str | None = None  # the file that was written

    @property
    def holds(self) -> str:
        """Whose answers they are: ratings or judges."""
        return "ratings" if isinstance(self.imported, Ratings) else "judges"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "taken", {role: Message(where) for role, where in self.taken.items()})
        left_out = (replace(some, why=Message(some.why)) for some in self.left_out)
        object.__setattr__(self, "left_out", tuple(left_out))

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {
            "format": self.format,
            "holds": self.holds,
            **_shape(self.imported),
            "labels": label_rows(self.imported),
            "taken": dict(self.taken),
            "left_out": [some.as_dict() for some in self.left_out],
            "output": self.output,
        }

    def rows(self) -> list[dict[str, object]]:
        """One row for each role: what was taken for it."""
        return [{"role": role, "taken_from": where} for role, where in self.taken.items()]


def _shape(imported: Ratings | Judges) -> dict[str, object]:
    if isinstance(imported, Ratings):
        return {"items": imported.n_items, "raters": imported.n_raters, "ratings": imported.n_ratings}
    return {"items": len(imported.items), "judges": list(imported.judges), "answers": imported.n_answers}


def label_rows(imported: Ratings | Judges) -> list[dict[str, object]]:
    """How often each label was given; a table of counts counts each rater."""
    given = imported.label >= 0
    times = imported.times if isinstance(imported, Ratings) else None
    weights = None if times is None else times[given]
    count = np.bincount(imported.label[given], weights=weights, minlength=len(imported.labels))
    return [{"label": label, "count": int(n)} for label, n in zip(imported.labels, count.tolist(), strict=True)]


def import_(
    source: str | os.PathLike[str], *, output: str | os.PathLike[str] | None = None, judges: bool = False,
    item: str | None = None, rater: str | None = None, label: str | None = None, group: str | None = None,
    elicitation: str | None = None, count: str | None = None, judge: str | None = None, sample: str | None = None,
    order: str | None = None, labels: Sequence[str] | None = None, scale: Scale | None = None,
    repeats: Repeats = "error", wide: bool | None = None, source_format: str | None = None,
    question: str | None = None, item_key: str | None = None, sheet: str | None = None,
    columns: Sequence[str] | None = None, skipped: Skipped = "drop", label_map: Mapping[str, str] | None = None,
    merge_case: bool = False, decimal_comma: bool = False, off_scale: OffScale = "error", split: str | None = None,
    drop: Sequence[tuple[str, str]] = (),
) -> ImportResult:  # fmt: skip
    """Read a source, write it as our tidy CSV, and say what was done.

    `source`: the file. `output`: the CSV file to write. `judges`: whether to take the answers of judges where a source
    has both; a source that has judges only needs no word. `item`, `rater`, `label`, `group`, `elicitation`, `count`,
    `labels`, `scale`, `repeats`, `wide`, `source_format`, `question`, `item_key`: as for `read`. `judge`, `sample`,
    `order`: what these columns of judges' answers are called, as for `read_judges`. `sheet`, `columns`, `skipped`,
    `label_map`, `merge_case`, `decimal_comma`, `off_scale`, `split`, `drop`: as for `read`.
    """
    given = locals()
    beside = beside_people(source, given) if judges else None
    plan = ReadPlan.given(given | (beside[0] if beside else {}), of="import_")
    if output is not None:
        _check_output(Path(output), Path(source))
    with open_source(source, sheet=sheet, columns=plan.columns) as opened:
        wants_judges = judges or has_judges_only(opened, plan)
        imported, raw, left_out = judges_of(opened, plan) if wants_judges else ratings_of(opened, plan)
    if beside is not None and isinstance(imported, Judges):
        imported = replace(of_judges(imported, beside[1]), warnings=(by_name(beside[1]), *imported.warnings))
    if output is not None and isinstance(imported, Ratings):
        write_ratings(imported, output)
    elif output is not None and isinstance(imported, Judges):
        write_judges(imported, output)
    losses = {Message(some.sentence()) for some in left_out}
    return ImportResult(
        settings=plan.changed() | ({"judges": True} if judges else {}), data={"source": imported.describe_data()},
        warnings=tuple(warning for warning in imported.warnings if warning not in losses), format=raw.format,
        imported=imported, taken=_all_roles(raw.taken, plan, judges=isinstance(imported, Judges)), left_out=left_out,
        output=None if output is None else str(output),
    )  # fmt: skip


def beside_people(source: "Table", given: Mapping[str, object]) -> tuple[dict[str, Any], list[str]] | None:
    """How to read the judges of a table that has people, too, and who they are; None where the user says it."""
    if any(given[name] for name in ("judge", "sheet", "columns", "source_format")):
        return None
    return judges_beside_people(source, {name: cast("str | None", given[name]) for name in ("item", "rater", "label")})


def by_name(judges: Sequence[str]) -> str:
    """What to say of judges that were taken by their names."""
    option = named("judge", of="import_")
    return f"Judges by their names: {listed(judges)}. Name others with {option}."


def _check_output(output: Path, source: Path) -> None:
    """Raise if the output would overwrite the source, or would not be read back as the CSV file that it is."""
    if is_same(output, source):
        raise OptionError(f"-o {output} is the source itself, which would be lost: name another file.")
    check_csv(output)


def _all_roles(taken: Mapping[str, str], plan: ReadPlan, *, judges: bool) -> dict[str, str]:
    """What was taken for each role, those included for which there is nothing in the file."""
    who = "judge" if judges else "rater"
    remedy = "" if judges else f" ({plan.named('repeats')} {plan.repeats})"
    absent = {
        who: "nothing: nobody knows who answered",
        "question": plan.question or "nothing: the file asks one question",
        "repeat": f"rows with the item and {who} of an earlier one{remedy}",
        "status": "nothing: the file does not say",
    }
    roles = [role for role in ROLES if role in taken or role in absent]
    return {**{role: taken.get(role, absent.get(role, "")) for role in roles}, **taken}


def has_judges_only(source: Source, plan: ReadPlan) -> bool:
    """Whether a source holds judges' answers and no people's ratings; a user who names the judges' column says so."""
    if plan.judge is not None:
        return True
    lower = {column.strip().lower() for column in source.columns}
    if "item" in lower and "judge" in lower and "rater" not in lower and plan.rater is None:
        return True
    if {"item", "label"} <= lower:
        return False
    format_ = format_of(source, plan)
    return format_ is not None and format_.ratings is None


# ---- A task as what an annotation tool shows people: the same options, for a forced choice and for a response set

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
