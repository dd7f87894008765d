"""What every command takes and prints: files, what the user says about them, files larger than memory, output."""

import csv
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from dissensus.cli.flags import flags_beside
from dissensus.errors import ColumnError, FileError, OptionError, one_line
from dissensus.options import parts_of, renamed_labels, split_labels

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings, Task
    from dissensus.data.formats.plan import Repeats
    from dissensus.data.judges import LabelScores
    from dissensus.results import Result
    from dissensus.sampling import Progress

R = TypeVar("R", bound="Result")


@dataclass(frozen=True, kw_only=True)
class Output:
    """How to show a result: options that every command has."""

    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")] = False
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the random numbers.")] = 0
    details: Annotated[bool, typer.Option("--details", help="Print everything, not only the answer.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no progress bar and no messages on stderr.")] = False

    def show(self, result: "Result") -> None:
        """Print the result on stdout."""
        if self.as_json:
            from dissensus.report.envelope import envelope_json

            print(envelope_json(result, flags_beside(result)))
            return
        from rich.console import Console

        from dissensus.report.text import print_result

        print_result(result, Console(), flags_beside(result), details=self.details, more="--details")

    def run(
        self, doing: str, method: Callable[..., R], /, *data: object, write: Callable[[R], None] | None = None,
        **keywords: object,
    ) -> R:  # fmt: skip
        """What a method answers, shown; with a progress bar until then.

        Files are written before, so that a reader of stdout who leaves early, such as `head`, leaves them whole.
        """
        with self.progress(doing) as progress:
            result = method(*data, **keywords, progress=progress)
        if write is not None:
            write(result)
        self.show(result)
        return result

    def remark(self, text: str) -> None:
        """Say something on stderr."""
        if not self.quiet:
            print("\n".join(map(one_line, text.split("\n"))), file=sys.stderr)

    @contextmanager
    def progress(self, what: str) -> "Iterator[Progress | None]":
        """A progress bar on stderr, where that is a terminal.

        Something in it always moves: a sign beside the text, and the bar itself before the first task is done and after
        the last, when the result is put together.
        """
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        columns = (SpinnerColumn("line"), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)

            def tell(done: int, total: int) -> None:
                bar.tasks[task].total = None if done == total else total
                bar.update(task, completed=done)

            yield tell


@dataclass(frozen=True, kw_only=True)
class Work:
    """Where the work runs: options of every command that resamples or simulates."""

    engine: Annotated[
        str, typer.Option(metavar="E", help="Where to compute: local, dask://host:port or tls://host:port.")
    ] = "local"
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes of the local engine; the numbers do not depend on it.")
    ] = 1

    def where(self, output: Output) -> dict[str, Any]:
        """The keywords of a method that resamples: its seed, and where it runs."""
        return {"rng": output.seed, "engine": self.engine, "workers": self.workers}


JUDGE_COLUMNS = ("item", "judge", "sample", "label", "elicitation", "order")
PAIR_COLUMNS = ("item", "a", "b")
JUDGES_HELP = "Judges' answers: a file like RATINGS with a judge column, a tool's log, or example:..."


# ---- Options of several commands


def flag(metavar: str, text: str, *flags: str) -> Any:  # noqa: ANN401 - as typer has it
    """An option that takes a value, with what stands for it in the help."""
    return typer.Option(*flags, metavar=metavar, help=text)


Text = str | None
Texts = list[str] | None
LabelColumn = Annotated[Text, flag("COL", "Name of the label column.")]
ElicitationColumn = Annotated[Text, flag("COL", "Name of the column that says forced_choice or response_set.")]
Labels = Annotated[Text, flag("A,B,C", "Every label, in order.")]
Repeated = Annotated[str, flag("R", "If a rater rated an item twice: error, first, last or keep.")]
Wide = Annotated[bool, typer.Option("--wide", help="Each column is a rater; usually recognised.")]
ItemKey = Annotated[Text, flag("PATH", "Where a tool's export has the item's id, e.g. data.id.")]
LabelMap = Annotated[Texts, flag("OLD=NEW,...", "Other names for labels; empty means missing.", "--map")]
JudgeColumns = Annotated[Texts, flag("ROLE=COL,...", "Names of columns of JUDGES, e.g. judge=model,label=verdict.")]


