from dissensus.report.document import Cell, Section, Table
from dissensus.report.numbers import counted, visible
from dissensus.results import Result


def view(result: Result) -> Section:
    """Any result whose command has no view of its own: its rows, as they are."""
    rows = result.rows()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(
        caption=f"What {result.command} found",
        columns=[column.replace("_", " ") for column in columns],
        rows=[[_cell(row.get(column)) for column in columns] for row in rows],
    )
    lead = f"{result.command.capitalize()} has {counted(len(rows), 'row')} to show."
    return Section(title=result.command.capitalize(), lead=lead, blocks=(table,) if rows else ())


def _cell(value: object) -> Cell:
    return value if isinstance(value, int | float) or value is None else visible(str(value))
