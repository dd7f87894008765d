"""What runs in a worker's process: read the files of a data set, ask a method, show the section."""

import csv
import inspect
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, cast

import dissensus
from dissensus.data import Judges, Ratings, Task, read, read_task
from dissensus.data.formats.plan import OffScale, ReadPlan, Repeats, Skipped
from dissensus.data.inputs import judges_beside_people
from dissensus.data.labels import Scale
from dissensus.data.project import toml_text
from dissensus.data.questions import each_question, pooled_judges
from dissensus.data.readers import judges_of
from dissensus.data.sources.csv_rows import guarded
from dissensus.data.sources.source import open_source
from dissensus.errors import JudgesError
from dissensus.options import parts_of, pattern_of, renamed_labels, split_labels
from dissensus.report.envelope import envelope, plain
from dissensus.report.html import page_of
from dissensus.report.views.section import section_of
from dissensus.results import Result
from dissensus.sampling import Progress
from dissensus.web.fields import on_page
from dissensus.web.layout import section_html
from dissensus.web.process import Message, Tell
from dissensus.web.process import Task as Work

# ---- Read the files of a data set in a worker's process, as the command line reads them


def text_in(arguments: Mapping[str, object], name: str) -> str | None:
    """What the visitor said about something; None for nothing."""
    return str(arguments[name]) if arguments.get(name) else None


def task_in(arguments: Mapping[str, object]) -> Task | None:
    """The task of an example."""
    path = text_in(arguments, "task")
    return None if path is None else read_task(Path(path))


OF_JUDGES = frozenset({"judge", "sample", "order"})  # columns that ratings do not have


def ratings_in(arguments: Mapping[str, object], *, group: str | None = None) -> Ratings:
    """The ratings, under the name that their owner gave the file."""
    items, plan = text_in(arguments, "items"), replace(ratings_plan(arguments), group=group)
    where = Path(str(arguments["ratings"]))
    told = {name: value for name, value in plan.options().items() if name not in OF_JUDGES}
    ratings = read(
        where, task=task_in(arguments), items=None if items is None else Path(items), by=text_in(arguments, "by"),
        **told,
    )  # fmt: skip
    name = str(arguments["ratings_name"])
    return replace(ratings, provenance=ratings.provenance and replace(ratings.provenance, name=name))


def judges_in(arguments: Mapping[str, object]) -> Judges | None:
    """The judges' answers, if there is a file of them."""
    path = text_in(arguments, "judges")
    if path is None:
        return None
    with open_source(Path(path)) as opened:
        plan, task = judges_plan(arguments), task_in(arguments)
        found = each_question(lambda asked: judges_of(opened, asked)[0], plan, task)
        judges = pooled_judges(found) if isinstance(found, dict) else found
    name = str(arguments["judges_name"])
    return replace(judges, provenance=judges.provenance and replace(judges.provenance, name=name))


def judges_wanted(arguments: Mapping[str, object]) -> Judges:
    """The judges' answers, where there is no answer without them."""
    judges = judges_in(arguments)
    if judges is None:
        raise JudgesError("There are no judges to ask about. Upload a file of judges' answers beside the ratings.")
    return judges


def repeats_in(arguments: Mapping[str, object]) -> Repeats:
    """What to do where a rater rated an item twice."""
    return cast("Repeats", text_in(arguments, "repeats") or "error")


def ratings_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the ratings."""
    task, labels = task_in(arguments), text_in(arguments, "labels")
    options = None if task is None else task.options
    return ReadPlan(
        item=text_in(arguments, "item"), rater=text_in(arguments, "rater"), label=text_in(arguments, "label"),
        labels=options if labels is None else split_labels(labels),
        scale=cast("Scale | None", text_in(arguments, "scale")), repeats=repeats_in(arguments),
        question=text_in(arguments, "question"), label_map=renamed_labels(text_in(arguments, "map") or ""),
        merge_case=bool(arguments.get("merge_case")), split=text_in(arguments, "split"),
        drop=patterns_in(arguments, "drop"), off_scale=cast("OffScale", text_in(arguments, "off_scale") or "error"),
        skipped=cast("Skipped", text_in(arguments, "skipped") or "drop"),
    )  # fmt: skip


def judges_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the judges' file; of a sheet that has people, too, who in it are judges."""
    plan = ReadPlan(
        item=text_in(arguments, "judges_item"), judge=text_in(arguments, "judges_judge"),
        label=text_in(arguments, "judges_label"), question=text_in(arguments, "judges_question"),
        repeats=repeats_in(arguments), label_map=renamed_labels(text_in(arguments, "judges_map") or ""),
        merge_case=bool(arguments.get("judges_merge_case")), split=text_in(arguments, "judges_split"),
        drop=patterns_in(arguments, "judges_drop"),
    )  # fmt: skip
    path = text_in(arguments, "judges")
    if path is None or path != text_in(arguments, "ratings") or plan.judge is not None:
        return plan
    names = {name: text_in(arguments, name) for name in ("item", "rater", "label")}
    beside = judges_beside_people(Path(path), names | ({"item": plan.item} if plan.item else {}))
    return plan if beside is None else replace(plan, **beside[0])


def patterns_in(arguments: Mapping[str, object], name: str) -> tuple[tuple[str, str], ...]:
    """The rows that the visitor wants left out."""
    return tuple(map(pattern_of, parts_of(text_in(arguments, name) or "")))


SECONDS_BETWEEN = 0.2
Step = Callable[[str], AbstractContextManager[Progress | None]]


