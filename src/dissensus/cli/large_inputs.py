"""Files larger than memory: when they are reduced before Python sees them, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import (
    JudgesInput,
    OptionalJudgesInput,
    RatingsInput,
    column_names,
    renamed_labels,
    resolve,
    split_labels,
)
from dissensus.cli.output import Work
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.data.formats.plan import ReadPlan, Repeats
    from dissensus.data.judges import LabelScores
    from dissensus.data.labels import Scale


@dataclass(frozen=True, kw_only=True)
class LargeOptions:
    """What to do with files larger than memory."""

    reduce: Annotated[
        bool | None,
        typer.Option(
            "--reduce/--no-reduce", help="Put alike items together while reading; by the files' size if not given."
        ),
    ] = None
    memory: Annotated[str, typer.Option(metavar="SIZE", help="What reducing may use before it writes to disk.")] = "2GB"
    round_outputs: Annotated[
        int | None, typer.Option(metavar="DIGITS", help="Round judges' probabilities, so that more items are alike.")
    ] = None

    def wanted_for(self, *paths: Path | None) -> bool:
        """Whether files are to be reduced."""
        from dissensus.data.large.tables import is_large, is_many

        given = [path for path in paths if path is not None]
        if self.reduce is None:
            return self.round_outputs is not None or any(is_large(path) for path in given)
        return self.reduce or any(is_many(path) for path in given)


def read_inputs(
    source: RatingsInput,
    judges_source: JudgesInput | OptionalJudgesInput | None,
    large: LargeOptions,
    work: Work,
    *,
    group_column: str | None = None,
    judge: Sequence[str] | None = None,
    scored_by: "LabelScores | None" = None,
) -> "tuple[Ratings, Judges | None]":
    """Ratings and judges' answers, reduced where they are large.

    Parameters
    ----------
    source, judges_source
        The files.
    large, work
        How to reduce them, and where.
    group_column : str, optional
        Name of the group column.
    judge : sequence of str, optional
        Which judges will be asked for.
    scored_by : callable, optional
        What labels score, where judges give too many different probabilities to tell their items apart.
    """
    path = resolve(source.ratings, "ratings.csv")
    judges = None if judges_source is None or judges_source.judges is None else judges_source.judges
    judges_path = None if judges is None else resolve(judges, "judges.csv")
    if not large.wanted_for(path, judges_path):
        answers = None if judges_source is None else judges_source.read_all(repeats=source.repeats)
        return source.read(group_column=group_column), answers
    _check_plain(source, judges_source)
    from dissensus.data.large.read_large import read_input
    from dissensus.data.large.tables import input_of

    wanted = input_of(
        path,
        judges_path,
        ratings_plan=_ratings_plan(source, group_column),
        judges_plan=_judges_plan(judges_source, source.repeats),
        judge=judge,
        round_outputs=large.round_outputs,
    )
    return read_input(wanted, scored_by=scored_by, memory=large.memory, engine=work.engine)


def read_both(
    source: RatingsInput,
    judges_source: JudgesInput,
    large: LargeOptions,
    work: Work,
    *,
    group_column: str | None = None,
    judge: Sequence[str] | None = None,
    scored_by: "LabelScores | None" = None,
) -> "tuple[Ratings, Judges]":
    """The same for a command that needs judges."""
    ratings, judges = read_inputs(
        source, judges_source, large, work, group_column=group_column, judge=judge, scored_by=scored_by
    )
    assert judges is not None  # noqa: S101 - their file is required
    return ratings, judges


def _check_plain(source: RatingsInput, judges_source: JudgesInput | OptionalJudgesInput | None) -> None:
    """Raise if the user says what only files mean that are read whole."""
    given = {"--question": source.question, "--item-key": source.item_key}
    if judges_source is not None:
        given["--judges-question"] = judges_source.judges_question
        is_plain = judges_source.judges_format in {None, "auto", "tidy"}
        given["--judges-format"] = None if is_plain else judges_source.judges_format
    for option, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option} {value} is for exports that are read whole, and these files are reduced while they are "
                "read: `dissensus import` them one by one, or leave it out."
            )


def _ratings_plan(source: RatingsInput, group_column: str | None) -> "ReadPlan":
    from dissensus.data.formats.plan import ReadPlan

    task = source.read_task()
    labels = split_labels(source.labels)
    return ReadPlan(
        item=source.item,
        rater=source.rater,
        label=source.label,
        group=group_column,
        elicitation=source.elicitation,
        count=source.count,
        labels=task.options if labels is None and task is not None else labels,
        scale=cast("Scale | None", source.scale),
        repeats=cast("Repeats", source.repeats),
        wide=True if source.wide else None,
        source_format=source.ratings_format,
        label_map=renamed_labels(source.label_map),
    )


def _judges_plan(source: JudgesInput | OptionalJudgesInput | None, repeats: str) -> "ReadPlan":
    from dissensus.data.large.read_large import judges_plan

    names = {} if source is None else column_names(source.judge_columns)
    return judges_plan(names, cast("Repeats", repeats))
