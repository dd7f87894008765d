"""What `items` says: which items are behind a number."""

import math
from collections.abc import Mapping, Sequence

from dissensus.data.labels import number
from dissensus.methods.items.result import ItemRow, ItemsResult, JudgeOnItem, Kind
from dissensus.options import named
from dissensus.report.document import Cell, Fold, Note, Paragraph, Section, Table
from dissensus.report.numbers import counted, decimal, percent, sentences, short_names, shortened, whole

MOST_JUDGES = 2
"""More judges than that share one column."""
MOST_ROWS = 12
"""In all, where several questions or slices share a table."""
LONGEST_ITEM, LONGEST_TEXT, LONGEST_LABEL, LONGEST_NAME, LONGEST_SHARES = 19, 60, 14, 12, 24
WHY: dict[Kind, str] = {"alone": "alone", "split": "split", "judges": "judges"}
"""The view that has an item, the most telling one first."""
SORTED = {"split": "how far people split", "surprise": "surprise", "ratings": "number of ratings", "item": "name"}
VIEWS = (
    f"Narrow it down with {named('show')}: split (people disagree), alone (people agree, a judge does not) or judges "
    "(judges disagree)."
)
SURPRISE = (
    "Surprise, in bits: how unexpected people's labels are after the judge's recalibrated answer. Where people split, "
    "no judge can go below the split. The mean over all items is minus the judge's score in `dissensus equivalence`."
)
AGREE = "People agree on an item if at least two of them, and at least two thirds, gave the same label."


def view(result: ItemsResult) -> Section:
    """The items: how many of which kind, the first of them, and how to read it."""
    is_picked = result.settings.get("show") != "all" or _is_filtered(result)
    return Section(
        title="Which items are behind the numbers?",
        lead=lead_of(result),
        blocks=[
            *([_table(result, result.items)] if result.items else []),
            *([] if is_picked or not _are_labels(result) else [Note(text=VIEWS, kind="hint")]),
            Fold(
                title="How to read it",
                parts=[Paragraph(text=sentences(AGREE, SURPRISE if _are_labels(result) else ""))],
            ),
        ],
    )


def _is_filtered(result: ItemsResult) -> bool:
    return any(result.settings.get(name) is not None for name in ("majority", "answer"))


def _are_labels(result: ItemsResult) -> bool:
    """Whether answers of judges are labels, which can be the same as people's, and no points of a measure."""
    return any(math.isfinite(judge.surprise) for judge in result.judges)


def lead_of(result: ItemsResult) -> str:
    """How many items there are of what is shown."""
    total = counted(len(result.table.items), "item")
    split, alone, differ = (whole(result.kinds[kind]) for kind in ("split", "alone", "judges"))
    people = f"On {split} of {total} no label has two thirds of people"
    if _is_filtered(result):
        return f"{whole(result.found)} of {total} {'fits' if result.found == 1 else 'fit'}."
    shown = {
        "alone": f"On {alone} of {total} a judge is alone: people agree with each other, not with it.",
        "judges": f"Judges disagree on {differ} of {total}.",
        "split": f"{people}.",
    }.get(str(result.settings.get("show")))
    if shown is None and result.data["ratings"].get("scale") == "interval":
        shown = f"{total}, with what people and judges answered."
    if shown is not None or not _are_labels(result):
        return shown or f"{people}."
    if len(result.judges) == 1:
        return f"{people}; where they agree, the judge disagrees on {alone}."
    return f"{people}; judges differ on {differ}; where people agree, a judge disagrees on {alone}."


# ---- The table


