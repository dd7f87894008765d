from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dissensus.cli.inputs import renamed_labels, resolve, split_labels
from dissensus.cli.output import Output

if TYPE_CHECKING:
    from dissensus.data.formats.plan import OffScale, ReadPlan, Repeats, Skipped
    from dissensus.data.labels import Scale


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """What the user says about a source: everything that an import can mend."""

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

    def plan(self) -> "ReadPlan":
        """The options as `read` wants them."""
        from dissensus.data.formats.plan import ReadPlan
        from dissensus.options import pattern_of

        columns = split_labels(self.columns)
        return ReadPlan(
            format=self.form,
            question=self.question,
            item_key=self.item_key,
            item=self.item,
            rater=self.rater,
            label=self.label,
            judge=self.judge,
            sample=self.sample,
            group=self.group,
            elicitation=self.elicitation,
            count=self.count,
            columns=None if columns is None else tuple(columns),
            sheet=self.sheet,
            wide=True if self.wide else None,
            labels=split_labels(self.labels),
            scale=cast("Scale | None", self.scale),
            off_scale=cast("OffScale", self.off_scale),
            label_map=renamed_labels(self.label_map),
            merge_case=self.merge_case,
            decimal_comma=self.decimal_comma,
            split=self.split,
            skipped=cast("Skipped", self.skipped),
            drop=tuple(map(pattern_of, self.drop or ())),
            repeats=cast("Repeats", self.repeats),
        )

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
    from dissensus.data.import_ import import_source

    path = resolve(source, "judges.csv" if options.judges else "ratings.csv")
    result = import_source(path, options.plan(), judges=options.judges, output=out, settings=options.settings())
    output.show(result)