def resolve(name: str, file: str) -> Path:
    """The path behind an argument: `example:binary` is a bundled data set, anything else a path."""
    from dissensus.data.paths import resolved

    return resolved(name, file)


# ---- Ratings and judges


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
    item: Annotated[Text, flag("COL", "Name of the item column.")] = None
    rater: Annotated[Text, flag("COL", "Name of the rater column; with --wide the rater columns, e.g. 'r*'.")] = None
    label: LabelColumn = None
    elicitation: ElicitationColumn = None
    count: Annotated[Text, flag("COL", "Name of the count column of a table of counts.")] = None
    labels: Labels = None
    scale: Annotated[Text, flag("S", "nominal, ordinal or interval; inferred if not given.")] = None
    repeats: Repeated = "error"
    wide: Wide = False
    task: Annotated[Path | None, flag("TASK.toml", "What was asked: options in order.")] = None
    ratings_format: Annotated[Text, flag("F", "Format of RATINGS, as in `import`; recognised if not given.")] = None
    question: Annotated[Text, flag("Q", "Which question, if the files have several; all if not given.")] = None
    by: Annotated[
        Text, flag("COL", "Answer for each slice of the items: a column, or split, ratings, length, suffix.")
    ] = None
    items: Annotated[Path | None, flag("ITEMS.csv", "A row per item: its text, its writer, or what --by names.")] = None
    item_key: ItemKey = None
    label_map: LabelMap = None
    merge_case: Annotated[
        bool, typer.Option("--merge-case", help="Merge labels that differ only in case or spaces.")
    ] = False

    def read(self, *, group_column: str | None = None, **others: Any) -> "Ratings":  # noqa: ANN401 - as `read` has them
        """The ratings."""
        from dissensus.data import read

        path = resolve(self.ratings, "ratings.csv")
        return read(path, task=self.read_task(), **(self.keywords(group_column) | others))

    def keywords(self, group_column: str | None = None) -> dict[str, Any]:
        """The options as `read` takes them."""
        names = (
            "item", "rater", "label", "elicitation", "count", "scale", "repeats", "question", "item_key", "merge_case",
            "by", "items",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {
            "group": group_column,
            "labels": None if self.labels is None else split_labels(self.labels),
            "wide": self.wide or None,
            "source_format": self.ratings_format,
            "label_map": self.renamed(),
        }

    def renamed(self) -> dict[str, str]:
        """Other names for labels."""
        return renamed_labels(",".join(self.label_map or ()))

    def read_task(self) -> "Task | None":
        """The task, if one was named."""
        from dissensus.data import read_task
        from dissensus.data.paths import EXAMPLE

        if self.task is None and self.ratings.startswith(EXAMPLE):
            return read_task(resolve(self.ratings, "task.toml"))
        return None if self.task is None else read_task(self.task)

    def has_column(self, name: str) -> bool:
        """Whether the file has a column of this name."""
        from dissensus.data.sources.files import is_many
        from dissensus.data.sources.source import open_source

        path = resolve(self.ratings, "ratings.csv")
        if is_many(path):
            from dissensus.data.large.tables import find_files

            path = find_files(path).paths[0]
        with open_source(path) as source:
            return name.strip().lower() in {column.strip().lower() for column in source.columns}


@dataclass(frozen=True, kw_only=True)
class OptionalJudgesInput:
    """A file of judges' answers that may be left out."""

    judges: Annotated[str | None, typer.Argument(metavar="JUDGES", help=JUDGES_HELP)] = None
    judge_columns: JudgeColumns = None
    judges_format: Annotated[Text, flag("F", "Format of JUDGES, as in `import`; recognised if not given.")] = None
    judges_question: Annotated[Text, flag("Q", "Which question, if JUDGES answer several.")] = None
    people: Annotated[
        Text, flag("PATTERN", "Columns of RATINGS that are people's, if it also has judges: 'human*'.")
    ] = None
    among: Annotated[
        Text, flag("PATTERN", "Columns of RATINGS that are judges', instead of JUDGES: 'gpt*'.", "--judges")
    ] = None

    @property
    def needs_judges(self) -> bool:
        """Whether there must be judges: where the user names some."""
        return self.people is not None or self.among is not None

    @property
    def is_plain(self) -> bool:
        """Whether a file is named, and nothing is said about how to read it."""
        how = (self.judge_columns, self.judges_format, self.judges_question, self.people, self.among)
        return self.judges is not None and not any(how)

    def read_all(self, *, question: str | None = None, **others: Any) -> "Judges | None":  # noqa: ANN401 - as `read_judges`
        """The judges' answers, if a file was named; to the question of the ratings where the file has it."""
        if self.judges is None:
            return None
        from dissensus.data import read_judges

        columns: dict[str, Any] = {**column_names(self.judge_columns), **others}
        path = resolve(self.judges, "judges.csv")
        given = {"source_format": self.judges_format, **columns}
        if self.judges_question is not None:
            return read_judges(path, question=self.judges_question, **given)
        judges = read_judges(path, **given)
        # Of a file without questions all answers are about the one that was taken.
        return judges if question is None or not judges.questions else asked_of(judges, question)


@dataclass(frozen=True, kw_only=True)
class JudgesInput(OptionalJudgesInput):
    """Judges' answers: a file, or columns of the ratings."""

    @property
    def needs_judges(self) -> bool:
        """Whether there must be judges: always."""
        return True

    def read_all(self, *, question: str | None = None, **others: Any) -> "Judges":  # noqa: ANN401 - as above
        """The judges' answers."""
        if self.judges is None:
            raise OptionError("The file of judges' answers is missing: name it after the first file.")
        return cast("Judges", super().read_all(question=question, **others))


def read_pair(
    source: RatingsInput, judges_source: OptionalJudgesInput | None, *, group_column: str | None = None
) -> "tuple[Ratings, Judges | None]":
    """Ratings and judges' answers, from two files or from one that has both."""
    from dissensus.data import check_order, has_judges, read_alike, read_both

    if judges_source is None:
        return source.read(group_column=group_column), None
    path, people, among = resolve(source.ratings, "ratings.csv"), judges_source.people, judges_source.among
    columns = {"item": source.item, "rater": source.rater, "label": source.label}
    is_one = judges_source.is_plain and resolve(cast("str", judges_source.judges), "judges.csv") == path
    if judges_source.judges is not None and not (is_one and has_judges(path, **columns)):
        for option, value in {"--people": people, "--judges": among}.items():
            if value is not None:
                raise OptionError(f"{option} {value} names columns of one file that has both: leave JUDGES out.")
        if judges_source.is_plain and source.rater is None and source.ratings_format is None:
            check_order(path, resolve(judges_source.judges, "judges.csv"))
        fixes: dict[str, Any] = {"repeats": source.repeats, "merge_case": source.merge_case}
        reading = partial(source.read, group_column=group_column)
        judging = cast("Callable[..., Judges]", partial(judges_source.read_all, question=source.question, **fixes))
        return read_alike(reading, judging, label_map=source.renamed(), merge_case=source.merge_case)
    if not judges_source.needs_judges and not has_judges(path, **columns):
        return source.read(group_column=group_column), None
    names = (
        "item",
        "rater",
        "label",
        "labels",
        "scale",
        "repeats",
        "label_map",
        "merge_case",
        "question",
        "by",
        "items",
    )
    keywords = {name: value for name, value in source.keywords().items() if name in names}
    return read_both(path, people=people, judges=among, task=source.read_task(), **keywords)


def read_judged(source: RatingsInput, judges_source: JudgesInput) -> "tuple[Ratings, Judges]":
    """The same for a command that needs judges."""
    return cast("tuple[Ratings, Judges]", read_pair(source, judges_source))


def asked_of(judges: "Judges", question: str) -> "Judges":
    """The answers to one question."""
    if question not in judges.questions:
        known = ", ".join(judges.questions)
        raise OptionError(f"The judges' file has no question {question!r}: its questions are {known}.")
    return judges.questions[question]


def column_names(texts: Sequence[str] | None) -> dict[str, str]:
    """Names of columns from `judge=model,label=verdict`, or from one text for each.

    >>> column_names(["judge=model,label=verdict", "item=id"])
    {'judge': 'model', 'label': 'verdict', 'item': 'id'}
    """
    names = {}
    for part in parts_of(",".join(texts or ())):
        role, equals, column = part.partition("=")
        if role.strip() not in JUDGE_COLUMNS or not equals or not column.strip():
            raise OptionError(
                f"--judge-columns has {part!r}: write ROLE=COLUMN with a role out of {', '.join(JUDGE_COLUMNS)}."
            )
        names[role.strip()] = column.strip()
    return names


def read_pairs(path: Path) -> dict[str, tuple[str, str]]:
    """The two systems of each item, from a file with the columns item, a and b."""
    from dissensus.data.paths import small_text

    try:
        rows = list(csv.DictReader(io.StringIO(small_text(path))))
        columns = rows[0].keys() if rows else ()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path.name}: cannot be read as CSV. Give a file with the columns item, a, b.") from error
    if missing := [name for name in PAIR_COLUMNS if name not in columns]:
        raise ColumnError(f"{path.name}: has no column {missing[0]}. Give it the columns item, a, b.")
    pairs: dict[str, tuple[str, str]] = {}
    for line, row in enumerate(rows, start=2):
        item, a, b = (str(row[name] or "").strip() for name in PAIR_COLUMNS)
        if not (item and a and b):
            raise ColumnError(f"{path.name}: row {line} has an empty item, a or b. Fill it in, or drop the row.")
        if pairs.setdefault(item, (a, b)) != (a, b):
            raise ColumnError(f"{path.name}: row {line} gives the item {item} other systems than before. Keep one.")
    return pairs


