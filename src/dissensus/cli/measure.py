"""Questions about ratings and judges: `describe`, `raters`, `equivalence`, `judges`, `compare`, `panel` and so on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.flags import Keywords, flag_of
from dissensus.cli.inputs import (
    JudgesInput,
    LargeOptions,
    OptionalJudgesInput,
    Output,
    RatingsInput,
    Text,
    Work,
    flag,
    read_both,
    read_inputs,
    read_judged,
    read_pair,
    read_pairs,
)
from dissensus.errors import OptionError

if TYPE_CHECKING:
    from dissensus.data import Judges, Ratings
    from dissensus.methods.decide import DecideResult
    from dissensus.methods.equivalence.scores import LabelScoring
    from dissensus.methods.items import ItemsResult
    from dissensus.methods.parts import PartsResult
    from dissensus.results import Result

NOT_PASSED = 1


def decide_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "decide.result.DecideOptions"],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write what the judge's answers mean in people's terms."),
    ] = None,
    record: Annotated[
        Path | None, flag("HISTORY.duckdb", "Keep the run in a history, which `dissensus history` shows.")
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Which judge do I use, and how?

    As it is, recalibrated, or none yet; what it is worth, and what would change the answer.
    """
    from dissensus.data.paths import check_csv, check_place
    from dissensus.data.ratings import refuse_weights
    from dissensus.methods.decide import decide

    if record is not None:
        check_place(record)  # before the work, so that a misspelt folder costs no time
    if out is not None:
        check_csv(out)
    ratings, judges = read_judged(source, judges_source)
    if record is not None:
        refuse_weights(ratings, "A history")  # before the work, too
    if out is not None and ratings.questions:
        raise OptionError("A recalibration is for one question: choose it with --question.")
    where = work.where(output)

    def write(result: "DecideResult | PartsResult") -> None:
        keep_run(record, ratings, judges, result, output)

    task = source.read_task()
    result = output.run("Resampling items", decide, ratings, judges, write=write, task=task, **options, **where)
    if out is not None:
        decision_in(result).write_recalibration(out)


def decision_in(result: "DecideResult | PartsResult") -> "DecideResult":
    """The decision that a recalibration can be written of: the only one, or of slices that for all items."""
    from dissensus.methods.decide import DecideResult

    decision = result if isinstance(result, DecideResult) else result.overall
    if not isinstance(decision, DecideResult):
        raise OptionError("Slices of raters have no recalibration in common: leave --by out.")
    return decision


def describe_command(
    source: RatingsInput,
    options: Annotated[Keywords, "describe.describe.DescribeOptions"],
    group: Annotated[
        Text, flag("G", "A group column, to describe each of its groups; or a group, to describe only it.")
    ] = None,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Do the raters agree?

    Shape of the data, shares of the labels, and agreement with an interval from resampling items.
    """
    from dissensus.methods.describe import describe

    by_group = group is not None and source.has_column(group)
    ratings, _ = read_inputs(source, None, large, work, group_column=group if by_group else None)
    groups: Keywords = {"group": None if by_group else group, "by_group": by_group}
    output.run("Resampling items", describe, ratings, **groups, **options, **work.where(output))


def raters_command(
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    options: Annotated[Keywords, "raters.result.RatersOptions"],
    group: Annotated[Text, flag("COL", "Name of the column with the raters' group.")] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Who are the raters?

    How each agrees with the rest, how high and consistently each rates, and whether a judge sides with a group.
    """
    from dissensus.methods.raters import raters

    ratings, judges = read_pair(source, judges_source, group_column=group)
    where = work.where(output)
    output.run("Comparing raters", raters, ratings, judges, task=source.read_task(), **options, **where)


def equivalence_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "equivalence.options.EquivalenceOptions"],
    group: Annotated[Text, flag("COL", "Name of the group column.")] = None,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """How many raters is this judge worth?

    Compares each judge with samples of 0, 1, 2, ... raters: how well does it predict another rater's label?
    """
    from dissensus.methods.equivalence import equivalence

    if group is not None and options["experts"] is None and options["amateurs"] is None:
        raise OptionError(
            f"--group {group} only says where --experts and --amateurs are found, and neither is given. To answer for "
            f"each value of the column: --by {group}."
        )
    ratings, judges = read_both(
        source, judges_source, large, work, group_column=group, judge=options["judge"], scored_by=_scored_by(options)
    )
    output.run("Resampling items", equivalence, ratings, judges, **options, **work.where(output))


