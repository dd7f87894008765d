"""What runs in a worker's process: read the files of a data set, ask a method, show the section."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, cast

import dissensus
from dissensus.data import Judges, Ratings, Task, read_task
from dissensus.data.doctor import DoctorResult, doctor
from dissensus.data.formats.plan import OffScale, ReadPlan, Repeats, Skipped
from dissensus.data.labels import Scale
from dissensus.data.readers import judges_of, ratings_of
from dissensus.data.sources.source import open_source
from dissensus.errors import JudgesError
from dissensus.options import parts_of, pattern_of, renamed_labels, spelled, split_labels
from dissensus.report.document import Note, Section, respelled
from dissensus.report.views import section_of
from dissensus.results import Result
from dissensus.sampling import Progress
from dissensus.web.data_options import as_typed, can_fix, is_read_plainly
from dissensus.web.fields import on_page
from dissensus.web.layout import blocks_html, section_html
from dissensus.web.process import Message, Tell
from dissensus.web.process import Task as Work

if TYPE_CHECKING:
    from dissensus.methods.plan_labels.result import PlanLabelsResult

# ---- Read the files of a data set in a worker's process, as the command line reads them


def said(arguments: Mapping[str, object], name: str) -> str | None:
    """What the visitor said about something; None for nothing."""
    return str(arguments[name]) if arguments.get(name) else None


def task_in(arguments: Mapping[str, object]) -> Task | None:
    """The task of an example."""
    path = said(arguments, "task")
    return None if path is None else read_task(Path(path))


def ratings_in(arguments: Mapping[str, object], *, group: str | None = None) -> Ratings:
    """The ratings, under the name that their owner gave the file."""
    with open_source(Path(str(arguments["ratings"]))) as source:
        ratings = ratings_of(source, replace(ratings_plan(arguments), group=group))[0]
    name = str(arguments["ratings_name"])
    return replace(ratings, provenance=ratings.provenance and replace(ratings.provenance, name=name))


def judges_in(arguments: Mapping[str, object]) -> Judges | None:
    """The judges' answers, if there is a file of them."""
    path = said(arguments, "judges")
    if path is None:
        return None
    with open_source(Path(path)) as source:
        judges = judges_of(source, judges_plan(arguments))[0]
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
    return cast("Repeats", said(arguments, "repeats") or "error")


def ratings_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the ratings."""
    task, labels = task_in(arguments), said(arguments, "labels")
    options = None if task is None else task.options
    return ReadPlan(
        item=said(arguments, "item"),
        rater=said(arguments, "rater"),
        label=said(arguments, "label"),
        labels=options if labels is None else split_labels(labels),
        scale=cast("Scale | None", said(arguments, "scale")),
        repeats=repeats_in(arguments),
        question=said(arguments, "question"),
        label_map=renamed_labels(said(arguments, "map") or ""),
        merge_case=bool(arguments.get("merge_case")),
        split=said(arguments, "split"),
        drop=patterns_in(arguments, "drop"),
        off_scale=cast("OffScale", said(arguments, "off_scale") or "error"),
        skipped=cast("Skipped", said(arguments, "skipped") or "drop"),
    )


def judges_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the judges' file."""
    return ReadPlan(
        item=said(arguments, "judges_item"),
        judge=said(arguments, "judges_judge"),
        label=said(arguments, "judges_label"),
        question=said(arguments, "judges_question"),
        repeats=repeats_in(arguments),
        label_map=renamed_labels(said(arguments, "judges_map") or ""),
        merge_case=bool(arguments.get("judges_merge_case")),
        split=said(arguments, "judges_split"),
        drop=patterns_in(arguments, "judges_drop"),
    )


def patterns_in(arguments: Mapping[str, object], name: str) -> tuple[tuple[str, str], ...]:
    """The rows that the visitor wants left out."""
    return tuple(map(pattern_of, parts_of(said(arguments, name) or "")))


SECONDS_BETWEEN = 0.2
Step = Callable[[str], AbstractContextManager[Progress | None]]


def steps(tell: Tell) -> Step:
    """What a method is given to say what it does and how far it is; seldom enough not to slow it down."""

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

DOING = {
    "alt_test": "Comparing with each rater",
    "compare": "Resampling",
    "gate": "Checking the judge",
    "panel": "Combining the judges",
    "prevalence": "Counting",
    "raters": "Comparing raters",
}
"""The methods that have a page of their own, and what their progress says."""
WITHOUT_JUDGES_TOO = frozenset({"raters"})
NAMES_A_JUDGE = frozenset({"gate"})
"""As long as no judge is named, the answer is the judges there are."""


def ask(method: str, arguments: Mapping[str, object], tell: Tell) -> Message:
    """The answer of a method about a data set, as a section, and the judges there are to ask about."""
    data, options = mapping_in(arguments, "data"), mapping_in(arguments, "options")
    step = steps(tell)
    with step("Reading the files"):
        judges = judges_in(data) if method in WITHOUT_JUDGES_TOO else judges_wanted(data)
        if judges is not None and method in NAMES_A_JUDGE and not options.get("judge"):
            return {"judges": list(judges.judges)}
        ratings = ratings_in(data, group=said(data, "group"))
    with step(DOING[method]) as progress:
        function: Callable[..., Result] = getattr(dissensus, method)
        also = {"task": task_in(data), "progress": progress}
        taken = inspect.signature(function).parameters
        result = function(ratings, judges, **options, **{name: own for name, own in also.items() if name in taken})
    html = section_html(section_of(result, on_page), result.command, has_title=False)  # the page has asked the question
    return {"html": html, "judges": [] if judges is None else list(judges.judges)}


