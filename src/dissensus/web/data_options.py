"""What a visitor says about the files of a data set: the same options as those of the command line."""

from collections.abc import Mapping

from dissensus.web.fields import Field, split_labels
from dissensus.web.showing import arguments_of, options_of
from dissensus.web.uploads import EXAMPLE, DataSet

REPEATS = (("error", "stop there"), ("first", "keep the first"), ("last", "keep the last"), ("keep", "keep all"))
SCALES = (
    ("", "find out"),
    ("nominal", "nominal: names"),
    ("ordinal", "ordinal: an order"),
    ("interval", "interval: a measure"),
)

RATINGS = (
    Field(
        name="repeats", label="A rater who rated an item twice", kind="choice", default="error", choices=REPEATS,
        usual="error",
    ),
    Field(name="item", label="Column of the item", hint="if it is not called item"),
    Field(name="rater", label="Column of the rater", hint="if it is not called rater"),
    Field(name="label", label="Column of the label", hint="if it is not called label"),
    Field(name="labels", label="Every label, in order", hint="as in: no,maybe,yes"),
    Field(name="scale", label="What the order of labels means", kind="choice", choices=SCALES),
    Field(name="question", label="Which question", hint="if the file asks several"),
)  # fmt: skip
JUDGES = (
    Field(name="judges_item", label="Column of the item", hint="in the file of judges"),
    Field(name="judges_judge", label="Column of the judge", hint="if it is not called judge"),
    Field(name="judges_label", label="Column of the judge's label", hint="if it is not called label"),
)
COLUMNS = ("item", "rater", "label", "question")
"""What is said about columns of the ratings."""
MENDED = "mended.csv"
DATA = (*RATINGS, *JUDGES)


def file_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """The files and what is said about them, as the command line takes them."""
    judges = [] if data.judges is None else [data.judges.name]
    return [data.ratings.name, *judges, *options_of(RATINGS, values), *judge_column_words(data, values)]


def import_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """How to mend the ratings first, for commands that take them as they are; empty if nothing needs to be."""
    said = options_of(RATINGS, values)
    return ["import", data.ratings.name, *said, "-o", MENDED] if said else []


def judge_column_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """Names of columns of the judges' file, as the command line takes them."""
    columns = judge_columns(values) if data.judges is not None else {}
    return ["--judge-columns", ",".join(f"{role}={name}" for role, name in columns.items())] if columns else []


def judge_columns(values: Mapping[str, str]) -> dict[str, str]:
    """Names of columns of the judges' file, by role."""
    found = {field.name.removeprefix("judges_"): values.get(field.name, "") for field in JUDGES}
    return {role: name for role, name in found.items() if name}


def reading_lines(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """Python that reads the files."""
    lines = ["import dissensus", ""]
    where, judges_where = repr(data.ratings.name), repr("" if data.judges is None else data.judges.name)
    said = [argument for argument in arguments_of(RATINGS, values) if not argument.startswith("labels=")]
    if values.get("labels"):
        said.append(f"labels={split_labels(values['labels'])!r}")
    if data.id.startswith(EXAMPLE):
        lines = ["import dissensus", "from dissensus.example_data import example_path", ""]
        lines += [f"folder = example_path({data.id.removeprefix(EXAMPLE)!r})"]
        lines += ['task = dissensus.read_task(folder / "task.toml")']
        where, judges_where = 'folder / "ratings.csv"', 'folder / "judges.csv"'
        said.append("task=task")
    lines.append(f"ratings = dissensus.read({', '.join([where, *said])})")
    if data.judges is not None:
        columns = [f"{role}={name!r}" for role, name in judge_columns(values).items()]
        repeats = [f"repeats={values['repeats']!r}"] if values.get("repeats", "error") != "error" else []
        lines.append(f"judges = dissensus.read_judges({', '.join([judges_where, *columns, *repeats])})")
    return lines
