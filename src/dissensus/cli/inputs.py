"""The files that commands take, and what the user says about them."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task
    from dissensus.data.examples import Example
    from dissensus.data.formats.plan import Repeats
    from dissensus.data.labels import Scale

EXAMPLE = "example:"
JUDGE_COLUMNS = ("item", "judge", "sample", "label", "elicitation", "order")


@dataclass(frozen=True, kw_only=True)
class RatingsInput:
    """A file of ratings and how to read it."""

    ratings: Annotated[
        str,
        typer.Argument(
            metavar="RATINGS",
            help="People's ratings: a table, an annotation tool's export, or example:binary, example:toxicity.",
        ),
    ]
    item: Annotated[str | None, typer.Option(metavar="COL", help="Name of the item column.")] = None
    rater: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Name of the rater column; with --wide the rater columns, e.g. 'r*'."),
    ] = None
    label: Annotated[str | None, typer.Option(metavar="COL", help="Name of the label column.")] = None
    elicitation: Annotated[
        str | None, typer.Option(metavar="COL", help="Name of the column that says forced_choice or response_set.")
    ] = None
    count: Annotated[str | None, typer.Option(metavar="COL", help="Name of the count column of a table of counts.")] = (
        None
    )
    labels: Annotated[str | None, typer.Option(metavar="A,B,C", help="Every label, in order.")] = None
    scale: Annotated[
        str | None, typer.Option(metavar="S", help="nominal, ordinal or interval; inferred if not given.")
    ] = None
    repeats: Annotated[
        str, typer.Option(metavar="R", help="A rater who rated an item twice: error, first, last or keep.")
    ] = "error"
    wide: Annotated[bool, typer.Option("--wide", help="Each column is a rater; usually recognised.")] = False
    task: Annotated[Path | None, typer.Option(metavar="TASK.toml", help="What was asked: options in order.")] = None
    ratings_format: Annotated[
        str | None, typer.Option(metavar="F", help="How RATINGS are written, as in `import`; recognised if not given.")
    ] = None
    question: Annotated[str | None, typer.Option(metavar="Q", help="Which question, if RATINGS ask several.")] = None
    item_key: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where a tool's export has the item's id, e.g. data.id.")
    ] = None
    label_map: Annotated[
        str | None, typer.Option("--map", metavar="OLD=NEW,...", help="Other names for labels; empty means missing.")
    ] = None

    def read(self, *, group_column: str | None = None) -> "Ratings":
        """The ratings."""
        from dissensus.data import read

        return read(
            resolve(self.ratings, "ratings.csv"),
            item=self.item,
            rater=self.rater,
            label=self.label,
            group=group_column,
            elicitation=self.elicitation,
            count=self.count,
            labels=split_labels(self.labels),
            scale=cast("Scale | None", self.scale),
            repeats=cast("Repeats", self.repeats),
            wide=True if self.wide else None,
            task=self.read_task(),
            source_format=self.ratings_format,
            question=self.question,
            item_key=self.item_key,
            label_map=renamed_labels(self.label_map),
        )

    def read_task(self) -> "Task | None":
        """The task, if one was named."""
        from dissensus.data import read_task

        if self.task is None and self.ratings.startswith(EXAMPLE):
            return read_task(resolve(self.ratings, "task.toml"))
        return None if self.task is None else read_task(self.task)

    def has_column(self, name: str) -> bool:
        """Whether the file has a column of this name."""
        from dissensus.data.large.tables import find_files, is_many
        from dissensus.data.sources.source import open_source

        path = resolve(self.ratings, "ratings.csv")
        with open_source(find_files(path).paths[0] if is_many(path) else path) as source:
            return name.strip().lower() in {column.strip().lower() for column in source.columns}


JUDGES_HELP = "Judges' answers: a file like RATINGS with a judge column, a tool's log, or example:..."
JudgeColumns = Annotated[
    str | None,
    typer.Option(metavar="ROLE=COL,...", help="Names of columns of JUDGES, e.g. judge=model,label=verdict."),
]

JudgesFormat = Annotated[
    str | None, typer.Option(metavar="F", help="How JUDGES are written, as in `import`; recognised if not given.")
]
JudgesQuestion = Annotated[str | None, typer.Option(metavar="Q", help="Which question, if JUDGES answer several.")]


@dataclass(frozen=True, kw_only=True)
class JudgesInput:
    """A file of judges' answers."""

    judges: Annotated[str, typer.Argument(metavar="JUDGES", help=JUDGES_HELP)]
    judge_columns: JudgeColumns = None
    judges_format: JudgesFormat = None
    judges_question: JudgesQuestion = None

    def read_all(self, *, repeats: str = "error") -> "Judges":
        """The judges' answers."""
        return read_judges_file(
            self.judges,
            self.judge_columns,
            repeats=repeats,
            source_format=self.judges_format,
            question=self.judges_question,
        )


