"""Python that reads the files of a data set, as a page tells people to."""

from collections.abc import Mapping, Sequence

from dissensus.web.data_options import ALL_JUDGES, ALL_RATINGS, JUDGE_MENDS, MENDED_JUDGES, RATINGS
from dissensus.web.fields import Field
from dissensus.web.showing import arguments_of, options_of, python_call
from dissensus.web.uploads import EXAMPLE, DataSet


def reading_lines(data: DataSet | None, values: Mapping[str, str], *, more: Sequence[Field] = ()) -> list[str]:
    """Python that reads the files; `more` are fields of a page that are said about the ratings, too."""
    if data is None:
        read = 'ratings = dissensus.read("ratings.csv")'
        return ["import dissensus", "", read, 'judges = dissensus.read_judges("judges.csv")']
    lines = ["import dissensus", ""]
    where, judges_where = repr(data.ratings.name), repr("" if data.judges is None else data.judges.name)
    said = arguments_of((*ALL_RATINGS, *more), values)
    if data.id.startswith(EXAMPLE):
        lines = ["import dissensus", "from dissensus.example_data import example_path", ""]
        lines += [f"folder = example_path({data.id.removeprefix(EXAMPLE)!r})"]
        lines += ['task = dissensus.read_task(folder / "task.toml")']
        where, judges_where = 'folder / "ratings.csv"', 'folder / "judges.csv"'
        said.append("task=task")
    lines.append("ratings = " + python_call("dissensus.read", [where, *said]))
    return lines if data.judges is None else [*lines, *_judges_lines(judges_where, values)]


def _judges_lines(where: str, values: Mapping[str, str]) -> list[str]:
    """What `read_judges` cannot mend, an import does first."""
    said = arguments_of((*ALL_JUDGES, RATINGS[0]), values)
    if not options_of(JUDGE_MENDS[1:], values):
        return ["judges = " + python_call("dissensus.read_judges", [where, *said])]
    plan = [argument if argument.partition("=")[0] != "drop" else f"drop=tuple({argument[5:]})" for argument in said]
    mended = repr(MENDED_JUDGES)
    return [
        "",
        "from dissensus.ratings.formats.plan import ReadPlan",
        "from dissensus.ratings.importing import import_source",
        "",
        "plan = " + python_call("ReadPlan", plan),
        f"import_source({where}, plan, judges=True, output={mended})",
        f"judges = dissensus.read_judges({mended})",
    ]