def _scored_by(options: Keywords) -> "LabelScoring | None":
    """What labels score under a prediction, for scores that are means over items."""
    from dissensus.methods.equivalence.scores import MOMENT_SCORES, label_scores

    score = options["score"] or "cross-entropy"
    return label_scores(score, clip=options["clip"]) if score in MOMENT_SCORES else None


def judges_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "judges.result.JudgesOptions"],
    record: Annotated[
        Path | None, flag("HISTORY.duckdb", "Keep the run in a history, which `dissensus history` shows.")
    ] = None,
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Which judge can stand in for people?

    Ranks the judges by every definition of agreement, compares their decisions with people's, and gives advice.
    """
    from dissensus.data.paths import check_place
    from dissensus.data.ratings import refuse_weights
    from dissensus.methods.judges import judges

    if record is not None:
        check_place(record)
    ratings, answers = read_both(source, judges_source, large, work, judge=options["judge"])
    if record is not None:
        refuse_weights(ratings, "A history")
    where = work.where(output)

    def write(result: "Result") -> None:
        keep_run(record, ratings, answers, result, output)

    output.run("Resampling items", judges, ratings, answers, write=write, task=source.read_task(), **options, **where)


def items_command(
    source: RatingsInput,
    judges_source: OptionalJudgesInput,
    options: Annotated[Keywords, "items.result.ItemsOptions"],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Also write the items, as CSV or as JSONL by the name."),
    ] = None,
    output: Output = Output(),
) -> None:
    """Which items are behind a number?

    What people and judges said about each item, how far people split, and how much their labels surprise each judge.
    """
    from dissensus.data.paths import check_csv
    from dissensus.methods.items import items
    from dissensus.methods.items.result import LINES, write_items
    from dissensus.methods.parts import PartsResult

    if out is not None:
        check_csv(out, *LINES)  # before the work, so that a misspelt folder costs no time
    ratings, judges = read_pair(source, judges_source)

    def write(result: "ItemsResult | PartsResult") -> None:
        if out is not None:
            write_items(result.parts if isinstance(result, PartsResult) else [result], out)

    output.run("Looking at the items", items, ratings, judges, write=write, rng=output.seed, **options)


def compare_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "compare.result.CompareOptions"],
    large: LargeOptions = LargeOptions(),
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Is judge A better than judge B?

    Scores two judges, or every pair, against the raters, and tests whether their difference could be chance.
    """
    from dissensus.methods.compare import compare

    chosen = [options["a"], options["b"]]
    ratings, judges = read_both(source, judges_source, large, work, judge=None if None in chosen else chosen)
    output.run("Resampling", compare, ratings, judges, **options, **work.where(output))


def panel_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "panel.result.PanelOptions"],
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """What are several judges worth together, and beside people?

    Combines the judges in three ways, and says how many raters each judge saves beside people.
    """
    from dissensus.methods.panel import panel

    ratings, judges = read_judged(source, judges_source)
    output.run("Combining the judges", panel, ratings, judges, **options, **work.where(output))


def route_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "route.result.RouteOptions"],
    new: Annotated[Path | None, flag("NEW.csv", "The judge's answers to items without ratings, to assign.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write who is asked about each item without ratings."),
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """Which items can the judge do alone, and which need people?

    The cheapest way to learn as much as by asking people about every item, and whom to ask about new items.
    """
    from dissensus.data import read_judges
    from dissensus.data.paths import check_csv
    from dissensus.methods.route import RouteResult, route

    if out is not None:
        check_csv(out)  # before the work, so that a misspelt folder costs no time
    ratings, judges = read_judged(source, judges_source)
    further = None if new is None else read_judges(new)
    result = output.run("Resampling items", route, ratings, judges, new=further, **options, **work.where(output))
    if out is not None:
        if not isinstance(result, RouteResult):
            raise OptionError("Assignments are for one question and for all of its items: leave --by out, and choose "
                              "the question with --question.")  # fmt: skip
        result.write_assignments(out)


def alt_test_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "alt_test.result.AltTestOptions"],
    output: Output = Output(),
) -> None:
    """Can this judge replace a rater?

    Leaves out one rater after the other and puts the judge in their place: the alternative annotator test.
    """
    from dissensus.methods.alt_test import alt_test

    output.show(alt_test(*read_judged(source, judges_source), **options))