@dataclass(frozen=True, kw_only=True)
class OptionalJudgesInput:
    """A file of judges' answers that may be left out."""

    judges: Annotated[str | None, typer.Argument(metavar="JUDGES", help=JUDGES_HELP)] = None
    judge_columns: JudgeColumns = None
    judges_format: JudgesFormat = None
    judges_question: JudgesQuestion = None

    def read_all(self, *, repeats: str = "error") -> "Judges | None":
        """The judges' answers, if a file was named."""
        if self.judges is None:
            return None
        return read_judges_file(
            self.judges,
            self.judge_columns,
            repeats=repeats,
            source_format=self.judges_format,
            question=self.judges_question,
        )


def read_judges_file(
    name: str, columns: str | None, *, repeats: str, source_format: str | None = None, question: str | None = None
) -> "Judges":
    """Judges' answers from an argument and the names of its columns."""
    from dissensus.data import read_judges

    names = column_names(columns)
    return read_judges(
        resolve(name, "judges.csv"),
        item=names.get("item"),
        judge=names.get("judge"),
        sample=names.get("sample"),
        label=names.get("label"),
        elicitation=names.get("elicitation"),
        order=names.get("order"),
        repeats=cast("Repeats", repeats),
        source_format=source_format,
        question=question,
    )


def resolve(name: str, file: str) -> Path:
    """The path behind an argument: `example:binary` is a bundled data set, anything else a path."""
    from dissensus.data.examples import example_path

    return example_path(cast("Example", name.removeprefix(EXAMPLE))) / file if name.startswith(EXAMPLE) else Path(name)


def split_labels(text: str | None) -> Sequence[str] | None:
    """Labels from `a,b,c`; a label with a comma stands in double quotes.

    Examples
    --------
    >>> split_labels('no,"yes, but"')
    ['no', 'yes, but']
    """
    from dissensus import options as typed_options

    return None if text is None else typed_options.split_labels(text)


def column_names(text: str | None) -> dict[str, str]:
    """Names of columns from `judge=model,label=verdict`.

    Examples
    --------
    >>> column_names("judge=model,label=verdict")
    {'judge': 'model', 'label': 'verdict'}
    """
    names = {}
    for part in [] if text is None else next(csv.reader([text], skipinitialspace=True), []):
        role, equals, column = part.partition("=")
        if role.strip() not in JUDGE_COLUMNS or not equals or not column.strip():
            raise OptionError(
                f"--judge-columns has {part!r}: write ROLE=COLUMN with a role out of {', '.join(JUDGE_COLUMNS)}."
            )
        names[role.strip()] = column.strip()
    return names


def renamed_labels(text: str | None) -> dict[str, str]:
    """Other names for labels from `NO=No,n/a=`; a part with a comma stands in double quotes.

    Examples
    --------
    >>> renamed_labels("NO=No,n/a=")
    {'NO': 'No', 'n/a': ''}
    """
    from dissensus import options as typed_options

    return {} if text is None else typed_options.renamed_labels(text)
