"""What a visitor says about the files of a data set: the same options as those of the command line."""

import shlex
from collections.abc import Mapping, Sequence

from dissensus.data.fixes import listing
from dissensus.data.project import Project
from dissensus.errors import DissensusError
from dissensus.options import parts_of, renamed_again, renamed_labels
from dissensus.web.fields import (
    LONGEST_VALUE,
    YES,
    Field,
    arguments_of,
    chosen,
    options_of,
    python_call,
    typed,
    values_of,
)
from dissensus.web.shelf import EXAMPLE, DataSet, Shelf

REPEATS = (("error", "stop there"), ("first", "keep the first"), ("last", "keep the last"), ("keep", "keep all"))
SCALES = (
    ("", "find out"),
    ("nominal", "nominal: names"),
    ("ordinal", "ordinal: an order"),
    ("interval", "interval: a measure"),
)
OFF_SCALE = (("error", "stop there"), ("missing", "take them as missing"))
SKIPPED = (("drop", "leave them out"), ("keep", "count them"))
PATTERNS = "as in item=check_*,rater=bot"
RENAMED = "as in NO=No,n/a= (nothing after the sign: missing)"

RATINGS = (
    Field(
        name="repeats", label="A rater who rated an item twice", kind="choice", default="error", choices=REPEATS,
        usual="error",
    ),
    Field(name="item", label="Column of the item", hint="if it is not called item"),
    Field(name="rater", label="Column of the rater", hint="if it is not called rater"),
    Field(name="label", label="Column of the label", hint="if it is not called label"),
    Field(name="labels", label="Every label, in order", holds="labels", hint="as in: no,maybe,yes"),
    Field(name="scale", label="What the order of labels means", kind="choice", choices=SCALES),
    Field(name="question", label="Which question", hint="if the file asks several"),
)  # fmt: skip
FIXES = (
    Field(name="map", label="Other names for labels", holds="renaming", hint=RENAMED, keyword="label_map"),
    Field(name="drop", label="Rows to leave out", holds="patterns", hint=PATTERNS),
    Field(name="split", label="What joins several answers", hint="besides a bar, as in ;"),
    Field(
        name="off_scale", label="Labels that are not among those above", kind="choice", default="error",
        choices=OFF_SCALE, usual="error",
    ),
    Field(
        name="skipped", label="Skipped and rejected answers", kind="choice", default="drop", choices=SKIPPED,
        usual="drop",
    ),
    Field(name="merge_case", label="Labels that differ in case or blanks only are one", kind="check"),
)  # fmt: skip
"""What changes ratings instead of saying how to read them."""
JUDGE_COLUMNS = (
    Field(name="judges_item", label="Column of the item", keyword="item", typed_as="--item"),
    Field(
        name="judges_judge", label="Column of the judge", keyword="judge", typed_as="--judge",
        hint="if it is not called judge",
    ),
    Field(
        name="judges_label", label="Column of the judge's label", keyword="label", typed_as="--label",
        hint="if it is not called label",
    ),
)  # fmt: skip
JUDGE_QUESTION = Field(
    name="judges_question", label="Which question", keyword="question", typed_as="--question",
    hint="if the file answers several",
)  # fmt: skip
JUDGE_FIXES = (
    Field(
        name="judges_map", label="Other names for judges' labels", holds="renaming", keyword="label_map",
        typed_as="--map", hint=RENAMED,
    ),
    Field(
        name="judges_drop", label="Judges' answers to leave out", holds="patterns", keyword="drop", typed_as="--drop",
        hint="as in judge=draft_*",
    ),
    Field(
        name="judges_split", label="What joins several answers of a judge", keyword="split", typed_as="--split",
        hint="besides a bar, as in ;",
    ),
    Field(
        name="judges_merge_case", label="Judges' labels that differ in case or blanks only are one", kind="check",
        keyword="merge_case", typed_as="--merge-case",
    ),
)  # fmt: skip
ALL_RATINGS = (*RATINGS, *FIXES)
ALL_JUDGES = (*JUDGE_COLUMNS, JUDGE_QUESTION, *JUDGE_FIXES)
DATA = (*ALL_RATINGS, *ALL_JUDGES)
FIXED, FIXED_JUDGES = "fixed.csv", "fixed_judges.csv"


def values_in(project: Project) -> dict[str, str]:
    """How the files of a project are read: the roles of their columns, then each fix in its turn."""
    known = {field.name: field for field in DATA}
    found = {name: value for name, value in project.columns.items() if name in known}
    for name, value in project.fixes:
        if name in known:
            try:
                found[name] = _joined(known[name], found.get(name, ""), value)
            except DissensusError:  # somebody edited the file: the rest still counts
                continue
    return found


def read_as(shelf: Shelf, data: DataSet, read: Mapping[str, str]) -> str:
    """Which files are read and how: what an answer about other files, or the same read otherwise, differs by."""
    return f"{chosen(DATA, read)} {shelf.fingerprint(data)}"


