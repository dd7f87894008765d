from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.inputs import renamed_labels, resolve, split_labels
from dissensus.cli.output import Output


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """What the user says about a source: everything that an import can fix."""

    form: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="How it is written, e.g. label-studio; auto if not given."),
    ] = None
    judges: Annotated[
        bool, typer.Option("--judges", help="Take judges' answers (predictions, suggestions) where there are both.")
    ] = False
    question: Annotated[str | None, typer.Option(metavar="Q", help="Which question, if it asks several.")] = None
    item_key: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where a tool's export has the item's id, e.g. data.id.")
    ] = None
    item: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Name of the item column; with a row per rater a pattern, e.g. 'q*'."),
    ] = None
    rater: Annotated[
        str | None, typer.Option(metavar="COL", help="Name of the rater column; with --wide a pattern, e.g. 'r*'.")
    ] = None
    label: Annotated[str | None, typer.Option(metavar="COL", help="Name of the label column.")] = None
    judge: Annotated[str | None, typer.Option(metavar="COL", help="Name of the judge column.")] = None
    sample: Annotated[str | None, typer.Option(metavar="COL", help="Name of the sample column.")] = None
    group: Annotated[str | None, typer.Option(metavar="COL", help="Name of the group column.")] = None
    elicitation: Annotated[
        str | None, typer.Option(metavar="COL", help="Name of the column that says forced_choice or response_set.")
    ] = None
    count: Annotated[
        str | None, typer.Option(metavar="COL", help="Name of the count column, or a pattern: a column per label.")
    ] = None
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Names of all columns of a file without a header.")
    ] = None
    sheet: Annotated[str | None, typer.Option(metavar="S", help="Sheet of a workbook; the first if not given.")] = None
    wide: Annotated[bool, typer.Option("--wide", help="Each column is a rater; usually recognised.")] = False
    labels: Annotated[str | None, typer.Option(metavar="A,B,C", help="Every label, in order.")] = None
    scale: Annotated[str | None, typer.Option(metavar="S", help="nominal, ordinal or interval.")] = None
    off_scale: Annotated[
        str, typer.Option(metavar="O", help="A label that is not among --labels: error or missing.")
    ] = "error"
    label_map: Annotated[
        str | None, typer.Option("--map", metavar="OLD=NEW,...", help="Other names for labels; empty means missing.")
    ] = None
    merge_case: Annotated[
        bool, typer.Option("--merge-case", help="Labels that differ in case or blanks only are one.")
    ] = False
    decimal_comma: Annotated[
        bool, typer.Option("--decimal-comma", help="A comma in a label is the point of a number: 3,5 is 3.5.")
    ] = False
    split: Annotated[
        str | None, typer.Option(metavar="S", help="What joins the options of a response set besides |, e.g. ','.")
    ] = None
    skipped: Annotated[
        str, typer.Option(metavar="S", help="Skipped, discarded and rejected answers: drop or keep.")
    ] = "drop"
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COL=PATTERN", help="Rows to leave out, e.g. 'item=check_*'; may be repeated."),
    ] = None
    repeats: Annotated[
        str, typer.Option(metavar="R", help="A rater who rated an item twice: error, first, last or keep.")
    ] = "error"

    def keywords(self) -> dict[str, Any]:
        """The options as `import_` and `doctor` take them."""
        from dissensus.options import pattern_of

        read = {
            "source_format": self.form,
            "columns": split_labels(self.columns),
            "wide": True if self.wide else None,
            "labels": split_labels(self.labels),
            "label_map": renamed_labels(self.label_map),
            "drop": tuple(map(pattern_of, self.drop or ())),
        }
        return {name: value for name, value in asdict(self).items() if name != "form"} | read

    def settings(self) -> dict[str, object]:
        """The options that were given, for the JSON."""
        return {name: value for name, value in asdict(self).items() if value not in (None, False)}


def import_command(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A tool's export, a log, a table or a workbook.")],
    options: SourceOptions,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The CSV file to write; nothing if not given.")
    ] = None,
    output: Output = Output(),
) -> None:
    """Turn a tool's export into a plain file of ratings or judges.

    Recognises the format, and says what it took for item, rater and label, and what it left out and why.
    """
    from dissensus.data.import_ import import_

    path = resolve(source, "judges.csv" if options.judges else "ratings.csv")
    output.show(replace(import_(path, output=out, **options.keywords()), settings=options.settings()))