def steps(tell: Tell) -> Step:
    """What a method is given to say what it does and how far it is; rarely enough not to slow it down."""

    @contextmanager
    def step(what: str) -> Iterator[Progress]:
        tell({"kind": "progress", "what": what, "done": 0, "total": 0})
        last = monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal last
            if monotonic() - last >= SECONDS_BETWEEN:
                last = monotonic()
                tell({"kind": "progress", "what": what, "done": done, "total": total})

        yield progress

    return step


def part(tell: Tell, name: str, html: str) -> None:
    """Hand over a piece of the page that is ready."""
    tell({"kind": "part", "name": name, "html": html})


# ---- One question about a data set


def question_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The answer of a method about a data set, as a section, and the judges there are to ask about."""
    data, options = mapping_in(arguments, "data"), mapping_in(arguments, "options")
    step = steps(tell)
    with step("Reading the files"):
        judges = judges_wanted(data) if arguments["needs_judges"] else judges_in(data)
        if judges is not None and arguments["names_a_judge"] and not options.get("judge"):
            return {"judges": list(judges.judges)}
        ratings = ratings_in(data, group=text_in(data, "group"))
    with step(str(arguments["progress_text"])) as progress:
        function: Callable[..., Result] = getattr(dissensus, str(arguments["method"]))
        also = {"task": task_in(data), "progress": progress}
        taken = inspect.signature(function).parameters
        result = function(ratings, judges, **options, **{name: own for name, own in also.items() if name in taken})
    html = section_html(section_of(result, on_page), result.command, has_title=False)  # the page has asked the question
    names = [] if judges is None else list(judges.judges)
    return {"html": html, "page.html": page_of([result]), **kept_forms(result, names)}


def kept_forms(result: Result, judges: Sequence[str]) -> dict[str, object]:
    """A result as it is kept: its JSON, its rows as CSV, and the judges there are to ask about."""
    return {"json": envelope(result), "csv": rows_csv(result), "judges.txt": "\n".join(judges)}


def rows_csv(result: Result) -> str:
    """The rows of a result as CSV, a column for each name that one of them has; no text is a formula."""
    rows = [{name: plain(value) for name, value in row.items()} for row in result.rows()]
    names = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(guarded, names))
    writer.writerows([_cell(row.get(name, "")) for name in names] for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) else json.dumps(value) if isinstance(value, list | dict) else value


def mapping_in(arguments: Mapping[str, object], name: str) -> Mapping[str, object]:
    """A part of what the server sent."""
    found = arguments[name]
    assert isinstance(found, dict)  # noqa: S101 - the server wrote it
    return found


def plan_task(planner: str, arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan, or what a page wants of it."""
    from dissensus.web import plan_tasks  # noqa: PLC0415 - for these tasks only

    return plan_tasks.plan_task(planner, arguments, tell)


def report_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The report on a data set: parts while it is computed, and all of it in the end."""
    from dissensus.web.report_task import tell_report  # noqa: PLC0415 - it imports every method

    return tell_report(arguments, tell)


def checkup_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """What is in the files of a project, what is wrong with them, and what fixes it."""
    from dissensus.web.checkup import checkup  # noqa: PLC0415 - for this task only

    return checkup(arguments, tell)


def items_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Every item, written to a database that the server reads page by page."""
    from dissensus.web.item_store import write_items  # noqa: PLC0415 - for this task only

    data, step = mapping_in(arguments, "data"), steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_in(data), ratings_in(data)
    with step("Looking at every item") as progress:
        return {"items": write_items(ratings, judges, Path(str(arguments["output"])), progress)}


def sort_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """Which of some files has people's ratings, and which judges' answers."""
    from dissensus.web.checkup import roles_of  # noqa: PLC0415 - for this task only

    del tell
    paths, names = arguments["paths"], arguments["names"]
    assert isinstance(paths, list)  # noqa: S101 - the server wrote it
    assert isinstance(names, list)  # noqa: S101 - as above
    return {"roles": roles_of([Path(str(path)) for path in paths], [str(name) for name in names])}


def collect_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A new project that collects ratings, from a table of items and what is asked, in a file or typed in."""
    numbers: dict[str, Any] = dict(mapping_in(arguments, "numbers"))
    wanted, task = numbers.pop("wanted", None), text_in(arguments, "task")
    with steps(tell)("Planning who rates what"), TemporaryDirectory() as place:
        if task is None:
            task = str(Path(place) / "task.toml")
            Path(task).write_text(_task_text(arguments), encoding="utf-8")
        plan = None
        if wanted is not None:
            plan = Path(place) / "plan.json"
            design = {"items": wanted, "raters": numbers["ratings_per_item"]}
            plan.write_text(json.dumps({"result": {"recommended": design}}), encoding="utf-8")
        dissensus.collect(
            Path(str(arguments["items"])), task=task, output=str(arguments["output"]), plan=plan, bootstrap=0, **numbers
        )
    return {}


def _task_text(arguments: Mapping[str, object]) -> str:
    """What was typed in as a task file: a question, an option on each line, and how to answer."""
    options = [line.strip() for line in str(arguments["options"]).splitlines() if line.strip()]
    asked = {"name": arguments["name"], "instructions": arguments["question"], "elicitation": arguments["elicitation"]}
    lines = [f"{key} = {toml_text(str(value).strip())}" for key, value in asked.items() if value]
    return "\n".join([*lines, f"options = [{', '.join(map(toml_text, options))}]", ""])


TASKS: dict[str, Work] = {  # every kind of work by its name, as a page orders it
    "question": question_task,
    "plan_labels": partial(plan_task, "labels"),
    "plan_raters": partial(plan_task, "raters"),
    "checkup": checkup_task,
    "collect": collect_task,
    "items": items_task,
    "sort": sort_task,
    "report": report_task,
}
