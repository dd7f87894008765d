"""Read the files of a data set in a worker's process, as the command line reads them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from dissensus.ratings import Judges, Ratings, Task, read, read_judges, read_task
from dissensus.ratings.formats.plan import ReadPlan, Repeats
from dissensus.ratings.labels import Scale
from dissensus.web.fields import split_labels


def said(arguments: Mapping[str, object], name: str) -> str | None:
    """What the visitor said about something; None for nothing."""
    return str(arguments[name]) if arguments.get(name) else None


def task_in(arguments: Mapping[str, object]) -> Task | None:
    """The task of an example."""
    path = said(arguments, "task")
    return None if path is None else read_task(Path(path))


def ratings_in(arguments: Mapping[str, object]) -> Ratings:
    """The ratings, under the name that their owner gave the file."""
    labels = said(arguments, "labels")
    ratings = read(
        Path(str(arguments["ratings"])),
        item=said(arguments, "item"),
        rater=said(arguments, "rater"),
        label=said(arguments, "label"),
        labels=None if labels is None else split_labels(labels),
        scale=cast("Scale | None", said(arguments, "scale")),
        repeats=repeats_in(arguments),
        question=said(arguments, "question"),
        task=task_in(arguments),
    )
    name = str(arguments["ratings_name"])
    return replace(ratings, provenance=ratings.provenance and replace(ratings.provenance, name=name))


def judges_in(arguments: Mapping[str, object]) -> Judges | None:
    """The judges' answers, if there is a file of them."""
    path = said(arguments, "judges")
    if path is None:
        return None
    judges = read_judges(
        Path(path),
        item=said(arguments, "judges_item"),
        judge=said(arguments, "judges_judge"),
        label=said(arguments, "judges_label"),
        repeats=repeats_in(arguments),
    )
    name = str(arguments["judges_name"])
    return replace(judges, provenance=judges.provenance and replace(judges.provenance, name=name))


def repeats_in(arguments: Mapping[str, object]) -> Repeats:
    """What to do where a rater rated an item twice."""
    return cast("Repeats", said(arguments, "repeats") or "error")


def ratings_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the ratings, for the check-up."""
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
    )


def judges_plan(arguments: Mapping[str, object]) -> ReadPlan:
    """What the visitor said about the judges' file, for the check-up."""
    return ReadPlan(
        item=said(arguments, "judges_item"),
        judge=said(arguments, "judges_judge"),
        label=said(arguments, "judges_label"),
        repeats=repeats_in(arguments),
    )
