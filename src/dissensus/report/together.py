"""A whole report's answers as one result: its JSON, and a report in short."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dissensus.methods.decide.answers import Answers
from dissensus.methods.decide.unanswered import COLLECT, FURTHER, Unanswered
from dissensus.report.document import Points, Section
from dissensus.report.verdict import verdict_of
from dissensus.results import Result


@dataclass(frozen=True, kw_only=True)
class Findings(Result):
    """What a report holds: its verdict, its results by the name of their command, and what is left open."""

    command: ClassVar[str] = "report"

    verdict: Sequence[str]
    results: tuple[Result, ...]
    unanswered: tuple[Unanswered, ...]

    def as_dict(self) -> dict[str, object]:
        """Each result's part of the JSON."""
        answered = {result.command: result.as_dict() for result in self.results}
        return {"verdict": list(self.verdict), **answered, "unanswered": [part.as_dict() for part in self.unanswered]}

    def rows(self) -> list[dict[str, object]]:
        """The rows of each result, with the command that they come from."""
        return [{"command": result.command, **row} for result in self.results for row in result.rows()]


def together(answers: Answers) -> Findings:
    """The answers as one result."""
    results = answers.results
    return Findings(
        settings={result.command: result.settings for result in results},
        data={role: facts for result in results for role, facts in result.data.items()},
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        verdict=verdict_of(answers),
        results=results,
        unanswered=answers.unanswered,
    )


def in_short(section: Section) -> Section:
    """A section's answer with its main table, without the rest; what to collect is told in points.

    Of the further questions the answer is enough.
    """
    if section.title in FURTHER:
        return replace(section, blocks=())
    table = None if section.title == COLLECT else section.main_table()
    points = [block for block in section.blocks if isinstance(block, Points)]
    return replace(section, blocks=tuple(points) if table is None else (table,))