def prevalence_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "prevalence.result.PrevalenceOptions"],
    pairs: Annotated[
        Path | None, flag("PAIRS.csv", "The systems of each item: columns item, a, b; LABEL means a wins.")
    ] = None,
    output: Output = Output(),
) -> None:
    """How many items are positive?

    The judge answered all items, people rated some: the share of positive items, corrected for the judge's errors.
    """
    from dissensus.methods.prevalence import prevalence

    ratings, judges = read_judged(source, judges_source)
    systems = None if pairs is None else read_pairs(pairs)
    output.show(prevalence(ratings, judges, task=source.read_task(), pairs=systems, rng=output.seed, **options))


def gate_command(
    source: RatingsInput,
    judges_source: JudgesInput,
    options: Annotated[Keywords, "gate.result.GateOptions"],
    baseline: Annotated[
        Path | None,
        flag(
            "FILE", "It may be at most --margin worse than in these earlier answers, or in the last gate of a history."
        ),
    ] = None,
    junit: Annotated[Path | None, flag("FILE", "Also write the checks as JUnit XML, for CI.")] = None,
    summary: Annotated[Path | None, flag("FILE", "Also write a summary in Markdown, for a pull request.")] = None,
    record: Annotated[
        Path | None, flag("HISTORY.duckdb", "Keep the run in a history, which `dissensus history` shows.")
    ] = None,
    work: Work = Work(),
    output: Output = Output(),
) -> None:
    """May this judge pass?

    Tests thresholds on the bounds of intervals. Exit status 0: every check passes; 1: one fails or is inconclusive.
    """
    from dissensus.data.paths import check_place, save_bytes
    from dissensus.methods.gate import gate
    from dissensus.methods.gate.result import GateResult
    from dissensus.report.markdown import markdown_of
    from dissensus.report.views.gate import junit_of
    from dissensus.report.views.section import report_on

    for path in (junit, summary, record):
        if path is not None:
            check_place(path)  # before the work, so that a misspelt folder costs no time
    ratings, judges = read_judged(source, judges_source)

    def write(result: "GateResult | PartsResult") -> None:
        keep_run(record, ratings, judges, result, output)
        if junit is not None:
            save_bytes(junit, junit_of(result))
        if summary is not None:
            title = f"Gate: {result.verdict}" if isinstance(result, GateResult) else "Gate"
            save_bytes(summary, markdown_of(report_on([result], title=title, spelling=flag_of)).encode())

    given = {"task": source.read_task(), "baseline": baseline, **options, **work.where(output)}
    if not output.run("Checking the judge", gate, ratings, judges, write=write, **given):
        raise typer.Exit(NOT_PASSED)


def keep_run(path: Path | None, ratings: "Ratings", judges: "Judges", result: "Result", output: Output) -> None:
    """Record what was found, with every item behind it, if a history was named."""
    if path is None:
        return
    from datetime import UTC, datetime

    from dissensus import __version__
    from dissensus.data.history import record
    from dissensus.methods.history.evidence import runs_of

    runs = runs_of(ratings, judges, result, version=__version__)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    number = record(path, runs, recorded_at=now)
    output.remark(f"Recorded as run {number} of {path.name}: dissensus history {path}")


def history_command(
    path: Annotated[Path, typer.Argument(metavar="HISTORY", help="A history, as --record keeps it.")],
    options: Annotated[Keywords, "history.history.HistoryOptions"],
    output: Output = Output(),
) -> None:
    """Is the judge still as good?

    Each judge over the runs that --record kept, the changes that are real, and whether people changed.
    """
    from dissensus.methods.history import history

    output.show(history(path, **options))


def apply_command(
    recalibration: Annotated[
        Path, typer.Argument(metavar="RECALIBRATION", help="What a judge's answers mean, as `decide` wrote it.")
    ],
    judges_source: JudgesInput,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The judges file to write.")
    ] = None,
    output: Output = Output(),
) -> None:
    """What do new answers of a judge mean in people's terms?

    Replaces each answer by what people say where the judge says this: a label, and how likely each label is.
    """
    from dissensus.data.paths import check_csv
    from dissensus.methods.apply import apply

    if out is not None:
        check_csv(out)  # before the work, so that a misspelt folder costs no time
    output.show(apply(recalibration, judges_source.read_all(), output=out))
