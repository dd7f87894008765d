"""Examine a file before anything is computed: what it holds, and what every check finds."""

import importlib
import os
import pkgutil
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import ClassVar

from dissensus.data import checks as folder
from dissensus.data.assemble import assemble, assemble_judges
from dissensus.data.checks.table import SEVERITIES, Finding, Patient, patient_of_judges, patient_of_ratings
from dissensus.data.columns import UNKNOWN
from dissensus.data.formats.answers import SeveralQuestionsError
from dissensus.data.formats.plan import RawJudges, RawRatings, ReadPlan
from dissensus.data.import_ import has_judges_only
from dissensus.data.ratings import Provenance
from dissensus.data.readers import check_plan, take_judges, take_ratings
from dissensus.data.sources.source import Source, open_source
from dissensus.errors import ColumnError, DissensusError, FileError, MissingExtraError, OptionError
from dissensus.results import Result

_ADD = re.compile(r": add (--.+?)\.(?: |$)")
"""How a message about missing columns names the likely ones."""

Check = Callable[[Patient], Iterator[Finding]]


@dataclass(frozen=True, kw_only=True)
class DoctorResult(Result):
    """What is the matter with a file.

    Attributes
    ----------
    findings : tuple of Finding
        Errors first, then warnings, then notes.
    format : str, optional
        The format that was recognised; None if the file could not be read without an option.
    holds : str
        Whose answers the file has: ratings or judges.
    taken : mapping of str to str
        What was taken for item, rater or judge, label, question, repeat and status.
    shape : mapping
        How many items, raters and ratings there are, as far as they could be read.
    """

    command: ClassVar[str] = "doctor"

    findings: tuple[Finding, ...]
    format: str | None
    holds: str
    taken: Mapping[str, str] = field(default_factory=dict)
    shape: Mapping[str, object] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The `result` part of the JSON."""
        return {
            "format": self.format,
            "holds": self.holds,
            "taken": dict(self.taken),
            "shape": dict(self.shape),
            "findings": self.rows(),
        }

    def rows(self) -> list[dict[str, object]]:
        """One row per finding."""
        return [finding.as_dict() for finding in self.findings]


@cache
def all_checks() -> tuple[Check, ...]:
    """The checks of all modules of the folder, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    modules = [importlib.import_module(f"{folder.__name__}.{name}") for name in names]
    return tuple(module.check for module in modules if hasattr(module, "check"))


def examine(
    source: str | os.PathLike[str],
    plan: ReadPlan,
    *,
    judges: bool = False,
    people: str | os.PathLike[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> DoctorResult:
    """What is the matter with a file.

    Parameters
    ----------
    source : path
        The file; an error is raised only if it cannot be read at all.
    plan : ReadPlan
        What the user says about it.
    judges : bool
        Whether to look at judges' answers where a source has both.
    people : path, optional
        People's ratings, to compare judges with.
    settings : mapping, optional
        The options as the user gave them, for the JSON.
    """
    check_plan(plan)
    compared = None if people is None else _people(people)
    with open_source(source, sheet=plan.sheet, columns=plan.columns) as opened:
        wants_judges = judges or people is not None or has_judges_only(opened, plan)
        try:
            raw = take_judges(opened, plan) if wants_judges else take_ratings(opened, plan)
        except (FileError, MissingExtraError):
            raise
        except DissensusError as error:
            return _result((_stopped(error),), None, opened, settings, holds="judges" if wants_judges else "ratings")
        patient = _patient(raw, plan, opened, compared)
        findings = [finding for check in all_checks() for finding in check(patient)]
        shape, faults = _assembled(raw, plan, opened, findings)
        return _result((*findings, *faults), raw, opened, settings, holds=patient.holds, shape=shape)


def _stopped(error: DissensusError) -> Finding:
    """What stops every command, and the option that it asks for."""
    if isinstance(error, SeveralQuestionsError):
        return Finding(check="several-questions", severity="error", message=str(error), option=error.option)
    named = _ADD.search(str(error))
    is_known = named is not None and UNKNOWN not in named[1]
    option = named[1] if named is not None and is_known else ""
    return Finding(check="columns", severity="error", message=str(error), option=option)


def _patient(raw: RawRatings | RawJudges, plan: ReadPlan, source: Source, people: Patient | None) -> Patient:
    sheet = source.sheet if source.columns else None
    if isinstance(raw, RawRatings):
        return patient_of_ratings(raw, plan, name=source.name, sheet=sheet, file=source.file)
    return patient_of_judges(raw, plan, sheet=sheet, file=source.file, people=people)


def _people(path: str | os.PathLike[str]) -> Patient:
    plan = ReadPlan()
    with open_source(path) as opened:
        try:
            raw = take_ratings(opened, plan)
        except (ColumnError, OptionError) as error:
            raise ColumnError(_import_first(str(error), opened.name)) from error
        return patient_of_ratings(raw, plan, name=opened.name, sheet=None, file=None)


def _import_first(message: str, name: str) -> str:
    """What is wrong with the ratings beside the file, and the command that mends it: no option here is about them."""
    named = _ADD.search(message)
    if named is None:
        is_told = "--" not in message or "`dissensus import" in message
        return message if is_told else f"{message} Import the ratings first: these are options of `dissensus import`."
    said = f"{message[: named.start()]}. {message[named.end() :]}".rstrip()
    output = "ratings.csv" if name != "ratings.csv" else "imported.csv"
    return f"{said} Import the ratings first: `dissensus import {shlex.quote(name)} {named[1]} -o {output}`."


def _assembled(
    raw: RawRatings | RawJudges, plan: ReadPlan, source: Source, findings: list[Finding]
) -> tuple[Mapping[str, object], list[Finding]]:
    """The shape of the data once they are validated, and what stops that."""
    lenient = replace(plan, repeats="keep")  # repeats were found by their own check
    try:
        if isinstance(raw, RawRatings):
            origin = Provenance(
                name=source.name, sha256=None, format=raw.format, rows=raw.rows, columns=len(source.columns)
            )
            data = assemble(raw, lenient, origin)[0].describe_data()
        else:
            data = assemble_judges(raw, lenient, sha256=None)[0].describe_data()
    except FileError:
        raise
    except DissensusError as error:
        is_known = any(finding.check == "off-scale" and finding.severity == "error" for finding in findings)
        return {}, [] if is_known else [Finding(check="reading", severity="error", message=str(error))]
    kept = ("items", "raters", "ratings", "judges", "answers", "labels", "scale", "groups")
    return {name: data[name] for name in kept if name in data}, []


def _result(
    findings: tuple[Finding, ...],
    raw: RawRatings | RawJudges | None,
    source: Source,
    settings: Mapping[str, object] | None,
    *,
    holds: str,
    shape: Mapping[str, object] | None = None,
) -> DoctorResult:
    return DoctorResult(
        settings=settings or {},
        data={"source": {"file": source.name, "sha256": source.sha256(), "columns": list(source.columns)}},
        warnings=() if raw is None else raw.warnings,
        findings=tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))),
        format=None if raw is None else raw.format,
        holds=holds,
        taken={} if raw is None else raw.taken,
        shape=shape or {},
    )
