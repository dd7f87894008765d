"""Files of other tools: `import` and `doctor`."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.inputs import (
    ElicitationColumn,
    ItemKey,
    LabelColumn,
    LabelMap,
    Labels,
    Output,
    Repeated,
    Text,
    Wide,
    flag,
    resolve,
)
from dissensus.errors import OptionError
from dissensus.options import pattern_of, renamed_labels, split_labels


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """What the user says about a source: everything that an import can fix."""

    form: Annotated[Text, flag("F", "Format of the file, e.g. label-studio; recognised if not given.", "--format")] = (
        None
    )
    judges: Annotated[
        bool, typer.Option("--judges", help="Take judges' answers (predictions, suggestions) if there are both.")
    ] = False
    question: Annotated[Text, flag("Q", "Which question, if it asks several.")] = None
    item_key: ItemKey = None
    item: Annotated[Text, flag("COL", "Name of the item column; with a row per rater a pattern, e.g. 'q*'.")] = None
    rater: Annotated[Text, flag("COL", "Name of the rater column; with --wide a pattern, e.g. 'r*'.")] = None
    label: LabelColumn = None
    judge: Annotated[Text, flag("COL", "Name of the judge column.")] = None
    sample: Annotated[Text, flag("COL", "Name of the sample column.")] = None
    group: Annotated[Text, flag("COL", "Name of the group column.")] = None
    elicitation: ElicitationColumn = None
    count: Annotated[Text, flag("COL", "Name of the count column, or a pattern: a column per label.")] = None
    columns: Annotated[Text, flag("A,B,...", "Names of all columns of a file without a header.")] = None
    sheet: Annotated[Text, flag("S", "Sheet of a workbook; the first if not given.")] = None
    wide: Wide = False
    labels: Labels = None
    scale: Annotated[Text, flag("S", "nominal, ordinal or interval.")] = None
    off_scale: Annotated[str, flag("O", "A label that is not among --labels: error or missing.")] = "error"
    label_map: LabelMap = None
    merge_case: Annotated[
        bool, typer.Option("--merge-case", help="Merge labels that differ only in case or spaces.")
    ] = False
    decimal_comma: Annotated[
        bool, typer.Option("--decimal-comma", help="Read a comma in a label as a decimal point: 3,5 is 3.5.")
    ] = False
    split: Annotated[Text, flag("S", "What separates the options of a response set, besides |, e.g. ','.")] = None
    skipped: Annotated[str, flag("S", "Skipped, discarded and rejected answers: drop or keep.")] = "drop"
    drop: Annotated[
        list[str] | None, flag("COL=PATTERN", "Rows to leave out, e.g. 'item=check_*'; may be repeated.")
    ] = None
    repeats: Repeated = "error"

    def keywords(self) -> dict[str, Any]:
        """The options as `import_` and `doctor` take them."""
        if self.judges and self.judge is None and set("*,") & set(self.rater or ""):
            raise OptionError(f"--rater {self.rater} names people's columns: name those of judges with --judge 'gpt*'.")
        read = {
            "source_format": self.form,
            "columns": None if self.columns is None else split_labels(self.columns),
            "wide": self.wide or None,
            "labels": None if self.labels is None else split_labels(self.labels),
            "label_map": renamed_labels(",".join(self.label_map or ())),
            "drop": tuple(map(pattern_of, self.drop or ())),
        }
        return {name: value for name, value in asdict(self).items() if name != "form"} | read

    def settings(self) -> dict[str, object]:
        """The options that were given, for the JSON."""
        label_map = ",".join(self.label_map or ()) or None
        given = asdict(self) | {"label_map": label_map}
        return {name: value for name, value in given.items() if value not in (None, False)}


def import_command(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A tool's export, a log, a table or a workbook.")],
    options: SourceOptions,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The CSV file to write; nothing if not given.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="TOOL", help="SOURCE is a task file: write what label-studio or argilla shows people."),
    ] = None,
    output: Output = Output(),
) -> None:
    """Turn a tool's export into a plain file of ratings or judges.

    Recognises the format, and says what it took for item, rater and label, and what it left out and why. The other way
    round, --to turns a task file into what a tool asks people: a forced choice and a response set.
    """
    from dissensus.data.import_ import import_

    if to is not None:
        _write_labelling(source, to, out, output)
        return
    path = resolve(source, "judges.csv" if options.judges else "ratings.csv")
    output.show(replace(import_(path, output=out, **options.keywords()), settings=options.settings()))


def _write_labelling(source: str, tool: str, out: Path | None, output: Output) -> None:
    from dissensus.data import read_task
    from dissensus.data.import_ import TOOLS, write_labelling
    from dissensus.data.paths import is_same

    if tool not in TOOLS:
        raise OptionError.unknown("--to", tool, TOOLS)
    if out is None:
        raise OptionError(f"--to {tool} needs a file to write: name it with -o.")
    path = resolve(source, "task.toml")
    if is_same(path, out):
        raise OptionError(f"-o {out} is the task file itself, which would be lost: name another file.")
    write_labelling(read_task(path), tool, out)
    output.remark(f"Wrote {out}")


def doctor_command(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of ratings or judges, as every command takes it.")
    ],
    judges_source: Annotated[
        str | None, typer.Argument(metavar="JUDGES", help="A file of judges, checked against the ratings of FILE.")
    ] = None,
    options: SourceOptions = SourceOptions(),
    people: Annotated[
        str | None, typer.Option("--ratings", metavar="RATINGS", help="People's ratings, to check the judges against.")
    ] = None,
    output: Output = Output(),
) -> None:
    """Check a file: what is wrong, and which option fixes it?

    Looks for repeated and conflicting ratings, labels that are probably one, values off the scale, raters and judges
    that always say the same, and more; with --ratings also what keeps judges and people apart. Exit status 2 only if
    a file cannot be opened, or the ratings beside it cannot be read.
    """
    from dissensus.data.doctor import doctor

    known: set[str] = set()
    if judges_source is not None:
        if people is not None or options.judges or output.as_json:
            raise OptionError(f"Check the judges alone: dissensus doctor {judges_source} --ratings {source}.")
        first = doctor(resolve(source, "ratings.csv"), **options.keywords())
        output.show(first)
        source, people, known = judges_source, source, {finding.message for finding in first.findings}
    path = resolve(source, "judges.csv" if options.judges or people is not None else "ratings.csv")
    compared = None if people is None else resolve(people, "ratings.csv")
    found = doctor(path, ratings=compared, **options.keywords())
    new = tuple(finding for finding in found.findings if finding.message not in known)
    output.show(replace(found, findings=new, settings=options.settings()))
