"""A report as Markdown, for a pull request or a wiki: sentences and tables, charts as links to their files.

Whatever others wrote is escaped: a label can neither open a link nor load a picture, nor break a table.
"""

import html
import re
from collections.abc import Callable, Sequence

import dissensus
from dissensus.report.document import Block, Figure, Fold, Front, Note, Paragraph, Points, Report, Section, Table
from dissensus.report.envelope import file_tables, setting_tables
from dissensus.report.numbers import counted, table_cells, visible

MOST_ROWS = 50
"""A table shows at most this many rows, and says how many more there are."""
_SPECIAL = re.compile(
    r"[\\`*_{}\[\]<>#|~@!$&]|(?<=\w)://|(?<=www)\."  # markup, entities, mentions, and what becomes a link by itself
    r"|^[-+=](?=[\s=-]|$)|(?<=^\d)[.)](?=\s)|(?<=^\d\d)[.)](?=\s)"  # what begins a list or underlines a heading
)

Link = Callable[[Figure], str | None]
"""Where the drawing of a figure is, if it was saved."""


def markdown_of(report: Report, *, command_line: str = "", link: Link = lambda _: None) -> str:
    """The report as Markdown.

    `report`: what to show. `command_line`: the command that makes it again. `link`: from a figure to the path of its
    drawing, or None.
    """
    front = report.front
    lines = [f"# {escaped(report.title)}", "", *([] if front is None else [escaped(front.scope), ""])]
    lines += [*(f"> {escaped(sentence)}  " for sentence in report.verdict), ""]
    lines += [] if front is None else _front(front, link)
    for section in report.sections:
        lines += _section(section, link, has_lead=len(report.sections) > 1)
    lines += ["---", "", f"Made by dissensus {dissensus.__version__}.", ""]
    if command_line:
        lines += ["```sh", visible(command_line).replace("```", "` ` `"), "```", ""]
    for table in [*file_tables(report.results), *setting_tables(report.results)]:
        lines += [*_folded(table.caption, _table(table)), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> print(escaped("<b>|[x](y)"))
    \<b\>\|\[x\](y)
    """
    return _SPECIAL.sub(lambda match: "".join(f"\\{c}" for c in match[0]), visible(text))


def _front(front: Front, link: Link) -> list[str]:
    """The table and the charts of the first screen; its answer is quoted above them."""
    blocks: list[Block] = [*([] if front.table is None else [front.table]), *front.figures]
    return [line for block in blocks for line in [*_block(block, link), ""]]


def _section(section: Section, link: Link, *, has_lead: bool) -> list[str]:
    """A section; the lead of the only one is the verdict already."""
    lines = [f"## {escaped(section.title)}", "", *([f"**{escaped(section.lead)}**", ""] if has_lead else [])]
    for block in section.blocks:
        lines += [*_block(block, link), ""]
    return lines


def _block(block: Block, link: Link) -> list[str]:
    match block:
        case Paragraph():
            return [escaped(block.text)]
        case Points():
            heading = [f"### {escaped(block.title)}", ""] if block.title else []
            return [*heading, *(f"- {escaped(text)}" for text in block.texts)]
        case Table():
            return [f"*{escaped(block.caption)}*", "", *_table(block)]
        case Figure():
            return _figure(block, link)
        case Note():
            return [f"> {'**Warning:**' if block.kind == 'warning' else '**Hint:**'} {escaped(block.text)}"]
        case Fold():
            return _folded(block.title, [line for part in block.parts for line in [*_block(part, link), ""]][:-1])


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    """Lines that are shown on demand."""
    # What stands between tags is HTML, where a backslash escapes nothing.
    return ["<details>", f"<summary>{html.escape(visible(title))}</summary>", "", *lines, "", "</details>"]


def _figure(figure: Figure, link: Link) -> list[str]:
    """The drawing if it was saved, how it was computed, and the numbers behind it on demand."""
    path = link(figure)
    picture = [] if path is None else [f"![{escaped(figure.title)}](<{path}>)", ""]
    lines = [f"### {escaped(figure.title)}", "", *picture, escaped(figure.caption)]
    if figure.table is not None:
        lines += ["", *_folded("Show the data", _table(figure.table))]
    return lines


def _table(table: Table) -> list[str]:
    head, left = table.head(MOST_ROWS)
    rule = ["---:" if is_number else "---" for is_number in head.number_columns()]
    rows = [_row([escaped(cell) for cell in table_cells(head, row)]) for row in head.rows]
    more = ["", f"and {counted(left, 'more row')}, which the JSON output has"] if left else []
    return [_row([escaped(column) for column in head.columns]), _row(rule), *rows, *more]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