def items_of_parts(results: Mapping[str, ItemsResult], heading: str) -> Table | None:
    """The first items of each question or slice below each other; None where their columns differ."""
    each = max(MOST_ROWS // len(results), 1)
    tables = {name: _table(own, own.items[:each]) for name, own in results.items()}
    columns = {tuple(table.columns) for table in tables.values()}
    if len(columns) != 1:
        return None
    rows: list[list[Cell]] = [[name, *row] for name, table in tables.items() for row in table.rows]
    return Table(caption="The first items of each; split and surprise in bits", columns=[heading, *columns.pop()],
                 rows=rows, digits=2)  # fmt: skip


def _table(result: ItemsResult, rows: Sequence[ItemRow]) -> Table:
    """Some items."""
    names = short_names([row.item for row in rows], LONGEST_ITEM, has_end=True)
    judges = short_names([judge.judge for judge in result.judges], LONGEST_NAME, has_end=True)
    has_texts, has_why = result.table.texts is not None, result.settings.get("show") == "telling"
    are_many = len(judges) > MOST_JUDGES
    longest = 0 if are_many or has_texts else LONGEST_SHARES
    cells: list[list[Cell]] = []
    for row in rows:
        text: list[Cell] = [shortened(" ".join((row.text or "").split()), LONGEST_TEXT)] if has_texts else []
        why: list[Cell] = [next(WHY[kind] for kind in WHY if kind in row.kinds)] if has_why else []
        split = None if math.isnan(row.split) else decimal(row.split, 2)
        said = together_on(row) if are_many else [_said(one) for one in row.judges]
        cells.append([names[row.item], *text, f"{people_of(row, longest)} ({row.ratings})", split, *said, *why])
    heads = ["Judges", "Surprise"] if are_many else list(judges.values())
    columns = ["Item", *["Text"] * has_texts, "People (ratings)", "Split", *heads, *["Why"] * has_why]
    return Table(caption=_caption(result, len(rows)), columns=columns, rows=cells, digits=2)


def _caption(result: ItemsResult, shown: int) -> str:
    by = SORTED.get(str(result.settings.get("sort")), "")
    which = f"The first of {counted(result.found, 'item')}" if shown < result.found else counted(result.found, "item")
    return f"{which}{f', by {by}' if by else ''}; split and surprise in bits"


def people_of(row: ItemRow, longest: int) -> str:
    """What people said, the most frequent label first, others as far as they fit.

    >>> row = ItemRow(item="1", question=None, text=None, ratings=3, shares={"no": 1 / 3, "yes": 2 / 3}, split=0.92,
    ...               kinds=())
    >>> people_of(row, 24), people_of(row, 0)
    ('yes 67%, no 33%', 'yes 67%')
    """
    ranked = sorted(row.shares.items(), key=lambda pair: -pair[1])
    return _fitting([_beside(label, percent(share, 0)) for label, share in ranked], longest)


def _beside(label: str, text: str) -> str:
    """A label and a number; a label that is a number is set apart.

    >>> _beside("yes", "67%"), _beside("-1", "67%")
    ('yes 67%', '-1: 67%')
    """
    return f"{shortened(label, LONGEST_LABEL)}{': ' if number(label) is not None else ' '}{text}"


def together_on(row: ItemRow) -> list[Cell]:
    """How many judges gave which answer, who it was if it was one, and their mean surprise."""
    by_answer: dict[str, list[str]] = {}
    for one in row.judges:
        if one.answer is not None:
            by_answer.setdefault(one.answer, []).append(one.judge)
    said = [
        _beside(answer, f"({shortened(names[0], LONGEST_NAME)})" if len(names) == 1 else whole(len(names)))
        for answer, names in sorted(by_answer.items(), key=lambda pair: -len(pair[1]))
    ]
    bits = None if math.isnan(row.surprise) else decimal(row.surprise, 2)
    return [_fitting(said, LONGEST_SHARES) if said else None, bits]


def _fitting(parts: list[str], longest: int) -> str:
    """The first part, and those after it as far as they fit."""
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) > longest:
            return f"{text}, …" if longest else text
        text = f"{text}, {part}"
    return text


def _said(one: JudgeOnItem) -> str | None:
    if one.answer is None or math.isnan(one.surprise):
        return one.answer and shortened(one.answer, LONGEST_LABEL)
    return _beside(one.answer, decimal(one.surprise, 2))
