"""How a report was made: its files and their hashes, and the settings of each of its parts."""

from collections.abc import Sequence

from dissensus.report.document import Cell, Table
from dissensus.report.envelope import Json, plain
from dissensus.report.numbers import cell_text, shortened
from dissensus.results import Result

LONGEST_SETTING = 200


def file_tables(results: Sequence[Result]) -> list[Table]:
    """The files that went in, each once, as one table; none if the data came from elsewhere."""
    roles: dict[tuple[Cell, ...], str] = {}  # a file that has several roles stands there once, with the first one
    for result in results:
        for role, facts in result.data.items():
            known = plain(facts)
            if isinstance(known, dict):
                roles.setdefault(tuple(_fact(known.get(key)) for key in ("file", "format", "rows", "sha256")), role)
    columns = ["Role", "File", "Layout", "Rows", "SHA-256"]
    rows = [(role, *facts) for facts, role in roles.items()]
    return [Table(caption="Data", columns=columns, rows=rows)] if rows else []


def setting_tables(results: Sequence[Result]) -> list[Table]:
    """The settings of each result."""
    return [
        Table(
            caption=f"Settings of {result.command}",
            columns=["Setting", "Value"],
            rows=[(name, _setting(plain(value))) for name, value in result.settings.items()],
        )
        for result in results
        if result.settings
    ]


def _fact(value: Json) -> Cell:
    return value if value is None or isinstance(value, int) else shortened(str(value), LONGEST_SETTING)


def _setting(value: Json) -> Cell:
    """A setting as text; the numbers of a column of mixed things do not line up anyway."""
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value)
    return cell_text(value, digits=3) if isinstance(value, bool | None) else shortened(str(value), LONGEST_SETTING)
