"""Read the files of a data set in a worker's process, as the command line reads them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from dissensus.errors import JudgesError
from dissensus.ratings import Judges, Ratings, Task, read_task
from dissensus.ratings.formats.plan import OffScale, ReadPlan, Repeats, Skipped
from dissensus.ratings.labels import Scale
from dissensus.ratings.reading import judges_of, ratings_of
from dissensus.ratings.sources.source import open_source
from dissensus.ratings.typed_options import parts_of, pattern_of, renamed_labels, split_labels


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
