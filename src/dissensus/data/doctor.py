"""Examine a file before anything is computed: what it holds, and what every check finds."""

import importlib
import pkgutil
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from dissensus.data import checks as folder
from dissensus.data.assemble import assemble, assemble_judges
from dissensus.data.checks.table import Check, Finding, Table, table_of_judges, table_of_ratings, worst_first
from dissensus.data.columns import UNKNOWN, MissingColumnsError
from dissensus.data.formats.answers import SeveralQuestionsError
from dissensus.data.formats.plan import OffScale, RawJudges, RawRatings, ReadPlan, Repeats, Skipped
from dissensus.data.import_ import beside_people, by_name, has_judges_only
from dissensus.data.labels import Scale
from dissensus.data.ratings import Provenance
from dissensus.data.readers import check_plan, take_judges, take_ratings
from dissensus.data.sources.source import Source, open_source
from dissensus.errors import ColumnError, DissensusError, FileError, MissingExtraError, OptionError, listed, names_in
from dissensus.results import Message, Result, as_dict, unspelled

if TYPE_CHECKING:
    from dissensus.data.inputs import Table as Tabular

BOTH, JUDGES = "both", "Judges: "
"""What a file holds that has people and judges, and how its findings about judges begin."""
SHAPE = ("items", "raters", "ratings", "judges", "answers", "labels", "scale", "groups")


@dataclass(frozen=True, kw_only=True)
class DoctorResult(Result):
    """What is wrong with a file.

    Attributes
    ----------
    format : str, optional
        The format that was recognised; None if the file could not be read without an option.
    holds : str
        Whose answers the file has: ratings, judges or both.
    taken : mapping of str to str
        What was taken for item, rater or judge, label, question, repeat and status.
    shape : mapping
        How many items, raters and ratings there are, as far as they could be read.
    findings : tuple of Finding
        Errors first, then warnings, then notes.
    """

    command: ClassVar[str] = "doctor"

    format: str | None
    holds: str
    taken: Mapping[str, str] = field(default_factory=dict)
    shape: Mapping[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "taken", {role: Message(where) for role, where in self.taken.items()})

    def rows(self) -> list[dict[str, object]]:
        """One row per finding."""
        return [as_dict(finding) for finding in self.findings]


@cache
def all_checks() -> tuple[Check, ...]:
    """The checks of all modules of the folder, by name."""
    names = [f"{folder.__name__}.{module.name}" for module in pkgutil.iter_modules(folder.__path__)]
    checks = [check for name in names for check in getattr(importlib.import_module(name), "CHECKS", ())]
    return tuple(sorted(checks, key=lambda check: check.__name__))


def doctor(
    source: "Tabular", *, ratings: "Tabular | None" = None, judges: bool = False,
    item: str | None = None, rater: str | None = None, label: str | None = None, group: str | None = None,
    elicitation: str | None = None, count: str | None = None, judge: str | None = None, sample: str | None = None,
    order: str | None = None, labels: Sequence[str] | None = None, scale: Scale | None = None,
    repeats: Repeats = "error", wide: bool | None = None, source_format: str | None = None,
    question: str | None = None, item_key: str | None = None, sheet: str | None = None,
    columns: Sequence[str] | None = None, skipped: Skipped = "drop", label_map: Mapping[str, str] | None = None,
    merge_case: bool = False, decimal_comma: bool = False, off_scale: OffScale = "error", split: str | None = None,
    drop: Sequence[tuple[str, str]] = (),
) -> DoctorResult:  # fmt: skip
    """Check a file: what is wrong, and which option fixes it.

    Parameters
    ----------
    source : path or table
        The file, or anything else that `read` takes; an error is raised only if it cannot be read at all.
    ratings : path or table, optional
        People's ratings, to compare judges with.
    judges : bool
        Whether to look at judges' answers where a source has both.
    item, rater, label, group, elicitation, count, labels, scale, repeats, wide, source_format, question, item_key
        As for `read`.
    judge, sample, order : str, optional
        What these columns of judges' answers are called, as for `read_judges`.
    sheet, columns, skipped, label_map, merge_case, decimal_comma, off_scale, split, drop
        As for `read`.

    Returns
    -------
    DoctorResult

    Raises
    ------
    DissensusError
        If a file cannot be opened.

    See Also
    --------
    read : Ratings from a file or a frame.

    Examples
    --------
    >>> from dissensus.data.paths import example_path
    >>> result = doctor(example_path("binary") / "ratings.csv")
    >>> result.format, result.findings
    ('tidy', ())
    """
    given = locals()
    plan = ReadPlan.given(given, of="import_")
    check_plan(plan)
    people = None if ratings is None else _people(ratings)
    beside = None if ratings is not None else beside_people(source, given)
    how, names = beside if judges and beside is not None and "source_format" in beside[0] else ({}, [])
    with open_source(source, sheet=sheet, columns=plan.columns) as opened:
        result, table = examined(opened, replace(plan, **how), judges=judges, people=people)
        if beside is not None and not judges and result.format is not None:
            result = _with_judges(result, table, opened, replace(plan, **beside[0]))
    settings = plan.changed() | ({"judges": True} if judges else {})
    return replace(result, settings=settings, warnings=(by_name(names), *result.warnings)) if names else result