def mapping_in(arguments: Mapping[str, object], name: str) -> Mapping[str, object]:
    """A part of what the server sent."""
    found = arguments[name]
    assert isinstance(found, dict)  # noqa: S101 - the server wrote it
    return found


def plan_labels_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan of labels: all of it from a pilot; else what follows a slider, or the rest, for those who stop to read."""
    options, data = mapping_in(arguments, "options"), arguments.get("data")
    if isinstance(data, dict):
        return _from_pilot(data, options, tell)
    result = _planned(json.dumps(options))
    first = _first(result)
    if arguments["wants"] == "first":
        return {"html": section_html(first, "plan", has_title=False), "lead": first.lead}
    rest = [block for block in section_of(result, on_page).blocks if block not in first.blocks]
    return {"html": blocks_html(rest, "rest")}


@lru_cache(maxsize=64)
def _planned(options: str) -> "PlanLabelsResult":
    """The plan for some options: those who rest on a slider ask for it twice."""
    return dissensus.plan_labels(**json.loads(options))


def _from_pilot(data: Mapping[str, object], options: Mapping[str, object], tell: Tell) -> Message:
    step = steps(tell)
    with step("Reading the files"):
        judges, ratings = judges_wanted(data), ratings_in(data)
    with step("Learning from the pilot"):
        result = dissensus.plan_labels(pilot=ratings, pilot_judges=judges, **options)  # type: ignore[arg-type]  # the page's fields
    return {"html": section_html(section_of(result, on_page), "plan", has_title=False), "judges": list(judges.judges)}


def _first(result: "PlanLabelsResult") -> Section:
    """The sentence, the designs and the error by budget, as they follow a slider."""
    from dissensus.report.views.plan_labels import first_blocks, recommendation  # noqa: PLC0415 - for this task only

    section = Section(title="The plan", lead=recommendation(result), blocks=first_blocks(result))
    return respelled(section, on_page)


def plan_raters_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """A plan of items and raters, from a pilot if there is one, as a section."""
    options, data = mapping_in(arguments, "options"), arguments.get("data")
    ratings, judges = (ratings_in(data), judges_in(data)) if isinstance(data, dict) else (None, None)
    with steps(tell)("Simulating test sets") as progress:
        result = dissensus.plan_raters(**options, pilot=ratings, pilot_judges=judges, progress=progress)  # type: ignore[arg-type]  # the page's fields
    section = section_of(result, on_page)
    return {"html": section_html(section, "plan", has_title=False), "lead": section.lead}


TITLES = {"ratings": "People's ratings", "judges": "The judges' answers"}


def checkup_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """What is wrong with the files of a data set: a section for each, and the options that fix them."""
    step, found = steps(tell), {}
    with step("Looking at the ratings"):
        found["ratings"] = doctor(Path(str(arguments["ratings"])), **ratings_plan(arguments).options())
        part(tell, "ratings", _html(found["ratings"], "ratings", str(arguments["ratings_name"])))
    if arguments.get("judges"):
        with step("Looking at the judges"):
            is_plain = found["ratings"].format is not None and is_read_plainly(arguments)
            people = Path(str(arguments["ratings"])) if is_plain else None
            path = Path(str(arguments["judges"]))
            found["judges"] = doctor(path, judges=True, ratings=people, **judges_plan(arguments).options())
            part(tell, "judges", _html(found["judges"], "judges", str(arguments["judges_name"])))
    return {
        "errors": sum(finding.severity == "error" for result in found.values() for finding in result.findings),
        "fixes": [[file, option] for file, result in found.items() for option in _options(result)],
        "labels": {file: result.shape["labels"] for file, result in found.items() if "labels" in result.shape},
        "judges": found["judges"].shape.get("judges", []) if "judges" in found else [],
    }


def _options(result: DoctorResult) -> list[str]:
    """What the check-up proposes, each option once."""
    options = (spelled(getattr(finding.option, "message", ""), as_typed) for finding in result.findings)
    return list(dict.fromkeys(filter(None, options)))


def _html(result: DoctorResult, id_: str, name: str) -> str:
    """The findings about one file, under the name that its owner gave it."""
    named = replace(result, data={"source": {**result.data["source"], "file": name}})
    section = section_of(named, as_typed)
    fixes_here = all(can_fix(id_, option) for option in _options(result))  # then no word about other commands
    blocks = [
        block for block in section.blocks if not (fixes_here and isinstance(block, Note) and block.kind == "hint")
    ]
    return section_html(replace(section, title=TITLES[id_], blocks=blocks), id_)


def report_task(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The report on a data set: parts while it is computed, and all of it in the end."""
    from dissensus.web.report_task import tell_report  # noqa: PLC0415 - it imports every method

    return tell_report(arguments, tell)


TASKS: dict[str, Work] = {
    **{method: partial(ask, method) for method in DOING},
    "plan_labels": plan_labels_task,
    "plan_raters": plan_raters_task,
    "checkup": checkup_task,
    "report": report_task,
}
"""Every kind of work by its name, as a page orders it."""
