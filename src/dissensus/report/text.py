"""Results in a terminal: sentences, tables and spark-lines.

Everything becomes a rich Text, which rich shows as it is: a label such as `[red]x[/red]` or `:smile:` is no markup.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from dissensus.options import Spelling, in_python
from dissensus.report.document import Block, Figure, Fold, Note, Paragraph, Points, Section, Table
from dissensus.report.numbers import counted, table_cells, visible
from dissensus.report.views.section import section_of
from dissensus.results import Result

WIDTH = 80
MOST_LINES = 25
"""An answer without details is at most this long at the usual width; its table takes what the rest leaves."""
MOST_ROWS = 30
"""With details, a table shows at most this many rows, and says how many more there are."""
LEAST_ROWS = 4
NARROWEST = 10
BETWEEN = 3
"""Blanks between two columns."""
"""A column of text is never squeezed below this many characters."""


def text_of(result: Result, *, details: bool = False) -> str:
    """The result as plain text, 80 columns wide."""
    file = io.StringIO()
    # In a notebook rich would show the text instead of writing it to the file.
    console = Console(
        file=file, width=WIDTH, color_system=None, legacy_windows=False, force_terminal=False, force_jupyter=False
    )
    print_result(result, console, details=details)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()).strip("\n") + "\n"


def print_result(
    result: Result,
    console: Console,
    spelling: Spelling = in_python,
    *,
    details: bool = False,
    more: str = "summary(details=True)",
) -> None:
    """Show a result in a terminal; `more` is what the reader types to see all of it."""
    names = result.data.get("judges", {}).get("judges")
    known = tuple(map(str, names)) if isinstance(names, list | tuple) else ()
    print_section(section_of(result, spelling), console, details=details, more=more, names=known)


def print_section(
    section: Section, console: Console, *, details: bool = True, more: str = "", names: Sequence[str] = ()
) -> None:
    """Show a section in a terminal: its answer, one table and a few notes, or all of it with judges' whole names."""
    console.print(_text(section.lead, "bold"))
    console.print()
    if not details:
        _print_brief(section, console, more)
        return
    for block in section.blocks:
        for part in _rendered(block, ascii_only=console.options.ascii_only, names=names):
            console.print(part)
        console.print()


def _print_brief(section: Section, console: Console, more: str) -> None:
    """The first table and the first notes; then how much there is besides."""
    brief = section.brief()
    below: list[RenderableType] = [_hanging("- ", text) for text in brief.notes]
    if brief.left_out and more:
        below += [*([Text()] if below else []), _text(f"{brief.left_out}: {more}", "dim")]
    if brief.table is not None:
        used = 2 + _height([_text(section.lead), *below], console)  # a blank line above the table, one below it
        for part in _fitting(brief.table, MOST_LINES - used, console):
            console.print(part)
        console.print()
    for part in below:
        console.print(part)


def _fitting(table: Table, lines: int, console: Console) -> list[RenderableType]:
    """The table with as many rows as fit into some lines, but never fewer than a few."""
    most = max(min(len(table.rows), lines), LEAST_ROWS)
    while most > LEAST_ROWS and _height(_table(table, most=most), console) > lines:
        most -= 1
    return list(_table(table, most=most))


def _height(parts: Iterable[RenderableType], console: Console) -> int:
    return sum(len(console.render_lines(part, pad=False)) for part in parts)


def _rendered(block: Block, *, ascii_only: bool, names: Sequence[str] = ()) -> Iterator[RenderableType]:
    match block:
        case Paragraph():
            yield _text(block.text)
        case Points():
            if block.title:
                yield _text(block.title, "bold")
            for point in block.texts:
                yield _hanging("- ", point)
        case Table():
            yield from _table(block, names=names)
        case Figure():
            yield from _figure(block, ascii_only=ascii_only, names=names)
        case Note():
            is_warning = block.kind == "warning"
            yield _hanging("warning: " if is_warning else "hint: ", block.text, "yellow" if is_warning else "dim")
        case Fold():
            yield from _fold(block, ascii_only=ascii_only, names=names)


def _fold(fold: Fold, *, ascii_only: bool, names: Sequence[str]) -> Iterator[RenderableType]:
    """A terminal has no use for folding: the title, then the parts."""
    yield _text(fold.title, "bold")
    for place, part in enumerate(fold.parts):
        if place:
            yield Text()
        yield from _rendered(part, ascii_only=ascii_only, names=names)