# ---- Files larger than memory


@dataclass(frozen=True, kw_only=True)
class LargeOptions:
    """What to do with files larger than memory."""

    reduce: Annotated[
        bool | None,
        typer.Option(
            "--reduce/--no-reduce", help="Merge identical items while reading; if not given, the files' size decides."
        ),
    ] = None
    memory: Annotated[str, flag("SIZE", "What reducing may use before it writes to disk.")] = "2GB"
    round_outputs: Annotated[
        int | None, flag("DIGITS", "Round judges' probabilities, so that more items are identical.")
    ] = None

    def wanted_for(self, *paths: Path | None) -> bool:
        """Whether files are to be reduced."""
        from dissensus.data.sources.files import is_large, is_many

        given = [path for path in paths if path is not None]
        if self.reduce is None:
            return self.round_outputs is not None or any(is_large(path) for path in given)
        return self.reduce or any(is_many(path) for path in given)


def read_inputs(
    source: RatingsInput,
    judges_source: OptionalJudgesInput | None,
    large: LargeOptions,
    work: Work,
    *,
    group_column: str | None = None,
    judge: Sequence[str] | None = None,
    scored_by: "LabelScores | None" = None,
) -> "tuple[Ratings, Judges | None]":
    """Ratings and judges' answers, reduced where they are large.

    `source`, `judges_source`: the files. `large`, `work`: how to reduce them, and where. `group_column`: name of the
    group column. `judge`: which judges will be asked for. `scored_by`: what labels score, where judges give too many
    different probabilities to tell their items apart.
    """
    path = resolve(source.ratings, "ratings.csv")
    judges = None if judges_source is None else judges_source.judges
    judges_path = None if judges is None else resolve(judges, "judges.csv")
    is_one_file = judges_source is not None and judges is None and judges_source.needs_judges
    if is_one_file or not large.wanted_for(path, judges_path):
        return read_pair(source, judges_source, group_column=group_column)
    _check_plain(source, judges_source)
    from dissensus.data.formats.plan import ReadPlan
    from dissensus.data.large.read_large import judges_plan, read_input
    from dissensus.data.large.tables import input_of

    names = column_names(None if judges_source is None else judges_source.judge_columns)
    wanted = input_of(
        path,
        judges_path,
        ratings_plan=ReadPlan.given(source.keywords(group_column), of="import_", task=source.read_task()),
        judges_plan=judges_plan(names, cast("Repeats", source.repeats)),
        judge=judge,
        round_outputs=large.round_outputs,
    )
    return read_input(wanted, scored_by=scored_by, memory=large.memory, engine=work.engine)


def read_both(
    source: RatingsInput,
    judges_source: JudgesInput,
    large: LargeOptions,
    work: Work,
    **chosen: Any,  # noqa: ANN401 - as in `read_inputs`
) -> "tuple[Ratings, Judges]":
    """The same for a command that needs judges."""
    return cast("tuple[Ratings, Judges]", read_inputs(source, judges_source, large, work, **chosen))


def _check_plain(source: RatingsInput, judges_source: OptionalJudgesInput | None) -> None:
    """Raise if the user says what only files mean that are read whole."""
    given = {"--question": source.question, "--item-key": source.item_key, "--by": source.by, "--items": source.items}
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
