"""Several results about the same data as one: a report's JSON, and a report in short."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dissensus.report.document import Section
from dissensus.report.views import section_of
from dissensus.results import Result


@dataclass(frozen=True, kw_only=True)
class Findings(Result):
    """What a report holds: its results by the name of their command."""

    command: ClassVar[str] = "report"

    results: tuple[Result, ...]

    def as_dict(self) -> dict[str, object]:
        """Each result's part of the JSON."""
        return {result.command: result.as_dict() for result in self.results}

    def rows(self) -> list[dict[str, object]]:
        """The rows of each result, with the command that they come from."""
        return [{"command": result.command, **row} for result in self.results for row in result.rows()]


def together(results: Sequence[Result]) -> Result:
    """The results as one; a single result as it is."""
    if len(results) == 1:
        return results[0]
    return Findings(
        settings={result.command: result.settings for result in results},
        data={role: facts for result in results for role, facts in result.data.items()},
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        results=tuple(results),
    )


def in_short(result: Result) -> Section:
    """A result's answer and its main table, without the rest."""
    section = section_of(result)
    table = section.main_table()
    return replace(section, blocks=() if table is None else (table,))