def _figure(figure: Figure, *, ascii_only: bool, names: Sequence[str]) -> Iterator[RenderableType]:
    """The finding and its spark-line, or the table where there is none or the terminal cannot show it."""
    if figure.spark is not None and not ascii_only:
        yield _text(figure.title, "bold")
        yield Padding(_text(figure.spark), (0, 0, 0, 2))
    elif figure.table is not None:
        yield _text(figure.title, "bold")
        yield from _table(figure.table, has_heading=True, names=names)


def _table(
    table: Table, *, has_heading: bool = False, most: int = MOST_ROWS, names: Sequence[str] = ()
) -> Iterator[RenderableType]:
    """A table; judges' names in full where there is room for them, else below it."""
    head, left = table.head(most)
    if not has_heading:
        yield _text(table.caption, "bold")
    cells = [[*head.columns], *(table_cells(head, row) for row in head.rows)]
    short = {cell: full for row in cells for cell in row if (full := _whole_name(cell, names))}
    numbers = head.number_columns()
    whole = [[short.get(cell, cell) for cell in row] for row in cells]
    has_room = short and sum(max(map(cell_len, column)) for column in zip(*whole, strict=True)) <= _room(len(numbers))
    columns, *rows = [[_text(cell) for cell in row] for row in (whole if has_room else cells)]
    rich_table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    widths = _widths([columns, *rows], numbers)
    for i, (column, is_number) in enumerate(zip(columns, numbers, strict=True)):
        widest = max((row[i].cell_len for row in rows), default=0)
        rich_table.add_column(
            column,
            justify="right" if is_number else "left",
            width=widths[i] if widths else None,
            min_width=widest if is_number else min(widest, NARROWEST),
            overflow="fold",
        )
    for row in rows:
        rich_table.add_row(*row)
    yield Padding(rich_table, (0, 0, 0, 2))
    if left:
        yield _text(f"  and {counted(left, 'more row')}")
    yield from (_text(f"  {one}: {full}") for one, full in short.items() if not has_room)


def _whole_name(cell: str, names: Sequence[str]) -> str:
    """The one name that a cell shortens; empty if it shortens none.

    >>> _whole_name("gpt-…mini", ["gpt-4o-mini", "llama"]), _whole_name("llama", ["llama"])
    ('gpt-4o-mini', '')
    """
    start, mark, end = cell.partition("…")
    fitting = [name for name in names if mark and name.startswith(start) and name.endswith(end)]
    return visible(fitting[0]) if len(fitting) == 1 else ""


def _room(n_columns: int) -> int:
    """What the cells of a row may take of the usual width, beside what stands between them."""
    return WIDTH - 2 - BETWEEN * (n_columns - 1)


def _widths(rows: Sequence[Sequence[Text]], numbers: Sequence[bool]) -> list[int]:
    """Widths of columns that break no word, where that is possible in a table that is too wide; else empty."""
    columns = list(zip(*rows, strict=True))
    widths = [max(cell.cell_len for cell in column) for column in columns]
    room = _room(len(columns))
    for is_whole in (True, False):  # headings are broken first; then texts between words, while numbers stay whole
        least = []
        for (head, *cells), is_number in zip(columns, numbers, strict=True):
            own = [[cell.plain] if is_whole or is_number else cell.plain.split() for cell in cells]
            least.append(max(map(cell_len, [*head.plain.split(), *chain.from_iterable(own)]), default=0))
        if sum(least) <= room:
            break
    if sum(widths) <= room or sum(least) > room:
        return []
    while sum(widths) > room:
        slack = [width - word for width, word in zip(widths, least, strict=True)]
        widths[slack.index(max(slack))] -= 1
    return widths


def _hanging(mark: str, text: str, style: str = "") -> RenderableType:
    """A mark with text that stays to the right of it."""
    grid = RichTable.grid(padding=0)
    grid.add_column(width=len(mark), no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(mark, style=style), _text(text))
    return grid


def _text(text: str, style: str = "") -> Text:
    return Text(visible(text), style=style, overflow="fold")


BLOCKS = " ▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float]) -> str:
    """A line of block characters, one for each value; the largest is a full block, and only nothing is blank.

    >>> sparkline([0, 1, 4, 8])
    ' ▁▄█'
    >>> sparkline([0, 0])
    '  '
    """
    largest = max(values, default=0)
    steps = len(BLOCKS) - 1
    return "".join(BLOCKS[max(round(v / largest * steps), 1)] if v > 0 else BLOCKS[0] for v in values)