def examined(
    opened: Source, plan: ReadPlan, *, judges: bool = False, people: Table | None = None
) -> tuple[DoctorResult, Table | None]:
    """The same of an open file that is read as the plan says, and what the checks looked at, to hold judges against."""
    settings = plan.changed() | ({"judges": True} if judges else {})
    wants_judges = judges or people is not None or has_judges_only(opened, plan)
    holds = "judges" if wants_judges else "ratings"
    data = {"source": {"file": opened.name, "sha256": opened.sha256(), "columns": list(opened.columns)}}
    try:
        raw = take_judges(opened, plan) if wants_judges else take_ratings(opened, plan)
    except (FileError, MissingExtraError):
        raise
    except SeveralQuestionsError as several:
        parts = {
            question: examined(opened, replace(plan, question=question), judges=judges, people=people)[0]
            for question in several.questions
        }
        return replace(_common_findings(parts, opened.name, plan), settings=settings), None
    except DissensusError as error:
        stopped = (_stopped(error),)
        return DoctorResult(settings=settings, data=data, format=None, holds=holds, findings=stopped), None
    table = _table(raw, plan, opened, people)
    findings = [finding for check in all_checks() for finding in check(table)]
    shape, faults = _assembled(raw, plan, opened, findings)
    result = DoctorResult(
        settings=settings,
        data=data,
        warnings=raw.warnings,
        format=raw.format,
        holds=holds,
        taken=raw.taken,
        shape=shape,
        findings=tuple(worst_first((*findings, *faults))),
    )
    return result, table


def _with_judges(people: DoctorResult, table: Table | None, opened: Source, plan: ReadPlan) -> DoctorResult:
    """What is wrong with people's ratings, and with the judges' answers in columns of their own beside them."""
    theirs = examined(opened, plan, judges=True, people=table)[0].findings if plan.source_format else ()
    known = {finding.message for finding in people.findings}
    new = [replace(one, message=f"{JUDGES}{unspelled(one.message)}") for one in theirs if one.message not in known]
    return replace(people, holds=BOTH, findings=tuple(worst_first((*people.findings, *new))))


def _common_findings(parts: Mapping[str, DoctorResult], name: str, plan: ReadPlan) -> DoctorResult:
    """What the questions of a file have in common; findings that not all have are named with theirs."""
    asked: dict[Finding, list[str]] = {}
    for question, part in parts.items():
        for finding in part.findings:
            asked.setdefault(finding, []).append(question)
    findings = [
        finding if len(own) == len(parts) else replace(finding, message=f"{listed(own)}: {finding.message}")
        for finding, own in asked.items()
    ]
    text = f"{name} asks {len(parts)} questions ({listed(list(parts))}), each answered alone."
    note = Finding(check="several-questions", severity="note", message=f"{text} {plan.named('question')} takes one.")
    first = next(iter(parts.values()))
    sizes = {word: sum(int(str(part.shape.get(word, 0))) for part in parts.values()) for word in ("ratings", "answers")}
    return replace(
        first, shape={word: size for word, size in sizes.items() if size},
        findings=tuple(worst_first((*findings, note))),
    )  # fmt: skip


def _stopped(error: DissensusError) -> Finding:
    """What stops every command, and the option that it asks for."""
    option = error.option if isinstance(error, MissingColumnsError) and UNKNOWN not in error.option else ""
    return Finding(check="columns", severity="error", message=error.message, option=option)


def _table(raw: RawRatings | RawJudges, plan: ReadPlan, source: Source, people: Table | None) -> Table:
    sheet = source.sheet if source.columns else None
    if isinstance(raw, RawRatings):
        return table_of_ratings(raw, plan, name=source.name, sheet=sheet, file=source.file)
    return table_of_judges(raw, plan, sheet=sheet, file=source.file, people=people)


def _people(path: "Tabular") -> Table:
    """The ratings beside a file of judges; no option here is about them, so they are imported first if need be."""
    plan = ReadPlan()
    with open_source(path) as opened:
        try:
            return table_of_ratings(take_ratings(opened, plan), plan, name=opened.name)
        except MissingColumnsError as error:
            output = "ratings.csv" if opened.name != "ratings.csv" else "imported.csv"
            command = f"`dissensus import {shlex.quote(opened.name)} {error.option} -o {output}`"
            raise ColumnError(f"{error.before}.{error.after} Import the ratings first: {command}.") from error
        except (ColumnError, OptionError) as error:
            is_told = not names_in(error.message) or "`dissensus import" in error.message
            more = "" if is_told else " Import the ratings first: these are options of `dissensus import`."
            raise ColumnError(f"{error.message}{more}") from error


def _assembled(
    raw: RawRatings | RawJudges, plan: ReadPlan, source: Source, findings: Sequence[Finding]
) -> tuple[Mapping[str, object], list[Finding]]:
    """The shape of the data once they are validated, and what stops that."""
    # Repeats have a check of their own; where the user has said what to do with them, that is done.
    lenient = replace(plan, repeats="keep") if plan.repeats == "error" else plan
    try:
        if isinstance(raw, RawRatings):
            n_columns = len(source.columns)
            origin = Provenance(name=source.name, sha256=None, format=raw.format, rows=raw.rows, columns=n_columns)
            data = assemble(raw, lenient, origin)[0].describe_data()
        else:
            data = assemble_judges(raw, lenient, sha256=None)[0].describe_data()
    except FileError:
        raise
    except DissensusError as error:
        is_known = any(finding.check == "off-scale" and finding.severity == "error" for finding in findings)
        return {}, [] if is_known else [Finding(check="reading", severity="error", message=error.message)]
    return {name: data[name] for name in SHAPE if name in data}, []