def reading(data: DataSet, query: Mapping[str, str]) -> dict[str, str]:
    """How the files are read, field by field: as the project says, unless the address says otherwise."""
    return values_of(DATA, {**data.values, **query})


def address_options(data: DataSet, query: Mapping[str, str]) -> dict[str, str]:
    """What the address says about the files that the project does not."""
    values = reading(data, query)
    return {
        field.name: values[field.name]
        for field in DATA
        if field.name in query and values[field.name] != data.values.get(field.name, field.default)
    }


def is_read_plainly(values: Mapping[str, object]) -> bool:
    """Whether nothing is said about the ratings but what to do with repeats and how labels are ordered."""
    plain = {"repeats", "labels", "scale"}
    return not any(values.get(f.name) and values[f.name] != f.usual for f in ALL_RATINGS if f.name not in plain)


def fixing_ratings(data: DataSet, values: Mapping[str, str], *, takes_options: bool) -> list[str]:
    """How to fix the ratings before a command takes them; empty if nothing needs to be.

    `takes_options` says whether the command can be told itself how to read them; then only what changes them, other
    than new names for labels, has to be done before.
    """
    before = FIXES[1:] if takes_options else ALL_RATINGS
    if not options_of(before, values):
        return []
    return ["import", data.ratings.name, *options_of(ALL_RATINGS, values), "-o", FIXED]


def fixing_judges(data: DataSet, values: Mapping[str, str], *, takes_options: bool) -> list[str]:
    """The same for the judges' answers."""
    repeats = RATINGS[:1]
    before = JUDGE_FIXES if takes_options else (*JUDGE_FIXES, JUDGE_QUESTION, *repeats)
    if data.judges is None or not options_of(before, values):
        return []
    said = options_of((*ALL_JUDGES, *repeats), values)
    return ["import", data.judges.name, "--judges", *said, "-o", FIXED_JUDGES]


def fixing(data: DataSet, values: Mapping[str, str], *, takes_options: bool = True) -> list[list[str]]:
    """Commands to run first, as words."""
    both = (
        fixing_ratings(data, values, takes_options=takes_options),
        fixing_judges(data, values, takes_options=takes_options),
    )
    return [words for words in both if words]


def file_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """The files and what is said about them, as a command takes them, once they are fixed."""
    is_fixed = bool(fixing_ratings(data, values, takes_options=True))
    said = [f for f in RATINGS if f.name in {"repeats", "labels", "scale"}] if is_fixed else [*RATINGS, FIXES[0]]
    files = [FIXED if is_fixed else data.ratings.name]
    if data.judges is None:
        return [*files, *options_of(said, values)]
    are_fixed = bool(fixing_judges(data, values, takes_options=True))
    files.append(FIXED_JUDGES if are_fixed else data.judges.name)
    columns = [] if are_fixed else [*judge_column_words(data, values), *question_words(values)]
    return [*files, *options_of(said, values), *columns]


def pilot_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """The files as a planner takes a pilot, once they are fixed."""
    is_fixed = bool(fixing_ratings(data, values, takes_options=False))
    words = ["--pilot", FIXED if is_fixed else data.ratings.name]
    if data.judges is None:
        return words
    if fixing_judges(data, values, takes_options=False):
        return [*words, "--pilot-judges", FIXED_JUDGES]
    return [*words, "--pilot-judges", data.judges.name, *judge_column_words(data, values)]


def judge_column_words(data: DataSet, values: Mapping[str, str]) -> list[str]:
    """Names of columns of the judges' file, as the command line takes them."""
    named = [f"{f.argument}={values[f.name]}" for f in JUDGE_COLUMNS if values.get(f.name)]
    return ["--judge-columns", ",".join(named)] if named and data.judges is not None else []


def question_words(values: Mapping[str, str]) -> list[str]:
    """Which question of the judges' file, as the command line takes it."""
    question = values.get(JUDGE_QUESTION.name, "")
    return ["--judges-question", question] if question else []


def reading_lines(data: DataSet | None, values: Mapping[str, str], *, more: Sequence[Field] = ()) -> list[str]:
    """Python that reads the files; `more` are fields of a page that are said about the ratings, too."""
    if data is None:
        read = 'ratings = dissensus.read("ratings.csv")'
        return ["import dissensus", "", read, 'judges = dissensus.read_judges("judges.csv")']
    lines = ["import dissensus", ""]
    where, judges_where = repr(data.ratings.name), repr("" if data.judges is None else data.judges.name)
    said = arguments_of((*ALL_RATINGS, *more), values)
    if data.id.startswith(EXAMPLE):
        lines = ["import dissensus", "from dissensus.data.paths import example_path", ""]
        lines += [f"folder = example_path({data.id.removeprefix(EXAMPLE)!r})"]
        lines += ['task = dissensus.read_task(folder / "task.toml")']
        where, judges_where = 'folder / "ratings.csv"', 'folder / "judges.csv"'
        said.append("task=task")
    lines.append("ratings = " + python_call("dissensus.read", [where, *said]))
    return lines if data.judges is None else [*lines, *_judges_lines(judges_where, values)]


def _judges_lines(where: str, values: Mapping[str, str]) -> list[str]:
    """What `read_judges` cannot fix, an import does first."""
    said = arguments_of((*ALL_JUDGES, RATINGS[0]), values)
    if not options_of(JUDGE_FIXES[1:], values):
        return ["judges = " + python_call("dissensus.read_judges", [where, *said])]
    fixed = repr(FIXED_JUDGES)
    return [
        "",
        "from dissensus.data.import_ import import_",
        "",
        python_call("import_", [where, f"output={fixed}", "judges=True", *said]),
        f"judges = dissensus.read_judges({fixed})",
    ]


# ---- Fix by choosing: what the check-up proposes, or a visitor picks for a label, added to what was chosen before

FIELDS: dict[str, tuple[Field, ...]] = {"ratings": ALL_RATINGS, "judges": (*ALL_JUDGES, RATINGS[0])}
"""What can be said about each file."""
MOST_FIXES = 50


def as_typed(option: str, of: str) -> str:
    """An option as the command line has it: the page knows its fields by these names, too."""
    del of  # all are options of `import`
    return "--map" if option == "label_map" else "--" + option.replace("_", "-")


Fix = tuple[str, str]  # a field and its value


def fixes_in(file: str, option: str) -> list[Fix] | None:
    """What an option of the check-up says, field by field; None where the page has no such field."""
    known = {field.option: field for field in FIELDS[file]}
    found, words = [], _words(option)
    while words:
        field = known.get(words.pop(0))
        if field is None or (field.kind != "check" and not words):
            return None
        found.append((field.name, YES if field.kind == "check" else words.pop(0)))
    return found or None


def checked_fixes(given: object) -> list[Fix]:
    """Fixes that came from a page; an OptionError if they are none."""
    names = {field.name: field for field in DATA}
    if not isinstance(given, list) or len(given) > MOST_FIXES:
        raise DissensusError("There is no such fix. Reload the page.")
    for one in given:
        if not (isinstance(one, list) and len(one) == 2 and one[0] in names and isinstance(one[1], str)):  # noqa: PLR2004 - a pair
            raise DissensusError("There is no such fix. Reload the page.")
        typed(names[one[0]], one[1][:LONGEST_VALUE])
    return [(name, value[:LONGEST_VALUE]) for name, value in given]


def fix_words(fix: Fix) -> str:
    """What a fix does, in words."""
    name, value = fix
    bare = name.removeprefix("judges_")
    if bare == "map":
        pairs = [
            f"{old} becomes {new}" if new else f"{old} means missing" for old, new in renamed_labels(value).items()
        ]
        return "Labels: " + ", ".join(pairs)
    if bare == "drop":
        column, _, pattern = value.partition("=")
        return f"Leave out rows whose {column} is {pattern}"
    words = {
        "merge_case": "Labels that differ only in case or blanks become one",
        "repeats": f"Where somebody answered twice: {dict(REPEATS).get(value, value)}",
        "split": f"Take several answers apart at {value}",
        "labels": f"The labels in order: {value}",
        "off_scale": f"Labels that are not on the scale: {dict(OFF_SCALE).get(value, value)}",
        "skipped": f"Skipped and rejected answers: {dict(SKIPPED).get(value, value)}",
        "question": f"Take the question {value}",
    }
    return words.get(bare, f"{_field(name).label}: {value}")


def fixes_words(fixes: Sequence[Fix]) -> str:
    """What several fixes do together, in words.

    >>> fixes_words([("drop", "rater=r1"), ("drop", "rater=r2")])
    'Leave out rows whose rater is r1 or r2'
    """
    texts: list[str] = []
    for words in map(fix_words, fixes):
        head, joint, last = words.rpartition(" is ")
        if joint and texts and texts[-1].startswith(head + joint):
            texts[-1] = f"{texts[-1].replace(' or ', ', ')} or {last}"
        else:
            texts.append(words)
    return "; ".join(texts)


def after(values: Mapping[str, str], fixes: Sequence[Fix]) -> dict[str, str]:
    """How files are read once some fixes are made, too."""
    found = dict(values)
    for name, value in fixes:
        found[name] = _joined(_field(name), found.get(name, ""), value)
    return found


def _words(option: str) -> list[str]:
    try:
        return shlex.split(option)
    except ValueError:
        return []


def _field(name: str) -> Field:
    return next(field for fields in FIELDS.values() for field in fields if field.name == name)


def _joined(field: Field, before: str, value: str) -> str:
    """A value added to what there was, where a field can hold several."""
    if field.holds == "renaming":
        both = renamed_again(renamed_labels(before), renamed_labels(value))
        return listing(f"{old}={new}" for old, new in both.items())
    if field.holds == "patterns":
        return listing(dict.fromkeys([*parts_of(before), value]))
    return value
